// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Steps whose pairs are one-dimensional mixtures of normal laws. Internal.
///
/// A piece compares the density weight phi A with weight phi N on [from, infinity), A and N sums of w e^{m x - m^2/2};
/// its loss is l = log A - log N. An atom is a mass at one loss. Outcomes outside [left, right] are cut off and
/// counted. Proof: docs/theory/accountant/mixtures.md.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <dpcurves/accounting/mixture/components.hpp>

namespace dpcurves::accounting::mixture {

/// weight phi A against weight phi N on [from, infinity).
struct Piece {
  rigorous::Real weight{1};
  Mixture alternative, null;
  double from = -std::numeric_limits<double>::infinity();
};

/// A mass of the alternative at one loss.
struct Atom {
  rigorous::Real loss, mass;
};

/// A density factor e^{rate l} of the loss under the alternative, on [low, high].
struct Ramp {
  rigorous::Real low, high, factor, rate;
  /// Its moment at z. \param z  z + rate not 0.
  [[nodiscard]] rigorous::Complex moment(const rigorous::Complex& z) const;
};

/// A ramp after Poisson sampling at the rate: the mixture of both laws against the null, or the reverse.
struct SampledRamp {
  Ramp ramp;
  double rate = 1.0;
  bool reversed = false;
};

/// What is known of components that a null lacks: the mean of e^{(1 + c) loss} over them, c > 0, is at most
/// share M(c) + dropped_null ratio^{1 + c}, M the moment of the step.
struct FarOut {
  rigorous::Real share, ratio;
};

/// One kind of step.
struct Step {
  std::vector<Piece> pieces;
  std::vector<Atom> atoms;
  std::vector<Ramp> ramps;
  std::vector<SampledRamp> sampled_ramps;            ///< which only lattices hold
  rigorous::Real infinite;                           ///< mass of the alternative at an infinite loss
  double count = 1.0;                                ///< a whole number below 2^53
  rigorous::Real dropped_alternative, dropped_null;  ///< masses that the pieces lack
  std::optional<FarOut> far_out;                     ///< of the null's; empty: it may lie anywhere
};

/// The two laws exchanged. \param step  of pieces on the whole line, and atoms of finite losses.
[[nodiscard]] Step reversed(const Step& step);

/// Where a piece is integrated.
struct Range {
  double left, right;
};

/// At least the alternative's mass of the piece outside the range.
[[nodiscard]] rigorous::Real lost(const Piece& piece, const Range& range);

}  // namespace dpcurves::accounting::mixture
