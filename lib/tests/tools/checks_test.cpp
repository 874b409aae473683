// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Files of checks: what a laboratory keeps under regression.
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::Folder;
using dpcurves::test::run_program;

namespace {

/// A file of this content in the folder; its path.
std::string file(const Folder& folder, const std::string& name, const std::string& content) {
  std::ofstream(folder.path / name) << content;
  return (folder.path / name).string();
}

dpcurves::test::Spoken check(const std::string& content, const std::string& name = "checks.toml") {
  const Folder folder;
  return run_program({"eval", "--check", file(folder, name, content)});
}

/// One check of a command, its budget and the lines that follow.
std::string budget(const std::string& expect,
                   const std::string& options = "noise-multiplier = 1.0, compositions = 1, delta = 1e-5") {
  return "[[check]]\nid = \"one\"\ncommand = \"privacy gaussian\"\noptions = { " + options + " }\nexpect = " + expect +
         "\n";
}

}  // namespace

TEST_CASE("the example file of budgets passes", "[tools][checks]") {
  const auto answer =
      run_program({"eval", "--check", std::string(DPCURVES_SOURCE_DIR) + "/data/examples/budgets.toml"});
  CAPTURE(answer.out, answer.err);
  CHECK(answer.exit_code == 0);
  CHECK(answer.out ==
        "ok image model, nightly training: headroom 1 %\n"
        "ok convex model, all epochs: headroom 5.5 %\n4 passed, 0 failed\n");
}

TEST_CASE("a budget that is not kept fails with the number", "[tools][checks]") {
  const auto kept = check(budget("{ value = \"results.0.epsilon.upper\", at-most = 4.38 }"));
  CAPTURE(kept.out, kept.err);
  CHECK(kept.exit_code == 0);
  const auto broken = check(budget("{ value = \"results.0.epsilon.upper\", at-most = 4.37 }"));
  CHECK(broken.exit_code == 1);
  CHECK(broken.out.find("FAILED one: results.0.epsilon.upper: is 4.37") == 0);
  CHECK(broken.out.find("more than 4.37") != std::string::npos);
  const auto repeat = broken.out.find("\n  repeat: dpcurves ");
  REQUIRE(repeat != std::string::npos);
  const std::string line = broken.out.substr(repeat + 20, broken.out.find('\n', repeat + 1) - repeat - 20);
  CHECK(dpcurves::test::answer(dpcurves::test::words(line))["results"][0]["epsilon"]["upper"].get<double>() > 4.37);
  const auto below = check(budget("{ value = \"results.0.epsilon.lower\", at-least = 4.38 }"));
  CHECK(below.exit_code == 1);
  CHECK(below.out.find("less than 4.38") != std::string::npos);
}

TEST_CASE("tolerances are two-sided and mean what they say", "[tools][checks]") {
  CHECK(check(budget("{ value = \"results.0.epsilon.upper\", equals = 4.4, abs = 0.03 }")).exit_code == 0);
  CHECK(check(budget("{ value = \"results.0.epsilon.upper\", equals = 4.4, abs = 0.02 }")).exit_code == 1);
  CHECK(check(budget("{ value = \"results.0.epsilon.upper\", equals = 4.4, rel = 0.006 }")).exit_code == 0);
  CHECK(check(budget("{ value = \"results.0.epsilon.upper\", equals = 4.4, rel = 0.005 }")).exit_code == 1);
}

TEST_CASE("a check that is wrong itself fails and says where", "[tools][checks]") {
  struct Row {
    std::string content;
    const char* message;
  };
  const auto row = GENERATE(
      Row{budget("{ value = \"results.0.epsilon.uper\", at-most = 5 }"), "did you mean upper?"},
      Row{budget("{ value = \"results.7.epsilon\", at-most = 5 }"), "has no \"7\" in \"results\""},
      Row{budget("{ value = \"results.0.epsilon.upper\" }"), "neither equals, at-most nor at-least"},
      Row{budget("{ value = \"results.0.epsilon.upper\", at-moste = 5 }"), "did you mean at-most?"},
      Row{budget("{ value = \"results.0.epsilon.upper\", at-most = 5, abs = 1 }"), "a limit is a limit"},
      Row{budget("{ value = \"results.0.epsilon.upper\", at-most = \"much\" }"), "is not a number"},
      Row{budget("{ value = \"results.0.epsilon.upper\", equals = 4.4, abs = -1 }"), "expect.abs: -1"},
      Row{budget("[]"), "names nothing to compare"},
      Row{budget("{ value = \"results.0.epsilon.upper\", at-most = 5 }",
                 "noise-multiplier = -1.0, compositions = 1, delta = 1e-5"),
          "--noise-multiplier: -1"},
      Row{budget("{ value = \"results.0.epsilon.upper\", at-most = 5 }",
                 "noise-multiplier = 1.0, compositions = 1, output = \"x\""),
          "by the check"},
      Row{"[[check]]\nid = \"one\"\n", "needs either a calculator"},
      Row{"[[check]]\nid = \"one\"\ncalculator = \"shifted-interpolation/gdp-delta\"\n", "outputs: missing key"},
      Row{"[[check]]\nid = \"one\"\nexpected = 1\n", "expected: unknown key"});
  const auto answer = check(row.content);
  CAPTURE(row.content, answer.out, answer.err);
  CHECK(answer.exit_code == 1);
  CHECK(answer.out.find(row.message) != std::string::npos);
  CHECK(answer.out.find("0 passed, 1 failed") != std::string::npos);
}

TEST_CASE("failures name the line of their entry, and limits that hold their headroom", "[tools][checks]") {
  const Folder folder;
  const auto file = (folder.path / "budgets.toml").string();
  dpcurves::io::write_file(file, "# ours\n" + budget("{ value = \"results.0.epsilon.upper\", at-most = 1 }") + "\n\n" +
                                     budget("[{ value = \"results.0.epsilon.upper\", at-most = 8.75 }, "
                                            "{ value = \"results.0.epsilon.upper\", at-least = 1 }]"));
  const auto marks = run_program({"eval", "--check", file, "--annotations", "github"});
  CHECK_THAT(marks.out, Catch::StartsWith("::error file=" + file + ",line=2,title="));
  const auto json = nlohmann::json::parse(run_program({"eval", "--check", file, "--format", "json"}).out);
  CHECK(json["checks"][0]["line"] == 2);
  CHECK(json["checks"][0]["headroom"].is_null());
  CHECK(json["checks"][1]["line"] > 4);
  CHECK(json["checks"][1]["headroom"].get<double>() == Approx(0.5).margin(0.01));
}

TEST_CASE("a file that is no list of checks is refused", "[tools][checks]") {
  CHECK(check("").exit_code == 2);
  CHECK(check("x = [").exit_code == 2);
  CHECK(check("a = 1\nb = 2\n").exit_code == 2);
  CHECK(check("check = []\n").exit_code == 2);
  CHECK(check("[]", "checks.json").exit_code == 2);
  CHECK(check("{\"check\": 3}", "checks.json").exit_code == 2);
  CHECK(run_program({"eval", "--check", "/no/such/file.toml"}).exit_code == 5);
  CHECK(run_program({"eval", "--junit", "x.xml"}).exit_code == 2);
}

TEST_CASE("JSON and TOML say the same, and options may be lists and flags", "[tools][checks]") {
  const auto json = check(
      R"([{"id": "one", "command": "privacy gaussian", "options": {"noise-multiplier": 1, "compositions": 1, "delta": [1e-5, 1e-6]},
                               "expect": {"value": "results.1.delta", "equals": 1e-6}}])",
      "checks.json");
  CAPTURE(json.out, json.err);
  CHECK(json.exit_code == 0);
}

TEST_CASE("JUnit counts, escapes, and is written although checks failed", "[tools][checks]") {
  const Folder folder;
  const auto checks = file(folder, "checks.toml",
                           "[[check]]\nid = \"a <\\\"b\\\"> & c\"\ncommand = \"privacy gaussian\"\n"
                           "options = { noise-multiplier = 1.0, compositions = 1, delta = 1e-5 }\n"
                           "expect = { value = \"results.0.epsilon.upper\", at-most = 1.0 }\n" +
                               budget("{ value = \"results.0.epsilon.upper\", at-most = 5.0 }"));
  const auto out = (folder.path / "found.xml").string();
  const auto answer = run_program({"eval", "--check", checks, "--junit", out});
  CHECK(answer.exit_code == 1);
  const auto xml = dpcurves::io::read_file(out);
  CHECK(xml.find("tests=\"2\" failures=\"1\"") != std::string::npos);
  CHECK(xml.find("name=\"a &lt;&quot;b&quot;&gt; &amp; c\"") != std::string::npos);
  CHECK(xml.find("<failure message=\"results.0.epsilon.upper: is 4.37") != std::string::npos);
}
