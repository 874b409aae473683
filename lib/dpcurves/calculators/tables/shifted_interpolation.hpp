// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two tables of the paper on shifted interpolation, and the inputs that both have. For the tables only.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::calculators::shifted {

/// A number that may be left out.
using Maybe = std::optional<double>;

/// No horizon, no diameter.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Vectors ask for ten digits; the engine is asked for a little more.
[[nodiscard]] inline accounting::Accuracy tight() {
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-9;
  return accuracy;
}

/// Upper ends are what may be promised.
[[nodiscard]] inline Value guaranteed(const Enclosure& mu) { return {mu.upper}; }

/// Inputs of both tables.
inline const FieldInfo eps = argument("epsilon", "eps", "(-inf, inf)", "epsilon");
/// The same.
inline const FieldInfo delta = argument("delta", "delta", "(0, 1)", "delta");
/// The same.
inline const FieldInfo t = argument("steps", "t", whole("[1, inf]"), "number of steps");
/// The same.
inline const FieldInfo eta = argument("step_size", "eta", "(0, inf)", "step size");

/// Noisy gradient descent, cyclic and stochastic, its inverse problems and the experiments of the paper.
[[nodiscard]] std::vector<Calculator> descent();

}  // namespace dpcurves::calculators::shifted
