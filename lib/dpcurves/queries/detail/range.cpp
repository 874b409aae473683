// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <dpcurves/queries/detail/range.hpp>

namespace dpcurves::queries {

Range::Range(std::string_view text) : text_(text) {
  const auto comma = text.find(", ");
  if (text.size() < 5 || comma == std::string_view::npos || !read_number(text.substr(1, comma - 1), lower_) ||
      !read_number(text.substr(comma + 2, text.size() - comma - 3), upper_)) {
    throw std::logic_error("not an interval: " + text_);
  }
  lower_included_ = text.front() == '[';
  upper_included_ = text.back() == ']';
}

bool Range::contains(double value) const {
  const bool above = lower_included_ ? value >= lower_ : value > lower_;
  const bool below = upper_included_ ? value <= upper_ : value < upper_;
  return above && below;
}

bool read_number(std::string_view text, double& value) {
  if (text == "unlimited" || text == "inf" || text == "infinity") {
    value = std::numeric_limits<double>::infinity();
    return true;
  }
  if (text == "-inf") {
    value = -std::numeric_limits<double>::infinity();
    return true;
  }
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
  }
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) {
    return false;  // no "nan", no hexadecimal numbers
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    // Too large is infinite, of its sign, and caught by the range; too small is as good as zero.
    value = std::strtod(std::string(text).c_str(), nullptr);
    return true;
  }
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace dpcurves::queries
