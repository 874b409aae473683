// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

Cumulant cumulant(const Problem& problem, double c) {
  const double g2 = problem.gaussian_mu * problem.gaussian_mu;
  Cumulant out{0.5 * g2 * c * (c + 1.0), g2 * (c + 0.5), g2, {}, {}};
  for (const Step& step : problem.steps) {
    // sums of the real integrands, tilted
    double top = step.has_atom ? 0.0 : -infinity;
    std::vector<std::pair<double, double>> terms;  // loss, log weight
    double excess = 0.0;
    for (const Piece& p : step.pieces) {
      const Path path = real_path(p, c);
      const double log_h = std::log(path.h);
      PlainEvaluation at_point(p, path);
      for (long j = 0; j < path.count; ++j) {
        const PlainPoint point = at_point(Plain(path.first + (static_cast<double>(j) + 0.5) * path.h, 0.0));
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
    double k = top + std::log(total);
    if (std::abs(k) < 0.5 && std::abs(excess) < 0.5) {  // the terms are all of the law, not a hump far out
      k = std::log1p(excess);
    }
    out.each.push_back(k);
    out.mean.push_back(mean);
    out.k += step.count * k;
    out.first += step.count * mean;
    out.second += step.count * second / total;
  }
  return out;
}

MostFall::MostFall(const Problem& problem, double c, const Cumulant& at) : gaussian_mu_(problem.gaussian_mu) {
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    const Step& step = problem.steps[i];
    Tilted law{step.count, {}};
    const auto add = [&](double loss, double weight) {
      law.terms.emplace_back(0.5 * (loss - at.mean[i]) * (loss - at.mean[i]), weight);
    };
    add(0.0, step.approximate_atom() * std::exp(-at.each[i]));
    for (const Piece& p : step.pieces) {
      const Path path = real_path(p, c);
      PlainEvaluation at_point(p, path);
      for (long j = 0; j < path.count; ++j) {
        const PlainPoint point = at_point(Plain(path.first + (static_cast<double>(j) + 0.5) * path.h, 0.0));
        const double loss = point.loss.real();
        add(loss, path.h * std::exp(point.log_base.real() + c * loss - at.each[i]));
      }
    }
    laws_.push_back(std::move(law));
  }
}

// |E e^{i y l}| >= E cos(y l) >= 1 - E min(2, (y l)^2 / 2), l measured from its mean under the tilted law.
double MostFall::operator()(double y) const {
  double total = 0.5 * gaussian_mu_ * gaussian_mu_ * y * y;
  for (const Tilted& law : laws_) {
    double sum = 0.0;
    for (const auto& [half_square, weight] : law.terms) {
      sum += weight * std::min(2.0, y * y * half_square);
    }
    total = sum < 1.0 ? total - law.count * std::log1p(-sum) : infinity;
  }
  return total;
}

double log_modulus(const Problem& problem, double c, double epsilon) {
  const Cumulant k = cumulant(problem, c);
  const double width = 1.0 / std::sqrt(k.second + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c)));
  return k.k - c * epsilon + std::log(width / std::abs(c * (1.0 + c)));
}

double before_edges(const Problem& problem, double c, double epsilon, double digits, double log_value) {
  const double log_count = std::log(problem.total_count() + 1.0);
  const auto edge = [&](double order) {
    double most = -infinity;
    for (const Step& step : problem.steps) {
      for (const Piece& p : step.pieces) {
        for (const double x : {p.left, p.right}) {
          if (std::isfinite(x)) {
            const PlainPoint at = evaluate(p.unbounded(), Path{}, Plain(x, 0.0));
            most = std::max(most, at.log_base.real() + order * at.loss.real());
          }
        }
      }
    }
    return most;
  };
  constexpr double displaced = 1.2, shrink = 0.85;
  constexpr int most_steps = 30;
  if (edge(0.0) == -infinity) {
    return c;
  }
  double best = c;
  for (int i = 0; i < most_steps; ++i, best *= shrink) {
    const double room = log_count + 3.0 + digits;
    if (edge(displaced * best) + room < 0.0) {  // before the sums that this takes
      const double lost = log_modulus(problem, best, epsilon) - log_value;
      if (edge(displaced * best) + room + std::max(0.0, lost) < 0.0) {
        return best;
      }
    }
  }
  return c;
}

namespace {

// The same without the parts of the laws whose density is below e^{log_floor}: far away, they matter to a large order c
// and not to a value well above their mass.
Cumulant cut_cumulant(const Problem& problem, double c, double log_floor) {
  const double g2 = problem.gaussian_mu * problem.gaussian_mu, reach = std::sqrt(-2.0 * log_floor);
  Cumulant out{0.5 * g2 * c * (c + 1.0), g2 * (c + 0.5), g2, {}, {}};
  for (const Step& step : problem.steps) {
    std::vector<std::pair<double, double>> terms;  // loss, log weight
    double top = 0.0;
    for (const Piece& p : step.pieces) {
      const double steep = p.steepest() * p.mu, origin = p.half ? 0.5 * (p.a + p.n) * p.mu : 0.0;
      // On a half x is origin + scale log(1 + e^s): no rule for its end is as close.
      const double scale = p.half ? std::min(1.0, 1.0 / steep) : 1.0;
      const double h = p.half ? 0.25 : std::min(0.25, 0.4 / steep), log_h = std::log(h);
      constexpr double unseen = -36.0;
      const double begin = p.half ? unseen : -reach - (p.n < 0 ? p.mu : 0.0);
      const double end = (reach + std::max({p.a, p.n, 0}) * p.mu - origin) / scale;
      constexpr double most = 1e5;
      if (!(end - begin < most * h)) {
        throw ConvergenceError("a law takes too many nodes");
      }
      Piece law = p.unbounded();
      law.half = p.half;
      Path path;
      path.scale = scale;
      PlainEvaluation at_point(law, path);
      for (double s = begin + 0.5 * h; s < end; s += h) {
        const PlainPoint at = at_point(Plain(s, 0.0));
        const double log_dx = p.half ? std::log(scale) - std::log1p(std::exp(-s)) : 0.0;
        if (at.log_base.real() - log_dx > log_floor) {
          terms.emplace_back(at.loss.real(), at.log_base.real() + log_h);
          top = std::max(top, terms.back().second + c * terms.back().first);
        }
      }
    }
    double excess = 0.0, total = step.approximate_atom() * std::exp(-top), first = 0.0, second = 0.0;
    for (const auto& [l, w] : terms) {
      const double e = std::exp(w + c * l - top);
      excess += top < 3.0 ? std::exp(w) * std::expm1(c * l) : 0.0;
      total += e;
      first += e * l;
    }
    const double mean = first / total;
    for (const auto& [l, w] : terms) {
      second += std::exp(w + c * l - top) * (l - mean) * (l - mean);
    }
    second += step.approximate_atom() * std::exp(-top) * mean * mean;
    out.k += step.count * (top < 3.0 && std::abs(excess) < 0.5 ? std::log1p(excess) : top + std::log(total));
    out.first += step.count * mean;
    out.second += step.count * second / total;
  }
  return out;
}

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
    return point_of(falling_root(f, low, high, 1e-3), true);
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

double log_estimate(const Problem& problem, double epsilon, bool middle) {
  const double c = saddle(problem, epsilon, middle);
  const Cumulant k = cumulant(problem, c);
  const double spread = k.second + 1.0 / (c * c) + 1.0 / ((1.0 + c) * (1.0 + c));
  return k.k - c * epsilon - std::log(std::abs(c * (1.0 + c))) - 0.5 * std::log(2.0 * pi * spread);
}

Guess guess(const Problem& problem, double log_value, bool middle, double seen) {
  const double floor = std::min(0.0, seen * log_value) - 8.0 - std::log(problem.total_count() + 1.0);
  const auto at = [&](double c) { return cut_cumulant(problem, c, floor); };
  const auto f = [&](double u) {
    const double c = point_of(u, middle);
    return estimate(at(c), c) - log_value;
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
    return {c, threshold_of(at(c), c)};
  }
  const double c = point_of(falling_root(f, low, high, 1e-3), false);
  return {c, threshold_of(at(c), c)};
}

}  // namespace dpcurves::accounting::proof
