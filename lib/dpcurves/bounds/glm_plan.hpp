// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Plans for private generalised linear models: which algorithm, which step size and projection, how many records.
///
/// Algorithms 1 and 9 compare rates and so ignore constants; the explicit bounds choose differently by a factor of a
/// few in theta. Searches below re-optimise the step size, and the dimension of a projection, at every trial.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Algorithms 1 and 9, Theorems 1
/// and 2. Cost: a search is below 10 ms.
#pragma once

#include <dpcurves/bounds/glm_phased.hpp>

namespace dpcurves::bounds {

/// Algorithm 1: true where it chooses phased SGD, n epsilon > theta^(3/2), false where it projects.
[[nodiscard]] bool rule_of_algorithm_1(double records, double epsilon, double rank);
/// Algorithm 9: n epsilon > theta.
[[nodiscard]] bool rule_of_algorithm_9(double records, double epsilon, double rank);

/// A setting at its best step size, and what Theorem 1 or 2 says of it.
struct GlmPlan {
  bool projected = false;  ///< Algorithm 3 (project, then phased SGD) rather than Algorithm 2
  PhasedSetting setting;   ///< with step size and projected dimension filled in
  PhasedBound bound;       ///< every term of the risk bound at this setting
};

/// Theorem 1 at its best step size, which privacy caps at 8/G.
[[nodiscard]] GlmPlan phased_plan(PhasedSetting setting);

/// Theorem 2 at its best dimension m >= least_dimension and step size, capped at 2/G.
/// \param least_dimension  what the privacy event asks for (johnson_lindenstrauss_event), or 1 with rows rescaled to
/// |Phi x| <= 2. \throws DomainError unless it is an integer >= 1.
[[nodiscard]] GlmPlan projected_plan(PhasedSetting setting, double least_dimension);

/// Theorem 2 at the dimension of the setting and its best step size.
[[nodiscard]] GlmPlan projected_plan_at(PhasedSetting setting);

/// The one with the smaller risk bound. Its dimension is at least what the privacy event of the setting asks for.
[[nodiscard]] GlmPlan select_by_bound(const PhasedSetting& setting);

/// Which algorithm a search may use.
enum class GlmChoice { phased, projected, best };

/// The fewest records with a risk bound of at most `risk`. \throws DomainError unless risk > 0, or if 2^62 records are
/// not enough.
[[nodiscard]] GlmPlan fewest_records(PhasedSetting setting, double risk, GlmChoice choice);

/// The smallest epsilon with a risk bound of at most `risk`, rounded up by 1e-12. It is searched up to where the
/// printed noise stops being private. \throws DomainError unless risk > 0, or if no such epsilon is enough.
[[nodiscard]] GlmPlan least_epsilon(PhasedSetting setting, double risk, GlmChoice choice);

}  // namespace dpcurves::bounds
