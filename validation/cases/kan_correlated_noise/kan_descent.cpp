// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Pathwise claims about the shifted iterate and the training loss.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/random/streams.hpp>

#include "validation/cases/kan_correlated_noise/kan_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/vacuous.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

bounds::NoisyRun run_of(const simulate::DpSgd& s) {
  return {static_cast<double>(s.iterates), s.batch_size, s.step_size, s.correlation, s.private_noise()};
}

/// Wide network, full batches, a comparator at distance 1/2 along the margin: the condition of Lemma C.2 holds.
struct Easy {
  Instance on;
  std::vector<double> comparator;
};
Easy easy(const Setting& setting, std::string_view id) {
  Easy result{instance(40, 2048, seed_of(setting, id)), {}};
  result.comparator = sum(result.on.start, 0.5, margin_direction(result.on).direction);
  return result;
}

/// A walk of 7.5 in step sizes: more steps are smaller, so that the condition still holds where it ends.
simulate::DpSgd short_walk(const Setting& setting, double noise, double correlation) {
  const std::size_t steps = setting.size(25, 200);
  return descent(40.0, 7.5 / static_cast<double>(steps), steps, noise, correlation);
}

void algorithm_1(const Setting& setting, Outcome& outcome) {
  every_run(outcome.claim, 1);
  auto one = instance(60, 32, seed_of(setting, "kan-correlated-noise/algorithm-1"));
  const auto base = descent(10.0, 0.5, setting.size(150, 1000), 0.05, 0.7);
  /// The first step after which run and twin differ, and the first that clipped or projected; 0: none.
  const auto first = [&](const simulate::DpSgd& of_run, const simulate::DpSgd& of_twin) {
    simulate::DpSgdRun run(of_run, one.losses, one.start, setting.seed, 0);
    simulate::ShiftedTwin twin(of_twin, one.losses, one.start, setting.seed, 0);
    std::size_t differs = 0, acts = 0;
    for (std::size_t t = 1; t <= base.iterates && differs == 0; ++t) {
      run.step();
      twin.step();
      acts = acts == 0 && (run.projected() || run.summary().clipped > 0) ? t : acts;
      differs = std::equal(run.iterate().begin(), run.iterate().end(), twin.iterate().begin()) ? 0 : t;
    }
    return std::pair(differs, acts);
  };
  const auto same = [](Trial& trial, std::pair<std::size_t, std::size_t> found, const std::string& what) {
    trial.require(found.first == found.second, what + ", first step that differs (0: none)",
                  std::to_string(found.first) + ", first that clips or projects " + std::to_string(found.second),
                  Measurement::within(static_cast<double>(found.first), static_cast<double>(found.second), 0.0));
  };
  same(outcome.claim, first(base, base), "clip and radius out of reach");
  auto tight = base;
  tight.radius = 1.5;
  const auto projected = first(tight, base);
  same(outcome.claim, projected, "radius 1.5");
  outcome.claim.at_least(static_cast<double>(projected.second), 1.0, "first step that reaches the radius 1.5");
  auto clipped = base;
  clipped.clip = 0.12;
  clipped.noise_multiplier = base.private_noise() * base.batch_size / clipped.clip;
  same(outcome.claim, first(clipped, base), "clip 0.12");
  auto other = base;
  other.correlation = 0.7 * (1.0 + 1e-14);
  same(outcome.control, first(other, base), "lambda larger by a factor 1 + 1e-14");
}

void lemma_c_1(const Setting& setting, Outcome& outcome) {
  every_run(outcome.claim, 1);
  auto one = instance(60, 32, seed_of(setting, "kan-correlated-noise/lemma-c.1"));
  const auto s = descent(10.0, 0.5, setting.size(300, 3000), 0.05, 0.7);
  const auto comparator = sum(one.start, 3.0, margin_direction(one).direction);
  const auto path = walk(one, s, comparator, setting.seed);
  const double eta = s.step_size, lambda = s.correlation, c = s.private_noise();
  const auto identity = [&](Trial& trial, double sign, const std::string& what) {
    double worst = 0.0;
    for (const auto& x : path.terms) {
      const double right = x.before - 2.0 * eta * (x.drift + x.batch_shift + (1.0 - lambda) * c * x.noise_shift) +
                           eta * eta *
                               (x.gradient_squared + (1.0 - lambda) * (1.0 - lambda) * c * c * x.noise_squared +
                                2.0 * c * ((1.0 - lambda) * x.batch_noise - sign * lambda * x.drift_noise));
      worst = std::max(worst, std::abs(right - x.after) / x.after);
    }
    trial.at_most(worst, 1e-14,
                  what + ", largest relative difference over " + std::to_string(path.terms.size()) + " steps");
  };
  identity(outcome.claim, 1.0, "both sides of the identity");
  identity(outcome.control, -1.0, "with the sign of the last term flipped");
}

void lemma_b_3(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  Draws draws(setting, "kan-correlated-noise/lemma-b.3");
  constexpr std::size_t d = 6;
  constexpr double radius = 1.0, eta = 0.4;
  const std::vector<double> origin(d, 0.0);
  std::size_t equalities = 0;
  for (std::size_t k = 0; k < setting.size(300, 6000); ++k) {
    const auto into_ball = [&](std::vector<double> x) {
      const double norm = std::sqrt(squared_distance(x, origin));
      return norm > radius ? sum(origin, radius / norm, x) : x;
    };
    const auto w = into_ball(sum(origin, 0.4, draws.normals(d))),
               target = into_ball(sum(origin, 0.4, draws.normals(d)));
    const auto g = draws.normals(d);
    const auto moved = sum(w, -eta, g), next = into_ball(moved);
    const double left = sum_over(d, [&](std::size_t i) { return g[i] * (w[i] - target[i]); });
    const double distances = (squared_distance(w, target) - squared_distance(next, target)) / (2.0 * eta);
    const double square = 0.5 * eta * squared_distance(g, origin);
    if (next == moved) {
      ++equalities;
      outcome.claim.require(std::abs(left - distances - square) < 1e-13, "equality without projection");
    }
    outcome.claim.at_most(left, distances + square + 1e-13, "<g, W - W*>");
    outcome.control.at_most(left, distances + 0.5 * square, "<g, W - W*> with half of the last term");
  }
  outcome.claim.require(equalities > 0, "some steps are not projected");
}

void lemma_b_4(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  for (std::size_t i = 1; i < setting.size(40, 4000); ++i) {
    const double length = 1.4 * static_cast<double>(i) / static_cast<double>(setting.size(40, 4000));
    // cos on [-length/2, length/2] has curvature at least -cos: its middle against its ends.
    const double ratio = 1.0 / std::cos(0.5 * length);
    const std::string what = "1/cos(D/2) at D = " + rounded(length, 3);
    outcome.claim.at_most(ratio, bounds::segment_factor(1.0, length).factor, what);
    outcome.control.at_most(ratio, bounds::segment_factor(0.2, length).factor, what + ", a fifth of the curvature");
  }
  outcome.claim.require(!bounds::segment_factor(2.0, 1.0).valid, "at D = sqrt(2/k) there is no bound");
}

void lemma_c_2(const Setting& setting, Outcome& outcome) {
  every_run(outcome.claim, 1);
  auto one = easy(setting, "kan-correlated-noise/lemma-c.2");
  const auto path = walk(one.on, short_walk(setting, 0.002, 0.5), one.comparator, setting.seed);
  const double condition = path.constants.curvature * path.largest_distance * path.largest_distance;
  outcome.claim.setup("hypotheses");
  outcome.claim.at_most(condition, 0.5, "condition nu D^2");
  outcome.claim.group("claim");
  for (std::size_t t = 0; t < path.terms.size(); ++t) {
    const double left = 2.0 / 3.0 * path.losses[t];
    outcome.claim.at_most(left, path.terms[t].drift + 4.0 / 3.0 * path.comparator_loss, "2/3 L_S");
    outcome.control.at_most(left, path.terms[t].drift + 1.0 / 3.0 * path.comparator_loss, "2/3 L_S, 1/3 for 4/3");
  }
}

void lemma_c_3(const Setting& setting, Outcome& outcome) {
  every_run(outcome.claim, 2);
  auto one = easy(setting, "kan-correlated-noise/lemma-c.3");
  for (const auto& [lambda, noise] : {std::pair{0.5, 0.002}, std::pair{0.9, 0.006}}) {
    const auto s = short_walk(setting, noise, lambda);
    const auto path = walk(one.on, s, one.comparator, setting.seed);
    const std::string name = "lambda = " + rounded(lambda, 2) + ", ";
    outcome.claim.setup("hypotheses");
    outcome.claim.at_most(path.constants.curvature * path.largest_distance * path.largest_distance, 0.5,
                          name + "condition nu D^2");
    outcome.claim.at_most(s.step_size, path.constants.largest_step(), name + "step size against 1/(12 beta)");
    outcome.claim.group("claim");
    const auto bound = bounds::pathwise_bound(run_of(s), path.constants.smoothness,
                                              {path.noise_energy, path.batch_energy, path.potential},
                                              path.comparator_loss, path.start_distance);
    double largest = 0.0;
    for (const auto& terms : path.terms) {
      largest = std::max(largest, terms.after);
    }
    outcome.claim.at_most(largest, bound.radius_squared, name + "largest |U_t - W*|^2 against (10)");
    outcome.control.at_most(largest, 0.03 * bound.radius_squared, name + "largest |U_t - W*|^2 against 0.03 of (10)");
    outcome.claim.at_most(path.mean_loss, bound.mean_loss, name + "mean loss");
    outcome.control.at_most(path.mean_loss, 0.1 * bound.mean_loss, name + "mean loss against a tenth");
  }
}

/// Realised energies and potentials of runs within their high-probability bounds, and the mean loss within what C.3
/// makes of those bounds.
void lemma_c_11(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(3, 20));
  auto one = instance(40, 128, seed_of(setting, "kan-correlated-noise/lemma-c.11"));
  const auto comparator = sum(one.start, 3.0, margin_direction(one).direction);
  const auto s = descent(8.0, 0.3, setting.size(60, 400), 0.01, 0.5);
  constexpr double delta = 0.01;
  for (std::uint64_t k = 0; k < setting.size(3, 20); ++k) {
    const auto path = walk(one, s, comparator, setting.seed + k);
    const auto run = run_of(s);
    const auto noise = bounds::noise_bounds(static_cast<double>(one.start.size()), run.iterates, delta);
    const double batch = bounds::batch_energy(run.iterates, path.constants.gradient, run.batch, delta);
    double radius = 0.0;
    for (const auto& terms : path.terms) {
      radius = std::max(radius, std::sqrt(std::max(terms.before, terms.after)));
    }
    const auto cross = bounds::potential_terms(run, path.constants.gradient, radius, noise.energy, delta);
    const double loss = bounds::pathwise_bound(run, path.constants.smoothness, {noise.energy, batch, cross.sum()},
                                               path.comparator_loss, path.start_distance)
                            .mean_loss;
    const auto compare = [&](const char* name, double value, double bound, double sharpened) {
      outcome.claim.group(name);
      outcome.control.group(name);
      outcome.claim.at_most(value, bound, name);
      outcome.control.at_most(value, sharpened * bound,
                              std::string(name) + ", " + rounded(sharpened, 2) + " of the bound");
    };
    compare("sum |Z|^2", path.noise_energy, noise.energy, 0.97);
    compare("sum |D|^2", path.batch_energy, batch, 0.013);
    compare("mean loss", path.mean_loss, loss, 0.055);
    outcome.claim.setup("potential");  // three of a thousand of its bound at most: lemma-c.10 has a control
    outcome.claim.at_most(path.potential, cross.sum(), "potential");
  }
}

void lemma_c_12(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  // Two opposite records in one dimension: the margin is as large as it gets, and a width at which H is small enough
  // can be run.
  const std::uint64_t seed = seed_of(setting, "kan-correlated-noise/lemma-c.12");
  models::BinaryData data;
  data.inputs.resize(1, 2);
  data.inputs << 0.9, -0.9;
  data.labels = {1.0, -1.0};
  const models::KanShape shape{1, 700'000, 5, 3, models::Activation::tanh};
  Instance one{models::KanLosses(models::KanNetwork::draw(shape, seed, 0), data),
               models::draw_first_layer(shape, seed, 0)};
  const auto u = margin_direction(one);
  constexpr double iterates = 5.0, delta = 0.3;
  const auto target = bounds::comparator(iterates, 2.0 / 3.0, 5.0, 2.0, std::min(1.0, u.margin), delta);
  models::MeasuredConstants along;
  for (const double part : {0.0, 0.5, 1.0}) {
    along.see(one.losses.extremes(sum(one.start, part * target.length, u.direction)));
  }
  outcome.claim.setup("hypotheses");
  outcome.claim.at_most(along.constants().hessian, target.largest_hessian, "H along the segment, measured");
  outcome.claim.group("claim");
  const auto loss = [&](Trial& trial, double share, const std::string& what) {
    trial.at_most(models::mean_loss(one.losses, sum(one.start, share * target.length, u.direction)), 1.0 / iterates,
                  what + ", margin " + rounded(u.margin, 3) + ", tau = " + rounded(target.length, 4));
  };
  loss(outcome.claim, 1.0, "L_S(W_0 + tau u)");
  loss(outcome.control, 0.1, "L_S(W_0 + tau u/10)");
}

void theorem_c_13(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(1);
  auto one = instance(60, 128, seed_of(setting, "kan-correlated-noise/theorem-c.13"));
  const auto u = margin_direction(one);
  const auto s = descent(10.0, 0.3, setting.size(100, 400), 0.0025, 0.5);
  const auto path = walk(one, s, one.start, setting.seed);
  bounds::OptimisationSetting given{.run = run_of(s),
                                    .records = 60.0,
                                    .parameters = static_cast<double>(one.start.size()),
                                    .splines = 5.0,
                                    .margin = u.margin,
                                    .gradient = path.constants.gradient,
                                    .curvature = path.constants.curvature,
                                    .smoothness = path.constants.smoothness,
                                    .comparator_hessian = path.constants.hessian};
  const auto bound = bounds::optimisation_bound(given);
  outcome.claim.setup("hypotheses");
  outcome.claim.require(!bound.curvature_small && !bound.comparator_exists,
                        "at 128 units the conditions on curvature and comparator fail, and are said to");
  outcome.claim.group("claim");
  outcome.claim.at_most(path.mean_loss, bound.mean_loss, "mean loss of a run");
  outcome.control.at_most(path.mean_loss, 1e-5 * bound.mean_loss, "mean loss against 1e-5 of the bound");
  // With worst-case constants: which width the conditions need, and that they hold there.
  const auto at = models::kan_bounds(one.losses.network().shape());
  const auto target = bounds::comparator(1e4, 2.0 / 3.0, 5.0, 60.0, 0.3, 0.01);
  const double width = bounds::required_width(at, 0.01, target.largest_hessian);
  outcome.claim.setup("width");
  outcome.claim.require(width > 1e9, "width needed at margin 0.3: " + rounded(width, 3));
  if (bound.mean_loss >= std::numbers::ln2) {
    outcome.vacuous = Vacuous{bound.mean_loss, std::numbers::ln2,
                              "at no size that can be run: its conditions need " + rounded(width, 3) +
                                  " units at margin 0.3, with worst-case constants"};
  }
}

void lemma_d_11(const Setting& setting, Outcome& outcome) {
  every_run(outcome.claim, 1);
  auto one = easy(setting, "kan-correlated-noise/lemma-d.11");
  const auto s = descent(20.0, 0.3, setting.size(25, 200), 0.002, 0.0);
  constexpr double radius = 1.0;
  auto held = s;
  held.radius = radius;
  simulate::DpSgdRun run(held, one.on.losses, one.on.start, setting.seed, 0);
  const double comparator_loss = models::mean_loss(one.on.losses, one.comparator);
  const auto all = models::all_records(one.on.losses);
  simulate::SharedRandomness random(held, all.size(), one.on.start.size(), setting.seed, 0);
  std::vector<double> full(one.on.start.size()), part(full.size()), z(full.size());
  models::MeasuredConstants measured;
  measured.see(one.on.losses.extremes(one.comparator));
  for (std::size_t t = 1; t <= s.iterates; ++t) {
    const auto before = to_vector(run.iterate());
    if (t % 10 == 1) {
      measured.see(one.on.losses.extremes(before));
    }
    one.on.losses.clipped_sum(all, before, 1e300, full);
    one.on.losses.clipped_sum(random.batch(t), before, 1e300, part);
    random.white_noise(t, z);
    bounds::DescentStep step{.step_size = s.step_size,
                             .private_noise = s.private_noise(),
                             .comparator_loss = comparator_loss,
                             .distance_before = squared_distance(before, one.comparator)};
    for (std::size_t i = 0; i < full.size(); ++i) {
      const double fluctuation = part[i] / s.batch_size - full[i] / static_cast<double>(all.size());
      step.batch_squared += fluctuation * fluctuation;
      step.noise_squared += z[i] * z[i];
      step.cross += (fluctuation + step.private_noise * z[i]) * (before[i] - one.comparator[i]);
    }
    run.step();
    step.distance_after = squared_distance(run.iterate(), one.comparator);
    const double loss = models::mean_loss(one.on.losses, before);
    outcome.claim.at_most(loss, bounds::descent_step_bound(step), "L_S(W_{t-1}), t = " + std::to_string(t));
    step.comparator_loss *= 0.15;
    outcome.control.at_most(loss, bounds::descent_step_bound(step), "with 0.15 of 4 L(W*)");
  }
  outcome.claim.setup("hypotheses");
  outcome.claim.at_most(8.0 * measured.constants().curvature * radius * radius, 1.0, "condition 8 nu R^2");
}

void theorem_d_13(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(1);
  auto one = easy(setting, "kan-correlated-noise/theorem-d.13");
  auto s = descent(20.0, 0.3, setting.size(40, 400), 0.002, 0.0);
  s.radius = 1.0;
  simulate::DpSgdRun run(s, one.on.losses, one.on.start, setting.seed, 0);
  models::MeasuredConstants measured;
  measured.see(one.on.losses.extremes(one.comparator));
  double mean = 0.0;
  for (std::size_t t = 0; t < s.iterates; ++t) {
    if (t % 10 == 0) {
      measured.see(one.on.losses.extremes(run.iterate()));
    }
    mean += models::mean_loss(one.on.losses, run.iterate()) / static_cast<double>(s.iterates);
    run.step();
  }
  const auto constants = measured.constants();
  const auto bound = bounds::independent_noise_bound(
      {static_cast<double>(one.on.start.size()), static_cast<double>(s.iterates), s.batch_size, s.step_size,
       constants.gradient, s.private_noise(), s.radius, 0.01, models::mean_loss(one.on.losses, one.comparator),
       squared_distance(one.on.start, one.comparator)});
  outcome.claim.setup("hypotheses");
  outcome.claim.at_most(8.0 * constants.curvature * s.radius * s.radius, 1.0, "condition 8 nu R^2");
  outcome.claim.at_most(s.step_size, constants.largest_step(), "step size against 1/(12 beta)");
  outcome.claim.group("claim");
  outcome.claim.at_most(mean, bound.mean_loss, "mean loss of a run");
  outcome.control.at_most(mean, 0.14 * bound.mean_loss, "mean loss against 0.14 of the bound");
  if (bound.mean_loss >= std::numbers::ln2) {
    // 4 L(W*) alone must be below ln 2: the comparator is as far as the margin asks, and nu falls like m^(-1/2).
    const double far = -std::log(std::expm1(0.25 * std::numbers::ln2)) / margin_direction(one.on).margin;
    const double width = 2048.0 * std::pow(8.0 * constants.curvature * far * far, 2);
    outcome.vacuous = Vacuous{bound.mean_loss, std::numbers::ln2, "at no fewer than " + rounded(width, 2) + " units"};
  }
}

}  // namespace

std::vector<Case> kan_descent_cases() {
  return {
      {"kan-correlated-noise/algorithm-1",
       "clipped, projected SGD with correlated noise equals its unprojected twin while neither acts",
       "150 steps (nightly 1000), bit by bit: first difference against first activation, with both out of reach, with "
       "radius 1.5 and with clip 0.12",
       "lambda larger by a factor 1 + 1e-14", algorithm_1},
      {"kan-correlated-noise/lemma-b.3", "the mirror-descent inequality, an equality without projection",
       "300 random steps (nightly 6,000) in the unit ball of R^6", "half of the last term", lemma_b_3},
      {"kan-correlated-noise/lemma-b.4", "the maximum on a segment against its ends",
       "the extremal function cos at 40 lengths (nightly 4000)", "a fifth of the curvature", lemma_b_4},
      {"kan-correlated-noise/lemma-c.1", "the one-step identity of the shifted iterate, for any comparator",
       "300 steps (nightly 3000) of a KAN with batches of 10 and lambda = 0.7, to 1e-14",
       "the sign of the last term flipped", lemma_c_1},
      {"kan-correlated-noise/lemma-c.2", "2/3 L_S(W_t) <= <g_t, W_t - W*> + 4/3 L_S(W*) if nu D^2 <= 1/2",
       "every step of a run with 2048 units, constants measured", "1/3 for 4/3", lemma_c_2},
      {"kan-correlated-noise/lemma-c.3", "|U_t - W*| and the mean loss within the pathwise bounds",
       "runs with 2048 units, lambda = 0.5 and 0.9, realised energies and potential, measured constants",
       "0.03 of the radius, a tenth of the mean loss", lemma_c_3},
      {"kan-correlated-noise/lemma-c.11", "the pathwise bound with every energy at its high-probability bound",
       "3 runs (nightly 20) with batches of 8: energies, potential and mean loss; the potential is so far below its "
       "bound that only lemma-c.10 can control it",
       "0.97, 0.013 and 0.055 of the bounds of noise, batches and mean loss", lemma_c_11},
      {"kan-correlated-noise/lemma-c.12", "L_S(W_0 + tau u) <= 1/T if H <= gamma/(2 tau)",
       "two opposite records, 700,000 units, T = 5; H measured along the segment",
       "tau/10: where the run starts decides a part of the loss", lemma_c_12},
      {"kan-correlated-noise/theorem-c.13", "Theorem 4.1 with every constant bounds the mean loss",
       "a run at 128 units with measured constants; conditions that fail are named", "1e-5 of the bound", theorem_c_13,
       Verdict::vacuous},
      {"kan-correlated-noise/lemma-d.11", "L_S(W_{t-1}) within its one-step bound if 8 nu R^2 <= 1",
       "every step of a projected run with 2048 units and independent noise", "0.15 of 4 L(W*)", lemma_d_11},
      {"kan-correlated-noise/theorem-d.13", "mean loss under independent noise",
       "a projected run with 2048 units, constants measured, delta = 0.01", "0.14 of the bound", theorem_d_13,
       Verdict::vacuous}};
}

}  // namespace dpcurves::validation::kan_correlated_noise
