// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sets the formulas of the catalogue's plain texts: "mu = kappa sqrt(t)" becomes HTML with MathML, words stay words.
#pragma once

#include <string>
#include <string_view>

namespace dpcurves::validation {

/// HTML of a plain text in which formulas are written as in the catalogue: Greek letters by name, x_k and x^{k+1},
/// sqrt(...), (...)/(...), <=, sum, int, grad, tensor. What is no formula stays as it is, escaped; no
/// word or sign is lost.
[[nodiscard]] std::string typeset(std::string_view text);

/// Only the names of Greek letters as letters, where they are words of their own, whole exponents as raised digits, and
/// the root's sign: for short labels and pictures.
[[nodiscard]] std::string with_letters(const std::string& text);

}  // namespace dpcurves::validation
