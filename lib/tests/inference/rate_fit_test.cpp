// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/rate_fit.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using inference::fit_rate;

TEST_CASE("an exact power law is found without error", "[inference]") {
  const std::array<double, 5> x{1e2, 1e3, 1e4, 1e5, 1e6};
  std::array<double, 5> y{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = 3.0 / std::sqrt(x[i]);
  }
  const auto fit = fit_rate(x, y);
  CHECK(fit.slope.value == Approx(-0.5).epsilon(1e-13));
  CHECK(fit.slope.error < 1e-13);
  CHECK(std::exp(fit.intercept.value) == Approx(3.0).epsilon(1e-12));
}

TEST_CASE("the stated errors are those of noisy power laws", "[inference][statistics]") {
  std::vector<double> x, errors;
  for (int i = 1; i <= 12; ++i) {
    x.push_back(std::pow(2.0, i));
    errors.push_back(0.02 * std::pow(x.back(), 0.7));
  }
  constexpr std::uint32_t runs = 2000;
  double squares = 0.0, squares_weighted = 0.0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    std::vector<double> y(x.size());
    random::normals(y, 3, random::Purpose::data, run, 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = std::pow(x[i], 0.7) * (1.0 + 0.02 * y[i]);
    }
    const auto plain = fit_rate(x, y), weighted = fit_rate(x, y, errors);
    squares += std::pow((plain.slope.value - 0.7) / plain.slope.error, 2);
    squares_weighted += std::pow((weighted.slope.value - 0.7) / weighted.slope.error, 2);
  }
  // Student's t with 10 degrees of freedom has variance 10/8; a normal has 1.
  CHECK(squares / runs == Approx(1.25).margin(0.25));
  CHECK(squares_weighted / runs == Approx(1.0).margin(0.17));
}

TEST_CASE("points without a logarithm are refused", "[inference][errors]") {
  const std::array<double, 3> good{1.0, 2.0, 3.0}, bad{1.0, 0.0, 3.0}, same{2.0, 2.0, 2.0};
  CHECK_THROWS_AS(fit_rate(good, bad), DomainError);
  CHECK_THROWS_AS(fit_rate(same, good), DomainError);
  CHECK_THROWS_AS(fit_rate(std::span<const double>(good).first(2), std::span<const double>(good).first(2)),
                  DomainError);
}
