// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Noise for (epsilon, delta), the conditions of the theorems, and the tail length from which Theorem 3 says anything.
#include <cmath>
#include <limits>

#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/bounds/long_tail_conditions.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"

namespace dpcurves::validation::long_tail_memorization {
namespace {

/// delta of N(0, 1) against N(mu, 1), by its two tails.
double two_tails(double epsilon, double mu) {
  return numerics::normal_cdf(-epsilon / mu + 0.5 * mu) -
         std::exp(epsilon) * numerics::normal_cdf(-epsilon / mu - 0.5 * mu);
}

void full_batch(const Setting& /*setting*/, Trial& trial, bool broken) {
  trial.by_exact_law();
  for (const double epsilon : {0.5, 1.0, 8.0}) {
    for (const double delta : {1e-3, 1e-5}) {
      for (const double steps : {1.0, 40.0, 1e6}) {
        const double z = bounds::full_batch_noise(epsilon, delta, steps).noise_multiplier * (broken ? 0.999 : 1.0);
        trial.at_most(two_tails(epsilon, std::sqrt(steps) / z), delta * (1.0 + 1e-9),
                      "T = " + rounded(steps, 8) + ", epsilon = " + rounded(epsilon, 3));
      }
    }
  }
}

void noise_order(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  // The order formula with constant 1 is no guarantee: at the settings of the experiments it is below what the exact
  // calibration asks for, by 1.4 at full batches.
  bounds::PrivateRun run{.records = 500, .batch = 256, .steps = 40};
  for (const double epsilon : setting.nightly ? std::vector<double>{1.0, 8.0} : std::vector<double>{8.0}) {
    const auto poisson = bounds::calibrated_noise(run, epsilon, 1e-5, 1e-3);
    const double exact = bounds::full_batch_noise(epsilon, 1e-5, 40).noise_multiplier;
    trial.at_most(poisson.delta.upper, 1e-5, "certified delta of Poisson batches, epsilon = " + rounded(epsilon, 3));
    trial.at_most(poisson.noise_multiplier, exact, "sampling needs no more noise than full batches");
    accounting::Composition composition;
    composition.components = {{256.0 / 500.0, 1.0 / poisson.noise_multiplier, 40.0}};
    trial.at_most(epsilon, accounting::epsilon_by_renyi(composition, 1e-5).add_or_remove().epsilon * (1.0 + 1e-6),
                  "the Renyi accountant gives no smaller epsilon at this noise");
    const double order = bounds::noise_scale_order(1.0, 40, 1e-5, 500, epsilon) * 500.0;
    const double delta = two_tails(epsilon, std::sqrt(40.0) / (broken ? order : exact));
    trial.at_most(delta, 1e-5 * (1.0 + 1e-9), "delta of full batches, epsilon = " + rounded(epsilon, 3));
  }
}

bounds::LongTailTestError tail_setting(double noise) {
  bounds::LongTailTestError s{.class_records = 100,
                              .clipping_factor = 0.05,
                              .own_frobenius = 400,
                              .records = 500,
                              .private_noise = noise,
                              .dimension = 1000,
                              .noise_operator = 20};
  s.others.assign(4, {100.0, 8.0});
  s.noise_frobenius = 25;
  return s;
}

void break_even(const Setting& /*setting*/, Trial& trial, bool broken) {
  for (const double noise : {1e-5, 5e-4, 1e-3, 0.01, 0.019}) {
    auto s = tail_setting(noise);
    const double a = 200.0, b = 500.0 * noise * 20.0;
    // Remark 3: no tail helps once a <= b sqrt(d).
    const double level = broken && a <= b * std::sqrt(1000.0) ? std::numeric_limits<double>::infinity()
                                                              : bounds::long_tail_test_error(s).break_even_level;
    s.tail_level = std::isinf(level) ? 1e6 : 1.001 * level;
    const double above = bounds::long_tail_test_error(s).numerator;
    s.tail_level = std::isinf(level) ? 1e6 : 0.999 * level;
    const double below = bounds::long_tail_test_error(s).numerator;
    trial.require(std::isinf(level) ? above <= 0.0 : above > 0.0 && below < 0.0,
                  "sigma_n = " + rounded(noise, 3) + ": the numerator changes sign at L = " + rounded(level, 5));
  }
}

void conditions(const Setting& /*setting*/, Trial& trial, bool broken) {
  bounds::LongTailSetting s{.noise = {5, 1000, 0.5, 990.0121762984331},
                            .signal_norm = 0.5,
                            .records = 500,
                            .filters = 100,
                            .batch = 256,
                            .steps = 40,
                            .step_size = 0.002,
                            .private_noise = 0.00882,
                            .initial_scale = 0.018};
  if (!broken) {
    const auto failing = bounds::violated(bounds::long_tail_conditions(s));
    trial.require(
        failing == std::vector<std::string>{"trace", "frob_op", "width", "width_init", "rank", "eta_clip", "sigma0"},
        "the experiments of figure 1 violate seven of the twelve inequalities");
  } else {
    trial.require(bounds::violated(bounds::long_tail_conditions(s)).empty(), "the experiments meet the condition");
  }
  // No constant c mends the rank: it asks for m >= 10 c n.
  s.noise.dimension = 1e9;
  s.c = broken ? 1e-3 : 0.1;
  const auto rank = bounds::long_tail_conditions(s)[6];
  trial.require(!rank.holds, "m = 100, n = 500, c = 0.1 violates the rank condition for every d");
}

}  // namespace

std::vector<Case> long_tail_privacy_cases() {
  return {compared("long-tail-memorization/definition-2", "full batches with z = sqrt(T)/mu are (epsilon, delta)-DP",
                   "18 settings against the two tails of the normal law", "0.999 z", full_batch),
          compared("long-tail-memorization/remark-4", "noise calibrated by the accountant of the sampler is certified",
                   "n = 500, B = 256, T = 40, Poisson and full batches, epsilon = 8 (nightly also 1)",
                   "the order formula with constant 1", noise_order),
          compared("long-tail-memorization/derived-1",
                   "the numerator of Theorem 3.2 is positive from L* = b sqrt(d/(a^2 - b^2)) on, if a > b",
                   "five noise scales around a = b sqrt(d) and a = b", "the printed rule: never once a <= b sqrt(d)",
                   break_even),
          compared("long-tail-memorization/condition-1", "the experiments of the paper violate Condition 1",
                   "the report of the literal setting of figure 1", "that they meet it", conditions)};
}

}  // namespace dpcurves::validation::long_tail_memorization
