// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The table of Renyi losses of noisy SGD on least squares. For the tables only.
#pragma once

#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::calculators {

/// Names without the paper, which is that on noisy HSGD.
[[nodiscard]] std::vector<Calculator> renyi_losses();

}  // namespace dpcurves::calculators
