// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Exit codes of the program.
#pragma once

#include <dpcurves/core/error.hpp>  // UsageError is exit 2, DomainError exit 3

namespace dpcurves::tools {

enum class Exit { ok = 0, refuted = 1, usage = 2, domain = 3, accuracy = 4, file = 5 };

}  // namespace dpcurves::tools
