// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Steps dominated by mixtures of normal laws: given ones, records used more than once in a batch, truncated batches,
/// adaptive clipping.
///
/// Source: derived in this project, docs/theory/accountant/samplers.md; the inversion:
/// docs/theory/accountant/mixtures.md.
#pragma once

#include <tuple>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/field.hpp>

namespace dpcurves::accounting {

/// Steps whose pair is sum of weights_j N(means_j, 1) against N(0, 1).
struct MixtureStep {
  double count = 1.0;           ///< how many of them
  std::vector<double> weights;  ///< nonnegative, of sum 1 up to 1e-9: normalised
  std::vector<double> means;    ///< as many

  static constexpr std::tuple fields{
      optional("count", &MixtureStep::count, whole("[0, 1e15]"), "how many of these steps"),
      required("weights", &MixtureStep::weights, "[0, 1]", "of the components; normalised"),
      required("means", &MixtureStep::means, "[-1e3, 1e3]", "of the components, in units of the noise")};
};

/// The composition of the steps; `remove` has the mixtures as the first law, `add` as the second.
/// Both ends are proved; delta to a relative 1e-7 for thousands of steps, wider for single ones. Renyi: [0, inf].
/// \throws DomainError  unless the weights are nonnegative, of sum 1 up to 1e-9, and as many as the means.
/// Cost: about 0.02 s for a delta or an epsilon.
[[nodiscard]] CurvePtr given_mixtures_curve(const std::vector<MixtureStep>& steps, bool remove);

/// Of n records, each in the batch with chance p; of a batch above B, a uniform choice of B is kept.
struct Truncation {
  Enclosure truncation;        ///< tau: that at least B of the other n - 1 records are drawn
  Enclosure conditional_rate;  ///< that a record is kept, given that
  Enclosure inclusion_rate;    ///< that a record is kept
  Enclosure overflow;          ///< that more than B records are drawn
};

/// tau = P(Bin(n - 1, p) >= B), overflow = P(Bin(n, p) > B), conditional rate overflow B / (n tau), inclusion rate
/// p P(Bin(n - 1, p) < B) + overflow B / n: incomplete beta functions in ball arithmetic.
/// \throws DomainError  unless n and B are whole numbers >= 1 and p in [0, 1].
[[nodiscard]] Truncation truncation(double records, double sampling_rate, double largest_batch);

/// Batches in which the records of one owner may be used several times, and others fill their places.
struct Multiplicity {
  bool replacement = true;        ///< drawn with replacement, or not
  double noise_multiplier = 1.0;  ///< Z in (0, inf)
  double batch_size = 1.0;        ///< B, whole
  double records = 1.0;           ///< n, whole, at least B without replacement
  double group_size = 1.0;        ///< k of one owner, whole, at most n
  double steps = 1.0;             ///< whole
  double others = -1.0;           ///< the gradients of all other records in the instance, in [-1, 1]
};
/// Neighbours.
enum class MultiplicityDirection {
  zero_remove,  ///< the records against their gradients zeroed out
  zero_add,     ///< the other way round
  replace       ///< replaced
};
/// Profiles of the steps.
struct MultiplicityCurves {
  CurvePtr revealed;  ///< an upper bound: the number of uses is published where it is not 0
  CurvePtr hidden;    ///< another one: Lemma M
  CurvePtr instance;  ///< attained: all other gradients are `others`
};
/// \throws DomainError  for values outside the ranges above. Cost: as given_mixtures_curve, times the numbers of uses.
[[nodiscard]] MultiplicityCurves multiplicity_curves(const Multiplicity& setting, MultiplicityDirection direction);

/// A clipping norm that follows a noisy count of the gradients below it.
struct AdaptiveClipping {
  double count_noise = 1.0;  ///< standard deviation of the noise on each count
  double groups = 1.0;       ///< norms, hence counts, of each step
  double shift = 0.5;        ///< taken from every bit before it is summed

  static constexpr std::tuple fields{
      required("count_noise", &AdaptiveClipping::count_noise, "(0, inf)",
               "noise on the number of gradients below the norm"),
      optional("groups", &AdaptiveClipping::groups, whole("[1, 1e6]"), "clipping norms, hence counts, of each step"),
      optional("shift", &AdaptiveClipping::shift, "[0, 1]", "what is taken from every bit: 0 or 1/2")};
};
/// Z of the step that releases sum and counts: 1/sqrt(1/Z^2 + groups (max(shift, 1 - shift) / count_noise)^2), because
/// the bits and the gradient are one vector of that norm. Andrew et al. (2021) for one group and a shift of 1/2.
[[nodiscard]] double with_counts(double noise_multiplier, const AdaptiveClipping& clipping);
/// The Z of the sum for which with_counts is `target`. \throws DomainError  where the counts alone reveal more.
[[nodiscard]] double for_counts(double target, const AdaptiveClipping& clipping);

}  // namespace dpcurves::accounting
