// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <dpcurves/accounting/detail/renyi_estimate.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::accounting::detail {
namespace {

// exp(y) - 1 - y >= 0 with full relative accuracy.
double exp_remainder(double y) {
  if (std::abs(y) > 0.5) {
    return std::expm1(y) - y;
  }
  constexpr int terms = 14;  // 0.5^14 / 15! is below 2^-53
  static const auto inverse = [] {
    std::array<double, terms + 1> table{};
    for (int k = 1; k <= terms; ++k) {
      table[static_cast<std::size_t>(k)] = 1.0 / static_cast<double>(k);
    }
    return table;
  }();
  double sum = 1;
  for (std::size_t k = terms; k >= 3; --k) {
    sum = 1 + sum * y * inverse[k];
  }
  return sum * y * y / 2;
}

// mantissa * exp(exponent), mantissa >= 0.
struct Scaled {
  double exponent = 0;
  double mantissa = 0;
};

// exp(y) - 1 - y without overflow.
Scaled scaled_remainder(double y) {
  if (y <= 1) {
    return {0, exp_remainder(y)};
  }
  return {y, -std::expm1(-y) - y * std::exp(-y)};
}

Scaled times(double factor, const Scaled& a) { return {a.exponent, factor * a.mantissa}; }

Scaled sum_of(const Scaled& a, const Scaled& b) {
  if (a.exponent == b.exponent) {
    return {a.exponent, a.mantissa + b.mantissa};
  }
  return a.exponent > b.exponent ? Scaled{a.exponent, a.mantissa + b.mantissa * std::exp(b.exponent - a.exponent)}
                                 : Scaled{b.exponent, b.mantissa + a.mantissa * std::exp(a.exponent - b.exponent)};
}

// phi(x) [(1 + u)^b - 1 - b u] at x = mu/2 + s, up to the factor 1/sqrt(2 pi). For the symmetrised pair the sum of both
// on s > 0 alone, with s = c log(1 + exp(v / c)), which makes a half line a line.
class Integrand {
 public:
  Integrand(double sampling_rate, double mu, double order, SampledPair pair)
      : q_(sampling_rate), mu_(mu), excess_(order - 1), pair_(pair), scale_(std::min(1.0, 1 / mu_)) {}

  // The logarithm of the integrand, -infinity at s = 0.
  [[nodiscard]] double operator()(double node) const {
    double s = node, log_slope = 0;
    if (pair_ == SampledPair::symmetrised) {
      const double v = node / scale_;
      s = scale_ * (v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v)));
      log_slope = v > 0 ? -std::log1p(std::exp(-v)) : v - std::log1p(std::exp(v));
    }
    const double x = mu_ / 2 + s, l = log_ratio(s), y = excess_ * l;
    constexpr double tiny = 1e-120;  // its square leaves the range of doubles, if excess is small enough
    if (std::abs(l) < tiny) {        // excess l is small too: the bracket is a (a - 1) u^2 / 2
      const double log_square = 2 * (std::log(q_) + std::log(std::abs(std::expm1(mu_ * s))));
      const double both = pair_ == SampledPair::symmetrised ? 1.0 : 0.5;
      return std::log(both * (1 + excess_)) + std::log(excess_) + log_square - x * x / 2 + log_slope;
    }
    // With e = a - 1 and r(y) = exp(y) - 1 - y, the bracket is e^l (r(e l) + e r(-l)) or r(-e l) + e r(l).
    Scaled total;
    if (pair_ != SampledPair::add) {
      total = sum_of(scaled_remainder(y), times(excess_, scaled_remainder(-l)));
      total.exponent += l;
    }
    if (pair_ != SampledPair::remove) {
      total = sum_of(total, sum_of(scaled_remainder(-y), times(excess_, scaled_remainder(l))));
    }
    return total.exponent + std::log(total.mantissa) - x * x / 2 + log_slope;
  }

 private:
  [[nodiscard]] double log_ratio(double s) const {
    const double t = mu_ * s;
    if (t > 40 && t + std::log(q_) > 1) {  // expm1 could overflow, and nothing cancels
      return t + std::log(q_) + std::log1p((1 - q_) / q_ * std::exp(-t));
    }
    const double u = q_ * std::expm1(t);
    return u > -0.5 ? std::log1p(u) : std::log((1 - q_) + q_ * std::exp(t));
  }

  double q_, mu_, excess_;
  SampledPair pair_;
  double scale_;
};

// Where phi(x) (1 + u)^b can have a maximum: the stationary points x = b mu w(x), w the weight of the shifted part.
std::vector<double> peaks(double q, double mu, double order, SampledPair pair) {
  const double logit = std::log(q) - std::log1p(-q);
  const auto weight = [&](double x) { return 1.0 / (1.0 + std::exp(-(mu * (x - 0.5 * mu) + logit))); };
  if (pair == SampledPair::add) {  // log-concave: one maximum, left of 0
    const double scale = (order - 1.0) * mu;
    const auto slope = [&](double x) { return x + scale * weight(x); };
    return {slope(-scale) < 0.0 ? numerics::root(slope, -scale, 0.0).middle() : -scale};
  }
  // g(x) = order mu w(x) - x is convex left of the inflection and concave right of it. Newton's method from 0 rises to
  // the first root without passing it, from order mu it falls to the last; a slope of the wrong sign says there is
  // none.
  const double scale = order * mu, inflection = 0.5 * mu - logit / mu;
  std::vector<double> result;
  for (const bool from_left : {false, true}) {  // the far one first: it may make the other negligible
    double x = from_left ? 0.0 : scale;
    if (from_left && inflection <= 0.0) {
      continue;
    }
    for (int i = 0; i < 200; ++i) {
      const double w = weight(x), slope = scale * mu * w * (1.0 - w) - 1.0;
      const double step = (x - scale * w) / slope;
      if (!(slope < 0.0) ||
          (from_left ? x + step > std::min(inflection, scale) : x + step < std::max(inflection, 0.0))) {
        break;
      }
      x += step;
      if (std::abs(step) < 0.1 + 1e-12 * x) {
        result.push_back(x);
        break;
      }
    }
  }
  if (result.empty()) {
    result.push_back(std::clamp(inflection, 0.0, scale));  // both roots at the inflection
  }
  return result;
}

// Q(x) (1 - e^{-(a - 1) l}) (e^{a l} - 1) at |x|, up to the factor 1/sqrt(2 pi), for a replaced record. It is even.
class ReplacedIntegrand {
 public:
  ReplacedIntegrand(double sampling_rate, double mu, double order)
      : mu_(mu),
        excess_(order - 1.0),
        log_rate_(std::log(sampling_rate)),
        log_rest_(std::log1p(-sampling_rate)),
        rate_(sampling_rate) {}

  // The logarithm of the integrand, -infinity at 0.
  [[nodiscard]] double operator()(double node) const {
    const double x = std::abs(node), log_q = log_ratio(-x), l = log_ratio(x) - log_q, up = (1.0 + excess_) * l;
    return -0.5 * x * x + log_q + std::log(-std::expm1(-excess_ * l)) + (up > 40.0 ? up : std::log(std::expm1(up)));
  }

  // Where phi P^a Q^(1 - a) has its maxima at x > 0: the slope a mu w(x) + (a - 1) mu w(-x) - x, w the weight of the
  // shifted part, changes its sign there, within 1/mu of where w(x) = 1/2 or where w hardly varies.
  [[nodiscard]] std::vector<double> peaks() const {
    const double end = ((1.0 + excess_) + excess_ * rate_) * mu_;
    const double turn = 0.5 * mu_ + (log_rest_ - log_rate_) / mu_;
    constexpr int parts = 64;
    constexpr double reach = 32.0;  // w is constant farther from its turn
    std::vector<double> places;
    for (int i = 0; i <= parts; ++i) {
      places.push_back(end * i / parts);
      places.push_back(std::clamp(turn + reach * (2.0 * i / parts - 1.0) / mu_, 0.0, end));
    }
    std::sort(places.begin(), places.end());
    std::vector<double> result;
    for (std::size_t i = 1; i < places.size(); ++i) {
      double low = places[i - 1], high = places[i];
      if (!(slope(low) > 0.0 && slope(high) <= 0.0)) {
        continue;
      }
      while (high - low > 0.1 + 1e-12 * high) {
        const double middle = 0.5 * (low + high);
        (slope(middle) > 0.0 ? low : high) = middle;
      }
      result.push_back(high);
    }
    std::reverse(result.begin(), result.end());  // the far one first: it may make the others negligible
    return result;
  }

 private:
  [[nodiscard]] double log_ratio(double x) const {  // to N(0, 1)
    const double u = mu_ * x - 0.5 * mu_ * mu_;
    return u < 1.0 ? std::log1p(rate_ * std::expm1(u))
                   : u + log_rate_ + std::log1p(std::exp(log_rest_ - log_rate_ - u));
  }
  [[nodiscard]] double slope(double x) const {
    const auto weight = [&](double at) {
      return 1.0 / (1.0 + std::exp(log_rest_ - log_rate_ - mu_ * (at - 0.5 * mu_)));
    };
    return mu_ * ((1.0 + excess_) * weight(x) + excess_ * weight(-x)) - x;
  }

  double mu_, excess_, log_rate_, log_rest_, rate_;
};

// The trapezoid rule for a positive function that is analytic in a strip, over the intervals where it matters.
// Logarithms throughout: the integral is exp(log_peak) times a number of moderate size. F: double -> double.
template <class F>
class Trapezoid {
 public:
  Trapezoid(const F& f, double step) : f_(f), step_(step) {}

  // Covers [low, high] and goes on both ways until the integrand is negligible; with `climb` not before it falls.
  void cover(double low, double high, bool climb) {
    Range range{std::llround(low / step_), std::llround(high / step_)};
    double left = 0, right = 0;
    const bool open_left = !covered(range.first), open_right = !covered(range.last);
    for (long long k = range.first; k <= range.last; ++k) {
      if (!covered(k)) {
        right = node(k);
        left = k == range.first ? right : left;
      }
    }
    range.last = open_right ? walk(range.last, +1, right, climb) : range.last;
    range.first = open_left ? walk(range.first, -1, left, climb) : range.first;
    ranges_.push_back(range);
  }

  // The sum over the nodes covered; to be called once, before halve().
  void collect() {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    std::vector<Range> joined;
    for (const Range& range : ranges_) {
      if (!joined.empty() && range.first <= joined.back().last + 1) {
        joined.back().last = std::max(joined.back().last, range.last);
      } else {
        joined.push_back(range);
      }
    }
    ranges_ = joined;
    for (const double value : nodes_) {
      add(value);
    }
  }

  // Adds the midpoints. \return the relative change of the integral.
  double halve() {
    const double before = sum_;
    for (Range& range : ranges_) {
      for (long long k = range.first - 1; k <= range.last; ++k) {
        add(f_((static_cast<double>(k) + 0.5) * step_));
      }
      range = {2 * range.first - 1, 2 * range.last + 1};
    }
    step_ /= 2;
    return std::abs(sum_ - 2 * before) / sum_;
  }

  [[nodiscard]] double log_integral() const { return peak_ + std::log(sum_ * step_); }

 private:
  struct Range {
    long long first, last;
  };

  [[nodiscard]] bool covered(long long k) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [k](const Range& r) { return r.first <= k && k <= r.last; });
  }

  double node(long long k) {
    if (nodes_.size() >= 4'000'000) {
      throw ConvergenceError("Renyi divergence: the integrand does not fit into 4000000 nodes");
    }
    nodes_.push_back(f_(static_cast<double>(k) * step_));
    peak_ = std::max(peak_, nodes_.back());
    return nodes_.back();
  }

  long long walk(long long k, int way, double previous, bool climb) {
    constexpr double negligible = 32;  // exp(-32) = 1.3e-14 of the peak
    bool rising = climb;
    while (!covered(k + way) && (rising || previous > peak_ - negligible)) {
      k += way;
      const double here = node(k);
      rising = climb && here > previous;
      previous = here;
    }
    return k;
  }

  void add(double log_value) { sum_ += std::exp(log_value - peak_); }

  const F& f_;
  double step_;
  double peak_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0;
  std::vector<double> nodes_;
  std::vector<Range> ranges_;
};

// The step whose error is about exp(-16), which half of it squares: shifting the path by i y multiplies the integrand
// by at most exp(spread y^2 / 2) and its error by exp(-2 pi y / step), while mu y < angle stays clear of the zeros of 1
// + u.
double first_step(double mu, double spread, double angle) {
  constexpr double digits = 16.0;
  const double pi = std::numbers::pi, free = 2.0 * pi / std::sqrt(2.0 * digits * spread);
  const double y = 2.0 * pi / (free * spread);
  return mu * y <= angle ? free : 2.0 * pi * (angle / mu) / (digits + 0.5 * spread * angle * angle / (mu * mu));
}

}  // namespace

double estimated_log_moment(SampledPair pair, double sampling_rate, double mu, double order) {
  const Integrand integrand(sampling_rate, mu, order, pair);
  const std::vector<double> maxima = peaks(sampling_rate, mu, order, pair);
  // The bump of (1 + u)^(1 - a) at -x has the width 1 / sqrt(1 + mu x).
  const double spread = pair == SampledPair::add ? 1.0 - mu * maxima.front() : 1.0;
  Trapezoid rule(integrand, first_step(std::max(mu, pair == SampledPair::symmetrised ? 1.0 : 0.0), spread,
                                       pair == SampledPair::remove ? 2.5 : 1.5));
  const double centre = mu / 2;
  for (const double x : maxima) {
    if (pair != SampledPair::symmetrised || x > centre) {
      rule.cover(x - centre, x - centre, true);
    }
  }
  // u^2 phi is largest about x = 2 mu and (x - mu/2)^2 phi near 0: always looked at, whatever the order.
  const double left = pair == SampledPair::symmetrised ? -9.5 : -9.5 - centre;
  rule.cover(left, 9.5 + 2 * mu - centre, false);
  rule.collect();
  for (int i = 0; i < 5 && rule.halve() > 1e-6; ++i) {  // the next change would be its square
  }
  return static_cast<double>(rule.log_integral() - std::log(2 * std::numbers::pi) / 2);
}

double estimated_replaced_log_moment(double sampling_rate, double mu, double order) {
  const ReplacedIntegrand integrand(sampling_rate, mu, order);
  const double step = std::min(0.2, 0.4 / mu);  // as narrow as the bumps and the strip of the logarithms ask for
  Trapezoid rule(integrand, step);
  constexpr double width = 10.0;
  for (const double x : integrand.peaks()) {
    rule.cover(std::max(x - width, step), x + width, false);  // 0 is no node: what is left of it is the other half
  }
  rule.cover(step, 2.0 * mu + width, false);  // where x^2 phi and l^2 phi are largest, whatever the order
  rule.collect();
  const double log_excess = rule.log_integral() - 0.5 * std::log(2.0 * std::numbers::pi);
  return log_excess > 40.0 ? log_excess : std::log1p(std::exp(log_excess));
}

double estimated_fixed_size_bound(double sampling_rate, double mu, double order) {
  const double a = order, q = sampling_rate, square = mu * mu;
  const double log_pairs = 2 * std::log(q) + std::log(a * (a - 1) / 2);
  // R(2) = mu^2; 2 e^R is the smaller of the two from e^R = 2 on.
  const double second =
      log_pairs + (square < std::numbers::ln2 ? std::log(4 * std::expm1(square)) : square + std::numbers::ln2);
  std::vector<double> logs{second};
  logs.reserve(static_cast<std::size_t>(order));
  // log of 2 q^j C(a, j) e^(j (j - 1) mu^2 / 2), from j = 2 by the ratio of neighbours, the sum compensated.
  double log_term = log_pairs + square + std::numbers::ln2, carry = 0;
  for (double j = 3; j <= a; ++j) {
    const double step = std::log(q * (a - j + 1) / j) + (j - 1) * square + carry;
    const double next = log_term + step;
    carry = step - (next - log_term);
    log_term = next;
    logs.push_back(log_term);
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double x : logs) {
    sum += std::exp(x - largest);
  }
  const double log_moment = largest + std::log(sum);
  const double total =
      log_moment > 40 ? log_moment + std::log1p(std::exp(-log_moment)) : std::log1p(std::exp(log_moment));
  return std::min(static_cast<double>(total / (a - 1)), 0.5 * order * mu * mu);
}

}  // namespace dpcurves::accounting::detail
