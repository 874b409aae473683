// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/range.hpp>

#include "checks/check.hpp"

namespace dpcurves::tools::checks {
namespace {

bool as_number(const Json& value, double& out) {
  if (value.is_number()) {
    out = value.get<double>();
    return true;
  }
  return value.is_string() && (value == "inf" || value == "-inf") && read_number(value.get<std::string>(), out);
}

}  // namespace

std::string difference(const std::string& where, const Json& wanted, const Json& got, const Tolerance& tolerance) {
  double want = 0.0;
  double have = 0.0;
  if (as_number(wanted, want)) {
    if (!as_number(got, have)) {
      return where + ": wanted " + shown(wanted) + ", got " + shown(got);
    }
    const double allowed = std::max(tolerance.absolute, tolerance.relative * std::abs(want));
    const bool finite = std::isfinite(want) && std::isfinite(have);  // nothing is near infinity
    if (want == have || (finite && std::abs(have - want) <= allowed)) {
      return "";
    }
    return where + ": wanted " + shortest(want) + ", got " + shortest(have) + ", allowed " + rounded(allowed, 3) +
           ", off by " + rounded(std::abs(have - want), 3);
  }
  if (wanted.is_array()) {
    if (!got.is_array() || got.size() != wanted.size()) {
      return where + ": wanted a list of " + std::to_string(wanted.size());
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto found = difference(where + "[" + std::to_string(i) + "]", wanted[i], got[i], tolerance);
      if (!found.empty()) {
        return found;
      }
    }
    return "";
  }
  if (wanted.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      if (!got.is_object() || !got.contains(key)) {
        return where + "." + key + ": missing";
      }
      const auto found = difference(where + "." + key, value, got[key], tolerance);
      if (!found.empty()) {
        return found;
      }
    }
    return "";
  }
  return wanted == got ? "" : where + ": wanted " + shown(wanted) + ", got " + shown(got);
}

}  // namespace dpcurves::tools::checks
