// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// risk ntk, simulate mlp, and the accounting question of a user who trains a network.
#include <cmath>

#include <nlohmann/json.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::answer;
using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

nlohmann::json accounting_of(const std::string& input) {
  const auto spoken = run_program({"eval", "dp-glm-networks/dpsgd-accounting"}, input);
  CAPTURE(spoken.err);
  REQUIRE(spoken.exit_code == 0);
  return nlohmann::json::parse(spoken.out);
}

}  // namespace

TEST_CASE("200 epochs of batches of 256 at noise 5.33 give the epsilon of the specification", "[tools][network]") {
  const auto found = accounting_of(
      R"({"q": 0.004266666666666667, "noise_multiplier": 5.33, "T": 46800, "delta": 2.777777777777778e-10})");
  CHECK(found["eps_numeric"].get<double>() == Approx(0.999082).margin(1e-6));
  CHECK(found["eps_lower"].get<double>() <= found["eps_numeric"].get<double>());
  CHECK(found["eps_upper"].get<double>() >= found["eps_numeric"].get<double>());
  CHECK(found["eps_rdp"].get<double>() == Approx(1.050455).margin(1e-6));
}

TEST_CASE("Theorem 13 asks for more than there is, and says what", "[tools][network]") {
  const auto found = answer(words("risk ntk"));
  CHECK(found["results"]["conditions_met"] == false);
  CHECK(found["results"]["log10_width_required_rederived"].get<double>() == Approx(45.7306).margin(1e-4));
  CHECK(answer(words("risk ntk --epsilon inf"))["results"]["privacy"].get<double>() == 0.0);
}

TEST_CASE("a small network trained three ways is the same on any number of threads", "[tools][network]") {
  const std::string line = "simulate mlp --records 200 --test-records 300 --width 16 --steps 30 --paths 3 --seed 5";
  const auto one = answer(words(line + " --threads 1"))["results"];
  REQUIRE(one.size() == 3);
  CHECK(one == answer(words(line + " --threads 3"))["results"]);
  CHECK(one[0]["algorithm"] == "algorithm-10");
  CHECK(one[0]["noise_multiplier"].get<double>() > 1.0);
  CHECK(one[2]["noise_multiplier"].get<double>() == 0.0);
}

TEST_CASE("settings of a network that do not fit are told by option", "[tools][network]") {
  const auto large = run_program(words("simulate mlp --records 100 --batch-size 200 --quiet"));
  CHECK(large.exit_code == 2);
  CHECK(large.err.find("--batch-size: 200 is outside (0, 100]") != std::string::npos);
  const auto both = run_program(words("simulate mlp --noise-multiplier 2 --epsilon 1 --quiet"));
  CHECK(both.exit_code == 2);
  const auto narrow =
      run_program(words("simulate mlp --records 100 --steps 2 --paths 2 --radius 1 --noise-multiplier 1 --quiet"));
  CHECK(narrow.exit_code == 0);
  CHECK(narrow.out.find("the start lies outside the balls around 0") != std::string::npos);
}
