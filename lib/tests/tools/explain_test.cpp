// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// --explain: every theorem that was considered, and a way out for each that was ruled out.
#include <sstream>

#include <nlohmann/json.hpp>

#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/risk/problem.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using Json = nlohmann::json;

namespace {

Json explained(const std::string& line) {
  std::istringstream stream(line + " --explain --format json --quiet");
  std::vector<std::string> arguments;
  for (std::string word; stream >> word;) {
    arguments.push_back(word);
  }
  const auto answer = run_program(arguments);
  CAPTURE(line, answer.err);
  REQUIRE(answer.exit_code == 0);
  const auto json = Json::parse(answer.out);
  return json.contains("explanation") ? json["explanation"] : json["results"][0]["explanation"];
}

void check_explanation(const std::string& line) {
  const auto explanation = explained(line);
  CAPTURE(line, explanation.dump());
  CHECK(!explanation.empty());
  for (const auto& one : explanation) {
    const bool lacking = one["verdict"] == "ruled out" || one["verdict"] == "rests on what nobody has said";
    CHECK(lacking == !one["violations"].empty());
    for (const auto& violation : one["violations"]) {
      CHECK(!violation["assumption"].get<std::string>().empty());
      CHECK(!violation["found"].get<std::string>().empty());
      CHECK(violation["remedy"].is_string());
    }
  }
}

}  // namespace

TEST_CASE("every algorithm explains its answer, and says what would bring back a theorem", "[tools][explain]") {
  for (const auto& algorithm : dpcurves::queries::algorithms()) {
    check_explanation("privacy " + algorithm.name + " " + algorithm.example + " --delta 1e-5");
  }
}

TEST_CASE("every risk problem explains which theorem its numbers rest on", "[tools][explain]") {
  for (const auto& problem : dpcurves::queries::risk_problems()) {
    std::string example = problem.examples.front();
    const auto file = example.find("data/");
    if (file != std::string::npos) {
      example.insert(file, std::string(DPCURVES_SOURCE_DIR) + "/");
    }
    const auto plot = example.find(" --plot");
    check_explanation("risk " + problem.name + " " + example.substr(0, plot));
  }
}

TEST_CASE("following the advice brings a theorem back", "[tools][explain]") {
  const std::string base =
      "privacy noisy-gd --sensitivity 1 --records 1000 --noise 0.1 --steps 100 --delta 1e-5 "
      "--strong-convexity 0.1 --smoothness 4 --step-size ";
  const auto verdict = [&](const std::string& step) {
    for (const auto& one : explained(base + step)) {
      if (one["theorem"] == "shifted-interpolation/theorem-4.2") {
        return one;
      }
    }
    return Json();
  };
  const auto before = verdict("0.6");
  CHECK(before["verdict"] == "ruled out");
  const auto remedy = before["violations"][0]["remedy"].get<std::string>();
  CHECK(remedy == "a step size of at most 0.5");
  CHECK(verdict("0.5")["verdict"] != "ruled out");
}

TEST_CASE("the text names what was chosen first, and the ratio of the others", "[tools][explain]") {
  const auto answer = run_program({"privacy", "noisy-cgd", "--effective-sensitivity", "0.6667", "--batches-per-epoch",
                                   "40", "--epochs", "200", "--contraction", "0.9998", "--delta", "1e-5", "--explain"});
  CHECK(answer.exit_code == 0);
  const auto chosen = answer.out.find("* shifted-interpolation/theorem-4.5: chosen, epsilon <= 7.0862972");
  const auto weaker = answer.out.find("shifted-interpolation/theorem-4.4: applies, epsilon <= 83.837039, 11.8 times");
  const auto out = answer.out.find("shifted-interpolation/theorem-4.6: ruled out");
  CHECK(chosen < weaker);
  CHECK(weaker < out);
  CHECK(out != std::string::npos);
}
