// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>

namespace dpcurves::interpolation {
namespace {

using Real = long double;  // sums over 1e6 steps keep double accuracy
static_assert(std::numeric_limits<Real>::digits >= 64, "the bounds of rounded_sum count on 64 bits");

constexpr Real large = 0x1p+2048L;   // mantissas stay between 1/large and large ...
constexpr Real square = 0x1p+4096L;  // ... by steps of this factor, so that a product of three cannot overflow
constexpr Real ulp = std::numeric_limits<Real>::epsilon();
constexpr Real tiny = std::numeric_limits<Real>::min();  // what a shift that underflowed may have been

/// The nonnegative number m square^e: products of millions of contractions neither underflow nor
/// overflow.
struct Scaled {
  Real m = 0.0L;
  std::int32_t e = 0;
};

Scaled normalised(Real m, std::int32_t e) {
  if (m > large) {
    return {m / square, e + 1};
  }
  if (m < 1.0L / large && m > 0.0L) {
    return {m * square, e - 1};
  }
  return {m, e};
}

Scaled operator*(const Scaled& a, const Scaled& b) { return normalised(a.m * b.m, a.e + b.e); }

Scaled operator+(const Scaled& a, const Scaled& b) {
  if (a.e == b.e) {
    return normalised(a.m + b.m, a.e);
  }
  const Scaled& high = (a.m != 0.0L && (b.m == 0.0L || a.e > b.e)) ? a : b;
  const Scaled& low = &high == &a ? b : a;
  return high.e - low.e == 1 ? normalised(high.m + low.m / square, high.e) : high;  // further apart: below rounding
}

/// a >= (1 - slack) b.
bool at_least(const Scaled& a, const Scaled& b, Real slack) {
  if (a.e == b.e || a.m == 0.0L || b.m == 0.0L) {
    return a.m >= (1.0L - slack) * b.m;
  }
  const auto apart = a.e - b.e;
  if (apart == 1 || apart == -1) {
    return apart == 1 ? a.m >= (1.0L - slack) * (b.m / square) : a.m / square >= (1.0L - slack) * b.m;
  }
  return apart > 0;
}

/// Consecutive steps that share one slope. Weights are relative to the end of the block, which makes
/// S^2 / T the sum of a^2 over the block whatever happens after it.
struct Block {
  Scaled T;               ///< sum of squared weights
  Scaled S;               ///< weighted sum of sensitivities
  Scaled P;               ///< product of the contractions, by which an earlier block's weights shrink
  std::size_t first = 0;  ///< first step
};

/// The slope of `a` is at least that of `b`, which follows it: the two belong under one chord.
bool same_chord(const Block& a, const Block& b, Real slack) { return at_least(a.S * b.T, b.P * b.S * a.T, slack); }

Block joined(const Block& a, const Block& b) { return {a.T * (b.P * b.P) + b.T, a.S * b.P + b.S, a.P * b.P, a.first}; }

Real cost(const Block& block) {
  const Real value = block.S.m * (block.S.m / block.T.m);
  const auto exponent = std::clamp(2 * block.S.e - block.T.e, -8, 8);
  return exponent == 0 ? value : std::ldexp(value, 4096 * exponent);
}

/// Sum that keeps the rounding error of each addition.
struct CarefulSum {
  Real high = 0.0L;
  Real low = 0.0L;
  void add(Real term) {
    const Real sum = high + term;
    const Real part = sum - high;
    low += (high - (sum - part)) + (term - part);
    high = sum;
  }
  void divide(Real factor) {
    high /= factor;
    low /= factor;
  }
  [[nodiscard]] Real value() const { return high + low; }
};

/// The weight of a step, walking backwards from the end of a block; keeps the rounding error of each product,
/// because with c = 1 - 1e-14 the distances z are twelve digits smaller than the sums they are the difference of.
struct Weight {
  Real high = 1.0L;
  Real low = 0.0L;
  std::int32_t e = 0;

  void shrink(Real c) {
    constexpr Real split = 4294967297.0L;  // 2^32 + 1: halves of 32 bits, whose products are exact
    const Real product = c * high;
    const Real c_part = split * c;
    const Real h_part = split * high;
    const Real c_high = c_part - (c_part - c);
    const Real h_high = h_part - (h_part - high);
    const Real c_low = c - c_high;
    const Real h_low = high - h_high;
    low = c * low + (((c_high * h_high - product) + c_high * h_low + c_low * h_high) + c_low * h_low);
    high = product;
    if (high > large) {
      high /= square;
      low /= square;
      ++e;
    } else if (high < 1.0L / large && high > 0.0L) {
      high *= square;
      low *= square;
      --e;
    }
  }
};

/// The steps of one problem; a distance before the first step is part of that step's sensitivity.
struct Steps {
  std::span<const double> contraction;
  std::span<const double> sensitivity;
  Real first_sensitivity = 0.0L;
  std::size_t origin = 0;

  [[nodiscard]] Real s(std::size_t k) const { return k == origin ? first_sensitivity : Real{sensitivity[k]}; }
};

/// Shifts of the steps first .. last of one block, and their sum of squares.
Real block_shifts(const Steps& steps, std::size_t first, std::size_t last, std::vector<Real>& a) {
  CarefulSum T;
  CarefulSum S;
  Weight weight;
  std::int32_t top = 0;           // exponent of T (twice), S and the stored weights
  std::size_t window = last + 1;  // weights from here on were stored under an earlier exponent
  std::size_t earlier = last + 1;
  for (std::size_t k = last;; --k) {
    const Real w = weight.high + weight.low;
    const auto below = top - weight.e;
    a[k] = below == 0 ? w : below == 1 ? w / square : 0.0L;
    T.add(a[k] * a[k]);
    S.add(a[k] * steps.s(k));
    if (k == first) {
      break;
    }
    weight.shrink(steps.contraction[k]);
    if (weight.e > top) {
      top = weight.e;
      T.divide(square);
      T.divide(square);
      S.divide(square);
      for (std::size_t i = k; i < window; ++i) {
        a[i] /= square;
      }
      for (std::size_t i = window; i < earlier; ++i) {
        a[i] = 0.0L;
      }
      earlier = window;
      window = k;
    }
  }
  const Real slope = S.value() / T.value();
  for (std::size_t k = first; k <= last; ++k) {
    a[k] *= slope;
  }
  return S.value() * slope;
}

/// Distances after the steps first .. last of one block, before and after which the distance is 0. The recursion
/// forgets its errors forwards where c < 1 and backwards where c > 1: both are run, and the better one is kept.
void block_distances(const Steps& steps, std::size_t first, std::size_t last, const std::vector<Real>& a,
                     std::vector<Real>& error, std::vector<double>& z) {
  Real distance = 0.0L;
  Real bound = 0.0L;
  const auto keep = [&](std::size_t k) {
    error[k] = bound;
    z[k] = distance > bound ? static_cast<double>(distance) : 0.0;
  };
  for (std::size_t k = first; k < last; ++k) {
    const Real c = k == first ? 0.0L : Real{steps.contraction[k]};
    bound = c * bound + 2.0L * ulp * (c * std::abs(distance) + steps.s(k) + a[k]) + tiny;
    distance = c * distance + (steps.s(k) - a[k]);
    keep(k);
  }
  distance = bound = 0.0L;
  keep(last);
  for (std::size_t k = last; k > first && steps.contraction[k] > 0.0; --k) {
    const Real c{steps.contraction[k]};
    bound = (bound + 2.0L * ulp * (std::abs(distance) + steps.s(k) + a[k]) + tiny) / c;
    distance = (distance + (a[k] - steps.s(k))) / c;
    if (bound < error[k - 1]) {
      keep(k - 1);
    }
  }
}

/// Proved in docs/theory/shifted-interpolation/shift-problem.md: 12 t + 8 half units of 2^-63, what near ties change,
/// and half a unit of a double.
Enclosure rounded_sum(Real value, std::size_t steps) {
  if (value == 0.0L) {
    return exactly(0.0);
  }
  return outward(exactly(static_cast<double>(value)), 4e-16 + 2e-18 * static_cast<double>(steps));
}

void require_step(double contraction, double sensitivity) {
  require_domain(contraction >= 0.0 && std::isfinite(contraction), "contraction", contraction, "[0, inf)");
  require_domain(sensitivity >= 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "[0, inf)");
}

}  // namespace

ShiftSolution solve_shift_problem(std::span<const double> contraction, std::span<const double> sensitivity,
                                  double start) {
  const std::size_t t = contraction.size();
  require_domain(t >= 1, "number of steps", static_cast<double>(t), "[1, inf)");
  require_domain(sensitivity.size() == t, "number of sensitivities", static_cast<double>(sensitivity.size()),
                 "the number of contractions");
  require_domain(start >= 0.0 && std::isfinite(start), "start", start, "[0, inf)");
  Steps steps{contraction, sensitivity, 0.0L, 0};
  for (std::size_t k = 0; k < t; ++k) {
    require_step(contraction[k], sensitivity[k]);
    if (contraction[k] == 0.0) {
      steps.origin = k;  // what happened before a step that forgets is free
    }
  }
  ShiftSolution solution;
  solution.a.assign(t, 0.0);
  solution.z.assign(t, 0.0);
  solution.lambda.assign(t, 0.0);
  double before = start;
  for (std::size_t k = 0; k < steps.origin; ++k) {
    before = contraction[k] * before + sensitivity[k];
    solution.z[k] = before;
  }
  steps.first_sensitivity =
      (contraction[steps.origin] == 0.0 ? 0.0L : Real{contraction[steps.origin]} * before) + sensitivity[steps.origin];

  constexpr Real tie = 0x1p-58L;  // slopes this close count as equal: one block instead of a million
  std::vector<Block> blocks;
  for (std::size_t k = steps.origin; k < t; ++k) {
    Block block{{1.0L, 0}, normalised(steps.s(k), 0), normalised(contraction[k], 0), k};
    while (!blocks.empty() && same_chord(blocks.back(), block, tie)) {
      block = joined(blocks.back(), block);
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<Real> a(t, 0.0L);
  std::vector<Real> error(t, 0.0L);
  CarefulSum sum;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t first = blocks[i].first;
    const std::size_t last = (i + 1 < blocks.size() ? blocks[i + 1].first : t) - 1;
    sum.add(block_shifts(steps, first, last, a));
    block_distances(steps, first, last, a, error, solution.z);
  }
  for (std::size_t k = steps.origin; k < t; ++k) {
    solution.a[k] = static_cast<double>(a[k]);
    const double reach = solution.a[k] + solution.z[k];
    solution.lambda[k] = reach > 0.0 ? solution.a[k] / reach : 0.0;
  }
  solution.sum_a2 = rounded_sum(sum.value(), t - steps.origin);
  return solution;
}

BestStart best_over_starts(const std::function<ShiftStep(std::size_t)>& step, double steps, double diameter,
                           std::size_t budget) {
  require_domain(steps >= 1.0 && (std::isinf(steps) || std::floor(steps) == steps), "steps", steps, "{1, 2, ..., inf}");
  require_domain(diameter >= 0.0, "diameter", diameter, "[0, inf]");
  require_domain(budget >= 1, "budget", static_cast<double>(budget), "[1, inf)");
  constexpr Real tie = 1e-10L;  // joining slopes this close changes a sum of squares by its square only
  struct Piece {
    Block block;
    Real later;  ///< cost of this block and of all that follow
  };
  std::vector<Piece> pieces;  // the last one is the first in time
  const auto with_front = [&](Block block, std::size_t& hidden) {
    for (hidden = 0; hidden < pieces.size(); ++hidden) {
      const Block& next = pieces[pieces.size() - 1 - hidden].block;
      if (!same_chord(block, next, tie)) {
        break;
      }
      block = joined(block, next);
    }
    return Piece{block, cost(block) + (hidden < pieces.size() ? pieces[pieces.size() - 1 - hidden].later : 0.0L)};
  };
  constexpr Real infinite = std::numeric_limits<Real>::infinity();
  Real best = infinite;
  Real floor_of_rest = 0.0L;
  BestStart result;
  std::size_t looked_at = 0;
  bool reached_start = false;
  const double count = std::min(steps, static_cast<double>(budget));
  for (std::size_t r = 1; static_cast<double>(r) <= count; ++r) {
    const ShiftStep at = step(r);
    require_step(at.contraction, at.sensitivity);
    std::size_t hidden = 0;
    const auto block = [&](Real before) {
      return Block{
          {1.0L, 0}, normalised(Real{at.contraction} * before + at.sensitivity, 0), normalised(at.contraction, 0), r};
    };
    looked_at = r;
    if (std::isfinite(diameter)) {
      const Real candidate = with_front(block(diameter), hidden).later;
      if (candidate < best) {
        best = candidate;
        result.uses_diameter = true;
        result.remaining_steps = static_cast<double>(r);
      }
    }
    const Piece piece = with_front(block(0.0L), hidden);
    pieces.resize(pieces.size() - hidden);
    pieces.push_back(piece);
    floor_of_rest = piece.later;  // starting earlier, or with a distance, never costs less
    reached_start = static_cast<double>(r) == steps;
    if (floor_of_rest >= best || at.contraction == 0.0) {
      reached_start = reached_start || floor_of_rest < best;  // a step that forgets makes the rest free
      break;
    }
  }
  if (reached_start && floor_of_rest <= best) {
    best = floor_of_rest;
    result.uses_diameter = false;
    result.remaining_steps = steps;
  }
  if (std::isinf(best)) {
    throw ConvergenceError("best_over_starts: no start within the budget of steps");
  }
  result.sum_a2 = {rounded_sum(std::min(best, floor_of_rest), looked_at).lower, rounded_sum(best, looked_at).upper};
  return result;
}

}  // namespace dpcurves::interpolation
