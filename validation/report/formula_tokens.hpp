// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A plain text cut into words and the tokens of formulas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::validation::report {

enum class Kind { word, space, number, letter, function, sign, open, close, script, slash };

struct Token {
  Kind kind = Kind::word;
  std::string text;   ///< as written
  std::string shown;  ///< the sign that stands for it in a formula
  bool formula = false;
};

/// The tokens of a text, in order, each marked as part of a formula or not by what it is and what stands beside it.
/// Their texts, put together, are the text.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

}  // namespace dpcurves::validation::report
