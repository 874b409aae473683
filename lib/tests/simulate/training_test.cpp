// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/training.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

TEST_CASE("noisy training on the stand-in data gains accuracy with every budget of epochs", "[simulate][training]") {
  const auto split = models::gaussian_classes({}, 1);
  const models::SoftmaxRegression model(split.train, 5.0);
  double before = 0.0;
  for (const std::size_t epochs : std::vector<std::size_t>{5, 10, 20}) {
    TrainingSetting setting;
    setting.epochs = epochs;
    const Accuracy cyclic = train_softmax(setting, model, split.test, 1, 0);
    setting.rule = BatchRule::subset;
    const Accuracy stochastic = train_softmax(setting, model, split.test, 1, 1);
    CAPTURE(epochs, cyclic.train, cyclic.test, stochastic.train);
    CHECK(cyclic.train > before);
    CHECK(cyclic.train > 0.7);
    CHECK(std::abs(cyclic.train - stochastic.train) < 0.006);
    CHECK(std::abs(cyclic.train - cyclic.test) < 0.08);
    before = cyclic.train;
  }
}

TEST_CASE("training is repeatable and told to stop it stops", "[simulate][training]") {
  models::GaussianClasses law;
  law.train_examples = 300;
  law.test_examples = 50;
  const auto split = models::gaussian_classes(law, 1);
  const models::SoftmaxRegression model(split.train, 5.0);
  TrainingSetting setting;
  setting.epochs = 3;
  CHECK(train_softmax(setting, model, split.test, 1, 7).train == train_softmax(setting, model, split.test, 1, 7).train);
  CHECK_THROWS_WITH(train_softmax(setting, model, split.test, 1, 0, [](std::size_t, std::size_t) { return false; }),
                    Catch::Contains("stopped on request after epoch 1"));
  const std::vector<std::size_t> epochs{1, 3}, falling{3, 1};
  const auto both = softmax_accuracies(setting, model, split.test, epochs, 1, 7);
  REQUIRE(both.size() == 2);
  CHECK(both[1].train == train_softmax(setting, model, split.test, 1, 7).train);
  CHECK_THROWS_AS(softmax_accuracies(setting, model, split.test, falling, 1, 7), DomainError);
  setting.batch_size = 7;
  CHECK_THROWS_AS(train_softmax(setting, model, split.test, 1, 0), DomainError);
}
