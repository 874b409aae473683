// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/moments.hpp>

using namespace dpcurves;

TEST_CASE("moments of a sample with known sums", "[inference][moments]") {
  // 1, 2, 3, 6: mean 3, squares of deviations 4, 1, 0, 9, fourth powers 16, 1, 0, 81
  const auto found = inference::moments({1.0, 2.0, 3.0, 6.0});
  CHECK(found.mean == 3.0);
  CHECK(found.variance == Approx(14.0 / 3.0).epsilon(1e-15));
  CHECK(found.mean_error == Approx(std::sqrt(14.0 / 12.0)).epsilon(1e-15));
  const double fourth = 98.0 / 4.0, square = 14.0 / 3.0 * 14.0 / 3.0;
  CHECK(found.variance_error == Approx(std::sqrt((fourth - square) / 4.0)).epsilon(1e-14));
  CHECK(std::isnan(inference::moments({1.0}).variance));
}

TEST_CASE("paired runs lose what they have in common", "[inference][moments]") {
  const std::vector<double> a{10.0, 20.0, 31.0}, b{9.0, 19.0, 29.0};
  const auto found = inference::paired(a, b);
  CHECK(found.mean == Approx(4.0 / 3.0).epsilon(1e-15));
  CHECK(found.variance == Approx(1.0 / 3.0).epsilon(1e-14));
  CHECK_THROWS_AS(inference::paired(a, {1.0}), DomainError);
}

TEST_CASE("Student's quantiles agree with tables", "[inference][moments]") {
  CHECK(inference::student_quantile(2, 0.5) == Approx(1.0).epsilon(1e-12));  // Cauchy
  CHECK(inference::student_quantile(11, 0.05) == Approx(2.2281388519862747).epsilon(1e-12));
  CHECK(inference::student_quantile(31, 0.01) == Approx(2.7499956535672254).epsilon(1e-12));
  CHECK_THROWS_AS(inference::student_quantile(1, 0.5), DomainError);
  CHECK_THROWS_AS(inference::student_quantile(5, 0.0), DomainError);
}
