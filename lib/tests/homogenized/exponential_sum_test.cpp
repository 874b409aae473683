// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/collocation.hpp>
#include <dpcurves/homogenized/exponential_sum.hpp>

#include "support/support.hpp"

namespace {

using namespace dpcurves;
using Eigen::ArrayXd;
using homogenized::ExponentialSum;

ExponentialSum power_law(Eigen::Index size, double exponent) {
  const ArrayXd lambda = 2.0 * ArrayXd::LinSpaced(size, 1.0, static_cast<double>(size)).pow(-exponent);
  return {2.0 * (lambda + 0.02), lambda.square() / static_cast<double>(size)};
}

/// The sum in extended precision: at 20000 terms its own rounding would pass for a violation.
double precisely(const ExponentialSum& f, double tau) {
  long double sum = 0.0L;
  for (Eigen::Index k = 0; k < f.rates.size(); ++k) {
    sum += static_cast<long double>(f.weights[k]) * std::exp(static_cast<long double>(-f.rates[k] * tau));
  }
  return static_cast<double>(sum);
}

/// A sum at 200 lags, in extended precision once for all rules that are held against it.
struct Sampled {
  std::vector<double> taus, values;
  double at_zero = 0.0;
};

Sampled sampled(const ExponentialSum& f, double longest) {
  Sampled result;
  for (int k = 0; k <= 200; ++k) {
    result.taus.push_back(longest * std::pow(k / 200.0, 4.0));
    result.values.push_back(precisely(f, result.taus.back()));
  }
  result.at_zero = f(0.0);
  return result;
}

/// Largest violation of lower <= f <= upper over tau, relative to f(0).
double violation(const Sampled& f, const ExponentialSum& lower, const ExponentialSum& upper) {
  double worst = 0.0;
  for (std::size_t k = 0; k < f.taus.size(); ++k) {
    worst = std::max({worst, precisely(lower, f.taus[k]) - f.values[k], f.values[k] - precisely(upper, f.taus[k])});
  }
  return worst / f.at_zero;
}

}  // namespace

TEST_CASE("Gauss and Gauss-Radau rules enclose the kernel at every time lag", "[homogenized][kernel]") {
  for (const double exponent : {0.3, 0.6, 1.1, 2.0}) {
    for (const Eigen::Index size : {50, 1000, 20000}) {  // 20000: in two stages
      const ExponentialSum f = power_law(size, exponent);
      const Sampled at_lags = sampled(f, 50.0);
      for (const int m : {1, 4, 8, 16, 32}) {
        const auto rules = homogenized::compress(f, m);
        CAPTURE(exponent, size, m);
        CHECK(rules.lower.rates.size() <= m);
        CHECK(rules.upper.rates.size() <= m + 1);
        CHECK(violation(at_lags, rules.lower, rules.upper) < 1e-14);
        // control: the two rules exchanged do not enclose it
        if (m <= 4) {
          CHECK(violation(at_lags, rules.upper, rules.lower) > 1e-6);
        }
      }
    }
  }
}

TEST_CASE("the rules converge geometrically where bins would need thousands of terms", "[homogenized][kernel]") {
  const ExponentialSum f = power_law(1000, 0.6);
  double before = 1.0;
  for (const int m : {4, 8, 16}) {
    const auto rules = homogenized::compress(f, m);
    double gap = 0.0;
    for (int k = 0; k <= 200; ++k) {
      const double tau = 5.0 * k / 200.0;
      gap = std::max(gap, (rules.upper(tau) - rules.lower(tau)) / f(0.0));
    }
    CHECK(gap < 0.02 * before);
    before = std::max(gap, 1e-12);
  }
  CHECK(before < 2e-12);
}

TEST_CASE("a measure with few atoms is its own rule", "[homogenized][kernel]") {
  ExponentialSum few{ArrayXd(6), ArrayXd::Constant(6, 0.5)};
  few.rates << 1.0, 3.0, 1.0, 3.0, 0.0, 3.0;
  const auto rules = homogenized::compress(few, 5);
  for (const double tau : {0.0, 0.3, 2.0, 50.0}) {
    CHECK(rules.lower(tau) == Approx(few(tau)).epsilon(1e-13));
    CHECK(rules.upper(tau) == Approx(few(tau)).epsilon(1e-13));
  }
  const auto zero = homogenized::compress({ArrayXd::Constant(9, 1.0), ArrayXd::Zero(9)}, 2);
  CHECK(zero.upper(0.0) == 0.0);
}

TEST_CASE("enclosures of the kernel hold it at every tau", "[homogenized][kernel]") {
  const ExponentialSum f = power_law(3000, 1.1);
  double gap = 1.0;
  const auto rules = homogenized::compress_to(f, 100.0, 1e-13, &gap);
  CHECK(gap <= 1e-13);
  for (const double tau : {0.0, 1e-8, 0.1, 3.0, 99.0}) {
    const Enclosure interval = homogenized::enclose(rules, tau);
    CHECK(interval.contains(f(tau)));
    CHECK(interval.width() < 2e-13 * f(0.0));
  }
}

TEST_CASE("measures with negative or missing weights are refused", "[homogenized][kernel][errors]") {
  CHECK_THROWS_AS(homogenized::compress({ArrayXd::Constant(3, 1.0), ArrayXd::Constant(3, -1.0)}, 2), DomainError);
  CHECK_THROWS_AS(homogenized::compress({ArrayXd::Constant(3, 1.0), ArrayXd::Constant(2, 1.0)}, 2), DomainError);
  CHECK_THROWS_AS(homogenized::compress({ArrayXd(), ArrayXd()}, 2), DomainError);
  CHECK_THROWS_WITH(homogenized::compress({ArrayXd::Constant(3, 1.0), ArrayXd::Constant(3, 1.0)}, 0),
                    Catch::Contains("m = 0"));
}

TEST_CASE("step weights integrate polynomial sources exactly, in tau and in t", "[homogenized][collocation]") {
  // source gamma P = tau^k on a constant schedule: integral_0^h exp(-r (h - x)) x^k dx in closed form
  const auto schedule = models::Schedule::constant(1.0);
  for (const int q : {3, 4, 5, 6}) {
    for (const bool in_time : {false, true}) {
      auto step = homogenized::collocation_grid(schedule, 1.5, 1.0, q, 1).front();
      step.in_time = in_time;
      const double h = step.tau_length;
      ArrayXd rates(4);
      rates << 0.0, 0.3, 2.0, 9.0;
      for (const double fraction : {0.4, 1.0}) {
        const double x = fraction * h;
        const auto w = homogenized::step_weights(schedule, step, q, fraction, rates);
        for (Eigen::Index i = 0; i < rates.size(); ++i) {
          const double r = rates[i];
          const double constant = r == 0.0 ? x : -std::expm1(-r * x) / r;
          const double linear = r == 0.0 ? 0.5 * x * x : (x - constant) / r;
          const double square = r == 0.0 ? x * x * x / 3.0 : (x * x - 2.0 * linear) / r;
          const ArrayXd nodes = step.times;
          CHECK(w.decay[i] == Approx(std::exp(-r * x)).epsilon(1e-14));
          CHECK(w.weights.row(i).sum() == Approx(constant).epsilon(1e-13));
          CHECK((w.weights.row(i).transpose() * nodes).sum() == Approx(linear).epsilon(1e-11));
          CHECK((w.weights.row(i).transpose() * nodes.square()).sum() == Approx(square).epsilon(1e-9));
        }
      }
    }
  }
}
