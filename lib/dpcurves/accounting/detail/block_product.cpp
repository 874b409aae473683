// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include <dpcurves/accounting/detail/block_product.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::detail {

BlockProduct::BlockProduct(std::vector<RatioLaws> laws, std::vector<double> counts, Direction direction, double reach,
                           bool rough)
    : laws_(std::move(laws)), counts_(std::move(counts)), direction_(direction) {
  if (counts_.size() == 1 && counts_.front() == 1.0) {
    thresholds_.emplace(
        0.0,
        Ends{{laws_.front().above, Side::above, direction_}, {laws_.front().below, Side::below, direction_}, infinity});
    return;
  }
  // A window for the sums of the losses, from their second moments under either law and the range of one; a step
  // that is small against the deviation of one loss under the null.
  double square = 0.0;
  double range = 0.0;
  double least = infinity;
  double total = 0.0;
  for (std::size_t j = 0; j < laws_.size(); ++j) {
    const RatioLaw& law = laws_[j].above;
    double second = 0.0;
    double null_second = 0.0;
    for (std::size_t i = 0; i < law.ratio.size(); ++i) {
      const double y = std::log(law.ratio[i]);
      null_second += law.mass[i] * y * y;
      second += law.mass[i] * std::max(1.0, law.ratio[i]) * y * y;
    }
    square += counts_[j] * second;
    range = std::max(range, std::log(law.ratio.back() / law.ratio.front()));
    least = std::min(least, std::sqrt(null_second));
    total += counts_[j];
  }
  constexpr double fine_enough = 300.0;
  const double width = 1.5 * (2.0 * reach * std::sqrt(square) + range);
  const double share = rough ? 0.125 : 1.0;
  const double most = total > 4096.0 ? 0x1p19 : 0x1p17;
  window_ =
      std::bit_ceil(static_cast<std::size_t>(std::clamp(share * fine_enough * width / least, 0x1p14, share * most)));
  lattice_ = {RatioLattice::Kind::logarithmic, width / static_cast<double>(window_)};
  for (const Side side : {Side::above, Side::below}) {
    for (const RatioLaws& pair : laws_) {
      const RatioLaw& law = side == Side::above ? pair.above : pair.below;
      masses_[index(side)].push_back(
          on_lattice(law, side, lattice_, lattice_.below(law.ratio.front()), lattice_.below(law.ratio.back()) + 1));
    }
  }
}

Enclosure BlockProduct::delta(double epsilon) {
  ends_for(epsilon);
  Enclosure both{0.0, 1.0};
  for (const auto& [at, ends] : thresholds_) {
    if (std::abs(epsilon - at) <= ends.reach) {
      const double lower = ends.below.delta(epsilon);
      both = intersection(both, {lower, std::max(lower, ends.above.delta(epsilon))});
    }
  }
  return both;
}

void BlockProduct::prepare(double epsilon) {
  constexpr double share = 0.8;
  if (const double below = epsilon - share * ends_for(epsilon).reach; below > 0.0) {
    make(below);
  }
}

const BlockProduct::Ends& BlockProduct::ends_for(double epsilon) {
  for (const auto& [at, ends] : thresholds_) {
    if (std::abs(epsilon - at) <= ends.reach) {
      return ends;
    }
  }
  return make(epsilon);
}

const BlockProduct::Ends& BlockProduct::make(double epsilon) {
  std::vector<LatticePart> parts[2];
  double infinite = 0.0;
  double mass_error = 0.0;
  double ratio_error = 0.0;
  for (std::size_t j = 0; j < laws_.size(); ++j) {
    for (const Side side : {Side::above, Side::below}) {
      parts[index(side)].push_back({&masses_[index(side)][j], counts_[j]});
    }
    const LatticeMasses& above = masses_[0][j];
    infinite += counts_[j] * (direction_ == Direction::remove ? above.infinite : above.zero);
    mass_error += counts_[j] * std::max(laws_[j].above.mass_error, laws_[j].below.mass_error);
    ratio_error += counts_[j] * std::max(laws_[j].above.ratio_error, laws_[j].below.ratio_error);
  }
  // Where rare large losses dominate at the saddle point, the window is lost to them: a smaller tilt sees the rest.
  std::optional<Ends> best;
  double narrowest = 2.0;
  double before = 4.0;
  double c = saddle(parts[0], lattice_.step, direction_, epsilon);
  for (int attempt = 0; attempt < 6 && narrowest > 0.004 && (narrowest > 0.5 || narrowest < 0.7 * before);
       ++attempt, c *= 0.5) {
    before = narrowest;
    const double tilt = tilt_at(c, lattice_.step, direction_);
    const auto sums = [&](Side side) {
      const LatticePower power(parts[index(side)], tilt, window_);
      return LossSums(power, lattice_.step, side, direction_, side == Side::above ? infinite : 0.0, mass_error,
                      ratio_error);
    };
    Ends ends{sums(Side::above), sums(Side::below), 1.5 / c};
    const double upper = ends.above.delta(epsilon);
    const double width = upper > 0.0 ? 1.0 - ends.below.delta(epsilon) / upper : 0.0;
    if (!best || width < narrowest) {
      narrowest = width;
      best.emplace(std::move(ends));
    }
  }
  return thresholds_.emplace(epsilon, std::move(*best)).first->second;
}

}  // namespace dpcurves::accounting::detail
