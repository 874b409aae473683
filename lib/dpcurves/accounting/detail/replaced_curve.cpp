// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <dpcurves/accounting/detail/replaced_curve.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::accounting {
namespace {

// The least value of `f` over some x in (0, 1): a coarse grid, and closer around its best.
template <class F>
double least(const F& f) {
  double best = std::numeric_limits<double>::infinity();
  double at = 0.5;
  const auto ask = [&](double x) {
    const double value = f(x);
    if (value < best) {
      best = value;
      at = x;
    }
  };
  for (const double x : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    ask(x);
  }
  for (const double step : {0.1, 0.04, 0.016}) {
    const double centre = at;
    ask(centre - step);
    ask(std::min(0.995, centre + step));
  }
  return best;
}

class ReplacedCurve final : public PrivacyCurve {
 public:
  ReplacedCurve(CurvePtr remove, CurvePtr add, LowerEnd below, Enclosure mu, std::string method)
      : remove_(std::move(remove)),
        add_(std::move(add)),
        below_(std::move(below)),
        mu_(mu),
        method_(std::move(method)) {
    require_domain(remove_ != nullptr && add_ != nullptr, "curves", 0.0, "curves that are not null");
    sampled_ = sampled_curve([this](double epsilon) { return symmetric(epsilon).upper; },
                             LowerEnd{[this](double epsilon) { return symmetric(epsilon).lower; }}, mu_, method_);
  }

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    return {symmetric(epsilon), method_};
  }

  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const double certain = tradeoff::epsilon_enclosure(delta, {mu_.upper, mu_.upper}).upper;
    double upper = certain;
    // Epsilons depend on the logarithm of delta: any even split is near the best.
    for (const double share : {0.3, 0.6}) {
      const double first = remove_->epsilon(share * delta).value.upper;
      // Rounded so that both parts together stay below delta.
      const double rest = (1.0 - share) * (1.0 - 1e-12) * std::exp(-first) * delta;
      if (rest > 0.0) {
        upper = std::min(upper, next_up(first + add_->epsilon(rest).value.upper));
      }
    }
    return {{lower_epsilon(below_, delta, upper), upper}, method_};
  }

  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return sampled_->type_two_errors(type_one_errors);
  }

  Enclosure renyi(double order) const override { return sampled_->renyi(order); }

  std::optional<Enclosure> mu() const override { return mu_; }
  Methods methods() const override { return sampled_->methods(); }

 private:
  // At any sign: the pair is symmetric.
  [[nodiscard]] Enclosure symmetric(double epsilon) const {
    if (epsilon < 0.0) {
      return tradeoff::mirrored_delta(symmetric(-epsilon), epsilon);
    }
    const double certain = tradeoff::delta_enclosure(epsilon, {mu_.upper, mu_.upper}).upper;
    if (!(epsilon <= 200.0)) {
      return {0.0, certain};
    }
    const double upper = std::min(certain, least([&](double share) {
                                    constexpr double shrink = 1.0 - 1e-15;  // the sum of the parts is rounded
                                    const double first = share * epsilon;
                                    return (remove_->delta(first * shrink).value.upper +
                                            std::exp(first) * add_->delta((epsilon - first) * shrink).value.upper) *
                                           (1.0 + 1e-14);
                                  }));
    return {std::min(upper, std::max(0.0, below_.delta(epsilon))), upper};
  }

  CurvePtr remove_, add_;
  LowerEnd below_;
  Enclosure mu_;
  std::string method_;
  CurvePtr sampled_;
};

}  // namespace

CurvePtr replaced_curve(CurvePtr remove, CurvePtr add, LowerEnd below, Enclosure mu, std::string method) {
  return std::make_shared<ReplacedCurve>(std::move(remove), std::move(add), std::move(below), mu, std::move(method));
}

}  // namespace dpcurves::accounting
