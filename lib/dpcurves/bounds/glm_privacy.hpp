// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Privacy of private generalised linear models: the exact curve beside the noise that the algorithms print.
///
/// In phased SGD one record (replaced by another, n fixed) touches one phase, and the mean of that phase moves by at
/// most s eta_i (n_i - 1)/n_i where every step is non-expansive. Later phases only process what is released. Hence the
/// whole run, with every w_i published, is one Gaussian mechanism of strength mu = s/c, for tau_i = c eta_i: no
/// composition. Algorithm 7 composes T Gaussians whose noise grows with T, so that mu does not depend on T. Algorithm 8
/// has disjoint batches, again the worst of them.
///
/// The projected algorithms meet (epsilon, delta/2) on the event that no |Phi x| of the n + 1 records of two
/// neighbours exceeds 2|x|, and the event must hold with probability 1 - delta/2: johnson_lindenstrauss_event.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Lemma 1, Theorems 1, 2 and 4
/// to 7. Accuracy of all numbers: 1e-12 relative, where tradeoff/gaussian.hpp has it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::bounds {

/// Whose noise is meant: the phased algorithms, projected gradient descent (7), and Lemma 1.
enum class GlmMechanism { algorithm_2, algorithm_3, algorithm_5, algorithm_6, algorithm_7, classic };
/// Their names.
constexpr std::array<std::pair<GlmMechanism, std::string_view>, 6> enumerators(GlmMechanism /*type*/) {
  return {{{GlmMechanism::algorithm_2, "alg2"},
           {GlmMechanism::algorithm_3, "alg3"},
           {GlmMechanism::algorithm_5, "alg5"},
           {GlmMechanism::algorithm_6, "alg6"},
           {GlmMechanism::algorithm_7, "alg7"},
           {GlmMechanism::classic, "classic"}}};
}

/// mu of the printed noise at (epsilon, delta): epsilon/(2 sqrt(ln(1/delta))) for Algorithms 2 and 5, the same with
/// 2/delta for 3 and 6, epsilon/sqrt(2 ln(2/delta)) for 7, epsilon/sqrt(2 ln(1.25/delta)) for Lemma 1. The factor
/// (n_1 - 1)/n_1 of the sensitivity is not used.
/// \param epsilon  > 0, finite. \param delta  in (0, 1). \throws DomainError outside; so for all below.
[[nodiscard]] double printed_mu(GlmMechanism mechanism, double epsilon, double delta);

/// What the noise has to meet: delta/2 for Algorithms 3, 6 and 7, which spend the rest on the projection, else delta.
[[nodiscard]] double delta_target(GlmMechanism mechanism, double delta);

/// The printed noise against the exact curve.
struct GlmPrivacy {
  double mu = 0.0;                    ///< of the printed noise, as printed_mu
  double delta_target = 0.0;          ///< as the function of this name: delta, or half of it
  double delta_at_epsilon = 0.0;      ///< what the noise gives at the claimed epsilon
  double log_delta_at_epsilon = 0.0;  ///< natural logarithm, finite where delta underflows
  double epsilon_at_target = 0.0;     ///< what the noise gives at the target; 0 if it meets delta at epsilon 0
  /// The printed noise over the least that is private at (epsilon, target): below 1 it is not private as claimed.
  double noise_excess = 0.0;
};
/// Domain as printed_mu. Cost: about 100 us.
[[nodiscard]] GlmPrivacy printed_privacy(GlmMechanism mechanism, double epsilon, double delta);

/// What may be promised of the printed noise: epsilon at the target, both ends certified.
[[nodiscard]] Enclosure promised_epsilon(GlmMechanism mechanism, double epsilon, double delta);

/// The first epsilon > 1 at which the printed noise stops meeting the target. It exists and is unique: along the
/// printed noise delta rises with epsilon, because d mu/d epsilon exceeds the Mills ratio at epsilon/mu + mu/2. \param
/// delta  in (0, 1/2].
[[nodiscard]] double largest_valid_epsilon(GlmMechanism mechanism, double delta);

/// mu of a Gaussian mechanism whose noise is `noise_ratio` times the noise of Algorithm 8 as printed, attacked by
/// records sqrt(d) e_1 with labels -B and B at w = 0: sqrt(d) epsilon/sqrt(2 ln(1.25/delta)). \param dimension  d >= 1.
[[nodiscard]] double algorithm_8_printed_mu(double dimension, double epsilon, double delta);

/// Variance per coordinate of a step of Algorithm 8.
struct BatchNoiseSetting {
  double label_bound = 1.0;     ///< B > 0
  double feature_bound = 1.0;   ///< Rx >= |x|; sqrt(d) in the paper
  double parameter_norm = 0.0;  ///< |w_{i-1}| >= 0
  double batch = 1.0;           ///< m >= 1
  double epsilon = 1.0;         ///< in (0, 1]: Lemma 1 needs no more
  double delta = 1e-5;          ///< in (0, 1)
};
/// 8 Rx^2 (Rx |w| + B)^2 ln(1.25/delta)/(m^2 epsilon^2). As printed the factor Rx^2 is missing and the noise not
/// private.
[[nodiscard]] double batch_noise_variance(const BatchNoiseSetting& setting);
/// The same as printed, without Rx^2: kept to show that it is not private.
[[nodiscard]] double printed_batch_noise_variance(const BatchNoiseSetting& setting);

/// Variance per coordinate of a step of Algorithm 7: 32 (4W + B)^2 T ln(2/delta)/(n^2 epsilon^2).
[[nodiscard]] double projected_descent_variance(double label_bound, double radius, double steps, double records,
                                                double epsilon, double delta);

/// 4 B eta_i (n_i - 1)/n_i, the most that the mean of a phase of Algorithm 2 moves; attained in the limit.
[[nodiscard]] double phase_sensitivity(double label_bound, double step_size, std::uint64_t phase_records);

/// log P(chi2_m > 4 m) = log Q(m/2, 2m). \param projected_dimension  m, an integer >= 1.
/// Accuracy: 1e-12 absolute plus 1e-15 relative.
[[nodiscard]] double log_projection_failure(double projected_dimension);

/// The event that no |Phi x| exceeds 2 |x| among n + 1 records, Phi Gaussian: failure at most (n + 1) Q(m/2, 2m).
struct ProjectionEvent {
  double log_union_failure = 0.0;  ///< log((n + 1) Q(m/2, 2m)), natural; positive where the union bound says nothing
  bool enough = false;             ///< union failure at most delta/2
  double least_dimension = 1.0;    ///< smallest m that is enough; the failure falls with m
  double chernoff_dimension = 1;   ///< ceil(2 ln(2(n + 1)/delta)/(3 - ln 4)), always enough too
};
/// \param projected_dimension  m, an integer >= 1. \param records  n >= 1.
[[nodiscard]] ProjectionEvent johnson_lindenstrauss_event(double projected_dimension, double records, double delta);

}  // namespace dpcurves::bounds
