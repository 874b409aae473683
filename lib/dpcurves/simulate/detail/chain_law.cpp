// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/Dense>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/simulate/detail/chain_law.hpp>

namespace dpcurves::simulate {
namespace {

using numerics::normal_cdf;
using numerics::normal_upper_tail;

constexpr double reach = 14.5;           // standard deviations of noise beyond which a density falls below 1e-45
constexpr double negligible = 1e-45;     // density relative to its largest value
constexpr double mass_tolerance = 1e-9;  // of a step: rounding and quadrature stay far below
constexpr std::size_t most_points = 20000;
constexpr int panel_points = 16;  // Gauss-Legendre points per panel in a box

double gaussian(double standardized) { return std::exp(-0.5 * standardized * standardized); }

/// Quadrature nodes of the interior; in a box the atoms come first and last with weight 0.
struct Nodes {
  Eigen::ArrayXd x, weight;
  bool box = false;
};

void check(const ChainPair& chains, std::size_t steps, double points_per_noise) {
  require_domain(steps >= 1, "steps", static_cast<double>(steps), "[1, inf)");
  require_domain(chains.noise > 0.0 && std::isfinite(chains.noise), "noise", chains.noise, "(0, inf)");
  require_domain(points_per_noise >= 2.0 && points_per_noise <= 64.0, "points_per_noise", points_per_noise, "[2, 64]");
  require_domain(chains.lower < chains.upper, "lower", chains.lower, "(-inf, upper)");
  require_domain(std::isfinite(chains.lower) == std::isfinite(chains.upper), "upper", chains.upper,
                 "finite exactly if lower is");
  require_domain(std::isfinite(chains.start) && chains.lower <= chains.start && chains.start <= chains.upper, "start",
                 chains.start, "[lower, upper], finite");
  for (const StepKernel& kernel : chains.kernels) {
    double total = 0.0;
    for (const Branch& branch : kernel) {
      require_domain(branch.probability >= 0.0 && branch.probability <= 1.0, "probability", branch.probability,
                     "[0, 1]");
      total += branch.probability;
    }
    require_domain(std::abs(total - 1.0) < 1e-12, "sum of probabilities", total, "[1, 1]");
  }
  for (const auto* cycle : {&chains.first, &chains.second}) {
    require_domain(!cycle->empty(), "length of a cycle", 0.0, "[1, inf)");
    for (const std::size_t index : *cycle) {
      require_domain(index < chains.kernels.size(), "kernel", static_cast<double>(index), "[0, number of kernels)");
    }
  }
}

double mapped(const Branch& branch, double x) {
  const double y = branch.map(x);
  require_domain(std::isfinite(y), "value of a map", y, "(-inf, inf)");
  return y;
}

/// A mass at each node of one chain.
struct State {
  std::vector<double> x, mass;
};

GaussianMixture step(const State& state, const StepKernel& kernel, double noise) {
  GaussianMixture law;
  law.width = noise;
  for (const Branch& branch : kernel) {
    for (std::size_t i = 0; i < state.x.size(); ++i) {
      if (branch.probability * state.mass[i] > 0.0) {
        law.mean.push_back(mapped(branch, state.x[i]));
        law.weight.push_back(branch.probability * state.mass[i]);
      }
    }
  }
  return law;
}

struct Interval {
  double low, high;
  [[nodiscard]] Interval with(Interval other) const { return {std::min(low, other.low), std::max(high, other.high)}; }
};

/// Where the density of a law matters.
Interval support(const GaussianMixture& law, double spacing) {
  const auto [least, most] = std::minmax_element(law.mean.begin(), law.mean.end());
  Interval interval{*least - reach * law.width, *most + reach * law.width};
  // Far means may carry next to no weight: walk inward.
  const auto needed = [&](double x) { return law.density(x) * law.width > negligible; };
  while (interval.low < *most && !needed(interval.low)) {
    interval.low += spacing;
  }
  while (interval.high > *least && !needed(interval.high)) {
    interval.high -= spacing;
  }
  return interval;
}

/// The union of the supports over all steps of one unconstrained chain, found on its own moving coarse grid.
Interval all_supports(const ChainPair& chains, const std::vector<std::size_t>& cycle, std::size_t steps) {
  const double spacing = chains.noise / 2.0;
  State state{{chains.start}, {1.0}};
  Interval all{chains.start, chains.start};
  for (std::size_t k = 0; k < steps; ++k) {
    const GaussianMixture law = step(state, chains.kernels[cycle[k % cycle.size()]], chains.noise);
    const Interval now = support(law, spacing);
    const double count = std::ceil((now.high - now.low) / spacing);
    require_domain(count < static_cast<double>(most_points), "points needed", count, "[1, 20000)");
    all = all.with(now);
    state.x.clear();
    state.mass.clear();
    for (double x = now.low; x <= now.high; x += spacing) {
      state.x.push_back(x);
      state.mass.push_back(spacing * law.density(x));
    }
  }
  return all;
}

Nodes box_nodes(const ChainPair& chains, double points_per_noise) {
  const double length = chains.upper - chains.lower;
  const double panel_length = chains.noise * panel_points / points_per_noise;
  const double count = std::max(4.0, std::ceil(length / panel_length));
  require_domain(count * panel_points < static_cast<double>(most_points), "points needed", count * panel_points,
                 "[1, 20000)");
  const auto panels = static_cast<Eigen::Index>(count);
  const auto rule = numerics::gauss_legendre(panel_points);
  Nodes nodes;
  nodes.box = true;
  nodes.x.resize(panels * panel_points + 2);
  nodes.weight.resize(nodes.x.size());
  nodes.x(0) = chains.lower;
  nodes.x(nodes.x.size() - 1) = chains.upper;
  nodes.weight(0) = nodes.weight(nodes.x.size() - 1) = 0.0;
  const double half = 0.5 * length / count;
  for (Eigen::Index panel = 0; panel < panels; ++panel) {
    for (int i = 0; i < panel_points; ++i) {
      const Eigen::Index index = 1 + panel * panel_points + i;
      const auto point = static_cast<std::size_t>(i);
      nodes.x(index) = chains.lower + half * (2.0 * static_cast<double>(panel) + 1.0 + rule.nodes[point]);
      nodes.weight(index) = half * rule.weights[point];
    }
  }
  return nodes;
}

Nodes line_nodes(Interval interval, double spacing) {
  const double count = std::ceil((interval.high - interval.low) / spacing) + 1.0;
  require_domain(count < static_cast<double>(most_points), "points needed", count, "[1, 20000)");
  Nodes nodes;
  nodes.x = interval.low + spacing * Eigen::ArrayXd::LinSpaced(static_cast<Eigen::Index>(count), 0.0, count - 1.0);
  nodes.weight = Eigen::ArrayXd::Constant(nodes.x.size(), spacing);
  return nodes;
}

/// Column j: the masses at all nodes that one unit of mass at node j becomes.
Eigen::MatrixXd transition(const Nodes& nodes, const StepKernel& kernel, double noise) {
  const Eigen::Index n = nodes.x.size();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  const double scale = 1.0 / (noise * std::sqrt(2.0 * std::numbers::pi));
  for (Eigen::Index j = 0; j < n; ++j) {
    for (const Branch& branch : kernel) {
      const double mean = mapped(branch, nodes.x(j));
      matrix.col(j).array() +=
          branch.probability * scale * nodes.weight * (-0.5 * ((nodes.x - mean) / noise).square()).exp();
      if (nodes.box) {
        matrix(0, j) += branch.probability * normal_cdf((nodes.x(0) - mean) / noise);
        matrix(n - 1, j) += branch.probability * normal_upper_tail((nodes.x(n - 1) - mean) / noise);
      }
    }
  }
  return matrix;
}

/// The masses on the nodes after the first step, from a single point.
Eigen::VectorXd first_masses(const Nodes& nodes, const GaussianMixture& law) {
  Eigen::VectorXd masses(nodes.x.size());
  for (Eigen::Index i = 0; i < nodes.x.size(); ++i) {
    masses(i) = nodes.weight(i) * law.density(nodes.x(i));
  }
  if (nodes.box) {
    masses(0) = law.lower_tail(nodes.x(0));
    masses(nodes.x.size() - 1) = law.upper_tail(nodes.x(nodes.x.size() - 1));
  }
  return masses;
}

GaussianMixture last_law(const ChainPair& chains, const std::vector<std::size_t>& cycle, std::size_t steps,
                         const Nodes& nodes, std::map<std::size_t, Eigen::MatrixXd>& transitions) {
  const auto kernel = [&](std::size_t k) { return cycle[k % cycle.size()]; };
  GaussianMixture law = step({{chains.start}, {1.0}}, chains.kernels[kernel(0)], chains.noise);
  if (steps == 1) {
    return law;
  }
  Eigen::VectorXd masses = first_masses(nodes, law);
  for (std::size_t k = 1; k + 1 < steps; ++k) {
    auto [found, absent] = transitions.try_emplace(kernel(k));
    if (absent) {
      found->second = transition(nodes, chains.kernels[kernel(k)], chains.noise);
    }
    masses = found->second * masses;
    const double total = masses.sum();
    if (!(std::abs(total - 1.0) < mass_tolerance)) {
      throw ConvergenceError("chain_laws: step " + std::to_string(k + 1) + " keeps a mass of " + shortest(total) +
                             " instead of 1; the maps spread the law beyond the grid");
    }
    masses /= total;
  }
  State state{{nodes.x.begin(), nodes.x.end()}, {masses.begin(), masses.end()}};
  return step(state, chains.kernels[kernel(steps - 1)], chains.noise);
}

}  // namespace

double GaussianMixture::density(double x) const {
  const double sum = sum_over(mean.size(), [&](std::size_t i) { return weight[i] * gaussian((x - mean[i]) / width); });
  return sum / (width * std::sqrt(2.0 * std::numbers::pi));
}

double GaussianMixture::upper_tail(double x) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    sum += weight[i] * normal_upper_tail((x - mean[i]) / width);
  }
  return std::min(sum, 1.0);
}

double GaussianMixture::lower_tail(double x) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    sum += weight[i] * normal_cdf((x - mean[i]) / width);
  }
  return std::min(sum, 1.0);
}

LawPair chain_laws(const ChainPair& chains, std::size_t steps, double points_per_noise) {
  check(chains, steps, points_per_noise);
  Nodes nodes;
  Interval interval{chains.lower, chains.upper};
  if (std::isfinite(chains.lower)) {
    nodes = box_nodes(chains, points_per_noise);
  } else {
    interval = all_supports(chains, chains.first, steps).with(all_supports(chains, chains.second, steps));
    nodes = line_nodes(interval, chains.noise / points_per_noise);
  }
  std::map<std::size_t, Eigen::MatrixXd> transitions;
  GaussianMixture p = last_law(chains, chains.first, steps, nodes, transitions);
  GaussianMixture q = last_law(chains, chains.second, steps, nodes, transitions);
  return {std::move(p), std::move(q), chains.lower, chains.upper, interval.low, interval.high};
}

}  // namespace dpcurves::simulate
