// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Trade-off functions as values, with their algebra: inverse, symmetrisation, maximum, subsampling, composition.
///
/// A trade-off function T(P, Q) gives the least type II error of a test of P against Q at each type I error; larger is
/// more private. Analytic functions stay analytic where the algebra allows it. Where it does not, a function is first
/// tabulated, and the caller says on which side the table may err: `Side::below` is a guarantee for a mechanism,
/// `Side::above` (chords) is not. Every operation keeps the order, so tables below give results below.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), section 3 and Appendix A.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/tradeoff/table.hpp>

namespace dpcurves::tradeoff {

/// An immutable trade-off function; copies share their data.
class TradeoffFunction {
 public:
  class Shape;
  /// For the functions below, which make every shape there is; not null.
  explicit TradeoffFunction(std::shared_ptr<const Shape> shape);

  /// The type II error at a type I error in [0, 1]. \throws DomainError outside.
  [[nodiscard]] double operator()(double type_one_error) const;
  /// 1 - the type II error, without cancellation where the function is analytic.
  [[nodiscard]] double power(double type_one_error) const;
  /// The profile sup over a of 1 - f(a) - exp(epsilon) a. \param epsilon any real number.
  /// The ends are proved, a few doubles apart (4e-16 absolute where the function is tabulated), but for the lower end
  /// and the last 1e-11 of the upper end of a maximum(): its search trusts the measured accuracy of power().
  [[nodiscard]] Enclosure delta(double epsilon) const;
  /// T(Q, P) for T(P, Q): inf{u : f(u) <= a}.
  [[nodiscard]] TradeoffFunction inverse() const;
  /// Whether the function is known to be its own inverse.
  [[nodiscard]] bool symmetric() const;
  /// mu where the function is G(mu).
  [[nodiscard]] std::optional<double> gaussian_mu() const;
  /// The vertices where the function is piecewise linear, else empty.
  [[nodiscard]] const Table& table() const;

 private:
  std::shared_ptr<const Shape> shape_;
};

/// G(mu). \throws DomainError unless mu is in [0, inf).
[[nodiscard]] TradeoffFunction gaussian_function(double mu);
/// 1 - a: perfect privacy.
[[nodiscard]] TradeoffFunction identity_function();
/// f_{epsilon, delta} = max(0, 1 - delta - exp(epsilon) a, exp(-epsilon) (1 - delta - a)).
/// \param epsilon in [0, inf). \param delta in [0, 1]. \throws DomainError outside.
[[nodiscard]] TradeoffFunction approximate_dp_function(double epsilon, double delta);
/// C_p(G(mu)).
[[nodiscard]] TradeoffFunction subsampled_gaussian_function(double sampling_rate, double mu);
/// Linear between vertices from type I error 0 to 1. \throws DomainError unless is_tradeoff(vertices, tolerance).
[[nodiscard]] TradeoffFunction tabulated_function(Table vertices, double tolerance = 1e-15);

/// On which side of the function a table may err.
enum class Side {
  below,  ///< tangents from extended chords: never above the function
  above   ///< chords: never below the function, up to the rounding of the samples
};

/// Type I errors for tables: 0, `points` upper tails of equally spaced quantiles from 1e-300 to 1 - 1e-16, and 1.
[[nodiscard]] std::vector<double> default_grid(int points = 2000);

/// A piecewise linear function on one side of f. A function that is piecewise linear already is returned unchanged.
/// \param grid  type I errors increasing from 0 to 1, at least 3.
[[nodiscard]] TradeoffFunction tabulated(const TradeoffFunction& f, std::span<const double> grid, Side side);

/// The pointwise maximum: every bound of one mechanism holds, so does the largest. \throws DomainError if empty.
[[nodiscard]] TradeoffFunction maximum(std::vector<TradeoffFunction> functions);

/// The largest symmetric trade-off function below f and its inverse: min{f, f^{-1}}**. Exact for tables.
/// \throws DomainError  unless f is symmetric or piecewise linear.
[[nodiscard]] TradeoffFunction symmetrised(const TradeoffFunction& f);

/// f_p = p f + (1 - p) (1 - a): the one-sided pair. \param sampling_rate p in [0, 1].
[[nodiscard]] TradeoffFunction mixed_with_identity(const TradeoffFunction& f, double sampling_rate);

/// C_p(f) = min{f_p, f_p^{-1}}**, Definition 4.7. Exact for tables and Gaussians.
/// \throws DomainError  for other functions: tabulate first.
[[nodiscard]] TradeoffFunction subsampled(const TradeoffFunction& f, double sampling_rate);

/// f composed with h_delta = max(0, 1 - delta - a): (1 - delta) f(a / (1 - delta)), then 0. \param delta in [0, 1].
[[nodiscard]] TradeoffFunction with_failure(const TradeoffFunction& f, double delta);

/// The composition f tensor g: exact for two Gaussians, for the identity, and for two tables with at most 4e6 products.
/// \throws DomainError  for other pairs: tabulate first.
[[nodiscard]] TradeoffFunction tensor(const TradeoffFunction& f, const TradeoffFunction& g);

}  // namespace dpcurves::tradeoff
