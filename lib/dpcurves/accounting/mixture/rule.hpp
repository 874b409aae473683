// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Gauss-Legendre rule of the panels. Internal.
#pragma once

#include <array>
#include <cstddef>

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::mixture {

/// Nodes of a panel.
inline constexpr std::size_t rule_size = 32;
/// Nodes and weights on [-1, 1], 128 bits.
struct Rule {
  std::array<rigorous::Real, rule_size> node, weight;
};
/// In balls.
[[nodiscard]] const Rule& legendre();
/// In doubles, about.
struct PlainRule {
  std::array<double, rule_size> node, weight;
};
/// For planning.
[[nodiscard]] const PlainRule& plain_rule();

}  // namespace dpcurves::accounting::mixture
