// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The blocks of steps of a run with random allocation, of each of which one step is drawn, and the laws of their
/// likelihood ratios. Internal.
///
/// Source: derived in this project, docs/theory/accountant/random-allocation.md.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include <dpcurves/accounting/detail/allocation_law.hpp>
#include <dpcurves/accounting/random_allocation.hpp>

namespace dpcurves::accounting::detail {

/// Blocks of one size: one step of each is drawn.
struct Blocks {
  double steps = 1.0;
  double count = 1.0;
  double idle = 0.0;  ///< steps that are not taken
};

/// Epochs of which a step at least was taken.
[[nodiscard]] double begun_epochs(const RandomAllocation& allocation);

/// The laws of all blocks for several reaches, computed once and shared by both directions. With several draws those
/// below say nothing of the run. May be called from several threads.
class BlockLaws {
 public:
  /// \param fineness  as of random_allocation_curves. \param replaced  whether the record is replaced: one draw alone.
  BlockLaws(const RandomAllocation& allocation, double fineness, Laws asked, bool replaced);

  [[nodiscard]] double mu() const { return mu_; }
  [[nodiscard]] const std::vector<Blocks>& blocks() const { return blocks_; }
  [[nodiscard]] bool replaced() const { return replaced_; }
  /// What either end of delta may miss: of a record that is replaced, once its laws are built.
  [[nodiscard]] double lost() const { return lost_; }
  /// \param reach  of one output, in deviations. Cost: some 10 ms for each size of blocks that is new.
  [[nodiscard]] const std::vector<RatioLaws>& at(double reach);

 private:
  const std::vector<RatioLaws>& replaced_laws();

  Laws asked_;
  bool replaced_;
  double lost_ = 0.0;
  double mu_, spared_mu_;
  double fineness_;
  std::vector<Blocks> blocks_;
  std::mutex mutex_;
  std::map<double, std::vector<RatioLaws>> laws_;
};

}  // namespace dpcurves::accounting::detail
