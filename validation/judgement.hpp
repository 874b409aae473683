// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What one run of a case says: the verdict on the printed and on the repaired statement, and how hard it was tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// Comparisons by what stands behind them.
struct Levels {
  std::size_t certified = 0;      ///< random, with an interval of a stated level
  std::size_t without_level = 0;  ///< random, without one: never called certified
  std::size_t deterministic = 0;  ///< exact laws and formulas
  double miss = 0.0;              ///< sum of the levels' chances to miss
};

/// How far the bound is from what was measured.
struct Gap {
  double least = 0.0, median = 0.0;
};

/// One group of comparisons with its control.
struct GroupFinding {
  std::string name;
  Group::Role role = Group::Role::claim;
  Basis basis = Basis::formula;  ///< the best there is in the group; where it is no formula, formulas do not count
  std::size_t comparisons = 0, broken = 0;
  std::size_t runs = 0, units = 0;
  Levels levels{};
  std::optional<double> resolution{};  ///< the largest of its comparisons
  std::optional<Gap> gap{};
  std::optional<std::size_t> tightest{};  ///< the one with that resolution: index into the claim's comparisons
  std::size_t control_comparisons = 0, control_broken = 0;
  std::optional<std::size_t> control{};  ///< the first broken one: index into the control's
  /// It needs no control, or its control is broken.
  [[nodiscard]] bool controlled() const { return role == Group::Role::setup || control_broken > 0; }
};

struct Judgement {
  std::optional<Verdict> as_printed;   ///< empty: this case judges the repaired statement only
  std::optional<Verdict> as_repaired;  ///< empty: nothing is repaired
  std::vector<GroupFinding> groups;
  Basis basis = Basis::formula;  ///< the best basis of a group that carries the claim
  std::size_t runs = 0, units = 0;
  Levels levels;
  std::optional<double>
      resolution;  ///< the least of the groups that carry the claim, without formulas where there is an experiment
  std::optional<Gap> gap;  ///< over the comparisons of those groups
  /// Every group that carries the claim has its broken control.
  [[nodiscard]] bool controlled() const;
};

/// The verdict on one trial: refuted where a comparison is broken, undecided without one.
[[nodiscard]] Verdict verdict_of(const Trial& trial);

/// \param repaired_claim  the case's claim is not the printed statement, which is false, but the repaired one.
[[nodiscard]] Judgement judge(const Outcome& outcome, bool repaired_claim);

}  // namespace dpcurves::validation
