// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <dpcurves/core/detail/format.hpp>

namespace dpcurves {
namespace {

std::string special(double value) { return std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf"; }

}  // namespace

std::string shortest(double value) {
  if (!std::isfinite(value)) {
    return special(value);
  }
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string rounded(double value, int digits) {
  if (!std::isfinite(value)) {
    return special(value);
  }
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
  return {text.data(), end};
}

namespace {

/// One unit of the last digit away from the nearest, where that is on the wrong side.
std::string directed(double value, int digits, double side) {
  std::string text = rounded(value, digits);
  const double nearest = std::strtod(text.c_str(), nullptr);
  constexpr double slack = 1e-13;  // "1" for the double above it
  if (!std::isfinite(value) || side * (nearest - value) >= -slack * std::abs(value)) {
    return text;
  }
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1.0 - digits);
  return rounded(nearest + side * unit, digits);
}

}  // namespace

std::string rounded_up(double value, int digits) { return directed(value, digits, 1.0); }
std::string rounded_down(double value, int digits) { return directed(value, digits, -1.0); }

}  // namespace dpcurves
