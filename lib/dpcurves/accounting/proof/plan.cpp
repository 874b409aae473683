// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/proof/plan.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

Plain expm1_plain(Plain z) {
  const double s = std::sin(0.5 * z.imag());
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2.0 * s * s, std::exp(z.real()) * std::sin(z.imag())};
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
  std::vector<double> fractions(problem.steps.size(), 1.0);  // the best heights so far
  const auto reference_at = [&](std::size_t i, double x) {
    return cumulant.each[i] + std::max(0.0, (x - c) * cumulant.mean[i]);
  };
  const auto ray = [&](double t) {
    const Plain z = plan.c + plan.scale * (plan.bend * (std::cosh(t) - 1.0) + Plain(0.0, 1.0) * std::sinh(t));
    const double g2 = problem.gaussian_mu * problem.gaussian_mu;
    double total = 0.5 * g2 * (z * (z + 1.0)).real() - z.real() * epsilon - std::log(pi * z.imag());
    plan.tails.clear();
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      const Step& step = problem.steps[i];
      double best = infinity;
      std::vector<Path> chosen;
      const auto offer = [&](const std::vector<Path>& row) {
        double sum = step.approximate_atom();
        for (std::size_t k = 0; k < step.pieces.size(); ++k) {
          const PlainIntegral nodes_of(step.pieces[k], row[k]);
          for (std::size_t j = 0; j < nodes_of.loss.size(); ++j) {
            sum += std::exp((nodes_of.log_weight[j] + z * nodes_of.loss[j]).real());
          }
        }
        const bool better = std::log(sum) < best;
        if (better) {
          best = std::log(sum);
          chosen = row;
        }
        return better;
      };
      if (plan.bend != 0.0) {
        offer(plan.paths[i]);
      }
      // A long composition is best seen from low above the real line: heights fall until they do worse again.
      const Demand d{z.real(), reference_at(i, z.real()), cumulant.mean[i], 14.0 + std::log(step.count + 1.0), 1.0, false, 0.0,
                     {Plain(z.real())}, {}};
      const bool half = step.pieces.front().half;
      const double factor = half ? 0.35 : 0.6;  // halves take many nodes, and their heights matter less
      int worse = 0;
      double found = 0.0;
      for (double fraction = plan.bend != 0.0 ? 0.0 : std::min(0.97, fractions[i] / (factor * factor)); fraction > 1e-8 && worse < 2; fraction *= factor) {
        std::vector<Path> row;
        double size = 0.0;
        for (const Piece& p : step.pieces) {
          row.push_back(tail_path(p, d, fraction));
          size += static_cast<double>(row.back().count);
        }
        const bool better = size < most_nodes && offer(row);
        found = better ? fraction : found;
        worse = better || best == infinity ? 0 : worse + 1;
      }
      fractions[i] = found > 0.0 ? found : 1.0;
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
      if (++tries > (plan.bend == 0.0 ? 60 : 20) || t > 60.0) {
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

Plan make_plan(const Problem& problem, double c, double epsilon, double digits) {
  constexpr long enough = 300;  // nodes: proving them takes no longer than looking for fewer
  constexpr double patience = 3e5;  // below, only the contours of the bulk are tried
  const bool quick = problem.most_work < patience;
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
    if (quick) {
      return;
    }
    consider(0.7 * plan.width, 0.0);
    if (best.n < enough && best.work < infinity) {
      return;
    }
    for (const double bend : {0.125, 0.3125, 0.5625}) {
      consider(plan.width, bend);
      consider(plan.width, -bend);
    }
  };
  at(1.0);
  if (quick && !(best.work < problem.most_work)) {
    throw ConvergenceError("no contour is short enough");
  }
  for (const double factor : {0.5, 0.25}) {
    if (!(best.n < enough && best.work < infinity) && c > 0.0) {
      at(factor);
    }
  }
  if (!(best.work < problem.most_work)) {
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
