// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Accuracy over the order of influence scores, as simulate influence and the paper's figure show it.
#pragma once

#include <string>
#include <vector>

#include "support/means.hpp"

namespace dpcurves::tools {

/// Accuracy of a run on each tenth of the test images, from typical to atypical, over trials.
template <class Trial>
[[nodiscard]] std::vector<inference::Moments> tenths_of(const std::vector<Trial>& trials, std::size_t run) {
  std::vector<inference::Moments> tenths;
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    tenths.push_back(moments_of(trials, [&](const Trial& trial) { return trial.deciles[run][tenth]; }));
  }
  return tenths;
}

/// Its axes, and a run on them. \param shift  beside the others, so that intervals do not hide each other.
[[nodiscard]] io::Plot tenths_plot(const std::string& source);
[[nodiscard]] io::Series tenths_series(const std::string& name, double shift,
                                       const std::vector<inference::Moments>& tenths);

}  // namespace dpcurves::tools
