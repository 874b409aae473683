// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

double squared(double x) { return x * x; }

}  // namespace

double noise_factor(const NoisyRun& run, double smoothness) {
  return squared(run.private_noise * run.step_size) *
         (squared(1.0 - run.correlation) + 12.0 * smoothness * squared(run.correlation) * run.step_size);
}

PathwiseBound pathwise_bound(const NoisyRun& run, double smoothness, const PathEnergies& energies,
                             double comparator_loss, double distance_squared) {
  require(run);
  require_domain(smoothness >= 0.0 && std::isfinite(smoothness), "smoothness", smoothness, "[0, inf)");
  require_domain(comparator_loss >= 0.0, "comparator_loss", comparator_loss, "[0, inf)");
  require_domain(distance_squared >= 0.0, "distance_squared", distance_squared, "[0, inf)");
  const double eta = run.step_size;
  const double noise = noise_factor(run, smoothness) * energies.noise;
  const double batch = 2.0 * eta * eta * energies.batch;
  return PathwiseBound{
      .radius_squared =
          distance_squared + 8.0 / 3.0 * eta * run.iterates * comparator_loss + energies.potential + batch + noise,
      .mean_loss =
          8.0 * comparator_loss + 3.0 / (eta * run.iterates) * (distance_squared + energies.potential + batch + noise)};
}

Comparator comparator(double iterates, double spline, double splines, double records, double margin, double delta) {
  require_domain(iterates >= 1.0, "iterates", iterates, "[1, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_domain(records >= 1.0, "records", records, "[1, inf)");
  require_margin(margin);
  const double length =
      std::max(4.0 * std::log(iterates),
               2.0 * spline * std::sqrt(2.0 * splines * (std::log(2.0 * records) - std::log(delta)))) /
      margin;
  return {length, margin / (2.0 * length)};
}

double required_width(const models::KanBounds& bounds, double delta, double largest_hessian) {
  require_domain(largest_hessian > 0.0, "largest_hessian", largest_hessian, "(0, inf)");
  const auto excess = [&](double log_units) {
    models::KanBounds at = bounds;
    at.units = std::exp(log_units);
    return std::log(models::worst_case_constants(at, 0.5 * delta).hessian / largest_hessian);
  };
  constexpr double widest = 600.0;  // e^600
  if (!(excess(0.0) > 0.0)) {
    return 1.0;
  }
  return std::exp(numerics::root(excess, 0.0, widest).upper);
}

OptimisationBound optimisation_bound(const OptimisationSetting& setting) {
  const NoisyRun& run = setting.run;
  require(run);
  require_domain(setting.clip > 0.0, "clip", setting.clip, "(0, inf)");
  require_domain(setting.delta > 0.0 && setting.delta < 1.0, "delta", setting.delta, "(0, 1)");
  const double event = setting.delta / 5.0;
  const double eta = run.step_size;
  const Comparator target =
      comparator(run.iterates, setting.spline, setting.splines, setting.records, setting.margin, event);
  const NoiseBounds noise = noise_bounds(setting.parameters, run.iterates, event);
  const double batch = batch_energy(run.iterates, setting.gradient, run.batch, event);
  // (10) with L_S(W*) <= 1/T: the cross terms are linear in Rbar.
  const CrossTerms per_radius = potential_terms(run, setting.gradient, 1.0, noise.energy, event);
  const double linear = per_radius.batch + per_radius.noise;
  const double constant = squared(target.length) + 8.0 / 3.0 * eta + per_radius.mixed + 2.0 * eta * eta * batch +
                          noise_factor(run, setting.smoothness) * noise.energy;
  OptimisationBound bound{.comparator_length = target.length,
                          .radius = 0.5 * (linear + std::sqrt(linear * linear + 4.0 * constant))};
  bound.potential = linear * bound.radius + per_radius.mixed;
  bound.mean_loss = pathwise_bound(run, setting.smoothness, {noise.energy, batch, bound.potential}, 1.0 / run.iterates,
                                   squared(target.length))
                        .mean_loss;
  const double reach = bound.radius + eta * run.private_noise * noise.largest;
  bound.least_projection_radius = reach + target.length;
  constexpr double below = 1.0 - 5e-4, above = 1.0 + 5e-4;  // so that four digits stay on the safe side
  const double largest_step = 1.0 / (12.0 * setting.smoothness);
  bound.step_small = {eta * 12.0 * setting.smoothness <= 1.0,
                      {"a step of at most 1/(12 beta)", "step " + shortest(eta) + " > " + rounded(largest_step, 4),
                       "a step of at most " + rounded(largest_step * below, 4)}};
  bound.curvature_small = {setting.curvature * squared(reach) <= 0.5,
                           {"nu (Rbar + eta c z)^2 <= 1/2, curvature nu times the square of the reach of the iterates",
                            "nu = " + rounded(setting.curvature, 4) + ", Rbar = " + rounded(bound.radius, 4),
                            "more units, since nu falls with m, or less noise"}};
  bound.comparator_exists = {
      setting.comparator_hessian <= target.largest_hessian,
      {"H(delta/10) <= gamma/(2 tau)",
       rounded(setting.comparator_hessian, 4) + " > " + rounded(target.largest_hessian, 4), "more units"}};
  bound.clip_inactive = {setting.clip >= setting.gradient,
                         {"a clip norm of at least G", rounded(setting.clip, 4) + " < " + rounded(setting.gradient, 4),
                          "a clip norm of at least " + rounded(setting.gradient * above, 4)}};
  return bound;
}

Verdict OptimisationBound::verdict() const {
  return judged({step_small, curvature_small, comparator_exists, clip_inactive},
                {"the batches are of a fixed size and drawn afresh in every step",
                 "labels -1 and 1 separated by the tangent kernel at the start with the margin (Assumption 3.3)"});
}

OptimisationRate optimisation_rate(const RateSetting& s) {
  require(s);
  const double kept = 1.0 - s.correlation;
  const double noise = s.noise_multiplier / s.batch;
  const double width = s.units * s.inputs;
  return {1.0 / (s.margin * s.margin * s.step_size * s.iterates), 1.0 / (s.margin * std::sqrt(s.batch * s.iterates)),
          s.step_size * (1.0 / s.batch + 1.0 / s.iterates),
          kept * noise / std::sqrt(s.iterates) * (1.0 / s.margin + s.step_size * std::sqrt(width / s.batch)),
          (kept * kept + s.correlation * s.correlation * s.step_size) * s.step_size * noise * noise * width};
}

double best_correlation(double step_size) {
  require_domain(step_size > 0.0 && std::isfinite(step_size), "step_size", step_size, "(0, inf)");
  return 1.0 / (1.0 + step_size);
}

}  // namespace dpcurves::bounds
