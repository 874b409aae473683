// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include <dpcurves/accounting/detail/loud_allocation.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting::detail {
namespace {

// What up to 2400 sums, products and logarithms of doubles lose, relative to their terms: no more than 5000 units of
// 1.1e-16 each.
constexpr double slack = 1e-12;
// Of powers of the normal law above 1e-323: its logarithm, at most 745 in size, is known to 2e-14.
constexpr double power_slack = 2e-11;

double more(double probability) { return next_up(probability * (1.0 + slack)); }
double up(double value) { return value + slack * (1.0 + std::abs(value)); }
double down(double value) { return value - slack * (1.0 + std::abs(value)); }

// Both ends of the logarithm of the number of choices of k of n, both whole; of none -infinity.
Enclosure log_binomial(double n, double k) {
  if (k > n) {
    return exactly(-infinity);
  }
  constexpr double few = 64.0;
  const double least = std::min(k, n - k);
  if (least > few) {  // log-gamma is known to some units of its own size
    const double all = std::lgamma(n + 1.0), off = 1e-14 * all;
    const double found = all - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
    return {found - off, found + off};
  }
  double sum = 0.0;
  for (double i = 0.0; i < least; ++i) {
    sum += std::log((n - i) / (i + 1.0));
  }
  return {down(sum), up(sum)};
}

// The largest of `count` standard normal variables, in cells of one width. Sums over cells are written with the chances
// of being below their ends, all terms positive.
class Largest {
 public:
  explicit Largest(double count) : count_(count) {
    for (int i = 0; i <= cells; ++i) {
      log_below_.push_back(count * numerics::log_normal_upper_tail(-point(i)));
    }
  }

  /// log E e^{-order max}, rounded up.
  [[nodiscard]] double log_moment(double order) const {
    double sum = std::exp(0.5 * order * order) * numerics::normal_cdf(first + order) + std::exp(-order * last);
    const double drop = -std::expm1(-order * (point(1) - point(0)));  // of the weight, over a cell
    for (int i = 0; i < cells; ++i) {
      sum += std::exp(log_below_[static_cast<std::size_t>(i) + 1] - order * point(i)) * drop;
    }
    return up(std::log(sum) + power_slack);
  }

  /// E max(0, max), rounded up: the chance of being above each x > 0.
  [[nodiscard]] double mean() const {
    double sum = count_ * 1e-30;  // beyond the last cell
    for (int i = cells / 2; i < cells; ++i) {
      sum += -std::expm1(log_below_[static_cast<std::size_t>(i)]) * (point(i + 1) - point(i));
    }
    return up(sum * (1.0 + power_slack));
  }

 private:
  static constexpr int cells = 2400;
  static constexpr double first = -12.0, last = 12.0;
  static double point(int i) { return first + (last - first) * i / cells; }

  double count_;
  std::vector<double> log_below_;
};

// A lower bound of the chance that none of `count` standard normal variables is above x.
double none_above(double x, double count) {
  return std::exp(count * numerics::log_normal_upper_tail(-x)) * (1.0 - power_slack);
}

// Shares of the loudest place that the others may have.
constexpr double shares[] = {1e-8, 1e-5, 1e-3, 1e-2, 0.1};

// The chance that in some round they have more: E (sum/kappa r)^{1/2} of the round.
double more_than(double share, double places, double mu, double rounds) {
  return more(rounds * std::sqrt(places / share) * std::exp(-0.125 * mu * mu));
}

// sup over x of (1 - 1/x)_+ x^{-order}, in logarithm.
double log_constant(double order) { return order * std::log(order) - (1.0 + order) * std::log1p(order); }

// Orders of the loss of some rounds. Times mu they are at most 30, so that no sum overflows.
std::vector<double> orders(double mu, double rounds) {
  std::vector<double> list;
  for (double x = 0.125; x < std::min(100.0, 30.0 * std::sqrt(rounds)); x *= std::sqrt(2.0)) {
    list.push_back(x / (mu * std::sqrt(rounds)));
  }
  return list;
}

class LoudCurve final : public PrivacyCurve {
 public:
  LoudCurve(const RandomAllocation& allocation, LoudPair pair)
      : ends_(std::make_shared<const LoudAllocation>(allocation, pair)),
        sampled_(sampled_curve([ends = ends_](double epsilon) { return at(*ends, epsilon); }, ends_->mu(), method)) {}

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    return {at(*ends_, epsilon), method};
  }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    return {ends_->epsilon(delta), method};
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return sampled_->type_two_errors(type_one_errors);
  }
  Enclosure renyi(double order) const override { return {0.0, gaussian_curve(ends_->mu())->renyi(order).upper}; }
  std::optional<Enclosure> mu() const override { return ends_->mu(); }
  Methods methods() const override { return {by_tangents, by_closed_form, by_closed_form}; }

 private:
  static constexpr const char* method = "loudest place";

  static Enclosure at(const LoudAllocation& ends, double epsilon) {
    return epsilon >= 0.0 ? ends.delta(epsilon)
                          : Enclosure{std::max(0.0, -std::expm1(epsilon) * (1.0 - slack)),
                                      tradeoff::delta_enclosure(epsilon, ends.mu()).upper};
  }

  std::shared_ptr<const LoudAllocation> ends_;
  CurvePtr sampled_;
};

}  // namespace

LoudAllocation::LoudAllocation(const RandomAllocation& a, LoudPair pair)
    : rounds_(a.chosen * (a.epochs + (a.rest > 0.0 ? 1.0 : 0.0))),
      places_(std::floor(a.steps / a.chosen)),
      step_mu_(next_up(1.0 / a.noise_multiplier)),
      largest_loss_(infinity) {
  const double distance = pair == LoudPair::replaced ? 2.0 : 1.0;
  mu_ = outward(exactly(distance * std::sqrt(rounds_) / a.noise_multiplier), 2e-15);
  constexpr double overflow = 1e150;  // beyond, no epsilon is a double
  if (!(mu_.upper < overflow)) {
    return;
  }
  const double hidden = up(a.epochs * log_binomial(a.steps, a.chosen).upper);
  hidden_mu_ = scale(mu_, 1.0 / distance);
  switch (pair) {
    case LoudPair::remove:
      remove(a, hidden);
      break;
    case LoudPair::add:
      add(a);
      break;
    case LoudPair::replaced:
      replaced(a, hidden);
      break;
  }
}

void LoudAllocation::remove(const RandomAllocation& a, double hidden) {
  const double least_mu = next_down(1.0 / a.noise_multiplier);
  // The places that were drawn, among all that might have been: of the last round those that were taken.
  for (const double used : {0.0, 1.0, std::min(a.chosen, a.rest)}) {
    const double left = a.chosen - used;
    if (used > a.rest || left > a.steps - a.rest) {
      continue;
    }
    const Enclosure ways = log_binomial(a.rest, used);
    const double all = log_binomial(a.steps, a.rest > 0.0 ? a.chosen : left).upper;
    const double log_chance = ways.lower + log_binomial(a.steps - a.rest, left).lower - all;
    const double uses = a.chosen * a.epochs + used;
    if (uses > 0.0) {
      counted_.push_back({std::exp(std::min(0.0, down(log_chance))), next_down(least_mu * next_down(std::sqrt(uses))),
                          up(hidden + std::max(0.0, up(ways.upper - log_chance))), 0.0});
    }
  }
  for (const double share : shares) {
    if (a.epochs == 0.0 && a.chosen == 1.0) {  // not used at all, or in one of the places that were taken
      const double used = more(a.rest / a.steps);
      hidden_.push_back(
          {used, used * more_than(share, a.rest, step_mu_, 1.0), down(std::log(a.rest) - std::log1p(share))});
    } else {
      hidden_.push_back(
          {1.0, more_than(share, places_, step_mu_, rounds_), down(rounds_ * (std::log(places_) - std::log1p(share)))});
    }
  }
}

void LoudAllocation::add(const RandomAllocation& a) {
  if (a.epochs == 0.0) {  // the chance of no use is a floor of the ratio
    const Enclosure ways = log_binomial(a.steps - a.rest, a.chosen), all = log_binomial(a.steps, a.chosen);
    const double unused = std::min(0.0, ways.upper - all.lower);
    largest_loss_ = up(all.upper - ways.lower);
    for (const double share : {0.9, 0.5, 1e-2, 1e-4}) {  // no place that was taken is above a number
      const double all = numerics::normal_upper_quantile(-std::expm1(std::log(share) / a.rest));
      const double largest = std::exp(std::min(0.0, (all - 0.5 / a.noise_multiplier) / a.noise_multiplier));
      certain_.push_back({none_above(all, a.rest), -up(std::log(std::exp(unused) * (1.0 - largest) + largest))});
    }
    return;
  }
  const double mu = 1.0 / a.noise_multiplier;
  const Largest block(places_);
  for (const double order : orders(mu, rounds_)) {
    const double one = order * std::log(places_) + 0.5 * order * mu * mu + block.log_moment(order * mu);
    chernoff_.push_back({0.0, up(rounds_ * up(one) + log_constant(order)), order});
  }
  // The ratio is at most that of the loudest places. Its sum over the epochs is at most its mean and a few deviations,
  // which are at most 1; or all of them are below one number.
  const Largest largest(a.steps);
  const double uses = a.chosen * a.epochs;
  for (const double share : {1e-9, 1e-6, 1e-4, 1e-2}) {
    const double root = std::sqrt(share / (1.0 - share));
    const double mean = a.epochs * largest.mean() + root * std::sqrt(a.epochs);
    certain_.push_back({down(share), down(0.5 * uses * mu * mu - up(mu * a.chosen * mean))});
    const double each = -std::expm1(std::log(share) / (a.epochs * a.steps));
    const double all = numerics::normal_upper_quantile(each);
    certain_.push_back(
        {none_above(all, a.epochs * a.steps), down(0.5 * uses * mu * mu - up(mu * uses * (all + slack)))});
  }
}

void LoudAllocation::replaced(const RandomAllocation& a, double hidden) {
  remove(a, hidden);  // the other record may have gradient 0
  if (a.epochs == 0.0 && a.chosen == 1.0) {
    const double unused = 1.0 - a.rest / a.steps;  // a share of the other run in which neither record is used
    for (Hidden& one : hidden_) {
      one.shift = down(one.shift + std::log(unused));
    }
    least_ = up(-std::log(unused));
    return;
  }
  hidden_.clear();
  const double mu = 1.0 / a.noise_multiplier;
  const double others = std::max(1.0, places_ - 1.0);
  const Largest block(others);
  for (const double order : orders(mu, rounds_)) {
    const double moment = order * (1.0 + 0.5 * order) * mu * mu + block.log_moment(order * mu);
    for (const double share : shares) {
      const double lost = more_than(share, places_, step_mu_, rounds_);
      if (lost < 1.0 && places_ > 1.0) {
        chernoff_.push_back({lost, up(rounds_ * up(moment + order * std::log1p(share)) + log_constant(order)), order});
      }
    }
  }
  if (a.epochs == 0.0) {
    return;
  }
  const double uses = a.chosen * a.epochs;
  const double least_mu = next_down(mu * next_down(std::sqrt(uses)));
  const double mean = a.epochs * Largest(a.steps).mean() + std::sqrt(a.epochs);
  constexpr double half = 0.5;
  const double middle = 0.5 * uses * mu * mu;
  counted_.push_back({half, least_mu, up(hidden + up(mu * a.chosen * mean) - middle + slack * middle),
                      more(uses * numerics::normal_cdf(-mu))});
}

Enclosure LoudAllocation::delta(double epsilon) const {
  Enclosure value{0.0, tradeoff::delta_enclosure(epsilon, mu_).upper};
  if (epsilon >= largest_loss_) {
    value.upper = 0.0;
  }
  for (const Hidden& one : hidden_) {
    if (epsilon >= least_ && epsilon + one.shift >= 0.0) {
      value.upper =
          std::min(value.upper,
                   more(one.lost + one.share * tradeoff::delta_enclosure(down(epsilon + one.shift), hidden_mu_).upper));
    }
  }
  for (const Chernoff& one : chernoff_) {
    value.upper = std::min(value.upper, more(one.lost + std::exp(std::min(0.0, up(one.value - one.order * epsilon)))));
  }
  for (const Counted& one : counted_) {
    const double below = tradeoff::delta_enclosure(up(epsilon + one.shift), exactly(one.mu)).lower;
    value.lower = std::max(value.lower, one.share * below * (1.0 - slack) - one.lost);
  }
  for (const Certain& one : certain_) {
    value.lower = std::max(value.lower, -one.share * std::expm1(std::min(0.0, up(epsilon - one.loss))) * (1.0 - slack));
  }
  return {std::min(value.lower, value.upper), value.upper};
}

Enclosure LoudAllocation::epsilon(double delta) const {
  Enclosure value{0.0, std::min(largest_loss_, tradeoff::epsilon_enclosure(delta, mu_).upper)};
  for (const Hidden& one : hidden_) {
    if (one.lost < 0.5 * delta) {
      const double left = (delta - one.lost) / one.share * (1.0 - 4.0 * slack);
      const double found = left < 1.0 ? tradeoff::epsilon_enclosure(left, hidden_mu_).upper - one.shift : 0.0;
      value.upper = std::min(value.upper, std::max(least_, up(found)));
    }
  }
  for (const Chernoff& one : chernoff_) {
    if (one.lost < 0.5 * delta) {
      const double left = std::log((delta - one.lost) * (1.0 - slack));
      value.upper = std::min(value.upper, std::max(0.0, up((one.value - left) / one.order)));
    }
  }
  for (const Counted& one : counted_) {
    const double wanted = (delta + one.lost) / one.share * (1.0 + slack);
    if (wanted < 1.0) {
      value.lower = std::max(value.lower, down(tradeoff::epsilon_enclosure(wanted, exactly(one.mu)).lower - one.shift));
    }
  }
  for (const Certain& one : certain_) {
    const double wanted = delta / one.share * (1.0 + slack);
    if (wanted < 1.0) {
      value.lower = std::max(value.lower, down(one.loss + std::log1p(-wanted)));
    }
  }
  return {std::min(value.lower, value.upper), value.upper};
}

CurvePtr loud_allocation_curve(const RandomAllocation& allocation, LoudPair pair) {
  return std::make_shared<LoudCurve>(allocation, pair);
}

}  // namespace dpcurves::accounting::detail
