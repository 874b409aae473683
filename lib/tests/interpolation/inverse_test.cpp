// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/inverse.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;

namespace {

NoisyDescent contracting(double kappa, double c) {
  NoisyDescent descent;
  descent.effective_sensitivity = kappa;
  descent.contraction = Contraction::factor(c);
  return descent;
}

}  // namespace

TEST_CASE("what no record can move may run for ever", "[interpolation][inverse]") {
  const auto still = contracting(0.0, 0.9);
  for (const auto& count :
       {solve_steps(still, 1.0), solve_steps_by_composition(still, 1.0), solve_epochs(still, 5.0, 1.0)}) {
    CHECK(std::isinf(count.real));
    CHECK(std::isinf(count.largest));
  }
}

TEST_CASE("the largest count is within the budget and the next is not", "[interpolation][property]") {
  const double c = GENERATE(0.0, 0.5, 0.99, 0.999999, 1.0);
  const double l = GENERATE(1.0, 2.0, 40.0);
  const double budget = GENERATE(0.05, 0.1, 0.2, 0.3, 3.0, 1e4);
  const auto descent = contracting(0.1, c);
  const auto count = solve_epochs(descent, l, budget);
  CAPTURE(c, l, budget, count.real, count.largest);
  if (std::isinf(count.largest)) {
    CHECK(strongly_convex_mu(NoisyCgd{descent, l, count.largest}).upper <= budget);
  } else {
    if (count.largest >= 1.0) {
      CHECK(strongly_convex_mu(NoisyCgd{descent, l, count.largest}).upper <= budget);
    }
    CHECK(strongly_convex_mu(NoisyCgd{descent, l, count.largest + 1.0}).upper > budget);
  }
}

TEST_CASE("the answers of the specification's questions", "[interpolation]") {
  const double budget = tradeoff::mu_enclosure(1.0, 1e-5).lower;
  CHECK(solve_steps(contracting(0.05, 0.99), budget).real == Approx(28.94).epsilon(1e-3));
  CHECK(solve_steps(contracting(0.05, 0.99), budget).largest == 28.0);
  const double wide = tradeoff::mu_enclosure(8.0, 1e-5).lower;
  CHECK(solve_epochs(contracting(2.0 / 3.0, 0.9998), 40.0, wide).largest == 311.0);
  CHECK(solve_epochs(contracting(2.0 / 3.0, 0.9998), 40.0, wide).real == Approx(311.36).epsilon(1e-4));
}

TEST_CASE("bisection over counts ends at the last success", "[interpolation]") {
  for (const double last : {1.0, 2.0, 3.0, 1000.0, 123456789.0, 4e15}) {
    CHECK(largest_count([last](double n) { return n <= last; }) == last);
  }
  CHECK(largest_count([](double) { return false; }) == 0.0);
  CHECK(std::isinf(largest_count([](double) { return true; })));
  CHECK_THROWS_AS(solve_steps(contracting(0.1, 0.5), -1.0), DomainError);
}
