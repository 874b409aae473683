// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/proof/jumps.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr double least_mu = 9.0;        // below, the two losses of a step overlap too much for nine digits
constexpr double most_terms = 20000.0;  // a term takes some 30 microseconds where it counts, else a tenth of that
constexpr double few_terms = 400.0;     // more are left to a line, where that can be
constexpr double line_digits = 26.0;
constexpr double negligible = 60.0;  // terms below e^{-60} of the sum are bounded, not computed
constexpr slong jump_bits = 192;

/// log P(N > x) in doubles.
double log_tail(double x) {
  if (x < 20.0) {
    return std::log(0.5 * std::erfc(x / std::numbers::sqrt2));
  }
  const double y = 1.0 / (x * x);
  return -0.5 * x * x - std::log(x) - 0.91893853320467274178 + std::log1p(-y * (1.0 - y * (3.0 - y * 15.0)));
}

double log_add(double a, double b) {
  const double top = std::max(a, b);
  return top == -infinity ? top : top + std::log1p(std::exp(std::min(a, b) - top));
}

/// log of the binomial weight, in doubles, without large cancellations.
double log_weight(double n, double k, double p) {
  const auto rest_of_stirling = [](double x) {  // log x! less Stirling's formula
    if (x < 16.0) {
      return std::lgamma(x + 1.0) - ((x + 0.5) * std::log(x) - x + 0.91893853320467274178);
    }
    const double y = 1.0 / (x * x);
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y / 1260.0)) / x;
  };
  if (k == 0.0) {
    return n * std::log1p(-p);
  }
  if (k == n) {
    return n * std::log(p);
  }
  const double mean = n * p, off = mean - k;
  const double here = off / k > -0.5 && off / k < 0.5 ? -k * std::log1p(off / k) : k * std::log(k / mean);
  return rest_of_stirling(n) - rest_of_stirling(k) - rest_of_stirling(n - k) - (here + off) +
         ((n - k) * std::log1p(-off / (n - k)) + off) - 0.5 * std::log(2.0 * std::numbers::pi * k * ((n - k) / n));
}

/// E[max(N - y, 0)]
Real excess(const Real& y) {
  const Real density =
      rigorous::exp(-rigorous::scaled(y * y, -1)) / rigorous::sqrt(rigorous::scaled(rigorous::pi(), 1));
  return rigorous::upper_end(rigorous::at_least(density - y * rigorous::normal_tail(y), Real()));
}

}  // namespace

bool Jumps::serves(const Problem& problem) {
  if (problem.steps.size() != 1) {
    return false;
  }
  const Step& s = problem.steps.front();
  const double log_odds = std::log(s.q) - std::log1p(-s.q), square = s.mu * s.mu;
  if (s.pair == Pair::fixed_size_remove) {  // what a jump is held against has moved too: it must be seen to
    return s.mu >= least_mu && 1.5 * square + log_odds > 1.0;
  }
  // a jump raises the loss: log q + mu^2 / 2 > log(1 - q), with room
  return s.mu >= least_mu && 0.5 * square + log_odds > 1.0 && 0.5 * square - log_odds > 1.0;
}

Jumps::Jumps(const Problem& problem, double log_target, bool rest)
    : problem_(problem), pair_(problem.steps.front().pair), rest_(rest) {
  const Precision precision(jump_bits);
  const Step& step = problem.steps.front();
  q_ = Real(step.q);
  none_ = Real(1) - q_;
  mu_ = Real(step.mu);
  count_ = Real(step.count);
  square_ = problem.gaussian_square;
  if (pair_ == Pair::poisson_add) {
    single();
  } else {
    binomial(log_target);
  }
}

void Jumps::single() {
  Term t;
  t.weight = Real(1);
  t.mean = -(count_ * rigorous::log(none_)) + rigorous::scaled(square_, -1);
  t.spread = rigorous::sqrt(square_);
  t.log_weight = 0.0;
  t.plain_mean = t.mean.middle();
  t.plain_spread = t.spread.middle();
  terms_.push_back(t);
}

void Jumps::binomial(double log_target) {
  const Step& step = problem_.steps.front();
  const double n = step.count, q = step.q, mode = std::floor((n + 1.0) * q);
  const double down = rest_ ? log_target - negligible : -negligible, up = log_target - negligible;
  double first = mode, last = mode;
  for (double by = 1.0; first > 0.0 && log_weight(n, first, q) > down;
       by = std::max(1.0, std::floor(0.1 * (mode - first)))) {
    first = std::max(0.0, first - by);
  }
  for (double by = 1.0; last < n && (log_weight(n, last, q) > up);
       by = std::max(1.0, std::floor(0.1 * (last - mode)))) {
    last = std::min(n, last + by);
  }
  const Real log_none = rigorous::log(none_), half = rigorous::scaled(mu_ * mu_, -1);
  if (last - first > few_terms) {
    const Real jump = pair_ == Pair::fixed_size_remove     ? Real()
                      : pair_ == Pair::poisson_replace_one ? rigorous::log(q_) - log_none
                                                           : rigorous::log(q_);
    law_ = JumpLaw{q_, pair_ == Pair::poisson_remove ? log_none : Real(), jump, mu_, step.count, square_};
    // Of the value, and of what it says of epsilon: its logarithm falls by c epsilon times a relative change of that.
    constexpr double narrow = 1e-8, of_epsilon = 1e-9, steepest = 1e5;
    try {
      const double epsilon = law_->threshold(log_target, rest_);
      const JumpLine line(*law_, epsilon, line_digits, rest_);
      const Real value = line.at(Real(epsilon));
      const double steep = std::min(steepest, std::abs(line.order()) * epsilon);
      if (value.positive() && value.radius() < std::max(narrow, of_epsilon * steep) * value.middle()) {
        return;
      }
    } catch (const ConvergenceError&) {
    }
    law_.reset();
  }
  if (last - first > most_terms) {
    affordable_ = false;
    return;
  }
  const Real gain = half + (pair_ == Pair::fixed_size_remove ? Real()
                            : step.has_atom                  ? rigorous::log(q_)
                                                             : rigorous::log(q_) - log_none);
  const auto lgamma = [](const Real& x) {
    Real r;
    arb_lgamma(r.get(), x.get(), 2 * jump_bits);
    return r;
  };
  Real weight;
  {
    const Precision more(2 * jump_bits);  // log n! is large
    const Real k(first), others = count_ - k;
    weight = rigorous::exp(lgamma(count_ + Real(1)) - lgamma(k + Real(1)) - lgamma(others + Real(1)) +
                           k * rigorous::log(q_) + others * rigorous::log(Real(1) - q_));
  }
  const Real odds = q_ / none_;
  // Fewer jumps: w_{k-1} / w_k = k (1 - q) / ((n - k + 1) q) falls with k; so do all ratios below.
  if (first > 0.0) {
    const Real ratio = Real(first) / (count_ - Real(first) + Real(1)) / odds;
    left_out_below_ = ratio < Real(1) ? rigorous::min(Real(1), weight * ratio / (Real(1) - ratio)) : Real(1);
  }
  for (double k = first; k <= last; k += 1.0) {
    Term t;
    t.weight = weight;
    t.mean =
        (pair_ == Pair::poisson_remove ? count_ * log_none : Real()) + Real(k) * gain + rigorous::scaled(square_, -1);
    t.spread = rigorous::sqrt(Real(k) * mu_ * mu_ + square_);
    t.log_weight = log_weight(n, k, q);
    t.plain_mean = t.mean.middle();
    t.plain_spread = t.spread.middle();
    terms_.push_back(t);
    weight = weight * (count_ - Real(k)) / Real(k + 1.0) * odds;
  }
  if (last < n) {  // more jumps: the ratio (n - k) q / ((k + 1) (1 - q)) falls as k grows
    const Real ratio = (count_ - Real(last + 1.0)) / Real(last + 2.0) * odds;
    left_out_above_ = ratio < Real(1) ? rigorous::min(Real(1), weight / (Real(1) - ratio)) : Real(1);
  }
}

double Jumps::approximate(double epsilon) const {
  double total = -infinity;
  for (const Term& t : terms_) {
    const double gap = epsilon - t.plain_mean, s = t.plain_spread;
    double v = 0.0;
    if (s == 0.0) {
      v = rest_ ? std::min(0.0, gap) : gap < 0.0 ? std::log(-std::expm1(gap)) : -infinity;
    } else {
      const double d = gap / s;
      const double over = log_tail(d), off = gap + 0.5 * s * s + log_tail(d + s);
      v = rest_ ? log_add(log_tail(-d), off)
                : over + std::log(std::max(1e-300, -std::expm1(std::min(0.0, off - over))));
    }
    total = log_add(total, t.log_weight + v);
  }
  return total;
}

double Jumps::threshold(double log_value) const {
  if (law_) {
    return law_->threshold(log_value, rest_);
  }
  const auto over = [&](double e) { return (approximate(e) > log_value) != rest_; };  // delta(e) is above the value
  double low = 0.0, high = 1.0;
  while (over(high) && high < 1e300) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 200 && high - low > 1e-13 * high && high > 1e-300; ++i) {
    const double m = low > 0.0 || high < 1e-12 ? 0.5 * (low + high) : 0.125 * high;
    (over(m) ? low : high) = m;
  }
  return 0.5 * (low + high);
}

// Where K(c) - c epsilon is least, c >= 0, in doubles.
double Jumps::tilt(double epsilon) const {
  const Step& step = problem_.steps.front();
  const double mu = step.mu, q = step.q, g2 = problem_.gaussian_mu * problem_.gaussian_mu;
  const double stay = pair_ == Pair::poisson_remove ? std::log1p(-q) : 0.0;
  const double jump = pair_ == Pair::fixed_size_remove     ? 0.0
                      : pair_ == Pair::poisson_replace_one ? std::log(q) - std::log1p(-q)
                                                           : std::log(q);
  const auto slope = [&](double c) {
    const double a = std::log1p(-q) + c * stay, b = std::log(q) + c * jump + 0.5 * c * (c + 1.0) * mu * mu;
    const double share = 1.0 / (1.0 + std::exp(a - b));
    return step.count * ((1.0 - share) * stay + share * (jump + (c + 0.5) * mu * mu)) + g2 * (c + 0.5) - epsilon;
  };
  double low = 0.0, high = 1.0;
  if (!(slope(0.0) < 0.0)) {
    return 0.0;
  }
  while (slope(high) < 0.0 && high < 1e12) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 50; ++i) {
    const double m = 0.5 * (low + high);
    (slope(m) < 0.0 ? low : high) = m;
  }
  return low;
}

// Let every step carry a label: with chance q, drawn from N(mu, 1), it jumps; else it is drawn from N(0, 1). Instead of
// its loss l it has l'' = log a (remove), 0 (replace one), a = 1 - q, where it does not jump, and log v, log(v / a)
// where it does, v(x) = q e^{mu x - mu^2 / 2}. The sum over the number of jumps is E[(1 - e^{epsilon - sum l''})_+].
//
// (1 - e^{epsilon - y})_+ has a derivative between 0 and 1 in y, and none for y < epsilon. So with l <= l'' + D, D >=
// 0,
//   delta - sum <= E[sum D; sum l > epsilon], if l >= l'' or not,
// and 1{y > epsilon} <= e^{c (y - epsilon)}, c >= 0: at most T E[D e^{c l}] E[e^{c l}]^{T - 1} e^{-c epsilon}. With
// l >= l'' - D in the same way sum - delta <= T E[D e^{c l''}] E[e^{c l''}]^{T - 1} e^{-c epsilon}.
//
// Remove: l = log(a + v), D = log(1 + v / a) or log(1 + a / v); l >= l''. Let v(t) = a, J(y) = E[(N - y)_+].
//   x < t: D <= v / a or log 2 + mu (t - x); a + v <= 2 a:  (2 a)^c q ((1 + log 2) P(N > mu - t) + mu J(mu - t));
//   x > t: D <= log 2 + mu (x - t) or a / v; a + v <= 2 v:
//          a (2 q)^c e^{c (c - 1) mu^2 / 2} ((1 + log 2) P(N > t - c mu) + mu J(t - c mu)),
// their sum is E[D e^{c l}] at most, and E[e^{c l}] <= E[e^{c l''}] + c E[D e^{c l}].
// Replace one: v' = v(-x) > 0 lowers l by log(1 + v' / a): upper bounds as for remove, over a^c. For the lower bound
// D = log(1 + v' / a); not jumping, with E over N(0, 1) of log(1 + v / a) <= q P(N > mu - t) / a + log 2 P(N > t) + mu
// J(t); jumping, x > -t by v' / a: q^{c + 2} a^{-c - 1} e^{(c^2 - c - 2) mu^2 / 2}, x < -t (where v < a) by q (log 2
// P(N > mu + t) + mu J(mu + t)). Add: l'' = -log a, l = l'' - D, D = log(1 + v / a) under N(0, 1), c = 0.
//
// Pairs of halves: l'' = 0 for idle steps, and for jumps log v (symmetrised, fixed size add) or log(w / v) = mu x - 3
// mu^2 / 2 with x ~ N(2 mu, 1), w(x) = q e^{2 mu x - 2 mu^2} (fixed size remove), wherever x is. Jumps that fall into
// their half as for remove, and for fixed size remove, where l = log((a + w) / (a + v)), with w(s) = a:
//   above, D = log(1 + a / w): x > s by a / w, where l <= l'' + log 2: a 2^c e^{(c^2 - 3 c) mu^2 / 2} P(N > s - c mu);
//          x < s by log 2 + 2 mu (s - x), where a + w <= 2 a: q 2^c (log 2 P(N > 2 mu - s) + 2 mu J(2 mu - s));
//   below, D = log(1 + a / v): x > t by a / v: a e^{(c^2 - c - 2) mu^2 / 2};
//          x < t by log 2 + mu (t - x): q e^{c (mu t - 3 mu^2 / 2)} (log 2 P(N > 2 mu - t) + mu J(2 mu - t)).
// Jumps beside it, a mass of q P(N > mu / 2), are the points y > mu / 2 of the other half, mirrored: x = mu - y, 2 mu -
// y for fixed size remove. There l'' <= l <= 0, so that D <= -l'' and e^{c l} <= 1: q (-log q P(N > mu / 2) + mu J(mu /
// 2)), without the logarithm for fixed size remove.
// Idle steps in the jumps' half, l >= 0: as for remove; for fixed size remove, x > 3 mu / 2, by w / a where w < a: 2^c
// q P(N > 2 mu - s) if s > 3 mu / 2; beyond b = max(s, 3 mu / 2) by l <= mu x - 3 mu^2 / 2:
//   a e^{(c^2 - 3 c) mu^2 / 2} mu (J(b - c mu) + (b - 3 mu / 2) P(N > b - c mu)).
// Idle steps in the other half, l <= 0 = l'': -l <= log(1 + v / a), or for fixed size add, x > 3 mu / 2, at most mu x -
// 3 mu^2 / 2: a mu J(3 mu / 2).
Jumps::Difference Jumps::difference(const Real& epsilon) const {
  const Real half = rigorous::scaled(mu_ * mu_, -1), log2 = rigorous::log(Real(2));
  const Real t = (half + rigorous::log(none_ / q_)) / mu_;
  const auto tail = [](const Real& x) { return rigorous::normal_tail(x); };
  const Real idle = q_ * tail(mu_ - t) / none_ + log2 * tail(t) + mu_ * excess(t);  // E[log(1 + v / a)] under N(0, 1)
  if (pair_ == Pair::poisson_add) {
    return {rigorous::upper_end(rigorous::min(Real(1), count_ * idle)), Real()};
  }
  const Real c(tilt(epsilon.middle()));
  const auto base = [&](const Real& x) { return rigorous::exp(c * rigorous::log(x)); };  // x^c
  const Real rest = count_ - Real(1);
  const Real gaussian = rigorous::scaled(c * (c + Real(1)) * square_, -1) - c * epsilon;
  const auto all_steps = [&](const Real& difference, const Real& of_one) {
    return count_ * difference * rigorous::exp(rest * rigorous::log(of_one) + gaussian);
  };
  const auto probability = [](const Real& bound) { return rigorous::upper_end(rigorous::min(Real(1), bound)); };
  const Real one = Real(1) + log2;
  const auto sums = [&](const Real& less, const Real& more, const Real& moment) {
    return Difference{probability(all_steps(less, moment)), probability(all_steps(more, moment + c * more))};
  };
  // Of jumps short of t and idle steps beyond it.
  const Real short_of_t = q_ * (one * tail(mu_ - t) + mu_ * excess(mu_ - t));
  const Real overlap = base(Real(2) * none_) * short_of_t + none_ * base(Real(2) * q_) *
                                                                rigorous::exp(c * (c - Real(1)) * half) *
                                                                (one * tail(t - c * mu_) + mu_ * excess(t - c * mu_));
  const Real jumped = rigorous::exp(c * (c + Real(1)) * half);
  if (pair_ == Pair::fixed_size_remove) {
    const Real s = mu_ + rigorous::log(none_ / q_) / (Real(2) * mu_), two = base(Real(2)), end = Real(1.5) * mu_;
    const Real b = rigorous::max(s, end), tilted = none_ * rigorous::exp(c * (c - Real(3)) * half);
    const Real off = Real(2) * mu_ - s, beside = q_ * mu_ * excess(rigorous::scaled(mu_, -1));
    const Real idle_beyond = (s <= end ? Real() : two * q_ * tail(off)) +
                             tilted * mu_ * (excess(b - c * mu_) + (b - end) * tail(b - c * mu_));
    const Real more = two * tilted * tail(s - c * mu_) + two * q_ * (one * tail(off) + Real(2) * mu_ * excess(off)) +
                      beside + idle_beyond;
    const Real less = none_ * rigorous::exp((c * c - c - Real(2)) * half) +
                      rigorous::exp(c * (mu_ * t - Real(3) * half)) * q_ *
                          (one * tail(Real(2) * mu_ - t) + mu_ * excess(Real(2) * mu_ - t)) +
                      none_ * idle;
    return sums(less, more, none_ + q_ * jumped);
  }
  if (problem_.steps.front().has_atom) {
    const Real end = rigorous::scaled(mu_, -1);
    const Real beside = q_ * (mu_ * excess(end) - rigorous::log(q_) * tail(end));
    const Real less = none_ * (pair_ == Pair::fixed_size_add ? mu_ * excess(Real(1.5) * mu_) : idle);
    return sums(less, overlap + beside, none_ + q_ * base(q_) * jumped);
  }
  if (pair_ == Pair::poisson_replace_one) {
    const Real unit = base(none_);
    const Real less = none_ * idle + q_ * q_ * base(q_) / (none_ * unit) * rigorous::exp((c * c - c - Real(2)) * half) +
                      q_ * (log2 * tail(mu_ + t) + mu_ * excess(mu_ + t));
    return sums(less, overlap / unit, none_ + q_ * base(q_) * jumped / unit);
  }
  return sums(Real(), overlap, none_ * base(none_) + q_ * base(q_) * jumped);
}

// 1 - delta is at least e^{epsilon - m} for epsilon <= m, m the largest loss, and at most that + less.
Jumps::Ends Jumps::add_ends(const Real& target) const {
  const Precision precision(jump_bits);
  const Real rest = rest_ ? target : Real(1) - target;
  const Real off = difference(Real()).less, most = terms_.front().mean;
  const Real left = rest - off, inside = Real(1) - rigorous::scaled(Real(1), -100);  // strictly below
  Ends ends{Real(), rigorous::upper_end(rigorous::at_least(most + rigorous::log(rest), Real()))};
  if (left.positive()) {
    ends.lower = rigorous::lower_end(rigorous::at_least((most + rigorous::log(left)) * inside, Real()));
  }
  return ends;
}

Jumps::Value Jumps::by_line(const Real& epsilon) const {
  constexpr double apart = 1e-9;  // relative: of thresholds that show the slope
  const double e = epsilon.middle(), other = e * (1.0 + apart);
  const JumpLine line(*law_, e, line_digits, rest_);
  const Real sum = line.at(epsilon);
  const Difference off = difference(epsilon);
  Value out;
  out.lower = rigorous::at_least(rigorous::lower_end(sum - (rest_ ? off.more : off.less)), Real());
  out.upper = rigorous::min(Real(1), rigorous::upper_end(sum + (rest_ ? off.less : off.more)));
  out.slope = (law_->log_estimate(other, rest_) - law_->log_estimate(e, rest_)) / (other - e);
  return out;
}

Jumps::Value Jumps::at(const Real& epsilon) const {
  const Precision precision(jump_bits);
  if (law_) {
    try {
      return by_line(epsilon);
    } catch (const ConvergenceError&) {
      return {Real(), Real(1), 0.0};
    }
  }
  const double e = epsilon.middle(), whole = approximate(e);
  Real sum, falling;  // the sum, and less its derivative
  for (const Term& term : terms_) {
    const Real gap = epsilon - term.mean;
    if (term.spread.contains_zero() && term.spread.exact()) {  // a single loss
      const Real off = rigorous::exp(rigorous::min(Real(), gap));
      sum += term.weight * (rest_ ? off : rigorous::at_least(-rigorous::expm1(rigorous::min(Real(), gap)), Real()));
      falling += term.weight * off * Real(gap.negative() ? 1 : 0);
      continue;
    }
    const Real d = gap / term.spread;
    // P(L < epsilon) and E[e^{epsilon - L}; L > epsilon] are at most e^{-d^2 / 2} where -d <= spread; likewise
    // P(L > epsilon) is where d > 0.
    const Real bound = rigorous::exp(-rigorous::scaled(d * d, -1));
    const double log_bound = -0.5 * d.middle() * d.middle() + term.log_weight - whole;
    if (log_bound < -negligible && (d.positive() || -d <= term.spread)) {
      const Real small = rigorous::zero_to(rigorous::scaled(bound, 1));
      sum += term.weight * (d.positive() == rest_ ? Real(1) - small : small);
      continue;
    }
    const Real off =
        rigorous::exp(gap + rigorous::scaled(term.spread * term.spread, -1)) * rigorous::normal_tail(d + term.spread);
    sum += term.weight * (rest_ ? rigorous::normal_tail(-d) + off : rigorous::normal_tail(d) - off);
    falling += term.weight * off;
  }
  // More jumps than listed count for at most 1 each. So do fewer, and below the means at most for P(L > epsilon): their
  // means and spreads are smaller than those of the first term, and then P is at most e^{-d^2 / 2} of it.
  Real below = left_out_below_;
  if (!rest_ && !terms_.empty()) {
    const Real gap = epsilon - terms_.front().mean;
    if (gap.positive() && terms_.front().spread.positive()) {
      const Real d = gap / terms_.front().spread;
      below = below * rigorous::exp(-rigorous::scaled(d * d, -1));
    }
  }
  const Real beyond = rigorous::upper_end(below + left_out_above_);
  const Difference off = difference(epsilon);
  Value out;
  const Real less = rest_ ? off.more : off.less, more = rest_ ? off.less : off.more;
  out.lower = rigorous::at_least(rigorous::lower_end(sum - less), Real());
  out.upper = rigorous::min(Real(1), rigorous::upper_end(sum + beyond + more));
  out.slope = (rest_ ? 1.0 : -1.0) * (falling / sum).middle();
  return out;
}

}  // namespace dpcurves::accounting::proof
