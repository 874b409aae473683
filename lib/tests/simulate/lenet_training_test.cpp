// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/models/lenet.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/detail/lenet_training.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

/// A bright square in the left or the right half, on noise.
models::LabelledImages squares(std::size_t count, std::uint32_t path) {
  models::LabelledImages all;
  all.classes = 2;
  all.images.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(models::lenet_pixels));
  random::uniforms({all.images.data(), count * models::lenet_pixels}, 5, random::Purpose::data, path, 0);
  all.images *= 0.3;
  for (std::size_t i = 0; i < count; ++i) {
    all.labels.push_back(static_cast<std::uint32_t>(i % 2));
    for (Eigen::Index y = 8; y < 20; ++y) {
      all.images.row(static_cast<Eigen::Index>(i)).segment(28 * y + (i % 2 == 0 ? 1 : 15), 12).setConstant(1.0);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("MNIST takes LeNet 4688 steps, 20 epochs of 256 images", "[simulate][lenet]") {
  CHECK(simulate::LeNetExperiment{}.steps(60000) == 4688);
  CHECK(simulate::LeNetExperiment{10.0, 0.1, 1.0, 3}.steps(20) == 6);
  CHECK_THROWS_AS(simulate::LeNetExperiment{}.steps(255), DomainError);
}

TEST_CASE("LeNet learns where a square is, and nothing under large noise", "[simulate][lenet]") {
  const auto train = squares(60, 0), test = squares(40, 1);
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, 2);
  const simulate::LeNetExperiment experiment{20.0, 0.2, 1.0, 20};
  const std::vector<double> multipliers{0.0, 0.05, 200.0};
  const auto trial = simulate::lenet_trial(experiment, train, test, scores, multipliers, 3, 0);
  REQUIRE(trial.outcomes.size() == 3);
  CHECK(trial.outcomes[0].all == 1.0);
  CHECK(trial.outcomes[0].top[0] == 1.0);
  CHECK(trial.outcomes[1].all == 1.0);
  CHECK(trial.outcomes[2].all < 0.95);
  CHECK(trial.deciles[0] == std::vector<double>(10, 1.0));
  const auto again = simulate::lenet_trial(experiment, train, test, scores, multipliers, 3, 0);
  CHECK(again.deciles == trial.deciles);
  CHECK_THROWS_WITH(simulate::lenet_trial(experiment, train, test, std::span(scores).first(39), multipliers, 3, 0),
                    Catch::Contains("number of scores"));
}
