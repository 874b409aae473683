// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The law of the likelihood ratio of one epoch of random allocation: the mean of `steps` lognormal ratios. Internal.
///
/// Few steps: by repeated doubling, which sums positive terms alone and is right in the far tails at once. Many steps:
/// the last factor of the number of steps by the Fourier transform, at several tilts, each mass from the tilt that
/// knows it best.
#pragma once

#include <dpcurves/accounting/detail/ratio_law.hpp>

namespace dpcurves::accounting::detail {

/// Which laws are asked for.
enum class Laws {
  both,  ///< above and below
  above  ///< that below stays empty, at half the cost
};

/// \param mu  in (0, 20]. \param steps  a whole number >= 1.
[[nodiscard]] RatioLaws allocation_laws(double mu, double steps, const Resolution& resolution, Laws asked = Laws::both);

}  // namespace dpcurves::accounting::detail
