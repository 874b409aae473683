// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/network_training.hpp>

namespace dpcurves::simulate {

Constraint layer_balls(const models::NetworkShape& shape, double radius, BallCentre centre,
                       std::span<const double> start) {
  require_domain(radius > 0.0, "radius", radius, "(0, inf]");
  require_domain(start.size() == shape.parameters(), "dimension of the start", static_cast<double>(start.size()),
                 "that of the network");
  std::vector<double> middle(start.size(), 0.0);
  if (centre == BallCentre::start) {
    middle.assign(start.begin(), start.end());
  }
  return [shape, radius, middle = std::move(middle)](std::span<double> iterate) {
    bool moved = false;
    for (std::size_t layer = 0; layer < shape.depth; ++layer) {
      auto w = models::layer_of(shape, iterate, layer);
      const auto at = models::layer_of(shape, std::span<const double>(middle), layer);
      const double length = (w - at).norm();
      if (length > radius) {
        w = at + (radius / length) * (w - at);
        moved = true;
      }
    }
    return moved;
  };
}

NetworkOutcome train_network(const NetworkRun& setting, models::NetworkLosses& train, models::NetworkLosses& test,
                             std::uint64_t seed, std::uint32_t path) {
  require_domain(setting.steps >= 1, "steps", static_cast<double>(setting.steps), "[1, inf)");
  const auto& shape = train.shape();
  require_domain(test.dimension() == train.dimension(), "parameters of the test network",
                 static_cast<double>(test.dimension()), "those of the trained one");
  DpSgd run_setting{.sampling = BatchSampling::poisson,
                    .batch_size = setting.batch_size,
                    .step_size = setting.step_size,
                    .iterates = setting.steps + 1,
                    .clip = setting.clip,
                    .noise_multiplier = setting.noise_multiplier};
  const auto start = models::initial_network(shape, seed, path);
  NetworkOutcome outcome;
  Constraint balls;
  if (!(setting.radius == std::numeric_limits<double>::infinity())) {
    balls = layer_balls(shape, setting.radius, setting.centre, start);
    auto copy = start;
    outcome.start_moved = balls(copy);
  }
  DpSgdRun run(run_setting, train, start, seed, path, {}, std::move(balls));
  std::vector<double> mean(start.size(), 0.0);
  double records = 0.0;
  for (std::size_t t = 1; t <= setting.steps; ++t) {
    run.step();
    const auto w = run.iterate();
    if (setting.average) {
      const double share = 1.0 / static_cast<double>(t);
      for (std::size_t i = 0; i < w.size(); ++i) {
        mean[i] += share * (w[i] - mean[i]);
      }
    }
    records += static_cast<double>(run.batch().size());
    outcome.clipped += static_cast<double>(run.summary().clipped);
    outcome.largest_gradient = std::max(outcome.largest_gradient, run.summary().largest_norm);
    outcome.projected += run.projected() ? 1U : 0U;
  }
  outcome.clipped = records > 0.0 ? outcome.clipped / records : 0.0;
  const std::span<const double> returned = setting.average ? std::span<const double>(mean) : run.iterate();
  outcome.train = models::quality(train, returned);
  outcome.test = models::quality(test, returned);
  return outcome;
}

}  // namespace dpcurves::simulate
