// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The inversion integral of composed subsampled Gaussian mechanisms in 50 digits. Owes nothing to the library.
//
// With M(z) = E exp(z loss) of one step under the first law,
//
//   delta(epsilon) = 1/(2 pi i) * integral over Re z = c > 0 of M(z)^T exp(-z epsilon) / (z (z + 1)) dz.
//
// M is a trapezoid sum over outputs x moved into the complex plane, to the side where exp(i y loss(x)) falls for
// y > 0: the number of outputs does not grow with y. The integral over z is a trapezoid sum too, in a smooth window:
// what the window takes off at high frequencies belongs to kinks of the profile far from epsilon. Every value comes
// from two contours with other outputs, other steps and another window; the moments must be 1 at z = 0 and z = -1.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace truths {

namespace bmp = boost::multiprecision;
using Real = bmp::number<bmp::cpp_bin_float<50>, bmp::et_off>;

inline const Real pi = boost::math::constants::pi<Real>();

struct Complex {
  Real re = 0;
  Real im = 0;
};
inline Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator-(const Complex& a) { return {-a.re, -a.im}; }
inline Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex operator*(const Real& a, const Complex& b) { return {a * b.re, a * b.im}; }
inline Complex operator/(const Complex& a, const Complex& b) {
  const Real n = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n};
}
inline Complex exp(const Complex& a) {
  const Real size = bmp::exp(a.re);
  return {size * bmp::cos(a.im), size * bmp::sin(a.im)};
}
inline Complex log(const Complex& a) { return {bmp::log(a.re * a.re + a.im * a.im) / 2, bmp::atan2(a.im, a.re)}; }
inline Complex phi(const Complex& x) { return Real(1) / bmp::sqrt(2 * pi) * exp(Real(-0.5) * (x * x)); }
inline Real upper_tail(const Real& x) { return boost::math::erfc(x / bmp::sqrt(Real(2))) / 2; }

inline const char* const names[] = {"symmetrised",         "poisson_remove",    "poisson_add",
                                    "poisson_replace_one", "fixed_size_remove", "fixed_size_add"};
enum Pair { symmetrised, poisson_remove, poisson_add, poisson_replace_one, fixed_size_remove, fixed_size_add };

struct Node {
  Complex weight;  // mass under the first law
  Complex loss;    // imaginary part >= 0
};

// log(1 - q + q exp(u)) without loss for small q.
inline Complex log_mixture(const Real& q, const Complex& u) {
  const Complex e = exp(u);
  return log(Complex{1 - q + q * e.re, q * e.im});
}

// One step: E exp(z loss) = atom + sum of weight exp(z loss). `detail` scales the quadrature, 1 or finer.
struct Step {
  Pair pair;
  Real q, mu;
  Real atom = 0;
  std::vector<Node> nodes;

  Step(Pair kind, double rate, double separation, double largest_c, double detail)
      : pair(kind), q(rate), mu(separation) {
    const double m = separation;
    const bool doubled = kind == fixed_size_remove || kind == fixed_size_add;
    const bool half_line = doubled || kind == symmetrised;
    const double reach = 17.0 + (largest_c + 1.0) * m * (doubled || kind == poisson_replace_one ? 2.0 : 1.0);
    double d = std::min(0.45 * M_PI / m, 3.0) / (doubled ? 2.0 : 1.0) / (0.9 + 0.1 * detail);
    if (!half_line) {
      const Real spacing = Real(2 * M_PI * d / (87.0 * detail));
      const Complex shift{0, kind == poisson_add ? Real(-d) : Real(d)};
      const int count = static_cast<int>((2 * reach) / spacing.convert_to<double>());
      for (int i = 0; i <= count; ++i) {
        const Complex x = Complex{Real(-reach) + spacing * i, 0} + shift;
        const Complex up = log_mixture(q, mu * x - Complex{mu * mu / 2, 0});
        if (kind == poisson_add) {
          nodes.push_back({spacing * phi(x), -up});
        } else if (kind == poisson_remove) {
          nodes.push_back({spacing * (phi(x) * exp(up)), up});
        } else {
          nodes.push_back({spacing * (phi(x) * exp(up)), up - log_mixture(q, -(mu * x) - Complex{mu * mu / 2, 0})});
        }
      }
      prune(largest_c);
      return;
    }
    d = std::min(d, 1.2);
    const double tau = 1.5 * d;
    const Real spacing = Real(2 * M_PI * 0.55 * std::min(d, 1.0) / (87.0 * detail));
    const int count = static_cast<int>((reach + 5.0) / spacing.convert_to<double>());
    for (int i = 0; i <= count; ++i) {
      const Real v = Real(-4.9) + spacing * i;
      const Real fold = bmp::exp(-v);
      const Real e = bmp::exp(v - fold);
      const Real t = bmp::log1p(e);
      const Real dt = spacing * e / (1 + e) * (1 + fold);
      const Real decay = bmp::exp(-t / Real(tau));
      const Complex s{t, Real(d) * (1 - decay)};
      const Complex ds{dt, dt * Real(d) / Real(tau) * decay};
      const Complex conj_s{s.re, -s.im}, conj_ds{ds.re, -ds.im};
      const Complex half{mu / 2, 0};
      const auto l = [&](const Complex& u) { return log_mixture(q, mu * u); };
      // The positive losses of zeroing out: output x = mu/2 + s.
      const auto upper = [&](const Complex& u) { return log_mixture(q, Real(2) * (mu * (half + u))); };
      const auto lower = [&](const Complex& u) { return log_mixture(q, mu * (half + u) + Complex{mu * mu / 2, 0}); };
      const auto base = [&](const Complex& u) { return phi(half + u + Complex{mu, 0}); };
      switch (kind) {
        case symmetrised:
          nodes.push_back({phi(half + s) * exp(l(s)) * ds, l(s)});
          nodes.push_back({phi(half + conj_s) * conj_ds, -l(conj_s)});
          break;
        case fixed_size_remove:
          nodes.push_back({base(s) * exp(upper(s)) * ds, upper(s) - lower(s)});
          nodes.push_back({phi(half + conj_s) * conj_ds, -l(conj_s)});
          break;
        default:
          nodes.push_back({phi(half + s) * exp(l(s)) * ds, l(s)});
          nodes.push_back({base(conj_s) * exp(lower(conj_s)) * conj_ds, lower(conj_s) - upper(conj_s)});
      }
    }
    prune(largest_c);
    if (kind == symmetrised) {
      atom = 1 - (1 - q) * upper_tail(mu / 2) - q * upper_tail(-mu / 2) - upper_tail(mu / 2);
    } else {
      atom = 1 - (1 - q) * upper_tail(3 * mu / 2) - q * upper_tail(-mu / 2) - upper_tail(mu / 2);
    }
  }

  // Drops what is negligible for 0 <= z <= largest_c.
  void prune(double largest_c) {
    std::erase_if(nodes, [&](const Node& n) {
      const Real size = bmp::abs(n.weight.re) + bmp::abs(n.weight.im);
      return size * bmp::exp(largest_c * std::max(n.loss.re, Real(0))) < Real(1e-60) &&
             size * bmp::exp(std::max(-n.loss.re, Real(0))) < Real(1e-60);
    });
  }

  Real moment(const Real& z) const {
    Real sum = atom;
    for (const Node& n : nodes) {
      sum += (n.weight * exp(z * n.loss)).re;
    }
    return sum;
  }
};

struct Value {
  Real delta;
  Real slope;  // d delta / d epsilon
};

// M^T on one vertical line, for any epsilon near the one that it was planned for.
class Contour {
 public:
  Contour(const Step& step, double count, const Real& c, const Real& spacing, double window)
      : c_(c), spacing_(spacing) {
    std::vector<Complex> now, turn;
    for (const Node& n : step.nodes) {
      const Complex size = n.weight * exp(c * n.loss);
      if (bmp::abs(size.re) + bmp::abs(size.im) > Real(1e-48)) {
        now.push_back(size);
        turn.push_back(exp(Complex{-spacing * n.loss.im, spacing * n.loss.re}));
      }
    }
    int below = 0;
    for (int k = 0;; ++k) {
      Complex moment{step.atom, 0};
      for (std::size_t j = 0; j < now.size(); ++j) {
        moment = moment + now[j];
        now[j] = now[j] * turn[j];
      }
      if (k == 0) {
        moment.im = 0;
        log_size_ = Real(count) * bmp::log(moment.re);
      }
      const double y = (spacing * k).convert_to<double>();
      const Complex value = exp(Real(count) * log(moment) - Complex{log_size_, 0});
      const double taper = window > 0 ? 0.5 * std::erfc((y - window) / (window / 9.0)) : 1.0;
      values_.push_back(Real(taper) * value);
      const double size = std::abs(value.re.convert_to<double>()) + std::abs(value.im.convert_to<double>());
      below = size * taper < 1e-46 ? below + 1 : 0;
      if (below >= 40) {
        break;
      }
      if (k % 64 == 63) {
        std::size_t kept = 0;
        for (std::size_t j = 0; j < now.size(); ++j) {
          if (bmp::abs(now[j].re) + bmp::abs(now[j].im) > Real(1e-48)) {
            now[kept] = now[j];
            turn[kept++] = turn[j];
          }
        }
        now.resize(kept);
        turn.resize(kept);
      }
    }
  }

  Value at(const Real& epsilon) const {
    const Complex turn = exp(Complex{0, -spacing_ * epsilon});
    Complex phase{1, 0};
    Real delta = 0, slope = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const Complex z{c_, spacing_ * k};
      const Complex term = values_[k] * phase / (z + Complex{1, 0});
      slope -= term.re / (k == 0 ? 2 : 1);
      delta += (term / z).re / (k == 0 ? 2 : 1);
      phase = phase * turn;
    }
    const Real scale = spacing_ / pi * bmp::exp(log_size_ - c_ * epsilon);
    return {scale * delta, scale * slope};
  }

  std::size_t size() const { return values_.size(); }

 private:
  Real c_, spacing_, log_size_;
  std::vector<Complex> values_;
};

[[noreturn]] inline void fail(const std::string& words) { throw std::runtime_error(words); }

// The line Re z = c with the longest spacing whose aliases are below e^-42 of delta, c up to the saddle.
struct Plan {
  double c = 0.0;
  double period = INFINITY;
};

class Planner {
 public:
  Planner(const Step& step, double count) : atom_(step.atom.convert_to<double>()), count_(count) {
    for (const Node& n : step.nodes) {
      weight_.push_back(narrow(n.weight));
      loss_.push_back(narrow(n.loss));
    }
  }

  double cumulant(double c) const {
    long double sum = atom_ - 1;
    for (std::size_t j = 0; j < loss_.size(); ++j) {
      sum += (weight_[j] * std::exp(static_cast<long double>(c) * loss_[j])).real();
    }
    return sum > -1 && std::isfinite(sum) ? count_ * static_cast<double>(std::log1p(sum)) : INFINITY;
  }

  double saddle(double epsilon) const {
    const auto exponent = [&](double c) { return cumulant(c) - c * epsilon - std::log(c) - std::log1p(c); };
    double low = std::log(1e-3), high = std::log(largest_);
    for (int i = 0; i < 34; ++i) {
      const double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low);
      if (exponent(std::exp(a)) < exponent(std::exp(b))) {
        high = b;
      } else {
        low = a;
      }
    }
    return std::exp(0.5 * (low + high));
  }

  // Chernoff's epsilon for delta, a starting point.
  double guess(double delta) const {
    double best = INFINITY;
    for (double c = 1e-2; c < largest_; c *= 1.15) {
      const double k = cumulant(c);
      best = std::min(best, (k - std::log(delta) - std::log1p(c) + c * std::log(c / (1 + c))) / c);
    }
    return std::max(best, 1e-9);
  }

  Plan plan(double epsilon, double log_delta, double factor) const {
    const double peak = saddle(epsilon);
    const double wanted = 42.0 - log_delta;
    std::vector<std::pair<double, double>> right;
    for (double c2 = 0.2 * peak; c2 < std::min(largest_, 8 * peak); c2 *= 1.12) {
      right.push_back({c2, cumulant(c2) - c2 * epsilon + wanted});
    }
    Plan best;
    for (const double f : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2}) {
      const double c = f * factor * peak;
      if (cumulant(c) - c * epsilon > log_delta + 55.0) {
        continue;
      }
      double period = INFINITY;
      for (const auto& [c2, level] : right) {
        if (c2 > 1.01 * c) {
          period = std::min(period, level / (c2 - c));
        }
      }
      period = std::max({period, wanted / c, 1e-6});
      if (period < best.period) {
        best = {c, period};
      }
    }
    if (std::isinf(best.period)) {
      fail("no line where the integral keeps its digits");
    }
    return best;
  }

  void limit(double largest) { largest_ = largest; }

 private:
  using Narrow = std::complex<long double>;
  static Narrow narrow(const Complex& z) { return {z.re.convert_to<long double>(), z.im.convert_to<long double>()}; }

  long double atom_;
  std::vector<Narrow> weight_, loss_;
  double count_;
  double largest_ = 400.0;
};

inline double relative(const Real& a, const Real& b) { return bmp::abs(a / b - 1).convert_to<double>(); }

struct Mechanism {
  Pair pair;
  double q, mu, count;
  double window = 0.0;  // where |M^T| does not fall to nothing
};

// The moments of one mechanism at two levels of detail.
class Inversion {
 public:
  Inversion(const Mechanism& m, double largest_c)
      : m_(m),
        coarse_(m.pair, m.q, m.mu, largest_c, 1.0),
        fine_(m.pair, m.q, m.mu, largest_c, 1.37),
        planner_(coarse_, m.count) {
    planner_.limit(largest_c);
    for (const Step* step : {&coarse_, &fine_}) {
      for (const int z : {0, -1}) {
        if (relative(step->moment(Real(z)), 1) > 1e-30) {
          fail("moment " + std::to_string(z) + " of " + names[m.pair] + " differs from 1");
        }
      }
    }
  }

  // The two values must agree.
  Value delta(const Real& epsilon, double log_delta) const {
    const Plan plan = planner_.plan(epsilon.convert_to<double>(), log_delta, 1.0);
    const Plan other = planner_.plan(epsilon.convert_to<double>(), log_delta, 0.83);
    const Value a = Contour(coarse_, m_.count, Real(plan.c), 2 * pi / Real(plan.period), m_.window).at(epsilon);
    const Value b =
        Contour(fine_, m_.count, Real(other.c), 2 * pi / Real(1.3 * other.period), 1.4 * m_.window).at(epsilon);
    difference_ = relative(a.delta, b.delta);
    return b;
  }

  Real epsilon(double delta) {
    double start = planner_.guess(delta);
    Real epsilon(start);
    for (int pass = 0; pass < 4; ++pass) {  // the plan moves with epsilon
      const Plan plan = planner_.plan(epsilon.convert_to<double>(), std::log(delta), 1.0);
      const Contour contour(coarse_, m_.count, Real(plan.c), 2 * pi / Real(plan.period), m_.window);
      nodes_ = contour.size();
      const Real before = epsilon;
      solve(contour, delta, epsilon);
      if (relative(before, epsilon) < 0.02) {
        break;
      }
    }
    const Plan other = planner_.plan(epsilon.convert_to<double>(), std::log(delta), 0.83);
    const Contour contour(fine_, m_.count, Real(other.c), 2 * pi / Real(1.3 * other.period), 1.4 * m_.window);
    Real again = epsilon;
    solve(contour, delta, again);
    difference_ = relative(epsilon, again);
    c_ = other.c;
    return again;
  }

  double difference() const { return difference_; }
  std::size_t nodes() const { return nodes_; }
  double c() const { return c_; }

 private:
  static void solve(const Contour& contour, double delta, Real& epsilon) {
    const Real target = bmp::log(Real(delta));
    for (int i = 0; i < 60; ++i) {
      const Value v = contour.at(epsilon);
      if (!(v.delta > 0) || !(v.slope < 0)) {
        epsilon *= Real(0.97);
        continue;
      }
      const Real move = (target - bmp::log(v.delta)) * v.delta / v.slope;
      epsilon += move > epsilon / 2 ? epsilon / 2 : move < -epsilon / 2 ? -epsilon / 2 : move;
      if (bmp::abs(move) < epsilon * Real(1e-26)) {
        return;
      }
    }
    fail("no root");
  }

  Mechanism m_;
  Step coarse_, fine_;
  Planner planner_;
  mutable double difference_ = 0.0;
  std::size_t nodes_ = 0;
  double c_ = 0.0;
};

}  // namespace truths
