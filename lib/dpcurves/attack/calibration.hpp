// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parameter of an algorithm at which an attacker can just do so much.
///
/// Every measure rises with the mu of a Gaussian mechanism and falls under post-processing, such as more noise. A trial
/// gives the measure at one value of the parameter; the mu of the Gaussian mechanism with the same measure is close to
/// a power of the parameter, which the search of accounting/calibration.hpp uses.
///
/// Proof: docs/theory/attack/measures.md, "Calibration".
#pragma once

#include <functional>
#include <optional>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/attack/attack.hpp>

namespace dpcurves::attack {

/// What is limited.
enum class Measure {
  advantage,       ///< at most `most`, in (0, 1)
  power,           ///< true positive rate at false positive rate `at`; most in (at, 1)
  bayes_accuracy,  ///< of a guess at prior `prior`; most in (max(prior, 1 - prior), 1)
  precision,       ///< at false positive rate `at` and prior `prior`; most in (prior, 1)
  reconstruction,  ///< success at baseline `at`; most in (at, 1)
  area,            ///< under the curve; most in (1/2, 1)
  gdp_parameter,   ///< above delta floor `at`; most in (0, inf)
};

/// A limit on one measure.
struct Limit {
  Measure measure = Measure::advantage;  ///< what is limited
  double most = 0.1;                     ///< the largest value that is allowed
  double at = 0.0;                       ///< false positive rate, baseline or delta floor, in (0, 1)
  double prior = 0.5;                    ///< that the record is present, in (0, 1)
};

/// The measure of one guarantee; `upper` has to be at most limit.most. \throws DomainError  for a limit out of range.
[[nodiscard]] Enclosure value(Attack& attack, const Limit& limit, double relative = usual_width);

/// The largest mu whose Gaussian mechanism meets the limit. \throws DomainError  for a limit out of its range.
/// Accuracy: 1e-12, not proved: for a start and a scale.
[[nodiscard]] double gaussian_mu(const Limit& limit);

/// The guarantee at one value of the parameter; empty where no theorem applies, which counts as not met.
using Trial = std::function<std::optional<Attack>(double value, double relative)>;

/// The boldest parameter at which value().upper <= limit.most was seen. \param target  tolerance and start, its epsilon
/// and delta are not used. Errors and accuracy as accounting::calibrate. Cost: about six trials.
[[nodiscard]] accounting::Calibration calibrate(const Trial& trial, const accounting::Parameter& parameter,
                                                const Limit& limit, const accounting::CalibrationTarget& target = {});

}  // namespace dpcurves::attack
