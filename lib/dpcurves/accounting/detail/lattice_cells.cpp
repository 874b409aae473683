// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstddef>
#include <utility>

#include <dpcurves/accounting/detail/lattice_cells.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::accounting::detail {
namespace {

// Masses under the null from their logarithms.
LatticeLaw law_of(long first, std::vector<double> log_mass, double shift) {
  LatticeLaw law;
  law.shift = shift;
  law.masses.first = first;
  law.masses.mass.resize(log_mass.size());
  law.masses.log_mass = std::move(log_mass);
  return law;
}

// A part of a law, known by its mass under the null and its mean.
struct Lump {
  double log_mass, loss;
};

// Joins lumps, from the outermost inward, so that each group has its mean at the point before it: what lies beyond a
// point is balanced by as much of what lies inside, at last of the crowd, which has the most. Lumps fall (up) or rise.
void join(std::vector<Lump>& lumps, bool up, double h, double shift, long first, const Scale& scale, Lump& crowd,
          std::vector<double>& log_mass) {
  const double side = up ? 1.0 : -1.0;
  for (std::size_t i = 0, j = 0; i < lumps.size(); i = j) {
    j = i + 1;
    const double at = (lumps[i].loss - shift) / h,
                 last = static_cast<double>(first) + static_cast<double>(log_mass.size()) - 1.0,
                 index = up ? std::min(std::floor(at), last) : std::ceil(at);
    const double point = index * h + shift;
    double mass = std::exp(lumps[i].log_mass + scale(point));  // of the group, in the scale of the point
    double missing = side * mass * std::expm1(lumps[i].loss - point);
    while (missing > 0.0) {
      Lump& inner = j < lumps.size() ? lumps[j] : crowd;
      const double share = std::exp(inner.log_mass + scale(point)), each = -side * std::expm1(inner.loss - point);
      const double more = share * each;
      if (more > missing) {  // a part of it, even where all of it is beyond the range of doubles
        mass += missing / each;
        inner.log_mass += std::log1p(-missing / more);
        missing = 0.0;
      } else if (j < lumps.size()) {
        mass += share;
        missing -= more;
        ++j;
      } else {
        break;
      }
    }
    const long where = static_cast<long>(index) - first;
    if (mass > 0.0 && missing <= 0.0 && where >= 0 && where < static_cast<long>(log_mass.size())) {
      double& there = log_mass[static_cast<std::size_t>(where)];
      there = std::log(std::exp(there + scale(point)) + mass) - scale(point);
    }
  }
}

}  // namespace

LatticeLaw law_above(const Cells& cells, double beyond) {
  const std::size_t n = cells.mass.size();
  std::vector<double> mass(n, 0.0);
  const double gap = std::expm1(cells.h);
  const auto point = [&](std::size_t k) { return cells.point(cells.first + static_cast<long>(k)); };
  const auto scale = [&](std::size_t k) { return cells.scale(point(k)); };
  for (std::size_t k = 0; k < n; ++k) {
    const double moved = k + 1 < n ? std::clamp(cells.excess[k] / gap, 0.0, cells.mass[k]) : 0.0;
    mass[k] += cells.mass[k] - moved;
    if (moved > 0.0) {
      mass[k + 1] += moved * std::exp(scale(k + 1) - scale(k));
    }
  }
  mass[static_cast<std::size_t>(-cells.first)] += cells.atom;
  for (std::size_t k = 0; k < n; ++k) {
    mass[k] = std::log(mass[k]) - scale(k);
  }
  mass[2] = numerics::log_add_exp(mass[2], std::log(cells.dropped) - point(2));  // the first point above all of it
  LatticeLaw law = law_of(cells.first, std::move(mass), cells.shift);
  law.masses.infinite = std::max(0.0, cells.excess[n - 1]) * std::exp(point(n - 1) - scale(n - 1)) + beyond;
  law.masses.zero = beyond;
  return law;
}

LatticeLaw law_below(const Cells& cells) {
  const auto place = [&](long k) { return static_cast<std::size_t>(k - cells.first); };
  double mass = cells.atom * std::exp(cells.shift),
         excess = cells.atom * -std::expm1(cells.shift);  // of the crowd, times the ratio at shift
  double mean = 0.0;
  const auto gather = [&](long k) {
    const double c = cells.mass[place(k)], e = std::max(0.0, cells.excess[place(k)]);
    const double point = cells.point(k), scale = cells.scale(point);
    mass += c * std::exp(cells.shift - scale);
    excess += e * std::exp(point - scale) + c * std::exp(cells.shift - scale) * std::expm1(point - cells.shift);
    mean = mass > 0.0 ? std::log1p(excess / mass) : 0.0;
  };
  const auto loss = [&](long k) {  // the mean of a cell
    const double c = cells.mass[place(k)];
    return cells.point(k) + (c > 0.0 ? std::log1p(std::max(0.0, cells.excess[place(k)]) / c) : 0.5 * cells.h);
  };
  long low = cells.fixed ? 0 : -1, high = 0;  // the cells of the crowd
  gather(low);
  if (high > low) {
    gather(high);
  }
  if (cells.fixed) {  // what lies between the point and the next falls to it
    mean = 0.0;
  }
  for (bool grown = !cells.fixed; grown;) {
    grown = false;
    if (high < cells.last() && loss(high + 1) < cells.shift + mean + cells.h) {
      gather(++high);
      grown = true;
    }
    if (low > cells.first && loss(low - 1) > cells.shift + mean - cells.h) {
      gather(--low);
      grown = true;
    }
  }
  std::vector<Lump> up, down;
  const auto add = [&](std::vector<Lump>& to, long k) {
    const double c = cells.mass[place(k)];
    if (c > 0.0) {
      to.push_back({std::log(c) - cells.scale(cells.point(k)), loss(k)});
    }
  };
  for (long k = cells.last(); k > high; --k) {
    add(up, k);
  }
  for (long k = cells.first; k < low; ++k) {
    add(down, k);
  }
  if (cells.fixed && !down.empty() &&
      down.back().loss > cells.point(low - 1)) {  // no point is between it and the crowd
    down.back().loss = cells.point(low - 1) - 1e-6 * cells.h;
  }
  const double shift = cells.shift + mean;
  const long first = cells.first - 2;
  std::vector<double> log_mass(cells.mass.size() + 4, -infinity);
  Lump crowd{std::log(mass) - cells.shift, shift};
  join(up, true, cells.h, shift, first, cells.scale, crowd, log_mass);
  join(down, false, cells.h, shift, first, cells.scale, crowd, log_mass);
  log_mass[static_cast<std::size_t>(-first)] = crowd.log_mass;
  return law_of(first, std::move(log_mass), shift);
}

}  // namespace dpcurves::accounting::detail
