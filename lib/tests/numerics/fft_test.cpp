// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/numerics/fft.hpp>

using namespace dpcurves;

TEST_CASE("the transform agrees with its defining sum", "[numerics][fft]") {
  const std::size_t n = GENERATE(1U, 2U, 7U, 16U, 30U);
  numerics::RealFft fft(n);
  for (std::size_t m = 0; m < n; ++m) {
    fft.values()[m] = std::sin(1.0 + 3.0 * static_cast<double>(m * m));
  }
  const std::vector<double> before(fft.values().begin(), fft.values().end());
  fft.forward();
  for (std::size_t k = 0; k < n / 2 + 1; ++k) {
    std::complex<double> direct = 0.0;
    for (std::size_t m = 0; m < n; ++m) {
      const double angle = -2.0 * std::numbers::pi * static_cast<double>(k * m) / static_cast<double>(n);
      direct += before[m] * std::polar(1.0, angle);
    }
    CHECK(std::abs(fft.spectrum()[k] - direct) < 1e-13);
  }
  fft.inverse();
  for (std::size_t m = 0; m < n; ++m) {
    CHECK(std::abs(fft.values()[m] - before[m]) < 1e-15 * static_cast<double>(n));
  }
}

TEST_CASE("transforms of different objects may run side by side", "[numerics][fft]") {
  std::vector<double> sums(8);
  parallel_for(sums.size(), 4, [&](std::size_t i) {
    numerics::RealFft fft(1024 << i % 3);
    fft.values()[3] = 1.0;
    fft.forward();
    sums[i] = std::abs(fft.spectrum()[5]);
  });
  for (const double modulus : sums) {
    CHECK(std::abs(modulus - 1.0) < 1e-15);
  }
}

TEST_CASE("a length outside the range is refused", "[numerics][fft][errors]") {
  CHECK_THROWS_AS(numerics::RealFft(0), DomainError);
  CHECK_THROWS_AS(numerics::RealFft((std::size_t{1} << 28U) + 1), DomainError);
}

TEST_CASE("lengths of transforms are 4, 5, 6 or 7 times a power of 2", "[numerics][fft]") {
  const std::vector<std::pair<double, std::size_t>> lengths{{1.0, 1},   {7.0, 7},   {8.0, 8},   {8.5, 10},
                                                            {11.0, 12}, {13.0, 14}, {15.0, 16}, {1e5, 114688}};
  for (const auto& [wanted, length] : lengths) {
    CHECK(numerics::transform_length(wanted) == length);
  }
}
