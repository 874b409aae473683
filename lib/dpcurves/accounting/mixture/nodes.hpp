// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Moments of one piece with proved errors. Internal.
///
/// M(z) = E_alternative[e^{z l}] is a sum of Gauss-Legendre rules on panels, with errors from the supremum on Bernstein
/// ellipses. Proof: docs/theory/accountant/mixtures.md.
#pragma once

#include <cstddef>
#include <vector>

#include <dpcurves/accounting/mixture/bends.hpp>

namespace dpcurves::accounting::mixture {

/// What M(z) is asked for: Re z = order or, real z only, `other`; 0 <= Im z <= top.
struct Orders {
  double order = 1.0, other = 1.0, top = 0.0;
  bool exact = false;  ///< in balls, slower: more digits than doubles have
};

/// Nodes of one piece. Weights and bounds are over e^{reference}.
class Nodes {
 public:
  /// \param reference  about log M(order). \param bend  for beyond(). \throws ConvergenceError  if too many panels are
  /// needed.
  Nodes(const Piece& piece, const Range& range, const Orders& orders, double reference, const Bend& bend);

  /// Number of nodes.
  [[nodiscard]] double size() const { return static_cast<double>(loss_.size()); }
  /// e^{-reference} times the piece of M(order + i y). \param y  exact.
  [[nodiscard]] rigorous::Complex at(double y) const;
  /// At least e^{-reference} times the piece at the real order `other`.
  [[nodiscard]] rigorous::Real at_other() const;
  /// At least the modulus at order + i w for all w >= y, over e^{reference}: along the bend, where Im l >= 0 there.
  [[nodiscard]] rigorous::Real beyond(double y) const;
  /// Over e^{reference}: at least the piece of M(order), of E[(l - m)^2 e^{order l}], and that of E[(l - m) e^{order
  /// l}].
  struct Spread {
    rigorous::Real mass, first, square;
  };
  [[nodiscard]] Spread spread(double m) const;

 private:
  void panels(double begin, double end);
  void panel(const rigorous::Real& begin, const rigorous::Real& end, int depth);
  [[nodiscard]] rigorous::Real shifted(double y) const;

  rigorous::Real log_of_weight_;
  LogMixture alternative_, null_;
  Range range_;
  Orders orders_;
  double reference_;
  Bend bend_;
  std::size_t before_bend_ = 0;            ///< nodes
  std::vector<double> loss_, log_weight_;  ///< of the nodes
  std::vector<double> loss_error_, log_error_;
  std::vector<rigorous::Real> exact_loss_, exact_weight_;
  rigorous::Real error_, other_error_, square_error_;
};

}  // namespace dpcurves::accounting::mixture
