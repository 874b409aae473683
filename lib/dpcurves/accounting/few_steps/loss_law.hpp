// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The privacy loss of one step of a subsampled Gaussian mechanism, as the inversion sees it. Internal.
///
/// Every pair of laws of accounting::Pair is made of halves. A half is the part of a pair of mixtures
///   alternative (1 - p) N(b, 1) + p N(b + a, 1), null (1 - p) N(b, 1) + p N(b + n, 1)
/// in which the alternative is the more likely one; with L_j the log of a mixture's density over that of N(b, 1), its
/// losses are l = L_a - L_n >= 0. The right half of a pair carries its positive losses; the left half carries, with the
/// two laws exchanged, its negative ones; what is left is an atom at 0. So
///   M(z) = atom + integral over the right half of null e^{(z + 1) l} + integral over the left half of null e^{-z l}.
/// Only this file knows which halves a pair has: a new pair needs its halves, its atom, and nothing else.
///
/// Sources: Bok, Su and Altschuler (2024), Definition 4.7 and Proposition D.4, in parametric form; the other pairs are
/// described at accounting::Pair.
#pragma once

#include <cmath>

#include <dpcurves/accounting/composition.hpp>

namespace dpcurves::accounting::detail {

/// log(1 + p (e^u - 1)), full relative accuracy, no overflow.
template <class Real>
[[nodiscard]] Real log_mixture(const Real& p, const Real& u) {
  using std::exp;
  using std::expm1;
  using std::log;
  using std::log1p;
  if (u > Real(40)) {
    return u + log(p) + log1p((Real(1) - p) / p * exp(-u));
  }
  return log1p(p * expm1(u));
}

/// A half of a pair: its losses as a function of t >= 0, their law, and its share of the profile.
class HalfLaw {
 public:
  /// The mixtures of the head of this file: p, a and n. \param sampling_rate  p in (0, 1].
  HalfLaw(double sampling_rate, double alternative_mean, double null_mean);

  /// a, in units of the noise.
  [[nodiscard]] double alternative_mean() const { return a_; }
  /// n, in units of the noise.
  [[nodiscard]] double null_mean() const { return n_; }
  /// |alternative mean - null mean|: the half is more private than G of this.
  [[nodiscard]] double separation() const { return separation_; }
  /// The largest mean in absolute value: the loss and the mixtures vary on the scale 1 / steepness.
  [[nodiscard]] double steepness() const { return steepness_; }

  /// The observation, in units of the noise and from the mean b on, at t >= 0; the loss grows with t from 0 on.
  [[nodiscard]] double observation(double t) const { return 0.5 * (a_ + n_) + side_ * t; }

  /// l(t), full relative accuracy, no overflow.
  template <class Real>
  [[nodiscard]] Real loss(const Real& t) const {
    using std::exp;
    using std::expm1;
    using std::log1p;
    const Real rise = t * Real(separation_);
    if (rise > Real(40)) {
      return log_alternative(t) - log_null(t);
    }
    const Real p(p_);
    if (n_ == 0.0) {
      return log1p(p * expm1(rise));
    }
    const Real u = null_exponent(t);
    return log1p(p * exp(u) / (Real(1) + p * expm1(u)) * expm1(rise));
  }
  /// L_a and L_n.
  template <class Real>
  [[nodiscard]] Real log_alternative(const Real& t) const {
    return a_ == 0.0 ? Real(0) : log_mixture(Real(p_), alternative_exponent(t));
  }
  /// Under the null: L_n.
  template <class Real>
  [[nodiscard]] Real log_null(const Real& t) const {
    return n_ == 0.0 ? Real(0) : log_mixture(Real(p_), null_exponent(t));
  }

  /// The posterior weights of the shifted components; dl/dt = side (a share_a - n share_n).
  [[nodiscard]] double alternative_share(double t) const { return share(a_ * (0.5 * n_ + side_ * t)); }
  /// The same for the null.
  [[nodiscard]] double null_share(double t) const { return share(n_ * (0.5 * a_ + side_ * t)); }
  /// dl/dt.
  [[nodiscard]] double slope(double t) const { return side_ * (a_ * alternative_share(t) - n_ * null_share(t)); }
  /// Upper bound of |dl/dt| over the complex t with Re t in [begin, end] and steepness |Im t| <= pi / 2.
  [[nodiscard]] double slope_bound(double begin, double end) const;

  /// The supremum of the losses.
  [[nodiscard]] double largest() const { return largest_; }
  /// Where sums over t end: infinite, unless the half was truncated.
  [[nodiscard]] double end() const { return end_; }
  /// The t with l(t) = loss; infinite from `largest` on.
  [[nodiscard]] double inverse(double loss) const;

  /// Density and probabilities: of the null at t; of t' > t under the null and under the alternative.
  [[nodiscard]] double null_density(double t) const;
  /// P(t' > t) under the null.
  [[nodiscard]] double null_beyond(double t) const { return beyond(t, n_); }
  /// P(t' > t) under the alternative.
  [[nodiscard]] double alternative_beyond(double t) const { return beyond(t, a_); }
  /// The integral of null (e^l - e^epsilon) over l > epsilon >= 0: its share of the profile. Effort: 1e-12 relative.
  [[nodiscard]] double delta(double epsilon) const;
  /// A lower bound of it at the price of four error functions, sharp unless nearly all of it cancels.
  [[nodiscard]] double delta_from_below(double epsilon) const;
  /// Least epsilon >= 0 with delta(epsilon) <= delta, from below. Effort: 1e-6.
  [[nodiscard]] double epsilon_from_below(double delta) const;

  bool operator==(const HalfLaw&) const = default;

 private:
  friend class LossLaw;

  template <class Real>
  [[nodiscard]] Real alternative_exponent(const Real& t) const {
    return Real(a_) * (Real(0.5 * n_) + Real(side_) * t);
  }
  template <class Real>
  [[nodiscard]] Real null_exponent(const Real& t) const {
    return Real(n_) * (Real(0.5 * a_) + Real(side_) * t);
  }
  [[nodiscard]] double share(double exponent) const { return 1.0 / (1.0 + odds_ * std::exp(-exponent)); }
  [[nodiscard]] double beyond(double t, double mean) const;

  double p_;
  double a_;
  double n_;
  double side_;        // the sign of a - n
  double separation_;  // |a - n|
  double steepness_;   // max(|a|, |n|)
  double odds_;        // (1 - p) / p
  double largest_;
  double end_;
};

/// The privacy loss of one subsampled step: two halves and an atom at 0.
class LossLaw {
 public:
  /// \param sampling_rate  p in (0, 1). \param mu  > 0, finite; both as in SubsampledGaussian.
  LossLaw(Pair pair, double sampling_rate, double mu);

  /// Which pair of laws it is.
  [[nodiscard]] Pair pair() const { return pair_; }
  /// p, the chance that the record is in the batch.
  [[nodiscard]] double sampling_rate() const { return p_; }
  /// How far the record moves the mean, in units of the noise.
  [[nodiscard]] double mu() const { return mu_; }
  /// The pair is more private than G(separation).
  [[nodiscard]] double separation() const { return right_.separation(); }
  /// The larger of those of the halves.
  [[nodiscard]] double steepness() const { return std::max(right_.steepness(), left_.steepness()); }

  /// The half of the positive losses.
  [[nodiscard]] const HalfLaw& right() const { return right_; }
  /// The half of the negative losses, with the two laws exchanged.
  [[nodiscard]] const HalfLaw& left() const { return left_; }
  /// The two laws may be exchanged: both halves are equal.
  [[nodiscard]] bool symmetric() const { return symmetric_; }

  /// P(loss = 0).
  [[nodiscard]] double atom() const { return atom_; }
  /// log of atom(), with full relative accuracy; -inf where there is no atom.
  [[nodiscard]] double log_atom() const { return log_atom_; }

  /// Leave out the losses beyond the right half's t (and the left half's of a symmetric pair), and the mass under both
  /// laws that goes with them. Only sums over the halves see it.
  void truncate(double t);
  /// The probability of what is left out, under the null and under the alternative.
  [[nodiscard]] double lost_null() const { return lost_null_; }
  /// The same under the alternative.
  [[nodiscard]] double lost_alternative() const { return lost_alternative_; }

 private:
  Pair pair_;
  double p_;
  double mu_;
  HalfLaw right_;
  HalfLaw left_;
  bool symmetric_;
  double atom_;
  double log_atom_;
  double lost_null_ = 0.0;
  double lost_alternative_ = 0.0;
};

/// The pair with its two laws exchanged.
[[nodiscard]] Pair reversed(Pair pair);

/// |a - n| of the pair at one value of mu: with every record sampled the pair is G of this.
[[nodiscard]] double separation_of(Pair pair, double mu);

}  // namespace dpcurves::accounting::detail
