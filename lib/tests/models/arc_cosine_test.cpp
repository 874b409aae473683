// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/arc_cosine.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("the tangent kernel agrees with 60-digit references at every depth and correlation", "[models][accuracy]") {
  test::Worst worst;
  std::size_t rows = 0;
  for (const auto& row : test::reference_table("models/tangent_limit.csv")) {
    const auto limit = models::tangent_limit(row.at("correlation"), row.at("depth"));
    worst.see(test::relative_error(limit.per_width, row.at("per_width")), row.at("depth"));
    worst.see(test::relative_error(limit.last_hidden, row.at("last_hidden")), row.at("depth"));
    worst.see(test::relative_error(limit.last_complement, row.at("last_complement")), row.at("depth"));
    ++rows;
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-13);  // the number in the header comment
  CHECK(rows > 50);
}

TEST_CASE("kernels have their closed values at -1, 0 and 1", "[models]") {
  CHECK(models::arc_cosine_0(-1.0) == 0.0);
  CHECK(models::arc_cosine_1(-1.0) == 0.0);
  CHECK(models::arc_cosine_0(0.0) == Approx(0.5).epsilon(1e-15));
  CHECK(models::arc_cosine_1(0.0) == Approx(1.0 / std::numbers::pi).epsilon(1e-15));
  CHECK(models::arc_cosine_0(1.0) == 1.0);
  CHECK(models::arc_cosine_1(1.0) == 1.0);
  // k1(-1 + e) = (2 e)^(3/2)/(3 pi) (1 + O(e)): the direct form has no digit left here.
  CHECK(models::arc_cosine_1(-1.0 + 0x1p-40) ==
        Approx(std::pow(0x1p-39, 1.5) / (3.0 * std::numbers::pi)).epsilon(1e-11));
  CHECK(models::arc_cosine_1_complement(1e-200) == Approx(1e-200).epsilon(1e-15));
}

TEST_CASE("the slope of k1 is k0", "[models][property]") {
  const double r = GENERATE(-0.999, -0.6, -0.1, 0.0, 0.3, 0.8, 0.999), h = 1e-5 * (1.0 - r * r);
  CHECK((models::arc_cosine_1(r + h) - models::arc_cosine_1(r - h)) / (2.0 * h) ==
        Approx(models::arc_cosine_0(r)).epsilon(1e-8));
}

TEST_CASE("the kernel has closed forms at depth 2 and at correlation 1", "[models]") {
  for (const double r : {-0.9, 0.1, 0.4}) {
    CHECK(models::tangent_limit(r, 2.0).per_width ==
          Approx(models::arc_cosine_1(r) + 0.5 * r * models::arc_cosine_0(r)).epsilon(1e-14));
  }
  CHECK(models::tangent_limit(1.0, 7.0).per_width == 4.0);
  CHECK(models::tangent_limit(std::nextafter(1.0, 0.0), 7.0).per_width == Approx(4.0).epsilon(1e-7));
}

TEST_CASE("moments at initialisation grow with depth and overflow into their logarithm", "[models]") {
  const auto moments = models::initial_moments(256.0, 3.0, 784.0);
  CHECK(moments.hidden_fourth == Approx(std::pow(1.0 + 5.0 / 256.0, 2)).epsilon(1e-14));
  CHECK(moments.parameters == 256.0 * 784.0 + 256.0 * 256.0 + 256.0);
  CHECK(moments.gradient_limit == Approx(std::sqrt(512.0)).epsilon(1e-15));
  const auto deep = models::initial_moments(1.0, 1001.0, 1.0);
  CHECK(std::isinf(deep.hidden_fourth));
  CHECK(deep.log_hidden_fourth == Approx(1000.0 * std::log(6.0)).epsilon(1e-14));
}

TEST_CASE("networks outside the domain name what is wrong", "[models][errors]") {
  CHECK_THROWS_WITH(models::tangent_limit(1.5, 3.0), Catch::Contains("correlation = 1.5"));
  CHECK_THROWS_WITH(models::tangent_limit(0.5, 1.0), Catch::Contains("depth = 1"));
  CHECK_THROWS_AS(models::tangent_limit(std::nan(""), 3.0), DomainError);
  CHECK_THROWS_AS(models::initial_moments(0.0, 3.0, 2.0), DomainError);
  CHECK_THROWS_AS(models::initial_moments(2.5, 3.0, 2.0), DomainError);
}
