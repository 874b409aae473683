// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/estimate.hpp>
#include <dpcurves/correlated/detail/participation_sum.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

using rigorous::Real;

void require_rate(double rate) { require_domain(rate > 0.0 && rate <= 1.0, "sampling_rate", rate, "(0, 1]"); }
void require_noise(double noise) {
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
}
void require_epsilon(double epsilon) {
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
}

/// log of the binomial probabilities of 0, ..., steps. Boost's density near the mode, its neighbours by their ratios.
std::vector<double> log_binomial(std::size_t steps, double rate) {
  std::vector<double> logs(steps + 1, -infinity);
  if (rate == 1.0) {
    logs[steps] = 0.0;
    return logs;
  }
  const auto n = static_cast<double>(steps);
  const auto mode = static_cast<std::size_t>(std::min(n, std::floor((n + 1.0) * rate)));
  logs[mode] = std::log(numerics::binomial_probability(n, rate, static_cast<double>(mode)));
  const double odds = std::log(rate) - std::log1p(-rate);
  numerics::CompensatedSum up;
  for (std::size_t k = mode; k < steps; ++k) {
    up += std::log((n - static_cast<double>(k)) / static_cast<double>(k + 1)) + odds;
    logs[k + 1] = logs[mode] + up.value();
  }
  numerics::CompensatedSum down;
  for (std::size_t k = mode; k > 0; --k) {
    down += std::log(static_cast<double>(k) / (n - static_cast<double>(k - 1))) - odds;
    logs[k - 1] = logs[mode] + down.value();
  }
  return logs;
}

}  // namespace

SameBatch::SameBatch(const models::StrategyMatrix& strategy, double sampling_rate, double sensitivity)
    : strategy_(strategy), sampling_rate_(sampling_rate), sensitivity_(sensitivity) {
  require_rate(sampling_rate);
  require_domain(sensitivity > 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "(0, inf)");
  sensitivities_ = encoded_sensitivities(strategy);
  for (double& s : sensitivities_.values) {
    s *= sensitivity;
  }
  log_mass_ = log_binomial(strategy.steps(), sampling_rate);
}

namespace {

/// s(k)^2 of a monotone Toeplitz matrix, as first_steps of sensitivity.cpp: y is 1 on the first k steps.
class ToeplitzSquares {
 public:
  explicit ToeplitzSquares(const models::StrategyMatrix& strategy) : steps_(strategy.steps()) {
    Real sum, squares;
    for (const double c : strategy.coefficients()) {
      sums_.push_back(sum);
      squares_.push_back(squares);
      sum += c;
      squares += sum * sum;
    }
    sums_.push_back(sum);
    squares_.push_back(squares);
  }
  [[nodiscard]] Real operator()(double participations) const {
    const auto k = static_cast<std::size_t>(participations);
    const std::size_t width = sums_.size() - 1;
    Real square = squares_[std::min(k, width)];
    if (k > width) {
      square += Real(static_cast<double>(k - width)) * sums_.back() * sums_.back();
    }
    for (std::size_t t = k; t < std::min(steps_, k + width - 1); ++t) {
      const Real entry = partial(t + 1) - partial(t + 1 - k);
      square += entry * entry;
    }
    return square;
  }

 private:
  [[nodiscard]] const Real& partial(std::size_t j) const { return sums_[std::min(j, sums_.size() - 1)]; }

  std::size_t steps_;
  std::vector<Real> sums_, squares_;  ///< of the first j coefficients; of the first j of those sums
};

}  // namespace

Enclosure SameBatch::delta(double epsilon, double noise_multiplier) const {
  require_epsilon(epsilon);
  require_noise(noise_multiplier);
  const auto steps = static_cast<double>(strategy_.steps());
  const auto sum = [&](const std::function<Real(double)>& square) {
    return participation_sum({steps, sampling_rate_}, epsilon,
                             [&](double k) { return Real(sensitivity_) * sqrt(square(k)) / Real(noise_multiplier); });
  };
  if (strategy_.form() == models::StrategyMatrix::Form::exponential) {
    return sum([&](double k) { return encoded_square(strategy_.lambda(), k, steps); });
  }
  if (strategy_.monotone_toeplitz()) {
    return sum(ToeplitzSquares(strategy_));  // 128 bits are enough: what cancels are doubles of one size
  }
  // Sums of positive numbers, two per row: no more than 2 b + 8 roundings each, b the bandwidth, and the factor f.
  const double relative = (2.0 * static_cast<double>(strategy_.bandwidth()) + 12.0) * 1.2e-16;
  const double upper = participation_sum({steps, sampling_rate_}, epsilon, [&](double k) {
                         return Real(sensitivities_.values[static_cast<std::size_t>(k)]) * (Real(1) + Real(relative)) /
                                Real(noise_multiplier);
                       }).upper;
  return {0.0, upper};
}

double SameBatch::estimate(double epsilon, double noise_multiplier) const {
  require_epsilon(epsilon);
  require_noise(noise_multiplier);
  constexpr double negligible = -700.0;  // log of a mass that is added as it is
  numerics::CompensatedSum sum;
  for (std::size_t k = 1; k < log_mass_.size(); ++k) {
    const double mass = std::exp(std::max(log_mass_[k], -745.0));
    sum += log_mass_[k] < negligible
               ? mass
               : mass * tradeoff::delta_of_epsilon(epsilon, sensitivities_.values[k] / noise_multiplier);
  }
  return std::min(1.0, sum.value());
}

Enclosure SameBatch::noise_multiplier(double epsilon, double delta) const {
  require_epsilon(epsilon);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  // All participations at once need s(T)/mu; fewer only less noise.
  const double mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  const double high = std::log(sensitivities_.values.back() / mu) + 1e-9;
  const auto excess = [&](double log_noise) {
    const double value = estimate(epsilon, std::exp(log_noise));
    return value > 0.0 ? std::log(value) - std::log(delta) : -1e3;
  };
  const auto meets = [&](double noise) { return this->delta(epsilon, noise).upper <= delta; };
  double low = high;
  do {
    low -= 1.0;
    if (low < high - 200.0) {
      return {0.0, std::exp(meets(std::exp(low)) ? low : high)};  // the chance of any participation is below delta
    }
  } while (excess(low) <= 0.0);
  const double found = std::exp(excess(high) > 0.0 ? high : numerics::root(excess, low, high).middle());
  // The estimate found it; what is promised is proved, at ends that move out until it can be.
  Enclosure ends{found, found};
  for (double width = 1e-12; !meets(ends.upper); width *= 8.0) {
    ends.upper = found * (1.0 + width);
  }
  for (double width = 1e-12; meets(ends.lower); width *= 8.0) {
    ends.lower = found * std::max(0.0, 1.0 - width);
  }
  return ends;
}

namespace {

/// log n! less Stirling's formula.
double stirling_error(double n) {
  if (n <= 15.0) {
    return std::lgamma(n + 1.0) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2.0 * std::numbers::pi);
  }
  const double square = n * n;
  return (1.0 / 12.0 -
          (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / square) / square) / square) / square) /
         n;
}

/// x log(x/m) + m - x, without cancellation near x = m.
double deviance(double x, double m) {
  const double v = (x - m) / (x + m);
  if (std::abs(v) > 0.1) {
    return x * std::log(x / m) + m - x;
  }
  double sum = (x - m) * v, term = 2.0 * x * v;
  for (double j = 3.0; j < 40.0; j += 2.0) {
    term *= v * v;
    sum += term / j;
  }
  return sum;
}

/// log of the binomial probability of k by its saddle point.
double log_binomial(double n, double rate, double k) {
  if (k == 0.0) {
    return n * std::log1p(-rate);
  }
  if (k == n) {
    return n * std::log(rate);
  }
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * rate) -
         deviance(n - k, n * (1.0 - rate)) - 0.5 * std::log(2.0 * std::numbers::pi * k * (1.0 - k / n));
}

}  // namespace

namespace {

/// The sum over many numbers of participations, of which the profile and the probabilities are smooth functions.
class LongSum {
 public:
  LongSum(double lambda, double rate, double steps, double scale, double epsilon)
      : lambda_(lambda), rate_(rate), steps_(steps), scale_(scale), epsilon_(epsilon) {}

  /// With an estimate of the error.
  [[nodiscard]] Estimate value() const {
    const double mode = std::floor((steps_ + 1.0) * rate_);
    constexpr double negligible = -745.0;  // log of a probability
    const auto likely = [&](double k) { return log_binomial(steps_, rate_, k) > negligible; };
    const double first = std::max(1.0, first_after(0.0, mode, likely));
    const double last = first_after(mode, steps_ + 1.0, [&](double k) { return k > steps_ || !likely(k); }) - 1.0;
    // The profile is 0 before `begin` and 1 from `full` on.
    constexpr double certain = 39.0;  // the normal tail is below the least double there
    const double begin = first_after(first, last + 1.0, [&](double k) { return quantile(k) <= certain; });
    const double full = first_after(begin, last + 1.0, [&](double k) { return quantile(k) <= -certain; });
    constexpr double most_direct = 1e5;
    if (full - begin <= most_direct) {
      const double tail = tail_probability(full, last);
      const double sum = strided(begin, full - 1.0, 1.0) + tail;
      return {sum, relative_error * sum};
    }
    // The trapezoid rule, whose error falls faster than any power: steps well below the standard deviation of the
    // participations and below what moves the profile by a quarter of its own.
    constexpr int pieces = 256;
    double steepest = 0.0;
    for (int i = 0; i < pieces; ++i) {
      const double a = begin + std::floor((full - 1.0 - begin) * i / pieces);
      const double b = begin + std::floor((full - 1.0 - begin) * (i + 1) / pieces);
      steepest = std::max(steepest, (quantile(a) - quantile(b)) / (b - a));
    }
    const double deviation = std::sqrt(steps_ * rate_ * (1.0 - rate_));
    const double half = std::max(1.0, std::floor(0.125 * std::min(deviation, 0.5 / steepest)));
    const double even = strided(begin, last, 2.0 * half), odd = strided(begin + half, last, 2.0 * half);
    const double sum = 0.5 * (even + odd);
    return {sum, relative_error * sum + std::abs(even - odd)};
  }

 private:
  static constexpr double relative_error = 1e-9;  // of probabilities whose logarithms are sums of 1e7 at most

  /// The first whole number after `before`, up to `last`, at which a condition holds that stays true; else `last`.
  template <class Condition>
  static double first_after(double before, double last, const Condition& holds) {
    if (holds(before)) {
      return before;
    }
    while (last - before > 1.0) {
      const double middle = std::floor(0.5 * (before + last));
      (holds(middle) ? last : before) = middle;
    }
    return last;
  }

  [[nodiscard]] double mu(double k) const { return scale_ * encoded_sensitivity(lambda_, k, steps_); }
  [[nodiscard]] double quantile(double k) const { return epsilon_ / mu(k) - 0.5 * mu(k); }
  [[nodiscard]] double chance(double k) const { return k > steps_ ? 0.0 : std::exp(log_binomial(steps_, rate_, k)); }

  /// stride times the sum over first, first + stride, ..., up to last.
  [[nodiscard]] double strided(double first, double last, double stride) const {
    numerics::CompensatedSum sum;
    for (double k = first; k <= last; k += stride) {
      const double probability = chance(k);
      sum += probability > 0.0 ? probability * tradeoff::delta_of_epsilon(epsilon_, mu(k)) : 0.0;
    }
    return stride * sum.value();
  }

  /// The probability of first, ..., last, by Euler and Maclaurin's formula; at `last` it has fallen to nothing.
  [[nodiscard]] double tail_probability(double first, double last) const {
    if (first > last) {
      return 0.0;
    }
    using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
    const auto density = [&](double k) { return chance(k); };
    const double mode = std::max(first - 0.5, std::min(last, std::floor((steps_ + 1.0) * rate_)));
    const double whole =
        Rule::integrate(density, first - 0.5, mode, 15, 1e-13) + Rule::integrate(density, mode, last + 0.5, 15, 1e-13);
    return std::min(1.0, whole + (chance(first) - chance(first - 1.0)) / 24.0);
  }

  double lambda_, rate_, steps_, scale_, epsilon_;
};

}  // namespace

LongSameBatch long_same_batch_delta(double lambda, double sampling_rate, double steps, double sensitivity,
                                    double noise_multiplier, double epsilon) {
  require_domain(lambda >= 0.0 && lambda < 1.0, "lambda", lambda, "[0, 1)");
  require_rate(sampling_rate);
  require_domain(steps >= 1.0 && steps <= 1e15 && steps == std::floor(steps), "steps", steps,
                 "the whole numbers in [1, 1e15]");
  require_domain(sensitivity > 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "(0, inf)");
  require_noise(noise_multiplier);
  require_epsilon(epsilon);
  constexpr double most_proved = 500.0;  // standard deviation: half a second of ball arithmetic
  if (std::sqrt(steps * sampling_rate * (1.0 - sampling_rate)) <= most_proved) {
    return {participation_sum({steps, sampling_rate}, epsilon,
                              [&](double k) {
                                return Real(sensitivity) * sqrt(encoded_square(lambda, k, steps)) /
                                       Real(noise_multiplier);
                              }),
            true};
  }
  const Estimate sum = LongSum(lambda, sampling_rate, steps, sensitivity / noise_multiplier, epsilon).value();
  constexpr double least = 1e-300;  // what is left out of the range of doubles
  return {clamp({sum.value - sum.error, sum.value + sum.error + least}, 0.0, 1.0), false};
}

ParticipationSplit participation_split(double lambda, double sampling_rate, double steps, double epsilon,
                                       double delta) {
  require_rate(sampling_rate);
  require_epsilon(epsilon);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const auto strategy = models::StrategyMatrix::exponential(lambda, static_cast<std::size_t>(steps));
  const auto sensitivities = encoded_sensitivities(strategy).values;
  const double most_mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  ParticipationSplit best{infinity, 0.0};
  for (std::size_t k = 0; k < sensitivities.size(); ++k) {
    const double at = static_cast<double>(k);
    const double above = k + 1 == sensitivities.size() ? 0.0 : numerics::binomial_above(steps, sampling_rate, at);
    if (above >= delta) {
      continue;
    }
    if (sensitivities[k] / most_mu > best.noise_multiplier) {
      break;  // larger k need more even without the probability above
    }
    const double share = (delta - above) / (1.0 - above);
    const double noise = k == 0 ? 0.0 : sensitivities[k] / tradeoff::mu_of_epsilon_delta(epsilon, share);
    if (noise < best.noise_multiplier) {
      best = {noise, at};
    }
  }
  return best;
}

double enumerated_same_batch_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                   double noise_multiplier, double epsilon) {
  constexpr std::size_t most_steps = 24;
  const std::size_t steps = strategy.steps();
  require_domain(steps <= most_steps, "steps", static_cast<double>(steps), "[1, 24]");
  require_rate(sampling_rate);
  require_noise(noise_multiplier);
  require_epsilon(epsilon);
  const auto absolute = strategy.absolute();
  std::vector<double> encoded(steps);
  numerics::CompensatedSum mean;
  for (std::uint32_t y = 1; y < (std::uint32_t{1} << steps); ++y) {
    double weight = 1.0;
    for (std::size_t t = 0; t < steps; ++t) {
      const bool present = ((y >> t) & 1U) != 0;
      encoded[t] = present ? 1.0 : 0.0;
      weight *= present ? sampling_rate : 1.0 - sampling_rate;
    }
    absolute.multiply(encoded);
    const double square = sum_over(encoded, [&](double x) { return x * x; });
    mean += weight * tradeoff::delta_of_epsilon(epsilon, std::sqrt(square) / noise_multiplier);
  }
  return mean.value();
}

SameBatchEstimate estimate_same_batch_delta(const models::StrategyMatrix& strategy, double sampling_rate,
                                            double sensitivity, double noise_multiplier, double epsilon,
                                            double confidence, std::uint64_t seed) {
  require_domain(confidence > 0.0 && confidence < 1.0, "confidence", confidence, "(0, 1)");
  const SameBatch bound(strategy, sampling_rate, sensitivity);
  const Enclosure sum = bound.delta(epsilon, noise_multiplier);
  const auto& norms = bound.sensitivities().values;
  const std::size_t steps = strategy.steps();
  const auto delta_of = [&](double norm) { return tradeoff::delta_of_epsilon(epsilon, norm / noise_multiplier); };
  std::vector<double> terms(steps + 1, 0.0), cumulative(steps + 1, 0.0);
  for (std::size_t k = 1; k <= steps; ++k) {
    const double chance = std::exp(bound.log_probabilities()[k]);
    terms[k] = chance > 0.0 ? delta_of(norms[k]) : 0.0;
    cumulative[k] = cumulative[k - 1] + chance * terms[k];
  }
  if (!(cumulative[steps] > 0.0)) {
    return {0.0, sum, 0};
  }
  const bool recursive = strategy.form() == models::StrategyMatrix::Form::exponential;
  const double entries = static_cast<double>(steps) * (recursive ? 1.0 : static_cast<double>(strategy.bandwidth()));
  SameBatchEstimate result;
  result.draws = static_cast<std::size_t>(std::clamp(2e8 / entries, 100.0, 20000.0));
  const auto absolute = strategy.absolute();
  std::vector<double> chance(steps + 1), encoded(steps);
  numerics::CompensatedSum shares, squares;
  for (std::size_t i = 0; i < result.draws; ++i) {
    random::uniforms(chance, seed, random::Purpose::sampling, static_cast<std::uint32_t>(i), 0);
    const auto place =
        std::upper_bound(cumulative.begin(), cumulative.end(), chance[steps] * cumulative[steps]) - cumulative.begin();
    const auto k = std::clamp<std::size_t>(static_cast<std::size_t>(place), 1, steps);
    // A set of k steps, all equally likely.
    std::size_t left = k;
    double state = 0.0, square = 0.0;
    for (std::size_t t = 0; t < steps; ++t) {
      const bool present = chance[t] * static_cast<double>(steps - t) < static_cast<double>(left);
      left -= present ? 1 : 0;
      encoded[t] = present ? 1.0 : 0.0;
      state = recursive ? strategy.lambda() * state + encoded[t] : 0.0;
      square += state * state;
    }
    if (!recursive) {
      absolute.multiply(encoded);
      for (const double x : encoded) {
        square += x * x;
      }
    }
    const double share = std::min(1.0, delta_of(sensitivity * std::sqrt(square)) / terms[k]);
    shares += share;
    squares += share * share;
  }
  const auto n = static_cast<double>(result.draws);
  const double mean = shares.value() / n, variance = std::max(0.0, (squares.value() - n * mean * mean) / (n - 1.0));
  const double log_miss = std::log(4.0 / (1.0 - confidence));  // half of what may miss on either side
  const double spread = std::sqrt(2.0 * variance * log_miss / n) + 7.0 * log_miss / (3.0 * (n - 1.0));
  result.value = cumulative[steps] * mean;
  constexpr double normalisation = 1e-11;  // of the terms in doubles, relative
  result.interval = {cumulative[steps] * (1.0 - normalisation) * std::max(0.0, mean - spread),
                     sum.upper * std::min(1.0, (1.0 + normalisation) * (mean + spread))};
  return result;
}

}  // namespace dpcurves::correlated
