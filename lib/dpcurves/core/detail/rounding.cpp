// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/rounding.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves {

double ratio_up(double a, double b) {
  const double quotient = a / b;
  return std::fma(quotient, b, -a) < 0.0 ? next_up(quotient) : quotient;
}

}  // namespace dpcurves
