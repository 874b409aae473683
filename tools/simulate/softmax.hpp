// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate noisy-gd, noisy-cgd and noisy-sgd about softmax regression on images.
#pragma once

#include <dpcurves/simulate/noisy_descent.hpp>

#include "support/simulation.hpp"

namespace dpcurves::tools {

/// --loss softmax --data DIR: accuracies of trained models beside what their training releases.
/// \param rule  of the process. \throws UsageError  for options that softmax regression does not have.
[[nodiscard]] Simulation simulate_softmax(const std::string& process, simulate::BatchRule rule, const Asked& asked);

}  // namespace dpcurves::tools
