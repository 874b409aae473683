// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

/// Cells of width h from `first` to `last`; refused before anything of that size is allocated.
long cells(double first, double last, double h) {
  constexpr double most = 1e6;
  const double count = std::ceil((last - first) / h);
  if (!(count < most)) {
    throw ConvergenceError("a path of integration takes too many nodes");
  }
  return static_cast<long>(std::max(count, 0.0));
}

/// log of the real integrand at x and order z.
double log_real(const Piece& p, double x, double z) {
  const auto log_r = [&](int m) {
    if (m == 0) {
      return 0.0;
    }
    const double mean = m * p.mu, u = mean * x - 0.5 * mean * mean;
    if (p.from_top) {
      const double v = u + std::log(p.q) - std::log1p(-p.q);
      return v > 30.0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v));
    }
    return u > 30.0 ? u + std::log(p.q) + std::log1p((1.0 - p.q) / p.q * std::exp(-u))
                    : std::log1p(p.q * std::expm1(u));
  };
  return -0.5 * x * x + (z + 1.0) * log_r(p.a) - z * log_r(p.n) + log_share(p, Plain(x, 0.0));
}

/// The outermost stationary points of the real integrand at order z, and its largest value there.
struct Humps {
  double left = 0.0, right = 0.0, peak = 0.0;
};

/// The derivative of the real integrand's logarithm is drift(x) - x.
double drift(const Piece& p, double x, double z) {
  double total = 0.0;
  const double odds = std::log(p.q) - std::log1p(-p.q);
  for (const auto& [m, e] : {std::pair{p.a, z + 1.0}, std::pair{p.n, -z}}) {
    if (m != 0) {
      const double mean = m * p.mu;
      total += e * mean / (1.0 + std::exp(-(mean * x - 0.5 * mean * mean + odds)));
    }
  }
  return total;
}

/// Of a part of a law: looked for, because the partition moves them.
Humps humps_of_part(const Piece& p, double z) {
  constexpr int places = 400;
  const double first = p.half ? 0.5 * (p.a + p.n) * p.mu : p.left;
  Humps h{first, first, -infinity};
  for (int i = 0; i <= places; ++i) {
    const double x = first + (p.right - first) * i / places, v = log_real(p, x, z);
    if (v > h.peak) {
      h = {x, x, v};
    }
  }
  return h;
}

Humps humps(const Piece& p, double z) {
  if (p.part != Piece::Part::whole) {
    return humps_of_part(p, z);
  }
  const double most = (std::abs((z + 1.0) * p.a) + std::abs(z * p.n)) * p.mu + 1.0;
  const auto outermost = [&](double sign) {  // from outside in: x = drift(x) by iteration, until it is passed
    double x = std::clamp(sign * most, p.left, p.right), outside = x;
    for (int i = 0; i < 200; ++i) {
      const double next = std::clamp(drift(p, x, z), p.left, p.right);
      if (sign * next >= sign * x) {
        for (int k = 0; k < 60 && std::abs(outside - x) > 1e-2; ++k) {
          const double m = 0.5 * (outside + x);
          (sign * drift(p, m, z) >= sign * m ? x : outside) = m;
        }
        return x;
      }
      outside = x;
      x = next;
      if (std::abs(x - outside) < 1e-2) {
        break;
      }
    }
    return x;
  };
  Humps h{outermost(-1.0), outermost(1.0), 0.0};
  h.peak = std::max({log_real(p, 0.0, z), log_real(p, h.left, z), log_real(p, h.right, z)});
  return h;
}

/// Ends of the part of the real line outside of which the real integrand is below e^{log_cut}.
std::pair<double, double> real_ends(const Piece& p, double z, double log_cut) {
  const Humps h = humps(p, z);
  const auto above = [&](double x) { return log_real(p, x, z) > log_cut; };
  if (p.part != Piece::Part::whole) {  // from outside in
    constexpr double by = 0.0625;
    double left = p.half ? 0.5 * (p.a + p.n) * p.mu : p.left, right = p.right;
    while (left < h.left && !above(left)) {
      left += by;
    }
    while (right > h.right && !above(right)) {
      right -= by;
    }
    return {left - by, std::min(p.right, right + by)};
  }
  const auto end = [&](double near, double far, double sign) {
    double in = near, out = far;
    if (above(far)) {
      in = far;
      double step = 1.0;
      for (out = in + sign * step; above(out) && step < 1e12; out = in + sign * step) {
        in = out;
        step *= 2.0;
      }
    } else if (!above(near)) {
      return above(0.0) ? sign * 1.0 : near;
    }
    for (int i = 0; i < 60 && std::abs(out - in) > 0.02; ++i) {
      const double m = 0.5 * (in + out);
      (above(m) ? in : out) = m;
    }
    return out;
  };
  return {std::max(p.left, std::min(0.0, end(h.right, h.left, -1.0))),
          std::min(p.right, std::max(0.0, end(h.left, h.right, 1.0)))};
}

/// Ends, as s, of the path beyond which the integrand at order z is below e^{log_cut}; from outside in.
std::pair<double, double> line_ends(const Piece& p, const Path& path, Plain z, double log_cut) {
  PlainEvaluation at_point(p, path);
  const auto size = [&](double s) {
    const PlainPoint at = at_point(Plain(s, 0.0));
    return (at.log_base + z * at.loss).real();
  };
  const double x = z.real();
  if (p.half) {  // in x itself, on the real line
    return {0.0, real_ends(p, x, log_cut).second};
  }
  const double y = path.d;
  double lowest = 0.0;  // |r| is at least r cos(arg v / 2)
  for (const auto& [m, e] : {std::pair{p.a, x + 1.0}, std::pair{p.n, -x}}) {
    lowest += std::min(0.0, e) * std::log(std::max(0.02, std::cos(0.5 * std::min(pi, std::abs(m) * p.mu * y))));
  }
  double later = 0.0;       // |1 + v| is at least 1 + cos(arg v) |v|: what r does, it does a little later
  if (p.steepest() == 1) {  // |r| >= 1 - q where the real part of v is positive
    constexpr double much = 20.0, least = 0.02;
    const double fall = (p.a == 0 ? 0.0 : std::min(0.0, x + 1.0)) + (p.n == 0 ? 0.0 : std::min(0.0, -x));
    const double capped = fall * p.largest_loss() - 1.0, cosine = std::cos(p.mu * y);
    if (lowest < -much && cosine > least) {
      lowest = 0.0;
      later = (x > 0.0 ? p.n : p.a) * -std::log(cosine) / p.mu;
    }
    lowest = std::max(lowest, capped);
  }
  auto [left, right] = real_ends(p, x, log_cut - 0.5 * y * y + std::min(0.0, lowest));
  left += std::min(0.0, later);
  right += std::max(0.0, later);
  const auto scan = [&](double from, double by) {
    double s = from;
    for (int i = 0; i < 100 && !(size(s) > log_cut); ++i) {
      s += by;
    }
    return s - by;
  };
  return {std::max(p.left, scan(left, 0.125)), std::min(p.right, scan(right, -0.125))};
}

/// Where the integrand of every order z falls at rate 1 at least on both sides.
void set_reach(const Piece& p, Path& path, double z_low, double z_high, double left, double right) {
  const auto rate = [&](double x, double z, bool to_right) {
    double total = to_right ? x : -x;
    for (const auto& [m, e] : {std::pair{p.a, z + 1.0}, std::pair{p.n, -z}}) {
      const double drift = (to_right ? 1.0 : -1.0) * e * m * p.mu;
      if (m == 0 || drift <= 0.0) {
        continue;
      }
      const double u = m * p.mu * x - 0.5 * m * m * p.mu * p.mu + std::log(p.q) - std::log1p(-p.q);
      total -= drift * (to_right == (m > 0) ? 1.0 : 1.0 / (1.0 + std::exp(-u)));
    }
    return total;
  };
  // discs reach a little beyond the orders themselves
  const double more = 0.25 * (z_high - z_low) + 0.05 * std::max(std::abs(z_low), std::abs(z_high));
  z_low -= more;
  z_high += more;
  const auto worst = [&](double x, bool to_right) {
    return std::min(rate(x, z_low, to_right), rate(x, z_high, to_right));
  };
  if (p.cut()) {
    path.reach_right = p.right;
    path.reach_left = p.left;
    return;
  }
  for (int i = 0; i < 100000 && worst(right, true) < 1.0; ++i) {
    right += std::max(0.25, 0.02 * std::abs(right));
  }
  for (int i = 0; i < 100000 && worst(left, false) < 1.0; ++i) {
    left -= std::max(0.25, 0.02 * std::abs(left));
  }
  path.reach_right = right + 0.5;
  path.reach_left = left - 0.5;
}

/// How much the share of a part is larger at height y than on the real line.
double share_growth(const Piece& p, double y) { return p.part == Piece::Part::whole ? 0.0 : y * y / (p.blur * p.blur); }
constexpr double most_blurs = 1.6;  // height of a path of a part, in units of its blur

}  // namespace

double round_down(double v, int bits) {
  const int e = std::ilogb(v);
  return std::ldexp(std::floor(std::ldexp(v, bits - e)), e - bits);
}

double log_peak(const Piece& p, double z) { return humps(p, z).peak; }

Demand raised(const Piece& p, Demand d) {
  for (const Plain z : d.rough) {
    if (std::abs(z.imag()) < 0.1 * std::abs(z.real() - d.c)) {
      d.digits = std::max(d.digits, log_peak(p, z.real()) - d.reference - (z.real() - d.c) * d.mean + d.few);
    }
  }
  return d;
}

Path half_path(const Piece& p, const Demand& d, double psi, double up, double down) {
  Path path;
  path.d = psi;
  path.up = up;
  path.down = down;
  // Where |r| of twice the mean falls below 1, its large negative powers grow: short of that.
  constexpr double large = 20.0;
  const bool grows = (p.n == 2 && d.high() > large) || (p.a == 2 && d.low() < -large);
  const bool small = p.n == 1 && p.a == 0 && d.high() > large;  // |r| >= 1 - q up to a right angle
  const double highest = grows ? 0.25 * pi : small ? 0.5 * pi : p.highest();
  const double below = down > psi ? 0.8 : 0.98;  // wide cells keep away from the branch point
  const double widest = p.part == Piece::Part::whole ? 3.0 : std::min(3.0, most_blurs * p.blur / (psi + up));
  path.scale = round_down(std::min(widest, below * highest / (p.mu * (psi + up))), 20);
  const double y = path.scale * (psi + up);
  const double grow = 0.5 * y * y + share_growth(p, y) - std::log(std::cos(psi + up)) + 2.0;
  path.h = round_down(2.0 * pi * std::min(up, down) / (d.digits + grow), 20);
  const double x0 = 0.5 * (p.a + p.n) * p.mu;
  double right = 0.0, largest = 1.0;
  d.each([&](Plain z, double cut) {
    right = std::max(right, line_ends(p, path, z, cut - 0.5 * y * y).second);
    largest = std::max(largest, std::abs(z));
  });
  const double left = d.digits + 8.0 + std::max(0.0, log_real(p, x0, d.c) - d.reference) + std::log1p(largest * p.mu);
  path.first = -std::ceil(left / path.h) * path.h;
  path.count = cells(path.first, std::max(1.0, (right - x0) / path.scale), path.h);
  set_reach(p, path, d.low(), d.high(), 0.0, right);
  return path;
}

namespace {

/// The logarithm by which |r| >= 1 - q lets the integrand of any order grow.
double capped_growth(const Piece& p, const Demand& d) {
  double most = 0.0;
  const auto offer = [&](Plain z) {
    const double x = z.real(), power = (p.a == 0 ? 0.0 : std::min(0.0, x + 1.0)) - (p.n == 0 ? 0.0 : std::max(0.0, x));
    most = std::max(most, -power * p.largest_loss() - d.reference - (x - d.c) * d.mean);
  };
  std::for_each(d.exact.begin(), d.exact.end(), offer);
  std::for_each(d.rough.begin(), d.rough.end(), offer);
  return most;
}

}  // namespace

Path line_path(const Piece& p, const Demand& d) {
  Path path;
  const double steep = p.steepest() * p.mu;
  double neg = std::min(0.0, d.low() + 1.0);
  if (p.n != 0) {
    neg = std::min(neg, -d.high());
  }
  constexpr double lift = 0.875;  // the lower line stays above the real one: there large Im z does not help
  const bool free = p.beyond_branches();
  const double highest =
      std::min(free ? 2.0 : 0.5 * pi / steep * 0.999, p.part == Piece::Part::whole ? 2.0 : 0.8 * p.blur);
  for (int i = 1; i <= 40; ++i) {
    const double y = highest * i / 40.0;
    const double top = (1.0 + lift) * y;
    double extra = neg < 0.0 && !free ? neg * std::log(std::cos(0.5 * steep * top)) : 0.0;
    if (2.0 * steep * top < pi && p.steepest() == 1) {
      extra = std::min(extra, capped_growth(p, d) + 1.0);
    }
    const double h = 2.0 * pi * lift * y / (d.digits + 0.5 * top * top + share_growth(p, top) + extra + 1.5);
    if (h > path.h) {
      path.h = h;
      path.d = y;
    }
  }
  path.d = round_down(path.d, 20);
  path.up = path.down = round_down(lift * path.d, 20);
  path.h = round_down(path.h, 20);
  const double top = path.d + path.up;
  double left = infinity, right = -infinity;
  d.each([&](Plain z, double cut) {
    const auto ends = line_ends(p, path, z, cut - 0.5 * (top * top - path.d * path.d));
    left = std::min(left, ends.first);
    right = std::max(right, ends.second);
  });
  path.first = std::floor(left / path.h) * path.h;
  path.count = cells(path.first, right, path.h);
  set_reach(p, path, d.low(), d.high(), left, right);
  return path;
}

Path low_path(const Piece& p, const Demand& demand, double d, double strip, double neg, bool capped) {
  const double steep = p.steepest() * p.mu;
  Path path;
  path.d = d;
  for (int i = 1; i <= 20; ++i) {
    const double y = strip * i / 20.0;
    const double h = 2.0 * pi * y / (demand.digits + 0.5 * y * y + share_growth(p, d + y) - share_growth(p, d) + 2.0);
    if (h > path.h) {
      path.h = h;
      path.up = path.down = y;
    }
  }
  path.up = path.down = round_down(path.up, 20);
  path.h = round_down(path.h, 20);
  const double top = path.d + path.up;
  const double cut = demand.reference - demand.digits - 3.0 - 0.5 * (top * top - path.d * path.d) +
                     (capped || p.beyond_branches()
                          ? 0.0
                          : std::min(0.0, neg * -std::log(std::cos(0.5 * steep * std::min(top, 0.98 * pi / steep)))));
  const auto ends = line_ends(p, path, demand.c, cut);
  path.first = std::floor(ends.first / path.h) * path.h;
  path.count = cells(path.first, ends.second, path.h);
  set_reach(p, path, demand.c, demand.c, ends.first, ends.second);
  return path;
}

Path real_path(const Piece& p, double z) {
  constexpr double most = 4000.0;  // nodes; of two humps far apart the higher one says all
  const double peak = std::max(0.0, log_peak(p, z));
  Path path;
  std::pair<double, double> ends;   // in s
  double unit = 1.0, origin = 0.0;  // x is about origin + unit s far out
  if (p.half) {
    unit = path.scale = round_down(std::min(3.0, 0.98 * p.highest() / (p.mu * 1.2)), 20);
    origin = 0.5 * (p.a + p.n) * p.mu;
    path.h = 2.0 * pi * 1.2 / 30.0;
    ends = {-34.0, std::max(1.0, (line_ends(p, path, z, peak - 28.0).second - origin) / unit)};
  } else {
    const double steep = p.steepest() * p.mu;
    for (int i = 1; i <= 20; ++i) {
      const double y = std::min(pi / steep, 6.0) * i / 20.0 * 0.98;
      path.h = std::max(path.h, 2.0 * pi * y / (24.0 + 0.5 * y * y));
    }
    ends = line_ends(p, path, z, peak - 28.0);
  }
  if (p.part != Piece::Part::whole) {  // humps end at the partition
    path.h = std::min(path.h, 0.5 * p.blur / unit);
  }
  if (ends.second - ends.first > most * path.h) {
    const Humps h = humps(p, z);
    double top = p.half ? origin : 0.0;
    for (const double x : {h.left, h.right}) {
      top = x >= ends.first * unit + origin && log_real(p, x, z) > log_real(p, top, z) ? x : top;
    }
    const double reach = 0.5 * most * path.h, middle = (top - origin) / unit;
    ends = {std::max(ends.first, middle - reach), std::min(ends.second, middle + reach)};
  }
  path.first = ends.first;
  path.count = cells(ends.first, ends.second, path.h) + 1;
  return path;
}

}  // namespace dpcurves::accounting::proof
