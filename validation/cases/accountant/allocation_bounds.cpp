// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Upper bounds for k of t steps against the likelihood-ratio attack.
#include <algorithm>
#include <vector>

#include <dpcurves/accounting/allocation_bounds.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/simulate/detail/record_uses.hpp>

#include "validation/cases/topics.hpp"
#include "validation/draws.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::Allocation;

constexpr const char* id = "accountant/allocation-bounds";

/// log likelihood ratios of `count` runs of one epoch, the record 1 where all others are 0.
std::vector<double> losses(const Setting& setting, std::uint64_t number, const Allocation& a, bool present,
                           std::size_t count) {
  simulate::RecordUses uses;
  uses.law = simulate::UseLaw::rounds;
  uses.steps = uses.round = static_cast<std::size_t>(a.positions);
  uses.chosen = static_cast<std::size_t>(a.chosen);
  uses.noise_multiplier = a.noise_multiplier;
  return simulate::log_likelihood_ratios({uses}, !present, count, seed_of(setting, id, number), 0, setting.threads);
}

/// Type II errors that the bounds allow, of the best of some epsilons and rates of the Poisson batches.
Curve allowed(const Allocation& a, bool remove) {
  const double expected = a.chosen / a.positions;
  const auto best = [&](double epsilon) {
    double least = 1.0;
    for (const double factor : {1.0, 1.25, 1.5, 2.0}) {
      const auto bounds = accounting::allocation_bounds(a, std::min(0.9, factor * expected), epsilon);
      least = std::min(least, remove ? bounds.remove_conditioned : bounds.add_geometric);
    }
    return least;
  };
  return allowed_by(best, 3.0);
}

Case allocation_bounds() {
  return {id,
          "The lines of both upper bounds for k of t steps lie below the likelihood-ratio attack on the record whose "
          "gradient is 1 where all others are 0.",
          "Three of 5 steps, Z = 1 (add); two of 8 steps, Z = 1 (remove); 2e5 (nightly 4e5) runs with the record and "
          "as many without, 3 thresholds each from a pilot, exact intervals.",
          "The bounds of a noise multiplier 1.8 times as large.", [](const Setting& setting, Outcome& outcome) {
            const std::size_t count = setting.size(200000, 400000);
            const std::vector<double> errors{0.01, 0.05, 0.2};
            std::vector<io::Series> series;
            std::uint64_t number = 0;
            for (const bool remove : {true, false}) {
              const Allocation a = remove ? Allocation{2.0, 8.0, 1.0, 1.0} : Allocation{3.0, 5.0, 1.0, 1.0};
              const auto with = losses(setting, number++, a, true, count);
              const auto without = losses(setting, number++, a, false, count);
              const Points points = remove ? threshold_points(without, with, errors)
                                           : threshold_points(negated(with), negated(without), errors);
              const std::string name = std::string(remove ? "remove, " : "add, ") + rounded(a.chosen, 2) + " of " +
                                       rounded(a.positions, 2) + " steps";
              Allocation noisier = a;
              noisier.noise_multiplier *= 1.8;
              for (Trial* trial : {&outcome.claim, &outcome.control}) {
                trial->group(remove ? "remove" : "add");
                check_points(*trial, points, allowed(trial == &outcome.claim ? a : noisier, remove), false, name);
              }
              series.push_back(drawn("bound, " + name, allowed(a, remove), even_grid(21, 0.0, 0.5)));
              series.push_back(drawn("attack, " + name, points));
            }
            outcome.figures.push_back(tradeoff_figure("Upper bounds for k of t steps and the attack", series));
          }};
}

}  // namespace

std::vector<Case> allocation_bound_cases() { return {allocation_bounds()}; }

}  // namespace dpcurves::validation::accountant
