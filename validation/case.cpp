// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/case.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>

namespace dpcurves::validation {

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::refuted:
      return "refuted";
    case Verdict::vacuous:
      return "vacuous";
    case Verdict::undecided:
      return "undecided";
  }
  return "";
}

std::string to_string(Basis basis) {
  switch (basis) {
    case Basis::formula:
      return "formula";
    case Basis::exact_law:
      return "exact";
    case Basis::simulation:
      return "simulation";
  }
  return "";
}

std::string Comparison::line() const {
  return (holds ? "" : "BROKEN: ") + label + (numbers.empty() ? "" : ": " + numbers);
}

void Trial::require(bool holds, const std::string& what) { require(holds, what, "", {}); }

void Trial::require(bool holds, const std::string& what, const std::string& numbers, const Measurement& measured) {
  all_.push_back({what, numbers, holds, measured, group_});
  all_.back().measured.basis = std::max(basis_, measured.basis);
  failures_ += holds ? 0 : 1;
}

void Trial::enter(const std::string& name, Group::Role role) {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.name == name; });
  group_ = static_cast<std::size_t>(found - groups_.begin());
  if (found == groups_.end()) {
    groups_.push_back({name, role, 0, 0});
  }
}

void Trial::by_simulation(std::size_t runs, std::size_t units) {
  basis_ = Basis::simulation;
  count_runs(runs, units);
}

void Trial::count_runs(std::size_t runs, std::size_t units) {
  groups_[group_].runs += runs;
  groups_[group_].units += units == 0 ? runs : units;
}

void Trial::used_intervals(std::size_t count) {
  if (!all_.empty()) {
    all_.back().measured.miss = static_cast<double>(count) * miss_per_interval;
    all_.back().measured.basis = Basis::simulation;
  }
}

void Trial::add(const Trial& more) {
  const std::size_t before = group_;
  for (const Group& group : more.groups_) {
    enter(group.name, group.role);
    count_runs(group.runs, group.units);
  }
  for (const Comparison& comparison : more.all_) {
    const Group& group = more.groups_[comparison.group];
    enter(group.name, group.role);
    require(comparison.holds, comparison.label, comparison.numbers, comparison.measured);
  }
  group_ = before;
  rates_.insert(rates_.end(), more.rates_.begin(), more.rates_.end());
}

double Trial::miss() const {
  return std::accumulate(all_.begin(), all_.end(), 0.0,
                         [](double sum, const Comparison& c) { return sum + c.measured.miss; });
}

void Trial::at_most(double value, double bound, const std::string& what) {
  require(value <= bound, what, rounded(value, 8) + " <= " + rounded(bound, 8), Measurement::at_most(value, bound));
}

void Trial::at_least(double value, double bound, const std::string& what) {
  require(value >= bound, what, rounded(value, 8) + " >= " + rounded(bound, 8), Measurement::at_least(value, bound));
}

void Trial::close(double value, double exact, double relative_tolerance, const std::string& what) {
  const double allowance = relative_tolerance * std::abs(exact);
  require(value == exact || (std::isfinite(exact) && std::abs(value - exact) <= allowance), what,
          rounded(value, 10) + " = " + rounded(exact, 10) + " within " + rounded(relative_tolerance, 2),
          Measurement::within(value, exact, allowance));
}

void Trial::identical(double difference, double size, double tolerance, const std::string& what) {
  require(difference <= tolerance, what,
          "differ by " + rounded(difference, 3) + " <= " + rounded(tolerance, 3) + ", values up to " + rounded(size, 3),
          Measurement::within(size + difference, size, tolerance));
}

std::vector<std::string> Trial::lines() const {
  return mapped(all_, [&](const Comparison& comparison) { return comparison.line(); });
}

}  // namespace dpcurves::validation
