// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/recorded.hpp"

namespace dpcurves {
namespace io {

static void transfer(Archive& archive, Series& series) {
  archive(series.style, series.name, series.x, series.y, series.lower, series.upper, series.colour);
}

static void transfer(Archive& archive, Axis& axis) { archive(axis.label, axis.logarithmic, axis.lowest, axis.highest); }

static void transfer(Archive& archive, Plot& plot) { archive(plot.title, plot.x, plot.y, plot.legend, plot.series); }

}  // namespace io

namespace validation {

static void transfer(Archive& archive, Measurement& m) {
  archive(m.relation, m.value, m.claimed, m.allowance, m.lower, m.upper, m.miss, m.basis);
}

static void transfer(Archive& archive, Comparison& comparison) {
  archive(comparison.label, comparison.numbers, comparison.holds, comparison.measured, comparison.group);
}

static void transfer(Archive& archive, Group& group) { archive(group.name, group.role, group.runs, group.units); }

static void transfer(Archive& archive, Rate& rate) {
  archive(rate.label, rate.x, rate.y, rate.lowest_slope, rate.highest_slope);
}

static void transfer(Archive& archive, Figure& figure) { archive(figure.title, figure.plot); }

static void transfer(Archive& archive, Vacuous& vacuous) { archive(vacuous.bound, vacuous.trivial, vacuous.speaks); }

/// A trial is made again by the calls that made it.
static void transfer(Archive& archive, Trial& trial) {
  auto groups = trial.groups();
  auto comparisons = trial.all();
  auto rates = trial.rates();
  archive(groups, comparisons, rates);
  if (!archive.reading()) {
    return;
  }
  const auto enter = [&](const Group& group) {
    group.role == Group::Role::claim ? trial.group(group.name) : trial.setup(group.name);
  };
  trial = {};
  for (const Group& group : groups) {
    enter(group);
    trial.count_runs(group.runs, group.units);
  }
  for (const Comparison& comparison : comparisons) {
    if (comparison.group >= groups.size()) {
      throw DataError("recorded results of a case name a group that is not there");
    }
    enter(groups[comparison.group]);
    trial.require(comparison.holds, comparison.label, comparison.numbers, comparison.measured);
  }
  for (Rate& rate : rates) {
    trial.draw(std::move(rate));
  }
}

void transfer(Archive& archive, Outcome& outcome) {
  archive(outcome.claim, outcome.control, outcome.figures, outcome.vacuous, outcome.printed, outcome.repaired);
}

}  // namespace validation
}  // namespace dpcurves
