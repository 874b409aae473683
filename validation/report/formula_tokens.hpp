// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A formula in plain text cut into its signs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::validation::report {

enum class Kind { space, number, letter, function, sign, open, close, script, slash };

struct Token {
  Kind kind = Kind::sign;
  std::string text;   ///< as written
  std::string shown;  ///< the sign that stands for it
};

/// Their texts, put together, are the text.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view formula);

/// The Greek letter of a name; empty for another word.
[[nodiscard]] std::optional<std::string> greek_letter(std::string_view name);

}  // namespace dpcurves::validation::report
