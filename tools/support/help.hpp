// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The help of a command as a terminal shows it.
#pragma once

#include <cstddef>
#include <string>

namespace dpcurves::tools {

/// Where the words of options and commands begin.
constexpr std::size_t help_column = 22;

/// Every line of a help that is wider than a terminal, broken: words of an option stay in their column, choices break
/// behind their bars, and a command of the examples goes on behind a backslash, so that it can be copied.
[[nodiscard]] std::string help_lines(const std::string& help);

}  // namespace dpcurves::tools
