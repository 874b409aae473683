// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Boxes around the loss on the displaced lines of an integral, on the caps of its strip and beyond its nodes.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

[[noreturn]] void fail(const char* what) { throw ConvergenceError(std::string("no proof: ") + what); }

}  // namespace

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

/// Where boxes come from: cells, where they serve, else balls.
struct Integral::Boxing {
  Boxing(const Piece& piece, const Path& path, const Cells* from)
      : cells(from),
        rough(piece, path),
        h(path.h),
        begin(path.first),
        end(Real(path.first) + h * Real(path.count)),
        slack(1e-15 * (std::abs(path.first) + path.h * static_cast<double>(path.count))),
        one_side(path.slope == 0.0 && path.down <= path.d) {}

  const Cells* cells;
  Evaluation rough;
  Real h, begin, end;
  double slack;   // of a place
  bool one_side;  // of the real line: Im l >= 0 there
};

/// \param ball  makes the place as a ball, where cells do not serve.
template <class Ball>
Box Integral::box_over(const Boxing& by, double left, double right, double low, double high, const Ball& ball) const {
  const auto found = by.cells != nullptr ? by.cells->over(left, right, low, high) : std::nullopt;
  return found ? *found : box(by.rough, ball());
}

void Integral::set_boxes(const Cells* cells) {
  const Boxing by(piece_, path_, cells);
  // "up" is away from the real line of x.
  add_line(by, piece_.side() * path_.up, up_);
  add_line(by, -piece_.side() * path_.down, down_);
  add_caps(by);
  const Real first = piece_.half ? by.begin : add_beyond(by, -1, path_.reach_left);
  const double x0 = piece_.half ? 0.5 * (piece_.a + piece_.n) * piece_.mu : 0.0;
  const Real last = add_beyond(by, 1, piece_.half ? (path_.reach_right - x0) / path_.scale : path_.reach_right);
  if (piece_.part != Piece::Part::whole && !piece_.cut()) {
    fail("a part of a law is cut off");
  }
  if (piece_.cut()) {
    if (path_.slope != 0.0 || piece_.half != !std::isfinite(piece_.left)) {
      fail("a law is cut off on horizontal paths only, at both ends");
    }
    come_down(by, last, piece_.right);
    if (!piece_.half) {
      come_down(by, first, piece_.left);
    }
  } else if (path_.slope != 0.0) {
    set_top(last);
  }
  if (path_.slope == 0.0 && !piece_.cut()) {  // Re x >= x0 + scale Re s on a half
    const Real front =
        piece_.half ? rigorous::scaled(Real(piece_.a + piece_.n) * Real(piece_.mu), -1) + Real(path_.scale) * last
                    : last;
    right_ = decay_of(front, piece_.half ? Real() : turn(front, 1), true);
  }
  if (!piece_.half && !piece_.cut()) {
    left_ = decay_of(first, turn(first, -1), false);
  }
  if (piece_.half) {
    set_left_of_half();
  }
}

void Integral::add_line(const Boxing& by, double height, Boxes& out) {
  const double log_h = std::log(path_.h) + 1e-15 * (1.0 + std::abs(std::log(path_.h)));
  const Real half_cell = widened(Real(), Real(0.5) * by.h);
  for (long j = 0; j < path_.count; ++j) {
    const double left = path_.first + path_.h * static_cast<double>(j);
    Box b = box_over(by, left - by.slack, left + path_.h + by.slack, height, height, [&] {
      return Complex(Real(path_.first) + by.h * (Real(j) + Real(0.5)) + half_cell, Real(height));
    });
    b.base_high += log_h;
    if (!std::isfinite(b.re_low) || !std::isfinite(b.re_high) || !std::isfinite(b.im_low) || std::isnan(b.base_high)) {
      fail("the strip meets a branch point");
    }
    b.im_low = by.one_side ? std::max(b.im_low, 0.0) : b.im_low;
    out.add(b);
  }
}

void Integral::add_caps(const Boxing& by) {
  // The integral of |f| / (1 + e^{2 pi |y| / h}) over both ends, in cells; cells 4 i and 4 i + 2 are mirror images.
  constexpr int parts = 6;
  std::vector<Box> cap;
  for (int i = 0; i < parts; ++i) {
    for (const int sign : {1, -1}) {
      const double height = sign > 0 ? path_.up : path_.down;
      const Real y = Real(height) * (Real(i) + widened(Real(0.5), Real(0.5))) / Real(parts);
      const double decay = 6.2831853071795862 / path_.h * height / parts;                // below the true one
      const double log_weight = std::log(path_.h * 0.1592) - decay * i * (1.0 - 1e-14);  // 1 / (2 pi) < 0.1592
      for (const Real& s : {by.begin, by.end}) {
        const double x = s.middle(), near = sign * piece_.side() * height * i / parts,
                     far = sign * piece_.side() * height * (i + 1) / parts;
        Box b =
            box_over(by, x - by.slack, x + by.slack, std::min(near, far) - 1e-15 * height,
                     std::max(near, far) + 1e-15 * height, [&] { return Complex(s, Real(sign * piece_.side()) * y); });
        b.base_high += log_weight + 1e-13 * (1.0 + std::abs(log_weight));
        b.im_low = by.one_side ? std::max(b.im_low, 0.0) : b.im_low;
        cap.push_back(b);
      }
    }
  }
  for (std::size_t i = 0; i < cap.size(); ++i) {
    caps_.add(cap[i]);
    mirrored_caps_.add(cap[i ^ 2U]);
  }
}

Real Integral::add_beyond(const Boxing& by, int direction, double until) {
  const double first = direction > 0 ? by.end.upper() : by.begin.lower();
  double at = first;
  // narrow against e^u, whose ball must not reach the branch point where the mixture's two parts are alike
  const double unit = piece_.half ? path_.scale : 1.0;
  double width = std::min(0.25, 0.5 / (piece_.steepest() * piece_.mu)) / unit;
  const double widest = piece_.part == Piece::Part::whole ? HUGE_VAL : 0.2 * piece_.blur / unit;  // of a partition
  Real place = direction > 0 ? by.end : by.begin;
  while (direction * (until - at) > 0.0) {
    const double rest = direction * (until - at);  // up to a cut, no further
    width = piece_.cut() && rest < width ? rest + 1e-9 : width;
    const Real next = place + Real(direction * width);
    const double first_x = std::min(place.middle(), next.middle()), last_x = std::max(place.middle(), next.middle());
    const double wide = 1e-15 * (std::abs(first_x) + std::abs(last_x));
    Box b = box_over(by, first_x - wide, last_x + wide, 0.0, 0.0, [&] { return Complex(hull(place, next)); });
    b.base_high += std::log(width) + 1e-14 * (1.0 + std::abs(std::log(width)));
    b.im_low = turns_one_way() ? std::max(b.im_low, 0.0) : b.im_low;
    outside_.add(b);
    place = next;
    at = place.middle();
    width = std::min(widest, std::max(width, 0.02 * std::abs(at - first)));
  }
  return place;
}

void Integral::come_down(const Boxing& by, const Real& from, double to) {
  Piece whole = piece_;
  whole.half = false;
  const Path real;  // x = s
  const Evaluation on_real(whole, real);
  const Complex off = by.rough(Complex(from)).x - Complex(Real(to));
  constexpr int steps = 12;
  const Real length = rigorous::modulus(off) / Real(steps);
  const double log_length = rigorous::log(length).upper();
  for (int i = 0; i < steps; ++i) {
    const Real share = (Real(i) + widened(Real(0.5), Real(0.5))) / Real(steps);
    const PathPoint at = on_real(Complex(Real(to)) + off * Complex(share));
    outside_.add({at.loss.re().lower(), at.loss.re().upper(), std::max(0.0, at.loss.im().lower()), at.loss.im().upper(),
                  (at.log_base.re() + Real(log_share(piece_, at.x))).upper() + log_length +
                      1e-14 * (1.0 + std::abs(log_length))});
  }
}

Real Integral::turn(const Real& at, int sign) const {
  if (std::abs(piece_.a) == 2 || std::abs(piece_.n) == 2) {
    return {};
  }
  for (const int m : {piece_.a, piece_.n}) {
    if (m * sign > 0) {
      const Real height = piece_.half ? Real(path_.scale) * Real(path_.d) * Real(0.99) : Real(path_.d);
      const Real mean = Real(m) * Real(piece_.mu);
      const Real v = Real(piece_.q) * rigorous::exp(mean * at - rigorous::scaled(mean * mean, -1));
      const Real angle = rigorous::abs(mean) * height;
      const Complex r(Real(1) - Real(piece_.q) + v * rigorous::cos(angle), v * rigorous::sin(angle));
      return rigorous::lower_end(rigorous::log(r).im());
    }
  }
  return {};
}

}  // namespace dpcurves::accounting::proof
