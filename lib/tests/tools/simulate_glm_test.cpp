// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate glm, relu-regression and two-layer as a user meets them.
#include <nlohmann/json.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;

namespace {

nlohmann::json simulated(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return dpcurves::test::answer(words);
}

}  // namespace

TEST_CASE("simulated GLMs lie below their bounds, and less noise is less risk", "[tools][simulate]") {
  const auto json = simulated({"glm", "--records", "256,4096", "--paths", "12", "--seed", "3"});
  CHECK(json["schema"] == "dpcurves/simulate/1");
  CHECK(json["seed"] == 3);
  REQUIRE(json["results"].size() == 4);
  for (const auto& row : json["results"]) {
    CHECK(row["upper"].get<double>() < row["bound"].get<double>());
    CHECK(row["refuted"] == false);
    CHECK(row["lower"].get<double>() <= row["risk"].get<double>());
  }
  CHECK(json["results"][2]["algorithm"] == "phased");
  CHECK(json["results"][2]["theorem"] == "dp-glm-networks/theorem-1");
  CHECK(json["results"][2]["risk"].get<double>() < json["results"][0]["risk"].get<double>());  // more records
  CHECK(json["results"][3]["risk"].get<double>() < json["results"][2]["risk"].get<double>());  // no noise
}

TEST_CASE("every algorithm of the command runs and names its theorem", "[tools][simulate]") {
  const auto json =
      simulated({"glm", "--algorithm", "projected,smoothed,projected-smoothed,fast-projected-smoothed", "--records",
                 "512", "--paths", "4", "--dimension", "16", "--projected-dimension", "4", "--renormalise"});
  REQUIRE(json["results"].size() == 4);
  CHECK(json["results"][0]["theorem"] == "dp-glm-networks/theorem-2");
  CHECK(json["results"][1]["theorem"] == "dp-glm-networks/theorem-4");
  CHECK(json["results"][2]["theorem"] == "dp-glm-networks/theorem-5");
  CHECK(json["results"][3]["bound"].is_null());  // nothing is claimed of a fast projection
  const auto two = simulated({"two-layer", "--records", "1024", "--paths", "4", "--degree", "2"});
  CHECK(two["results"][0]["bound_sharper"].get<double>() < two["results"][0]["bound_as_printed"].get<double>());
  const auto relu = simulated({"relu-regression", "--records", "500", "--paths", "4", "--algorithm",
                               "projected,unprojected,batched,batched-printed", "--dimension", "5"});
  CHECK(relu["results"][0]["theorem"] == "dp-glm-networks/theorem-6");
  CHECK(relu["results"][2]["risk"].get<double>() > relu["results"][3]["risk"].get<double>());  // what privacy costs
}

TEST_CASE("what is not private is said", "[tools][simulate]") {
  const auto small = run_program({"simulate", "glm", "--algorithm", "projected", "--records", "512", "--paths", "2",
                                  "--projected-dimension", "2", "--dimension", "8"});
  CHECK(small.out.find("m = 2 is too small for privacy at n = 512") != std::string::npos);
  const auto printed = run_program({"simulate", "relu-regression", "--algorithm", "batched-printed", "--records", "500",
                                    "--paths", "2", "--dimension", "100"});
  CHECK(printed.out.find("NOT private as claimed") != std::string::npos);
  const auto large = run_program({"simulate", "glm", "--step-size", "100", "--records", "64", "--paths", "2"});
  CHECK(large.out.find("privacy asks for") != std::string::npos);
  const auto phases = run_program({"simulate", "glm", "--printed-phases", "--records", "1000", "--paths", "2"});
  CHECK(phases.out.find("no result") != std::string::npos);
  CHECK(phases.out.find("last one is empty") != std::string::npos);
}

TEST_CASE("simulated risks do not depend on the number of threads", "[tools][simulate]") {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"glm"}, {"two-layer"}, {"relu-regression", "--dimension", "3"}}) {
    std::vector<std::string> words{"simulate"};
    words.insert(words.end(), command.begin(), command.end());
    words.insert(words.end(), {"--records", "300", "--paths", "6", "--format", "csv", "--threads"});
    auto one = words, two = words;
    one.push_back("1");
    two.push_back("2");
    const auto first = run_program(one), second = run_program(two);
    CHECK(first.exit_code == 0);
    CHECK(first.out == second.out);
    CHECK(first.out.rfind("algorithm,records,risk,standard_error,lower,upper,bound", 0) == 0);
    CHECK(first.out.find("nan") == std::string::npos);  // where there is no bound the cell is empty
  }
}

TEST_CASE("wrong options of the simulations of private learning name the culprit", "[tools][simulate][usage]") {
  const struct {
    std::vector<std::string> words;
    const char* message;
  } rows[] = {{{"glm", "--rank", "9"}, "--rank: 9 is outside [1, 5]"},
              {{"glm", "--records", "1"}, "--records: 1 is outside [2, 1000000000]"},
              {{"glm", "--algorithm", "adam"}, "--algorithm"},
              {{"glm", "--features", "spiked", "--dimension", "1"}, "--dimension: 1 is outside"},
              {{"glm", "--algorithm", "projected", "--epsilon", "inf"}, "--projected-dimension: is required"},
              {{"relu-regression", "--step-size", "0.6"}, "--step-size: 0.6 is outside (0, 0.5]"},
              {{"relu-regression", "--parameter-norm", "0"}, "--parameter-norm: 0 is outside (0, inf)"},
              {{"two-layer", "--degree", "31"}, "--degree: 31 is outside [1, 30]"}};
  for (const auto& row : rows) {
    std::vector<std::string> words{"simulate"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const auto result = run_program(words);
    CAPTURE(row.message, result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(row.message) != std::string::npos);
  }
}
