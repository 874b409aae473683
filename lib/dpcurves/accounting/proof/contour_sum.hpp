// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a contour says at a threshold, and its parts, which serve its steps composed any number of times. Internal.
///
/// Proofs: docs/theory/accountant/proof.md.
#pragma once

#include <memory>
#include <vector>

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::proof {

/// Of what need not be narrow: bounds of errors, and numbers that doubles read.
constexpr slong strip_bits = 64;

/// Where to look: log |value| and its derivative in epsilon, in doubles.
struct Approximate {
  double log_value, slope;
};

/// The real part of a sum of v e^{-z epsilon}, in doubles.
class PlainSum {
 public:
  PlainSum() = default;
  PlainSum(const std::vector<rigorous::Complex>& z, const std::vector<rigorous::Complex>& value);
  /// A ball. Accuracy: a few units of 2^-53 of the sum of moduli.
  [[nodiscard]] rigorous::Real at(double epsilon) const;
  /// Unproved.
  [[nodiscard]] Approximate approximate(double epsilon) const;

 private:
  double c_ = 0.0, scale_ = 0.0;                       // values are over e^{scale}, orders less c
  std::vector<double> z_re_, z_im_, re_, im_, error_;  // the last: how far a value is off
};

/// The part of a displaced contour in one disc: the integrand's share is at most e^{log_size - re epsilon + radius
/// |shift|}, shift how far the mean loss of the tilted laws is from epsilon.
struct Disc {
  double log_size, re, im, radius;
};

/// The trapezoidal sum and the bounds of all that is not in it; serves every threshold, best those near that of its
/// plan.
class ContourSum {
 public:
  using Nodes = std::shared_ptr<const std::vector<rigorous::Complex>>;
  /// What lies above the last node: at most size e^{-re epsilon}.
  struct Tail {
    rigorous::Real size, re;
  };

  ContourSum() = default;
  /// \param z, value  orders and shares of the nodes. \param mean  loss of the tilted laws.
  /// \param lost  at least the mass of the alternative that was cut off. \param bits  of at() and sum().
  ContourSum(Nodes z, std::vector<rigorous::Complex> value, std::vector<Disc> discs, Tail tail, rigorous::Real mean,
             rigorous::Real lost, slong bits);

  /// A ball with delta(epsilon), or with 1 - delta(epsilon) left of 0. \param epsilon  exact.
  [[nodiscard]] rigorous::Real at(const rigorous::Real& epsilon) const;
  /// The same in doubles with a bound of their roundings, a hundred times faster and some 14 digits at most.
  [[nodiscard]] rigorous::Real quick(double epsilon) const;
  /// The trapezoidal sum alone, without the errors of the contour.
  [[nodiscard]] rigorous::Real sum(const rigorous::Real& epsilon) const;
  /// The bound of its discretisation, from the strip.
  [[nodiscard]] rigorous::Real strip(const rigorous::Real& epsilon) const;
  /// Unproved.
  [[nodiscard]] Approximate approximate(double epsilon) const { return plain_.approximate(epsilon); }

 private:
  [[nodiscard]] rigorous::Real complete(const rigorous::Real& sum, const rigorous::Real& epsilon) const;

  Nodes z_;
  std::vector<rigorous::Complex> value_;  // M(z) z' h / (2 pi i z (z + 1)), doubled but for the first
  PlainSum plain_;
  std::vector<Disc> discs_;  // of the displaced contours and of the caps
  Tail tail_;
  rigorous::Real mean_, lost_;
  slong bits_ = 128;
};

/// A contour before its steps are composed.
struct ContourParts {
  ContourSum::Nodes z;
  std::vector<rigorous::Complex> factor;                // of the nodes: all but the moments of the steps
  std::vector<std::vector<rigorous::Complex>> moments;  // of each kind of step, at the nodes
  std::vector<Disc> discs;                              // without those moments
  std::vector<std::vector<double>> log_moments;         // of each kind, in the discs: upper ends
  rigorous::Real log_tail, tail_im, tail_re;            // the same above the last node
  std::vector<rigorous::Real> log_beyond;               // of each kind
  rigorous::Real gaussian_mean;
  std::vector<rigorous::Real> mean, lost;  // of each kind
  slong bits = 128;

  /// The contour for so many of each kind. Cost: 2 us for each node.
  [[nodiscard]] ContourSum composed(const std::vector<double>& counts) const;
  /// The same where the values at the nodes are known.
  [[nodiscard]] ContourSum composed(const std::vector<double>& counts, std::vector<rigorous::Complex> value) const;
  /// A disc with all moments.
  [[nodiscard]] Disc disc(std::size_t place, const std::vector<double>& counts) const;
};

}  // namespace dpcurves::accounting::proof
