// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>
#include <dpcurves/simulate/interpolated_process.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using interpolation::Contraction;
using interpolation::ShiftSequences;

/// A process whose interpolation is followed, with the distances that the analysis allows.
struct Followed {
  std::string name;
  simulate::NoisyDescent process;
  models::SeparableLosses first, second;
  ShiftSequences shifts;
  double start = 0.0;  ///< distance allowed where the interpolation begins
};

/// Losses in `d` dimensions whose record `special` of `records` has the additional gradient -length in direction
/// (1, ..., 1).
models::SeparableLosses directed_losses(const Loss& loss, std::size_t d, std::size_t records, std::size_t special,
                                        double length) {
  Vector drifts(records * d, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    drifts[special * d + j] = -length / std::sqrt(static_cast<double>(d));
  }
  return {loss.curvature, loss.bend, d, drifts};
}

ShiftSequences optimum(const std::vector<double>& c, const std::vector<double>& s) {
  const auto solution = interpolation::solve_shift_problem(c, s, 0.0);
  return {solution.a, solution.z, solution.lambda};
}

std::vector<Followed> followed_processes() {
  std::vector<Followed> all;
  const Loss bent{0.5, 1.5};
  simulate::NoisyDescent process;
  process.step_size = 0.4;  // c = 0.8
  process.noise = 1.0;
  process.steps = 12;
  all.push_back({"full batches, c = 0.8, t = 12, one dimension", process, directed_losses(bent, 1, 1, 0, 0.0),
                 directed_losses(bent, 1, 1, 0, 1.0),
                 interpolation::strongly_convex_sequences(Contraction::factor(0.8), 0.4, 12.0)});
  all.push_back({"full batches of 5 records, c = 0.8, t = 12, three dimensions", process,
                 directed_losses(bent, 3, 5, 2, 0.0), directed_losses(bent, 3, 5, 2, 1.0),
                 interpolation::strongly_convex_sequences(Contraction::factor(0.8), 0.4 / 5.0, 12.0)});
  process.rule = simulate::BatchRule::cyclic;
  process.batch_size = 2;
  std::vector<double> s(12, 0.0);
  s[2] = s[6] = s[10] = 0.4 / 2.0;
  all.push_back({"cyclic batches of 2 of 8 records, c = 0.8, 3 epochs, two dimensions", process,
                 directed_losses(bent, 2, 8, 5, 0.0), directed_losses(bent, 2, 8, 5, 1.0),
                 optimum(std::vector<double>(12, 0.8), s)});
  simulate::NoisyDescent boxed{.step_size = 0.1, .noise = 2.0, .steps = 60, .projection = models::Projection::box(0.5)};
  const double diameter = std::sqrt(2.0);
  all.push_back({"box in two dimensions, c = 1, the last 14 of 60 steps", boxed,
                 directed_losses({0.0, 0.0}, 2, 1, 0, 0.0), directed_losses({0.0, 0.0}, 2, 1, 0, 1.0),
                 interpolation::convex_diameter_sequences(0.1, diameter, 14.0), diameter});
  return all;
}

std::vector<double> largest_distances(const Setting& setting, const std::string& id, const Followed& f,
                                      const std::vector<double>& lambda, std::size_t paths) {
  return simulate::interpolation_distances(f.process, f.first, f.second, lambda, paths,
                                           seed_of(setting, id, f.shifts.z.size()), setting.threads);
}

/// The largest distances over `share` of those allowed.
void distances_within(Trial& trial, const Followed& f, const std::vector<double>& measured, double share) {
  double largest = f.start > 0.0 ? measured.front() / f.start : 0.0;
  bool nowhere = f.start > 0.0 || measured.front() == 0.0;  // where none is allowed
  for (std::size_t k = 0; k < f.shifts.z.size(); ++k) {
    if (f.shifts.z[k] > 1e-12) {
      largest = std::max(largest, measured[k + 1] / f.shifts.z[k]);
    } else {
      nowhere = nowhere && measured[k + 1] < 1e-13;
    }
  }
  trial.require(largest <= share * (1.0 + 1e-12), f.name + ", largest |X_k - X~_k|/z_k",
                rounded(largest, 14) + " <= " + rounded(share, 3),
                Measurement::at_most(largest, share).exact(1e-12 * largest));
  trial.require(nowhere, f.name + ", no distance where z_k = 0");
}

void invariant(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/definition-c.2";
  outcome.claim.count_runs(setting.size(8000, 200000));
  outcome.claim.by_exact_law();  // of every path: none may differ
  const std::size_t paths = setting.size(8000, 200000);
  const auto all = followed_processes();
  std::vector<double> measured;
  for (const Followed& f : all) {
    const auto found = largest_distances(setting, id, f, f.shifts.lambda, paths);
    std::vector<double> late = f.shifts.lambda;
    late.insert(late.begin(), 0.0);
    late.pop_back();
    for (Trial* trial : {&outcome.claim, &outcome.control}) {
      const bool broken = trial == &outcome.control;
      trial->group("distances");
      distances_within(*trial, f, found, broken ? 0.99 : 1.0);
      trial->group("end");
      trial->at_most((broken ? largest_distances(setting, id, f, late, paths) : found).back(), 0.0,
                     f.name + ", |X_t - X~_t|");
    }
    measured = measured.empty() ? found : measured;
  }
  const Followed& f = all.front();
  io::Plot plot{.title = "Shifted interpolation: 0.5 x + 1.5 tanh x, eta = 0.4, sigma = L = 1, t = 12",
                .x = {"step k", false, 0.0, 12.0},
                .y = {"distance", false, 0.0, 1.6},
                .legend = io::Legend::top_right};
  std::vector<double> k(13), z{0.0}, a_at, a;
  for (std::size_t i = 0; i <= 12; ++i) {
    k[i] = static_cast<double>(i);
  }
  z.insert(z.end(), f.shifts.z.begin(), f.shifts.z.end());
  a_at.assign(k.begin() + 1, k.end());
  plot.series = {io::line("allowed distance z_k", k, z),
                 io::points("largest |X_k - X~_k| of " + std::to_string(paths) + " runs", k, measured),
                 io::dashed("shift a_k paid", a_at, f.shifts.a)};
  outcome.figures.push_back({"The interpolated process stays within z_k of X and ends in it", std::move(plot)});
}

void meta_theorem(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-3.3";
  Draws draws(setting, id);
  const double c = 0.8, s = 0.4, noise = 0.4;
  const std::size_t t = 10;
  const auto quadratic = exact_laws(full_batch_chains({{0.5, 0.0}, 0.4, noise, 0.0, s}), t);
  const auto bent = exact_laws(full_batch_chains({{0.5, 1.5}, 0.4, noise, 0.0, s}), t);
  // Any weights in [0, 1] with the last 1 give a valid bound.
  for (std::size_t k = 0; k < setting.size(100, 2000); ++k) {
    const double level = draws.uniform();
    double z = 0.0, paid = 0.0, without_distance = 0.0;
    for (std::size_t i = 1; i <= t; ++i) {
      const double lambda = i == t ? 1.0 : draws.uniform(0.0, level);
      const double a = lambda * (c * z + s);
      paid += a * a;
      without_distance += lambda * s * lambda * s;
      z = (1.0 - lambda) * (c * z + s);
    }
    const auto compare = [&](Trial& trial, double sum_a2) {
      const double mu = std::sqrt(sum_a2) / noise;
      law_within(trial, quadratic, mu, "quadratic, random weights up to " + rounded(level, 3));
      law_within(trial, bent, mu, "gradient 0.5 x + 1.5 tanh x, random weights up to " + rounded(level, 3));
    };
    compare(outcome.claim, paid);
    compare(outcome.control, without_distance);
  }
  for (const Followed& f : followed_processes()) {
    const auto found = largest_distances(setting, id, f, f.shifts.lambda, setting.size(2000, 50000));
    distances_within(outcome.claim, f, found, 1.0);
    outcome.claim.at_most(found.back(), 0.0, f.name + ", |X_t - X~_t|");
  }
}

void varying_steps(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/theorem-c.3");
  outcome.claim.by_exact_law();
  for (std::size_t k = 0; k < setting.size(12, 100); ++k) {
    const std::size_t t = 12;
    const double noise = 0.4;
    simulate::ChainPair bent, linear;
    bent.noise = linear.noise = noise;
    std::vector<double> c, s;
    for (std::size_t i = 0; i < t; ++i) {
      const double eta = k % 2 == 0 ? draws.uniform(0.05, 0.7) : draws.uniform(0.35, 0.55), m = 0.5, M = 2.0;
      c.push_back(std::max(std::abs(1.0 - eta * m), std::abs(1.0 - eta * M)));
      s.push_back(draws.uniform() < 0.2 || i + 1 == t ? draws.uniform(0.2, 0.6) : 0.0);
      bent.kernels.push_back({{1.0, gradient_step({m, M - m}, eta)}});
      bent.kernels.push_back({{1.0, gradient_step({m, M - m}, eta, s.back())}});
      linear.kernels.push_back({{1.0, [factor = c.back()](double x) { return factor * x; }}});
      linear.kernels.push_back({{1.0, [factor = c.back(), shift = s.back()](double x) { return factor * x + shift; }}});
      for (auto* chains : {&bent, &linear}) {
        chains->first.push_back(2 * i);
        chains->second.push_back(2 * i + 1);
      }
    }
    const double bound = std::sqrt(interpolation::solve_shift_problem(c, s, 0.0).sum_a2.upper) / noise;
    double w = 1.0, S = 0.0, T = 0.0;  // the chord: the optimum if distances could be negative
    for (std::size_t i = t; i-- > 0;) {
      S += w * s[i];
      T += w * w;
      w *= c[i];
    }
    const double chord = S / std::sqrt(T) / noise;
    const auto bent_laws = exact_laws(bent, t), linear_laws = exact_laws(linear, t);
    const std::string what = "instance " + std::to_string(k) + ", last difference " + rounded(s.back(), 3);
    const auto compare = [&](Trial& trial, double mu) {
      law_within(trial, bent_laws, mu, what + ", gradient 0.5 x + 1.5 tanh x");
      return law_within(trial, linear_laws, mu, what + ", linear maps");
    };
    const double measured = compare(outcome.claim, bound);
    outcome.claim.close(measured, chord, 1e-5, what + ", the law of the linear maps is the chord");
    compare(outcome.control, chord);
  }
}

}  // namespace

std::vector<Case> interpolated_process_cases() {
  return {
      {"shifted-interpolation/definition-c.2",
       "The interpolated process with weights lambda_k stays within z_k = (1 - lambda_k)(c z_{k-1} + s_k) of X, on "
       "every path, and ends in X_t.",
       "8000 runs (nightly 200,000) of four processes with tanh losses and drifts in one to three dimensions, full and "
       "cyclic batches and a box; the largest distance of every step.",
       "0.99 of z_k; for the end, the weights used one step late.", invariant},
      {"shifted-interpolation/theorem-3.3",
       "For any weights lambda_k in [0, 1] with lambda_t = 1, T(X_t, X'_t) >= G(sqrt(sum a_k^2)/noise), a_k = "
       "lambda_k (c z_{k-1} + s).",
       "Exact laws of a quadratic and of 0.5 x + 1.5 tanh x after 10 steps against 100 random weight sequences "
       "(nightly 2000); 2000 runs of four interpolated processes (nightly 50,000).",
       "The distance is free: a_k = lambda_k s.", meta_theorem},
      {"shifted-interpolation/theorem-c.3",
       "With steps that contract by c_k and differ by at most s_k, the optimum of the shift problem bounds T(X_t, "
       "X'_t).",
       "Exact laws of 12 random instances (nightly 100) of 12 steps with step sizes 0.05 to 0.7, the last and about a "
       "fifth of the others differing: tanh losses, and linear maps, which attain the chord.",
       "The distances z_k may be negative: the chord instead of the convex minorant.", varying_steps},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
