// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/binary_images.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

TEST_CASE("odd and even images of the unit sphere, taken from a ring", "[models][images]") {
  LabelledImages all;
  all.classes = 3;
  all.labels = {0, 1, 2};
  all.images.resize(3, 2);
  all.images << 3.0, 4.0, 0.0, 0.0, 0.5, 0.0;
  const auto data = binary_images(all, 1, 3);
  CHECK(data.labels == std::vector<double>{1.0, -1.0, -1.0});
  CHECK(data.inputs.col(0).norm() == 0.0);
  CHECK(data.inputs(0, 1) == 1.0);
  CHECK(data.inputs(0, 2) == Approx(0.6).epsilon(1e-15));
  CHECK(data.inputs(1, 2) == Approx(0.8).epsilon(1e-15));
  CHECK_THROWS_AS(binary_images(all, 0, 4), DomainError);
  CHECK_THROWS_AS(binary_images(all, 0, 0), DomainError);
}

TEST_CASE("images are pooled block by block, plane by plane", "[models][images]") {
  LabelledImages all;
  all.classes = 2;
  all.labels = {0, 1};
  all.images.resize(2, 3 * 16);
  for (Eigen::Index j = 0; j < 48; ++j) {
    all.images(0, j) = static_cast<double>(j) / 48.0;
    all.images(1, j) = 1.0;
  }
  const auto small = pooled(all, 2);
  REQUIRE(small.images.cols() == 12);
  CHECK(small.images(0, 0) == Approx((0 + 1 + 4 + 5) / 4.0 / 48.0).epsilon(1e-14));
  CHECK(small.images(0, 11) == Approx((42 + 43 + 46 + 47) / 4.0 / 48.0).epsilon(1e-14));
  CHECK(small.images.row(1).minCoeff() == Approx(1.0).epsilon(1e-14));
  CHECK(small.labels == all.labels);
  CHECK_THROWS_AS(pooled(all, 3), DomainError);
}
