// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Renyi loss of one pass of noisy SGD over shuffled records, by the law of linear HSGD.
///
/// The differing record is used at a time s uniform in (0, T), so the loss at order a is at most
///   log((1/T) int_0^T exp((a - 1) sup D_a(s)) ds) / (a - 1),
/// the supremum over a family of record pairs, D_a(s) = 0 for s past the release.
///
/// These losses average over the sampling of the other records: they are no guarantee for a fixed data set, and the
/// supremum runs over the family given, not over all records.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, "High-Dimensional Privacy-Utility Dynamics of Noisy Stochastic Gradient
/// Descent on Least Squares", Lemma C.3, (15), (21) with its missing "+", (24).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <dpcurves/core/estimate.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/homogenized/neighbouring_laws.hpp>
#include <dpcurves/homogenized/release.hpp>

namespace dpcurves::homogenized {

/// Suprema over a family of pairs at one s: the divergences for the orders asked; or, if none is asked, the limits.
struct PairSuprema {
  std::vector<double> forward;   ///< shape (orders): first record first
  std::vector<double> backward;  ///< shape (orders)
  double forward_limit = 0.0;    ///< least order limit; infinity where orders were asked
  double backward_limit = 0.0;   ///< the same for `backward`
};

/// The family of record pairs over which the supremum is taken. Called from several threads.
using PairFamily = std::function<PairSuprema(const JumpWeights&, std::span<const double> orders)>;

/// The pairs of a list, in the orientation in which they are listed.
[[nodiscard]] PairFamily listed_pairs(std::vector<PairProducts> pairs);

/// What to compute, and how well.
struct LossQuery {
  std::vector<double> orders;            ///< > 1
  double horizon = 0.0;                  ///< T, at least the last release time
  double relative_accuracy = 1e-9;       ///< wanted of exp((a - 1) loss) - 1
  std::size_t most_evaluations = 20000;  ///< of the family, past which the accuracy reached is reported
  unsigned threads = 1;                  ///< 0: as many as the machine has
  Progress progress{};                   ///< (evaluations done, evaluations planned so far)
};

/// A bound with the orders for which it is finite.
struct RenyiLoss {
  std::vector<Estimate> forward{};   ///< shape (orders): D(first || second); infinite at and above forward_limit
  std::vector<Estimate> backward{};  ///< shape (orders): D(second || first), as the paper prints it
  double forward_limit = 0.0;        ///< least order limit at the breaks and in the middle of each first panel
  double backward_limit = 0.0;       ///< the same for `backward`
};

/// The loss of a release.
///
/// Panels in s, graded towards both ends where the contraction is fast and broken at release times and schedule kinks,
/// 15-point Gauss-Kronrod rules, bisected where they disagree: corners of the supremum and the rise near an order limit
/// are found that way. The error adds the disagreement left and 1e-11 relative for rounding.
///
/// sigma = 0 gives infinity where records differ. \throws DomainError  for orders <= 1 or a horizon before the release.
[[nodiscard]] RenyiLoss renyi_loss(const HsgdLaw& law, const Release& release, const PairFamily& family,
                                   const LossQuery& query);

/// The losses of the releases at the first 1, 2, ... of some times, as a curve along the run asks for them.
///
/// A record used between two releases of a joint release is seen in these two only, whatever follows: its divergence is
/// evaluated once, and a whole curve of joint releases costs as much as its last point.
class LossCurve {
 public:
  /// \param times  ascending, at least one.
  LossCurve(HsgdLaw law, ReleaseKind kind, std::vector<double> times, PairFamily family);

  /// The release at the first `count` times, 1 <= count; of the last iterate, at the last of these.
  [[nodiscard]] Release release(std::size_t count) const;
  /// renyi_loss of it. Not for several threads at once; the query's threads are used inside.
  [[nodiscard]] RenyiLoss loss(std::size_t count, const LossQuery& query) const;

 private:
  struct Memory;
  HsgdLaw law_;
  ReleaseKind kind_;
  std::vector<double> times_;
  PairFamily family_;
  std::shared_ptr<Memory> memory_;
};

/// The least order limit over s in [0, last release time], and where.
struct OrderLimit {
  double order = 0.0;  ///< infinity if no order is excluded
  double at = 0.0;     ///< s
};

/// Scan of 256 points equally spaced in Gamma(s), refined around the least. Accuracy: relative 1e-9 of the order, where
/// the scan has found the right valley.
[[nodiscard]] OrderLimit least_order_limit(const HsgdLaw& law, const Release& release, const PairFamily& family,
                                           Direction direction);

}  // namespace dpcurves::homogenized
