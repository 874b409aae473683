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

namespace {

/// log of the sum of e^{c loss} over the losses in [from, to) of a step
double part(const LatticeProfile::Losses& step, double c, double from, double to) {
  double most = -infinity, sum = 0.0;
  for (const LossNode& node : step.nodes) {
    most = node.loss >= from && node.loss < to ? std::max(most, node.log_mass + c * node.loss) : most;
  }
  for (const LossNode& node : step.nodes) {
    const double below = node.log_mass + c * node.loss - most;
    sum += node.loss >= from && node.loss < to && below > -40.0 ? std::exp(below) : 0.0;
  }
  return most + std::log(sum);
}

}  // namespace

// Most of the tilted mass is then of sums that do not reach the threshold, and what is rounded is relative to it. Sums
// without a large loss are left to Chernoff's bound: for the tilt and the size of a large loss at which the others have
// the least mass.
LatticeProfile::Jumps LatticeProfile::jumps(const std::vector<Losses>& steps, double gaussian_mu, double epsilon,
                                            double order, double log_delta) {
  constexpr double well_seen = 9.0, unseen = 25.0, worth = 3.0;
  const auto square = [&](double c) { return 0.5 * gaussian_mu * gaussian_mu * c * (c + 1.0); };
  const auto excess = [&](double c) {  // of all tilted mass over delta
    double sum = square(c) - c * epsilon - log_delta;
    for (const Losses& step : steps) {
      sum += step.count * part(step, c, -infinity, infinity);
    }
    return sum;
  };
  Jumps found{order, 0.0, 0.0};
  double best = excess(order) - worth;
  std::vector<double> orders{order};
  for (double c = 0.5 * order; c * epsilon > 0.5; c *= 0.5) {
    orders.push_back(c);
  }
  for (const double share : {0.8, 0.95}) {
    if (best < well_seen || found.from > 0.0) {
      break;
    }
    for (const double c : orders) {
      const double of_all = excess(c);
      for (double jump = 0.5 * epsilon; jump > 0.005 * epsilon; jump *= 0.5) {
        double large = 0.0;
        for (const Losses& step : steps) {
          large += step.count * std::exp(part(step, c, jump, infinity) - part(step, c, -infinity, infinity));
        }
        const double size = of_all + std::log(large);
        if (!(size < best)) {
          continue;
        }
        double left = of_all;  // of Chernoff's bound of the sums without a large loss, over delta
        for (const double move : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
          const double moved = c + move / jump;
          double sum = square(moved) - moved * share * epsilon - log_delta;
          for (const Losses& step : steps) {
            sum += step.count * part(step, moved, -infinity, jump);
          }
          left = std::min(left, sum - (1.0 - share) * c * epsilon);
        }
        if (left < -unseen) {
          best = size;
          found = {c, jump, share * epsilon};
        }
      }
    }
  }
  return found;
}

LatticeProfile LatticeProfile::far_down(const Problem& problem, double epsilon, double log_delta, std::size_t points) {
  // Far out there are other saddle points, of losses that no delta in question sees: they are cut off.
  constexpr double unseen = 16.0;
  Depth depth{.epsilon = epsilon, .seen = problem.cut(log_delta - unseen)};
  const double likely = std::clamp(proof::log_estimate(depth.seen, epsilon, false), log_delta - unseen, log_delta);
  depth.seen = problem.cut(likely - unseen);
  depth.order = proof::saddle(depth.seen, epsilon, false);
  depth.reach = std::sqrt(2.0 * (unseen - likely));
  std::vector<Losses> steps;
  for (const proof::Step& step : depth.seen.steps) {
    steps.push_back({step.count, loss_nodes(step)});
  }
  const Jumps found = jumps(steps, problem.gaussian_mu, epsilon, depth.order, likely);
  depth.order = found.order;
  depth.jump = found.from;
  depth.lowest = found.lowest;
  return {problem, depth, points};
}

}  // namespace dpcurves::accounting::detail
