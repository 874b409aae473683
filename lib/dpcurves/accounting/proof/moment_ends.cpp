// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What an integral has beyond the ends of its path, bounded by closed forms.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/proof/exponent.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

}  // namespace

// The integral of |base e^{z l}| beyond `at`, with Im l >= turn and |r| at most r, the mixture at Re x: f(X) / nu where
// log f falls at least at rate nu from there on; log f and nu are linear in the orders x + 1 and -x of the mixtures.
Integral::Decay Integral::decay_of(const Real& at, const Real& turn, bool right) const {
  Real height = piece_.half ? Real(path_.scale) * Real(path_.d) : Real(path_.d);
  if (path_.slope != 0.0) {  // the left end of a bent path is a little higher, at most this from there on
    height +=
        Real(path_.slope) * Real(path_.tau) * rigorous::log1p(rigorous::exp((at - Real(path_.bend)) / Real(path_.tau)));
  }
  Real log_front = rigorous::scaled(height * height - at * at, -1) - Real(0.9189);
  if (piece_.half) {
    log_front = log_front - rigorous::log(rigorous::cos(Real(path_.d)));
  }
  if (path_.slope != 0.0) {
    log_front += rigorous::scaled(rigorous::log1p(Real(path_.slope) * Real(path_.slope)), -1);
  }
  Decay decay;
  decay.right = right;
  decay.log_front = log_front.upper();
  decay.rate = (right ? at : -at).lower();
  decay.turn = turn.lower();
  const Real rest = Real(1) - Real(piece_.q);
  const auto factor = [&](int m) -> Decay::Factor {
    if (m == 0) {
      return {};
    }
    const Real mean = Real(m) * Real(piece_.mu);
    const Real v = Real(piece_.q) * rigorous::exp(mean * at - rigorous::scaled(mean * mean, -1));
    const Real r = rest + v, log_r = rigorous::log(r);
    // |r| is at least r cos(arg v / 2), and at least rest + v cos(arg v): the better one at the front; neither falls
    // faster than r does.
    const Real angle = rigorous::abs(mean * height);
    Real least = r * rigorous::cos(rigorous::scaled(angle, -1));
    least = rigorous::max(least, rest + v * rigorous::cos(angle));
    const double log_least = least.positive() ? rigorous::log(least).lower() : -HUGE_VAL;
    // d/dX of e log r = e mean share; the share is monotone, and between 0 and 1
    const bool grows = right == (m > 0);
    return {m * piece_.mu,
            log_r.lower(),
            log_r.upper(),
            log_least,
            grows ? rigorous::lower_end(v / r).lower() : 0.0,
            grows ? 1.0 : (v / r).upper()};
  };
  decay.alternative = factor(piece_.a);
  decay.null = factor(piece_.n);
  return decay;
}

// A dozen operations of doubles, each within 2^-53 of its result.
Integral::Size Integral::Decay::at(const Orders& z) const {
  constexpr double rounding = 4e-15;
  double log_size = log_front - z.y_low * turn, size = std::abs(log_front) + std::abs(z.y_low * turn);
  double least_rate = rate, rates = std::abs(rate);
  const auto take = [&](const Factor& f, double e_low, double e_high) {
    if (f.mean == 0.0) {
      return;
    }
    double most = -HUGE_VAL;
    const auto corners = [&](double log_r) { most = std::max({most, e_low * log_r, e_high * log_r}); };
    corners(f.log_low);
    corners(f.log_high);
    if (e_low < 0.0) {
      corners(f.log_least);
    }
    log_size += most;
    size += std::abs(most) + std::abs(e_low) + std::abs(e_high);
    const double sign = right ? f.mean : -f.mean;
    const double drift = std::max(sign * e_low, sign * e_high);
    least_rate -= std::max(drift, 0.0) * f.share_high + std::min(drift, 0.0) * f.share_low;
    rates += std::abs(sign) * (std::abs(e_low) + std::abs(e_high) + 1.0);
  };
  take(alternative, z.x_low + 1.0, z.x_high + 1.0);
  take(null, -z.x_high, -z.x_low);
  least_rate -= rounding * rates;
  if (!(least_rate > 0.0)) {
    return {HUGE_VAL, 1.0};
  }
  return {log_size + rounding * size, 1.0 / least_rate * (1.0 + rounding)};
}

std::array<Integral::Size, 2> Integral::beyond_ends(const Orders& z) const {
  const Size none{-HUGE_VAL, 1.0};
  return {piece_.half    ? left_of_half(z)
          : piece_.cut() ? none
                         : left_.at(z),
          piece_.cut()         ? none
          : path_.slope == 0.0 ? right_.at(z)
                               : up_the_slope(z)};
}

// What lies beyond the ends of the path, and the caps of the rectangle.
double Integral::ends(const Orders& z, bool geometric, double scale) const {
  UpperSum sum;
  for (const Size& s : beyond_ends(z)) {
    if (s.log_value > -HUGE_VAL) {
      sum.add(s.log_value - scale + 1e-15 * (std::abs(s.log_value) + std::abs(scale)), s.factor);
    }
  }
  return (total(caps_, geometric ? &mirrored_caps_ : nullptr, z, scale) + total(outside_, nullptr, z, scale) +
          sum.value().upper()) *
         (1.0 + 1e-15);
}

// |x - x0| and the length of the path are at most `reach` there; |base| <= phi(x0 - reach) (1 + |v|), v of the
// alternative at its largest, and |l| <= reach (|a| + |n|) mu 2.
void Integral::set_left_of_half() {
  const Real begin(path_.first);
  Real reach = Real(path_.scale) * rigorous::exp(begin);
  if (path_.slope != 0.0) {
    reach += Real(path_.slope) * Real(path_.tau) * rigorous::exp((begin - Real(path_.bend)) / Real(path_.tau));
  }
  const Real x0 = rigorous::scaled(Real(piece_.a + piece_.n) * Real(piece_.mu), -1);
  const Real near = rigorous::at_least(x0 - reach, Real());
  if (!(Real(piece_.steepest()) * Real(piece_.mu) * reach <= Real(0.5))) {
    half_front_ = HUGE_VAL;
    return;
  }
  const Real mean = Real(piece_.a) * Real(piece_.mu);
  const Real ra = rigorous::exp(mean * (x0 + reach) - rigorous::scaled(mean * mean, -1));
  const Real slope = Real(std::abs(piece_.a) + std::abs(piece_.n)) * Real(piece_.mu) * Real(2);
  const Real front = reach * (Real(1) + Real(piece_.q) * ra);
  half_front_ = (rigorous::log(front) - rigorous::scaled(near * near - reach * reach, -1) +
                 Real(log_share(piece_, Complex(widened(x0, reach), widened(Real(), reach)))))
                    .upper();
  half_growth_ = (slope * reach).upper();
}

Integral::Size Integral::left_of_half(const Orders& z) const {
  const double x = std::max(std::abs(z.x_low), std::abs(z.x_high)), y = z.y_high;
  const double growth = modulus(x, y) * half_growth_;
  return {half_front_ + growth + 1e-15 * (std::abs(half_front_) + growth), 1.0};
}

// From s on: dx/ds = scale S + i side slope S', S = 1 / (1 + e^{-s - i side d}) (1 and scale 1 on a line) and
// S' = 1 / (1 + e^{-(s - bend) / tau}); |S - 1| <= 2 e^{-s}, 1 - S' <= e^{-(s - bend) / tau}.
void Integral::set_top(const Real& s) {
  top_.at = evaluate(piece_, path_, Complex(s));
  const Real one(1), scale = piece_.half ? Real(path_.scale) : one, slope(path_.slope);
  const Real bent = piece_.half ? rigorous::zero_to(rigorous::scaled(rigorous::exp(-s), 1)) : Real();
  const Real flat = rigorous::exp((Real(path_.bend) - s) / Real(path_.tau));
  top_.along = scale * rigorous::hull(one - rigorous::upper_end(bent), one + rigorous::upper_end(bent));
  top_.up_least = rigorous::lower_end(slope * (one - flat) - scale * rigorous::upper_end(bent));
  top_.up_most = rigorous::upper_end(slope + scale * bent);
  const auto off = [&](int m) -> Real {  // k / (1 - k), k the smaller over the larger of |v| and 1 - q
    if (m == 0) {
      return {};
    }
    const Real mean = Real(m) * Real(piece_.mu);
    const Real v = Real(piece_.q) * rigorous::exp(mean * top_.at.x.re() - rigorous::scaled(mean * mean, -1));
    const Real rest = one - Real(piece_.q), k = m > 0 ? rest / v : v / rest;
    if (!(k < Real(0.5))) {
      Real none;
      arb_pos_inf(none.get());
      return none;
    }
    return rigorous::upper_end(k / (one - k));
  };
  top_.off_a = off(piece_.a);
  top_.off_n = off(piece_.n);
}

// d log |base e^{z l} / (dx/ds)| / ds = -Re(x x') + Re((z + 1) (log r_a)' x' - z (log r_n)' x'), (log r_m)' = m mu
// within |m| mu off for m > 0, and 0 within that for m < 0. Re x and |Im x| grow at most and at least linearly, the
// first faster: the largest value of the bound below is that at the top.
Integral::Size Integral::up_the_slope(const Orders& z) const {
  const Precision low(box_bits);
  const Real x = rigorous::hull(Real(z.x_low), Real(z.x_high)), y = rigorous::hull(Real(z.y_low), Real(z.y_high));
  const Top& t = top_;
  const Real low_y = rigorous::at_least(rigorous::lower_end(y), Real());
  const Real least = rigorous::lower_end(t.along), most = rigorous::upper_end(t.along);
  const Real speed = rigorous::sqrt(most * most + t.up_most * t.up_most);
  const Real order = rigorous::modulus(Complex(x, y));
  Real pull;
  if (piece_.a > 0) {
    pull += Real(piece_.a) * (x + Real(1));
  }
  if (piece_.n > 0) {
    pull = pull - Real(piece_.n) * x;
  }
  pull = rigorous::max(pull * least, pull * most) - low_y * t.up_least;
  const Real off_a = Real(std::abs(piece_.a)) * t.off_a, off_n = Real(std::abs(piece_.n)) * t.off_n;
  pull += speed * (off_a * (order + Real(1)) + off_n * order);
  const Real fall = t.at.x.re() * least - rigorous::abs(t.at.x.im()) * t.up_most - Real(piece_.mu) * pull;
  const Real turn = t.at.loss.im();
  if (!(t.up_most < least) || !fall.positive() || !t.up_least.positive() || !t.at.x.re().positive() ||
      !(Real() <= turn) || !(speed * (off_a + off_n) < t.up_least)) {  // the last: it falls with Im z too
    return {HUGE_VAL, 1.0};
  }
  const Real log_value = t.at.log_base.re() + x * t.at.loss.re() - low_y * turn;
  return {log_value.upper(), (speed / (least * fall)).upper()};
}

}  // namespace dpcurves::accounting::proof
