// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The privacy loss of claims together: sums of randomised responses. Internal.
///
/// Claims of one epsilon have a binomial law. Laws are multiplied in a balanced tree; one of more than 4096 values goes
/// to a grid. For an upper end a value between two nodes is divided among them so that the masses under both laws of
/// the pair stay (the pair of the nodes can be garbled into that of the value, so that it is no more private), for a
/// lower end it falls to the node below. The first changes a law by the square of the distance of the nodes.
#pragma once

#include <utility>
#include <vector>

namespace dpcurves::accounting::detail {

constexpr double claim_roundings = 4.0 * 0x1p-53;  ///< of a product, a quotient and a sum

/// One value of the loss.
struct ClaimedLoss {
  double loss;    ///< infinite for what no epsilon covers
  double weight;  ///< under the law of the run with the record
};

/// A law of losses, in ascending order.
struct ClaimedLosses {
  std::vector<ClaimedLoss> terms{{0.0, 1.0}};  ///< at most a little more than 4096
  double error = 0.0;                          ///< relative, of the weights
};

/// \param claims  pairs of epsilon in (0, inf), each once, and count in [1, 1e15]. \param up  for an upper end.
/// Cost: 10 ms for a hundred different epsilons, a second for ten thousand.
[[nodiscard]] ClaimedLosses claimed_losses(const std::vector<std::pair<double, double>>& claims, bool up);

}  // namespace dpcurves::accounting::detail
