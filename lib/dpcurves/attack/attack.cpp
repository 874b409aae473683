// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/function.hpp>

namespace dpcurves::attack {
namespace {

using accounting::CurvePtr;

/// The profile of (epsilon, delta)-DP, for the measures without a closed form.
class ApproximateCurve final : public accounting::PrivacyCurve {
 public:
  explicit ApproximateCurve(const ApproximateDp& dp)
      : function_(tradeoff::approximate_dp_function(dp.epsilon, dp.delta)), dp_(dp) {}
  accounting::Answer delta(double epsilon) const override {
    return {epsilon >= dp_.epsilon ? exactly(dp_.delta) : function_.delta(epsilon), "closed form"};
  }
  accounting::Answer epsilon(double delta) const override {
    double low = 0.0, high = dp_.epsilon;  // delta falls: halve
    if (delta < dp_.delta) {
      return {exactly(std::numeric_limits<double>::infinity()), "closed form"};
    }
    if (this->delta(0.0).value.upper <= delta) {
      return {exactly(0.0), "closed form"};
    }
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (this->delta(middle).value.upper <= delta ? high : low) = middle;
    }
    return {{low, high}, "closed form"};
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      const Enclosure t = attack::power(dp_, a).power;
      result.push_back({std::max(0.0, next_down(1.0 - t.upper)), next_up(1.0 - t.lower)});
    }
    return result;
  }
  accounting::Methods methods() const override {
    return {accounting::by_closed_form, dp_.delta > 0.0 ? "" : accounting::by_closed_form, ""};
  }
  Enclosure renyi(double order) const override {
    return dp_.delta > 0.0 ? exactly(std::numeric_limits<double>::infinity())
                           : accounting::pure_curve(dp_.epsilon)->renyi(order);
  }

 private:
  tradeoff::TradeoffFunction function_;
  ApproximateDp dp_;
};

Enclosure odds_factor(const Enclosure& true_rate, const Enclosure& false_rate) {
  const auto over = [](double t, double a) {
    return rigorous::refined([=] { return rigorous::Real(t) / rigorous::Real(a); }).enclosure();
  };
  return {false_rate.upper > 0.0 ? over(true_rate.lower, false_rate.upper).lower : infinity,
          false_rate.lower > 0.0 ? over(true_rate.upper, false_rate.lower).upper : infinity};
}

bool overlap(const Enclosure& a, const Enclosure& b) { return a.lower <= b.upper && b.lower <= a.upper; }

/// Whether both ends are those of `b`: a bracket that is wider says no more than that its guarantee holds.
bool same_ends(const Enclosure& a, const Enclosure& b) {
  constexpr double rounding = 1e-9;
  return overlap(a, b) && a.width() <= b.width() + rounding * a.upper;
}

/// The mu of a curve that is Gaussian: its total variation and its divergence of order 2 are those of G(mu).
std::optional<Enclosure> gaussian_mu_of(const accounting::Guarantee& guarantee) {
  const auto mu = guarantee.curve->mu();
  if (!mu || !std::isfinite(mu->upper) ||
      !same_ends(guarantee.curve->delta(0.0).value, gaussian_advantage(*mu).advantage) ||
      !same_ends(guarantee.curve->renyi(2.0), accounting::gaussian_curve(*mu)->renyi(2.0))) {
    return std::nullopt;
  }
  return mu;
}

/// The epsilon of a curve in closed form that is (epsilon, 0)-DP and no more: its total variation is what that allows.
std::optional<double> pure_epsilon(const accounting::Guarantee& guarantee) {
  const auto total = guarantee.curve->delta(0.0);
  if (!guarantee.directions.empty() || !guarantee.curve->mu() || total.method != "closed form") {
    return std::nullopt;
  }
  constexpr double largest = 700.0;  // of ApproximateDp
  const double epsilon = guarantee.curve->renyi(infinity).upper;
  const bool pure = epsilon > 0.0 && epsilon <= largest &&
                    overlap(total.value, attack::advantage(ApproximateDp{epsilon, 0.0}).advantage);
  return pure ? std::optional(epsilon) : std::nullopt;
}

/// Tangents of a profile from those of false positive rate 1e-12 to those of true positive rate 1 - 1e-12.
/// \param nodes  to either side.
Envelope tangents(Profile& profile, int nodes) {
  constexpr double least = 1e-12;
  const double steepest = std::log(attack::power(profile, least).power.upper / least);
  std::vector<double> epsilons;
  for (int k = -nodes; k <= nodes; ++k) {
    epsilons.push_back(steepest * static_cast<double>(k) / nodes);
  }
  profile.ask(epsilons);
  return profile.envelope();
}

/// Epsilons half way from the best line of every rate to its neighbours.
std::vector<double> beside_best(const Envelope& envelope, std::span<const double> rates) {
  const auto& lines = envelope.above;
  std::vector<double> result;
  for (const double a : rates) {
    const auto best = std::min_element(lines.begin(), lines.end(),
                                       [a](const Corner& x, const Corner& y) { return x.excess(a) < y.excess(a); });
    if (best != lines.begin()) {
      result.push_back(0.5 * (best->epsilon + std::prev(best)->epsilon));
    }
    if (best + 1 != lines.end()) {
      result.push_back(0.5 * (best->epsilon + std::next(best)->epsilon));
    }
  }
  return result;
}

constexpr int rate_nodes = 500;  // a relative 1e-5 of least rates

/// The largest rate of lines that T lies below, or above: where T reaches a power, at the earliest or the latest.
std::function<double(double)> rate_of(std::vector<Corner> lines, bool earliest) {
  return [lines = std::move(lines), earliest](double power) {
    constexpr double rounding = 1e-15;
    const double away = earliest ? rounding : -rounding;
    double rate = 0.0;
    for (const Corner& line : lines) {
      const double rise = power - line.value - away;
      const double slope = 1.0 + line.less_one;
      if (rise > 0.0) {
        rate = slope > 0.0 ? std::max(rate, rise / slope * (1.0 - away)) : 1.0;
      }
    }
    return std::min(rate, 1.0);
  };
}

}  // namespace

struct Attack::Parts {
  struct Part {
    std::string direction;
    Profile profile;
  };
  std::optional<Enclosure> mu;
  std::optional<ApproximateDp> dp;
  std::vector<Part> parts;
  CurvePtr both;
  std::optional<Profile> larger;

  Part* find(const std::string& direction) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.direction == direction; });
    return found == parts.end() ? nullptr : &*found;
  }
  /// `remove` where it was asked for, else the only one.
  Part& accusing() {
    Part* const part = find("remove");
    return part != nullptr ? *part : parts.front();
  }
  Profile& symmetric() {
    if (!larger) {
      larger.emplace(both);
    }
    return *larger;
  }
};

Attack::Attack(const Enclosure& mu) : parts_(std::make_unique<Parts>()) {
  parts_->mu = mu;
  parts_->both = accounting::gaussian_curve(mu);
}

Attack::Attack(const ApproximateDp& dp) : parts_(std::make_unique<Parts>()) {
  static_cast<void>(attack::advantage(dp));  // names what is out of range
  parts_->dp = dp;
  parts_->both = std::make_shared<ApproximateCurve>(dp);
}

Attack::Attack(const std::vector<accounting::DirectedCurve>& directions) : parts_(std::make_unique<Parts>()) {
  require_domain(!directions.empty(), "directions", 0.0, "at least one direction");
  for (const accounting::DirectedCurve& one : directions) {
    parts_->parts.push_back({one.direction, Profile(one.curve)});
  }
  parts_->both = accounting::worst_curve(directions);
}

Attack::Attack(const accounting::Guarantee& guarantee) : Attack(exactly(0.0)) {
  require_domain(guarantee.applies(), "guarantee", 0.0, "guarantees that apply");
  if (const auto mu = gaussian_mu_of(guarantee)) {
    *this = Attack(*mu);
  } else if (const auto epsilon = pure_epsilon(guarantee)) {
    *this = Attack(ApproximateDp{*epsilon, 0.0});
  } else if (!guarantee.directions.empty()) {
    *this = Attack(guarantee.directions);
  } else {
    *this = Attack(std::vector<accounting::DirectedCurve>{{"", guarantee.curve}});
  }
}

Attack::~Attack() = default;
Attack::Attack(Attack&&) noexcept = default;
Attack& Attack::operator=(Attack&&) noexcept = default;

Directed<Power> Attack::power(double a, double relative) {
  if (parts_->mu) {
    return {gaussian_power(*parts_->mu, a), ""};
  }
  if (parts_->dp) {
    return {attack::power(*parts_->dp, a), ""};
  }
  Directed<Power> result;
  for (Parts::Part& part : parts_->parts) {
    const Power one = attack::power(part.profile, a, relative);
    if (&part == &parts_->parts.front() || one.power.upper > result.value.power.upper) {
      result.direction = part.direction;
    }
    const auto larger = [](Enclosure& x, const Enclosure& y) {
      x = {std::max(x.lower, y.lower), std::max(x.upper, y.upper)};
    };
    larger(result.value.power, one.power);
    larger(result.value.excess, one.excess);
  }
  return result;
}

std::vector<Enclosure> Attack::powers(std::span<const double> rates, int rounds) {
  std::vector<Enclosure> result;
  for (const double a : rates) {
    require_domain(a >= 0.0 && a <= 1.0, "false_positive_rate", a, "[0, 1]");
    result.push_back(closed_form() ? power(a).value.power : exactly(a));
  }
  for (Parts::Part& part : parts_->parts) {
    constexpr int nodes = 250;
    Envelope envelope = tangents(part.profile, nodes);
    for (int round = 0; round < rounds; ++round) {
      part.profile.ask(beside_best(envelope, rates));
      envelope = part.profile.envelope();
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const Enclosure one = clamp(envelope.excess(rates[i]) + exactly(rates[i]), rates[i], 1.0);
      result[i] = {std::max(result[i].lower, one.lower), std::max(result[i].upper, one.upper)};
    }
  }
  return result;
}

bool Attack::closed_form() const { return parts_->mu || parts_->dp; }

const char* Attack::method() const { return closed_form() ? accounting::by_closed_form : accounting::by_tangents; }

Directed<Advantage> Attack::advantage() {
  if (parts_->mu) {
    return {gaussian_advantage(*parts_->mu), ""};
  }
  if (parts_->dp) {
    return {attack::advantage(*parts_->dp), ""};
  }
  Enclosure least{1.0, 1.0};  // each direction bounds the same distance
  for (Parts::Part& part : parts_->parts) {
    const Enclosure one = part.profile.delta(0.0);
    least = {std::min(least.lower, one.lower), std::min(least.upper, one.upper)};
  }
  return {advantage_of(least), ""};
}

Directed<BayesError> Attack::bayes_error(double prior) {
  if (parts_->mu) {
    return {gaussian_bayes_error(*parts_->mu, prior), ""};
  }
  if (parts_->dp) {
    return {attack::bayes_error(*parts_->dp, prior), ""};
  }
  require_domain(prior > 0.0 && prior < 1.0, "prior", prior, "(0, 1)");
  Parts::Part* const add = parts_->find("add");
  if (add != nullptr && (prior > 0.5 || parts_->parts.size() == 1)) {
    return {attack::bayes_error(add->profile, 1.0 - prior), "add"};
  }
  return {attack::bayes_error(parts_->accusing().profile, prior), parts_->accusing().direction};
}

Directed<Precision> Attack::precision_at_rate(double prior, double a) {
  require_domain(a > 0.0 && a <= 1.0, "false_positive_rate", a, "(0, 1]");
  const Directed<Power> at = reconstruction(a);
  return {{precision(at.value.power, exactly(a), prior), odds_factor(at.value.power, exactly(a)), exactly(a)},
          at.direction};
}

Directed<Precision> Attack::precision_at_recall(double prior, double recall) {
  Enclosure rate;
  std::string direction;
  if (parts_->mu) {
    rate = gaussian_false_positive_rate(*parts_->mu, recall);
  } else if (parts_->dp) {
    rate = false_positive_rate(*parts_->dp, recall);
  } else {
    rate = false_positive_rate(parts_->accusing().profile, recall);
    direction = parts_->accusing().direction;
  }
  return {{precision(exactly(recall), rate, prior), odds_factor(exactly(recall), rate), rate}, direction};
}

Directed<Enclosure> Attack::area(double absolute) {
  if (parts_->mu) {
    return {gaussian_area(*parts_->mu), ""};
  }
  if (parts_->dp) {
    return {attack::area(*parts_->dp), ""};
  }
  return {attack::area(parts_->accusing().profile, absolute), ""};
}

Directed<Power> Attack::reconstruction(double baseline, double relative) {
  if (parts_->mu || parts_->dp) {
    return power(baseline, relative);
  }
  return {attack::power(parts_->accusing().profile, baseline, relative), parts_->accusing().direction};
}

Enclosure Attack::known_reconstruction(double baseline) {
  if (parts_->mu || parts_->dp) {
    return power(baseline).value.power;
  }
  Profile& profile = parts_->accusing().profile;
  static_cast<void>(profile.scale());  // something is known
  return clamp(profile.envelope().excess(baseline) + exactly(baseline), baseline, 1.0);
}

Directed<Enclosure> Attack::posterior_tail(double odds) {
  if (parts_->dp) {
    return {attack::posterior_tail(*parts_->dp, odds), ""};
  }
  if (parts_->mu) {
    return {gaussian_posterior_tail(*parts_->mu, odds), ""};
  }
  return {attack::posterior_tail(parts_->accusing().profile, odds), parts_->accusing().direction};
}

Directed<Enclosure> Attack::posterior_tail_of_absence(double odds) {
  Parts::Part* const add = parts_->find("add");
  return add == nullptr ? posterior_tail(odds) : Directed<Enclosure>{attack::posterior_tail(add->profile, odds), "add"};
}

Enclosure Attack::gdp_parameter_above(double delta_floor) {
  return parts_->mu ? *parts_->mu : accounting::gdp_parameter_above(*parts_->both, delta_floor);
}

Enclosure Attack::gdp_parameter_above_rate(double floor) {
  return parts_->mu ? *parts_->mu : attack::gdp_parameter_above_rate(parts_->symmetric(), floor);
}

Regret Attack::regret(double mu) {
  if (parts_->mu && parts_->mu->upper == mu) {
    constexpr double slope = 0.2;  // of D_m(x) / (1 + x) in m, for x >= 1: a normal density over 2
    return {{0.0, next_up(slope * (mu - parts_->mu->lower))}, 0.0};
  }
  return attack::regret(parts_->symmetric(), mu);
}

std::function<double(double)> Attack::least_rate(bool remove_only) {
  return rate_of(
      tangents(remove_only && !parts_->parts.empty() ? parts_->accusing().profile : parts_->symmetric(), rate_nodes)
          .above,
      true);
}

std::function<double(double)> Attack::least_rate_above(bool remove_only) {
  return rate_of(
      tangents(remove_only && !parts_->parts.empty() ? parts_->accusing().profile : parts_->symmetric(), rate_nodes)
          .below,
      false);
}

}  // namespace dpcurves::attack
