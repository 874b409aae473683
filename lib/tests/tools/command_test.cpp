// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The commands as a user meets them: right questions, wrong questions, places that cannot be written.
#include <filesystem>

#include <dpcurves/queries/detail/algorithm.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

const std::string gd = "noisy-gd --effective-sensitivity 0.05 --contraction 0.95 ";

}  // namespace

TEST_CASE("every command and algorithm has help with an example", "[tools][help]") {
  const auto line =
      GENERATE(as<std::string>{}, "privacy noisy-gd", "privacy noisy-cgd", "privacy noisy-sgd", "privacy gaussian",
               "privacy composition", "privacy exponential-mechanism", "privacy langevin", "curve tradeoff noisy-gd",
               "simulate noisy-sgd", "validate", "eval", "theorem list", "theorem show", "reproduce");
  const auto answer = run_program(words(line + " --help"));
  CAPTURE(line);
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find("Example") != std::string::npos);
}

TEST_CASE("the examples in the help work as they stand", "[tools][help]") {
  for (const auto& algorithm : dpcurves::queries::algorithms()) {
    std::vector<std::string> lines{"privacy " + algorithm.name + " " + algorithm.example + " --delta 1e-5",
                                   "curve tradeoff " + algorithm.name + " " + algorithm.example + " --points 5"};
    if (!algorithm.unknowns.empty() || !algorithm.calibration_example.empty()) {
      lines.push_back("calibrate " + algorithm.name + " --solve-for " + algorithm.calibration_example +
                      " --epsilon 1 --delta 1e-5");
    }
    for (const auto& line : lines) {
      const auto answer = run_program(words(line));
      CAPTURE(line, answer.err);
      CHECK(answer.exit_code == 0);
    }
  }
}

TEST_CASE("the first help fits a screen", "[tools][help]") {
  const auto answer = run_program({"--help"});
  CHECK(answer.exit_code == 0);
  CHECK(std::count(answer.out.begin(), answer.out.end(), '\n') <= 40);
}

TEST_CASE("wrong options exit with 2 and name the culprit", "[tools][usage]") {
  struct Row {
    std::string line;
    std::string message;
  };
  const auto row =
      GENERATE(Row{"", "needs one of privacy, calibrate"}, Row{"privacy", "privacy: needs one of noisy-gd"},
               Row{"privacy no-such-algorithm", ""},
               Row{"privacy gaussian --noise-multiplier -1 --compositions 10 --delta 1e-5",
                   "--noise-multiplier: -1 is outside [0, inf)"},
               Row{"privacy gaussian --noise-multiplier nan --compositions 10 --delta 1e-5", "--noise-multiplier"},
               Row{"privacy gaussian --noise-multiplier 1 --compositions 2.5 --delta 1e-5", "--compositions"},
               Row{"privacy gaussian --noise-multiplier 1 --delta 1e-5", "--compositions: is required"},
               Row{"privacy gaussian --noise-multiplier 1 --compositions 10 --delta 2", "--delta: 2 is outside [0, 1]"},
               Row{"privacy gaussian --noise-multiplier 1 --compositions 10 --delta 1e-5 --epsilon 1", "exclude"},
               Row{"privacy gaussian --noise-multiplier 1 --compositions 10 --detla 1e-5", "--detla"},
               Row{"privacy " + gd + "--steps 10 --one-minus-contraction 0.05 --delta 1e-5", "contraction"},
               Row{"privacy " + gd + "--steps 0 --delta 1e-5", "--steps"},
               Row{"calibrate " + gd + "--solve-for moon --epsilon 1 --delta 1e-5", "--solve-for"},
               Row{"theorem show shifted-interpolation/theorem-4.20", "did you mean"},
               Row{"privacy composition --component 10:0.1 --delta 1e-5", "--component"},
               Row{"curve tradeoff gaussian --noise-multiplier 1 --compositions 4 --plot x.bmp", "--plot"});
  const auto answer = run_program(words(row.line));
  CAPTURE(row.line, answer.err);
  CHECK(answer.exit_code == 2);
  CHECK(answer.err.find(row.message) != std::string::npos);
  CHECK(answer.out.empty());
}

TEST_CASE("calibrate finds the answers of the worked questions, on the safe side", "[tools][calibrate]") {
  struct Row {
    std::string line;
    std::string value;
  };
  const auto row = GENERATE(
      Row{"noisy-gd --solve-for steps --effective-sensitivity 0.05 --contraction 0.95", "36.0"},
      Row{"noisy-gd --solve-for steps --effective-sensitivity 0.05 --contraction 0.9", "\"unlimited\""},
      Row{"noisy-gd --solve-for steps --effective-sensitivity 0.05", "28.0"},
      Row{"noisy-gd --solve-for noise --sensitivity 1 --records 1000 --diameter 1 --step-size 0.5 --steps unlimited "
          "--convex",
          "0.33367783737"},
      Row{"noisy-gd --solve-for records --sensitivity 1 --noise 0.01 --contraction 0.9 --steps unlimited", "1627.0"},
      Row{"noisy-sgd --solve-for sampling-rate --effective-sensitivity 0.2 --steps 1000", "0."});
  const auto answer = run_program(words("calibrate " + row.line + " --epsilon 1 --delta 1e-5 --format json"));
  CAPTURE(row.line, answer.out, answer.err);
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find("\"value\": " + row.value) != std::string::npos);
}

TEST_CASE("calibrate refuses what leaves nothing to solve for", "[tools][calibrate]") {
  const auto answer = run_program(
      words("calibrate noisy-gd --solve-for noise --effective-sensitivity 0.05 --steps 10 --epsilon 1 --delta 1e-5"));
  CHECK(answer.exit_code == 2);
  CHECK(answer.err.find("--effective-sensitivity") != std::string::npos);
}

TEST_CASE("a file that cannot be written exits with 5 and leaves nothing behind", "[tools][files]") {
  const auto target = GENERATE(as<std::string>{}, "/no/such/folder/x.json", "/dev/full");
  const auto answer =
      run_program(words("privacy gaussian --noise-multiplier 1 --compositions 10 --delta 1e-5 --output " + target));
  CAPTURE(target, answer.err);
  CHECK(answer.exit_code == 5);
  CHECK(answer.err.find(target) != std::string::npos);
}

TEST_CASE("a hypothesis that fails exits with 3 when nothing else applies", "[tools][domain]") {
  // The step size is beyond 2/M, so no contraction; a contraction that is not needed leaves theorem 4.1.
  const auto answer = run_program(words("privacy exponential-mechanism --lipschitz 1 --delta 1e-5"));
  CAPTURE(answer.err);
  CHECK(answer.exit_code != 0);
  CHECK_FALSE(answer.err.empty());
}
