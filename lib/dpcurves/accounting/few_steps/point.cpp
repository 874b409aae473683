// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/few_steps/point.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double closed_form_accuracy = 2e-12;
constexpr double tiny = std::numeric_limits<double>::min();

// exp(log_scale) times a Scaled, between safe ends.
Enclosure unscale(const Scaled& scaled, double log_scale, double log_error) {
  if (!std::isfinite(scaled.value) || !(scaled.error >= 0.0) || !std::isfinite(log_scale) || !(log_error >= 0.0)) {
    return {0.0, std::numeric_limits<double>::infinity()};
  }
  const auto end = [&](double value, double side) {
    if (!(value > 0.0)) {
      return 0.0;
    }
    const double exponent = log_scale + std::log(value);
    const double slack = log_error + 4.5e-16 * (std::abs(log_scale) + std::abs(std::log(value)) + 4.0);
    if (exponent > 1.0) {
      return side < 0.0 ? 1.0 : std::numeric_limits<double>::infinity();
    }
    const double result = std::exp(exponent) * (1.0 + side * std::expm1(slack));
    if (result < tiny) {
      return side < 0.0 ? 0.0 : tiny;
    }
    return result;
  };
  return {std::max(0.0, end(scaled.value - scaled.error, -1.0)), std::max(tiny, end(scaled.value + scaled.error, 1.0))};
}

}  // namespace

Enclosure complement(const Enclosure& a) { return clamp({next_down(1.0 - a.upper), next_up(1.0 - a.lower)}, 0.0, 1.0); }

Point meet(const Point& a, const Point& b) {
  Point point = a.log_width <= b.log_width ? a : b;
  point.delta = intersection(a.delta, b.delta);
  point.one_minus_delta = intersection(a.one_minus_delta, b.one_minus_delta);
  point.type_one_error = intersection(a.type_one_error, b.type_one_error);
  point.power = intersection(a.power, b.power);
  point.type_two_error = intersection(a.type_two_error, b.type_two_error);
  return point;
}

Point mirrored(const Point& point, double epsilon) {
  // At -epsilon: alpha' = beta, beta' = alpha, 1 - delta' = e^{-epsilon} (1 - delta).
  Point other = point;
  other.type_one_error = point.type_two_error;
  other.type_two_error = point.type_one_error;
  other.power = complement(point.type_one_error);
  other.one_minus_delta = clamp(outward(scale(point.one_minus_delta, std::exp(-epsilon)), 1e-15), 0.0, 1.0);
  // delta' = (1 - e^{-epsilon}) + e^{-epsilon} delta: both terms are nonnegative.
  const double first = -std::expm1(-epsilon);
  other.delta = clamp(
      outward({first + std::exp(-epsilon) * point.delta.lower, first + std::exp(-epsilon) * point.delta.upper}, 1e-15),
      0.0, 1.0);
  return other;
}

Point point_of(const Transform& transform, const ContourValues& values, double c, double epsilon, bool expanded,
               const char* method) {
  Point point;
  point.method = method;
  const Enclosure first = unscale(values.first, values.log_scale, values.log_error);
  const Enclosure second = unscale(values.second, values.log_scale, values.log_error);
  Enclosure third = unscale(values.third, values.log_scale - epsilon, values.log_error + 4.5e-16 * epsilon);
  point.log_delta = values.log_scale + std::log(std::max(values.first.value, tiny));
  point.log_width = values.first.value > 0.0 && values.first.error >= 0.0
                        ? values.first.error / values.first.value + values.log_error
                        : std::numeric_limits<double>::infinity();
  point.slope = values.third.value / std::max(values.first.value, tiny);
  point.density = std::exp(std::min(values.log_scale - epsilon + std::log(std::max(values.density, tiny)), 0.0));
  if (c < 0.0) {
    point.one_minus_delta = clamp(first, 0.0, 1.0);
    point.delta = complement(point.one_minus_delta);
    point.type_two_error = clamp(second, 0.0, 1.0);
    point.power = complement(point.type_two_error);
    point.log_delta = std::log(std::max(point.delta.middle(), tiny));
    point.log_width = point.delta.relative_width();
    point.slope = std::exp(epsilon) * third.middle() / std::max(point.delta.middle(), tiny);
  } else {
    Enclosure delta = first;
    Enclosure power = second;
    if (expanded) {
      double closed[3] = {};
      for (const Part& part : transform.parts()) {
        const HalfLaw& half = part.law.right();
        const double at = half.inverse(epsilon);
        const double factor = part.count * std::exp(transform.log_atom() - part.law.log_atom());
        closed[0] += factor * half.delta(epsilon);
        closed[1] += factor * half.alternative_beyond(at);
        closed[2] += factor * half.null_beyond(at);
      }
      const double slack = closed_form_accuracy + 1e-15 * std::abs(transform.log_atom());
      delta = delta + outward(exactly(closed[0]), slack);
      power = power + outward(exactly(closed[1]), slack);
      third = third + outward(exactly(closed[2]), slack);
      point.log_delta = std::log(std::max(delta.middle(), tiny));
      point.log_width = delta.relative_width();
      point.slope = std::exp(epsilon) * third.middle() / std::max(delta.middle(), tiny);
    }
    point.delta = clamp(delta, 0.0, 1.0);
    point.one_minus_delta = complement(point.delta);
    point.power = clamp(power, 0.0, 1.0);
    point.type_two_error = complement(point.power);
  }
  point.type_one_error = clamp(third, 0.0, 1.0);
  if (const double lost = transform.lost(); lost > 0.0) {
    for (Enclosure* each :
         {&point.delta, &point.one_minus_delta, &point.power, &point.type_two_error, &point.type_one_error}) {
      *each = clamp({next_down(each->lower - lost), next_up(each->upper + lost)}, 0.0, 1.0);
    }
    point.log_width += 2.0 * lost * std::exp(-point.log_delta);
  }
  return point;
}

void estimate_from_ends(Point& point, double epsilon) {
  const double delta = std::max(point.delta.middle(), tiny);
  point.log_delta = std::log(delta);
  point.log_width = point.delta.relative_width();
  point.slope = std::exp(std::min(epsilon, 700.0)) * point.type_one_error.middle() / delta;
  point.density = point.type_one_error.middle();
}

bool has_closed_form(const Transform& transform) {
  return transform.parts().empty() ||
         (transform.gaussian_mu() == 0.0 && transform.parts().size() == 1 && transform.parts()[0].count == 1.0);
}

Point closed_form(const Transform& transform, double epsilon) {
  Point point;
  point.method = "closed form";
  const double mu = transform.gaussian_mu();
  const double slack = 1e-12;
  const auto around_value = [slack](double value) {
    return clamp({value * (1.0 - slack) - tiny, value * (1.0 + slack) + tiny}, 0.0, 1.0);
  };
  if (transform.parts().empty()) {
    if (mu == 0.0) {  // the two laws are equal: loss 0 always
      point.delta = point.type_one_error = point.power = exactly(0.0);
      point.one_minus_delta = point.type_two_error = exactly(1.0);
      estimate_from_ends(point, epsilon);
      return point;
    }
    const double u = epsilon / mu - 0.5 * mu;
    point.delta = around_value(tradeoff::delta_of_epsilon(epsilon, mu));
    point.one_minus_delta = around_value(tradeoff::one_minus_delta_of_epsilon(epsilon, mu));
    // The threshold in units of the observation is rounded: u carries 2^-53 of epsilon/mu and of mu/2.
    const double shift = 3e-16 * (epsilon / mu + mu);
    point.power = clamp(
        outward({numerics::normal_upper_tail(u + shift), numerics::normal_upper_tail(u - shift)}, slack), 0.0, 1.0);
    point.type_two_error =
        clamp(outward({numerics::normal_cdf(u - shift), numerics::normal_cdf(u + shift)}, slack), 0.0, 1.0);
    const double v = epsilon / mu + 0.5 * mu;
    point.type_one_error = clamp(
        outward({numerics::normal_upper_tail(v + shift), numerics::normal_upper_tail(v - shift)}, slack), 0.0, 1.0);
    estimate_from_ends(point, epsilon);
    point.density = numerics::normal_density(v) / mu;
    return point;
  }
  const HalfLaw& half = transform.parts().front().law.right();
  const double at = half.inverse(epsilon);
  const double wide = closed_form_accuracy;
  const auto widened = [wide](double value) {
    return clamp({value * (1.0 - wide) - tiny, value * (1.0 + wide) + tiny}, 0.0, 1.0);
  };
  point.delta = widened(half.delta(epsilon));
  point.one_minus_delta = complement(point.delta);
  point.power = widened(half.alternative_beyond(at));
  point.type_two_error = complement(point.power);
  point.type_one_error = widened(half.null_beyond(at));
  estimate_from_ends(point, epsilon);
  return point;
}

Point certain_bounds(const Transform& transform, double epsilon) {
  // For c > 0, exp(K(c) - c epsilon) bounds the power, with the factor c^c / (1 + c)^{1 + c} delta, with e^-epsilon the
  // type I error; for -1 < c < 0 it bounds 1 - delta and the type II error.
  double log_delta = 0.0;
  double log_power = 0.0;
  double log_miss = 0.0;
  for (const auto& [c, k] : transform.known()) {
    const double exponent = k.value + k.error - c * epsilon + 4.5e-16 * (std::abs(k.value) + std::abs(c) * epsilon);
    if (c > 0.0) {
      log_power = std::min(log_power, exponent);
      log_delta = std::min(log_delta, exponent + c * std::log(c) - (1.0 + c) * std::log1p(c));
    } else if (c < 0.0) {
      log_miss = std::min(log_miss, exponent);
    }
  }
  const auto raised = [](double log_value) {
    return std::clamp(std::exp(log_value) * (1.0 + 1e-12 - 1e-15 * log_value), tiny, 1.0);
  };
  const double g = transform.gaussian_mu();
  double variations = 0.0;  // sum of the parts' total variations
  double square = g * g;    // C_p(G(mu)) is more private than G(mu)
  double above = 0.0;
  double single = 0.0;
  if (g > 0.0) {
    variations = std::erf(0.5 * g / std::numbers::sqrt2);
    above = std::max(0.0, tradeoff::delta_of_epsilon(epsilon, g) * (1.0 - 2e-12) - tiny);
  }
  const double log_atom = transform.log_atom();
  for (const Part& part : transform.parts()) {
    const double width = part.law.separation();
    const double one = part.law.right().delta_from_below(epsilon) * (1.0 - closed_form_accuracy);
    variations += part.count * part.law.sampling_rate() * std::erf(0.5 * width / std::numbers::sqrt2);
    square += part.count * width * width;
    above = std::max(above, one);
    if (std::isfinite(log_atom)) {
      single += one * part.count * std::exp(log_atom - part.law.log_atom() - 1e-14 * (1.0 + std::abs(log_atom)));
    }
  }
  if (g == 0.0) {
    above = std::max(above, single);
  }
  if (epsilon >= transform.largest() * (1.0 + 1e-14)) {  // the losses are bounded
    Point none;
    none.method = "largest loss";
    none.delta = none.type_one_error = none.power = exactly(0.0);
    none.one_minus_delta = none.type_two_error = exactly(1.0);
    estimate_from_ends(none, epsilon);
    return none;
  }
  const double mu_total = std::sqrt(square) * (1.0 + 1e-14);
  const double lost = transform.lost();
  Point point;
  point.method = "Chernoff bound";
  point.delta.upper = std::min({raised(log_delta) + lost, variations * (1.0 + 1e-12), 1.0});
  if (std::isfinite(mu_total)) {
    const double all_gaussian = tradeoff::delta_of_epsilon(epsilon, mu_total) * (1.0 + 1e-10);
    point.delta.upper = std::min(point.delta.upper, std::max(all_gaussian, tiny));
  }
  const double miss = std::min(1.0, raised(log_miss) + lost);
  point.delta.lower = std::clamp(std::max(next_down(1.0 - miss), above - tiny), 0.0, point.delta.upper);
  point.one_minus_delta = intersection(complement(point.delta), {0.0, miss});
  point.power = {point.delta.lower, std::min(1.0, raised(log_power) + lost)};
  point.type_two_error = intersection(complement(point.power), {0.0, miss});
  // power = delta + e^epsilon alpha <= 1; of a symmetric pair alpha is at most the type II error besides.
  const double most = std::exp(-epsilon) * (1.0 - point.delta.lower);
  point.type_one_error = {0.0, std::min(raised(log_power - epsilon) + lost,
                                        next_up(transform.symmetric() ? std::min(most, 0.5 * (1.0 - point.delta.lower))
                                                                      : most * (1.0 + 1e-15)))};
  estimate_from_ends(point, epsilon);
  return point;
}

Enclosure certain_epsilon(const Transform& transform, double delta) {
  const double wanted = std::log(std::max(delta - transform.lost(), 0.0));
  double upper = std::numeric_limits<double>::infinity();
  double square = transform.gaussian_mu() * transform.gaussian_mu();
  double lower = 0.0;
  if (transform.gaussian_mu() > 0.0) {
    lower = tradeoff::epsilon_of_delta(delta, transform.gaussian_mu()) * (1.0 - 1e-10);
  }
  for (const Part& part : transform.parts()) {
    square += part.count * part.law.separation() * part.law.separation();
    lower = std::max(lower, part.law.right().epsilon_from_below(delta) * (1.0 - 1e-10));
  }
  if (std::isfinite(square)) {
    upper = tradeoff::epsilon_of_delta(delta, std::sqrt(square)) * (1.0 + 1e-10) + 1e-14 * square;
  }
  upper = std::min(upper, transform.largest() * (1.0 + 1e-14));
  for (const auto& [c, k] : transform.known()) {
    if (c > 0.0) {
      const double top = k.value + k.error + c * std::log(c) - (1.0 + c) * std::log1p(c) - wanted;
      upper = std::min(upper, std::max(0.0, top + 1e-15 * (std::abs(k.value) - wanted + 1.0)) / c * (1.0 + 1e-15));
    }
  }
  return {std::min(lower, upper), upper};
}

}  // namespace dpcurves::accounting::detail
