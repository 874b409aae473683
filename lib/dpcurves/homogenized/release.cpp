// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/release.hpp>

namespace dpcurves::homogenized {

using Eigen::ArrayXd;

Release::Release(const models::LeastSquares& problem, ReleaseKind kind, std::vector<HsgdState> states)
    : kind_(kind),
      regularisation_(problem.regularisation),
      noise_(problem.noise),
      rate_(problem.spectrum.eigenvalues() + regularisation_),
      fastest_(rate_.maxCoeff()) {
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

ArrayXd Release::decay(const HsgdState& later, const HsgdState& earlier) const {
  constexpr double most = 40.0;  // the quotient loses as many units in the last place, and never underflows
  return fastest_ * later.integral < most ? ArrayXd(later.mean_start / earlier.mean_start)
                                          : ArrayXd((-rate_ * (later.integral - earlier.integral)).exp());
}

void Release::prepare_average() {
  const double share = 1.0 / static_cast<double>(stages_.size());
  const Eigen::Index blocks = rate_.size();
  ArrayXd variance = ArrayXd::Zero(blocks), covariance = ArrayXd::Zero(blocks);
  const HsgdState* earlier = nullptr;
  for (auto& stage : stages_) {
    stage.past_variance = variance;
    stage.past_covariance = covariance;
    const ArrayXd carried = earlier == nullptr ? covariance : ArrayXd(covariance * decay(stage.state, *earlier));
    variance += share * (2.0 * carried + share * stage.state.variance);
    covariance = carried + share * stage.state.variance;
    earlier = &stage.state;
  }
  ArrayXd gain = ArrayXd::Constant(blocks, share), later = ArrayXd::Zero(blocks);
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    if (stage != stages_.rbegin()) {
      const HsgdState& next = std::prev(stage)->state;
      const ArrayXd phi = decay(next, stage->state);
      const ArrayXd fresh = (next.variance - phi.square() * stage->state.variance).cwiseMax(0.0);
      later += gain.square() * fresh;
      gain = share + phi * gain;
    }
    stage->later_gain = gain;
    stage->later_variance = later;
  }
}

std::vector<double> Release::times() const {
  return mapped(stages_, [&](const auto& stage) { return stage.state.time; });
}

JumpWeights Release::weights(const HsgdState& before) const {
  JumpWeights weights{.variance = before.variance, .mean_start = before.mean_start, .mean_truth = before.mean_truth};
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
  const ArrayXd phi = decay(stage->state, before);
  const ArrayXd tail = (stage->state.variance - phi.square() * before.variance).cwiseMax(0.0);

  ArrayXd f = phi, g, diagonal;
  const bool first = stage == stages_.begin();
  if (kind_ == ReleaseKind::average) {
    f = stage->later_gain * phi;
    const ArrayXd past =
        first ? ArrayXd::Zero(phi.size()) : ArrayXd(stage->past_covariance * decay(before, std::prev(stage)->state));
    g = beta * f * before.variance + past;
    // Nothing negative is added: past <= sqrt(variance past_variance) for either sign of beta.
    diagonal = stage->past_variance + 2.0 * beta * past * f +
               f.square() * (beta * beta * before.variance + fresh_noise) + stage->later_gain.square() * tail +
               stage->later_variance;
  } else {
    if (kind_ == ReleaseKind::joint && !first) {
      // Given the previous release X_u the state has a smaller variance and a random mean.
      const HsgdState& previous = std::prev(stage)->state;
      weights.known = decay(before, previous).square() * previous.variance;
      weights.variance = (before.variance - weights.known).cwiseMax(0.0);
    }
    g = beta * phi * weights.variance;
    diagonal = phi.square() * (beta * beta * weights.variance + fresh_noise) + tail;
  }
  const ArrayXd scale = diagonal.rsqrt();  // first, so that variances beyond 1e154 can be squared
  f *= scale;
  g *= scale;
  weights.f2 = f.square();
  weights.fg = f * g;
  weights.g2 = g.square();
  return weights;
}

}  // namespace dpcurves::homogenized
