// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The privacy profile of one direction as a bound on attacks: what was asked of it, and the lines that follow.
///
/// D(x) = delta(log x) is convex and falls, D(0) = 1, D >= 1 - x. For every event E and every x, P(E) <= D(x) + x Q(E):
/// the largest power at false positive rate a is T(a) = min over x of D(x) + a x. Each x gives an upper end. Chords
/// through known points, extended, lie below D: the corners of the largest of them give the lower end.
///
/// Proofs: docs/theory/attack/dual.md. Source: Dong, Roth and Su, "Gaussian differential privacy" (2022), Prop. 6.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::attack {

/// A bound of D at one x: a line a -> value + a x above or below T.
struct Corner {
  double epsilon = 0.0;    ///< log x; for corners between points rounded down
  double value = 0.0;      ///< D(x), rounded to the side
  double less_one = -1.0;  ///< x - 1, rounded to the side

  /// value + a (x - 1), in doubles: T(a) - a.
  [[nodiscard]] double excess(double false_positive_rate) const;
};

/// What known points of D prove about T and about all of D.
struct Envelope {
  std::vector<Corner> above;  ///< each line lies above T; rising x
  std::vector<Corner> below;  ///< the least of these lines lies below T; rising x

  /// T(a) - a. \param false_positive_rate  a in [0, 1].
  [[nodiscard]] Enclosure excess(double false_positive_rate) const;
  /// The least a with T(a) >= recall: max over x of (recall - D(x)) / x, at least 0. \param recall  in [0, 1].
  [[nodiscard]] Enclosure false_positive_rate(double recall) const;
  /// min over x < e^odds of D(x) / (1 - x e^-odds). \param odds  finite.
  [[nodiscard]] Enclosure tail(double odds) const;
  /// The integral of T over [0, 1].
  [[nodiscard]] Enclosure area() const;
};

/// One direction of a guarantee, asked again and again by one thread; remembers every answer.
class Profile {
 public:
  /// \param deltas  brackets of delta at any real epsilon and at infinity.
  explicit Profile(accounting::DeltaQuestions deltas);
  /// Keeps the curve alive. \throws DomainError  for null.
  explicit Profile(const accounting::CurvePtr& curve);

  /// delta at an epsilon. Errors as the curve's.
  [[nodiscard]] Enclosure delta(double epsilon);
  /// Asks what is not known yet, in one batch.
  void ask(std::span<const double> epsilons);
  /// The answers at finite epsilons, at least one. Cost: 5 us for each.
  [[nodiscard]] Envelope envelope() const;
  /// The mu of the Gaussian mechanism with the same delta(0), not proved: the scale on which epsilons matter.
  [[nodiscard]] double scale();

 private:
  accounting::DeltaQuestions deltas_;
  std::map<double, Enclosure> known_;
};

/// A number that is a minimum (or maximum) over x of a formula in x and D(x), quasi-convex (-concave) in x.
struct Optimum {
  std::function<double(double epsilon, double delta)> objective;  ///< to be minimised; any double
  std::function<Enclosure(const Envelope&)> ends;                 ///< both ends of the number
  double start = 0.0;                                             ///< an epsilon near the optimum; proves nothing
  double largest = 0.0;                                           ///< epsilons beyond are of no use
};

/// Looks for the x, then asks around it until the bracket is narrow or nothing is gained.
/// \param relative  wanted relative width. Cost: 25 to 60 questions.
[[nodiscard]] Enclosure solve(Profile& profile, const Optimum& optimum, double relative);

}  // namespace dpcurves::attack
