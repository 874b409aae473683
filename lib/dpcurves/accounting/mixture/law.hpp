// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Steps whose pairs are one-dimensional mixtures of normal laws, and their moments with proved errors. Internal.
///
/// A piece compares the density weight phi A with weight phi N on [from, infinity), A and N sums of w e^{m x - m^2/2};
/// its loss is l = log A - log N. An atom is a mass at one loss. Outcomes outside [left, right] are cut off and
/// counted. M(z) = E_alternative[e^{z l}] is a sum of Gauss-Legendre rules on panels, with errors from the supremum on
/// Bernstein ellipses. Proof: docs/theory/accountant/mixtures.md.
#pragma once

#include <array>
#include <complex>
#include <limits>
#include <vector>

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::mixture {

/// weight times the normal law of that mean, over the standard normal one.
struct Component {
  rigorous::Real weight, mean;
};
/// A sum of components.
using Mixture = std::vector<Component>;

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

/// One kind of step.
struct Step {
  std::vector<Piece> pieces;
  std::vector<Atom> atoms;
  std::vector<Ramp> ramps;
  std::vector<SampledRamp> sampled_ramps;            ///< which only lattices hold
  rigorous::Real infinite;                           ///< mass of the alternative at an infinite loss
  double count = 1.0;                                ///< a whole number below 2^53
  rigorous::Real dropped_alternative, dropped_null;  ///< masses that the pieces lack
  rigorous::Real unsure;  ///< |M(z)| may be off by this much times 1 + e^{x |loss of an atom|}
};

/// That of -x.
[[nodiscard]] Mixture turned(const Mixture& mixture);

/// The two laws exchanged. \param step  of pieces on the whole line, and atoms of finite losses.
[[nodiscard]] Step reversed(const Step& step);

/// A piece in doubles, for planning: losses and logs of the alternative's density.
class PlainPiece {
 public:
  explicit PlainPiece(const Piece& piece);
  using Complex = std::complex<double>;
  /// {log of the alternative's density, loss} at x.
  [[nodiscard]] std::pair<Complex, Complex> at(Complex x) const;
  /// About log of the alternative's mass right of x (or left of it).
  [[nodiscard]] double log_tail(double x, bool right) const;
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double least_mean() const { return least_; }
  [[nodiscard]] double largest_mean() const { return largest_; }

 private:
  struct Term {
    double log_weight, mean;
  };
  [[nodiscard]] static Complex log_sum(const std::vector<Term>& terms, Complex x);
  std::vector<Term> alternative_, null_;
  double log_weight_, from_, least_, largest_;
};

/// Where a piece is integrated.
struct Range {
  double left, right;
};

/// A path that leaves the real line at `from` and goes on at the height, if that is positive; below the line if losses
/// fall there. `total` is about what bounds moments of far orders along it.
struct Bend {
  double total = 0.0, height = 0.0, from = 0.0;
  bool below = false;
};

/// A Gauss-Legendre rule on [-1, 1], about.
inline constexpr std::size_t rule_size = 32;
/// In doubles.
struct PlainRule {
  std::array<double, rule_size> node, weight;
};
/// For planning.
[[nodiscard]] const PlainRule& plain_rule();

/// At least the alternative's mass of the piece outside the range.
[[nodiscard]] rigorous::Real lost(const Piece& piece, const Range& range);

/// What M(z) is asked for: Re z = order or, real z only, `other`; 0 <= Im z <= top.
struct Orders {
  double order = 1.0, other = 1.0, top = 0.0;
  bool exact = false;  ///< in balls, slower: more digits than doubles have
};

/// log of a mixture over the standard normal law, sum of w e^{m x - m^2/2}, with its largest term apart. On a ball that
/// meets the real line it is the value continued from there; indeterminate where what is left may be -1.
class LogMixture {
 public:
  explicit LogMixture(const Mixture& mixture);
  /// Mean of the term that is taken apart: about the largest at the middle of x.
  [[nodiscard]] double top(const rigorous::Complex& x) const { return terms_[largest(x)].about; }
  [[nodiscard]] rigorous::Complex value(const rigorous::Complex& x) const;  ///< The logarithm itself.
  [[nodiscard]] rigorous::Complex slope(const rigorous::Complex& x) const;  ///< Its derivative.

 private:
  struct Term {
    rigorous::Real mean, log_weight;  // of the weight, less m^2/2
    double about, log_low, log_high;  // of the mean; of log_weight, both ends
  };
  struct Rest {  // of the terms but for the largest, over it: their sum, and that of them times their means' distances
    rigorous::Complex sum, moved;
  };
  [[nodiscard]] std::size_t largest(const rigorous::Complex& x) const;
  [[nodiscard]] Rest rest(const rigorous::Complex& x, std::size_t top, bool moved) const;
  std::vector<Term> terms_;
};

/// log(a / n) at real points, which may be wide balls, and its derivative.
struct LogRatio {
  LogMixture a, n;
  [[nodiscard]] rigorous::Real at(const rigorous::Real& x) const;
  [[nodiscard]] rigorous::Real slope(const rigorous::Real& x) const;
};

/// Nodes of one piece. Weights and bounds are over e^{reference}.
class Nodes {
 public:
  /// \param reference  about log M(order). \param bend  for beyond(). \throws ConvergenceError  if too many panels are
  /// needed.
  Nodes(const Piece& piece, const Range& range, const Orders& orders, double reference, const Bend& bend);

  /// e^{-reference} times the piece of M(order + i y). \param y  exact.
  [[nodiscard]] rigorous::Complex at(double y) const;
  /// At least e^{-reference} times the piece at the real order `other`.
  [[nodiscard]] rigorous::Real at_other() const;
  /// At least the modulus at order + i w for all w >= y, over e^{reference}: along the bend, where Im l >= 0 there.
  [[nodiscard]] rigorous::Real beyond(double y) const;
  /// Over e^{reference}: at least the piece of M(order), at least that of E[(l - m)^2 e^{order l}], about that of E[l
  /// e^{order l}].
  struct Spread {
    rigorous::Real mass, square;
    double first = 0.0;
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
