// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/proof/one_step.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

/// The positive root of a y^2 + b y - c = 0, a > 0, c >= 0.
Real positive_root(const Real& a, const Real& b, const Real& c) {
  const Real root = rigorous::sqrt(b * b + rigorous::scaled(a * c, 2));
  return b.negative() ? (root - b) / rigorous::scaled(a, 1) : rigorous::scaled(c, 1) / (b + root);
}

}  // namespace

OneStep one_step(const Step& step, const Real& epsilon, slong bits) {
  const Precision precision(bits);
  const Piece& piece = step.pieces.front();  // of the positive losses
  const Real q(piece.q), mu(piece.mu), one(1);
  const Real rest = one - q, half = rigorous::scaled(mu * mu, -1);
  const Real grown = rigorous::exp(epsilon), excess = rigorous::expm1(epsilon);
  Real t;  // the loss exceeds epsilon where side x > side t
  double side = 1.0;
  if (piece.n == 0) {  // 1 - q + q e^{mu x - mu^2 / 2} = e^epsilon
    t = (rigorous::log1p(excess / q) + half) / mu;
  } else if (piece.a == 0) {  // the same with e^{-epsilon}; never beyond the largest loss
    side = -1.0;
    const Real left = q + rigorous::expm1(-epsilon);
    if (!left.positive()) {
      if (left.contains_zero() && !left.exact()) {  // not decided in these digits
        const Real all = rigorous::zero_to(one);
        return {all, all, all};
      }
      return {Real(), Real(), Real()};
    }
    t = (rigorous::log(left / q) + half) / mu;
  } else {
    // y = e^{mu x}, with k = q e^{-mu^2 / 2}
    const Real k = q * rigorous::exp(-half);
    Real y;
    if (piece.n < 0) {  // rest + k y = e^epsilon (rest + k / y)
      y = positive_root(k, -(rest * excess), grown * k);
    } else if (piece.a == 2) {  // rest + k4 y^2 = e^epsilon (rest + k y), k4 = q e^{-2 mu^2}
      y = positive_root(q * rigorous::exp(-rigorous::scaled(mu * mu, 1)), -(grown * k), rest * excess);
    } else {  // a = 1, n = 2 never carries positive losses
      Real none;
      arb_indeterminate(none.get());
      return {none, none, none};
    }
    t = rigorous::log(y) / mu;
  }
  const auto mass = [&](int m) {
    const Real plain = rigorous::normal_tail(side > 0.0 ? t : -t);
    const Real moved = t - Real(m) * mu;
    return rest * plain + q * rigorous::normal_tail(side > 0.0 ? moved : -moved);
  };
  OneStep out;
  out.power = piece.a == 0 ? rigorous::normal_tail(-t) : mass(piece.a);
  out.type_one_error = piece.n == 0 ? rigorous::normal_tail(t) : mass(piece.n);
  out.delta = rigorous::at_least(out.power - grown * out.type_one_error, Real());
  return out;
}

}  // namespace dpcurves::accounting::proof
