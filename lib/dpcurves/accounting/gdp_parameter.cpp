// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/detail/answers.hpp>
#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Real;

constexpr double delta_ceiling = 1.0 - 1e-6;

/// An epsilon at which the profile is known.
struct Node {
  double epsilon;
  Enclosure delta;
};

/// Two neighbouring nodes, and the m that is certainly enough between them.
struct Gap {
  Node left, right;
  double enough;
};

/// m at one epsilon and delta: the end that may be promised, and the other.
double least_mu(double epsilon, double delta) {
  return delta <= 0.0 ? 0.0 : delta >= 1.0 ? infinity : tradeoff::mu_enclosure(epsilon, delta).upper;
}
double certain_mu(double epsilon, double delta) {
  return delta <= 0.0 ? 0.0 : tradeoff::mu_enclosure(epsilon, std::min(delta, next_down(1.0))).lower;
}

/// Whether the profile of G(m) has a tangent above the chord of the upper ends. In x = exp(epsilon) both profiles are
/// convex, so the chord lies above the one that is searched and the tangent below that of G(m).
bool chord_below(const Gap& gap, double m) {
  const Real t(0.5 * (gap.left.epsilon + gap.right.epsilon)), mu(m), middle = t / mu, h = scaled(mu, -1);
  const Real u = middle - h, density = exp(-scaled(u * u, -1)) / sqrt(scaled(rigorous::pi(), 1));
  const Real value = tradeoff::detail::delta_ball(t, mu);
  const Real fall = density * tradeoff::detail::mills_ball(middle + h);  // -x d delta/dx = e^t Phi(-v), at most 1
  const auto tangent = [&](double epsilon) { return value - fall * expm1(Real(epsilon) - t); };
  return tangent(gap.left.epsilon) >= Real(gap.left.delta.upper) &&
         tangent(gap.right.epsilon) >= Real(gap.right.delta.upper);
}

/// An m that is enough everywhere between the nodes.
double enough_between(const Gap& gap) {
  double high = least_mu(gap.right.epsilon, gap.left.delta.upper);  // both profiles fall
  const double low =
      std::max(least_mu(gap.left.epsilon, gap.left.delta.upper), least_mu(gap.right.epsilon, gap.right.delta.upper));
  if (std::isinf(high) || !(low > 0.0)) {
    return high;
  }
  // From low towards high: the excess of the chord over `low` is of second order in the gap.
  for (double excess = 1e-9; low * (1.0 + excess) < high; excess *= 2.0) {
    if (chord_below(gap, low * (1.0 + excess))) {
      return low * (1.0 + excess);
    }
  }
  return high;
}

}  // namespace

Enclosure gdp_parameter(const Composition& composition) {
  detail::check(composition);
  const Real g(composition.gaussian_mu);
  Real lower = g * g;
  Real upper = lower;
  for (const SubsampledGaussian& part : composition.components) {
    if (part.sampling_rate == 0.0) {
      continue;
    }
    const Real square = Real(part.count) * Real(part.mu) * Real(part.mu);
    const bool opposite = part.pair == Pair::poisson_replace_one;
    lower += square * Real(opposite && part.sampling_rate == 1.0 ? 4 : 1);
    upper += square * Real(opposite && part.sampling_rate > 0.5 ? 4 : 1);
  }
  return {sqrt(lower).lower(), sqrt(upper).upper()};
}

Enclosure gdp_parameter_above(const PrivacyCurve& curve, double delta_floor, double relative) {
  require_domain(delta_floor > 0.0 && delta_floor < delta_ceiling, "delta_floor", delta_floor, "(0, 1 - 1e-6)");
  require_domain(relative > 0.0 && relative < 1.0, "relative", relative, "(0, 1)");
  const auto largest = curve.mu();
  const double ceiling = largest ? largest->upper : infinity;
  const Enclosure end = curve.epsilon(delta_floor).value;
  const DeltaQuestions ask = curve.questions();
  const auto node = [&](double epsilon) {
    const double one[] = {epsilon};
    return Node{epsilon, ask(one).front()};
  };
  Node first = node(0.0);
  if (end.upper == 0.0) {
    return {0.0, std::min(ceiling, least_mu(0.0, std::min(first.delta.upper, delta_floor)))};
  }
  if (!std::isfinite(end.upper)) {
    throw ConvergenceError("no finite epsilon is proved at delta " + shortest(delta_floor));
  }

  double certain = 0.0, seen = 0.0;  // no answer is below the first, nor its upper end below the second
  const auto see = [&](const Node& one) {
    certain = std::max(certain, certain_mu(one.epsilon, one.delta.lower));
    seen = std::max(seen, least_mu(one.epsilon, one.delta.upper));
  };
  if (first.delta.upper <= delta_ceiling) {
    see(first);
  } else {
    const Enclosure begin = curve.epsilon(delta_ceiling).value;
    if (begin.upper < end.lower) {
      see(node(begin.upper));
    }
    first = node(begin.lower);
  }
  std::vector<Gap> gaps;
  const auto add = [&](const Node& left, const Node& right) {
    Gap gap{left, right, infinity};
    gap.enough = std::min(ceiling, enough_between(gap));
    gaps.push_back(gap);
  };
  // The profile is at least the floor up to end.lower and at most the floor from end.upper on.
  Node last = first;
  if (end.lower > first.epsilon) {
    const Enclosure delta = node(end.lower).delta;
    last = {end.lower, {std::max(delta.lower, delta_floor), std::max(delta.upper, delta_floor)}};
    see(last);
    add(first, last);
  }
  const Node beyond{end.upper, {0.0, delta_floor}};
  add(last, beyond);

  int evaluations = 0;
  constexpr int most = 200;
  while (evaluations < most) {
    // All gaps that may hold the largest m are halved at once: a curve shares work between many epsilons.
    std::vector<double> middles;
    std::vector<Gap> wide;
    constexpr double little = 0.25;  // of the width that the brackets of delta leave: more nodes save no more
    const double enough = std::max(certain * (1.0 + relative), seen + little * (seen - certain));
    for (const Gap& gap : gaps) {
      const double middle = 0.5 * (gap.left.epsilon + gap.right.epsilon);
      const bool divisible = middle > gap.left.epsilon && middle < gap.right.epsilon && gap.left.epsilon < end.lower;
      if (gap.enough > enough && divisible) {
        middles.push_back(middle);
        wide.push_back(gap);
      }
    }
    std::erase_if(gaps, [&](const Gap& gap) {
      return std::any_of(wide.begin(), wide.end(),
                         [&](const Gap& other) { return other.left.epsilon == gap.left.epsilon; });
    });
    if (wide.empty()) {
      break;
    }
    const std::vector<Enclosure> deltas = ask(middles);
    evaluations += static_cast<int>(middles.size());
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const Node between{middles[i], deltas[i]};
      see(between);
      add(wide[i].left, between);
      add(between, wide[i].right);
    }
  }
  double enough = 0.0;
  for (const Gap& gap : gaps) {
    enough = std::max(enough, gap.enough);
  }
  return {std::min(certain, enough), enough};
}

}  // namespace dpcurves::accounting
