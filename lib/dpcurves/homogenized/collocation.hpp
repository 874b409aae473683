// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Exponential collocation: steps, nodes and weights of the integrals over one step that Volterra equations need.
///
/// With a kernel that is a sum of exponentials in tau = Gamma(t), one step advances every exponential exactly; only
/// the source is interpolated, at Lobatto nodes. Pieces on which gamma stays away from 0 are stepped in tau, and the
/// source gamma P is interpolated there. Where gamma touches 0 it behaves like a square root of tau, so these pieces
/// are stepped in t: only P is interpolated and gamma^2 is integrated by Gauss-Legendre with the exponential.
#pragma once

#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/schedule.hpp>

namespace dpcurves::homogenized {

/// Nodes of the Lobatto rule on [0, 1] and the monomial coefficients of its Lagrange basis.
struct LobattoBasis {
  Eigen::ArrayXd nodes;          ///< shape (q), first 0 and last 1
  Eigen::MatrixXd coefficients;  ///< shape (q x q): row j holds the coefficients of L_j by rising power
};
/// \throws DomainError  unless 2 <= q <= 6.
[[nodiscard]] const LobattoBasis& lobatto_basis(int q);

/// One step of a grid.
struct CollocationStep {
  double begin = 0.0;       ///< times t
  double end = 0.0;         ///< > begin
  double tau_begin = 0.0;   ///< Gamma(begin)
  double tau_length = 0.0;  ///< Gamma(end) - Gamma(begin)
  bool in_time = false;     ///< the nodes are Lobatto in t, else in tau
  Eigen::ArrayXd times;     ///< shape (q)
  Eigen::ArrayXd factors;   ///< shape (q): what the source P is multiplied by before it is interpolated (gamma, or 1)
};

/// Decay and weights at one place within a step, for a list of rates.
///
/// integral over [begin, place] of exp(-rate (Gamma(place) - Gamma(s))) gamma(s)^2 P(s) ds
///   = sum_j weights(rate, j) factors_j P(times_j).
struct StepWeights {
  Eigen::ArrayXd decay;     ///< shape (rates): exp(-rate (Gamma(place) - Gamma(begin)))
  Eigen::ArrayXXd weights;  ///< shape (rates x q)
};

/// \param fraction  place within the step in (0, 1]: of tau, or of t if the step is in time.
[[nodiscard]] StepWeights step_weights(const models::Schedule& schedule, const CollocationStep& step, int q,
                                       double fraction, const Eigen::ArrayXd& rates);

/// A grid on [0, horizon], broken at the kinks of the schedule; intervals where gamma vanishes have no step.
///
/// \param fastest     largest rate; pieces where it times Gamma exceeds 50 are graded: steps double towards the end.
/// \param resolution  steps per doubling; a piece without grading has 4 resolution steps.
[[nodiscard]] std::vector<CollocationStep> collocation_grid(const models::Schedule& schedule, double horizon,
                                                            double fastest, int q, int resolution);

/// The step that holds t, and the place within it; a time in an interval where gamma vanishes is the end of the step
/// before. \throws DomainError  if there is no step at or before t.
struct StepPlace {
  std::size_t step = 0;   ///< index into the grid
  double fraction = 0.0;  ///< in [0, 1]
};
/// \param t  any time of the schedule.
[[nodiscard]] StepPlace place_of(const models::Schedule& schedule, const std::vector<CollocationStep>& grid, double t);

}  // namespace dpcurves::homogenized
