// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Reconstruction where the best guess is known exactly: one of N records whose gradients are orthogonal.
///
/// N equally likely records, orthogonal gradients of full norm, one Gaussian release of distance mu: the posterior is
/// largest at the largest coordinate, so the best guess succeeds with probability int phi(x - mu) Phi(x)^(N-1) dx. The
/// general bound is T(1/N) = Phi(Phi^{-1}(1/N) + mu). Proof: docs/theory/attack/measures.md.
#pragma once

#include <dpcurves/core/estimate.hpp>

namespace dpcurves::attack {

/// Success of the best guess. \param mu  in [0, 100]. \param candidates  N, a whole number in [1, 1e15].
/// \throws DomainError  outside. Accuracy: 1e-12, measured; `error` is estimated. Cost: about 50 us.
[[nodiscard]] Estimate candidate_success(double mu, double candidates);

}  // namespace dpcurves::attack
