// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cstddef>
#include <limits>
#include <utility>

#include <dpcurves/accounting/detail/failure_event.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Real;

class OutsideEvent final : public PrivacyCurve {
 public:
  OutsideEvent(CurvePtr curve, double failure) : curve_(std::move(curve)), failure_(failure) {}
  Answer delta(double epsilon) const override {
    Answer answer = curve_->delta(epsilon);
    answer.value = clamp(answer.value + exactly(failure_), 0.0, 1.0);
    return answer;
  }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const double left = next_down(delta - failure_);
    if (!(left > 0.0)) {
      return {exactly(std::numeric_limits<double>::infinity()), "the event alone has chance delta"};
    }
    Answer answer = curve_->epsilon(left);
    answer.value.lower = curve_->epsilon(next_up(delta - failure_)).value.lower;
    return answer;
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    // (1 - failure) f(a / (1 - failure)), f falling: the larger argument for the lower end, the smaller for the upper.
    const Real rest = Real(1) - Real(failure_);
    std::vector<double> inner;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      const Enclosure argument = clamp((Real(a) / rest).enclosure(), 0.0, 1.0);
      inner.push_back(argument.upper);
      inner.push_back(argument.lower);
    }
    const std::vector<Enclosure> values = curve_->type_two_errors(inner);
    std::vector<Enclosure> result;
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const Enclosure ends{(rest * Real(values[i].lower)).lower(), (rest * Real(values[i + 1].upper)).upper()};
      result.push_back(clamp(ends, 0.0, 1.0));
    }
    return result;
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return exactly(std::numeric_limits<double>::infinity());
  }
  Methods methods() const override { return {curve_->methods().tradeoff, "", ""}; }

 private:
  CurvePtr curve_;
  double failure_;
};

}  // namespace

CurvePtr outside_event(CurvePtr curve, double failure) {
  require_domain(failure >= 0.0 && failure < 1.0, "failure", failure, "[0, 1)");
  require_domain(curve != nullptr, "curve", 0.0, "a curve");
  if (failure == 0.0) {
    return curve;
  }
  return std::make_shared<OutsideEvent>(std::move(curve), failure);
}

}  // namespace dpcurves::accounting
