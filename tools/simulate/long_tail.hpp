// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about long-tailed data: a two-layer network on signal and noise patches.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf long_tail_simulation();

}  // namespace dpcurves::tools
