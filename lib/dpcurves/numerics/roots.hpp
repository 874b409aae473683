// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Roots of continuous functions of one variable, enclosed between two doubles.
#pragma once

#include <functional>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::numerics {

/// An interval within [lo, hi] over which `f` changes sign, a few units in the last place wide.
///
/// The method of Alefeld, Potra and Shi (TOMS 748): about 10 evaluations for a smooth function.
///
/// \param f   continuous; f(lo) and f(hi) have opposite signs or one of them is 0. Infinite values are allowed.
/// \throws DomainError       if lo > hi or an end is not finite.
/// \throws ConvergenceError  if the root is not bracketed (the message gives both values), if f is NaN somewhere, or
///                           after 200 evaluations.
[[nodiscard]] Enclosure root(const std::function<double(double)>& f, double lo, double hi);

/// About where a rising `f` changes sign, within 2 %, for searches over scales: proves nothing.
///
/// `hi` grows eightfold while f is negative there, up to `highest`; then the interval is halved in the logarithm. Where
/// f is negative up to `highest`, or positive at `lo`, the answer is near that end.
/// \param lo  positive. \param hi  at least lo. Cost: some 12 evaluations, one more for each factor of 8.
[[nodiscard]] double rising_root(const std::function<double(double)>& f, double lo, double hi, double highest);

}  // namespace dpcurves::numerics
