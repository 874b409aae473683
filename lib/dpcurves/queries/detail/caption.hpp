// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parameters of a picture below its title.
#pragma once

#include <set>
#include <string>

#include <dpcurves/core/record.hpp>
#include <dpcurves/io/plot.hpp>

namespace dpcurves::queries {

/// "noise multiplier" of the option noise-multiplier or the field noise_multiplier.
[[nodiscard]] std::string spoken(std::string name);

/// "noise = 1, step size = 0.1, steps = 30" on lines that fit a picture.
/// \param inputs   of a result, as Values::echo gives them. \param without  keys that say nothing of the curve; plot
///                 and explain never do.
[[nodiscard]] std::string caption_of(const Record& inputs, const std::set<std::string>& without = {});

/// Adds them to a title that has but one line; nothing where there are none.
void add_caption(io::Plot& plot, const Record& inputs, const std::set<std::string>& without = {});

/// A theorem in a legend: its title, or the last part of its id where that would be too long.
[[nodiscard]] std::string legend_of(const std::string& title, const std::string& theorem);

}  // namespace dpcurves::queries
