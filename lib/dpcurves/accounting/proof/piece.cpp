// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;
using Plain = std::complex<double>;

/// log r_m(x), continued from the real line. Where |q e^u| > 1 - q by the form that knows no branch point, else by the
/// principal logarithm, which is right for |Im u| < pi.
Complex log_mixture(const Piece& p, int m, const Complex& x) {
  Complex out;
  if (m == 0) {
    return out;
  }
  const slong bits = Precision::bits();
  const Real mean = Real(m) * Real(p.mu);
  Complex u, e;
  acb_mul_arb(u.get(), x.get(), mean.get(), bits);
  const Real shift = rigorous::scaled(mean * mean, -1);
  acb_sub_arb(u.get(), u.get(), shift.get(), bits);
  const Real q(p.q);
  const Real rest = Real(1) - q;
  // |v / a| > 1 on all of the ball?
  Real level;
  arb_set(level.get(), acb_realref(u.get()));
  const double odds = std::log1p(-p.q) - std::log(p.q);
  if (level.lower() > odds + 0.05) {
    Complex back = -u;
    e = rigorous::exp(back);
    const Real ratio = rest / q;
    acb_mul_arb(e.get(), e.get(), ratio.get(), bits);
    acb_log1p(e.get(), e.get(), bits);
    acb_add(out.get(), u.get(), e.get(), bits);
    const Real lq = rigorous::log(q);
    acb_add_arb(out.get(), out.get(), lq.get(), bits);
    return out;
  }
  // The principal logarithm is right where |v| < 1 - q, and where |Im u| < pi. A path that passed a branch point on the
  // wrong side would cross |v| = 1 - q with |Im u| > pi: refused here.
  Real turn;
  arb_set(turn.get(), acb_imagref(u.get()));
  if (!(level.upper() < odds - 1e-9) && !(rigorous::abs(turn) < rigorous::pi())) {
    acb_indeterminate(out.get());
    return out;
  }
  acb_expm1(e.get(), u.get(), bits);
  acb_mul_arb(e.get(), e.get(), q.get(), bits);
  acb_log1p(out.get(), e.get(), bits);
  return out;
}

/// log(1 + e^t), |Im t| < pi, also of wide balls.
Complex soft(const Complex& t) {
  const bool large = t.re() > Real(1);
  Complex r = rigorous::exp(large ? -t : t);
  acb_log1p(r.get(), r.get(), Precision::bits());
  return large ? t + r : r;
}

/// 1 / (1 + e^{-t}), also of wide balls.
Complex rising(const Complex& t) {
  const bool low = t.re() < Real(-1);
  const Complex e = rigorous::exp(low ? t : -t), one(Real(1));
  return (low ? e : one) / (one + e);
}

Plain log1p_plain(Plain z) {
  if (std::abs(z) > 0.5) {
    return std::log(1.0 + z);
  }
  const double re = z.real(), im = z.imag();
  return {0.5 * std::log1p(re * (2.0 + re) + im * im), std::atan2(im, 1.0 + re)};
}

Plain expm1_plain(Plain z) {
  const double s = std::sin(0.5 * z.imag());
  const double e = std::exp(z.real());
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2.0 * s * s, e * std::sin(z.imag())};
}

Plain log_mixture(const Piece& p, int m, Plain x) {
  if (m == 0) {
    return 0.0;
  }
  const double mean = m * p.mu;
  const Plain u = mean * x - 0.5 * mean * mean;
  const double odds = std::log1p(-p.q) - std::log(p.q);
  if (u.real() > odds + 0.05) {
    return u + std::log(p.q) + log1p_plain((1.0 - p.q) / p.q * std::exp(-u));
  }
  return log1p_plain(p.q * expm1_plain(u));
}

}  // namespace

int Piece::steepest() const { return std::max(std::abs(a), std::abs(n)); }

double Piece::highest() const {
  if (a == 2 || n == 2) {
    return std::numbers::pi / 3.0;
  }
  return std::numbers::pi;
}

Real Step::atom() const {
  if (!has_atom) {
    return {};
  }
  const Real ratio = Real(mu) / rigorous::sqrt(Real(8));
  const Real rest = Real(1) - Real(q);
  const Real near = rigorous::erf(ratio);
  if (pair == Pair::symmetrised) {
    return rest * near;
  }
  return rigorous::scaled(rest * (near + rigorous::erf(Real(3) * ratio)), -1);
}

Real Step::lost() const {
  Real total;
  for (const Piece& p : pieces) {
    if (!p.cut()) {
      continue;
    }
    for (const auto& [share, mean] :
         {std::pair{Real(1) - Real(p.q), Real()}, std::pair{Real(p.q), Real(p.a) * Real(p.mu)}}) {
      total += share * rigorous::normal_tail(Real(p.right) - mean);
      if (!p.half) {
        total += share * rigorous::normal_tail(mean - Real(p.left));
      }
    }
  }
  return total;
}

double Step::approximate_atom() const {
  if (!has_atom) {
    return 0.0;
  }
  const double ratio = mu / std::sqrt(8.0);
  return pair == Pair::symmetrised ? (1.0 - q) * std::erf(ratio)
                                   : 0.5 * (1.0 - q) * (std::erf(ratio) + std::erf(3.0 * ratio));
}

Step step_of(const SubsampledGaussian& c) {
  Step step;
  step.pair = c.pair;
  step.q = c.sampling_rate;
  step.mu = c.mu;
  step.count = c.count;
  const auto piece = [&](int a, int n, bool half) { return Piece{c.sampling_rate, c.mu, a, n, half}; };
  switch (c.pair) {
    case Pair::poisson_remove:
      step.pieces = {piece(1, 0, false)};
      break;
    case Pair::poisson_add:
      step.pieces = {piece(0, 1, false)};
      break;
    case Pair::poisson_replace_one:
      step.pieces = {piece(1, -1, false)};
      break;
    case Pair::symmetrised:
      step.pieces = {piece(1, 0, true), piece(0, 1, true)};
      step.has_atom = true;
      break;
    case Pair::fixed_size_remove:
      step.pieces = {piece(2, 1, true), piece(0, 1, true)};
      step.has_atom = true;
      break;
    case Pair::fixed_size_add:
      step.pieces = {piece(1, 0, true), piece(1, 2, true)};
      step.has_atom = true;
      break;
  }
  return step;
}

PathPoint evaluate(const Piece& piece, const Path& path, const Complex& s) {
  const slong bits = Precision::bits();
  PathPoint out;
  Complex dx;
  if (piece.half) {
    Complex t(s);
    const Real turn = Real(piece.side()) * Real(path.d);
    arb_add(acb_imagref(t.get()), acb_imagref(t.get()), turn.get(), bits);
    out.x = soft(t);
    const Real scale(path.scale);
    acb_mul_arb(out.x.get(), out.x.get(), scale.get(), bits);
    const Real begin = rigorous::scaled(Real(piece.a + piece.n) * Real(piece.mu), -1);
    acb_add_arb(out.x.get(), out.x.get(), begin.get(), bits);
    acb_mul_arb(dx.get(), rising(t).get(), scale.get(), bits);
  } else {
    out.x = s;
    const Real height = Real(piece.side()) * Real(path.d);
    arb_add(acb_imagref(out.x.get()), acb_imagref(out.x.get()), height.get(), bits);
    acb_one(dx.get());
  }
  if (path.slope != 0.0) {
    Complex t(s), lift, turn;
    const Real bend(path.bend), tau(path.tau), slope = Real(piece.side()) * Real(path.slope);
    acb_sub_arb(t.get(), t.get(), bend.get(), bits);
    acb_div_arb(t.get(), t.get(), tau.get(), bits);
    const Real factor = slope * tau;
    acb_mul_arb(lift.get(), soft(t).get(), factor.get(), bits);
    acb_mul_onei(lift.get(), lift.get());
    out.x = out.x + lift;
    acb_mul_arb(turn.get(), rising(t).get(), slope.get(), bits);
    acb_mul_onei(turn.get(), turn.get());
    dx = dx + turn;
  }
  const Complex la = log_mixture(piece, piece.a, out.x);
  const Complex ln = log_mixture(piece, piece.n, out.x);
  out.loss = la - ln;
  // log(phi) + log r_a + log dx/ds
  Complex square;
  acb_mul(square.get(), out.x.get(), out.x.get(), bits);
  acb_mul_2exp_si(square.get(), square.get(), -1);
  out.log_base = la - square;
  const Real front = rigorous::scaled(rigorous::log(rigorous::scaled(rigorous::pi(), 1)), -1);
  acb_sub_arb(out.log_base.get(), out.log_base.get(), front.get(), bits);
  out.log_base = out.log_base + rigorous::log(dx);
  return out;
}

PlainPoint evaluate(const Piece& piece, const Path& path, Plain s) {
  const auto soft = [](Plain t) { return t.real() > 30.0 ? t + std::exp(-t) : log1p_plain(std::exp(t)); };
  Plain x = s + Plain(0.0, piece.side() * path.d), dx = 1.0;
  if (piece.half) {
    dx = path.scale / (1.0 + std::exp(-x));
    x = 0.5 * (piece.a + piece.n) * piece.mu + path.scale * soft(x);
  }
  if (path.slope != 0.0) {
    const Plain t = (s - path.bend) / path.tau, turn(0.0, piece.side() * path.slope);
    x += turn * path.tau * soft(t);
    dx += turn / (1.0 + std::exp(-t));
  }
  const Plain la = log_mixture(piece, piece.a, x);
  return {la - log_mixture(piece, piece.n, x), la - 0.5 * x * x - 0.91893853320467274178 + std::log(dx), x};
}

}  // namespace dpcurves::accounting::proof
