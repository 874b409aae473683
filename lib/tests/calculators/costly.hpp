// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators whose cost grows with a count, or whose answers are drawn or searched for: the ends of their domains are
// checked, not asked.
#pragma once

#include <set>
#include <string>

namespace dpcurves::test {

inline bool is_costly(const std::string& name) {
  static const std::set<std::string> costly{
      "attack/calibrate",
      "audit/one-run-fdp-p-value",
      "audit/one-run-mu",
      "dp-glm-networks/dpsgd-accounting",
      "dp-glm-networks/feature-map-relu",
      "dp-glm-networks/feature-map-sigmoid",
      "dp-glm-networks/ntk-limit",
      "dp-glm-networks/risk-sigmoid-gaussian",
      "dp-glm-networks/risk-sigmoid-sphere",
      "dp-glm-networks/risk-tanh-gaussian",
      "dp-glm-networks/risk-tanh-sphere",
      "kan-correlated-noise/dominating-pair-delta",
      "kan-correlated-noise/dominating-pair-renyi",
      "kan-correlated-noise/fixed-size-independent-delta",
      "kan-correlated-noise/fixed-size-pair-delta",
      "kan-correlated-noise/kan-network",
      "kan-correlated-noise/rdp-noise-multiplier",
      "kan-correlated-noise/same-batch-calibration",
      "kan-correlated-noise/same-batch-delta",
      "kan-correlated-noise/same-batch-enumeration",
      "long-tail-memorization/glyph-image",
      "long-tail-memorization/synthetic-dpsgd-experiment",
      "shifted-interpolation/compose-delta",
      "shifted-interpolation/compose-epsilon",
      "shifted-interpolation/logistic-regression-table",
      "shifted-interpolation/noisy-sgd-constrained",
      "shifted-interpolation/noisy-sgd-one-process",
      "shifted-interpolation/noisy-sgd-strongly-convex",
  };
  // Accountants compose; trajectories and laws of noisy HSGD are solved.
  return name.starts_with("accountant/") || name.starts_with("noisy-hsgd/r") || costly.contains(name);
}

}  // namespace dpcurves::test
