// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;

namespace {

dpcurves::test::Spoken gdp_delta(const std::string& input) {
  return run_program({"eval", "shifted-interpolation/gdp-delta"}, input);
}

}  // namespace

TEST_CASE("eval answers with one JSON object", "[tools][eval]") {
  const auto answer = gdp_delta(R"({"mu": 1, "eps": 2})");
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.rfind("{\"delta\":0.0209236358", 0) == 0);
  CHECK(answer.err.empty());
}

TEST_CASE("without privacy loss nothing is gained, to the last bit", "[tools][eval]") {
  const auto answer = run_program({"eval", "attack/auc"}, R"({"mu": 0})");
  CHECK(answer.out.find("\"auc\":0.5,") != std::string::npos);
  CHECK(answer.out.find("\"gini\":0.0,") != std::string::npos);
}

TEST_CASE("wrong inputs of eval are told by exit code and key", "[tools][eval]") {
  struct Row {
    const char* input;
    int exit_code;
    const char* message;
  };
  const auto row = GENERATE(
      Row{R"({"mu": -1, "eps": 2})", 3, "mu: -1 is outside [0, inf)"}, Row{R"({"mu": 1})", 2, "eps: missing key"},
      Row{R"({"mu": 1, "eps": 2, "epz": 3})", 2, "epz: unknown key, did you mean eps?"},
      Row{R"({"mu": "one", "eps": 2})", 2, "mu: \"one\" is not a number"},
      Row{R"({"mu": 1, "eps": )", 2, "standard input"}, Row{R"({"mu": 1, "mu": 2, "eps": 1})", 2, "stands there twice"},
      Row{"[1, 2]", 2, "inputs: "}, Row{"", 2, "standard input"},
      Row{R"({"mu": 1e999, "eps": 2})", 2, "standard input"},
      Row{R"({"mu": null, "eps": 2})", 2, "mu: null is not a number"}, Row{"\xff\xfe{", 2, "standard input"},
      Row{R"({"mu": "inf", "eps": 2})", 3, "mu: inf is outside"});
  const auto answer = gdp_delta(row.input);
  CAPTURE(row.input, answer.err);
  CHECK(answer.exit_code == row.exit_code);
  CHECK(answer.err.find(row.message) != std::string::npos);
  CHECK(answer.out.empty());
}

TEST_CASE("deeply nested JSON is refused, not swallowed", "[tools][eval]") {
  const auto answer = gdp_delta(std::string(100000, '['));
  CHECK(answer.exit_code == 2);
}

TEST_CASE("an unknown calculator suggests the nearest", "[tools][eval]") {
  const auto answer = run_program({"eval", "shifted-interpolation/gdp-delt"}, "{}");
  CHECK(answer.exit_code == 2);
  CHECK(answer.err.find("did you mean shifted-interpolation/gdp-delta?") != std::string::npos);
}

TEST_CASE("a check that fails names the vector and exits with 1", "[tools][eval]") {
  const std::string path = std::string(DPCURVES_SOURCE_DIR) + "/data/reference/no-such-file.json";
  CHECK(run_program({"eval", "--check", path}).exit_code == 5);
  const auto schema = run_program({"eval", "shifted-interpolation/gdp-delta", "--schema"});
  CHECK(schema.exit_code == 0);
  CHECK(schema.out.find("\"range\": \"[0, inf)\"") != std::string::npos);
}
