// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Somebody's draws of a statistic on two neighbouring inputs, tested against a bound.
///
/// The first tenth of either file is a pilot, which chooses the tests; the rest is counted. Where values are all
/// different, thresholds are placed near the type I errors asked for. Values that occur twice in the pilots are atoms,
/// of which a test may reject any: they are ordered by how much likelier the second input makes them, and the first
/// one, the first two, ... are rejected; what is no atom is one of them together. By Neyman and Pearson no test of the
/// atoms is better than these, but for the error of the order.
#pragma once

#include <string>

#include "simulate/threshold_tests.hpp"

namespace dpcurves::tools {

/// Where there are more tests than testing.type_one_errors, each is made at a level that is so much smaller: the chance
/// that a true bound is refuted stays below 2 miss times the number of type I errors.
/// \param files  "P.csv,Q.csv", a column of at least 100 numbers each.
/// \throws UsageError, DataError  for others.
[[nodiscard]] Tests tests_of_samples(const std::string& files, const Bound& bound, const Testing& testing);

}  // namespace dpcurves::tools
