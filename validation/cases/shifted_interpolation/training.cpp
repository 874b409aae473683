// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables 2 and 5: accuracies on MNIST, which is not shipped. Their shape on a stand-in of Gaussian classes.
#include <cmath>
#include <string>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/softmax.hpp>
#include <dpcurves/simulate/training.hpp>

#include "validation/cases/topics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

constexpr double gradient_clip = 5.0;         // half of the sensitivity L = 10
constexpr double difference_allowed = 0.005;  // between cyclic and random batches; published: below 0.0015

struct Point {
  double epochs = 0.0;
  double cyclic = 0.0;
  double stochastic = 0.0;
};

std::vector<Point> train(const Setting& setting) {
  const auto split = models::gaussian_classes({}, 1);
  const models::SoftmaxRegression model(split.train, gradient_clip);
  const std::size_t runs = setting.size(2, 10);
  std::vector<Point> points;
  for (const std::size_t epochs : {5U, 10U, 20U, 50U}) {
    Point point{static_cast<double>(epochs), 0.0, 0.0};
    for (std::size_t run = 0; run < runs; ++run) {
      simulate::TrainingSetting training;
      training.epochs = epochs;
      const auto path = static_cast<std::uint32_t>(2 * run);
      point.cyclic += train_softmax(training, model, split.test, setting.seed, path).train;
      training.rule = simulate::BatchRule::subset;
      point.stochastic += train_softmax(training, model, split.test, setting.seed, path + 1).train;
    }
    point.cyclic /= static_cast<double>(runs);
    point.stochastic /= static_cast<double>(runs);
    points.push_back(point);
  }
  return points;
}

/// Accuracy increases with the epochs; `sign` -1 claims the opposite.
void increases(const std::vector<Point>& points, double sign, Trial& trial) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    trial.require(sign * (points[i].cyclic - points[i - 1].cyclic) > 0.0,
                  "training accuracy " + rounded(points[i - 1].cyclic, 5) + " after " +
                      rounded(points[i - 1].epochs, 3) + " epochs, " + rounded(points[i].cyclic, 5) + " after " +
                      rounded(points[i].epochs, 3));
  }
}

/// Cyclic and random batches differ by less than `allowed`.
void same(const std::vector<Point>& points, double allowed, Trial& trial) {
  for (const Point& point : points) {
    trial.at_most(std::abs(point.cyclic - point.stochastic), allowed,
                  "cyclic minus random batches after " + rounded(point.epochs, 3) + " epochs");
  }
}

Figure picture(const std::vector<Point>& points) {
  std::vector<double> epochs;
  std::vector<double> cyclic;
  std::vector<double> stochastic;
  for (const Point& point : points) {
    epochs.push_back(point.epochs);
    cyclic.push_back(100.0 * point.cyclic);
    stochastic.push_back(100.0 * point.stochastic);
  }
  io::Plot plot{
      .title = "Softmax regression on ten Gaussian classes, noise 0.01, clip 5",
      .x = {"epochs", true, {}, {}},
      .y = {"training accuracy, percent", false, {}, {}},
      .legend = io::Legend::bottom_right,
      .series = {io::line("cyclic batches", epochs, cyclic), io::dashed("random batches", epochs, stochastic)}};
  return {"Training accuracy of the stand-in against the number of epochs", plot};
}

}  // namespace

std::vector<Case> training_cases() {
  const std::string experiment =
      "6000 examples of ten Gaussian classes in 50 dimensions, batches of 150, step size 0.05, noise 0.01, "
      "regularisation 0.002; two runs each (nightly: ten) of 5, 10, 20 and 50 epochs";
  Case table_2{.id = "shifted-interpolation/table-2",
               .claim = "the training accuracy of noisy cyclic gradient descent increases with the number of epochs",
               .experiment = experiment,
               .control = "it decreases"};
  table_2.run = [](const Setting& setting, Outcome& outcome) {
    const auto points = train(setting);
    increases(points, 1.0, outcome.claim);
    increases(points, -1.0, outcome.control);
    outcome.figures.push_back(picture(points));
  };
  Case table_5{.id = "shifted-interpolation/table-5",
               .claim = "cyclic and random batches reach the same training accuracy within half a point",
               .experiment = experiment,
               .control = "within a hundredth of a point"};
  table_5.run = [](const Setting& setting, Outcome& outcome) {
    const auto points = train(setting);
    same(points, difference_allowed, outcome.claim);
    same(points, 1e-4, outcome.control);
  };
  return {table_2, table_5};
}

}  // namespace dpcurves::validation::shifted_interpolation
