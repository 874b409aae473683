// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// From Renyi differential privacy to (epsilon, delta).
///
/// Each conversion holds at every order above 1, so the order only has to be good, not optimal: it is searched on
/// log(order - 1) in doubles, and the conversion at the order that was found is rounded up, to one of the two doubles
/// above its exact value (ball arithmetic). Epsilon is clamped at 0.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), section 10 of the
/// experiments' conversions: Bun and Steinke (2016), Lemma 3.5; Mironov (2017), Proposition 3; Balle, Barthe, Gaboardi,
/// Hsu and Sato (2020), Theorem 20; Asoodeh, Liao, Calmon, Kosut and Sankar (2020), Lemma 1.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dpcurves::divergence {

/// An epsilon and the order that gave it.
struct Conversion {
  double epsilon = 0.0;     ///< >= 0, rounded up
  double order = 0.0;       ///< infinite where every large order gives 0
  std::string_view method;  ///< whose conversion: "Bun-Steinke", "Mironov", "Balle et al.", "Asoodeh et al."
};

/// A bound of the Renyi divergence in nats as a function of the order > 1; may be infinite.
class RenyiCurve {
 public:
  /// \param bound  an upper bound at every order.
  template <typename Bound>
    requires std::is_invocable_r_v<double, const Bound&, double>
  RenyiCurve(Bound bound) : bound_(std::move(bound)) {}  // NOLINT: a function is a curve
  /// \param guide  about the bound, and cheaper: orders are chosen by it, which costs tightness at most.
  RenyiCurve(std::function<double(double)> bound, std::function<double(double)> guide)
      : bound_(std::move(bound)), guide_(std::move(guide)) {}

  [[nodiscard]] double operator()(double order) const { return bound_(order); }                      ///< The bound.
  [[nodiscard]] double guide(double order) const { return guide_ ? guide_(order) : bound_(order); }  ///< About it.

 private:
  std::function<double(double)> bound_, guide_;
};

/// (order, rho order)-RDP for every order, that is rho-zCDP, to (epsilon, delta)-DP; mu-GDP has rho = mu^2 / 2.
///
/// \param rho    in [0, inf). \param delta  in (0, 1). \throws DomainError outside.
/// Accuracy: relative 1e-12 above the minimum over the order. Cost: about 20 us.
[[nodiscard]] Conversion bun_steinke(double rho, double delta);  ///< rho + sqrt(4 rho log(1/delta))
[[nodiscard]] Conversion mironov(double rho, double delta);      ///< equal to bun_steinke
/// The least over the order of rho order + log(1 - 1/order) - log(delta order)/(order - 1).
[[nodiscard]] Conversion balle(double rho, double delta);
/// The exact trade of (order, divergence) against (epsilon, delta), at the best order.
[[nodiscard]] Conversion asoodeh(double rho, double delta);
/// The smallest of the four.
[[nodiscard]] Conversion best(double rho, double delta);

/// The same for any Renyi curve, over orders from 1 + 1e-6 to 1e9. A curve that is only unimodal piecewise costs
/// tightness, never validity.
/// \throws DomainError  for delta outside (0, 1). Cost: about 60 evaluations of the curve's guide and one of the curve.
[[nodiscard]] Conversion mironov(const RenyiCurve& curve, double delta);
[[nodiscard]] Conversion balle(const RenyiCurve& curve, double delta);    ///< of Balle et al.
[[nodiscard]] Conversion asoodeh(const RenyiCurve& curve, double delta);  ///< of Asoodeh et al.
[[nodiscard]] Conversion best(const RenyiCurve& curve, double delta);     ///< the smallest of the three

/// A Renyi divergence in nats at one order > 1; may be infinite.
struct RenyiPoint {
  double order = 0.0;       ///< a > 1
  double divergence = 0.0;  ///< nats, >= 0
};

/// The smallest epsilon over a list of orders, infinite divergences left out, the first of equals winning. Not clamped:
/// a negative value says that epsilon = 0 has room to spare. An infinite epsilon says that no divergence is finite; the
/// order is then NaN.
/// \throws DomainError  for delta outside (0, 1), an order <= 1, or a divergence that is negative or NaN.
[[nodiscard]] Conversion mironov(std::span<const RenyiPoint> points, double delta);
/// By Balle et al.: divergence + log(1 - 1/order) - log(delta order)/(order - 1).
[[nodiscard]] Conversion balle(std::span<const RenyiPoint> points, double delta);

/// The delta that Balle et al. give at an epsilon >= 0, as its logarithm <= 0, rounded up:
/// min over orders a of (a - 1) (D_a - epsilon + log(1 - 1/a)) - log a.
[[nodiscard]] double log_delta_of_renyi(const RenyiCurve& curve, double epsilon);

}  // namespace dpcurves::divergence
