// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/few_steps/moment_grid.hpp>
#include <dpcurves/accounting/few_steps/transform.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {

Transform::Transform(const Composition& composition) {
  require_domain(composition.gaussian_mu >= 0.0 && composition.gaussian_mu <= 1e10, "gaussian_mu",
                 composition.gaussian_mu, "[0, 1e10]");
  gaussian_mu_ = composition.gaussian_mu;
  for (const SubsampledGaussian& component : composition.components) {
    require_domain(component.sampling_rate >= 0.0 && component.sampling_rate <= 1.0, "sampling_rate",
                   component.sampling_rate, "[0, 1]");
    require_domain(component.mu >= 0.0 && component.mu <= 1e6, "mu", component.mu, "[0, 1e6]");
    require_domain(component.count >= 0.0 && component.count <= 1e15 && component.count == std::floor(component.count),
                   "count", component.count, "the integers from 0 to 1e15");
    if (component.sampling_rate == 0.0 || component.mu == 0.0 || component.count == 0.0) {
      continue;
    }
    if (component.sampling_rate == 1.0) {  // one Gaussian shift, and those compose by the root of squares
      gaussian_mu_ = std::hypot(gaussian_mu_, std::sqrt(component.count) * separation_of(component.pair, component.mu));
      continue;
    }
    const auto same = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
      return part.law.pair() == component.pair && part.law.sampling_rate() == component.sampling_rate &&
             part.law.mu() == component.mu;
    });
    if (same != parts_.end()) {
      same->count += component.count;
    } else {
      parts_.push_back({LossLaw(component.pair, component.sampling_rate, component.mu), component.count});
    }
  }
}

void Transform::truncate(double log_mass) {
  const double share = std::exp(log_mass) / static_cast<double>(parts_.size());
  lost_ = 0.0;
  for (Part& part : parts_) {
    const HalfLaw& half = part.law.right();
    if (std::isfinite(half.largest())) {
      continue;
    }
    const auto mass = [&](double t) { return part.count * (half.alternative_beyond(t) + half.null_beyond(t)); };
    double low = 0.0;
    double high = half.separation() + 40.0;
    while (high - low > 1e-3) {
      const double middle = 0.5 * (low + high);
      (mass(middle) > share ? low : high) = middle;
    }
    part.law.truncate(high);
    lost_ += 1.000001 * mass(high);
  }
  cumulants_.clear();
}

bool Transform::symmetric() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.law.symmetric(); });
}

double Transform::largest() const {
  double total = gaussian_mu_ > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
  for (const Part& part : parts_) {
    total += part.count * part.law.right().largest();
  }
  return total;
}

double Transform::log_atom() const {
  double total = 0.0;
  for (const Part& part : parts_) {
    total += part.count * part.law.log_atom();
  }
  return total;
}

const Cumulant& Transform::cumulant(double c) const {
  const auto known = cumulants_.find(c);
  if (known != cumulants_.end()) {
    return known->second;
  }
  const double g2 = gaussian_mu_ * gaussian_mu_;
  Cumulant k{0.5 * g2 * c * (c + 1.0), 0.0, g2 * (c + 0.5), g2};
  k.error = 4.5e-16 * std::abs(k.value);
  for (const Part& part : parts_) {
    const auto grid =
        moment_grid<double>(part.law, {.c = c, .target = 1e-13 / std::max(part.count, 100.0)}, &deadline_);
    k.value += part.count * grid.log_moment;
    k.error += part.count * grid.error_at_zero;
    k.first += part.count * grid.first();
    k.second += part.count * grid.second();
  }
  k.error += 4.5e-16 * std::abs(k.value);
  return cumulants_.emplace(c, k).first->second;
}

double Transform::curvature(double c) const {
  return cumulant(c).second + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c));
}

std::vector<double> Transform::beyond(double c) const {
  const double width = 1.0 / std::sqrt(curvature(c));
  std::vector<double> points;
  if (2.0 * width > 0.3 * c) {  // K may rise steeply within the width: far jumps
    points = {1.1 * c, 1.3 * c};
  }
  for (const double factor : {2.0, 4.0, 8.0}) {
    points.push_back(c + factor * width);
  }
  return points;
}

double Transform::threshold_of(double c) const { return cumulant(c).first - 1.0 / c - 1.0 / (1.0 + c); }

double Transform::log_estimate(double c, double epsilon) const {
  return cumulant(c).value - c * epsilon - std::log(std::abs(c) * (1.0 + c)) -
         0.5 * std::log(2.0 * std::numbers::pi * curvature(c));
}

double Transform::saddle_right(double epsilon) const {
  // The slope threshold_of(c) - epsilon increases with c. Newton in log c, held within a bracket that grows on demand.
  const double variance = std::max(cumulant(0.0).second, 1e-300);
  const double mean = cumulant(0.0).first;
  double c = epsilon > mean ? (epsilon - mean) / variance + 1.0 / std::sqrt(variance)
                            : 1.0 / (std::sqrt(variance) + (mean - epsilon));
  // Far jumps: tilted by c, the loss of one jump is about (c + 1/2) mu^2, so that no larger c is needed.
  double jump = gaussian_mu_;
  for (const Part& part : parts_) {
    jump = std::max(jump, part.law.separation());
  }
  c = std::clamp(std::min(c, epsilon / (jump * jump) + 10.0 / jump + 1.0), 1e-12, 1e12);
  double low = 0.0;
  double high = 1e12;
  for (int i = 0; i < 100; ++i) {
    double slope = 0.0;
    try {
      slope = threshold_of(c) - epsilon;
    } catch (const TimeUp&) {
      throw;
    } catch (const ConvergenceError&) {  // a tilt beyond what the quadrature resolves is beyond the saddle point
      high = c;
      c = low > 0.0 ? std::sqrt(low * high) : 0.1 * c;
      continue;
    }
    (slope > 0.0 ? high : low) = c;
    // A tenth of the natural width of the integrand is close enough: every c is exact.
    const double curve = curvature(c);
    if (slope * slope < 0.01 * curve || high - low < 1e-6 * c) {
      break;
    }
    const double change = std::clamp(slope / (curve * c), -1.2, 1.2);
    double next = c * std::exp(-change);
    if (next <= low || next >= high) {
      next = low > 0.0 ? std::sqrt(low * high) : 0.5 * c;
    }
    c = next;
  }
  return c;
}

double Transform::saddle_left(double epsilon) const {
  double low = symmetric() ? -0.5 : -1.0;
  double high = 0.0;
  const double variance = std::max(cumulant(0.0).second, 1e-300);
  double c = -std::min(0.25, 1.0 / (std::sqrt(variance) + 1.0));
  for (int i = 0; i < 60; ++i) {
    const double slope = threshold_of(c) - epsilon;
    (slope > 0.0 ? high : low) = c;
    const double curve = curvature(c);
    if (slope * slope < 0.01 * curve || high - low < 1e-9) {
      break;
    }
    double next = c - slope / curve;
    if (next <= low || next >= high) {
      next = 0.5 * (low + high);
    }
    c = next;
  }
  return c;
}

}  // namespace dpcurves::accounting::detail
