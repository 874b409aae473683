// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Certified ends and words as data.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/record.hpp>

namespace dpcurves::queries {

/// {"lower": number, "upper": number}
[[nodiscard]] Value ends(const Enclosure& value);

/// A list of texts.
[[nodiscard]] Value texts(const std::vector<std::string>& words);

}  // namespace dpcurves::queries
