// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Records that a two-layer network of sigmoids labels, and how far a function of their monomials is from it.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Section 4.4 (Theorem 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/polynomial_features.hpp>
#include <dpcurves/simulate/glm_records.hpp>

namespace dpcurves::simulate {

/// f(x) = sum_t b_t s(<a_t, x>) with s(u) = 1/(1 + e^-u), |a_t| = 1 and |b| = 1.
struct TwoLayerNetwork {
  std::vector<double> outer;       ///< b, shape (k)
  std::vector<double> directions;  ///< a, shape (k, d) row by row

  /// Uniform directions and an outer layer on the unit sphere, a function of the seed. \throws DomainError  unless
  /// units >= 1 and dimension >= 1.
  [[nodiscard]] static TwoLayerNetwork drawn(std::size_t units, std::size_t dimension, std::uint64_t seed);

  /// f(x). Not checked: x has as many coordinates as a direction. Accuracy: 1e-15 times k.
  [[nodiscard]] double output(std::span<const double> x) const;

  /// Records on the unit sphere with labels 0 and 1 of mean s(f(x)). \throws DomainError  for shapes that do not fit.
  [[nodiscard]] GlmLaw law() const;
};

/// The mean over fresh records of (link(<w, psi(x)>) - E[y | x])^2: an unbiased estimate of the squared risk above that
/// of the law's own mean. The records are those of the next seed. \param law  with a mean of its own.
/// \throws DomainError  for shapes that do not fit. Cost: `records` evaluations of psi.
[[nodiscard]] double risk_above_mean(const GlmLaw& law, const models::PolynomialFeatures& psi,
                                     std::span<const double> w, std::size_t records, std::uint64_t seed,
                                     std::uint32_t path);

}  // namespace dpcurves::simulate
