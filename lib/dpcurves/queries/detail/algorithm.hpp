// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An algorithm that `privacy`, `calibrate` and `curve` know: its options, and the theorems that speak of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// What is asked: theorems with free parameters (the horizon of noisy SGD) choose them for it.
struct Target {
  std::optional<double> epsilon;   ///< delta is asked for here
  std::optional<double> delta;     ///< epsilon is asked for here
  std::string theorem;             ///< id of the one theorem that is wanted; empty: all
  std::optional<double> accuracy;  ///< wanted relative width, where a theorem's value is computed with one
};

/// A parameter that `calibrate --solve-for` can find.
struct Unknown {
  std::string name;              ///< of the option: "noise"
  bool whole = false;            ///< a whole number
  bool more_is_private = false;  ///< true if a larger value is more private
  double lowest = 0.0;           ///< the range that is searched
  double highest = 0.0;          ///< infinity: for a whole number "unlimited" is tried too
  std::string fixed_by;          ///< an option that makes this one pointless; empty: none
  std::string at_most{};         ///< an option whose value is the upper end of the range; empty: none
};

/// One of the algorithms.
struct Algorithm {
  std::string name;                 ///< "dp-sgd"
  std::string summary;              ///< one line
  std::string example;              ///< options of a typical setting
  std::string calibration_example;  ///< after --solve-for: what is found, and the options that stay
  std::vector<Option> options;      ///< of its setting
  std::vector<Unknown> unknowns{};  ///< empty: `calibrate` has a command of its own for it, or none
  bool chooses_for_target = false;  ///< some theorem has free parameters, chosen for the epsilon or delta asked
  /// Reads the file of --run, if one is given, and fills in what it says; empty where there is no such option.
  std::function<void(Values&, const std::vector<Option>&)> complete{};
  /// The run file of a setting, which passed as --run asks the same; nothing where no file says it. Empty: no such
  /// file.
  std::function<Value(const Values&)> run{};
  /// Every theorem about the algorithm, applicable or not. \throws UsageError for contradictory or missing options.
  std::function<std::vector<accounting::Guarantee>(const Values&, const Target&)> guarantees;
  /// Where a theorem's parameter as a function of a real count meets a GDP budget; empty where that is not known.
  std::function<std::optional<double>(const Values&, const std::string& theorem, double budget)> real_count{};
  /// A rough value of an unknown for a GDP budget: where `calibrate` starts. Empty: no idea.
  std::function<std::optional<double>(const Values&, const std::string& unknown, double budget)> guess{};
  double tolerance = 1e-12;  ///< relative accuracy of the real values that `calibrate` finds
};

/// Adds what Algorithm::run says of the setting to the results, as "run".
void add_run(Record& results, const Algorithm& algorithm, const Values& values);

/// All algorithms, in the order in which help shows them.
[[nodiscard]] const std::vector<Algorithm>& algorithms();
/// The one of that name. \throws UsageError  where there is none.
[[nodiscard]] const Algorithm& algorithm_named(const std::string& name);

/// The parts of the list, a file each.
[[nodiscard]] std::vector<Algorithm> descent_algorithms();     ///< noisy-gd, noisy-cgd, noisy-sgd
[[nodiscard]] std::vector<Algorithm> mechanism_algorithms();   ///< gaussian, composition
[[nodiscard]] std::vector<Algorithm> dp_sgd_algorithms();      ///< dp-sgd
[[nodiscard]] std::vector<Algorithm> correlated_algorithms();  ///< correlated
[[nodiscard]] std::vector<Algorithm> phased_sgd_algorithms();  ///< phased-sgd
[[nodiscard]] std::vector<Algorithm> sampling_algorithms();    ///< exponential-mechanism, langevin

}  // namespace dpcurves::queries
