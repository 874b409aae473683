// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Random projections R^d -> R^m that keep inner products on average.
///
/// Gaussian: entries iid N(0, 1/m), so that <Phi u, Phi v> has mean <u, v> and variance (|u|^2 |v|^2 + <u, v>^2)/m
/// exactly, and |Phi u|^2/|u|^2 is chi2_m/m. Subsampled Hadamard ("fast JL"): random signs, the Hadamard transform of
/// the padded vector, m of its coordinates; the mean is the same but no such law is known, so that what privacy asks,
/// |Phi x| <= 2 |x|, must be enforced: its results are renormalised always.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Definition 6, Algorithms 3, 6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/core/field.hpp>

namespace dpcurves::models {

/// The law of <Phi u, Phi v> for a Gaussian Phi.
struct InnerProductMoments {
  double mean = 0.0;
  double variance = 0.0;
  static constexpr std::tuple fields{result("mean", &InnerProductMoments::mean, "<u, v>"),
                                     result("variance", &InnerProductMoments::variance, "(|u|^2 |v|^2 + <u, v>^2)/m")};
};
/// \param norm_u, norm_v  >= 0, finite. \param cosine  of their angle, in [-1, 1]. \param target  m >= 1.
/// \throws DomainError outside. Accuracy: 1e-15.
[[nodiscard]] InnerProductMoments inner_product_moments(double norm_u, double norm_v, double cosine, double target);

/// A random matrix, or the fast transform, drawn once and applied many times.
class JohnsonLindenstrauss {
 public:
  /// m x d independent entries N(0, scale^2), by default scale^2 = 1/m; drawn from the initialisation stream of the
  /// path. Other scales are no Johnson-Lindenstrauss maps and serve as negative controls.
  /// \param renormalise  shorten Phi x to 2 |x| where it is longer: privacy is then unconditional, but such rows are no
  ///                     longer unbiased.
  /// \throws DomainError  unless 1 <= target and 1 <= dimension and their product is at most 2^28.
  [[nodiscard]] static JohnsonLindenstrauss gaussian(std::size_t target, std::size_t dimension, std::uint64_t seed,
                                                     std::uint32_t path, bool renormalise = false, double scale = 0.0);

  /// Always renormalised. \throws DomainError  unless target is at most the padded dimension, a power of 2.
  [[nodiscard]] static JohnsonLindenstrauss hadamard(std::size_t target, std::size_t dimension, std::uint64_t seed,
                                                     std::uint32_t path);

  [[nodiscard]] std::size_t target() const { return target_; }        ///< m
  [[nodiscard]] std::size_t dimension() const { return dimension_; }  ///< d

  /// Phi x, renormalised if asked for. \param x  shape (d). \param out  shape (m).
  /// \return whether the result was shortened. Cost: O(m d), Hadamard O(d log d). One thread at a time per object.
  bool apply(std::span<const double> x, std::span<double> out);

  /// Phi^T w: the parameter in R^d whose products with x are those of w with Phi x (not shortened).
  /// \param w  shape (m). \param out  shape (d).
  void transpose(std::span<const double> w, std::span<double> out);

 private:
  JohnsonLindenstrauss() = default;
  void transform();

  std::size_t target_ = 1, dimension_ = 1;
  bool renormalise_ = false, fast_ = false;
  std::vector<double> matrix_;       ///< Gaussian: shape (m x d)
  std::vector<double> signs_;        ///< Hadamard: shape (d)
  std::vector<std::uint32_t> rows_;  ///< Hadamard: shape (m)
  std::vector<double> work_;         ///< Hadamard: shape (padded d)
};

}  // namespace dpcurves::models
