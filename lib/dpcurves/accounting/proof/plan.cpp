// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/proof/plan.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using Plain = std::complex<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

Plain expm1_plain(Plain z) {
  const double s = std::sin(0.5 * z.imag());
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2.0 * s * s, std::exp(z.real()) * std::sin(z.imag())};
}

/// log of the real integrand at x and order z.
double log_real(const Piece& p, double x, double z) {
  const auto log_r = [&](int m) {
    if (m == 0) {
      return 0.0;
    }
    const double mean = m * p.mu, u = mean * x - 0.5 * mean * mean;
    return u > 30.0 ? u + std::log(p.q) + std::log1p((1.0 - p.q) / p.q * std::exp(-u))
                    : std::log1p(p.q * std::expm1(u));
  };
  return -0.5 * x * x + (z + 1.0) * log_r(p.a) - z * log_r(p.n);
}

/// Ends, as s, of the path beyond which the integrand at order z is below e^{log_cut}; from outside in.
std::pair<double, double> line_ends(const Piece& p, const Path& path, Plain z, double log_cut) {
  const auto size = [&](double s) {
    const PlainPoint at = evaluate(p, path, Plain(s, 0.0));
    return (at.log_base + z * at.loss).real();
  };
  const double x = z.real();
  const double ra = std::max(0.0, x + 1.0) * p.a * p.mu, rn = std::max(0.0, -x) * p.n * p.mu;
  const double lift = std::max({0.0, log_real(p, ra, x), log_real(p, rn, x), log_real(p, ra + rn, x)});
  const double depth = std::sqrt(2.0 * std::max(1.0, lift - log_cut)) + 2.0 + path.d;
  const double slow = 1.0 / (1.0 - path.slope);  // on a slope the Gaussian decays later
  const double right = std::max({0.0, ra, rn, ra + rn}) + depth * slow + std::max(0.0, ra - path.bend) * (slow - 1.0);
  const double left = std::min({0.0, ra, rn, ra + rn}) - depth;
  const double step = std::max(0.2, (right - left) / 300.0);
  const auto scan = [&](double from, double by) {
    double s = from;
    for (int i = 0; i < 400 && !(size(s) > log_cut); ++i) {
      s += by;
    }
    return s - by;
  };
  if (p.half) {  // in x itself, on the real line
    double s = right;
    for (int i = 0; i < 400 && log_real(p, s, x) < log_cut; ++i) {
      s -= step;
    }
    return {0.0, s + step};
  }
  return {scan(left, step), scan(right, -step)};
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
  const auto worst = [&](double x, bool to_right) { return std::min(rate(x, z_low, to_right), rate(x, z_high, to_right)); };
  for (int i = 0; i < 100000 && worst(right, true) < 1.0; ++i) {
    right += std::max(0.25, 0.02 * std::abs(right));
  }
  for (int i = 0; i < 100000 && worst(left, false) < 1.0; ++i) {
    left -= std::max(0.25, 0.02 * std::abs(left));
  }
  path.reach_right = right + 0.5;
  path.reach_left = left - 0.5;
}

/// Nodes in doubles of one integral.
struct PlainIntegral {
  std::vector<Plain> loss, log_weight;
  PlainIntegral(const Piece& piece, const Path& path) {
    const double log_h = std::log(path.h);
    for (long j = 0; j < path.count; ++j) {
      const PlainPoint p = evaluate(piece, path, Plain(path.first + (static_cast<double>(j) + 0.5) * path.h, 0.0));
      loss.push_back(p.loss);
      log_weight.push_back(p.log_base + log_h);
    }
  }
};

/// log M at complex z.
Plain log_moment(const Step& step, const std::vector<PlainIntegral>& integrals, Plain z) {
  double top = 0.0;
  for (const PlainIntegral& i : integrals) {
    for (std::size_t j = 0; j < i.loss.size(); ++j) {
      top = std::max(top, i.log_weight[j].real() + (z * i.loss[j]).real());
    }
  }
  Plain sum = 0.0;
  if (top < 30.0) {
    for (const PlainIntegral& i : integrals) {
      for (std::size_t j = 0; j < i.loss.size(); ++j) {
        if (i.log_weight[j].real() > -90.0 || (i.log_weight[j] + z * i.loss[j]).real() > -90.0) {
          const Plain e = z * i.loss[j];
          sum += e.real() < 30.0 ? std::exp(i.log_weight[j]) * expm1_plain(e) : std::exp(i.log_weight[j] + e);
        }
      }
    }
    if (std::abs(sum) < 0.5) {
      const double re = sum.real(), im = sum.imag();
      return {0.5 * std::log1p(re * (2.0 + re) + im * im), std::atan2(im, 1.0 + re)};
    }
    return std::log(1.0 + sum);
  }
  for (const PlainIntegral& i : integrals) {
    for (std::size_t j = 0; j < i.loss.size(); ++j) {
      sum += std::exp(i.log_weight[j] + z * i.loss[j] - top);
    }
  }
  sum += step.approximate_atom() * std::exp(-top);
  return std::log(sum) + top;
}

/// What a path must serve: orders z, each with the logarithm below which its integrand is not needed; `bent` if the
/// contour turns away. `extra` digits serve the quadrature errors of displaced orders.
struct Demand {
  double c = 0.0, reference = 0.0, mean = 0.0, digits = 0.0, few = 0.0;
  bool bent = false;
  double turn = 0.0;  ///< the contour's bend
  std::vector<Plain> exact, rough;  ///< orders on the contour, where all digits are needed, and on the displaced ones
  template <class Act>
  void each(const Act& act) const {
    for (const Plain z : exact) {
      act(z, reference + (z.real() - c) * mean - digits - 3.0);
    }
    for (const Plain z : rough) {
      act(z, reference + (z.real() - c) * mean - few - 3.0);
    }
  }
  [[nodiscard]] double low() const { return extreme(-1.0); }
  [[nodiscard]] double high() const { return extreme(1.0); }

 private:
  [[nodiscard]] double extreme(double sign) const {
    double most = c;
    for (const auto* list : {&exact, &rough}) {
      for (const Plain z : *list) {
        most = sign * z.real() > sign * most ? z.real() : most;
      }
    }
    return most;
  }
};

double round_down(double v, int bits) {  // short numbers make short proofs
  const int e = std::ilogb(v);
  return std::ldexp(std::floor(std::ldexp(v, bits - e)), e - bits);
}

/// About the logarithm of the largest value of the integrand on the real line, and of its integral.
double log_peak(const Piece& p, double z) {
  return std::max({log_real(p, 0.0, z), log_real(p, (z + 1.0) * p.a * p.mu, z), log_real(p, -z * p.n * p.mu, z),
                   log_real(p, (z + 1.0) * p.a * p.mu - z * p.n * p.mu, z)});
}

/// The quadrature errors of real displaced orders are as large as the integrand on the real line: digits for these too.
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
  path.scale = round_down(std::min(3.0, 0.98 * p.highest() / (p.mu * (psi + up))), 20);
  const double y = path.scale * (psi + up);
  const double grow = 0.5 * y * y - std::log(std::cos(psi + up)) + 2.0;
  path.h = round_down(2.0 * pi * std::min(up, down) / (d.digits + grow), 20);
  const double x0 = 0.5 * (p.a + p.n) * p.mu;
  double right = 0.0, largest = 1.0;
  d.each([&](Plain z, double cut) {
    right = std::max(right, line_ends(p, path, z, cut - 0.5 * y * y).second);
    largest = std::max(largest, std::abs(z));
  });
  const double left =
      d.digits + 8.0 + std::max(0.0, log_real(p, x0, d.c) - d.reference) + std::log1p(largest * p.mu);
  path.first = -std::ceil(left / path.h) * path.h;
  path.count = static_cast<long>(std::ceil((std::max(1.0, (right - x0) / path.scale) - path.first) / path.h));
  set_reach(p, path, d.low(), d.high(), 0.0, right);
  return path;
}

Path line_path(const Piece& p, const Demand& d) {
  Path path;
  const double steep = p.steepest() * p.mu;
  double neg = std::min(0.0, d.low() + 1.0);
  if (p.n != 0) {
    neg = std::min(neg, -d.high());
  }
  if (d.bent) {  // away from the real line, so that orders that turn away decay
    path.d = round_down(std::min(1.3 / steep, 3.0), 20);
    path.down = round_down(0.6 * path.d, 20);
    path.up = round_down(std::min(1.0 / steep, 2.0), 20);
    const double top = path.d + path.up;
    path.h = 2.0 * pi * std::min(path.up, path.down) / (d.digits + 0.5 * top * top + 3.0);
  } else {
    constexpr double lift = 0.875;  // the lower line stays above the real one: there large Im z does not help
    for (int i = 1; i <= 40; ++i) {
      const double y = std::min(0.5 * pi / steep * 0.999, 2.0) * i / 40.0;
      const double top = (1.0 + lift) * y;
      double extra = neg < 0.0 ? neg * std::log(std::cos(0.5 * steep * top)) : 0.0;
      if (2.0 * steep * top < pi && p.a * p.n == 0) {
        extra = std::min(extra, std::max(0.0, neg * std::log1p(-p.q) - d.reference) + 1.0);
      }
      const double h = 2.0 * pi * lift * y / (d.digits + 0.5 * top * top + extra + 1.5);
      if (h > path.h) {
        path.h = h;
        path.d = y;
      }
    }
    path.d = round_down(path.d, 20);
    path.up = path.down = round_down(lift * path.d, 20);
  }
  path.h = round_down(path.h, 20);
  const double top = path.d + path.up;
  double left = infinity, right = -infinity;
  d.each([&](Plain z, double cut) {
    const auto ends = line_ends(p, path, z, cut - 0.5 * (top * top - path.d * path.d));
    left = std::min(left, ends.first);
    right = std::max(right, ends.second);
  });
  if (d.bent && p.n == 0) {
    path.slope = std::min(0.875, std::abs(d.turn) + 0.1875);
    path.tau = round_down(1.0 / p.mu, 20);
    const double bend = std::max((std::log1p(-p.q) - std::log(p.q)) / p.mu + 0.5 * p.mu, (d.c + 1.0) * p.mu);
    path.bend = round_down(std::abs(bend) + 1e-3, 20);
    left = infinity;
    right = -infinity;
    d.each([&](Plain z, double cut) {
      const auto ends = line_ends(p, path, z, cut - 0.5 * (top * top - path.d * path.d));
      left = std::min(left, ends.first);
      right = std::max(right, ends.second);
    });
    if (path.bend > right) {
      path.slope = 0.0;
    } else {
      right = std::max(right, path.bend + 4.0 / p.mu) + 2.0 / p.mu;
    }
  }
  path.first = std::floor(left / path.h) * path.h;
  path.count = static_cast<long>(std::ceil((right - path.first) / path.h));
  set_reach(p, path, d.low(), d.high(), left, right);
  return path;
}

Path tail_path(const Piece& p, const Demand& demand, double fraction) {
  if (p.half) {
    const double psi = 0.62 * fraction;
    return half_path(p, demand, round_down(psi, 20), round_down(psi, 20), round_down(psi, 20));
  }
  Path path;
  const double steep = p.steepest() * p.mu;
  const double most = 0.499 * pi / steep;
  path.d = round_down(std::min(most, 8.0) * fraction, 20);
  double best = 0.0;
  for (int i = 1; i <= 20; ++i) {
    const double y = std::min(most, 6.0) * i / 20.0;
    const double h = 2.0 * pi * y / (demand.digits + 0.5 * y * y + 2.0);
    if (h > best) {
      best = h;
      path.up = path.down = y;
    }
  }
  path.up = path.down = round_down(path.up, 20);
  path.h = round_down(best, 20);
  const double top = path.d + path.up;
  double neg = p.n != 0 ? std::min(0.0, -demand.c) : std::min(0.0, demand.c + 1.0);
  const double cut = demand.reference - demand.digits - 3.0 - 0.5 * (top * top - path.d * path.d) +
                     std::min(0.0, neg * -std::log(std::cos(0.5 * steep * std::min(top, 0.98 * pi / steep))));
  const auto ends = line_ends(p, path, demand.c, cut);
  path.first = std::floor(ends.first / path.h) * path.h;
  path.count = static_cast<long>(std::ceil((ends.second - path.first) / path.h));
  set_reach(p, path, demand.c, demand.c, ends.first, ends.second);
  return path;
}

Path real_path(const Piece& p, double z) {
  const double peak = std::max(0.0, log_peak(p, z));
  Path path;
  if (p.half) {
    path.scale = round_down(std::min(3.0, 0.98 * p.highest() / (p.mu * 1.2)), 20);
    path.h = 2.0 * pi * 1.2 / 30.0;
    path.first = -34.0;
    const double right = (line_ends(p, path, z, peak - 28.0).second - 0.5 * (p.a + p.n) * p.mu) / path.scale;
    path.count = static_cast<long>(std::ceil((std::max(1.0, right) - path.first) / path.h)) + 1;
    return path;
  }
  const double steep = p.steepest() * p.mu;
  for (int i = 1; i <= 20; ++i) {
    const double y = std::min(pi / steep, 6.0) * i / 20.0 * 0.98;
    path.h = std::max(path.h, 2.0 * pi * y / (24.0 + 0.5 * y * y));
  }
  const auto ends = line_ends(p, path, z, peak - 28.0);
  path.first = ends.first;
  path.count = static_cast<long>(std::ceil((ends.second - ends.first) / path.h)) + 1;
  return path;
}

/// The contour in doubles.
class Contour {
 public:
  Contour(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      std::vector<PlainIntegral> integrals;
      for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
        integrals.emplace_back(problem.steps[i].pieces[k], plan.paths[i][k]);
      }
      integrals_.push_back(std::move(integrals));
    }
  }
  [[nodiscard]] Plain at(Plain t) const {
    return plan_.c + plan_.scale * (plan_.bend * (std::cosh(t) - 1.0) + Plain(0.0, 1.0) * std::sinh(t));
  }
  /// sum T log M(z) + g^2 z (z + 1) / 2
  [[nodiscard]] Plain cumulant_at(Plain z) const {
    Plain k = 0.5 * problem_.gaussian_mu * problem_.gaussian_mu * z * (z + 1.0);
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      k += problem_.steps[i].count * log_moment(problem_.steps[i], integrals_[i], z);
    }
    return k;
  }
  /// log of the integrand in t, without 1 / (2 pi).
  [[nodiscard]] Plain log_integrand(Plain t, double epsilon) const {
    const Plain z = at(t);
    const Plain speed = plan_.scale * (std::cosh(t) - Plain(0.0, plan_.bend) * std::sinh(t));
    return cumulant_at(z) - z * epsilon - std::log(z * (z + 1.0)) + std::log(speed);
  }

  /// About what Inversion will prove of the integrand's modulus within h / 2 of t.
  [[nodiscard]] double log_disc(Plain t, double h, double epsilon) const {
    const Plain z = at(t);
    const Plain speed = plan_.scale * (std::cosh(t) - Plain(0.0, plan_.bend) * std::sinh(t));
    const double r = 0.5 * h * std::abs(speed);
    const double g2 = problem_.gaussian_mu * problem_.gaussian_mu;
    double total = 0.5 * g2 * (z * (z + 1.0)).real() + r * g2 * std::abs(z - plan_.c) + 0.5 * g2 * r * r;
    double shift = g2 * (plan_.c + 0.5) - epsilon;
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      const double m = plan_.mean[i], reference = plan_.reference[i] + (z.real() - plan_.c) * m;
      const double atom = problem_.steps[i].approximate_atom();
      shift += problem_.steps[i].count * m;
      Plain s0 = atom * std::exp(-reference), s1 = 0.0;
      double s2 = std::abs(s0) * std::expm1(std::min(r * std::abs(m), 600.0)) / (0.5 * r * r);
      for (const PlainIntegral& integral : integrals_[i]) {
        for (std::size_t j = 0; j < integral.loss.size(); ++j) {
          const Plain v = integral.log_weight[j] + z * integral.loss[j] - reference;
          const Plain away = integral.loss[j] - m;
          if (v.real() + r * std::abs(away) < -45.0) {
            continue;
          }
          const Plain e = std::exp(v);
          s0 += e;
          s1 += e * away;
          s2 += std::exp(v.real() + r * std::abs(away)) * std::norm(away);
        }
      }
      // s0 is 1 + something small for a step of a long composition; doubles are good enough for T up to 1e12
      const double size = std::abs(s0) + r * std::abs(s1) + 0.5 * r * r * s2;
      total += problem_.steps[i].count * (std::log(size) + reference);
    }
    return total - z.real() * epsilon + r * std::abs(shift) - std::log(std::abs(z * (z + 1.0))) + std::log(std::abs(speed));
  }

 private:
  const Problem& problem_;
  Plan plan_;
  std::vector<std::vector<PlainIntegral>> integrals_;
};

double log_add(double a, double b) {
  const double top = std::max(a, b);
  return top == -infinity ? top : top + std::log(std::exp(a - top) + std::exp(b - top));
}

struct Shape {
  double scale, bend;
};

/// Fills in n, h, the strip and the paths; false if the shape is of no use.
bool try_shape(const Problem& problem, Plan& plan, const Cumulant& cumulant, const Shape& shape, double digits,
               double width) {
  plan.scale = round_down(shape.scale, 20);
  plan.bend = shape.bend;
  const double c = plan.c, epsilon = plan.epsilon;
  const double count = problem.total_count();
  plan.digits = digits + std::log(count + 1.0) + 3.0;
  const auto where = [&](Plain t) {
    return c + plan.scale * (plan.bend * (std::cosh(t) - 1.0) + Plain(0.0, 1.0) * std::sinh(t));
  };
  // Lays the paths for the contour up to t = end in the strip from -down to up.
  const auto lay = [&](double end, double up, double down) {
    plan.paths.clear();
    Demand d;
    d.c = c;
    d.digits = plan.digits;
    d.bent = shape.bend != 0.0;
    d.turn = shape.bend;
    constexpr int samples = 5;
    for (int i = 0; i < (end > 0.0 ? samples : 1); ++i) {
      const double t = end * i / (samples - 1);
      d.exact.push_back(where(t));
      d.rough.push_back(where({t, up}));
      d.rough.push_back(where({t, -down}));
    }
    double nodes = 0.0;
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      std::vector<Path> row;
      d.mean = cumulant.mean[i];
      d.reference = cumulant.each[i];
      d.few = 8.0 + std::log(problem.steps[i].count + 1.0);
      for (const Piece& p : problem.steps[i].pieces) {
        const Demand all = raised(p, d);
        row.push_back(p.half ? (d.bent ? half_path(p, all, 1.0, 0.4375, 0.4375) : half_path(p, all, 0.625, 0.625, 0.625))
                             : line_path(p, all));
        nodes += static_cast<double>(row.back().count);
      }
      plan.paths.push_back(std::move(row));
    }
    return nodes;
  };
  // As far as the contour may be displaced at all: short of the poles, and where the quadrature stays affordable.
  const auto room = [&](double direction) {
    const double pole = direction < 0.0 ? 0.93 * (c > 0.0 ? c : 1.0 + c) : c > 0.0 ? infinity : -0.93 * c;
    double most = std::min({pole, 12.0 * width, 0.93 * plan.scale});
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      for (const Piece& p : problem.steps[i].pieces) {
        const auto extra = [&](double s) {
          const double z = c + direction * s;
          return log_peak(p, z) - cumulant.each[i] - direction * s * cumulant.mean[i] - 16.0;
        };
        for (int k = 0; k < 200 && extra(most) > digits; ++k) {
          most *= 0.9;
        }
      }
    }
    return most;
  };
  const double room_up = std::asin(room(-1.0) / plan.scale), room_down = std::asin(room(1.0) / plan.scale);
  constexpr double most_nodes = 60000.0;
  double nodes = lay(0.0, room_up, room_down);
  if (nodes > most_nodes) {
    return false;
  }
  // Where the integrand has died out.
  double last = 0.0;
  {
    const Contour contour(problem, plan);
    const double here = contour.log_integrand(0.0, epsilon).real();
    const double first = std::min(1.0, width / plan.scale);
    double t = first, before = 0.0;
    bool found = false;
    for (int i = 0; i < 60; ++i) {
      const double v = contour.log_integrand(t, epsilon).real() - here;
      if (std::isnan(v) || v > 40.0) {
        return false;
      }
      if (v < -digits - 3.0) {
        found = true;
        break;
      }
      before = t;
      t = std::min(t * 1.35, t + 0.7);
      if (t > 60.0) {
        return false;
      }
    }
    if (!found) {
      return false;
    }
    for (int i = 0; i < 3; ++i) {
      const double m = 0.5 * (t + before);
      (contour.log_integrand(m, epsilon).real() - here < -digits - 3.0 ? t : before) = m;
    }
    last = t;
  }
  // The tail: the bound on the ray above the last point.
  const auto ray = [&](double t) {
    const Plain z = plan.c + plan.scale * (plan.bend * (std::cosh(t) - 1.0) + Plain(0.0, 1.0) * std::sinh(t));
    const double g2 = problem.gaussian_mu * problem.gaussian_mu;
    double total = 0.5 * g2 * (z * (z + 1.0)).real() - z.real() * epsilon - std::log(pi * z.imag());
    plan.tails.clear();
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      const Step& step = problem.steps[i];
      double best = infinity;
      std::vector<Path> chosen;
      for (const double fraction : {0.02, 0.06, 0.15, 0.35, 0.65, 0.97}) {
        std::vector<Path> row;
        double sum = step.approximate_atom();
        for (std::size_t k = 0; k < step.pieces.size(); ++k) {
          const Piece& p = step.pieces[k];
          Path path = plan.paths[i][k];
          if (plan.bend == 0.0) {
            const Demand d{c, cumulant.each[i], cumulant.mean[i], 14.0 + std::log(step.count + 1.0), 1.0, false, 0.0, {Plain(c)}, {}};
            path = tail_path(p, d, fraction);
          }
          const PlainIntegral nodes_of(p, path);
          for (std::size_t j = 0; j < nodes_of.loss.size(); ++j) {
            sum += std::exp((nodes_of.log_weight[j] + z * nodes_of.loss[j]).real());
          }
          row.push_back(path);
        }
        if (std::log(sum) < best) {
          best = std::log(sum);
          chosen = row;
        }
        if (plan.bend != 0.0) {
          break;
        }
      }
      total += step.count * best;
      plan.tails.push_back(std::move(chosen));
    }
    return total;
  };
  {
    const double k0 = cumulant.k - c * epsilon - std::log(std::abs(c * (1.0 + c)) / width) - digits - 1.5;
    double t = last;
    int tries = 0;
    while (!(ray(t) < k0)) {
      t = plan.bend == 0.0 && plan.scale > 2.0 * width ? t * 1.1 : t + 0.15;
      if (++tries > 60 || t > 60.0) {
        return false;
      }
    }
    last = t;
  }
  nodes = lay(last, room_up, room_down);
  if (nodes > most_nodes) {
    return false;
  }
  const Contour contour(problem, plan);
  const double here = contour.log_integrand(0.0, epsilon).real();
  const auto strip = [&](int direction, double& angle) {
    double best = 0.0;
    const double most = direction > 0 ? room_up : room_down;
    for (const double f : {0.08, 0.16, 0.32, 0.55, 0.8, 1.0}) {
      const double a = std::min(f * most, 1.2);
      double log_n = -infinity;
      constexpr int parts = 8;
      for (int i = 0; i <= parts; ++i) {
        const Plain t(last * i / parts, direction * a);
        const double v = contour.log_disc(t, 2.0 * pi * a / (digits + 6.0), epsilon) - here;
        log_n = std::isnan(v) ? infinity : log_add(log_n, v + std::log(last / parts / (width / plan.scale)));
      }
      const double h = 2.0 * pi * a / (digits + 2.0 + std::max(log_n, -2.0));
      if (h > best) {
        best = h;
        angle = a;
      }
    }
    return best;
  };
  const double h = std::min(strip(1, plan.up), strip(-1, plan.down));
  if (!(h > 0.0) || !(last / h < 20000.0)) {
    return false;
  }
  plan.up = round_down(plan.up, 20);
  plan.down = round_down(plan.down, 20);
  plan.h = round_down(h, 20);
  plan.n = static_cast<long>(std::ceil(last / plan.h));
  nodes = lay((static_cast<double>(plan.n) + 0.5) * plan.h, plan.up, plan.down);
  if (nodes > most_nodes) {
    return false;
  }
  plan.work = 3.0 * static_cast<double>(plan.n + 8) * nodes;
  return true;
}

}  // namespace

double Problem::total_count() const {
  double total = 0.0;
  for (const Step& s : steps) {
    total += s.count;
  }
  return total;
}

Cumulant cumulant(const Problem& problem, double c) {
  const double g2 = problem.gaussian_mu * problem.gaussian_mu;
  Cumulant out{0.5 * g2 * c * (c + 1.0), g2 * (c + 0.5), g2, {}, {}};
  for (const Step& step : problem.steps) {
    // sums of the real integrands, tilted
    double top = 0.0;
    std::vector<std::pair<double, double>> terms;  // loss, log weight
    double excess = 0.0;
    bool small = true;
    for (const Piece& p : step.pieces) {
      const Path path = real_path(p, c);
      const double log_h = std::log(path.h);
      for (long j = 0; j < path.count; ++j) {
        const PlainPoint point = evaluate(p, path, Plain(path.first + (static_cast<double>(j) + 0.5) * path.h, 0.0));
        const double l = point.loss.real(), w = point.log_base.real() + log_h;
        terms.emplace_back(l, w + c * l);
        top = std::max(top, w + c * l);
        if (c * l < 1.0) {
          excess += std::exp(w) * std::expm1(c * l);
        } else {
          excess += std::exp(std::min(w + c * l, 700.0)) - std::exp(w);
        }
      }
    }
    small = top < 3.0 && std::abs(excess) < 0.5;
    double total = step.approximate_atom() * std::exp(-top), first = 0.0, second = 0.0;
    for (const auto& [l, v] : terms) {
      const double e = std::exp(v - top);
      total += e;
      first += e * l;
    }
    const double mean = first / total;
    for (const auto& [l, v] : terms) {
      second += std::exp(v - top) * (l - mean) * (l - mean);
    }
    second += step.approximate_atom() * std::exp(-top) * mean * mean;
    const double k = small ? std::log1p(excess) : top + std::log(total);
    out.each.push_back(k);
    out.mean.push_back(mean);
    out.k += step.count * k;
    out.first += step.count * mean;
    out.second += step.count * second / total;
  }
  return out;
}

namespace {

double threshold_of(const Cumulant& k, double c) { return k.first - 1.0 / c - 1.0 / (1.0 + c); }

double estimate(const Cumulant& k, double c) {
  const double spread = k.second + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c));
  return k.k - c * threshold_of(k, c) - std::log(std::abs(c * (1.0 + c))) - 0.5 * std::log(2.0 * pi * spread);
}

/// c from a parameter on the whole line: right, log c; middle, the logit of -c.
double point_of(double u, bool middle) { return middle ? -1.0 / (1.0 + std::exp(u)) : std::exp(u); }

template <class F>
double falling_root(const F& f, double low, double high, double tolerance) {  // f(low) > 0 > f(high)
  double fl = 1.0, fh = -1.0;
  for (int i = 0; i < 60 && high - low > tolerance; ++i) {
    double m = 0.5 * (low + high);
    if (i % 3 != 2 && std::isfinite(fl) && std::isfinite(fh) && i > 0) {
      m = std::clamp(low + (high - low) * fl / (fl - fh), low + 0.02 * (high - low), high - 0.02 * (high - low));
    }
    const double v = f(m);
    if (v > 0.0) {
      low = m;
      fl = v;
    } else {
      high = m;
      fh = v;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

double saddle(const Problem& problem, double epsilon, bool middle) {
  // threshold_of rises with c
  const auto f = [&](double u) {
    const double c = point_of(u, middle);
    return epsilon - threshold_of(cumulant(problem, c), c);
  };
  double low = middle ? -30.0 : -3.0, high = middle ? 30.0 : 3.0;
  if (middle) {
    const auto g = [&](double u) { return -f(u); };
    return point_of(falling_root(g, low, high, 1e-3), true);
  }
  while (f(low) < 0.0 && low > -700.0) {
    high = low;
    low = low * 1.5 - 3.0;
  }
  while (f(high) > 0.0 && high < 80.0) {
    low = high;
    high = high * 1.3 + 2.0;
  }
  return point_of(falling_root(f, low, high, 1e-3), false);
}

Guess guess(const Problem& problem, double log_value, bool middle) {
  const auto f = [&](double u) {
    const double c = point_of(u, middle);
    const double v = estimate(cumulant(problem, c), c) - log_value;
    return middle ? v : v;
  };
  double low = -3.0, high = 3.0;
  if (!middle) {
    while (f(low) < 0.0 && low > -700.0) {
      high = low;
      low = low * 1.5 - 3.0;
    }
    while (f(high) > 0.0 && high < 80.0) {
      low = high;
      high = high * 1.3 + 2.0;
    }
  } else {
    // 1 - delta falls as epsilon does, that is as c falls to -1 (u to -infinity)
    const auto g = [&](double u) { return -f(u); };
    low = -30.0;
    high = 30.0;
    const double u = falling_root(g, low, high, 1e-3);
    const double c = point_of(u, true);
    return {c, threshold_of(cumulant(problem, c), c)};
  }
  const double c = point_of(falling_root(f, low, high, 1e-3), false);
  return {c, threshold_of(cumulant(problem, c), c)};
}

Plan make_plan(const Problem& problem, double c, double epsilon, double digits) {
  Plan best;
  best.work = infinity;
  double base = 0.0;  // log of the integrand's size at the first c, times its width
  // At a c of its own; a smaller one costs digits and may leave more room for the strip.
  const auto at = [&](double factor) {
    Plan plan;
    plan.c = round_down(std::abs(c * factor), 24) * (c < 0.0 ? -1.0 : 1.0);
    plan.epsilon = epsilon;
    plan.wanted = digits;
    const double p = plan.c;
    const Cumulant k = cumulant(problem, p);
    plan.reference = k.each;
    plan.mean = k.mean;
    plan.width = 1.0 / std::sqrt(k.second + 1.0 / (p * p) + 1.0 / ((1.0 + p) * (1.0 + p)));
    const double size = k.k - p * epsilon + std::log(plan.width / std::abs(p * (1.0 + p)));
    if (factor == 1.0) {
      base = size;
    }
    const double all = digits + std::max(0.0, size - base);
    const auto consider = [&](double scale, double bend) {
      Plan trial = plan;
      if (try_shape(problem, trial, k, {scale, bend}, all, plan.width) && trial.work < best.work) {
        best = std::move(trial);
      }
    };
    consider(8.0 * plan.width, 0.0);
    if (best.n < 60 && best.work < infinity) {
      return;
    }
    consider(2.0 * plan.width, 0.0);
    if (best.n < 120 && best.work < infinity) {
      return;
    }
    consider(0.7 * plan.width, 0.0);
    for (const double bend : {0.125, 0.3125, 0.5625}) {
      consider(plan.width, bend);
      consider(plan.width, -bend);
    }
  };
  at(1.0);
  for (const double factor : {0.5, 0.25}) {
    if (!(best.n < 80 && best.work < infinity) && c > 0.0) {
      at(factor);
    }
  }
  if (!(best.work < infinity)) {
    throw ConvergenceError("no contour is short enough");
  }
  best.bits = static_cast<long>(std::ceil((best.digits + std::log(1.0 + std::abs(epsilon * best.c))) / std::numbers::ln2)) + 32;
  best.bits = (best.bits + 63) / 64 * 64;
  return best;
}

Rough rough(const Problem& problem, const Plan& plan, double epsilon) {
  const Contour contour(problem, plan);
  const double here = contour.log_integrand(0.0, epsilon).real();
  Plain sum = 0.0, moved = 0.0;
  for (long k = 0; k <= plan.n; ++k) {
    const Plain t(static_cast<double>(k) * plan.h, 0.0);
    const Plain e = std::exp(contour.log_integrand(t, epsilon) - here) * (k == 0 ? 1.0 : 2.0);
    sum += e;
    moved += e * contour.at(t);
  }
  const double value = std::abs(sum.real());
  return {here + std::log(value * plan.h / (2.0 * pi)), -moved.real() / sum.real()};
}

}  // namespace dpcurves::accounting::proof
