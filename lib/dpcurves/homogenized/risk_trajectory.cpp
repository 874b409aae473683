// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>
#include <dpcurves/homogenized/risk_kernel.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/homogenized/volterra_solver.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index chunk = 512;  // blocks that variance() advances together: they stay in the cache

/// Largest error of a solution relative to the risk at the same time.
double relative_error(const VolterraSolution& solution, double noise2, double floor) {
  double worst = 0.0;
  for (Index n = 0; n < solution.risk_error.size() && n < static_cast<Index>(solution.grid.size()); ++n) {
    const double size = (solution.risk.col(n) + noise2 * solution.response.col(n)).maxCoeff();
    worst = std::max(worst, (solution.risk_error[n] + noise2 * solution.response_error[n]) / std::max(size, floor));
  }
  return worst;
}

}  // namespace

struct RiskTrajectory::State {
  models::LeastSquares problem;
  double horizon = 0.0;
  TrajectoryOptions options;
  GradientFlow flow;
  CompressedKernels lines;
  Forcing forcing;
  VolterraSolution solution;
  double diverges_at = infinity;

  // States of every block at the ends of all steps, made when variance() is first asked.
  mutable std::once_flag prepared;
  mutable MatrixXd risk_states, noise_states;

  State(const models::LeastSquares& given, double end, const TrajectoryOptions& wanted)
      : problem(given),
        horizon(end),
        options(wanted),
        flow(given),
        lines(compressed_kernels(given, flow.rates(), longest(), wanted.spectrum)),
        forcing(given, flow, longest(), wanted.spectrum.side) {
    const double noise2 = problem.noise * problem.noise;
    const double fastest = 2.0 * flow.rates().maxCoeff();
    constexpr double floor = 1e-290;
    double before = infinity;
    for (int resolution = options.resolution;; resolution *= 2) {
      auto grid = collocation_grid(problem.schedule, horizon, fastest, options.nodes, resolution);
      const double last = grid.empty() ? 0.0 : grid.back().end;
      solution = solve_volterra(problem.schedule, std::move(grid), options.nodes, lines.lines, forcing_function());
      const double reached = solution.grid.empty() ? 0.0 : solution.grid.back().end;
      diverges_at = reached < last ? reached : infinity;
      const double error = relative_error(solution, noise2, floor);
      // Rounding ends the improvement: further steps would only cost.
      constexpr double stalled = 0.5;
      if (error <= options.tolerance || 2 * resolution > options.most_resolution ||
          (error > stalled * before && error < 1e-9)) {
        break;
      }
      before = error;
    }
  }

  [[nodiscard]] double longest() const { return problem.schedule.integral(horizon); }

  [[nodiscard]] std::function<double(double)> forcing_function() const {
    return [this](double tau) { return forcing(tau); };
  }

  void require_time(double t) const { require_domain(t >= 0.0 && t <= horizon, "t", t, "[0, horizon]"); }

  /// Risk with unit noise split off, at a time: value and error of P(0) and D, the traces and the place.
  struct Point {
    Estimate risk, response;
    double trace_risk = 0.0, trace_response = 0.0;  // sum v = trace_risk + sigma^2 trace_response
  };

  [[nodiscard]] Point at(double t) const {
    require_time(t);
    Point point;
    if (solution.grid.empty() || t <= solution.grid.front().begin) {
      point.risk = {flow.population_risk(0.0), 0.0};
      return point;
    }
    if (t > diverges_at) {
      return {{infinity, 0.0}, {infinity, 0.0}, infinity, infinity};
    }
    const auto& k = lines.lines;
    const StepPlace place = place_of(problem.schedule, solution.grid, t);
    const auto n = static_cast<Index>(place.step);
    const CollocationStep& step = solution.grid[place.step];
    ArrayXd risk;
    ArrayXd response;
    ArrayXd noise;
    if (place.fraction >= 1.0) {
      risk = solution.risk_state.col(n + 1).array();
      response = solution.response_state.col(n + 1).array();
      noise = solution.noise_state.col(n + 1).array();
    } else if (place.fraction <= 0.0) {
      risk = solution.risk_state.col(n).array();
      response = solution.response_state.col(n).array();
      noise = solution.noise_state.col(n).array();
    } else {
      const auto w = step_weights(problem.schedule, step, options.nodes, place.fraction, k.rates);
      const auto advance = [&](const MatrixXd& states, const ArrayXd& source) -> ArrayXd {
        return w.decay * states.col(n).array() + (w.weights.matrix() * (step.factors * source).matrix()).array();
      };
      risk = advance(solution.risk_state, solution.risk.col(n).array());
      response = advance(solution.response_state, solution.response.col(n).array());
      noise = advance(solution.noise_state, ArrayXd::Ones(options.nodes));
    }
    const double tau = problem.schedule.integral(t);
    point.risk.value = forcing(tau) + (k.kernel * risk).sum();
    point.response.value = (k.kernel * response).sum() + (k.noise * noise).sum();
    point.trace_risk = (k.trace_risk * risk).sum();
    point.trace_response = (k.trace_risk * response).sum() + (k.trace_noise * noise).sum();
    // Rounding of the sums, and what the compressed kernels leave out: their gap times the mass of the source.
    // Steps in time lose what Gamma(t) - Gamma(s) loses; growth amplifies the rounding of every step.
    const double grown = point.risk.value / std::max(solution.risk(0, 0), 1e-300);
    const double rounding =
        2e-14 + 5e-14 * std::log(std::max(1.0, grown)) + (step.in_time ? 2e-16 * k.rates.maxCoeff() * tau : 0.0);
    const double greatest = step.factors.maxCoeff();
    const double mass = step.in_time ? problem.schedule.rate(t) * tau : greatest * tau;
    point.risk.error = solution.risk_error[n] + rounding * point.risk.value + forcing.gap() +
                       lines.kernel_gap * mass * solution.risk.leftCols(n + 1).maxCoeff();
    point.response.error = solution.response_error[n] + rounding * point.response.value +
                           lines.kernel_gap * mass * solution.response.leftCols(n + 1).maxCoeff() +
                           lines.noise_gap * mass;
    return point;
  }

  // --- variances of every block ----------------------------------------------------------------------------------

  /// Advances the states (source P, source 1) of blocks [first, first + count) through whole steps [0, last), calling
  /// visit(n, risk, noise) after each step n, then to the place.
  template <typename Visit>
  void sweep(Index first, Index count, std::size_t from, std::size_t to, ArrayXd& risk, ArrayXd& noise,
             const Visit& visit) const {
    const double noise2 = problem.noise * problem.noise;
    const ArrayXd rates = 2.0 * flow.rates().segment(first, count);
    std::map<double, StepWeights> shared;
    for (std::size_t n = from; n < to; ++n) {
      const CollocationStep& step = solution.grid[n];
      StepWeights once;
      const StepWeights* w = &once;
      if (step.in_time) {
        once = step_weights(problem.schedule, step, options.nodes, 1.0, rates);
      } else {
        auto found = shared.find(step.tau_length);
        if (found == shared.end()) {
          found =
              shared.emplace(step.tau_length, step_weights(problem.schedule, step, options.nodes, 1.0, rates)).first;
        }
        w = &found->second;
      }
      const auto column = static_cast<Index>(n);
      const ArrayXd source =
          step.factors * (solution.risk.col(column) + noise2 * solution.response.col(column)).array();
      risk = w->decay * risk + (w->weights.matrix() * source.matrix()).array();
      noise = w->decay * noise + (w->weights.matrix() * step.factors.matrix()).array();
      visit(n, risk, noise);
    }
  }

  [[nodiscard]] bool keeps_states() const {
    constexpr double most = 4e6;
    return static_cast<double>(flow.rates().size()) * static_cast<double>(solution.grid.size()) <= most;
  }

  void prepare() const {
    std::call_once(prepared, [this] {
      const Index blocks = flow.rates().size();
      const auto steps = static_cast<Index>(solution.grid.size());
      risk_states = MatrixXd::Zero(blocks, steps + 1);
      noise_states = MatrixXd::Zero(blocks, steps + 1);
      for_chunks([&](Index first, Index count) {
        ArrayXd risk = ArrayXd::Zero(count);
        ArrayXd noise = ArrayXd::Zero(count);
        sweep(first, count, 0, solution.grid.size(), risk, noise,
              [&](std::size_t n, const ArrayXd& r, const ArrayXd& z) {
                risk_states.col(static_cast<Index>(n) + 1).segment(first, count) = r.matrix();
                noise_states.col(static_cast<Index>(n) + 1).segment(first, count) = z.matrix();
              });
      });
    });
  }

  template <typename Work>
  void for_chunks(const Work& work) const {
    const Index blocks = flow.rates().size();
    const Index chunks = (blocks + chunk - 1) / chunk;
    parallel_for(static_cast<std::size_t>(chunks), chunks == 1 ? 1 : options.threads, [&](std::size_t c) {
      const Index first = static_cast<Index>(c) * chunk;
      work(first, std::min(chunk, blocks - first));
    });
  }

  /// Integrals with source 1 where the solution has ended: they stay finite.
  [[nodiscard]] ArrayXd unit_noise(double t) const {
    const ArrayXd rates = 2.0 * flow.rates();
    ArrayXd noise = ArrayXd::Zero(rates.size());
    for (const auto& step :
         collocation_grid(problem.schedule, t, rates.maxCoeff(), options.nodes, 4 * options.resolution)) {
      const auto w = step_weights(problem.schedule, step, options.nodes, 1.0, rates);
      noise = w.decay * noise + (w.weights.matrix() * step.factors.matrix()).array();
    }
    return noise;
  }

  /// Integrals of every block at a time: with source P, and with source 1.
  void states_at(double t, ArrayXd& risk, ArrayXd& noise) const {
    require_time(t);
    const Index blocks = flow.rates().size();
    risk = ArrayXd::Zero(blocks);
    noise = ArrayXd::Zero(blocks);
    if (solution.grid.empty() || t <= solution.grid.front().begin) {
      return;
    }
    if (t > diverges_at) {
      risk.setConstant(infinity);
      noise = unit_noise(t);
      return;
    }
    const StepPlace place = place_of(problem.schedule, solution.grid, t);
    const CollocationStep& step = solution.grid[place.step];
    const auto n = static_cast<Index>(place.step);
    const double noise2 = problem.noise * problem.noise;
    if (keeps_states()) {
      prepare();
    }
    for_chunks([&](Index first, Index count) {
      ArrayXd r = ArrayXd::Zero(count);
      ArrayXd z = ArrayXd::Zero(count);
      if (keeps_states()) {
        r = risk_states.col(n).segment(first, count).array();
        z = noise_states.col(n).segment(first, count).array();
      } else {
        sweep(first, count, 0, place.step, r, z, [](std::size_t, const ArrayXd&, const ArrayXd&) {});
      }
      if (place.fraction > 0.0) {
        const ArrayXd rates = 2.0 * flow.rates().segment(first, count);
        const auto w = step_weights(problem.schedule, step, options.nodes, place.fraction, rates);
        const ArrayXd source = step.factors * (solution.risk.col(n) + noise2 * solution.response.col(n)).array();
        r = w.decay * r + (w.weights.matrix() * source.matrix()).array();
        z = w.decay * z + (w.weights.matrix() * step.factors.matrix()).array();
      }
      risk.segment(first, count) = r;
      noise.segment(first, count) = z;
    });
  }
};

RiskTrajectory::RiskTrajectory(const models::LeastSquares& problem, double horizon, const TrajectoryOptions& options) {
  models::require_valid(problem);
  require_domain(horizon >= 0.0 && horizon <= problem.schedule.end() && std::isfinite(horizon), "horizon", horizon,
                 "[0, end of the schedule]");
  require_domain(options.tolerance > 0.0, "tolerance", options.tolerance, "(0, inf)");
  state_ = std::make_shared<const State>(problem, horizon, options);
}

const models::LeastSquares& RiskTrajectory::problem() const { return state_->problem; }
double RiskTrajectory::horizon() const { return state_->horizon; }
double RiskTrajectory::diverges_at() const { return state_->diverges_at; }
std::size_t RiskTrajectory::steps() const { return state_->solution.grid.size(); }
Eigen::Index RiskTrajectory::kernel_terms() const { return state_->lines.kernel_terms; }

Estimate RiskTrajectory::population_risk(double t) const { return population_risk(t, state_->problem.noise); }

Estimate RiskTrajectory::population_risk(double t, double noise) const {
  require_domain(noise >= 0.0 && std::isfinite(noise), "noise", noise, "[0, inf)");
  const auto point = state_->at(t);
  const double noise2 = noise * noise;
  if (noise2 == 0.0) {
    return point.risk;
  }
  return {point.risk.value + noise2 * point.response.value, point.risk.error + noise2 * point.response.error};
}

Estimate RiskTrajectory::noise_response(double t) const { return state_->at(t).response; }

Estimate RiskTrajectory::regularised_risk(double t) const {
  Estimate risk = population_risk(t);
  const double delta = state_->problem.regularisation;
  if (delta > 0.0 && std::isfinite(risk.value)) {
    const double own = risk.value;
    risk.value += 0.5 * delta * (state_->flow.mean_norm2(state_->problem.schedule.integral(t)) + trace_variance(t));
    risk.error *= std::max(1.0, risk.value / std::max(own, 1e-300));
  }
  return risk;
}

double RiskTrajectory::gradient_flow_risk(double t) const {
  state_->require_time(t);
  return state_->flow.population_risk(state_->problem.schedule.integral(t));
}

Eigen::ArrayXd RiskTrajectory::mean(double t) const {
  state_->require_time(t);
  return state_->flow.mean(state_->problem.schedule.integral(t));
}

Eigen::ArrayXd RiskTrajectory::variance(double t) const {
  ArrayXd risk;
  ArrayXd noise;
  state_->states_at(t, risk, noise);
  const auto& problem = state_->problem;
  const ArrayXd& lambda = problem.spectrum.eigenvalues();
  const ArrayXd sampling = (lambda > 0.0).select(2.0 * lambda * risk, 0.0);  // none where the risk does not enter
  return (sampling + problem.noise * problem.noise * noise) / problem.dimension;
}

Eigen::ArrayXd RiskTrajectory::noise_variance(double t) const {
  ArrayXd risk;
  ArrayXd noise;
  state_->states_at(t, risk, noise);
  const auto& problem = state_->problem;
  return problem.noise * problem.noise * noise / problem.dimension;
}

double RiskTrajectory::trace_variance(double t) const {
  const auto& problem = state_->problem;
  if (state_->lines.kernel_terms == problem.spectrum.block_count() || problem.regularisation > 0.0) {
    const auto point = state_->at(t);
    if (std::isinf(point.trace_risk)) {
      return infinity;
    }
    return point.trace_risk + problem.noise * problem.noise * point.trace_response;
  }
  return (variance(t) * problem.spectrum.multiplicity()).sum();
}

double noise_for_risk(const RiskTrajectory& trajectory, double t, double risk) {
  const double without = trajectory.population_risk(t, 0.0).value;
  const double response = trajectory.noise_response(t).value;
  require_domain(risk >= without && std::isfinite(risk), "risk", risk, "[risk without noise, inf)");
  require_domain(response > 0.0, "response of the risk to noise", response, "(0, inf)");
  return std::sqrt((risk - without) / response);
}

double least_noise_share(const RiskTrajectory& trajectory, double t) {
  const ArrayXd all = trajectory.variance(t);
  const ArrayXd noise = trajectory.noise_variance(t);
  double least = 1.0;
  for (Index b = 0; b < all.size(); ++b) {
    if (all[b] > 0.0) {
      least = std::min(least, std::isfinite(all[b]) ? noise[b] / all[b] : 0.0);  // the added noise alone never grows
    }
  }
  return least;
}

}  // namespace dpcurves::homogenized
