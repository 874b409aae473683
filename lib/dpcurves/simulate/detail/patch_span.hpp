// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// DP-SGD of the two-layer network in the span of its training patches: exact in law, at a cost without d.
///
/// Gradients lie in the span of the signals and the n training patches; outside of it the weights only collect noise.
/// With the Gram matrix L L' of these patches the run takes place in coordinates where they are the rows of L, and the
/// noise outside is drawn once, with variance eta^2 sigma_n^2 T. Noise numbers are others than those of PatchRun, the
/// law of W_T is the same; without noise W_T is the same up to rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/simulate/patch_training.hpp>

namespace dpcurves::simulate {

/// Whether the span pays: (n + K) at most a third of d, and a plain step (Adam is no rotation's friend).
[[nodiscard]] bool span_pays(const PatchSgd& setting, const models::PatchCnn& model);

/// W_T, shape (model.dimension()).
/// \throws DomainError       for a setting as PatchRun, or with Adam.
/// \throws ConvergenceError  if the training patches are linearly dependent (to 1e-12 of the longest).
/// Cost: T steps in dimension n + K, and a few products n x d x K m.
[[nodiscard]] std::vector<double> train_in_span(const PatchSgd& setting, const models::PatchCnn& model,
                                                std::span<const double> start, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::simulate
