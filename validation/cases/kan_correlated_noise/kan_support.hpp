// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the cases about KANs share: data and networks, a run of the shifted twin with everything that the pathwise
/// claims speak of, and coupled runs that differ in one record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dpcurves/models/kan.hpp>
#include <dpcurves/models/kan_constants.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::kan_correlated_noise {

/// n points of the ball in d = 4 dimensions with a margin, a tanh network with m units and 5 cubic splines per edge.
struct Instance {
  models::KanLosses losses;
  std::vector<double> start;  ///< W_0
};
[[nodiscard]] Instance instance(std::size_t records, std::size_t units, std::uint64_t seed, std::size_t inputs = 4);

/// Records at 0.9 and -0.9: kinds 0 and 1 with the label of their sign, 2 and 3 with the other.
[[nodiscard]] models::BinaryData two_points(std::span<const std::uint32_t> kinds);

/// Batches of B records and noise of standard deviation c per coordinate of a gradient at lambda = 0; clip 1 is out of
/// reach.
[[nodiscard]] simulate::DpSgd descent(double batch, double step_size, std::size_t iterates, double private_noise,
                                      double correlation);

/// The comparisons that follow are of a claim about every run, on runs that are followed exactly: a single violation
/// refutes it, and none has to do with chance. `units` of the `runs` are independent; 0: all.
inline void every_run(Trial& trial, std::size_t runs, std::size_t units = 0) {
  trial.count_runs(runs, units);
  trial.by_exact_law();
}

/// Entry by entry a + factor b.
[[nodiscard]] std::vector<double> sum(std::span<const double> a, double factor, std::span<const double> b);
[[nodiscard]] double squared_distance(std::span<const double> a, std::span<const double> b);
[[nodiscard]] std::vector<double> to_vector(std::span<const double> x);

/// The unit direction u of the NTK margin at W_0, and the margin.
struct MarginDirection {
  std::vector<double> direction;
  double margin = 0.0;
};
[[nodiscard]] MarginDirection margin_direction(Instance& of);

/// A run of the twin against a comparator W*.
struct Walk {
  std::vector<simulate::ShiftTerms> terms;  ///< of steps 1, ..., T
  std::vector<double> losses;               ///< L_S(Wt_{t-1})
  double comparator_loss = 0.0;             ///< L_S(W*)
  double start_distance = 0.0;              ///< |W_0 - W*|^2
  double largest_distance = 0.0;            ///< max of |Wt_t - W*|
  double mean_loss = 0.0;                   ///< over t = 0, ..., T - 1
  double potential = 0.0;                   ///< M = max_k M_k
  double noise_energy = 0.0;                ///< sum of |Z_{t-1}|^2
  double batch_energy = 0.0;                ///< sum of |D_t|^2
  models::KanConstants constants;           ///< measured along the path and at the comparator
};
/// T = setting.iterates steps.
[[nodiscard]] Walk walk(Instance& on, const simulate::DpSgd& setting, const std::vector<double>& comparator,
                        std::uint64_t seed);

/// E a <= bound E b for paired runs and E b > 0: Student intervals of a - s b, s from 0 on, give that of the ratio.
void ratio_below(Trial& trial, const std::vector<double>& a, const std::vector<double>& b, double bound,
                 const std::string& what);

/// The noise multiplier at which the worst instance is (1, delta)-DP and no less: all gradients 0 but the record's,
/// whose 1 is replaced by -1, in every one of `steps` batches of all records. Its release is Gaussian with twice the
/// encoded sensitivity between the means.
[[nodiscard]] double full_batch_need(double lambda, double steps, double delta);

}  // namespace dpcurves::validation::kan_correlated_noise
