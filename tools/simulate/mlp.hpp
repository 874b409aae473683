// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about deep ReLU networks trained by DP-SGD.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf mlp_simulation();

}  // namespace dpcurves::tools
