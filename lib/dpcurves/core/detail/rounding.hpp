// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Arithmetic of doubles that errs to the safe side.
#pragma once

namespace dpcurves {

/// a / b, rounded up where it is not a double: a guarantee may be for a little more than asked.
[[nodiscard]] double ratio_up(double a, double b);

}  // namespace dpcurves
