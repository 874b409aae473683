// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <utility>

#include <dpcurves/accounting/detail/allocation_blocks.hpp>
#include <dpcurves/accounting/detail/replaced_law.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double many_epochs = 100.0;  // the sum over them is the larger part of the width

std::vector<Blocks> blocks_of(const RandomAllocation& a) {
  const bool exact = a.chosen == 1.0;  // with several draws the steps that are not taken only make the run more private
  const double epochs = exact ? a.epochs : begun_epochs(a);
  const double small = std::floor(a.steps / a.chosen);
  const double larger = a.steps - small * a.chosen;  // blocks with one step more
  std::vector<Blocks> blocks;
  if (larger < a.chosen && epochs > 0.0) {
    blocks.push_back({small, epochs * (a.chosen - larger)});
  }
  if (larger > 0.0) {
    blocks.push_back({small + 1.0, epochs * larger});
  }
  if (exact && a.rest > 0.0) {
    blocks.push_back({a.rest, 1.0, a.steps - a.rest});
  }
  return blocks;
}

}  // namespace

double begun_epochs(const RandomAllocation& a) { return a.epochs + (a.rest > 0.0 ? 1.0 : 0.0); }

BlockLaws::BlockLaws(const RandomAllocation& allocation, double fineness, Laws asked, bool replaced)
    : asked_(asked),
      replaced_(replaced),
      mu_(1.0 / allocation.noise_multiplier),
      spared_mu_(allocation.spared_mu),
      fineness_(fineness * (allocation.epochs >= many_epochs ? 0.75 : 1.0)),
      blocks_(blocks_of(allocation)) {}

const std::vector<RatioLaws>& BlockLaws::at(double reach) {
  const std::lock_guard lock(mutex_);
  if (replaced_) {
    return replaced_laws();
  }
  const auto known = laws_.find(reach);
  if (known != laws_.end()) {
    return known->second;
  }
  std::vector<RatioLaws> laws;
  for (const Blocks& blocks : blocks_) {
    // Few steps are few convolutions, which may be finer.
    const double cells = static_cast<double>(Resolution{}.cells) * fineness_ * (blocks.steps <= 16.0 ? 2.0 : 1.0);
    const Resolution resolution{static_cast<std::size_t>(cells), reach};
    laws.push_back(allocation_laws(mu_, blocks.steps, resolution, asked_));
    if (blocks.idle > 0.0) {
      const RatioLaw still{{1.0}, {1.0}};
      const RatioLaws spared =
          spared_mu_ > 0.0 ? allocation_laws(spared_mu_, blocks.idle, resolution, asked_) : RatioLaws{still, still};
      laws.back() = mean_ratio(laws.back(), blocks.steps, spared, blocks.idle, resolution);
    }
  }
  return laws_.emplace(reach, std::move(laws)).first->second;
}

// One set for all reaches: what they miss of a round is far below any delta that they are asked for.
const std::vector<RatioLaws>& BlockLaws::replaced_laws() {
  auto& laws = laws_[0.0];
  if (laws.empty()) {
    for (const Blocks& blocks : blocks_) {
      ReplacedLaws found = detail::replaced_laws(mu_, blocks.steps + blocks.idle, blocks.steps);
      lost_ += blocks.count * found.lost;
      laws.push_back(std::move(found.laws));
    }
  }
  return laws;
}

}  // namespace dpcurves::accounting::detail
