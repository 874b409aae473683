// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A validation case: the claim of a theorem, the experiment that tries to break it, and a broken claim, the
/// negative control, that the same experiment must refute.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/io/plot.hpp>

namespace dpcurves::validation {

enum class Verdict {
  holds,
  refuted,
  vacuous,   ///< not refuted, but the bound is beyond its trivial value at every setting that can be run
  undecided  ///< nothing was compared, or an exception ended the case
};

[[nodiscard]] std::string to_string(Verdict verdict);

/// Where a measured number comes from, in the order of what it can show.
enum class Basis {
  formula,    ///< two formulas are compared: no experiment
  exact_law,  ///< the law of the algorithm itself, by quadrature, recursion or enumeration
  simulation  ///< runs with random numbers
};

/// "formula", "exact", "simulation".
[[nodiscard]] std::string to_string(Basis basis);

/// How much work a run may do, and with which random numbers.
struct Setting {
  bool nightly = false;    ///< larger samples and free seeds
  std::uint64_t seed = 1;  ///< fixed in the ci profile
  unsigned threads = 1;    ///< for the inside of one case; results do not depend on it

  /// ci: `small`; nightly: `large`.
  [[nodiscard]] std::size_t size(std::size_t small, std::size_t large) const { return nightly ? large : small; }
};

/// The chance that one exact interval misses the truth. The runner adds up those of all comparisons with a level and
/// fails a run in which true claims would be refuted with a chance above 1e-6.
constexpr double miss_per_interval = 1e-10;

/// What was measured and what it was held against: the numbers of one comparison, for its picture.
struct Measurement {
  enum class Relation {
    none,      ///< a yes or no without numbers
    at_most,   ///< value <= claimed
    at_least,  ///< value >= claimed
    within     ///< |value - claimed| <= allowance
  };
  Relation relation = Relation::none;
  double value = 0.0;
  double claimed = 0.0;    ///< a bound, an exact value, or the middle of what is allowed
  double allowance = 0.0;  ///< of `within`
  double lower = 0.0;      ///< the confidence interval of the value; lower = upper = value without one
  double upper = 0.0;
  double miss = 0.0;  ///< the chance that the interval misses the truth; 0: no interval, or none of a known level
  Basis basis = Basis::formula;

  [[nodiscard]] static Measurement at_most(double value, double bound) {
    return {Relation::at_most, value, bound, 0.0, value, value, 0.0, Basis::formula};
  }
  [[nodiscard]] static Measurement at_least(double value, double bound) {
    return {Relation::at_least, value, bound, 0.0, value, value, 0.0, Basis::formula};
  }
  [[nodiscard]] static Measurement within(double value, double claimed, double allowance) {
    return {Relation::within, value, claimed, allowance, value, value, 0.0, Basis::formula};
  }
  /// The same with a confidence interval of a simulated value.
  [[nodiscard]] Measurement interval(double from, double to, double missed = miss_per_interval) const {
    return {relation, value, claimed, allowance, from, to, missed, Basis::simulation};
  }
  /// The same, of the exact law of the algorithm, which is known to +- `accuracy`.
  [[nodiscard]] Measurement exact(double accuracy = 0.0) const {
    return {relation, value, claimed, allowance, value - accuracy, value + accuracy, 0.0, Basis::exact_law};
  }
  /// A yes or no about simulated runs that is wrong with a chance of at most `missed`.
  [[nodiscard]] static Measurement sampled(double missed) {
    return {Relation::none, 0.0, 0.0, 0.0, 0.0, 0.0, missed, Basis::simulation};
  }
};

/// One comparison: what was compared, whether it came out as it must, and its numbers.
struct Comparison {
  std::string label;    ///< what is compared
  std::string numbers;  ///< "0.31 <= 0.5"; empty where the label says all
  bool holds = false;
  Measurement measured;
  std::size_t group = 0;  ///< index into the groups of the trial

  /// "BROKEN: label: numbers".
  [[nodiscard]] std::string line() const;
};

/// Comparisons that belong together: a part of the claim, which needs a control of the same name, or its set-up.
struct Group {
  enum class Role {
    claim,
    setup  ///< hypotheses, the simulator, accuracies: nothing of the claim
  };
  std::string name = "claim";
  Role role = Role::claim;
  std::size_t runs = 0;   ///< simulated runs of the algorithm
  std::size_t units = 0;  ///< independent ones among them: runs that share data or noise are one
};

/// A claimed growth: y over x on logarithmic axes, with the slopes that are allowed.
struct Rate {
  std::string label;
  std::vector<double> x, y;  ///< shape (points)
  double lowest_slope = 0.0, highest_slope = 0.0;
};

/// The comparisons of one claim (or of its control), each with a line that repeats the numbers.
class Trial {
 public:
  /// The comparisons that follow belong to this part of the claim; "claim" until something else is said.
  void group(const std::string& name) { enter(name, Group::Role::claim); }
  /// The comparisons that follow check the set-up and need no control.
  void setup(const std::string& name = "set-up") { enter(name, Group::Role::setup); }
  /// The values that follow are those of formulas (as long as nothing else is said), of exact laws, or of simulations.
  void by_formula() { basis_ = Basis::formula; }
  void by_exact_law() { basis_ = Basis::exact_law; }
  /// \param runs   simulated runs behind the comparisons that follow.
  /// \param units  independent ones; 0: all.
  void by_simulation(std::size_t runs, std::size_t units = 0);
  /// Counts runs behind the last comparison.
  void count_runs(std::size_t runs, std::size_t units = 0);

  /// Records one comparison that must hold.
  void require(bool holds, const std::string& what);
  /// The same with the numbers behind it, which the report draws.
  void require(bool holds, const std::string& what, const std::string& numbers, const Measurement& measured);
  /// value <= bound.
  void at_most(double value, double bound, const std::string& what);
  /// value >= bound.
  void at_least(double value, double bound, const std::string& what);
  /// |value - exact| <= tolerance * |exact|.
  void close(double value, double exact, double relative_tolerance, const std::string& what);
  /// Two sides of an identity, whose largest value is `size`, differ by at most `tolerance`.
  void identical(double difference, double size, double tolerance, const std::string& what);
  /// Keeps the points of a claimed rate for a picture.
  void draw(Rate rate) { rates_.push_back(std::move(rate)); }
  /// Says that the last comparison rests on `count` exact intervals of miss_per_interval.
  void used_intervals(std::size_t count);
  /// Adds what another trial compared, group by group, behind what is here; what follows is of the group before.
  void add(const Trial& more);

  [[nodiscard]] bool passed() const { return failures_ == 0; }
  [[nodiscard]] std::size_t comparisons() const { return all_.size(); }
  [[nodiscard]] std::size_t failures() const { return failures_; }
  /// The chance that comparisons with a level refute a true claim: the sum of theirs.
  [[nodiscard]] double miss() const;
  [[nodiscard]] const std::vector<Comparison>& all() const { return all_; }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] const std::vector<Rate>& rates() const { return rates_; }
  /// One line per comparison.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  void enter(const std::string& name, Group::Role role);

  std::vector<Comparison> all_;
  std::vector<Group> groups_{Group{}};
  std::vector<Rate> rates_;
  std::size_t group_ = 0;
  std::size_t failures_ = 0;
  Basis basis_ = Basis::formula;
};

struct Figure {
  std::string title;
  io::Plot plot;
};

/// A bound that says nothing at the setting that was run.
struct Vacuous {
  double bound = 0.0;
  double trivial = 0.0;  ///< what holds without the theorem
  std::string speaks;    ///< the size at which the bound falls below the trivial value
};

/// What came out of one run of a case.
struct Outcome {
  Trial claim;
  Trial control;  ///< the broken claim: must fail in every group that carries the claim
  std::vector<Figure> figures;
  std::optional<Vacuous> vacuous{};
  std::optional<Trial> printed{};   ///< the statement as printed, where `claim` is the repaired one
  std::optional<Trial> repaired{};  ///< the repaired statement, where `claim` is the printed one
};

struct Case {
  std::string id;                                       ///< the catalogue id, "shifted-interpolation/theorem-4.2"
  std::string claim;                                    ///< what is claimed, in words
  std::string experiment;                               ///< what is run, with its sizes, and what is compared
  std::string control;                                  ///< the broken claim
  std::function<void(const Setting&, Outcome&)> run{};  ///< fills an empty outcome
  Verdict expected = Verdict::holds;  ///< of `claim`: refuted for a formula kept as printed and known to be false
};

/// Every case of every paper.
[[nodiscard]] const std::vector<Case>& all_cases();

}  // namespace dpcurves::validation
