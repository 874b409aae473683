// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about images: accuracy under privacy by influence score.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf influence_simulation();

}  // namespace dpcurves::tools
