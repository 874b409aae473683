// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/polynomial_features.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

double value(const ActivationPolynomial& p, double t) {
  double sum = 0.0;
  for (std::size_t j = p.coefficients.size(); j-- > 0;) {
    sum = sum * t + p.coefficients[j];
  }
  return sum;
}

double largest_error(const ActivationPolynomial& p, double (*activation)(double)) {
  double worst = 0.0;
  constexpr int points = 20000;
  for (int i = -points; i <= points; ++i) {
    const double t = static_cast<double>(i) / points;
    worst = std::max(worst, std::abs(activation(t) - value(p, t)));
  }
  return worst;
}

double sigmoid(double t) { return 1.0 / (1.0 + std::exp(-t)); }
double relu(double t) { return std::max(t, 0.0); }

}  // namespace

TEST_CASE("the errors of low degrees are the largest on a fine grid", "[models][accuracy]") {
  for (const std::size_t degree : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 8U}) {
    CAPTURE(degree);
    const auto s = sigmoid_polynomial(degree), r = relu_polynomial(degree);
    CHECK(s.error == Approx(largest_error(s, sigmoid)).epsilon(1e-6));
    CHECK(r.error == Approx(largest_error(r, relu)).epsilon(1e-8));
    CHECK(s.error >= s.error_at_one);
    CHECK(s.error_at_one == Approx(std::abs(sigmoid(1.0) - value(s, 1.0))).epsilon(1e-6));
  }
}

TEST_CASE("the sigmoid's error is at the ends for odd degrees, and above them for even ones", "[models]") {
  for (const std::size_t degree : {0U, 1U, 3U, 5U, 9U, 15U, 33U}) {
    CHECK(sigmoid_polynomial(degree).error == sigmoid_polynomial(degree).error_at_one);
  }
  for (const std::size_t degree : {2U, 4U, 8U, 16U, 32U}) {
    const auto p = sigmoid_polynomial(degree);
    CHECK(p.error > 1.02 * p.error_at_one);
    CHECK(p.error < 1.2 * p.error_at_one);
  }
}

TEST_CASE("errors and norms of sigmoid interpolants agree with tabulated values", "[models][accuracy]") {
  const struct {
    std::size_t degree;
    double error, norm, weight;
  } rows[] = {{1, 9.02050679722e-3, 0.554651212258, 0.784395266762},
              {3, 2.14512809994e-4, 0.559231530323, 1.11846306065},
              {5, 5.1667951345e-6, 0.559401591707, 1.37024846098},
              {9, 3.0060742982e-9, 0.559408971165, 1.76900649241},
              {15, 4.21978199689e-14, 0.55940898541, 2.23763594164}};
  for (const auto& row : rows) {
    const auto p = sigmoid_polynomial(row.degree);
    CHECK(p.error == Approx(row.error).epsilon(1e-10));
    CHECK(p.coefficient_norm == Approx(row.norm).epsilon(1e-11));
    CHECK(p.weight == Approx(row.weight).epsilon(1e-11));
    CHECK(p.coefficients.size() == row.degree + 1);
    CHECK(p.coefficients[0] == 0.5);
  }
}

TEST_CASE("series of the ReLU agree with tabulated values, also where doubles would fail", "[models][accuracy]") {
  const struct {
    std::size_t degree;
    double norm, weight;
  } rows[] = {{2, 0.664367712935, 1.15071863371},
              {8, 4.68759519468, 14.062785584},
              {16, 1016.550778, 4191.3462315},
              {32, 2.77411397224e8, 1.59360715021e9},
              {64, 1.02430289124e20, 8.2581939215e20}};
  for (const auto& row : rows) {
    const auto p = relu_polynomial(row.degree);
    CHECK(p.coefficient_norm == Approx(row.norm).epsilon(1e-10));
    CHECK(p.weight == Approx(row.weight).epsilon(1e-10));
    CHECK(p.error ==
          Approx(1.0 / (std::numbers::pi * (2.0 * static_cast<double>(row.degree / 2) + 1.0))).epsilon(1e-15));
    CHECK(p.coefficients[0] == Approx(p.error).epsilon(1e-14));  // p(0): all that is missing is missing there
    CHECK(p.coefficients[1] == 0.5);
  }
}

TEST_CASE("neighbouring precisions continue one another at high degrees", "[models][accuracy]") {
  const double ratio = std::log10(std::numbers::pi + std::hypot(1.0, std::numbers::pi));  // per degree
  for (const std::size_t degree : {63U, 65U, 101U}) {
    const auto p = sigmoid_polynomial(degree), next = sigmoid_polynomial(degree + 2);
    CHECK(p.log10_error - next.log10_error == Approx(2.0 * ratio).epsilon(0.01));
    CHECK(p.coefficient_norm == Approx(0.5594089854).epsilon(1e-9));
    CHECK(p.coefficients[3] == Approx(-1.0 / 48.0).epsilon(1e-12));  // the Taylor series
  }
  for (const std::size_t degree : {158U, 160U, 162U}) {
    const auto p = relu_polynomial(degree);
    CHECK(p.coefficients[0] == Approx(1.0 / (std::numbers::pi * (static_cast<double>(degree) + 1.0))).epsilon(1e-14));
    CHECK(relu_polynomial(degree + 2).log10_coefficient_norm - p.log10_coefficient_norm ==
          Approx(2.0 * std::log10(1.0 + std::numbers::sqrt2)).epsilon(0.02));
  }
  CHECK_THROWS_WITH(relu_polynomial(1001), Catch::Contains("degree = 1001"));
}

TEST_CASE("monomials have the polynomial kernel and the length that is claimed", "[models][property]") {
  const std::vector<double> x{0.3, -0.5, 0.4}, z{-0.2, 0.6, 0.7};
  const double inner = std::inner_product(x.begin(), x.end(), z.begin(), 0.0);
  for (const std::size_t degree : {0U, 1U, 2U, 5U}) {
    const PolynomialFeatures psi(3, degree);
    std::vector<double> a(psi.size()), b(psi.size());
    psi.evaluate(x, a);
    psi.evaluate(z, b);
    CHECK(std::inner_product(a.begin(), a.end(), b.begin(), 0.0) ==
          Approx(polynomial_kernel(inner, degree)).epsilon(1e-14));
  }
  CHECK(PolynomialFeatures(3, 5).size() == 56);
  CHECK(polynomial_kernel(1.0, 7) == 1.0);
  const PolynomialFeatures psi(3, 4);
  std::vector<double> a(psi.size());
  psi.evaluate(x, a);
  const auto p = sigmoid_polynomial(4);
  const auto w = psi.unit(z, p.coefficients);
  CHECK(std::inner_product(a.begin(), a.end(), w.begin(), 0.0) == Approx(value(p, inner)).epsilon(1e-14));
  // |z| <= 1: the parameter is no longer than sqrt(degree + 1) |b|.
  CHECK(std::sqrt(std::inner_product(w.begin(), w.end(), w.begin(), 0.0)) <= p.weight);
  CHECK_THROWS_WITH(PolynomialFeatures(100, 20), Catch::Contains("degree = 20"));
}
