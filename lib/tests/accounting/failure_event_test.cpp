// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>

#include <dpcurves/accounting/detail/failure_event.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("outside an event delta grows by its chance", "[accounting][failure_event]") {
  const auto inner = accounting::gaussian_curve(exactly(1.0));
  const auto outer = accounting::outside_event(inner, 1e-3);
  for (const double epsilon : {0.0, 1.0, 5.0}) {
    const auto got = outer->delta(epsilon).value;
    CHECK(got.upper >= inner->delta(epsilon).value.upper + 1e-3);
    CHECK(got.upper == Approx(inner->delta(epsilon).value.upper + 1e-3).epsilon(1e-12));
    CHECK(got.lower <= got.upper);
  }
  CHECK(outer->epsilon(0.01).value.upper == Approx(inner->epsilon(0.009).value.upper).epsilon(1e-12));
  CHECK(std::isinf(outer->epsilon(1e-3).value.upper));
  CHECK(std::isinf(outer->epsilon(1e-4).value.upper));
  CHECK(std::isinf(outer->renyi(2.0).upper));
  CHECK_FALSE(outer->mu().has_value());
  CHECK(accounting::outside_event(inner, 0.0) == inner);
  CHECK_THROWS_WITH(accounting::outside_event(inner, 1.0), Catch::Contains("failure = 1"));
}

TEST_CASE("its trade-off function is the mixture of the curve and a failure that shows everything",
          "[accounting][failure_event]") {
  // With chance f the test is certain; else it plays G at level a/(1 - f).
  const auto inner = accounting::gaussian_curve(exactly(0.5));
  const auto outer = accounting::outside_event(inner, 0.1);
  const std::array<double, 3> levels{0.0, 0.18, 0.95};
  const std::array<double, 1> inner_level{0.2};
  const auto got = outer->type_two_errors(levels);
  CHECK(got[0].lower == Approx(0.9));
  CHECK(got[1].lower == Approx(0.9 * inner->type_two_errors(inner_level)[0].lower).epsilon(1e-12));
  CHECK(got[2].upper < 1e-300);
}
