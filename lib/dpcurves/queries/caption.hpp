// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parameters of a picture below its title.
#pragma once

#include <set>
#include <string>

#include <dpcurves/core/record.hpp>

namespace dpcurves::queries {

/// "noise = 1, step size = 0.1, steps = 30" on lines that fit a picture.
/// \param inputs   of a result, as Values::echo gives them. \param without  keys that say nothing of the curve; plot
///                 and explain never do.
[[nodiscard]] std::string caption_of(const Record& inputs, const std::set<std::string>& without = {});

}  // namespace dpcurves::queries
