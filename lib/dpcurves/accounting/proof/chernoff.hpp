// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The last resort: proved bounds that need no integral. Internal.
#pragma once

#include <array>
#include <functional>

#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// At least delta(epsilon). \param epsilon  exact.
[[nodiscard]] rigorous::Real chernoff_delta(const Problem& problem, const rigorous::Real& epsilon);

/// Chances of two outcomes that exclude each other.
using Seen = std::array<rigorous::Real, 2>;
/// At least the sum of p^{1-s} n^s. \param here, there  under either law. \param s  in (0, 1).
[[nodiscard]] rigorous::Real affinity(const Seen& here, const Seen& there, const rigorous::Real& s);
/// At least 1 - delta(epsilon), at most 1, of laws with a Gaussian part. \param log_affinity  of the others, at least.
[[nodiscard]] rigorous::Real rest_of_affinities(
    const rigorous::Real& epsilon, const rigorous::Real& gaussian_square,
    const std::function<rigorous::Real(const rigorous::Real& s)>& log_affinity);
/// At least 1 - delta(epsilon), at most 1: small where epsilon is far below the losses. \param epsilon  exact, of
/// either sign.
[[nodiscard]] rigorous::Real chernoff_rest(const Problem& problem, const rigorous::Real& epsilon);

/// An exact epsilon >= 0 with delta(epsilon) <= target. \param target  positive.
[[nodiscard]] rigorous::Real chernoff_epsilon(const Problem& problem, const rigorous::Real& target);

/// The same with laws cut off far away, whose moments are integrals: closer where large losses are rare.
/// \param log_mass  of what is cut off of each law.
[[nodiscard]] rigorous::Real far_chernoff_delta(const Problem& problem, const rigorous::Real& epsilon, double log_mass);
/// The least of three. \param log_value  about log delta(epsilon).
[[nodiscard]] rigorous::Real cut_chernoff_delta(const Problem& problem, const rigorous::Real& epsilon,
                                                double log_value);
/// About the least logarithm that cut_chernoff_delta can have, in doubles. Cost: some milliseconds.
[[nodiscard]] double log_chernoff_estimate(const Problem& problem, double epsilon);
/// See cut_chernoff_delta. Infinite where no cut helps.
[[nodiscard]] rigorous::Real cut_chernoff_epsilon(const Problem& problem, const rigorous::Real& target);

/// At least the divergence KL(P || Q) of one step, P the alternative.
[[nodiscard]] rigorous::Real divergence(const Step& step);

/// At most delta(epsilon): what the test sees that looks for one step with a loss above epsilon. \param epsilon  >= 0.
[[nodiscard]] rigorous::Real any_step_delta(const Problem& problem, const rigorous::Real& epsilon);

/// At most the epsilon of delta, for records added to Poisson batches: what the test sees that looks for every step
/// with a loss near its largest, -log(1 - q). Sharp where the sampled steps can hardly be told apart. 0 for other
/// steps. \param target  in (0, 1). \param problem  without a Gaussian part.
[[nodiscard]] rigorous::Real every_step_epsilon(const Problem& problem, const rigorous::Real& target);

}  // namespace dpcurves::accounting::proof
