// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <dpcurves/accounting/allocation_bounds.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Real;

void require_whole(double value, double least, double most, const char* name, const char* domain) {
  require_domain(value >= least && value <= most && value == std::floor(value), name, value, domain);
}

void check(const Allocation& a) {
  require_whole(a.positions, 1.0, 1e6, "positions", "the whole numbers from 1 to 1e6");
  require_whole(a.chosen, 1.0, a.positions, "chosen", "the whole numbers from 1 to positions");
  require_whole(a.epochs, 1.0, 1e6, "epochs", "the whole numbers from 1 to 1e6");
  require_domain(a.noise_multiplier >= 0.01 && a.noise_multiplier <= 1e4, "noise_multiplier", a.noise_multiplier,
                 "[0.01, 1e4]");
}

Real square(const Real& a) { return a * a; }

// E e^{J/Z^2}, J the common positions of two subsets: hypergeometric.
Real second_moment(long k, long t, const Real& mu2) {
  const long least = std::max(0L, 2 * k - t);
  Real term(1);  // P(J = j) up to a factor
  Real sum;
  Real total;
  for (long j = least; j <= k; ++j) {
    sum += term * exp(Real(j) * mu2);
    total += term;
    if (j < k) {
      term = term * square(Real(k - j)) / (Real(j + 1) * Real(t - 2 * k + j + 1));
    }
  }
  return sum / total;
}

// States are n subsets by how many positions each still lacks: how many subsets lack 0, 1, ..., k.
using State = std::vector<int>;

// What a position adds: `moved[j]` of the subsets that lack j take it.
void each_move(const State& state, std::size_t lack, State& moved, int taken, const std::function<void(int)>& visit) {
  if (lack == state.size()) {
    visit(taken);
    return;
  }
  for (int n = 0; n <= state[lack]; ++n) {
    moved[lack] = n;
    each_move(state, lack + 1, moved, taken + n, visit);
  }
  moved[lack] = 0;
}

double binomial(int n, int k) {
  double value = 1.0;
  for (int i = 1; i <= k; ++i) {
    value = value * (n - k + i) / i;  // exact: n is small
  }
  return value;
}

}  // namespace

Enclosure allocation_log_moment(const Allocation& a, int order) {
  check(a);
  require_domain(order >= 2 && order <= 16, "order", order, "the whole numbers from 2 to 16");
  const auto k = static_cast<long>(a.chosen);
  const auto t = static_cast<long>(a.positions);
  const rigorous::Precision precision(192);
  const Real mu2 = Real(1) / square(Real(a.noise_multiplier));
  if (order == 2) {
    return (Real(a.epochs) * log(second_moment(k, t, mu2))).enclosure();
  }
  double states = 1.0;
  for (int i = 1; i <= order; ++i) {
    states *= static_cast<double>(k + i) / i;
  }
  require_domain(states <= 20000.0 && states * a.positions * std::exp2(0.5 * order) <= 2e8, "chosen", a.chosen,
                 "numbers for which the table stays below 20,000 states and 2e8 moves");
  std::vector<Real> weight;
  for (int j = 0; j <= order; ++j) {
    weight.push_back(exp(Real(0.5 * j * (j - 1)) * mu2));
  }
  State start(static_cast<std::size_t>(k) + 1, 0);
  start.back() = order;
  std::map<State, Real> now{{start, Real(1)}};
  State moved(start.size(), 0);
  for (long rest = t - 1; rest >= 0; --rest) {
    std::map<State, Real> next;
    for (const auto& [state, value] : now) {
      each_move(state, 1, moved, 0, [&](int taken) {
        State after = state;
        double ways = 1.0;
        for (std::size_t lack = 1; lack < state.size(); ++lack) {
          ways *= binomial(state[lack], moved[lack]);
          after[lack] -= moved[lack];
          after[lack - 1] += moved[lack];
        }
        for (std::size_t lack = after.size(); lack-- > 0;) {
          if (after[lack] > 0 && static_cast<long>(lack) > rest) {
            return;  // too few positions are left
          }
        }
        next[after] += value * Real(ways) * weight[static_cast<std::size_t>(taken)];
      });
    }
    now = std::move(next);
  }
  State done(start.size(), 0);
  done.front() = order;
  Real subsets(1);
  for (long i = 1; i <= k; ++i) {
    subsets = subsets * Real(t - k + i) / Real(i);
  }
  return (Real(a.epochs) * (log(now.at(done)) - Real(order) * log(subsets))).enclosure();
}

Enclosure binomial_below(double n, Enclosure p, double k) {
  require_whole(n, 0.0, 1e9, "n", "the whole numbers from 0 to 1e9");
  require_whole(k, 0.0, 1e9, "k", "the whole numbers from 0 to 1e9");
  require_domain(p.lower > 0.0 && p.upper < 1.0, "p", p.lower, "(0, 1)");
  if (k == 0.0) {
    return {0.0, 0.0};
  }
  if (k > n) {
    return {1.0, 1.0};
  }
  const rigorous::Precision precision(192);
  // It falls in p.
  const auto at = [&](double rate) {
    const Real q(rate);
    const Real odds = q / (Real(1) - q);
    Real term = exp(Real(n) * log1p(-q));
    Real sum;
    for (double j = 0.0; j < k; j += 1.0) {
      sum += term;
      term = term * odds * Real(n - j) / Real(j + 1.0);
    }
    return sum;
  };
  return {std::max(0.0, at(p.upper).lower()), std::min(1.0, at(p.lower).upper())};
}

AllocationBounds allocation_bounds(const Allocation& a, double rate, double epsilon) {
  check(a);
  require_domain(rate > 0.0 && rate < 1.0, "rate", rate, "(0, 1)");
  require_domain(epsilon >= 0.0 && epsilon <= 700.0, "epsilon", epsilon, "[0, 700]");
  const rigorous::Precision precision(192);
  AllocationBounds bounds;
  const Real e(epsilon);
  const Real mu = Real(1) / Real(a.noise_multiplier);
  // The geometric mean of the ratios is exp(slope g - drift), g standard normal.
  const Real slope = mu * Real(a.chosen) * sqrt(Real(a.epochs) / Real(a.positions));
  const Real drift = Real(0.5) * Real(a.chosen) * Real(a.epochs) * square(mu);
  const Real x = (drift - e) / slope;
  const Real geometric =
      rigorous::normal_tail(-x) - exp(e - drift + Real(0.5) * square(slope)) * rigorous::normal_tail(slope - x);
  bounds.add_geometric = std::clamp(geometric.upper(), 0.0, 1.0);
  const double short_of = binomial_below(a.positions, {rate, rate}, a.chosen).upper;
  const Real conditioning = Real(a.epochs) * log1p(-Real(short_of));
  bounds.log_conditioning = conditioning.lower();
  if (std::isfinite(bounds.log_conditioning)) {
    Composition steps;
    steps.components.push_back({rate, next_up(1.0 / a.noise_multiplier), a.positions * a.epochs, Pair::poisson_remove});
    const double at = (e + conditioning).lower();
    const double delta = composition_curve(steps)->delta(at).value.upper;
    bounds.remove_conditioned = std::clamp((Real(delta) / exp(conditioning)).upper(), 0.0, 1.0);
  }
  return bounds;
}

}  // namespace dpcurves::accounting
