// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/moment.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr slong chernoff_bits = 192;

double distance(const Step& s) { return s.pair == Pair::poisson_replace_one ? 2.0 * s.mu : s.mu; }

// At least log E[e^{c l}], c >= 0, of one step. A step's laws are mixtures: with chance 1 - q alike, with chance q
// normal laws at a distance D. p^{c+1} n^{-c} is jointly convex in (p, n), so E[e^{c l}] <= 1 - q + q e^{c (c + 1) D^2
// / 2}. A pair made of halves has positive losses only on the half line of one such pair of mixtures; its negative
// losses count at most their mass, which with the atom and the share of the half adds up to 1 - q and q P(N > mu / 2)
// <= q / 2. Add has no loss above -log(1 - q).
Real log_moment(const Step& step, const Real& c) {
  const Real q(step.q), mu(distance(step));
  const Real grown = rigorous::scaled(c * (c + Real(1)) * mu * mu, -1);
  const bool halves = step.has_atom;
  // log(1 + q (e^g - 1) [+ q / 2])
  Real bound = rigorous::log1p(q * (rigorous::expm1(grown) + Real(halves ? 0.5 : 0.0)));
  if (step.pair == Pair::poisson_add) {
    bound = rigorous::min(bound, -(c * rigorous::log1p(-q)));
  }
  return bound;
}

/// The same in doubles.
double plain_log_moment(const Step& step, double c) {
  const double d = distance(step), grown = 0.5 * c * (c + 1.0) * d * d;
  double bound =
      grown > 600.0 ? grown + std::log(step.q) : std::log1p(step.q * (std::expm1(grown) + (step.has_atom ? 0.5 : 0.0)));
  if (step.pair == Pair::poisson_add) {
    bound = std::min(bound, -c * std::log1p(-step.q));
  }
  return bound;
}

// delta <= E[(1 - e^{epsilon - L})_+] <= kappa(c) e^{K(c) - c epsilon}, kappa(c) = c^c / (1 + c)^{1 + c} the largest
// value of (1 - e^{-y}) e^{-c y}. log of kappa e^K:
Real log_front(const Problem& problem, const Real& c) {
  const Real next = c + Real(1);
  Real total =
      c * rigorous::log(c) - next * rigorous::log(next) + rigorous::scaled(c * next * problem.gaussian_square, -1);
  for (const Step& s : problem.steps) {
    total += Real(s.count) * log_moment(s, c);
  }
  return total;
}

double plain_log_front(const Problem& problem, double c) {
  double total =
      c * std::log(c) - (c + 1.0) * std::log1p(c) + 0.5 * c * (c + 1.0) * problem.gaussian_mu * problem.gaussian_mu;
  for (const Step& s : problem.steps) {
    total += s.count * plain_log_moment(s, c);
  }
  return total;
}

/// A c at which `cost` is about least.
template <class F>
double best_order(const F& cost) {
  double best = 1.0, least = infinity, step = 0.5;
  for (double u = -28.0; u <= 60.0; u += step) {
    const double v = cost(std::exp(u));
    if (v < least) {
      least = v;
      best = u;
    }
  }
  for (; step > 1e-4; step *= 0.5) {
    for (const double u : {best - step, best + step}) {
      const double v = cost(std::exp(u));
      if (v < least) {
        least = v;
        best = u;
      }
    }
  }
  return std::exp(best);
}

/// Laws without what is too rare to be seen at e^{log_value}: the mass gone, and Chernoff's exponent at one order.
struct Cut {
  Problem problem;
  Real lost;
  explicit Cut(const Problem& whole, double log_mass) : problem(whole.cut(log_mass)) {
    for (const Step& s : problem.steps) {
      lost += Real(s.count) * s.lost();
    }
  }
  /// In doubles; infinite where the moment takes too many nodes.
  [[nodiscard]] double plain_log_front(double c) const {
    try {
      return c * std::log(c) - (c + 1.0) * std::log1p(c) + cumulant(problem, c).k;
    } catch (const ConvergenceError&) {
      return infinity;
    }
  }
  /// At least log of kappa e^K.
  [[nodiscard]] Real log_front(double order) const {
    const Real c(order), next = c + Real(1);
    Real total =
        c * rigorous::log(c) - next * rigorous::log(next) + rigorous::scaled(c * next * problem.gaussian_square, -1);
    const Cumulant k = cumulant(problem, order);
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      const Step& step = problem.steps[i];
      Demand d;
      d.c = order;
      d.reference = k.each[i];
      d.mean = k.mean[i];
      d.digits = 16.0 + std::log(step.count + 1.0);
      d.few = d.digits;
      d.exact = {Plain(order), Plain(0.0)};
      Real moved = -step.lost();
      for (const Piece& p : step.pieces) {
        const Integral integral(p, p.half ? half_path(p, d, 0.625, 0.625, 0.625) : line_path(p, d), d.reference,
                                d.digits);
        moved += integral.row(order, 1.0, 0, true).front().re() + integral.quadrature_error(0.0, 0.0) +
                 integral.quadrature_error(order, 0.0);
      }
      total += Real(step.count) * rigorous::log1p(rigorous::upper_end(moved));
    }
    return rigorous::upper_end(total);
  }
};

/// An order between e^-9 and e^most at which `cost` is about least; the larger it is, the more an integral takes.
template <class F>
double best_cut_order(double most, const F& cost) {
  double best = 0.0, least = infinity;
  for (double step = 1.0, from = -9.0, to = most; step > 0.02; from = best - step, to = best + step, step *= 0.25) {
    for (double u = from; u <= to; u += step) {
      const double v = cost(std::exp(u));
      if (v < least) {
        least = v;
        best = u;
      }
    }
  }
  return std::exp(best);
}

constexpr double usual_order = 7.0, largest_order = 20.0;  // logarithms
/// The logarithm of an order that a threshold needs for the smallest of doubles.
double most_order(double epsilon) {
  constexpr double exponent = 2e3;  // order times threshold: more than the 745 that are wanted
  return std::clamp(std::log(exponent / epsilon), usual_order, largest_order);
}

constexpr double unseen[] = {0.7, 3.0, 8.0};  // of what is cut off, as a power of e

}  // namespace

Real far_chernoff_delta(const Problem& problem, const Real& epsilon, double log_mass) {
  const Precision precision(chernoff_bits);
  const double e = epsilon.middle();
  try {
    const Cut cut(problem, log_mass);
    const double c = best_cut_order(most_order(e), [&](double x) { return cut.plain_log_front(x) - x * e; });
    const Real bound = rigorous::upper_end(cut.lost + rigorous::exp(cut.log_front(c) - Real(c) * epsilon));
    return bound.finite() && bound < Real(1) ? bound : Real(1);
  } catch (const ConvergenceError&) {
    return Real(1);
  }
}

Real cut_chernoff_delta(const Problem& problem, const Real& epsilon, double log_value) {
  Real best(1);
  for (const double u : unseen) {
    best = rigorous::min(best, far_chernoff_delta(problem, epsilon, log_value - u));
  }
  return best;
}

double log_chernoff_estimate(const Problem& problem, double epsilon) {
  const auto cut_at = [&](double log_mass) {
    try {
      const Cut cut(problem, log_mass);
      const double c = best_cut_order(largest_order, [&](double x) { return cut.plain_log_front(x) - x * epsilon; });
      const double front = cut.plain_log_front(c) - c * epsilon;
      const double lost = cut.lost.positive() ? rigorous::approximate_log(cut.lost) : -infinity;
      return std::isfinite(front) ? std::max(front, lost) : 0.0;
    } catch (const ConvergenceError&) {
      return 0.0;
    }
  };
  constexpr double nearest = -10.0, farthest = -1e4;
  double best = 0.0, place = nearest;
  for (double step = 2.0, from = nearest, to = farthest; step > 1.05; step = std::sqrt(step)) {
    for (double at = from; at >= to; at *= step) {
      if (const double found = cut_at(at); found < best) {
        best = found;
        place = at;
      }
    }
    from = place / step;
    to = place * step;
  }
  return best;
}

Real cut_chernoff_epsilon(const Problem& problem, const Real& target) {
  const Precision precision(chernoff_bits);
  Real best;
  arb_pos_inf(best.get());
  for (const double u : unseen) {
    try {
      const Cut cut(problem, rigorous::log(target).middle() - u);
      const Real rest = target - cut.lost;
      if (!rest.positive()) {
        continue;
      }
      const Real wanted = rigorous::log(rest);
      const double plain = wanted.middle();
      const double c = best_cut_order(usual_order, [&](double x) { return (cut.plain_log_front(x) - plain) / x; });
      const Real bound = rigorous::upper_end(rigorous::at_least((cut.log_front(c) - wanted) / Real(c), Real()));
      best = bound.finite() ? rigorous::min(best, bound) : best;
    } catch (const ConvergenceError&) {
    }
  }
  return best;
}

// Against N(0, 1), r = dP/dQ: r log r <= r - 1 + (r - 1)^2 / (2 min(1, r)),
// and E (r - 1)^2 = q^2 (e^{mu^2} - 1); added, -log r <= 1 - r + (r - 1)^2 / (2 min(1, r)^2). The integrand over both
// halves of the symmetrised pair is (r - 1) log r <= (r - 1)^2. Replace one: at most the integral of (p - n)^2 / n, n
// >= (1 - q) phi. Fixed size, removed: r_2 log(r_2 / r_1) <= r_2 - r_1 + (r_2 - r_1)^2 over x > 3 mu / 2, where r_2 >=
// r_1 >= 1, and -log r_1 <= 1 - r_1 + (r_1 - 1)^2 / 2 over x > mu / 2; what is of the first order cancels. Added,
// likewise with half of the first square.
Real divergence(const Step& s) {
  const Real q(s.q), rest = Real(1) - q, square = q * q, m2 = Real(s.mu) * Real(s.mu);
  const Real of_one = square * rigorous::expm1(m2);
  switch (s.pair) {
    case Pair::poisson_remove:
      return of_one / rigorous::scaled(rest, 1);
    case Pair::poisson_add:
      return of_one / rigorous::scaled(rest * rest, 1);
    case Pair::poisson_replace_one:
      return rigorous::scaled(square * (rigorous::exp(m2) - rigorous::exp(-m2)), 1) / rest;
    case Pair::symmetrised:
      return of_one;
    default:
      return square * rigorous::exp(rigorous::scaled(m2, 2)) + rigorous::scaled(of_one, -1);
  }
}

Real any_step_delta(const Problem& problem, const Real& epsilon) {
  const Precision precision(chernoff_bits);
  Real none_here, none_there;  // log of the chance that no step has such a loss
  for (const Step& s : problem.steps) {
    const OneStep one = one_step(s, epsilon, chernoff_bits);
    none_here += Real(s.count) * rigorous::log1p(-one.power);
    none_there += Real(s.count) * rigorous::log1p(-one.type_one_error);
  }
  return rigorous::lower_end(rigorous::exp(epsilon) * rigorous::expm1(none_there) - rigorous::expm1(none_here));
}

Real chernoff_delta(const Problem& problem, const Real& epsilon) {
  const Precision precision(chernoff_bits);
  const double e = epsilon.middle();
  const Real c(best_order([&](double x) { return plain_log_front(problem, x) - x * e; }));
  const Real bound = rigorous::upper_end(rigorous::exp(log_front(problem, c) - c * epsilon));
  return bound.finite() && bound < Real(1) ? bound : Real(1);
}

Real affinity(const Seen& here, const Seen& there, const Real& s) {
  Real sum;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const Real p = rigorous::upper_end(here[i]), n = rigorous::upper_end(there[i]);
    if (p.positive() && n.positive()) {
      sum += rigorous::exp((Real(1) - s) * rigorous::log(p) + s * rigorous::log(n));
    }
  }
  return rigorous::upper_end(sum);
}

// 1 - delta is the integral of min(p, e^epsilon n), at most that of p^{1-s} (e^epsilon n)^s for 0 < s < 1.
Real rest_of_affinities(const Real& epsilon, const Real& gaussian_square,
                        const std::function<Real(const Real& s)>& log_affinity) {
  Real best;  // of logarithms
  for (double order = 0.5; order > 1e-6; order *= 0.5) {
    const Real s(order);
    const Real bound =
        rigorous::upper_end(s * epsilon - rigorous::scaled(s * (Real(1) - s) * gaussian_square, -1) + log_affinity(s));
    best = bound.finite() ? rigorous::min(best, bound) : best;
  }
  return rigorous::upper_end(rigorous::exp(best));
}

// Affinities multiply over steps, and grow if all that is seen of a step is whether its loss is above a threshold: 0,
// or the loss half way to the sampled record, which tells more where both laws have one, far apart.
Real chernoff_rest(const Problem& problem, const Real& epsilon) {
  const Precision precision(chernoff_bits);
  std::vector<std::vector<OneStep>> seen;
  for (const Step& s : problem.steps) {
    seen.push_back({one_step(s, Real(), chernoff_bits)});
    if (const double half_way = -std::log1p(-s.q); std::isfinite(half_way)) {
      seen.back().push_back(one_step(s, Real(half_way), chernoff_bits));
    }
  }
  return rest_of_affinities(epsilon, problem.gaussian_square, [&](const Real& s) {
    Real total;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      Real least;
      for (const OneStep& one : seen[i]) {
        const Real &a = one.power, &b = one.type_one_error;
        const Real log_affinity = rigorous::upper_end(rigorous::log(affinity({a, Real(1) - a}, {b, Real(1) - b}, s)));
        least = log_affinity.finite() ? rigorous::min(least, log_affinity) : least;
      }
      total += Real(problem.steps[i].count) * least;
    }
    return total;
  });
}

Real chernoff_epsilon(const Problem& problem, const Real& target) {
  const Precision precision(chernoff_bits);
  const Real wanted = rigorous::log(target);
  const double plain = wanted.middle();
  const Real c(best_order([&](double x) { return (plain_log_front(problem, x) - plain) / x; }));
  return rigorous::upper_end(rigorous::at_least((log_front(problem, c) - wanted) / c, Real()));
}

// With A all x <= t, delta(e) >= P(A) - e^e Q(A): more than the target as long as e < log((P(A) - target) / Q(A)).
Real every_step_epsilon(const Problem& problem, const Real& target) {
  const Precision precision(chernoff_bits);
  constexpr double lowest = -8.0, highest = 8.0, between = 0.125, half = std::numbers::sqrt2 / 2.0;
  if (!std::all_of(problem.steps.begin(), problem.steps.end(),
                   [](const Step& s) { return s.pair == Pair::poisson_add; })) {
    return {};
  }
  const double log_target = rigorous::approximate_log(target);
  double at = highest, least = infinity;  // where what is lost of the largest loss is least
  for (double t = lowest; t <= highest; t += between) {
    double log_share = log_target, lost = 0.0;
    for (const Step& s : problem.steps) {
      log_share -= s.count * std::log1p(-0.5 * std::erfc(t * half));
      lost += s.count * s.q / (1.0 - s.q) * std::erfc((s.mu - t) * half) / std::erfc(-t * half);
    }
    lost -= log_share < 0.0 ? std::log1p(-std::exp(log_share)) : -infinity;
    if (lost < least) {
      least = lost;
      at = t;
    }
  }
  Real log_chance, loss;
  for (const Step& s : problem.steps) {
    const Real count(s.count), beyond = rigorous::normal_tail(Real(at)), within = Real(1) - beyond;
    log_chance += count * rigorous::log1p(-beyond);
    loss += count * -rigorous::log1p(Real(s.q) * (rigorous::normal_tail(Real(s.mu) - Real(at)) / within - Real(1)));
  }
  const Real share = target * rigorous::exp(-log_chance);
  return share < Real(1) ? rigorous::max(Real(), rigorous::lower_end(loss + rigorous::log1p(-share))) : Real();
}

}  // namespace dpcurves::accounting::proof
