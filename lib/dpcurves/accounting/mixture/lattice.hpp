// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Compositions of mixture steps on a lattice of losses. Internal.
///
/// Source: docs/theory/accountant/lattice.md; what is particular to mixtures: its section "Other mechanisms".
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/accounting/mixture/profile.hpp>

namespace dpcurves::accounting::mixture {

/// Where a lattice has its digits.
struct LatticePlan {
  double epsilon = 0.0;                                ///< far down: the threshold, at least 0
  double order = 0.0;                                  ///< of the tilt; 0: a lattice near 0, of both signs
  double log_delta = 0.0;                              ///< far down: about the logarithm of delta there
  std::vector<std::vector<Range>> ranges;              ///< of the pieces of each step
  std::function<double(double)> log_moment;            ///< about log E[e^{order loss}] of the composition
  std::vector<detail::LatticeProfile::Losses> losses;  ///< about those of each step, to look for rare large ones
};

/// Numbers of points, each taken where the one before left a relative width above its own.
struct LatticeSize {
  std::size_t points;
  double enough;
};
inline constexpr std::array lattice_sizes{LatticeSize{std::size_t{1} << 17U, 1e-6},
                                          LatticeSize{std::size_t{1} << 19U, 1e-5},
                                          LatticeSize{std::size_t{1} << 21U, 1e-5}};

/// What the masses of a lattice's cells cost, counted in its points: small where the pieces have few components.
[[nodiscard]] double work_of_cells(const Problem& problem, const std::vector<std::vector<Range>>& ranges);
/// Whether contours need not be tried beside a lattice. \param trivial  what is known without any.
[[nodiscard]] bool proved_enough(const Problem& problem, const Enclosure& found, double trivial);
/// Whether a lattice can say anything: with more steps or larger losses its windows and roundings are too large.
[[nodiscard]] bool lattice_serves(const Problem& problem);
/// Whether there is so little noise that neither lattices nor contours end with a narrow bracket.
[[nodiscard]] bool loud(const Problem& problem);
/// Whether both laws of every step have all their mass at finite losses, so that a lattice near 0 has its digits.
[[nodiscard]] bool is_proper(const Problem& problem);
/// Where the pieces are cut for a lattice near 0: 5e-19 of either law is beyond.
[[nodiscard]] std::vector<std::vector<Range>> near_ranges(const Problem& problem);
/// The lattice of the finite losses: what is infinite comes on top, and what both laws lack.
/// \throws ConvergenceError  where it does not reach.
[[nodiscard]] detail::LatticeProfile lattice_of(const Problem& problem, LatticePlan plan, std::size_t points);

}  // namespace dpcurves::accounting::mixture
