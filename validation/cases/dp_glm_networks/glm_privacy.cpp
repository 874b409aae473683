// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Whether the printed noises meet what they claim, by the exact curve of the Gaussian.
#include <cmath>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/models/phase_schedule.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

using bounds::GlmMechanism;
using models::PhasedAlgorithm;

/// log delta of a Gaussian of strength mu(epsilon, delta) against the log of the target, over the paper's range.
void meets_target(Trial& trial, const std::function<double(double, double)>& strength, bool halved) {
  for (double epsilon = 0.01; epsilon <= 1.0; epsilon *= std::pow(100.0, 1.0 / 12.0) * (1.0 - 1e-12)) {
    for (const double delta : {1e-300, 1e-100, 1e-15, 1e-10, 1e-6, 1e-3, 0.1, 0.5}) {
      const double target = std::log(halved ? 0.5 * delta : delta);
      const double log_delta = tradeoff::log_delta_of_epsilon(epsilon, strength(epsilon, delta));
      const double ratio = std::exp(std::min(log_delta - target, 700.0));
      trial.require(log_delta <= target,
                    "epsilon " + rounded(epsilon, 4) + ", delta " + rounded(delta, 3) + ", delta over what is claimed",
                    rounded(ratio, 4) + " <= 1, log delta " + rounded(log_delta, 8) + " at most " + rounded(target, 8),
                    Measurement::at_most(ratio, 1.0).exact());
    }
  }
}

/// The strength of a phase from its schedule: sensitivity of its mean over the noise that it adds.
double strength_of_phases(PhasedAlgorithm algorithm, double sensitivity, double epsilon, double delta) {
  const double c = models::printed_noise_per_step(algorithm, 1.0, epsilon, delta);
  double worst = 0.0;
  for (const auto& phase : models::phase_schedule(1000000, 0.1, c)) {
    const auto n = static_cast<double>(phase.records);
    worst = std::max(worst, sensitivity * phase.step_size * (n - 1.0) / n / phase.noise);
  }
  return worst;
}

Case phases(const char* id, const char* claim, PhasedAlgorithm algorithm, double sensitivity, bool halved) {
  return compared(
      id, claim,
      "the worst phase of a schedule of 1e6 records, its sensitivity over its noise, on the exact curve for "
      "epsilon from 0.01 to 1 and delta from 1e-300 to 1/2",
      "half of the noise", [=](const Setting&, Trial& trial, bool broken) {
        meets_target(
            trial,
            [=](double epsilon, double delta) {
              return (broken ? 2.0 : 1.0) * strength_of_phases(algorithm, sensitivity, epsilon, delta);
            },
            halved);
      });
}

/// Sampled chi-square laws against the closed form of the event.
void projections(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(setting.size(20000, 400000));
  Draws draws(setting, "dp-glm-networks/algorithm-3");
  const std::size_t runs = setting.size(20000, 400000);
  for (const std::size_t m : {1u, 2u, 4u}) {
    std::size_t failures = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      const double square = sum_over(draws.normals(m), [&](double z) { return z * z; });
      failures += square > 4.0 * (broken ? 0.5 : 1.0) * static_cast<double>(m) ? 1 : 0;
    }
    const double chance = std::exp(bounds::log_projection_failure(static_cast<double>(m)));
    const double seen = static_cast<double>(failures) / static_cast<double>(runs);
    within_errors(trial, seen, std::sqrt(chance * (1.0 - chance) / static_cast<double>(runs)), chance,
                  "|Phi x| > 2|x| in dimension " + std::to_string(m));
  }
  trial.by_exact_law();
  meets_target(
      trial,
      [](double epsilon, double delta) { return strength_of_phases(PhasedAlgorithm::projected, 8.0, epsilon, delta); },
      true);
}

/// The printed noise over the least that is private, against epsilon.
io::Plot noise_picture() {
  io::Plot plot{.title = "Printed noise over the least that is private, delta = 1e-5",
                .x = {"claimed epsilon", true, {}, {}},
                .y = {"ratio of standard deviations", false, 0.0, {}},
                .legend = io::Legend::outside};
  for (const auto& [mechanism, name] :
       {std::pair{GlmMechanism::algorithm_2, "Algorithms 2 and 5"},
        std::pair{GlmMechanism::algorithm_3, "Algorithms 3 and 6"}, std::pair{GlmMechanism::algorithm_7, "Algorithm 7"},
        std::pair{GlmMechanism::classic, "Lemma 1"}}) {
    std::vector<double> x, y;
    for (int i = 0; i <= 80; ++i) {
      x.push_back(0.01 * std::pow(1e4, i / 80.0));
      y.push_back(bounds::printed_privacy(mechanism, x.back(), 1e-5).noise_excess);
    }
    plot.series.push_back(io::line(name, x, y));
  }
  plot.series.push_back(io::dashed("private above, not private below", {0.01, 100.0}, {1.0, 1.0}));
  return plot;
}

}  // namespace

std::vector<Case> glm_privacy_cases() {
  std::vector<Case> cases{
      compared("dp-glm-networks/lemma-1", "the classic Gaussian noise is (epsilon, delta)-private for epsilon up to 1",
               "its exact delta on a grid of epsilon from 0.01 to 1 and delta from 1e-300 to 1/2", "a tenth less noise",
               [](const Setting&, Trial& trial, bool broken) {
                 meets_target(
                     trial,
                     [broken](double epsilon, double delta) {
                       return bounds::printed_mu(GlmMechanism::classic, epsilon, delta) / (broken ? 0.9 : 1.0);
                     },
                     false);
               }),
      compared("dp-glm-networks/algorithm-3",
               "projected phased SGD meets (epsilon, delta/2), and |Phi x| > 2|x| has chance Q(m/2, 2m)",
               "frequencies of squared norms of Gaussian vectors in dimension 1, 2 and 4; the worst phase on the exact "
               "curve",
               "squared norms above twice the dimension counted", projections),
      phases("dp-glm-networks/algorithm-5", "phased SGD with inexact gradients is private as claimed",
             PhasedAlgorithm::smoothed, 5.0, false),
      phases("dp-glm-networks/algorithm-6", "projected phased SGD with inexact gradients meets (epsilon, delta/2)",
             PhasedAlgorithm::projected_smoothed, 10.0, true),
      compared("dp-glm-networks/algorithm-7",
               "T noisy gradients on all records compose to (epsilon, delta/2), whatever T",
               "sqrt(T) times sensitivity 4(4W + B)/n over the noise, T from 1 to 1e6, on the exact curve",
               "noise variance without the factor T",
               [](const Setting&, Trial& trial, bool broken) {
                 for (const double steps : {1.0, 30.0, 1e6}) {
                   meets_target(
                       trial,
                       [=](double epsilon, double delta) {
                         const double variance =
                             bounds::projected_descent_variance(1.5, 2.0, broken ? 1.0 : steps, 1000.0, epsilon, delta);
                         return std::sqrt(steps) * 4.0 * 9.5 / 1000.0 / std::sqrt(variance);
                       },
                       true);
                 }
               }),
      compared(
          "dp-glm-networks/algorithm-1", "the choice by explicit bounds is never worse than the printed rule",
          "records, epsilon and rank in a grid; risk bounds of the chosen algorithm at its best step",
          "the opposite of the choice by bounds", [](const Setting&, Trial& trial, bool broken) {
            for (const std::uint64_t n : {1000ull, 65536ull, 10000000ull}) {
              for (const double epsilon : {0.05, 1.0}) {
                for (const double rank : {1.0, 50.0, 400.0, 20000.0}) {
                  bounds::PhasedSetting setting{.records = n, .epsilon = epsilon, .rank = rank};
                  const double least =
                      bounds::johnson_lindenstrauss_event(1.0, static_cast<double>(n), setting.delta).least_dimension;
                  const auto plain = bounds::phased_plan(setting);
                  const auto projected = bounds::projected_plan(setting, least);
                  const bool rule = bounds::rule_of_algorithm_1(static_cast<double>(n), epsilon, rank);
                  auto chosen = bounds::select_by_bound(setting);
                  if (broken) {
                    chosen = chosen.projected ? plain : projected;
                  }
                  trial.at_most(
                      chosen.bound.risk, (rule ? plain : projected).bound.risk,
                      "n " + std::to_string(n) + ", epsilon " + shortest(epsilon) + ", rank " + shortest(rank));
                }
              }
            }
          })};
  Case& classic = cases.front();
  classic.run = [check = classic.run](const Setting& setting, Outcome& outcome) {
    check(setting, outcome);
    outcome.figures.push_back({"how much noise is given away", noise_picture()});
  };
  return cases;
}

}  // namespace dpcurves::validation::dp_glm_networks
