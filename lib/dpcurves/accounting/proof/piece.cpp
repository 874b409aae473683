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

/// log(1 + e^t), |Im t| < pi, also of wide balls. \param log_rising  not null: log(1 / (1 + e^{-t})).
Complex soft(const Complex& t, Complex* log_rising = nullptr) {
  const bool large = t.re() > Real(1);
  Complex r = rigorous::exp(large ? -t : t);
  acb_log1p(r.get(), r.get(), Precision::bits());
  if (log_rising != nullptr) {
    *log_rising = large ? -r : t - r;
  }
  return large ? t + r : r;
}

/// 1 / (1 + e^{-t}), also of wide balls.
Complex rising(const Complex& t) {
  const bool low = t.re() < Real(-1);
  const Complex e = rigorous::exp(low ? t : -t), one(Real(1));
  return (low ? e : one) / (one + e);
}

Plain log1p_plain(Plain z) {
  constexpr double large = 0.25;  // of |z|^2: beyond, 1 + z loses nothing
  const double re = z.real(), im = z.imag(), square = re * re + im * im;
  return {0.5 * (square > large ? std::log((1.0 + re) * (1.0 + re) + im * im) : std::log1p(2.0 * re + square)),
          im == 0.0 && re > -1.0 ? 0.0 : std::atan2(im, 1.0 + re)};
}

}  // namespace

Piece Piece::unbounded() const {
  Piece law{q, mu, a, n};
  law.from_top = from_top;
  return law;
}

Real Piece::beyond(const Real& x) const {
  const Real share(q);
  return (Real(1) - share) * rigorous::normal_tail(x) + share * rigorous::normal_tail(x - Real(a) * Real(mu));
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
    // The share of a part falls beyond its own end, and is at most 1 beyond the law's; one that also fades is at most
    // either factor alone.
    Piece fading = p, rising = p;
    fading.part = p.fades() ? Piece::Part::bulk : p.part;
    fading.middle = p.fades() ? p.fade : p.middle;
    fading.fade = rising.fade = std::numeric_limits<double>::infinity();
    constexpr int cells = 24;
    const auto beyond = [&](double sign, bool falls, const auto& mass) {
      const Piece& side = sign > 0.0 ? fading : rising;
      const double from = sign > 0.0 ? p.right : p.left;
      if (!falls) {
        total += mass(from);
        return;
      }
      for (int k = 0; k < cells; ++k) {
        const double x = from + sign * 0.5 * k * p.blur, next = from + sign * 0.5 * (k + 1) * p.blur;
        const Real all = mass(x);
        total += rigorous::exp(Real(log_share(side, x, x, 0.0))) * (k + 1 < cells ? all - mass(next) : all);
      }
    };
    const Real q_(p.q), rest = Real(1) - q_, mean = Real(p.a) * Real(p.mu);
    beyond(1.0, p.part == Piece::Part::bulk || p.fades(), [&](double x) { return p.beyond(Real(x)); });
    if (p.fades() && !p.apart) {
      const Real spread = rigorous::sqrt(Real(1) + rigorous::scaled(Real(p.blur) * Real(p.blur), -1));
      total += rest * rigorous::normal_tail(Real(p.fade) / spread) +
               q_ * rigorous::normal_tail((Real(p.fade) - mean) / spread);
    }
    if (!p.half) {
      beyond(-1.0, p.part == Piece::Part::rare, [&](double x) {
        return rest * rigorous::normal_tail(-Real(x)) + q_ * rigorous::normal_tail(mean - Real(x));
      });
    }
  }
  return total;
}

// The share 1 - w is the chance that a normal variable of deviation b / sqrt 2 is below x - m: with x itself of unit
// deviation the mean of that is a normal tail. Before a half begins it is at most the share there.
Real Step::parted(bool alternative) const {
  Real total;
  for (const Piece& p : pieces) {
    if (p.part != Piece::Part::bulk) {
      continue;
    }
    const Real blur(p.blur), spread = rigorous::sqrt(Real(1) + rigorous::scaled(blur * blur, -1)), share(p.q);
    const auto beyond = [&](int m) { return rigorous::normal_tail((Real(p.middle) - Real(m) * Real(p.mu)) / spread); };
    Real mass = (Real(1) - share) * beyond(0) + share * beyond(alternative ? p.a : p.n);
    if (p.half) {
      const Real begin = rigorous::scaled(Real(p.a + p.n) * Real(p.mu), -1);
      mass = mass - rigorous::zero_to(rigorous::upper_end(rigorous::erfc((Real(p.middle) - begin) / blur)));
    }
    total += mass;
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

namespace {

// At least log(erfc(x) / 2), by no more than 2e-4.
double log_half_erfc(double x) {
  constexpr double far = 5.0, root_of_pi = 1.7724538509055159;
  if (x < -far) {
    return 0.0;
  }
  if (x > far) {  // erfc(x) <= e^{-x^2} (1 - t / 2 + 3 t^2 / 4) / (x sqrt(pi)) with t = 1 / x^2: an enveloping series
    const double t = 1.0 / (x * x), front = std::log(2.0 * root_of_pi * x);
    return -x * x * (1.0 - 1e-15) - front * (1.0 - 1e-15) + std::log1p(t * (0.75 * t - 0.5)) + 1e-15;
  }
  return std::log(0.5 * std::erfc(x)) + 1e-14;
}

/// erfc(u) / 2
Complex half_erfc(Complex u) {
  // Far inside it is 1 - erfc(-u) / 2, and |erfc(-u)| <= e^{(Im u)^2} erfc(-Re u) <= 2 e^{(Im u)^2 - (Re u)^2}.
  constexpr slong more = 16;  // bits than numbers of two doubles keep
  const double inside = -u.re().upper(), high = rigorous::abs(u.im()).upper();
  if (inside > 0.0 && inside * inside - high * high > 0.7 * static_cast<double>(Precision::bits() - more)) {
    const Real off = rigorous::exp(Real(high) * Real(high) - Real(inside) * Real(inside));
    Complex nearly(Real(1));
    acb_add_error_arb(nearly.get(), rigorous::upper_end(off).get());
    return nearly;
  }
  acb_hypgeom_erfc(u.get(), u.get(), Precision::bits());
  acb_mul_2exp_si(u.get(), u.get(), -1);
  return u;
}

/// At least log |erfc((x - middle) / blur) / 2| over a rectangle, or, `rare`, with the other sign.
double log_side(double middle, double blur, bool rare, double x_low, double x_high, double y) {
  // A rounding of each difference and quotient, one unit of either place.
  const auto off = [&](double x, double sign) {
    return (x - middle) / blur + sign * 1e-15 * (std::abs(x) + std::abs(middle)) / blur;
  };
  const double least = rare ? -off(x_high, 1.0) : off(x_low, -1.0), most = rare ? -off(x_low, -1.0) : off(x_high, 1.0);
  const double square = y / blur * (y / blur), one = square + log_half_erfc(least);
  const double slack = 1e-14 * (1.0 + square);
  if (!(most < 0.0)) {
    return one + slack;
  }
  const double other = square + log_half_erfc(-most);
  constexpr double large = 30.0;
  return std::min(one, other > large ? other + 1e-13 : std::log1p(std::exp(other))) + slack;
}

/// About the same at a point.
double log_side(double middle, double blur, bool rare, Plain x) {
  constexpr double far = 20.0;  // where the first term of the asymptotic series is enough
  const double off = (x.real() - middle) / blur, high = x.imag() / blur, u = rare ? -off : off;
  if (u < 0.0) {
    const double other = high * high + std::log(0.5 * std::erfc(std::min(-u, far)));
    return std::min(high * high + std::log(0.5 * std::erfc(u)), other > 30.0 ? other : std::log1p(std::exp(other)));
  }
  return high * high +
         (u > far ? -u * u - std::log(2.0 * u * std::sqrt(std::numbers::pi)) : std::log(0.5 * std::erfc(u)));
}

}  // namespace

Complex share(const Piece& piece, const Complex& x) {
  if (piece.part == Piece::Part::whole) {
    return Complex(Real(1));
  }
  const Complex blur(Real(piece.blur)), u = (x - Complex(Real(piece.middle))) / blur;
  const Complex one = half_erfc(piece.part == Piece::Part::rare ? -u : u);
  return piece.fades() ? one * half_erfc((x - Complex(Real(piece.fade))) / blur) : one;
}

double log_share(const Piece& piece, double x_low, double x_high, double y) {
  if (piece.part == Piece::Part::whole) {
    return 0.0;
  }
  const double one = log_side(piece.middle, piece.blur, piece.part == Piece::Part::rare, x_low, x_high, y);
  return piece.fades() ? one + log_side(piece.fade, piece.blur, false, x_low, x_high, y) + 1e-15 * std::abs(one) : one;
}

double log_share(const Piece& piece, const Complex& x) {
  return log_share(piece, x.re().lower(), x.re().upper(), rigorous::abs(x.im()).upper());
}

double log_share(const Piece& piece, Plain x) {
  if (piece.part == Piece::Part::whole) {
    return 0.0;
  }
  const double one = log_side(piece.middle, piece.blur, piece.part == Piece::Part::rare, x);
  return piece.fades() ? one + log_side(piece.fade, piece.blur, false, x) : one;
}

Evaluation::Mixture::Mixture(const Piece& p, int times)
    : m(times), from_top(p.from_top), odds(std::log1p(-p.q) - std::log(p.q)) {
  if (m != 0) {
    mean = Real(m) * Real(p.mu);
    shift = rigorous::scaled(mean * mean, -1);
    q = Real(p.q);
    const Real rest = Real(1) - q;
    above = rest / q;
    below = q / rest;
    front = rigorous::log(from_top ? below : q);
  }
}

// Where |q e^u| > 1 - q by the form that knows no branch point, else by the principal logarithm, which is right for
// |Im u| < pi.
Complex Evaluation::Mixture::log_at(const Complex& x) const {
  Complex out;
  if (m == 0) {
    return out;
  }
  const slong bits = Precision::bits();
  Complex u, e;
  acb_mul_arb(u.get(), x.get(), mean.get(), bits);
  acb_sub_arb(u.get(), u.get(), shift.get(), bits);
  // |v / a| > 1 on all of the ball?
  const Real level = u.re();
  if (level.lower() > odds + 0.05) {
    e = rigorous::exp(-u);
    acb_mul_arb(e.get(), e.get(), above.get(), bits);
    acb_log1p(e.get(), e.get(), bits);
    acb_add(out.get(), u.get(), e.get(), bits);
    acb_add_arb(out.get(), out.get(), front.get(), bits);
    return out;
  }
  // The principal logarithm is right where |v| < 1 - q, and where |Im u| < pi. A path that passed a branch point on the
  // wrong side would cross |v| = 1 - q with |Im u| > pi: refused here.
  if (!(level.upper() < odds - 1e-9) && !(rigorous::abs(u.im()) < rigorous::pi())) {
    acb_indeterminate(out.get());
    return out;
  }
  if (from_top) {
    e = rigorous::exp(u);
    acb_mul_arb(e.get(), e.get(), below.get(), bits);
  } else {
    acb_expm1(e.get(), u.get(), bits);
    acb_mul_arb(e.get(), e.get(), q.get(), bits);
  }
  acb_log1p(out.get(), e.get(), bits);
  return out;
}

Evaluation::Evaluation(const Piece& piece, const Path& path)
    : half_(piece.half),
      bent_(path.slope != 0.0),
      alternative_(piece, piece.a),
      null_(piece, piece.n),
      height_(Real(piece.side()) * Real(path.d)),
      scale_(path.scale),
      begin_(rigorous::scaled(Real(piece.a + piece.n) * Real(piece.mu), -1)),
      bend_(path.bend),
      tau_(path.tau),
      slope_(Real(piece.side()) * Real(path.slope)),
      front_(rigorous::scaled(rigorous::log(rigorous::scaled(rigorous::pi(), 1)), -1)) {
  if (half_ && !bent_) {
    front_ = front_ - rigorous::log(scale_);
  }
}

PathPoint Evaluation::operator()(const Complex& s) const {
  const slong bits = Precision::bits();
  PathPoint out;
  Complex dx, log_dx, t(s);
  arb_add(acb_imagref(t.get()), acb_imagref(t.get()), height_.get(), bits);
  if (half_) {
    out.x = soft(t, &log_dx);
    acb_mul_arb(out.x.get(), out.x.get(), scale_.get(), bits);
    acb_add_arb(out.x.get(), out.x.get(), begin_.get(), bits);
    if (bent_) {
      acb_mul_arb(dx.get(), rising(t).get(), scale_.get(), bits);
    }
  } else {
    out.x = t;
    acb_one(dx.get());
  }
  if (bent_) {
    Complex r, lift, turn;
    acb_sub_arb(r.get(), s.get(), bend_.get(), bits);
    acb_div_arb(r.get(), r.get(), tau_.get(), bits);
    const Real factor = slope_ * tau_;
    acb_mul_arb(lift.get(), soft(r).get(), factor.get(), bits);
    acb_mul_onei(lift.get(), lift.get());
    out.x = out.x + lift;
    acb_mul_arb(turn.get(), rising(r).get(), slope_.get(), bits);
    acb_mul_onei(turn.get(), turn.get());
    log_dx = rigorous::log(dx + turn);
  }
  const Complex la = alternative_.log_at(out.x);
  out.loss = la - null_.log_at(out.x);
  // log(phi) + log r_a + log dx/ds
  Complex square;
  acb_mul(square.get(), out.x.get(), out.x.get(), bits);
  acb_mul_2exp_si(square.get(), square.get(), -1);
  out.log_base = la - square;
  acb_sub_arb(out.log_base.get(), out.log_base.get(), front_.get(), bits);
  acb_add(out.log_base.get(), out.log_base.get(), log_dx.get(), bits);
  return out;
}

PathPoint evaluate(const Piece& piece, const Path& path, const Complex& s) { return Evaluation(piece, path)(s); }

PlainEvaluation::PlainEvaluation(const Piece& piece, const Path& path)
    : piece_(piece),
      path_(path),
      alternative_(piece, piece.a),
      null_(piece, piece.n),
      begin_(0.5 * (piece.a + piece.n) * piece.mu),
      log_scale_(std::log(path.scale)) {}

PlainEvaluation::Mixture::Mixture(const Piece& p, int times)
    : mean(times * p.mu),
      q(p.q),
      above((1.0 - p.q) / p.q),
      odds(std::log1p(-p.q) - std::log(p.q)),
      front(p.from_top ? -odds : std::log(p.q)),
      from_top(p.from_top) {}

// e^u and e^u - 1 from the same sine and cosine: along a horizontal line they stay.
Plain PlainEvaluation::Mixture::log_at(Plain x) {
  if (mean == 0.0) {
    return 0.0;
  }
  const double re = mean * (x.real() - 0.5 * mean), im = mean * x.imag();
  turn.to(im);
  if (re > odds + 0.05) {
    const double e = above * std::exp(-re);
    const Plain rest = log1p_plain({e * turn.cosine(), -e * turn.sine()});
    return {re + front + rest.real(), im + rest.imag()};
  }
  if (from_top) {
    const double e = std::exp(re - odds);
    return log1p_plain({e * turn.cosine(), e * turn.sine()});
  }
  const double less_one = std::expm1(re);
  return log1p_plain({q * (less_one * turn.cosine() - turn.versed()), q * (less_one + 1.0) * turn.sine()});
}

PlainPoint PlainEvaluation::operator()(Plain s) {
  const auto soft = [](Plain t, Turn& turn) {
    turn.to(t.imag());
    const double e = std::exp(-std::abs(t.real()));
    if (t.real() > 0.0) {
      return t + log1p_plain({e * turn.cosine(), -e * turn.sine()});
    }
    return log1p_plain({e * turn.cosine(), e * turn.sine()});
  };
  Plain x = s + Plain(0.0, piece_.side() * path_.d), log_dx = 0.0;
  if (piece_.half) {
    const Plain t = x, moved = soft(t, half_);
    x = begin_ + path_.scale * moved;
    log_dx = log_scale_ + t - moved;
  }
  if (path_.slope != 0.0) {
    const Plain t = (s - path_.bend) / path_.tau, turn(0.0, piece_.side() * path_.slope), moved = soft(t, bend_);
    x += turn * path_.tau * moved;
    log_dx = std::log(std::exp(log_dx) + turn * std::exp(t - moved));
  }
  const Plain la = alternative_.log_at(x), ln = null_.log_at(x);
  constexpr double log_root = 0.91893853320467274178;  // of 2 pi
  const double square = 0.5 * (x.real() * x.real() - x.imag() * x.imag());
  return {la - ln,
          {la.real() - square - log_root + log_dx.real() + log_share(piece_, x),
           la.imag() - x.real() * x.imag() + log_dx.imag()},
          x};
}

PlainPoint evaluate(const Piece& piece, const Path& path, Plain s) { return PlainEvaluation(piece, path)(s); }

}  // namespace dpcurves::accounting::proof
