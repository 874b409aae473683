// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/LU>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/gaussian_pair.hpp>
#include <dpcurves/divergence/mixture.hpp>
#include <dpcurves/divergence/renyi.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::divergence;

namespace {

struct Pair {
  Eigen::VectorXd mean1, mean2;
  Eigen::MatrixXd covariance1, covariance2;
  [[nodiscard]] std::vector<PrincipalAxis> axes() const {
    return principal_axes(mean1, covariance1, mean2, covariance2);
  }
};

Pair correlated() {
  Pair pair;
  pair.mean1 = Eigen::VectorXd{{0.0, 1.0, -0.3}};
  pair.mean2 = Eigen::VectorXd{{0.4, 0.5, 0.1}};
  pair.covariance1 = Eigen::MatrixXd{{2.0, 0.3, 0.1}, {0.3, 1.0, -0.2}, {0.1, -0.2, 0.8}};
  pair.covariance2 = Eigen::MatrixXd{{1.7, 0.2, 0.05}, {0.2, 1.1, -0.1}, {0.05, -0.1, 0.9}};
  return pair;
}

/// The textbook formula with determinants and an inverse.
double direct(double a, const Pair& p, bool reversed) {
  const Eigen::MatrixXd& s1 = reversed ? p.covariance2 : p.covariance1;
  const Eigen::MatrixXd& s2 = reversed ? p.covariance1 : p.covariance2;
  const Eigen::MatrixXd mixed = a * s2 + (1.0 - a) * s1;
  const Eigen::VectorXd gap = p.mean1 - p.mean2;
  return 0.5 * a * gap.dot(mixed.inverse() * gap) +
         ((1.0 - a) * std::log(s1.determinant()) + a * std::log(s2.determinant()) - std::log(mixed.determinant())) /
             (2.0 * (a - 1.0));
}

}  // namespace

TEST_CASE("divergences along principal axes agree with determinants and inverses", "[gaussian-pair]") {
  const Pair pair = correlated();
  const double order = GENERATE(1.1, 1.5, 2.0, 2.5);
  CHECK(test::relative_error(renyi(order, pair.axes(), Direction::first_to_second), direct(order, pair, false)) <
        1e-13);
  CHECK(test::relative_error(renyi(order, pair.axes(), Direction::second_to_first), direct(order, pair, true)) < 1e-13);
}

TEST_CASE("one axis is the divergence of normal laws on the line", "[gaussian-pair]") {
  const Normal p{0.3, 1.1}, q{-0.2, 0.8};
  const auto axes = principal_axes(Eigen::VectorXd{{p.mean}}, Eigen::MatrixXd{{1.21}}, Eigen::VectorXd{{q.mean}},
                                   Eigen::MatrixXd{{0.64}});
  CHECK(test::relative_error(renyi(1.5, axes, Direction::first_to_second), renyi(1.5, p, q)) < 1e-14);
  CHECK(test::relative_error(renyi(1.5, axes, Direction::second_to_first), renyi(1.5, q, p)) < 1e-14);
  // The formula printed in Lemma C.2 is the divergence of the exchanged laws.
  CHECK(renyi(1.5, axes, Direction::first_to_second) == Approx(0.79906567));
  CHECK(renyi(1.5, axes, Direction::second_to_first) == Approx(0.23236594));
}

TEST_CASE("the divergence is finite below its order limit and infinite above", "[gaussian-pair]") {
  const auto axes = correlated().axes();
  for (const auto direction : {Direction::first_to_second, Direction::second_to_first}) {
    const double limit = order_limit(axes, direction);
    CHECK(std::isfinite(limit));
    CHECK(std::isfinite(renyi(1.0 + (limit - 1.0) * (1.0 - 1e-9), axes, direction)));
    CHECK(std::isinf(renyi(1.0 + (limit - 1.0) * (1.0 + 1e-9), axes, direction)));
  }
  Pair equal = correlated();
  equal.covariance2 = equal.covariance1;
  CHECK(std::isinf(order_limit(equal.axes(), Direction::first_to_second)));
  CHECK(renyi(64.0, equal.axes(), Direction::first_to_second) ==
        Approx(renyi(64.0, equal.axes(), Direction::second_to_first)).epsilon(1e-13));
}

TEST_CASE("nearly equal laws of several dimensions keep their digits", "[gaussian-pair]") {
  const double x = 1e-9;
  const Eigen::MatrixXd p{{1.0, 0.0}, {0.0, 1.0}}, q{{1.0 + x, 0.0}, {0.0, 1.0 - x}};
  const auto axes = principal_axes(Eigen::VectorXd::Zero(2), p, Eigen::VectorXd{{x, 0.0}}, q);
  CHECK(test::relative_error(renyi(2.0, axes, Direction::first_to_second), 2e-18) < 1e-6);
  CHECK(test::relative_error(renyi(1.0, axes, Direction::first_to_second), 1e-18) < 1e-6);
}

TEST_CASE("matrices that are no covariances are refused", "[gaussian-pair][errors]") {
  Pair pair = correlated();
  pair.covariance2(0, 0) = -1.0;
  CHECK_THROWS_WITH(pair.axes(), Catch::Contains("covariance2") && Catch::Contains("positive definite"));
  pair = correlated();
  pair.mean2.resize(2);
  CHECK_THROWS_AS(pair.axes(), DomainError);
  CHECK_THROWS_AS(renyi(0.5, correlated().axes(), Direction::first_to_second), DomainError);
}

TEST_CASE("a mixture's bound is stable for tiny and for huge divergences", "[mixture]") {
  CHECK(test::relative_error(mixture_renyi(2.0, std::vector{0.0, 0.1, 0.5}, std::vector{0.5, 0.3, 0.2}),
                             0.1495362177510315) < 1e-15);
  CHECK(test::relative_error(mixture_renyi(2.0, std::vector{1e-14, 3e-14}, std::vector{0.5, 0.5}),
                             2.000000000000005e-14) < 1e-15);
  CHECK(test::relative_error(mixture_renyi(64.0, std::vector{0.0, 1000.0, 900.0}, std::vector{0.9, 0.05, 0.05}),
                             999.9524486940705) < 1e-15);
  CHECK(std::isinf(mixture_renyi(2.0, std::vector{0.0, std::numeric_limits<double>::infinity()}, std::vector{1., 1.})));
  CHECK(mixture_renyi(3.0, std::vector{0.7, 0.7}, std::vector{2.0, 5.0}) == Approx(0.7).epsilon(1e-15));
}

TEST_CASE("the bound covers mixtures of normal laws, and the mean of the divergences does not", "[mixture]") {
  // Two components, the second far apart in one law only: divergence of the mixtures by direct integration.
  const double order = 6.0, shift = 2.0;
  const auto density = [](double x, double mean) {
    return std::exp(-0.5 * (x - mean) * (x - mean)) / std::sqrt(2 * M_PI);
  };
  double moment = 0.0;
  const double step = 1e-3;
  for (double x = -12.0; x < 30.0; x += step) {
    const double p = 0.5 * density(x, 0.0) + 0.5 * density(x, 8.0 + shift);
    const double q = 0.5 * density(x, 0.0) + 0.5 * density(x, 8.0);
    moment += step * std::exp(order * std::log(p) + (1.0 - order) * std::log(q));
  }
  const double exact = std::log(moment) / (order - 1.0);
  const double far = 0.5 * order * shift * shift;
  CHECK(exact <= mixture_renyi(order, std::vector{0.0, far}, std::vector{0.5, 0.5}) * (1.0 + 1e-9));
  CHECK(exact > 0.5 * far * 1.5);
}

TEST_CASE("arguments of mixtures outside their domains name themselves", "[mixture][errors]") {
  CHECK_THROWS_WITH(mixture_renyi(2.0, std::vector{-0.1}, std::vector{1.0}), Catch::Contains("divergences = -0.1"));
  CHECK_THROWS_AS(mixture_renyi(2.0, std::vector{0.1}, std::vector{0.0}), DomainError);
  CHECK_THROWS_AS(mixture_renyi(1.0, std::vector{0.1}, std::vector{1.0}), DomainError);
  CHECK_THROWS_AS(mixture_renyi(2.0, {}, {}), DomainError);
}
