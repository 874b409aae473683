// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate noisy-sgd-least-squares and hsgd as a user meets them.
#include <nlohmann/json.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;

namespace {

const std::string file = std::string(DPCURVES_SOURCE_DIR) + "/data/examples/least-squares.json";

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> descent{"simulate", "noisy-sgd-least-squares", "--problem", file};
const std::vector<std::string> diffusion{"simulate", "hsgd", "--problem", file};

}  // namespace

TEST_CASE("simulated risks lie around theory and exact mean", "[tools][simulate]") {
  const auto answer =
      run_program(with(descent, {"--paths", "400", "--iterations", "0,20,80", "--format", "json", "--seed", "3"}));
  REQUIRE(answer.exit_code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["schema"] == "dpcurves/simulate/1");
  CHECK(json["seed"] == 3);
  REQUIRE(json["results"].size() == 3);
  CHECK(json["results"][0]["mean"].get<double>() == Approx(json["results"][0]["theory"]["value"].get<double>()));
  for (const auto& row : json["results"]) {
    const double error = row["standard_error"];
    CHECK(std::abs(row["mean"].get<double>() - row["exact_mean"].get<double>()) <= 5.0 * error + 1e-12);
  }
}

TEST_CASE("simulations do not depend on the number of threads", "[tools][simulate]") {
  for (const auto& command : {descent, diffusion, with(diffusion, {"--method", "linear"})}) {
    const auto one = run_program(with(command, {"--paths", "40", "--format", "csv", "--threads", "1"}));
    const auto two = run_program(with(command, {"--paths", "40", "--format", "csv", "--threads", "2"}));
    CHECK(one.exit_code == 0);
    CHECK(one.out == two.out);
    CHECK(one.out.rfind("clip_norm,iteration,theory,mean,", 0) == 0);
  }
}

TEST_CASE("clipping and records of the file are simulated side by side", "[tools][simulate]") {
  const auto answer =
      run_program(with(descent, {"--paths", "5", "--features", "records", "--clip", "1,inf", "--iterations", "80"}));
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find("clip norm 1: ") != std::string::npos);
  CHECK(answer.out.find(" of 400 steps clipped") != std::string::npos);
}

TEST_CASE("wrong options of least-squares simulations name the culprit", "[tools][simulate][usage]") {
  struct Row {
    std::vector<std::string> words;
    int exit_code;
    std::string message;
  };
  const auto row = GENERATE(
      Row{{"simulate", "hsgd"}, 2, "--problem: is required"},
      Row{{"simulate", "hsgd", "--problem", "no-such-file.json"}, 5, "no-such-file.json"},
      Row{with(descent, {"--iterations", "81"}), 2, "--iterations: 81 is not a whole number in [0, 80]"},
      Row{with(descent, {"--features", "cubic"}), 2, "--features"}, Row{with(descent, {"--clip", "0"}), 2, "--clip"},
      Row{with(descent, {"--features", "records", "--steps", "81"}), 2, "has 80 records, fewer than the 81 steps"},
      Row{with(diffusion, {"--method", "linear", "--refine", "2"}), 2, "--refine"},
      Row{with(diffusion, {"--plot", "risks.gif"}), 2, "--plot"});
  const auto answer = run_program(row.words);
  CAPTURE(row.message, answer.err);
  CHECK(answer.exit_code == row.exit_code);
  CHECK(answer.err.find(row.message) != std::string::npos);
}

TEST_CASE("the exact loss given the data stands beside that of HSGD", "[tools][simulate]") {
  const auto answer =
      run_program({"simulate", "conditional-noisy-sgd", "--problem", file, "--positions", "3", "--format", "json"});
  REQUIRE(answer.exit_code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  REQUIRE(json["results"].size() == 3);
  CHECK(json["results"][0]["position"] == 1);
  CHECK(json["results"][2]["position"] == 80);
  for (const auto& row : json["results"]) {
    CHECK(row["exact"].get<double>() > 0.0);
    CHECK(row["ratio"].get<double>() == Approx(row["exact"].get<double>() / row["hsgd"].get<double>()));
  }
  CHECK(json["least_noise_share"].get<double>() < 1.0);
}

TEST_CASE("every figure of noisy HSGD is reproduced with numbers", "[tools][reproduce]") {
  const std::string figure = GENERATE("1b", "2a", "2b", "3a", "3b");
  const auto answer = run_program({"reproduce", "noisy-hsgd/figure-" + figure, "--format", "json"});
  REQUIRE(answer.exit_code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["results"].size() >= 4);
  if (figure == "2b") {  // the consistent curve falls, the plotted one does not
    const auto value = [&](const std::string& k, const std::string& units) {
      for (const auto& entry : json["results"]) {
        if (entry["iteration"] == k && entry["sigma"] == "1.5" && entry["units"] == units) {
          return entry["computed"].get<double>();
        }
      }
      return 0.0;
    };
    CHECK(value("10", "consistent") == Approx(4.68e-4).epsilon(2e-3));
    CHECK(value("1500", "consistent") == Approx(2.10e-5).epsilon(2e-3));
    CHECK(value("1500", "as plotted") == Approx(5.05e-4).epsilon(2e-3));
  }
}
