// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/vacuous.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dpcurves::validation {

Case vacuous(Case base, double trivial, std::function<std::string()> speaks) {
  base.expected = Verdict::vacuous;
  base.run = [run = std::move(base.run), trivial, speaks = std::move(speaks)](const Setting& setting,
                                                                              Outcome& outcome) {
    run(setting, outcome);
    double least = std::numeric_limits<double>::infinity();
    for (const Comparison& comparison : outcome.claim.all()) {
      const bool claimed = outcome.claim.groups()[comparison.group].role == Group::Role::claim;
      if (claimed && comparison.measured.relation == Measurement::Relation::at_most) {
        least = std::min(least, comparison.measured.claimed);
      }
    }
    if (least >= trivial) {
      outcome.vacuous = Vacuous{least, trivial, speaks()};
    }
  };
  return base;
}

std::string speaks_from(const std::string& name, const std::function<double(double)>& bound, double trivial) {
  for (int k = 1; k <= 60; ++k) {
    if (bound(std::ldexp(1.0, k)) < trivial) {
      return "from " + name + " = 2^" + std::to_string(k) + " on";
    }
  }
  return "at no " + name + " up to 2^60";
}

}  // namespace dpcurves::validation
