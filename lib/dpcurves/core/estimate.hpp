// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A number from an iteration or a sum of samples, with the size of its error.
#pragma once

namespace dpcurves {

/// `value` with an error estimate: |truth - value| is expected to be at most `error`, which is not proved.
/// Where both ends are proved, the type is Enclosure.
struct Estimate {
  double value = 0.0;  ///< the best single number
  double error = 0.0;  ///< expected size of |truth - value|, in the unit of the value; infinite where nothing is known
};

}  // namespace dpcurves
