// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/release.hpp>

namespace dpcurves::homogenized {

using Eigen::ArrayXd;

Release::Release(const models::LeastSquares& problem, ReleaseKind kind, std::vector<HsgdState> states)
    : kind_(kind),
      regularisation_(problem.regularisation),
      noise_(problem.noise),
      lambda_(problem.spectrum.eigenvalues()),
      rate_(lambda_ + regularisation_) {
  require_domain(!states.empty(), "number of release times", 0.0, "[1, inf)");
  require_domain(kind != ReleaseKind::last_iterate || states.size() == 1, "number of release times",
                 static_cast<double>(states.size()), "{1} for the last iterate");
  for (auto& state : states) {
    require_domain(stages_.empty() || state.time > last_time(), "release_times", state.time, "ascending times");
    Stage stage;
    stage.state = std::move(state);
    stages_.push_back(std::move(stage));
  }
  if (kind_ == ReleaseKind::average) {
    prepare_average();
  }
}

ArrayXd Release::decay(double integral, double earlier) const { return (-rate_ * (integral - earlier)).exp(); }

void Release::prepare_average() {
  const double share = 1.0 / static_cast<double>(stages_.size());
  const Eigen::Index blocks = rate_.size();
  ArrayXd variance = ArrayXd::Zero(blocks), covariance = ArrayXd::Zero(blocks);
  double integral = 0.0;
  for (auto& stage : stages_) {
    stage.past_variance = variance;
    stage.past_covariance = covariance;
    const ArrayXd carried = covariance * decay(stage.state.integral, integral);
    variance += share * (2.0 * carried + share * stage.state.variance);
    covariance = carried + share * stage.state.variance;
    integral = stage.state.integral;
  }
  ArrayXd gain = ArrayXd::Constant(blocks, share), later = ArrayXd::Zero(blocks);
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    if (stage != stages_.rbegin()) {
      const HsgdState& next = std::prev(stage)->state;
      const ArrayXd phi = decay(next.integral, stage->state.integral);
      const ArrayXd fresh = (next.variance - phi.square() * stage->state.variance).cwiseMax(0.0);
      later += gain.square() * fresh;
      gain = share + phi * gain;
    }
    stage->later_gain = gain;
    stage->later_variance = later;
  }
}

std::vector<double> Release::times() const {
  std::vector<double> list;
  for (const auto& stage : stages_) {
    list.push_back(stage.state.time);
  }
  return list;
}

JumpWeights Release::weights(const HsgdState& before) const {
  JumpWeights weights;
  weights.mean_start = (-rate_ * before.integral).exp();
  weights.mean_truth =
      (rate_ > 0.0)
          .select(-lambda_ * (-rate_ * before.integral).unaryExpr([](double x) { return std::expm1(x); }) / rate_,
                  lambda_ * before.integral);
  weights.variance = before.variance;
  const auto stage = std::find_if(stages_.begin(), stages_.end(),
                                  [&](const Stage& candidate) { return candidate.state.time >= before.time; });
  if (stage == stages_.end() || before.step_size == 0.0) {
    weights.f2 = weights.fg = weights.g2 = ArrayXd::Zero(rate_.size());
    return weights;  // used after the last release, or with step size 0: no trace
  }
  weights.step_size = before.step_size;
  weights.noiseless = noise_ == 0.0;
  const double eta = before.step_size;
  const double beta = 1.0 - eta * regularisation_;
  const double fresh_noise = eta * eta * noise_ * noise_;
  const ArrayXd phi = decay(stage->state.integral, before.integral);
  const ArrayXd tail = (stage->state.variance - phi.square() * before.variance).cwiseMax(0.0);

  ArrayXd f = phi, g, diagonal;
  const bool first = stage == stages_.begin();
  if (kind_ == ReleaseKind::average) {
    f = stage->later_gain * phi;
    const ArrayXd past =
        first ? ArrayXd::Zero(phi.size())
              : ArrayXd(stage->past_covariance * decay(before.integral, std::prev(stage)->state.integral));
    g = beta * f * before.variance + past;
    // Nothing negative is added: past <= sqrt(variance past_variance) for either sign of beta.
    diagonal = stage->past_variance + 2.0 * beta * past * f +
               f.square() * (beta * beta * before.variance + fresh_noise) + stage->later_gain.square() * tail +
               stage->later_variance;
  } else {
    if (kind_ == ReleaseKind::joint && !first) {
      // Given the previous release X_u the state has a smaller variance and a random mean.
      const HsgdState& previous = std::prev(stage)->state;
      weights.known = decay(before.integral, previous.integral).square() * previous.variance;
      weights.variance = (before.variance - weights.known).cwiseMax(0.0);
    }
    g = beta * phi * weights.variance;
    diagonal = phi.square() * (beta * beta * weights.variance + fresh_noise) + tail;
  }
  weights.f2 = f.square() / diagonal;
  weights.fg = f * g / diagonal;
  weights.g2 = g.square() / diagonal;
  return weights;
}

}  // namespace dpcurves::homogenized
