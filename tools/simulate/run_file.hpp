// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// dpcurves simulate dp-sgd --run FILE: the likelihood-ratio attack on the run of a file, beside its guarantee.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf run_file_simulation();

}  // namespace dpcurves::tools
