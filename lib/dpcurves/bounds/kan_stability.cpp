// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_stability.hpp>
#include <dpcurves/core/detail/format.hpp>

namespace dpcurves::bounds {

using namespace checks;

double next_distance(const StabilityStep& step, double distance, double batch_losses, double record_losses) {
  require_nonnegative(distance, "distance");
  require_nonnegative(batch_losses, "batch_losses");
  require_nonnegative(record_losses, "record_losses");
  return (1.0 + 2.0 * step.curvature * step.step_size * batch_losses) * distance +
         step.step_size * step.gradient / step.batch * record_losses;
}

StabilityBound stability_bound(const StabilitySetting& s) {
  require(s);
  const OutputBounds outputs =
      output_bounds(s.spline, s.splines, s.records, s.delta_output, s.gradient, s.projection_radius);
  StabilityBound bound{.output = outputs.output,
                       .loss = outputs.loss,
                       .batch_excess = batch_loss_excess(outputs.loss, s.iterates, s.batch, s.delta_batch)};
  bound.growth = 4.0 * s.step_size * s.curvature * (s.iterates * s.mean_loss + bound.batch_excess);
  bound.growth_bounded = {bound.growth <= 1.0,
                          {"4 eta nu (T A + batch_excess) <= 1", rounded(bound.growth, 4) + " > 1",
                           "more units, since nu falls with m, or fewer steps"}};
  const double spread = 4.0 * s.curvature * s.projection_radius * s.projection_radius;
  const double step = s.step_size * (0.25 * s.gradient * s.gradient + s.curvature);
  bound.curvature_small = {spread <= 1.0 && step <= 1.0,
                           {"4 nu R_*^2 <= 1 and eta beta <= 1, beta = G^2/4 + nu",
                            "4 nu R_*^2 = " + rounded(spread, 4) + ", eta beta = " + rounded(step, 4),
                            "more units, since nu falls with m, or a smaller step"}};
  bound.stability = 2.0 * std::numbers::e * s.step_size * s.gradient / s.records * s.sum_expected_loss +
                    2.0 * s.projection_radius * s.delta_stability;
  return bound;
}

PopulationBound population_bound(const PopulationSetting& s) {
  require(s);
  PopulationBound bound{
      .largest_loss = std::log(2.0) +
                      s.spline * std::sqrt(s.splines) * second_layer_norms(s.splines, s.units, s.delta).whole +
                      s.gradient * s.projection_radius,
      .factor = 1.0 + 4.0 * std::numbers::e * s.step_size * s.iterates * s.gradient * s.gradient / s.records};
  bound.risk = bound.factor * (s.mean_loss + s.delta_optimisation * bound.largest_loss) +
               4.0 * s.gradient * s.projection_radius * s.delta_stability;
  return bound;
}

}  // namespace dpcurves::bounds
