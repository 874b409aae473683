// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Outcomes of cases as bytes, for runs that are shared by several processes (core/share.hpp).
#pragma once

#include <dpcurves/core/archive.hpp>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// Writes or reads everything that a case found: comparisons, groups, rates and pictures.
void transfer(Archive& archive, Outcome& outcome);

}  // namespace dpcurves::validation
