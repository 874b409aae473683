// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What an attacker can do who knows everything but one record, from a certified privacy profile: both ends.
///
/// H0: the record is absent (law Q), H1: it is present (law P). D is the profile of the direction `remove`, P against
/// Q. A false positive is an absent record that is accused. Numbers are of the best attack; `upper` may be promised,
/// for the Bayes error `lower`. Profiles of the direction `add` answer the same questions with the laws exchanged.
///
/// All numbers are proved where the brackets of the profile are. DomainError for arguments outside their range; other
/// errors as the profile's. Proofs: docs/theory/attack/measures.md.
#pragma once

#include <dpcurves/attack/profile.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::attack {

/// Wanted relative width of answers where the profile allows it.
inline constexpr double usual_width = 1e-9;

/// The largest true positive rate at a false positive rate.
struct Power {
  Enclosure power;   ///< T(a)
  Enclosure excess;  ///< T(a) - a, with its own digits for a up to 1/2
};
/// \param false_positive_rate  a in [0, 1]; T(0) is the mass of infinite losses.
/// Cost: 30 to 60 questions, most of them near one epsilon.
[[nodiscard]] Power power(Profile& profile, double false_positive_rate, double relative = usual_width);

/// The least false positive rate of an attack that finds `recall` of the present records.
/// \param recall  in (0, 1]. Cost: as power.
[[nodiscard]] Enclosure false_positive_rate(Profile& profile, double recall, double relative = usual_width);

/// The largest true positive rate minus false positive rate: the total variation distance.
struct Advantage {
  Enclosure advantage;     ///< A = D(1) = delta(0)
  Enclosure pure_epsilon;  ///< the epsilon whose (epsilon, 0)-DP has it: log((1 + A) / (1 - A))
  Enclosure mu;            ///< the mu whose Gaussian mechanism has it: 2 Phi^{-1}((1 + A) / 2)
};
/// Cost: one question.
[[nodiscard]] Advantage advantage(Profile& profile);
/// The equivalents of an advantage in [0, 1].
[[nodiscard]] Advantage advantage_of(const Enclosure& advantage);

/// The least error of a guess whether the record is present.
struct BayesError {
  Enclosure error;     ///< lower may be promised
  Enclosure accuracy;  ///< 1 - error
  Enclosure gain;      ///< min(prior, 1 - prior) - error, with its own digits for priors up to 1/2
};
/// pi (1 - D((1 - pi) / pi)). \param prior  pi in (0, 1), the probability of H1: that the record IS present. With a
/// profile of the direction `add`, whose H1 is absence, pass 1 - pi; its digits are the better for pi above 1/2.
/// Cost: two questions.
[[nodiscard]] BayesError bayes_error(Profile& profile, double prior);

/// The share of truly present records among those accused.
/// pi T / (pi T + (1 - pi) a). \param true_rate, false_rate  T and a. \param prior  in (0, 1).
/// \throws DomainError  also where the upper ends of both rates are 0.
[[nodiscard]] Enclosure precision(const Enclosure& true_rate, const Enclosure& false_rate, double prior);

/// The area under T. \param absolute  wanted width. Cost: 700 to 1500 questions for 1e-6; the width falls with their
/// square.
[[nodiscard]] Enclosure area(Profile& profile, double absolute = 1e-6);

/// A bound of the probability, along the run with the record, that the posterior odds of its presence are e^odds times
/// the prior odds or more: min over h > 0 of D(e^(odds - h)) / (1 - e^-h). For every mechanism below the profile; the
/// tail of the loss of the dominating pair is none. \param odds  any real number. Cost: as power.
[[nodiscard]] Enclosure posterior_tail(Profile& profile, double odds, double relative = usual_width);

}  // namespace dpcurves::attack
