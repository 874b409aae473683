// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <exception>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::inference {
namespace {

using rigorous::Real;

/// I_x(a, b), the regularised incomplete beta function.
Real beta_distribution(const Real& a, const Real& b, const Real& x) {
  Real value;
  arb_hypgeom_beta_lower(value.get(), a.get(), b.get(), x.get(), 1, rigorous::Precision::bits());
  return value;
}

/// Whether P(Binomial(trials, p) >= successes) = I_p(successes, trials - successes + 1) is proved to be at most `tail`.
/// `reflected`: p is the complement of `x`.
bool at_most(double successes, double trials, double x, bool reflected, double tail) {
  for (slong bits = 96; bits <= 3072; bits *= 2) {
    const rigorous::Precision precision(bits);
    const Real a(successes), b = Real(trials - successes) + Real(1), p = reflected ? Real(1) - Real(x) : Real(x);
    // The second form is for p near 1, where the first has no good series; it cancels where the chance is small.
    for (const Real& chance : {beta_distribution(a, b, p), Real(1) - beta_distribution(b, a, Real(1) - p)}) {
      if (chance <= Real(tail)) {
        return true;
      }
      if (chance > Real(tail)) {
        return false;
      }
    }
  }
  return false;
}

constexpr double inverse_accuracy = 1e-11;  // that Boost's inverse has, nearly always

/// The p with I_p(a, b) = tail, not proved. Boost's root finding gives up for some small tails: then by bisection.
double inverse(double a, double b, double tail) {
  try {
    return numerics::beta_below_inverse(a, b, tail);
  } catch (const std::exception&) {
    double low = 1e-308, high = 1.0;
    while (low * (1.0 + inverse_accuracy) < high) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (at_most(a, a + b - 1.0, middle, false, tail) ? low : high) = middle;
    }
    return low;
  }
}

double complementary_inverse(double a, double b, double tail) {
  try {
    return numerics::beta_above_inverse(a, b, tail);
  } catch (const std::exception&) {
    return 1.0 - inverse(b, a, tail);
  }
}

/// That p and its complement, each to its own digits: an end near 1 is as good as its mirror image near 0.
struct Guess {
  double p, rest;
  [[nodiscard]] double smaller() const { return std::min(p, rest); }
};

Guess guess(double a, double b, double tail) {
  const double p = inverse(a, b, tail);
  if (p <= 0.5) {
    return {p, 1.0 - p};
  }
  const double rest = complementary_inverse(b, a, tail);
  return {1.0 - rest, rest};
}

}  // namespace

Enclosure clopper_pearson(std::uint64_t successes, std::uint64_t trials, double miss) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53U;
  require_domain(trials >= 1 && trials <= most, "trials", static_cast<double>(trials), "[1, 2^53]");
  require_domain(successes <= trials, "successes", static_cast<double>(successes), "[0, trials]");
  require_domain(miss >= 1e-300 && miss < 1.0, "miss", miss, "[1e-300, 1)");
  const auto k = static_cast<double>(successes), n = static_cast<double>(trials), tail = 0.5 * miss;
  Enclosure interval{0.0, 1.0};
  // From Boost's value outward, twice as far each time, until the chance on that side is proved to be small enough.
  if (successes > 0) {
    const Guess first = guess(k, n - k + 1.0, tail);
    double moved = inverse_accuracy;
    do {
      interval.lower = moved < 1.0 ? std::max(0.0, next_down(first.p - moved * first.smaller())) : 0.0;
      moved *= 2.0;
    } while (interval.lower > 0.0 && !at_most(k, n, interval.lower, false, tail));
  }
  if (successes < trials) {
    // The failures' lower end is the complement of the upper end: no 1 - miss is formed.
    const Guess first = guess(n - k, k + 1.0, tail);
    double moved = inverse_accuracy;
    do {
      interval.upper = moved < 1.0 ? std::min(1.0, next_up(first.rest + moved * first.smaller())) : 1.0;
      moved *= 2.0;
    } while (interval.upper < 1.0 && !at_most(n - k, n, interval.upper, true, tail));
  }
  return interval;
}

}  // namespace dpcurves::inference
