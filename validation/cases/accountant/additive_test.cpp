// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The additive test on samplers whose likelihood ratio does not add up: how often it rejects in simulated runs.
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/core/detail/format.hpp>

#include "validation/cases/topics.hpp"
#include "validation/runs.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::AdditiveTest;
using accounting::Direction;

/// A record in k of t steps, and what is tested.
struct Allocated {
  double chosen, steps, noise, epsilon;
  Direction direction;
};

AdditiveTest test_of(const Allocated& a, double chosen) {
  AdditiveTest test = accounting::allocation_test(chosen, a.steps, 1.0, a.noise);
  test.epsilon = a.epsilon;
  test.direction = a.direction;
  return test;
}

/// The statistic of `count` runs whose sums are noise, and 1/Z more in the steps of the record.
std::vector<double> statistics(const Setting& setting, std::uint32_t number, const Allocated& a,
                               const AdditiveTest& test, bool present, std::size_t count) {
  const auto steps = static_cast<std::size_t>(a.steps);
  const auto normal = normal_sample(setting, number, count * steps);
  const auto choice = uniform_sample(setting, number, count * steps);
  const double mu = 1.0 / a.noise;
  std::vector<double> found(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    double left = a.chosen;  // steps that the record has yet to take, of those that are to come
    for (std::size_t s = 0; s < steps; ++s) {
      const bool takes = choice[i * steps + s] * static_cast<double>(steps - s) < left;
      left -= takes ? 1.0 : 0.0;
      const double x = normal[i * steps + s] + (present && takes ? mu : 0.0);
      found[i] += std::log(1.0 - test.rate + test.rate * std::exp(x * mu - 0.5 * mu * mu));
    }
  }
  return found;
}

Case additive_test() {
  return {
      "accountant/additive-test",
      "The chances of the additive test with and without the record, which give its lower end of delta, are those "
      "of simulated runs.",
      "Two of 12 steps, Z = 1, epsilon .5, remove and add; four of 40, Z = 1.5, epsilon .3, remove. 2e5 (nightly "
      "8e5) runs with the record and as many without; exact intervals of both chances.",
      "A step more (with the record), a noise multiplier a tenth larger (without).",
      [](const Setting& setting, Outcome& outcome) {
        const std::size_t count = setting.size(200000, 800000);
        std::uint32_t number = 0x7B00;
        for (const Allocated& a :
             {Allocated{2.0, 12.0, 1.0, 0.5, Direction::remove}, Allocated{2.0, 12.0, 1.0, 0.5, Direction::add},
              Allocated{4.0, 40.0, 1.5, 0.3, Direction::remove}}) {
          const AdditiveTest test = test_of(a, a.chosen);
          const auto shown = accounting::additive_test(test, std::size_t{1} << 18U);
          const auto rejects = [&](bool present) {
            const auto values = statistics(setting, number++, a, test, present, count);
            return static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), [&](double s) {
              return a.direction == Direction::remove ? s > shown.threshold : s <= shown.threshold;
            }));
          };
          const std::string name = rounded(a.chosen, 2) + " of " + rounded(a.steps, 3) + " steps, " +
                                   (a.direction == Direction::remove ? "remove" : "add");
          const std::uint64_t with = rejects(true), without = rejects(false);
          const auto compare = [&](Trial& trial, const accounting::AdditiveTestResult& claimed) {
            trial.by_simulation(0);
            trial.group("with the record");
            frequency_is(trial, with, count, claimed.probability_with, name);
            trial.group("without");
            frequency_is(trial, without, count, claimed.probability_without, name);
          };
          compare(outcome.claim, shown);
          AdditiveTest more = test_of(a, a.chosen + 1.0), noisier = test;
          noisier.noise_multiplier *= 1.1;
          for (AdditiveTest* other : {&more, &noisier}) {
            other->rate = test.rate;
            other->threshold = shown.threshold;
          }
          const auto of_more = accounting::additive_test(more, std::size_t{1} << 18U);
          const auto of_noisier = accounting::additive_test(noisier, std::size_t{1} << 18U);
          compare(outcome.control, {0.0, shown.threshold, of_more.probability_with, of_noisier.probability_without});
        }
      }};
}

}  // namespace

std::vector<Case> additive_test_cases() { return {additive_test()}; }

}  // namespace dpcurves::validation::accountant
