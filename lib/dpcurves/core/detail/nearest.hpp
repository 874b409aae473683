// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Known words in messages: "did you mean" the one nearest to a mistyped one, and all of them.
#pragma once

#include <string>
#include <vector>

namespace dpcurves {

/// ", did you mean WORD?" for the nearest of `known`, or "" if none is near.
[[nodiscard]] std::string suggestion(const std::string& word, const std::vector<std::string>& known);

/// "a, b, c": all words in one text.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const std::string& between = ", ");

}  // namespace dpcurves
