// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about KANs trained by DP-SGD with correlated noise.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf kan_simulation();

}  // namespace dpcurves::tools
