// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/lenet.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

constexpr double no_clip = std::numeric_limits<double>::infinity();

models::LabelledImages noise_images(std::size_t count, std::size_t classes) {
  models::LabelledImages all;
  all.classes = classes;
  all.images.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(models::lenet_pixels));
  random::uniforms({all.images.data(), count * models::lenet_pixels}, 5, random::Purpose::data, 0, 0);
  for (std::size_t i = 0; i < count; ++i) {
    all.labels.push_back(static_cast<std::uint32_t>(i % classes));
  }
  return all;
}

/// Maps of shape (maps x side x side), by loops from the definition: convolution, ReLU, the largest of 2 x 2.
std::vector<double> convolved(const std::vector<double>& in, std::size_t side, std::size_t pad,
                              const models::LeNetLayer& layer, const std::vector<double>& w) {
  const std::size_t below = layer.inputs / 25, size = side + 2 * pad - 4;
  std::vector<double> out;
  const auto value = [&](std::size_t map, std::size_t y, std::size_t x) {
    double sum = w[layer.biases() + map];
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      const std::size_t row = y + k / 5 % 5, column = x + k % 5;
      if (row >= pad && row < side + pad && column >= pad && column < side + pad) {
        sum += w[layer.offset + map * layer.inputs + k] * in[(k / 25 * side + row - pad) * side + column - pad];
      }
    }
    return std::max(sum, 0.0);
  };
  REQUIRE(in.size() == below * side * side);
  for (std::size_t map = 0; map < layer.outputs; ++map) {
    for (std::size_t y = 0; y < size; y += 2) {
      for (std::size_t x = 0; x < size; x += 2) {
        out.push_back(std::max(std::max(value(map, y, x), value(map, y, x + 1)),
                               std::max(value(map, y + 1, x), value(map, y + 1, x + 1))));
      }
    }
  }
  return out;
}

double loss(const models::LabelledImages& all, std::size_t i, const std::vector<double>& w) {
  const auto layers = models::lenet_layers(all.classes);
  std::vector<double> h(models::lenet_pixels);
  for (std::size_t k = 0; k < h.size(); ++k) {
    h[k] = all.images(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
  }
  h = convolved(h, 28, 2, layers[0], w);
  h = convolved(h, 14, 0, layers[1], w);
  for (std::size_t l = 2; l < 5; ++l) {
    REQUIRE(h.size() == layers[l].inputs);
    std::vector<double> next;
    for (std::size_t j = 0; j < layers[l].outputs; ++j) {
      const auto row = w.begin() + static_cast<std::ptrdiff_t>(layers[l].offset + j * h.size());
      const double sum = std::inner_product(h.begin(), h.end(), row, w[layers[l].biases() + j]);
      next.push_back(l < 4 ? std::max(sum, 0.0) : sum);
    }
    h = next;
  }
  double sum = 0.0;
  for (const double score : h) {
    sum += std::exp(score - h[all.labels[i]]);
  }
  return std::log(sum);
}

double norm(const std::vector<double>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

}  // namespace

TEST_CASE("LeNet has 61706 weights for ten classes, uniform as PyTorch draws them", "[models][lenet]") {
  CHECK(models::lenet_layers(10).back().end() == 61706);
  const auto w = models::initial_lenet(10, 1, 0);
  for (const auto& layer : models::lenet_layers(10)) {
    double largest = 0.0, square = 0.0;
    for (std::size_t i = layer.offset; i < layer.end(); ++i) {
      largest = std::max(largest, std::abs(w[i]));
      square += w[i] * w[i];
    }
    const double half_width = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    const auto count = static_cast<double>(layer.end() - layer.offset);
    CAPTURE(layer.inputs);
    CHECK(largest <= half_width);
    // The square of a uniform has mean 1/3 and variance 4/45 of the half width's: five standard errors.
    CHECK(square / (count * half_width * half_width) == Approx(1.0 / 3.0).margin(5.0 * std::sqrt(4.0 / 45.0 / count)));
  }
  CHECK_THROWS_AS(models::LeNetLosses({2, models::RowMatrix::Zero(2, 100), {0, 1}}), DomainError);
}

TEST_CASE("losses of LeNet are those of its definition, in any batch", "[models][lenet]") {
  const auto images = noise_images(37, 3);  // more than a block
  models::LeNetLosses model(images);
  const auto w = models::initial_lenet(3, 2, 1);
  std::vector<double> found(37);
  model.losses(models::all_records(model), w, found);
  const auto right = model.right(w);
  for (std::size_t i = 0; i < 37; i += 6) {
    CHECK(found[i] == Approx(loss(images, i, w)).epsilon(1e-12));
    const std::vector<std::uint32_t> alone{static_cast<std::uint32_t>(i)};
    double one = 0.0;
    model.losses(alone, w, {&one, 1});
    CHECK(one == found[i]);
    CHECK((right[i] == 0 || one < std::log(3.0)));  // the largest of three scores has a chance above a third
  }
}

TEST_CASE("gradients of LeNet are central differences of its losses", "[models][lenet]") {
  const auto images = noise_images(2, 2);
  models::LeNetLosses model(images);
  auto w = models::initial_lenet(2, 3, 0);
  std::vector<double> gradient(w.size());
  const std::vector<std::uint32_t> batch{1};
  model.clipped_sum(batch, w, no_clip, gradient);
  double largest = 0.0;
  for (const double g : gradient) {
    largest = std::max(largest, std::abs(g));
  }
  test::Worst worst;
  for (const auto& layer : models::lenet_layers(2)) {
    for (std::size_t k = layer.offset; k < layer.end(); k += 1 + (layer.end() - layer.offset) / 60) {
      const double at = w[k], h = 1e-7;  // small: kinks of ReLU and of the largest lie between rarely
      const auto moved = [&](double to) {
        w[k] = to;
        double value = 0.0;
        model.losses(batch, w, {&value, 1});
        return value;
      };
      const double difference = (moved(at + h) - moved(at - h)) / (2.0 * h);
      w[k] = at;
      worst.see(std::abs(gradient[k] - difference) / largest, static_cast<double>(k));
    }
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-6);
}

TEST_CASE("clipped sums of LeNet are sums of shortened gradients", "[models][lenet]") {
  const auto images = noise_images(40, 4);
  models::LeNetLosses model(images);
  const auto w = models::initial_lenet(4, 4, 0);
  const auto all = models::all_records(model);
  std::vector<std::vector<double>> separate;
  std::vector<double> norms;
  for (const std::uint32_t i : all) {
    separate.emplace_back(w.size());
    const std::vector<std::uint32_t> one{i};
    const auto summary = model.clipped_sum(one, w, no_clip, separate.back());
    norms.push_back(norm(separate.back()));
    CHECK(summary.largest_norm == Approx(norms.back()).epsilon(1e-12));
    CHECK(summary.clipped == 0);
  }
  auto sorted = norms;
  std::sort(sorted.begin(), sorted.end());
  const double clip = 0.5 * (sorted[19] + sorted[20]);  // half of them are clipped
  std::vector<double> expected(w.size(), 0.0), found(w.size());
  for (std::size_t i = 0; i < separate.size(); ++i) {
    for (std::size_t k = 0; k < w.size(); ++k) {
      expected[k] += separate[i][k] * std::min(1.0, clip / norms[i]);
    }
  }
  const auto summary = model.clipped_sum(all, w, clip, found);
  CHECK(summary.clipped == 20);
  CHECK(summary.largest_norm == Approx(sorted.back()).epsilon(1e-12));
  test::Worst worst;
  for (std::size_t k = 0; k < w.size(); ++k) {
    worst.see(std::abs(found[k] - expected[k]) / norm(expected), static_cast<double>(k));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-13);
  model.clipped_sum({}, w, 1.0, found);
  CHECK(norm(found) == 0.0);
}
