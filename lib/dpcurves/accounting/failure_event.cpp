// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/failure_event.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

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
    std::vector<double> inner;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      inner.push_back(std::fmin(1.0, next_up(a / (1.0 - failure_))));
    }
    std::vector<Enclosure> result = curve_->type_two_errors(inner);
    for (Enclosure& value : result) {
      value = clamp(scale(value, 1.0 - failure_), 0.0, 1.0);
    }
    return result;
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return exactly(std::numeric_limits<double>::infinity());
  }

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
