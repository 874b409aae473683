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

// The integral of |base e^{z l}| beyond front_right_ or front_left_, with Im l >= turn and |r| at most r, the mixture
// at Re x: f(X) / nu where log f falls at least at rate nu from there on.
Real Integral::decay(const Real& x, const Real& y, bool right) const {
  const Real& at = right ? front_right_ : front_left_;
  Real height = piece_.half ? Real(path_.scale) * Real(path_.d) : Real(path_.d);
  if (path_.slope != 0.0) {  // the left end of a bent path is a little higher, at most this from there on
    height +=
        Real(path_.slope) * Real(path_.tau) * rigorous::log1p(rigorous::exp((at - Real(path_.bend)) / Real(path_.tau)));
  }
  const Real rest = Real(1) - Real(piece_.q);
  Real rate = right ? at : -at;
  Real log_size = rigorous::scaled(height * height - at * at, -1) - Real(0.9189) -
                  rigorous::at_least(rigorous::lower_end(y), Real()) * (right ? turn_right_ : turn_left_);
  const auto factor = [&](int m, const Real& e) {
    if (m == 0) {
      return;
    }
    const Real mean = Real(m) * Real(piece_.mu);
    const Real v = Real(piece_.q) * rigorous::exp(mean * at - rigorous::scaled(mean * mean, -1));
    const Real r = rest + v;
    if (Real() <= e) {
      log_size += e * rigorous::log(r);
    } else {
      // |r| is at least r cos(arg v / 2), and at least rest + v cos(arg v): the better one at the front; neither falls
      // faster than r does.
      const Real angle = rigorous::abs(mean * height);
      Real least = r * rigorous::cos(rigorous::scaled(angle, -1));
      least = rigorous::max(least, rest + v * rigorous::cos(angle));
      log_size += rigorous::max(e * rigorous::log(r), e * rigorous::log(least));
    }
    // d/dX of e log r = e mean share; the share is monotone, and between 0 and 1
    const bool grows = right == (m > 0);
    const Real most = grows ? Real(1) : v / r, least_share = grows ? v / r : Real();
    const Real drift = right ? e * mean : -(e * mean);
    rate = rate - rigorous::max(drift, Real()) * most - rigorous::min(drift, Real()) * rigorous::lower_end(least_share);
  };
  factor(piece_.a, x + Real(1));
  factor(piece_.n, -x);
  if (!rate.positive()) {
    Real none;
    arb_pos_inf(none.get());
    return none;
  }
  Real total = rigorous::exp(log_size) / rate;
  if (piece_.half) {
    total = total / rigorous::cos(Real(path_.d));
  }
  if (path_.slope != 0.0) {
    total = total * rigorous::sqrt(Real(1) + Real(path_.slope) * Real(path_.slope));
  }
  return total;
}

// What lies beyond the ends of the path, and the caps of the rectangle.
Real Integral::ends(const Real& x, const Real& y, bool geometric) const {
  const Real h(path_.h);
  const Real begin(path_.first), end = Real(path_.first) + h * Real(path_.count);
  const double xl = x.lower(), xh = x.upper(), yl = std::max(0.0, y.lower()), yh = y.upper();
  UpperSum sum;
  const auto cap = [&](std::size_t i) {
    const Box& b = caps_[i];
    return exponent(xl, xh, yl, yh, b.re_low, b.re_high, b.im_low, b.base_high);
  };
  for (std::size_t i = 0; i < caps_.size(); ++i) {
    const double here = cap(i);
    const double there = geometric ? cap(i ^ 2U) : here;
    sum.add(0.5 * (here + there) + 1e-15 * (std::abs(here) + std::abs(there)));
  }
  const Precision low(box_bits);
  Real total = sum.value() + Real(this->total(outside_, nullptr, xl, xh, yl, yh)) * rigorous::exp(Real(reference_));
  if (piece_.half || !piece_.cut()) {
    total += piece_.half ? left_of_half(x, y) : decay(x, y, false);
  }
  if (!piece_.cut()) {
    total += path_.slope == 0.0 ? decay(x, y, true) : up_the_slope(x, y);
  }
  return rigorous::upper_end(total);
}

// |x - x0| and the length of the path are at most `reach` there; |base| <= phi(x0 - reach) (1 + |v|), v of the
// alternative at its largest, and |l| <= reach (|a| + |n|) mu 2.
Real Integral::left_of_half(const Real& x, const Real& y) const {
  const Real begin(path_.first);
  Real reach = Real(path_.scale) * rigorous::exp(begin);
  if (path_.slope != 0.0) {
    reach += Real(path_.slope) * Real(path_.tau) * rigorous::exp((begin - Real(path_.bend)) / Real(path_.tau));
  }
  const Real x0 = rigorous::scaled(Real(piece_.a + piece_.n) * Real(piece_.mu), -1);
  const Real near = rigorous::at_least(x0 - reach, Real());
  if (!(Real(piece_.steepest()) * Real(piece_.mu) * reach <= Real(0.5))) {
    Real none;
    arb_pos_inf(none.get());
    return none;
  }
  const Real mean = Real(piece_.a) * Real(piece_.mu);
  const Real ra = rigorous::exp(mean * (x0 + reach) - rigorous::scaled(mean * mean, -1));
  const Real slope = Real(std::abs(piece_.a) + std::abs(piece_.n)) * Real(piece_.mu) * Real(2);
  const Real size = rigorous::modulus(Complex(x, y));
  Real front = rigorous::exp(-rigorous::scaled(near * near - reach * reach, -1)) * (Real(1) + Real(piece_.q) * ra);
  front = front * rigorous::exp(size * slope * reach);
  front = front * rigorous::exp(Real(log_share(piece_, Complex(widened(x0, reach), widened(Real(), reach)))));
  return front * reach;
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
Real Integral::up_the_slope(const Real& x, const Real& y) const {
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
    Real none;
    arb_pos_inf(none.get());
    return none;
  }
  const Real log_value = t.at.log_base.re() + x * t.at.loss.re() - low_y * turn;
  return rigorous::exp(rigorous::upper_end(log_value)) * speed / (least * fall);
}

}  // namespace dpcurves::accounting::proof
