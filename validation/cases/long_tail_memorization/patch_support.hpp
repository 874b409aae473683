// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Cases whose control is the same comparison with a broken claim, and the reduced experiment.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <dpcurves/simulate/patch_experiment.hpp>

#include "validation/comparison.hpp"

namespace dpcurves::validation::long_tail_memorization {

inline Case patch_case(const char* id, const char* claim, const char* experiment, const char* control,
                       std::function<void(const Setting&, Trial&, bool broken)> check,
                       Verdict expected = Verdict::holds) {
  return comparison("long-tail-memorization", id, claim, experiment, control, std::move(check), expected);
}

/// The same where claim and control judge one measurement.
template <typename Measured>
Case measured_case(const char* id, const char* claim, const char* experiment, const char* control,
                   std::function<Measured(const Setting&)> measure,
                   std::function<void(const Measured&, Trial&, bool broken)> check) {
  return {std::string("long-tail-memorization/") + id, claim, experiment, control,
          [measure, check](const Setting& setting) {
            const Measured measured = measure(setting);
            Outcome outcome;
            check(measured, outcome.claim, false);
            check(measured, outcome.control, true);
            return outcome;
          }};
}

using simulate::reduced_experiment;

}  // namespace dpcurves::validation::long_tail_memorization
