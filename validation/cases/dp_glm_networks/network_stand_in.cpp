// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/dp_glm_networks/network_stand_in.hpp"

#include <cmath>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>

#include "validation/cases/dp_glm_networks/network_support.hpp"

namespace dpcurves::validation::dp_glm_networks {

double calibrated_noise(double rate, double steps, double epsilon, double delta) {
  if (std::isinf(epsilon)) {
    return 0.0;
  }
  accounting::Parameter noise{.lowest = 1e-2, .highest = 1e6, .more_is_private = true};
  accounting::CalibrationTarget target{.epsilon = epsilon, .delta = delta, .tolerance = 1e-3};
  // The implied c2 of the accounting table lies between 1.2 and 2.4 where much noise is needed.
  target.guess = 1.0 + 1.25 * rate * std::sqrt(steps * -std::log(delta)) / epsilon;
  const auto found = accounting::calibrate(
      [&](double value, double relative) -> std::optional<Enclosure> {
        accounting::DpSgd run;
        run.phases = {{value, rate, steps}};
        accounting::Accuracy accuracy;
        accuracy.relative = std::max(relative, 1e-3);
        try {
          return accounting::dp_sgd_guarantee(run, accuracy).curve->delta(epsilon).value;
        } catch (const ConvergenceError&) {
          return std::nullopt;
        }
      },
      noise, target);
  if (!found.value) {
    throw ConvergenceError("no noise multiplier below 1e6 was certified");
  }
  return *found.value;
}

simulate::NetworkRun calibrated_run(const StandIn& setting) {
  const auto n = static_cast<double>(setting.records);
  auto run = setting.run;
  run.noise_multiplier = setting.noise_scale * calibrated_noise(run.batch_size / n, static_cast<double>(run.steps),
                                                                setting.epsilon, 1.0 / (n * n));
  if (std::isinf(setting.epsilon)) {
    run.clip = std::numeric_limits<double>::infinity();
  }
  return run;
}

simulate::NetworkOutcome run_stand_in_once(const StandIn& setting, const simulate::NetworkRun& run, std::size_t number,
                                           std::uint64_t seed) {
  const auto path = static_cast<std::uint32_t>(2 * number);
  const models::NetworkShape shape{setting.inputs, setting.width, 3};
  const auto data = [&](bool test) {
    const std::size_t count = test ? setting.test_records : setting.records;
    return setting.data ? setting.data(test, count, static_cast<std::uint32_t>(number))
                        : sphere_data(setting.inputs, count, seed, test ? path + 1 : path);
  };
  models::NetworkLosses train(shape, data(false)), test(shape, data(true));
  return simulate::train_network(run, train, test, seed, path);
}

std::vector<simulate::NetworkOutcome> run_stand_in(const StandIn& setting, std::size_t seeds, std::uint64_t seed,
                                                   unsigned threads) {
  const auto run = calibrated_run(setting);
  std::vector<simulate::NetworkOutcome> outcomes(seeds);
  const auto train_one = [&](std::size_t i) { outcomes[i] = run_stand_in_once(setting, run, i, seed); };
  shared_for(seeds, threads, train_one, [&](std::size_t i, Archive& archive) {
    auto& one = outcomes[i];
    archive(one.train, one.test, one.clipped, one.largest_gradient, one.projected, one.start_moved);
  });
  return outcomes;
}

std::vector<double> test_losses(const std::vector<simulate::NetworkOutcome>& outcomes) {
  return mapped(outcomes, [&](const auto& one) { return one.test.loss; });
}

std::vector<double> test_errors(const std::vector<simulate::NetworkOutcome>& outcomes) {
  return mapped(outcomes, [&](const auto& one) { return one.test.error; });
}

}  // namespace dpcurves::validation::dp_glm_networks
