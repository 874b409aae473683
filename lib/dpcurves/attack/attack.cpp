// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/gaussian.hpp>
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
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {false_rate.upper > 0.0 ? over(true_rate.lower, false_rate.upper).lower : infinity,
          false_rate.lower > 0.0 ? over(true_rate.upper, false_rate.lower).upper : infinity};
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
  return add == nullptr ? posterior_tail(odds)
                        : Directed<Enclosure>{attack::posterior_tail(add->profile, odds), "add"};
}

Enclosure Attack::gdp_parameter_above(double delta_floor) {
  return parts_->mu ? *parts_->mu : accounting::gdp_parameter_above(*parts_->both, delta_floor);
}

Enclosure Attack::gdp_parameter_above_rate(double floor) {
  return parts_->mu ? *parts_->mu : attack::gdp_parameter_above_rate(parts_->symmetric(), floor);
}

Regret Attack::regret(double mu) {
  return parts_->mu && *parts_->mu == exactly(mu) ? Regret{exactly(0.0), 0.0} : attack::regret(parts_->symmetric(), mu);
}

std::function<double(double)> Attack::least_rate(bool remove_only) {
  Profile& profile = remove_only && !parts_->parts.empty() ? parts_->accusing().profile : parts_->symmetric();
  constexpr double least = 1e-12;
  const double steepest = std::log(attack::power(profile, least).power.upper / least);
  constexpr int nodes = 500;
  std::vector<double> epsilons;
  for (int k = -nodes; k <= nodes; ++k) {
    epsilons.push_back(steepest * static_cast<double>(k) / nodes);
  }
  profile.ask(epsilons);
  std::vector<Corner> lines = profile.envelope().above;
  return [lines = std::move(lines)](double power) {
    constexpr double rounding = 1e-15;
    double rate = 0.0;
    for (const Corner& line : lines) {
      rate = std::max(rate, (power - line.value - rounding) / (1.0 + line.less_one) * (1.0 - rounding));
    }
    return rate;
  };
}

}  // namespace dpcurves::attack
