// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Paths of integration in x for what a contour needs: heuristics in doubles that prove nothing. Internal.
#pragma once

#include <complex>
#include <vector>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

/// A complex double.
using Plain = std::complex<double>;

/// What a path must serve: orders z, each with the logarithm below which its integrand is not needed;
/// `few` digits serve the displaced ones.
struct Demand {
  double c = 0.0, reference = 0.0, mean = 0.0, digits = 0.0, few = 0.0;
  std::vector<Plain> exact, rough;  ///< orders on the contour, where all digits are needed, and on the displaced ones
  template <class Act>
  void each(const Act& act) const {
    for (const Plain z : exact) {
      act(z, reference + (z.real() - c) * mean - digits - 3.0);
    }
    for (const Plain z : rough) {
      act(z, reference + (z.real() - c) * mean - few - 3.0);
    }
  }
  [[nodiscard]] double low() const { return extreme(-1.0); }
  [[nodiscard]] double high() const { return extreme(1.0); }

 private:
  [[nodiscard]] double extreme(double sign) const {
    double most = c;
    for (const auto* list : {&exact, &rough}) {
      for (const Plain z : *list) {
        most = sign * z.real() > sign * most ? z.real() : most;
      }
    }
    return most;
  }
};

/// v with `bits` bits, rounded towards zero: short numbers make short proofs.
[[nodiscard]] double round_down(double v, int bits);
/// About the logarithm of the largest value of the integrand on the real line, and of its integral.
[[nodiscard]] double log_peak(const Piece& p, double z);
/// The quadrature errors of real displaced orders are as large as the integrand on the real line: digits for these too.
[[nodiscard]] Demand raised(const Piece& p, Demand d);

/// The path of a piece on a half line, turned by psi at its end.
[[nodiscard]] Path half_path(const Piece& p, const Demand& d, double psi, double up, double down);
/// The path of a piece on the line, horizontal.
[[nodiscard]] Path line_path(const Piece& p, const Demand& d);
/// A horizontal path of a line at height d in a strip of at most +-`strip` around it. \param neg  the power of a
/// mixture that is negative, or 0. \param capped  whether its growth is bounded anyway.
[[nodiscard]] Path low_path(const Piece& p, const Demand& demand, double d, double strip, double neg, bool capped);
/// On the real line: where to sum M at a real order. It is no path of an Integral.
[[nodiscard]] Path real_path(const Piece& p, double z);

}  // namespace dpcurves::accounting::proof
