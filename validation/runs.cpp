// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/runs.hpp"

#include <algorithm>
#include <span>

#include <dpcurves/core/share.hpp>

namespace dpcurves::validation {

std::vector<double> values_of_runs(std::size_t count, unsigned threads, const std::function<double(std::size_t)>& of,
                                   std::size_t block) {
  std::vector<double> values(count);
  const auto of_block = [&](std::size_t piece) {
    return std::span(values).subspan(piece * block, std::min(block, count - piece * block));
  };
  shared_for((count + block - 1) / block, threads,
             [&](std::size_t piece) {
               for (std::size_t run = piece * block; run < std::min(count, (piece + 1) * block); ++run) {
                 values[run] = of(run);
               }
             },
             [&](std::size_t piece, Archive& archive) { archive(of_block(piece)); });
  return values;
}

}  // namespace dpcurves::validation
