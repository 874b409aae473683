// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/two_layer_plan.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/polynomial_features.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::bounds;

namespace {

PhasedSetting base(double rank = 30.0) {
  PhasedSetting setting;
  setting.records = 1 << 20;
  setting.lipschitz = 0.25;
  setting.rank = rank;
  return setting;
}

double form_of(const TwoLayerBound& bound, TwoLayerForm form) {
  return form == TwoLayerForm::printed ? bound.risk
         : form == TwoLayerForm::sharp ? bound.risk_sharp
                                       : bound.risk_sharp_projection;
}

// Theorem 8 at one n by the plain loop: every m up to `most` at its best step.
double by_scan(const TwoLayerNetwork& network, PhasedSetting setting, std::size_t degree, TwoLayerForm form,
               bool projected, int most) {
  const auto p = network.activation == HiddenActivation::sigmoid ? models::sigmoid_polynomial(degree)
                                                                 : models::relu_polynomial(degree);
  const double root = std::sqrt(network.hidden_units);
  setting.label_bound = 0.5;
  setting.parameter_norm = root * std::sqrt(static_cast<double>(degree) + 1.0) * p.coefficient_norm;
  setting.start_squared = setting.parameter_norm * setting.parameter_norm;
  const double least =
      projected ? johnson_lindenstrauss_event(1.0, static_cast<double>(setting.records), setting.delta).least_dimension
                : most;
  double best = INFINITY;
  for (double m = least; m <= most; m += 1.0) {
    setting.projected_dimension = m;
    setting.step_size = best_private_step_size(setting, projected);
    best = std::fmin(best, form_of(two_layer_bound(setting, root * p.error, projected), form));
  }
  return best;
}

}  // namespace

TEST_CASE("a two-layer plan has the tabulated misfit and weight", "[bounds][two_layer]") {
  struct Row {
    HiddenActivation activation;
    std::size_t degree;
    double error, norm, weight;
  };
  const auto row = GENERATE(Row{HiddenActivation::sigmoid, 1, 9.02050679722e-3, 0.554651212258, 0.784395266762},
                            Row{HiddenActivation::sigmoid, 5, 5.1667951345e-6, 0.559401591707, 1.37024846098},
                            Row{HiddenActivation::sigmoid, 15, 4.21978199689e-14, 0.55940898541, 2.23763594164},
                            Row{HiddenActivation::relu, 2, 0.106103295395, 0.664367712935, 1.15071863371},
                            Row{HiddenActivation::relu, 16, 0.018724110952, 1016.550778, 4191.3462315},
                            Row{HiddenActivation::relu, 64, 4.89707517206e-3, 1.02430289124e20, 8.2581939215e20});
  const double k = GENERATE(1.0, 9.0);
  const auto plan = two_layer_plan({k, row.activation}, base(), TwoLayerForm::sharp, GlmChoice::phased, row.degree);
  CHECK(plan.approximation_error == Approx(row.error).epsilon(1e-11));
  CHECK(plan.coefficient_norm == Approx(row.norm).epsilon(1e-10));
  CHECK(plan.misfit == Approx(std::sqrt(k) * row.error).epsilon(1e-11));
  CHECK(plan.weight == Approx(std::sqrt(k) * row.weight).epsilon(1e-10));
}

TEST_CASE("a two-layer plan is Theorem 8 at the best step and dimension", "[bounds][two_layer]") {
  const auto form = GENERATE(TwoLayerForm::printed, TwoLayerForm::sharp, TwoLayerForm::sharp_projection);
  const auto network =
      GENERATE(TwoLayerNetwork{4.0, HiddenActivation::sigmoid}, TwoLayerNetwork{2.0, HiddenActivation::relu});
  const auto degree = GENERATE(std::size_t{1}, std::size_t{4}, std::size_t{8});
  CAPTURE(static_cast<int>(form), static_cast<int>(network.activation), degree);
  const auto phased = two_layer_plan(network, base(), form, GlmChoice::phased, degree);
  CHECK(phased.risk == Approx(by_scan(network, base(), degree, form, false, 1)).epsilon(1e-12));
  CHECK_FALSE(phased.projected);
  const auto projected = two_layer_plan(network, base(), form, GlmChoice::projected, degree);
  const double scanned = by_scan(network, base(), degree, form, true, 20000);
  CHECK(projected.risk <= scanned * (1.0 + 1e-6));
  CHECK(projected.risk >= scanned * (1.0 - 1e-6));
  const auto best = two_layer_plan(network, base(), form, GlmChoice::best, degree);
  CHECK(best.risk == std::fmin(phased.risk, projected.risk));
}

TEST_CASE("no degree is better than the one of a plan", "[bounds][two_layer]") {
  const auto activation = GENERATE(HiddenActivation::sigmoid, HiddenActivation::relu);
  const auto form = GENERATE(TwoLayerForm::printed, TwoLayerForm::sharp_projection);
  TwoLayerNetwork network{3.0, activation};
  network.inputs = 5.0;
  PhasedSetting setting = base(INFINITY);
  setting.records = std::uint64_t{1} << 40;
  const auto best = two_layer_plan(network, setting, form, GlmChoice::best);
  for (std::size_t degree = 0; degree <= 24; ++degree) {
    CHECK(two_layer_plan(network, setting, form, GlmChoice::best, degree).risk >= best.risk);
  }
  const auto q = static_cast<double>(best.degree);
  CHECK(best.setting.rank == std::round(std::tgamma(q + 6.0) / std::tgamma(q + 1.0) / 120.0));
}

TEST_CASE("records for a risk are enough, one fewer is not, and no degree asks for fewer", "[bounds][two_layer]") {
  const auto activation = GENERATE(HiddenActivation::sigmoid, HiddenActivation::relu);
  const auto form = GENERATE(TwoLayerForm::printed, TwoLayerForm::sharp_projection);
  const TwoLayerNetwork network{4.0, activation};
  const double risk = activation == HiddenActivation::relu ? 0.08 : 0.01;
  const auto found = two_layer_records(network, base(), risk, form, GlmChoice::best);
  REQUIRE(std::isfinite(found.records));
  CHECK(found.plan.risk <= risk);
  CHECK(static_cast<double>(found.plan.setting.records) == found.records);
  PhasedSetting fewer = base();
  fewer.records = found.plan.setting.records - 1;
  CHECK(two_layer_plan(network, fewer, form, GlmChoice::best, found.plan.degree).risk > risk);
  for (std::size_t degree = 0; degree <= 12; ++degree) {
    CHECK(two_layer_records(network, base(), risk, form, GlmChoice::best, degree).records >= found.records);
  }
}

TEST_CASE("sharper forms ask for fewer records; what W forbids is out of reach", "[bounds][two_layer]") {
  const TwoLayerNetwork network{4.0, HiddenActivation::relu};
  double last = INFINITY;
  for (const auto form : {TwoLayerForm::printed, TwoLayerForm::sharp, TwoLayerForm::sharp_projection}) {
    const double records = two_layer_records(network, base(), 0.1, form, GlmChoice::projected).records;
    CHECK(records < last);
    last = records;
  }
  // 4 G M <= 0.01 asks for alpha0 <= 0.005: degree 64, where W is 1e21.
  CHECK(std::isinf(two_layer_records(network, base(), 0.01, TwoLayerForm::printed, GlmChoice::best).records));
  // The same misfit enters the sharper form only squared.
  CHECK(
      std::isfinite(two_layer_records(network, base(), 0.01, TwoLayerForm::sharp_projection, GlmChoice::best).records));
  CHECK(std::isinf(two_layer_records(network, base(), 1e-12, TwoLayerForm::sharp, GlmChoice::best).records));
  CHECK(std::isinf(two_layer_plan(network, base(), TwoLayerForm::sharp, GlmChoice::best, 900).risk));
}

TEST_CASE("W grows with the degree, so that a search may stop", "[bounds][two_layer]") {
  double sigmoid = 0.0, relu = 0.0;
  for (std::size_t degree = 0; degree <= 48; ++degree) {
    const double next_sigmoid = models::sigmoid_polynomial(degree).weight;
    const double next_relu = models::relu_polynomial(degree).weight;
    CHECK(next_sigmoid > sigmoid);
    CHECK(next_relu > relu);
    sigmoid = next_sigmoid;
    relu = next_relu;
  }
}

TEST_CASE("two-layer plans name the argument that is outside", "[bounds][two_layer]") {
  CHECK_THROWS_WITH(two_layer_plan({0.0}, base(), TwoLayerForm::sharp, GlmChoice::best),
                    Catch::Contains("hidden_units = 0"));
  CHECK_THROWS_WITH(two_layer_plan({1.0}, base(INFINITY), TwoLayerForm::sharp, GlmChoice::phased),
                    Catch::Contains("rank"));
  CHECK_THROWS_WITH(two_layer_records({1.0}, base(), 0.0, TwoLayerForm::sharp, GlmChoice::best),
                    Catch::Contains("risk = 0"));
}
