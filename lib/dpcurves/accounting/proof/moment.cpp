// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/accounting/proof/exponent.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

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

Box Integral::box(const Evaluation& evaluation, const Complex& s) const {
  const PathPoint p = evaluation(s);
  return {p.loss.re().lower(), p.loss.re().upper(), p.loss.im().lower(), p.loss.im().upper(),
          (p.log_base.re() + Real(log_share(piece_, p.x))).upper()};
}

void Integral::Boxes::add(const Box& b) {
  re_low.push_back(b.re_low);
  re_high.push_back(b.re_high);
  im_low.push_back(b.im_low);
  im_high.push_back(b.im_high);
  base_high.push_back(b.base_high);
}

double Integral::Boxes::exponent_at(std::size_t j, const Orders& z) const {
  return exponent(z.x_low, z.x_high, z.y_low, z.y_high, re_low[j], re_high[j], im_low[j], base_high[j]);
}

Integral::Integral(const Piece& piece, const Path& path, double reference, double digits)
    : piece_(piece), path_(path), reference_(reference), digits_(digits) {
  const auto fail = [](const char* what) { throw ConvergenceError(std::string("no proof: ") + what); };
  if (!(path.h > 0.0 && path.up > 0.0 && path.down > 0.0 && path.d > 0.0 && path.scale > 0.0 && path.tau > 0.0) ||
      !(path.slope >= 0.0) || path.count < 1) {
    fail("a path without extent");
  }
  const double log_h = std::log(path.h) + 1e-15 * (1.0 + std::abs(std::log(path.h)));
  {
    const Precision low(box_bits);
    unit_ = rigorous::exp(Real(reference));
  }
  std::optional<Cells> cells;
  if (Cells::serve(piece, path)) {
    cells.emplace(piece, path);
  }
  plain_ = cells && fill_plainly(*cells);
  if (!plain_) {
    fill_from_balls();
  }
  const Real h(path.h);
  const Precision low(box_bits);
  const Evaluation rough(piece, path);
  const Real half_cell = widened(Real(), Real(0.5) * h);
  const bool one_side = path.slope == 0.0 && path.down <= path.d;  // of the real line: Im l >= 0 there
  const double slack = 1e-15 * (std::abs(path.first) + path.h * static_cast<double>(path.count));  // of a place
  const auto line = [&](double height, Boxes& out) {
    for (long j = 0; j < path.count; ++j) {
      const double left = path.first + path.h * static_cast<double>(j);
      const auto found = cells ? cells->over(left - slack, left + path.h + slack, height, height) : std::nullopt;
      Box b =
          found ? *found : box(rough, Complex(Real(path.first) + h * (Real(j) + Real(0.5)) + half_cell, Real(height)));
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
  // Caps: the integral of |f| / (1 + e^{2 pi |y| / h}) over both ends, in cells; cells 4 i and 4 i + 2 are mirror
  // images.
  constexpr int parts = 6;
  std::vector<Box> cap;
  const Real begin(path.first), end = Real(path.first) + h * Real(path.count);
  for (int i = 0; i < parts; ++i) {
    for (const int sign : {1, -1}) {
      const double height = sign > 0 ? path.up : path.down;
      const Real y = Real(height) * (Real(i) + widened(Real(0.5), Real(0.5))) / Real(parts);
      const double decay = 6.2831853071795862 / path.h * height / parts;                // below the true one
      const double log_weight = std::log(path.h * 0.1592) - decay * i * (1.0 - 1e-14);  // 1 / (2 pi) < 0.1592
      for (const Real& s : {begin, end}) {
        const double x = s.middle(), near = sign * piece.side() * height * i / parts,
                     far = sign * piece.side() * height * (i + 1) / parts;
        const auto found = cells ? cells->over(x - slack, x + slack, std::min(near, far) - 1e-15 * height,
                                               std::max(near, far) + 1e-15 * height)
                                 : std::nullopt;
        Box b = found ? *found : box(rough, Complex(s, Real(sign * piece.side()) * y));
        b.base_high += log_weight + 1e-13 * (1.0 + std::abs(log_weight));
        b.im_low = one_side ? std::max(b.im_low, 0.0) : b.im_low;
        cap.push_back(b);
      }
    }
  }
  for (std::size_t i = 0; i < cap.size(); ++i) {
    caps_.add(cap[i]);
    mirrored_caps_.add(cap[i ^ 2U]);
  }
  // The path beyond its nodes, until phi decides.
  const auto outside = [&](int direction, double until) {
    const double first = direction > 0 ? end.upper() : begin.lower();
    double at = first;
    // narrow against e^u, whose ball must not reach the branch point where the mixture's two parts are alike
    const double unit = piece.half ? path.scale : 1.0;
    double width = std::min(0.25, 0.5 / (piece.steepest() * piece.mu)) / unit;
    const double widest = piece.part == Piece::Part::whole ? HUGE_VAL : 0.2 * piece.blur / unit;  // of a partition
    Real place = direction > 0 ? end : begin;
    while (direction * (until - at) > 0.0) {
      const double rest = direction * (until - at);  // up to a cut, no further
      width = piece.cut() && rest < width ? rest + 1e-9 : width;
      const Real next = place + Real(direction * width);
      const double first_x = std::min(place.middle(), next.middle()), last_x = std::max(place.middle(), next.middle());
      const double wide = 1e-15 * (std::abs(first_x) + std::abs(last_x));
      const auto found = cells ? cells->over(first_x - wide, last_x + wide, 0.0, 0.0) : std::nullopt;
      Box b = found ? *found : box(rough, Complex(hull(place, next)));
      b.base_high += std::log(width) + 1e-14 * (1.0 + std::abs(std::log(width)));
      b.im_low = turns_one_way() ? std::max(b.im_low, 0.0) : b.im_low;
      outside_.add(b);
      place = next;
      at = place.middle();
      width = std::min(widest, std::max(width, 0.02 * std::abs(at - first)));
    }
    return place;
  };
  const Real first = piece.half ? begin : outside(-1, path.reach_left);
  const double x0 = piece.half ? 0.5 * (piece.a + piece.n) * piece.mu : 0.0;
  const Real last = outside(1, piece.half ? (path.reach_right - x0) / path.scale : path.reach_right);
  // Straight to the real line, where a law is cut off.
  const auto come_down = [&](const Real& from, double to) {
    Piece whole = piece;
    whole.half = false;
    const Path real;  // x = s
    const Evaluation on_real(whole, real);
    const Complex off = rough(Complex(from)).x - Complex(Real(to));
    constexpr int steps = 12;
    const Real length = rigorous::modulus(off) / Real(steps);
    const double log_length = rigorous::log(length).upper();
    for (int i = 0; i < steps; ++i) {
      const Real share = (Real(i) + widened(Real(0.5), Real(0.5))) / Real(steps);
      const PathPoint at = on_real(Complex(Real(to)) + off * Complex(share));
      outside_.add({at.loss.re().lower(), at.loss.re().upper(), std::max(0.0, at.loss.im().lower()),
                    at.loss.im().upper(),
                    (at.log_base.re() + Real(log_share(piece, at.x))).upper() + log_length +
                        1e-14 * (1.0 + std::abs(log_length))});
    }
  };
  if (piece.part != Piece::Part::whole && !piece.cut()) {
    fail("a part of a law is cut off");
  }
  if (piece.cut()) {
    if (path.slope != 0.0 || piece.half != !std::isfinite(piece.left)) {
      fail("a law is cut off on horizontal paths only, at both ends");
    }
    come_down(last, piece.right);
    if (!piece.half) {
      come_down(first, piece.left);
    }
  } else if (path.slope != 0.0) {
    set_top(last);
  }
  // arg (1 - q + v) grows with |v| for fixed arg v in (0, pi): Im l is at least what the mixture that moves to this
  // side has at the front.
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
  if (path.slope == 0.0 && !piece.cut()) {  // Re x >= x0 + scale Re s on a half
    const Real front =
        piece.half ? rigorous::scaled(Real(piece.a + piece.n) * Real(piece.mu), -1) + Real(path.scale) * last : last;
    right_ = decay_of(front, piece.half ? Real() : turn(front, 1), true);
  }
  if (!piece.half && !piece.cut()) {
    left_ = decay_of(first, turn(first, -1), false);
  }
  if (piece.half) {
    set_left_of_half();
  }
  const Real turns = rigorous::scaled(rigorous::pi(), 1) / h;
  factor_up_ = (Real(1) / rigorous::expm1(turns * Real(path.up))).upper();
  factor_down_ = (Real(1) / rigorous::expm1(turns * Real(path.down))).upper();
  // The strip must hold no branch point inside either: log r is analytic where |Im u| < pi or |v| > 1 - q.
  const double top = path.d + path.up;
  if (piece.half && path.slope != 0.0) {
    if (!(top < 1.57) || path.down > path.d || !(path.up < 2.0 * path.tau) || !(path.down < 2.0 * path.tau)) {
      fail("the strip of a half is too high");
    }
  } else if (piece.half) {
    const Real highest = (piece.highest() > 3.0 ? rigorous::pi() : rigorous::pi() / Real(3)) / Real(piece.mu);
    if (!(Real(path.scale) * (Real(path.d) + Real(path.up)) < highest) || !(top < 1.57) ||
        (path.down > path.d && path.up != path.down)) {
      fail("the strip of a half is too high");
    }
  } else if (path.slope == 0.0) {
    const bool high = !(Real(piece.steepest()) * Real(piece.mu) * (Real(path.d) + Real(path.up)) < rigorous::pi());
    if ((high && !piece.beyond_branches()) || (path.down > path.d && path.up != path.down) ||
        !(Real(2 * piece.steepest()) * Real(piece.mu) * rigorous::max(Real(path.down) - Real(path.d), Real()) <
          rigorous::pi())) {
      fail("the strip is too high");
    }
  } else if (!(path.slope < 1.0) || !(path.up < 2.0 * path.tau) || !(path.down < 2.0 * path.tau)) {
    fail("the bent path");
  }
  if (plain_) {
    set_mass();
  }
}

Integral::Orders::Orders(const Real& x, const Real& y)
    : x_low(x.lower()), x_high(x.upper()), y_low(std::max(0.0, y.lower())), y_high(y.upper()) {}

Integral::Orders::Orders(double x, double y, double radius)
    : x_low(x - radius - 2e-16 * std::abs(x)),
      x_high(x + radius + 2e-16 * std::abs(x)),
      y_low(std::max(0.0, y - radius - 2e-16 * std::abs(y))),
      y_high(y + radius + 2e-16 * std::abs(y)) {}

double Integral::total(const Boxes& boxes, const Boxes* other, const Orders& z, double scale) const {
  constexpr std::size_t block = 128;
  std::array<double, block> v{};
  double sum = 0.0;
  bool finite = true;
  for (std::size_t from = 0; from < boxes.size(); from += block) {
    const std::size_t n = std::min(block, boxes.size() - from);
    for (std::size_t i = 0; i < n; ++i) {
      v[i] = boxes.exponent_at(from + i, z);
    }
    for (std::size_t i = 0; other != nullptr && i < n; ++i) {
      const double e = other->exponent_at(from + i, z);
      v[i] = 0.5 * (v[i] + e) + 1e-15 * (std::abs(v[i]) + std::abs(e));
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double e = v[i] - scale;
      finite = finite && e <= 650.0;
      v[i] = e + 4e-16 * (std::abs(v[i]) + std::abs(scale));
    }
    if (!finite) {
      return HUGE_VAL;
    }
    rigorous::exponentials(n, v.data(), v.data());
    for (std::size_t i = 0; i < n; ++i) {
      sum += v[i];
    }
  }
  return sum * (1.0 + rigorous::exponential_error + 1.2e-16 * static_cast<double>(boxes.size() + 8));
}

double Integral::error(const Orders& z, bool geometric, double scale) const {
  constexpr double roundings = 1.0 + 1e-15;
  const double all = ends(z, geometric, scale);
  if (geometric) {
    return (2.0 * total(up_, &down_, z, scale) * std::max(factor_up_, factor_down_) + all) * roundings;
  }
  return (total(up_, nullptr, z, scale) * factor_up_ + total(down_, nullptr, z, scale) * factor_down_ + all) *
         roundings;
}

double Integral::largest(const Orders& z) const {
  double most = -HUGE_VAL;
  for (const Boxes* boxes : {&up_, &down_, &caps_, &outside_}) {
    for (std::size_t j = 0; j < boxes->size(); ++j) {
      most = std::max(most, boxes->exponent_at(j, z));
    }
  }
  for (const Size& s : beyond_ends(z)) {
    most = std::max(most, s.log_value);
  }
  return most;
}

Complex Integral::at(const Complex& z, bool quick) const {
  const slong bits = Precision::bits();
  const double x = z.re().middle(), y = z.im().middle();
  const Orders order(z.re(), z.im());
  const double slack = error(order, false, reference_);
  const auto widen = [&](Complex& sum, double by) {
    const Precision low(box_bits);
    acb_add_error_arb(sum.get(), rigorous::upper_end(Real(by) * unit_).get());
  };
  if (quick && z.re().radius() + z.im().radius() < 1e-16 * (std::abs(x) + std::abs(y))) {
    const Sums s = less_one(x, y);
    if (std::isfinite(s.error)) {
      Complex sum = mass_ + Complex(Real(s.re) * unit_, Real(s.im) * unit_);
      widen(sum, (s.error + slack) * (1.0 + 1e-15));
      return sum;
    }
  }
  balls();
  const double cut = reference_ - digits_ - std::log(static_cast<double>(loss_.size()));
  Complex sum, e;
  UpperSum dropped;
  for (std::size_t j = 0; j < loss_.size(); ++j) {
    const double v = here_.exponent_at(j, order);
    if (v < cut) {
      dropped.add(v + 1e-12 * (1.0 + std::abs(v)));
      continue;
    }
    acb_mul(e.get(), loss_[j].get(), z.get(), bits);
    acb_exp(e.get(), e.get(), bits);
    acb_addmul(sum.get(), e.get(), weight_[j].get(), bits);
  }
  acb_add_error_arb(sum.get(), dropped.value().get());
  widen(sum, slack);
  return sum;
}

// Orders may be far from that of the reference.
Real Integral::quadrature_error(double x, double most_y) const {
  const Precision low(box_bits);
  const Orders z(Real(x), hull(Real(), Real(most_y)));
  const double top = largest(z), scale = std::isfinite(top) ? top : reference_;
  return rigorous::upper_end(Real(error(z, false, scale)) * rigorous::exp(Real(scale)));
}

Integral::Expansion Integral::expand(double x, double y, double radius, double m) const {
  const Sums s = sums(x, y, radius, m);
  const double grown = std::exp(std::abs(m) * radius) * (1.0 + 1e-14);
  return {s.re,
          s.im,
          s.moved_re,
          s.moved_im,
          s.second,
          (s.error * 1.5 + radius * s.moved_error * 1.5 + error(Orders(x, y, radius), false, reference_) * grown) *
              (1.0 + 1e-15)};
}

bool Integral::turns_one_way() const { return path_.slope == 0.0 || piece_.steepest() == 1; }

// Cell by cell: the path of a half with a slope may have zeros of dx/ds near it, and rises over all angles.
Real Integral::beyond_by_cells(const Complex& z) const {
  const Precision low(box_bits);
  const double x = z.re().middle(), y = z.im().middle();
  const Real h(path_.h), half_cell = widened(Real(), rigorous::scaled(h, -1));
  const double log_h = std::log(path_.h) + 1e-15 * (1.0 + std::abs(std::log(path_.h)));
  const Evaluation rough(piece_, path_);
  UpperSum sum;
  const auto add = [&](Box b) {
    if (!turns_one_way() && !(b.im_low >= 0.0)) {
      throw ConvergenceError("no proof: the loss turns back");
    }
    b.im_low = std::max(b.im_low, 0.0);
    sum.add(exponent(x, x, y, y, b.re_low, b.re_high, b.im_low, b.base_high));
  };
  for (long j = 0; j < path_.count; ++j) {
    Box b = box(rough, Complex(Real(path_.first) + h * (Real(j) + Real(0.5)) + half_cell));
    b.base_high += log_h;
    add(b);
  }
  for (std::size_t i = 0; i < outside_.size(); ++i) {
    add({outside_.re_low[i], outside_.re_high[i], outside_.im_low[i], outside_.im_high[i], outside_.base_high[i]});
  }
  const Orders order(z.re(), z.im());
  for (const Size& s : {left_of_half(order), up_the_slope(order)}) {
    sum.add(s.log_value, s.factor);
  }
  return sum.value();
}

Real Integral::beyond(const Complex& z) const {
  if (piece_.half && path_.slope != 0.0) {
    return beyond_by_cells(z);
  }
  if (path_.up != path_.down) {  // the geometric mean is that of one height
    throw ConvergenceError("no proof: the strip of a tail is uneven");
  }
  const Precision low(box_bits);
  const Orders order(z.re(), z.im());
  return rigorous::upper_end(
      Real((total(here_, nullptr, order, reference_) + error(order, true, reference_)) * (1.0 + 1e-15)) * unit_);
}

}  // namespace dpcurves::accounting::proof
