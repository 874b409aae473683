// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The stand-in for the paper's experiments with MNIST, whose figures give no numbers: records of the unit sphere of
/// R^20, labelled by a fixed tanh network with 5 % of the labels flipped, logistic loss, three layers, Poisson batches.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <dpcurves/simulate/network_training.hpp>

namespace dpcurves::validation::dp_glm_networks {

/// The least noise multiplier, up to a relative 1e-3 and on the safe side, at which `steps` Poisson batches at `rate`
/// are (epsilon, delta)-DP for add or remove, by the certified accountant; 0 for infinite epsilon.
[[nodiscard]] double calibrated_noise(double rate, double steps, double epsilon, double delta);

struct StandIn {
  std::size_t records = 1000, width = 64, inputs = 20, test_records = 2000;
  double epsilon = 1.0;        ///< with delta = 1/n^2; infinite: neither noise nor clipping
  double noise_scale = 1.0;    ///< factor on the calibrated noise; other than 1: not private
  simulate::NetworkRun run{};  ///< noise_multiplier is filled in
  /// Other data to train or to test on, `inputs` long; null: the records of the sphere.
  std::function<models::BinaryData(bool test, std::size_t records, std::uint32_t path)> data{};
};

/// The run of a setting, with its noise and, without privacy, without clipping.
[[nodiscard]] simulate::NetworkRun calibrated_run(const StandIn& setting);

/// The outcome of one seed of a calibrated run.
[[nodiscard]] simulate::NetworkOutcome run_stand_in_once(const StandIn& setting, const simulate::NetworkRun& run,
                                                         std::size_t number, std::uint64_t seed);

/// Outcomes of seeds 0, ..., seeds - 1: the same data, start and batches for every setting with equal records, width,
/// batch size.
[[nodiscard]] std::vector<simulate::NetworkOutcome> run_stand_in(const StandIn& setting, std::size_t seeds,
                                                                 std::uint64_t seed, unsigned threads);

/// Test losses, or test errors, of outcomes.
[[nodiscard]] std::vector<double> test_losses(const std::vector<simulate::NetworkOutcome>& outcomes);
[[nodiscard]] std::vector<double> test_errors(const std::vector<simulate::NetworkOutcome>& outcomes);

}  // namespace dpcurves::validation::dp_glm_networks
