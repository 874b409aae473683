// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What an attacker can do against (epsilon, delta)-DP: the measures of measures.hpp in closed form.
///
/// T is the least of three lines, delta + e^epsilon a, 1 - e^-epsilon (1 - delta - a) and 1; symmetric, attained by
/// randomised response that sometimes reveals. Ends are next to the exact values (ball arithmetic).
/// Proofs: docs/theory/attack/measures.md.
#pragma once

#include <dpcurves/attack/measures.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::attack {

/// (epsilon, delta)-differential privacy. \throws DomainError  from every function for values outside.
struct ApproximateDp {
  double epsilon = 0.0;  ///< in [0, 700]
  double delta = 0.0;    ///< in [0, 1]
};

/// T(a). \param false_positive_rate  a in [0, 1].
[[nodiscard]] Power power(const ApproximateDp& dp, double false_positive_rate);
/// The least a with T(a) >= recall. \param recall  in (0, 1].
[[nodiscard]] Enclosure false_positive_rate(const ApproximateDp& dp, double recall);
/// delta + (1 - delta) tanh(epsilon / 2).
[[nodiscard]] Advantage advantage(const ApproximateDp& dp);
/// The least of (1 - prior) a + prior (1 - T(a)) over the corners of T. \param prior  in (0, 1).
[[nodiscard]] BayesError bayes_error(const ApproximateDp& dp, double prior);
/// 1 - (1 - delta)^2 / (1 + e^epsilon).
[[nodiscard]] Enclosure area(const ApproximateDp& dp);
/// min over the lines y + x a of T with x < e^odds of y / (1 - x e^-odds), at most 1. \param odds  any real number.
[[nodiscard]] Enclosure posterior_tail(const ApproximateDp& dp, double odds);

}  // namespace dpcurves::attack
