// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/interpolation/detail/shift_balls.hpp>

namespace dpcurves::interpolation::detail {
namespace {

using rigorous::Real;

// `first` where a > b, else `second`; the two agree where a = b, and both count where the bits do not tell.
Real where_above(const Real& a, const Real& b, const Real& first, const Real& second) {
  return a > b ? first : a <= b ? second : hull(first, second);
}

}  // namespace

// The double that is exact: 1 - c for c >= 1/2, given or by Sterbenz' lemma, else c.
Powers::Powers(const Contraction& contraction)
    : none_(contraction.decay() == 0.0), forgets_(std::isinf(contraction.decay())) {
  if (contraction.c() >= 0.5) {
    complement_ = Real(contraction.one_minus_c());
    c_ = Real(1) - complement_;
    decay_ = -log1p(-complement_);
  } else {
    c_ = Real(contraction.c());
    complement_ = Real(1) - c_;
    decay_ = forgets_ ? Real() : -log(c_);
  }
}

Real Powers::power(const Real& n) const {
  if (n.exact() && n.contains_zero()) {
    return Real(1);
  }
  return none_ ? Real(1) : forgets_ || !n.finite() ? Real() : exp(-n * decay_);
}

Real Powers::one_minus_power(const Real& n) const {
  if (none_ || (n.exact() && n.contains_zero())) {
    return {};
  }
  return forgets_ || !n.finite() ? Real(1) : -expm1(-n * decay_);
}

Real Powers::geometric_sum(const Real& n) const { return none_ ? n : one_minus_power(n) / complement_; }

Real Powers::squared_weights(const Real& n) const {
  return none_ ? n : one_minus_power(n * Real(2)) / one_minus_power(Real(2));
}

Real Powers::epoch_weights(double l, const Real& n) const {
  return none_ ? n : power(Real(l) - Real(1)) * (one_minus_power(Real(l) * n) / one_minus_power(Real(l)));
}

// s^2 tanh(t h/2) / tanh(h/2), c = e^-h
Real strongly_convex_ball(const Powers& c, double s, double t) {
  const Real n(t), square = Real(s) * Real(s);
  if (c.none()) {
    return square * n;
  }
  return square * c.one_minus_power(n) / (Real(1) + c.power(n)) * (Real(1) + c.c()) / c.one_minus_c();
}

Real constrained_ball(const Powers& c, double s, double diameter, double n) {
  const Real reach = c.power(Real(n)) * Real(diameter) + Real(s) * c.geometric_sum(Real(n));
  return reach * reach / c.squared_weights(Real(n));
}

Real constrained_infimum_ball(const Powers& c, double s, double diameter) {
  const Real d(diameter), step(s);
  return (Real(1) + c.c()) * d * (step + (step - c.one_minus_c() * d));
}

// s^2 c^(2l-2) (1 - c^2)/(1 - c^l)^2 tanh(l (E - 1) h/2)
Real before_last_ball(const Powers& c, double s, double l, double E) {
  const Real square = Real(s) * Real(s), epochs = Real(E) - Real(1), steps = Real(l) * epochs;
  if (c.none()) {
    return square * epochs / Real(l);
  }
  const Real epoch = c.one_minus_power(Real(l));
  return square * c.power(Real(2.0) * Real(l) - Real(2)) * c.one_minus_power(Real(2)) / (epoch * epoch) *
         c.one_minus_power(steps) / (Real(1) + c.power(steps));
}

Real cyclic_ball(const Powers& c, double s, double l, double E, double position) {
  // Two blocks: up to just before the last differing step, and from it to the end.
  const Real after = Real(l) - Real(position);
  const Real t_last = c.squared_weights(after + Real(1)), s_last = Real(s) * c.power(after);
  const Real last = s_last * s_last / t_last;
  if (E == 1.0) {
    return last;
  }
  const Real apart = before_last_ball(c, s, l, E) + last;
  const Real t_before = c.squared_weights(Real(l) * (Real(E) - Real(1)));
  const Real s_before = Real(s) * c.epoch_weights(l, Real(E) - Real(1)), p_last = c.power(after + Real(1));
  const Real reach = s_before * p_last + s_last;
  return where_above(s_before * t_last, p_last * s_last * t_before,
                     reach * reach / (t_before * p_last * p_last + t_last), apart);
}

CyclicBalls cyclic_constrained_balls(const Powers& c, double s, double diameter, double l, double n) {
  const Real step(s), steps = Real(l) * Real(n) - Real(1);
  const Real reach = c.power(steps) * Real(diameter) + step * c.epoch_weights(l, Real(n) - Real(1));
  const Real weights = c.squared_weights(steps), before_last = reach * reach / weights;
  const Real joined = c.c() * reach + step;
  return {before_last, where_above(reach, c.c() * step * weights, joined * joined / (c.c() * c.c() * weights + Real(1)),
                                   before_last + step * step)};
}

}  // namespace dpcurves::interpolation::detail
