// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/detail/integer_orders.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/error.hpp>

#include "../support/support.hpp"

using namespace dpcurves;

TEST_CASE("the binomial sum of integer orders agrees with 60-digit references", "[accounting][accuracy]") {
  test::Worst worst;
  for (const auto& row : test::reference_table("accounting/integer_order_renyi.csv")) {
    const double got =
        accounting::integer_order_renyi(row.at("sampling_rate"), row.at("noise_multiplier"), row.at("order"));
    worst.see(test::relative_error(got, row.at("renyi")), row.at("order"));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-11);  // the number in the header comment
}

TEST_CASE("the binomial sum lies within the ends of quadrature", "[accounting]") {
  const double q = GENERATE(1e-6, 0.01, 0.7), z = GENERATE(0.5, 2.0, 30.0), order = GENERATE(2.0, 40.0, 90000.0);
  const auto ends = accounting::poisson_renyi(q, 1.0 / z, order, accounting::Direction::remove);
  const double sum = accounting::integer_order_renyi(q, z, order);
  CAPTURE(q, z, order, sum, ends.lower, ends.upper);
  CHECK(test::relative_error(sum, ends.middle()) < 1e-11);
}

TEST_CASE("integer orders give the epsilons of the specification's table", "[accounting]") {
  CHECK(accounting::epsilon_by_integer_orders(0.01, 1.0, 1000.0, 1e-5).epsilon == Approx(2.107753).margin(5e-7));
  CHECK(accounting::epsilon_by_integer_orders(0.01, 0.8, 10000.0, 1e-5).epsilon == Approx(10.935373).margin(5e-7));
  CHECK(accounting::epsilon_by_integer_orders(256.0 / 60000.0, 1.1, 14040.0, 1e-5).epsilon ==
        Approx(2.594818).margin(5e-7));
  CHECK_THROWS_WITH(accounting::integer_order_renyi(0.1, 1.0, 2.5), Catch::Contains("order = 2.5"));
}
