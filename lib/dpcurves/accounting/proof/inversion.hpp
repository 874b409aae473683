// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of a composition by a contour, proved in ball arithmetic. Internal.
///
/// For c > 0, delta(epsilon) = 1 / (2 pi i) times the integral of M(z) e^{-z epsilon} / (z (z + 1)) over Re z = c, and
/// for -1 < c < 0 the same integral is delta(epsilon) - 1. The line is moved to the contour of a Plan, on which the
/// trapezoidal rule has an error that the modulus of the integrand on two displaced contours bounds. Proofs:
/// docs/theory/accountant/proof.md.
#pragma once

#include <memory>
#include <vector>

#include <dpcurves/accounting/proof/contour_sum.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/accounting/proof/step_moment.hpp>

namespace dpcurves::accounting::proof {

/// What bounds the ray above a contour: a kind of step along the plan's paths for that.
[[nodiscard]] StepMoment tail_moment(const Step& step, const Plan& plan, std::size_t kind);

/// A contour with its values; serves every threshold, best those near plan.epsilon.
class Inversion {
 public:
  /// \param problem  outlives this. \throws ConvergenceError  if the plan proves nothing.
  Inversion(const Problem& problem, const Plan& plan);

  /// What it says at a threshold.
  [[nodiscard]] const ContourSum& says() const { return sum_; }
  /// The same contour for its steps composed other numbers of times; the problem need not outlive them.
  [[nodiscard]] std::shared_ptr<const ContourParts> parts() const { return parts_; }
  /// says().at().
  [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const { return sum_.at(epsilon); }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] long nodes() const { return nodes_; }

 private:
  struct Cell {
    Disc disc;                        ///< without the moments of the steps
    std::vector<double> log_moments;  ///< of each kind of step
    double inflation = 0.0;           ///< about how much of the logarithm of the whole is due to the radius
  };
  void require_no_pole() const;
  void integrate();
  /// Nodes of the paths from balls; false if they are.
  bool refine();
  /// The share of node k, at z, without the moments.
  [[nodiscard]] rigorous::Complex factor(long k, const rigorous::Complex& z) const;
  /// \param value  gets the shares of the nodes. \returns the radius that the plan's digits leave to a node, at the
  /// threshold of the plan.
  rigorous::Real sum_nodes(std::vector<rigorous::Complex>& value);
  /// The cells of the nodes on both sides of the strip, and its caps.
  void cover_strip();
  /// At least log |M(z + i w)| of a kind of step for all w >= 0, large losses by themselves.
  [[nodiscard]] rigorous::Real log_beyond(std::size_t kind, const rigorous::Complex& z) const;
  /// What lies above the last half step.
  void bound_ray();
  [[nodiscard]] rigorous::Complex contour(const rigorous::Complex& t) const;
  /// A rectangle of t.
  struct Patch {
    double begin, end, low, high;
  };
  [[nodiscard]] Cell cell(const Patch& t, double log_weight) const;
  /// log of a disc's share of the strip at a threshold, about.
  [[nodiscard]] double contribution(const Disc& d, double epsilon) const;
  void cover(const Patch& t, double log_weight, int depth);

  const Problem& problem_;
  Plan plan_;
  std::vector<StepMoment> moments_;      ///< of each kind of step
  double g2_low_ = 0.0, g2_high_ = 0.0;  ///< of the Gaussian
  std::vector<double> counts_;
  double mean_ = 0.0;  ///< loss of the tilted laws, about
  std::shared_ptr<ContourParts> parts_;
  ContourSum sum_;
  double negligible_ = 0.0;  ///< log of a contribution that no disc is split for
  long nodes_ = 0;
};

}  // namespace dpcurves::accounting::proof
