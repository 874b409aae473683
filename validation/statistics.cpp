// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/detail/rate_fit.hpp>

namespace dpcurves::validation {

void within_errors(Trial& trial, double value, double error, double exact, const std::string& what, double allowance) {
  const double reach = inference::standard_errors * error;
  trial.require(std::abs(value - exact) <= reach + allowance, what,
                rounded(value, 7) + " +- " + rounded(error, 2) + ", claimed " + rounded(exact, 7),
                Measurement::within(value, exact, reach + allowance).interval(value - reach, value + reach));
}

void mean_below(Trial& trial, const inference::Moments& sample, double bound, const std::string& what) {
  const double reach = inference::student_quantile(sample.count, miss_per_mean) * sample.mean_error;
  trial.require(
      sample.mean - reach <= bound, what,
      rounded(sample.mean, 4) + " +- " + rounded(sample.mean_error, 2) + " of " + std::to_string(sample.count) +
          ", at most " + rounded(bound, 4),
      Measurement::at_most(sample.mean, bound).interval(sample.mean - reach, sample.mean + reach, miss_per_mean));
  trial.count_runs(sample.count);
}

void mean_above(Trial& trial, const inference::Moments& sample, double least, const std::string& what) {
  const double reach = inference::student_quantile(sample.count, miss_per_mean) * sample.mean_error;
  trial.require(
      sample.mean + reach >= least, what,
      rounded(sample.mean, 4) + " +- " + rounded(sample.mean_error, 2) + " of " + std::to_string(sample.count) +
          ", at least " + rounded(least, 3),
      Measurement::at_least(sample.mean, least).interval(sample.mean - reach, sample.mean + reach, miss_per_mean));
  trial.count_runs(sample.count);
}

void slope_within(Trial& trial, const std::vector<double>& x, const std::vector<double>& y, double low, double high,
                  const std::string& what) {
  const auto fit = inference::fit_rate(x, y);
  std::string values;
  for (std::size_t i = 0; i < x.size(); ++i) {
    values += (i == 0 ? "" : ", ") + rounded(y[i], 4);
  }
  const double slope = fit.slope.value;
  trial.require(slope >= low && slope <= high, what,
                values + "; slope " + rounded(slope, 3) + " in [" + shortest(low) + ", " + shortest(high) + "]",
                Measurement::within(slope, 0.5 * (low + high), 0.5 * (high - low)));
  trial.draw({what, x, y, low, high});
}

void interval_holds(Trial& trial, const Enclosure& interval, double value, double exact, const std::string& what) {
  const double reach = exact > value ? interval.upper - value : value - interval.lower;
  trial.require(interval.contains(exact), what,
                rounded(value, 6) + " in [" + rounded(interval.lower, 6) + ", " + rounded(interval.upper, 6) +
                    "], claimed " + rounded(exact, 6),
                Measurement::within(value, exact, reach).interval(interval.lower, interval.upper));
}

void frequency_is(Trial& trial, std::uint64_t count, std::uint64_t trials, double chance, const std::string& what) {
  interval_holds(trial, inference::clopper_pearson(count, trials, miss_per_interval),
                 static_cast<double>(count) / static_cast<double>(trials), chance, what);
  trial.count_runs(trials);
}

void covered(Trial& trial, std::size_t violations, std::size_t trials, double chance, const std::string& what) {
  const auto interval = inference::clopper_pearson(violations, trials, miss_per_interval);
  const double frequency = static_cast<double>(violations) / static_cast<double>(trials);
  trial.require(interval.lower <= chance, what,
                std::to_string(violations) + " of " + std::to_string(trials) + " beyond the bound, a chance of " +
                    rounded(interval.lower, 3) + " to " + rounded(interval.upper, 3) + ", claimed at most " +
                    rounded(chance, 3),
                Measurement::at_most(frequency, chance).interval(interval.lower, interval.upper));
  trial.count_runs(trials);
}

void quantile_below(Trial& trial, std::vector<double> shares, double chance, const std::string& what) {
  std::sort(shares.begin(), shares.end(), std::greater<>());
  const std::size_t n = shares.size();
  // As many as `low` beyond a share would be too many, as few as `high` too few for the chance. The ends grow with the
  // count: bisection, because an interval of 1e5 draws takes milliseconds and there are 1e4 counts to try.
  const auto first = [](std::size_t from, std::size_t end, const auto& holds) {
    while (from < end) {
      const std::size_t middle = from + (end - from) / 2;
      holds(middle) ? end = middle : from = middle + 1;
    }
    return from;
  };
  const auto ends = [&](std::size_t count) { return inference::clopper_pearson(count, n, miss_per_interval); };
  const std::size_t low = first(1, n + 1, [&](std::size_t count) { return ends(count).lower > chance; });
  const std::size_t high = first(0, n, [&](std::size_t count) { return !(ends(count).upper < chance); });
  const double lower = low <= n ? shares[low - 1] : 0.0, upper = high < n ? shares[high] : 0.0;
  const double value = shares[std::min(n - 1, static_cast<std::size_t>(chance * static_cast<double>(n)))];
  trial.require(
      lower <= 1.0, what,
      "exceeded with chance " + rounded(chance, 3) + ": " + rounded(value, 4) + " of the bound, at least " +
          rounded(lower, 4) + "; " + std::to_string(n) + " draws",
      Measurement::at_most(value, 1.0).interval(lower, high > 0 ? upper : std::numeric_limits<double>::infinity()));
  trial.count_runs(n);
}

void Tightest::see(double value, double bound) {
  ++count_;
  excess_ = std::max(excess_, value - bound);
  if (const double share = value / bound; bound > 0.0 && share > share_) {
    share_ = share;
    value_ = value;
    bound_ = bound;
  }
}

void Tightest::report(Trial& trial, double allowance, const std::string& what) const {
  trial.require(excess_ <= allowance, what,
                "tightest " + rounded(value_, 8) + " <= " + rounded(bound_, 8) + ", largest excess " +
                    rounded(excess_, 3) + "; " + std::to_string(count_) + " comparisons",
                Measurement::at_most(value_, bound_));
}

void Coverage::see(double value, double bound) {
  largest_ = std::max(largest_, value);
  shares_.push_back(value / bound);
}

void Coverage::report(Outcome& outcome, double chance, const std::string& what) const {
  quantile_below(outcome.claim, shares_, chance, what);
  std::vector<double> sharper = shares_;
  for (double& share : sharper) {
    share /= control_share_;
  }
  quantile_below(outcome.control, sharper, chance, what + ", against " + rounded(control_share_, 3) + " of it");
}

}  // namespace dpcurves::validation
