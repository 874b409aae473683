// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/domain.hpp>

namespace dpcurves {

std::string Domain::text() const {
  if (!whole_ || !std::isfinite(lower_) || lower_open_) {
    return text_;
  }
  const std::string start = "{" + shortest(lower_) + ", ";
  return upper_ > lower_ + 2.0 && !std::isfinite(upper_) ? start + shortest(lower_ + 1.0) + ", ...}"
                                                         : start + "..., " + shortest(upper_) + "}";
}

}  // namespace dpcurves
