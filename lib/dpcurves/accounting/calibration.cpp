// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double farthest = 1e100;    // of a search without an end
constexpr double widest_step = 30.0;  // of log value

/// log(m / wanted m) at the upper end of delta: certainly safe if it is <= 0.
struct Trial {
  double value = 0.0;
  double score = infinity;
  double noise = infinity;  // what of the score more digits would change
  double asked = infinity;  // relative width of delta

  [[nodiscard]] bool safe() const { return score <= 0.0; }
  [[nodiscard]] bool informative() const { return std::isfinite(score); }
};

class Search {
 public:
  Search(const TrialDelta& delta, const Parameter& parameter, const CalibrationTarget& target)
      : delta_(delta),
        parameter_(parameter),
        target_(target),
        bolder_(parameter.more_is_private ? -1.0 : 1.0),
        log_wanted_(std::log(tradeoff::mu_of_epsilon_delta(target.epsilon, target.delta))) {}

  Calibration run() {
    const double boldest = parameter_.more_is_private ? parameter_.lowest : parameter_.highest;
    const double safest = parameter_.more_is_private ? parameter_.highest : parameter_.lowest;
    if (parameter_.whole && std::isinf(boldest) && at(boldest).safe()) {
      return {boldest, trials_};
    }
    constexpr double usual_count = 1024.0;  // compositions of a few steps are the slowest to certify
    double next = target_.guess.value_or(parameter_.whole ? usual_count : 1.0);
    constexpr int most = 400;
    for (int i = 0; i < most; ++i) {
      next = allowed(next);
      const Trial trial = at(next);
      history_.push_back(trial);
      (trial.safe() ? safe_ : unsafe_) = trial;
      if (trial.safe() && (next == boldest || done())) {
        return {next, trials_};
      }
      if (!trial.safe() && (next == safest || (safe_ && done()))) {
        break;
      }
      if (next > farthest || (next > 0.0 && next < 1.0 / farthest)) {
        break;
      }
      next = propose();
    }
    return {safe_ ? std::optional(safe_->value) : std::nullopt, trials_};
  }

 private:
  Trial at(double value) {
    // Far from the boundary few digits are enough: the secant rule squares the error.
    const double relative = std::clamp(0.1 * last_step_ * last_step_, target_.tolerance, 0.1);
    ++trials_;
    Trial trial{value};
    trial.asked = relative;
    if (const auto delta = delta_(value, relative)) {
      const auto score = [this](double d) {
        // Smaller ones, where they are far from the target, are what doubles hold and not what delta is.
        const double seen = std::min(1e-300, 1e-3 * target_.delta);
        return d <= seen  ? -infinity
               : d >= 1.0 ? infinity
                          : std::log(tradeoff::mu_of_epsilon_delta(target_.epsilon, d)) - log_wanted_;
      };
      constexpr double few = 2.0, smooth = 0.01;  // of the width asked for: a score moves no faster than log delta
      trial.score = score(delta->upper);
      trial.noise = trial.score - score(delta->lower);
      if (!(trial.noise <= few * relative)) {  // the gap between two theorems
        trial.noise = smooth * relative;
      }
      trial.score = delta->upper <= target_.delta ? std::min(0.0, trial.score)
                                                  : std::max(trial.score, std::numeric_limits<double>::min());
    }
    return trial;
  }

  /// Nothing between the safe and the unsafe end is worth a trial.
  [[nodiscard]] bool done() const {
    if (!safe_) {
      return false;
    }
    if (parameter_.whole) {
      return unsafe_ && std::abs(unsafe_->value - safe_->value) <= 1.0;
    }
    if (unsafe_ && std::abs(unsafe_->value - safe_->value) <= target_.tolerance * safe_->value) {
      return true;
    }
    // By the slope near the boundary; the width of the brackets limits what can be told apart.
    constexpr double fine = 1e-4;
    const auto steepness = slope();
    return steepness && safe_->informative() && precise_ &&
           -safe_->score <=
               std::max(target_.tolerance * std::abs(*steepness), safe_->asked <= fine ? 4.0 * safe_->noise : 0.0);
  }

  /// d score / d log value by the last trial and the latest other one that can be told apart from it.
  [[nodiscard]] std::optional<double> slope() const {
    const Trial* later = nullptr;
    for (auto trial = history_.rbegin(); trial != history_.rend(); ++trial) {
      if (!trial->informative()) {
        continue;
      }
      if (later == nullptr) {
        later = &*trial;
        continue;
      }
      const double run = std::log(later->value / trial->value);
      const double rise = later->score - trial->score;
      constexpr double apart = 10.0;
      if (rise * run * bolder_ > 0.0 && std::abs(rise) > apart * (later->noise + trial->noise)) {
        return rise / run;
      }
    }
    return std::nullopt;
  }

  /// The trial nearest to the boundary that says how far it is; null if there is none.
  [[nodiscard]] const Trial* nearest() const {
    const Trial* best = nullptr;
    for (const auto* end : {&safe_, &unsafe_}) {
      if (*end && (*end)->informative() && (best == nullptr || std::abs((*end)->score) < std::abs(best->score))) {
        best = &**end;
      }
    }
    return best;
  }

  double propose() {
    const bool enclosed = safe_ && unsafe_;
    constexpr int patience = 8;  // trials without a new digit of the bracket
    if (enclosed) {
      const double gap = std::abs(std::log(safe_->value / unsafe_->value));
      slow_ = gap < 0.25 * gap_ ? 0 : slow_ + 1;
      gap_ = slow_ == 0 ? gap : gap_;
    }
    const Trial* from = nearest();
    if (enclosed && (from == nullptr || slow_ > patience)) {
      slow_ = 0;
      precise_ = false;
      last_step_ = gap_;
      return middle();
    }
    double start = history_.back().value;
    double step = 0.0;  // of log value
    if (from != nullptr) {
      start = from->value;
      const double steepness = slope().value_or(bolder_ * (parameter_.whole ? 0.5 : 1.0));
      // Aim a little to the safe side, by what the brackets cannot tell apart.
      const double aim = -std::max(0.5 * target_.tolerance * std::abs(steepness), 1.5 * from->noise);
      step = (aim - from->score) / steepness;
      precise_ = std::abs(step) < 0.01;
    } else {
      blind_ = std::min(blind_ * 2.0, widest_step);
      step = (history_.back().safe() ? bolder_ : -bolder_) * blind_;
      precise_ = false;
    }
    step = std::clamp(step, -widest_step, widest_step);
    last_step_ = std::abs(step);
    double next = start * std::exp(step);
    if (parameter_.whole) {
      next = std::round(next);
    }
    if (enclosed) {
      const double low = std::min(safe_->value, unsafe_->value), high = std::max(safe_->value, unsafe_->value);
      if (parameter_.whole) {
        return std::clamp(next, low + 1.0, high - 1.0);
      }
      return next > low && next < high ? next : middle();
    }
    if (next == start) {
      const double onwards = history_.back().safe() ? bolder_ : -bolder_;
      return parameter_.whole ? start + onwards : start * (1.0 + onwards * target_.tolerance);
    }
    return next;
  }

  [[nodiscard]] double middle() const {
    const double low = std::min(safe_->value, unsafe_->value), high = std::max(safe_->value, unsafe_->value);
    const double half = low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.5 * high;
    return parameter_.whole ? std::clamp(std::round(half), low + 1.0, high - 1.0) : half;
  }

  [[nodiscard]] double allowed(double value) const {
    const double whole = parameter_.whole ? std::round(value) : value;
    return std::clamp(whole, parameter_.lowest, parameter_.highest);
  }

  const TrialDelta& delta_;
  Parameter parameter_;
  CalibrationTarget target_;
  double bolder_;  // the sign of a step of log value towards less privacy
  double log_wanted_;
  std::vector<Trial> history_;
  std::optional<Trial> safe_, unsafe_;  // nearest to the boundary
  double last_step_ = 10.0;
  double blind_ = 0.35;
  double gap_ = infinity;  // of log value, when it last shrank to a quarter
  bool precise_ = false;
  int slow_ = 0;
  int trials_ = 0;
};

}  // namespace

Calibration calibrate(const TrialDelta& delta, const Parameter& parameter, const CalibrationTarget& target) {
  require_domain(target.epsilon >= 0.0 && std::isfinite(target.epsilon), "epsilon", target.epsilon, "[0, inf)");
  require_domain(target.delta > 0.0 && target.delta < 1.0, "delta", target.delta, "(0, 1)");
  require_domain(target.tolerance > 0.0 && target.tolerance < 1.0, "tolerance", target.tolerance, "(0, 1)");
  return Search(delta, parameter, target).run();
}

}  // namespace dpcurves::accounting
