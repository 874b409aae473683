// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The whole command line as a function: what `main` runs, and what a file of checks runs again and again.
#pragma once

#include <string>
#include <vector>

#include "support/destination.hpp"

namespace dpcurves::tools {

/// Runs one command line without the program's name; returns its exit code. \param to  takes the answer.
/// \throws UsageError for what cannot be parsed, and every Error of the command itself: see support/failure.hpp.
[[nodiscard]] int run_command(const std::vector<std::string>& arguments, const Destination& to = {});

}  // namespace dpcurves::tools
