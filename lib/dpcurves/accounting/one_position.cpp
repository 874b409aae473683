// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include <dpcurves/accounting/detail/position_sum.hpp>
#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting {
namespace {

using detail::AskedEnds;
using detail::FoundEnds;
using detail::position_factors;
using detail::PositionSum;
using detail::PositionTuning;
using rigorous::Real;

constexpr PositionTuning coarse{std::size_t{1} << 11U, std::size_t{1} << 13U};  // says where to look
constexpr PositionTuning usual{std::size_t{1} << 14U, std::size_t{1} << 17U};
constexpr PositionTuning fine{std::size_t{1} << 15U, std::size_t{1} << 19U};

constexpr double least_fine = 1e-25;  // of a delta that is worth more than the usual

// Factors from one on, either way while that gains.
template <class Gains>
void climb(double start, const Gains& gains) {
  const auto [least, most] = std::minmax_element(std::begin(position_factors), std::end(position_factors));
  for (const double step : {0.5, 2.0}) {
    double f = step * start;
    while (f >= *least && f <= *most && gains(f)) {
      f *= step;
    }
    if (f != step * start) {  // this is the way up
      break;
    }
  }
}

void check(const OnePosition& pair, double epsilon) {
  require_domain(pair.positions >= 1.0 && pair.positions <= 1e7 && pair.positions == std::floor(pair.positions),
                 "positions", pair.positions, "the whole numbers from 1 to 1e7");
  require_domain(std::abs(pair.mean) <= 12.0, "mean", pair.mean, "[-12, 12]");
  require_domain(std::abs(pair.null_mean) <= 12.0, "null_mean", pair.null_mean, "[-12, 12]");
  require_domain(epsilon >= -100.0 && epsilon <= 200.0, "epsilon", epsilon, "[-100, 200]");
}

Enclosure distance(const OnePosition& pair) {
  const rigorous::Real d = abs(Real(pair.mean) - Real(pair.null_mean));
  return {std::max(0.0, d.lower()), d.upper()};
}

// Both ends, and where they can be found again at thresholds nearby.
struct Look {
  Enclosure delta;
  FoundEnds way;
  const PositionTuning* above = nullptr;  // of the upper end; null where there is nothing to find
  const PositionTuning* below = nullptr;
};

// Of positions that are revealed, which say more wherever they are known.
Enclosure revealed(const OnePosition& pair, double epsilon) {
  return tradeoff::delta_enclosure(epsilon, distance(pair));
}

double floor_at(double epsilon) { return epsilon < 0.0 ? std::max(0.0, (-expm1(Real(epsilon))).lower()) : 0.0; }

// The usual laws are made from where the coarse ones were best, and from around there while that gains; so are the fine
// ones from where those were best.
Look look(const OnePosition& pair, double epsilon) {
  constexpr double close = 2e-5, far = 1e-4, lost = 0.5;  // relative widths: enough, worth more than two fine laws, not
  check(pair, epsilon);
  if (pair.mean == pair.null_mean) {
    const Real gap = -expm1(Real(epsilon));
    return {epsilon >= 0.0 ? Enclosure{0.0, 0.0} : gap.enclosure(), {}};
  }
  const Enclosure one = revealed(pair, epsilon);
  if (pair.positions == 1.0) {
    return {one, {}};
  }
  Look best;
  const auto wide = [&](double width) {
    return best.way.delta.upper - best.way.delta.lower > width * best.way.delta.upper;
  };
  // Whether that gains.
  const auto take = [&](const FoundEnds& found, const PositionTuning& tuning) {
    const Enclosure before = best.way.delta;
    best.above = found.delta.upper < before.upper ? &tuning : best.above;
    best.below = found.delta.lower > before.lower ? &tuning : best.below;
    best.way = narrower(best.way, found);
    return best.way.delta != before;
  };
  const AskedEnds above{true, false, false};
  const auto below = [&] { return AskedEnds{false, !best.way.from_top, best.way.from_top}; };
  const auto look_around = [&](const PositionSum& sum, const PositionTuning& tuning, double width) {
    climb(best.way.above, [&](double f) { return wide(width) && take(sum.at(f, above), tuning); });
    climb(best.way.below, [&](double f) { return wide(width) && take(sum.at(f, below()), tuning); });
  };
  const PositionSum sum(pair, epsilon, usual);
  const FoundEnds first = PositionSum(pair, epsilon, coarse).everywhere();
  take(sum.at(first.above, above), usual);
  take(sum.at(first.below, {false, true, true}), usual);
  look_around(sum, usual, close);
  if (best.way.delta.upper > least_fine && wide(close)) {
    const PositionSum finer(pair, epsilon, fine);
    take(finer.at(best.way.above, above), fine);
    take(finer.at(best.way.below, below()), fine);
    look_around(finer, fine, wide(lost) ? 1.0 : far);
  }
  const double floor = floor_at(epsilon);
  best.delta = {std::max(floor, best.way.delta.lower), std::max(floor, std::min(one.upper, best.way.delta.upper))};
  return best;
}

NearEnds near_ends(const OnePosition& pair, double epsilon) {
  const Look seen = look(pair, epsilon);
  const auto upper = [=](double e) {
    if (e == epsilon) {
      return seen.delta.upper;
    }
    const double known = revealed(pair, e).upper;
    return seen.above == nullptr
               ? known
               : std::max(
                     floor_at(e),
                     std::min(known,
                              PositionSum(pair, e, *seen.above).at(seen.way.above, {true, false, false}).delta.upper));
  };
  const auto lower = [=](double e) {
    if (e == epsilon || seen.below == nullptr) {
      return e == epsilon ? seen.delta.lower : look(pair, e).delta.lower;
    }
    const AskedEnds asked{false, !seen.way.from_top, seen.way.from_top};
    return std::max(floor_at(e), PositionSum(pair, e, *seen.below).at(seen.way.below, asked).delta.lower);
  };
  return {upper, lower};
}

}  // namespace

Enclosure one_position_delta(const OnePosition& pair, double epsilon) { return look(pair, epsilon).delta; }

double one_position_estimate(const OnePosition& pair, double epsilon) {
  check(pair, epsilon);
  if (pair.mean == pair.null_mean || pair.positions == 1.0) {
    return one_position_delta(pair, epsilon).lower;
  }
  const PositionSum sum(pair, epsilon, coarse);
  double best = infinity;  // of upper ends, which are nearer than lower ones
  const auto take = [&](double f) {
    const double before = std::exchange(best, std::min(best, sum.at(f, {true, false, false}).delta.upper));
    return best < before;
  };
  take(1.0);
  climb(1.0, take);
  return best;
}

LargestTest largest_test(const OnePosition& pair, double epsilon) {
  check(pair, epsilon);
  if (pair.mean == pair.null_mean) {
    return {{0.0, 0.0}, 0.0};
  }
  const PositionSum sum(pair, epsilon, coarse);
  const auto loss = [&](double z0) { return -sum.largest_fast(z0); };
  double at = sum.low();
  double best = infinity;
  constexpr int nodes = 600;
  const double step = (sum.high() - sum.low()) / nodes;
  for (int i = 0; i <= nodes; ++i) {
    const double z0 = sum.low() + step * i;
    if (const double value = loss(z0); value < best) {
      best = value;
      at = z0;
    }
  }
  const double threshold = numerics::minimise(loss, at - step, at + step).at;
  const Real exact = sum.largest(threshold);
  return {{std::max(0.0, exact.lower()), std::max(0.0, exact.upper())}, threshold};
}

Searching one_position_searching(const OnePosition& pair) {
  return {[pair](double epsilon) { return one_position_estimate(pair, epsilon); },
          [pair](double epsilon) { return near_ends(pair, epsilon); }};
}

CurvePtr one_position_curve(const OnePosition& pair) {
  check(pair, 0.0);
  return sampled_curve([pair](double epsilon) { return one_position_delta(pair, epsilon); }, distance(pair),
                       "convex order", one_position_searching(pair));
}

}  // namespace dpcurves::accounting
