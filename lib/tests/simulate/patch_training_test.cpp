// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <set>

#include <Eigen/Cholesky>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/patch_span.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>
#include <dpcurves/simulate/patch_training.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;
using models::PatchCnn;

namespace {

const models::PatchLaw law{{4.0, 40.0, 0.5, 2.0}, 1.0, models::NoiseLaw::gaussian};

PatchCnn small_model(std::size_t examples = 20) {
  return {models::draw_patches(law, examples, 5, 0, models::DataPart::train), 5};
}

PatchSgd small_setting(PatchMode mode) {
  PatchSgd setting;
  setting.batch_size = 8;
  setting.steps = 30;
  return in_mode(setting, mode, 0.3, 1.0);
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("rescaling patches, weights, rate, clip and noise together leaves every score alone", "[simulate][patch]") {
  // x -> c x, W -> W/c, eta -> eta/c^2, C -> c C, sigma_n -> c sigma_n.
  const double c = GENERATE(3.7, 1e-3);
  auto model = small_model();
  auto data = model.data();
  data.noise *= c;
  data.signals *= c;
  PatchCnn scaled(data, model.filters());
  auto setting = small_setting(PatchMode::dp);
  const auto start = uniform_start(model, 5, 0);
  PatchRun run(setting, model, start, 5, 0);
  auto other_start = start;
  for (double& value : other_start) {
    value /= c;
  }
  setting.step_size /= c * c;
  setting.clip *= c;
  setting.noise *= c;
  PatchRun other(setting, scaled, other_start, 5, 0);
  for (std::size_t t = 0; t < 30; ++t) {
    run.step();
    other.step();
    const auto a = model.responses(run.weights()), b = scaled.responses(other.weights());
    CHECK(largest_difference(a.scores, b.scores) < 1e-11);
    CHECK(run.summary().clipped == other.summary().clipped);
  }
}

TEST_CASE("a step is the mean of gradients clipped one by one, and the noise of its mode", "[simulate][patch]") {
  const auto mode = GENERATE(PatchMode::clean, PatchMode::clip_only, PatchMode::noise_only, PatchMode::dp);
  auto model = small_model();
  const auto setting = small_setting(mode);
  const auto start = uniform_start(model, 5, 0);
  PatchRun run(setting, model, start, 5, 0);
  run.keep_previous();
  run.step();
  CHECK(largest_difference(run.previous_weights(), start) == 0.0);
  std::vector<double> expected(start), one(start.size());
  for (const std::uint32_t i : run.batch()) {
    model.clipped_sum(std::array{i}, start, std::numeric_limits<double>::infinity(), one);
    double norm = 0.0;
    for (const double g : one) {
      norm += g * g;
    }
    const bool clips = mode == PatchMode::clip_only || mode == PatchMode::dp;
    const double h = clips ? 1.0 / std::max(1.0, std::sqrt(norm) / 0.3) : 1.0;
    for (std::size_t c = 0; c < one.size(); ++c) {
      expected[c] -= 0.5 * h * one[c] / 8.0;
    }
  }
  if (mode == PatchMode::noise_only || mode == PatchMode::dp) {
    CHECK(run.setting().noise == 0.3 / 8.0);
    for (std::size_t c = 0; c < one.size(); ++c) {
      expected[c] += 0.5 * (0.3 / 8.0) * run.noise()[c];
    }
  } else {
    CHECK(run.noise().empty());
  }
  CHECK(largest_difference(run.weights(), expected) < 1e-14);
}

TEST_CASE("shuffled batches pass through the examples, each once an epoch, and drop the rest", "[simulate][patch]") {
  auto model = small_model();
  auto setting = small_setting(PatchMode::clean);
  setting.batch_size = 6;
  PatchRun run(setting, model, uniform_start(model, 5, 0), 5, 0);
  std::set<std::vector<std::uint32_t>> epochs;
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::vector<std::uint32_t> seen;
    for (int block = 0; block < 3; ++block) {
      run.step();
      CHECK(run.batch().size() == 6);
      seen.insert(seen.end(), run.batch().begin(), run.batch().end());
    }
    epochs.insert(seen);
    CHECK(std::set<std::uint32_t>(seen.begin(), seen.end()).size() == 18);
  }
  CHECK(epochs.size() == 4);
}

TEST_CASE("Poisson batches have the asked for size on average, full ones all examples", "[simulate][patch]") {
  auto model = small_model();
  auto setting = small_setting(PatchMode::clean);
  setting.batches = PatchBatches::poisson;
  PatchRun run(setting, model, uniform_start(model, 5, 0), 5, 0);
  double total = 0.0;
  for (int t = 0; t < 500; ++t) {
    run.step();
    total += static_cast<double>(run.batch().size());
  }
  CHECK(total / 500.0 == Approx(8.0).margin(6.0 * std::sqrt(20 * 0.4 * 0.6 / 500.0)));
  setting.batches = PatchBatches::full;
  CHECK_THROWS_WITH(PatchRun(setting, model, uniform_start(model, 5, 0), 5, 0), Catch::Contains("batch_size = 8"));
  setting.batch_size = 20;
  PatchRun full(setting, model, uniform_start(model, 5, 0), 5, 0);
  full.step();
  CHECK(full.batch().size() == 20);
}

TEST_CASE("training does not depend on the basis", "[simulate][patch]") {
  auto model = small_model();
  const auto rotation = models::random_rotation(40, 8, 0);
  PatchCnn turned(models::rotated(model.data(), rotation), model.filters());
  const auto start = uniform_start(model, 5, 0);
  const auto width = static_cast<Eigen::Index>(model.width());
  const models::RowMatrix turned_start = rotation * Eigen::Map<const models::RowMatrix>(start.data(), 40, width);
  const auto setting = small_setting(PatchMode::clip_only);
  const auto plain = train_patches(setting, model, start, 5, 0);
  const auto other =
      train_patches(setting, turned, {turned_start.data(), static_cast<std::size_t>(turned_start.size())}, 5, 0);
  CHECK(largest_difference(model.responses(plain).scores, turned.responses(other).scores) < 1e-12);
}

TEST_CASE("training in the span is the same run without noise", "[simulate][patch]") {
  const double signal = GENERATE(0.0, 1.0);
  const models::PatchLaw wide{{4.0, 90.0, 0.5, 3.0}, signal, models::NoiseLaw::uniform};
  PatchCnn model(models::draw_patches(wide, 12, 5, 0, models::DataPart::train), 5);
  const auto start = gaussian_start(model, 0.1, 5, 0);
  const auto setting = small_setting(PatchMode::clip_only);
  CHECK(span_pays(setting, model));
  CHECK(largest_difference(train_patches(setting, model, start, 5, 0), train_in_span(setting, model, start, 5, 0)) <
        1e-12);
}

TEST_CASE("training in the span has the law of the run with noise, inside and outside of it", "[simulate][patch]") {
  PatchCnn model(models::draw_patches(law, 8, 5, 0, models::DataPart::train), 2);
  const auto start = uniform_start(model, 5, 0);
  auto setting = small_setting(PatchMode::dp);
  setting.steps = 6;
  setting.noise = 0.3;
  constexpr std::uint32_t runs = 600;
  // A projection that lies inside, one outside, one across: mean and variance of both ways to train.
  std::vector<std::vector<double>> directions(3, std::vector<double>(40, 0.0));
  for (std::size_t c = 0; c < 40; ++c) {
    directions[0][c] = model.data().noise(3, static_cast<Eigen::Index>(c));
    directions[2][c] = c % 2 == 0 ? 0.3 : -0.2;
  }
  directions[1] = directions[2];
  models::RowMatrix patches(12, 40);
  patches << model.data().signals, model.data().noise;
  Eigen::Map<Eigen::VectorXd> outside(directions[1].data(), 40);
  outside -= patches.transpose() * (patches * patches.transpose()).ldlt().solve(patches * outside);
  for (const auto& direction : directions) {
    double sums[2][2] = {};
    for (std::uint32_t path = 0; path < runs; ++path) {
      for (int way = 0; way < 2; ++way) {
        const auto w =
            way == 0 ? train_patches(setting, model, start, 7, path) : train_in_span(setting, model, start, 11, path);
        double value = 0.0;
        for (std::size_t c = 0; c < 40; ++c) {
          value += w[c * model.width() + 1] * direction[c];
        }
        sums[way][0] += value;
        sums[way][1] += value * value;
      }
    }
    double mean[2], variance[2];
    for (int way = 0; way < 2; ++way) {
      mean[way] = sums[way][0] / runs;
      variance[way] = sums[way][1] / runs - mean[way] * mean[way];
    }
    CHECK(mean[1] == Approx(mean[0]).margin(5.0 * std::sqrt((variance[0] + variance[1]) / runs)));
    CHECK(variance[1] / variance[0] == Approx(1.0).margin(5.0 * std::sqrt(4.0 / runs)));
  }
}

TEST_CASE("dependent patches are told apart from a span", "[simulate][patch][errors]") {
  auto data = small_model(8).data();
  data.noise.row(5) = data.noise.row(1);
  data.labels[5] = data.labels[1];
  PatchCnn model(data, 2);
  const auto start = uniform_start(model, 5, 0);
  CHECK_THROWS_AS(train_in_span(small_setting(PatchMode::clean), model, start, 5, 0), ConvergenceError);
}

TEST_CASE("the first step of Adam moves every weight by the rate against the sign of its gradient",
          "[simulate][patch]") {
  auto model = small_model();
  auto setting = small_setting(PatchMode::dp);
  setting.adam = AdamRule{0.9, 0.999, 1e-14};
  setting.step_size = 0.01;
  const auto start = uniform_start(model, 5, 0);
  PatchRun run(setting, model, start, 5, 0);
  run.step();
  for (std::size_t i = 0; i < start.size(); ++i) {
    CHECK(std::fabs(run.weights()[i] - start[i]) == Approx(0.01).epsilon(1e-4));
  }
}

TEST_CASE("modes of a trial share their data: without noise and with a clip out of reach they agree",
          "[simulate][patch]") {
  PatchExperiment experiment;
  experiment.law = law;
  experiment.train = 20;
  experiment.test = 40;
  experiment.filters = 4;
  experiment.sgd = small_setting(PatchMode::clean);
  experiment.clip = 1e6;
  experiment.noise_multiplier = 0.0;
  const PatchMode modes[] = {PatchMode::clean, PatchMode::dp};
  const auto outcomes = patch_trial(experiment, modes, 3, 4);
  CHECK(outcomes[0].train_loss == outcomes[1].train_loss);
  CHECK(outcomes[0].test_accuracy == outcomes[1].test_accuracy);
  CHECK(outcomes[0].train_margins.noise > 0.0);
  CHECK(patch_trial(experiment, modes, 3, 5)[0].train_loss != outcomes[0].train_loss);
}

TEST_CASE("settings outside their domain name themselves", "[simulate][patch][errors]") {
  auto model = small_model();
  const auto start = uniform_start(model, 5, 0);
  auto setting = small_setting(PatchMode::clean);
  setting.batch_size = 21;
  CHECK_THROWS_WITH(PatchRun(setting, model, start, 5, 0), Catch::Contains("batch_size = 21"));
  setting.batch_size = 5;
  setting.step_size = std::nan("");
  CHECK_THROWS_AS(PatchRun(setting, model, start, 5, 0), DomainError);
  CHECK_THROWS_AS(in_mode(setting, PatchMode::dp, std::numeric_limits<double>::infinity(), 1.0), DomainError);
}
