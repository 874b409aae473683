// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Comparisons of simulated means, slopes and frequencies with what is claimed of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/inference/detail/moments.hpp>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// |value - exact| <= inference::standard_errors error + allowance, for a value of many runs.
void within_errors(Trial& trial, double value, double error, double exact, const std::string& what,
                   double allowance = 0.0);

/// The chance that a Student interval of a mean misses it. Runs are few there: 1e-10 would need dozens.
constexpr double miss_per_mean = 2e-9;

/// A mean claimed to be at most `bound` (at least `least`): refuted where the whole Student interval of the sample lies
/// on the other side. Counts the runs.
void mean_below(Trial& trial, const inference::Moments& sample, double bound, const std::string& what);
void mean_above(Trial& trial, const inference::Moments& sample, double least, const std::string& what);

/// The log-log slope of y over x lies in [low, high].
void slope_within(Trial& trial, const std::vector<double>& x, const std::vector<double>& y, double low, double high,
                  const std::string& what);

/// The interval holds the exact value; `value` is the estimate that it is an interval of.
void interval_holds(Trial& trial, const Enclosure& interval, double value, double exact, const std::string& what);

/// A chance claimed to be `chance`: holds if it lies in the exact interval. Counts the runs.
void frequency_is(Trial& trial, std::uint64_t count, std::uint64_t trials, double chance, const std::string& what);

/// A chance claimed to be at most `chance`: refuted where the whole exact interval lies above. Counts the runs.
void covered(Trial& trial, std::size_t violations, std::size_t trials, double chance, const std::string& what);

/// A random quantity claimed to exceed its bound with a chance of at most `chance`: refuted where the exact interval of
/// that quantile of quantity/bound lies above 1. Says how far the bound is from being exceeded so often, which a count
/// of violations does not. Counts the runs.
void quantile_below(Trial& trial, std::vector<double> shares, double chance, const std::string& what);

/// The tightest of many comparisons value <= bound, recorded as one.
class Tightest {
 public:
  void see(double value, double bound);
  /// No value was above its bound by more than `allowance`.
  void report(Trial& trial, double allowance, const std::string& what) const;

 private:
  double excess_ = -1e300, share_ = -1e300, value_ = 0.0, bound_ = 0.0;
  std::size_t count_ = 0;
};

/// A random quantity over its bound, draw by draw, and, as the control, over a share of the bound.
class Coverage {
 public:
  /// \param control_share  of the bound, in (0, 1).
  explicit Coverage(double control_share) : control_share_(control_share) {}
  void see(double value, double bound);
  [[nodiscard]] double largest() const { return largest_; }  ///< value seen
  /// quantile_below() of both, each with a chance of at most `chance`.
  void report(Outcome& outcome, double chance, const std::string& what) const;

 private:
  double control_share_;
  double largest_ = 0.0;
  std::vector<double> shares_;
};

}  // namespace dpcurves::validation
