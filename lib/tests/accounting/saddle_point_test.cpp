// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/detail/saddle_point.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting::detail;

TEST_CASE("saddle points of a Gaussian mechanism", "[accounting][saddle]") {
  const double mu = GENERATE(0.3, 3.0);
  const double epsilon = GENERATE(0.5, 4.0);
  const auto cumulants = [mu](double c) {
    return Cumulants{0.5 * mu * mu * c * (c + 1.0), mu * mu * (c + 0.5), mu * mu};
  };
  const double delta = tradeoff::delta_enclosure(epsilon, {mu, mu}).upper;
  const double c = saddle_order(cumulants, epsilon, 1.0);
  const SaddlePoint at = saddle_at(cumulants(c), c, epsilon);
  CAPTURE(mu, epsilon, delta, c);
  CHECK(cumulants(c).first - epsilon == Approx(1.0 / c + 1.0 / (1.0 + c)).epsilon(1e-6));
  CHECK(at.log_delta == Approx(std::log(delta)).margin(0.1));
  const SaddlePoint found = saddle_of_delta(cumulants, at.log_delta, 1.0);
  CHECK(found.log_delta == Approx(at.log_delta).margin(0.02));
  CHECK(found.epsilon == Approx(epsilon).margin(0.03 / c));
}

TEST_CASE("cumulants of atoms", "[accounting][saddle]") {
  const std::vector<double> loss{1.0, 3.0}, log_mass{std::log(0.25), std::log(0.75)};
  const Cumulants k = cumulants_of(loss, log_mass, 2.0);
  const double a = 0.25 * std::exp(2.0), b = 0.75 * std::exp(6.0), share = b / (a + b);
  CHECK(k.value == Approx(std::log(a + b)).epsilon(1e-14));
  CHECK(k.first == Approx(1.0 + 2.0 * share).epsilon(1e-14));
  CHECK(k.second == Approx(4.0 * share * (1.0 - share)).epsilon(1e-10));
}
