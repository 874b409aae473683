// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/bounds/two_layer.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using bounds::PhasedSetting;

namespace {

PhasedSetting example() {
  PhasedSetting setting;
  setting.records = 4096;
  setting.step_size = 0.015;
  setting.rank = 5.0;
  setting.projected_dimension = 9.0;
  setting.smoothing = 64.0;
  return setting;
}

}  // namespace

TEST_CASE("for powers of two the terms of Theorem 1 are geometric sums", "[bounds][glm_phased]") {
  const int k = GENERATE(1, 2, 5, 12, 40, 60);
  auto setting = example();
  setting.records = std::uint64_t{1} << k;
  setting.label_bound = 0.7;
  setting.start_squared = 2.5;
  const auto bound = bounds::phased_bound(setting);
  const double n = std::exp2(k), eta = setting.step_size, b = setting.label_bound;
  const double c = 8.0 * b * std::sqrt(std::log(1.0 / setting.delta));
  CHECK(bound.start == Approx(4.0 * 2.5 / (eta * n)).epsilon(1e-13));
  CHECK(bound.noise ==
        Approx(8.0 * setting.rank * c * c * eta / n * (0.5 - std::exp2(-k))).epsilon(1e-13).margin(1e-300));
  CHECK(bound.steps == Approx(2.0 / 3.0 * b * b * eta * (1.0 - std::exp2(-2 * k))).epsilon(1e-13));
  CHECK(bound.final_noise ==
        Approx(2.0 * b * c * eta * std::exp2(-2 * k) * std::sqrt(2.0 / std::numbers::pi)).epsilon(1e-13));
  CHECK(bound.risk == 2.0 * setting.lipschitz * bound.surrogate);
}

TEST_CASE("without noise and oracle error all theorems are one-pass averaged SGD", "[bounds][glm_phased]") {
  auto setting = example();
  setting.epsilon = std::numeric_limits<double>::infinity();
  setting.smoothing = std::numeric_limits<double>::infinity();
  setting.projected_dimension = 1e300;
  const auto plain = bounds::phased_bound(setting);
  CHECK(plain.noise == 0.0);
  CHECK(plain.final_noise == 0.0);
  CHECK(plain.surrogate == Approx(4.0 / (0.015 * 4096) + 2.0 / 3.0 * 0.015).epsilon(1e-6));
  setting.projected_dimension = 1e200;
  CHECK(bounds::projected_bound(setting).surrogate == Approx(plain.surrogate).epsilon(1e-14));
  CHECK(bounds::smoothed_bound(setting).surrogate == Approx(plain.surrogate).epsilon(1e-14));
  CHECK(bounds::projected_smoothed_bound(setting).surrogate == Approx(plain.surrogate).epsilon(1e-14));
}

TEST_CASE("smoothing without error costs a noise of ten for eight", "[bounds][glm_phased]") {
  auto setting = example();
  setting.smoothing = std::numeric_limits<double>::infinity();
  const auto plain = bounds::phased_bound(setting), smoothed = bounds::smoothed_bound(setting);
  CHECK(smoothed.noise == Approx(plain.noise * 100.0 / 64.0).epsilon(1e-13));
  CHECK(smoothed.final_noise == Approx(plain.final_noise * 10.0 / 8.0).epsilon(1e-13));
  CHECK(smoothed.start == plain.start);
  const auto projected = bounds::projected_bound(setting), both = bounds::projected_smoothed_bound(setting);
  CHECK(both.noise == Approx(projected.noise * 400.0 / 256.0).epsilon(1e-13));
  CHECK(both.projection == projected.projection);
}

TEST_CASE("an oracle error adds to every phase what its proof says", "[bounds][glm_phased]") {
  auto setting = example();
  setting.records = 5;  // sizes 2 and 1
  setting.oracle_error = 0.3;
  const auto bound = bounds::smoothed_bound(setting);
  const double eta1 = 0.015 / 4, eta2 = 0.015 / 16, slope = 2.3;
  const double c = 10.0 * std::sqrt(std::log(1e5));
  const double squared = 5.0 * std::pow(c * eta1, 2);
  const double sum = 1.0 / (2 * eta1 * 2) + 0.3 * (1.0 + eta1 * slope / 2) + eta1 * slope * slope / 2 +
                     squared / (2 * eta2) + 0.3 * std::sqrt(squared) + eta2 * slope * slope / 2 +
                     2 * c * eta2 * std::sqrt(2 / std::numbers::pi);
  CHECK(bound.surrogate - bound.smoothing == Approx(sum).epsilon(1e-13));
}

TEST_CASE("the best step size is the bottom of the bound", "[bounds][glm_phased]") {
  const bool projected = GENERATE(false, true);
  auto setting = example();
  setting.records = GENERATE(2u, 1000u, 4096u, 1000000u);
  const auto value = [&](double step) {
    setting.step_size = step;
    return projected ? bounds::projected_bound(setting).surrogate : bounds::phased_bound(setting).surrogate;
  };
  const double best = bounds::best_step_size(setting, projected);
  CHECK(value(best) < value(1.001 * best));
  CHECK(value(best) < value(0.999 * best));
  setting.lipschitz = 1e4;
  CHECK(bounds::best_private_step_size(setting, projected) <= (projected ? 2.0 : 8.0) / 1e4);
}

TEST_CASE("the best projection is the bottom of Theorem 2 with the best step, within 1 %", "[bounds][glm_phased]") {
  auto setting = example();
  setting.records = 1U << 24U;
  setting.parameter_norm = 3.0;
  setting.start_squared = 9.0;  // from 0: E|Phi w*|^2 = W^2
  const auto value = [&](double dimension) {
    setting.projected_dimension = dimension;
    setting.step_size = bounds::best_step_size(setting, true);
    return bounds::projected_bound(setting).surrogate;
  };
  const double best = bounds::best_projected_dimension(setting);
  CHECK(best > 100.0);
  double least = value(best);
  for (double factor = 0.1; factor < 10.0; factor *= 1.2) {
    least = std::min(least, value(factor * best));
  }
  CAPTURE(best, least, value(best));
  CHECK(value(best) < 1.01 * least);
  CHECK(value(4.0 * best) > value(best));
  CHECK(value(0.25 * best) > value(best));
}

TEST_CASE("the step condition is where privacy is lost", "[bounds][glm_phased]") {
  auto setting = example();
  setting.step_size = 8.0;
  CHECK(bounds::verdict(models::PhasedAlgorithm::plain, setting).applies());
  setting.step_size = 8.001;
  CHECK(bounds::verdict(models::PhasedAlgorithm::plain, setting).violations.size() == 1);
  setting.step_size = 2.001;
  CHECK(bounds::verdict(models::PhasedAlgorithm::projected, setting).violations.size() == 1);
  setting.epsilon = 2.0;
  setting.delta = 0.7;
  CHECK(bounds::verdict(models::PhasedAlgorithm::projected, setting).violations.size() == 3);
}

TEST_CASE("the sharper forms of two layers lie below the printed ones", "[bounds][two_layer]") {
  auto setting = example();
  setting.parameter_norm = 2.0;
  setting.lipschitz = GENERATE(0.25, 1.0, 3.0);
  const double misfit = GENERATE(0.0, 0.01, 0.5);
  for (const bool projected : {false, true}) {
    const auto bound = bounds::two_layer_bound(setting, misfit, projected);
    CHECK(bound.risk_sharp < bound.risk);
    CHECK(bound.risk_sharp_projection <= bound.risk_sharp);
    auto half = setting;
    half.label_bound = 0.5;
    const auto plain = projected ? bounds::projected_bound(half) : bounds::phased_bound(half);
    CHECK(bound.phased.start == plain.start);
    CHECK(bound.phased.noise == plain.noise);
  }
  CHECK(bounds::misfit_risk_bound(0.3, 2.0, 0.0) == Approx(4 * 2 * 0.3));
  CHECK(bounds::sharp_misfit_risk_bound(0.3, 2.0, 0.0) == Approx(2 * 2 * 0.3));
  CHECK(bounds::sharp_misfit_risk_bound(-0.01, 1.0, 0.2) == Approx(0.02));
}

TEST_CASE("bounds name the argument that is outside", "[bounds][glm_phased]") {
  auto setting = example();
  setting.lipschitz = 0.0;
  CHECK_THROWS_WITH(bounds::phased_bound(setting), Catch::Contains("lipschitz = 0"));
  setting = example();
  setting.rank = -1.0;
  CHECK_THROWS_WITH(bounds::phased_bound(setting), Catch::Contains("rank = -1"));
  setting = example();
  setting.delta = 1.0;
  CHECK_THROWS_WITH(bounds::phased_bound(setting), Catch::Contains("delta = 1"));
  setting = example();
  setting.smoothing = std::nan("");
  CHECK_THROWS_WITH(bounds::smoothed_bound(setting), Catch::Contains("smoothing"));
  CHECK_THROWS_WITH(bounds::misfit_risk_bound(0.1, 1.0, -1.0), Catch::Contains("misfit = -1"));
}

TEST_CASE("each phased algorithm has its theorem and that theorem's bound", "[bounds][glm_phased]") {
  using models::PhasedAlgorithm;
  struct Expected {
    PhasedAlgorithm algorithm;
    const char* theorem;
    bounds::PhasedBound (*bound)(const PhasedSetting&);
  };
  const auto [algorithm, theorem, bound] = GENERATE(
      Expected{PhasedAlgorithm::plain, "dp-glm-networks/theorem-1", bounds::phased_bound},
      Expected{PhasedAlgorithm::projected, "dp-glm-networks/theorem-2", bounds::projected_bound},
      Expected{PhasedAlgorithm::smoothed, "dp-glm-networks/theorem-4", bounds::smoothed_bound},
      Expected{PhasedAlgorithm::projected_smoothed, "dp-glm-networks/theorem-5", bounds::projected_smoothed_bound});
  const auto setting = example();
  CHECK(std::string(bounds::theorem_of(algorithm)) == theorem);
  CHECK(bounds::bound_of(algorithm, setting).risk == bound(setting).risk);
  for (const auto other : {PhasedAlgorithm::plain, PhasedAlgorithm::projected, PhasedAlgorithm::smoothed,
                           PhasedAlgorithm::projected_smoothed}) {  // the four differ in this setting
    CHECK((bounds::bound_of(other, setting).risk == bound(setting).risk) == (other == algorithm));
  }
}
