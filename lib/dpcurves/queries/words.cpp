// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstdlib>

#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/words.hpp>

namespace dpcurves::queries {
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

std::string at_most(double value, int digits) { return directed(value, digits, 1.0); }
std::string at_least(double value, int digits) { return directed(value, digits, -1.0); }

Value ends(const Enclosure& value) { return {Record{{"lower", {value.lower}}, {"upper", {value.upper}}}}; }

Value texts(const std::vector<std::string>& words) {
  List list;
  for (const auto& word : words) {
    list.push_back({word});
  }
  return {std::move(list)};
}

}  // namespace dpcurves::queries
