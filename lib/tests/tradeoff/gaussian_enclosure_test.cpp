// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The proved ends against the defining formulas with hundreds of bits more than cancel, at random arguments of the
// whole domain: the ends are never on the wrong side and never more than three doubles apart.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tradeoff;
using rigorous::Real;

namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : generator_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(generator_); }
  double power(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  // Small, large, and near 1.
  double probability() { return uniform(0, 1) < 0.6 ? power(-320, 0) : 1.0 - power(-15.6, 0); }

 private:
  std::mt19937_64 generator_;
};

// The definition with its two terms, and bits for all that they cancel.
Real direct_delta(double epsilon, double mu) {
  const double u = epsilon / mu - 0.5 * mu, bits = 2.0 * std::abs(std::log2(mu)) + 2.0 * std::log2(2.0 + std::abs(u)) +
                                                   4.0 * std::log2(2.0 + std::abs(epsilon) / mu) + u * u + 300.0;
  const rigorous::Precision precision(std::min(20000L, std::lround(bits)));
  const Real middle = Real(epsilon) / Real(mu), h = scaled(Real(mu), -1), root = sqrt(Real(2));
  return scaled(erfc((middle - h) / root) - exp(Real(epsilon)) * erfc((middle + h) / root), -1);
}

bool three_doubles(const Enclosure& e) { return e.upper <= next_up(next_up(e.lower)); }

// Not certainly outside.
bool holds(const Enclosure& e, const Real& truth) { return !(truth < Real(e.lower)) && !(truth > Real(e.upper)); }

}  // namespace

TEST_CASE("the enclosure of delta holds the definition everywhere", "[tradeoff][proved]") {
  Draw draw(1);
  for (int i = 0; i < 400; ++i) {
    const double mu = i % 2 == 0 ? draw.power(-10, 6) : draw.power(-150, 120);
    const double u = draw.uniform(-38, 38), epsilon = i % 5 == 0 ? draw.power(-300, 2) : mu * (u + 0.5 * mu);
    if (std::abs(epsilon / mu - 0.5 * mu) > 38.0 || mu > 1e5) {
      continue;
    }
    const Enclosure got = delta_enclosure(epsilon, exactly(mu));
    CAPTURE(epsilon, mu, got.lower, got.upper);
    CHECK(three_doubles(got));
    CHECK(holds(got, direct_delta(epsilon, mu)));
  }
}

TEST_CASE("the enclosure of delta keeps its sides where doubles end", "[tradeoff][proved]") {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  CHECK(delta_enclosure(1e300, exactly(1.0)) == Enclosure{0.0, least});
  CHECK(delta_enclosure(1.0, exactly(1e-300)) == Enclosure{0.0, least});
  CHECK(delta_enclosure(1.0, exactly(1e300)) == Enclosure{next_down(1.0), 1.0});
  CHECK(delta_enclosure(-1e300, exactly(1.0)) == Enclosure{next_down(1.0), 1.0});
  CHECK(delta_enclosure(0.0, exactly(least)) == Enclosure{0.0, least});  // mu / sqrt(2 pi)
  CHECK(delta_enclosure(infinity, exactly(1.0)) == Enclosure{0.0, 0.0});
  CHECK(delta_enclosure(-infinity, exactly(1.0)) == Enclosure{1.0, 1.0});
  // Three Gaussian components of mu 33713.8...: doubles lose ten digits of epsilon/mu - mu/2.
  const double mu = std::sqrt(3.0) * 33713.82348881293, epsilon = 1706142722.8612254;
  CHECK(delta_enclosure(epsilon, exactly(mu)).relative_width() < 5e-16);
  CHECK(holds(delta_enclosure(epsilon, exactly(mu)), direct_delta(epsilon, mu)));
  CHECK_THROWS_AS(delta_enclosure(std::nan(""), exactly(1.0)), DomainError);
}

TEST_CASE("delta crosses its target between the ends of epsilon", "[tradeoff][proved]") {
  Draw draw(2);
  int positive = 0;
  for (int i = 0; i < 300; ++i) {
    const double mu = draw.power(-10, 5), delta = draw.probability();
    const Enclosure got = epsilon_enclosure(delta, exactly(mu));
    CAPTURE(delta, mu, got.lower, got.upper);
    CHECK(three_doubles(got));
    CHECK(direct_delta(got.upper, mu) <= Real(delta));
    if (got.upper > 0.0) {
      ++positive;
      CHECK(direct_delta(got.lower, mu) >= Real(delta));
    }
  }
  CHECK(positive > 150);
  // Beyond what the definition can be evaluated at: u of 38 at most, so epsilon is mu^2/2 within 38 mu.
  for (const double mu : {1e20, 1e77, 1e150}) {
    const Enclosure got = epsilon_enclosure(1e-300, exactly(mu));
    CHECK(three_doubles(got));
    CHECK(std::abs(got.upper / (0.5 * mu * mu) - 1.0) < 1e-15);
  }
  CHECK(epsilon_enclosure(0.5, exactly(1e-300)) == Enclosure{0.0, 0.0});
  CHECK_THROWS_AS(epsilon_enclosure(1.0, exactly(1.0)), DomainError);
}

TEST_CASE("delta crosses its target between the ends of mu", "[tradeoff][proved]") {
  Draw draw(3);
  for (int i = 0; i < 300; ++i) {
    const double epsilon = i % 10 == 0 ? 0.0 : draw.power(-12, 8), delta = draw.probability();
    const Enclosure got = mu_enclosure(epsilon, delta);
    CAPTURE(epsilon, delta, got.lower, got.upper);
    CHECK(three_doubles(got));
    CHECK(direct_delta(epsilon, got.lower) <= Real(delta));
    CHECK(direct_delta(epsilon, got.upper) >= Real(delta));
  }
  for (const double epsilon : {1e-300, 1e200, 1e300}) {  // u between -9 and 39, mu about sqrt(2 epsilon)
    const Enclosure got = mu_enclosure(epsilon, 1e-5);
    CHECK(three_doubles(got));
    if (epsilon > 1.0) {
      CHECK(std::abs(got.upper / std::sqrt(2.0) / std::sqrt(epsilon) - 1.0) < 1e-15);
    }
  }
  CHECK_THROWS_AS(mu_enclosure(1.0, 0.0), DomainError);
}

TEST_CASE("G(mu) lies between its ends", "[tradeoff][proved]") {
  Draw draw(4);
  const rigorous::Precision precision(600);
  const Real root = sqrt(Real(2));
  const auto tail = [&](const Real& x) { return scaled(erfc(x / root), -1); };
  for (int i = 0; i < 300; ++i) {
    const double a = draw.probability(), mu = draw.power(-10, 1.7);
    const Enclosure got = gaussian_enclosure(a, exactly(mu));
    // a = P(Z > x) by bisection; then G = P(Z > mu - x) falls with mu - x.
    Real low(-40), high(40);
    for (int step = 0; step < 400; ++step) {
      const Real middle = midpoint(scaled(low + high, -1));
      (tail(middle) > Real(a) ? low : high) = middle;
    }
    CAPTURE(a, mu, got.lower, got.upper);
    CHECK(three_doubles(got));
    CHECK(holds(got, tail(Real(mu) - hull(low, high))));
  }
  CHECK(gaussian_enclosure(1e-310, exactly(1e300)).lower == 0.0);
  CHECK(gaussian_enclosure(1e-310, exactly(1e300)).upper == std::numeric_limits<double>::denorm_min());
  CHECK(gaussian_enclosure(0.25, exactly(0.0)) == Enclosure{0.75, 0.75});
  CHECK(gaussian_enclosure(0.0, exactly(3.0)) == Enclosure{1.0, 1.0});
  CHECK_THROWS_AS(gaussian_enclosure(-0.1, exactly(3.0)), DomainError);
}

TEST_CASE("the GDP parameter of pure differential privacy lies between its ends", "[tradeoff][proved]") {
  Draw draw(5);
  for (int i = 0; i < 200; ++i) {
    const double epsilon = i % 3 == 0 ? draw.power(-318, 0) : draw.power(-3, 6);
    const Enclosure got = pure_dp_to_gdp_enclosure(epsilon);
    const rigorous::Precision precision(epsilon < 1.0 ? 3000 : 500);
    // P(Z > mu/2) (1 + e^epsilon) falls from 1 + ... through 1 at the mu that is wanted.
    const auto excess = [&](double mu) {
      return scaled(erfc(Real(mu) / sqrt(Real(8))), -1) * (Real(1) + exp(Real(epsilon))) - Real(1);
    };
    CAPTURE(epsilon, got.lower, got.upper);
    CHECK(three_doubles(got));
    CHECK_FALSE(excess(got.lower).negative());
    CHECK_FALSE(excess(got.upper).positive());
  }
  for (const double epsilon : {1e20, 1e100, 1e300}) {  // mu = sqrt(8 epsilon) but for a logarithm
    const Enclosure got = pure_dp_to_gdp_enclosure(epsilon);
    CHECK(three_doubles(got));
    CHECK(std::abs(got.upper / std::sqrt(8.0) / std::sqrt(epsilon) - 1.0) < 1e-15);
  }
  CHECK(pure_dp_to_gdp_enclosure(0.0) == exactly(0.0));
  CHECK(pure_dp_to_gdp_enclosure(infinity) == exactly(infinity));
  CHECK_THROWS_AS(pure_dp_to_gdp_enclosure(-1.0), DomainError);
}

TEST_CASE("the enclosure of one subsampled step holds the definition everywhere", "[tradeoff][proved]") {
  Draw draw(6);
  for (int i = 0; i < 300; ++i) {
    const double p = i % 2 == 0 ? draw.power(-12, 0) : 1.0 - draw.power(-15, -1), mu = draw.power(-4, 2);
    const double loss = mu * (draw.uniform(-20, 37) + 0.5 * mu);  // of the step without sampling
    const double sampled = loss > 600 ? loss + std::log(p) : std::log1p(p * std::expm1(loss));
    const double epsilon = (i % 7 == 0 ? -1.0 : 1.0) * std::abs(sampled);
    const Enclosure got = subsampled_gaussian_delta_enclosure(epsilon, p, mu);
    // p (Phi(-u) - e^t Phi(-v)) with e^t = 1 + (e^|epsilon| - 1) / p, all in 3000 bits.
    const rigorous::Precision precision(3000);
    const Real e(std::abs(epsilon)), t = log1p(expm1(e) / Real(p)), m = t / Real(mu), h = scaled(Real(mu), -1);
    const Real right = Real(p) * scaled(erfc((m - h) / sqrt(Real(2))) - exp(t) * erfc((m + h) / sqrt(Real(2))), -1);
    CAPTURE(epsilon, p, mu, got.lower, got.upper);
    CHECK(three_doubles(got));
    CHECK(holds(got, epsilon < 0.0 ? Real(1) - exp(-e) * (Real(1) - right) : right));
  }
  CHECK(subsampled_gaussian_delta_enclosure(0.3, 0.0, 1.0) == exactly(0.0));
  CHECK(subsampled_gaussian_delta_enclosure(-0.3, 0.5, 0.0).contains(-std::expm1(-0.3)));
  CHECK(subsampled_gaussian_delta_enclosure(1e5, 0.5, 1.0).upper == std::numeric_limits<double>::denorm_min());
  CHECK_THROWS_AS(subsampled_gaussian_delta_enclosure(1.0, 1.5, 1.0), DomainError);
}
