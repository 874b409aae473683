// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

// Consecutive cells [edge_k, edge_{k+1}), the last one open: mass, and mean excess over the lower edge times the mass.
struct Cells {
  std::vector<double> edge;
  std::vector<double> mass;
  std::vector<double> excess;
  std::uint64_t most_terms = 0;  // summed in one cell
};

// Edges start at 0. Each cell becomes one atom at its mean, or two at its edges with the same mean.
RatioLaw from_cells(const Cells& cells, Side side) {
  RatioLaw law;
  const std::size_t n = cells.edge.size();
  law.ratio.reserve(n);
  law.mass.reserve(n);
  if (side == Side::below) {
    for (std::size_t k = 0; k < n; ++k) {
      if (cells.mass[k] > 0.0) {
        const double mean = cells.edge[k] + cells.excess[k] / cells.mass[k];
        if (!law.ratio.empty() && mean <= law.ratio.back()) {  // rounding alone
          law.mass.back() += cells.mass[k];
          continue;
        }
        law.ratio.push_back(mean);
        law.mass.push_back(cells.mass[k]);
      }
    }
    return law;
  }
  law.ratio.assign(cells.edge.begin() + 1, cells.edge.end());
  law.mass.assign(n - 1, 0.0);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double right = std::min(cells.mass[k], cells.excess[k] / (cells.edge[k + 1] - cells.edge[k]));
    (k == 0 ? law.zero : law.mass[k - 1]) += cells.mass[k] - right;
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

constexpr std::size_t fine_cells = std::size_t{1} << 16U;

// Points of the mean of independent copies; the law at ratio 0 counts once more at the lowest positive ratio, which
// only raises means.
RatioLaw mean_of(const RatioLaw& a, double share, const RatioLaw& b, bool same, Side side,
                 const Resolution& resolution) {
  if (a.ratio.empty() || b.ratio.empty()) {
    return {};
  }
  const double other = 1.0 - share;
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
  RatioLaw law = from_cells(cells, side);
  law.zero += a.zero + b.zero;
  law.infinite += share * a.infinite + other * b.infinite;
  // A sum of positive terms errs by at most half a unit for each.
  law.mass_error = a.mass_error + b.mass_error + (static_cast<double>(cells.most_terms) + 4.0) * unit;
  law.ratio_error = std::max(a.ratio_error, b.ratio_error) + 4.0 * unit;
  return law;
}

}  // namespace

RatioLaws gaussian_ratio(double mu, const Resolution& resolution) {
  Cells cells;
  const auto put = [&cells](double edge, double mass, double excess) {
    cells.edge.push_back(edge);
    cells.mass.push_back(mass);
    cells.excess.push_back(excess);
  };
  const double low = -resolution.reach;
  const double high = resolution.reach + mu;
  const auto n = static_cast<double>(resolution.cells);
  const auto at = [&](double k) { return low + (high - low) * k / n; };
  const auto ratio = [&](double z) { return std::exp(mu * z - 0.5 * mu * mu); };
  const auto rule = numerics::gauss_legendre(8);
  put(0.0, numerics::normal_cdf(low), numerics::normal_cdf(low - mu));
  for (double k = 0.0; k < n; ++k) {
    const double z = at(k);
    const double half = 0.5 * (at(k + 1.0) - z);
    double mass = 0.0;
    double excess = 0.0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double step = half * (1.0 + rule.nodes[i]);
      const double w = half * rule.weights[i] * numerics::normal_density(z + step);
      mass += w;
      excess += w * std::expm1(mu * step);
    }
    put(ratio(z), mass, excess * ratio(z));
  }
  const double top = ratio(high);
  const double beyond = numerics::normal_upper_tail(high);
  put(top, beyond, std::max(0.0, numerics::normal_upper_tail(high - mu) - top * beyond));
  RatioLaws laws{from_cells(cells, Side::above), from_cells(cells, Side::below)};
  for (RatioLaw* law : {&laws.above, &laws.below}) {
    law->mass_error = 1e-13;
    law->ratio_error = 8.0 * unit * (1.0 + mu * high);
  }
  return laws;
}

RatioLaws mean_ratio(const RatioLaws& a, double m, const RatioLaws& b, double n, const Resolution& resolution) {
  const double share = m / (m + n);
  return {mean_of(a.above, share, b.above, false, Side::above, resolution),
          mean_of(a.below, share, b.below, false, Side::below, resolution)};
}

RatioLaws mean_ratio(const RatioLaws& a, const Resolution& resolution) {
  return {mean_of(a.above, 0.5, a.above, true, Side::above, resolution),
          mean_of(a.below, 0.5, a.below, true, Side::below, resolution)};
}

double RatioLattice::point(long k) const {
  const double y = step * static_cast<double>(k);
  return kind == Kind::linear ? y : std::exp(y);
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
  if (side == Side::above) {
    result.zero = law.zero;
    result.infinite = law.infinite;
    for (std::size_t i = 0; i < law.ratio.size(); ++i) {
      const double x = law.ratio[i];
      const double w = law.mass[i];
      const long k = lattice.below(x);
      if (k < first) {
        const double right = w * std::min(1.0, x / lattice.point(first));
        result.zero += w - right;
        at(first) += right;
      } else if (k >= last) {
        at(last) += w;
        result.infinite += w * std::max(0.0, x - lattice.point(last));
      } else {
        const double y = lattice.point(k);
        const double right = w * std::clamp((x - y) / (lattice.point(k + 1) - y), 0.0, 1.0);
        at(k) += w - right;
        at(k + 1) += right;
      }
    }
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
    k += lattice.point(k) < law.ratio[i] ? 1 : 0;
    if (k > last) {
      break;
    }
    const double y = lattice.point(k);
    double deficit = 0.0;
    double mass = 0.0;
    for (; i < n && law.ratio[i] <= y; next()) {
      deficit += left * (y - law.ratio[i]);
      mass += left;
    }
    while (deficit > 0.0 && i < n) {
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
  }
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
