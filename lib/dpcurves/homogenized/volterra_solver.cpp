// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Dense>

#include <dpcurves/homogenized/volterra_solver.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int samples = 3;  // Gauss points per step at which the defect is taken

/// What one step does to the lines, for all places at which the solver looks.
struct StepOperator {
  std::vector<StepWeights> at_node;    ///< nodes 1 .. q-1
  std::vector<StepWeights> at_sample;  ///< Gauss points
  MatrixXd kernel;                     ///< (q-1) x q: response at the nodes to the source at the nodes
  MatrixXd from_sample_decay;          ///< lines x samples: exp(-rate (end - sample)) times the Gauss weight
};

class Solver {
 public:
  Solver(const models::Schedule& schedule, int q, const KernelLines& lines,
         const std::function<double(double)>& forcing)
      : schedule_(schedule), q_(q), lines_(lines), forcing_(forcing), rule_(numerics::gauss_legendre(samples)) {}

  VolterraSolution solve(std::vector<CollocationStep> grid) {
    const Index count = lines_.rates.size();
    const auto steps = static_cast<Index>(grid.size());
    VolterraSolution out;
    out.risk.resize(q_, steps);
    out.response.resize(q_, steps);
    out.risk_state = MatrixXd::Zero(count, steps + 1);
    out.response_state = MatrixXd::Zero(count, steps + 1);
    out.noise_state = MatrixXd::Zero(count, steps + 1);
    out.risk_error.resize(steps);
    out.response_error.resize(steps);
    Defect defect{ArrayXd::Zero(count), ArrayXd::Zero(count), ArrayXd::Zero(count)};
    Bound bound{ArrayXd::Zero(count), ArrayXd::Zero(count)};
    Index done = 0;
    for (; done < steps; ++done) {
      const auto& step = grid[static_cast<std::size_t>(done)];
      const StepOperator& op = operation(step);
      advance(step, op, done, out);
      if (!out.risk.col(done).allFinite() || !out.response.col(done).allFinite()) {
        break;
      }
      estimate(step, op, done, out, defect, bound);
    }
    grid.resize(static_cast<std::size_t>(done));
    out.grid = std::move(grid);
    return out;
  }

 private:
  struct Defect {
    ArrayXd risk, response, noise;  // integrals of what interpolation of the source left out
  };
  struct Bound {
    ArrayXd risk, response;  // states of the equation that bounds the error
  };

  const StepOperator& operation(const CollocationStep& step) {
    if (step.in_time) {
      once_ = make_operation(step);
      return once_;
    }
    const auto found = shared_.find(step.tau_length);
    return found != shared_.end() ? found->second
                                  : shared_.emplace(step.tau_length, make_operation(step)).first->second;
  }

  StepOperator make_operation(const CollocationStep& step) const {
    const LobattoBasis& basis = lobatto_basis(q_);
    StepOperator op;
    op.kernel.resize(q_ - 1, q_);
    for (int l = 1; l < q_; ++l) {
      op.at_node.push_back(step_weights(schedule_, step, q_, basis.nodes[l], lines_.rates));
      op.kernel.row(l - 1) = lines_.kernel.matrix().transpose() * op.at_node.back().weights.matrix();
    }
    op.from_sample_decay.resize(lines_.rates.size(), samples);
    for (int g = 0; g < samples; ++g) {
      const double x = sample(g);
      op.at_sample.push_back(step_weights(schedule_, step, q_, x, lines_.rates));
      double gap = (1.0 - x) * step.tau_length;
      double measure = 0.5 * rule_.weights[static_cast<std::size_t>(g)] * step.tau_length;
      if (step.in_time) {
        const double t = step.begin + x * (step.end - step.begin);
        const double rate = schedule_.rate(t);
        gap = step.tau_begin + step.tau_length - schedule_.integral(t);
        measure = 0.5 * rule_.weights[static_cast<std::size_t>(g)] * (step.end - step.begin) * rate * rate;
      }
      op.from_sample_decay.col(g) = (measure * (-lines_.rates * gap).exp()).matrix();
    }
    return op;
  }

  [[nodiscard]] double sample(int g) const { return 0.5 * (1.0 + rule_.nodes[static_cast<std::size_t>(g)]); }

  /// Gamma at a place of the step.
  [[nodiscard]] double tau_at(const CollocationStep& step, double fraction) const {
    return step.in_time ? schedule_.integral(step.begin + fraction * (step.end - step.begin))
                        : step.tau_begin + fraction * step.tau_length;
  }

  void advance(const CollocationStep& step, const StepOperator& op, Index n, VolterraSolution& out) {
    const auto risk_before = out.risk_state.col(n).array();
    const auto response_before = out.response_state.col(n).array();
    const auto noise_before = out.noise_state.col(n).array();
    out.risk(0, n) = n > 0 ? out.risk(q_ - 1, n - 1) : forcing_(step.tau_begin);
    out.response(0, n) = n > 0 ? out.response(q_ - 1, n - 1) : 0.0;
    MatrixXd right(q_ - 1, 2);
    for (int l = 1; l < q_; ++l) {
      const StepWeights& w = op.at_node[static_cast<std::size_t>(l - 1)];
      const ArrayXd kernel = lines_.kernel * w.decay;
      right(l - 1, 0) = forcing_(tau_at(step, lobatto_basis(q_).nodes[l])) + (kernel * risk_before).sum();
      right(l - 1, 1) =
          (kernel * response_before).sum() +
          (lines_.noise * (w.decay * noise_before + (w.weights.matrix() * step.factors.matrix()).array())).sum();
    }
    const MatrixXd scaled = op.kernel * step.factors.matrix().asDiagonal();
    right.col(0) += scaled.col(0) * out.risk(0, n);
    right.col(1) += scaled.col(0) * out.response(0, n);
    system_.compute(MatrixXd::Identity(q_ - 1, q_ - 1) - scaled.rightCols(q_ - 1));
    const MatrixXd solved = system_.solve(right);
    out.risk.col(n).tail(q_ - 1) = solved.col(0);
    out.response.col(n).tail(q_ - 1) = solved.col(1);
    const StepWeights& last = op.at_node.back();
    const auto next = [&](const auto& before, const VectorXd& source) {
      return (last.decay * before + (last.weights.matrix() * source).array()).matrix();
    };
    const auto factors = step.factors.matrix();
    out.risk_state.col(n + 1) = next(risk_before, factors.cwiseProduct(out.risk.col(n)));
    out.response_state.col(n + 1) = next(response_before, factors.cwiseProduct(out.response.col(n)));
    out.noise_state.col(n + 1) = next(noise_before, factors);
  }

  /// Residual of the solution that the states define, and from it the bound of the error: the kernel is nonnegative,
  /// so the error is at most the solution b of b = |residual| + integral kernel b.
  void estimate(const CollocationStep& step, const StepOperator& op, Index n, VolterraSolution& out, Defect& defect,
                Bound& bound) const {
    const LobattoBasis& basis = lobatto_basis(q_);
    const VectorXd risk_source = step.factors.matrix().cwiseProduct(out.risk.col(n));
    const VectorXd response_source = step.factors.matrix().cwiseProduct(out.response.col(n));
    const ArrayXd& decay = op.at_node.back().decay;
    defect.risk *= decay;
    defect.response *= decay;
    defect.noise *= decay;
    double risk_most = 0.0;
    double response_most = 0.0;
    for (int g = 0; g < samples; ++g) {
      const double x = sample(g);
      const StepWeights& w = op.at_sample[static_cast<std::size_t>(g)];
      const ArrayXd kernel = lines_.kernel * w.decay;
      const double risk = forcing_(tau_at(step, x)) + (kernel * out.risk_state.col(n).array()).sum() +
                          (lines_.kernel * (w.weights.matrix() * risk_source).array()).sum();
      const double response = (kernel * out.response_state.col(n).array()).sum() +
                              (lines_.kernel * (w.weights.matrix() * response_source).array()).sum() +
                              (lines_.noise * (w.decay * out.noise_state.col(n).array() +
                                               (w.weights.matrix() * step.factors.matrix()).array()))
                                  .sum();
      double risk_interpolated = 0.0;
      double response_interpolated = 0.0;
      double factor_interpolated = 0.0;
      for (int j = 0; j < q_; ++j) {
        double basis_value = 0.0;
        for (int m = q_ - 1; m >= 0; --m) {
          basis_value = basis_value * x + basis.coefficients(j, m);
        }
        risk_interpolated += basis_value * risk_source[j];
        response_interpolated += basis_value * response_source[j];
        factor_interpolated += basis_value * step.factors[j];
      }
      const double factor = step.in_time ? 1.0 : schedule_.rate(std::clamp(time_at(step, x), step.begin, step.end));
      const double risk_gap = factor * risk - risk_interpolated;
      const double response_gap = factor * response - response_interpolated;
      const double noise_gap = factor - factor_interpolated;
      const auto reach = op.from_sample_decay.col(g).array();
      defect.risk += reach * risk_gap;
      defect.response += reach * response_gap;
      defect.noise += reach * noise_gap;
      risk_most = std::max(risk_most, std::abs(risk_gap));
      response_most = std::max(response_most, std::abs(response_gap));
    }
    // At the end of the step the defects cancel as the Lobatto rule makes them; inside, all of one may count.
    const double reach = op.kernel.row(q_ - 2).sum();
    const double risk_residual = std::abs((lines_.kernel * defect.risk).sum()) + reach * risk_most;
    const double response_residual =
        std::abs((lines_.kernel * defect.response).sum() + (lines_.noise * defect.noise).sum()) + reach * response_most;
    out.risk_error[n] = bounded(step, op, risk_residual, bound.risk);
    out.response_error[n] = bounded(step, op, response_residual, bound.response);
  }

  [[nodiscard]] double time_at(const CollocationStep& step, double x) const {
    return step.in_time ? step.begin + x * (step.end - step.begin)
                        : schedule_.inverse_integral(step.tau_begin + x * step.tau_length);
  }

  /// One step of b = residual + integral kernel b by the same collocation; returns the largest b on the step and
  /// advances its state.
  double bounded(const CollocationStep& step, const StepOperator& op, double residual, ArrayXd& state) const {
    VectorXd b(q_);
    b[0] = residual + (lines_.kernel * state).sum();
    VectorXd right(q_ - 1);
    for (int l = 1; l < q_; ++l) {
      right[l - 1] = residual + (lines_.kernel * op.at_node[static_cast<std::size_t>(l - 1)].decay * state).sum() +
                     op.kernel(l - 1, 0) * step.factors[0] * b[0];
    }
    b.tail(q_ - 1) = system_.solve(right);
    const StepWeights& last = op.at_node.back();
    state = last.decay * state + (last.weights.matrix() * step.factors.matrix().cwiseProduct(b)).array();
    return b.cwiseAbs().maxCoeff();
  }

  const models::Schedule& schedule_;
  int q_;
  const KernelLines& lines_;
  const std::function<double(double)>& forcing_;
  numerics::GaussRule rule_;
  std::map<double, StepOperator> shared_;
  StepOperator once_;
  Eigen::PartialPivLU<MatrixXd> system_;  // of the step at hand
};

}  // namespace

VolterraSolution solve_volterra(const models::Schedule& schedule, std::vector<CollocationStep> grid, int q,
                                const KernelLines& lines, const std::function<double(double)>& forcing) {
  return Solver(schedule, q, lines, forcing).solve(std::move(grid));
}

}  // namespace dpcurves::homogenized
