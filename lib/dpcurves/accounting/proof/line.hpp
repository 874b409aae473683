// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A trapezoidal sum along a straight upright line, with the error that Poisson's summation formula gives. Internal.
///
/// Proof: Lemma 9 of docs/theory/accountant/proof.md; what is summed is up to Upright and Rare.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <dpcurves/accounting/proof/inversion.hpp>
#include <dpcurves/rigorous/two_doubles.hpp>

namespace dpcurves::accounting::proof {

/// delta of a composition.
class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  /// Large losses that the line leaves out: their chances under both laws, and what the sum 1 - e^{epsilon - L} over
  /// them may be short of, up to a threshold.
  struct Apart {
    rigorous::Real here, there, over;
    double most = 0.0;
    /// What they add to delta.
    [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const;
  };

  /// A ball with delta(epsilon). \param epsilon  exact. Cost: 30 ns for each node.
  [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const;
  /// Unproved.
  [[nodiscard]] Approximate approximate(double epsilon) const;
  /// The real part of the line.
  [[nodiscard]] double order() const { return c_; }

 protected:
  static constexpr slong value_bits = 128;
  /// c + i k h
  [[nodiscard]] rigorous::Complex at_node(long k) const;
  /// Adds the second row to the first; widens a row.
  static void add_row(const std::vector<rigorous::Complex>& more, std::vector<rigorous::Complex>& row);
  static void add_error(const rigorous::Real& error, std::vector<rigorous::Complex>& row);
  /// \param transform  F at the nodes. \throws ConvergenceError  if it is beyond the range of doubles.
  void set_values(const std::vector<rigorous::Complex>& transform);
  /// Of the terms. \param epsilon  measured from top_.
  [[nodiscard]] rigorous::Real sum(const rigorous::Real& epsilon) const;
  /// With all errors. \param epsilon  both measured from top_.
  [[nodiscard]] rigorous::Real complete(const rigorous::Real& sum, const rigorous::Real& epsilon) const;

  double c_ = 0.0, beyond_ = 0.0, h_ = 0.0;  ///< the line, the order of the bound on aliasing, the distance of nodes
  long n_ = 0;                               ///< nodes c + i k h, |k| <= n
  rigorous::Real top_;                       ///< losses and thresholds are measured from here
  rigorous::Real mass_{1};                   ///< of what is summed; without the null's, at least that
  std::optional<rigorous::Real> null_mass_;  ///< at least the mass of the null where that is, times e^top
  rigorous::Real lost_, tail_, aliased_;     ///< the last two times e^{c epsilon} and e^{beyond epsilon}
  double bulk_order_ = 0.0;                  ///< what is not summed is at most bulk e^{-bulk_order epsilon}
  rigorous::Real bulk_;
  std::optional<Apart> apart_;
  std::unique_ptr<const Line> besides_;  ///< for the rest of the laws, but for what is lost

 private:
  /// e^{-i h epsilon}
  [[nodiscard]] rigorous::TwoDoubles turn(const rigorous::Real& epsilon) const;

  rigorous::Real scale_;                      // the largest of the moduli
  std::vector<rigorous::TwoDoubles> values_;  // h F(z) / (pi z (z + 1)) over it, half of that at k = 0
};

}  // namespace dpcurves::accounting::proof
