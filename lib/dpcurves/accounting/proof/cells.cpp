// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/cells.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double unit = 2e-15;               // more than the C library and a few roundings lose
constexpr double eps = 1.12e-16;             // above 2^-53
constexpr double angle_most = 3.1415926535;  // below pi
constexpr double nearest = 1e-2;             // of |r| to 0, where the logarithm is left to balls

}  // namespace

Cells::Mixture Cells::mixture(const Piece& p, int m) {
  const double mean = m * p.mu;  // exact: |m| <= 2
  const double rest = 1.0 - p.q, q = p.from_top ? p.q / rest : p.q;
  return {m, mean, 0.5 * mean * mean, p.from_top ? 1.0 : rest, q, std::log(q), p.from_top};
}

Cells::Cells(const Piece& piece, const Path& path)
    : piece_(piece),
      alternative_(mixture(piece, piece.a)),
      null_(mixture(piece, piece.n)),
      half_(piece.half),
      lift_(piece.side() * path.d),
      scale_(path.scale),
      begin_(0.5 * (piece.a + piece.n) * piece.mu) {}

std::optional<Cells::Place> Cells::place(double s_low, double s_high, double t_low, double t_high) const {
  const double low = lift_ + t_low, high = lift_ + t_high;
  if (!half_) {
    return Place{s_low, s_high, low, high, 0.0};
  }
  const double most = std::max(std::abs(low), std::abs(high));
  const double least = low * high <= 0.0 ? 0.0 : std::min(std::abs(low), std::abs(high));
  if (!(most < 1.5707)) {  // below pi/2
    return std::nullopt;
  }
  // log |1 + e^{s + i t}| and its angle; a relative unit each, and one of s
  const auto modulus = [](double s, double t) {
    const double e = std::exp(-std::abs(s));
    return std::max(0.0, s) + 0.5 * std::log1p(e * (2.0 * std::cos(t) + e));
  };
  const auto angle = [](double s, double t) {
    const double e = std::exp(-std::abs(s)), one = s > 0.0 ? e : 1.0, other = s > 0.0 ? 1.0 : e;
    return std::atan2(other * std::sin(t), one + other * std::cos(t));
  };
  const double off = 4.0 * unit * (1.0 + std::max(std::abs(s_low), std::abs(s_high)));
  const double x_low = scale_ * modulus(s_low, most), x_high = scale_ * modulus(s_high, least);
  const double y_low = scale_ * angle(low >= 0.0 ? s_low : s_high, low);
  const double y_high = scale_ * angle(high >= 0.0 ? s_high : s_low, high);
  const double begin = std::abs(begin_) * unit;
  return Place{begin_ + x_low * (1.0 - off) - begin, begin_ + x_high * (1.0 + off) + begin,
               y_low - off * std::abs(y_low), y_high + off * std::abs(y_high),
               std::log(scale_) + s_high - modulus(s_high, most) + off * (1.0 + std::abs(s_high))};
}

// log |r| and arg r, 0 <= t < pi. Where v > a in units of v, else in units of 1, from r - 1 = q (e^u - 1) (of losses
// from the top r - 1 = v e^{it}). u is off by two roundings of its parts, v by that and four units, the cosine and the
// sine of t by two roundings of t and four units, q, products and sums by eight units more. An error d of r moves the
// logarithm by at most 1.1 d / |r| while that is below 1/10.
Cells::Corner Cells::corner(const Mixture& r, double x, double t, double error) {
  const double u = r.mean * x - r.shift, size = std::abs(r.mean * x) + r.shift;
  const double moved = std::abs(r.mean) * error, relative = eps * (2.0 * (size + t) + 16.0) + 2.0 * moved;
  const double c = std::cos(t), s = std::sin(t);
  if (u + r.log_q > std::log(r.a)) {
    const double k = r.a / r.q * std::exp(-u);  // at most 1 and a little
    const double re = k * c, square = std::max(-1.0, k * (2.0 * c + k));
    const double modulus = std::sqrt((1.0 + re) * (1.0 + re) + k * k * s * s);
    const double off = 1.1 * k * relative / modulus + 4.0 * eps * k * (2.0 + k) / (modulus * modulus);
    const double log_modulus = u + r.log_q + 0.5 * std::log1p(square), turn = std::atan2(k * s, 1.0 + re);
    return {log_modulus, t - turn,
            off + moved + eps * (4.0 * size + 8.0 * (1.0 + std::abs(r.log_q) + std::abs(log_modulus))),
            off + moved + eps * (4.0 * t + 5.0 * turn), modulus};
  }
  const double e = std::exp(u), v = r.q * e;
  const double re = r.from_top ? v * c : r.q * (e * c - 1.0), im = v * s;
  const double square = std::max(-1.0, re * (2.0 + re) + im * im);
  const double modulus = std::sqrt((1.0 + re) * (1.0 + re) + im * im);
  const double off = 1.1 * (v * relative + (r.from_top ? 0.0 : 4.0 * eps * r.q)) / modulus;
  const double log_modulus = 0.5 * std::log1p(square), angle = std::atan2(im, 1.0 + re);
  const double more = 4.0 * eps * (std::abs(re) * (2.0 + std::abs(re)) + im * im) / (modulus * modulus);
  return {log_modulus, angle, off + more + 5.0 * eps * std::abs(log_modulus), off + 5.0 * eps * angle, modulus};
}

std::optional<Cells::Part> Cells::part(const Mixture& r, const Place& at) {
  if (r.m == 0) {
    return Part{0.0, 0.0, 0.0, 0.0};
  }
  const double one = r.mean * at.y_low, other = r.mean * at.y_high;
  const double t_low = std::min(one, other), t_high = std::max(one, other);
  if (!(std::max(-t_low, t_high) < angle_most)) {
    return std::nullopt;
  }
  // The conjugate where all angles are negative; both sides of 0 where they are of both signs.
  const bool below = t_high <= 0.0, both = t_low < 0.0 && t_high > 0.0;
  const double least = both ? 0.0 : below ? -t_high : t_low, most = std::max(-t_low, t_high);
  const double left = r.m > 0 ? at.x_low : at.x_high, right = r.m > 0 ? at.x_high : at.x_low;  // v grows to the right
  Part p{HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  for (const double t : {least, most}) {
    for (const double x : {left, right}) {
      const Corner c = corner(r, x, t);
      p.re_low = std::min(p.re_low, c.log_modulus - c.log_error);
      p.re_high = std::max(p.re_high, c.log_modulus + c.log_error);
      p.im_low = std::min(p.im_low, c.angle - c.angle_error);
      p.im_high = std::max(p.im_high, c.angle + c.angle_error);
      if (x == right && left == right) {
        break;
      }
    }
    if (t == most) {
      break;
    }
  }
  const auto v_at = [&](double x, double sign) {
    const double u = r.mean * x - r.shift;
    return r.q * std::exp(u) * (1.0 + sign * unit * (2.0 + std::abs(r.mean * x) + r.shift));
  };
  const double v_least = v_at(left, -1.0), v_most = v_at(right, 1.0), c = std::cos(most);
  if (c < 1e-9 && v_least < r.a && v_most > 0.0) {  // |r| >= a |sin t| where v = -a cos t is inside, or may be
    const double vertex = -r.a * c;
    if (vertex >= v_least * (1.0 - 1e-9) - 1e-9 * r.a && vertex <= v_most * (1.0 + 1e-9) + 1e-9 * r.a) {
      const double low = r.a * std::sin(most) * (1.0 - 1e-9) - 1e-9 * r.a;
      if (!(low > nearest * r.a)) {
        return std::nullopt;
      }
      p.re_low = std::min(p.re_low, std::log(low) - unit);
    }
  }
  if (!(p.re_low > std::log(nearest * r.a))) {
    return std::nullopt;
  }
  if (v_least < r.a && least < most && most > 1.57) {  // arg r may have its peak, asin(v / a), in between
    p.im_high = std::max(p.im_high, v_most < r.a ? std::asin(v_most / r.a) * (1.0 + unit) : most * (1.0 + unit));
  }
  if (both) {
    p.im_low = -p.im_high;
  } else if (below) {
    p = {p.re_low, p.re_high, -p.im_high, -p.im_low};
  }
  return p;
}

std::optional<PlainNode> Cells::node(double s, double error) const {
  double x = s, y = lift_, off = error, log_speed = 0.0, turn = 0.0;  // off: of x and y
  double speed_off = 0.0;
  if (piece_.part != Piece::Part::whole) {
    return std::nullopt;
  }
  if (half_) {
    if (!(std::abs(lift_) < 1.5707)) {
      return std::nullopt;
    }
    const double e = std::exp(-std::abs(s)), one = s > 0.0 ? e : 1.0, other = s > 0.0 ? 1.0 : e;
    const double c = std::cos(lift_), log_modulus = std::max(0.0, s) + 0.5 * std::log1p(e * (2.0 * c + e));
    const double angle = std::atan2(other * std::sin(lift_), one + other * c);
    // relatively: e by |s| + 4 units, the rest by a dozen; ds moves log(1 + e^t) by less than itself and by ds
    const double relative = eps * (2.0 * std::abs(s) + 20.0) + error;
    x = begin_ + scale_ * log_modulus;
    y = scale_ * angle;
    off = scale_ * (log_modulus + std::abs(angle)) * relative + 2.0 * eps * (std::abs(begin_) + std::abs(x));
    log_speed = std::log(scale_) + s - log_modulus;
    turn = lift_ - angle;
    speed_off = (log_modulus + std::abs(angle)) * relative + error +
                eps * (8.0 * std::abs(std::log(scale_)) + 4.0 * (std::abs(s) + log_modulus) + 4.0);
  }
  const auto part = [&](const Mixture& r, Corner& at) {
    at = {0.0, 0.0, 0.0, 0.0, 1.0};
    if (r.m == 0) {
      return true;
    }
    const double t = r.mean * y;
    at = corner(r, x, std::abs(t), off);
    at.angle = t < 0.0 ? -at.angle : at.angle;
    return std::abs(t) < angle_most && at.modulus > nearest && at.log_error < 1e-3;
  };
  Corner a, n;
  if (!part(alternative_, a) || !part(null_, n)) {
    return std::nullopt;
  }
  constexpr double half_log_two_pi = 0.91893853320467274178;
  const double square = 0.5 * (x - y) * (x + y);
  PlainNode out{};
  out.loss_re = a.log_modulus - n.log_modulus;
  out.loss_im = a.angle - n.angle;
  out.loss_error = a.log_error + a.angle_error + n.log_error + n.angle_error +
                   2.0 * eps * (std::abs(out.loss_re) + std::abs(out.loss_im));
  out.log_re = a.log_modulus - square - half_log_two_pi + log_speed;
  out.log_im = a.angle - x * y + turn;
  out.log_error = a.log_error + a.angle_error + 2.0 * (std::abs(x) + std::abs(y)) * off + 2.0 * speed_off +
                  eps * (4.0 * (x * x + y * y) + 6.0 * (1.0 + std::abs(out.log_re) + std::abs(a.log_modulus) +
                                                        std::abs(log_speed) + std::abs(a.angle) + std::abs(turn)));
  return out;
}

std::optional<Box> Cells::over(double s_low, double s_high, double t_low, double t_high) const {
  const auto at = place(s_low, s_high, t_low, t_high);
  if (!at) {
    return std::nullopt;
  }
  const auto a = part(alternative_, *at), n = part(null_, *at);
  if (!a || !n) {
    return std::nullopt;
  }
  constexpr double half_log_two_pi = 0.91893853320467;  // below the true one
  const double x = at->x_low > 0.0 ? at->x_low : at->x_high < 0.0 ? at->x_high : 0.0;
  const double y = std::max(std::abs(at->y_low), std::abs(at->y_high));
  const double rounding = 2.3e-16;
  const auto down = [&](double v) { return v - rounding * std::abs(v); };
  const auto up = [&](double v) { return v + rounding * std::abs(v); };
  return Box{down(a->re_low - n->re_high), up(a->re_high - n->re_low), down(a->im_low - n->im_high),
             up(a->im_high - n->im_low),
             a->re_high + 0.5 * (y * y - x * x) - half_log_two_pi + at->log_speed +
                 log_share(piece_, at->x_low, at->x_high, y) +
                 unit * (1.0 + std::abs(a->re_high) + x * x + y * y + std::abs(at->log_speed))};
}

}  // namespace dpcurves::accounting::proof
