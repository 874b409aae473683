// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/accounting/detail/loud_allocation.hpp>
#include <dpcurves/accounting/detail/replaced_curve.hpp>
#include <dpcurves/accounting/detail/replaced_law.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

// The narrower of both ends of two guarantees of one run, the second of which is asked where the first is wide alone.
class EitherCurve final : public PrivacyCurve {
 public:
  EitherCurve(CurvePtr first, CurvePtr second) : first_(std::move(first)), second_(std::move(second)) {}

  Answer delta(double epsilon) const override {
    return narrower(first_->delta(epsilon), [&] { return second_->delta(epsilon); });
  }
  Answer epsilon(double delta) const override {
    return narrower(first_->epsilon(delta), [&] { return second_->epsilon(delta); });
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return first_->type_two_errors(type_one_errors);
  }
  Enclosure renyi(double order) const override { return first_->renyi(order); }
  std::optional<Enclosure> mu() const override { return first_->mu(); }
  Methods methods() const override { return first_->methods(); }

 private:
  template <class F>
  static Answer narrower(Answer one, const F& other) {
    constexpr double narrow = 0.02;
    if (one.value.width() <= narrow * one.value.upper) {
      return one;
    }
    try {
      const Answer two = other();
      // The method is that of the upper end; an end whose error is estimated says so.
      const bool upper = two.value.upper < one.value.upper, lower = two.value.lower >= one.value.lower;
      if (upper && (lower || one.proved())) {
        one.method = two.method;
      }
      one.value = intersection(one.value, two.value);
    } catch (const ConvergenceError&) {  // the first holds
    }
    return one;
  }

  CurvePtr first_, second_;
};

// Removed and then added, above; a test on an additive statistic or the loudest places, below.
CurvePtr in_two_steps(const RandomAllocation& allocation, Enclosure mu) {
  const AllocationCurves curves = random_allocation_curves(allocation, 1.0, AllocationEnds::upper);
  AdditiveTest test =
      allocation_test(allocation.chosen, allocation.steps, allocation.epochs, allocation.noise_multiplier);
  test.replaced = true;
  constexpr double most_steps = 1e8, least_noise = 0.1;
  const bool tested = test.steps > 0.0 && test.steps <= most_steps && allocation.noise_multiplier >= least_noise;
  const LowerEnd below = tested ? detail::lower_end(test, {0.65, 1.0})
                                : LowerEnd{[](double) { return 0.0; }, [](double, double) { return 0.0; }};
  return replaced_curve(curves.remove, curves.add, below, mu, "removed, then added; test");
}

}  // namespace

CurvePtr random_allocation_replaced_curve(const RandomAllocation& allocation) {
  const AllocationCurves checked = random_allocation_curves(allocation);  // its ranges
  const double mu = 1.0 / allocation.noise_multiplier;
  const double uses = std::sqrt(allocation.chosen * (allocation.epochs + (allocation.rest > 0.0 ? 1.0 : 0.0)));
  const Enclosure known = outward(exactly(2.0 * uses * mu), 2e-15);
  if (allocation.chosen == allocation.steps && allocation.rest == 0.0) {
    return gaussian_curve(known);
  }
  constexpr double moderate = 2.9, loud = 2.9, loudest = 20.0;  // of mu
  if (allocation.chosen == 1.0 && allocation.epochs == 1.0 && allocation.rest == 0.0 && mu <= moderate) {
    return one_position_curve({allocation.steps, mu, -mu});
  }
  const CurvePtr by_places =
      mu > loud ? detail::loud_allocation_curve(allocation, detail::LoudPair::replaced) : nullptr;
  if (mu > loudest) {
    return by_places;
  }
  const CurvePtr two = in_two_steps(allocation, known);
  if (by_places) {
    return std::make_shared<EitherCurve>(by_places, two);
  }
  return allocation.chosen == 1.0 && mu <= detail::largest_replaced_mu
             ? std::make_shared<EitherCurve>(detail::replaced_rounds_curve(allocation), two)
             : two;
}

}  // namespace dpcurves::accounting
