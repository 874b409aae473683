// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sets the formulas of the catalogue, which stand between dollars: "$mu = kappa sqrt(t)$" becomes MathML.
#pragma once

#include <string>
#include <string_view>

namespace dpcurves::validation {

/// HTML of a text whose formulas stand between dollars: Greek letters by name, x_k and x^{k+1}, sqrt(...), (...)/(...),
/// <=, in, sum, int, grad, tensor; other words are upright names. Words outside stay as they are, escaped. No word or
/// sign is lost.
[[nodiscard]] std::string typeset(std::string_view marked);

}  // namespace dpcurves::validation
