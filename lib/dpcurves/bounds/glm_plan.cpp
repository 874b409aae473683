// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {
namespace {

GlmPlan plan_for(const PhasedSetting& setting, GlmChoice choice) {
  switch (choice) {
    case GlmChoice::phased:
      return phased_plan(setting);
    case GlmChoice::projected:
      return projected_plan(
          setting,
          johnson_lindenstrauss_event(1.0, static_cast<double>(setting.records), setting.delta).least_dimension);
    case GlmChoice::best:
      break;
  }
  return select_by_bound(setting);
}

}  // namespace

bool rule_of_algorithm_1(double records, double epsilon, double rank) {
  require_domain(rank >= 0.0, "rank", rank, "[0, inf)");
  return records * epsilon > std::pow(rank, 1.5);
}

bool rule_of_algorithm_9(double records, double epsilon, double rank) {
  require_domain(rank >= 0.0, "rank", rank, "[0, inf)");
  return records * epsilon > rank;
}

GlmPlan phased_plan(PhasedSetting setting) {
  // At D2 = 0 the smallest step is the best; any positive one stands for it.
  const double best = best_private_step_size(setting, false);
  setting.step_size = best > 0.0 ? best : 1e-300;
  return {false, setting, phased_bound(setting)};
}

GlmPlan projected_plan_at(PhasedSetting setting) {
  const double best = best_private_step_size(setting, true);
  setting.step_size = best > 0.0 ? best : 1e-300;
  return {true, setting, projected_bound(setting)};
}

GlmPlan projected_plan(PhasedSetting setting, double least_dimension) {
  require_domain(least_dimension >= 1.0 && least_dimension == std::floor(least_dimension), "least_dimension",
                 least_dimension, "the integers >= 1");
  const auto at = [&](double dimension) {
    setting.projected_dimension = dimension;
    return projected_plan_at(setting);
  };
  // Noise grows and the projection term falls with m: one minimum, near the m of the closed form.
  double lower = least_dimension;
  double upper = std::fmax(lower, std::ceil(16.0 * best_projected_dimension(setting)) + 16.0);
  while (upper - lower > 2.0) {
    const double third = std::floor((upper - lower) / 3.0);
    const double left = lower + std::fmax(third, 1.0), right = upper - std::fmax(third, 1.0);
    if (left >= right) {
      break;
    }
    (at(left).bound.risk <= at(right).bound.risk ? upper : lower) =
        at(left).bound.risk <= at(right).bound.risk ? right : left;
  }
  GlmPlan best = at(lower);
  for (double m = lower + 1.0; m <= std::fmin(upper, lower + 4.0); m += 1.0) {
    if (GlmPlan plan = at(m); plan.bound.risk < best.bound.risk) {
      best = plan;
    }
  }
  return best;
}

GlmPlan select_by_bound(const PhasedSetting& setting) {
  const GlmPlan plain = phased_plan(setting), projected = plan_for(setting, GlmChoice::projected);
  return projected.bound.risk < plain.bound.risk ? projected : plain;
}

GlmPlan fewest_records(PhasedSetting setting, double risk, GlmChoice choice) {
  require_domain(risk > 0.0, "risk", risk, "(0, inf)");
  const auto enough = [&](std::uint64_t records) {
    setting.records = records;
    return plan_for(setting, choice).bound.risk <= risk;
  };
  std::uint64_t upper = 2;
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  while (!enough(upper)) {
    require_domain(upper < most, "risk", risk, "the risks that 2^62 records can meet at these options");
    upper *= 2;
  }
  std::uint64_t lower = upper / 2;  // not enough, or 1
  while (upper - lower > 1) {
    const std::uint64_t middle = lower + (upper - lower) / 2;
    (enough(middle) ? upper : lower) = middle;
  }
  setting.records = std::max<std::uint64_t>(upper, 2);
  return plan_for(setting, choice);
}

GlmPlan least_epsilon(PhasedSetting setting, double risk, GlmChoice choice) {
  require_domain(risk > 0.0, "risk", risk, "(0, inf)");
  const auto enough = [&](double epsilon) {
    setting.epsilon = epsilon;
    return plan_for(setting, choice).bound.risk <= risk;
  };
  const auto mechanism = choice == GlmChoice::phased ? GlmMechanism::algorithm_2 : GlmMechanism::algorithm_3;
  double upper = std::fmin(largest_valid_epsilon(GlmMechanism::algorithm_2, std::fmin(setting.delta, 0.5)),
                           largest_valid_epsilon(mechanism, std::fmin(setting.delta, 0.5)));
  require_domain(enough(upper), "risk", risk, "the risks that a valid epsilon can meet at these options");
  double lower = upper;
  while (enough(lower) && lower > 1e-300) {
    upper = lower;
    lower /= 2.0;
  }
  while (upper - lower > 1e-13 * upper) {
    const double middle = lower + 0.5 * (upper - lower);
    (enough(middle) ? upper : lower) = middle;
  }
  setting.epsilon = upper;
  return plan_for(setting, choice);
}

}  // namespace dpcurves::bounds
