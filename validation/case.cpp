// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/case.hpp"

#include <cmath>

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

std::string Comparison::line() const {
  return (holds ? "" : "BROKEN: ") + label + (numbers.empty() ? "" : ": " + numbers);
}

void Trial::require(bool holds, const std::string& what) { require(holds, what, "", {}); }

void Trial::require(bool holds, const std::string& what, const std::string& numbers, const Measurement& measured) {
  all_.push_back({what, numbers, holds, measured});
  failures_ += holds ? 0 : 1;
}

void Trial::at_most(double value, double bound, const std::string& what) {
  require(value <= bound, what, rounded(value, 8) + " <= " + rounded(bound, 8), Measurement::at_most(value, bound));
}

void Trial::at_least(double value, double bound, const std::string& what) {
  require(value >= bound, what, rounded(value, 8) + " >= " + rounded(bound, 8), Measurement::at_least(value, bound));
}

void Trial::close(double value, double exact, double relative_tolerance, const std::string& what) {
  const double allowance = relative_tolerance * std::abs(exact);
  require(value == exact || (std::isfinite(exact) && std::abs(value - exact) <= allowance), what,
          rounded(value, 10) + " = " + rounded(exact, 10) + " within " + rounded(relative_tolerance, 2),
          Measurement::within(value, exact, allowance));
}

std::vector<std::string> Trial::lines() const {
  std::vector<std::string> lines;
  for (const Comparison& comparison : all_) {
    lines.push_back(comparison.line());
  }
  return lines;
}

}  // namespace dpcurves::validation
