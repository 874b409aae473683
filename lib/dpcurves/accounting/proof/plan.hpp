// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Where a composition is inverted: heuristics in doubles that prove nothing and are trusted by nothing. Internal.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

/// Steps and one Gaussian mechanism of total mu.
struct Problem {
  std::vector<Step> steps;
  rigorous::Real gaussian_square;  ///< mu^2 of the Gaussian part
  double gaussian_mu = 0.0;        ///< about its root

  [[nodiscard]] double total_count() const;
  /// Laws without the parts whose mass under the alternative is below e^{log_mass}.
  [[nodiscard]] Problem cut(double log_mass) const;
  /// The losses of records added to Poisson batches measured from their largest, at orders where that is most of them.
  [[nodiscard]] Problem from_top() const;
  /// What from_top() leaves out: of losses from the top, T times the largest.
  [[nodiscard]] rigorous::Real top() const;
};

/// A part of a piece's law: right of a smooth edge, cut off on both sides; and a path for its moment above a contour.
struct FarPart {
  std::size_t piece = 0;
  double middle = 0.0, blur = 1.0, left = 0.0, right = 0.0;
  double reference = 0.0;  ///< about log of its moment on the real line
  Path path;
  [[nodiscard]] Piece of(const Step& step) const;
  friend bool operator==(const FarPart&, const FarPart&) = default;
};

/// The contour z(t) = c + scale (bend (cosh t - 1) + i sinh t), a trapezoidal sum with nodes k h, |k| <= n, in the
/// strip -down < Im t < up; beyond it the vertical ray from its last half step. All numbers are exact.
struct Plan {
  double c = 1.0, scale = 1.0, bend = 0.0;
  double up = 0.0, down = 0.0, h = 0.0;
  long n = 0;
  double width = 1.0;                           ///< of the integrand on the line through c
  double epsilon = 0.0;                         ///< the threshold it was made for
  std::vector<std::vector<Path>> paths, tails;  ///< of each step and piece
  std::vector<std::vector<FarPart>> far;        ///< of each step, for the ray in place of tails; or none
  std::vector<double> reference, mean;          ///< of each step: log M(c), and its mean loss under the tilted law
  double wanted = 0.0;                          ///< delta is wanted to a relative e^{-wanted}
  double digits = 0.0;                          ///< and M to e^{-digits}
  long bits = 128;
  double work = 0.0;  ///< expected cost in complex exponentials
  friend bool operator==(const Plan&, const Plan&) = default;
  /// Whether the ray is bounded along tails alone.
  [[nodiscard]] bool whole() const;
};

/// K(c), K'(c), K''(c), with the logarithm of the moment of every step.
struct Cumulant {
  double k = 0.0, first = 0.0, second = 0.0;
  std::vector<double> each, mean;
};
/// At a real order, in doubles.
[[nodiscard]] Cumulant cumulant(const Problem& problem, double c);

/// At most by how much log |F| falls from c to c + i y, about: what decays too slowly is not asked at all.
class MostFall {
 public:
  /// \param at  the cumulant at c.
  MostFall(const Problem& problem, double c, const Cumulant& at);
  [[nodiscard]] double operator()(double y) const;

 private:
  struct Tilted {
    double count;
    std::vector<std::pair<double, double>> terms;  // half of the squares of losses from their mean, weights
  };
  double gaussian_mu_;
  std::vector<Tilted> laws_;
};

/// log of the integral of the integrand's modulus over the upright line through c, about.
[[nodiscard]] double log_modulus(const Problem& problem, double c, double epsilon);

/// c, or before it the largest order at which the edges of cut laws stay below what is wanted: digits of e^{log_value}.
[[nodiscard]] double before_edges(const Problem& problem, double c, double epsilon, double digits, double log_value);

/// The point of the real line through which a contour for the threshold goes: the saddle point of
/// K(c) - c epsilon - log |c (1 + c)|, right of 0 or, `middle`, between -1 and 0.
[[nodiscard]] double saddle(const Problem& problem, double epsilon, bool middle);

/// The same for the threshold at which delta (or 1 - delta, `middle`) is about e^{log_value}; and that threshold.
struct Guess {
  double c = 1.0, epsilon = 0.0;
};
/// By the saddle point's estimate. \param seen  laws are cut off where masses are below this power of the value: 1/2
/// leaves out what is so rare that two of its losses are not seen.
[[nodiscard]] Guess guess(const Problem& problem, double log_value, bool middle, double seen = 1.0);

/// About log delta (or log(1 - delta), `middle`) at a threshold: the saddle point's estimate.
[[nodiscard]] double log_estimate(const Problem& problem, double epsilon, bool middle);

/// A contour through c that gives delta to a relative e^{-digits}. \throws ConvergenceError  if none is short enough.
/// \param most_work  complex exponentials that it may cost, 0.1 us each where doubles suffice.
/// \param parts  whether large losses may be bounded by themselves above it.
[[nodiscard]] Plan make_plan(const Problem& problem, double c, double epsilon, double digits, double most_work = 1e6,
                             bool parts = true);

/// log |delta| (or |delta - 1|) in doubles, with d/d epsilon of that.
struct Rough {
  double log_value = 0.0, slope = 0.0;
};

}  // namespace dpcurves::accounting::proof
