// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Step-size schedules gamma(t) in continuous time, with their integral and its inverse.
///
/// One-pass SGD in dimension d takes step eta_k = gamma(k/d)/d at iteration k, so t = k/d and gamma = d eta. The law
/// of the iterates depends on time only through Gamma(t), the integral of gamma over [0, t].
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic
/// Gradient Descent on Least Squares", section 2.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dpcurves::models {

/// A bounded step-size schedule gamma(t) >= 0 on [0, end()].
///
/// A schedule is a list of smooth pieces: kinks and jumps lie only where two pieces meet. At a jump gamma takes the
/// value on its right.
class Schedule {
 public:
  /// One smooth piece, as a solver needs to know it.
  struct Piece {
    double begin = 0.0;          ///< time t, in units of d steps
    double end = 0.0;            ///< infinity for the last piece of a schedule without end
    double least_rate = 0.0;     ///< infimum of gamma on the piece
    double greatest_rate = 0.0;  ///< supremum of gamma on the piece
    /// gamma comes close to 0 at an end of the piece and is of ordinary size elsewhere: as a function of Gamma it then
    /// behaves like a square root there, and high-order rules must work in t.
    bool touches_zero = false;
  };

  Schedule() : Schedule(constant(1.0)) {}

  /// gamma(t) = rate. \throws DomainError  unless rate >= 0 and finite; so for every number below.
  [[nodiscard]] static Schedule constant(double rate);
  /// gamma(t) = rate/(1 + decay t), decay >= 0.
  [[nodiscard]] static Schedule inverse_time(double rate, double decay);
  /// gamma(t) = rate (1 + decay t)^-exponent, decay >= 0, any finite exponent (1 gives inverse_time).
  [[nodiscard]] static Schedule power(double rate, double decay, double exponent);
  /// gamma(t) = rate exp(-decay t), decay >= 0.
  [[nodiscard]] static Schedule exponential(double rate, double decay);
  /// gamma(t) = last + (first - last)(1 + cos(pi t/horizon))/2 on [0, horizon], horizon > 0.
  [[nodiscard]] static Schedule cosine(double first, double last, double horizon);
  /// Linear from 0 to `peak` on [0, warm_up], then a cosine from peak to last on [warm_up, horizon], 0 < warm_up <
  /// horizon.
  [[nodiscard]] static Schedule warmup_cosine(double peak, double last, double warm_up, double horizon);
  /// values[j] on [breaks[j-1], breaks[j]), breaks ascending and > 0, one more value than breaks.
  [[nodiscard]] static Schedule piecewise_constant(std::span<const double> values, std::span<const double> breaks);
  /// Linear interpolation between (times[j], values[j]), times ascending from 0; defined up to the last time.
  [[nodiscard]] static Schedule table(std::span<const double> times, std::span<const double> values);

  /// gamma(t). \throws DomainError  unless t is in [0, end()]; so for integral().
  [[nodiscard]] double rate(double t) const;
  /// The limit of gamma from the left: another number than rate(t) only at a jump. At t = 0 it is rate(0).
  [[nodiscard]] double rate_before(double t) const;
  /// Gamma(t), the integral of gamma over [0, t]. Relative error below 4e-15 times the number of pieces.
  [[nodiscard]] double integral(double t) const;
  /// A time t with Gamma(t) = tau, the earliest where gamma vanishes on an interval.
  /// \throws DomainError  unless 0 <= tau <= Gamma(end()).
  [[nodiscard]] double inverse_integral(double tau) const;

  /// Where the schedule ends: infinity for those that are defined for all t.
  [[nodiscard]] double end() const;
  /// The smooth pieces in order.
  [[nodiscard]] std::vector<Piece> pieces() const;
  /// Interior break points: where two pieces meet.
  [[nodiscard]] std::vector<double> kinks() const;

 private:
  enum class Shape { linear, power, exponential, cosine };
  struct Part {
    Shape shape = Shape::linear;
    double begin = 0.0;
    double end = 0.0;
    double first = 0.0;     ///< gamma at begin
    double last = 0.0;      ///< gamma at end (linear, cosine)
    double decay = 0.0;     ///< of power and exponential
    double exponent = 0.0;  ///< of power
    double before = 0.0;    ///< Gamma(begin)
  };
  explicit Schedule(std::vector<Part> parts);
  static Part linear(double begin, double end, double first, double last);
  static double rate(const Part& part, double t);
  static double integral(const Part& part, double t);  ///< from begin to t
  static double inverse(const Part& part, double tau);
  [[nodiscard]] const Part& part_at(double t) const;

  std::vector<Part> parts_;
};

}  // namespace dpcurves::models
