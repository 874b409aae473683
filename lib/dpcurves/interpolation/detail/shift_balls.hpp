// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The closed forms of shift_closed_forms.hpp in ball arithmetic, and GDP parameters made of them. Internal.
#pragma once

#include <cmath>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/interpolation/contraction.hpp>
#include <dpcurves/rigorous/refine.hpp>

namespace dpcurves::interpolation::detail {

/// Powers of a contraction, from whichever of c and 1 - c is exact. Counts are integers that may be infinite.
class Powers {
 public:
  /// \param contraction  its balls have the precision of the caller.
  explicit Powers(const Contraction& contraction);

  [[nodiscard]] bool none() const { return none_; }                                ///< c = 1
  [[nodiscard]] const rigorous::Real& c() const { return c_; }                     ///< c
  [[nodiscard]] const rigorous::Real& one_minus_c() const { return complement_; }  ///< 1 - c
  [[nodiscard]] rigorous::Real power(const rigorous::Real& n) const;               ///< c^n
  [[nodiscard]] rigorous::Real one_minus_power(const rigorous::Real& n) const;     ///< 1 - c^n
  [[nodiscard]] rigorous::Real geometric_sum(const rigorous::Real& n) const;       ///< 1 + c + ... + c^(n-1)
  [[nodiscard]] rigorous::Real squared_weights(const rigorous::Real& n) const;     ///< 1 + c^2 + ... + c^(2n-2)
  /// c^(l-1) + c^(2l-1) + ..., n terms.
  [[nodiscard]] rigorous::Real epoch_weights(double l, const rigorous::Real& n) const;

 private:
  bool none_, forgets_;
  rigorous::Real c_, complement_, decay_;
};

// The functions of the same names, without their checks; values that are infinite or 0 by a shortcut there are not
// asked for here.
/// The closed form of that name, in balls.
[[nodiscard]] rigorous::Real strongly_convex_ball(const Powers& c, double s, double t);
/// The closed form of that name, in balls.
[[nodiscard]] rigorous::Real constrained_ball(const Powers& c, double s, double diameter, double n);
/// The closed form of that name, in balls.
[[nodiscard]] rigorous::Real constrained_infimum_ball(const Powers& c, double s, double diameter);
/// The closed form of that name, in balls.
[[nodiscard]] rigorous::Real before_last_ball(const Powers& c, double s, double l, double E);
/// The closed form of that name, in balls.
[[nodiscard]] rigorous::Real cyclic_ball(const Powers& c, double s, double l, double E, double position);

/// The two values of CyclicConstrained, for finite n.
struct CyclicBalls {
  rigorous::Real before_last;  ///< with the last pass cut short
  rigorous::Real whole;        ///< over whole passes
};
/// The closed form of that name, in balls.
[[nodiscard]] CyclicBalls cyclic_constrained_balls(const Powers& c, double s, double diameter, double l, double n);

/// A GDP parameter from its formula: balls with as many bits as it takes, then a relative 4e-15 outward for the
/// quotients of which the setting's numbers were made (at most four roundings, each of which moves the parameter by at
/// most twice its relative size). 0 and infinity stay.
template <typename Formula>
[[nodiscard]] Enclosure parameter(const Formula& formula) {
  const rigorous::Real value = rigorous::refined(formula);
  if (value.exact() && (value.contains_zero() || !value.finite())) {
    return value.enclosure();
  }
  return clamp(outward(value.enclosure(), 4e-15), 0.0, HUGE_VAL);
}

}  // namespace dpcurves::interpolation::detail
