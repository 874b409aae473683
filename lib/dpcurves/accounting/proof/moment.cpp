// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/proof/moment.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

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

double modulus(double re, double im) { return std::sqrt(re * re + im * im) * (1.0 + 1e-15) + 1e-300; }

/// Neumaier's sum: off by two units of the sum, and by units of units of the moduli.
class CompensatedSum {
 public:
  void add(double v) {
    const double sum = sum_ + v;
    rest_ += std::abs(sum_) >= std::abs(v) ? (sum_ - sum) + v : (v - sum) + sum_;
    sum_ = sum;
  }
  [[nodiscard]] double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0.0, rest_ = 0.0;
};

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

void Integral::Boxes::add(const Box& b) {
  re_low.push_back(b.re_low);
  re_high.push_back(b.re_high);
  im_low.push_back(b.im_low);
  im_high.push_back(b.im_high);
  base_high.push_back(b.base_high);
}

Integral::Integral(const Piece& piece, const Path& path, double reference, double digits)
    : piece_(piece), path_(path), reference_(reference), digits_(digits) {
  const auto fail = [](const char* what) { throw ConvergenceError(std::string("no proof: ") + what); };
  if (!(path.h > 0.0 && path.up > 0.0 && path.down > 0.0 && path.d > 0.0 && path.scale > 0.0 && path.tau > 0.0) ||
      !(path.slope >= 0.0) || path.count < 1) {
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
    const double turn = p.loss.im().lower();
    const Box b{p.loss.re().lower(), p.loss.re().upper(), turns_one_way() ? std::max(0.0, turn) : turn,
                p.loss.im().upper(), p.log_base.re().upper() + log_h};
    here_.push_back(b);
    const auto spread = [](const Real& v) { return v.radius() + 1.2e-16 * std::abs(v.middle()); };
    nodes_.loss_re.push_back(p.loss.re().middle());
    nodes_.loss_im.push_back(p.loss.im().middle());
    nodes_.loss_error.push_back(spread(p.loss.re()) + spread(p.loss.im()));
    const Complex& w = weight_[k];
    weights_.re.push_back(w.re().middle());
    weights_.im.push_back(w.im().middle());
    weights_.size.push_back(modulus(w.re().middle(), w.im().middle()));
    weights_.loss_size.push_back(modulus(p.loss.re().middle(), p.loss.im().middle()));
    weights_.error.push_back(spread(w.re()) + spread(w.im()));
    nodes_.log_re.push_back(p.log_base.re().middle() + std::log(path.h));
    nodes_.log_im.push_back(p.log_base.im().middle());
    nodes_.log_error.push_back(spread(p.log_base.re()) + spread(p.log_base.im()) + 4e-16 * std::abs(std::log(path.h)) +
                               2.3e-16 * std::abs(nodes_.log_re.back()));
    if (!std::isfinite(b.re_low) || !std::isfinite(b.re_high) || !std::isfinite(b.im_low) ||
        !std::isfinite(b.im_high)) {
      fail("a node outside the domain");
    }
  }
  set_leading();
  const Precision low(box_bits);
  const Real half_cell = widened(Real(), Real(0.5) * h);
  const bool one_side = path.slope == 0.0 && path.down <= path.d;  // of the real line: Im l >= 0 there
  const auto line = [&](double height, Boxes& out) {
    for (long j = 0; j < path.count; ++j) {
      const Real s = Real(path.first) + h * (Real(j) + Real(0.5)) + half_cell;
      Box b = box(Complex(s, Real(height)));
      b.base_high += log_h;
      if (!std::isfinite(b.re_low) || !std::isfinite(b.re_high) || !std::isfinite(b.im_low) ||
          std::isnan(b.base_high)) {
        fail("the strip meets a branch point");
      }
      b.im_low = one_side ? std::max(b.im_low, 0.0) : b.im_low;
      out.add(b);
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
        caps_.back().im_low = one_side ? std::max(caps_.back().im_low, 0.0) : caps_.back().im_low;
      }
    }
  }
  // The path beyond its nodes, until phi decides.
  const auto outside = [&](int direction, double until) {
    const double first = direction > 0 ? end.upper() : begin.lower();
    double at = first;
    double width = 0.25 / (piece.half ? path.scale : 1.0);
    Real place = direction > 0 ? end : begin;
    while (direction * (until - at) > 0.0) {
      const double rest = direction * (until - at);  // up to a cut, no further
      width = piece.cut() && rest < width ? rest + 1e-9 : width;
      const Real next = place + Real(direction * width);
      const Real cell = hull(place, next);
      Box b = box(Complex(cell));
      b.base_high += std::log(width) + 1e-14 * (1.0 + std::abs(std::log(width)));
      b.im_low = turns_one_way() ? std::max(b.im_low, 0.0) : b.im_low;
      outside_.add(b);
      place = next;
      at = place.middle();
      width = std::max(width, 0.02 * std::abs(at - first));
    }
    return place;
  };
  if (!piece.half) {
    front_left_ = outside(-1, path.reach_left);
  }
  const double x0 = piece.half ? 0.5 * (piece.a + piece.n) * piece.mu : 0.0;
  const Real last = outside(1, piece.half ? (path.reach_right - x0) / path.scale : path.reach_right);
  // Straight to the real line, where a law is cut off.
  const auto come_down = [&](const Real& from, double to) {
    Piece whole = piece;
    whole.half = false;
    const Path real;  // x = s
    const Complex off = evaluate(piece, path, Complex(from)).x - Complex(Real(to));
    constexpr int steps = 12;
    const Real length = rigorous::modulus(off) / Real(steps);
    const double log_length = rigorous::log(length).upper();
    for (int i = 0; i < steps; ++i) {
      const Real share = (Real(i) + widened(Real(0.5), Real(0.5))) / Real(steps);
      const PathPoint at = evaluate(whole, real, Complex(Real(to)) + off * Complex(share));
      outside_.add({at.loss.re().lower(), at.loss.re().upper(), std::max(0.0, at.loss.im().lower()), at.loss.im().upper(),
                    at.log_base.re().upper() + log_length + 1e-14 * (1.0 + std::abs(log_length))});
    }
  };
  if (piece.cut()) {
    if (path.slope != 0.0 || piece.half != !std::isfinite(piece.left)) {
      fail("a law is cut off on horizontal paths only, at both ends");
    }
    come_down(last, piece.right);
    if (!piece.half) {
      come_down(front_left_, piece.left);
    }
  } else if (path.slope == 0.0) {
    // Re x >= x0 + scale Re s on a half
    front_right_ = piece.half ? rigorous::scaled(Real(piece.a + piece.n) * Real(piece.mu), -1) + Real(path.scale) * last : last;
  } else {
    set_top(last);
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
  if (path.slope == 0.0 && !piece.cut()) {
    turn_right_ = piece.half ? Real() : turn(front_right_, 1);
  }
  if (!piece.half && !piece.cut()) {
    turn_left_ = turn(front_left_, -1);
  }
  const Real turns = rigorous::scaled(rigorous::pi(), 1) / h;
  factor_up_ = Real(1) / rigorous::expm1(turns * Real(path.up));
  factor_down_ = Real(1) / rigorous::expm1(turns * Real(path.down));
  // The strip must hold no branch point inside either: log r is analytic where |Im u| < pi or |v| > 1 - q.
  const double top = path.d + path.up;
  if (piece.half && path.slope != 0.0) {
    if (!(top < 1.57) || path.down > path.d || !(path.up < 2.0 * path.tau) || !(path.down < 2.0 * path.tau)) {
      fail("the strip of a half is too high");
    }
  } else if (piece.half) {
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
  } else if (!(path.slope < 1.0) || !(path.up < 2.0 * path.tau) ||
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

// |x - x0| and the length of the path are at most `reach` there; |base| <= phi(x0 - reach) (1 + |v|), v of the alternative at
// its largest, and
// |l| <= reach (|a| + |n|) mu 2.
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

// d log |base e^{z l} / (dx/ds)| / ds = -Re(x x') + Re((z + 1) (log r_a)' x' - z (log r_n)' x'), (log r_m)' = m mu within
// |m| mu off for m > 0, and 0 within that for m < 0. Re x and |Im x| grow at most and at least linearly, the first
// faster: the largest value of the bound below is that at the top.
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

double Integral::total(const Boxes& boxes, const Boxes* other, double x_low, double x_high, double y_low,
                       double y_high) const {
  constexpr std::size_t block = 128;
  std::array<double, block> v{};
  const auto fill = [&](const Boxes& b, std::size_t from, std::size_t n, std::size_t stride, auto&& act) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i * stride;
      act(i, exponent(x_low, x_high, y_low, y_high, b.re_low[j], b.re_high[j], b.im_low[j], b.base_high[j]));
    }
  };
  double sum = 0.0;
  bool finite = true;
  for (std::size_t from = 0; from < boxes.size(); from += block) {
    const std::size_t n = std::min(block, boxes.size() - from);
    fill(boxes, from, n, 1, [&](std::size_t i, double e) { v[i] = e; });
    if (other != nullptr) {
      fill(*other, from, n, 1, [&](std::size_t i, double e) {
        v[i] = 0.5 * (v[i] + e) + 1e-15 * (std::abs(v[i]) + std::abs(e));
      });
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double e = v[i] - reference_;
      finite = finite && e <= 650.0;
      v[i] = e + 4e-16 * (std::abs(v[i]) + std::abs(reference_));
    }
    if (!finite) {
      return HUGE_VAL;
    }
    rigorous::exponentials(n, v.data(), v.data());
    for (std::size_t i = 0; i < n; ++i) {
      sum += v[i];
    }
  }
  return sum * (1.0 + 1e-11);  // a unit of 2^-53 for each of fewer than 1e5 terms
}

// x and y: balls of Re z and Im z >= 0.
Real Integral::error(const Real& x, const Real& y, bool geometric) const {
  const double xl = x.lower(), xh = x.upper(), yl = std::max(0.0, y.lower()), yh = y.upper();
  const Precision low(box_bits);
  const Real unit = rigorous::exp(Real(reference_));
  if (geometric) {
    const Real sum = Real(total(up_, &down_, xl, xh, yl, yh)) * unit;
    return rigorous::upper_end(Real(2) * sum * rigorous::max(factor_up_, factor_down_) + ends(x, y, geometric));
  }
  const Real above(total(up_, nullptr, xl, xh, yl, yh)), below(total(down_, nullptr, xl, xh, yl, yh));
  return rigorous::upper_end((above * factor_up_ + below * factor_down_) * unit + ends(x, y, geometric));
}

// An exponent w + z l in doubles is off by a few roundings of its parts and by the radii of the balls: by d, say, and its
// exponential by a factor between e^{-d} and e^d, e^d - 1 <= d (1 + d) for d <= 1.
Integral::Sums Integral::sums(double x, double y, double radius, double m) const {
  constexpr std::size_t block = 128;
  std::array<double, block> re{}, im{}, off{}, away{}, far{};
  Sums all;
  bool finite = true;
  const double order = std::abs(x) + std::abs(y);
  const Nodes& nodes = nodes_;
  for (std::size_t from = 0; from < nodes.loss_re.size(); from += block) {
    const std::size_t n = std::min(block, nodes.loss_re.size() - from);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes.loss_re[j], li = nodes.loss_im[j];
      const double size = std::abs(nodes.log_re[j]) + std::abs(nodes.log_im[j]) + std::abs(reference_) +
                          order * (std::abs(lr) + std::abs(li));
      const double v = nodes.log_re[j] + x * lr - y * li - reference_, turn = nodes.log_im[j] + x * li + y * lr;
      const bool reduced = std::abs(turn) <= rigorous::largest_angle;
      const double d = 1e-15 * size + nodes.log_error[j] + order * nodes.loss_error[j] + 2.0 * rigorous::exponential_error;
      finite = finite && v <= 650.0;
      re[i] = v;
      im[i] = reduced ? turn : 0.0;
      off[i] = reduced && d < 1.0 ? d * (1.0 + d) : reduced ? HUGE_VAL : 3.0;
      const double gap = std::max(std::abs(lr - m), 0.0);
      away[i] = (gap + std::abs(li)) * (1.0 + 1e-15) + 4e-16 * (std::abs(lr) + std::abs(m)) + nodes.loss_error[j];
      const double reach = std::sqrt(gap * gap + li * li) * (1.0 + 1e-14) + 4e-16 * (std::abs(lr) + std::abs(m)) + nodes.loss_error[j];
      far[i] = v + radius * reach + d + 1e-15 * (std::abs(v) + size + radius * reach);
      finite = finite && far[i] <= 650.0;
    }
    if (!finite) {
      all.error = all.moved_error = all.second = HUGE_VAL;
      return all;
    }
    std::array<double, block> size{};
    rigorous::exponentials(n, re.data(), size.data());
    rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    if (radius > 0.0) {
      rigorous::exponentials(n, far.data(), far.data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes.loss_re[j] - m, li = nodes.loss_im[j];
      all.re += re[i];
      all.im += im[i];
      all.error += size[i] * off[i];
      if (radius > 0.0) {
        all.moved_re += re[i] * lr - im[i] * li;
        all.moved_im += re[i] * li + im[i] * lr;
        all.moved_error += size[i] * away[i] * (off[i] + 2e-15);
        all.second += far[i] * away[i] * away[i];
      }
      all.size += size[i];
      all.moved_size += size[i] * away[i];
    }
  }
  // Each of the n additions adds at most a unit of 2^-53 of all moduli.
  const double additions = 1.2e-16 * static_cast<double>(nodes.loss_re.size() + 8);
  all.error = (all.error + additions * all.size) * (1.0 + 1e-10);
  all.moved_error = (all.moved_error + additions * all.moved_size) * (1.0 + 1e-10);
  all.second *= 1.0 + 1e-10;
  return all;
}

Complex Integral::at(const Complex& z, bool quick) const {
  const slong bits = Precision::bits();
  const double x = z.re().middle(), y = z.im().middle();
  const Real slack = error(z.re(), z.im(), false);
  if (quick && z.re().radius() + z.im().radius() < 1e-16 * (std::abs(x) + std::abs(y))) {
    const Sums s = sums(x, y, 0.0, 0.0);
    if (std::isfinite(s.error)) {
      const Precision low(box_bits);
      const Real unit = rigorous::exp(Real(reference_));
      Complex sum(Real(s.re) * unit, Real(s.im) * unit);
      acb_add_error_arb(sum.get(), rigorous::upper_end(Real(s.error) * unit + slack).get());
      return sum;
    }
  }
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
  acb_add_error_arb(sum.get(), (dropped.value() + slack).get());
  return sum;
}

void Integral::set_leading() {
  constexpr double unseen = 1e-18;
  const auto loss = [&](std::size_t j) { return weights_.loss_size[j] + nodes_.loss_error[j]; };
  double all = 0.0;
  for (std::size_t j = 0; j < weights_.size.size(); ++j) {
    all += weights_.size[j] * loss(j);
  }
  for (std::size_t j = 0; j < weights_.size.size(); ++j) {
    const double sum = weights_.leading_sum + (weights_.size[j] + weights_.error[j]) * loss(j) * (1.0 + 1e-12);
    if (!(sum < unseen * all)) {
      break;
    }
    weights_.leading_sum = sum;
    weights_.leading_loss = std::max(weights_.leading_loss, loss(j) * (1.0 + 1e-12));
    weights_.leading = j + 1;
  }
}

// t = z l is off by three roundings of |z| |l| and what z and l are off by, d in all. Where |t| <= 1/2, e^t - 1 is t times
// a polynomial by Horner's scheme: u = 2^-53; a product is off by 2.9 u of its modulus, each level by u and a quarter of
// 5 u and of the level before, the whole by less than 8 u |t|; d counts e^{1/2} times. Elsewhere the difference is off by
// the error of e^t and one more rounding. Blocks are short, because along a half losses grow exponentially.
Complex Integral::less_one(const Complex& z) const {
  constexpr std::size_t block = 16;
  constexpr double rounding = 1.2e-16, most = 1e9, near = 0.5;
  constexpr int degree = 16;  // 0.5^16 / 17! < 1e-19
  std::array<double, block> re{}, im{}, size{}, away{};
  const double x = z.re().middle(), y = z.im().middle(), order = modulus(x, y);
  const double z_error = z.re().radius() + z.im().radius() + rounding * order;
  const std::size_t count = nodes_.loss_re.size();
  CompensatedSum sum_re, sum_im;
  double error = 0.0, moduli = 0.0;
  bool served = order <= most;
  std::size_t first = 0;
  if (weights_.leading > 0 && order * weights_.leading_loss <= near) {
    first = weights_.leading;
    error = 1.7 * order * weights_.leading_sum;
  }
  for (std::size_t from = first; from < count && served; from += block) {
    const std::size_t n = std::min(block, count - from);
    double farthest = 0.0, angle = 0.0, highest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double lr = nodes_.loss_re[j], li = nodes_.loss_im[j], l = weights_.loss_size[j];
      re[i] = x * lr - y * li;
      im[i] = x * li + y * lr;
      size[i] = order * l;
      away[i] = order * (3.0 * rounding * l + nodes_.loss_error[j]) + z_error * l;
      farthest = std::max(farthest, size[i]);
      angle = std::max(angle, std::abs(im[i]));
      highest = std::max(highest, re[i]);
    }
    if (farthest <= near) {
      for (std::size_t i = 0; i < n; ++i) {
        double pr = 1.0, pi = 0.0;
        for (int k = degree; k > 1; --k) {
          const double inverse = 1.0 / k, a = re[i] * pr - im[i] * pi, b = re[i] * pi + im[i] * pr;
          pr = 1.0 + a * inverse;
          pi = b * inverse;
        }
        const double tr = re[i], ti = im[i];
        re[i] = tr * pr - ti * pi;
        im[i] = tr * pi + ti * pr;
        away[i] = 8.0 * rounding * size[i] + 1.7 * away[i];
        size[i] *= 1.3;
      }
    } else if (angle <= rigorous::largest_angle && highest <= 650.0) {
      rigorous::exponentials(n, re.data(), size.data());
      rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
      for (std::size_t i = 0; i < n; ++i) {
        re[i] -= 1.0;
        away[i] = size[i] * (2.0 * rigorous::exponential_error + (away[i] < 1.0 ? away[i] * (1.0 + away[i]) : 3.0)) +
                  rounding * (size[i] + 1.0);
        size[i] += 1.0;
      }
    } else {
      served = false;
      break;
    }
    double part_re[4]{}, part_im[4]{};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = from + i;
      const double wr = weights_.re[j], wi = weights_.im[j], w = weights_.size[j];
      part_re[i % 4] += wr * re[i] - wi * im[i];
      part_im[i % 4] += wr * im[i] + wi * re[i];
      error += w * away[i] + (weights_.error[j] + 3.0 * rounding * w) * size[i];
      moduli += w * size[i];
    }
    sum_re.add((part_re[0] + part_re[1]) + (part_re[2] + part_re[3]));
    sum_im.add((part_im[0] + part_im[1]) + (part_im[2] + part_im[3]));
  }
  constexpr double additions = 9.0 * rounding;  // six of a block, three for the compensated sum of blocks
  error = (error + additions * moduli) * (1.0 + 1e-10);
  if (!served || !(error < HUGE_VAL)) {
    throw ConvergenceError("no proof: the order is too large for doubles");
  }
  return {widened(Real(sum_re.value()), Real(error)), widened(Real(sum_im.value()), Real(error))};
}

Real Integral::quadrature_error(double x, double most_y) const {
  return error(Real(x), hull(Real(), Real(most_y)), false);
}

Integral::Expansion Integral::expand(const Complex& z, double radius, double m) const {
  const Precision low(box_bits);
  const Real around = widened(Real(), Real(radius));
  const Sums s = sums(z.re().middle(), z.im().middle(), radius, m);
  const Real unit = rigorous::exp(Real(reference_));
  Expansion e;
  e.zeroth = Complex(widened(Real(s.re), Real(s.error)) * unit, widened(Real(s.im), Real(s.error)) * unit);
  e.first = Complex(widened(Real(s.moved_re), Real(s.moved_error)) * unit, widened(Real(s.moved_im), Real(s.moved_error)) * unit);
  e.second = Real(s.second) * unit;
  e.error = error(z.re() + around, z.im() + around, false) * rigorous::exp(Real(std::abs(m)) * Real(radius));
  return e;
}

bool Integral::turns_one_way() const { return path_.slope == 0.0 || piece_.steepest() == 1; }

// Cell by cell: the path of a half with a slope may have zeros of dx/ds near it, and rises over all angles.
Real Integral::beyond_by_cells(const Complex& z) const {
  const Precision low(box_bits);
  const double x = z.re().middle(), y = z.im().middle();
  const Real h(path_.h), half_cell = widened(Real(), rigorous::scaled(h, -1));
  const double log_h = std::log(path_.h) + 1e-15 * (1.0 + std::abs(std::log(path_.h)));
  UpperSum sum;
  const auto add = [&](Box b) {
    if (!turns_one_way() && !(b.im_low >= 0.0)) {
      throw ConvergenceError("no proof: the loss turns back");
    }
    b.im_low = std::max(b.im_low, 0.0);
    sum.add(exponent(x, x, y, y, b.re_low, b.re_high, b.im_low, b.base_high));
  };
  for (long j = 0; j < path_.count; ++j) {
    Box b = box(Complex(Real(path_.first) + h * (Real(j) + Real(0.5)) + half_cell));
    b.base_high += log_h;
    add(b);
  }
  for (std::size_t i = 0; i < outside_.size(); ++i) {
    add({outside_.re_low[i], outside_.re_high[i], outside_.im_low[i], outside_.im_high[i], outside_.base_high[i]});
  }
  return rigorous::upper_end(sum.value() + left_of_half(z.re(), z.im()) + up_the_slope(z.re(), z.im()));
}

Real Integral::beyond(const Complex& z) const {
  if (piece_.half && path_.slope != 0.0) {
    return beyond_by_cells(z);
  }
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
