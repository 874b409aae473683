// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The runs that the cases of attack risk draw.
#pragma once

#include <cstdint>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>

#include "validation/case.hpp"

namespace dpcurves::validation::attack_risk {

/// Ten steps of DP-SGD at noise multiplier 1: the record's gradient is 1, all others are 0.
[[nodiscard]] accounting::DpSgd ten_steps(double sampling_rate,
                                          mechanism::Adjacency adjacency = mechanism::Adjacency::add_or_remove);

/// Log likelihood ratios of `count` runs of ten_steps(0.3), with the record or without.
[[nodiscard]] std::vector<double> ten_step_losses(const Setting& setting, std::uint32_t number, bool present,
                                                  std::size_t count);

}  // namespace dpcurves::validation::attack_risk
