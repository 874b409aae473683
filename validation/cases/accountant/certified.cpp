// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/accountant/certified.hpp"

#include <map>

namespace dpcurves::validation::accountant {

Curve certified(const accounting::PrivacyCurve& curve, const Points& points, std::vector<double> others) {
  std::vector<double> errors = std::move(others);
  for (const auto& point : points) {
    errors.insert(errors.end(), {point.type_one_error.lower, point.type_one_error.upper});
  }
  const auto values = curve.type_two_errors(errors);
  std::map<double, double> lower;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    lower[errors[i]] = values[i].lower;
  }
  return [lower](double a) { return lower.at(a); };
}

}  // namespace dpcurves::validation::accountant
