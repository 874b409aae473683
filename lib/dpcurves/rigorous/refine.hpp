// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A formula evaluated with as many bits as its answer needs, and the root of a falling function. Internal, not
/// installed.
#pragma once

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::rigorous {

/// Enough relative bits for ends that are neighbouring doubles nearly always.
inline constexpr slong double_bits = 60;
/// A formula that has no such ball with this many bits is taken as it is: the wider interval is right as well.
inline constexpr slong most_bits = 8192;

/// Bits of the midpoint that the radius leaves; negative for a ball around 0.
[[nodiscard]] inline slong relative_bits(const Real& a) { return arb_rel_accuracy_bits(a.get()); }

/// Whether the doubles around the ball are at most two steps apart: nothing is gained by more bits.
[[nodiscard]] inline bool narrow(const Real& a) {
  return relative_bits(a) >= double_bits || a.exact() || a.upper() <= next_up(next_up(a.lower()));
}

/// f() with twice the bits until it is narrow.
/// \param f     called without arguments under a Precision; returns a Real that holds one number.
/// \param bits  of the first attempt.
template <typename Formula>
[[nodiscard]] Real refined(const Formula& f, slong bits = 96) {
  for (;; bits *= 2) {
    const Precision precision(bits);
    Real value = f();
    if (narrow(value) || 2 * bits > most_bits) {
      return value;
    }
  }
}

/// A falling function F at one exact point.
struct Falling {
  Real value;   ///< F(x)
  Real excess;  ///< F(x) - target, formed without cancellation where that is possible
  Real slope;   ///< F'(x), negative
};

/// The root of F(x) = target for a falling F, by the interval Newton method.
///
/// Let I be the ball of radius r = 5/4 |excess / F'(x)| around x. Where |d log |F'| / dx| is at most bend on I and
/// r bend <= 1/8, F' on I is F'(x) exp(+-r bend); so F - target changes its sign on I, and by the mean value theorem
/// the root lies in x - excess / F'(x) exp(+-r bend).
/// \param at      x -> Falling, for exact x.
/// \param bend    (x, r) -> the bound above, for exact x and r; a ball that is not finite where there is none.
/// \param enough  (root) -> whether the ball of the root is narrow enough. Where no step makes it narrower, the
///                narrowest is returned.
/// \param start   near the root; proves nothing. \param low, high  the root lies between them.
/// \throws ConvergenceError  after 400 steps without a ball.
template <typename At, typename Bend, typename Enough>
[[nodiscard]] Real falling_root(const At& at, const Bend& bend, const Enough& enough, const Real& start, Real low,
                                Real high) {
  Real x = midpoint(start), found;
  bool any = false;
  for (int iteration = 0; iteration < 400; ++iteration) {
    if (!(x.finite() && low < x && x < high)) {
      x = midpoint(scaled(low + high, -1));
    }
    const Falling f = at(x);
    const Real plain = f.excess / f.slope;
    const Real r = upper_end(abs(plain) * Real(1.25));
    const Real turn = r * bend(x, r);
    if (turn.finite() && turn < Real(0.125)) {
      const Real root = x - plain * exp(widened(Real(), turn));
      if (enough(root) || (any && root.radius() > 0.5 * found.radius())) {
        return any && found.radius() < root.radius() ? found : root;
      }
      found = root;
      any = true;
    }
    if (f.excess.positive()) {
      low = x;
    } else if (f.excess.negative()) {
      high = x;
    }
    // A step on log F, which is nearer to a line far from the root and the same to first order near it.
    const Real step = log(f.value / (f.value - f.excess)) * f.value / f.slope;
    x = midpoint(x - (step.finite() && f.value.positive() ? step : plain));
  }
  if (!any) {
    throw ConvergenceError("interval Newton method: no ball after 400 steps");
  }
  return found;
}

}  // namespace dpcurves::rigorous
