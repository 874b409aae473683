// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::correlated {
namespace {

void require_rate(double rate) { require_domain(rate > 0.0 && rate <= 1.0, "sampling_rate", rate, "(0, 1]"); }
void require_noise(double noise) {
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
}
void require_steps(double steps) {
  require_domain(steps >= 1.0 && steps <= 1e15 && steps == std::floor(steps), "steps", steps,
                 "the whole numbers in [1, 1e15]");
}

/// The square root in the noise multiplier with constant 1, times gain.
double numerator(const ClosedFormAnswer& answer, double delta) {
  return answer.gain * std::sqrt(answer.participations * std::log(2.5 / delta));
}

}  // namespace

ClosedFormAnswer closed_form(const ClosedForm& setting) {
  require_domain(setting.lambda >= 0.0 && setting.lambda < 1.0, "lambda", setting.lambda, "[0, 1)");
  require_rate(setting.sampling_rate);
  require_steps(setting.steps);
  require_domain(setting.epsilon > 0.0 && setting.epsilon <= 1.0, "epsilon", setting.epsilon, "(0, 1]");
  require_domain(setting.delta > 0.0 && setting.delta <= 1.0, "delta", setting.delta, "(0, 1]");
  ClosedFormAnswer answer;
  const double log_term = std::numbers::ln2 - std::log(setting.delta);
  answer.expected_participations = setting.sampling_rate * setting.steps;
  answer.required_participations = 3.0 * log_term;
  answer.valid = answer.expected_participations >= answer.required_participations;
  answer.gain = gain(setting.lambda, setting.steps);
  answer.participations = answer.expected_participations + std::sqrt(3.0 * answer.expected_participations * log_term);
  const double unit = numerator(answer, setting.delta) / setting.epsilon;
  answer.noise_multiplier = std::sqrt(replacement_constant) * unit;
  answer.noise_multiplier_constant_2 = std::sqrt(zero_out_constant) * unit;
  return answer;
}

std::optional<double> closed_form_epsilon(const ClosedForm& setting, double noise_multiplier, double constant) {
  require_noise(noise_multiplier);
  ClosedForm unit = setting;
  unit.epsilon = 1.0;
  const auto answer = closed_form(unit);
  const double epsilon = std::sqrt(constant) * numerator(answer, setting.delta) / noise_multiplier * (1.0 + 1e-13);
  return answer.valid && epsilon <= 1.0 ? std::optional(epsilon) : std::nullopt;
}

double fixed_size_rdp(double sampling_rate, double order, double noise_multiplier) {
  require_rate(sampling_rate);
  require_noise(noise_multiplier);
  require_domain(order >= 2.0 && order <= 1e7 && order == std::floor(order), "order", order,
                 "the integers from 2 to 10000000");
  using Real = long double;
  // With v = 4/kappa^2: log moment = log(1 + r^2 C(a,2) min{4(e^v - 1), 2 e^v} + 2 sum_{j>=3} r^j C(a,j)
  // e^{j(j-1)v/2}).
  const Real v = Real(4) / (Real(noise_multiplier) * Real(noise_multiplier)), a = order, q = sampling_rate;
  const Real log_pairs = 2 * std::log(q) + std::log(a * (a - 1) / 2);
  Real largest =
      log_pairs + (v < std::numbers::ln2_v<Real> ? std::log(4 * std::expm1(v)) : v + std::numbers::ln2_v<Real>);
  Real scaled = 1;  // sum of the terms over e^largest, rescaled as they grow
  Real log_term = log_pairs + v + std::numbers::ln2_v<Real>;
  constexpr Real negligible = 60;  // log of 1e26
  for (Real j = 3; j <= a; ++j) {
    if (log_term < largest - negligible && std::log(q * (a - j + 1) / j) + (a - 1) * v < -1) {
      break;  // every later term is less than half the one before
    }
    log_term += std::log(q * (a - j + 1) / j) + (j - 1) * v;
    if (log_term > largest) {
      scaled = scaled * std::exp(largest - log_term) + 1;
      largest = log_term;
    } else {
      scaled += std::exp(log_term - largest);
    }
  }
  const Real log_sum = largest + std::log(scaled);
  const Real log_moment = log_sum > 40 ? log_sum + std::log1p(std::exp(-log_sum)) : std::log1p(std::exp(log_sum));
  return static_cast<double>(log_moment / (a - 1));
}

double printed_fixed_size_rdp(double sampling_rate, double order, double noise_multiplier) {
  require_rate(sampling_rate);
  require_noise(noise_multiplier);
  const double ratio = sampling_rate / noise_multiplier;
  return 8.0 * order * ratio * ratio;
}

RdpEpsilon fixed_size_rdp_epsilon(double sampling_rate, double steps, double noise_multiplier, double delta) {
  require_steps(steps);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const double log_delta = -std::log(delta);
  const auto epsilon = [&](double order) {
    return steps * fixed_size_rdp(sampling_rate, order, noise_multiplier) + log_delta / (order - 1.0);
  };
  // (a - 1) D_a is convex in a for a divergence; for this bound it is nearly so. Doubling brackets the minimum, then
  // the integers inside are searched by sections and the neighbours of the best one by one.
  double best_order = 2.0, best = epsilon(2.0), upper = 4.0;
  for (; upper <= 524288.0; upper *= 2.0) {
    const double value = epsilon(upper);
    if (value < best) {
      best = value;
      best_order = upper;
    } else if (upper > 4.0 * best_order) {
      break;
    }
  }
  double lower = std::max(2.0, best_order / 2.0);
  upper = std::min(upper, best_order * 2.0);
  while (upper - lower > 8.0) {
    const double left = std::floor(lower + (upper - lower) / 3.0), right = std::floor(upper - (upper - lower) / 3.0);
    if (epsilon(left) <= epsilon(right)) {
      upper = right;
    } else {
      lower = left;
    }
  }
  for (double order = lower; order <= upper; ++order) {
    if (const double value = epsilon(order); value < best || (value == best && order < best_order)) {
      best = value;
      best_order = order;
    }
  }
  return {best, best_order};
}

IndependentNoise independent_noise(double sampling_rate, double steps, double epsilon, double delta) {
  require_rate(sampling_rate);
  require_steps(steps);
  require_domain(epsilon > 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "(0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const double log_delta = -std::log(delta), square = sampling_rate * sampling_rate * steps;
  IndependentNoise answer{
      .noise_multiplier = std::sqrt(16.0 * square / epsilon + 32.0 * square * log_delta / (epsilon * epsilon)),
      .order = 1.0 + 2.0 * log_delta / epsilon};
  answer.order_ceiling = std::max(2.0, std::ceil(answer.order));
  answer.rdp = fixed_size_rdp(sampling_rate, answer.order_ceiling, answer.noise_multiplier);
  answer.epsilon = steps * answer.rdp + log_delta / (answer.order_ceiling - 1.0);
  answer.best = fixed_size_rdp_epsilon(sampling_rate, steps, answer.noise_multiplier, delta);
  answer.certified_at_order = answer.epsilon <= epsilon;
  answer.certified = answer.best.epsilon <= epsilon;
  return answer;
}

GaussianRdp gaussian_rdp(double order, double sensitivity, double deviation, double delta) {
  require_domain(order > 1.0 && std::isfinite(order), "order", order, "(1, inf)");
  require_domain(sensitivity >= 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "[0, inf)");
  require_domain(deviation > 0.0 && std::isfinite(deviation), "deviation", deviation, "(0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const double ratio = sensitivity / deviation;
  GaussianRdp answer;
  answer.rdp = 0.5 * order * ratio * ratio;
  answer.epsilon = answer.rdp - std::log(delta) / (order - 1.0);
  answer.tighter_epsilon = answer.rdp + std::log1p(-1.0 / order) - (std::log(delta) + std::log(order)) / (order - 1.0);
  return answer;
}

}  // namespace dpcurves::correlated
