// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/accounting/proof/tail_paths.hpp>
#include <dpcurves/core/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

/// Fills in n, h, the strip and the paths; false if the shape is of no use.
bool try_shape(const Problem& problem, Plan& plan, const Cumulant& cumulant, double scale, double digits, double width,
               double most_work) {
  plan.scale = round_down(scale, 20);
  const double c = plan.c, epsilon = plan.epsilon;
  const double count = problem.total_count();
  plan.digits = digits + std::log(count + 1.0) + 3.0;
  const auto where = [&](Plain t) { return c + plan.scale * Plain(0.0, 1.0) * std::sinh(t); };
  // Lays the paths for the contour up to t = end in the strip from -down to up.
  const auto lay = [&](double end, double up, double down) {
    plan.paths.clear();
    Demand d;
    d.c = c;
    d.digits = plan.digits;
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
        row.push_back(p.half ? half_path(p, all, 0.625, 0.625, 0.625) : line_path(p, all));
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
  // Of the widest strip; a narrower one takes fewer.
  constexpr double fewest_heights = 24.0, always = 16000.0, ever = 60000.0, of_each = 1000.0;
  const double most_nodes = std::clamp(most_work / (3.0 * fewest_heights), always,
                                       std::max(ever, of_each * static_cast<double>(problem.steps.size())));
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
  std::vector<std::vector<TailPaths>> far_up(problem.steps.size());
  const auto reference_at = [&](std::size_t i, double x) {
    return cumulant.each[i] + std::max(0.0, (x - c) * cumulant.mean[i]);
  };
  double tried = 0.0;  // nodes
  const auto ray = [&](double t) {
    const Plain z = where(t);
    const double g2 = problem.gaussian_mu * problem.gaussian_mu;
    double total = 0.5 * g2 * (z * (z + 1.0)).real() - z.real() * epsilon - std::log(pi * z.imag());
    plan.tails.clear();
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      const Step& step = problem.steps[i];
      double best = infinity;
      std::vector<Path> chosen;
      const auto offer = [&](const std::vector<TailPaths::Tail*>& row) {
        double sum = step.approximate_atom();
        for (TailPaths::Tail* tail : row) {
          sum += tail->sum(z.imag());
        }
        constexpr double worth = 1.0;  // digits of the whole ray, for more nodes
        const bool better = best == infinity ? std::isfinite(sum) : step.count * (best - std::log(sum)) > worth;
        if (better) {
          best = std::log(sum);
          chosen.clear();
          for (const TailPaths::Tail* tail : row) {
            chosen.push_back(tail->path());
          }
        }
        return better;
      };
      // A long composition is best seen from low above the real line: heights fall until they do worse again.
      std::vector<TailPaths>& pieces = far_up[i];
      if (pieces.empty() || pieces.front().order() != z.real()) {
        pieces.clear();
        for (const Piece& p : step.pieces) {
          pieces.emplace_back(p, z.real(), reference_at(i, z.real()), cumulant.mean[i],
                              6.0 + std::log(step.count + 1.0));
        }
      }
      constexpr double factor = 0.6;
      int worse = 0;
      double found = 0.0;
      for (double fraction = std::min(0.97, fractions[i] / (factor * factor)); fraction > 1e-8 && worse < 2;
           fraction *= factor) {
        std::vector<TailPaths::Tail*> row;
        double size = 0.0;
        for (TailPaths& piece : pieces) {
          row.push_back(&piece.at(z.imag(), fraction));
          size += static_cast<double>(row.back()->path().count);
        }
        tried += size;
        const bool better = size < most_tail_nodes && offer(row);
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
    constexpr double farthest = 60.0;
    // Nodes: a fifth of a second, or as many for each of many different steps as a few of them may try.
    const double most_tried = std::max(6e5, 3e4 * static_cast<double>(problem.steps.size()));
    constexpr int halvings = 2;
    double t = last, before = last;
    for (; !(ray(t) < k0); t = plan.scale > 2.0 * width ? t * 1.3 : t + 0.4) {
      before = t;
      if (t > farthest || tried > most_tried) {
        return false;
      }
    }
    for (int i = 0; i < halvings && before < t; ++i) {
      const double middle = 0.5 * (before + t);
      (ray(middle) < k0 ? t : before) = middle;
    }
    if (!(ray(t) < k0)) {  // which chooses the paths
      return false;
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

Problem Problem::from_top() const {
  Problem other = *this;
  for (Step& step : other.steps) {
    for (Piece& p : step.pieces) {
      p.from_top = step.pair == Pair::poisson_add;
    }
  }
  return other;
}

rigorous::Real Problem::top() const {
  rigorous::Real total;
  for (const Step& step : steps) {
    if (step.pieces.front().from_top) {
      total = total - rigorous::Real(step.count) * rigorous::log1p(-rigorous::Real(step.q));
    }
  }
  return total;
}

Problem Problem::cut(double log_mass) const {
  Problem other = *this;
  for (Step& step : other.steps) {
    const double least = std::min(-1.0, log_mass - std::log(step.count) - std::log(4.0));
    for (Piece& p : step.pieces) {
      const double far = std::sqrt(-2.0 * least), moved = std::sqrt(std::max(0.0, -2.0 * (least - std::log(p.q))));
      p.right = std::ceil(16.0 * std::max(far, p.a * p.mu + moved)) / 16.0;
      if (!p.half) {
        p.left = -std::ceil(16.0 * std::max(far, moved - p.a * p.mu)) / 16.0;
      }
    }
  }
  return other;
}

Plan make_plan(const Problem& problem, double c, double epsilon, double digits, double most_work) {
  Plan best;
  best.work = infinity;
  Plan plan;
  plan.c = round_down(std::abs(c), 24) * (c < 0.0 ? -1.0 : 1.0);
  plan.epsilon = epsilon;
  plan.wanted = digits;
  const double p = plan.c;
  const Cumulant k = cumulant(problem, p);
  plan.reference = k.each;
  plan.mean = k.mean;
  plan.width = 1.0 / std::sqrt(k.second + 1.0 / (p * p) + 1.0 / ((1.0 + p) * (1.0 + p)));
  for (const auto& [widths, enough] : {std::pair{8.0, 60L}, std::pair{2.0, 120L}}) {
    Plan trial = plan;
    if (try_shape(problem, trial, k, widths * plan.width, digits, plan.width, most_work) && trial.work < best.work) {
      best = std::move(trial);
    }
    if (best.n < enough && best.work < infinity) {
      break;
    }
  }
  if (!(best.work < most_work)) {
    throw ConvergenceError("no contour is short enough");
  }
  best.bits =
      static_cast<long>(std::ceil((best.digits + std::log(1.0 + std::abs(epsilon * best.c))) / std::numbers::ln2)) + 32;
  best.bits = (best.bits + 63) / 64 * 64;
  return best;
}

}  // namespace dpcurves::accounting::proof
