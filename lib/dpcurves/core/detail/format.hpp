// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Numbers as text, in the few forms that messages, tables and files need.
#pragma once

#include <string>

namespace dpcurves {

/// The shortest decimal text that reads back as the same double; "inf", "-inf" and "nan" for the rest.
[[nodiscard]] std::string shortest(double value);

/// At most `digits` significant digits, without trailing zeros: 0.03125 with 2 digits is "0.031".
/// \param digits  1 to 17.
[[nodiscard]] std::string rounded(double value, int digits);

/// The upper end of a guarantee as text: the least number of so many digits that is not below the value by more than
/// a relative 1e-13 (so that "1" stands for the double above 1).
/// \param digits  1 to 12.
[[nodiscard]] std::string rounded_up(double value, int digits);

/// A lower end likewise: the largest number of so many digits that is not above the value.
[[nodiscard]] std::string rounded_down(double value, int digits);

}  // namespace dpcurves
