// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The upper end for shuffled batches against the attack that knows the other gradients, which point the other way.
#include <cmath>

#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/shuffled.hpp>

#include "validation/cases/topics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

constexpr const char* id = "accountant/shuffled";
constexpr std::size_t batches = 300;

/// log likelihood ratios of one epoch at Z = 1. All gradients but that of the record are -1, so that a sum, less what
/// the others make, has the mean 2 with the record and 1 where its gradient is 0.
std::vector<double> losses(const Setting& setting, std::uint32_t number, bool present, std::size_t count) {
  const auto places = uniform_sample(setting, number, count);
  std::vector<double> with(count, 0.0), without(count, 0.0);
  for (std::size_t k = 0; k < batches; ++k) {
    const auto noise = normal_sample(setting, number + static_cast<std::uint32_t>(k), count);
    for (std::size_t i = 0; i < count; ++i) {
      const bool here = static_cast<std::size_t>(places[i] * batches) == k;
      const double x = noise[i] + (here ? (present ? 2.0 : 1.0) : 0.0);
      with[i] += std::exp(2.0 * x - 2.0);
      without[i] += std::exp(x - 0.5);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    with[i] = std::log(with[i] / without[i]);
  }
  return with;
}

Case upper_end() {
  return {
      id,
      "The lines of the upper end for shuffled batches, a record zeroed out, lie below the likelihood-ratio attack "
      "on gradients that all point the other way.",
      "One epoch of 300 batches, Z = 1; 3e4 (nightly 3e5) runs with and as many without the record, 3 thresholds "
      "from a pilot, exact intervals.",
      "Random allocation among the 300 batches, as if the other gradients were 0.",
      [](const Setting& setting, Outcome& outcome) {
        const std::size_t count = setting.size(30000, 300000);
        constexpr std::uint32_t with = 0xd000, null = 0xe000;
        const Points points = threshold_points(losses(setting, null, false, count), losses(setting, with, true, count),
                                               std::vector{0.01, 0.05, 0.2});
        const auto run = accounting::shuffled_curve(
            {1.0, static_cast<double>(batches), 1.0, accounting::ShuffledPair::remove, true});
        const Curve claim = allowed_by([&](double epsilon) { return run->delta(epsilon).value.upper; }, 2.0);
        const Curve broken = allowed_by(
            [&](double epsilon) {
              return accounting::one_position_delta({static_cast<double>(batches), 1.0, 0.0}, epsilon).upper;
            },
            2.0);
        check_points(outcome.claim, points, claim, false, "hiding among clones");
        check_points(outcome.control, points, broken, false, "random allocation");
        const auto grid = even_grid(21, 0.0, 0.5);
        outcome.figures.push_back(tradeoff_figure("Shuffled batches: what is proved, and an attack",
                                                  {drawn("hiding among clones", claim, grid),
                                                   drawn("random allocation", broken, grid), drawn("attack", points)}));
      }};
}

}  // namespace

std::vector<Case> shuffled_cases() { return {upper_end()}; }

}  // namespace dpcurves::validation::accountant
