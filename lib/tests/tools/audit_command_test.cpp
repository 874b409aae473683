// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// audit as a user meets it.
#include <filesystem>

#include "support/json.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

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
      Row{"audit one-run", "SCORES"});
  const auto spoken = run_program(words(row.line));
  CAPTURE(row.line, spoken.err);
  CHECK(spoken.exit_code == 2);
  CHECK_THAT(spoken.err, Catch::Contains(row.message));
  CHECK(run_program({"audit", "one-run", "no-such-file.csv"}).exit_code == 5);
}
