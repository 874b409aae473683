// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/upright.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double pi = std::numbers::pi;
constexpr double most_nodes = 2e4, most_nodes_of_slow = 2e5;  // of the line: each is summed at every threshold

/// The law of a piece without its ends, with its share.
Piece endless(const Piece& p) {
  Piece law = p.unbounded();
  law.part = p.part;
  law.middle = p.middle;
  law.blur = p.blur;
  return law;
}

/// The largest logarithm of the integrand at order d where a law is cut off.
double edges(const Problem& problem, double d) {
  double most = -infinity;
  for (const Step& step : problem.steps) {
    for (const Piece& p : step.pieces) {
      const Piece whole = endless(p);
      for (const double x : {p.left, p.right}) {
        if (std::isfinite(x)) {
          const PlainPoint at = evaluate(whole, Path{}, Plain(x, 0.0));
          most = std::max(most, at.log_base.real() + d * at.loss.real());
        }
      }
    }
  }
  return most;
}

/// Whether its large losses are counted elsewhere.
bool is_bulk(const Step& step) {
  return std::any_of(step.pieces.begin(), step.pieces.end(),
                     [](const Piece& p) { return p.part == Piece::Part::bulk; });
}

[[noreturn]] void fail_short() { throw ConvergenceError("no straight line is short enough"); }

}  // namespace

// Laws that are cut off where neither their mass nor their share in the moment at c is seen any more; none if that is
// too far out.
std::optional<Problem> Upright::cut(Problem problem, double c, double lost, double log_value, double digits) {
  const double log_count = std::log(problem.total_count() + 1.0), margin = log_count + digits + 3.0;
  for (Step& step : problem.steps) {
    for (Piece& p : step.pieces) {
      PlainEvaluation at_point(endless(p), Path{});
      const auto unseen = [&](double x) {
        const PlainPoint at = at_point(Plain(x, 0.0));
        const double mass = at.log_base.real();
        return mass < log_value - margin && mass + c * at.loss.real() < -lost - margin;
      };
      constexpr double step_of_x = 1.0 / 16.0, farthest = 200.0;
      const auto end = [&](double sign) {
        if (sign > 0.0 && p.part == Piece::Part::bulk) {
          double x = std::ceil(p.middle / step_of_x) * step_of_x;
          for (; x < farthest && !unseen(x); x += step_of_x) {
          }
          return x < farthest ? x : 0.0;
        }
        double x = std::min(farthest, (c + 2.0) * 2.0 * p.mu + 60.0);
        if (unseen(sign * x)) {
          while (x > step_of_x && unseen(sign * (x - step_of_x))) {
            x -= step_of_x;
          }
        } else {  // large losses hide all beyond: short of these, where the mass alone is unseen
          for (x = step_of_x; x < farthest && !unseen(sign * x); x += step_of_x) {
          }
          if (!(x < farthest)) {
            return 0.0;
          }
        }
        return sign * std::ceil(x / step_of_x) * step_of_x;
      };
      p.right = end(1.0);
      p.left = p.half ? p.left : end(-1.0);
      if (p.right == 0.0 || (!p.half && p.left == 0.0)) {
        return std::nullopt;
      }
    }
  }
  return problem;
}

// The line, the laws that it sees, and the distance of its nodes: the widest distance at which both sides of the
// aliasing are small enough, where doubles keep enough digits.
void Upright::choose(const Problem& problem, double epsilon, double log_value, double digits) {
  constexpr double unseen = 25.0;
  const Problem likely = problem.cut(log_value - unseen);
  const double right = saddle(likely, epsilon, false);
  const double room = digits - log_value + 1.0;
  constexpr double doubles = 60.0, dear = 0.25;  // digits; what more are worth of those that a step would save
  double best = 0.0;
  const double actual = epsilon + top_.middle();
  for (double c = 1.5 * right; c > 1e-3 * right; c *= 0.8) {
    const double widest = 2.0 * pi * std::max(c / room, (1.0 + c) / (room + actual));
    if (widest < 1.1 * best) {
      break;
    }
    const double lost = std::max(0.0, log_modulus(likely, c, epsilon) - log_value);
    const std::optional<Problem> seen = std::isfinite(lost) ? cut(problem, c, lost, log_value, digits) : std::nullopt;
    for (const double further : {1.1, 1.2, 1.4, 1.8, 2.5, 4.0, 8.0, 16.0}) {
      if (!seen) {
        break;
      }
      const double d = further * c;
      if (edges(*seen, d) > -std::log(seen->total_count() + 1.0)) {
        break;
      }
      const double aliased = cumulant(*seen, d).k - d * epsilon - std::log1p(d) + room;
      const double h = std::min(widest, 2.0 * pi * (d - c) / std::max(1.0, aliased));
      const double worth = h * std::exp(-dear * std::max(0.0, lost + digits - doubles));
      if (worth > 1.1 * best) {
        best = worth;
        h_ = round_down(h, 24);
        c_ = round_down(c, 24);
        beyond_ = round_down(d, 24);
        problem_ = *seen;
      }
    }
  }
}

double Upright::lay(double top, double digits) {
  Demand d;
  d.c = c_;
  d.digits = digits;
  for (const double y : {0.0, 0.25, 0.5, 1.0}) {
    d.exact.emplace_back(c_, y * top);
  }
  d.exact.emplace_back(0.0);
  d.rough.emplace_back(beyond_);
  paths_.clear();
  double nodes = 0.0;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    d.mean = mean_[i];
    d.reference = reference_[i];
    d.few = 8.0 + std::log(problem_.steps[i].count + 1.0);
    std::vector<Path> row;
    for (const Piece& p : problem_.steps[i].pieces) {
      const Demand all = raised(p, d);
      row.push_back(p.half ? half_path(p, all, 0.625, 0.625, 0.625) : line_path(p, all));
      nodes += static_cast<double>(row.back().count);
    }
    paths_.push_back(std::move(row));
  }
  return nodes;
}

// About log of the bound on |F| at and above c + i top: low above the real line, where a long composition is seen best.
double Upright::tail(double top) {
  const Plain z(c_, top);
  double total = 0.5 * problem_.gaussian_mu * problem_.gaussian_mu * (z * (z + 1.0)).real();
  tails_.clear();
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const Step& step = problem_.steps[i];
    std::vector<TailPaths>& pieces = far_up_[i];
    double best = infinity;
    std::vector<Path> chosen;
    int worse = 0;
    constexpr double highest = 0.97;
    double start = std::min(highest, 4.0 * fractions_[i]);
    const auto affordable = [&](double fraction) {
      std::vector<TailPaths::Tail*> row;
      double size = 0.0;
      for (TailPaths& piece : pieces) {
        row.push_back(&piece.at(top, fraction));
        size += static_cast<double>(row.back()->path().count);
      }
      return size < most_tail_nodes ? row : std::vector<TailPaths::Tail*>{};
    };
    std::vector<TailPaths::Tail*> row = affordable(start);
    if (row.empty() && start < highest) {
      start = highest;
      row = affordable(start);
    }
    for (double fraction = start; !row.empty() && fraction > 1e-6 && worse < 2; row = affordable(fraction)) {
      double sum = step.approximate_atom();
      for (TailPaths::Tail* tail : row) {
        sum += tail->sum(top);
      }
      worse = sum < best || best > 1.0 + 1.0 / step.count ? 0 : worse + 1;
      if (sum < best) {
        best = sum;
        chosen.clear();
        for (const TailPaths::Tail* tail : row) {
          chosen.push_back(tail->path());
        }
        fractions_[i] = fraction;
      }
      fraction *= 0.5;
    }
    if (chosen.empty()) {
      return infinity;  // no path of this law gives a number there
    }
    total += step.count * std::log(best);
    tails_.push_back(std::move(chosen));
  }
  return total;
}

Upright::Upright(const Problem& problem, double threshold, double log_value, double digits, double most_terms) {
  const Problem whole = problem.from_top();
  double epsilon = threshold;
  {
    constexpr slong top_bits = 256;
    const Precision precision(top_bits);
    top_ = whole.top();
    epsilon = (Real(threshold) - top_).middle();
  }
  choose(whole, epsilon, log_value, digits);
  const double lost = std::max(0.0, log_modulus(problem_, c_, epsilon) - log_value);
  constexpr double most_lost = 52.0;  // of the digits of two doubles, and what the sums lose: nothing is left
  if (!(h_ > 0.0) || !(lost < most_lost)) {
    fail_short();
  }
  const Cumulant k = cumulant(problem_, c_);
  reference_ = k.each;
  mean_ = k.mean;
  fractions_.assign(problem_.steps.size(), 1.0);
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const double seen = 6.0 + std::log(problem_.steps[i].count + 1.0);
    far_up_.emplace_back();
    for (const Piece& p : problem_.steps[i].pieces) {
      far_up_.back().emplace_back(p, c_, reference_[i], mean_[i], seen);
    }
  }
  const double fine = digits + lost + std::log(problem_.total_count() + 1.0) + 3.0;
  const double shortest = 4.0 / std::sqrt(k.second);
  const double most = most_terms / lay(shortest, fine);  // a longer line has no fewer nodes on its paths
  const double wanted = log_value - digits - 1.0 + c_ * epsilon, longest = std::min(most, most_orders()) * h_;
  constexpr double slack = 2.0;
  if (k.k - MostFall(problem_, c_, k)(longest) - std::log(pi * longest) > wanted + slack) {
    fail_short();
  }
  const double top = height(wanted, shortest, longest);
  const double orders = std::ceil(top / h_);
  if (!(orders < most_terms && lay(top, fine) * orders < most_terms)) {
    fail_short();
  }
  n_ = static_cast<long>(orders);

  const Precision precision(value_bits);
  fill(bound_errors(fine));
}

Upright::Upright(const Parting& parting, double epsilon, double log_value, double digits, double most_terms)
    : Upright(parting.bulk, epsilon, log_value, digits, most_terms) {
  apart_ = parting.apart;
}

double Upright::most_orders() const {
  const bool slow = std::any_of(problem_.steps.begin(), problem_.steps.end(),
                                [](const Step& s) { return s.has_atom || s.pair == Pair::poisson_add || is_bulk(s); });
  return slow ? most_nodes_of_slow : most_nodes;
}

double Upright::height(double wanted, double top, double most) {
  const auto log_tail = [&](double at) { return tail(at) - std::log(pi * at); };
  const auto died_out = [&](double at) { return log_tail(at) <= wanted; };
  const std::vector<double> fractions = fractions_;
  if (const double least = log_tail(most); std::isfinite(least) && least > wanted) {
    fail_short();
  }
  fractions_ = fractions;
  double short_of = top;
  constexpr double farther = 1.6;
  for (; !died_out(top); top *= farther) {
    short_of = top;
    if (!(top < most)) {
      fail_short();
    }
  }
  constexpr int halvings = 2;
  for (int i = 0; i < halvings && short_of < top; ++i) {
    const double middle = std::sqrt(short_of * top);
    (died_out(middle) ? top : short_of) = middle;
  }
  if (!died_out(top)) {  // which chooses the paths
    fail_short();
  }
  return top;
}

std::vector<Real> Upright::bound_errors(double fine) {
  const double height = h_ * static_cast<double>(n_) * (1.0 + 1e-12);
  const Real c(c_), h(h_), d(beyond_);
  const Complex last(c, h * Real(n_));
  Real log_tail, top_moment(1);
  std::vector<Real> errors;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const Step& step = problem_.steps[i];
    std::vector<std::unique_ptr<const Integral>> row;
    Real error, moment_beyond, bound = step.atom();
    for (std::size_t j = 0; j < step.pieces.size(); ++j) {
      row.push_back(std::make_unique<const Integral>(step.pieces[j], paths_[i][j], reference_[i], fine));
      const Real none = row.back()->quadrature_error(0.0, 0.0);
      error += none + row.back()->quadrature_error(c_, height);
      moment_beyond += row.back()->at(Complex(d), true).re() - row.back()->at(Complex(), true).re();
      bound += Integral(step.pieces[j], tails_[i][j], reference_[i], 40.0).beyond(last);
    }
    integrals_.push_back(std::move(row));
    errors.push_back(error);
    const Real gone = step.lost();
    masses_.push_back(is_bulk(step) ? Real(1) - step.parted(true) - rigorous::zero_to(rigorous::upper_end(gone))
                                    : Real(1) - gone);
    lost_ += Real(step.count) * gone;
    mass_ = mass_ * power(masses_.back(), step.count);
    log_tail += Real(step.count) * rigorous::log(rigorous::upper_end(bound));
    top_moment = top_moment * power(moment_beyond + masses_.back(), step.count);
  }
  null_mass_ = rigorous::exp(top_);
  const Real& g2 = problem_.gaussian_square;
  const Complex product = last * (last + Complex(Real(1)));
  log_tail += rigorous::scaled(g2 * product.re(), -1);
  tail_ = rigorous::upper_end(rigorous::exp(log_tail) / (rigorous::pi() * last.im()));
  const Real turn = rigorous::scaled(rigorous::pi(), 1) / h;
  aliased_ = rigorous::upper_end(top_moment * rigorous::exp(rigorous::scaled(g2 * d * (d + Real(1)), -1)) /
                                 ((d + Real(1)) * rigorous::expm1(turn * (d - c))));
  if (!tail_.finite() || !aliased_.finite()) {
    fail_short();
  }
  return errors;
}

void Upright::fill(const std::vector<Real>& errors) {
  const Real& g2 = problem_.gaussian_square;
  std::vector<std::vector<Complex>> all;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    all.push_back(moments(i, c_, n_, errors[i]));
  }
  std::vector<Complex> values;
  for (long node = 0; node <= n_; ++node) {
    const Complex z = at_node(node);
    Complex f(Real(1));
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      f = f * power(all[i][static_cast<std::size_t>(node)], problem_.steps[i].count);
    }
    if (!g2.contains_zero()) {
      f = f * rigorous::exp(z * (z + Complex(Real(1))) * Complex(rigorous::scaled(g2, -1)));
    }
    values.push_back(f);
  }
  set_values(values);
}

std::vector<Complex> Upright::moments(std::size_t step, double order, long last, const Real& error) const {
  std::vector<Complex> m(static_cast<std::size_t>(last) + 1, Complex(masses_[step]));
  for (const auto& integral : integrals_[step]) {
    add_row(integral->row(order, h_, last, true), m);
  }
  add_error(error, m);
  return m;
}

}  // namespace dpcurves::accounting::proof
