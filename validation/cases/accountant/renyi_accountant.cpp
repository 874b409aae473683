// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Moments of likelihood ratios that are simulated step by step, against the Renyi divergences that the accountant adds.
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/inference/moments.hpp>

#include "validation/cases/accountant/topics.hpp"
#include "validation/threshold_audit.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::Composition;
using accounting::Direction;
using accounting::Pair;

constexpr std::array<accounting::SubsampledGaussian, 2> phases{
    {{0.3, 0.8, 4.0, Pair::poisson_remove}, {0.6, 0.5, 3.0, Pair::poisson_remove}}};

/// log-likelihood ratios of `count` runs of all steps, under the first of the two laws.
std::vector<double> losses(const Setting& setting, std::uint32_t number, bool removed, std::size_t count) {
  std::vector<double> all(count, 0.0);
  for (const auto& phase : phases) {
    const double q = phase.sampling_rate, mu = phase.mu;
    for (int step = 0; step < static_cast<int>(phase.count); ++step, ++number) {
      const auto noise = normal_sample(setting, number, count), coin = uniform_sample(setting, number, count);
      for (std::size_t i = 0; i < count; ++i) {
        const double x = noise[i] + (removed && coin[i] < q ? mu : 0.0);
        const double log_ratio = std::log1p(q * std::expm1(mu * (x - 0.5 * mu)));
        all[i] += removed ? log_ratio : -log_ratio;
      }
    }
  }
  return all;
}

/// The mean of e^{(order - 1) loss} - 1, against what the divergence says. \param broken  one step is forgotten.
void check(const Setting& setting, Trial& trial, bool broken) {
  Composition run;
  run.components.assign(phases.begin(), phases.end());
  run.components.front().count -= broken ? 1.0 : 0.0;
  const std::size_t count = setting.size(400000, 2000000);
  for (const Direction direction : {Direction::remove, Direction::add}) {
    const bool removed = direction == Direction::remove;
    trial.group(removed ? "record removed" : "record added");
    const auto all = losses(setting, removed ? 0xf000 : 0xf080, removed, count);
    for (const double order : removed ? std::array{1.5, 2.0, 2.5} : std::array{1.5, 2.5, 4.0}) {
      std::vector<double> excess(count);
      std::transform(all.begin(), all.end(), excess.begin(), [&](double l) { return std::expm1((order - 1.0) * l); });
      const Enclosure divergence = accounting::poisson_renyi(run, order, direction);
      mean_below(trial, inference::moments(excess), std::expm1((order - 1.0) * divergence.upper),
                 "moment of order " + rounded(order, 2) + " less 1");
    }
  }
}

}  // namespace

std::vector<Case> renyi_accountant_cases() {
  return {
      {"accountant/renyi",
       "Renyi divergences of the steps add: the moments of the likelihood ratio of a run in two phases are those of "
       "the sum of its divergences.",
       "q = 0.3, mu = 0.8, 4 steps, then q = 0.6, mu = 0.5, 3 steps; 4e5 (nightly 2e6) runs with the record and as "
       "many without, orders 1.5 to 4, means with Student intervals.",
       "One step of the first phase forgotten.", [](const Setting& setting) {
         Outcome outcome;
         check(setting, outcome.claim, false);
         check(setting, outcome.control, true);
         return outcome;
       }}};
}

}  // namespace dpcurves::validation::accountant
