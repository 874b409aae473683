// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How much noise makes training (epsilon, delta)-DP: the order that the paper states, and the noise multiplier that
/// is proved for the way in which batches are drawn.
///
/// z = sigma_n B/C is the noise multiplier: sigma_n the standard deviation per coordinate of the noise on the average
/// of B clipped gradients (the paper calls it a variance), C the clip. One record more or less moves the sum of clipped
/// gradients by C at most; one record replaced by 2 C, which doubles z.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Definition 2 and Remark 4 (an order statement that credits advanced composition; its rate is that of a
/// moments accountant); Dong, Roth and Su (2022) for Gaussian composition; the accountants are those of
/// accounting/dp_sgd.hpp.
#pragma once

#include <string>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// Remark 4: constant C sqrt(T log(1/delta))/(n epsilon). No guarantee: the constant is not named by the paper.
/// \param clip, epsilon, constant  in (0, inf). \param steps, records  whole, >= 1. \param delta  in (0, 1).
[[nodiscard]] double noise_scale_order(double clip, double steps, double delta, double records, double epsilon,
                                       double constant = 1.0);

/// Full batches, one record added or removed: T releases of a sum with noise multiplier z are sqrt(T)/z-GDP, exactly.
struct FullBatchNoise {
  double mu = 0.0;
  double noise_multiplier = 0.0;
  static constexpr std::tuple fields{
      result("mu", &FullBatchNoise::mu, "the largest mu that is (epsilon, delta)-DP, rounded down"),
      result("noise_multiplier", "z", &FullBatchNoise::noise_multiplier, "sqrt(T)/mu, rounded up")};
};
/// \param epsilon  >= 0, finite. \param delta  in (0, 1). \param steps  T >= 1, whole.
/// \throws DomainError outside. Accuracy: 1e-12. Cost: 10 us.
[[nodiscard]] FullBatchNoise full_batch_noise(double epsilon, double delta, double steps);

/// A run whose noise is to be found.
struct PrivateRun {
  double records = 1.0;                                       ///< n >= 1, whole
  double batch = 1.0;                                         ///< B in [1, n], whole; ignored without sampling
  double steps = 1.0;                                         ///< T >= 1, whole
  mechanism::Sampler sampling = mechanism::Sampler::poisson;  ///< how the run draws its batches
  mechanism::Adjacency adjacency = mechanism::Adjacency::add_or_remove;  ///< which data sets are neighbours
};

/// The noise of a run that meets its budget, and the proof that it does.
struct CalibratedNoise {
  double noise_multiplier = 0.0;  ///< z at which (epsilon, delta) was certified
  Enclosure delta;                ///< of the run with that z at epsilon
  std::string theorem;            ///< that it rests on
};

/// The least noise multiplier, to a relative `tolerance`, for which the run is certified (epsilon, delta)-DP. The
/// sampling of the run is that of the accountant: there is no other way to ask.
/// \throws DomainError  outside the ranges, or if no theorem covers the sampling with the adjacency (the message names
/// the nearest that has one). Cost: about 10 evaluations of the accountant, below a second.
[[nodiscard]] CalibratedNoise calibrated_noise(const PrivateRun& run, double epsilon, double delta,
                                               double tolerance = 1e-9);

}  // namespace dpcurves::bounds
