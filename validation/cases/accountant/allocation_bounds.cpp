// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Upper bounds for k of t steps against the likelihood-ratio attack, whose ratio is an elementary symmetric polynomial.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include <dpcurves/accounting/allocation_bounds.hpp>
#include <dpcurves/core/format.hpp>

#include "validation/cases/accountant/topics.hpp"
#include "validation/runs.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::Allocation;

/// log likelihood ratios of `count` runs of one epoch, the record 1 where all others are 0.
std::vector<double> losses(const Setting& setting, std::uint32_t number, const Allocation& a, bool present,
                           std::size_t count) {
  const auto steps = static_cast<std::size_t>(a.positions), chosen = static_cast<std::size_t>(a.chosen);
  const auto normal = normal_sample(setting, number, count * steps);
  const auto choice = uniform_sample(setting, number, count * steps);
  const double mu = 1.0 / a.noise_multiplier;
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> mean(chosen + 1, 0.0);  // of the products over j-subsets of the steps so far
    mean[0] = 1.0;
    double left = a.chosen;  // steps that the record has yet to take
    for (std::size_t s = 0; s < steps; ++s) {
      const bool takes = choice[i * steps + s] * static_cast<double>(steps - s) < left;
      left -= takes ? 1.0 : 0.0;
      const double x = normal[i * steps + s] + (present && takes ? mu : 0.0);
      const double ratio = std::exp(x * mu - 0.5 * mu * mu), seen = static_cast<double>(s + 1);
      for (std::size_t j = std::min(chosen, s + 1); j > 0; --j) {
        const double share = static_cast<double>(j) / seen;  // of the j-subsets of s + 1 steps that hold this one
        mean[j] = (1.0 - share) * mean[j] + share * ratio * mean[j - 1];
      }
    }
    result[i] = std::log(mean[chosen]);
  }
  return result;
}

std::vector<double> negated(std::vector<double> values) {
  std::transform(values.begin(), values.end(), values.begin(), std::negate<>());
  return values;
}

/// Type II errors that the bounds allow, of the best of some epsilons and rates of the Poisson batches.
Curve allowed(const Allocation& a, bool remove) {
  std::map<double, double> deltas;
  const double expected = a.chosen / a.positions;
  for (double epsilon = 0.0; epsilon <= 3.0; epsilon += 0.125) {
    double least = 1.0;
    for (const double factor : {1.0, 1.25, 1.5, 2.0}) {
      const auto bounds = accounting::allocation_bounds(a, std::min(0.9, factor * expected), epsilon);
      least = std::min(least, remove ? bounds.remove_conditioned : bounds.add_geometric);
    }
    deltas[epsilon] = least;
  }
  return [deltas](double alpha) {
    double error = 0.0;
    for (const auto& [epsilon, delta] : deltas) {
      error = std::max(error, 1.0 - delta - std::exp(epsilon) * alpha);
    }
    return error;
  };
}

Case allocation_bounds() {
  return {"accountant/allocation-bounds",
          "The lines of both upper bounds for k of t steps lie below the likelihood-ratio attack on the record whose "
          "gradient is 1 where all others are 0.",
          "Three of 5 steps, Z = 1 (add); two of 8 steps, Z = 1 (remove); 2e5 (nightly 4e5) runs with the record and "
          "as many without, 3 thresholds each from a pilot, exact intervals.",
          "The bounds of a noise multiplier 1.8 times as large.", [](const Setting& setting) {
            const std::size_t count = setting.size(200000, 400000);
            const std::vector<double> errors{0.01, 0.05, 0.2};
            Outcome outcome;
            std::vector<io::Series> series;
            std::uint32_t number = 0x7C00;
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
            return outcome;
          }};
}

}  // namespace

std::vector<Case> allocation_bound_cases() { return {allocation_bounds()}; }

}  // namespace dpcurves::validation::accountant
