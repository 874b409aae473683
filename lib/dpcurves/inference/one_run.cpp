// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/one_run.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::inference {
namespace {

using rigorous::Real;

constexpr double tail_accuracy = 2e-11;  // of Boost's incomplete beta, nearly always much better

void check(const OneRun& counts) {
  require_domain(counts.canaries >= 1 && counts.canaries <= 1000000000, "canaries",
                 static_cast<double>(counts.canaries), "[1, 1e9]");
  require_domain(counts.guesses <= counts.canaries, "guesses", static_cast<double>(counts.guesses), "[0, canaries]");
  require_domain(counts.correct <= counts.guesses, "correct", static_cast<double>(counts.correct), "[0, guesses]");
}

void check_significance(double significance) {
  require_domain(significance > 0.0 && significance < 0.5, "significance", significance, "(0, 1/2)");
}

/// log P(B = k), B Binomial(c, 1/(1 + e^-epsilon)), rounded up.
double log_point(double k, double c, double epsilon) {
  const rigorous::Precision precision(128);
  const auto log_factorial = [](double n) {
    Real r;
    arb_lgamma(r.get(), (Real(n) + Real(1)).get(), rigorous::Precision::bits());
    return r;
  };
  const Real log_right = -log1p(exp(-Real(epsilon))), log_wrong = -log1p(exp(Real(epsilon)));
  return (log_factorial(c) - log_factorial(k) - log_factorial(c - k) + Real(k) * log_right + Real(c - k) * log_wrong)
      .upper();
}

/// The largest mean of P(B = v - 1), P(B = v - 2), ...: they rise towards the mode and fall beyond, so the mean is the
/// largest where the next one falls below it. Rounded up.
double largest_mean(double v, double c, double epsilon) {
  const double fall = std::exp(-epsilon);
  constexpr double large = 0x1p400;  // v may be far above the mode
  double log_scale = log_point(v - 1.0, c, epsilon), term = 1.0, sum = 1.0, count = 1.0;
  for (double k = v - 1.0; k >= 1.0; --k) {
    term *= k / (c - k + 1.0) * fall;
    if (term * count <= sum) {
      break;
    }
    sum += term;
    ++count;
    if (sum > large) {
      term /= large;
      sum /= large;
      log_scale += std::log(large);
    }
  }
  constexpr double rounding = 1e-15;  // of each factor, and of the logarithm
  const double log_mean = log_scale + std::log(sum / count);
  return std::exp(log_mean) * (1.0 + rounding * (count + 10.0 + 2.0 * std::abs(log_scale)));
}

}  // namespace

double approximate_dp_p_value(const OneRun& counts, double epsilon, double delta) {
  check(counts);
  require_domain(epsilon >= 0.0 && epsilon <= 700.0, "epsilon", epsilon, "[0, 700]");
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
  if (counts.correct == 0) {
    return 1.0;
  }
  const auto c = static_cast<double>(counts.guesses), v = static_cast<double>(counts.correct);
  const double wrong = 1.0 / (1.0 + std::exp(epsilon));  // the complement keeps its digits
  const double beta = numerics::beta_above(c - v + 1.0, v, wrong) * (1.0 + tail_accuracy);
  const double leaked =
      delta > 0.0 ? 2.0 * static_cast<double>(counts.canaries) * delta * largest_mean(v, c, epsilon) : 0.0;
  return std::min(1.0, next_up(beta + leaked * (1.0 + 1e-15)));
}

double one_run_epsilon(const OneRun& counts, double significance, double delta) {
  check_significance(significance);
  const auto rejected = [&](double epsilon) { return approximate_dp_p_value(counts, epsilon, delta) <= significance; };
  if (!rejected(0.0)) {
    return 0.0;
  }
  double low = 0.0, high = 1.0;
  while (high < 700.0 && rejected(high)) {
    low = high;
    high = std::min(2.0 * high, 700.0);
  }
  constexpr double accuracy = 1e-10;
  while (high - low > accuracy) {
    const double middle = 0.5 * (low + high);
    (rejected(middle) ? low : high) = middle;
  }
  return low;
}

LeastRate gaussian_least_rate(double mu) {
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  return [mu](double power) {
    constexpr double accuracy = 1e-12;  // a hundred times that of the quantile and of the tail
    return power <= 0.0   ? 0.0
           : power >= 1.0 ? 1.0
                          : numerics::normal_upper_tail(numerics::normal_upper_quantile(power) + mu) * (1.0 - accuracy);
  };
}

LeastRate approximate_dp_least_rate(double epsilon, double delta) {
  require_domain(epsilon >= 0.0 && epsilon <= 700.0, "epsilon", epsilon, "[0, 700]");
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
  return [epsilon, delta](double power) {
    constexpr double rounding = 4e-16;
    const double by_first = (power - delta) * std::exp(-epsilon);
    const double by_second = 1.0 - delta - std::exp(epsilon) * (1.0 - power);
    return std::max({0.0, by_first * (1.0 - rounding) - rounding * delta * std::exp(-epsilon),
                     by_second - rounding * (1.0 + std::exp(epsilon) * (1.0 - power))});
  };
}

namespace {

/// Whether v or more right guesses may have the probability tau. R and H are the expected shares of canaries guessed
/// right and wrong in the event of at least i right guesses; each step takes the least H that the curve allows.
bool possible(const OneRun& counts, const LeastRate& least, Guesses guesses, double tau) {
  const double m = static_cast<double>(counts.canaries) * (guesses == Guesses::one_sided ? 0.5 : 1.0);
  const auto c = static_cast<double>(counts.guesses), v = static_cast<double>(counts.correct);
  constexpr double rounding = 1e-15;  // of each of the v steps
  const double most = c / m * (1.0 + rounding * (v + 4.0));
  double right = tau * v / m, wrong = tau * (c - v) / m;
  for (double i = v - 1.0; i >= 0.0 && right <= 1.0; --i) {
    const double next = std::max(wrong, least(right));
    if (next == wrong) {  // neither share grows from here on
      break;
    }
    right += i / (c - i) * (next - wrong);
    wrong = next;
    if (right + wrong > most) {
      return false;
    }
  }
  return right <= 1.0 + rounding * (v + 4.0) && right + wrong <= most;
}

}  // namespace

double fdp_p_value(const OneRun& counts, const LeastRate& least, Guesses guesses) {
  check(counts);
  if (counts.correct == 0 || possible(counts, least, guesses, 1.0)) {
    return 1.0;
  }
  double low = 1e-300, high = 1.0;
  if (!possible(counts, least, guesses, low)) {
    return low;
  }
  constexpr double accuracy = 1e-10;
  while (high > low * (1.0 + accuracy)) {
    const double middle = high > 4.0 * low ? std::sqrt(low) * std::sqrt(high) : 0.5 * (low + high);
    (possible(counts, least, guesses, middle) ? low : high) = middle;
  }
  return high;
}

bool fdp_rejected(const OneRun& counts, const LeastRate& least, Guesses guesses, double significance) {
  check(counts);
  require_domain(significance > 0.0 && significance < 1.0, "significance", significance, "(0, 1)");
  return counts.correct > 0 && !possible(counts, least, guesses, significance);
}

double one_run_mu(const OneRun& counts, double significance, Guesses guesses) {
  check(counts);
  check_significance(significance);
  const auto rejected = [&](double mu) { return fdp_rejected(counts, gaussian_least_rate(mu), guesses, significance); };
  if (!rejected(0.0)) {
    return 0.0;
  }
  double low = 0.0, high = 1.0;
  constexpr double largest = 1e3;
  while (high < largest && rejected(high)) {
    low = high;
    high *= 2.0;
  }
  constexpr double accuracy = 1e-11;
  while (high - low > accuracy * high) {
    const double middle = 0.5 * (low + high);
    (rejected(middle) ? low : high) = middle;
  }
  return low;
}

bool coins_look_fair(std::uint64_t included, std::uint64_t canaries) {
  require_domain(canaries >= 1 && included <= canaries, "included", static_cast<double>(included), "[0, canaries]");
  const auto m = static_cast<double>(canaries);
  constexpr double deviations = 6.0;
  return std::abs(static_cast<double>(included) - 0.5 * m) <= deviations * 0.5 * std::sqrt(m);
}

}  // namespace dpcurves::inference
