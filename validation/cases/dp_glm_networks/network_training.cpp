// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The experiments of the paper on the stand-in: the shapes of its figures, over paired seeds.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>

#include "validation/cases/dp_glm_networks/network_stand_in.hpp"
#include "validation/cases/dp_glm_networks/network_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

/// The losses a lie below the losses b of the same seeds, on average.
void below(Trial& trial, const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  mean_above(trial, inference::paired(b, a), 0.0, what + ", the difference");
}

StandIn small_run() {
  StandIn setting{.records = 400, .width = 32, .test_records = 400};
  setting.run.batch_size = 40.0;
  setting.run.steps = 100;
  setting.run.clip = 4.0;
  setting.run.step_size = 0.05;
  return setting;
}

/// One experiment on the stand-in: `run` is changed between calls, the seeds are the same for all of them.
struct Experiment {
  Experiment(const Setting& setting, std::string_view id, std::size_t paths, std::size_t nightly_paths)
      : seeds(setting.size(paths, nightly_paths)), seed(seed_of(setting, id)), threads(setting.threads) {}

  [[nodiscard]] std::vector<double> losses() const { return test_losses(run_stand_in(run, seeds, seed, threads)); }

  std::size_t seeds;
  std::uint64_t seed;
  unsigned threads;
  StandIn run = small_run();
};

/// A case that judges what one experiment finds.
std::function<void(const Setting&, Outcome&)> simulated(const char* id, std::size_t paths, std::size_t nightly_paths,
                                                        void (*judge)(Experiment&, Outcome&)) {
  return [=](const Setting& setting, Outcome& outcome) {
    outcome.claim.by_simulation(0);
    Experiment experiment(setting, id, paths, nightly_paths);
    judge(experiment, outcome);
  };
}

void figure_1(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(0);
  const auto seed = seed_of(setting, "dp-glm-networks/figure-1");
  const double radii[] = {0.05, 0.1, 0.3, 1.0};
  const std::size_t widths[] = {32, 128, 512};
  const auto paths = static_cast<std::uint32_t>(setting.size(3, 10));
  const std::size_t records = setting.size(60, 200);
  std::vector<std::vector<double>> least(3, std::vector<double>(4, 0.0)), most = least;
  for (std::size_t i = 0; i < 3; ++i) {
    const models::NetworkShape shape{10, widths[i], 3};
    for (std::uint32_t path = 0; path < paths; ++path) {
      const models::TangentModel model(shape, sphere_data(10, records, seed, path),
                                       models::initial_network(shape, seed, path));
      for (std::size_t k = 0; k < 4; ++k) {
        const auto fit = model.fit(radii[k], 2e-3);
        least[i][k] += fit.mean_loss.lower / paths;
        most[i][k] += fit.mean_loss.upper / paths;
      }
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::string at = "m = " + std::to_string(widths[i]) + ", radius " + shortest(radii[k]);
      if (k > 0) {
        outcome.claim.at_most(most[i][k], least[i][k - 1], at + " against the radius before");
        outcome.control.at_most(most[i][k - 1], least[i][k], at + " below the radius after");
      }
      if (i > 0 && k >= 1) {  // at small radii the random outputs of the start decide
        outcome.claim.at_most(most[i][k], least[i - 1][k], at + " against the width before");
        outcome.control.at_most(most[i - 1][k], least[i][k], at + " below the width after");
      }
    }
  }
  outcome.claim.at_most(most[2][3], 0.05, "m = 512, radius 1: towards 0");
}

void figure_2(Experiment& experiment, Outcome& outcome) {
  StandIn& run = experiment.run;
  const auto at = [&](double clip, double step_size) {
    run.run.clip = clip;
    run.run.step_size = step_size;
    return experiment.losses();
  };
  // Step sizes in proportion to 1/C: the noise per step does not depend on C, only how much is clipped.
  const auto near = at(1.0, 0.2), far = at(64.0, 0.2 / 64.0), smaller = at(0.5, 0.4);
  below(outcome.claim, near, far, "step ~ 1/C: loss at C = 1 below that at C = 64");
  const auto flat = inference::paired(near, smaller);
  const auto flatness = [&](Trial& trial, const inference::Moments& difference, const std::string& what) {
    mean_below(trial, difference, 0.1, what);
    mean_above(trial, difference, -0.1, what);
  };
  flatness(outcome.claim, flat, "step ~ 1/C: C = 1 and C = 0.5 differ by less than 0.1");
  // With a fixed step the noise grows with C.
  const auto fixed = at(4.0, 0.05), large = at(256.0, 0.05);
  below(outcome.claim, fixed, large, "fixed step: loss at C = 4 below that at C = 256");
  flatness(outcome.control, inference::paired(fixed, large), "fixed step: C = 4 and C = 256 differ by less than 0.1");
}

void remark_15(Experiment& experiment, Outcome& outcome) {
  StandIn& run = experiment.run;
  const auto at = [&](std::size_t steps, double epsilon) {
    run.run.steps = steps;
    run.epsilon = epsilon;
    return experiment.losses();
  };
  const auto few = at(20, 1.0), middle = at(100, 1.0), many = at(500, 1.0);
  below(outcome.claim, middle, few, "loss after 100 steps below that after 20");
  below(outcome.claim, middle, many, "loss after 100 steps below that after 500 at the same epsilon");
  below(outcome.control, at(100, infinity), at(500, infinity), "without privacy: 100 steps below 500");
}

void figure_3(Experiment& experiment, Outcome& outcome) {
  StandIn& run = experiment.run;
  run.run.average = false;
  const auto at = [&](std::size_t width, double epsilon) {
    run.width = width;
    run.epsilon = epsilon;
    return experiment.losses();
  };
  const auto narrow = at(2, 1.0), middle = at(24, 1.0), wide = at(96, 1.0);
  below(outcome.claim, middle, narrow, "loss at width 24 below that at 2");
  below(outcome.claim, middle, wide, "loss at width 24 below that at 96");
  below(outcome.control, at(24, infinity), at(96, infinity), "without privacy: width 24 below 96");
}

void figure_4(Experiment& experiment, Outcome& outcome) {
  StandIn& run = experiment.run;
  run.run.average = false;  // plain DP-SGD: the last iterate
  const auto at = [&](std::size_t steps) {
    run.run.steps = steps;
    return experiment.losses();
  };
  const auto few = at(15), middle = at(60);
  below(outcome.claim, middle, few, "last iterate: loss after 60 steps below that after 15");
  const std::size_t all = experiment.seeds;
  experiment.seeds = 12;  // a large effect of long runs
  below(outcome.claim, {middle.begin(), middle.begin() + 12}, at(500),
        "last iterate: loss after 60 steps below that after 500");
  experiment.seeds = all;
  run.run.clip = 0.2;
  run.noise_scale = 20.0;
  below(outcome.control, few, middle, "last iterate: loss after 15 steps below that after 60");
  below(outcome.control, at(60), few, "gradients clipped to C/20 with the noise of C: 60 steps below 15");
}

void figure_5(Experiment& experiment, Outcome& outcome) {
  const auto gap = [&](std::size_t records) {
    StandIn& run = experiment.run = small_run();
    run.run.average = false;
    run.records = records;
    run.run.batch_size = 0.05 * static_cast<double>(records);
    run.run.steps = static_cast<std::size_t>(5.0 * std::pow(static_cast<double>(records), 0.4));
    const auto with = experiment.losses();
    run.epsilon = infinity;
    auto difference = experiment.losses();
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] = with[i] - difference[i];
    }
    return difference;
  };
  const auto small = gap(200), large = gap(2400);
  below(outcome.claim, large, small, "excess loss of privacy at n = 2400 below that at n = 200");
  below(outcome.control, small, large, "at n = 200 below that at n = 2400");
}

/// The terms of Theorem 13 with constants 1, the missing one included, less the loss of the best tangent model.
void theorem_13(Experiment& experiment, Outcome& outcome) {
  StandIn& run = experiment.run;
  const auto losses = inference::moments(experiment.losses());
  bounds::NetworkTraining given{.width = static_cast<double>(run.width),
                                .steps = static_cast<double>(run.run.steps),
                                .clip = run.run.clip,
                                .records = static_cast<double>(run.records),
                                .inputs = static_cast<double>(run.inputs),
                                .epsilon = run.epsilon};
  given.delta = 1.0 / (given.records * given.records);
  const auto terms = bounds::network_terms(given);
  const double bound = terms.convergence + terms.almost_convex + terms.privacy;
  mean_below(outcome.claim, losses, bound, "test loss of private runs");
  mean_below(outcome.control, losses, 0.01 * bound, "test loss of private runs against a hundredth");
  outcome.claim.setup("conditions");
  outcome.claim.require(!bounds::verdict(given).applies(), "width and records are below what the theorem asks for");
  if (bound >= std::numbers::ln2) {
    const double width = std::min(terms.log_width_required_rederived, terms.log_width_required_sharp);
    outcome.vacuous = Vacuous{bound, std::numbers::ln2,
                              "at no size that can be run: its conditions need 10^" +
                                  rounded(width / std::numbers::ln10, 2) + " units after 100 steps"};
  }
}

}  // namespace

std::vector<Case> network_training_cases() {
  return {
      {"dp-glm-networks/theorem-13",
       "the risk of DP-SGD on wide deep ReLU networks is below the terms with constants 1",
       "stand-in with 400 records, width 32, epsilon = 1, 100 steps: mean test loss of 12 seeds (nightly 40); its "
       "conditions fail, and are said to",
       "a hundredth of the terms", simulated("dp-glm-networks/theorem-13", 12, 40, theorem_13), Verdict::vacuous},
      {"dp-glm-networks/remark-15", "at a fixed epsilon, training must be neither short nor long",
       "stand-in with 400 records, width 32: mean test loss after 20, 100 and 500 steps, paired over 6 seeds (nightly "
       "30), four standard errors",
       "the same upturn without privacy", simulated("dp-glm-networks/remark-15", 24, 40, remark_15)},
      {"dp-glm-networks/figure-1",
       "the best tangent fit improves with the radius and, for radii of 0.1 and more, with the width",
       "certified least losses, 3 starts (nightly 10) of widths 32, 128, 512 at four radii", "the opposite orders",
       figure_1},
      {"dp-glm-networks/figure-2",
       "the loss is flat in C below the gradient norm if steps go like 1/C, and rises above it; with a fixed step it "
       "explodes",
       "stand-in, paired over 24 seeds (nightly 40): C = 0.5, 1, 64 and 4, 256", "flatness with a fixed step",
       simulated("dp-glm-networks/figure-2", 24, 40, figure_2)},
      {"dp-glm-networks/figure-3", "at a fixed epsilon, networks must be neither narrow nor wide",
       "stand-in with 400 records: widths 2, 24, 96, last iterate, paired over 24 seeds (nightly 40)",
       "the same upturn without privacy", simulated("dp-glm-networks/figure-3", 24, 40, figure_3)},
      {"dp-glm-networks/figure-4", "the last iterate is best after neither few nor many steps",
       "stand-in: 15, 60, 500 steps, paired over 48 seeds (nightly 80), 12 at 500 steps",
       "the opposite order; 60 steps help as well when gradients are clipped to C/20 with the noise of C",
       simulated("dp-glm-networks/figure-4", 48, 80, figure_4)},
      {"dp-glm-networks/figure-5", "the excess loss of privacy shrinks with n at T = 5 n^0.4, M = n/20",
       "stand-in: n = 200 and 2400, private and not on the same data, paired over 48 seeds (nightly 80)",
       "the opposite order", simulated("dp-glm-networks/figure-5", 48, 80, figure_5)},
  };
}

}  // namespace dpcurves::validation::dp_glm_networks
