// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/two_layer_plan.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/polynomial_features.hpp>

namespace dpcurves::bounds {
namespace {

constexpr std::uint64_t most_records = 9'000'000'000'000'000'000ULL;

double risk_of(const TwoLayerBound& bound, TwoLayerForm form) {
  return form == TwoLayerForm::printed ? bound.risk
         : form == TwoLayerForm::sharp ? bound.risk_sharp
                                       : bound.risk_sharp_projection;
}

/// C(d + q, q), or infinity.
double monomials(double inputs, std::size_t degree) {
  double count = 1.0;
  for (std::size_t j = 1; j <= degree && std::isfinite(count); ++j) {
    count = std::round(count * (inputs + static_cast<double>(j)) / static_cast<double>(j));
  }
  return count;
}

void check(const TwoLayerNetwork& network, const PhasedSetting& setting, GlmChoice choice) {
  require_domain(network.hidden_units >= 1.0 && network.hidden_units == std::floor(network.hidden_units) &&
                     std::isfinite(network.hidden_units),
                 "hidden_units", network.hidden_units, "the integers >= 1");
  require_domain(network.inputs >= 1.0, "inputs", network.inputs, "[1, inf]");
  require_domain(setting.rank >= 0.0, "rank", setting.rank, "[0, inf]");
  require_domain(choice != GlmChoice::phased || std::isfinite(setting.rank) || std::isfinite(network.inputs), "rank",
                 setting.rank, "[0, inf) for phased SGD, or inputs must be finite");
}

TwoLayerPlan start(const TwoLayerNetwork& network, PhasedSetting setting, std::size_t degree) {
  const auto polynomial = network.activation == HiddenActivation::sigmoid ? models::sigmoid_polynomial(degree)
                                                                          : models::relu_polynomial(degree);
  const double root = std::sqrt(network.hidden_units);
  TwoLayerPlan plan{.degree = degree,
                    .approximation_error = polynomial.error,
                    .coefficient_norm = polynomial.coefficient_norm,
                    .misfit = root * polynomial.error,
                    .weight = root * polynomial.weight};
  setting.label_bound = 0.5;
  setting.parameter_norm = plan.weight;
  setting.start_squared = plan.weight * plan.weight;
  setting.rank = std::fmin(setting.rank, monomials(network.inputs, degree));
  plan.setting = setting;
  return plan;
}

void evaluate(TwoLayerPlan& plan, double misfit, TwoLayerForm form) {
  plan.setting.step_size = best_private_step_size(plan.setting, plan.projected);
  plan.bound = two_layer_bound(plan.setting, misfit, plan.projected);
  plan.risk = risk_of(plan.bound, form);
}

/// The best dimension on a logarithmic grid that is refined around its minimum: other terms grow with m like a root,
/// the projection term falls, and the smaller of two such sums has at most two valleys.
TwoLayerPlan best_projection(TwoLayerPlan plan, double misfit, TwoLayerForm form, double least) {
  plan.projected = true;
  TwoLayerPlan best = plan;
  best.risk = std::numeric_limits<double>::infinity();
  const auto consider = [&](double m) {
    plan.setting.projected_dimension = std::fmax(least, std::round(m));
    evaluate(plan, misfit, form);
    if (plan.risk < best.risk) {
      best = plan;
    }
    return plan.risk;
  };
  // Beyond m = n^2 (1 + W^2) noise alone is above the smallest bound.
  const double n = static_cast<double>(plan.setting.records);
  const double highest = std::log2(std::fmax(least, n * n)) + std::log2(1.0 + plan.setting.start_squared);
  const double lowest = std::log2(least);
  constexpr int coarse = 48;
  double step = (highest - lowest) / coarse;
  consider(least);
  for (int i = 1; i <= coarse; ++i) {
    consider(std::exp2(lowest + i * step));
  }
  while (step > 1e-4) {
    const double centre = std::log2(best.setting.projected_dimension);
    step /= 2.0;
    consider(std::exp2(centre - step));
    consider(std::exp2(centre + step));
  }
  for (int reach = -2; reach <= 2; ++reach) {
    consider(best.setting.projected_dimension + reach);
  }
  return best;
}

/// \param misfit  M of the plan, or 0 for what W alone asks.
TwoLayerPlan plan_at(TwoLayerPlan plan, double misfit, TwoLayerForm form, GlmChoice choice) {
  if (!std::isfinite(plan.setting.start_squared)) {
    return plan;
  }
  TwoLayerPlan best = plan;
  if (choice != GlmChoice::projected && std::isfinite(plan.setting.rank)) {
    best.projected = false;
    evaluate(best, misfit, form);
  }
  if (choice != GlmChoice::phased) {
    const double least =
        johnson_lindenstrauss_event(1.0, static_cast<double>(plan.setting.records), plan.setting.delta).least_dimension;
    if (auto other = best_projection(plan, misfit, form, least); other.risk < best.risk) {
      best = other;
    }
  }
  return best;
}

/// Infinity if 9e18 records are not enough.
double fewest(TwoLayerPlan& plan, double misfit, double risk, TwoLayerForm form, GlmChoice choice) {
  const auto enough = [&](std::uint64_t records) {
    plan.setting.records = records;
    return plan_at(plan, misfit, form, choice).risk <= risk;
  };
  if (!enough(most_records)) {
    return std::numeric_limits<double>::infinity();
  }
  std::uint64_t upper = 2;
  while (!enough(upper)) {
    upper = upper > most_records / 2 ? most_records : 2 * upper;
    if (upper == most_records) {
      break;
    }
  }
  std::uint64_t lower = upper / 2;  // not enough, or 1
  while (upper - lower > 1) {
    const std::uint64_t middle = lower + (upper - lower) / 2;
    (enough(middle) ? upper : lower) = middle;
  }
  plan.setting.records = upper;
  plan = plan_at(plan, misfit, form, choice);
  return static_cast<double>(upper);
}

}  // namespace

TwoLayerPlan two_layer_plan(const TwoLayerNetwork& network, const PhasedSetting& setting, TwoLayerForm form,
                            GlmChoice choice, std::optional<std::size_t> degree) {
  check(network, setting, choice);
  if (degree) {
    const auto plan = start(network, setting, *degree);
    return plan_at(plan, plan.misfit, form, choice);
  }
  TwoLayerPlan best;
  for (std::size_t q = 0; q <= models::largest_degree; ++q) {
    const auto fresh = start(network, setting, q);
    auto plan = plan_at(fresh, fresh.misfit, form, choice);
    if (q == 0 || plan.risk < best.risk) {
      best = plan;
    } else if (!(plan_at(fresh, 0.0, form, choice).risk < best.risk)) {
      break;  // W and theta only grow from here
    }
  }
  return best;
}

TwoLayerRecords two_layer_records(const TwoLayerNetwork& network, const PhasedSetting& setting, double risk,
                                  TwoLayerForm form, GlmChoice choice, std::optional<std::size_t> degree) {
  check(network, setting, choice);
  require_domain(risk > 0.0 && std::isfinite(risk), "risk", risk, "(0, inf)");
  TwoLayerRecords best;
  for (std::size_t q = degree.value_or(0); q <= degree.value_or(models::largest_degree); ++q) {
    const auto fresh = start(network, setting, q);
    const auto most = std::isfinite(best.records) ? static_cast<std::uint64_t>(best.records) : most_records;
    auto ideal = fresh;
    ideal.setting.records = most;
    if (!degree && !(plan_at(ideal, 0.0, form, choice).risk <= risk)) {
      break;  // W and theta only grow from here
    }
    auto plan = fresh;
    plan.setting.records = most;
    if (!(plan_at(plan, plan.misfit, form, choice).risk <= risk)) {
      continue;
    }
    const double records = fewest(plan, plan.misfit, risk, form, choice);
    if (records < best.records) {
      best = {records, plan};
    }
  }
  return best;
}

}  // namespace dpcurves::bounds
