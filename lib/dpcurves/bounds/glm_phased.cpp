// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {
namespace {

using models::PhasedAlgorithm;

void require_finite(double value, double least, const char* name, const char* range) {
  require_domain(value >= least && std::isfinite(value), name, value, range);
}

void check(const PhasedSetting& s) {
  require_domain(s.lipschitz > 0.0 && std::isfinite(s.lipschitz), "lipschitz", s.lipschitz, "(0, inf)");
  require_finite(s.start_squared, 0.0, "start_squared", "[0, inf)");
}

void check_projection(const PhasedSetting& s) {
  require_finite(s.projected_dimension, 1.0, "projected_dimension", "[1, inf)");
  require_finite(s.parameter_norm, 0.0, "parameter_norm", "[0, inf)");
}

// E|<z, x>| of the last release, for a loss with slopes up to 2 B.
double last_release(const PhasedSetting& s, const models::Phase& last) {
  return 2.0 * s.label_bound * last.noise * std::sqrt(2.0 / std::numbers::pi);
}

PhasedBound summed(PhasedBound bound, double lipschitz) {
  bound.surrogate =
      bound.start + bound.noise + bound.steps + bound.final_noise + bound.projection + bound.oracle + bound.smoothing;
  bound.risk = 2.0 * lipschitz * bound.surrogate;
  return bound;
}

// The common sum: phase i starts from a release with `directions` noisy directions, and its gradients have norm at most
// 2 B + gamma with an error of gamma.
PhasedBound phases_of(const PhasedSetting& s, PhasedAlgorithm algorithm, double directions, double gamma) {
  check(s);
  require_finite(directions, 0.0, "rank", "[0, inf)");
  require_finite(gamma, 0.0, "oracle_error", "[0, inf)");
  require_finite(s.noise_ratio, 0.0, "noise_ratio", "[0, inf)");
  const double c = s.noise_ratio * models::printed_noise_per_step(algorithm, s.label_bound, s.epsilon, s.delta);
  const auto phases = models::phase_schedule(s.records, s.step_size, c);
  const double slope = 2.0 * s.label_bound, rough_slope = slope + gamma;
  PhasedBound bound;
  double squared = s.start_squared;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double eta = phases[i].step_size, n = static_cast<double>(phases[i].records);
    (i == 0 ? bound.start : bound.noise) += squared / eta / n / 2.0;
    bound.steps += eta * slope * slope / 2.0;
    if (gamma > 0.0) {
      // eta (rough_slope^2 - slope^2)/2 = eta gamma (4 B + gamma)/2
      bound.oracle += gamma * (std::sqrt(squared) + eta * (n - 1.0) * rough_slope / 2.0) +
                      eta * gamma * (2.0 * slope + gamma) / 2.0;
    }
    squared = directions * phases[i].noise * phases[i].noise;
  }
  bound.final_noise = last_release(s, phases.back());
  return bound;
}

double smoothing_term(const PhasedSetting& s) {
  require_domain(s.smoothing > 0.0, "smoothing", s.smoothing, "(0, inf]");
  return 2.0 * s.label_bound * s.label_bound / s.smoothing;
}

double projection_term(const PhasedSetting& s) {
  check_projection(s);
  return s.lipschitz * s.parameter_norm * s.parameter_norm / s.projected_dimension;
}

}  // namespace

PhasedBound phased_bound(const PhasedSetting& setting) {
  return summed(phases_of(setting, PhasedAlgorithm::plain, setting.rank, 0.0), setting.lipschitz);
}

PhasedBound projected_bound(const PhasedSetting& setting) {
  check_projection(setting);
  PhasedBound bound = phases_of(setting, PhasedAlgorithm::projected, setting.projected_dimension, 0.0);
  bound.projection = projection_term(setting);
  return summed(bound, setting.lipschitz);
}

PhasedBound smoothed_bound(const PhasedSetting& setting) {
  PhasedBound bound = phases_of(setting, PhasedAlgorithm::smoothed, setting.rank, setting.oracle_error);
  bound.smoothing = smoothing_term(setting);
  return summed(bound, setting.lipschitz);
}

PhasedBound projected_smoothed_bound(const PhasedSetting& setting) {
  check_projection(setting);
  PhasedBound bound =
      phases_of(setting, PhasedAlgorithm::projected_smoothed, setting.projected_dimension, setting.oracle_error);
  bound.projection = projection_term(setting);
  bound.smoothing = smoothing_term(setting);
  return summed(bound, setting.lipschitz);
}

PhasedBound bound_of(models::PhasedAlgorithm algorithm, const PhasedSetting& setting) {
  switch (algorithm) {
    case models::PhasedAlgorithm::plain:
      return phased_bound(setting);
    case models::PhasedAlgorithm::projected:
      return projected_bound(setting);
    case models::PhasedAlgorithm::smoothed:
      return smoothed_bound(setting);
    case models::PhasedAlgorithm::projected_smoothed:
      break;
  }
  return projected_smoothed_bound(setting);
}

const char* theorem_of(models::PhasedAlgorithm algorithm) {
  switch (algorithm) {
    case models::PhasedAlgorithm::plain:
      return "dp-glm-networks/theorem-1";
    case models::PhasedAlgorithm::projected:
      return "dp-glm-networks/theorem-2";
    case models::PhasedAlgorithm::smoothed:
      return "dp-glm-networks/theorem-4";
    case models::PhasedAlgorithm::projected_smoothed:
      return "dp-glm-networks/theorem-5";
  }
  return "";
}

double best_step_size(const PhasedSetting& setting, bool projected) {
  PhasedSetting unit = setting;
  unit.step_size = 1.0;
  const PhasedBound bound = projected ? projected_bound(unit) : phased_bound(unit);
  return std::sqrt(bound.start / (bound.noise + bound.steps + bound.final_noise));
}

double best_private_step_size(const PhasedSetting& setting, bool projected) {
  const auto algorithm = projected ? PhasedAlgorithm::projected : PhasedAlgorithm::plain;
  return std::fmin(best_step_size(setting, projected), 4.0 * models::largest_phase_step(algorithm, setting.lipschitz));
}

double best_projected_dimension(const PhasedSetting& setting) {
  check(setting);
  check_projection(setting);
  const double c =
      models::printed_noise_per_step(PhasedAlgorithm::projected, setting.label_bound, setting.epsilon, setting.delta);
  const double ratio = setting.lipschitz * setting.parameter_norm * static_cast<double>(setting.records) / (4.0 * c);
  return std::cbrt(ratio * ratio);
}

Verdict verdict(models::PhasedAlgorithm algorithm, const PhasedSetting& setting) {
  check(setting);
  const bool smooth = algorithm == PhasedAlgorithm::smoothed || algorithm == PhasedAlgorithm::projected_smoothed;
  const double most = models::largest_phase_step(algorithm, smooth ? setting.smoothing : setting.lipschitz);
  const double first = setting.step_size / 4.0;
  return judged(
      {{first <= most,
        {"first step eta/4 at most " + shortest(most),
         "eta/4 = " + shortest(first) + ": steps may expand, the sensitivity is not known",
         "a step size eta of at most " + shortest(4.0 * most)}},
       {setting.epsilon <= 1.0,
        {"epsilon at most 1", "epsilon = " + shortest(setting.epsilon), "an epsilon of at most 1"}},
       {setting.delta <= 0.5, {"delta at most 1/2", "delta = " + shortest(setting.delta), "a delta of at most 1/2"}}},
      {});
}

}  // namespace dpcurves::bounds
