// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Phased SGD for generalised linear models: Algorithms 2, 3, 5 and 6. Algorithms 1 and 9 choose between 2 and 3 by a
/// rule (bounds/glm_plan.hpp).
///
/// One pass in k = floor(log2 n) phases (models/phase_schedule.hpp): phase i starts at the last release w_{i-1}, takes
/// n_i steps w <- w - eta_i s(<w, x>, y) x, and releases the mean of the iterates before each step plus N(0, tau_i^2
/// I). s is the slope of the surrogate loss (Algorithms 2, 3), or of its Moreau envelope (5, 6). Algorithms 3 and 6 are
/// the same on projected records (MappedRecords), with the parameter carried back by the transpose.
///
/// Records are read 64 at a time: memory O(64 d) whatever n is. A run is a function of (setting, records, seed, path).
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <dpcurves/models/link.hpp>
#include <dpcurves/models/phase_schedule.hpp>
#include <dpcurves/simulate/glm_records.hpp>

namespace dpcurves::simulate {

/// s(u, y) at u = <w, x>: the factor of x in a gradient. It may be inexact, as the paper's oracle is.
using Slope = std::function<double(double u, double label)>;

/// Of the Moreau envelope with parameter beta, by the proximal point: Algorithms 5 and 6.
[[nodiscard]] Slope envelope_slope(const models::Link& link, double smoothing);
/// By Algorithm 4 as written with T steps, each call T evaluations of the link: for comparison only.
[[nodiscard]] Slope oracle_slope(const models::Link& link, double label_bound, double smoothing, std::uint64_t steps);

/// A run of phased SGD; with `slope` of an envelope, Algorithm 5.
struct PhasedSgd {
  models::Link link;            ///< of the surrogate loss
  double step_size = 1.0;       ///< eta > 0
  double noise_per_step = 0.0;  ///< c >= 0 of tau_i = c eta_i; 0: the non-private baseline
  std::vector<double> start{};  ///< w_0, must not depend on the records; empty: 0
  Slope slope{};                ///< empty: of the surrogate loss
  /// k = ceil(log2 n) as printed: unless n is a power of 2 the last phase is empty and its mean 0/0, a NaN.
  bool printed_phases = false;
  /// Called after every phase with i >= 1, the mean and the release, if given.
  std::function<void(int phase, std::span<const double> mean, std::span<const double> release)> observe{};
};

/// Algorithm 2, or 5 with an envelope's slope: w_k, shape (dimension).
/// \throws DomainError  for a setting out of range, a start of another size, or fewer than 2 records.
/// Cost: for d = 5 and tanh about 60 ns per record, reading included.
[[nodiscard]] std::vector<double> phased_sgd(const PhasedSgd& setting, RecordSource& records, std::uint64_t seed,
                                             std::uint32_t path);

/// Algorithm 3, or 6: phased_sgd on (Phi x, y), and Phi^T w_k, shape (records.dimension()). `setting.start` is in R^m.
[[nodiscard]] std::vector<double> projected_phased_sgd(const PhasedSgd& setting, RecordSource& records,
                                                       models::JohnsonLindenstrauss& map, std::uint64_t seed,
                                                       std::uint32_t path);

}  // namespace dpcurves::simulate
