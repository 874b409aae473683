// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What is released of a run of noisy HSGD, and what it shows of the record used at time s.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", Theorems 4.3 (last iterate), 4.4 (several iterates) and 4.5 (their average). The joint
/// release and the average use the covariance of releases before and after s with the factor C_i of the jump, which
/// the printed (18) omits.
#pragma once

#include <vector>

#include <Eigen/Core>

#include <dpcurves/homogenized/neighbouring_laws.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// The law of linear HSGD at one time, without the difference of a record.
struct HsgdState {
  double time = 0.0;        ///< t, in units of d steps
  double integral = 0.0;    ///< Gamma(time)
  double step_size = 0.0;   ///< eta(time)
  Eigen::ArrayXd variance;  ///< of a coordinate of each block, shape (blocks)
  /// The mean is mean_start x0 + mean_truth xtilde, shape (blocks) each; mean_start = Phi(time, 0).
  Eigen::ArrayXd mean_start;
  Eigen::ArrayXd mean_truth;  ///< the part of the mean that the truth has
};

/// What of a run is shown.
enum class ReleaseKind {
  last_iterate,  ///< the iterate at one time
  joint,         ///< all release times together
  joint_suffix,  ///< (20) as printed: only the releases after s, which equals the first of them; a lower bound
  average        ///< the mean of the iterates at the release times
};

/// One release. Immutable; weights() may be called from several threads.
class Release {
 public:
  /// \param states  at the release times, ascending in time, at least one; exactly one for last_iterate.
  /// \throws DomainError otherwise.
  Release(const models::LeastSquares& problem, ReleaseKind kind, std::vector<HsgdState> states);

  /// What is released.
  [[nodiscard]] ReleaseKind kind() const { return kind_; }
  /// A record used after this time leaves no trace.
  [[nodiscard]] double last_time() const { return stages_.back().state.time; }
  /// The release times: as a function of s the loss jumps there.
  [[nodiscard]] std::vector<double> times() const;

  /// Cost: O(blocks); an exponential per block only where the contraction since the start exceeds exp(-40).
  [[nodiscard]] JumpWeights weights(const HsgdState& before) const;

 private:
  struct Stage {  // one release time t_l, for s in (t_{l-1}, t_l]
    HsgdState state;
    Eigen::ArrayXd later_gain;       // sum over j >= l of Phi(t_j, t_l) / J
    Eigen::ArrayXd later_variance;   // of the average of the releases from t_l on, X_{t_l} fixed
    Eigen::ArrayXd past_variance;    // of the share of the releases before t_l in the average
    Eigen::ArrayXd past_covariance;  // of that share with X_{t_{l-1}}
  };
  [[nodiscard]] Eigen::ArrayXd decay(const HsgdState& later, const HsgdState& earlier) const;  // Phi
  void prepare_average();

  ReleaseKind kind_;
  double regularisation_ = 0.0;
  double noise_ = 0.0;
  Eigen::ArrayXd rate_;  // lambda + delta
  double fastest_ = 0.0;
  std::vector<Stage> stages_;
};

}  // namespace dpcurves::homogenized
