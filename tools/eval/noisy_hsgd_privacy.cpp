// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": Renyi losses of noisy least
// squares.
#include "eval/calculator.hpp"

namespace dpcurves::tools::eval {

std::vector<Calculator> noisy_hsgd_privacy_calculators() { return {}; }

}  // namespace dpcurves::tools::eval
