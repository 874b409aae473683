// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// risk kan, simulate kan and what they say to settings that do not fit.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>

#include "reproduce.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::answer;
using dpcurves::test::run_program;
using dpcurves::test::words;

TEST_CASE("the NTK margin of data at m = 512, p = 5 has two ends and its support", "[tools][kan]") {
  const auto results = answer(words("risk kan --units 512 --splines 5 --records 200"))["results"];
  const double lower = results["margin"]["lower"], upper = results["margin"]["upper"];
  CHECK(lower > 0.03);
  CHECK(upper < 0.06);
  CHECK((upper - lower) / upper < 1e-9);
  CHECK(results["support_vectors"].get<double>() > 4.0);
  CHECK(results["simple_margin_bounds"]["lower"].get<double>() < 0.1 * lower);
}

TEST_CASE("the explicit theorem answers where its conditions fail", "[tools][kan]") {
  const auto results = answer(words("risk kan --margin 0.3 --iterates 10000 --step-size 5e-4"))["results"];
  CHECK(results["applies"] == false);
  CHECK(results["conditions"]["comparator"] == "fails");
  CHECK(results["required_units"].get<double>() > 1e9);
  CHECK(results["bound"].get<double>() > 1e3);
}

TEST_CASE("paired runs resolve what correlation is worth on the stand-in", "[tools][kan]") {
  const auto rows = answer(words(
      "simulate kan --lambda 0,0.5,0.95 --noise-multiplier 0.634,0.87,6.44 --step-size 32 --paths 12"))["results"];
  REQUIRE(rows.size() == 3);
  const auto resolved = [&](std::size_t k) {
    return rows[k]["difference"].get<double>() / rows[k]["difference_standard_error"].get<double>();
  };
  CHECK(resolved(1) > 2.0);
  CHECK(resolved(2) < -2.0);
  const auto strict =
      answer(words("simulate kan --lambda 0,0.5 --noise-multiplier 1.725,3.21 --step-size 8 --paths 12"))["results"];
  CHECK(strict[1]["difference"].get<double>() > 2.0 * strict[1]["difference_standard_error"].get<double>());
}

TEST_CASE("results do not depend on the number of threads", "[tools][kan]") {
  const std::string line = "simulate kan --lambda 0,0.5 --noise-multiplier 1 --paths 4 --iterates 20 --records 60 ";
  CHECK(answer(words(line + "--threads 1"))["results"] == answer(words(line + "--threads 3"))["results"]);
}

TEST_CASE("a strategy file with the coefficients of lambda-CGD trains as lambda does", "[tools][kan]") {
  const auto path = std::filesystem::temp_directory_path() / ("dpcurves-strategy-" + std::to_string(getpid()) + ".csv");
  std::ofstream(path) << "1,0,0,0\n0.5,1,0,0\n0.25,0.5,1,0\n0.125,0.25,0.5,1\n";
  const std::string common = "simulate kan --paths 3 --records 60 --noise-multiplier 2 --strategy ";
  const auto rows = answer(words(common + path.string() + " --iterates 5 --lambda 0.5"))["results"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[1]["lambda"].is_null());
  CHECK(rows[1]["strategy"] == path.string());
  CHECK(rows[1]["train_loss"].get<double>() == Approx(rows[0]["train_loss"].get<double>()).epsilon(1e-12));
  const auto other = answer(words(common + path.string() + " --iterates 5 --lambda 0"))["results"];
  CHECK(other[1]["train_loss"].get<double>() != Approx(other[0]["train_loss"].get<double>()).epsilon(1e-6));
  const auto refused = run_program(words(common + path.string() + " --iterates 9"));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Catch::Contains("--iterates") && Catch::Contains("4 rows"));
  std::filesystem::remove(path);
  CHECK(run_program(words(common + "no-such.csv")).exit_code == 5);
}

TEST_CASE("settings that do not fit name the option", "[tools][kan][errors]") {
  const auto refused = [](const std::string& line, const std::string& option) {
    const auto spoken = run_program(words(line));
    CAPTURE(line, spoken.err);
    CHECK(spoken.exit_code == 2);
    CHECK_THAT(spoken.err, Catch::Contains(option));
  };
  refused("simulate kan --lambda 0,0.5,0.9 --noise-multiplier 1,2", "--noise-multiplier");
  refused("simulate kan --records 20 --batch-size 30", "--batch-size");
  refused("simulate kan --sampling fixed-size --batch-size 2.5", "--batch-size");
  refused("simulate kan --splines 3", "--splines");
  refused("simulate kan --data no-such.csv --records 5", "--records");
  refused("risk kan --records 10 --batch-size 11", "--batch-size");
  refused("risk kan --plot rate.svg", "--plot");
  CHECK(run_program(words("risk kan --data no-such.csv")).exit_code == 5);
}

TEST_CASE("the noise of figure 1 meets its budgets", "[tools][kan]") {
  const auto figures = dpcurves::tools::reproduce::kan_figures();
  const auto shown = figures.front().run();
  const auto multiplier = [&](const std::string& epsilon, const std::string& lambda) {
    for (const auto& entry : shown.entries) {
      if (entry.labels[0] == epsilon && entry.labels[2] == lambda) {
        return std::stod(entry.labels[3]);
      }
    }
    return -1.0;
  };
  for (const double epsilon : {8.0, 1.0}) {  // independent noise: the composition is exact
    const auto profile =
        dpcurves::accounting::composition_curve({0.0,
                                                 {{0.02, 1.0 / multiplier(epsilon == 8.0 ? "8" : "1", "0"), 400.0,
                                                   dpcurves::accounting::Pair::poisson_remove}}});
    CHECK(profile->delta(epsilon).value.upper == Approx(1e-5).epsilon(2e-3));  // kappa is kept to five digits
  }
  using dpcurves::correlated::EstimatedPair;
  dpcurves::correlated::EstimateBudget budget;
  budget.seed = 7;  // not the seed that found it
  budget.relative_error = 0.05;
  const EstimatedPair pair{
      dpcurves::models::StrategyMatrix::exponential(0.25, 400), 0.02, multiplier("1", "0.25"), {1.0, 0.0}};
  const auto found = dpcurves::correlated::estimate_delta(pair, 1.0, budget);
  CAPTURE(found.delta.value, found.delta.error);
  CHECK(found.delta.error < 1e-6);
  CHECK(std::abs(found.delta.value - 1e-5) < 5.0 * std::hypot(found.delta.error, 5e-7));
}
