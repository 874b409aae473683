// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/judgement.hpp"

#include <algorithm>

#include "validation/resolution.hpp"

namespace dpcurves::validation {
namespace {

void count(Levels& levels, const Measurement& measured) {
  if (measured.basis != Basis::simulation) {
    ++levels.deterministic;
  } else if (measured.miss > 0.0) {
    ++levels.certified;
  } else {
    ++levels.without_level;
  }
  levels.miss += measured.miss;
}

std::optional<Gap> summary(std::vector<double> gaps) {
  if (gaps.empty()) {
    return std::nullopt;
  }
  std::sort(gaps.begin(), gaps.end());
  return Gap{gaps.front(), gaps[gaps.size() / 2]};
}

/// Exact laws and simulations of the algorithm count alike; formulas only where there is neither.
bool counts(const Measurement& measured, Basis best) {
  return (measured.basis == Basis::formula) == (best == Basis::formula);
}

/// The gaps of the group's comparisons that count.
std::vector<double> gaps_of(const GroupFinding& finding, std::size_t group, const Trial& claim) {
  std::vector<double> gaps;
  for (const Comparison& comparison : claim.all()) {
    if (comparison.group == group && counts(comparison.measured, finding.basis)) {
      if (const auto found = gap(comparison.measured)) {
        gaps.push_back(*found);
      }
    }
  }
  return gaps;
}

/// Yes-or-no comparisons show nothing of a scale: the basis is the best of those with numbers, if there are any.
Basis basis_of(std::size_t group, const Trial& claim) {
  Basis measured = Basis::formula, any = Basis::formula;
  bool numbers = false;
  for (const Comparison& comparison : claim.all()) {
    if (comparison.group == group) {
      any = std::max(any, comparison.measured.basis);
      if (resolution(comparison.measured)) {
        measured = std::max(measured, comparison.measured.basis);
        numbers = true;
      }
    }
  }
  return numbers ? measured : any;
}

GroupFinding finding_of(std::size_t group, const Outcome& outcome) {
  const Group& named = outcome.claim.groups()[group];
  GroupFinding finding{.name = named.name,
                       .role = named.role,
                       .basis = basis_of(group, outcome.claim),
                       .runs = named.runs,
                       .units = named.units};
  for (std::size_t i = 0; i < outcome.claim.comparisons(); ++i) {
    const Comparison& comparison = outcome.claim.all()[i];
    if (comparison.group != group) {
      continue;
    }
    ++finding.comparisons;
    finding.broken += comparison.holds ? 0U : 1U;
    count(finding.levels, comparison.measured);
    const auto found = resolution(comparison.measured);
    if (found && counts(comparison.measured, finding.basis) && (!finding.resolution || *found > *finding.resolution)) {
      finding.resolution = found;
      finding.tightest = i;
    }
  }
  finding.gap = summary(gaps_of(finding, group, outcome.claim));
  for (std::size_t i = 0; i < outcome.control.comparisons(); ++i) {
    const Comparison& comparison = outcome.control.all()[i];
    if (outcome.control.groups()[comparison.group].name == named.name) {
      ++finding.control_comparisons;
      finding.control_broken += comparison.holds ? 0U : 1U;
      if (!comparison.holds && !finding.control) {
        finding.control = i;
      }
    }
  }
  return finding;
}

}  // namespace

bool Judgement::controlled() const {
  return std::all_of(groups.begin(), groups.end(), [](const GroupFinding& group) { return group.controlled(); });
}

Verdict verdict_of(const Trial& trial) {
  return trial.comparisons() == 0 ? Verdict::undecided : trial.passed() ? Verdict::holds : Verdict::refuted;
}

Judgement judge(const Outcome& outcome, bool repaired_claim) {
  Judgement judgement;
  Verdict claim = verdict_of(outcome.claim);
  if (claim == Verdict::holds && outcome.vacuous) {
    claim = Verdict::vacuous;
  }
  if (repaired_claim) {
    judgement.as_repaired = claim;
  } else {
    judgement.as_printed = claim;
  }
  if (outcome.printed) {
    judgement.as_printed = verdict_of(*outcome.printed);
  }
  if (outcome.repaired) {
    judgement.as_repaired = verdict_of(*outcome.repaired);
  }
  const Trial& trial = outcome.claim;
  std::vector<std::size_t> carrying;  // parts of the claim, as indices into the trial's groups
  for (std::size_t group = 0; group < trial.groups().size(); ++group) {
    GroupFinding finding = finding_of(group, outcome);
    if (finding.comparisons == 0) {
      continue;
    }
    judgement.runs += finding.runs;
    judgement.units += finding.units;
    judgement.levels.certified += finding.levels.certified;
    judgement.levels.without_level += finding.levels.without_level;
    judgement.levels.deterministic += finding.levels.deterministic;
    judgement.levels.miss += finding.levels.miss;
    if (finding.role == Group::Role::claim) {
      judgement.basis = std::max(judgement.basis, finding.basis);
      carrying.push_back(group);
    }
    judgement.groups.push_back(std::move(finding));
  }
  std::vector<double> gaps;
  for (const GroupFinding& finding : judgement.groups) {
    // Where there is an experiment, formulas that agree with each other say nothing.
    if (finding.role == Group::Role::setup || (finding.basis == Basis::formula && judgement.basis != Basis::formula)) {
      continue;
    }
    if (finding.resolution) {
      judgement.resolution = std::min(judgement.resolution.value_or(1.0), *finding.resolution);
    }
    const auto same = [&](std::size_t group) { return trial.groups()[group].name == finding.name; };
    const auto at = std::find_if(carrying.begin(), carrying.end(), same);
    const auto more = gaps_of(finding, *at, trial);
    gaps.insert(gaps.end(), more.begin(), more.end());
  }
  judgement.gap = summary(std::move(gaps));
  return judgement;
}

}  // namespace dpcurves::validation
