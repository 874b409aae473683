// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two tables of the paper on shifted interpolation, and the inputs that both have. For the tables only.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/calculators/row.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::calculators::shifted {

using Maybe = std::optional<double>;

inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Vectors ask for ten digits; the engine is asked for a little more.
[[nodiscard]] inline accounting::Accuracy tight() {
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-9;
  return accuracy;
}

/// Upper ends are what may be promised.
[[nodiscard]] inline Value guaranteed(const Enclosure& mu) { return {mu.upper}; }

inline const FieldInfo eps = argument("epsilon", "eps", "(-inf, inf)", "epsilon"),
                       delta = argument("delta", "delta", "(0, 1)", "delta"),
                       t = argument("steps", "t", whole("[1, inf]"), "number of steps"),
                       eta = argument("step_size", "eta", "(0, inf)", "step size");

/// Noisy gradient descent, cyclic and stochastic, its inverse problems and the experiments of the paper.
[[nodiscard]] std::vector<Calculator> descent();

}  // namespace dpcurves::calculators::shifted
