// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Texts without marks, as they stand beside numbers and in pictures: names of letters as letters, scripts as scripts.
#pragma once

#include <string>

namespace dpcurves::validation {

/// HTML of a text: Greek letters, roots and relations by their signs, x_k and x^{k+1} with scripts; the rest as it is.
[[nodiscard]] std::string label_html(const std::string& text);

/// The same without HTML, for pictures: only exponents that have raised signs.
[[nodiscard]] std::string with_letters(const std::string& text);

}  // namespace dpcurves::validation
