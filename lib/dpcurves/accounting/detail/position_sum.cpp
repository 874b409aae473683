// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/accounting/detail/position_sum.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::accounting::detail {
namespace {

using numerics::normal_upper_tail;
using rigorous::Real;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double reach = 13.0;  // cells cover 13 deviations: 6e-39 is left

// Increasing values joined at the points of a lattice, from one end on: what lies short of a point is balanced by as
// much beyond it, and what finds no balance at the other end is moved down. The dense end should be the start.
LatticeMasses lowered(const RatioLaw& law, const RatioLattice& lattice, long first, long last, bool from_top) {
  LatticeMasses result;
  result.first = first;
  result.mass.assign(static_cast<std::size_t>(last - first + 1), 0.0);
  const std::size_t n = law.ratio.size();
  std::size_t i = 0;
  const auto at = [&](std::size_t k) { return from_top ? n - 1 - k : k; };
  double left = n > 0 ? law.mass[at(0)] : 0.0;
  const auto next = [&] {
    ++i;
    left = i < n ? law.mass[at(i)] : 0.0;
  };
  while (i < n) {
    const double start = law.ratio[at(i)];
    long k = lattice.below(start);
    k += from_top ? (lattice.point(k) > start ? -1 : 0) : (lattice.point(k) < start ? 1 : 0);
    const double y = lattice.point(k);
    const auto beyond = [&] { return from_top ? y - law.ratio[at(i)] : law.ratio[at(i)] - y; };
    double owed = 0.0;
    double mass = 0.0;
    for (; i < n && beyond() <= 0.0; next()) {
      owed -= left * beyond();
      mass += left;
    }
    while (owed > 0.0 && i < n) {
      const double paid = left * beyond();
      if (paid <= owed) {
        owed -= paid;
        mass += left;
        next();
      } else {
        const double share = owed / beyond();
        mass += share;
        left -= share;
        owed = 0.0;
      }
    }
    const long down = owed > 0.0 && !from_top ? k - 1 : k;
    result.mass[static_cast<std::size_t>(down - first)] += mass;
  }
  for (const double mass : result.mass) {
    result.log_mass.push_back(std::log(mass));
  }
  return result;
}

}  // namespace

FoundEnds narrower(const FoundEnds& a, const FoundEnds& b) {
  FoundEnds best = a;
  if (b.delta.upper < a.delta.upper) {
    best.delta.upper = b.delta.upper;
    best.above = b.above;
  }
  if (b.delta.lower > a.delta.lower) {
    best.delta.lower = b.delta.lower;
    best.below = b.below;
    best.from_top = b.from_top;
  }
  best.delta.lower = std::min(best.delta.lower, best.delta.upper);
  return best;
}

PositionSum::PositionSum(const OnePosition& pair, double epsilon, const PositionTuning& tuning)
    : tuning_(tuning), t_(pair.positions), m_(pair.mean), n_(pair.null_mean), a_(std::exp(epsilon)), epsilon_(epsilon) {
  if (m_ < n_) {
    m_ = -m_;
    n_ = -n_;
  }
  low_ = std::min(0.0, n_) - reach;
  high_ = std::max(0.0, m_) + reach;
  if (m_ * n_ > 0.0) {
    turn_ = (epsilon + std::log(n_ / m_) + 0.5 * (m_ - n_) * (m_ + n_)) / (m_ - n_);
  }
  make_cells();
}

double PositionSum::edge(std::size_t k) const {
  return low_ + (high_ - low_) * static_cast<double>(k) / static_cast<double>(tuning_.cells);
}

FoundEnds PositionSum::everywhere() const {
  FoundEnds best;
  best.delta = {-1.0, 2.0};
  const double scale = m_ > 0.0 ? jump_that_decides() : 0.0;
  for (const double factor : position_factors) {
    FoundEnds found = m_ > 0.0 ? cut_at(factor * scale, {}) : inside(cells_.size(), {});
    found.above = found.below = factor;
    best = narrower(best, found);
    if (m_ <= 0.0) {
      break;
    }
  }
  return best;
}

FoundEnds PositionSum::at(double factor, const AskedEnds& asked) const {
  // Without a jump h is bounded above.
  FoundEnds found = m_ <= 0.0 ? inside(cells_.size(), asked) : cut_at(factor * jump_that_decides(), asked);
  found.delta = told(found.delta, epsilon_);
  if (!asked.from_bottom && !asked.from_top) {
    found.delta.lower = 0.0;  // what lies beyond z0 by itself tells no way to more
  }
  found.above = found.below = factor;
  return found;
}

Real PositionSum::largest(double z0) const {
  const Real rest = (Real(t_) - Real(1)) * log1p(-rigorous::normal_tail(Real(z0)));
  const auto exceeds = [&](double mean) { return -expm1(log1p(-rigorous::normal_tail(Real(z0) - Real(mean))) + rest); };
  return exceeds(m_) - exp(Real(epsilon_)) * exceeds(n_);
}

double PositionSum::largest_fast(double z0) const {
  const double rest = (t_ - 1.0) * std::log1p(-normal_upper_tail(z0));
  return -std::expm1(std::log1p(-normal_upper_tail(z0 - m_)) + rest) +
         a_ * std::expm1(std::log1p(-normal_upper_tail(z0 - n_)) + rest);
}

FoundEnds PositionSum::cut_at(double jump, const AskedEnds& asked) const {
  const std::size_t count = cells_below(jump);
  FoundEnds kept = inside(count, asked);
  const Enclosure far = beyond(count, asked.above);
  kept.delta = {next_down(kept.delta.lower + far.lower), next_up(kept.delta.upper + far.upper)};
  return kept;
}

double PositionSum::first(double z) const { return std::exp(m_ * z - 0.5 * m_ * m_); }

double PositionSum::second(double z) const { return a_ * std::exp(n_ * z - 0.5 * n_ * n_); }

double PositionSum::h(double z) const { return first(z) - second(z); }

void PositionSum::make_cells() {
  const auto rule = numerics::gauss_legendre(4);
  const double width = (high_ - low_) / static_cast<double>(tuning_.cells);
  struct Node {  // of a cell: how far from its left end, and by what both parts of h grow until there
    double from, weight, first, second;
  };
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    const double from = 0.5 * width * (1.0 + rule.nodes[i]);
    nodes.push_back({from, 0.5 * width * rule.weights[i], std::exp(m_ * from), std::exp(n_ * from)});
  }
  struct Edge {
    double z, first, second;
  };
  const auto edge_at = [&](std::size_t k) { return Edge{edge(k), first(edge(k)), second(edge(k))}; };
  Edge left = edge_at(0);
  cells_.reserve(tuning_.cells);
  for (std::size_t k = 0; k < tuning_.cells; ++k) {
    const Edge right = edge_at(k + 1);
    double mass = 0.0;
    double sum = 0.0;
    for (const Node& node : nodes) {
      const double w = node.weight * numerics::normal_density(left.z + node.from);
      mass += w;
      sum += w * (left.first * node.first - left.second * node.second);
    }
    const double at_left = left.first - left.second, at_right = right.first - right.second;
    Cell c{mass, sum / mass, std::min(at_left, at_right), std::max(at_left, at_right), 0.0};
    if (turn_ > left.z && turn_ < right.z) {
      c.least = std::min(c.least, h(turn_));
      c.most = std::max(c.most, h(turn_));
    }
    const double largest = std::max(std::abs(left.z), std::abs(right.z));
    const double exponent =
        (std::abs(m_) + std::abs(n_)) * (largest + std::abs(m_) + std::abs(n_)) + std::abs(epsilon_);
    c.pad = 4.0 * unit * (4.0 + exponent) * std::max(left.first + left.second, right.first + right.second);
    c.mean = std::clamp(c.mean, c.least, c.most);
    cells_.push_back(c);
    left = right;
  }
}

double PositionSum::jump_that_decides() const {
  const double common = numerics::normal_upper_quantile(std::min(0.25, 0.05 / t_));
  double mean = 0.0;
  double square = 0.0;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    if (std::abs(edge(k)) < common) {
      mean += cells_[k].mass * cells_[k].mean;
      square += cells_[k].mass * cells_[k].mean * cells_[k].mean;
    }
  }
  return std::max(0.0, -(t_ - 1.0) * mean) + 8.0 * std::sqrt(t_ * std::max(0.0, square - mean * mean)) + 3.0 * a_;
}

std::size_t PositionSum::cells_below(double value) const {
  std::size_t k = cells_.size();
  while (k > 1 && edge(k - 1) > turn_ && edge(k - 1) > 0.0 && h(edge(k - 1)) > value) {
    --k;
  }
  return k;
}

Enclosure PositionSum::beyond(std::size_t count, bool above) const {
  const double z0 = edge(count);
  const Real exact = largest(z0);
  if (!above) {
    return {std::max(0.0, exact.lower()), 1.0};
  }
  const double tail = normal_upper_tail(z0);
  const double hit = (normal_upper_tail(z0 - m_) + (t_ - 1.0) * tail) * (1.0 + 1e-10);
  const double null_hit = (normal_upper_tail(z0 - n_) + (t_ - 1.0) * tail) * (1.0 + 1e-10);
  const double jump = h(z0) - cells_[count - 1].pad;
  double least = hit;
  if (jump > 0.0 && z0 > turn_) {
    // Another position far on the other side is a second rare event; without one, the rest seldom cancels the jump.
    for (const double rare : n_ < 0.0 ? std::vector{1e-3, 1e-4, 1e-5, 1e-7, 1e-10} : std::vector{0.0}) {
      const double far = rare > 0.0 ? numerics::normal_upper_quantile(rare / t_) : reach;
      const double down = std::max(low_, n_ < 0.0 ? -far : low_);
      const auto low = [&](double mean) {
        return (normal_upper_tail(mean - down) + (t_ - 1.0) * normal_upper_tail(-down)) * (1.0 + 1e-10);
      };
      const double cancelled = tail * (1.0 + 1e-10) * std::exp(cancellation(count, down, jump));
      least = std::min(
          least, std::max(0.0, exact.upper()) + hit * low(m_) + a_ * (1.0 + 1e-10) * null_hit * low(n_) + cancelled);
    }
  }
  return {std::max(0.0, exact.lower()), least * (1.0 + 1e-14)};
}

double PositionSum::cancellation(std::size_t count, double down, double jump) const {
  if (t_ == 1.0) {
    return -infinity;
  }
  struct Piece {  // of z: its mass, and what h is at least there
    double mass, least;
  };
  const double tail = normal_upper_tail(edge(count)) * (1.0 + 1e-10);
  const auto skipped = static_cast<std::size_t>(
      std::max(0.0, std::floor((down - low_) / (high_ - low_) * static_cast<double>(tuning_.cells))));
  std::vector<Piece> pieces;  // the cells
  std::vector<Piece> groups;  // cells together, which say where the bound is least
  for (std::size_t k = skipped; k < count; ++k) {
    constexpr std::size_t together = 64;
    const Piece piece{cells_[k].mass, std::min(jump, cells_[k].least - cells_[k].pad)};
    pieces.push_back(piece);
    if ((k - skipped) % together == 0) {
      groups.push_back(piece);
    } else {
      groups.back() = {groups.back().mass + piece.mass, std::min(groups.back().least, piece.least)};
    }
  }
  const auto bound = [&](const std::vector<Piece>& law, double log_c) {
    const double c = std::exp(log_c);
    double most = -c * jump;
    for (const Piece& piece : law) {
      most = std::max(most, -c * piece.least);
    }
    double sum = tail * std::exp(-c * jump - most);
    for (const Piece& piece : law) {
      const double x = -c * piece.least - most;
      sum += x > -60.0 ? piece.mass * std::exp(x) : piece.mass * 1e-26;
    }
    return (t_ - 1.0) * (std::log(sum) + most + 1e-12) - c * jump - 1.0 - log_c;
  };
  const double centre = -std::log(jump);
  double best = infinity;
  double at = centre;
  for (double x = centre - 2.0; x <= centre + 8.0; x += 0.5) {
    const double value = bound(groups, x);
    if (value < best) {
      best = value;
      at = x;
    }
  }
  return bound(pieces, at);
}

FoundEnds PositionSum::inside(std::size_t count, const AskedEnds& asked) const {
  double top = -infinity;
  for (std::size_t k = 0; k < count; ++k) {
    top = std::max(top, cells_[k].most + cells_[k].pad);
  }
  // What lies outside the cells: its supremum counts above, nothing below.
  const double left = std::max({cells_.front().most + cells_.front().pad, n_ > 0.0 ? 0.0 : -infinity,
                                turn_ < low_ ? h(std::max(turn_, -1e3)) : -infinity});
  const bool open_right = m_ <= 0.0;
  const double right = !open_right ? -infinity
                                   : std::max({cells_.back().most + cells_.back().pad, m_ == 0.0 ? 1.0 : 0.0,
                                               turn_ > high_ ? h(std::min(turn_, 1e3)) : -infinity});
  top = std::max({top, left, right});
  if (top <= 0.0) {
    return {{0.0, 0.0}};
  }
  const double tilt = saddle(count);
  std::vector<Cell> kept(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(kept.begin(), kept.end(), [](const Cell& x, const Cell& y) { return x.mean < y.mean; });
  double total = 0.0;
  double mean = 0.0;
  double square = 0.0;
  for (const Cell& c : kept) {
    const double w = c.mass * std::exp(tilt * (c.mean - top));
    total += w;
    mean += w * c.mean;
    square += w * c.mean * c.mean;
  }
  mean /= total;
  const double deviation = std::sqrt(std::max(0.0, square / total - mean * mean) * t_);
  // Far below, values hardly count: they are raised to `floor` in the law above, and left out in the law below.
  double floor = kept.front().least - kept.front().pad;
  double lower_mass = normal_upper_tail(-low_);
  std::size_t skipped = 0;
  while (skipped + 1 < kept.size() &&
         t_ * (lower_mass + kept[skipped].mass) * std::exp(tilt * (kept[skipped + 1].mean - top)) < 1e-11 * total) {
    lower_mass += kept[skipped].mass;
    ++skipped;
    floor = kept[skipped].mean;
  }
  const double width = 2.5 * (top - floor) + 20.0 * deviation;
  const RatioLattice lattice{RatioLattice::Kind::linear, width / static_cast<double>(tuning_.window)};
  RatioLaw above;
  RatioLaw below;
  const auto put = [](RatioLaw& law, double value, double mass) {
    law.ratio.push_back(value);
    law.mass.push_back(mass);
  };
  put(above, std::max(left, floor), normal_upper_tail(-low_));
  if (open_right) {
    put(above, right, normal_upper_tail(high_));
  }
  for (const Cell& c : kept) {
    const double bottom = std::max(c.least - c.pad, floor);
    const double peak = std::max(c.most + c.pad, floor);
    const double middle = std::clamp(c.mean + c.pad, bottom, peak);
    const double share = peak > bottom ? (middle - bottom) / (peak - bottom) : 0.0;
    put(above, bottom, c.mass * (1.0 - share));
    put(above, peak, c.mass * share);
    if (c.mean - c.pad >= floor) {
      const double value = c.mean - c.pad;
      put(below, below.ratio.empty() ? value : std::max(value, below.ratio.back()), c.mass);
    }
  }
  const double up = asked.above ? positive_part(above, Side::above, lattice, tilt).upper : 1.0,
               from_bottom = asked.from_bottom ? positive_part(below, Side::below, lattice, tilt, false).lower : 0.0,
               from_top = asked.from_top ? positive_part(below, Side::below, lattice, tilt, true).lower : 0.0;
  FoundEnds found;
  found.delta = {std::min(std::max(from_bottom, from_top), up), up};
  found.from_top = from_top > from_bottom;
  return found;
}

double PositionSum::saddle(std::size_t count) const {
  double top = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    top = std::max(top, cells_[k].mean);
  }
  const auto slope = [&](double c) {
    double sum = 0.0;
    double first = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const double x = c * (cells_[k].mean - top);
      if (x > -45.0) {
        const double w = cells_[k].mass * std::exp(x);
        sum += w;
        first += w * cells_[k].mean;
      }
    }
    return t_ * first / sum - 2.0 / c;
  };
  double low = 1e-3 / (t_ * top);
  const double high = 1.0 / top;
  while (slope(low) > 0.0 && low > 1e-300) {
    low *= 1e-3;
  }
  return numerics::rising_root(slope, low, high, 1e12 / top);
}

Enclosure PositionSum::positive_part(const RatioLaw& law, Side side, const RatioLattice& lattice, double tilt,
                                     bool from_top) const {
  const auto [least, most] = std::minmax_element(law.ratio.begin(), law.ratio.end());
  const long first = lattice.below(*least) - 1;
  const long last = lattice.below(*most) + 2;
  const LatticeMasses masses =
      side == Side::above ? on_lattice(law, side, lattice, first, last) : lowered(law, lattice, first, last, from_top);
  const std::vector<LatticePart> parts{{&masses, t_}};
  const double step_tilt = tilt * lattice.step;
  const LatticePower power(parts, step_tilt, tuning_.window);
  const double rounding = power.rounding();
  double sum = 0.0;
  double weights = 0.0;  // of the roundings
  double heaviest = 0.0;
  const auto length = static_cast<long>(power.tilted().size());
  for (long k = std::max(0L, 1 - power.first()); k < length; ++k) {
    const auto s = static_cast<double>(power.first() + k);
    const double weight = s * std::exp(power.log_moment() - step_tilt * s);
    sum += weight * power.tilted()[static_cast<std::size_t>(k)];
    weights += weight;
    heaviest = std::max(heaviest, weight);
  }
  const double relative = power.relative() + 1e-12;
  double upper = sum * (1.0 + relative) + weights * rounding;
  const double lower = sum * (1.0 - relative) - weights * rounding - heaviest * power.outside();
  const auto end = static_cast<double>(power.first() + length);
  upper += std::max(end, 1.0 / step_tilt) *
           std::exp(power.log_moment() - step_tilt * std::max(end, 1.0 / step_tilt) + power.log_above());
  const double factor = lattice.step / t_;
  return {std::max(0.0, lower * factor * (1.0 - 4.0 * unit)), upper * factor * (1.0 + 4.0 * unit)};
}

}  // namespace dpcurves::accounting::detail
