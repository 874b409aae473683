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

/// base to the power of a whole number below 2^53, which is exact.
[[nodiscard]] rigorous::Real power(const rigorous::Real& base, double count);
/// See above.
[[nodiscard]] rigorous::Complex power(const rigorous::Complex& base, double count);

/// Where to look: log |value| and its derivative in epsilon, in doubles.
struct Approximate {
  double log_value, slope;
};

/// The real part of a sum of v e^{-z epsilon}, in doubles.
class PlainSum {
 public:
  PlainSum() = default;
  PlainSum(const std::vector<rigorous::Complex>& z, const std::vector<rigorous::Complex>& value);
  /// A ball. Accuracy: a few units of 2^-53 of the sum of moduli.
  [[nodiscard]] rigorous::Real at(double epsilon) const;
  /// Unproved.
  [[nodiscard]] Approximate approximate(double epsilon) const;

 private:
  double c_ = 0.0, scale_ = 0.0;                       // values are over e^{scale}, orders less c
  std::vector<double> z_re_, z_im_, re_, im_, error_;  // the last: how far a value is off
};

/// A contour with its values; serves every threshold, best those near plan.epsilon.
class Inversion {
 public:
  /// \param problem  outlives this. \throws ConvergenceError  if the plan proves nothing.
  Inversion(const Problem& problem, const Plan& plan);

  /// A ball with delta(epsilon), or with 1 - delta(epsilon) where plan.c < 0. \param epsilon  exact.
  [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const;
  /// The same in doubles with a bound of their roundings, a hundred times faster and some 14 digits at most.
  [[nodiscard]] rigorous::Real quick(double epsilon) const;
  /// The trapezoidal sum alone, without the errors of the contour.
  [[nodiscard]] rigorous::Real sum(const rigorous::Real& epsilon) const;
  /// The bound of its discretisation, from the strip.
  [[nodiscard]] rigorous::Real strip(const rigorous::Real& epsilon) const;
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] long nodes() const { return nodes_; }

  /// Unproved.
  [[nodiscard]] Approximate approximate(double epsilon) const { return plain_.approximate(epsilon); }

 private:
  struct Disc {  // of a displaced contour: the integrand's share is at most e^{log_size - re epsilon + radius |shift|}
    double log_size, re, radius;
    double inflation;  ///< about how much of log_size is due to the radius
  };
  void require_no_pole() const;
  void integrate();
  /// The share of node k, at z. \param quick  in doubles, where their error is enough.
  [[nodiscard]] rigorous::Complex term(long k, const rigorous::Complex& z, bool quick) const;
  /// \returns the radius that the plan's digits leave to a node, at the threshold of the plan.
  rigorous::Real sum_nodes();
  /// The cells of the nodes on both sides of the strip, and its caps.
  void cover_strip();
  /// What lies above the last half step.
  void bound_ray();
  [[nodiscard]] rigorous::Complex contour(const rigorous::Complex& t) const;
  [[nodiscard]] Disc disc(const rigorous::Complex& t, const rigorous::Real& weight) const;
  /// log of a disc's share of the strip at a threshold, about.
  [[nodiscard]] double contribution(const Disc& d, double epsilon) const;
  void cover(const rigorous::Real& begin, const rigorous::Real& end, const rigorous::Real& height,
             const rigorous::Real& weight, int depth);
  [[nodiscard]] rigorous::Real complete(const rigorous::Real& sum, const rigorous::Real& epsilon) const;

  const Problem& problem_;
  Plan plan_;
  std::vector<std::vector<std::shared_ptr<const Integral>>> integrals_, tails_;
  std::vector<rigorous::Real> atoms_;
  rigorous::Real lost_;                       // at least the mass of the alternative that was cut off
  std::vector<rigorous::Complex> z_, value_;  // nodes; M(z) z' h / (2 pi i z (z + 1)), doubled but for the first
  PlainSum plain_;
  std::vector<Disc> discs_;  // of the displaced contours and of the caps
  rigorous::Real tail_, tail_re_;
  rigorous::Real total_mean_;
  double negligible_ = 0.0;  ///< log of a contribution that no disc is split for
  long nodes_ = 0;
};

}  // namespace dpcurves::accounting::proof
