// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/guarantees.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>
#include <dpcurves/interpolation/sgd_horizon.hpp>

#include "settings.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;
using test::sampled;

TEST_CASE("the Gaussian factor is rounded up, also where it is tiny", "[interpolation][accuracy]") {
  // mpmath, 60 digits: 1.5 kappa (1 - c^(t-N))/(1 - c) c^N sqrt((1 - c^2)/(1 - c^(2N))), c = 0.7, t = 1e6, N = 1000
  NoisySgd setting = sampled(0.37, 0.01, 1.0, 1e6);
  setting.descent.contraction = Contraction::complement(0.3);
  const double factor = sgd_composition(SgdBound::one_process, setting, 1000.0, 1.5).gaussian_mu;
  CHECK(factor >= 1.6557578804286116168e-155);
  CHECK(factor <= 1.6557578804286116168e-155 * (1.0 + 4e-13));
  CHECK(sgd_composition(SgdBound::one_process, setting, 5000.0, 1.5).gaussian_mu > 0.0);
  CHECK(accounting::profile_at(sgd_composition(SgdBound::one_process, setting, 5000.0, 1.5), 1.0).delta.upper < 1.0);
}

TEST_CASE("denormal sampling rates are raised, and nothing crashes on them", "[interpolation]") {
  for (const double rate : {5e-324, 1e-320, 1e-310}) {
    for (const SgdBound bound : {SgdBound::composition, SgdBound::two_process, SgdBound::one_process}) {
      const auto raised = sgd_composition(bound, sampled(0.17, rate, 0.5, 1e6), 100.0, 1.01);
      for (const auto& component : raised.components) {
        CHECK(component.sampling_rate == 1e-300);
      }
    }
    CHECK(sgd_composition_of_shifts(sampled(0.17, 0.5, 0.5, 2.0).descent, rate, std::vector<double>{0.1})
              .components.front()
              .sampling_rate == 1e-300);
    // A segmentation fault: the Gaussian factor is all that is left.
    const auto crashed = sgd_composition(SgdBound::one_process, sampled(0.17, rate, 0.5, 1e6, 1e-9), 100.0, 1.01);
    CHECK(accounting::profile_at(crashed, 5.0).delta.upper < 1e-290);
  }
  CHECK(sgd_composition(SgdBound::composition, sampled(0.17, 1e-200, 0.5, 10.0)).components[0].sampling_rate == 1e-200);
}

TEST_CASE("one process contains Theorem 4.10", "[interpolation]") {
  const auto setting = sampled(1.0 / 6.0, 0.01, 1.0, infinity, 10.0 / 3.0);
  const auto one = sgd_composition(SgdBound::one_process, setting, 808.0, 1.7);
  const auto paper = sgd_composition(SgdBound::constrained, setting, 808.0, 1.7);
  CHECK(one.gaussian_mu == Approx(paper.gaussian_mu).epsilon(1e-14));
  CHECK(one.components[0].mu == paper.components[0].mu);
  CHECK(one.components[0].count == 808.0);
}

TEST_CASE("free shifts with a constant tail are Theorem 4.9", "[interpolation]") {
  const auto setting = sampled(0.1, 0.01, 0.99, 61.0);
  std::vector<double> shifts(60, 0.0);
  std::fill(shifts.end() - 20, shifts.end(), 0.1);
  const auto free = sgd_composition_of_shifts(setting.descent, 0.01, shifts, 2.0);
  const auto tail = sgd_composition(SgdBound::two_process, setting, 20.0, 2.0);
  CHECK(free.gaussian_mu == Approx(tail.gaussian_mu).epsilon(1e-13));
  REQUIRE(free.components.size() == 3);
  CHECK(free.components[1].count == 20.0);
  CHECK(free.components[1].mu == tail.components[1].mu);
  CHECK(free.components[2].mu == tail.components[0].mu);
}

TEST_CASE("the split keeps the whole noise", "[interpolation][property]") {
  const double alpha = GENERATE(1.0000001, 1.2, std::numbers::sqrt2, 3.0, 1e6);
  const double beta = other_split(alpha);
  CHECK(1.0 / (alpha * alpha) + 1.0 / (beta * beta) <= 1.0);
  CHECK(1.0 / (alpha * alpha) + 1.0 / (beta * beta) >= 1.0 - 1e-13);
}

TEST_CASE("the ranked horizons are near the best ones of the specification", "[interpolation]") {
  SECTION("strongly convex, two processes: N about 747 for the even split") {
    const auto ranked = ranked_horizons(SgdBound::two_process, sampled(0.1, 0.01, 0.99, infinity), {0.5, std::nullopt});
    CHECK(ranked.front().horizon > 550.0);
    CHECK(ranked.front().horizon < 850.0);
  }
  SECTION("one process: N about 600, alpha about 4") {
    const auto ranked = ranked_horizons(SgdBound::one_process, sampled(0.1, 0.01, 0.99, infinity), {0.5, std::nullopt});
    CHECK(ranked.front().horizon > 450.0);
    CHECK(ranked.front().horizon < 750.0);
    CHECK(ranked.front().split > 2.0);
  }
  SECTION("a horizon can be fixed") {
    const auto ranked =
        ranked_horizons(SgdBound::one_process, sampled(0.1, 0.01, 0.99, infinity), {std::nullopt, 1e-5}, 321.0);
    CHECK(ranked.front().horizon == 321.0);
  }
  SECTION("one step has one horizon") {
    CHECK(ranked_horizons(SgdBound::two_process, sampled(0.1, 0.01, 0.99, 1.0), {1.0, std::nullopt}).front().horizon ==
          0.0);
    CHECK(ranked_horizons(SgdBound::one_process, sampled(0.1, 0.01, 0.99, 1.0), {1.0, std::nullopt}).front().horizon ==
          1.0);
  }
}

TEST_CASE("with too little noise for the ranking every theorem still has a guarantee", "[interpolation][errors]") {
  const auto setting = sampled(50.0, 0.01, 0.9, 10.0);
  const SgdTarget target{std::nullopt, 1e-5};
  CHECK_THROWS_AS(ranked_horizons(SgdBound::two_process, setting, target), ConvergenceError);
  for (const auto& guarantee : noisy_sgd_guarantees(setting, target)) {
    CAPTURE(guarantee.theorem);
    if (guarantee.applies()) {
      CHECK(guarantee.curve->epsilon(1e-5).value.upper > 100.0);
    }
  }
}

TEST_CASE("bounds of noisy SGD outside their hypotheses say so", "[interpolation][errors]") {
  const auto convex = sampled(0.1, 0.01, 1.0, infinity);
  CHECK_FALSE(violations(SgdBound::composition, convex).empty());
  CHECK_FALSE(violations(SgdBound::two_process, convex).empty());
  CHECK_FALSE(violations(SgdBound::constrained, convex).empty());
  CHECK_FALSE(violations(SgdBound::one_process, convex).empty());
  const auto setting = sampled(0.1, 0.01, 0.99, 50.0);
  CHECK_NOTHROW(sgd_composition(SgdBound::two_process, setting, 49.0));
  CHECK_THROWS_WITH(sgd_composition(SgdBound::two_process, setting, 50.0), Catch::Contains("horizon = 50"));
  CHECK_NOTHROW(sgd_composition(SgdBound::two_process, setting, 0.0));
  CHECK_THROWS_AS(sgd_composition(SgdBound::one_process, setting, 0.0), DomainError);
  CHECK_THROWS_WITH(sgd_composition(SgdBound::one_process, setting, 5.0, 1.0), Catch::Contains("split = 1"));
  CHECK_THROWS_WITH(sgd_composition(SgdBound::composition, sampled(0.1, 0.0, 1.0, 5.0)),
                    Catch::Contains("sampling_rate = 0"));
  CHECK_THROWS_AS(ranked_horizons(SgdBound::one_process, setting, {}), DomainError);
}
