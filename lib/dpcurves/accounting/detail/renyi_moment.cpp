// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/detail/renyi_moment.hpp>
#include <dpcurves/tradeoff/detail/gaussian_ball.hpp>

namespace dpcurves::accounting::detail {
namespace {

using rigorous::Precision;
using rigorous::Real;
using tradeoff::detail::mills_ball;

constexpr double most_nodes = 3e6;           // about five seconds
constexpr double most_replaced_nodes = 3e4;  // 10 us each
constexpr double most_exact = 0x1p52;        // numbers of nodes are integers
constexpr double pi = std::numbers::pi;

Real nothing_known() { return Real() / Real(); }
Real density(const Real& x) { return exp(-scaled(x * x, -1)) / sqrt(scaled(rigorous::pi(), 1)); }

// One law r with one exponent: the integrand phi r^A on the real line.
class Law {
 public:
  Law(double q, double mu, const Real& exponent)
      : q_double_(q), mu_double_(mu), a_double_(exponent.middle()), q_(q), rest_(Real(1) - q_), mu_(mu), a_(exponent) {}

  [[nodiscard]] Real log_ratio(const Real& x) const {
    const Real u = mu_ * x - scaled(mu_ * mu_, -1);
    return q_double_ <= 0.5 ? log1p(q_ * expm1(u)) : log(rest_ + q_ * exp(u));
  }
  // phi r^A without 1/sqrt(2 pi).
  [[nodiscard]] Real value(const Real& x) const { return exp(a_ * log_ratio(x) - scaled(x * x, -1)); }

  // At least the logarithm of value() between two points: log r is convex, below its chord and above its tangents;
  // -x^2/2 is below its tangents.
  [[nodiscard]] Real log_most(const Real& left, const Real& right) const {
    const Real middle = scaled(left + right, -1), half = scaled(right - left, -1), square = scaled(middle * middle, -1);
    if (a_.negative()) {
      const Real log_r = log_ratio(middle);
      const Real slope = a_ * mu_ * q_ * exp(mu_ * middle - scaled(mu_ * mu_, -1) - log_r) - middle;
      return a_ * log_r - square + abs(slope) * half;
    }
    return max(a_ * log_ratio(left) + middle * half, a_ * log_ratio(right) - middle * half) - square;
  }

  // At least the sum over equidistant x > from, times their step, and at least the integral there; from > 0. `spare`
  // bounds the step times the density's maximum.
  [[nodiscard]] Real right_tail(const Real& from, const Real& spare) const {
    if (a_.negative()) {  // r rises
      return exp(a_ * log_ratio(from)) * normal_tail(from);
    }
    const Real beyond = from - a_ * mu_;
    if (beyond.positive()) {  // log r has slope at most mu, so the integrand falls like exp(-t^2/2 - beyond t)
      return exp(a_ * log_ratio(from)) * density(from) * mills_ball(beyond);
    }
    // r^A <= 1 - q + q exp(A u) by convexity: two normal densities, of which the second has its mode on the way.
    return rest_ * normal_tail(from) + q_ * exp(scaled(a_ * (a_ - Real(1)) * mu_ * mu_, -1)) * (Real(1) + spare);
  }
  // The same over x < -from; from > 0. Not finite where `from` is too near.
  [[nodiscard]] Real left_tail(const Real& from) const {
    const Real log_r = log_ratio(-from), base = exp(a_ * log_r);
    if (!a_.negative()) {
      return base * normal_tail(from);
    }
    // log r is convex: left of -from it lies above its tangent, whose slope is mu w.
    const Real u = -mu_ * from - scaled(mu_ * mu_, -1);
    const Real beyond = from + a_ * mu_ * q_ * exp(u - log_r);
    return beyond.positive() ? base * density(from) * mills_ball(beyond) : nothing_known();
  }
  // Bound of integral of |phi r^A| along Im x = y over that along the real line, 0 < mu y < pi.
  [[nodiscard]] Real growth(const Real& y) const {
    const Real normal = exp(scaled(y * y, -1));
    return a_.negative() ? normal * exp(a_ * log(cos(scaled(mu_ * y, -1)))) : normal;
  }
  // Bound of that integral itself for a negative exponent and mu y <= pi/2; not finite otherwise. |r|^2 on the line is
  // a^2 + 2 a v cos(mu y) + v^2, a = 1 - q, v = q e^u, whose logarithm is convex in x. So the integrand lies below
  // exp(-t^2/2 + slope t) times its value at any point, t the distance from it; `peak` is where that is best.
  [[nodiscard]] Real shifted(const Real& y, double peak) const {
    if (!a_.negative() || !(scaled(mu_ * y, 1) <= rigorous::pi())) {
      return nothing_known();
    }
    const Real x(peak), v = q_ * exp(mu_ * x - scaled(mu_ * mu_, -1)), cross = rest_ * v * cos(mu_ * y);
    const Real square = rest_ * rest_ + scaled(cross, 1) + v * v;
    const Real slope = a_ * mu_ * (v * v + cross) / square - x;
    return exp(scaled(y * y + a_ * log(square) - x * x + slope * slope, -1));
  }

  // ---- for the plan, in doubles
  [[nodiscard]] double plan_log_ratio(double x) const {
    const double u = mu_double_ * x - 0.5 * mu_double_ * mu_double_;
    return u > 30.0           ? u + std::log(q_double_) + std::log1p((1.0 - q_double_) / q_double_ * std::exp(-u))
           : q_double_ <= 0.5 ? std::log1p(q_double_ * std::expm1(u))
                              : std::log((1.0 - q_double_) + q_double_ * std::exp(u));
  }
  [[nodiscard]] double plan_log(double x) const { return a_double_ * plan_log_ratio(x) - 0.5 * x * x; }
  [[nodiscard]] double plan_growth(double y) const {
    return 0.5 * y * y + (a_double_ < 0.0 ? a_double_ * std::log(std::cos(0.5 * mu_double_ * y)) : 0.0);
  }
  // Where the integrand on Im x = y is largest, for a negative exponent, and the logarithm of its integral there.
  [[nodiscard]] double plan_peak(double y) const {
    const double c = std::cos(mu_double_ * y), rest = 1.0 - q_double_;
    double low = a_double_ * mu_double_ - 1.0, high = 1.0;
    for (int i = 0; i < 80; ++i) {
      const double x = 0.5 * (low + high), v = q_double_ * std::exp(mu_double_ * (x - 0.5 * mu_double_));
      const double weight = (v * v + rest * v * c) / (rest * rest + 2.0 * rest * v * c + v * v);
      (x > a_double_ * mu_double_ * weight ? high : low) = x;
    }
    return 0.5 * (low + high);
  }
  [[nodiscard]] double plan_shifted(double y) const {
    const double x = plan_peak(y), c = std::cos(mu_double_ * y), rest = 1.0 - q_double_;
    const double v = q_double_ * std::exp(mu_double_ * (x - 0.5 * mu_double_));
    return 0.5 * (y * y + a_double_ * std::log(rest * rest + 2.0 * rest * v * c + v * v) - x * x);
  }
  // The right end where the rest is below exp(least).
  [[nodiscard]] double plan_right(double least) const {
    double x = std::sqrt(std::max(2.0, -2.0 * least));
    const double centre = a_double_ * mu_double_;
    const double second = std::log(q_double_) + 0.5 * a_double_ * (a_double_ - 1.0) * mu_double_ * mu_double_;
    if (a_double_ > 0.0 && second > least - 2.0) {
      x = std::max(x, centre + 0.5);
    }
    while (plan_log(x) > least && x < std::abs(centre) + 1e7) {
      x += std::max(0.5, 0.01 * x);
    }
    return x;
  }
  [[nodiscard]] double plan_left(double least) const {
    double x = std::sqrt(std::max(2.0, -2.0 * least));
    const auto pull = [&](double at) {
      const double u = -mu_double_ * at - 0.5 * mu_double_ * mu_double_;
      return -a_double_ * mu_double_ * q_double_ * std::exp(u - plan_log_ratio(-at));
    };
    while (a_double_ < 0.0 && (plan_log(-x) > least || pull(x) > x - 0.5) && x < 1e7) {
      x += std::max(0.5, 0.01 * x);
    }
    return x;
  }
  [[nodiscard]] double mu() const { return mu_double_; }
  [[nodiscard]] double exponent() const { return a_double_; }

 private:
  double q_double_, mu_double_, a_double_;
  Real q_, rest_, mu_, a_;
};

// M between sum / (1 + relative) and sum / (1 - relative).
Real divided(const Real& sum, const Real& relative) {
  return relative < Real(0.5) ? sum / (Real(1) + widened(Real(), relative)) : nothing_known();
}

// The height of the line on which the integrand is bounded, and the step that goes with it.
struct Height {
  double step = 0.0, height = 0.0;
};

// The widest step. \param growth  log of the integrand's growth up to a height, in doubles.
template <class Growth>
Height best_height(double mu, double target, const Growth& growth) {
  Height best;
  const double highest = std::min(0.999 * pi / mu, std::sqrt(2.0 * target) + 1.0);
  for (int i = 1; i <= 64; ++i) {
    const double y = highest * i / 64.0;
    if (const double h = 2.0 * pi * y / (target + growth(y) + 2.0); h > best.step) {
      best = {h, y};
    }
  }
  return best;
}

// The nodes j h of a trapezoidal sum, where the integrand is seen; intervals without are bounded.
template <class Integrand>
class SeenSum {
 public:
  SeenSum(const Integrand& law, double step, double least, double most_nodes)
      : law_(law), h_(step), least_(least), most_nodes_(most_nodes) {}

  // All j with from < j <= to, which are exact. Intervals are halved until they are unseen or short.
  void cover(double from, double to) {
    constexpr double few = 24.0;
    const Real most = law_.log_most(Real(from) * h_, Real(to) * h_);
    if (most.upper() + std::log(to - from) < least_) {
      skipped_ += exp(most) * Real(to - from) * h_;
    } else if (to - from <= few) {
      for (double j = from + 1.0; j <= to && nodes_ < most_nodes_; j += 1.0, nodes_ += 1.0) {
        sum_ += law_.value(Real(j) * h_);
      }
    } else if (nodes_ < most_nodes_) {
      const double middle = std::floor(0.5 * (from + to));
      cover(from, middle);
      cover(middle, to);
    }
  }
  // The sum times the step; not finite where there are too many nodes.
  [[nodiscard]] Real total() const {
    return nodes_ < most_nodes_ ? (sum_ * h_ + zero_to(upper_end(skipped_))) / sqrt(scaled(rigorous::pi(), 1))
                                : nothing_known();
  }

 private:
  const Integrand& law_;
  Real h_, sum_, skipped_;
  double least_, most_nodes_, nodes_ = 0.0;
};

// integral of phi r^A over the line.
Real line_moment(const Law& law, double log_moment) {
  const double target = static_cast<double>(Precision::bits()) * std::numbers::ln2;
  const auto [step, height] = best_height(law.mu(), target, [&](double y) {
    const double growth = law.plan_growth(y);
    return law.exponent() < 0.0 && 2.001 * law.mu() * y <= pi ? std::min(growth, law.plan_shifted(y) - log_moment)
                                                              : growth;
  });
  const double least = log_moment - target - 2.0;
  const double left = std::ceil(law.plan_left(least) / step), right = std::ceil(law.plan_right(least) / step);
  if (!(left + right < most_exact)) {
    return nothing_known();
  }
  constexpr double spare_log = 8.0;  // there are some hundred intervals without
  SeenSum seen(law, step, least - spare_log, most_nodes);
  seen.cover(-left - 1.0, right);
  const Real h(step), y(height);
  Real sum = seen.total();
  const Real spare = h / Real(2);  // the density is below 1/2
  sum += zero_to(law.left_tail(Real(left) * h) + law.right_tail(Real(right) * h, spare));
  const Real decay = scaled(Real(1) / expm1(scaled(rigorous::pi(), 1) * y / h), 1);
  const Real relative = law.growth(y) * decay, absolute = law.shifted(y, law.plan_peak(height)) * decay;
  if (absolute.finite() && !(relative * sum < absolute)) {
    return widened(sum, upper_end(absolute));
  }
  return divided(sum, relative);
}

// integral of phi r^A over x > mu/2, by x = mu/2 + kappa log(1 + e^t). On Im t = theta, Im x <= kappa theta and
// |dx/dt| <= its value at Re t over cos(theta).
Real half_moment(const Law& law, double log_moment) {
  const double target = static_cast<double>(Precision::bits()) * std::numbers::ln2;
  const double least = log_moment - target - 4.0, start = 0.5 * law.mu();
  const double end = std::max(law.plan_right(least), start + 1.0);
  double theta = 0.0, kappa = 0.0, step = 0.0, left = 0.0, right = 0.0, fewest = most_nodes;
  for (double t = 0.1; t < 1.5; t += 0.1) {
    for (double k = 0.999 * pi / (law.mu() * t); k > 1e-9; k *= 0.7) {
      if (k > 30.0) {
        continue;
      }
      const double growth = law.plan_growth(k * t) - std::log(std::cos(t));
      const double h = 2.0 * pi * t / (target + growth + 2.0);
      const double l = std::max(1.0, -least + std::log(k)), r = std::max(1.0, (end - start) / k);
      if (const double nodes = (l + r) / h; nodes < fewest) {
        fewest = nodes;
        theta = t;
        kappa = k;
        step = h;
        left = std::ceil(l / h);
        right = std::ceil(r / h);
      }
      if (growth < 0.01 * target) {
        break;  // a smaller kappa only makes the range longer
      }
    }
  }
  if (step == 0.0) {
    return nothing_known();
  }
  const Real h(step), k(kappa), x0 = Real(start);
  Real sum;
  for (long j = -static_cast<long>(left); j <= static_cast<long>(right); ++j) {
    const Real t = Real(j) * h, e = exp(-abs(t));
    const bool positive = j > 0;
    const Real x = x0 + k * (positive ? t + log1p(e) : log1p(e));
    sum += law.value(x) * (positive ? Real(1) : e) / (Real(1) + e);
  }
  sum = sum * k * h / sqrt(scaled(rigorous::pi(), 1));
  // Left: at most the integrand's largest value on the piece of x, times kappa e^t.
  const Real last = exp(-Real(left) * h) * k;
  const Real top = law.exponent() > 0.0 ? exp(Real(law.exponent()) * law.log_ratio(x0 + last)) : Real(1);
  const Real left_tail = top * last;  // r >= 1 there
  // Right: dx/dt is between kappa / (1 + e^-t) and kappa.
  const Real t2 = Real(right) * h, e2 = exp(-t2), spare = h * k / Real(2);
  const Real right_tail = (Real(1) + e2) * law.right_tail(x0 + k * (t2 + log1p(e2)), spare);
  sum += zero_to(left_tail + right_tail);
  const Real y = k * Real(theta);
  const Real growth = law.growth(y) / cos(Real(theta));
  return divided(sum, scaled(growth / expm1(scaled(rigorous::pi(), 1) * Real(theta) / h), 1));
}

// A replaced record: the integrand phi r^a s^(1 - a) on the real line, r of the share moved by mu, s of that by -mu.
class ReplacedLaw {
 public:
  ReplacedLaw(double q, double mu, double order)
      : q_double_(q),
        mu_double_(mu),
        order_(order),
        q_(q),
        rest_(Real(1) - q_),
        mu_(mu),
        a_(order),
        less_(a_ - Real(1)) {}

  // phi r^a s^(1 - a) without 1/sqrt(2 pi).
  [[nodiscard]] Real value(const Real& x) const { return exp(log_powers(x) - scaled(x * x, -1)); }

  // At least the logarithm of value() between two points. a log r is convex and lies below its chord, the other two
  // parts are concave and lie below their tangents at the middle.
  [[nodiscard]] Real log_most(const Real& left, const Real& right) const {
    const Real middle = scaled(left + right, -1), half = scaled(right - left, -1), log_s = log_mixture(middle, -1);
    const Real base = -(less_ * log_s) - scaled(middle * middle, -1);
    const Real rise = (less_ * mu_ * weight(middle, log_s) - middle) * half;
    return base + max(a_ * log_mixture(left, 1) - rise, a_ * log_mixture(right, 1) + rise);
  }

  // A point right of which log(r^a s^(1 - a)) rises by less than half of x.
  [[nodiscard]] double far() const { return 4.0 * order_ * mu_double_ + 8.0; }
  // At least the sum over equidistant x > from, times their step, and at least the integral there; from >= far().
  [[nodiscard]] Real right_tail(const Real& from) const {
    const Real beyond = from - scaled(a_ * mu_, 1);
    return exp(log_powers(from)) * density(from) * mills_ball(beyond);
  }
  // The same over x < -from: the powers rise with x.
  [[nodiscard]] Real left_tail(const Real& from) const { return exp(log_powers(-from)) * normal_tail(from); }
  // Bound of the integral of the modulus along Im x = y over that along the real line, 0 < mu y < pi.
  [[nodiscard]] Real growth(const Real& y) const {
    return exp(scaled(y * y, -1) - less_ * log(cos(scaled(mu_ * y, -1))));
  }
  [[nodiscard]] double plan_growth(double y) const {
    return 0.5 * y * y - (order_ - 1.0) * std::log(std::cos(0.5 * mu_double_ * y));
  }
  [[nodiscard]] double mu() const { return mu_double_; }

 private:
  [[nodiscard]] Real log_mixture(const Real& x, int side) const {
    const Real u = Real(side) * mu_ * x - scaled(mu_ * mu_, -1);
    return q_double_ <= 0.5 ? log1p(q_ * expm1(u)) : log(rest_ + q_ * exp(u));
  }
  [[nodiscard]] Real log_powers(const Real& x) const { return a_ * log_mixture(x, 1) - less_ * log_mixture(x, -1); }
  // The share of the moved part in s.
  [[nodiscard]] Real weight(const Real& x, const Real& log_s) const {
    return q_ * exp(-(mu_ * x) - scaled(mu_ * mu_, -1) - log_s);
  }

  double q_double_, mu_double_, order_;
  Real q_, rest_, mu_, a_, less_;
};

// integral of phi r^a s^(1 - a) over the line.
Real replaced_moment(const ReplacedLaw& law, double log_moment) {
  const double target = static_cast<double>(Precision::bits()) * std::numbers::ln2;
  const Height best = best_height(law.mu(), target, [&](double y) { return law.plan_growth(y); });
  constexpr double spare = 8.0;  // there are some hundred intervals without
  const double least = log_moment - target - spare, reach = std::sqrt(2.0 * std::max(0.0, -least)) + 8.0;
  const double left = std::ceil(reach / best.step), right = std::ceil((law.far() + reach) / best.step);
  if (!(left + right < most_exact)) {
    return nothing_known();
  }
  SeenSum sum(law, best.step, least, most_replaced_nodes);
  sum.cover(-left - 1.0, right);
  const Real h(best.step), y(best.height);
  const Real all = sum.total() + zero_to(law.left_tail(Real(left) * h) + law.right_tail(Real(right) * h));
  return divided(all, scaled(law.growth(y) / expm1(scaled(rigorous::pi(), 1) * y / h), 1));
}

}  // namespace

Real log_moment_ball(SampledPair pair, double sampling_rate, double mu, double order, double log_moment) {
  const Real a(order), reverse = Real(1) - a;
  switch (pair) {
    case SampledPair::remove:
      return log(line_moment(Law(sampling_rate, mu, a), log_moment));
    case SampledPair::add:
      return log(line_moment(Law(sampling_rate, mu, reverse), log_moment));
    case SampledPair::replaced:
      return log(replaced_moment(ReplacedLaw(sampling_rate, mu, order), log_moment));
    default: {
      const Real atom = (Real(1) - Real(sampling_rate)) * erf(Real(mu) / sqrt(Real(8)));
      return log(atom + half_moment(Law(sampling_rate, mu, a), log_moment) +
                 half_moment(Law(sampling_rate, mu, reverse), log_moment));
    }
  }
}

}  // namespace dpcurves::accounting::detail
