// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// "Did you mean": the known word nearest to a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace dpcurves {

/// ", did you mean WORD?" for the nearest of `known`, or "" if none is near.
[[nodiscard]] std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace dpcurves
