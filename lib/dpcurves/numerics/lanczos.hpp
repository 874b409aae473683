// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The extreme eigenvalues of a symmetric operator that is known by its products with vectors.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <dpcurves/core/estimate.hpp>

namespace dpcurves::numerics {

/// Writes A x to `out`; both have shape (dimension).
using Operator = std::function<void(std::span<const double> x, std::span<double> out)>;

/// Ritz values: the smallest is never below the smallest eigenvalue, the largest never above the largest. `error` is
/// the norm of the residual: an eigenvalue lies within it.
struct ExtremeEigenvalues {
  Estimate smallest;  ///< eigenvalue, with the norm of its residual
  Estimate largest;   ///< eigenvalue, with the norm of its residual
};

/// The Lanczos process with full reorthogonalisation, from a fixed start.
///
/// \param steps  most products with A, at least 1; the process ends early on an invariant subspace.
/// \throws DomainError  unless dimension >= 1 and steps >= 1.
/// Accuracy: residuals fall geometrically for well separated extremes. Cost: O(steps^2 dimension) and `steps` products.
[[nodiscard]] ExtremeEigenvalues extreme_eigenvalues(const Operator& a, std::size_t dimension, std::size_t steps);

}  // namespace dpcurves::numerics
