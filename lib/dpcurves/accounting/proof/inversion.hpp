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

#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// A contour with its values; serves every threshold, best those near plan.epsilon.
class Inversion {
 public:
  /// \param problem  outlives this. \throws ConvergenceError  if the plan proves nothing.
  Inversion(const Problem& problem, const Plan& plan);

  /// A ball with delta(epsilon), or with 1 - delta(epsilon) where plan.c < 0. \param epsilon  exact.
  [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const;
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] long nodes() const { return nodes_; }

  /// log |value| and its derivative in epsilon, in doubles: where to look.
  struct Approximate {
    double log_value, slope;
  };
  [[nodiscard]] Approximate approximate(double epsilon) const;

 private:
  struct Disc {  // of a displaced contour: the integrand's share is at most e^{log_size - re epsilon + radius |shift|}
    double log_size, re, radius;
    double inflation;  ///< about how much of log_size is due to the radius
  };
  [[nodiscard]] rigorous::Complex contour(const rigorous::Complex& t) const;
  [[nodiscard]] Disc disc(const rigorous::Complex& t, const rigorous::Real& weight) const;
  /// log of a disc's share of the strip at a threshold, about.
  [[nodiscard]] double contribution(const Disc& d, double epsilon) const;
  void cover(const rigorous::Real& begin, const rigorous::Real& end, const rigorous::Real& height,
             const rigorous::Real& weight, int depth);
  [[nodiscard]] rigorous::Real strip(const rigorous::Real& epsilon) const;

  const Problem& problem_;
  Plan plan_;
  std::vector<std::vector<std::shared_ptr<const Integral>>> integrals_, tails_;
  std::vector<rigorous::Real> atoms_;
  rigorous::Real lost_;  // at least the mass of the alternative that was cut off
  std::vector<rigorous::Complex> z_, value_;  // nodes; M(z) z' h / (2 pi i z (z + 1)), doubled but for the first
  std::vector<std::complex<double>> plain_z_, plain_value_;  // the same in doubles, values over e^{plain_scale_}
  double plain_scale_ = 0.0;
  std::vector<Disc> discs_;                   // of the displaced contours and of the caps
  rigorous::Real tail_, tail_re_;
  rigorous::Real total_mean_;
  double negligible_ = 0.0;  ///< log of a contribution that no disc is split for
  long nodes_ = 0;
};

}  // namespace dpcurves::accounting::proof
