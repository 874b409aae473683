// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/options.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <dpcurves/core/error.hpp>

#include "support/exit.hpp"
#include "support/json_record.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tools;

namespace {

const std::vector<Option> table{{"noise", OptionKind::number, "(0, inf)", "", ""},
                                {"steps", OptionKind::count, "[1, inf]", "", ""},
                                {"delta", OptionKind::numbers, "(0, 1)", "", ""},
                                {"sampling", OptionKind::text, "poisson|fixed-size", "", ""},
                                {"verify", OptionKind::flag, "", "", ""}};

struct ConfigFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "dpcurves-options-test.toml";
  explicit ConfigFile(const std::string& text) { std::ofstream(path) << text; }
  ~ConfigFile() { std::filesystem::remove(path); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
};

}  // namespace

TEST_CASE("an interval knows its ends", "[tools][range]") {
  CHECK(Range("[0, inf)").contains(0.0));
  CHECK_FALSE(Range("[0, inf)").contains(INFINITY));
  CHECK(Range("[1, inf]").contains(INFINITY));
  CHECK_FALSE(Range("(0, 1)").contains(0.0));
  CHECK_FALSE(Range("(-inf, inf)").contains(std::nan("")));
}

TEST_CASE("only whole texts are numbers", "[tools][range]") {
  double value = 0.0;
  CHECK((read_number("1e9", value) && value == 1e9));
  CHECK((read_number("unlimited", value) && std::isinf(value)));
  CHECK((read_number("infinity", value) && std::isinf(value)));
  CHECK((read_number("1e-400", value) && value == 0.0));
  for (const char* text : {"", "nan", "0x10", "1 ", "1e", "--1", "1,2", "infinit"}) {
    CAPTURE(text);
    CHECK_FALSE(read_number(text, value));
  }
}

TEST_CASE("a wrong option names itself, the value and the range", "[tools][options]") {
  CHECK_THROWS_WITH(read_options(table, {{"noise", {"-1"}}}, ""), "--noise: -1 is outside (0, inf)");
  CHECK_THROWS_WITH(read_options(table, {{"steps", {"2.5"}}}, ""), "--steps: 2.5 is not a whole number");
  CHECK_THROWS_WITH(read_options(table, {{"noise", {"x"}}}, ""), Catch::Contains("\"x\" is not a number"));
  CHECK_THROWS_WITH(read_options(table, {{"sampling", {"poison"}}}, ""), Catch::Contains("did you mean poisson?"));
  CHECK(read_options(table, {{"sampling", {"fixed_size"}}}, "").text("sampling") == "fixed-size");
  CHECK_THROWS_AS(read_options(table, {{"delta", {"0.1", "2"}}}, ""), UsageError);
  CHECK_THROWS_WITH(read_options(table, {}, "").number("noise"), "--noise: is required");
}

TEST_CASE("a default stands once, in the row of its option", "[tools][options]") {
  const std::vector<Option> rows{{"width", OptionKind::count, "[2, inf) = 256", "m, units"},
                                 {"clips", OptionKind::numbers, "(0, inf] = 0.5,inf", ""},
                                 {"sampling", OptionKind::text, "poisson|fixed-size = poisson", "how; see there"},
                                 {"mode", OptionKind::texts, "clean|dp = clean,dp", "", "Run", {"modes"}},
                                 {"plot", OptionKind::text, "", "a file"}};
  CHECK(rows[0].range == "[2, inf)");
  CHECK(rows[0].help == "m, units, default 256");
  CHECK(rows[1].help == "default 0.5,inf");
  CHECK(rows[2].help == "how; see there; default poisson");
  CHECK(rows[3].group == "Run");
  CHECK(rows[4].fallback.empty());
  auto values = checked_options(rows, RawOptions{});
  CHECK_FALSE(values.has("width"));
  CHECK_FALSE(values.maybe("width"));
  CHECK(values.number("width") == 256.0);
  CHECK(values.count("width") == 256);
  CHECK(values.number_or("width", 3.0) == 3.0);
  CHECK(values.numbers("clips") == std::vector<double>{0.5, INFINITY});
  CHECK(values.text("sampling") == "poisson");
  CHECK(values.texts("mode") == std::vector<std::string>{"clean", "dp"});
  CHECK(values.echo(rows).entries().empty());
  values.prefer("width", {512.0});
  CHECK(values.number("width") == 512.0);
  const auto given = checked_options(rows, RawOptions{{"width", {"4"}}, {"mode", {"dp"}}});
  CHECK(given.number("width") == 4.0);
  CHECK(given.number_or("width", 3.0) == 4.0);
  CHECK(given.texts("mode") == std::vector<std::string>{"dp"});
  CHECK_THROWS_WITH(checked_options({{"width", OptionKind::count, "[2, inf) = 1", ""}}, RawOptions{}),
                    "--width: 1 is outside [2, inf)");
}

TEST_CASE("the command line wins over the file", "[tools][options]") {
  const ConfigFile file("noise = 2\nsteps = 10\ndelta = [1e-5, 0.01]\nverify = true\nsampling = \"fixed-size\"\n");
  const Values values = read_options(table, {{"noise", {"3"}}}, file.path);
  CHECK(values.number("noise") == 3.0);
  CHECK(values.number("steps") == 10.0);
  CHECK(values.numbers("delta") == std::vector<double>{1e-5, 0.01});
  CHECK(values.flag("verify"));
  CHECK(values.text("sampling") == "fixed-size");
}

TEST_CASE("mistakes in a file name the file and the place", "[tools][options]") {
  const ConfigFile unknown("nois = 2\n");
  CHECK_THROWS_WITH(read_options(table, {}, unknown.path),
                    Catch::Contains("nois") && Catch::Contains("did you mean noise?"));
  const ConfigFile broken("noise = = 2\n");
  CHECK_THROWS_WITH(read_options(table, {}, broken.path), Catch::Contains("line 1"));
  CHECK_THROWS_AS(read_options(table, {}, "/no/such/file.toml"), DataError);
}

TEST_CASE("the echo keeps infinities and names with underscores", "[tools][options]") {
  const Values values = read_options(table, {{"steps", {"unlimited"}}, {"noise", {"0.5"}}}, "");
  CHECK(json_of({values.echo(table)}).dump() == R"({"noise":0.5,"steps":"inf"})");
}
