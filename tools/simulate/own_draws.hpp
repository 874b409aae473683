// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Somebody's draws of a statistic on two neighbouring inputs, tested against a bound by inference::sample_tests().
#pragma once

#include <string>

#include "simulate/threshold_tests.hpp"

namespace dpcurves::tools {

/// \param files  "P.csv,Q.csv", a column of at least 100 numbers each.
/// \throws UsageError, DataError  for others.
[[nodiscard]] Tests tests_of_samples(const std::string& files, const Bound& bound, const Testing& testing);

}  // namespace dpcurves::tools
