// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Numbers that every folder names.
#pragma once

#include <limits>

namespace dpcurves {

inline constexpr double infinity = std::numeric_limits<double>::infinity();  ///< above every finite number

}  // namespace dpcurves
