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
    const RatioLaws& one = laws_.front();
    Ends ends{{one.above, Side::above, direction_}, std::nullopt, infinity};
    if (!one.below.ratio.empty()) {
      ends.below.emplace(one.below, Side::below, direction_);
    }
    thresholds_.emplace(0.0, std::move(ends));
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
    sketch(law);
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
      if (!law.ratio.empty()) {
        masses_[index(side)].push_back(
            on_lattice(law, side, lattice_, lattice_.below(law.ratio.front()), lattice_.below(law.ratio.back()) + 1));
      }
    }
  }
}

// For planning: neighbours are joined where there are many.
void BlockProduct::sketch(const RatioLaw& law) {
  constexpr std::size_t enough = 2000;
  const std::size_t group = 1 + law.ratio.size() / enough;
  losses_.emplace_back();
  log_masses_.emplace_back();
  for (std::size_t from = 0; from < law.ratio.size(); from += group) {
    double mass = 0.0, sum = 0.0;
    for (std::size_t i = from; i < std::min(from + group, law.ratio.size()); ++i) {
      const double weight = law.mass[i] * (direction_ == Direction::remove ? law.ratio[i] : 1.0);
      mass += weight;
      sum += weight * (direction_ == Direction::remove ? 1.0 : -1.0) * std::log(law.ratio[i]);
    }
    if (mass > 0.0) {
      losses_.back().push_back(sum / mass);
      log_masses_.back().push_back(std::log(mass));
    }
  }
}

Enclosure BlockProduct::Ends::delta(double epsilon) const {
  const double lower = below ? below->delta(epsilon) : 0.0;
  return {lower, std::max(lower, above.delta(epsilon))};
}

Enclosure BlockProduct::delta(double epsilon) {
  ends_for(epsilon);
  Enclosure both{0.0, 1.0};
  for (const auto& [at, ends] : thresholds_) {
    if (std::abs(epsilon - at) <= ends.reach) {
      both = intersection(both, ends.delta(epsilon));
    }
  }
  return both;
}

Cumulants BlockProduct::cumulants(double order) const {
  Cumulants k;
  for (std::size_t j = 0; j < losses_.size(); ++j) {
    const Cumulants one = cumulants_of(losses_[j], log_masses_[j], order);
    k.value += counts_[j] * one.value;
    k.first += counts_[j] * one.first;
    k.second += counts_[j] * one.second;
  }
  return k;
}

SaddlePoint BlockProduct::about(double delta) const {
  return saddle_of_delta([this](double order) { return cumulants(order); }, std::log(delta), 1.0);
}

void BlockProduct::prepare(double epsilon) {
  const Ends& ends = ends_for(epsilon);
  constexpr double share = 0.8;
  if (const double below = epsilon - share * ends.reach; ends.below && below > 0.0) {
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
  double infinite = 0.0, grown = 0.0;
  double mass_error[2]{}, ratio_error[2]{};
  const bool both = !masses_[index(Side::below)].empty();
  for (std::size_t j = 0; j < laws_.size(); ++j) {
    for (const Side side : {Side::above, Side::below}) {
      if (side == Side::above || both) {
        const RatioLaw& law = side == Side::above ? laws_[j].above : laws_[j].below;
        const LatticeMasses& masses = masses_[index(side)][j];
        parts[index(side)].push_back({&masses, counts_[j]});
        mass_error[index(side)] += counts_[j] * (law.mass_error + masses.mass_error);
        ratio_error[index(side)] += counts_[j] * (law.ratio_error + masses.ratio_error);
      }
    }
    const bool remove = direction_ == Direction::remove;
    infinite += counts_[j] * (remove ? masses_[0][j].infinite : masses_[0][j].zero);
    grown += counts_[j] * ((remove ? alternative_mass(laws_[j].above) : null_mass(laws_[j].above)) - 1.0 + 1e-15);
  }
  infinite *= std::exp(grown);  // of one block, times the mass of all others
  // Where rare large losses dominate at the saddle point, the window is lost to them: a smaller tilt sees the rest.
  // Where the transform's own errors are invisible none sees more.
  std::optional<Ends> best;
  constexpr double invisible = 1e-7;
  Enclosure narrowest{0.0, 1.0};
  double before = 1.0, blurred = 1.0;
  double c = saddle_order([this](double order) { return cumulants(order); }, epsilon, 1.0);
  for (int attempt = 0; attempt < 6 && blurred > invisible && (blurred > 0.5 || blurred < 0.7 * before);
       ++attempt, c *= 0.5) {
    before = blurred;
    const double tilt = tilt_at(c, lattice_.step, direction_);
    const LatticePower power(parts[0], tilt, window_);
    Ends ends{LossSums(power, lattice_.step, Side::above, direction_, infinite, mass_error[0], ratio_error[0]),
              std::nullopt, 1.5 / c};
    if (both) {
      ends.below.emplace(LatticePower(parts[1], tilt, window_), lattice_.step, Side::below, direction_, 0.0,
                         mass_error[1], ratio_error[1]);
    }
    const Enclosure found = ends.delta(epsilon);
    // At most about what errors of the tilted masses make, as those beyond epsilon count e^{-c (loss - epsilon)}.
    const double blur =
        std::exp(power.log_moment() - c * epsilon) * (power.rounding() / (c * lattice_.step) + power.outside());
    blurred = blur < found.upper ? blur / found.upper : 1.0;
    if (!best) {
      best.emplace(std::move(ends));
    } else {
      if (found.upper < narrowest.upper) {
        best->above = std::move(ends.above);
      }
      if (found.lower > narrowest.lower) {
        best->below = std::move(ends.below);
      }
    }
    narrowest = {std::max(narrowest.lower, found.lower), std::min(narrowest.upper, found.upper)};
  }
  return thresholds_.emplace(epsilon, std::move(*best)).first->second;
}

}  // namespace dpcurves::accounting::detail
