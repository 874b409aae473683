// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Means over the outcomes of runs, as numbers and in pictures.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include <dpcurves/inference/detail/moments.hpp>
#include <dpcurves/io/plot.hpp>

namespace dpcurves::tools {

/// One number of each outcome. \param get  a member, or a function of an outcome.
template <class Outcome, class Get>
[[nodiscard]] std::vector<double> all_of(const std::vector<Outcome>& outcomes, const Get& get) {
  std::vector<double> values;
  std::transform(outcomes.begin(), outcomes.end(), std::back_inserter(values),
                 [&](const Outcome& one) { return static_cast<double>(std::invoke(get, one)); });
  return values;
}

/// Its moments.
template <class Outcome, class Get>
[[nodiscard]] inference::Moments moments_of(const std::vector<Outcome>& outcomes, const Get& get) {
  return inference::moments(all_of(outcomes, get));
}

/// Adds a mean with two standard errors to either side to a series; those of a single run are not known.
inline void add_mean(io::Series& series, double x, const inference::Moments& found) {
  const double error = found.count > 1 ? 2.0 * found.mean_error : 0.0;
  series.x.push_back(x);
  series.y.push_back(found.mean);
  series.lower.push_back(found.mean - error);
  series.upper.push_back(found.mean + error);
}

}  // namespace dpcurves::tools
