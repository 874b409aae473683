// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/quadrature/gauss.hpp>

#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/arc_cosine.hpp>
#include <dpcurves/numerics/special.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::bounds {
namespace {

bool is_whole(double x) { return std::isfinite(x) && x == std::floor(x); }

Tail from_log(double log) { return {std::exp(log), log}; }

// lgamma(n + 1) - (n + 1/2) log n + n - log(2 pi)/2, the error of Stirling's formula, for n >= 0.5.
double stirling_error(double n) {
  if (n < 16.0) {
    return std::lgamma(n + 1.0) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2.0 * std::numbers::pi);
  }
  const double s = 1.0 / (n * n);
  return (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / n;
}

// x log(x/mean) - (x - mean) >= 0, without cancellation where x is near the mean (Loader's saddle-point form). `excess`
// is x - mean, which the caller knows better than the rounded difference.
double deviance(double x, double mean, double excess) {
  const double v = excess / mean;
  return std::abs(v) < 0.5 ? mean * ((1.0 + v) * numerics::log1p_less_argument(v) + v * v)
                           : x * std::log(x / mean) - excess;
}

// log of the binomial probability of k, 0 <= k <= n, 0 < q < 1; real k between the ends interpolates.
double log_binomial(double n, double q, double k) {
  if (k == 0.0) {
    return n * std::log1p(-q);
  }
  if (k == n) {
    return n * std::log(q);
  }
  const double excess = std::fma(-n, q, k), rest = n - k;
  return stirling_error(n) - stirling_error(k) - stirling_error(rest) - deviance(k, n * q, excess) -
         deviance(rest, n * (1.0 - q), -excess) - 0.5 * std::log(2.0 * std::numbers::pi * k * (rest / n));
}

// sum over j >= 0 of P(k - j)/P(k) downwards, or P(k + j)/P(k) upwards: the side where the terms fall.
double relative_tail(double n, double q, double k, bool upwards) {
  const double odds = upwards ? q / (1.0 - q) : (1.0 - q) / q;
  const double room = upwards ? n - k : k, other = upwards ? k : n - k;
  const double ratio = room / (other + 1.0) * odds, decay = -std::log(ratio);
  // Terms fall by `decay` at first and like a normal density in any case: this many matter.
  const double terms = std::min(45.0 / std::max(decay, 1e-300), 10.0 * std::sqrt(n * q * (1.0 - q)));
  if (!(terms > 1e6)) {
    numerics::CompensatedSum sum;
    double term = 1.0;
    for (double j = 0.0; term > 1e-18 && j <= room; j += 1.0) {
      sum += term;
      term *= (room - j) / (other + j + 1.0) * odds;
    }
    return sum.value();
  }
  // Euler and Maclaurin: integral + f(0)/2 - f'(0)/12; the next term is below 1e-15 of the sum.
  const double at = log_binomial(n, q, k), sign = upwards ? 1.0 : -1.0, end = std::min(terms, room);
  double integral = 0.0;
  constexpr int panels = 16;
  for (int i = 0; i < panels; ++i) {
    integral += boost::math::quadrature::gauss<double, 20>::integrate(
        [&](double s) { return std::exp(log_binomial(n, q, k + sign * s) - at); }, i * (end / panels),
        (i + 1) * (end / panels));
  }
  return integral + 0.5 + decay / 12.0;
}

double log_gamma_q(double a, double x) {
  if (const double q = x > 1e300 ? 0.0 : numerics::gamma_above(a, x); x <= a + 1.0 || q > 1e-4) {
    return std::log(q);
  }
  // x^a exp(-x)/Gamma(a) times the continued fraction of the upper incomplete gamma function (Lentz).
  const double log_front =
      a * numerics::log1p_less_argument((x - a) / a) - stirling_error(a) + 0.5 * std::log(a / (2.0 * std::numbers::pi));
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
  for (double i = 1.0; i < 1e8; i += 1.0) {
    const double numerator = -i * (i - a);
    b += 2.0;
    d = 1.0 / (numerator * d + b);
    c = b + numerator / c;
    h *= c * d;
    if (std::abs(c * d - 1.0) < 2e-16) {
      break;
    }
  }
  return log_front + std::log(h);
}

}  // namespace

Tail binomial_lower_tail(double trials, double rate, double count) {
  require_domain(trials >= 0.0 && is_whole(trials), "trials", trials, "whole numbers in [0, inf)");
  require_domain(rate >= 0.0 && rate <= 1.0, "rate", rate, "[0, 1]");
  require_domain(is_whole(count), "count", count, "whole numbers");
  if (count < 0.0 || (rate == 1.0 && count < trials)) {
    return {0.0, -infinity};
  }
  if (count >= trials || rate == 0.0) {
    return {1.0, 0.0};
  }
  if (std::fma(trials, rate, -count) >= 0.0) {
    return from_log(
        std::min(0.0, log_binomial(trials, rate, count) + std::log(relative_tail(trials, rate, count, false))));
  }
  const double above =
      log_binomial(trials, rate, count + 1.0) + std::log(relative_tail(trials, rate, count + 1.0, true));
  return from_log(std::log1p(-std::min(1.0, std::exp(above))));
}

BatchTail batch_tail(double records, double rate, double shortfall, double steps) {
  require_domain(records >= 1.0 && is_whole(records), "records", records, "whole numbers in [1, inf)");
  require_domain(rate > 0.0 && rate <= 1.0, "rate", rate, "(0, 1]");
  require_domain(shortfall >= 0.0 && shortfall <= 1.0, "shortfall", shortfall, "[0, 1]");
  require_domain(steps >= 1.0 && is_whole(steps), "steps", steps, "whole numbers in [1, inf)");
  BatchTail tail;
  tail.count = std::floor((1.0 - shortfall) * rate * records + 1e-9);
  tail.single = binomial_lower_tail(records, rate, tail.count);
  // 1 - (1 - p)^T = -expm1(-T m), m = -log(1 - p), by the logarithm of T m.
  const double log_m = tail.single.probability < 1e-9 ? tail.single.log + 0.5 * tail.single.probability
                                                      : std::log(-std::log1p(-tail.single.probability));
  const double log_tm = std::log(steps) + log_m;
  tail.any = from_log(log_tm < -40.0 ? log_tm : numerics::log1m_exp(-std::exp(log_tm)));
  tail.log_chernoff = -0.5 * shortfall * shortfall * rate * records;
  return tail;
}

NormTail norm_tail(double dimension, double deviation, double threshold) {
  require_domain(dimension >= 1.0 && is_whole(dimension), "dimension", dimension, "whole numbers in [1, inf)");
  require_domain(deviation > 0.0 && std::isfinite(deviation), "deviation", deviation, "(0, inf)");
  require_domain(threshold > 0.0 && std::isfinite(threshold), "threshold", threshold, "(0, inf)");
  const double ratio = threshold / deviation, log_2 = std::numbers::ln2;
  NormTail tail{.log_bound = log_2 - 0.5 * ratio * (ratio / dimension),
                .log_printed = log_2 - 0.5 * (ratio / deviation) / dimension};
  const double x = 0.5 * ratio * ratio;
  tail.exact = std::isfinite(x) ? from_log(log_gamma_q(0.5 * dimension, x)) : Tail{0.0, -infinity};
  return tail;
}

double initial_output_bound(double hidden, double records, double failure) {
  require_domain(hidden >= 0.0 && std::isfinite(hidden), "hidden", hidden, "[0, inf)");
  require_domain(records >= 1.0 && std::isfinite(records), "records", records, "[1, inf)");
  require_domain(failure > 0.0 && failure < 1.0, "failure", failure, "(0, 1)");
  return hidden * std::sqrt(2.0 * (std::log(2.0 * records) - std::log(failure)));
}

double loss_change(double slope, double radius, double width, double depth) {
  require_domain(slope >= 0.0 && std::isfinite(slope), "slope", slope, "[0, inf)");
  require_domain(radius >= 0.0 && std::isfinite(radius), "radius", radius, "[0, inf)");
  require_domain(width >= 1.0 && std::isfinite(width), "width", width, "[1, inf)");
  require_domain(depth >= 2.0 && std::isfinite(depth), "depth", depth, "[2, inf)");
  return slope * radius * std::sqrt(width) * ((depth - 1.0) * std::numbers::sqrt2 / 2.0 + 1.0);
}

double noise_energy(double deviation, double width, double depth, double inputs) {
  require_domain(deviation >= 0.0 && std::isfinite(deviation), "deviation", deviation, "[0, inf)");
  return deviation * deviation * models::initial_moments(width, depth, inputs).parameters;
}

}  // namespace dpcurves::bounds
