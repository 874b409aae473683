// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/arc_cosine.hpp>
#include <dpcurves/models/relu_network.hpp>
#include <dpcurves/models/tangent_model.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using models::NetworkShape;

namespace {

/// f(W, x) by loops over units, from the definition.
double output(const NetworkShape& shape, const std::vector<double>& w, const Eigen::VectorXd& x) {
  std::vector<double> h(x.data(), x.data() + x.size());
  for (std::size_t layer = 0; layer < shape.depth; ++layer) {
    std::vector<double> next(shape.rows(layer), 0.0);
    for (std::size_t j = 0; j < next.size(); ++j) {
      for (std::size_t k = 0; k < h.size(); ++k) {
        next[j] += w[shape.offset(layer) + k * next.size() + j] * h[k];
      }
      if (layer + 1 < shape.depth) {
        next[j] = std::max(next[j], 0.0);
      }
    }
    h = next;
  }
  return std::sqrt(static_cast<double>(shape.width)) * h[0];
}

double loss(const NetworkShape& shape, const std::vector<double>& w, const models::BinaryData& data, std::size_t i) {
  return std::log1p(std::exp(-data.labels[i] * output(shape, w, data.inputs.col(static_cast<Eigen::Index>(i)))));
}

models::BinaryData points(std::size_t inputs, std::size_t records) {
  models::TeacherData law;
  law.inputs = inputs;
  law.records = records;
  return models::teacher_data(law, 3, 0);
}

/// The gradient of one record's loss by central differences.
std::vector<double> differences(const NetworkShape& shape, std::vector<double> w, const models::BinaryData& data,
                                std::size_t i) {
  std::vector<double> gradient(w.size());
  for (std::size_t k = 0; k < w.size(); ++k) {
    const double at = w[k], h = 1e-6;
    w[k] = at + h;
    const double up = loss(shape, w, data, i);
    w[k] = at - h;
    gradient[k] = (up - loss(shape, w, data, i)) / (2.0 * h);
    w[k] = at;
  }
  return gradient;
}

double norm(const std::vector<double>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

}  // namespace

TEST_CASE("outputs and losses of a network are those of its definition", "[models][network]") {
  const NetworkShape shape = GENERATE(NetworkShape{3, 5, 2}, NetworkShape{4, 6, 3}, NetworkShape{2, 3, 5});
  const auto w = models::initial_network(shape, 1, 2);
  CHECK(w.size() == static_cast<std::size_t>(models::initial_moments(static_cast<double>(shape.width),
                                                                     static_cast<double>(shape.depth),
                                                                     static_cast<double>(shape.inputs))
                                                 .parameters));
  const auto data = points(shape.inputs, 7);
  models::NetworkLosses model(shape, data);
  std::vector<double> f(7), l(7);
  model.outputs(models::all_records(model), w, f);
  model.losses(models::all_records(model), w, l);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(f[i] == Approx(output(shape, w, data.inputs.col(static_cast<Eigen::Index>(i)))).epsilon(1e-12));
    CHECK(l[i] == Approx(loss(shape, w, data, i)).epsilon(1e-12));
  }
}

TEST_CASE("the clipped sum of a batch is the sum of clipped gradients by differences", "[models][network]") {
  const NetworkShape shape = GENERATE(NetworkShape{3, 5, 2}, NetworkShape{4, 6, 3}, NetworkShape{2, 4, 4});
  const auto w = models::initial_network(shape, 1, 2);
  const auto data = points(shape.inputs, 9);
  models::NetworkLosses model(shape, data);
  const std::vector<std::uint32_t> batch{8, 0, 3, 3, 5};
  const double clip = GENERATE(0.4, 1.1, std::numeric_limits<double>::infinity());
  std::vector<double> expected(w.size(), 0.0), got(w.size());
  std::size_t clipped = 0;
  double largest = 0.0;
  for (const auto i : batch) {
    const auto gradient = differences(shape, w, data, i);
    const double length = norm(gradient), factor = std::min(1.0, clip / length);
    clipped += factor < 1.0 ? 1U : 0U;
    largest = std::max(largest, length);
    for (std::size_t k = 0; k < w.size(); ++k) {
      expected[k] += factor * gradient[k];
    }
  }
  const auto summary = model.clipped_sum(batch, w, clip, got);
  CHECK(summary.clipped == clipped);
  CHECK(summary.largest_norm == Approx(largest).epsilon(1e-7));
  double error = 0.0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    error = std::max(error, std::abs(got[k] - expected[k]));
  }
  CHECK(error < 1e-8);
}

TEST_CASE("a batch may be empty, and a clip that does nothing changes no bit", "[models][network]") {
  const NetworkShape shape{4, 6, 3};
  const auto w = models::initial_network(shape, 1, 2);
  models::NetworkLosses model(shape, points(4, 20));
  std::vector<double> a(w.size(), 1.0), b(w.size(), 1.0);
  CHECK(model.clipped_sum({}, w, 1.0, a).clipped == 0);
  CHECK(norm(a) == 0.0);
  const auto all = models::all_records(model);
  const double largest = model.clipped_sum(all, w, std::numeric_limits<double>::infinity(), a).largest_norm;
  model.clipped_sum(all, w, largest, b);
  CHECK(a == b);
}

TEST_CASE("every layer returns the output from its weights, and so does the expansion at the start",
          "[models][network]") {
  const NetworkShape shape{4, 16, 4};
  const auto w = models::initial_network(shape, 5, 0);
  const auto data = points(4, 6);
  const models::TangentModel model(shape, data, w);
  for (Eigen::Index i = 0; i < 6; ++i) {
    CHECK(model.initial_outputs()[i] == Approx(output(shape, w, data.inputs.col(i))).epsilon(1e-12));
  }
  CHECK((model.outputs(w) - model.initial_outputs()).norm() == 0.0);
  // <grad_{W_l} f, W_l> = f, layer by layer: as printed, f_ntk(W_0) is (1 + L) f(W_0).
  CHECK((model.outputs(w, true) - 5.0 * model.initial_outputs()).norm() < 1e-12 * model.initial_outputs().norm() * 50);
  auto moved = w;  // W_l doubled in one layer: f_ntk doubles
  for (std::size_t k = shape.offset(2); k < shape.offset(3); ++k) {
    moved[k] *= 2.0;
  }
  CHECK((model.outputs(moved) - 2.0 * model.initial_outputs()).norm() < 1e-12 * (1.0 + model.initial_outputs().norm()));
}

TEST_CASE("Gram matrices of gradients are those of differences", "[models][network]") {
  const NetworkShape shape{3, 7, 3};
  const auto w = models::initial_network(shape, 5, 1);
  const auto data = points(3, 4);
  const models::TangentModel model(shape, data, w);
  Eigen::MatrixXd gradients(static_cast<Eigen::Index>(w.size()), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    auto v = w;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const auto x = data.inputs.col(static_cast<Eigen::Index>(i));
      v[k] = w[k] + 1e-6;
      const double up = output(shape, v, x);
      v[k] = w[k] - 1e-6;
      gradients(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = (up - output(shape, v, x)) / 2e-6;
      v[k] = w[k];
    }
  }
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const auto rows = gradients.middleRows(static_cast<Eigen::Index>(shape.offset(layer)),
                                           static_cast<Eigen::Index>(shape.offset(layer + 1) - shape.offset(layer)));
    CHECK((rows.transpose() * rows - model.gram(layer)).norm() < 1e-7 * model.gram(layer).norm());
  }
}

TEST_CASE("the best tangent fit is enclosed, and no point of the balls is better", "[models][network]") {
  const NetworkShape shape{5, 24, 3};
  const auto w = models::initial_network(shape, 2, 0);
  const auto data = points(5, 60);
  const models::TangentModel model(shape, data, w);
  const double radius = GENERATE(0.05, 0.2, 1.0);
  const auto fit = model.fit(radius, 1e-6);
  CHECK(fit.mean_loss.upper - fit.mean_loss.lower <= 1e-6);
  for (const double distance : fit.distances) {
    CHECK(distance <= radius * (1.0 + 1e-9));
  }
  // Against projected gradient descent on the weights themselves, the paper's method without sampling.
  auto v = w;
  double best = std::numeric_limits<double>::infinity();
  for (int t = 0; t < 400; ++t) {
    const Eigen::VectorXd f = model.outputs(v);
    double mean = 0.0;
    for (std::size_t i = 0; i < 60; ++i) {
      mean += models::logistic_loss(data.labels[i] * f[static_cast<Eigen::Index>(i)]) / 60.0;
    }
    best = std::min(best, mean);
    for (std::size_t layer = 0; layer < 3; ++layer) {
      // sum_i slope_i grad_{W_l} f(x_i), from a pass at the start
      models::NetworkPass pass(shape);
      std::vector<std::uint32_t> all(60);
      std::iota(all.begin(), all.end(), 0U);
      pass.forward(data.inputs, all, w);
      pass.backward(w);
      Eigen::VectorXd slopes(60);
      for (std::size_t i = 0; i < 60; ++i) {
        const double y = data.labels[i];
        slopes[static_cast<Eigen::Index>(i)] =
            y * models::logistic_loss_slope(y * f[static_cast<Eigen::Index>(i)]) / 60.0;
      }
      std::vector<double> gradient(w.size());
      pass.weighted_sum(slopes, gradient);
      auto now = models::layer_of(shape, std::span<double>(v), layer);
      const auto start = models::layer_of(shape, std::span<const double>(w), layer);
      now -= 0.05 * models::layer_of(shape, std::span<const double>(gradient), layer);
      const double length = (now - start).norm();
      if (length > radius) {
        now = start + (radius / length) * (now - start);
      }
    }
  }
  CHECK(best >= fit.mean_loss.lower);
  CHECK(best <= fit.mean_loss.upper + 0.05);  // descent comes near, slowly where the ball is large
  if (radius < 0.1) {
    CHECK(best <= fit.mean_loss.upper + 2e-6);
  }
}

TEST_CASE("gradients at initialisation have the norms of the limit", "[models][network]") {
  const NetworkShape shape{6, 400, 3};
  const auto data = points(6, 20);
  double sum = 0.0;
  for (std::uint32_t path = 0; path < 4; ++path) {
    const models::TangentModel model(shape, data, models::initial_network(shape, 9, path));
    sum += (model.gram(0).trace() + model.gram(1).trace() + model.gram(2).trace()) / 80.0;
  }
  const double limit = models::initial_moments(400.0, 3.0, 6.0).gradient_limit;
  CHECK(std::sqrt(sum) == Approx(limit).epsilon(0.05));
}

TEST_CASE("data of the teacher lie on the sphere, in both classes, and agree with the teacher but for flips",
          "[models]") {
  models::TeacherData law;
  law.records = 4000;
  const auto noisy = models::teacher_data(law, 1, 0);
  law.flipped = 0.0;
  const auto clean = models::teacher_data(law, 1, 0);
  CHECK(clean.inputs == noisy.inputs);
  double differ = 0.0, positive = 0.0;
  for (std::size_t i = 0; i < 4000; ++i) {
    CHECK(clean.inputs.col(static_cast<Eigen::Index>(i)).norm() == Approx(1.0).epsilon(1e-14));
    differ += clean.labels[i] != noisy.labels[i] ? 1.0 : 0.0;
    positive += clean.labels[i] > 0.0 ? 1.0 : 0.0;
  }
  CHECK(std::abs(differ / 4000.0 - 0.05) < 5.0 * std::sqrt(0.05 * 0.95 / 4000.0));
  CHECK(std::abs(positive / 4000.0 - 0.5) < 5.0 * std::sqrt(0.25 / 4000.0));  // odd in x
}

TEST_CASE("networks that do not fit their data say so", "[models][errors]") {
  const NetworkShape shape{3, 4, 2};
  CHECK_THROWS_WITH(models::NetworkLosses(shape, points(4, 5)), Catch::Contains("inputs of a record = 4"));
  auto data = points(3, 5);
  data.labels[2] = 0.5;
  CHECK_THROWS_WITH(models::NetworkLosses(shape, data), Catch::Contains("label = 0.5"));
  CHECK_THROWS_AS(models::initial_network({3, 4, 1}, 1, 0), DomainError);
  CHECK_THROWS_AS(models::initial_network({3, 1000000, 3}, 1, 0), DomainError);
}
