// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The moment function of one step as integrals of analytic functions. Internal.
///
/// A step compares two laws with densities null and alternative; its privacy loss is l = log(alternative / null), and
///   M(z) = E_alternative[e^{z l}] = atom + sum over pieces of the integral of base(x) e^{z l(x)} dx,
/// base the density of the alternative. Here all densities are normal densities phi times r_m(x) = 1 - q + q e^{m mu x
/// - m^2 mu^2 / 2}, the mixture that has a share q moved by m mu; a piece compares r_a with r_n, on the whole line or
/// on the half line on which its loss has one sign. A pair with another analytic likelihood ratio needs a piece of its
/// own and an envelope of it, nothing else.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::proof {

/// phi r_a^{z+1} r_n^{-z}, integrated over the line, or from (a + n) mu / 2 to infinity.
struct Piece {
  double q = 0.0;     ///< in (0, 1)
  double mu = 0.0;    ///< > 0
  int a = 1;          ///< mean of the alternative, in units of mu
  int n = 0;          ///< mean of the null
  bool half = false;  ///< from (a + n) mu / 2 on
  /// The law is cut off here: far away are humps of the integrand at large orders which no delta in question sees. Both
  /// are finite or, on a line, none; what is cut off is counted by Step::lost.
  double left = -std::numeric_limits<double>::infinity(), right = std::numeric_limits<double>::infinity();
  /// All of the law, or one side of a smooth partition: a share w = erfc((x - middle) / blur) / 2 of it, or 1 - w.
  /// Parts are cut off.
  enum class Part { whole, bulk, rare } part = Part::whole;
  double middle = 0.0, blur = 1.0;
  /// Of a rare part: from about here on it is left out, by a second partition as wide, and counted as lost, or apart.
  double fade = std::numeric_limits<double>::infinity();
  bool apart = false;
  /// Losses are measured from the largest, -log(1 - q): where the alternative is not moved, a = 0.
  bool from_top = false;

  /// Of a moved null: about the logarithm of the largest 1 / r, where losses are measured from zero or the top.
  [[nodiscard]] double largest_loss() const { return from_top ? 0.0 : -std::log1p(-q); }
  /// The mass that the alternative has right of x, on the line.
  [[nodiscard]] rigorous::Real beyond(const rigorous::Real& x) const;
  /// The law without ends and parts, on the line.
  [[nodiscard]] Piece unbounded() const;
  [[nodiscard]] int side() const { return a > n ? 1 : -1; }  ///< Im l >= 0 where Im x has this sign
  [[nodiscard]] int steepest() const;                        ///< the larger of |a| and |n|
  /// Im x below which log r_a and log r_n are principal logarithms and Im l keeps its sign, times mu.
  [[nodiscard]] double highest() const;
  [[nodiscard]] bool fades() const { return fade < std::numeric_limits<double>::infinity(); }
  [[nodiscard]] bool cut() const { return right < std::numeric_limits<double>::infinity(); }
  /// Whether all of a law that is cut off lies so far right of the branch points, |v| >= 4 (1 - q) for means moved to
  /// the right and <= (1 - q) / 4 for others, that log r has none at any height and Im l grows with it.
  [[nodiscard]] bool beyond_branches() const;
};

/// A step: its pieces, the mass of loss 0, and how often it is composed.
struct Step {
  std::vector<Piece> pieces;
  bool has_atom = false;
  Pair pair = Pair::poisson_remove;
  double q = 0.0, mu = 0.0, count = 0.0;

  [[nodiscard]] rigorous::Real atom() const;
  [[nodiscard]] double approximate_atom() const;
  /// The mass of the alternative beyond the cuts.
  [[nodiscard]] rigorous::Real lost() const;
  /// The mass that bulks leave to the other side of their partitions, under the alternative or the null.
  [[nodiscard]] rigorous::Real parted(bool alternative) const;
  /// The largest loss, -log(1 - q) where the alternative is not moved, else infinite.
  [[nodiscard]] bool bounded() const { return pair == Pair::poisson_add || pair == Pair::fixed_size_add; }
};

/// The pieces of a pair.
[[nodiscard]] Step step_of(const SubsampledGaussian& component);

/// Where a piece is integrated: x(s) for real s between first and first + count h, nodes in the middle of the cells.
///   line: x = s + i side d + i side slope tau log(1 + e^{(s - bend) / tau}), horizontal where slope = 0;
///   half: x = x0 + scale log(1 + e^{s + i side d}) + the same, tau <= 1.
/// The integrand is analytic for Im s between -down and up. All numbers are exact.
struct Path {
  double d = 0.0, slope = 0.0, tau = 1.0, bend = 0.0, scale = 1.0;
  double up = 0.0, down = 0.0;
  double h = 0.0, first = 0.0;
  long count = 0;
  /// How far the ends of the integral are bounded cell by cell, in units of Re x; beyond, by the decay of phi.
  double reach_left = 0.0, reach_right = 0.0;
  friend bool operator==(const Path&, const Path&) = default;
};

/// The share that the part of a piece has of its law at x.
[[nodiscard]] rigorous::Complex share(const Piece& piece, const rigorous::Complex& x);
/// At least log of its modulus where Re x is between the two and |Im x| at most y: |erfc(a + ib)| <= e^{b^2} erfc(a),
/// and = |2 - erfc(-a - ib)|. Trusted: IEEE arithmetic, and that erfc, exp, log and log1p of the C library are off by
/// less than four units of 2^-53.
[[nodiscard]] double log_share(const Piece& piece, double x_low, double x_high, double y);
/// The same on the ball x.
[[nodiscard]] double log_share(const Piece& piece, const rigorous::Complex& x);
/// About the same in doubles.
[[nodiscard]] double log_share(const Piece& piece, std::complex<double> x);

/// l, log of base dx/ds without the share of a part, and x at a point s of the strip; every number of the ball s is
/// covered.
struct PathPoint {
  rigorous::Complex loss, log_base, x;
};
/// In balls, at the precision that holds when it is made.
class Evaluation {
 public:
  Evaluation(const Piece& piece, const Path& path);
  [[nodiscard]] PathPoint operator()(const rigorous::Complex& s) const;

 private:
  struct Mixture {
    Mixture(const Piece& p, int times);
    /// log r_m(x), or log (r_m(x) / (1 - q)) for losses from the top, continued from the real line.
    [[nodiscard]] rigorous::Complex log_at(const rigorous::Complex& x) const;
    int m;
    bool from_top;
    double odds;                                         // log((1 - q) / q), to choose a form
    rigorous::Real mean, shift, q, above, below, front;  // (1 - q) / q and its inverse; log of the factor of e^u
  };
  bool half_, bent_;
  Mixture alternative_, null_;
  rigorous::Real height_, scale_, begin_, bend_, tau_, slope_, front_;
};
[[nodiscard]] PathPoint evaluate(const Piece& piece, const Path& path, const rigorous::Complex& s);

/// The same in doubles, for planning; the base counts the share of a part by its modulus.
struct PlainPoint {
  std::complex<double> loss, log_base, x;
};
/// In doubles. One thread at a time: sines and cosines are kept while an angle stays.
class PlainEvaluation {
 public:
  PlainEvaluation(const Piece& piece, const Path& path);
  [[nodiscard]] PlainPoint operator()(std::complex<double> s);

 private:
  class Turn {
   public:
    void to(double angle) {
      if (angle != angle_) {
        angle_ = angle;
        half_sine_ = std::sin(0.5 * angle);
        half_cosine_ = std::cos(0.5 * angle);
      }
    }
    [[nodiscard]] double versed() const { return 2.0 * half_sine_ * half_sine_; }  ///< 1 - cos
    [[nodiscard]] double cosine() const { return 1.0 - versed(); }
    [[nodiscard]] double sine() const { return 2.0 * half_sine_ * half_cosine_; }

   private:
    double angle_ = 0.0, half_sine_ = 0.0, half_cosine_ = 1.0;
  };
  struct Mixture {
    Mixture(const Piece& p, int times);
    [[nodiscard]] std::complex<double> log_at(std::complex<double> x);
    double mean, q, above, odds, front;  // above: (1 - q) / q, odds: its logarithm; front: of the factor of e^u
    bool from_top;
    Turn turn;
  };
  Piece piece_;
  Path path_;
  Mixture alternative_, null_;
  Turn half_, bend_;
  double begin_, log_scale_;
};
[[nodiscard]] PlainPoint evaluate(const Piece& piece, const Path& path, std::complex<double> s);

}  // namespace dpcurves::accounting::proof
