// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/calibration.hpp>
#include <dpcurves/correlated/detail/noise_estimate.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/participation_mean.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::correlated {
namespace {

/// The least noise multiplier at which the composition meets the target; it falls with the noise.
double composed_noise(MatrixMechanism mechanism, double epsilon, double delta) {
  const auto excess = [&](double log_noise) {
    mechanism.noise_multiplier = std::exp(log_noise);
    double worst = 0.0;
    for (const auto& one : accounting::directions(independent_steps(mechanism))) {
      worst = std::max(worst, accounting::delta_at(one.composition, epsilon, {1e-6, false}).delta.upper);
    }
    return std::log(std::max(worst, 1e-320)) - std::log(delta);
  };
  double high = 0.0;
  while (excess(high) > 0.0) {
    high += 1.0;
  }
  double low = high - 1.0;
  while (excess(low) <= 0.0) {
    low -= 1.0;
    if (low < -20.0) {
      return std::exp(low);
    }
  }
  return std::exp(numerics::root(excess, low, high).upper) * (1.0 + 1e-9);
}

double mean_noise(const MatrixMechanism& mechanism, double epsilon, double delta, double refinement) {
  return ParticipationMean(mechanism.strategy, mechanism.sampling_rate, record_sensitivity(mechanism), refinement)
      .sufficient_noise(epsilon, delta);
}

}  // namespace

std::optional<Calibration> calibrate(const MatrixMechanism& mechanism, Method method, double epsilon, double delta,
                                     const EstimateBudget& budget) {
  require_domain(epsilon > 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "(0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  if (!violations(mechanism, method).empty()) {
    return std::nullopt;
  }
  const auto pairs = directed_pairs(mechanism);
  const auto same_batch = [&] {
    return SameBatch(mechanism.strategy, mechanism.sampling_rate, record_sensitivity(mechanism))
        .noise_multiplier(epsilon, delta)
        .upper;
  };
  Calibration answer{0.0, method, 0.0};
  switch (method) {
    case Method::closed_form: {
      if (epsilon > 1.0) {
        return std::nullopt;
      }
      const auto found = closed_form({mechanism.strategy.lambda(), mechanism.sampling_rate,
                                      static_cast<double>(mechanism.strategy.steps()), epsilon, delta});
      if (!found.valid) {
        return std::nullopt;
      }
      answer.noise_multiplier =
          (1.0 + 1e-9) * (mechanism.adjacency == mechanism::Adjacency::replace_one ? found.noise_multiplier
                                                                                   : found.noise_multiplier_constant_2);
      break;
    }
    case Method::same_batch:
      answer.noise_multiplier = same_batch();
      break;
    case Method::participation_mean:
      answer.noise_multiplier = std::min(same_batch(), mean_noise(mechanism, epsilon, delta, 1.0));
      break;
    case Method::composition:
      answer.noise_multiplier = composed_noise(mechanism, epsilon, delta);
      break;
    case Method::mixture:
      for (const DirectedPair& one : pairs) {
        constexpr double tolerance = 1e-4;
        answer.noise_multiplier =
            std::max(answer.noise_multiplier, mixture_noise_multiplier(mechanism.strategy, mechanism.sampling_rate,
                                                                       one.multiples, epsilon, delta, tolerance));
      }
      break;
    case Method::likelihood: {
      std::vector<MeanMultiples> multiples;
      for (const DirectedPair& one : pairs) {
        multiples.push_back(one.multiples);
      }
      const auto found = estimate_noise_multiplier({mechanism.strategy, mechanism.sampling_rate, 1.0, {}}, multiples,
                                                   epsilon, delta, Rounding::nearest, 0.4 * same_batch(), budget);
      answer.noise_multiplier = found.noise_multiplier.value;
      answer.standard_error = found.noise_multiplier.error;
      break;
    }
  }
  return answer;
}

namespace {

/// The least of the certified methods. \param refinement  of the mean over participations; 0: without it.
Calibration least(const MatrixMechanism& mechanism, double epsilon, double delta, double refinement) {
  std::optional<Calibration> best;
  for (const Method method : certified_methods) {
    if (method == Method::mixture && best && best->method == Method::composition) {
      break;  // the composition is exact for its pair
    }
    std::optional<Calibration> found;
    if (method != Method::participation_mean) {
      found = calibrate(mechanism, method, epsilon, delta);
    } else if (refinement > 0.0 && violations(mechanism, method).empty()) {
      found = Calibration{mean_noise(mechanism, epsilon, delta, refinement), method, 0.0};
    }
    if (found && (!best || found->noise_multiplier < best->noise_multiplier)) {
      best = found;
    }
  }
  if (!best) {
    throw ConvergenceError("calibrate: no method applies");
  }
  return *best;
}

}  // namespace

Calibration calibrate(const MatrixMechanism& mechanism, double epsilon, double delta) {
  return least(mechanism, epsilon, delta, 1.0);
}

JointCalibration calibrate_lambda(const MatrixMechanism& mechanism, NoiseCost cost, double retention, double epsilon,
                                  double delta, std::optional<Method> method, const EstimateBudget& budget) {
  JointCalibration best;
  best.cost = infinity;
  constexpr double coarse = 0.25;  // of the mean over participations: every value of the search is certified
  const std::size_t steps = mechanism.strategy.steps();
  const auto at = [&](double lambda) {
    MatrixMechanism trial = mechanism;
    trial.strategy = models::StrategyMatrix::exponential(lambda, steps);
    const auto found = method ? calibrate(trial, *method, epsilon, delta, budget)
                              : std::optional(least(trial, epsilon, delta, lambda == 0.0 ? 0.0 : coarse));
    if (!found) {
      return infinity;
    }
    const double value = found->noise_multiplier * noise_cost(trial.strategy, cost, retention);
    if (lambda == 0.0) {
      best.independent_cost = value;
    }
    if (value < best.cost) {
      best.lambda = lambda;
      best.calibration = *found;
      best.cost = value;
    }
    return value;
  };
  at(0.0);
  constexpr std::array octaves{1.0, 2.0, 3.0, 4.0, 6.0, 8.0};  // 1 - lambda = 2^-octave
  for (const double octave : octaves) {
    at(1.0 - std::exp2(-octave));
  }
  if (best.cost == infinity) {
    throw ConvergenceError("calibrate_lambda: the method applies at no lambda");
  }
  const double centre = best.lambda == 0.0 ? 0.0 : -std::log2(1.0 - best.lambda);
  double low = std::max(0.0, centre - 1.0), high = std::min(10.0, centre + 1.0);
  // Golden sections in log(1 - lambda).
  constexpr double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = at(1.0 - std::exp2(-left)), at_right = at(1.0 - std::exp2(-right));
  while (high - low > 0.05) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = at(1.0 - std::exp2(-left));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = at(1.0 - std::exp2(-right));
    }
  }
  return best;
}

}  // namespace dpcurves::correlated
