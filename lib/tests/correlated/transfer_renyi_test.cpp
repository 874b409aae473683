// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/transfer_renyi.hpp>
#include <dpcurves/correlated/guarantees.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/sensitivity.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using models::StrategyMatrix;

namespace {

/// Every record's participations by themselves: no multisets, no closed form of the last record.
double brute_force(double lambda, int steps, double rate, double noise, int order) {
  const unsigned patterns = 1U << (steps * order);
  double sum = 0.0;
  for (unsigned y = 0; y < patterns; ++y) {
    double chance = 1.0, energy = 0.0;
    std::vector<double> state(static_cast<std::size_t>(order), 0.0);
    for (int t = 0; t < steps; ++t) {
      double total = 0.0, squares = 0.0;
      for (int i = 0; i < order; ++i) {
        const bool present = ((y >> (t * order + i)) & 1U) != 0;
        double& x = state[static_cast<std::size_t>(i)];
        x = lambda * x + (present ? 1.0 : 0.0);
        chance *= present ? rate : 1.0 - rate;
        total += x;
        squares += x * x;
      }
      energy += 0.5 * (total * total - squares);
    }
    sum += chance * std::expm1(energy / (noise * noise));
  }
  return std::log1p(sum) / (order - 1.0);
}

}  // namespace

TEST_CASE("the recursion over states encloses the enumeration of all participations", "[correlated][renyi]") {
  for (const double lambda : {0.0, 0.5, 0.9, 0.999}) {
    for (const double rate : {0.02, 0.3}) {
      for (const double noise : {0.4, 3.0, 100.0}) {
        for (const int order : {2, 3, 4}) {
          const int steps = 12 / order;
          const double exact = brute_force(lambda, steps, rate, noise, order);
          const Enclosure found = transfer_renyi(lambda, steps, rate, noise, order, 1e-3);
          CAPTURE(lambda, rate, noise, order, exact, found.lower, found.upper);
          CHECK(found.lower <= exact * (1.0 + 1e-12));
          CHECK(found.upper >= exact * (1.0 - 1e-12));
          CHECK(found.relative_width() < (order == 2 ? 1e-3 : 5e-3));
          const auto strategy = StrategyMatrix::exponential(lambda, static_cast<std::size_t>(steps));
          CHECK(exact_renyi(strategy, rate, noise, order).middle() == Approx(exact).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("rare participation leaves an interval, not an upper end below 0", "[correlated][renyi]") {
  for (const double order : {2.0, 4.0, 5.0, 40.0}) {
    const PairRenyi found = remove_renyi(StrategyMatrix::exponential(0.3, 10000), 1e-9, 10.0, order);
    CAPTURE(order, found.value.lower, found.value.upper);
    CHECK(found.value.lower > 0.0);
    CHECK(found.value.upper >= found.value.lower);
    CHECK(found.value.upper < 1e-13);  // order r^2 |C 1|^2/(2 kappa^2) is 1e-16 at order 2, and 2e-15 at order 40
  }
}

TEST_CASE("twelve steps at order two are enclosed within 1e-4", "[correlated][renyi]") {
  for (const double noise : {1.0, 3.0, 20.0}) {
    const double exact = exact_renyi(StrategyMatrix::exponential(0.9, 12), 0.1, noise, 2.0).middle();
    const Enclosure found = transfer_renyi(0.9, 12, 0.1, noise, 2.0, 1e-4);
    CAPTURE(noise, exact, found.lower, found.upper);
    CHECK(found.contains(exact));
    CHECK(found.relative_width() < 1e-4);
  }
}

TEST_CASE("independent noise factorises at every number of steps and order", "[correlated][renyi]") {
  for (const double order : {2.0, 3.0, 4.0}) {
    for (const double steps : {1.0, 400.0, 1e12}) {
      double sum = 0.0;
      for (double k = 2.0; k <= order; ++k) {
        sum += std::exp(std::lgamma(order + 1.0) - std::lgamma(k + 1.0) - std::lgamma(order - k + 1.0)) *
               std::pow(0.9, order - k) * std::pow(0.1, k) * std::expm1(0.5 * k * (k - 1.0) / 9.0);
      }
      const double exact = steps * std::log1p(sum) / (order - 1.0);
      const Enclosure found = transfer_renyi(0.0, steps, 0.1, 3.0, order);
      CAPTURE(order, steps);
      CHECK(found.contains(exact));
      CHECK(found.relative_width() < 1e-9);
    }
  }
}

TEST_CASE("four hundred steps are enclosed below the bound by one state", "[correlated][renyi]") {
  const Enclosure second = transfer_renyi(0.9, 400, 0.1, 74.0, 2.0, 1e-4);
  CHECK(second.relative_width() < 1e-4);
  CHECK(second.contains(0.070665));  // finer grids: [0.07066498, 0.07066514]
  CHECK(second.upper < 0.9 * renyi_bound({1.0, 0.9}, 400, 0.1, 74.0, {1.0, 0.0}, 2.0));
  const Enclosure third = transfer_renyi(0.9, 400, 0.1, 74.0, 3.0);
  CHECK(third.lower > second.upper);
  CHECK(third.relative_width() < 0.01);
}

TEST_CASE("long runs are added up without visiting every step", "[correlated][renyi]") {
  const Enclosure medium = transfer_renyi(0.9, 20000, 0.1, 74.0, 2.0, 1e-3);
  const Enclosure all = transfer_renyi(0.9, 2e10, 0.1, 74.0, 2.0, 1e-3);
  CHECK(all.relative_width() < 2e-3);
  // Superadditive in the number of steps, and less than linear plus what the last steps lack.
  CHECK(all.upper >= 1e6 * medium.lower);
  CHECK(all.lower <= 1e6 * medium.upper * 1.01);
}

TEST_CASE("certain participation is a Gaussian, and extremes have no NaN", "[correlated][renyi]") {
  for (const double order : {2.0, 3.0, 4.0}) {
    const double norm = encoded_sensitivity(0.99, 400, 400);
    CHECK(transfer_renyi(0.99, 400, 1.0, 5.0, order).middle() == Approx(0.5 * order * norm * norm / 25.0));
  }
  for (const double noise : {1e-200, 1e-100, 1e-3, 1.0, 1e3, 1e100, 1e200}) {
    for (const double lambda : {0.5, 1.0 - 1e-15}) {
      for (const double rate : {1e-300, 0.3, 1.0}) {
        const Enclosure found = transfer_renyi(lambda, 30, rate, noise, 2.0, 0.1);
        CAPTURE(noise, lambda, rate, found.lower, found.upper);
        CHECK(found.lower >= 0.0);
        CHECK(found.lower <= found.upper);
      }
    }
  }
  CHECK(transfer_renyi(0.5, 30, 0.3, 1e-200, 2.0).upper == std::numeric_limits<double>::infinity());
}

TEST_CASE("the bound by one state holds where states leave its grid", "[correlated][renyi]") {
  // Participation in all steps is in the expectation; that alone was more than the bound before the last nodes minded
  // states beyond them.
  const double norm = encoded_sensitivity(0.99, 400, 400);
  const double least = norm * norm + 800.0 * std::log(0.1);
  CHECK(renyi_bound({1.0, 0.99}, 400, 0.1, 1.0, {1.0, 0.0}, 2.0) >= least);
  CHECK(renyi_bound({1.0, 0.99}, 400, 1.0, 1.0, {1.0, 0.0}, 2.0) >= norm * norm);
}

TEST_CASE("Renyi rows of a guarantee are those of the recursion where the order of the data sets allows",
          "[correlated][renyi]") {
  MatrixMechanism run;
  run.strategy = StrategyMatrix::exponential(0.9, 100);
  run.sampling_rate = 0.1;
  run.noise_multiplier = 40.0;
  run.adjacency = mechanism::Adjacency::remove;
  const auto curve = guarantee(run, Method::mixture).curve;
  const Enclosure found = curve->renyi(2.0), expected = transfer_renyi(0.9, 100, 0.1, 40.0, 2.0);
  CHECK(found == expected);
  CHECK(curve->renyi(1.5).upper == expected.upper);
  CHECK(curve->renyi(1.5).lower == 0.0);
  CHECK(curve->renyi(6.0).lower > expected.upper);
}

TEST_CASE("arguments of the recursion over states name themselves", "[correlated][renyi][errors]") {
  CHECK_THROWS_WITH(transfer_renyi(1.0, 10, 0.1, 1.0, 2.0), Catch::Contains("lambda = 1"));
  CHECK_THROWS_WITH(transfer_renyi(0.5, 10.5, 0.1, 1.0, 2.0), Catch::Contains("steps = 10.5"));
  CHECK_THROWS_WITH(transfer_renyi(0.5, 10, 0.0, 1.0, 2.0), Catch::Contains("sampling_rate = 0"));
  CHECK_THROWS_WITH(transfer_renyi(0.5, 10, 0.1, 1.0, 5.0), Catch::Contains("order = 5"));
  CHECK_THROWS_AS(remove_renyi(StrategyMatrix::exponential(0.5, 10), 0.1, 1.0, 2.5), DomainError);
}
