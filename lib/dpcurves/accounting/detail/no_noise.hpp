// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Steps without noise: they reveal the records that they use, and nothing about the others.
///
/// With chance f that some step without noise uses the record, the pair is P = (1 - f) Q + f R, R apart from Q: the
/// profile of removing is f from epsilon = log(1 - f) on, that of adding (1 - e^epsilon (1 - f))_+, that of replacing
/// f + (1 - f) (1 - e^epsilon)_+. Source: the laws themselves.
#pragma once

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// Which of the pair's laws is the first, or both with the record of either.
enum class RevealedPair { remove, add, replace };

/// The profile above. \param chance  f, in [0, 1]. Closed forms, relative width 1e-15. O(1).
/// \throws DomainError  outside.
[[nodiscard]] CurvePtr revealed_curve(Enclosure chance, RevealedPair pair);

/// The guarantee of something that hides nothing: delta is 1 at every epsilon.
[[nodiscard]] Guarantee nothing_hidden();

/// The chance that steps or releases of the run without noise use a record, and the run without them. Both ends are
/// those of the record that is used most; {0, 1} where the sampler says no more. Rate 0 is Poisson sampling in the
/// rest.
struct Revealed {
  Enclosure chance;  ///< 0 where every step has noise
  DpSgd rest;        ///< with noise
};

/// \throws DomainError  for a rate or a number of steps outside its range. O(phases).
[[nodiscard]] Revealed revealed(const DpSgd& run);

}  // namespace dpcurves::accounting
