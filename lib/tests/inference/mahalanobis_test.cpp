// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/mahalanobis.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("with two degrees of freedom the chi-squared law is exponential", "[inference][mahalanobis][accuracy]") {
  test::Worst worst;
  for (const double p : {1e-12, 0.01, 0.3, 0.5, 0.9, 1.0 - 0x1p-40}) {
    worst.see(test::relative_error(inference::chi_squared_quantile(2.0, p), -2.0 * std::log1p(-p)), p);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-13);
  CHECK(inference::chi_squared_quantile(50.0, 0.0) == 0.0);
}

TEST_CASE("squared distances count deviations", "[inference][mahalanobis]") {
  const std::array x{1.0, 5.0}, mean{0.0, 1.0}, variance{4.0, 2.0};
  CHECK(inference::squared_mahalanobis(x, mean, variance) == Approx(8.25));
  const std::array flat{4.0, 0.0};
  CHECK_THROWS_WITH(inference::squared_mahalanobis(x, mean, flat), Catch::Contains("variance = 0"));
  CHECK_THROWS_AS(inference::chi_squared_quantile(2.0, 1.0), DomainError);
}
