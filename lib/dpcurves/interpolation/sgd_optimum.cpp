// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/sgd_optimum.hpp>

namespace dpcurves::interpolation {
namespace {

constexpr int most_evaluations = 32;  // a compass search takes 19 and one more for each step that it moves
constexpr int most_failures = 4;      // the pairs ranked first, and one: their neighbours would fail as they do

/// The best certified pair seen so far, and the means to try another.
class Optimum {
 public:
  Optimum(SgdBound bound, const NoisySgd& setting, const SgdTarget& target, const accounting::Accuracy& accuracy)
      : bound_(bound), setting_(setting), target_(target), accuracy_(accuracy) {
    best_.value.upper = std::numeric_limits<double>::infinity();
  }

  /// Evaluates a pair; true if it is the best so far. A pair without a certified value is no candidate.
  bool improves(double horizon, double split) {
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
  OptimisedSgd best_;
  int evaluations_ = 0;
  int failures_ = 0;
};

}  // namespace

OptimisedSgd optimise(SgdBound bound, const NoisySgd& setting, const SgdTarget& target, std::optional<double> horizon,
                      const accounting::Accuracy& accuracy) {
  Optimum optimum(bound, setting, target, accuracy);
  for (const auto& choice : ranked_horizons(bound, setting, target, horizon)) {
    if (!optimum.found() || !optimum.spent()) {
      (void)optimum.improves(choice.horizon, choice.split);
    }
  }
  if (!optimum.found()) {
    throw ConvergenceError("optimise: no horizon could be certified");
  }
  // Compass search on log(alpha - 1) and log N: the Chernoff ranking is a few percent off in both.
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

}  // namespace dpcurves::interpolation
