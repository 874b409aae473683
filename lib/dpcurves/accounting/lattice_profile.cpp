// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <dpcurves/accounting/lattice_power.hpp>
#include <dpcurves/accounting/lattice_profile.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

using proof::Piece;
using proof::Problem;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double reach = 9.0;           // standard deviations; beyond are 1.2e-19
constexpr double beyond_reach = 5e-19;  // of both sides and both shares
constexpr double half_log_2pi = 0.91893853320467274178;

struct Value {
  double value, slope;
};

// log of r_m(x) = 1 - q + q e^{m mu x - m^2 mu^2 / 2}; absolute error below 8 units and as many of the value.
Value log_mixture(const Piece& p, int m, double x) {
  if (m == 0) {
    return {0.0, 0.0};
  }
  const double mean = m * p.mu, u = mean * (x - 0.5 * mean);
  double value = 0.0;
  if (u > 30.0) {
    value = u + std::log(p.q) + std::log1p((1.0 - p.q) / p.q * std::exp(-u));
  } else {
    value = p.q <= 0.5 ? std::log1p(p.q * std::expm1(u)) : std::log((1.0 - p.q) + p.q * std::exp(u));
  }
  return {value, mean * p.q * std::exp(u - value)};
}

// Masses are kept under the null where the loss is negative and times the ratio elsewhere: none underflows where it
// counts.
double scale_at(double point) { return std::max(point, 0.0); }

// Masses of one step in the cells [k h + shift, (k+1) h + shift) of the loss, in the scale of the lower end, and what
// the mean of the ratio exceeds that end by, in units of it, times the mass.
struct Cells {
  double h = 0.0, shift = 0.0;
  long first = 0;
  std::vector<double> mass, excess;
  double atom = 0.0;  // of loss 0
  [[nodiscard]] long last() const { return first + static_cast<long>(mass.size()) - 1; }
  [[nodiscard]] double point(long k) const { return static_cast<double>(k) * h + shift; }
};

// An increasing loss and the log density of the alternative on [left, right]; `steepest` is the largest derivative of a
// loss.
template <class Loss, class Density>
void add_cells(Cells& cells, const Loss& loss, const Density& log_density, double left, double right, double steepest) {
  static const auto rule = numerics::gauss_legendre(4);
  const double widest = std::min(0.01, 0.08 / steepest);  // of a piece: the rule's error falls with its eighth power
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
        if (std::abs(off) <= 4.0 * unit * (1.0 + std::abs(target))) {
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
      const double weight = half * rule.weights[i] * std::exp(log_density(y) - l + scale_at(from));
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

// Where a piece is integrated, in x times its side.
std::pair<double, double> range(const Piece& p) {
  const double low = std::min({0.0, p.a * p.mu, p.n * p.mu}) - reach,
               high = std::max({0.0, p.a * p.mu, p.n * p.mu}) + reach;
  const double begin = p.half ? 0.5 * (p.a + p.n) * p.mu : low;
  return p.side() > 0 ? std::pair{begin, high} : std::pair{-high, -begin};
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

// A law at the points k h + shift, with what it has at ratio 0 and at infinity.
struct Law {
  LatticeMasses masses;
  double shift = 0.0;
  double count = 1.0;
};

// Masses under the null from their logarithms.
Law law_of(long first, std::vector<double> log_mass, double shift) {
  Law law;
  law.shift = shift;
  law.masses.first = first;
  law.masses.mass.resize(log_mass.size());
  law.masses.log_mass = std::move(log_mass);
  return law;
}

// To the ends of the cells. The last point takes what is above it, with the rest of its mean at infinity; the first one
// what is below it, so that its mean is kept, with the rest of its mass at 0.
Law law_above(const Cells& cells) {
  const std::size_t n = cells.mass.size();
  std::vector<double> mass(n, 0.0);
  const double gap = std::expm1(cells.h);
  const auto scale = [&](std::size_t k) { return scale_at(cells.point(cells.first + static_cast<long>(k))); };
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
  Law law = law_of(cells.first, std::move(mass), cells.shift);
  law.masses.infinite = std::max(0.0, cells.excess[n - 1]) + beyond_reach;
  law.masses.zero = beyond_reach;
  return law;
}

// A part of a law, known by its mass under the null and its mean.
struct Lump {
  double log_mass, loss;
};

// Joins lumps, from the one nearest to the crowd outward, so that each group has its mean at a point: what lies before
// a point is balanced by as much beyond it. Lumps rise (up) or fall; the last group, if nothing balances it, goes to
// the point before it with as much of the groups before that.
void join(std::vector<Lump>& lumps, bool up, double h, double shift, long first, std::vector<double>& log_mass) {
  const double side = up ? 1.0 : -1.0;
  for (std::size_t i = 0, j = 0; i < lumps.size(); i = j) {
    j = i + 1;
    const double at = (lumps[i].loss - shift) / h, index = up ? std::ceil(at) : std::floor(at);
    const double point = index * h + shift;
    double mass = std::exp(lumps[i].log_mass + scale_at(point));  // of the group, in the scale of the point
    double missing = -side * mass * std::expm1(lumps[i].loss - point);
    while (missing > 0.0 && j < lumps.size()) {
      const double share = std::exp(lumps[j].log_mass + scale_at(point));
      const double gap = lumps[j].loss - point;
      const double more =
          side * (gap < 1.0 ? share * std::expm1(gap) : std::exp(lumps[j].log_mass + scale_at(point) + gap) - share);
      const double part = more > missing ? missing / more : 1.0;
      mass += part * share;
      missing -= part < 1.0 ? missing : more;
      if (part < 1.0) {
        lumps[j].log_mass += std::log1p(-part);
      } else {
        ++j;
      }
    }
    if (!(mass > 0.0)) {
      continue;
    }
    long where = static_cast<long>(index) - first;
    double end = point;
    if (missing > 0.0) {
      const long back = up ? -1 : 1;
      where += back;
      end += static_cast<double>(back) * h;
      const double mean = point + std::log1p(-side * missing / mass);
      mass *= std::exp(scale_at(end) - scale_at(point));
      missing = side * mass * std::expm1(mean - end);
      const long last = static_cast<long>(log_mass.size());
      for (long k = where + back; missing > 0.0 && k >= 0 && k < last; k += back) {
        const double gap = static_cast<double>(k - where) * h;
        auto& there = log_mass[static_cast<std::size_t>(k)];
        const double share = std::exp(there + scale_at(end)), more = -side * share * std::expm1(gap);
        const double part = more > missing ? missing / more : 1.0;
        mass += part * share;
        missing -= part < 1.0 ? missing : more;
        there = part < 1.0 ? there + std::log1p(-part) : -std::numeric_limits<double>::infinity();
      }
    }
    if (missing <= 0.0 && where >= 0 && where < static_cast<long>(log_mass.size())) {
      double& there = log_mass[static_cast<std::size_t>(where)];
      there = std::log(std::exp(there + scale_at(end)) + mass) - scale_at(end);
    }
  }
}

// The two cells around the crowd at `shift` become one point, their mean, and the lattice goes through it.
Law law_below(const Cells& cells) {
  std::vector<Lump> up, down;
  double mass = cells.atom * std::exp(cells.shift),
         excess = cells.atom * -std::expm1(cells.shift);  // of the crowd, times the ratio at shift
  for (long k = cells.first; k <= cells.last(); ++k) {
    const auto i = static_cast<std::size_t>(k - cells.first);
    const double c = cells.mass[i], e = std::max(0.0, cells.excess[i]);
    if (!(c > 0.0)) {
      continue;
    }
    const double point = cells.point(k), scale = scale_at(point);
    if (k == -1 || k == 0) {
      mass += c * std::exp(cells.shift - scale);
      excess += e * std::exp(point - scale) + c * std::exp(cells.shift - scale) * std::expm1(point - cells.shift);
    } else {
      (k > 0 ? up : down).push_back({std::log(c) - scale, point + std::log1p(e / c)});
    }
  }
  std::reverse(down.begin(), down.end());
  const double mean = mass > 0.0 ? std::log1p(excess / mass) : 0.0, shift = cells.shift + mean;
  const long first = cells.first - 2;
  std::vector<double> log_mass(cells.mass.size() + 4, -std::numeric_limits<double>::infinity());
  log_mass[static_cast<std::size_t>(-first)] = std::log(mass) - cells.shift;
  join(up, true, cells.h, shift, first, log_mass);
  join(down, false, cells.h, shift, first, log_mass);
  return law_of(first, std::move(log_mass), shift);
}

// The mean loss of those within h of where they are densest under the null, about: often an end of the law, or where
// most losses are if the record is seldom drawn.
double crowd_of(const Piece& p, double h) {
  const auto loss = loss_of(p);
  constexpr double step = 1e-3;
  std::vector<double> at, weight;
  for (auto [y, end] = range(p); y < end; y += step) {
    at.push_back(loss(y).value);
    weight.push_back(std::exp(log_density(p, y) - at.back()));
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

// The two laws are on either side of the true one.
void require_order(double least, double most) {
  if (!(least <= most)) {
    throw ContradictionError("internal contradiction: a lattice proves at least " + shortest(least) + " and at most " +
                             shortest(most));
  }
}

// Losses between which all but e^{-34} of the alternative and of the null lies.
struct Window {
  double low = 0.0, high = 0.0;
};
Window window(const Problem& problem, bool null) {
  constexpr double unseen = 34.0;
  Window w{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const double from = null ? -1.0 : 0.0;
  for (double c = 0.01; c < 1e3; c *= 1.3) {
    w.high = std::min(w.high, (cumulant(problem, from + c).k + unseen) / c);
    w.low = std::max(w.low, -(cumulant(problem, from - c).k + unseen) / c);
  }
  return w;
}

}  // namespace

// Sums over one end's lattice. Of losses above 0 under the alternative, of those below under the null; both windows are
// wider than the part that is asked.
struct LatticeProfile::End {
  struct Sums {
    bool right = true;  // outward is upward
    double h = 0.0;
    long first = 0;              // index of the first point
    std::vector<double> mass;    // of the losses from each point outward, that point's own included
    std::vector<double> excess;  // of those beyond it: sum of mass (1 - e^{-distance}), which is delta there
    double error = 0.0;          // absolute, of either; beside it `relative`

    // Points from the inner end of the window to s: negative before it, the number of points or more beyond it.
    [[nodiscard]] long inside(long s) const {
      return right ? s - first : first + static_cast<long>(mass.size()) - 1 - s;
    }
    [[nodiscard]] std::size_t place(long inside) const {
      return static_cast<std::size_t>(right ? inside : static_cast<long>(mass.size()) - 1 - inside);
    }
    [[nodiscard]] double mass_at(long s) const {
      const long i = inside(s);
      return i >= static_cast<long>(mass.size()) ? 0.0 : mass[place(std::max(0L, i))];
    }
    [[nodiscard]] double excess_at(long s) const {
      const long i = inside(s);
      if (i >= static_cast<long>(mass.size())) {
        return 0.0;
      }
      const double gap = static_cast<double>(std::max(0L, -i)) * h;
      const std::size_t at = place(std::max(0L, i));
      return -std::expm1(-gap) * mass[at] + std::exp(-gap) * excess[at];
    }
  };
  double h = 0.0, origin = 0.0;  // the points are s h + origin
  Sums over, under;
  double relative = 0.0;  // error of every mass
  double moved = 0.0;     // of every loss: roundings of the means of the cells

  End(const std::vector<Law>& laws, double width, std::size_t points, bool is_above);

  [[nodiscard]] double point(long s) const { return static_cast<double>(s) * h + origin; }
  // delta(t) (over) or that of the exchanged laws (under) at t >= 0, without errors.
  [[nodiscard]] double delta(const Sums& sums, double t) const {
    const long k =
        sums.right ? static_cast<long>(std::ceil((t - origin) / h)) : static_cast<long>(std::floor((-t - origin) / h));
    const double gap = std::max(0.0, std::abs(point(k)) - t);
    return -std::expm1(-gap) * sums.mass_at(k) + std::exp(-gap) * sums.excess_at(k);
  }
  // The mass from the point s outward under the other law; the point is on its own side of 0.
  [[nodiscard]] double other(const Sums& sums, long s) const {
    return std::max(0.0, sums.mass_at(s) - sums.excess_at(s)) * std::exp(-std::abs(point(s)));
  }
  // The points from 0 outward, on either side.
  [[nodiscard]] long right(long i) const { return static_cast<long>(std::ceil(-origin / h)) + i; }
  [[nodiscard]] long left(long i) const { return static_cast<long>(std::floor(-origin / h)) - i; }
};

LatticeProfile::End::End(const std::vector<Law>& laws, double width, std::size_t points, bool is_above) : h(width) {
  std::vector<LatticePart> parts;
  double infinite = 0.0, zero = 0.0;
  for (const Law& law : laws) {
    parts.push_back({&law.masses, law.count});
    infinite += law.count * law.masses.infinite;
    zero += law.count * law.masses.zero;
    origin += law.count * law.shift;
    moved += 64.0 * unit * law.count;
  }
  const double once = -std::expm1(-h), keep = std::exp(-h), root = std::sqrt(static_cast<double>(points));
  for (Sums* sums : {&over, &under}) {
    const bool right = sums == &over;
    const LatticePower power(parts, right ? h : 0.0, points);
    const double scale = std::exp(power.log_moment() + (right ? origin : 0.0));
    sums->right = right;
    sums->h = h;
    sums->first = power.first();
    sums->mass.assign(points, 0.0);
    sums->excess.assign(points, 0.0);
    double mass = 0.0, excess = 0.0;
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t k = right ? points - 1 - i : i;
      excess = once * mass + keep * excess;
      mass += scale * std::max(0.0, power.tilted()[k]);
      sums->excess[k] = excess;
      sums->mass[k] = mass;
    }
    const double wrapped = is_above ? std::exp(right ? power.log_above() : power.log_below()) : power.outside();
    sums->error = scale * (root * power.rounding_norm() + wrapped) + (right ? infinite : zero);
    const double exponents = 8.0 * unit * (std::abs(power.log_moment()) + std::abs(origin));
    relative = std::max(relative, power.relative() + exponents + 8.0 * unit * static_cast<double>(points));
  }
}

LatticeProfile::LatticeProfile(const Problem& problem, std::size_t points) {
  const Window alternative = window(problem, false), null = window(problem, true);
  double low = std::min(alternative.low, null.low), high = std::max(alternative.high, null.high);
  for (const proof::Step& step : problem.steps) {
    for (const Piece& p : step.pieces) {
      const auto [left, right] = range(p);
      low = std::min(low, loss_of(p)(left).value);
      high = std::max(high, loss_of(p)(right).value);
    }
  }
  // LatticePower puts the mean in the middle of its window.
  const double h = 2.0 * (high - low) / static_cast<double>(points - 8);
  std::vector<Law> above, below;
  const auto add = [&](double count, double crowd, double least, double most, const auto& fill) {
    Cells cells;
    cells.h = h;
    cells.shift = crowd;
    cells.first = static_cast<long>(std::floor((least - crowd) / h)) - 1;
    const auto size = static_cast<std::size_t>(static_cast<long>(std::ceil((most - crowd) / h)) + 2 - cells.first);
    cells.mass.assign(size, 0.0);
    cells.excess.assign(size, 0.0);
    fill(cells);
    above.push_back(law_above(cells));
    below.push_back(law_below(cells));
    above.back().count = below.back().count = count;
  };
  for (const proof::Step& step : problem.steps) {
    double least = 0.0, most = 0.0;
    for (const Piece& p : step.pieces) {
      const auto [left, right] = range(p);
      least = std::min(least, loss_of(p)(left).value);
      most = std::max(most, loss_of(p)(right).value);
    }
    add(step.count, step.has_atom ? 0.0 : crowd_of(step.pieces[0], h), least, most, [&](Cells& cells) {
      for (const Piece& p : step.pieces) {
        const auto [left, right] = range(p);
        const auto density = [&p](double y) { return log_density(p, y); };
        add_cells(cells, loss_of(p), density, left, right, p.steepest() * p.mu);
      }
      cells.atom = step.approximate_atom();
    });
  }
  if (problem.gaussian_mu > 0.0) {
    const double g = problem.gaussian_mu, left = -reach, right = g + reach;
    const auto loss = [g](double x) { return Value{g * (x - 0.5 * g), g}; };
    const auto density = [g](double x) { return -0.5 * (x - g) * (x - g) - half_log_2pi; };
    add(1.0, 0.0, loss(left).value, loss(right).value,
        [&](Cells& cells) { add_cells(cells, loss, density, left, right, g); });
  }
  above_ = std::make_unique<const End>(above, h, points, true);
  below_ = std::make_unique<const End>(below, h, points, false);
}

LatticeProfile::~LatticeProfile() = default;

Enclosure LatticeProfile::delta(double epsilon) const {
  const double t = std::abs(epsilon), rounding = 16.0 * unit * (1.0 + t) + above_->moved;
  const auto sums = [&](const End& end) -> const End::Sums& { return epsilon >= 0.0 ? end.over : end.under; };
  const End &a = *above_, &b = *below_;
  const double most = a.delta(sums(a), t) * (1.0 + a.relative) + sums(a).error + rounding;
  const double least = b.delta(sums(b), t) * (1.0 - b.relative) - sums(b).error - rounding;
  require_order(least, most);
  const Enclosure both{std::max(0.0, least), std::min(1.0, most)};
  if (epsilon >= 0.0) {
    return both;
  }
  const double none = -std::expm1(epsilon), part = std::exp(epsilon);  // delta = 1 - e^epsilon + e^epsilon exchanged
  return clamp({none + part * both.lower - rounding, none + part * both.upper + rounding}, 0.0, 1.0);
}

Enclosure LatticeProfile::epsilon(double delta) const {
  const double end = above_->h * static_cast<double>(above_->over.first + static_cast<long>(above_->over.mass.size()));
  const auto where = [&](auto over) {  // the largest epsilon known to be over, and the smallest known not to be
    double low = 0.0, high = std::max(end, 1.0);
    if (!over(0.0)) {
      return std::pair{0.0, 0.0};
    }
    if (over(high)) {
      return std::pair{high, std::numeric_limits<double>::infinity()};
    }
    for (int i = 0; i < 200 && next_up(low) < high; ++i) {
      const double m = 0.5 * (low + high);
      (over(m) ? low : high) = m;
    }
    return std::pair{low, high};
  };
  return {where([&](double e) { return this->delta(e).lower > delta; }).first,
          where([&](double e) { return this->delta(e).upper > delta; }).second};
}

// Below: the best line 1 - delta - e^epsilon a at a point of the law above. Above: the chord between two tests of the
// law below, whose type I errors are too large and whose type II errors are too large.
Enclosure LatticeProfile::tradeoff(double a) const {
  const auto first = [](const auto& beyond) {  // the smallest whole number from 0 on where a falling sequence is below
    long low = -1, high = 1;
    for (; !beyond(high); high *= 2) {
      low = high;
    }
    while (high - low > 1) {
      const long m = low + (high - low) / 2;
      (beyond(m) ? high : low) = m;
    }
    return high;
  };
  constexpr long farthest = 1L << 40U;
  const double slack = 64.0 * unit + above_->moved;
  double least = 0.0;
  {
    const End& end = *above_;
    const long right = first([&](long i) { return i >= farthest || end.other(end.over, end.right(i)) < a; });
    const long left = first([&](long i) { return i >= farthest || end.under.mass_at(end.left(i)) < 1.0 - a; });
    for (const long i : {right - 1, right, right + 1}) {
      const long s = end.right(std::max(0L, i));
      const double delta = end.over.excess_at(s) * (1.0 + end.relative) + end.over.error, e = end.point(s);
      least = std::max(least, 1.0 - delta - std::exp(e) * a * (1.0 + slack * (1.0 + e)) - slack);
    }
    for (const long i : {left - 1, left, left + 1}) {
      const long s = end.left(std::max(0L, i));
      const double delta = end.under.excess_at(s) * (1.0 + end.relative) + end.under.error, e = end.point(s);
      least = std::max(least, std::exp(e) * (1.0 - slack * (1.0 - e)) * (1.0 - a - delta) - slack);
    }
  }
  const End& end = *below_;
  struct Test {
    double one, two;
  };
  const auto from_right = [&](long i) -> Test {  // rejects losses from a point >= 0 on
    const long s = end.right(i);
    return {end.other(end.over, s) * (1.0 + end.relative) + 2.0 * end.over.error + slack,
            1.0 - end.over.mass_at(s) * (1.0 - end.relative) + end.over.error + slack};
  };
  const auto from_left = [&](long i) -> Test {  // accepts losses up to a point <= 0
    const long s = end.left(i);
    return {1.0 - end.under.mass_at(s) * (1.0 - end.relative) + end.under.error + slack,
            end.other(end.under, s) * (1.0 + end.relative) + 2.0 * end.under.error + slack};
  };
  Test low{0.0, 1.0}, high{1.0, 0.0};
  const auto offer = [&](Test t) {
    if (t.one <= a && t.one >= low.one) {
      low = t;
    } else if (t.one > a && t.one < high.one) {
      high = t;
    }
  };
  const long right = first([&](long s) { return s >= farthest || from_right(s).one <= a; });
  const long left = first([&](long s) { return s >= farthest || from_left(s).one > a; });
  for (const long s : {right, right - 1, 0L}) {
    offer(from_right(std::max(0L, s)));
  }
  for (const long s : {left, left - 1, 0L}) {
    offer(from_left(std::max(0L, s)));
  }
  const double share = high.one > low.one ? (a - low.one) / (high.one - low.one) : 0.0;
  const double most = low.two + share * std::min(0.0, high.two - low.two) + slack;
  require_order(least, most);
  return clamp({least, most}, 0.0, 1.0);
}

}  // namespace dpcurves::accounting::detail
