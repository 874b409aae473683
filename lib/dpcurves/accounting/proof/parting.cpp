// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/parting.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr slong parting_bits = 128;

bool rises(const Piece& p) { return p.side() > 0; }

/// Of all steps under the null, for losses l that are cut off at -most: at least the sums of E(-l) and of E l^2, of the
/// parts of both with l < 0, and the chance of any below. With v the moved share over the unmoved density, of the law
/// that rises where l < 0, l >= log(1 - q) - v: there the unmoved share of the null has E|l| <= q + q / (1 - q) and E
/// l^2 <= 2 q^2 (E e^{2 u} + 1 / (1 - q)^2), E e^{2 u} = e^{mu^2} or, two mu apart, e^{4 mu^2}; the moved share has at
/// most `most`, and on average q E e^{2 u} + q / (1 - q). E(-l) is at most KL(Q || P). Where l > 0, l^2 is at most 2
/// (v^2 + q^2 / (1 - q)^2), and (r_2 - r_1)^2 / r_2 <= min(v, v^2) where both laws move.
struct Sums {
  Real mean, square, negative_mean, negative_square, below;
  Sums(const Problem& problem, const Real& most) {
    const Real one(1);
    for (const Step& s : problem.steps) {
      const Real q(s.q), rest = one - q, m2 = Real(s.mu) * Real(s.mu), count(s.count);
      const Real grown = rigorous::exp(m2), far = rigorous::exp(rigorous::scaled(m2, 2));
      const Real away = s.pair == Pair::fixed_size_add ? far : grown;
      const Real each = q * (one + one / rest + most);
      const Real of_square = rigorous::min(
          most * each, rigorous::scaled(q * q * (away + one / (rest * rest)), 1) + q * q * most * (away + one / rest));
      const Real above = s.pair == Pair::fixed_size_remove ? rigorous::min(q, q * q * far)
                                                           : rigorous::scaled(q * q * (grown + one / (rest * rest)), 1);
      const Step other = step_of({s.q, s.mu, 1.0, reversed(s.pair)});
      negative_mean += count * each;
      negative_square += count * of_square;
      mean += count * divergence(other);
      square += count * (of_square + above);
      below += count * one_step(other, most, parting_bits).power;
    }
  }
};

/// Where the loss of a piece that rises is about that.
double place(const Piece& piece, double loss) {
  const Piece whole = piece.unbounded();
  double low = piece.half ? 0.5 * (piece.a + piece.n) * piece.mu : 0.0, high = low + 1.0;
  PlainEvaluation at_point(whole, Path{});
  const auto above = [&](double x) { return at_point(std::complex<double>(x, 0.0)).loss.real() > loss; };
  constexpr double farthest = 1e4;
  while (!above(high) && high < farthest) {
    low = high;
    high += high - (piece.half ? 0.5 * (piece.a + piece.n) * piece.mu : 0.0);
  }
  for (int i = 0; i < 40; ++i) {
    const double m = 0.5 * (low + high);
    (above(m) ? high : low) = m;
  }
  return high;
}

/// Chances that the other losses together are below some distances, from a unit on.
class Below {
 public:
  Below(const Problem& problem, double unit) {
    constexpr int steps = 40;
    double at = unit;
    for (int k = 0; k < steps; ++k, at *= factor) {
      places_.push_back(at);
      chances_.push_back(chance_below(problem, Real(at)));
    }
  }
  /// \param t  at most the distance.
  [[nodiscard]] Real operator()(double t) const {
    if (!(t >= places_.front())) {
      return Real(1);
    }
    return chances_[static_cast<std::size_t>(std::upper_bound(places_.begin(), places_.end(), t) - places_.begin() -
                                             1)];
  }

 private:
  static constexpr double factor = 1.4;  // between distances

  std::vector<double> places_;
  std::vector<Real> chances_;
};

/// At least the chance under the null that a step falls beyond its partition and all losses together stay below `most`.
Real short_of(const Problem& bulk, double most, const Below& below) {
  constexpr int before = 18, cells = 64;  // in halves of a blur: erfc(9) / 2 < 1e-36
  Real total;
  for (const Step& s : bulk.steps) {
    for (const Piece& p : s.pieces) {
      if (p.part != Piece::Part::bulk) {
        continue;
      }
      const Piece whole = p.unbounded();
      const Real q(p.q), mean = Real(p.n) * Real(p.mu);
      const auto mass = [&](double x) {  // of the null, beyond x
        return (Real(1) - q) * rigorous::normal_tail(Real(x)) + q * rigorous::normal_tail(Real(x) - mean);
      };
      const auto share = [&](double x) {
        return rigorous::scaled(rigorous::erfc((Real(p.middle) - Real(x)) / Real(p.blur)), -1);
      };
      double x = p.middle - 0.5 * before * p.blur;
      Real sum = share(x), here = mass(x);
      for (int k = 0; k < cells; ++k) {
        const double next = x + 0.5 * p.blur;
        const Real there = k + 1 < cells ? mass(next) : Real();
        const double loss = evaluate(whole, Path{}, Complex(Real(x))).loss.re().lower();
        sum += (k + 1 < cells ? share(next) : Real(1)) * (here - there) * below(loss - most);
        x = next;
        here = there;
      }
      total += Real(s.count) * rigorous::upper_end(sum);
    }
  }
  return rigorous::upper_end(total);
}

/// Every piece that rises without its losses of about `loss` and more; none where the partition would reach another
/// piece. \param blur  times mu: where it is wide, paths rise farther, with fewer nodes.
std::optional<Problem> without(const Problem& problem, double loss, double blur) {
  Problem bulk = problem;
  for (Step& s : bulk.steps) {
    for (Piece& p : s.pieces) {
      if (!rises(p)) {
        continue;
      }
      constexpr double least_mu = 0.6;
      p.part = Piece::Part::bulk;
      p.blur = std::ldexp(std::floor(std::ldexp(blur / std::max(p.mu, least_mu), 20)), -20);
      p.middle = std::ldexp(std::round(std::ldexp(place(p, loss), 16)), -16);
      const double begin = p.half ? 0.5 * (p.a + p.n) * p.mu : 0.0, spread = p.middle - begin;
      constexpr double inside = 10.0;  // blurs: the partition must not reach the other half
      if (p.half && !(spread > inside * p.blur)) {
        return std::nullopt;
      }
    }
  }
  return bulk;
}

}  // namespace

// Chernoff's bound for losses that are cut off at -Y, and the chance of any below: for x = -l < Y, e^{s x} <= 1 + s x +
// x^2 (e^{s Y} - 1 - s Y) / Y^2, for all losses or with 0 for those above 0; and what is cut off of E(-l) is positive.
Real chance_below(const Problem& problem, const Real& t) {
  const Precision precision(parting_bits);
  if (std::all_of(problem.steps.begin(), problem.steps.end(),
                  [](const Step& s) { return s.pair == Pair::poisson_remove; })) {
    Real most;
    for (const Step& s : problem.steps) {
      most = most - Real(s.count) * rigorous::log1p(-Real(s.q));
    }
    if (most < t) {
      return {};
    }
  }
  Real best(1);
  for (const double parts : {1.1, 1.3, 1.6, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0}) {
    const Real y = rigorous::midpoint(t / Real(parts));
    const Sums sums(problem, y);
    const double unit = y.middle();
    const auto chernoff = [&](const Real& mean, const Real& square) {
      const double room = (t - mean).middle();
      if (!(room > 0.0)) {
        return Real(1);
      }
      const Real s(std::log1p(room * unit / square.middle()) / unit), sy = s * y;
      return rigorous::exp(s * (mean - t) + square * (rigorous::expm1(sy) - sy) / (y * y));
    };
    const Real bound =
        rigorous::upper_end(sums.below + rigorous::min(chernoff(sums.mean, sums.square),
                                                       chernoff(sums.negative_mean, sums.negative_square)));
    best = bound.finite() ? rigorous::min(best, bound) : best;
  }
  return best;
}

std::optional<Parting> parted(const Problem& problem, double epsilon, double log_value, double digits,
                              std::initializer_list<double> blurs) {
  const Precision precision(parting_bits);
  if (!problem.gaussian_square.contains_zero() || !(epsilon > 0.0) ||
      !std::all_of(problem.steps.begin(), problem.steps.end(),
                   [](const Step& s) { return std::any_of(s.pieces.begin(), s.pieces.end(), rises); })) {
    return std::nullopt;
  }
  const double most = 2.0 * epsilon;
  const Below below(problem, epsilon);
  constexpr double largest = 60.0, farther = 1.5;  // beyond, 1 - e^{epsilon - L} is 1
  constexpr double most_digits = 20.0;             // a straight line is not asked for more
  digits = std::min(digits, most_digits);
  for (double loss = 4.0 * epsilon; loss < largest; loss *= farther) {
    for (const double blur : blurs) {
      std::optional<Problem> bulk = without(problem, loss, blur);
      if (!bulk) {
        continue;
      }
      const Real over = rigorous::exp(Real(most)) * short_of(*bulk, most, below);
      if (!(over < rigorous::exp(Real(log_value - digits)))) {
        continue;
      }
      Real none_here, none_there;
      for (const Step& s : bulk->steps) {
        none_here += Real(s.count) * rigorous::log1p(-s.parted(true));
        none_there += Real(s.count) * rigorous::log1p(-s.parted(false));
      }
      return Parting{std::move(*bulk),
                     {-rigorous::expm1(none_here), -rigorous::expm1(none_there), rigorous::upper_end(over), most}};
    }
  }
  return std::nullopt;
}

}  // namespace dpcurves::accounting::proof
