// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/sgd_estimate.hpp>
#include <dpcurves/interpolation/detail/sgd_optimum.hpp>

namespace dpcurves::interpolation {
namespace {

constexpr int most_evaluations = 32;  // a compass search takes 19 and one more for each step that it moves
constexpr int most_failures = 4;      // the pairs ranked first, and one: their neighbours would fail as they do

/// The least estimate over horizons and splits: about 100 of them, a millisecond each.
class Estimates {
 public:
  Estimates(SgdBound bound, const NoisySgd& setting, const SgdTarget& target, bool fixed)
      : bound_(bound), setting_(setting), target_(target), fixed_(fixed) {}

  struct Least {
    double value = std::numeric_limits<double>::infinity(), horizon = 0.0, log_excess = 0.0;  ///< log(alpha - 1)
  };

  /// Whether every pair that was looked at had an estimate.
  [[nodiscard]] bool complete() const { return complete_; }
  /// From the pairs ranked first. Infinite where nothing can be estimated.
  [[nodiscard]] Least search(const std::vector<SgdHorizon>& ranked) {
    Least best;
    for (const auto& choice : ranked) {
      const double log_excess = std::log(choice.split - 1.0);
      const double value = at(choice.horizon, log_excess);
      best = value < best.value ? Least{value, choice.horizon, log_excess} : best;
    }
    if (!std::isfinite(best.value)) {
      return best;
    }
    best = least(best.horizon, best.log_excess, best.value);
    constexpr double hopeless = -1e-3;  // log delta
    if (fixed_ || (target_.epsilon && best.value > hopeless)) {
      return best;
    }
    constexpr double far = 0.06, near = 0.004;  // relative to the horizon; from there a parabola does the rest
    double step = std::max(1.0, std::round(far * best.horizon));
    while (evaluations_ < most_evaluations) {
      const Least before = best, left = least(best.horizon - step, best.log_excess, best.value),
                  right = least(best.horizon + step, best.log_excess, best.value);
      if (std::min(left.value, right.value) < best.value) {
        best = left.value < right.value ? left : right;
        continue;
      }
      if (step == 1.0) {
        return best;
      }
      if (step < near * best.horizon) {
        const double vertex = std::round(best.horizon + step * parabola(left.value, before.value, right.value));
        const Least at = least(vertex, best.log_excess, best.value);
        return at.value < best.value ? at : best;
      }
      step = std::max(1.0, std::round(0.3 * step));
    }
    complete_ = false;
    return best;
  }

 private:
  static constexpr int most_evaluations = 600;

  /// The vertex of the parabola through (-1, left), (0, middle), (1, right), of which the middle is least.
  static double parabola(double left, double middle, double right) {
    const double bend = left - 2.0 * middle + right;
    return std::isfinite(bend) && bend > 0.0 ? 0.5 * (left - right) / bend : 0.0;
  }

  [[nodiscard]] double at(double horizon, double log_excess) {
    ++evaluations_;
    const auto value = estimated_value(sgd_composition(bound_, setting_, horizon, 1.0 + std::exp(log_excess)), target_);
    complete_ = complete_ && value;
    return value.value_or(std::numeric_limits<double>::infinity());
  }

  /// The best split of a horizon, from one that is not far. Left as it is where that is far above what is known.
  const Least& least(double horizon, double log_excess, double known) {
    const double first = bound_ == SgdBound::two_process ? 0.0 : 1.0;
    const double last = bound_ == SgdBound::two_process ? setting_.steps - 1.0 : setting_.steps;
    horizon = std::clamp(horizon, first, last);
    const auto [place, fresh] = known_.try_emplace(horizon);
    Least& best = place->second;
    if (!fresh) {
      return best;
    }
    best = {at(horizon, log_excess), horizon, log_excess};
    constexpr double far = 1.2;
    if (!std::isfinite(best.value) || (!target_.epsilon && best.value > far * known)) {
      return best;
    }
    double step = 0.06;
    constexpr double finer = 0.1, least_step = 0.005, growth = 2.0;
    constexpr double most_log_excess = 7.0;  // alpha = 1097: from there on nothing is gained
    while (step > least_step && evaluations_ < most_evaluations) {
      const double left = at(horizon, best.log_excess - step), right = at(horizon, best.log_excess + step);
      const double lower = std::min(left, right);
      if (lower < best.value && (left < right || best.log_excess + step < most_log_excess)) {
        best = {lower, horizon, best.log_excess + (left < right ? -step : step)};
        step *= growth;
        continue;
      }
      const double vertex = best.log_excess + (lower < best.value ? 0.0 : step * parabola(left, best.value, right));
      const double value = at(horizon, vertex);
      best = value < best.value ? Least{value, horizon, vertex} : best;
      step *= finer;
    }
    return best;
  }

  SgdBound bound_;
  NoisySgd setting_;
  SgdTarget target_;
  bool fixed_;
  bool complete_ = true;
  int evaluations_ = 0;
  std::map<double, Least> known_;  ///< by horizon
};

/// Whether a proved value is what the estimate said: then the search saw what is there.
bool confirmed(double estimate, const Enclosure& value, const SgdTarget& target) {
  constexpr double narrow = 1e-4, close = 1e-5;
  const double seen = target.epsilon ? std::exp(estimate) : estimate;
  return value.relative_width() < narrow && seen > value.lower * (1.0 - close) && seen < value.upper * (1.0 + close);
}

/// The best certified pair seen so far, and the means to try another.
class Optimum {
 public:
  Optimum(SgdBound bound, const NoisySgd& setting, const SgdTarget& target, const accounting::Accuracy& accuracy)
      : bound_(bound), setting_(setting), target_(target), accuracy_(accuracy) {
    best_.value.upper = std::numeric_limits<double>::infinity();
  }

  /// Evaluates a pair; true if it is the best so far. A pair without a certified value is no candidate.
  bool improves(double horizon, double split) {
    if (!tried_.emplace(horizon, split).second) {
      return false;
    }
    ++evaluations_;
    const SgdHorizon choice{horizon, split, sgd_composition(bound_, setting_, horizon, split)};
    try {
      const Enclosure value = target_.epsilon
                                  ? accounting::delta_at(choice.composition, *target_.epsilon, accuracy_).delta
                                  : accounting::epsilon_at(choice.composition, *target_.delta, accuracy_).epsilon;
      if (value.upper < best_.value.upper) {
        best_ = {choice, value};
        return true;
      }
    } catch (const ConvergenceError&) {
      ++failures_;
    }
    return false;
  }

  /// Whether no effort is left.
  [[nodiscard]] bool spent() const { return evaluations_ >= most_evaluations || failures_ >= most_failures; }
  /// Whether even the best pair shows next to everything, so that its neighbours would too.
  [[nodiscard]] bool hopeless() const { return target_.epsilon && best_.value.lower > 1.0 - 1e-9; }
  [[nodiscard]] bool found() const { return evaluations_ > failures_ && best_.choice.split > 0.0; }
  [[nodiscard]] const OptimisedSgd& best() const { return best_; }

 private:
  SgdBound bound_;
  NoisySgd setting_;
  SgdTarget target_;
  accounting::Accuracy accuracy_;
  std::set<std::pair<double, double>> tried_;
  OptimisedSgd best_;
  int evaluations_ = 0;
  int failures_ = 0;
};

}  // namespace

namespace {

/// Proof by proof: a compass search on log(alpha - 1) and log N, for the Chernoff ranking is a few percent off in both.
OptimisedSgd by_proofs(SgdBound bound, const NoisySgd& setting, const SgdTarget& target, std::optional<double> horizon,
                       const accounting::Accuracy& accuracy, const std::vector<SgdHorizon>& ranked) {
  Optimum optimum(bound, setting, target, accuracy);
  for (const auto& choice : ranked) {
    if (!optimum.found() || !optimum.spent()) {
      (void)optimum.improves(choice.horizon, choice.split);
    }
  }
  if (!optimum.found()) {
    throw ConvergenceError("optimise: no horizon could be certified");
  }
  const double least = bound == SgdBound::two_process ? 0.0 : 1.0;
  const double largest = bound == SgdBound::two_process ? setting.steps - 1.0 : setting.steps;
  double split_factor = 1.12;
  double horizon_factor = horizon ? 1.0 : 1.04;
  while (!optimum.spent() && !optimum.hopeless() && split_factor > 1.01) {
    bool better = false;
    for (const auto& [split_move, horizon_move] :
         {std::pair{split_factor, 1.0}, std::pair{1.0 / split_factor, 1.0}, std::pair{1.0, horizon_factor},
          std::pair{1.0, 1.0 / horizon_factor}}) {
      const SgdHorizon at = optimum.best().choice;
      const double n = std::clamp(std::round(at.horizon * horizon_move), least, largest);
      if ((split_move == 1.0 && n == at.horizon) || optimum.spent()) {
        continue;
      }
      better = optimum.improves(n, 1.0 + (at.split - 1.0) * split_move) || better;
    }
    if (!better) {
      split_factor = std::sqrt(split_factor);
      horizon_factor = std::sqrt(horizon_factor);
    }
  }
  return optimum.best();
}

}  // namespace

OptimisedSgd optimise(SgdBound bound, const NoisySgd& setting, const SgdTarget& target, std::optional<double> horizon,
                      const accounting::Accuracy& accuracy) {
  const auto ranked = ranked_horizons(bound, setting, target, horizon);
  Estimates estimates(bound, setting, target, horizon.has_value());
  const auto guess = estimates.search(ranked);
  if (!std::isfinite(guess.value)) {
    return by_proofs(bound, setting, target, horizon, accuracy, ranked);
  }
  constexpr double fine = 1e-6;  // enough to compare an estimate with
  auto proof = accuracy;
  proof.relative = std::min(proof.relative, fine);
  Optimum guessed(bound, setting, target, proof);
  const bool proved = guessed.improves(guess.horizon, 1.0 + std::exp(guess.log_excess));
  if (proved && estimates.complete() && confirmed(guess.value, guessed.best().value, target)) {
    return guessed.best();
  }
  try {
    const auto best = by_proofs(bound, setting, target, horizon, accuracy, ranked);
    return proved && guessed.best().value.upper < best.value.upper ? guessed.best() : best;
  } catch (const ConvergenceError&) {
    if (!proved) {
      throw;
    }
    return guessed.best();
  }
}

}  // namespace dpcurves::interpolation
