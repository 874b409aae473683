// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The closed forms of the paper for the noise multiplier, with what they are worth.
///
/// Noise multipliers are standard deviations on the sum of clipped gradients, in units of the clipping norm.
///
/// Source: Wang et al., "Population risk bounds for Kolmogorov-Arnold networks trained by DP-SGD with correlated
/// noise", Theorems 5.1 and F.12 (correlated noise), 5.4 and D.9 (independent noise), Lemmas D.7 and F.10.
#pragma once

#include <optional>

#include <dpcurves/core/assumption.hpp>

namespace dpcurves::correlated {

/// Theorem F.12: kappa = gain sqrt(constant tau log(2.5/delta)) / epsilon, tau = r T + sqrt(3 r T log(2/delta)).
///
/// Both for Poisson batches and for batches of a fixed size. The constant 2 is proved where one record is zeroed out
/// (sensitivity 1); where it is replaced (sensitivity 2) the same proof needs the printed 8.
struct ClosedForm {
  double lambda = 0.0;         ///< in [0, 1)
  double sampling_rate = 1.0;  ///< r in (0, 1]
  double steps = 1.0;          ///< T, a whole number >= 1
  double epsilon = 1.0;        ///< in (0, 1]
  double delta = 1e-5;         ///< in (0, 1]
};

inline constexpr double zero_out_constant = 2.0;     ///< what the proof needs for sensitivity 1
inline constexpr double replacement_constant = 8.0;  ///< as printed; what it needs for sensitivity 2

/// What Theorem F.12 gives, with the conditions it rests on.
struct ClosedFormAnswer {
  double expected_participations = 0.0;  ///< r T
  double required_participations = 0.0;  ///< 3 log(2/delta): the least r T that Lemma F.10 allows
  bool valid = false;                    ///< the run is long enough: expected_participations >= required_participations
  /// 1 + lambda + ... + lambda^(T-1) = (1 - lambda^T)/(1 - lambda): what one participation in every step adds up to.
  double gain = 0.0;
  double participations = 0.0;               ///< tau, of Lemma F.10
  double noise_multiplier = 0.0;             ///< with the printed constant 8
  double noise_multiplier_constant_2 = 0.0;  ///< zero-out only
};

/// \throws DomainError  for an argument outside its range; a short run is `valid == false`. Accuracy: 1e-14.
[[nodiscard]] ClosedFormAnswer closed_form(const ClosedForm& setting);

/// The epsilon of Theorem F.12 for a given noise multiplier; empty where the theorem says nothing (r T too small, or
/// epsilon above 1). \param constant  zero_out_constant or replacement_constant. Rounded up by 1e-13.
[[nodiscard]] std::optional<double> closed_form_epsilon(const ClosedForm& setting, double noise_multiplier,
                                                        double constant);

/// Lemma D.7 with equation (19) as corrected (erratum: one factor 2 in front of the sum, not two): a bound of D_order
/// of one step with a batch of a fixed size, one record replaced.
/// \param order  an integer from 2 to 1e7. \throws DomainError outside. Accuracy: 1e-12 relative. Cost: that of `order`
/// terms, .1 us each.
[[nodiscard]] double fixed_size_rdp(double sampling_rate, double order, double noise_multiplier);

/// 8 order r^2 / kappa^2, as printed: the leading term only, not a bound.
[[nodiscard]] double printed_fixed_size_rdp(double sampling_rate, double order, double noise_multiplier);

/// An epsilon from Renyi divergences and the order that gave it.
struct RdpEpsilon {
  double epsilon = 0.0;  ///< rounded up, in nats
  double order = 0.0;    ///< the best integer
};

/// min over integer orders of T fixed_size_rdp + log(1/delta) / (order - 1) (Lemmas D.2, D.6, D.7).
/// \param delta  in (0, 1).
[[nodiscard]] RdpEpsilon fixed_size_rdp_epsilon(double sampling_rate, double steps, double noise_multiplier,
                                                double delta);

/// Theorem D.9: kappa^2 = 16 r^2 T / epsilon + 32 r^2 T log(1/delta) / epsilon^2, with what its own lemma certifies.
struct IndependentNoise {
  double noise_multiplier = 0.0;    ///< kappa, as printed
  double order = 0.0;               ///< 1 + 2 log(1/delta)/epsilon, as printed: not an integer
  double order_ceiling = 0.0;       ///< the integer that Lemma D.7 needs
  double rdp = 0.0;                 ///< fixed_size_rdp at order_ceiling, one step
  double epsilon = 0.0;             ///< what the proof gives at order_ceiling
  RdpEpsilon best{};                ///< what it gives at the best integer order
  bool certified_at_order = false;  ///< epsilon <= the target
  bool certified = false;           ///< best.epsilon <= the target
};

/// \param epsilon  > 0. \param delta  in (0, 1). \throws DomainError outside.
[[nodiscard]] IndependentNoise independent_noise(double sampling_rate, double steps, double epsilon, double delta);

/// Renyi divergence of the Gaussian mechanism and its two conversions (Lemmas D.4, D.2).
struct GaussianRdp {
  double rdp = 0.0;              ///< order sensitivity^2 / (2 deviation^2)
  double epsilon = 0.0;          ///< Lemma D.2
  double tighter_epsilon = 0.0;  ///< rdp + log((a - 1)/a) - (log delta + log a)/(a - 1); may be negative
};
/// \param order  a > 1. \param sensitivity  >= 0. \param deviation  > 0. \param delta  in (0, 1).
[[nodiscard]] GaussianRdp gaussian_rdp(double order, double sensitivity, double deviation, double delta);

}  // namespace dpcurves::correlated
