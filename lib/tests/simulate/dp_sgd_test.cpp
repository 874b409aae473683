// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>
#include <set>

#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using simulate::BatchSampling;
using simulate::DpSgd;
using simulate::DpSgdRun;
using simulate::ShiftedTwin;

namespace {

models::KanLosses network(std::size_t n = 60, std::size_t m = 32, std::uint32_t path = 0) {
  models::BallData law;
  law.records = n;
  return {models::KanNetwork::draw({4, m, 5, 3, models::Activation::tanh}, 1, 0), models::ball_data(law, 1, path)};
}

DpSgd setting() {
  DpSgd s;
  s.batch_size = 10;
  s.step_size = 0.5;
  s.iterates = 301;
  s.clip = 10.0;
  s.noise_multiplier = 0.05;
  s.correlation = 0.7;
  return s;
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

TEST_CASE("the identity of the shifted iterate (Lemma C.1) and its update hold to 1e-14 along a run",
          "[simulate][dp-sgd]") {
  const auto sampling = GENERATE(BatchSampling::fixed_size, BatchSampling::poisson);
  auto model = network();
  auto s = setting();
  s.sampling = sampling;
  const auto start = models::draw_first_layer(model.network().shape(), 1, 0);
  auto comparator = start;
  for (std::size_t i = 0; i < comparator.size(); ++i) {
    comparator[i] += 0.02 * std::cos(static_cast<double>(i));
  }
  ShiftedTwin twin(s, model, start, 1, 0);
  const double eta = s.step_size, lambda = s.correlation, c = s.private_noise();
  double worst = 0.0, flipped = 0.0, update = 0.0;
  for (int t = 1; t <= 300; ++t) {
    twin.step();
    const auto x = simulate::shift_terms(twin, comparator);
    const double rest = x.before - 2.0 * eta * x.drift - 2.0 * eta * x.batch_shift -
                        2.0 * (1.0 - lambda) * eta * c * x.noise_shift + eta * eta * x.gradient_squared +
                        (1.0 - lambda) * (1.0 - lambda) * eta * eta * c * c * x.noise_squared +
                        2.0 * (1.0 - lambda) * eta * eta * c * x.batch_noise;
    const double last = 2.0 * lambda * eta * eta * c * x.drift_noise;
    worst = std::max(worst, std::abs(rest - last - x.after) / x.after);
    flipped = std::max(flipped, std::abs(rest + last - x.after) / x.after);
    double difference = 0.0, size = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double moved = twin.previous_shifted()[i] - eta * (twin.full_gradient()[i] + twin.fluctuation()[i] +
                                                               (1.0 - lambda) * c * twin.previous_noise()[i]);
      difference = std::max(difference, std::abs(moved - twin.shifted()[i]));
      size = std::max(size, std::abs(twin.shifted()[i]));
    }
    update = std::max(update, difference / size);
  }
  CHECK(worst < 1e-14);
  CHECK(update < 1e-14);
  CHECK(flipped > 1e-5);  // the negative control
}

TEST_CASE("run and twin have the same bits until clipping or projection first act", "[simulate][dp-sgd]") {
  auto model = network();
  auto s = setting();
  s.iterates = 100;
  const auto start = models::draw_first_layer(model.network().shape(), 1, 0);
  const auto first_difference = [&](const DpSgd& run_setting, std::size_t& first_activation) {
    DpSgdRun run(run_setting, model, start, 1, 0);
    auto twin_setting = s;  // same noise per coordinate
    ShiftedTwin twin(twin_setting, model, start, 1, 0);
    first_activation = 0;
    std::size_t first = 0;
    for (std::size_t t = 1; t < s.iterates; ++t) {
      run.step();
      twin.step();
      if (first_activation == 0 && (run.projected() || run.summary().clipped > 0)) {
        first_activation = t;
      }
      if (first == 0 && !same_bits(run.iterate(), twin.iterate())) {
        first = t;
      }
    }
    return first;
  };
  std::size_t active = 0;
  SECTION("inactive") {
    s.radius = 1e3;
    CHECK(first_difference(s, active) == 0);
    CHECK(active == 0);
  }
  SECTION("a radius that is too small") {
    auto tight = s;
    tight.radius = 1.2;
    const std::size_t first = first_difference(tight, active);
    CHECK(active > 1);
    CHECK(first == active);
  }
  SECTION("a clip that acts") {
    auto tight = s;
    tight.clip = 0.12;
    tight.noise_multiplier = s.private_noise() * s.batch_size / tight.clip;
    REQUIRE(tight.private_noise() == s.private_noise());
    const std::size_t first = first_difference(tight, active);
    CHECK(active >= 1);
    CHECK(first == active);
  }
}

TEST_CASE("projection keeps iterates within the ball and sees the first one outside", "[simulate][dp-sgd]") {
  auto model = network();
  auto s = setting();
  s.radius = 2.0;
  const auto start = models::draw_first_layer(model.network().shape(), 1, 0);
  DpSgdRun run(s, model, start, 1, 0);
  std::size_t projected = 0;
  for (int t = 0; t < 200; ++t) {
    run.step();
    projected += run.projected() ? 1U : 0U;
    double square = 0.0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      square += (run.iterate()[i] - start[i]) * (run.iterate()[i] - start[i]);
    }
    REQUIRE(std::sqrt(square) <= s.radius * (1.0 + 1e-14));
  }
  CHECK(projected > 0);
  CHECK(run.largest_distance() == 2.0);
}

TEST_CASE("batches are uniform sets of B records, or Poisson with mean B", "[simulate][dp-sgd]") {
  DpSgd s;
  s.batch_size = 5;
  simulate::SharedRandomness fixed(s, 20, 3, 4, 0);
  std::vector<int> counts(20, 0);
  constexpr int steps = 4000;
  for (int t = 1; t <= steps; ++t) {
    const auto batch = fixed.batch(static_cast<std::size_t>(t));
    REQUIRE(std::set<std::uint32_t>(batch.begin(), batch.end()).size() == 5);
    for (const auto record : batch) {
      ++counts[record];
    }
  }
  for (const int count : counts) {
    CHECK(std::abs(count - steps / 4) < 6.0 * std::sqrt(steps * 0.25 * 0.75));
  }
  const std::vector<std::uint32_t> again(fixed.batch(17).begin(), fixed.batch(17).end());
  static_cast<void>(fixed.batch(18));
  CHECK(std::equal(again.begin(), again.end(), fixed.batch(17).begin()));  // a function of the step

  s.sampling = BatchSampling::poisson;
  simulate::SharedRandomness poisson(s, 20, 3, 4, 0);
  double sum = 0.0, square = 0.0;
  for (int t = 1; t <= steps; ++t) {
    const auto size = static_cast<double>(poisson.batch(static_cast<std::size_t>(t)).size());
    sum += size;
    square += size * size;
  }
  const double mean = sum / steps;
  CHECK(mean == Approx(5.0).margin(6.0 * std::sqrt(3.75 / steps)));
  CHECK(square / steps - mean * mean == Approx(3.75).epsilon(0.15));
}

TEST_CASE("cumulative noise telescopes", "[simulate][dp-sgd]") {
  // A model without gradients: W_t - W_0 = -eta c sum xi_s.
  class Flat final : public models::ExampleGradients {
   public:
    [[nodiscard]] std::size_t dimension() const override { return 2000; }
    [[nodiscard]] std::size_t records() const override { return 2; }
    models::BatchSummary clipped_sum(std::span<const std::uint32_t>, std::span<const double>, double,
                                     std::span<double> gradient) override {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      return {};
    }
    void losses(std::span<const std::uint32_t>, std::span<const double>, std::span<double>) override {}
  } flat;
  DpSgd s;
  s.batch_size = 1;
  s.step_size = 1.0;
  s.iterates = 201;
  s.clip = 1.0;
  s.noise_multiplier = 1.0;
  for (const double lambda : {0.0, 0.9}) {
    s.correlation = lambda;
    DpSgdRun run(s, flat, std::vector<double>(2000, 0.0), 5, 0);
    for (int t = 0; t < 200; ++t) {
      run.step();
    }
    double variance = 0.0;
    for (const double w : run.iterate()) {
      variance += w * w / 2000.0;
    }
    const double exact = 1.0 + 199.0 * (1.0 - lambda) * (1.0 - lambda);
    CHECK(variance == Approx(exact).epsilon(6.0 * std::sqrt(2.0 / 2000.0)));
  }
  // The same noise given as rows.
  s.correlation = 0.4;
  DpSgdRun built_in(s, flat, std::vector<double>(2000, 0.0), 5, 0);
  const auto rows = [](std::size_t t, std::span<double> row) {
    std::vector<double> before(row.size(), 0.0);
    random::normals(row, 5, random::Purpose::noise, 0, (t - 1) * row.size());
    if (t > 1) {
      random::normals(before, 5, random::Purpose::noise, 0, (t - 2) * row.size());
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] -= 0.4 * before[i];
    }
  };
  DpSgdRun given(s, flat, std::vector<double>(2000, 0.0), 5, 0, rows);
  for (int t = 0; t < 5; ++t) {
    built_in.step();
    given.step();
  }
  CHECK(same_bits(built_in.iterate(), given.iterate()));
}

TEST_CASE("full batches without noise are gradient descent", "[simulate][dp-sgd]") {
  auto model = network(20, 8);
  DpSgd s;
  s.batch_size = 20;
  s.step_size = 0.3;
  s.iterates = 50;
  auto test = network(20, 8, 1);
  simulate::KanTraining training;
  training.follow_loss = true;
  const auto start = models::draw_first_layer(model.network().shape(), 1, 0);
  double previous = models::mean_loss(model, start);
  bool decreasing = true;
  training.observe = [&](std::size_t, std::span<const double> w) {
    const double loss = models::mean_loss(model, w);
    decreasing = decreasing && loss < previous;
    previous = loss;
  };
  const auto outcome = simulate::train_kan(s, model, test, 1, 0, training);
  CHECK(decreasing);
  CHECK(outcome.train_loss == previous);
  CHECK(outcome.mean_train_loss > outcome.train_loss);
  CHECK(outcome.projected == 0);
}

TEST_CASE("settings that do not fit are refused", "[simulate][dp-sgd][errors]") {
  auto model = network(20, 8);
  const std::vector<double> start(model.dimension(), 0.0);
  DpSgd s;
  s.batch_size = 21;
  CHECK_THROWS_WITH(DpSgdRun(s, model, start, 1, 0), Catch::Contains("batch_size = 21"));
  s.batch_size = 2.5;
  CHECK_THROWS_AS(DpSgdRun(s, model, start, 1, 0), DomainError);
  s.sampling = BatchSampling::poisson;
  CHECK_NOTHROW(DpSgdRun(s, model, start, 1, 0));
  s.noise_multiplier = 1.0;  // no clip
  CHECK_THROWS_WITH(DpSgdRun(s, model, start, 1, 0), Catch::Contains("where there is noise"));
  s.clip = 1.0;
  CHECK_THROWS_AS(DpSgdRun(s, model, std::span(start).first(3), 1, 0), DomainError);
}
