// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/network_training.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using simulate::BallCentre;

namespace {

const models::NetworkShape shape{6, 12, 3};

models::NetworkLosses losses(std::size_t records, std::uint32_t path) {
  models::TeacherData law;
  law.inputs = 6;
  law.records = records;
  return {shape, models::teacher_data(law, 1, path)};
}

simulate::NetworkRun setting() {
  simulate::NetworkRun run;
  run.batch_size = 20.0;
  run.step_size = 0.05;
  run.steps = 40;
  run.clip = 2.0;
  run.noise_multiplier = 0.7;
  return run;
}

}  // namespace

TEST_CASE("a step of Algorithm 10 is the step of its definition", "[simulate][network]") {
  auto train = losses(100, 0), test = losses(50, 1);
  auto one = setting();
  one.steps = 1;
  one.average = false;
  one.radius = 1.5;
  const auto start = models::initial_network(shape, 4, 2);
  simulate::DpSgd plain;
  plain.sampling = simulate::BatchSampling::poisson;
  plain.batch_size = 20.0;
  simulate::SharedRandomness random(plain, 100, start.size(), 4, 2);
  std::vector<double> z(start.size()), sum(start.size());
  random.white_noise(1, z);
  train.clipped_sum(random.batch(1), start, 2.0, sum);
  auto w = start;
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] -= 0.05 * (sum[i] / 20.0 + 2.0 * 0.7 / 20.0 * z[i]);
  }
  for (std::size_t layer = 0; layer < shape.depth; ++layer) {
    auto at = models::layer_of(shape, std::span<double>(w), layer);
    at *= std::min(1.0, 1.5 / at.norm());
  }
  const auto outcome = simulate::train_network(one, train, test, 4, 2);
  const auto expected = models::quality(test, w);
  CHECK(outcome.test.loss == Approx(expected.loss).epsilon(1e-12));
  CHECK(outcome.test.error == expected.error);
  CHECK(outcome.projected == 1);
  CHECK(outcome.start_moved);  // |W_1|_F is about sqrt(2 d) = 3.5
}

TEST_CASE("the average is that of the iterates after each step", "[simulate][network]") {
  auto train = losses(60, 0), test = losses(50, 1);
  auto two = setting();
  two.steps = 2;
  const auto start = models::initial_network(shape, 1, 0);
  simulate::DpSgd plain;
  plain.sampling = simulate::BatchSampling::poisson;
  plain.batch_size = 20.0;
  plain.step_size = 0.05;
  plain.clip = 2.0;
  plain.noise_multiplier = 0.7;
  simulate::DpSgdRun run(plain, train, start, 1, 0);
  run.step();
  std::vector<double> mean(run.iterate().begin(), run.iterate().end());
  run.step();
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = 0.5 * (mean[i] + run.iterate()[i]);
  }
  CHECK(simulate::train_network(two, train, test, 1, 0).test.loss ==
        Approx(models::quality(test, mean).loss).epsilon(1e-12));
}

TEST_CASE("layers stay in their balls around the origin or the start", "[simulate][network]") {
  const auto start = models::initial_network(shape, 1, 0);
  auto w = start;
  for (auto& x : w) {
    x = 3.0 * x + 0.1;
  }
  const std::vector<double> zero(w.size(), 0.0);
  auto around_zero = w, around_start = w;
  CHECK(simulate::layer_balls(shape, 2.0, BallCentre::origin, start)(around_zero));
  CHECK(simulate::layer_balls(shape, 0.3, BallCentre::start, start)(around_start));
  for (std::size_t layer = 0; layer < shape.depth; ++layer) {
    CHECK(models::layer_distances(shape, around_zero, zero)[layer] <= 2.0 * (1.0 + 1e-14));
    CHECK(models::layer_distances(shape, around_start, start)[layer] <= 0.3 * (1.0 + 1e-14));
  }
  auto again = around_start;
  simulate::layer_balls(shape, 0.31, BallCentre::start, start)(again);
  CHECK(again == around_start);  // inside: not a bit moves
}

TEST_CASE("training without noise learns, and noise costs", "[simulate][network]") {
  auto train = losses(400, 0), test = losses(400, 1);
  auto run = setting();
  run.steps = 300;
  run.batch_size = 40.0;
  run.noise_multiplier = 0.0;
  run.clip = infinity;
  const auto free = simulate::train_network(run, train, test, 1, 0);
  CHECK(free.train.loss < 0.45);
  CHECK(free.clipped == 0.0);
  run.clip = 2.0;
  run.noise_multiplier = 40.0;
  run.average = false;
  const auto noisy = simulate::train_network(run, train, test, 1, 0);
  CHECK(noisy.train.loss > free.train.loss + 0.1);
  CHECK(noisy.clipped > 0.0);
}

TEST_CASE("runs outside the domain name what is wrong", "[simulate][errors]") {
  auto train = losses(60, 0), test = losses(50, 1);
  auto run = setting();
  run.radius = 0.0;
  CHECK_THROWS_WITH(simulate::train_network(run, train, test, 1, 0), Catch::Contains("radius = 0"));
  run = setting();
  run.batch_size = 61.0;
  CHECK_THROWS_WITH(simulate::train_network(run, train, test, 1, 0), Catch::Contains("batch_size = 61"));
  run = setting();
  run.clip = infinity;
  CHECK_THROWS_AS(simulate::train_network(run, train, test, 1, 0), DomainError);
}
