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

double Integral::Boxes::exponent_at(std::size_t j, const Orders& z) const {
  return exponent(z.x_low, z.x_high, z.y_low, z.y_high, re_low[j], re_high[j], im_low[j], base_high[j]);
}

Integral::Integral(const Piece& piece, const Path& path, double reference, double digits)
    : piece_(piece), path_(path), reference_(reference), digits_(digits) {
  if (!(path.h > 0.0 && path.up > 0.0 && path.down > 0.0 && path.d > 0.0 && path.scale > 0.0 && path.tau > 0.0) ||
      !(path.slope >= 0.0) || path.count < 1) {
    throw ConvergenceError("no proof: a path without extent");
  }
  {
    const Precision low(box_bits);
    unit_ = rigorous::exp(Real(reference));
  }
  std::optional<Cells> cells;
  if (Cells::serve(path)) {
    cells.emplace(piece, path);
  }
  plain_ = cells && fill_plainly(*cells);
  if (!plain_) {
    fill_from_balls();
  }
  const Precision low(box_bits);
  set_boxes(cells ? &*cells : nullptr);
  const Real turns = rigorous::scaled(rigorous::pi(), 1) / Real(path.h);
  factor_up_ = (Real(1) / rigorous::expm1(turns * Real(path.up))).upper();
  factor_down_ = (Real(1) / rigorous::expm1(turns * Real(path.down))).upper();
  require_strip();
  if (plain_) {
    set_mass();
  }
}

void Integral::require_strip() const {
  const auto fail = [](const char* what) { throw ConvergenceError(std::string("no proof: ") + what); };
  const Piece& piece = piece_;
  const Path& path = path_;
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
  if (quick && z.re().radius() + z.im().radius() <= 1e-16 * (std::abs(x) + std::abs(y))) {
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
