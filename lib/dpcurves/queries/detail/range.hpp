// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An interval that is written once, as text, and then both checked and shown.
#pragma once

#include <string>
#include <string_view>

namespace dpcurves::queries {

/// An interval such as "[0, inf)", "(0, 1]" or "(-inf, inf)". Brackets include an end, parentheses do not.
class Range {
 public:
  explicit Range(std::string_view text);            ///< \throws std::logic_error  for what is no interval
  [[nodiscard]] bool contains(double value) const;  ///< false for NaN
  [[nodiscard]] const std::string& text() const { return text_; }  ///< as it was written

 private:
  std::string text_;
  double lower_ = 0.0;
  double upper_ = 0.0;
  bool lower_included_ = false;
  bool upper_included_ = false;
};

/// Reads the whole of `text` as a number; "inf", "-inf" and "unlimited" (infinity) are numbers, "nan" is not.
/// \return false if it is not one.
[[nodiscard]] bool read_number(std::string_view text, double& value);

}  // namespace dpcurves::queries
