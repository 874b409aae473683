// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dp-sgd as a user meets it.
#include <algorithm>
#include <sstream>

#include "support/json.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using dpcurves::test::words;
using dpcurves::tools::Json;

namespace {

const std::string run = "dp-sgd --noise-multiplier 1.1 --batch-size 256 --records 60000 --steps 14063 ";

}  // namespace

TEST_CASE("an answer names sampler, neighbours, clipping and direction", "[tools][dp_sgd]") {
  const auto text = run_program(words("privacy " + run + "--delta 1e-5"));
  CHECK(text.exit_code == 0);
  for (const char* part :
       {"sampling:  Poisson", "adjacency: add or remove", "clipping:", "direction remove", "2.3816898"}) {
    CAPTURE(part);
    CHECK(text.out.find(part) != std::string::npos);
  }
  const auto answer = run_program(words("privacy " + run + "--delta 1e-5 --format json"));
  const Json result = Json::parse(answer.out)["results"][0];
  CHECK(result["direction"] == "remove");
  CHECK(result["setting"].contains("clipping"));
  CHECK(result["all"][0]["directions"].size() == 2);
  CHECK(result["mu"]["upper"].get<double>() > 107.8);
  CHECK(result["epsilon"]["lower"].get<double>() > 2.38168);
  CHECK(result["epsilon"]["upper"].get<double>() < 2.38170);
}

TEST_CASE("the text of an answer fits 120 columns", "[tools][dp_sgd]") {
  const auto options = GENERATE(as<std::string>{}, "--delta 1e-5", "--epsilon 1", "",
                                "--delta 1e-5 --sampling shuffled", "--delta 1e-5 --sampling fixed-size");
  const auto text = run_program(words("privacy " + run + options));
  CHECK(text.exit_code == 0);
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) {
    const auto characters = std::count_if(line.begin(), line.end(),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    CAPTURE(line);
    CHECK(characters <= 120);
  }
}

TEST_CASE("a pair without a theorem exits with 3 and names the nearest", "[tools][dp_sgd]") {
  const auto options = GENERATE(as<std::string>{}, "cyclic --adjacency add", "shuffled --adjacency remove");
  const auto answer = run_program(words("privacy " + run + "--delta 1e-5 --sampling " + options));
  CAPTURE(options, answer.err);
  CHECK(answer.exit_code == 3);
  CHECK(answer.err.find("zero-out (the nearest)") != std::string::npos);
}

TEST_CASE("a record that is added to batches of a fixed size takes the place of another", "[tools][dp_sgd]") {
  const auto answer =
      run_program(words("privacy " + run + "--delta 1e-5 --sampling fixed-size --adjacency add-or-remove"));
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find("fixed-size-presence") != std::string::npos);
}

TEST_CASE("shuffled batches get a message and the certified alternative", "[tools][dp_sgd]") {
  const auto answer = run_program(words("privacy " + run + "--delta 1e-5 --sampling shuffled"));
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find("not amplified") != std::string::npos);
  CHECK(answer.out.find("noisy-cgd") != std::string::npos);
}

TEST_CASE("wrong options of dp-sgd exit with 2 and name the culprit", "[tools][dp_sgd]") {
  struct Row {
    std::string line, message;
  };
  const auto row = GENERATE(
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --delta 1e-5", "--sampling-rate"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --sampling-rate 1.5 --delta 1e-5", "--sampling-rate: 1.5"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --batch-size 9 --records 5 --delta 1e-5", "--batch-size: 9"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --sampling-rate 0.5 --sampling poison --delta 1e-5", "poisson"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --sampling-rate 0.5 --sampling none --delta 1e-5", "none"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --sampling-rate 0.5 --phase 3:2 --delta 1e-5", "--phase"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --sampling-rate 0.5 --phase 3:2:1 --delta 1e-5", "outside [0, 1]"},
      Row{"dp-sgd --noise-multiplier 1 --steps 10 --sampling-rate 0.5 --uses-per-round 2 --delta 1e-5", "--uses"});
  const auto answer = run_program(words("privacy " + row.line));
  CAPTURE(row.line, answer.err);
  CHECK(answer.exit_code == 2);
  CHECK(answer.err.find(row.message) != std::string::npos);
}

TEST_CASE("dp-sgd is calibrated for each of its parameters", "[tools][dp_sgd][calibrate]") {
  struct Row {
    std::string solve;
    double low, high;
  };
  const auto row = GENERATE(Row{"noise-multiplier --sampling-rate 0.01 --steps 1000", 1.3, 1.6},
                            Row{"steps --noise-multiplier 1 --sampling-rate 0.01", 100, 400},
                            Row{"sampling-rate --noise-multiplier 1 --steps 1000", 0.004, 0.01},
                            Row{"batch-size --noise-multiplier 1 --steps 1000 --records 10000", 40, 100});
  const auto answer =
      run_program(words("calibrate dp-sgd --solve-for " + row.solve + " --epsilon 1 --delta 1e-5 --format json"));
  CAPTURE(row.solve, answer.err);
  REQUIRE(answer.exit_code == 0);
  const Json json = Json::parse(answer.out);
  const double value = json["value"];
  CHECK(value > row.low);
  CHECK(value < row.high);
  const double reached = json["achieved"]["epsilon"]["upper"];
  CHECK(reached <= 1.0);
  CHECK(reached > (value == std::floor(value) ? 0.97 : 1.0 - 1e-6));
  CHECK(json["setting"].contains("sampling"));
}

TEST_CASE("phases, unsampled releases and floors of mu are taken from the command line", "[tools][dp_sgd]") {
  const auto epsilon = [](const std::string& more) {
    const auto answer =
        run_program(words("privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 500 --delta "
                          "1e-5 --format json " +
                          more));
    REQUIRE(answer.exit_code == 0);
    return Json::parse(answer.out)["results"][0]["epsilon"]["upper"].get<double>();
  };
  const double once = epsilon("");
  CHECK(epsilon("--phase 500:0.01:1") > once);
  CHECK(epsilon("--unsampled 4:10") > once);
  const auto answer = run_program(words(
      "privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 500 --mu-delta-floor 1e-9 --format json"));
  const Json above = Json::parse(answer.out)["results"][0]["all"][0]["mu_above"];
  CHECK(above["delta_floor"] == 1e-9);
  CHECK(above["upper"].get<double>() < 0.6);
}

TEST_CASE("a bracket wider than a millionth says why, one as wide as asked does not", "[tools][dp_sgd]") {
  const auto asked = [](const std::string& setting) {
    return run_program(words("privacy dp-sgd --noise-multiplier 6.84 --sampling-rate 3e-8 --steps 2 " + setting)).out;
  };
  CHECK_THAT(asked("--delta 1e-280 --format json"),
             Catch::Contains("\"bracket_note\": \"bracket: cells of the lattice are as fine as"));
  CHECK_THAT(asked("--delta 1e-280"), Catch::Contains("both ends are proved"));
  CHECK_THAT(asked("--delta 1e-280 --accuracy 0.5"), !Catch::Contains("both ends are proved"));
  CHECK_THAT(asked("--delta 1e-9"), !Catch::Contains("both ends are proved"));
  // A bound above and an instance below are apart for another reason.
  CHECK_THAT(run_program(words("privacy dp-sgd --sampling truncated-poisson --largest-batch 12 --batch-size 10 "
                               "--records 1000 --noise-multiplier 1 --steps 1 --delta 1e-5"))
                 .out,
             Catch::Contains("what a mechanism attains") && !Catch::Contains("both ends are proved"));
}

TEST_CASE("curves of dp-sgd have columns for the Renyi bound where asked", "[tools][dp_sgd]") {
  const auto answer = run_program(
      words("curve profile dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 500 --points 3 --theorem "
            "accountant/renyi"));
  CHECK(answer.exit_code == 0);
  CHECK(answer.out.find("accountant/renyi_upper") != std::string::npos);
  const auto renyi = run_program(words(
      "curve renyi dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 500 --points 3 --sampling fixed-size"));
  CHECK(renyi.exit_code == 0);
  CHECK(renyi.out.find("nan") == std::string::npos);
}
