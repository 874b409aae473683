// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/proof/moment.hpp>

#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr slong box_bits = 64;

/// x u - y v + c for the x, y, u, v of intervals, rounded up: five operations of doubles, each within 2^-53.
double exponent(double x_low, double x_high, double y_low, double y_high, double re_low, double re_high, double im_low,
                double c) {
  const double a = std::max(std::max(x_low * re_low, x_low * re_high), std::max(x_high * re_low, x_high * re_high));
  const double b = im_low >= 0.0 ? -y_low * im_low : -y_high * im_low;
  const double size = std::abs(a) + std::abs(b) + std::abs(c);
  return a + b + c + 4e-15 * size;
}

}  // namespace

UpperSum::UpperSum() {
  mag_init(sum_);
  mag_init(term_);
  mag_init(factor_);
}

UpperSum::~UpperSum() {
  mag_clear(sum_);
  mag_clear(term_);
  mag_clear(factor_);
}

void UpperSum::add(double v, double factor) {
  if (std::isnan(v) || v == HUGE_VAL) {
    mag_inf(sum_);
    return;
  }
  if (v >= 0.0) {
    mag_set_d(term_, v);
    mag_exp(term_, term_);
  } else {
    mag_set_d_lower(term_, std::min(-v, 1e15));
    mag_expinv(term_, term_);
  }
  if (factor != 1.0) {
    mag_set_d(factor_, factor);
    mag_mul(term_, term_, factor_);
  }
  mag_add(sum_, sum_, term_);
}

Real UpperSum::value() const {
  Real r;
  arf_set_mag(arb_midref(r.get()), sum_);
  return r;
}

Integral::Box Integral::box(const Complex& s) const {
  const PathPoint p = evaluate(piece_, path_, s);
  return {p.loss.re().lower(), p.loss.re().upper(), p.loss.im().lower(), p.loss.im().upper(), p.log_base.re().upper()};
}

Integral::Integral(const Piece& piece, const Path& path, double reference, double digits)
    : piece_(piece), path_(path), reference_(reference), digits_(digits) {
  const auto fail = [](const char* what) { throw ConvergenceError(std::string("no proof: ") + what); };
  if (!(path.h > 0.0 && path.up > 0.0 && path.down > 0.0 && path.d > 0.0 && path.scale > 0.0 && path.tau > 0.0) ||
      (piece.half && path.slope != 0.0) || path.count < 1) {
    fail("a path without extent");
  }
  const double log_h = std::log(path.h) + 1e-15 * (1.0 + std::abs(std::log(path.h)));
  loss_.resize(static_cast<std::size_t>(path.count));
  weight_.resize(static_cast<std::size_t>(path.count));
  const Real h(path.h);
  for (long j = 0; j < path.count; ++j) {
    const Real s = Real(path.first) + h * (Real(j) + Real(0.5));
    const PathPoint p = evaluate(piece, path, Complex(s));
    const auto k = static_cast<std::size_t>(j);
    loss_[k] = p.loss;
    weight_[k] = rigorous::exp(p.log_base) * Complex(h);
    const Box b{p.loss.re().lower(), p.loss.re().upper(), std::max(0.0, p.loss.im().lower()), p.loss.im().upper(),
                p.log_base.re().upper() + log_h};
    here_.push_back(b);
    if (!std::isfinite(b.re_low) || !std::isfinite(b.re_high) || !std::isfinite(b.im_low) ||
        !std::isfinite(b.im_high)) {
      fail("a node outside the domain");
    }
  }
  const Precision low(box_bits);
  const Real half_cell = widened(Real(), Real(0.5) * h);
  const auto line = [&](double height, std::vector<Box>& out) {
    for (long j = 0; j < path.count; ++j) {
      const Real s = Real(path.first) + h * (Real(j) + Real(0.5)) + half_cell;
      Box b = box(Complex(s, Real(height)));
      b.base_high += log_h;
      if (!std::isfinite(b.re_low) || !std::isfinite(b.re_high) || !std::isfinite(b.im_low) ||
          std::isnan(b.base_high)) {
        fail("the strip meets a branch point");
      }
      if (path.slope == 0.0 && !piece.half && height == -path.down * piece.side() && path.down <= path.d) {
        b.im_low = std::max(b.im_low, 0.0);
      }
      out.push_back(b);
    }
  };
  // "up" is away from the real line of x.
  line(piece.side() * path.up, up_);
  line(-piece.side() * path.down, down_);
  // Caps: the integral of |f| / (1 + e^{2 pi |y| / h}) over both ends, in cells; cells 4 i and 4 i + 2 are mirror images.
  constexpr int parts = 6;
  const Real begin(path.first), end = Real(path.first) + h * Real(path.count);
  for (int i = 0; i < parts; ++i) {
    for (const int sign : {1, -1}) {
      const double height = sign > 0 ? path.up : path.down;
      const Real y = Real(height) * (Real(i) + widened(Real(0.5), Real(0.5))) / Real(parts);
      const double decay = 6.2831853071795862 / path.h * height / parts;  // below the true one
      const double log_weight = std::log(path.h * 0.1592) - decay * i * (1.0 - 1e-14);  // 1 / (2 pi) < 0.1592
      for (const Real& s : {begin, end}) {
        caps_.push_back(box(Complex(s, Real(sign * piece.side()) * y)));
        caps_.back().base_high += log_weight + 1e-13 * (1.0 + std::abs(log_weight));
      }
    }
  }
  // The path beyond its nodes, until phi decides.
  const auto outside = [&](int direction, double until) {
    double at = direction > 0 ? end.upper() : begin.lower();
    double width = 0.25 / (piece.half ? path.scale : 1.0);
    Real place = direction > 0 ? end : begin;
    while (direction * (until - at) > 0.0) {
      const Real next = place + Real(direction * width);
      const Real cell = hull(place, next);
      Box b = box(Complex(cell));
      b.base_high += std::log(width) + 1e-14 * (1.0 + std::abs(std::log(width)));
      b.im_low = std::max(b.im_low, 0.0);
      outside_.push_back(b);
      place = next;
      at = place.middle();
      width = std::max(width, 0.02 * std::abs(at));
    }
    return place;
  };
  if (!piece.half) {
    front_left_ = outside(-1, path.reach_left);
  }
  if (path.slope == 0.0) {
    const double x0 = piece.half ? 0.5 * (piece.a + piece.n) * piece.mu : 0.0;
    const Real s = outside(1, piece.half ? (path.reach_right - x0) / path.scale : path.reach_right);
    // Re x >= x0 + scale Re s on a half
    front_right_ = piece.half ? rigorous::scaled(Real(piece.a + piece.n) * Real(piece.mu), -1) + Real(path.scale) * s : s;
  }
  // arg (1 - q + v) grows with |v| for fixed arg v in (0, pi): Im l is at least what the mixture that moves to this side
  // has at the front.
  const auto turn = [&](const Real& at, int sign) -> Real {
    if (std::abs(piece.a) == 2 || std::abs(piece.n) == 2) {
      return {};
    }
    for (const int m : {piece.a, piece.n}) {
      if (m * sign > 0) {
        const Real height = piece.half ? Real(path.scale) * Real(path.d) * Real(0.99) : Real(path.d);
        const Real mean = Real(m) * Real(piece.mu);
        const Real v = Real(piece.q) * rigorous::exp(mean * at - rigorous::scaled(mean * mean, -1));
        const Real angle = rigorous::abs(mean) * height;
        const Complex r(Real(1) - Real(piece.q) + v * rigorous::cos(angle), v * rigorous::sin(angle));
        return rigorous::lower_end(rigorous::log(r).im());
      }
    }
    return {};
  };
  if (path.slope == 0.0) {
    turn_right_ = piece.half ? Real() : turn(front_right_, 1);
  }
  if (!piece.half) {
    turn_left_ = turn(front_left_, -1);
  }
  const Real turns = rigorous::scaled(rigorous::pi(), 1) / h;
  factor_up_ = Real(1) / rigorous::expm1(turns * Real(path.up));
  factor_down_ = Real(1) / rigorous::expm1(turns * Real(path.down));
  // The strip must hold no branch point inside either: log r is analytic where |Im u| < pi or |v| > 1 - q.
  const double top = path.d + path.up;
  if (piece.half) {
    const Real highest = (piece.highest() > 3.0 ? rigorous::pi() : rigorous::pi() / Real(3)) / Real(piece.mu);
    if (!(Real(path.scale) * (Real(path.d) + Real(path.up)) < highest) || !(top < 1.57) || path.down > path.d) {
      fail("the strip of a half is too high");
    }
  } else if (path.slope == 0.0) {
    if (!(Real(piece.steepest()) * Real(piece.mu) * (Real(path.d) + Real(path.up)) < rigorous::pi()) ||
        (path.down > path.d && path.up != path.down) ||
        !(Real(2 * piece.steepest()) * Real(piece.mu) * rigorous::max(Real(path.down) - Real(path.d), Real()) < rigorous::pi())) {
      fail("the strip is too high");
    }
  } else if (piece.n != 0 || !(path.slope > 0.0 && path.slope < 1.0) || !(path.up < 2.0 * path.tau) ||
             !(path.down < 2.0 * path.tau)) {
    fail("the bent path");
  }
}

// The integral of |base e^{z l}| beyond front_right_ or front_left_, with Im l >= turn and |r| at most r, the mixture at
// Re x: f(X) / nu where log f falls at least at rate nu from there on.
Real Integral::decay(const Real& x, const Real& y, bool right) const {
  const Real& at = right ? front_right_ : front_left_;
  Real height = piece_.half ? Real(path_.scale) * Real(path_.d) : Real(path_.d);
  if (path_.slope != 0.0) {  // the left end of a bent path is a little higher, at most this from there on
    height += Real(path_.slope) * Real(path_.tau) * rigorous::log1p(rigorous::exp((at - Real(path_.bend)) / Real(path_.tau)));
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
    const Real share = (right == (m > 0)) ? Real(1) : v / r;
    const Real drift = right ? e * mean : -(e * mean);
    rate = rate - rigorous::max(drift, Real()) * share;
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
  for (const Box& b : outside_) {
    sum.add(exponent(xl, xh, yl, yh, b.re_low, b.re_high, b.im_low, b.base_high));
  }
  const Precision low(box_bits);
  Real total = sum.value();
  if (piece_.half) {
    // Left: |dx/ds| <= scale e^s, and near x0 |base| <= phi(x0 - reach) (1 + |v|), |l| <= reach (|a| + |n|) mu 2.
    const Real reach = Real(path_.scale) * rigorous::exp(begin);
    const Real x0 = rigorous::scaled(Real(piece_.a + piece_.n) * Real(piece_.mu), -1);
    const Real near = rigorous::at_least(x0 - reach, Real());
    if (!(Real(piece_.steepest()) * Real(piece_.mu) * reach <= Real(0.5))) {
      Real none;
      arb_pos_inf(none.get());
      return none;
    }
    const Real largest_mean = Real(piece_.steepest()) * Real(piece_.mu);
    const Real ra = rigorous::exp(largest_mean * (x0 + reach));
    const Real slope = Real(std::abs(piece_.a) + std::abs(piece_.n)) * Real(piece_.mu) * Real(2);
    const Real size = rigorous::modulus(Complex(x, y));
    Real front = rigorous::exp(-rigorous::scaled(near * near - reach * reach, -1)) * (Real(1) + Real(piece_.q) * ra);
    front = front * rigorous::exp(size * slope * reach);
    return rigorous::upper_end(total + front * reach + decay(x, y, true));
  }
  total += decay(x, y, false);
  if (path_.slope == 0.0) {
    return rigorous::upper_end(total + decay(x, y, true));
  }
  // Right end of a bent path, |v| >= (1 - q) / share: |r| <= |v| (1 + share), arg r >= arg v - 2 share. The exponent
  // falls at least as fast as at the end: s - slope Im x grows, Im x is convex.
  const PathPoint last = evaluate(piece_, path_, Complex(end));
  const Real mean = Real(piece_.a) * Real(piece_.mu), slope(path_.slope);
  const Real re = last.x.re(), im = rigorous::abs(last.x.im());
  const Real slope_here = slope / (Real(1) + rigorous::exp((Real(path_.bend) - end) / Real(path_.tau)));
  const Real share = (Real(1) - Real(piece_.q)) / Real(piece_.q) *
                     rigorous::exp(rigorous::scaled(mean * mean, -1) - mean * re);
  const Real exponent_a = x + Real(1);
  // d log r / ds = mean x' S, |S - 1| <= off
  const Real off = Real(1.2) * share * Real(1.5);
  const Real fall = re - slope * im - mean * (exponent_a + rigorous::abs(exponent_a) * off) + mean * y * (slope_here - off);
  if (!(share < Real(0.1)) || !fall.positive() || !(off < slope_here)) {
    Real none;
    arb_pos_inf(none.get());
    return none;
  }
  const Real log_r = rigorous::log(Real(piece_.q)) + mean * re - rigorous::scaled(mean * mean, -1) +
                     widened(Real(), rigorous::scaled(share, 1));
  const Real turn = mean * im - rigorous::scaled(share, 1);
  const Real log_value = exponent_a * log_r - y * turn - rigorous::scaled(re * re - im * im, -1);
  total += rigorous::exp(log_value) * rigorous::sqrt(Real(1) + slope * slope) / fall;
  return rigorous::upper_end(total);
}

// x and y: balls of Re z and Im z >= 0.
Real Integral::error(const Real& x, const Real& y, bool geometric) const {
  const double xl = x.lower(), xh = x.upper(), yl = std::max(0.0, y.lower()), yh = y.upper();
  UpperSum above, below;
  for (std::size_t j = 0; j < up_.size(); ++j) {
    const Box &u = up_[j], &d = down_[j];
    const double a = exponent(xl, xh, yl, yh, u.re_low, u.re_high, u.im_low, u.base_high);
    const double b = exponent(xl, xh, yl, yh, d.re_low, d.re_high, d.im_low, d.base_high);
    if (geometric) {
      above.add(0.5 * (a + b) + 1e-15 * (std::abs(a) + std::abs(b)));
    } else {
      above.add(a);
      below.add(b);
    }
  }
  const Precision low(box_bits);
  if (geometric) {
    return rigorous::upper_end(Real(2) * above.value() * rigorous::max(factor_up_, factor_down_) + ends(x, y, geometric));
  }
  return rigorous::upper_end(above.value() * factor_up_ + below.value() * factor_down_ + ends(x, y, geometric));
}

Complex Integral::at(const Complex& z) const {
  const slong bits = Precision::bits();
  const double x = z.re().middle(), y = z.im().middle();
  const double cut = reference_ - digits_ - std::log(static_cast<double>(loss_.size()));
  Complex sum, e;
  UpperSum dropped;
  for (std::size_t j = 0; j < loss_.size(); ++j) {
    const Box& b = here_[j];
    const double v = exponent(x, x, y, y, b.re_low, b.re_high, b.im_low, b.base_high);
    if (v < cut) {
      dropped.add(v + 1e-12 * (1.0 + std::abs(v)));
      continue;
    }
    acb_mul(e.get(), loss_[j].get(), z.get(), bits);
    acb_exp(e.get(), e.get(), bits);
    acb_addmul(sum.get(), e.get(), weight_[j].get(), bits);
  }
  Real slack = dropped.value() + error(z.re(), z.im(), false);
  acb_add_error_arb(sum.get(), slack.get());
  return sum;
}

Real Integral::bound(const Complex& z, double radius, double m) const {
  const Precision low(box_bits);
  const slong bits = box_bits;
  const double x = z.re().middle(), y = z.im().middle();
  const double cut = reference_ - 30.0 - std::log(static_cast<double>(loss_.size()));
  Complex s0, s1, e, t;
  UpperSum s2, dropped;
  const Real center(m);
  for (std::size_t j = 0; j < loss_.size(); ++j) {
    const Box& b = here_[j];
    const double v = exponent(x, x, y, y, b.re_low, b.re_high, b.im_low, b.base_high);
    // |l - m|, rounded up
    const double away = std::hypot(std::max(std::abs(b.re_low - m), std::abs(b.re_high - m)), b.im_high) * (1.0 + 1e-14);
    const double grown = v + radius * away * (1.0 + 1e-15);
    if (grown < cut) {
      dropped.add(grown);
      continue;
    }
    acb_mul(e.get(), loss_[j].get(), z.get(), bits);
    acb_exp(e.get(), e.get(), bits);
    acb_mul(e.get(), e.get(), weight_[j].get(), bits);
    acb_add(s0.get(), s0.get(), e.get(), bits);
    acb_sub_arb(t.get(), loss_[j].get(), center.get(), bits);
    acb_addmul(s1.get(), e.get(), t.get(), bits);
    s2.add(grown, away * away * (1.0 + 1e-14));
  }
  const Real r(radius), around = widened(Real(), r);
  Real total = rigorous::abs(s0) + r * rigorous::abs(s1) + rigorous::scaled(r * r, -1) * s2.value() + dropped.value();
  const Real slack = error(z.re() + around, z.im() + around, false) * rigorous::exp(rigorous::abs(center) * r);
  total += slack;
  return rigorous::upper_end(total);
}

Real Integral::beyond(const Complex& z) const {
  if (path_.up != path_.down) {  // the geometric mean is that of one height
    throw ConvergenceError("no proof: the strip of a tail is uneven");
  }
  const Precision low(box_bits);
  const double x = z.re().middle(), y = z.im().middle();
  Complex e;
  Real sum;
  UpperSum small;
  for (std::size_t j = 0; j < loss_.size(); ++j) {
    const Box& b = here_[j];
    const double v = exponent(x, x, y, y, b.re_low, b.re_high, b.im_low, b.base_high);
    if (v < reference_ - 60.0) {
      small.add(v);
      continue;
    }
    acb_mul(e.get(), loss_[j].get(), z.get(), box_bits);
    acb_exp(e.get(), e.get(), box_bits);
    acb_mul(e.get(), e.get(), weight_[j].get(), box_bits);
    sum += rigorous::abs(e);
  }
  return rigorous::upper_end(sum + small.value() + error(z.re(), z.im(), true));
}

}  // namespace dpcurves::accounting::proof
