// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/gaussian_chain.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

TEST_CASE("affine chains reach the equality case of Theorem 4.2", "[simulate][gaussian]") {
  // V1: curvature 1, step size 0.1, n = 2, L = 1, gradient noise 1, 30 steps
  const std::vector<AffineStep> first(30, {0.9, 0.0}), second(30, {0.9, 0.05});
  CHECK(separation(gaussian_chain(0.0, first, 0.1), gaussian_chain(0.0, second, 0.1)) == Approx(2.08894).margin(5e-6));
}

TEST_CASE("affine chains reach Theorem C.17 when the batch comes last", "[simulate][gaussian]") {
  std::vector<AffineStep> first(100, {0.95, 0.0}), second = first;
  for (std::size_t k = 3; k < second.size(); k += 4) {
    second[k].shift = 0.1;
  }
  CHECK(separation(gaussian_chain(0.3, first, 0.1), gaussian_chain(0.3, second, 0.1)) == Approx(1.67341).margin(5e-6));
}

TEST_CASE("laws without a common width have no separation", "[simulate][gaussian][errors]") {
  CHECK_THROWS_AS(separation({0.0, 1.0}, {1.0, 2.0}), DomainError);
  CHECK(separation({1.0, 0.0}, {1.0, 0.0}) == 0.0);
  CHECK(std::isinf(separation({0.0, 0.0}, {1.0, 0.0})));
  CHECK_THROWS_AS(gaussian_chain(0.0, std::vector<AffineStep>{{std::nan(""), 0.0}}, 1.0), DomainError);
}
