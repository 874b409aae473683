// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Ends without the digits that are decided by the last bits of the C library or of a transform. Internal.
#pragma once

#include <algorithm>
#include <cmath>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::proof {

/// Both ends moved outward to multiples of a power of 2 between 1/128 and 1/64 of the width: what another machine
/// rounds otherwise is far below that, so that it shows the same ends. Ends that are neighbours or nearly so, or more
/// than 1e-6 apart, which may be two bounds with digits of their own, infinite or tiny ones stay.
[[nodiscard]] inline Enclosure shown(const Enclosure& ends) {
  constexpr double least = 0x1p-46, most = 1e-6, tiny = 1e-290;  // relative and absolute widths
  const double width = ends.upper - ends.lower, size = std::max(std::abs(ends.lower), std::abs(ends.upper));
  if (!std::isfinite(width) || !(width > least * size && width < most * size) || width < tiny) {
    return ends;
  }
  const double grid = std::ldexp(1.0, std::ilogb(width) - 6);
  return {std::floor(ends.lower / grid) * grid, std::ceil(ends.upper / grid) * grid};
}

}  // namespace dpcurves::accounting::proof
