// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/patch_cnn.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

const PatchLaw law{{4.0, 30.0, 0.5, 2.0}, 1.3, NoiseLaw::gaussian};

PatchCnn small_model() { return {draw_patches(law, 12, 3, 0, DataPart::train), 6}; }

std::vector<double> weights_of(const PatchCnn& model, double scale) {
  std::vector<double> w(model.dimension());
  random::normals(w, 3, random::Purpose::initialisation, 1, 0);
  for (double& value : w) {
    value *= scale;
  }
  return w;
}

/// The scores by the definition, a filter at a time.
double loss_by_definition(const PatchCnn& model, std::span<const double> w, std::uint32_t i) {
  const auto& data = model.data();
  std::vector<double> scores(model.classes());
  for (std::size_t k = 0; k < model.classes(); ++k) {
    for (std::size_t r = 0; r < model.filters(); ++r) {
      double u = 0.0, xi = 0.0;
      for (std::size_t c = 0; c < data.dimension(); ++c) {
        const double weight = w[c * model.width() + k * model.filters() + r];
        u += weight * data.signals(data.labels[i], static_cast<Eigen::Index>(c));
        xi += weight * data.noise(i, static_cast<Eigen::Index>(c));
      }
      scores[k] += (std::max(0.0, u) + std::max(0.0, xi)) / static_cast<double>(model.filters());
    }
  }
  double sum = 0.0;
  for (const double score : scores) {
    sum += std::exp(score - scores[data.labels[i]]);
  }
  return std::log(sum);
}

}  // namespace

TEST_CASE("losses of a batch are those of its responses, with and without signals", "[models][patch]") {
  auto data = small_model().data();
  if (GENERATE(false, true)) {
    data.signals.resize(0, 0);
  }
  PatchCnn model(data, 6);
  const auto w = weights_of(model, 0.7);
  const std::vector<std::uint32_t> batch{3, 0, 7};
  std::vector<double> losses(3);
  model.losses(batch, w, losses);
  const auto responses = model.responses(batch, w);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(losses[i] == responses.losses[i]);
  }
  if (data.signals.rows() == 0) {
    for (const double product : model.signal_products(w)) {
      CHECK(product == 0.0);
    }
  }
}

TEST_CASE("losses and clipped gradients are those of the definition, by central differences", "[models][patch-cnn]") {
  auto model = small_model();
  auto w = weights_of(model, 0.4);
  const auto all = all_records(model);
  const auto found = model.responses(w);
  test::Worst worst;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    worst.see(test::relative_error(found.losses[i], loss_by_definition(model, w, i)), i);
  }
  CHECK(worst.error < 1e-13);
  const double clip = GENERATE(as<double>{}, infinity, 0.3);
  std::vector<double> gradient(model.dimension());
  for (const std::uint32_t i : {0U, 5U}) {
    const std::uint32_t one[] = {i};
    const auto summary = model.clipped_sum(one, w, clip, gradient);
    CHECK(summary.clipped == (found.gradient_norms[i] > clip ? 1U : 0U));
    double squared = 0.0;
    for (const double g : gradient) {
      squared += g * g;
    }
    CHECK(std::sqrt(squared) == Approx(std::min(clip, found.gradient_norms[i])).epsilon(1e-13));
    for (std::size_t at = 0; at < w.size(); at += 37) {
      const double kept = w[at], h = 1e-6;
      w[at] = kept + h;
      const double up = loss_by_definition(model, w, i);
      w[at] = kept - h;
      const double down = loss_by_definition(model, w, i);
      w[at] = kept;
      const double multiplier = clip_multiplier(found.gradient_norms[i], clip);
      CHECK(gradient[at] == Approx(multiplier * (up - down) / (2.0 * h)).margin(1e-8));
    }
  }
}

TEST_CASE("a batch is the sum of its examples, in any order and with repeats", "[models][patch-cnn]") {
  auto model = small_model();
  const auto w = weights_of(model, 0.4);
  const std::uint32_t batch[] = {7, 2, 3, 3, 11};
  std::vector<double> sum(model.dimension()), one(model.dimension()), total(model.dimension(), 0.0);
  model.clipped_sum(batch, w, 0.5, sum);
  for (const std::uint32_t i : batch) {
    model.clipped_sum(std::array{i}, w, 0.5, one);
    for (std::size_t c = 0; c < total.size(); ++c) {
      total[c] += one[c];
    }
  }
  for (std::size_t c = 0; c < total.size(); ++c) {
    CHECK(sum[c] == Approx(total[c]).margin(1e-14));
  }
  model.clipped_sum({}, w, 0.5, sum);
  CHECK(sum == std::vector<double>(sum.size(), 0.0));
}

TEST_CASE("gradient norms keep their relative accuracy where every probability is 1e-242", "[models][patch-cnn]") {
  // Two classes, one filter each, no signal: F_0 - F_1 = <w, xi> = 555, norm e^-555/(1 + e^-555) |xi| (k = 0 active).
  PatchData data;
  data.noise = RowMatrix::Constant(1, 1, 555.0);
  data.labels = {0};
  data.signals.resize(0, 1);
  PatchCnn model(data, 1);
  const auto found = model.responses(std::vector<double>{1.0, -1.0});
  const double exact = std::exp(-555.0);
  CHECK(test::relative_error(found.residuals[0], exact) < 1e-14);
  CHECK(test::relative_error(found.losses[0], exact) < 1e-14);
  CHECK(test::relative_error(found.gradient_norms[0], exact * 555.0) < 1e-14);
  // Silent filters: no gradient, no clipping.
  const auto silent = model.responses(std::vector<double>{-1.0, 0.0});
  CHECK(silent.gradient_norms[0] == 0.0);
  CHECK(clip_multiplier(0.0, 1e-300) == 1.0);
}

TEST_CASE("data that the network cannot take is refused by name", "[models][patch-cnn][errors]") {
  auto data = draw_patches(law, 8, 1, 0, DataPart::train);
  data.noise(0, 0) = 0.1;
  CHECK_THROWS_WITH(PatchCnn(data, 3), Catch::Contains("inner product"));
  data = draw_patches(law, 8, 1, 0, DataPart::train);
  CHECK_THROWS_AS(PatchCnn(data, 0), DomainError);
  data.labels[3] = 4;
  CHECK_THROWS_WITH(PatchCnn(data, 3), Catch::Contains("label = 4"));
  data.labels[3] = 0;
  data.noise(2, 9) = infinity;
  CHECK_THROWS_AS(PatchCnn(data, 3), DomainError);
}
