// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What trained networks show, against sums written out, modes that must agree, and images that are easy to tell.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

namespace {

PatchExperiment small_experiment() {
  PatchExperiment experiment;
  experiment.law = {{4.0, 40.0, 0.5, 2.0}, 4.0, models::NoiseLaw::gaussian};
  experiment.filters = 6;
  experiment.train = 40;
  experiment.test = 80;
  experiment.sgd.batch_size = 20;
  experiment.sgd.steps = 40;
  experiment.clip = 0.3;
  experiment.noise_multiplier = 1.0;
  return experiment;
}

/// Images of two classes, dark and bright in turn, each with a little of its own.
models::LabelledImages easy_images(std::size_t count) {
  models::LabelledImages all{2, models::RowMatrix(static_cast<Eigen::Index>(count), 6), {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    all.images.row(row).setConstant(i % 2 == 0 ? 0.1 : 0.9);
    all.images(row, static_cast<Eigen::Index>(i % 6)) += 0.01 * static_cast<double>(i % 5);
    all.labels.push_back(static_cast<std::uint32_t>(i % 2));
  }
  return all;
}

}  // namespace

TEST_CASE("margins are own scores less the mean of the others, split by patch", "[simulate][patch]") {
  models::PatchResponses responses;
  responses.classes = 3;
  responses.losses = {0.0, 0.0};
  responses.scores = {5.0, 1.0, 2.0, 0.0, 4.0, 10.0};
  responses.signal_parts = {3.0, 0.5, 0.5, 0.0, 1.0, 2.0};
  const std::uint32_t labels[] = {0, 2};
  const auto found = margins(responses, labels);
  CHECK(found.signal == Approx(0.5 * ((3.0 - 0.5) + (2.0 - 0.5))).epsilon(1e-15));
  CHECK(found.noise == Approx(0.5 * ((2.0 - 1.0) + (8.0 - 1.5))).epsilon(1e-15));
}

TEST_CASE("largest products and switched-off filters are those of the sums written out", "[simulate][patch]") {
  const auto experiment = small_experiment();
  models::PatchCnn model(models::draw_patches(experiment.law, 20, 3, 0, models::DataPart::train), 5);
  const auto before = uniform_start(model, 3, 0);
  const auto& data = model.data();
  const auto weights_of = [&](const std::vector<double>& w) {
    return Eigen::Map<const models::RowMatrix>(w.data(), static_cast<Eigen::Index>(data.dimension()),
                                               static_cast<Eigen::Index>(model.width()));
  };
  const models::RowMatrix products = data.noise * weights_of(before), signals = data.signals * weights_of(before);
  LargestProducts wanted{-infinity, -infinity};
  std::size_t active = 0;
  for (Eigen::Index r = 0; r < 5; ++r) {
    double noise = 0.0, signal = 0.0;
    for (Eigen::Index i = 0; i < 20; ++i) {
      const auto label = static_cast<Eigen::Index>(data.labels[static_cast<std::size_t>(i)]);
      noise += products(i, label * 5 + r) / 20.0;
      signal += signals(label, label * 5 + r) / 20.0;
      active += products(i, label * 5 + r) > 0.0 ? 1U : 0U;
    }
    wanted.noise = std::max(wanted.noise, noise);
    wanted.signal = std::max(wanted.signal, signal);
  }
  const auto found = largest_products(model, before);
  CHECK(found.noise == Approx(wanted.noise).epsilon(1e-12));
  CHECK(found.signal == Approx(wanted.signal).epsilon(1e-12));

  auto turned = before;
  for (double& value : turned) {
    value = -value;
  }
  CHECK(activations(model, before, before).active == active);
  CHECK(activations(model, before, before).switched_off == 0);
  CHECK(activations(model, before, turned).switched_off == active);
}

TEST_CASE("DP-SGD without clipping and noise is clean training, and modes differ where they should",
          "[simulate][patch]") {
  auto experiment = small_experiment();
  const PatchMode modes[] = {PatchMode::clean, PatchMode::clip_only, PatchMode::noise_only, PatchMode::dp};
  const auto outcomes = patch_trial(experiment, modes, 11, 2);
  CHECK(outcomes[0].train_loss < outcomes[1].train_loss);  // clipped steps are shorter
  CHECK(outcomes[0].train_accuracy == 1.0);
  CHECK(outcomes[0].test_accuracy > 0.9);  // signals of four noise deviations
  CHECK(outcomes[0].train_margins.signal > 0.0);
  CHECK(outcomes[0].train_margins.noise > outcomes[0].test_margins.noise);  // what was memorised
  CHECK(outcomes[3].train_loss != outcomes[1].train_loss);
  CHECK(outcomes[2].train_loss != outcomes[0].train_loss);
  for (const auto& outcome : outcomes) {
    CHECK((outcome.clipped >= 0.0 && outcome.clipped <= 1.0));
  }
  experiment.clip = 1e9;
  experiment.noise_multiplier = 0.0;
  const auto same = patch_trial(experiment, modes, 11, 2);
  for (const auto& outcome : same) {
    CHECK(outcome.train_loss == Approx(outcomes[0].train_loss).epsilon(1e-9));
    CHECK(outcome.test_accuracy == outcomes[0].test_accuracy);
    CHECK(outcome.clipped == 0.0);
  }
  experiment.train = 41;
  CHECK_THROWS_AS(patch_trial(experiment, modes, 11, 2), DomainError);
}

TEST_CASE("long-tailed examples are all examples at level -inf, none at a huge one", "[simulate][patch]") {
  const auto experiment = small_experiment();
  const PatchMode modes[] = {PatchMode::clean, PatchMode::dp};
  const double levels[] = {-infinity, 0.2, 1e6};
  const auto outcome = tail_trial(experiment, modes, levels, 400, models::TailFilter::sum_all, 11, 2);
  CHECK(outcome.draws == 400);
  CHECK(outcome.accepted[0] == 400);
  CHECK(outcome.accepted[1] > 0);
  CHECK(outcome.accepted[1] < 400);
  CHECK(outcome.accepted[2] == 0);
  for (std::size_t mode = 0; mode < 2; ++mode) {
    CHECK(outcome.tail[mode][0] == outcome.overall[mode]);
    CHECK(std::isnan(outcome.tail[mode][2]));
  }
  // The same clean network as patch_trial trains: its accuracy on fresh examples is about that on its test set.
  CHECK(outcome.overall[0] == Approx(patch_trial(experiment, modes, 11, 2)[0].test_accuracy).margin(0.1));
}

TEST_CASE("images that are easy to tell are told, in every decile", "[simulate][patch]") {
  ImageExperiment experiment;
  experiment.sgd.batch_size = 20;
  experiment.sgd.steps = 60;
  const auto train = easy_images(40), test = easy_images(60);
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, 2);
  const double multipliers[] = {0.0, 1e4};
  const auto trial = image_trial(experiment, train, test, scores, multipliers, 5, 0);
  REQUIRE(trial.outcomes.size() == 2);
  CHECK(trial.outcomes[0].all == 1.0);
  CHECK(trial.outcomes[0].top[0] == 1.0);
  CHECK(trial.outcomes[0].bottom[1] == 1.0);
  for (const auto& deciles : trial.deciles) {
    REQUIRE(deciles.size() == 10);
  }
  for (const double decile : trial.deciles[0]) {
    CHECK(decile == Approx(1.0).epsilon(1e-12));
  }
  // 30 images per class, 3 per decile: the mean over deciles is the accuracy, however bad.
  double mean = 0.0;
  for (const double decile : trial.deciles[1]) {
    mean += decile / 10.0;
  }
  CHECK(mean == Approx(trial.outcomes[1].all).margin(1e-12));
}

TEST_CASE("image experiments name what does not fit", "[simulate][patch][errors]") {
  const auto train = easy_images(40);
  const double multipliers[] = {0.0};
  const std::vector<double> scores(40, 1.0);
  auto test = train;
  test.classes = 3;
  CHECK_THROWS_WITH(image_trial({}, train, test, scores, multipliers, 5, 0),
                    Catch::Contains("classes of the test images = 3"));
  test = train;
  test.images = models::RowMatrix::Zero(40, 5);
  CHECK_THROWS_WITH(image_trial({}, train, test, scores, multipliers, 5, 0),
                    Catch::Contains("pixels of a test image = 5"));
  test = train;
  CHECK_THROWS_WITH(image_trial({}, train, test, std::span(scores).first(39), multipliers, 5, 0),
                    Catch::Contains("number of scores = 39"));
  std::swap(test.labels[0], test.labels[1]);
  CHECK_THROWS_WITH(image_trial({}, train, test, scores, multipliers, 5, 0), Catch::Contains("balanced classes"));
  CHECK_THROWS_WITH(image_trial({}, train, easy_images(18), std::span(scores).first(18), multipliers, 5, 0),
                    Catch::Contains("number of test images = 18"));
}

TEST_CASE("deformed glyphs have high influence scores, and a trial repeats", "[simulate][patch]") {
  GlyphExperiment experiment;
  experiment.train = 200;
  experiment.test = 200;
  experiment.network.filters = 4;
  experiment.network.sgd.batch_size = 50;
  experiment.network.sgd.steps = 60;
  const double multipliers[] = {0.0};
  const auto trial = glyph_trial(experiment, multipliers, 7);
  CHECK(trial.correlation > 0.3);
  CHECK(trial.correlation < 1.0);
  CHECK(trial.outcomes[0].all > 0.5);  // chance is 0.1
  const auto again = glyph_trial(experiment, multipliers, 7);
  CHECK(again.correlation == trial.correlation);
  CHECK(again.deciles == trial.deciles);
}
