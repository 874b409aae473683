// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/runs.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <dpcurves/core/share.hpp>

#include "validation/recorded.hpp"

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

Outcome outcome_of_parts(std::size_t count, unsigned threads, const std::function<void(std::size_t, Outcome&)>& part) {
  std::vector<Outcome> found(count);
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      count, threads, [&](std::size_t i) { part(i, found[i]); },
      [&](std::size_t i, Archive& archive) { archive(found[i]); });
  Outcome all;
  const auto add = [](std::optional<Trial>& sum, const std::optional<Trial>& more) {
    if (sum && more) {
      sum->add(*more);
    } else if (more) {
      sum = more;
    }
  };
  for (Outcome& one : found) {
    all.claim.add(one.claim);
    all.control.add(one.control);
    std::move(one.figures.begin(), one.figures.end(), std::back_inserter(all.figures));
    add(all.printed, one.printed);
    add(all.repaired, one.repaired);
    all.vacuous = all.vacuous ? all.vacuous : one.vacuous;
  }
  return all;
}

}  // namespace dpcurves::validation
