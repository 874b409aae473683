// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What stands beside or inside the steps of a transcript: claims of other mechanisms, several releases on one sample,
// samples of samples. Likelihood-ratio attacks on the pair that attains each.
#include <cmath>
#include <functional>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>

#include "validation/cases/accountant/certified.hpp"
#include "validation/cases/topics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::ClaimedRelease;
using accounting::Composition;
using accounting::CurvePtr;
using accounting::Pair;

constexpr std::uint32_t of_null = 0x80;  // random numbers of runs without the record start there

CurvePtr poisson(double rate, double noise, double steps) {
  return accounting::composition_curve({0.0, {{rate, 1.0 / noise, steps, Pair::poisson_remove}}}, {1e-3});
}

/// An attack, what is claimed of it, and a false claim.
struct Attack {
  std::string id, claim, experiment, control, title;
  std::function<std::vector<double>(const Setting&, std::uint32_t number, bool present, std::size_t count)> losses;
  std::function<CurvePtr()> claimed, broken;
  std::uint32_t number;  ///< of its first random numbers
};

Case attacked(const Attack& attack) {
  return {
      attack.id, attack.claim, attack.experiment, attack.control, [attack](const Setting& setting, Outcome& outcome) {
        const std::size_t count = setting.size(200000, 1000000);
        const Points points =
            threshold_points(attack.losses(setting, attack.number + of_null, false, count),
                             attack.losses(setting, attack.number, true, count), std::vector{0.01, 0.05, 0.2});
        const auto grid = even_grid(setting.size(13, 41), 0.0, 0.4);
        const Curve claim = certified(*attack.claimed(), points, grid);
        const Curve broken = certified(*attack.broken(), points, grid);
        check_points(outcome.claim, points, claim, true, "claim");
        check_points(outcome.control, points, broken, false, "false claim");
        outcome.figures.push_back(tradeoff_figure(
            attack.title, {drawn("claim", claim, grid), drawn("false claim", broken, grid), drawn("attack", points)}));
      }};
}

/// Randomised response with odds e^epsilon that reveals everything with probability `failure`: its loss, of `count`
/// runs.
std::vector<double> responses(const Setting& setting, std::uint32_t number, double epsilon, double failure,
                              bool present, std::size_t count) {
  const auto reveals = uniform_sample(setting, number, count), answers = uniform_sample(setting, number + 1, count);
  const double yes = 1.0 / (1.0 + std::exp(present ? -epsilon : epsilon));
  return mapped(count, [&](std::size_t i) {
    return reveals[i] < failure ? (present ? infinity : -infinity) : (answers[i] < yes ? epsilon : -epsilon);
  });
}

/// Adds the losses of one step in which the record is drawn with probability `rate`; an output for each noise
/// multiplier.
void add_step(const Setting& setting, std::uint32_t number, double rate, const std::vector<double>& noises,
              const std::function<bool(std::size_t)>& drawn, std::vector<double>& losses) {
  std::vector<double> exponent(losses.size(), 0.0);
  for (std::size_t k = 0; k < noises.size(); ++k) {
    const auto noise = normal_sample(setting, number + static_cast<std::uint32_t>(k), losses.size());
    const double mu = 1.0 / noises[k];
    for (std::size_t i = 0; i < losses.size(); ++i) {
      exponent[i] += mu * (noise[i] + (drawn(i) ? mu : 0.0) - 0.5 * mu);
    }
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    losses[i] += std::log1p(rate * std::expm1(exponent[i]));
  }
}

Case claims() {
  constexpr double rate = 0.3, epsilon = 0.4, failure = 0.02, copies = 3.0;
  const auto losses = [](const Setting& setting, std::uint32_t number, bool present, std::size_t count) {
    std::vector<double> all(count, 0.0);
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(copies); ++k) {
      const auto one = responses(setting, number + 2 * k, epsilon, failure, present, count);
      for (std::size_t i = 0; i < count; ++i) {
        // what reveals everything is not taken back by another
        all[i] = std::isinf(all[i]) ? all[i] : std::isinf(one[i]) ? one[i] : all[i] + one[i];
      }
    }
    const auto coin = uniform_sample(setting, number + 8, count);
    add_step(
        setting, number + 9, rate, {1.0}, [&](std::size_t i) { return present && coin[i] < rate; }, all);
    return all;
  };
  const auto curve = [](double d) {
    return [d] { return accounting::claimed_curve(poisson(rate, 1.0, 1.0), {ClaimedRelease{epsilon, d, copies}}); };
  };
  return attacked({"accountant/claimed-epsilon-delta",
                   "Three claims (0.4, 0.02) beside one Poisson step have the trade-off function of the formula, which "
                   "randomised response with failures attains.",
                   "q = 0.3, Z = 1; 2e5 (nightly 1e6) runs with and as many without the record, 3 thresholds from a "
                   "pilot, exact intervals.",
                   "The claims without their failures, d = 0.", "Claims of other mechanisms beside a step", losses,
                   curve(failure), curve(0.0), 0xa000});
}

Case merged() {
  static constexpr double rate = 0.3, noise = 1.5, steps = 4.0;
  constexpr std::uint32_t outputs = 3;
  const auto losses = [](const Setting& setting, std::uint32_t number, bool present, std::size_t count) {
    std::vector<double> all(count, 0.0);
    for (std::uint32_t step = 0; step < static_cast<std::uint32_t>(steps); ++step) {
      const std::uint32_t first = number + (outputs + 1) * step;
      const auto coin = uniform_sample(setting, first, count);
      add_step(
          setting, first + 1, rate, std::vector<double>(outputs, noise),
          [&](std::size_t i) { return present && coin[i] < rate; }, all);
    }
    return all;
  };
  return attacked(
      {"accountant/merged-gaussians",
       "Three Gaussian releases on one Poisson sample have the trade-off function of one with 1/Z^2 = 3/1.5^2.",
       "4 steps, q = 0.3, Z = 1.5 of each release; 2e5 (nightly 1e6) runs with and as many without the "
       "record, 3 thresholds from a pilot, exact intervals.",
       "A sample for each release: 12 steps with Z = 1.5.", "Several releases on one sample", losses,
       [] { return poisson(rate, noise / std::sqrt(static_cast<double>(outputs)), steps); },
       [] { return poisson(rate, noise, outputs * steps); }, 0xb000});
}

Case nested() {
  constexpr double outer = 0.5, inner = 0.6, steps = 5.0;
  const auto losses = [](const Setting& setting, std::uint32_t number, bool present, std::size_t count) {
    std::vector<double> all(count, 0.0);
    for (std::uint32_t step = 0; step < static_cast<std::uint32_t>(steps); ++step) {
      const auto first = uniform_sample(setting, number + 4 * step, count);
      const auto second = uniform_sample(setting, number + 4 * step + 1, count);
      add_step(
          setting, number + 4 * step + 2, outer * inner, {1.0},
          [&](std::size_t i) { return present && first[i] < outer && second[i] < inner; }, all);
    }
    return all;
  };
  return attacked({"accountant/nested-sampling",
                   "A Poisson sample of a Poisson sample, both drawn anew in every step, has the trade-off function of "
                   "the product of the rates.",
                   "5 steps, rates 0.5 and 0.6, Z = 1; 2e5 (nightly 1e6) runs with and as many without the record, 3 "
                   "thresholds from a pilot, exact intervals.",
                   "The product less an eighth.", "A sample of a sample", losses,
                   [] { return poisson(outer * inner, 1.0, steps); },
                   [] { return poisson(0.875 * outer * inner, 1.0, steps); }, 0xc000});
}

}  // namespace

std::vector<Case> part_of_run_cases() { return {claims(), merged(), nested()}; }

}  // namespace dpcurves::validation::accountant
