// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/softmax.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

GaussianClasses small() {
  GaussianClasses law;
  law.classes = 3;
  law.dimension = 4;
  law.train_examples = 30;
  law.test_examples = 9;
  return law;
}

double mean_loss(const LabelledData& data, const Eigen::MatrixXd& parameters) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < data.features.cols(); ++i) {
    const Eigen::VectorXd scores = parameters * data.features.col(i);
    const double top = scores.maxCoeff();
    sum += top + std::log((scores.array() - top).exp().sum()) - scores(data.labels[static_cast<std::size_t>(i)]);
  }
  return sum / static_cast<double>(data.features.cols());
}

std::vector<std::uint32_t> first(std::uint32_t count) {
  std::vector<std::uint32_t> batch(count);
  std::iota(batch.begin(), batch.end(), 0U);
  return batch;
}

}  // namespace

TEST_CASE("Gaussian classes have the asked shape, clipped features and a constant", "[models][data]") {
  const DataSplit split = gaussian_classes(GaussianClasses{}, 1);
  CHECK(split.train.features.rows() == 51);
  CHECK(split.train.features.cols() == 6000);
  CHECK(split.test.labels.size() == 2000);
  CHECK(split.train.features.topRows(50).colwise().norm().maxCoeff() <= 8.0 * (1.0 + 1e-14));
  CHECK(split.train.features.row(50).minCoeff() == 1.0);
  CHECK(gaussian_classes(GaussianClasses{}, 1).train.features == split.train.features);
  CHECK(gaussian_classes(GaussianClasses{}, 2).train.features != split.train.features);
}

TEST_CASE("unclipped gradients are those of the loss", "[models][softmax]") {
  const SoftmaxRegression model(gaussian_classes(small(), 5).train, std::numeric_limits<double>::infinity());
  Eigen::MatrixXd parameters = Eigen::MatrixXd::Constant(3, 5, 0.1);
  parameters(1, 2) = -0.4;
  const Eigen::MatrixXd gradient = model.mean_gradient(first(30), parameters);
  for (Eigen::Index i = 0; i < parameters.size(); ++i) {
    Eigen::MatrixXd up = parameters, down = parameters;
    up(i) += 1e-5;
    down(i) -= 1e-5;
    const double slope = (mean_loss(model.data(), up) - mean_loss(model.data(), down)) / 2e-5;
    CHECK(gradient(i) == Approx(slope).epsilon(1e-6).margin(1e-8));
  }
}

TEST_CASE("each example's gradient is clipped, and a scattered batch is the mean of its examples",
          "[models][softmax]") {
  const SoftmaxRegression model(gaussian_classes(small(), 5).train, 0.5);
  const Eigen::MatrixXd parameters = Eigen::MatrixXd::Zero(3, 5);
  const std::vector<std::uint32_t> scattered{7, 2, 29};
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, 5);
  for (const std::uint32_t example : scattered) {
    const Eigen::MatrixXd one = model.mean_gradient(std::vector<std::uint32_t>{example}, parameters);
    CHECK(one.norm() <= 0.5 * (1.0 + 1e-14));
    sum += one;
  }
  CHECK((model.mean_gradient(scattered, parameters) - sum / 3.0).norm() < 1e-15);
  const std::vector<std::uint32_t> turned{2, 1, 0}, straight{0, 1, 2};
  CHECK((model.mean_gradient(turned, parameters) - model.mean_gradient(straight, parameters)).norm() < 1e-15);
}

TEST_CASE("the sum without zeros is the clipped product of residuals and features", "[models][softmax]") {
  GaussianClasses law = small();
  law.classes = GENERATE(std::size_t{3}, std::size_t{10});  // 10 has code of its own
  LabelledData data = gaussian_classes(law, 5).train;
  data.features = (data.features.array() < 0.0).select(0.0, data.features);
  const SoftmaxRegression model(data, 0.5);
  const Eigen::MatrixXd parameters = Eigen::MatrixXd::NullaryExpr(
      static_cast<Eigen::Index>(law.classes), 5,
      [](auto i, auto j) { return 0.3 * static_cast<double>(i) - 0.1 * static_cast<double>(i * j); });
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(parameters.rows(), 5);
  for (Eigen::Index i = 0; i < 30; ++i) {
    Eigen::VectorXd residual = (parameters * data.features.col(i)).array().exp();
    residual /= residual.sum();
    residual(data.labels[static_cast<std::size_t>(i)]) -= 1.0;
    const Eigen::MatrixXd gradient = residual * data.features.col(i).transpose();
    mean += std::min(1.0, 0.5 / gradient.norm()) * gradient / 30.0;
  }
  CHECK((model.mean_gradient(first(30), parameters) - mean).norm() < 1e-15 * 30);
}

TEST_CASE("every instruction set gives the same bits of the gradient, in batches of any size", "[models][softmax]") {
  GaussianClasses law;
  law.dimension = 37;
  LabelledData data = gaussian_classes(law, 5).train;
  data.features = (data.features.array() < 0.5).select(0.0, data.features);
  const SoftmaxRegression model(data, 2.0);
  const Eigen::MatrixXd parameters = Eigen::MatrixXd::NullaryExpr(
      10, 38, [](auto i, auto j) { return 0.03 * static_cast<double>(i) - 0.01 * static_cast<double>(i * j % 7); });
  for (const std::uint32_t size : {1U, 2U, 7U, 30U}) {
    const auto found = model.mean_gradient(first(size), parameters);
    for (const auto variant : random::instruction_sets()) {
      CHECK(model.mean_gradient(first(size), parameters, variant) == found);
    }
  }
}

TEST_CASE("data that make no sense are refused", "[models][softmax][errors]") {
  GaussianClasses law = small();
  law.classes = 1;
  CHECK_THROWS_AS(gaussian_classes(law, 1), DomainError);
  LabelledData data = gaussian_classes(small(), 5).train;
  data.labels[3] = 3;
  CHECK_THROWS_AS(SoftmaxRegression(data, 1.0), DomainError);
  CHECK_THROWS_AS(SoftmaxRegression(gaussian_classes(small(), 5).train, 0.0), DomainError);
}
