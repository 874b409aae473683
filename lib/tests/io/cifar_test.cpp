// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/cifar.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("CIFAR-10 records are a label and three planes", "[io][cifar]") {
  std::string bytes(2 * 3073, '\0');
  bytes[0] = 9;
  bytes[1] = '\xFF';
  bytes[3073 + 3072] = 7;
  const auto images = io::parse_cifar(bytes, "batch");
  CHECK(images.labels == std::vector<std::uint8_t>{9, 0});
  REQUIRE(images.pixels.size() == 2 * io::cifar_pixels);
  CHECK(images.pixels.front() == 255);
  CHECK(images.pixels.back() == 7);
}

TEST_CASE("bytes that are not CIFAR-10 are refused by name", "[io][cifar][errors]") {
  CHECK_THROWS_WITH(io::parse_cifar("", "batch"), Catch::Contains("batch: 0 bytes are not a whole number"));
  CHECK_THROWS_AS(io::parse_cifar(std::string(3074, '\0'), "batch"), DataError);
  std::string bytes(2 * 3073, '\0');
  bytes[3073] = 10;
  CHECK_THROWS_WITH(io::parse_cifar(bytes, "batch"), Catch::Contains("image 2 has label 10"));
}
