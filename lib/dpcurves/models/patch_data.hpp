// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Examples of two patches, the signal of their class and a noise patch that depends on it, and their law.
///
/// An example of class y is (u_y, xi) with xi = A_y zeta orthogonal to every signal; only xi and y are stored. In the
/// axis-aligned basis u_k = |u_k| e_k and the spike of A_k lies on axis K + k, so that A_k is diagonal; a rotation of
/// the whole space gives any other basis. Classes count from 0.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Definitions 1 and 3 and the synthetic experiments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/spiked_noise.hpp>

namespace dpcurves::models {

/// Row by row, as the products of a training step read them.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A data set: two patches per example, of which the signal is that of the class.
struct PatchData {
  std::size_t classes = 2;              ///< K
  RowMatrix noise{};                    ///< shape (examples x d): the patches xi
  std::vector<std::uint32_t> labels{};  ///< shape (examples), below K
  RowMatrix signals{};                  ///< shape (K x d): the patches u_k; no rows where there is no signal

  /// n, the number of examples.
  [[nodiscard]] std::size_t examples() const { return labels.size(); }
  /// d, the length of a patch.
  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(noise.cols()); }
};

/// Law of the coordinates of zeta in the eigenbasis of A: mean 0 and variance 1.
enum class NoiseLaw { gaussian, uniform };
/// Their names.
constexpr auto enumerators(NoiseLaw /*type*/) {
  return std::array{std::pair{NoiseLaw::gaussian, "gaussian"}, std::pair{NoiseLaw::uniform, "uniform"}};
}

/// The law of the synthetic data, in the axis-aligned basis.
struct PatchLaw {
  SpikedNoise noise;                  ///< K, d, bulk and spike of the A_k
  double signal_norm = 1.0;           ///< |u_k|, the same for every class, >= 0
  NoiseLaw law = NoiseLaw::gaussian;  ///< of the coordinates of zeta
};

/// The diagonal of A_k, shape (d). \throws DomainError for a law outside its domain or k >= K.
[[nodiscard]] Eigen::VectorXd noise_matrix_diagonal(const PatchLaw& law, std::size_t label);

/// The signals u_k = |u| e_k, shape (K x d); no rows if |u| = 0.
[[nodiscard]] RowMatrix signal_patches(const PatchLaw& law);

/// Which draws of a path a data set is made of: sets that share a path do not share numbers.
enum class DataPart : std::uint64_t { train = 0, test = 1, fresh = 2 };

/// Balanced examples: number i has class i mod K.
/// \param examples  a multiple of K, at least K.
/// \throws DomainError  for a law outside its domain or another number of examples.
/// Cost: one normal or uniform per example and coordinate.
[[nodiscard]] PatchData draw_patches(const PatchLaw& law, std::size_t examples, std::uint64_t seed, std::uint32_t path,
                                     DataPart part);

/// A uniformly random orthogonal matrix, shape (d x d). Cost: O(d^3).
[[nodiscard]] Eigen::MatrixXd random_rotation(std::size_t dimension, std::uint64_t seed, std::uint32_t path);

/// The data in the basis of `rotation`: every patch x becomes rotation x.
[[nodiscard]] PatchData rotated(const PatchData& data, const Eigen::MatrixXd& rotation);

// --- L-long-tailed data -------------------------------------------------------------------------------------------

/// Which filters the definition of a long-tailed example speaks of; the text leaves it open.
enum class TailFilter {
  single,     ///< w = w_{y,0}
  sum_all,    ///< w = sum over r of w_{y,r}
  sum_active  ///< w = sum over the r with <w_{y,r}, xi> > 0, as the proofs use it; depends on xi
};

/// zeta' = <w, xi>/|A_y' w| of every example: it is L-long-tailed if this is at least L. -infinity where w = 0.
/// \param weights  shape (d x K m), column k m + r is filter r of class k.
/// Cost: O(n m d) for the products and O(n m^2) for the norms.
[[nodiscard]] std::vector<double> tail_levels(const PatchData& data, const PatchLaw& law,
                                              const Eigen::Ref<const RowMatrix>& weights, TailFilter reading);

/// A standard normal given that it is at least `level`, from a uniform: the exact inverse of its distribution.
/// \param level    finite; \param uniform in (0, 1). \throws DomainError otherwise.
/// Accuracy: 1e-13 relative for levels up to 1e8.
[[nodiscard]] double truncated_normal(double level, double uniform);

/// Noise patches of class `label` with <w, xi> >= L |A' w| for a fixed w, exactly: zeta = z b + (I - b b') g with
/// b = A' w/|A' w| and z a truncated normal. Gaussian zeta only.
/// \param filter  w, shape (d), with A' w != 0.
/// \return        shape (count x d).
/// \throws DomainError  for uniform zeta, w in the kernel of A' or a level that is negative or not finite.
[[nodiscard]] RowMatrix long_tailed_noise(const PatchLaw& law, std::size_t label, const Eigen::VectorXd& filter,
                                          double level, std::size_t count, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::models
