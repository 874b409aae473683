// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/bspline.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

/// The cubic spline around 0 as the paper's appendix would write it.
double cubic(double s) {
  s = std::abs(s);
  return s < 1.0 ? 2.0 / 3.0 - s * s + 0.5 * s * s * s : s < 2.0 ? std::pow(2.0 - s, 3) / 6.0 : 0.0;
}

}  // namespace

TEST_CASE("cubic splines are the closed form", "[models][bspline]") {
  const models::UniformSplines splines(9);
  const double h = splines.spacing();
  std::vector<double> values(4);
  test::Worst worst;
  for (int i = 0; i <= 1000; ++i) {
    const double v = -1.0 + 0.002 * i;
    splines.evaluate(v, 0, values);
    const auto first = splines.place(v).span;
    for (std::size_t k = 0; k < 4; ++k) {
      const double centre = -1.0 + (static_cast<double>(first + k) - 1.0) * h;
      worst.see(std::abs(values[k] - cubic((v - centre) / h)), v);
    }
  }
  CAPTURE(worst.at);
  CHECK(worst.error < 4e-15);
}

TEST_CASE("splines of any degree sum to 1 and their derivatives to 0", "[models][bspline]") {
  const std::size_t degree = GENERATE(2U, 3U, 4U, 5U, 8U, 15U);
  const models::UniformSplines splines(degree + 3, degree);
  std::vector<double> values(degree + 1);
  for (const double v : {-1.0, -0.4, 0.0, 0.37, 1.0}) {
    splines.evaluate(v, 0, values);
    CHECK(std::accumulate(values.begin(), values.end(), 0.0) == Approx(1.0).epsilon(1e-13));
    splines.evaluate(v, 1, values);
    CHECK(std::abs(std::accumulate(values.begin(), values.end(), 0.0)) < 1e-12);
    splines.evaluate(v, 2, values);
    CHECK(std::abs(std::accumulate(values.begin(), values.end(), 0.0)) < 1e-11);
  }
}

TEST_CASE("splines are continuous at the knots, with their first derivatives", "[models][bspline]") {
  const std::size_t degree = GENERATE(2U, 3U, 6U);
  const models::UniformSplines splines(degree + 4, degree);
  std::vector<double> left(degree + 1), right(degree + 1);
  const double knot = -1.0 + splines.spacing();
  for (const int derivative : {0, 1}) {
    splines.evaluate(std::nextafter(knot, -2.0), derivative, left);
    splines.evaluate(std::nextafter(knot, 2.0), derivative, right);
    for (std::size_t k = 0; k < degree; ++k) {  // the spans are one spline apart
      CHECK(left[k + 1] == Approx(right[k]).margin(1e-12));
    }
  }
}

TEST_CASE("suprema of cubic splines are the closed forms", "[models][bspline]") {
  const std::size_t p = GENERATE(4U, 5U, 7U, 12U);
  const models::UniformSplines splines(p);
  const auto bounds = splines.bounds();
  const double h = 2.0 / (static_cast<double>(p) - 3.0);
  CHECK(bounds.value == Approx(2.0 / 3.0).epsilon(1e-14));
  CHECK(bounds.slope == Approx(2.0 / (3.0 * h)).epsilon(1e-14));
  CHECK(bounds.curvature == Approx(2.0 / (h * h)).epsilon(1e-14));
  CHECK(bounds.norm == Approx(std::sqrt(0.5)).epsilon(1e-14));
  CHECK(bounds.slope_norm == Approx(0.9013878 / h).epsilon(1e-7));
  CHECK(bounds.curvature_norm == Approx(std::sqrt(6.0) / (h * h)).epsilon(1e-14));
}

TEST_CASE("suprema bound a dense grid and are nearly reached on it", "[models][bspline]") {
  const std::size_t degree = GENERATE(2U, 3U, 4U, 7U);
  const models::UniformSplines splines(degree + 4, degree);
  const auto bounds = splines.bounds();
  const double limits[] = {bounds.value, bounds.slope, bounds.curvature};
  const double norms[] = {bounds.norm, bounds.slope_norm, bounds.curvature_norm};
  std::vector<double> values(degree + 1);
  for (const int derivative : {0, 1, 2}) {
    double single = 0.0, norm = 0.0;
    for (int i = 0; i <= 20000; ++i) {
      splines.evaluate(-1.0 + 1e-4 * i, derivative, values);
      double square = 0.0;
      for (const double value : values) {
        single = std::max(single, std::abs(value));
        square += value * value;
      }
      norm = std::max(norm, std::sqrt(square));
    }
    CAPTURE(degree, derivative);
    CHECK(single <= limits[derivative] * (1.0 + 1e-12));
    CHECK(single == Approx(limits[derivative]).epsilon(2e-3));
    CHECK(norm <= norms[derivative] * (1.0 + 1e-12));
    CHECK(norm == Approx(norms[derivative]).epsilon(2e-3));
  }
}

TEST_CASE("too few splines for the degree are refused", "[models][bspline][errors]") {
  CHECK_THROWS_AS(models::UniformSplines(3, 3), DomainError);
  CHECK_THROWS_AS(models::UniformSplines(5, 1), DomainError);
}
