// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Samplers as additive tests: how often they use a record.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Real;

/// n or more successes in m >= n trials of chance p, one trial more at a time: sums of positive terms.
class Successes {
 public:
  Successes(double m, double n, double p) : m_(m), n_(n), p_(p), short_by_one_(chance(n - 1.0)) {
    constexpr double negligible = 1e-18;  // against the sum
    const double centre = m * p;
    const bool up = n > centre;
    double term = chance(up ? n : n - 1.0);
    double sum = term;
    if (p < 1.0) {
      for (double k = up ? n : n - 1.0; up ? k < m : k > 0.0; up ? ++k : --k) {
        term *= up ? (m - k) / (k + 1.0) * (p / (1.0 - p)) : k / (m - k + 1.0) * ((1.0 - p) / p);
        sum += term;
        if (term <= negligible * sum) {
          break;
        }
      }
    }
    tail_ = up ? sum : std::max(0.0, 1.0 - sum);
  }

  [[nodiscard]] double tail() const { return tail_; }

  void add_trial() {
    tail_ = std::min(1.0, tail_ + p_ * short_by_one_);
    m_ += 1.0;
    short_by_one_ *= (1.0 - p_) * m_ / (m_ - n_ + 1.0);
  }

 private:
  /// Of k successes.
  [[nodiscard]] double chance(double k) const {
    if (k < 0.0 || k > m_) {
      return 0.0;
    }
    if (p_ == 1.0) {
      return k == m_ ? 1.0 : 0.0;
    }
    const rigorous::Precision precision(128);
    const auto log_factorial = [](double n) {
      Real value;
      arb_lgamma(value.get(), Real(n + 1.0).get(), rigorous::Precision::bits());
      return value;
    };
    return exp(log_factorial(m_) - log_factorial(k) - log_factorial(m_ - k) + Real(k) * log(Real(p_)) +
               Real(m_ - k) * log1p(-Real(p_)))
        .middle();
  }

  double m_, n_, p_;
  double short_by_one_;
  double tail_ = 0.0;
};

}  // namespace

LowerEnd detail::lower_end(AdditiveTest test, std::vector<double> factors) {
  constexpr double largest_rate = 0.99;
  constexpr std::size_t points = std::size_t{1} << 16U;  // a lower end may be a little lower
  std::vector<AdditiveTest> tests;
  for (const double factor : factors) {
    tests.push_back(test);
    tests.back().rate = std::min(largest_rate, factor * test.rate);
  }
  const auto delta = [tests](double epsilon) {
    double best = 0.0;
    for (AdditiveTest one : tests) {
      if (epsilon >= 0.0 && epsilon <= 700.0) {
        one.epsilon = epsilon;
        best = std::max(best, additive_test(one, points).delta_lower);
      }
    }
    return best;
  };
  const auto epsilon = [tests](double target, double high) {
    double best = 0.0;
    for (const AdditiveTest& one : tests) {
      best = std::max(best, additive_epsilon(one, target, best > 0.0 ? best : 0.95 * high, points));
    }
    return best;
  };
  return {delta, epsilon};
}

AdditiveTest allocation_test(double chosen, double steps, double epochs, double noise_multiplier) {
  return AdditiveTest{.steps = steps * epochs,
                      .fewest = chosen * epochs,
                      .probability = {1.0},
                      .noise_multiplier = noise_multiplier,
                      .rate = std::min(0.999, chosen / steps)};
}

double MinimumSeparation::marginal_rate() const { return sampling_rate / (1.0 + (separation - 1.0) * sampling_rate); }

std::vector<double> MinimumSeparation::participations() const {
  const auto whole = [](double value, double most, const char* name, const char* domain) {
    require_domain(value >= 1.0 && value <= most && value == std::floor(value), name, value, domain);
  };
  whole(steps, 1e6, "steps", "the whole numbers from 1 to 1e6");
  whole(separation, steps, "separation", "the whole numbers from 1 to steps");
  require_domain(sampling_rate > 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "(0, 1]");
  const double p = sampling_rate;
  const double norm = 1.0 + (separation - 1.0) * p;
  const double most = std::ceil(steps / separation);
  // The n-th use of a record that is free at first is in step (n - 1)(b - 1) + a sum of n geometric times, so that
  // n or more uses in T steps are n or more successes in T - (n - 1)(b - 1) trials. A start that is blocked for j
  // steps leaves j trials less.
  const auto at_least = [&](double n) {
    const double trials = steps - (n - 1.0) * (separation - 1.0);
    const double fewest = warm_start ? std::max(n, trials - separation + 1.0) : trials;
    if (trials < n) {
      return 0.0;
    }
    Successes successes(fewest, n, p);
    double blocked = 0.0;
    for (double m = fewest; m < trials; ++m) {
      blocked += successes.tail();
      successes.add_trial();
    }
    return std::min(1.0, warm_start ? (successes.tail() + p * blocked) / norm : successes.tail());
  };
  // Uses are spread less than those of Poisson sampling: what lies further below is left out.
  constexpr double deviations = 14.0;
  const double mean = steps * marginal_rate();
  const double from = std::max(1.0, std::floor(mean - deviations * std::sqrt(mean)) - 2.0);
  std::vector<double> probability(static_cast<std::size_t>(most) + 1, 0.0);
  double before = from > 1.0 ? at_least(from) : 1.0;
  constexpr double negligible = 1e-60;  // counted as the largest number of uses
  for (double n = from > 1.0 ? from : 0.0; n <= most && before > negligible; ++n) {
    const double next = n < most ? at_least(n + 1.0) : 0.0;
    probability[static_cast<std::size_t>(n)] = std::max(0.0, before - next);
    before = next;
  }
  probability.back() += before <= negligible ? before : 0.0;
  return probability;
}

}  // namespace dpcurves::accounting
