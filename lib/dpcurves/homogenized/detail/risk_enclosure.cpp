// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/homogenized/detail/risk_enclosure.hpp>

namespace dpcurves::homogenized {
namespace {

TrajectoryOptions on_side(TrajectoryOptions options, SpectrumSide side, int nodes) {
  options.spectrum = {side, nodes};
  return options;
}

}  // namespace

RiskEnclosure::RiskEnclosure(const models::LeastSquares& problem, double horizon, int nodes, TrajectoryOptions options)
    : lower_(problem, horizon, on_side(options, SpectrumSide::lower, nodes)),
      upper_(problem, horizon, on_side(options, SpectrumSide::upper, nodes)) {}

Enclosure RiskEnclosure::population_risk(double t) const { return population_risk(t, lower_.problem().noise); }

Enclosure RiskEnclosure::population_risk(double t, double noise) const {
  const Estimate below = lower_.population_risk(t, noise);
  const Estimate above = upper_.population_risk(t, noise);
  // A solution that has left the range of doubles bounds the other side no longer.
  const double lower =
      std::isfinite(below.value) ? around(below.value, below.error).lower : std::numeric_limits<double>::max();
  return {std::max(0.5 * lower_.problem().label_noise, lower), around(above.value, above.error).upper};
}

}  // namespace dpcurves::homogenized
