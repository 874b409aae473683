// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::numerics;

namespace {

double worst_against(const char* table, const char* input, const char* output, double (*function)(double)) {
  test::Worst worst;
  for (auto& row : test::reference_table(table)) {
    worst.see(test::relative_error(function(row.at(input)), row.at(output)), row.at(input));
  }
  CAPTURE(output, worst.at);
  CHECK(worst.error < 4e-15);
  return worst.error;
}

}  // namespace

TEST_CASE("the normal law agrees with 50-digit references", "[normal][accuracy]") {
  const char* table = "numerics/normal.csv";
  CHECK(worst_against(table, "x", "density", normal_density) < 1e-15);
  CHECK(worst_against(table, "x", "upper_tail", normal_upper_tail) < 2e-15);
  worst_against(table, "x", "log_upper_tail", log_normal_upper_tail);
  worst_against(table, "x", "mills_ratio", mills_ratio);
  worst_against(table, "x", "mills_slope", mills_slope);
  worst_against("numerics/normal_far.csv", "x", "log_upper_tail", log_normal_upper_tail);
  worst_against("numerics/normal_far.csv", "x", "mills_ratio", mills_ratio);
}

TEST_CASE("normal quantiles agree with 50-digit references", "[normal][accuracy]") {
  worst_against("numerics/normal_quantile.csv", "upper_tail", "x", normal_upper_quantile);
  worst_against("numerics/normal_quantile_log.csv", "log_upper_tail", "x", normal_upper_quantile_from_log);
}

TEST_CASE("differences of Mills ratios do not cancel", "[normal][accuracy]") {
  test::Worst worst;
  for (auto& row : test::reference_table("numerics/mills_drop.csv")) {
    const double x = row["x"];
    const double condition = x < -5.0 ? 0.04 * x * x : 1.0;  // of R(x + width) in the rounding of x + width
    worst.see(test::relative_error(mills_drop(x, row["width"]), row["drop"]) / condition, x);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-14);
}

TEST_CASE("the normal functions take their limits", "[normal]") {
  CHECK(normal_cdf(-infinity) == 0.0);
  CHECK(normal_cdf(infinity) == 1.0);
  CHECK(normal_upper_tail(0.0) == 0.5);
  CHECK(normal_density(infinity) == 0.0);
  CHECK(log_normal_upper_tail(infinity) == -infinity);
  CHECK(log_normal_upper_tail(-infinity) == 0.0);
  CHECK(std::isfinite(log_normal_upper_tail(1e150)));
  CHECK(normal_quantile(0.0) == -infinity);
  CHECK(normal_quantile(1.0) == infinity);
  CHECK(normal_quantile(0.5) == 0.0);
  CHECK(normal_upper_quantile_from_log(-infinity) == infinity);
  CHECK(normal_upper_quantile_from_log(0.0) == -infinity);
  CHECK(std::isfinite(normal_upper_quantile_from_log(-1e300)));
  CHECK(mills_ratio(infinity) == 0.0);
  CHECK(mills_ratio(-40.0) == infinity);
  CHECK(mills_drop(1.0, 0.0) == 0.0);
  CHECK(mills_drop(1.0, infinity) == mills_ratio(1.0));
}

TEST_CASE("quantile and tail undo each other", "[normal][property]") {
  const double tail = GENERATE(1e-300, 1e-100, 1e-9, 0.01, 0.2, 0.5);
  const double x = normal_upper_quantile(tail);
  CHECK(test::relative_error(normal_upper_tail(x), tail) < 1e-15 * (4.0 + x * x));
  CHECK(normal_quantile(tail) == -x);
}

TEST_CASE("arguments of the normal functions outside their domains name themselves", "[normal][errors]") {
  const double nan = std::nan("");
  CHECK_THROWS_AS(normal_cdf(nan), DomainError);
  CHECK_THROWS_AS(normal_density(nan), DomainError);
  CHECK_THROWS_AS(log_normal_upper_tail(nan), DomainError);
  CHECK_THROWS_AS(mills_ratio(nan), DomainError);
  CHECK_THROWS_WITH(normal_quantile(1.5), Catch::Contains("p = 1.5") && Catch::Contains("[0, 1]"));
  CHECK_THROWS_WITH(normal_upper_quantile_from_log(0.5), Catch::Contains("log_upper_tail = 0.5"));
  CHECK_THROWS_AS(mills_drop(0.0, -1.0), DomainError);
}
