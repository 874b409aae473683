// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// privacy phased-sgd, risk glm and calibrate glm.
#include <nlohmann/json.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::answer;
using dpcurves::test::run_program;
using Json = nlohmann::json;

TEST_CASE("phased SGD is more private than it claims", "[tools][glm]") {
  const auto json =
      answer({"privacy", "phased-sgd", "--claimed-epsilon", "1", "--claimed-delta", "1e-5", "--delta", "1e-5"});
  const auto& result = json["results"][0];
  CHECK(result["epsilon"]["upper"].get<double>() == Approx(0.51977138).epsilon(1e-7));
  CHECK(result["mu"]["upper"].get<double>() == Approx(0.147359167).epsilon(1e-8));
  CHECK(result["theorem"] == "dp-glm-networks/theorem-1");
}

TEST_CASE("a projection spends part of delta, and must be large enough", "[tools][glm]") {
  const std::vector<std::string> base{"privacy",           "phased-sgd", "--variant",       "projected",
                                      "--claimed-epsilon", "1",          "--claimed-delta", "1e-5",
                                      "--records",         "1000",       "--delta",         "1e-5"};
  auto with = [&](const char* option, const char* value) {
    auto arguments = base;
    arguments.insert(arguments.end(), {option, value});
    return arguments;
  };
  const double epsilon = answer(with("--projected-dimension", "20"))["results"][0]["epsilon"]["upper"].get<double>();
  CHECK(epsilon > 0.5);
  CHECK(epsilon < 1.0);
  const auto small = run_program(with("--projected-dimension", "19"));
  CHECK(small.exit_code == 3);
  CHECK((small.err + small.out).find("at least 20") != std::string::npos);
}

TEST_CASE("Algorithm 8 is told not to be private", "[tools][glm]") {
  const std::vector<std::string> base{"privacy",         "phased-sgd", "--algorithm",       "alg8",
                                      "--dimension",     "100",        "--claimed-epsilon", "1",
                                      "--claimed-delta", "1e-5",       "--delta",           "1e-5"};
  const auto printed = answer(base);
  CHECK(printed["results"][0]["epsilon"]["upper"].get<double>() == Approx(10.393882).epsilon(1e-6));
  CHECK(printed.dump().find("NOT private as claimed") != std::string::npos);
  auto corrected = base;
  corrected.insert(corrected.end(), {"--noise", "corrected"});
  CHECK(answer(corrected)["results"][0]["epsilon"]["upper"].get<double>() < 1.0);
}

TEST_CASE("steps that may expand leave no guarantee", "[tools][glm]") {
  const auto spoken = run_program({"privacy", "phased-sgd", "--claimed-epsilon", "1", "--claimed-delta", "1e-5",
                                   "--step-size", "9", "--lipschitz", "1", "--delta", "1e-5"});
  CHECK(spoken.exit_code == 3);
  CHECK((spoken.err + spoken.out).find("at most 8") != std::string::npos);
}

TEST_CASE("risk glm shows Theorem 1 term by term", "[tools][glm]") {
  const auto json = answer(
      {"risk", "glm", "--records", "4096", "--epsilon", "1", "--delta", "1e-5", "--rank", "5", "--step-size", "0.015"});
  const auto& bound = json["results"]["phased"];
  CHECK(bound["risk_bound"].get<double>() == Approx(0.2580893838).epsilon(1e-9));
  CHECK(bound["terms"]["start"].get<double>() == Approx(0.0651042).epsilon(1e-6));
  CHECK(bound["best_step_size"].get<double>() == Approx(0.0151358757).epsilon(1e-8));
  const auto exact =
      answer({"risk", "glm", "--link", "sigmoid", "--norm", "1", "--true-norm", "1.5", "--cosine", "0.3"});
  CHECK(exact["results"]["risk_excess"].get<double>() == Approx(0.0837162871782669).epsilon(1e-12));
}

TEST_CASE("risk glm takes labels from another link", "[tools][glm]") {
  const auto json = answer({"risk", "glm", "--link", "relu", "--true-link", "erf", "--norm", "1", "--true-norm", "1.5",
                            "--cosine", "0.3", "--noise-variance", "0.1"});
  // 1/2 + (2/pi) asin(4.5/5.5) - 2 * 0.45/sqrt(5.5 pi)
  CHECK(json["results"]["miss"].get<double>() == Approx(0.8935214198447675).epsilon(1e-11));
  CHECK(json["results"]["risk"].get<double>() == Approx(0.9935214198447675).epsilon(1e-11));
  CHECK(run_program({"risk", "glm", "--noise-variance", "0.1"}).exit_code == 2);
}

TEST_CASE("two-layer networks are planned with the constants of their polynomials", "[tools][glm]") {
  const std::vector<std::string> network{"--hidden-units", "4", "--activation", "sigmoid", "--lipschitz", "0.25",
                                         "--epsilon",      "1", "--delta",      "1e-5"};
  auto ask = [&](std::vector<std::string> first, const std::vector<std::string>& last) {
    first.insert(first.end(), network.begin(), network.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
  };
  const auto risk = answer(ask({"risk", "glm"}, {"--records", "1000000", "--degree", "5"}));
  CHECK(risk["results"]["printed"]["misfit"].get<double>() == Approx(2.0 * 5.1667951345e-6).epsilon(1e-10));
  CHECK(risk["results"]["printed"]["parameter_norm"].get<double>() == Approx(2.0 * 1.37024846098).epsilon(1e-10));
  const auto records = answer(ask({"calibrate", "glm"}, {"--solve-for", "records", "--risk", "0.05"}));
  CHECK(records["theorem"] == "dp-glm-networks/theorem-10");
  CHECK(records["value"] == records["all"][2]["value"]);
  CHECK(records["all"][0]["value"].get<double>() > records["all"][2]["value"].get<double>());
  CHECK(records["achieved"]["risk_bound"].get<double>() <= 0.05);
  CHECK(run_program(ask({"risk", "glm"}, {"--records", "1000", "--misfit", "0.1"})).exit_code == 2);
  CHECK(run_program(ask({"calibrate", "glm"}, {"--solve-for", "records", "--risk", "1e-12"})).exit_code == 3);
}

TEST_CASE("calibrate glm finds records and epsilon", "[tools][glm]") {
  const auto records = answer({"calibrate", "glm", "--solve-for", "records", "--risk", "0.05", "--epsilon", "1",
                               "--delta", "1e-5", "--rank", "10", "--algorithm", "phased"});
  CHECK(records["power_of_two"] == 65536);
  CHECK(records["achieved"]["risk_bound"].get<double>() <= 0.05);
  const auto epsilon = answer({"calibrate", "glm", "--solve-for", "epsilon", "--risk", "0.1", "--records", "262144",
                               "--delta", "1e-6", "--rank", "20", "--algorithm", "phased"});
  CHECK(epsilon["value"].get<double>() == Approx(0.08183333189).epsilon(1e-9));
  const auto never = run_program({"calibrate", "glm", "--solve-for", "epsilon", "--risk", "1e-4", "--records", "100",
                                  "--delta", "1e-6", "--rank", "20"});
  CHECK(never.exit_code == 3);
  CHECK(run_program({"calibrate", "glm", "--solve-for", "records", "--risk", "0.05", "--delta", "1e-5", "--rank", "10"})
            .exit_code == 2);
}
