// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;

// The latest time after `from` past which every variance forgets what was before by a factor exp(-2 forgotten), as far
// as `to` is concerned: without it the work would grow with the length of the run.
double remembered_from(const models::Schedule& schedule, double least_rate, double from, double to) {
  constexpr double forgotten = 50.0;
  const auto forgets = [&](double time) {
    return least_rate * (schedule.integral(to) - schedule.integral(time)) > forgotten;
  };
  if (!forgets(from)) {
    return from;
  }
  double low = from, high = to;  // forgets at `low`, not at `high`
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (forgets(middle) ? low : high) = middle;
  }
  return low;
}

// Variances driven by a given risk, advanced from one time to a later one.
void advance(const models::LeastSquares& problem, const std::function<double(double)>& risk, double scale,
             double settling, double from, double to, ArrayXd& variance) {
  const ArrayXd rate = problem.spectrum.eigenvalues() + problem.regularisation;
  const auto& schedule = problem.schedule;
  if (const double start = remembered_from(schedule, rate.minCoeff(), from, to); start > from) {
    variance.setZero();
    from = start;
  }
  const auto rule = numerics::gauss_legendre(16);
  constexpr double most_pieces = 1e7;
  double begin = from;
  while (begin < to) {
    // The risk is smooth over the piece, and the variances forget at most a factor exp(-2) on it.
    const double least = (to - from) / most_pieces;
    const double smooth = std::min(std::max({scale, settling * begin, least}), to - begin);
    const double contraction = rate.maxCoeff() * (schedule.integral(begin + smooth) - schedule.integral(begin));
    const double length = std::max(smooth / std::max(1.0, contraction), least);
    const double end = begin + length > begin && begin + length < to ? begin + length : to;
    const double half = 0.5 * (end - begin);
    const double tau = schedule.integral(end);
    variance *= (-2.0 * rate * (tau - schedule.integral(begin))).exp();
    for (std::size_t j = 0; j < rule.nodes.size(); ++j) {
      const double u = begin + half * (1.0 + rule.nodes[j]);
      const double gamma = schedule.rate(u);
      const double weight = half * rule.weights[j] * gamma * gamma / problem.dimension;
      variance += weight * (-2.0 * rate * (tau - schedule.integral(u))).exp() *
                  (2.0 * risk(u) * problem.spectrum.eigenvalues() + problem.noise * problem.noise);
    }
    begin = end;
  }
}

}  // namespace

/// States of earlier calls, by time.
struct HsgdLaw::Kept {
  std::mutex guard;
  std::unordered_map<double, HsgdState> states;
};

HsgdLaw::HsgdLaw(models::LeastSquares problem, double horizon)
    : problem_(std::move(problem)), trajectory_(std::in_place, problem_, horizon), kept_(std::make_shared<Kept>()) {}

HsgdLaw::HsgdLaw(models::LeastSquares problem, std::function<double(double)> risk, double scale, double settling)
    : problem_(std::move(problem)), risk_(std::move(risk)), scale_(scale), settling_(settling) {
  models::require_valid(problem_);
  require_domain(scale > 0.0, "scale", scale, "(0, inf)");
  require_domain(settling >= 0.0, "settling", settling, "[0, inf)");
}

std::vector<HsgdState> HsgdLaw::states(std::span<const double> times) const {
  std::vector<HsgdState> result;
  ArrayXd variance = ArrayXd::Zero(problem_.spectrum.block_count());
  double from = 0.0;
  for (const double time : times) {
    require_domain(time >= from, "times", time, "ascending times >= 0");
    if (trajectory_) {
      result.push_back(solved_state(time));
    } else {
      advance(problem_, risk_, scale_, settling_, from, time, variance);
      result.push_back(make_state(time, variance));
    }
    from = time;
  }
  return result;
}

HsgdState HsgdLaw::make_state(double time, ArrayXd variance) const {
  const ArrayXd& lambda = problem_.spectrum.eigenvalues();
  const ArrayXd rate = lambda + problem_.regularisation;
  HsgdState state{time, problem_.schedule.integral(time), problem_.step_size(time), std::move(variance), {}, {}};
  const ArrayXd moved = -rate * state.integral;
  state.mean_start = moved.exp();
  state.mean_truth =
      (rate > 0.0)
          .select(-lambda * moved.unaryExpr([](double x) { return std::expm1(x); }) / rate, lambda * state.integral);
  return state;
}

HsgdState HsgdLaw::solved_state(double time) const {
  if (time > trajectory_->diverges_at()) {
    throw DomainError("schedule: the risk leaves the range of numbers at t = " +
                      rounded(trajectory_->diverges_at(), 6) + ", the step size is too large");
  }
  {
    const std::lock_guard lock(kept_->guard);
    if (const auto found = kept_->states.find(time); found != kept_->states.end()) {
      return found->second;
    }
  }
  HsgdState state = make_state(time, trajectory_->variance(time));
  constexpr double most_numbers = 3.2e7;
  const std::lock_guard lock(kept_->guard);
  if (static_cast<double>(kept_->states.size() + 1) * 3.0 * static_cast<double>(state.variance.size()) <=
      most_numbers) {
    kept_->states.emplace(time, state);
  }
  return state;
}

HsgdState HsgdLaw::state(double time) const { return states(std::span<const double>(&time, 1)).front(); }

}  // namespace dpcurves::homogenized
