// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two sums of softmax regression with ten classes over features that are not zero: scores, and the gradient.
///
/// The bits do not depend on the instruction set: every sum runs in the order of features and of examples, multiplied
/// and added separately. Several examples go side by side, so that one waits less for its own last sum.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dpcurves/random/streams.hpp>

namespace dpcurves::models::kernels {

/// The features of examples that are not zero, one example after the other.
struct SparseFeatures {
  const double* values = nullptr;        ///< not owned, nor what follows
  const std::uint32_t* where = nullptr;  ///< their coordinates
  const std::size_t* begins = nullptr;   ///< of example i; that of i + 1 is its end
};

/// Loops for one instruction set.
struct TenClasses {
  std::size_t width;  ///< numbers from one feature's parameters to the next: 10, and zeros
  std::size_t group;  ///< examples that go side by side
  /// Writes the scores of `group` examples, `width` apart. \param parameters  shape (features x width).
  void (*scores)(const SparseFeatures& features, const std::uint32_t* examples, const double* parameters, double* out);
  /// The same of one example.
  void (*scores_of_one)(const SparseFeatures& features, const std::uint32_t* example, const double* parameters,
                        double* out);
  /// sum += residual x feature. \param residual  `width` numbers. \param sum  shape (features x width).
  void (*add)(const SparseFeatures& features, std::uint32_t example, const double* residual, double* sum);
  /// The same of `group` examples without a zero among their `dimension` features: a row of the sum is read once.
  /// \param residuals  `width` apart.
  void (*add_full)(const SparseFeatures& features, const std::uint32_t* examples, std::size_t dimension,
                   const double* residuals, double* sum);
};

/// The loops of that instruction set.
/// Cost of a feature that is not zero: about 2 ns with AVX-512, 2.5 ns with AVX2, 4 ns with the baseline.
[[nodiscard]] const TenClasses& ten_classes(random::InstructionSet variant);

}  // namespace dpcurves::models::kernels
