// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A trapezoidal sum along a straight upright line, with the error that Poisson's summation formula gives. Internal.
///
/// Proof: Lemma 9 of docs/theory/accountant/proof.md; what is summed is up to Upright and Rare.
#pragma once

#include <vector>

#include <dpcurves/accounting/proof/inversion.hpp>

namespace dpcurves::accounting::proof {

/// delta of a composition.
class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  /// Does what more work allows for more digits. \param most_terms  as for a new line.
  virtual void sharpen(double /*most_terms*/) {}
  /// A ball with delta(epsilon). \param epsilon  exact.
  [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const;
  /// See Inversion.
  [[nodiscard]] rigorous::Real quick(double epsilon) const;
  /// Unproved.
  [[nodiscard]] Approximate approximate(double epsilon) const {
    return plain_.approximate((rigorous::Real(epsilon) - top_).middle());
  }
  /// The real part of the line.
  [[nodiscard]] double order() const { return c_; }

 protected:
  static constexpr slong value_bits = 128;
  /// Of the terms, with bits_. \param epsilon  measured from top_.
  [[nodiscard]] rigorous::Real sum(const rigorous::Real& epsilon) const;
  /// With all errors. \param epsilon  both measured from top_.
  [[nodiscard]] rigorous::Real complete(const rigorous::Real& sum, const rigorous::Real& epsilon) const;
  /// Sets h F(z) / (pi z (z + 1)) of the next node.
  void add_node(long node, const rigorous::Complex& z, const rigorous::Complex& f);

  double c_ = 0.0, beyond_ = 0.0, h_ = 0.0;  ///< the line, the order of the bound on aliasing, the distance of nodes
  long n_ = 0;                               ///< nodes c + i k h, |k| <= n
  slong bits_ = value_bits;
  std::vector<rigorous::Complex> z_, value_;  ///< h F(z) / (pi z (z + 1)), half of it at k = 0
  PlainSum plain_;
  rigorous::Real top_;                    ///< losses and thresholds are measured from here
  rigorous::Real mass_{1};                ///< at least that of what is summed
  rigorous::Real lost_, tail_, aliased_;  ///< the last two times e^{c epsilon} and e^{beyond epsilon}
  double bulk_order_ = 0.0;               ///< what is not summed is at most bulk e^{-bulk_order epsilon}
  rigorous::Real bulk_;
};

}  // namespace dpcurves::accounting::proof
