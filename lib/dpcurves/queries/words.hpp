// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Certified ends as words and as data: rounded to the side that stays true.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/record.hpp>

namespace dpcurves::queries {

/// The least number of so many digits that is not below the value by more than a relative 1e-13, as text.
/// \param digits  in [1, 12]. O(1).
[[nodiscard]] std::string at_most(double value, int digits);
/// The largest that is not above it, likewise. O(1).
[[nodiscard]] std::string at_least(double value, int digits);

/// {"lower": number, "upper": number}
[[nodiscard]] Value ends(const Enclosure& value);

/// A list of texts.
[[nodiscard]] Value texts(const std::vector<std::string>& words);

}  // namespace dpcurves::queries
