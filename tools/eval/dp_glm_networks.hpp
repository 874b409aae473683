// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the files of calculators on private generalised linear models share.
#pragma once

#include <cstdint>
#include <vector>

#include "eval/calculator.hpp"

namespace dpcurves::tools::eval {

/// The key "n", exact up to 9e18.
[[nodiscard]] inline std::uint64_t records_of(const Inputs& in) {
  const Json& n = in.json("n");
  return n.is_number_integer() ? n.get<std::uint64_t>() : static_cast<std::uint64_t>(n.get<double>());
}

/// Exact laws and risks; names without the paper.
[[nodiscard]] std::vector<Calculator> glm_law_calculators();

}  // namespace dpcurves::tools::eval
