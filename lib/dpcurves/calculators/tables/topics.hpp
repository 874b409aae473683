// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Tables of topics that stand beside those of their papers. For the tables only.
#pragma once

#include <numbers>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>

namespace dpcurves::calculators {

/// To base 10.
[[nodiscard]] inline double log10_of(double natural) { return natural / std::numbers::ln10; }

/// Names without the paper.
[[nodiscard]] std::vector<Calculator>
deep_networks();                                       ///< of GLMs and networks: networks, accounting of their training
[[nodiscard]] std::vector<Calculator> mixtures();      ///< of the accountant: steps that are mixtures, their schedules
[[nodiscard]] std::vector<Calculator> positions();     ///< of the accountant: random positions in an epoch
[[nodiscard]] std::vector<Calculator> renyi_losses();  ///< of noisy HSGD
[[nodiscard]] std::vector<Calculator> strategies();    ///< of KANs: strategies of correlated noise

}  // namespace dpcurves::calculators
