// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/mixture.hpp>
#include <dpcurves/homogenized/contractive_pass.hpp>

namespace dpcurves::homogenized {
namespace {

void require_whole(double value, const char* name, double most, const char* range) {
  require_domain(value >= 1.0 && value <= most && value == std::floor(value), name, value, range);
}

void check(const ContractivePass& pass, double renyi_order) {
  require_domain(pass.step_size > 0.0 && std::isfinite(pass.step_size), "step_size", pass.step_size, "(0, inf)");
  require_domain(pass.strong_convexity >= 0.0 && pass.step_size * pass.strong_convexity < 1.0, "strong_convexity",
                 pass.strong_convexity, "[0, 1/step_size)");
  require_domain(pass.sensitivity >= 0.0 && std::isfinite(pass.sensitivity), "sensitivity", pass.sensitivity,
                 "[0, inf)");
  require_domain(pass.noise > 0.0 && std::isfinite(pass.noise), "noise", pass.noise, "(0, inf)");
  constexpr double most_records = 1e9;
  require_whole(pass.records, "records", most_records, "whole numbers in [1, 1e9]");
  require_domain(renyi_order > 1.0 && std::isfinite(renyi_order), "renyi_order", renyi_order, "(1, inf)");
}

// Share of a shift right after the step that is left `steps` steps later, squared, over the noise added since:
// r^{2(k-1)} (1 - r^2)/(1 - r^{2k}), and 1/k at r = 1.
double remaining(const ContractivePass& pass, double steps) {
  const double log_contraction = std::log1p(-pass.step_size * pass.strong_convexity);
  if (log_contraction == 0.0) {
    return 1.0 / steps;
  }
  return std::exp(2.0 * (steps - 1.0) * log_contraction) * std::expm1(2.0 * log_contraction) /
         std::expm1(2.0 * steps * log_contraction);
}

double shuffled(const ContractivePass& pass, double renyi_order, double iteration, double scale) {
  check(pass, renyi_order);
  require_whole(iteration, "iteration", pass.records, "whole numbers in [1, records]");
  std::vector<double> losses, weights;
  if (iteration < pass.records) {
    losses.push_back(0.0);
    weights.push_back(pass.records - iteration);
  }
  for (double k = 1.0; k <= iteration; ++k) {
    losses.push_back(scale * renyi_order * remaining(pass, k));
    weights.push_back(1.0);
  }
  return divergence::mixture_renyi(renyi_order, losses, weights);
}

double unit_loss(const ContractivePass& pass) {
  const double ratio = pass.sensitivity / pass.noise;
  return 0.5 * ratio * ratio;
}

}  // namespace

double position_renyi(const ContractivePass& pass, double renyi_order, double steps) {
  check(pass, renyi_order);
  constexpr double most = 1e15;
  require_whole(steps, "steps", most, "whole numbers from 1 on");
  return unit_loss(pass) * renyi_order * remaining(pass, steps);
}

double shuffled_renyi(const ContractivePass& pass, double renyi_order, double iteration) {
  return shuffled(pass, renyi_order, iteration, unit_loss(pass));
}

double shuffled_renyi_figure_variant(const ContractivePass& pass, double renyi_order, double iteration) {
  return shuffled(pass, renyi_order, iteration, 0.5 * pass.step_size * unit_loss(pass));
}

}  // namespace dpcurves::homogenized
