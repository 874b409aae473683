// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Signals of filters through one step, written out, and the test error with the noise of a privacy target.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

constexpr std::array<double, 5> before{2.0, 0.4, 1e-3, -0.1, -3.0};  // <w_r, u> of five filters

/// (1/m) sum over r of the change of relu<w_r, u> when filter r moves by push_r along u.
double signal_change(std::span<const double> pushes) {
  double sum = 0.0;
  for (std::size_t r = 0; r < before.size(); ++r) {
    sum += std::max(0.0, before[r] + pushes[r]) - std::max(0.0, before[r]);
  }
  return sum / static_cast<double>(before.size());
}

}  // namespace

TEST_CASE("the signal of other classes grows by noise alone, and by all of it at most", "[bounds][long-tail]") {
  const double eta = 0.5, pull = GENERATE(0.0, 0.3, 10.0), scale = GENERATE(0.01, 1.0, 8.0);
  std::array<double, 5> noise{1.0, -0.3, 0.7, 0.2, -2.0}, pushes{};
  for (std::size_t r = 0; r < noise.size(); ++r) {
    noise[r] *= scale;
    pushes[r] =
        eta * (noise[r] - (before[r] > 0.0 ? pull : 0.0));  // gradients of other classes push active filters down
  }
  CHECK(signal_change(pushes) <= bounds::other_class_signal_growth(eta, noise) + 1e-15);
  CHECK(bounds::other_class_signal_growth(eta, noise) == Approx(0.5 * 1.9 * scale / 5.0).epsilon(1e-14));
  CHECK_THROWS_WITH(bounds::other_class_signal_growth(eta, {}), Catch::Contains("filters"));
}

TEST_CASE("the signal of the own class grows at least by the gain of its active filters less all noise",
          "[bounds][long-tail]") {
  const double eta = 0.5, length = 1.5, batch = 4.0, residuals = GENERATE(0.0, 1.2, 3.5), scale = GENERATE(0.0, 1.0);
  std::array<double, 5> noise{0.4, -0.3, 0.1, -0.05, -0.2}, pushes{};
  for (std::size_t r = 0; r < noise.size(); ++r) {
    noise[r] *= scale;
    pushes[r] = eta * (noise[r] + (before[r] > 0.0 ? length * length * residuals / (5.0 * batch) : 0.0));
  }
  const double bound = bounds::own_class_signal_growth(eta, noise, 3.0, residuals, batch, length);
  CHECK(signal_change(pushes) >= bound - 1e-15);
  if (scale == 0.0) {
    CHECK(signal_change(pushes) == Approx(bound).margin(1e-15));  // without noise it is exact
  }
  CHECK_THROWS_WITH(bounds::own_class_signal_growth(eta, noise, 6.0, 1.0, batch, length),
                    Catch::Contains("active = 6"));
  CHECK_THROWS_WITH(bounds::own_class_signal_growth(eta, {}, 0.0, 1.0, batch, length), Catch::Contains("filters = 0"));
}

TEST_CASE("mean products with noise: exact law of one filter, mean of many", "[bounds][long-tail]") {
  const double delta = GENERATE(1e-10, 0.05, 0.8);
  const double radius = bounds::mean_noise_product_radius(0.2, 3.0, 1.0, delta);
  CHECK(std::erfc(radius / 0.6 / std::numbers::sqrt2) <= delta);
  CHECK(bounds::mean_noise_product_radius(0.2, 3.0, 1e14, delta) ==
        Approx(0.6 * std::sqrt(2.0 / std::numbers::pi)).epsilon(1e-5));
}

TEST_CASE("Remark 4 is Theorem 3.1 with the noise of the target; as printed it promises more", "[bounds][long-tail]") {
  bounds::GeneralTestError setting;
  setting.class_records = 100;
  setting.clipping_factor = 0.06;
  setting.signal_norm = 3.8;
  setting.records = 500;
  setting.noise_frobenius = 15.8;
  setting.others = {{100.0, 3.0}};
  const double epsilon = 8.0, delta = 1e-5, steps = 40.0, clip = 1.0;
  const auto found = bounds::private_test_error(setting, epsilon, delta, steps, clip);
  CHECK(found.private_noise == Approx(std::sqrt(40.0 * std::log(1e5)) / 4000.0).epsilon(1e-14));
  setting.private_noise = found.private_noise;
  CHECK(found.bound.raw_sum == bounds::general_test_error(setting).raw_sum);
  // exp(-x^2), x = |u| (epsilon n_k Lambda |u| - C sqrt T)/(sqrt(n_j) epsilon F_kj + C sqrt(T) |A|_F).
  const double noise = std::sqrt(40.0), numerator = 3.8 * (8.0 * 100.0 * 0.06 * 3.8 - noise);
  CHECK(found.printed_numerator == Approx(numerator).epsilon(1e-14));
  const double x = numerator / (10.0 * 8.0 * 3.0 + noise * 15.8);
  CHECK(found.printed_raw_sum == Approx(std::exp(-x * x)).epsilon(1e-12));
  CHECK(found.printed_raw_sum < found.bound.raw_sum);
  // Ten times the budget is a tenth of the noise.
  CHECK(bounds::private_test_error(setting, 80.0, delta, steps, clip).private_noise ==
        Approx(0.1 * found.private_noise).epsilon(1e-14));
  CHECK_THROWS_WITH(bounds::private_test_error(setting, 0.0, delta, steps, clip), Catch::Contains("epsilon = 0"));
}
