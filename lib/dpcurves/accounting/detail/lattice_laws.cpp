// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/detail/lattice_cells.hpp>
#include <dpcurves/accounting/detail/lattice_laws.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

using proof::Piece;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double near_reach = 9.0;           // standard deviations; beyond are 1.2e-19
constexpr double beyond_near_reach = 5e-19;  // of both sides and both shares
constexpr double half_log_2pi = 0.91893853320467274178;

struct Value {
  double value, slope;
};

// log of r_m(x) = 1 - q + q e^{m mu x - m^2 mu^2 / 2}; error below 32 + 2 |log q| units of the value for q up to a
// half, and 16 units more for larger q.
Value log_mixture(const Piece& p, int m, double x) {
  if (m == 0) {
    return {0.0, 0.0};
  }
  constexpr double large = 30.0;
  const double mean = m * p.mu, u = mean * (x - 0.5 * mean), moved = u + std::log(p.q);
  double value = 0.0;
  if (moved > large) {
    value = moved + std::log1p((1.0 - p.q) * std::exp(-moved));
  } else if (p.q > 0.5) {
    value = std::log((1.0 - p.q) + p.q * std::exp(u));
  } else {
    value = std::log1p(u < 600.0 ? p.q * std::expm1(u) : std::exp(moved) - p.q);
  }
  return {value, mean * std::exp(moved - value)};
}

// An increasing loss and the log density of the alternative on [left, right]; `steepest` is the largest derivative of a
// loss.
template <class Loss, class Density>
void add_cells(Cells& cells, const Loss& loss, const Density& log_density, double left, double right, double steepest) {
  static const auto rule = numerics::gauss_legendre(4);
  // Of a piece: the rule's error falls with its eighth power, and grows with that of the slope of the log density.
  const double widest = std::min({0.01, 0.08 / steepest, 0.09 / std::max(near_reach, right)});
  double x = left;
  long k = static_cast<long>(std::floor((loss(left).value - cells.shift) / cells.h));
  while (x < right) {
    const double target = cells.point(k + 1);
    double next = std::min(x + widest, right);
    const bool crossed = loss(next).value >= target;
    if (crossed) {  // Newton's method between x and next
      double low = x, high = next, at = x;
      for (int i = 0; i < 60; ++i) {
        const Value v = loss(at);
        const double off = target - v.value;
        if (std::abs(off) <= 4.0 * unit * (cells.h + std::abs(target))) {
          break;
        }
        (off > 0.0 ? low : high) = at;
        const double moved = at + off / v.slope;
        const double then = moved > low && moved < high ? moved : 0.5 * (low + high);
        if (then == at) {
          break;
        }
        at = then;
      }
      next = at;
    }
    const double half = 0.5 * (next - x);
    const long cell = std::clamp(k, cells.first, cells.last());
    const double from = cells.point(cell);
    double mass = 0.0, excess = 0.0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double y = x + half * (1.0 + rule.nodes[i]), l = loss(y).value;
      const double weight = half * rule.weights[i] * std::exp(log_density(y) - l + cells.scale(from));
      mass += weight;
      excess += weight * std::expm1(l - from);
    }
    const auto at = static_cast<std::size_t>(cell - cells.first);
    cells.mass[at] += mass;
    cells.excess[at] += excess;
    x = next;
    k += crossed ? 1 : 0;
  }
}

void add_atom(Cells& cells, const LatticeAtom& atom) {
  const double at = (atom.loss - cells.shift) / cells.h, nearest = std::round(at);
  const bool there = std::abs(atom.loss - cells.point(static_cast<long>(nearest))) <= 4.0 * unit * std::abs(atom.loss);
  const long k = static_cast<long>(there ? nearest : std::floor(at));
  const auto place = static_cast<std::size_t>(k - cells.first);
  const double from = cells.point(k), mass = std::exp(atom.log_mass - atom.loss + cells.scale(from));
  cells.mass[place] += mass;
  cells.excess[place] += there ? 0.0 : mass * std::expm1(atom.loss - from);
}

// Where a piece is integrated, in x times its side: large losses as far as the law is cut off, if it is.
std::pair<double, double> range(const Piece& p) {
  const bool rises = p.side() > 0;
  const double low = std::min({0.0, p.a * p.mu, p.n * p.mu}) - near_reach,
               high = std::max({0.0, p.a * p.mu, p.n * p.mu}) + near_reach;
  const double begin = p.half              ? 0.5 * (p.a + p.n) * p.mu
                       : p.cut() && !rises ? p.left
                                           : low,
               end = p.cut() && rises ? p.right : high;
  return rises ? std::pair{begin, end} : std::pair{-end, -begin};
}

double log_density(const Piece& p, double y) {
  return log_mixture(p, p.a, p.side() * y).value - 0.5 * y * y - half_log_2pi;
}

auto loss_of(const Piece& p) {
  return [&p, side = p.side()](double y) {
    const Value a = log_mixture(p, p.a, side * y), n = log_mixture(p, p.n, side * y);
    return Value{a.value - n.value, side * (a.slope - n.slope)};
  };
}

// What the logarithms of a piece's densities are at least as large as where its loss is 0, and where q is large, 1.
double least_error(const Piece& p) {
  if (p.q > 0.5) {
    return 1.0;
  }
  const double edge = 0.5 * (p.a + p.n) * p.mu;
  return p.half ? std::abs(log_mixture(p, p.n, edge).value) - std::log1p(-p.q) : 0.0;
}

// The mean loss of those within h of where they are densest under the null, about: often an end of the law, or where
// most losses are if the record is seldom drawn.
template <class Loss, class Density>
double crowd_of(const Loss& loss, const Density& log_density, std::pair<double, double> range, double h) {
  constexpr double step = 1e-3;
  std::vector<double> at, weight;
  for (auto [y, end] = range; y < end; y += step) {
    at.push_back(loss(y).value);
    weight.push_back(std::exp(log_density(y) - at.back()));
  }
  double crowd = 0.0, inside = 0.0, most = 0.0;
  for (std::size_t i = 0, j = 0; i < at.size(); ++i) {  // losses i..j-1 are within 2 h of each other
    for (; j < at.size() && at[j] <= at[i] + 2.0 * h; ++j) {
      inside += weight[j];
    }
    if (inside > most) {
      most = inside;
      crowd = 0.0;
      for (std::size_t k = i; k < j; ++k) {
        crowd += weight[k] / inside * at[k];
      }
    }
    inside -= weight[i];
  }
  return crowd;
}

// `power` is that of the scale; `beyond` is the mass above the lattice, and on a lattice that is not far
// down also that below it.
template <class Fill>
LatticeLaws laws_between(const Lattice& lattice, double power, double crowd, std::pair<double, double> kept,
                         double beyond, const Fill& fill) {
  constexpr double widest = 600.0;  // the ratio of neighbouring points is a double
  if (!(lattice.h < widest)) {
    throw ConvergenceError("the losses are too large for a lattice");
  }
  Cells cells;
  cells.scale.power = power;
  cells.h = lattice.h;
  cells.shift = crowd;
  cells.dropped = lattice.far() ? beyond_near_reach : 0.0;
  cells.first = static_cast<long>(std::floor((kept.first - crowd) / cells.h)) - 1;
  const long last = static_cast<long>(std::ceil((kept.second - crowd) / cells.h)) + 1;
  cells.mass.assign(static_cast<std::size_t>(last + 1 - cells.first), 0.0);
  cells.excess = cells.mass;
  fill(cells);
  for (std::size_t k = 0; k < cells.mass.size(); ++k) {
    if (!std::isfinite(cells.mass[k]) || !std::isfinite(cells.excess[k])) {
      throw ConvergenceError("the tilted masses of a lattice are beyond the range of doubles");
    }
  }
  return {law_above(cells, beyond), law_below(cells)};
}

}  // namespace

double LatticeLaw::mean_size(double h, double tilt) const {
  const auto loss = [&](std::size_t k) { return static_cast<double>(masses.first + static_cast<long>(k)) * h + shift; };
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < masses.log_mass.size(); ++k) {
    most = std::max(most, masses.log_mass[k] + tilt * loss(k));
  }
  double total = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < masses.log_mass.size(); ++k) {
    const double weight = std::exp(masses.log_mass[k] + tilt * loss(k) - most);
    total += weight;
    sum += weight * std::abs(loss(k));
  }
  return sum / total;
}

std::vector<LossNode> loss_nodes(const proof::Step& step) {
  constexpr double distance = 0.02;
  std::vector<LossNode> nodes;
  for (const Piece& p : step.pieces) {
    const auto loss = loss_of(p);
    for (auto [y, end] = range(p); y < end; y += distance) {
      nodes.push_back({loss(y).value, log_density(p, y) + std::log(distance)});
    }
  }
  if (step.has_atom) {
    nodes.push_back({0.0, std::log(step.approximate_atom())});
  }
  return nodes;
}

std::pair<double, double> losses(const proof::Step& step) {
  std::pair<double, double> kept{0.0, 0.0};
  for (const Piece& p : step.pieces) {
    const auto [left, right] = range(p);
    kept.first = std::min(kept.first, loss_of(p)(left).value);
    kept.second = std::max(kept.second, loss_of(p)(right).value);
  }
  return kept;
}

namespace {

/// The power of a scale in which no tilted mass overflows: that of the order, or a smaller one.
/// \param peak  about the largest logarithm of a tilted density.
double power_of(double order, double peak) {
  constexpr double most = 500.0;
  return 1.0 + (peak > most ? order * most / peak : order);
}

/// The largest of log density + order * loss at some points of [left, right].
template <class Loss, class Density>
double peak_of(const Loss& loss, const Density& log_density, double left, double right, double order) {
  constexpr int samples = 200;
  double peak = 0.0;
  for (int i = 0; i <= samples; ++i) {
    const double y = left + (right - left) * i / samples;
    peak = std::max(peak, log_density(y) + order * loss(y).value);
  }
  return peak;
}

}  // namespace

LatticeLaws lattice_laws(const proof::Step& step, const Lattice& lattice) {
  const Piece& densest = step.pieces[0];
  const double crowd = step.has_atom ? 0.0
                                     : crowd_of(
                                           loss_of(densest), [&](double y) { return log_density(densest, y); },
                                           range(densest), lattice.h);
  const double beyond = lattice.far() ? step.lost().upper() : beyond_near_reach;
  auto [lowest, highest] = losses(step);
  highest = std::min(highest, lattice.highest);
  double peak = 0.0;
  for (const Piece& p : step.pieces) {
    const auto [left, right] = range(p);
    peak = std::max(peak, peak_of(
                              loss_of(p), [&p](double y) { return log_density(p, y); }, left, right, lattice.order));
  }
  const double power = power_of(lattice.order, peak);
  LatticeLaws laws = laws_between(lattice, power, crowd, {lowest, highest}, beyond, [&](Cells& cells) {
    for (const Piece& p : step.pieces) {
      const auto [left, right] = range(p);
      const auto density = [&p](double y) { return log_density(p, y); };
      add_cells(cells, loss_of(p), density, left, right, p.steepest() * p.mu);
    }
    cells.atom = step.approximate_atom();
  });
  double least = 0.0;
  for (const Piece& p : step.pieces) {
    least = std::max(least, least_error(p));
  }
  for (LatticeLaw* law : {&laws.above, &laws.below}) {
    law->count = step.count;
    law->units = 64.0 - 4.0 * std::log(step.q);
    law->least_error = least;
  }
  return laws;
}

LatticeLaws lattice_laws(double mu, const Lattice& lattice) {
  const double left = -near_reach, right = mu + (lattice.far() ? lattice.reach : near_reach);
  const double beyond = lattice.far() ? std::exp(-0.5 * lattice.reach * lattice.reach) : beyond_near_reach;
  const auto loss = [mu](double x) { return Value{mu * (x - 0.5 * mu), mu}; };
  const auto density = [mu](double x) { return -0.5 * (x - mu) * (x - mu) - half_log_2pi; };
  LatticeLaws laws = laws_between(lattice, 1.0 + lattice.order, 0.0, {loss(left).value, loss(right).value}, beyond,
                                  [&](Cells& cells) { add_cells(cells, loss, density, left, right, mu); });
  laws.above.least_error = laws.below.least_error = mu * mu;
  return laws;
}

std::pair<double, double> losses(const LatticeStep& step) {
  std::pair<double, double> kept{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto see = [&](double loss) { kept = {std::min(kept.first, loss), std::max(kept.second, loss)}; };
  for (const LatticeAtom& a : step.atoms) {
    see(a.loss);
  }
  for (const LatticeDensity& d : step.densities) {
    see(d.loss(d.left).first);
    see(d.loss(d.right).first);
  }
  return kept;
}

LatticeLaws lattice_laws(const LatticeStep& step, const Lattice& lattice) {
  constexpr double few = 1e-3;  // a smaller atom is no crowd
  const auto null_mass = [](const LatticeAtom& a) { return std::exp(a.log_mass - a.loss); };
  const auto largest =
      std::max_element(step.atoms.begin(), step.atoms.end(),
                       [&](const LatticeAtom& a, const LatticeAtom& b) { return null_mass(a) < null_mass(b); });
  const auto value = [](const LatticeDensity& d) {
    return [&d](double y) {
      const auto [loss, slope] = d.loss(y);
      return Value{loss, slope};
    };
  };
  const bool smooth = step.atoms.empty() || (null_mass(*largest) < few && !step.densities.empty());
  const double crowd = smooth ? crowd_of(value(step.densities[0]), step.densities[0].log_density,
                                         {step.densities[0].left, step.densities[0].right}, lattice.h)
                              : largest->loss;
  // What falls to a fixed crowd is of first order in h, and so is what a moved one takes off the other atoms: the
  // latter is more, but where few points are between the losses.
  constexpr double many_points = 60.0;
  const auto [least, most] = losses(step);
  const bool wide = most - least > many_points * lattice.h;
  double peak = 0.0;
  for (const LatticeAtom& a : step.atoms) {
    peak = std::max(peak, a.log_mass + lattice.order * a.loss);
  }
  for (const LatticeDensity& d : step.densities) {
    peak = std::max(peak, peak_of(value(d), d.log_density, d.left, d.right, lattice.order));
  }
  LatticeLaws laws =
      laws_between(lattice, power_of(lattice.order, peak), crowd, losses(step), step.beyond, [&](Cells& cells) {
        cells.fixed = lattice.far() && !smooth && wide;
        for (const LatticeDensity& d : step.densities) {
          add_cells(cells, value(d), d.log_density, d.left, d.right, d.steepest);
        }
        for (const LatticeAtom& a : step.atoms) {
          add_atom(cells, a);
        }
      });
  for (LatticeLaw* law : {&laws.above, &laws.below}) {
    law->count = step.count;
    law->least_error = step.least_error;
  }
  return laws;
}

}  // namespace dpcurves::accounting::detail
