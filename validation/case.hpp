// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A validation case: the claim of a theorem, the experiment that tries to break it, and a broken claim, the
/// negative control, that the same experiment must refute.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/io/plot.hpp>

namespace dpcurves::validation {

enum class Verdict { holds, refuted, undecided };

[[nodiscard]] std::string to_string(Verdict verdict);

/// How much work a run may do, and with which random numbers.
struct Setting {
  bool nightly = false;    ///< larger samples and free seeds
  std::uint64_t seed = 1;  ///< fixed in the ci profile
  unsigned threads = 1;    ///< for the inside of one case; results do not depend on it

  /// ci: `small`; nightly: `large`.
  [[nodiscard]] std::size_t size(std::size_t small, std::size_t large) const { return nightly ? large : small; }
};

/// The chance that one exact interval misses the truth. A run uses at most 10,000 intervals, which keeps the chance
/// of any false alarm in a run below 1e-6; the runner counts them.
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

  [[nodiscard]] static Measurement at_most(double value, double bound) {
    return {Relation::at_most, value, bound, 0.0, value, value};
  }
  [[nodiscard]] static Measurement at_least(double value, double bound) {
    return {Relation::at_least, value, bound, 0.0, value, value};
  }
  [[nodiscard]] static Measurement within(double value, double claimed, double allowance) {
    return {Relation::within, value, claimed, allowance, value, value};
  }
  /// The same with a confidence interval.
  [[nodiscard]] Measurement interval(double from, double to) const {
    return {relation, value, claimed, allowance, from, to};
  }
};

/// One comparison: what was compared, whether it came out as it must, and its numbers.
struct Comparison {
  std::string label;    ///< what is compared
  std::string numbers;  ///< "0.31 <= 0.5"; empty where the label says all
  bool holds = false;
  Measurement measured;

  /// "BROKEN: label: numbers".
  [[nodiscard]] std::string line() const;
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
  /// Keeps the points of a claimed rate for a picture.
  void draw(Rate rate) { rates_.push_back(std::move(rate)); }
  /// Says that `count` exact intervals of miss_per_interval were used.
  void used_intervals(std::size_t count) { intervals_ += count; }

  [[nodiscard]] bool passed() const { return failures_ == 0; }
  [[nodiscard]] std::size_t comparisons() const { return all_.size(); }
  [[nodiscard]] std::size_t failures() const { return failures_; }
  [[nodiscard]] std::size_t intervals() const { return intervals_; }
  [[nodiscard]] const std::vector<Comparison>& all() const { return all_; }
  [[nodiscard]] const std::vector<Rate>& rates() const { return rates_; }
  /// One line per comparison.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  std::vector<Comparison> all_;
  std::vector<Rate> rates_;
  std::size_t failures_ = 0;
  std::size_t intervals_ = 0;
};

struct Figure {
  std::string title;
  io::Plot plot;
};

/// What came out of one run of a case.
struct Outcome {
  Trial claim;
  Trial control;  ///< the broken claim: must not pass
  std::vector<Figure> figures;
};

struct Case {
  std::string id;          ///< the catalogue id, "shifted-interpolation/theorem-4.2"
  std::string claim;       ///< what is claimed, in words
  std::string experiment;  ///< what is run, with its sizes, and what is compared
  std::string control;     ///< the broken claim
  std::function<Outcome(const Setting&)> run;
  Verdict expected = Verdict::holds;  ///< refuted for a formula kept as printed and known to be false
};

/// Every case of every paper.
[[nodiscard]] const std::vector<Case>& all_cases();

/// The cases of one paper (or of the accountant), a file per topic behind each.
[[nodiscard]] std::vector<Case> accountant_cases();
[[nodiscard]] std::vector<Case> attack_cases();
[[nodiscard]] std::vector<Case> audit_cases();
[[nodiscard]] std::vector<Case> shifted_interpolation_cases();
[[nodiscard]] std::vector<Case> noisy_hsgd_cases();
[[nodiscard]] std::vector<Case> kan_correlated_noise_cases();
[[nodiscard]] std::vector<Case> long_tail_memorization_cases();
[[nodiscard]] std::vector<Case> dp_glm_networks_cases();

}  // namespace dpcurves::validation
