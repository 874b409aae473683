// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/detail/loss_sums.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

}  // namespace

LossSums::LossSums(const RatioLaw& law, Side side, Direction direction)
    : side_(side), mass_error_(law.mass_error + law.ratio_error), loss_error_(law.ratio_error) {
  const std::size_t n = law.ratio.size();
  loss_.resize(n);
  mass_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double y = std::log(law.ratio[k]);
    if (direction == Direction::remove) {
      loss_[k] = y;
      mass_[k] = law.mass[k] * law.ratio[k];
    } else {
      loss_[n - 1 - k] = -y;
      mass_[n - 1 - k] = law.mass[k];
    }
  }
  infinite_ = direction == Direction::remove ? law.infinite : law.zero;
  excess_.assign(n, 0.0);
  for (std::size_t k = n - 1; k-- > 0;) {
    const double gap = loss_[k + 1] - loss_[k];
    accumulate(k, -std::expm1(-gap), std::exp(-gap));
  }
}

LossSums::LossSums(const LatticePower& power, double step, Side side, Direction direction, double infinite,
                   double mass_error, double ratio_error)
    : side_(side),
      infinite_(infinite),
      mass_error_(mass_error + ratio_error + power.relative() + power.tilting()),
      loss_error_(ratio_error) {
  const std::size_t n = power.tilted().size();
  loss_.resize(n);
  mass_.resize(n);
  const double shift = direction == Direction::remove ? step : 0.0;  // to the mass under the first law of the pair
  const double error = side == Side::above ? power.rounding() : -power.rounding() - power.outside();
  const double sign = side == Side::above ? 1.0 : -1.0;
  // e^{log moment - tilt s} of the mass under the first law of the pair, on the safe side of its roundings.
  const auto scale = [&](double s, double more) {
    const double exponent = (power.tilt() - shift) * s;
    const double off = unit * (std::abs(power.log_moment()) + 2.0 * std::abs(exponent) + std::abs(more) + 4.0);
    return std::exp(power.log_moment() - exponent + more) * std::max(0.0, 1.0 + sign * off);
  };
  for (std::size_t k = 0; k < n; ++k) {
    const auto s = static_cast<double>(power.first() + static_cast<long>(k));
    const double tilted = std::max(0.0, std::max(power.tilted()[k], 0.0) + error);
    const double mass = tilted == 0.0 ? 0.0 : tilted * scale(s, 0.0);
    const std::size_t at = direction == Direction::remove ? k : n - 1 - k;
    loss_[at] = direction == Direction::remove ? step * s : -step * s;
    mass_[at] = mass;
  }
  if (side == Side::above) {
    const bool up = direction == Direction::remove;
    const auto end = static_cast<double>(up ? power.first() + static_cast<long>(n) : power.first() - 1);
    infinite_ += scale(end, up ? power.log_above() : power.log_below());
  }
  excess_.assign(n, 0.0);
  const double lost = -std::expm1(-step), kept = std::exp(-step);
  for (std::size_t k = n - 1; k-- > 0;) {
    accumulate(k, lost, kept);
  }
}

// D at one loss from D at the next, g higher: lost = 1 - e^{-g} times the mass from there on, plus kept = e^{-g} times
// D.
void LossSums::accumulate(std::size_t place, double lost, double kept) {
  excess_[place] = lost * mass_[place + 1] + kept * excess_[place + 1];
  mass_[place] += mass_[place + 1];
}

double LossSums::delta(double epsilon) const {
  // The losses are off by 4 u of themselves, which is not seen where they exceed epsilon by more than 40.
  const double shift = loss_error_ + 2.0 * unit * (40.0 + std::abs(epsilon));
  const double at = side_ == Side::above ? epsilon - shift : epsilon + shift;
  const auto next = std::upper_bound(loss_.begin(), loss_.end(), at);
  double value = 0.0;
  if (next != loss_.end()) {
    const auto k = static_cast<std::size_t>(next - loss_.begin());
    const double gap = *next - at;
    value = -std::expm1(-gap) * mass_[k] + std::exp(-gap) * excess_[k];
  }
  // The recursions add positive terms, with six roundings each.
  const double error = mass_error_ + 4.0 * unit * (static_cast<double>(loss_.size()) + 2.0);
  return side_ == Side::above ? std::min(1.0, (value + infinite_) * std::exp(error))
                              : std::clamp(value * std::exp(-error), 0.0, 1.0);
}

double saddle(std::span<const LatticePart> parts, double step, Direction direction, double epsilon) {
  const double sign = direction == Direction::remove ? 1.0 : -1.0;
  const auto slope = [&](double c) {
    return sign * step * cumulant(parts, tilt_at(c, step, direction)).first - epsilon - 1.0 / c - 1.0 / (1.0 + c);
  };
  return numerics::rising_root(slope, 1e-6, 1.0, 1e8);
}

}  // namespace dpcurves::accounting::detail
