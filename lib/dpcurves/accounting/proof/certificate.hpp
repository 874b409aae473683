// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An answer of the proved accountant as a text from which anybody can prove it again. Internal.
///
/// The text is JSON, schema "dpcurves/certificate/1": the composition, the claim, and the contours of its two ends with
/// all their paths. It holds no bound and no value of the integrand: those are for the reader to compute, as
/// dpcurves-verify does (tools/verify). Every number that the proof depends on is written in hexadecimal, hence exact;
/// what a person reads is written once more in 17 digits. Proof: docs/theory/accountant/proof.md.
#pragma once

#include <string>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

class Profile;

/// What is claimed.
struct Claim {
  enum class Question {
    epsilon,  ///< lower is 0 or delta(lower) > given, and given >= delta(upper)
    delta,    ///< lower <= delta(given) <= upper. Leave room: another proof has other bounds, so put the ends half the
              ///< ball's width outside it
  };
  Question question = Question::epsilon;
  double given = 0.0;  ///< the delta, or an epsilon >= 0
  double lower = 0.0;
  double upper = 0.0;
};

/// \param problem  of the composition, in the order of the plans' steps.
/// \param lower    contour that proves the lower end; null where a closed form, the variation distance or the largest
///                 loss does. \param upper  the same for the upper end; may be the same one.
/// \throws DomainError  if a number of the claim is negative or not finite.
[[nodiscard]] std::string certificate(const Composition& composition, const Problem& problem, const Claim& claim,
                                      const Plan* lower, const Plan* upper);

/// With the contour of the profile's last answer for both ends. \param profile  of the composition.
[[nodiscard]] std::string certificate(const Composition& composition, const Claim& claim, const Profile& profile);

}  // namespace dpcurves::accounting::proof
