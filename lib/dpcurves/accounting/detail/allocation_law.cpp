// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <dpcurves/accounting/detail/allocation_law.hpp>
#include <dpcurves/accounting/detail/lattice_power.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

// The mean of `steps` ratios, by doubling and adding one.
RatioLaws doubled(const RatioLaws& one, std::uint64_t steps, const Resolution& resolution) {
  RatioLaws law = one;
  int bit = static_cast<int>(std::bit_width(steps)) - 1;
  double count = 1.0;
  for (--bit; bit >= 0; --bit) {
    law = mean_ratio(law, resolution);
    count *= 2.0;
    if (((steps >> bit) & 1U) != 0) {
      law = mean_ratio(law, count, one, 1.0, resolution);
      count += 1.0;
    }
  }
  return law;
}

struct Moments {
  double deviation = 0.0;
  double range = 0.0;
};

Moments moments(const RatioLaw& law) {
  double square = 0.0;
  for (std::size_t i = 0; i < law.ratio.size(); ++i) {
    square += law.mass[i] * (law.ratio[i] - 1.0) * (law.ratio[i] - 1.0);
  }
  return {std::sqrt(square), law.ratio.back() - law.ratio.front()};
}

constexpr std::size_t window = std::size_t{1} << 18U;
constexpr double fine_enough = 0.006;  // lattice step over the standard deviation of what is added up
constexpr double room = 1.5;           // window over the range of the sum

double lattice_step(const RatioLaw& part, double share, double count, double reach) {
  const Moments m = moments(part);
  return room * share * (2.0 * reach * m.deviation * std::sqrt(count) + m.range) / static_cast<double>(window);
}

// The tilt where the Chernoff bound is exp(-z^2 / 2), on the side of the sign of z, from below: where rare large ratios
// take over at some tilt, the one before still sees the rest.
double tilt_at(std::span<const LatticePart> parts, double z) {
  const auto rate = [&](double tilt) {
    const LatticeCumulant k = cumulant(parts, tilt);
    return tilt * k.first - k.value - 0.5 * z * z;
  };
  const double near = cumulant(parts, 0.0).first;
  double high = z / (1.0 + std::abs(near));
  while (rate(high) < 0.0 && std::abs(high) < 1e3) {
    high *= 4.0;
  }
  double low = 0.25 * high;
  while (rate(low) > 0.0) {
    high = low;
    low *= 0.25;
  }
  for (int i = 0; i < 10; ++i) {
    const double middle = std::copysign(std::sqrt(low * high), z);
    (rate(middle) > 0.0 ? high : low) = middle;
  }
  return low;
}

RatioLaw scaled(const RatioLaw& law, double share) {
  RatioLaw result = law;
  for (double& x : result.ratio) {
    x *= share;
  }
  return result;
}

// The law of the sum of the parts from the tilts that know each mass best.
RatioLaw stitched(std::span<const LatticePart> parts, Side side, const RatioLattice& lattice,
                  std::span<const double> tilts, double lowest, double highest) {
  std::vector<LatticePower> powers;
  for (const double tilt : tilts) {
    powers.emplace_back(parts, tilt, window);
  }
  const LatticeCumulant low = cumulant(parts, lowest);
  const LatticeCumulant high = cumulant(parts, highest);
  const auto size = static_cast<long>(window);
  const long first = std::max<long>({1, static_cast<long>(std::floor(low.first)), powers.front().first()});
  const long last = std::min<long>(static_cast<long>(std::ceil(high.first)), powers.back().first() + size - 1);
  RatioLaw law;
  for (long s = first; s <= last; ++s) {
    double best = side == Side::above ? std::numeric_limits<double>::infinity() : 0.0;
    for (const LatticePower& power : powers) {
      const long i = s - power.first();
      const bool seen = i >= 0 && i < size;
      const double scale = std::exp(power.log_moment() - power.tilt() * static_cast<double>(s));
      const double mass = seen ? power.tilted()[static_cast<std::size_t>(i)] : 0.0;
      if (side == Side::above) {
        best = std::min(best, (seen ? std::max(mass, 0.0) + power.rounding() : 1.0) * scale);
      } else if (seen) {
        best = std::max(best, (mass - power.rounding() - power.outside()) * scale);
      }
    }
    if (best > 0.0 && std::isfinite(best)) {
      law.ratio.push_back(lattice.point(s));
      law.mass.push_back(best);
    }
  }
  for (const LatticePower& power : powers) {
    const double furthest = std::abs(power.tilt()) * static_cast<double>(std::max(std::abs(first), std::abs(last)));
    law.mass_error = std::max(law.mass_error, power.relative() + power.tilting() +
                                                  unit * (2.0 * std::abs(power.log_moment()) + 2.0 * furthest + 4.0));
  }
  if (side == Side::above) {
    // Chernoff's bounds of what lies beyond, which counts at the outermost ratio too.
    const double end = static_cast<double>(last + 1);
    law.zero = std::exp(low.value + tilting_error(parts, lowest) - lowest * static_cast<double>(first - 1));
    const double beyond = std::exp(high.value + tilting_error(parts, highest) - highest * end);
    const double lost = 0x1p-1074 * static_cast<double>(last - first + 1);  // masses that no double shows
    law.mass.front() += law.zero;
    law.mass.back() += beyond;
    // ratio e^{-tilt index} falls from there on.
    law.infinite = lattice.point(last + 1) * (beyond * std::max(1.0, 1.0 / (highest * end)) + lost);
  }
  return law;
}

}  // namespace

RatioLaws allocation_laws(double mu, double steps, const Resolution& resolution, Laws asked) {
  RatioLaws one = gaussian_ratio(mu, resolution);
  if (asked == Laws::above) {
    one.below = {};
  }
  const auto count = static_cast<std::uint64_t>(steps);
  constexpr std::uint64_t few = 16;  // copies that are worth a transform
  constexpr double longest_jump = 12.0;
  // Doubling goes on until the lattice is fine and no single ratio reaches further than the sum usually does: a tilt
  // that sees the tail of the sum would else see rare large ratios alone.
  const auto ready = [&](const RatioLaw& law, double copies) {
    const Moments m = moments(law);
    return lattice_step(law, 1.0, copies, resolution.reach) <= fine_enough * m.deviation &&
           m.range <= longest_jump * m.deviation * std::sqrt(copies);
  };
  RatioLaws part{one.above, {}};  // whether it is ready is seen from above
  std::uint64_t size = 1;
  while (!ready(part.above, steps / static_cast<double>(size))) {
    if (count / size < 2 * few) {
      return doubled(one, count, resolution);
    }
    part = mean_ratio(part, resolution);
    size *= 2;
  }
  if (count / size < few) {
    return doubled(one, count, resolution);
  }
  part.below = doubled({{}, one.below}, size, resolution).below;
  const double copies = static_cast<double>(count / size);
  const std::uint64_t rest = count % size;
  const double share = static_cast<double>(size) / steps;
  const double rest_share = static_cast<double>(rest) / steps;
  std::optional<RatioLaws> remainder;
  if (rest > 0) {
    remainder = doubled(one, rest, resolution);
  }
  const RatioLattice lattice{RatioLattice::Kind::linear, lattice_step(part.above, share, copies, resolution.reach)};
  RatioLaws result;
  std::vector<double> tilts;
  double lowest = 0.0;
  double highest = 0.0;
  for (const Side side : {Side::above, Side::below}) {
    // What is at ratio 0 counts once more at the lowest positive one, which only raises means.
    const auto on = [&](const RatioLaws& laws, double factor) {
      RatioLaw law = scaled(side == Side::above ? laws.above : laws.below, factor);
      law.mass.front() += law.zero;
      return on_lattice(law, side, lattice, lattice.below(law.ratio.front()), lattice.below(law.ratio.back()) + 1);
    };
    const RatioLaw& source = side == Side::above ? part.above : part.below;
    if (source.ratio.empty()) {
      continue;
    }
    const LatticeMasses many = on(part, share);
    std::vector<LatticePart> parts{{&many, copies}};
    LatticeMasses few_masses;
    if (remainder) {
      few_masses = on(*remainder, rest_share);
      parts.push_back({&few_masses, 1.0});
    }
    if (side == Side::above) {
      for (const double z : {-5.5, 0.0, 4.0, 6.0}) {
        tilts.push_back(z == 0.0 ? 0.0 : tilt_at(parts, z));
      }
      lowest = tilt_at(parts, -resolution.reach);
      highest = tilt_at(parts, resolution.reach);
    }
    RatioLaw& law = side == Side::above ? result.above : result.below;
    law = stitched(parts, side, lattice, tilts, lowest, highest);
    double infinite = copies * many.infinite, zero = copies * many.zero;
    double error = copies * (source.mass_error + many.mass_error), moved = source.ratio_error + many.ratio_error;
    double grown = copies * (null_mass(source) - 1.0 + 1e-15);
    if (remainder) {
      const RatioLaw& other = side == Side::above ? remainder->above : remainder->below;
      infinite += few_masses.infinite;
      zero += few_masses.zero;
      error += other.mass_error + few_masses.mass_error;
      moved = std::max(moved, other.ratio_error + few_masses.ratio_error);
      grown += null_mass(other) - 1.0;
    }
    if (side == Side::above) {  // of one copy, times the mass of all others
      law.infinite += infinite * std::exp(grown);
      law.zero += zero * std::exp(grown);
    }
    law.mass_error += error;
    law.ratio_error = moved + 4.0 * unit;
  }
  return result;
}

}  // namespace dpcurves::accounting::detail
