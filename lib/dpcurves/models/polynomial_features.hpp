// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Two-layer networks as linear functions of monomials: polynomials near the hidden activation, and the feature map.
///
/// With sup over [-1, 1] of |activation - p| = alpha0 for p(t) = sum b_j t^j of degree D, a network
/// sum_t b_t activation(<a_t, x>) of k units, |a_t| = 1, |b|_2 = 1, |x| <= 1, is within M = sqrt(k) alpha0 of
/// <w*, psi(x)> with |w*| <= W = sqrt(k) sqrt(D + 1) |b|_2, where psi(x) = (1, x, x^(2), ..., x^(D))/sqrt(D + 1) has
/// |psi| <= 1.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Lemmas 16 and 17,
/// Definition 7.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dpcurves::models {

/// A polynomial near an activation on [-1, 1].
struct ActivationPolynomial {
  double error = 0.0;                   ///< alpha0 = max over [-1, 1] of |activation - p|; 0 where it underflows
  double log10_error = 0.0;             ///< finite where it does
  double coefficient_norm = 0.0;        ///< |b|_2; infinite where it overflows
  double log10_coefficient_norm = 0.0;  ///< finite where coefficient_norm overflows
  double weight = 0.0;                  ///< W/sqrt(k) = sqrt(D + 1) |b|_2
  double error_at_one = 0.0;            ///< |activation(1) - p(1)|
  std::vector<double> coefficients;     ///< b_0, ..., b_D: lowest first, shape (D + 1)
};

/// Highest degree of the two functions below.
inline constexpr std::size_t largest_degree = 1000;

/// 1/(1 + exp(-t)) interpolated at the D + 1 Chebyshev nodes of the first kind.
///
/// The error falls by pi + sqrt(1 + pi^2) = 6.44 per degree while |b|_2 stays below 0.56. For odd D (and 0) the maximum
/// is at the ends of the interval; for even D >= 2 it is inside, and the ends are up to 10 % below.
/// \throws DomainError  if degree > largest_degree.
/// Accuracy: 1e-12 relative, by 60 to 2200 digits. Cost: 1 ms at degree 16, 5 ms at 64, 0.2 s at 300, 8 s at 1000.
[[nodiscard]] ActivationPolynomial sigmoid_polynomial(std::size_t degree);

/// max(t, 0): its Chebyshev series 1/pi + t/2 + (2/pi) sum_k (-1)^(k+1)/(4k^2 - 1) T_2k(t), cut after degree D.
///
/// alpha0 = 1/(pi (2 floor(D/2) + 1)) for D >= 1, attained at 0. At D = 0 the linear term is missing and the error is
/// 1 - 1/pi, at 1. |b|_2 grows like (1 + sqrt 2)^D.
/// \throws DomainError  if degree > largest_degree. Accuracy: 1e-14 relative, by as many digits as the conversion to
/// monomials loses. Cost: as above or less.
[[nodiscard]] ActivationPolynomial relu_polynomial(std::size_t degree);

/// psi by symmetric monomials: sqrt(j!/prod a_i!) prod x_i^a_i for all exponents |a| = j <= D, over sqrt(D + 1). Their
/// kernel is that of all D-fold products, in C(d + D, D) coordinates instead of 1 + d + ... + d^D.
class PolynomialFeatures {
 public:
  /// \throws DomainError  unless dimension >= 1 and C(d + D, D) <= 10^7.
  PolynomialFeatures(std::size_t dimension, std::size_t degree);

  [[nodiscard]] std::size_t inputs() const { return inputs_; }        ///< d
  [[nodiscard]] std::size_t degree() const { return degree_; }        ///< D
  [[nodiscard]] std::size_t size() const { return weights_.size(); }  ///< C(d + D, D)

  /// psi(x). \param x  shape (d). \param out  shape (size()). Cost: two products per coordinate.
  void evaluate(std::span<const double> x, std::span<double> out) const;

  /// The w with <w, psi(x)> = p(<direction, x>) for p with the given coefficients: how one hidden unit looks.
  /// \param direction  shape (d). \param coefficients  shape (D + 1).
  [[nodiscard]] std::vector<double> unit(std::span<const double> direction, std::span<const double> coefficients) const;

 private:
  std::size_t inputs_, degree_;
  std::vector<std::size_t> parent_, variable_;  ///< monomial i is monomial parent_[i] times x_variable_[i]
  std::vector<std::size_t> order_;              ///< |a|
  std::vector<double> weights_;                 ///< sqrt(j!/prod a_i!)
};

/// <psi(x), psi(x')> = sum_j <x, x'>^j/(D + 1), from the inner product. At 1 it is 1.
[[nodiscard]] double polynomial_kernel(double inner_product, std::size_t degree);

}  // namespace dpcurves::models
