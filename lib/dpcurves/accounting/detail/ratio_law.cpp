// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double denormal = 0x1p-1074;  // no product of doubles that underflows loses more

// Consecutive cells [edge_k, edge_{k+1}), the last one open: mass, and mean excess over the lower edge times the mass.
struct Cells {
  std::vector<double> edge;
  std::vector<double> mass;
  std::vector<double> excess;
  std::uint64_t most_terms = 0;  // summed in one cell
};

// Edges start at 0. Each cell becomes one atom at its mean, or two at its edges with the same mean. Masses and excesses
// are known up to a relative `error`; what lies in the lowest cell, below all quantiles, is left out below.
RatioLaw from_cells(const Cells& cells, Side side, double error) {
  RatioLaw law;
  law.mass_error = error;
  law.ratio_error = 2.0 * unit;
  const std::size_t n = cells.edge.size();
  law.ratio.reserve(n);
  law.mass.reserve(n);
  if (side == Side::below) {
    constexpr double least = 0x1p-960;  // below, masses have lost digits
    double steepest = 0.0;              // excess over mean
    for (std::size_t k = 1; k < n; ++k) {
      if (cells.mass[k] > least) {
        const double excess = cells.excess[k] / cells.mass[k], mean = cells.edge[k] + excess;
        steepest = std::max(steepest, excess / mean);
        if (!law.ratio.empty() && mean <= law.ratio.back()) {  // rounding alone
          law.mass.back() += cells.mass[k];
          continue;
        }
        law.ratio.push_back(mean);
        law.mass.push_back(cells.mass[k]);
      }
    }
    law.ratio_error += 2.0 * error * steepest;
    return law;
  }
  // The difference that stays at the lower end may lose all its digits: what it can be short of is added to it.
  const double slack = 2.0 * error + 4.0 * unit;
  law.ratio.assign(cells.edge.begin() + 1, cells.edge.end());
  law.mass.assign(n - 1, 0.0);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double right = std::min(cells.mass[k], cells.excess[k] / (cells.edge[k + 1] - cells.edge[k]));
    (k == 0 ? law.zero : law.mass[k - 1]) += cells.mass[k] - right + slack * cells.mass[k];
    law.mass[k] += right;
  }
  law.mass.back() += cells.mass.back();
  law.infinite += cells.excess.back();
  return law;
}

// A histogram whose edges are floating-point numbers with few digits: the cell of a number is read off its bits.
class BitHistogram {
 public:
  BitHistogram(double low, double high, std::size_t most) {
    const auto a = std::bit_cast<std::uint64_t>(low);
    const auto b = std::bit_cast<std::uint64_t>(high);
    while (((b >> shift_) - (a >> shift_)) + 2 > most) {
      ++shift_;
    }
    base_ = a >> shift_;
    size_ = (b >> shift_) - base_ + 1;
    cells_.resize(2 * size_);
  }
  // Neighbouring pairs fall into one cell: two lanes halve the wait for its last sum.
  void add(double value, double weight, std::size_t lane) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t k = (bits >> shift_) - base_;
    Cell* cell = nullptr;
    double from = std::bit_cast<double>((bits >> shift_) << shift_);
    if (k < size_) {
      cell = &cells_[2 * k + lane];
    } else if (value < edge(0)) {
      cell = &bottom_;
      from = 0.0;
    } else {
      cell = &top_;
      from = edge(size_);
    }
    ++cell->terms;
    cell->mass += weight;
    cell->excess += weight * (value - from);
  }
  [[nodiscard]] Cells cells() const {
    Cells all;
    const std::size_t n = size_;
    all.edge.reserve(n + 2);
    all.mass.reserve(n + 2);
    all.excess.reserve(n + 2);
    const auto put = [&all](double at, const Cell& cell) {
      all.edge.push_back(at);
      all.mass.push_back(cell.mass);
      all.excess.push_back(cell.excess);
      all.most_terms = std::max(all.most_terms, cell.terms);
    };
    put(0.0, bottom_);
    for (std::size_t k = 0; k < n; ++k) {
      const Cell& a = cells_[2 * k];
      const Cell& b = cells_[2 * k + 1];
      put(edge(k), {a.mass + b.mass, a.excess + b.excess, a.terms + b.terms});
    }
    put(edge(n), top_);
    return all;
  }

 private:
  struct Cell {
    double mass = 0.0;
    double excess = 0.0;
    std::uint64_t terms = 0;
  };
  [[nodiscard]] double edge(std::size_t k) const { return std::bit_cast<double>((base_ + k) << shift_); }
  std::uint64_t shift_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t size_ = 0;
  std::vector<Cell> cells_;
  Cell bottom_;
  Cell top_;
};

// How many of the standard normal quantiles -reach, ..., reach lie below a point of a law, from its two tails.
class Rank {
 public:
  explicit Rank(const Resolution& resolution) {
    const auto n = static_cast<double>(resolution.cells);
    for (std::size_t k = 0; k <= resolution.cells; ++k) {
      const double z = resolution.reach * (2.0 * static_cast<double>(k) / n - 1.0);
      left_.push_back(z <= 0.0 ? numerics::normal_cdf(z) : 2.0);
      right_.push_back(z > 0.0 ? numerics::normal_upper_tail(z) : 0.0);
    }
  }
  // Called with increasing points: the masses on either side.
  std::size_t operator()(double left, double right) {
    while (at_ < left_.size() && (left_[at_] <= 1.0 ? left >= left_[at_] : right <= right_[at_])) {
      ++at_;
    }
    return at_;
  }

 private:
  std::vector<double> left_;
  std::vector<double> right_;
  std::size_t at_ = 0;
};

// Fine cells joined so that each holds about the same step of the normal quantiles of the two laws of the pair.
Cells joined(const Cells& fine, const Resolution& resolution) {
  const std::size_t n = fine.edge.size();
  std::vector<double> null_right(n + 1, 0.0);
  std::vector<double> alternative_right(n + 1, 0.0);
  const auto moment = [&fine](std::size_t k) { return fine.excess[k] + fine.edge[k] * fine.mass[k]; };
  for (std::size_t k = n; k-- > 0;) {
    null_right[k] = null_right[k + 1] + fine.mass[k];
    alternative_right[k] = alternative_right[k + 1] + moment(k);
  }
  Rank by_null(resolution);
  Rank by_alternative(resolution);
  double null_left = 0.0;
  double alternative_left = 0.0;
  Cells result;
  std::size_t last = 0;
  std::uint64_t run = 0;
  std::uint64_t longest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    longest = std::max(longest, ++run);
    if (k > 0) {
      null_left += fine.mass[k - 1];
      alternative_left += moment(k - 1);
    }
    const std::size_t rank =
        (by_null(null_left, null_right[k]) + by_alternative(alternative_left, alternative_right[k])) / 2;
    const bool beyond = rank > resolution.cells && last > resolution.cells;
    if (k == 0 || (rank > last && !beyond && k + 1 < n)) {
      result.edge.push_back(fine.edge[k]);
      result.mass.push_back(0.0);
      result.excess.push_back(0.0);
      run = 0;
    }
    if (k > 0) {
      last = std::max(last, rank);
    }
    result.mass.back() += fine.mass[k];
    result.excess.back() += fine.excess[k] + fine.mass[k] * (fine.edge[k] - result.edge.back());
  }
  result.most_terms = fine.most_terms + longest;
  return result;
}

// A law whose atoms are joined to those of the resolution if there are many more, as a mean of many copies has: pairs
// of them would be too many.
RatioLaw joined_law(const RatioLaw& law, Side side, const Resolution& resolution) {
  const std::size_t atoms = law.ratio.size();
  if (atoms <= 2 * resolution.cells) {
    return law;
  }
  Cells fine{{0.0}, {law.zero}, std::vector<double>(atoms + 1, 0.0), 1};
  fine.edge.insert(fine.edge.end(), law.ratio.begin(), law.ratio.end());
  fine.mass.insert(fine.mass.end(), law.mass.begin(), law.mass.end());
  const Cells cells = joined(fine, resolution);
  RatioLaw result = from_cells(cells, side, (static_cast<double>(cells.most_terms) + 4.0) * unit);
  result.mass_error += law.mass_error;
  result.ratio_error += law.ratio_error;
  if (side == Side::above) {
    const double lost = 4.0 * denormal * static_cast<double>(atoms);
    result.zero += lost;
    result.infinite += law.infinite + lost * (1.0 + law.ratio.back());
  }
  return result;
}

constexpr std::size_t fine_cells = std::size_t{1} << 16U;

// The law of share A + other B; the mass at ratio 0 counts once more at the lowest positive ratio, which only raises
// means.
RatioLaw mean_of(const RatioLaw& a, double share, const RatioLaw& b, double other, bool same, Side side,
                 const Resolution& resolution) {
  if (a.ratio.empty() || b.ratio.empty()) {
    return {};
  }
  BitHistogram histogram(share * a.ratio.front() + other * b.ratio.front(),
                         share * a.ratio.back() + other * b.ratio.back(), fine_cells);
  std::vector<double> point(b.ratio.size());
  std::vector<double> mass = b.mass;
  mass.front() += b.zero;
  for (std::size_t j = 0; j < point.size(); ++j) {
    point[j] = other * b.ratio[j];
  }
  for (std::size_t i = 0; i < a.ratio.size(); ++i) {
    const double x = share * a.ratio[i];
    const double w = a.mass[i] + (i == 0 ? a.zero : 0.0);
    if (w == 0.0) {
      continue;
    }
    std::size_t j = 0;
    if (same) {
      histogram.add(x + point[i], w * w, 0);
      j = i + 1;
    }
    const double weight = same ? 2.0 * w : w;
    for (; j < point.size(); ++j) {
      histogram.add(x + point[j], weight * mass[j], j & 1U);
    }
  }
  const Cells cells = joined(histogram.cells(), resolution);
  // Sums of positive terms err by half a unit for each, and each term by three roundings.
  RatioLaw law = from_cells(cells, side, (static_cast<double>(cells.most_terms) + 4.0) * unit);
  law.mass_error += a.mass_error + b.mass_error;
  law.ratio_error += std::max(a.ratio_error, b.ratio_error) + 2.0 * unit;
  if (side == Side::above) {
    const double total = null_mass(a), pairs = static_cast<double>(a.ratio.size() * b.ratio.size());
    law.zero += a.zero + total * b.zero + pairs * denormal;
    law.infinite += share * a.infinite + other * total * b.infinite + pairs * denormal * (1.0 + law.ratio.back());
  }
  return law;
}

// How often a cell is cut so that the rule of 8 nodes has a relative error below 1e-18: with d half a piece's width,
// d (|z| + mu) <= 1/2 and d <= 1/16, and the ellipse of semiaxes (64 +- 1/64) / 2.
double pieces_of(double width, double furthest, double mu) {
  return std::ceil(std::max({1.0, width * (furthest + mu), 8.0 * width}));
}

}  // namespace

RatioLaws gaussian_ratio(double mu, const Resolution& resolution) {
  Cells cells;
  const auto put = [&cells](double edge, double mass, double excess) {
    cells.edge.push_back(edge);
    cells.mass.push_back(mass);
    cells.excess.push_back(excess);
  };
  // Neither densities nor ratios leave the range of doubles; what is further out goes to ratio 0 and to infinity.
  constexpr double densest = 38.0, least_log_ratio = -600.0;
  const double low = std::max(-resolution.reach, 0.5 * mu + least_log_ratio / mu);
  const double high = std::max(std::min(resolution.reach + mu, densest), low + 1.0);
  const auto n = static_cast<double>(resolution.cells);
  const auto at = [&](double k) { return low + (high - low) * k / n; };
  const auto ratio = [&](double z) { return std::exp(mu * z - 0.5 * mu * mu); };
  const auto rule = numerics::gauss_legendre(8);
  const double furthest = std::max(high, -low), pieces = pieces_of((high - low) / n, furthest, mu);
  // Roundings of x = z + step move a density by x^2 units, the others are those of a few functions and sums.
  const double mass_error = unit * (furthest * furthest + 16.0 * pieces + 32.0);
  const double ratio_error = 8.0 * unit * (1.0 + mu * furthest);
  const rigorous::Precision precision(64);
  const auto tail = [](const rigorous::Real& x) { return rigorous::normal_tail(x).upper(); };
  const rigorous::Real m(mu);
  put(0.0, tail(rigorous::Real(-low)), tail(m - rigorous::Real(low)));
  for (double k = 0.0; k < n; ++k) {
    const double z = at(k), next = at(k + 1.0), half = 0.5 * (next - z) / pieces;
    double mass = 0.0, moved = 0.0;
    for (double piece = 0.0; piece < pieces; ++piece) {
      for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
        const double step = half * (2.0 * piece + (1.0 + rule.nodes[i]));
        const double w = half * rule.weights[i] * numerics::normal_density(z + step);
        mass += w;
        moved += w * std::expm1(mu * step);
      }
    }
    // The share at the upper edge is that of the exact edges, so that roundings of the edges only move the ratios.
    const double share = moved / std::expm1(mu * (next - z));
    put(ratio(z), mass, share * (ratio(next) - ratio(z)));
  }
  RatioLaws laws;
  laws.below = from_cells(cells, Side::below, mass_error);
  const double end = at(n), top = ratio(end), beyond = tail(rigorous::Real(end));
  const double with = tail(rigorous::Real(end) - m), off = 2.0 * (mass_error + ratio_error);
  put(top, beyond, std::max(0.0, with - top * beyond) + off * with);
  laws.above = from_cells(cells, Side::above, mass_error);
  const double lost = 16.0 * n * pieces * denormal;
  laws.above.zero += off * cells.mass.front() + lost;
  laws.above.infinite += lost * (1.0 + top);
  for (RatioLaw* law : {&laws.above, &laws.below}) {
    law->ratio_error += ratio_error;
  }
  return laws;
}

RatioLaws mean_ratio(const RatioLaws& a, double m, const RatioLaws& b, double n, const Resolution& resolution) {
  const double share = m / (m + n), other = n / (m + n);
  const auto one = [&](const RatioLaw& of_a, const RatioLaw& of_b, Side side) {
    return mean_of(joined_law(of_a, side, resolution), share, joined_law(of_b, side, resolution), other, false, side,
                   resolution);
  };
  return {one(a.above, b.above, Side::above), one(a.below, b.below, Side::below)};
}

RatioLaws mean_ratio(const RatioLaws& a, const Resolution& resolution) {
  return {mean_of(a.above, 0.5, a.above, 0.5, true, Side::above, resolution),
          mean_of(a.below, 0.5, a.below, 0.5, true, Side::below, resolution)};
}

double null_mass(const RatioLaw& law) {
  const double sum = std::accumulate(law.mass.begin(), law.mass.end(), law.zero);
  return std::max(1.0, sum * (1.0 + unit * static_cast<double>(law.mass.size())));
}

double alternative_mass(const RatioLaw& law) {
  const double sum = std::inner_product(law.mass.begin(), law.mass.end(), law.ratio.begin(), law.infinite);
  return std::max(1.0, sum * (1.0 + unit * static_cast<double>(law.mass.size())));
}

double RatioLattice::point(long k) const {
  const double y = step * static_cast<double>(k);
  return kind == Kind::linear ? y : std::exp(y);
}

double RatioLattice::error(long first, long last) const {
  const double largest = step * static_cast<double>(std::max(std::abs(first), std::abs(last)));
  return unit * (kind == Kind::linear ? 4.0 : 8.0 + 4.0 * largest);
}

long RatioLattice::below(double ratio) const {
  return static_cast<long>(std::floor((kind == Kind::linear ? ratio : std::log(ratio)) / step));
}

namespace {

LatticeMasses moved(const RatioLaw& law, Side side, const RatioLattice& lattice, long first, long last) {
  LatticeMasses result;
  result.first = first;
  result.mass.assign(static_cast<std::size_t>(last - first + 1), 0.0);
  const auto at = [&](long k) -> double& { return result.mass[static_cast<std::size_t>(k - first)]; };
  long fullest = 0, run = 0, before = first - 2;  // atoms between two points, or joined at one
  if (side == Side::above) {
    const double slack = 4.0 * unit;  // of the difference that stays at the lower point
    const double lost = 4.0 * denormal * static_cast<double>(law.ratio.size());
    result.zero = law.zero + lost;
    result.infinite = law.infinite + lost * (1.0 + std::abs(lattice.point(last)));
    for (std::size_t i = 0; i < law.ratio.size(); ++i) {
      const double x = law.ratio[i];
      const double w = law.mass[i];
      const long k = lattice.below(x);
      run = k == before ? run + 1 : 1;
      before = k;
      fullest = std::max(fullest, run);
      if (k < first) {
        const double right = w * std::min(1.0, x / lattice.point(first));
        result.zero += w - right + slack * w;
        at(first) += right;
      } else if (k >= last) {
        at(last) += w;
        result.infinite += w * std::max(0.0, x - lattice.point(last));
      } else {
        const double y = lattice.point(k);
        const double right = w * std::clamp((x - y) / (lattice.point(k + 1) - y), 0.0, 1.0);
        at(k) += w - right + slack * w;
        at(k + 1) += right;
      }
    }
    result.mass_error = unit * (static_cast<double>(fullest) + 4.0);
    result.ratio_error = lattice.error(first, last);
    return result;
  }
  // From the bottom upward: what lies below a point is balanced by as much above it.
  const std::size_t n = law.ratio.size();
  std::size_t i = 0;
  while (i < n && lattice.below(law.ratio[i]) + 1 < first) {
    ++i;  // dropped
  }
  double left = i < n ? law.mass[i] : 0.0;
  const auto next = [&] {
    ++i;
    left = i < n ? law.mass[i] : 0.0;
  };
  while (i < n) {
    long k = lattice.below(law.ratio[i]);
    while (lattice.point(k) < law.ratio[i]) {
      ++k;
    }
    if (k > last) {
      break;
    }
    run = 0;
    const double y = lattice.point(k);
    double deficit = 0.0;
    double mass = 0.0;
    for (; i < n && law.ratio[i] <= y; next(), ++run) {
      deficit += left * (y - law.ratio[i]);
      mass += left;
    }
    while (deficit > 0.0 && i < n) {
      ++run;
      const double excess = left * (law.ratio[i] - y);
      if (excess <= deficit) {
        deficit -= excess;
        mass += left;
        next();
      } else {
        const double part = deficit / (law.ratio[i] - y);
        mass += part;
        left -= part;
        deficit = 0.0;
      }
    }
    if (deficit <= 0.0) {
      at(k) += mass;
    }
    fullest = std::max(fullest, run);
  }
  result.mass_error = unit * (static_cast<double>(fullest) + 4.0);
  result.ratio_error = result.mass_error + lattice.error(first, last);
  return result;
}

}  // namespace

LatticeMasses on_lattice(const RatioLaw& law, Side side, const RatioLattice& lattice, long first, long last) {
  LatticeMasses result = moved(law, side, lattice, first, last);
  result.log_mass.reserve(result.mass.size());
  for (const double mass : result.mass) {
    result.log_mass.push_back(std::log(mass));
  }
  return result;
}

Enclosure told(const Enclosure& delta, double epsilon) {
  constexpr double least_exponent = -660.0, smallest = 1e-290;
  const bool lost = !(delta.lower > 0.0) || std::log(delta.lower) - epsilon < least_exponent;
  return {lost ? 0.0 : delta.lower, std::max(delta.upper, smallest)};
}

}  // namespace dpcurves::accounting::detail
