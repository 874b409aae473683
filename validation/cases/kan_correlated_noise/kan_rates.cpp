// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Rates: the constant that the shortest run, or the smallest data set, asks for must do for the others, up to the
// displayed logarithms.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/bounds/kan_plans.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/random/streams.hpp>

#include "validation/cases/kan_correlated_noise/kan_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/runs.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

constexpr std::array<std::uint32_t, 2> both{0, 1};

/// Two opposite points. Full batches of n records, half of them at each, are a run on the two with the noise of n, so
/// that the size of the data set costs nothing.
Instance two_opposite(std::size_t units) {
  constexpr std::uint64_t network = 1;  // for every seed: one that starts on the right side
  const models::KanShape shape{1, units, 5, 3, models::Activation::tanh};
  return {models::KanLosses(models::KanNetwork::draw(shape, network, 0), two_points(both)),
          models::draw_first_layer(shape, network, 0)};
}

double squared_log(double x) { return std::log(x) * std::log(x); }

/// Mean loss of the first T iterates, or of every so many of them, for each T of `marks`.
std::vector<double> mean_losses(Instance& on, const simulate::DpSgd& s, std::uint64_t seed, std::uint32_t path,
                                const std::vector<std::size_t>& marks, const simulate::NoiseRows& rows = {},
                                std::size_t every = 1) {
  simulate::DpSgdRun run(s, on.losses, on.start, seed, path, rows);
  std::vector<double> means;
  double total = 0.0, seen = 0.0;
  for (std::size_t t = 1; t <= marks.back(); ++t) {
    if (t % every == 0) {
      total += models::mean_loss(on.losses, run.iterate());
      seen += 1.0;
    }
    run.step();
    if (std::find(marks.begin(), marks.end(), t) != marks.end()) {
      means.push_back(total / seen);
    }
  }
  return means;
}

/// Full-batch gradient descent without noise: Theorem D.13 with D_t = Z_t = 0, for a comparator along the margin, on
/// two opposite points, where a width can be run at which its hypotheses hold and its bound speaks.
void plain_descent(const Setting& setting, Outcome& outcome) {
  constexpr std::array<std::uint32_t, 2> kinds{0, 1};
  constexpr std::uint64_t network = 1;  // for every seed: one that starts on the right side
  const models::KanShape shape{1, 200'000, 5, 3, models::Activation::tanh};
  Instance one{models::KanLosses(models::KanNetwork::draw(shape, network, 0), two_points(kinds)),
               models::draw_first_layer(shape, network, 0)};
  constexpr double length = 6.5;
  const auto comparator = sum(one.start, length, margin_direction(one).direction);
  const double comparator_loss = models::mean_loss(one.losses, comparator);
  constexpr std::size_t last = 300;  // further on the run has left the comparator's neighbourhood
  const auto s = descent(2.0, 1.1, last, 0.0, 0.0);
  simulate::DpSgdRun run(s, one.losses, one.start, setting.seed, 0);
  models::MeasuredConstants measured;
  measured.see(one.losses.extremes(comparator));
  std::vector<double> steps, means, limits;
  double total = 0.0, farthest = length;
  outcome.claim.by_exact_law();
  for (std::size_t t = 1; t <= last; ++t) {
    total += models::mean_loss(one.losses, run.iterate());
    run.step();
    if (t % (last / 6) != 0) {
      continue;
    }
    farthest = std::max(farthest, std::sqrt(squared_distance(run.iterate(), comparator)));
    measured.see(one.losses.extremes(run.iterate()));
    const auto count = static_cast<double>(t);
    const auto bound = [&](double loss_factor, double distance_factor) {
      return loss_factor * comparator_loss + distance_factor * length * length / (s.step_size * count);
    };
    steps.push_back(count);
    means.push_back(total / count);
    limits.push_back(bound(4.0, 1.5));
    const std::string what = "mean loss of the first " + std::to_string(t) + " iterates";
    outcome.claim.at_most(means.back(), limits.back(), what);
    outcome.control.at_most(means.back(), bound(0.5, 0.2), what + ", L_S/2 and 0.2 for 4 L_S and 1.5");
  }
  const auto constants = measured.constants();
  outcome.claim.setup("hypotheses");
  outcome.claim.at_most(constants.curvature * farthest * farthest, 0.5, "condition nu D^2, D to the comparator");
  outcome.claim.at_most(s.step_size, constants.largest_step(), "step size against 1/(12 beta)");
  outcome.claim.at_most(limits.back(), std::numbers::ln2, "the last bound against the loss of a coin");
  io::Plot plot{.title = "Mean training loss of gradient descent on a KAN, and its bound",
                .x = {"steps T", false, std::nullopt, std::nullopt},
                .y = {"mean loss over T iterates", false, 0.0, 2.0},
                .series = {io::line("bound", steps, limits), io::line("gradient descent", steps, means)}};
  outcome.figures.push_back({plot.title, plot});
}

/// Full batches do not fluctuate: of A_non the first term is left, whose logarithms are those of Theorem D.14.
void plain_rate(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  auto one = two_opposite(4000);
  const double margin = margin_direction(one).margin;
  const std::vector<std::size_t> marks{150, 600, 2400, setting.size(4800, 19200)};
  const auto s = descent(2.0, 1.1, marks.back(), 0.0, 0.0);
  const auto means = mean_losses(one, s, setting.seed, 0, marks);
  constexpr double all_records = 1e18;  // a batch without fluctuation
  const auto rate = [&](std::size_t t) {
    return bounds::non_private_rate(margin, s.step_size, static_cast<double>(t), all_records, 2.0, 0.0).optimisation;
  };
  for (std::size_t i = 1; i < marks.size(); ++i) {
    const double plain = means[0] * rate(marks[i]) / rate(marks[0]);
    const double logs = squared_log(static_cast<double>(marks[i])) / squared_log(static_cast<double>(marks[0]));
    const std::string what =
        "4000 units, mean loss of the first " + std::to_string(marks[i]) + " iterates, from that of 150";
    outcome.claim.at_most(means[i], logs * plain, what);
    outcome.control.at_most(means[i], plain, what + ", without logarithms");
  }
}

void theorem_e_1(const Setting& setting, Outcome& outcome) {
  outcome = outcome_of_parts(2, setting.threads, [&](std::size_t part, Outcome& found) {
    (part == 0 ? plain_descent : plain_rate)(setting, found);
  });
}

/// Training loss and exact risk along a run of non-private SGD on one data set.
struct AlongRun {
  double train = 0.0, risk = 0.0;
};

AlongRun non_private_run(const Setting& setting, const Instance& network, const simulate::DpSgd& s, std::size_t records,
                         std::uint32_t path) {
  const std::string id = "kan-correlated-noise/corollary-5.6";
  Draws draws(setting, id + "/" + std::to_string(path));
  std::vector<std::uint32_t> kinds(records);
  double ones = 0.0;
  for (auto& kind : kinds) {
    kind = static_cast<std::uint32_t>(draws.below(2));
    ones += kind / static_cast<double>(records);
  }
  Instance by_kind = network;
  models::KanLosses losses(by_kind.losses.network(), two_points(kinds));
  simulate::DpSgdRun run(s, losses, by_kind.start, seed_of(setting, id), path);
  std::array<double, 2> values{};
  AlongRun sum;
  double seen = 0.0;
  for (std::size_t t = 0; t < s.iterates; ++t) {
    if (t % 4 == 0) {
      by_kind.losses.losses(both, run.iterate(), values);
      sum.train += (1.0 - ones) * values[0] + ones * values[1];
      sum.risk += 0.5 * (values[0] + values[1]);
      seen += 1.0;
    }
    run.step();
  }
  return {sum.train / seen, sum.risk / seen};
}

void corollary_5_6(const Setting& setting, Outcome& outcome) {
  auto by_kind = two_opposite(128);
  const double margin = margin_direction(by_kind).margin;
  const std::size_t paths = setting.size(16, 160);
  struct Size {
    std::size_t records;
    double optimisation, population;
    simulate::DpSgd descent;
    std::vector<double> train, risk;  ///< along each run
  };
  std::vector<Size> sizes;
  outcome.claim.setup("plan");
  for (const std::size_t records : {std::size_t{32}, std::size_t{128}}) {
    const auto n = static_cast<double>(records);
    const double batch = std::max(1.0, std::floor(margin * std::sqrt(n)));
    const auto plan = bounds::non_private_plan(n, margin, batch);
    outcome.claim.require(plan.batch_valid.holds, "n = " + std::to_string(records) + ", B = " + shortest(batch) +
                                                      ", margin " + rounded(margin, 3) + ": B <= gamma sqrt(n)");
    const auto steps = static_cast<std::size_t>(std::ceil(plan.plan.iterates));
    sizes.push_back({records,
                     plan.optimisation_rate,
                     plan.plan.rate,
                     descent(batch, plan.plan.step_size, steps, 0.0, 0.0),
                     {},
                     {}});
  }
  std::vector<AlongRun> runs(sizes.size() * paths);
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      runs.size(), setting.threads,
      [&](std::size_t i) {
        const Size& size = sizes[i / paths];
        runs[i] = non_private_run(setting, by_kind, size.descent, size.records, static_cast<std::uint32_t>(i));
      },
      [&](std::size_t i, Archive& archive) { archive(runs[i].train, runs[i].risk); });
  Sharing::last_loop_done();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    sizes[i / paths].train.push_back(runs[i].train);
    sizes[i / paths].risk.push_back(runs[i].risk);
  }
  const Size &few = sizes[0], &many = sizes[1];
  const double logs = squared_log(static_cast<double>(many.records)) / squared_log(static_cast<double>(few.records));
  for (Trial* trial : {&outcome.claim, &outcome.control}) {
    const bool broken = trial == &outcome.control;
    const std::string what = broken ? ", without logarithms" : "";
    for (const bool risk : {false, true}) {
      trial->group(risk ? "population risk" : "training loss");
      const double rate = risk ? many.population / few.population : many.optimisation / few.optimisation;
      ratio_below(*trial, risk ? many.risk : many.train, risk ? few.risk : few.train, (broken ? 1.0 : logs) * rate,
                  std::string(risk ? "risk" : "training loss") + " with n = 128 over that with 32" + what);
    }
  }
}

/// The plan of Corollary 5.3 with rho = 1, its noise by Theorem 5.1.
void corollary_5_3(const Setting& setting, Outcome& outcome, std::string_view id) {
  constexpr double margin = 0.3, lambda = 0.9;  // wide enough that no unit saturates: gamma^-6 is 1372
  auto one = two_opposite(static_cast<std::size_t>(std::ceil(std::pow(margin, -6.0))));
  const std::uint64_t seed = seed_of(setting, id);
  outcome.claim.setup("plan");
  outcome.claim.at_least(margin_direction(one).margin, margin, "margin of the network");
  const std::size_t paths = setting.size(6, 48);
  std::vector<simulate::DpSgd> descents;
  std::vector<bounds::CorrelatedPlan> plans;
  models::MeasuredConstants measured;
  for (const double records : {1e6, 9e6}) {
    const double delta = 0.1 * margin / records / std::pow(margin, -3.0);
    const auto plan = bounds::correlated_plan(records, 1.0, margin, 1.0, delta, 1.0);
    const std::string where = "n = " + shortest(records);
    outcome.claim.setup("plan");
    outcome.claim.require(plan.privacy_valid.holds && plan.delta_valid.holds,
                          where + ": T and delta as the corollary asks");
    const double iterates = std::floor(plan.plan.iterates);
    const double kappa = correlated::closed_form({lambda, 1.0, iterates, 1.0, delta}).noise_multiplier;
    for (Trial* trial : {&outcome.claim, &outcome.control}) {
      const bool broken = trial == &outcome.control;
      trial->group("privacy");
      trial->by_exact_law();
      trial->at_most(
          full_batch_need(lambda, iterates, delta), (broken ? 0.7 : 1.0) * kappa,
          where + ", noise multiplier that one record replaced needs" + (broken ? ", 0.7 of the plan's" : ""));
    }
    const auto steps = static_cast<std::size_t>(iterates);
    descents.push_back(descent(2.0, plan.plan.step_size, steps, kappa / records, lambda));
    plans.push_back(plan);
  }
  // A run is a piece; path i has the same noise at both sizes.
  Sharing::next_loop_needs_no_stand_in();
  const auto risks = values_of_runs(2 * paths, setting.threads, [&](std::size_t i) {
    Instance own = one;
    const simulate::DpSgd& s = descents[i / paths];
    return mean_losses(own, s, seed, static_cast<std::uint32_t>(i % paths), {s.iterates}, {}, 10).front();
  });
  Sharing::last_loop_done();
  const std::vector<double> fewer_records(risks.begin(), risks.begin() + static_cast<std::ptrdiff_t>(paths));
  const std::vector<double> more_records(risks.begin() + static_cast<std::ptrdiff_t>(paths), risks.end());
  measured.see(one.losses.extremes(one.start));
  outcome.claim.setup("plan");
  outcome.claim.at_most(measured.constants().gradient, 1.0, "gradients at the start against the clip norm");
  const double rate = plans[1].plan.rate / plans[0].plan.rate;
  const double logs = squared_log(plans[1].plan.iterates) / squared_log(plans[0].plan.iterates);
  for (Trial* trial : {&outcome.claim, &outcome.control}) {
    const bool broken = trial == &outcome.control;
    trial->group("risk");
    ratio_below(*trial, more_records, fewer_records, (broken ? 1.0 : logs) * rate,
                std::string("risk with n = 9e6 over that with 1e6") + (broken ? ", without logarithms" : ""));
  }
}

void theorem_d_14(const Setting& setting, Outcome& outcome) {
  const std::uint64_t seed = seed_of(setting, "kan-correlated-noise/theorem-d.14");
  // The first term falls with the steps: full batches of 1e6 records, noise multiplier 400.
  auto one = two_opposite(1372);
  const std::vector<std::size_t> marks{200, 800, 3200};
  std::vector<std::vector<double>> by_path(setting.size(8, 100), std::vector<double>(marks.size()));
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      by_path.size(), setting.threads,
      [&](std::size_t path) {
        Instance own = one;
        by_path[path] =
            mean_losses(own, descent(2.0, 1.0, 1, 4e-4, 0.0), seed, static_cast<std::uint32_t>(path), marks);
      },
      [&](std::size_t path, Archive& archive) { archive(by_path[path]); });
  // What noise adds falls with the batch, here all records, once and twice: antithetic pairs with the same numbers.
  auto records = instance(40, 32, seed_of(Setting{}, "kan-correlated-noise/theorem-4.1"));
  const double margin = margin_direction(records).margin;
  constexpr double noise_multiplier = 1.2, step_size = 0.3, delta = 0.01;
  const std::vector<std::size_t> last{100};
  const auto signed_rows = [&](double sign, std::uint32_t path) -> simulate::NoiseRows {
    return [&, sign, path](std::size_t t, std::span<double> row) {
      random::normals(row, seed, random::Purpose::noise, path, (t - 1) * row.size());
      for (double& value : row) {
        value *= sign;
      }
    };
  };
  const auto excess = [&](double batch) {
    const auto noisy = descent(40.0, step_size, last[0], noise_multiplier / batch, 0.0);
    auto quiet = noisy;
    quiet.noise_multiplier = 0.0;
    const double without = mean_losses(records, quiet, seed, 0, last).front();
    Sharing::next_loop_needs_no_stand_in();
    return values_of_runs(
        setting.size(40, 500), setting.threads,
        [&](std::size_t run) {
          Instance own = records;
          const auto path = static_cast<std::uint32_t>(run);
          return sum_over(std::array{1.0, -1.0}, [&](double sign) {
            return 0.5 * (mean_losses(own, noisy, seed, path, last, signed_rows(sign, path)).front() - without);
          });
        },
        10);
  };
  const auto added = [&](double batch) {
    const auto rate = [&](double noise) {
      return bounds::independent_noise_rate({margin, step_size, 100.0, batch, noise, 32.0, 4.0, batch, delta});
    };
    return rate(noise_multiplier) - rate(0.0);
  };
  const auto once = excess(40.0), twice = excess(80.0);
  Sharing::last_loop_done();
  std::vector<std::vector<double>> losses(marks.size());
  for (const auto& found : by_path) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      losses[i].push_back(found[i]);
    }
  }
  for (Trial* trial : {&outcome.claim, &outcome.control}) {
    const bool broken = trial == &outcome.control;
    trial->group("steps");
    for (std::size_t i = 1; i < marks.size(); ++i) {
      const auto to = static_cast<double>(marks[i]), from = static_cast<double>(marks[0]);
      ratio_below(*trial, losses[i], losses[0], from / to * (broken ? 1.0 : squared_log(to) / squared_log(from)),
                  "mean loss of " + std::to_string(marks[i]) + " iterates over that of 200" +
                      (broken ? ", without logarithms" : ""));
    }
  }
  outcome.claim.group("noise");
  outcome.control.group("noise");
  ratio_below(outcome.claim, twice, once, added(80.0) / added(40.0), "excess with B = 80 over that with 40");
  ratio_below(outcome.control, twice, once, 0.125, "excess with B = 80 over that with 40, as 1/B^3");
}

}  // namespace

std::vector<Case> kan_rate_cases() {
  const auto planned = [](const char* id) {
    return Case{id,
                "rho, T and noise of the corollary are (epsilon, delta)-DP, and the risk falls with n as its rate does",
                "two opposite points, rho = 1, epsilon = 1, lambda = 0.9, margin 0.3, 1372 units: the exact law of "
                "one record replaced against the noise of the plan; 6 (nightly 48) private runs with n = 1e6 and 9e6 "
                "(3333 and 10,000 steps), mean risk along them, the constant from n = 1e6",
                "0.7 of the noise; the rate without logarithms",
                [id](const Setting& setting, Outcome& outcome) { corollary_5_3(setting, outcome, id); }};
  };
  return {
      {"kan-correlated-noise/theorem-e.1",
       "without noise the mean loss falls like log^2 T/T, and follows the comparator of the margin with the constants "
       "of the proof",
       "two opposite points, full batches. 4000 units, up to 4800 (nightly 19,200) steps: the rate, its constant from "
       "150 steps. 200,000 units, 300 steps: mean loss at six times against a comparator 6.5 along the margin, "
       "constants measured, which reaches a quarter of the bound",
       "the rate without logarithms; L_S/2 and 0.2 for 4 L_S and 1.5", theorem_e_1},
      {"kan-correlated-noise/corollary-5.6",
       "with the plan of the corollary training loss and risk of non-private SGD fall like 1/n, up to logarithms",
       "two opposite points, 128 units, B, eta and T of the plan at n = 32 and 128, 16 (nightly 160) data sets each: "
       "mean training loss and exact risk along the runs, the constant from n = 32",
       "the rate without logarithms", corollary_5_6},
      planned("kan-correlated-noise/corollary-5.3"),
      planned("kan-correlated-noise/corollary-c.24"),
      {"kan-correlated-noise/theorem-d.14",
       "under independent noise the mean loss falls with the steps, and what the noise adds with the batch, as A_van "
       "does",
       "two opposite points, 1372 units, full batches, 8 (nightly 100) runs of 800 and 3200 steps, the constant from "
       "200; 32 units, 40 records, each once and twice, kappa = 1.2: excess of 40 (nightly 500) antithetic pairs after "
       "100 steps, the constant from B = 40",
       "the rate without logarithms; 1/B^3", theorem_d_14}};
}

}  // namespace dpcurves::validation::kan_correlated_noise
