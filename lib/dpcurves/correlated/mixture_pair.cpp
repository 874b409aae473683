// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/participation_sum.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

void check(double rate, double noise, double epsilon) {
  require_domain(rate > 0.0 && rate <= 1.0, "sampling_rate", rate, "(0, 1]");
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
}

/// log(1 + (e^epsilon - 1)/r).
double amplified(double rate, double epsilon) {
  return epsilon > 500.0 ? epsilon - std::log(rate) + std::log1p((rate - 1.0) * std::exp(-epsilon))
                         : std::log1p(std::expm1(epsilon) / rate);
}

}  // namespace

double one_step_remove_delta(double sampling_rate, double noise_multiplier, double epsilon) {
  check(sampling_rate, noise_multiplier, epsilon);
  return sampling_rate * tradeoff::delta_of_epsilon(amplified(sampling_rate, epsilon), 1.0 / noise_multiplier);
}

double one_step_add_delta(double sampling_rate, double noise_multiplier, double epsilon) {
  check(sampling_rate, noise_multiplier, epsilon);
  const double log_absent = sampling_rate == 1.0 ? -infinity : std::log1p(-sampling_rate);
  const double absent = -std::expm1(epsilon + log_absent);  // 1 - e^epsilon (1 - r)
  return absent <= 0.0 ? 0.0
                       : absent * tradeoff::delta_of_epsilon(epsilon + std::log(sampling_rate) - std::log(absent),
                                                             1.0 / noise_multiplier);
}

FixedSizeStep fixed_size_step_zero_out(double sampling_rate, double noise_multiplier, double epsilon) {
  check(sampling_rate, noise_multiplier, epsilon);
  const double r = sampling_rate, k = noise_multiplier;
  FixedSizeStep step;
  step.add = r * tradeoff::delta_of_epsilon(amplified(r, epsilon), 1.0 / k);
  if (r == 1.0 || epsilon == 0.0) {
    step.remove = step.add;  // no weight on the third mean
    return step;
  }
  // The density r phi((x-1)/k) - e^eps r phi(x/k) - (1-r)(e^eps-1) phi((x+1)/k) changes sign once, where
  // u = e^{x/k^2} solves r e^{-1/2k^2} u^2 - e^eps r u - (1-r)(e^eps-1) e^{-1/2k^2} = 0; divided by e^eps.
  const double shrink = std::exp(-1.0 / (k * k)), above = -std::expm1(-epsilon);  // 1 - e^-eps
  const double root = std::sqrt(r * r + 4.0 * r * (1.0 - r) * above * shrink * std::exp(-epsilon));
  const double x = k * k * (epsilon + std::log(r + root) - std::log(2.0 * r)) + 0.5;
  // At that x the densities balance: the value is r phi1 [w (R1 - R0) + (1-w)(R1 - R2)], R the Mills ratios.
  const double low = (x - 1.0) / k;
  const double weight = std::min(1.0, std::exp(epsilon - (2.0 * x - 1.0) / (2.0 * k * k)));
  step.remove = r * numerics::normal_density(low) *
                (weight * numerics::mills_drop(low, 1.0 / k) + (1.0 - weight) * numerics::mills_drop(low, 2.0 / k));
  if (!(step.remove > 0.0) || low < -30.0) {  // the density underflows on the left: nothing cancels there
    // e^eps may overflow where the tail beside it underflows: their logarithms are added first.
    step.remove = r * numerics::normal_upper_tail(low) -
                  r * std::exp(epsilon + numerics::log_normal_upper_tail(x / k)) -
                  (1.0 - r) * above * std::exp(epsilon + numerics::log_normal_upper_tail((x + 1.0) / k));
    step.remove = std::max(step.remove, 0.0);
  }
  return step;
}

FixedSizeStep fixed_size_step_replacement(double sampling_rate, double noise_multiplier, double epsilon) {
  check(sampling_rate, noise_multiplier, epsilon);
  const double delta =
      sampling_rate * tradeoff::delta_of_epsilon(amplified(sampling_rate, epsilon), 2.0 / noise_multiplier);
  return {delta, delta};
}

namespace {

/// P and Q of at most two steps as lists of weighted means.
struct Component {
  double log_weight;
  std::array<double, 2> mean;
};
using Mixture = std::vector<Component>;

Mixture mixture(const models::StrategyMatrix& strategy, double rate, double multiple) {
  const std::size_t steps = strategy.steps();
  Mixture list;
  for (unsigned y = 0; y < (1U << steps); ++y) {
    Component component{0.0, {0.0, 0.0}};
    for (std::size_t u = 0; u < steps; ++u) {
      const bool present = ((y >> u) & 1U) != 0;
      component.log_weight += present ? std::log(rate) : rate == 1.0 ? -infinity : std::log1p(-rate);
      for (std::size_t t = u; present && t < steps; ++t) {
        component.mean[t + 2 - steps] += multiple * std::abs(strategy(t, u));
      }
    }
    if (component.log_weight > -infinity) {
      list.push_back(component);
    }
  }
  return list;
}

/// log of the density at (first, z) over that of noise alone, with relative accuracy where it is small.
double log_ratio(const Mixture& mixture, double first, double z, double noise) {
  double largest = -infinity, size = 0.0;
  std::array<double, 4> exponents{};
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const auto& [log_weight, mean] = mixture[i];
    exponents[i] = (mean[0] * (first - 0.5 * mean[0]) + mean[1] * (z - 0.5 * mean[1])) / (noise * noise);
    largest = std::max(largest, log_weight + exponents[i]);
    size = std::max(size, std::abs(exponents[i]));
  }
  double sum = 0.0;
  if (size < 0.5) {
    for (std::size_t i = 0; i < mixture.size(); ++i) {
      sum += std::exp(mixture[i].log_weight) * std::expm1(exponents[i]);
    }
    return std::log1p(sum);
  }
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    sum += std::exp(mixture[i].log_weight + exponents[i] - largest);
  }
  return largest + std::log(sum);
}

double tail(const Mixture& mixture, double first, double z, double noise) {
  double sum = 0.0;
  for (const auto& [log_weight, mean] : mixture) {
    const double distance = (first - mean[0]) / noise;
    sum += std::exp(log_weight - 0.5 * distance * distance) * numerics::normal_upper_tail((z - mean[1]) / noise);
  }
  return sum;
}

/// The tail from z upwards minus density(z) times the tail of N(0, noise^2) over its density: small where the means
/// are, without cancellation.
double tail_beyond_density(const Mixture& mixture, double first, double z, double noise) {
  double sum = 0.0;
  for (const auto& [log_weight, mean] : mixture) {
    const double distance = (first - mean[0]) / noise, x = (z - mean[1]) / noise;
    const double drop = mean[1] > 0.0   ? numerics::mills_drop(x, mean[1] / noise)
                        : mean[1] < 0.0 ? -numerics::mills_drop(z / noise, -mean[1] / noise)
                                        : 0.0;
    sum += std::exp(log_weight - 0.5 * distance * distance) * numerics::normal_density(x) * drop;
  }
  return sum;
}

}  // namespace

double few_steps_delta(const models::StrategyMatrix& strategy, double sampling_rate, double noise_multiplier,
                       MeanMultiples multiples, double epsilon) {
  check(sampling_rate, noise_multiplier, epsilon);
  require_domain(strategy.steps() <= 2, "steps", static_cast<double>(strategy.steps()), "[1, 2]");
  require_domain(multiples.first * multiples.second <= 0.0, "multiples", multiples.first * multiples.second,
                 "opposite signs");
  const double k = noise_multiplier;
  const bool mirrored = multiples.first < 0.0 || multiples.second > 0.0;
  const double sign = mirrored ? -1.0 : 1.0;  // P/Q rises with every coordinate of z
  const Mixture p = mixture(strategy, sampling_rate, sign * multiples.first);
  const Mixture q = mixture(strategy, sampling_rate, sign * multiples.second);
  double reach = 0.0, extent = 0.0;
  for (const auto* one : {&p, &q}) {
    for (const auto& component : *one) {
      reach = std::max(reach, std::abs(component.mean[1]));
      extent = std::max(extent, std::abs(component.mean[0]));
    }
  }
  // The integral over the last coordinate for a given first one: from where P = e^epsilon Q upwards.
  const auto inner = [&](double first) {
    const auto excess = [&](double z) { return log_ratio(p, first, z, k) - log_ratio(q, first, z, k) - epsilon; };
    double low = -reach - 40.0 * k, high = reach + 40.0 * k;
    if (excess(high) <= 0.0) {
      return 0.0;
    }
    const double z = excess(low) >= 0.0 ? low : numerics::root(excess, low, high).middle();
    if (z > low && std::abs(z) < 30.0 * k && reach < k) {  // there both densities are equal: what they share drops out
      return std::max(0.0,
                      tail_beyond_density(p, first, z, k) - std::exp(epsilon) * tail_beyond_density(q, first, z, k));
    }
    return std::max(0.0, tail(p, first, z, k) - std::exp(epsilon) * tail(q, first, z, k));
  };
  if (strategy.steps() == 1) {
    return inner(0.0);
  }
  const double end = extent + 38.0 * k;  // exp(-38^2/2) < 1e-313
  double width = 0.5 * k, previous = -1.0;
  constexpr double most_points = 1e6;  // of the first rule
  if (!(end < most_points * width)) {
    throw ConvergenceError("few_steps_delta: the noise is too small beside the means for the trapezoid rule");
  }
  for (int level = 0; level < 9; ++level, width *= 0.5) {
    numerics::CompensatedSum sum;
    const auto points = static_cast<std::int64_t>(std::ceil(end / width));
    for (std::int64_t i = -points; i <= points; ++i) {
      sum += inner(static_cast<double>(i) * width);
    }
    const double value = sum.value() * width / (k * std::sqrt(2.0 * std::numbers::pi));
    if (std::abs(value - previous) <= 1e-11 * value) {
      return value;
    }
    previous = value;
  }
  throw ConvergenceError("few_steps_delta: the trapezoid rule has not settled");
}

namespace {

/// Sums over multisets of order - 1 participation vectors, kept as their encoded sum.
class MultisetSum {
 public:
  MultisetSum(const models::StrategyMatrix& strategy, double rate, double noise, std::size_t copies)
      : steps_(strategy.steps()), rate_(rate), copies_(copies) {
    const double scale = 1.0 / (noise * noise);
    const auto absolute = strategy.absolute();
    gram_.assign(steps_ * steps_, 0.0);
    for (std::size_t u = 0; u < steps_; ++u) {
      std::vector<double> column(steps_, 0.0);
      column[u] = 1.0;
      absolute.multiply(column);
      absolute.multiply_transposed(column);
      for (std::size_t v = 0; v < steps_; ++v) {
        gram_[u * steps_ + v] = column[v] * scale;
      }
    }
    log_factorial_.assign(copies + 1, 0.0);
    numerics::CompensatedSum log_factorial;
    for (std::size_t i = 1; i <= copies; ++i) {
      log_factorial += std::log(static_cast<double>(i));
      log_factorial_[i] = log_factorial.value();
    }
  }

  /// log E exp(sum over i < j of <a^i, a^j>/kappa^2) over copies + 1 copies.
  Enclosure log_moment() {
    std::vector<double> field(steps_, 0.0);
    descend(0, copies_, log_factorial_[copies_], 0.0, field);
    // The rounding of weights and energies, doubled for what is of second order: the exponent of a weight is a sum over
    // at most `depth` different vectors of log factorials and of `steps` logarithms; energies are sums and products of
    // positive numbers, no more than 8 copies + 24 steps + 100 roundings deep (the conditions of expm1 and log1p
    // included). Elementary functions of the C library are taken to be within 2 units in the last place.
    constexpr double unit = 1.2e-16;
    const auto n = static_cast<double>(copies_), t = static_cast<double>(steps_);
    const double depth = std::min(n, std::exp2(t));
    const double weight =
        unit * ((depth + 16.0) * log_factorial_[copies_] + (t + depth + 8.0) * n * largest_log_chance_);
    const double energy = unit * (8.0 * n + 24.0 * t + 100.0);
    if (moderate_) {
      const double excess = excess_.value();
      const double relative = 2.0 * (weight + 3.2 * energy + 8.0 * unit);
      return clamp(outward({std::log1p(excess * (1.0 - relative)), std::log1p(excess * (1.0 + relative))}, 1e-15), 0.0,
                   infinity);
    }
    const double mean_energy = energies_ / sum_.value(), value = largest_ + std::log(sum_.value());
    const double summed = unit * (4.0 * rescaled_ + 8.0);
    return around(value, 2.0 * (weight + energy * mean_energy + summed + 8.0 * unit * (std::abs(value) + mean_energy)));
  }

 private:
  /// \param first   the multiset's next vector is at least this one. \param field  K times the sum of those chosen.
  /// \param energy  sum of their inner products.
  void descend(std::uint32_t first, std::size_t left, double log_weight, double energy,
               const std::vector<double>& field) {
    if (left == 0) {
      double excess = 0.0;            // of a product of factors over 1
      for (const double h : field) {  // the last copy: E exp(<field, y>)
        if (h <= 2.0 && excess < 1e100) {
          const double above = rate_ * std::expm1(h);
          excess += above + excess * above;
          continue;
        }
        energy += h > 30.0 ? h + std::log(rate_ + (1.0 - rate_) * std::exp(-h)) : std::log1p(rate_ * std::expm1(h));
      }
      add(log_weight, energy + std::log1p(excess));
      return;
    }
    for (std::uint32_t y = first; y < (std::uint32_t{1} << steps_); ++y) {
      double log_chance = 0.0, own = 0.0;
      std::vector<double> step(steps_, 0.0);
      for (std::size_t u = 0; u < steps_; ++u) {
        if (((y >> u) & 1U) == 0) {
          log_chance += std::log1p(-rate_);
          continue;
        }
        log_chance += std::log(rate_);
        for (std::size_t v = 0; v < steps_; ++v) {
          step[v] += gram_[u * steps_ + v];
        }
      }
      double with_field = 0.0;
      for (std::size_t u = 0; u < steps_; ++u) {
        if (((y >> u) & 1U) != 0) {
          own += step[u];
          with_field += field[u];
        }
      }
      if (log_chance == -infinity) {
        continue;
      }
      largest_log_chance_ = std::max(largest_log_chance_, -log_chance);
      // m copies of y: m(m-1)/2 pairs among themselves, m with those chosen before.
      std::vector<double> next = field;
      const bool last = y + 1 == (std::uint32_t{1} << steps_);  // takes all that are left
      for (std::size_t m = last ? left : 1; m <= left; ++m) {
        for (std::size_t v = 0; v < steps_; ++v) {
          next[v] += last ? static_cast<double>(left) * step[v] : step[v];
        }
        const auto count = static_cast<double>(m);
        const double weight = log_weight + count * log_chance - log_factorial_[m];
        const double products = energy + count * with_field + 0.5 * count * (count - 1.0) * own;
        if (m == left) {
          descend(y + 1, 0, weight, products, next);
        } else {
          descend(y + 1, left - m, weight, products, next);
        }
      }
    }
  }

  /// Near 0 all digits are in the excess over the sum of the weights, which is 1.
  void add(double log_weight, double energy) {
    constexpr double most_moderate = 3.0;
    moderate_ = moderate_ && energy <= most_moderate;
    if (moderate_) {
      excess_ += std::exp(log_weight) * std::expm1(energy);
    }
    const double log_term = log_weight + energy;
    if (log_term > largest_) {
      const double shrink = std::exp(largest_ - log_term);
      numerics::CompensatedSum sum;
      sum += sum_.value() * shrink;
      sum += 1.0;
      sum_ = sum;
      energies_ = energies_ * shrink + energy;
      largest_ = log_term;
      ++rescaled_;
    } else {
      const double term = std::exp(log_term - largest_);
      sum_ += term;
      energies_ += term * energy;
    }
  }

  std::size_t steps_;
  double rate_;
  std::size_t copies_;
  std::vector<double> gram_;  ///< |C|'|C|/kappa^2
  std::vector<double> log_factorial_;
  double largest_log_chance_ = 0.0;  ///< of one participation vector, absolute
  double largest_ = -infinity;
  numerics::CompensatedSum sum_;  ///< of the terms over the largest
  double energies_ = 0.0;         ///< of the terms over the largest times their energies
  double rescaled_ = 0.0;         ///< how often that sum was
  numerics::CompensatedSum excess_;
  bool moderate_ = true;
};

}  // namespace

namespace {

bool independent(const models::StrategyMatrix& strategy) {
  return strategy.form() == models::StrategyMatrix::Form::exponential &&
         (strategy.lambda() == 0.0 || strategy.steps() == 1);
}

}  // namespace

double enumerated_multisets(const models::StrategyMatrix& strategy, double order) {
  if (independent(strategy)) {
    return 0.0;
  }
  if (strategy.steps() > 30) {
    return infinity;
  }
  constexpr double enough = 1e12;
  const double vectors = std::exp2(static_cast<double>(strategy.steps()));
  double multisets = 1.0;
  for (double j = 1.0; j < order && multisets <= enough; ++j) {
    multisets *= (vectors + j - 1.0) / j;
  }
  return multisets;
}

Enclosure exact_renyi(const models::StrategyMatrix& strategy, double sampling_rate, double noise_multiplier,
                      double order) {
  check(sampling_rate, noise_multiplier, 0.0);
  require_domain(order >= 2.0 && order == std::floor(order) && order <= 1e7, "order", order,
                 "the integers from 2 to 10000000");
  if (independent(strategy)) {
    return independent_renyi(order, sampling_rate, noise_multiplier, static_cast<double>(strategy.steps()));
  }
  constexpr double most_multisets = 5e7;
  require_domain(enumerated_multisets(strategy, order) <= most_multisets, "order", order,
                 "orders with at most 5e7 multisets of participations");
  MultisetSum sum(strategy, sampling_rate, noise_multiplier, static_cast<std::size_t>(order) - 1);
  return clamp(outward(scale(sum.log_moment(), 1.0 / (order - 1.0)), 4e-16), 0.0, infinity);
}

}  // namespace dpcurves::correlated
