// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/case.hpp"

#include <cmath>
#include <iterator>

#include <dpcurves/core/format.hpp>

namespace dpcurves::validation {

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::refuted:
      return "refuted";
    case Verdict::undecided:
      return "undecided";
  }
  return "";
}

void Trial::require(bool holds, const std::string& what) {
  lines_.push_back((holds ? "" : "BROKEN: ") + what);
  failures_ += holds ? 0 : 1;
}

void Trial::at_most(double value, double bound, const std::string& what) {
  require(value <= bound, what + ": " + rounded(value, 8) + " <= " + rounded(bound, 8));
}

void Trial::close(double value, double exact, double relative_tolerance, const std::string& what) {
  require(value == exact || (std::isfinite(exact) && std::abs(value - exact) <= relative_tolerance * std::abs(exact)),
          what + ": " + rounded(value, 10) + " = " + rounded(exact, 10) + " within " + rounded(relative_tolerance, 2));
}

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = shifted_interpolation_cases();
    for (auto& more : {noisy_hsgd_cases(), accountant_cases(), kan_correlated_noise_cases()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return cases;
}

}  // namespace dpcurves::validation
