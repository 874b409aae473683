// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>
#include <dpcurves/tradeoff/detail/newton.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

namespace dpcurves::tradeoff {
namespace {

using numerics::normal_cdf;
using numerics::normal_density;
using numerics::normal_upper_quantile;
using numerics::normal_upper_tail;
using rigorous::Real;

void check(double sampling_rate, double mu) {
  require_domain(sampling_rate >= 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "[0, 1]");
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
}

void check_point(double type_one_error, double sampling_rate, double mu) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  check(sampling_rate, mu);
}

// log((exp(epsilon) - (1 - p)) / p) for epsilon >= 0: the loss of the unsampled pair where the sampled one has epsilon.
double unsampled_loss(double epsilon, double p) {
  const double excess = std::expm1(epsilon) / p;
  if (excess < 1e15) {
    return std::log1p(excess);
  }
  return epsilon + std::log(-std::expm1(-epsilon) + p * std::exp(-epsilon)) - std::log(p);
}

// The b in [0, x*] with p power(b) + (1 - p) b = complement, where f_p(b) = 1 - complement = value. The threshold x of
// the test, b = Phi(-x), is found from whichever of the two is below one half; both are sums of positive terms.
double inverse_of_mixture(double value, double complement, double p, double mu) {
  const bool by_complement = complement <= 0.5;
  const double sign = by_complement ? 1.0 : -1.0;
  const double target = by_complement ? complement : value;
  const auto errors = [&](double x) {
    return p * normal_upper_tail(sign * (x - mu)) + (1.0 - p) * normal_upper_tail(sign * x);
  };
  const auto excess = [&](double x) {
    const double at = errors(x);
    const double density = p * normal_density(x - mu) + (1.0 - p) * normal_density(x);
    return ValueAndSlope{std::log(at / target), -sign * density / at};
  };
  // p power(b) <= complement and the unsampled power at complement bound the threshold from both sides.
  const double quantile = by_complement ? normal_upper_quantile(complement) : -normal_upper_quantile(value);
  const double lower = std::max(0.5 * mu, quantile) * (1.0 - 1e-14) - 1e-14;
  const double upper = (mu + quantile) * (1.0 + 1e-14) + 1e-14;
  if (!(lower < upper)) {
    return normal_upper_tail(lower);
  }
  const double x = newton_in_bracket(excess, lower, upper, 0.5 * (lower + upper), !by_complement);
  // The threshold is rounded; its residual goes into the tail, whose logarithm has slope -1/R.
  const ValueAndSlope residual = excess(x);
  const double shift = -residual.value / residual.slope;
  const double b = normal_upper_tail(x);
  return std::abs(shift) < 1e-6 ? b * (1.0 - shift / numerics::mills_ratio(x)) : b;
}

// The profile for epsilon >= 0.
double delta_right(double epsilon, double p, double mu) {
  return p == 0.0 ? 0.0 : p * delta_of_epsilon(unsampled_loss(epsilon, p), mu);
}

}  // namespace

double subsampled_gaussian(double type_one_error, double sampling_rate, double mu) {
  check_point(type_one_error, sampling_rate, mu);
  const double p = sampling_rate;
  if (p == 0.0 || mu == 0.0) {
    return 1.0 - type_one_error;
  }
  if (p == 1.0) {
    return gaussian(type_one_error, mu);
  }
  const double below = normal_upper_tail(0.5 * mu), above = normal_cdf(0.5 * mu);
  if (type_one_error <= below) {
    return p * gaussian(type_one_error, mu) + (1.0 - p) * (1.0 - type_one_error);
  }
  const double end = p * below + (1.0 - p) * above;
  if (type_one_error <= end) {
    return below + (end - type_one_error);
  }
  return type_one_error == 1.0 ? 0.0 : inverse_of_mixture(type_one_error, 1.0 - type_one_error, p, mu);
}

double subsampled_gaussian_power(double type_one_error, double sampling_rate, double mu) {
  check_point(type_one_error, sampling_rate, mu);
  const double p = sampling_rate;
  const double below = normal_upper_tail(0.5 * mu);
  if (p == 1.0 || (p > 0.0 && mu > 0.0 && type_one_error <= below)) {
    return p * gaussian_power(type_one_error, mu) + (1.0 - p) * type_one_error;
  }
  // Past x* the power is at least p Phi(mu/2): nothing is lost unless p is tiny, and then type_one_error carries it.
  if (p == 0.0 || mu == 0.0) {
    return type_one_error;
  }
  const double above = normal_cdf(0.5 * mu);
  if (type_one_error <= p * below + (1.0 - p) * above) {
    return type_one_error + p * numerics::normal_central_mass(0.5 * mu);
  }
  return 1.0 - subsampled_gaussian(type_one_error, p, mu);
}

double subsampled_gaussian_delta(double epsilon, double sampling_rate, double mu) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  check(sampling_rate, mu);
  if (std::isinf(epsilon)) {
    return epsilon > 0.0 ? 0.0 : 1.0;
  }
  if (epsilon < 0.0) {
    return -std::expm1(epsilon) + std::exp(epsilon) * delta_right(-epsilon, sampling_rate, mu);
  }
  return delta_right(epsilon, sampling_rate, mu);
}

Enclosure subsampled_gaussian_delta_enclosure(double epsilon, double sampling_rate, double mu) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  check(sampling_rate, mu);
  if (std::isinf(epsilon)) {
    return exactly(epsilon > 0.0 ? 0.0 : 1.0);
  }
  const Real p(sampling_rate), width(mu), e(std::abs(epsilon));
  const bool none = sampling_rate == 0.0 || mu == 0.0;
  if (none && epsilon >= 0.0) {
    return exactly(0.0);
  }
  const auto delta = [&]() -> Real {
    Real right;
    if (!none) {
      // log((exp(epsilon) - (1 - p)) / p), which neither cancels nor overflows.
      const Real loss = e < Real(1) ? log1p(expm1(e) / p) : e + log1p((p - Real(1)) * exp(-e)) - log(p);
      right = p * detail::delta_ball(loss, width);
    }
    return epsilon < 0.0 ? exp(-e) * right - expm1(-e) : right;
  };
  const double loss = none ? 0.0 : std::abs(unsampled_loss(std::abs(epsilon), sampling_rate));
  return clamp(rigorous::refined(delta, detail::delta_bits(loss, std::max(mu, 1e-300))).enclosure(), 0.0, 1.0);
}

double privacy_loss_atom(double sampling_rate, double mu) {
  check(sampling_rate, mu);
  if (sampling_rate == 0.0 || mu == 0.0) {
    return 1.0;  // no loss at all
  }
  return (1.0 - sampling_rate) * numerics::normal_central_mass(0.5 * mu);
}

double privacy_loss_cdf(double loss, double sampling_rate, double mu) {
  require_domain(!std::isnan(loss), "loss", loss, "[-inf, inf]");
  check(sampling_rate, mu);
  const double p = sampling_rate;
  if (p == 0.0 || mu == 0.0 || std::isinf(loss)) {
    return loss >= 0.0 ? 1.0 : 0.0;
  }
  const double unsampled = unsampled_loss(std::abs(loss), p) / mu;
  if (loss < 0.0) {
    return normal_upper_tail(unsampled + 0.5 * mu);
  }
  return p * normal_cdf(unsampled - 0.5 * mu) + (1.0 - p) * normal_cdf(unsampled + 0.5 * mu);
}

double privacy_loss_upper_tail(double loss, double sampling_rate, double mu) {
  require_domain(!std::isnan(loss), "loss", loss, "[-inf, inf]");
  check(sampling_rate, mu);
  const double p = sampling_rate;
  if (p == 0.0 || mu == 0.0 || std::isinf(loss)) {
    return loss >= 0.0 ? 0.0 : 1.0;
  }
  const double unsampled = unsampled_loss(std::abs(loss), p) / mu;
  if (loss < 0.0) {
    return normal_cdf(unsampled + 0.5 * mu);
  }
  return p * normal_upper_tail(unsampled - 0.5 * mu) + (1.0 - p) * normal_upper_tail(unsampled + 0.5 * mu);
}

double one_sided_subsampled_gaussian(double type_one_error, double sampling_rate, double mu) {
  check_point(type_one_error, sampling_rate, mu);
  return sampling_rate * gaussian(type_one_error, mu) + (1.0 - sampling_rate) * (1.0 - type_one_error);
}

double one_sided_delta_of_adding(double epsilon, double sampling_rate, double mu) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  check(sampling_rate, mu);
  if (std::isinf(epsilon)) {
    return epsilon > 0.0 ? 0.0 : 1.0;
  }
  if (epsilon >= 0.0) {
    return delta_right(epsilon, sampling_rate, mu);
  }
  // The mixture is at least (1 - p) times N(0, 1) everywhere, so below log(1 - p) the positive part is everything.
  const double ratio = std::expm1(epsilon) / sampling_rate;
  if (sampling_rate == 0.0 || ratio <= -1.0) {
    return -std::expm1(epsilon);
  }
  return sampling_rate * delta_of_epsilon(std::log1p(ratio), mu);
}

double one_sided_delta_of_removing(double epsilon, double sampling_rate, double mu) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  check(sampling_rate, mu);
  const double p = sampling_rate;
  if (std::isinf(epsilon)) {
    return epsilon > 0.0 ? 0.0 : 1.0;
  }
  if (epsilon <= 0.0) {
    return -std::expm1(epsilon) + std::exp(epsilon) * delta_right(-epsilon, p, mu);
  }
  // N - e^epsilon ((1 - p) N + p N_mu) = w (N - e^t N_mu), w = 1 - e^epsilon (1 - p), e^t = e^epsilon p / w.
  const double weight = p * std::exp(epsilon) - std::expm1(epsilon);
  if (!(weight > 0.0) || p == 0.0) {
    return 0.0;
  }
  return weight * delta_of_epsilon(epsilon + std::log(p / weight), mu);
}

ErrorPair extremal_pair(double threshold, double share, double sampling_rate, double mu) {
  require_domain(!std::isnan(threshold), "threshold", threshold, "[-inf, inf]");
  require_domain(share >= 0.0 && share <= 1.0, "share", share, "[0, 1]");
  check(sampling_rate, mu);
  const double p = sampling_rate;
  return {(1.0 - p) * normal_upper_tail(threshold) + p * normal_upper_tail(threshold + (1.0 - share) * mu),
          (1.0 - p) * normal_cdf(threshold) + p * normal_cdf(threshold - share * mu)};
}

double extremal_tradeoff(double type_one_error, double share, double sampling_rate, double mu) {
  check_point(type_one_error, sampling_rate, mu);
  require_domain(share >= 0.0 && share <= 1.0, "share", share, "[0, 1]");
  if (type_one_error == 0.0 || type_one_error == 1.0) {
    return 1.0 - type_one_error;
  }
  const double p = sampling_rate;
  const double shift = (1.0 - share) * mu;
  const bool small = type_one_error <= 0.5;
  const double sign = small ? 1.0 : -1.0;
  const double target = small ? type_one_error : 1.0 - type_one_error;
  const auto excess = [&](double z) {
    const double at = (1.0 - p) * normal_upper_tail(sign * z) + p * normal_upper_tail(sign * (z + shift));
    const double density = (1.0 - p) * normal_density(z) + p * normal_density(z + shift);
    return ValueAndSlope{std::log(at / target), -sign * density / at};
  };
  const double quantile = sign * normal_upper_quantile(target);
  const double room = 1e-12 * (1.0 + std::abs(quantile) + shift);
  const double z = newton_in_bracket(excess, quantile - shift - room, quantile + room, quantile, !small);
  return extremal_pair(z, share, p, mu).type_two_error;
}

}  // namespace dpcurves::tradeoff
