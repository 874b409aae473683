// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;

// Variances driven by a given risk, advanced from one time to a later one.
void advance(const models::LeastSquares& problem, const std::function<double(double)>& risk, double scale, double from,
             double to, ArrayXd& variance) {
  const ArrayXd rate = problem.spectrum.eigenvalues() + problem.regularisation;
  const auto& schedule = problem.schedule;
  const double contraction = rate.maxCoeff() * (schedule.integral(to) - schedule.integral(from));
  const double pieces = std::ceil(std::max((to - from) / scale, contraction));
  const auto count = static_cast<int>(std::clamp(pieces, 1.0, 1e7));
  const auto rule = numerics::gauss_legendre(16);
  const double half = 0.5 * (to - from) / count;
  for (int k = 0; k < count; ++k) {
    const double begin = from + 2.0 * half * k;
    const double end = k + 1 == count ? to : begin + 2.0 * half;
    const double tau = schedule.integral(end);
    variance *= (-2.0 * rate * (tau - schedule.integral(begin))).exp();
    for (std::size_t j = 0; j < rule.nodes.size(); ++j) {
      const double u = begin + half * (1.0 + rule.nodes[j]);
      const double gamma = schedule.rate(u);
      const double weight = half * rule.weights[j] * gamma * gamma / problem.dimension;
      variance += weight * (-2.0 * rate * (tau - schedule.integral(u))).exp() *
                  (2.0 * risk(u) * problem.spectrum.eigenvalues() + problem.noise * problem.noise);
    }
  }
}

}  // namespace

/// Variances of earlier calls, by time.
struct HsgdLaw::Kept {
  std::mutex guard;
  std::unordered_map<double, ArrayXd> variances;
};

HsgdLaw::HsgdLaw(models::LeastSquares problem, double horizon)
    : problem_(std::move(problem)), trajectory_(std::in_place, problem_, horizon), kept_(std::make_shared<Kept>()) {}

HsgdLaw::HsgdLaw(models::LeastSquares problem, std::function<double(double)> risk, double scale)
    : problem_(std::move(problem)), risk_(std::move(risk)), scale_(scale) {
  models::require_valid(problem_);
  require_domain(scale > 0.0, "scale", scale, "(0, inf)");
}

std::vector<HsgdState> HsgdLaw::states(std::span<const double> times) const {
  std::vector<HsgdState> result;
  ArrayXd variance = ArrayXd::Zero(problem_.spectrum.block_count());
  double from = 0.0;
  for (const double time : times) {
    require_domain(time >= from, "times", time, "ascending times >= 0");
    if (trajectory_) {
      variance = solved_variance(time);
    } else {
      advance(problem_, risk_, scale_, from, time, variance);
    }
    from = time;
    result.push_back({time, problem_.schedule.integral(time), problem_.step_size(time), variance});
  }
  return result;
}

ArrayXd HsgdLaw::solved_variance(double time) const {
  {
    const std::lock_guard lock(kept_->guard);
    if (const auto found = kept_->variances.find(time); found != kept_->variances.end()) {
      return found->second;
    }
  }
  ArrayXd variance = trajectory_->variance(time);
  constexpr double most_numbers = 3.2e7;
  const std::lock_guard lock(kept_->guard);
  if (static_cast<double>(kept_->variances.size() + 1) * static_cast<double>(variance.size()) <= most_numbers) {
    kept_->variances.emplace(time, variance);
  }
  return variance;
}

HsgdState HsgdLaw::state(double time) const { return states(std::span<const double>(&time, 1)).front(); }

}  // namespace dpcurves::homogenized
