// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// audit as a user meets it.
#include <filesystem>

#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/json.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

namespace test = dpcurves::test;
using dpcurves::test::run_program;
using dpcurves::test::words;
using dpcurves::tools::Json;

namespace {

const std::string examples = std::string(DPCURVES_SOURCE_DIR) + "/data/examples/";

}  // namespace

TEST_CASE("the examples of audits are consistent or loose, and BROKEN for a file that claims less", "[tools][audit]") {
  for (const std::string kind : {"multi-run", "one-run"}) {
    const auto honest =
        run_program({"audit", kind, examples + kind + "-scores.csv", "--run", examples + "audit-run.toml"});
    CAPTURE(kind, honest.err, honest.out);
    CHECK(honest.exit_code == 0);
    CHECK_THAT(honest.out, Catch::Contains("verdict: ") && !Catch::Contains("BROKEN"));
    const auto claim = run_program(
        {"audit", kind, examples + kind + "-scores.csv", "--run", examples + "audit-claim.toml", "--format", "json"});
    CAPTURE(claim.err);
    CHECK(claim.exit_code == 1);
    const Json json = Json::parse(claim.out);
    CHECK(json["schema"] == "dpcurves/audit/1");
    CHECK(json["verdict"] == "BROKEN");
    CHECK(json["p_value"]["upper"].get<double>() <= 0.05);
    CHECK(json["transcript"]["file"] == examples + "audit-claim.toml");
    CHECK(json["audited_run"]["phases"].size() == 1);
    CHECK(json["inputs"]["scores"] == examples + kind + "-scores.csv");
  }
}

TEST_CASE("a verdict says which bound is whose", "[tools][audit]") {
  const auto ask = [](const std::string& run) {
    return run_program({"audit", "one-run", examples + "one-run-scores.csv", "--run", run});
  };
  CHECK_THAT(ask(examples + "audit-run.toml").out,
             Catch::Contains("epsilon <= 4.3772 at delta 1e-05, mu <= 1\nscores: epsilon >= 1.6261, mu >= 0.65667\n"
                             "verdict: loose, p-value of the certified curve 0.583\n"));
  const test::Folder folder;
  std::string text = dpcurves::io::read_file(examples + "audit-run.toml");
  const auto noise = text.find("noise_multiplier = 1.0");
  REQUIRE(noise != std::string::npos);
  const std::string path = folder.path / "run.toml";
  dpcurves::io::write_file(path, std::string(text).replace(noise, 22, "noise_multiplier = 1.8"));
  const auto broken = ask(path);  // epsilon of 2.25 is certified, 1.63 proved: no contradiction at this delta
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.out, Catch::Contains("verdict: BROKEN") && Catch::Contains("The whole curve is tested"));
}

TEST_CASE("the records of a run count its canaries", "[tools][audit][errors]") {
  const test::Folder folder;
  std::string text = dpcurves::io::read_file(examples + "audit-run.toml");
  const auto count = text.find("count = 1000");
  REQUIRE(count != std::string::npos);
  const std::string path = folder.path / "run.toml";
  dpcurves::io::write_file(path, text.replace(count, 12, "count = 999"));
  for (const auto& audit : {words("one-run " + examples + "one-run-scores.csv"),
                            words("counts --canaries 1000 --guesses 100 --correct 90")}) {
    auto line = audit;
    line.insert(line.begin(), "audit");
    line.insert(line.end(), {"--run", path});
    const auto refused = run_program(line);
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 3);
    CHECK(refused.err.starts_with(path + ": records.count: 999 records are fewer than the 1000 canaries"));
  }
}

TEST_CASE("a picture and CSV of an audit", "[tools][audit]") {
  const auto file = std::filesystem::temp_directory_path() / "dpcurves-audit-test.svg";
  const auto spoken = run_program({"audit", "multi-run", examples + "multi-run-scores.csv", "--thresholds", "all",
                                   "--run", examples + "audit-run.toml", "--plot", file.string(), "--format", "csv"});
  CAPTURE(spoken.err);
  CHECK(spoken.exit_code == 0);
  CHECK(spoken.out.starts_with("quantity,delta,lower,confidence,theorem,conditional_on\nepsilon,1e-05,"));
  CHECK(std::filesystem::file_size(file) > 1000);
  std::filesystem::remove(file);
}

TEST_CASE("the seed chooses the pilot and nothing else does", "[tools][audit]") {
  const auto ask = [](const std::string& more) {
    return run_program(
               words("audit multi-run " + examples + "multi-run-scores.csv --thresholds split --format csv " + more))
        .out;
  };
  CHECK(ask("") == ask("--threads 1"));
  CHECK(ask("") != ask("--seed 2"));
}

TEST_CASE("wrong audits exit with 2 and say what is meant", "[tools][audit][errors]") {
  struct Row {
    std::string line, message;
  };
  const auto row = GENERATE(
      Row{"audit counts --canaries 10 --guesses 20 --correct 5", "--guesses: 20 is more than --canaries"},
      Row{"audit counts --canaries 10 --correct 5", "--guesses: is required"}, Row{"audit counts", "--true-positives"},
      Row{"audit counts --canaries 10 --guesses 5 --correct 5 --significance 0.5", "--significance: 0.5"},
      Row{"audit one-runs x.csv", "did you mean one-run?"},
      Row{"audit one-run " + examples + "one-run-scores.csv --gueses 5", "--guesses"},
      Row{"audit one-run " + examples + "banded-toeplitz.csv", "unknown column"},
      Row{"audit multi-run " + examples + "multi-run-scores.csv --thresholds best", "--thresholds"},
      Row{"audit one-run " + examples + "one-run-scores.csv --guesses 10 --guess-share 0.1",
          "--guesses and --guess-share exclude each other"},
      Row{"audit one-run " + examples + "one-run-scores.csv --guesses 10 --thresholds grid:4",
          "--guesses: the numbers of guesses are those of --thresholds grid:4"},
      Row{"audit one-run", "SCORES"});
  const auto spoken = run_program(words(row.line));
  CAPTURE(row.line, spoken.err);
  CHECK(spoken.exit_code == 2);
  CHECK_THAT(spoken.err, Catch::Contains(row.message));
  CHECK(run_program({"audit", "one-run", "no-such-file.csv"}).exit_code == 5);
}
