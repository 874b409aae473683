// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Tests between two samples whose law nobody knows: thresholds and, where values repeat, tests of atoms.
///
/// Every tenth draw of either sample is a pilot, which chooses the tests; the rest is counted. Where values are all
/// different, thresholds are placed near the type I errors asked for. Values that occur twice in the pilots are atoms,
/// of which a test may reject any: they are ordered by how much likelier the second law makes them, and the first one,
/// the first two, ... are rejected; what is no atom is one of them together. By Neyman and Pearson no test of the atoms
/// is better than these, but for the error of the order.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/inference/tradeoff_estimate.hpp>

namespace dpcurves::inference {

/// The tests, those of thresholds first.
struct SampleTests {
  std::vector<TradeoffPoint> points;
  std::vector<std::string> rejected;  ///< the values that a test of atoms rejects, "" for one with a threshold
  double miss = 0.0;                  ///< of one interval
};

/// \param first, second     values of one statistic under two laws, none NaN; at least 10 each.
/// \param type_one_errors   where thresholds are wanted, within (0, 1).
/// \param miss              of each interval. Where there are more tests than type I errors, each is made at a level
/// that
///                          is so much smaller: a true bound is refuted with a chance below 2 miss times their number.
/// \throws DomainError  if a sample is too short or holds NaN. Cost: O(n log n).
[[nodiscard]] SampleTests sample_tests(const std::vector<double>& first, const std::vector<double>& second,
                                       const std::vector<double>& type_one_errors, double miss);

}  // namespace dpcurves::inference
