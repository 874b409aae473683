// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
// How far down a lattice looks, and which losses it sees there.
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::detail {

using proof::Problem;

LatticeProfile::Depth LatticeProfile::near(const Problem& problem) {
  Depth depth;
  depth.seen = problem;
  return depth;
}

// Where rare large losses hide the saddle point, most of the tilted mass is of sums that do not reach the threshold,
// and what is rounded is relative to it. Then sums without a large loss are left to Chernoff's bound: for the tilt and
// the size of a large loss at which the others have the least mass.
void LatticeProfile::choose_jump(Depth& depth, double gaussian_mu, double log_delta, double share) {
  constexpr double well_seen = 9.0, unseen = 25.0, worth = 3.0;
  const auto square = [&](double c) { return 0.5 * gaussian_mu * gaussian_mu * c * (c + 1.0); };
  std::vector<std::vector<LossNode>> nodes;
  for (const proof::Step& step : depth.seen.steps) {
    nodes.push_back(loss_nodes(step));
  }
  // log of the sum of e^{c loss} over the losses in [from, to) of a step
  const auto part = [&](std::size_t i, double c, double from, double to) {
    double most = -infinity, sum = 0.0;
    for (const LossNode& node : nodes[i]) {
      most = node.loss >= from && node.loss < to ? std::max(most, node.log_mass + c * node.loss) : most;
    }
    for (const LossNode& node : nodes[i]) {
      const double below = node.log_mass + c * node.loss - most;
      sum += node.loss >= from && node.loss < to && below > -40.0 ? std::exp(below) : 0.0;
    }
    return most + std::log(sum);
  };
  const auto excess = [&](double c) {  // of all tilted mass over delta
    double sum = square(c) - c * depth.epsilon - log_delta;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      sum += depth.seen.steps[i].count * part(i, c, -infinity, infinity);
    }
    return sum;
  };
  double best = excess(depth.order) - worth;
  if (best < well_seen) {
    return;
  }
  std::vector<double> orders{depth.order};
  for (double c = 0.5 * depth.order; c * depth.epsilon > 0.5; c *= 0.5) {
    orders.push_back(c);
  }
  for (const double c : orders) {
    const double of_all = excess(c);
    for (double jump = 0.5 * depth.epsilon; jump > 0.005 * depth.epsilon; jump *= 0.5) {
      double large = 0.0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        large += depth.seen.steps[i].count * std::exp(part(i, c, jump, infinity) - part(i, c, -infinity, infinity));
      }
      const double size = of_all + std::log(large);
      if (!(size < best)) {
        continue;
      }
      double left = of_all;  // of Chernoff's bound of the sums without a large loss, over delta
      for (const double move : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
        const double moved = c + move / jump;
        double sum = square(moved) - moved * share * depth.epsilon - log_delta;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          sum += depth.seen.steps[i].count * part(i, moved, -infinity, jump);
        }
        left = std::min(left, sum - (1.0 - share) * c * depth.epsilon);
      }
      if (left < -unseen) {
        best = size;
        depth.order = c;
        depth.jump = jump;
        depth.lowest = share * depth.epsilon;
      }
    }
  }
}

LatticeProfile LatticeProfile::far_down(const Problem& problem, double epsilon, double log_delta, std::size_t points) {
  // Far out there are other saddle points, of losses that no delta in question sees: they are cut off.
  constexpr double unseen = 16.0;
  Depth depth{.epsilon = epsilon, .seen = problem.cut(log_delta - unseen)};
  const double likely = std::clamp(proof::log_estimate(depth.seen, epsilon, false), log_delta - unseen, log_delta);
  depth.seen = problem.cut(likely - unseen);
  depth.order = proof::saddle(depth.seen, epsilon, false);
  depth.reach = std::sqrt(2.0 * (unseen - likely));
  for (const double share : {0.8, 0.95}) {
    if (depth.jump == 0.0) {
      choose_jump(depth, problem.gaussian_mu, likely, share);
    }
  }
  return {problem, depth, points};
}

}  // namespace dpcurves::accounting::detail
