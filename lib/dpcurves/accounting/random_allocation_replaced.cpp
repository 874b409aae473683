// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/accounting/detail/replaced_curve.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/random_allocation.hpp>

namespace dpcurves::accounting {

CurvePtr random_allocation_replaced_curve(const RandomAllocation& allocation) {
  const AllocationCurves curves =
      random_allocation_curves(allocation, 1.0, AllocationEnds::upper);  // checks the ranges
  const double mu = 1.0 / allocation.noise_multiplier;
  const auto known = [&](double distance) { return outward(exactly(distance * mu), 2e-15); };
  const double uses = std::sqrt(allocation.chosen * (allocation.epochs + (allocation.rest > 0.0 ? 1.0 : 0.0)));
  if (allocation.chosen == allocation.steps && allocation.rest == 0.0) {
    return gaussian_curve(known(2.0 * uses));
  }
  if (allocation.chosen == 1.0 && allocation.epochs == 1.0 && allocation.rest == 0.0) {
    return one_position_curve({allocation.steps, mu, -mu});
  }
  AdditiveTest test =
      allocation_test(allocation.chosen, allocation.steps, allocation.epochs, allocation.noise_multiplier);
  test.replaced = true;
  constexpr double most_steps = 1e8;
  const LowerEnd below = test.steps > 0.0 && test.steps <= most_steps ? detail::lower_end(test, {0.65, 1.0})
                                                                      : LowerEnd{[](double) { return 0.0; }};
  return replaced_curve(curves.remove, curves.add, below, known(2.0 * uses), "removed, then added; test");
}

}  // namespace dpcurves::accounting
