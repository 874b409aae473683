// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <acb_hypgeom.h>

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;
using Plain = std::complex<double>;

/// log r_m(x), or log (r_m(x) / (1 - q)) for losses from the top, continued from the real line. Where |q e^u| > 1 - q
/// by the form that knows no branch point, else by the principal logarithm, which is right for |Im u| < pi.
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
    const Real lq = rigorous::log(p.from_top ? q / rest : q);
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
  if (p.from_top) {
    const Real ratio = q / rest;
    e = rigorous::exp(u);
    acb_mul_arb(e.get(), e.get(), ratio.get(), bits);
  } else {
    acb_expm1(e.get(), u.get(), bits);
    acb_mul_arb(e.get(), e.get(), q.get(), bits);
  }
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
    return u + (p.from_top ? -odds : std::log(p.q)) + log1p_plain((1.0 - p.q) / p.q * std::exp(-u));
  }
  return log1p_plain(p.from_top ? std::exp(u - odds) : p.q * expm1_plain(u));
}

}  // namespace

Piece Piece::unbounded() const {
  Piece law{q, mu, a, n};
  law.from_top = from_top;
  return law;
}

int Piece::steepest() const { return std::max(std::abs(a), std::abs(n)); }

double Piece::highest() const {
  if (a == 2 || n == 2) {
    return std::numbers::pi / 3.0;
  }
  return std::numbers::pi;
}

bool Piece::beyond_branches() const {
  constexpr double far = 1.5;  // more than log 4 and all roundings
  const auto odds = [&](int m) { return m * mu * left - 0.5 * m * m * mu * mu + std::log(q) - std::log1p(-q); };
  const auto served = [&](int m) { return m == 0 || (m > 0 ? odds(m) > far : odds(m) < -far); };
  return cut() && !half && served(a) && served(n);
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
    // The share of a part falls beyond its own end, and is at most 1 beyond the law's.
    constexpr int cells = 24;
    const auto beyond = [&](double sign, bool falls, const auto& mass) {
      const double from = sign > 0.0 ? p.right : p.left;
      if (!falls) {
        total += mass(from);
        return;
      }
      for (int k = 0; k < cells; ++k) {
        const double x = from + sign * 0.5 * k * p.blur, next = from + sign * 0.5 * (k + 1) * p.blur;
        const Real all = mass(x);
        total += rigorous::exp(Real(log_share(p, Complex(Real(x))))) * (k + 1 < cells ? all - mass(next) : all);
      }
    };
    const Real q_(p.q), rest = Real(1) - q_, mean = Real(p.a) * Real(p.mu);
    beyond(1.0, p.part == Piece::Part::bulk, [&](double x) {
      return rest * rigorous::normal_tail(Real(x)) + q_ * rigorous::normal_tail(Real(x) - mean);
    });
    if (!p.half) {
      beyond(-1.0, p.part == Piece::Part::rare, [&](double x) {
        return rest * rigorous::normal_tail(-Real(x)) + q_ * rigorous::normal_tail(mean - Real(x));
      });
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

Complex share(const Piece& piece, const Complex& x) {
  if (piece.part == Piece::Part::whole) {
    return Complex(Real(1));
  }
  Complex u = (x - Complex(Real(piece.middle))) / Complex(Real(piece.blur));
  u = piece.part == Piece::Part::rare ? -u : u;
  acb_hypgeom_erfc(u.get(), u.get(), Precision::bits());
  acb_mul_2exp_si(u.get(), u.get(), -1);
  return u;
}

double log_share(const Piece& piece, const Complex& x) {
  if (piece.part == Piece::Part::whole) {
    return 0.0;
  }
  constexpr slong bits = 64;
  const Precision low(bits);
  const Real blur(piece.blur), off = (x.re() - Real(piece.middle)) / blur, high = x.im() / blur;
  const bool rare = piece.part == Piece::Part::rare;
  const double least = rare ? -off.upper() : off.lower(), most = rare ? -off.lower() : off.upper();
  const double one = (high * high + rigorous::log(rigorous::scaled(rigorous::erfc(Real(least)), -1))).upper();
  if (!(most < 0.0)) {
    return one;
  }
  const Real other = rigorous::exp(high * high) * rigorous::scaled(rigorous::erfc(Real(-most)), -1);
  return std::min(one, rigorous::log1p(other).upper());
}

double log_share(const Piece& piece, Plain x) {
  if (piece.part == Piece::Part::whole) {
    return 0.0;
  }
  constexpr double far = 20.0;  // where the first term of the asymptotic series is enough
  const double off = (x.real() - piece.middle) / piece.blur, high = x.imag() / piece.blur;
  const double u = piece.part == Piece::Part::rare ? -off : off;
  if (u < 0.0) {
    const double other = high * high + std::log(0.5 * std::erfc(std::min(-u, far)));
    return std::min(high * high + std::log(0.5 * std::erfc(u)), other > 30.0 ? other : std::log1p(std::exp(other)));
  }
  return high * high +
         (u > far ? -u * u - std::log(2.0 * u * std::sqrt(std::numbers::pi)) : std::log(0.5 * std::erfc(u)));
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
  return {la - log_mixture(piece, piece.n, x),
          la - 0.5 * x * x - 0.91893853320467274178 + std::log(dx) + log_share(piece, x), x};
}

}  // namespace dpcurves::accounting::proof
