// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/detail/lattice_laws.hpp>
#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {
namespace {

using proof::Cumulant;
using proof::Problem;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double tiny = 1e-300;  // products of numbers as small may be denormal

// The two laws are on either side of the true one.
void require_order(double least, double most) {
  if (!(least <= most)) {
    throw ContradictionError("internal contradiction: a lattice proves at least " + shortest(least) + " and at most " +
                             shortest(most));
  }
}

// Losses between which all but e^{-34} of a law lies: of the alternative tilted by e^{order loss}, of the null at -1.
struct Window {
  double low = 0.0, high = 0.0;
};
Window window(const Problem& problem, double order) {
  constexpr double unseen = 34.0, enough = 300.0;  // larger tilts prove less
  const Cumulant at = cumulant(problem, order);
  const double size = order > 0.0 ? at.k : 0.0, first = std::min(0.01, 0.1 / std::sqrt(at.second));
  const auto reach = [&](double side) {  // from the mean
    double least = infinity;
    for (double c = first;; c *= 1.3) {
      const double excess = cumulant(problem, order + side * c).k - size - side * c * at.first;
      if (!(excess < enough)) {
        return least;
      }
      least = std::min(least, (excess + unseen) / c);
      if (c > 1e12) {
        return least;
      }
    }
  };
  return {at.first - reach(-1.0), at.first + reach(1.0)};
}

}  // namespace

// Sums over one end's lattice. Of losses above 0 under the alternative, of those below under the null; both windows are
// wider than the part that is asked. Far down, only the first, under the alternative tilted by e^{order loss}, and
// times e^{order (threshold - loss)}.
struct LatticeProfile::End {
  struct Sums {
    bool right = true;  // outward is upward
    double h = 0.0;
    long first = 0;              // index of the first point
    std::vector<double> mass;    // of the losses from each point outward, that point's own included
    std::vector<double> excess;  // of those beyond it: sum of mass (1 - e^{-distance}), which is delta there
    double error = 0.0;          // absolute, of a mass; beside it `relative`
    double excess_error = 0.0;   // of an excess
    double infinite = 0.0;       // of either, wherever the threshold is
    double total = 0.0;          // of all masses
    [[nodiscard]] double of_mass() const { return error + infinite; }
    [[nodiscard]] double of_excess() const { return excess_error + infinite; }

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
  double h = 0.0, origin = 0.0;     // the points are s h + origin
  double order = 0.0, start = 0.0;  // of the tilt, and the threshold at which masses are kept as they are
  Sums over, under;
  double relative = 0.0;  // error of every mass
  double moved = 0.0;     // of every loss: roundings of the means of the cells
  double lowest = 0.0;    // threshold that may be asked
  bool jumps = false;     // sums with a large loss alone; `moved` is then the most that a sum is moved

  End(const std::vector<LatticeLaw>& laws, const Depth& depth, double width, std::size_t points, bool is_above);

  LatticePower with_jumps(const std::vector<LatticeLaw>& laws, const Depth& depth,
                          const std::vector<LatticePart>& parts, std::size_t points);

  [[nodiscard]] double point(long s) const { return static_cast<double>(s) * h + origin; }
  // The first point at t or beyond it.
  [[nodiscard]] long index(const Sums& sums, double t) const {
    return sums.right ? static_cast<long>(std::ceil((t - origin) / h))
                      : static_cast<long>(std::floor((-t - origin) / h));
  }
  // delta(t) (over) or that of the exchanged laws (under) at t >= 0, without errors.
  [[nodiscard]] double delta(const Sums& sums, double t) const {
    const long k = index(sums, t);
    const double gap = std::max(0.0, std::abs(point(k)) - t);
    return std::exp(-order * gap) * (-std::expm1(-gap) * sums.mass_at(k) + std::exp(-gap) * sums.excess_at(k));
  }
  [[nodiscard]] double most(const Sums& sums, double t) const {
    return !seen(t) ? infinity
                    : grown(t) * (delta(sums, t) * (1.0 + relative_at(t)) + sums.excess_error + slip(sums, t)) +
                          sums.infinite;
  }
  [[nodiscard]] double least(const Sums& sums, double t) const {
    return !seen(t) ? -infinity
                    : grown(t) * (delta(sums, t) * (1.0 - relative_at(t)) - sums.excess_error - slip(sums, t)) -
                          sums.infinite;
  }
  [[nodiscard]] double threshold_error(double t) const { return 16.0 * unit * (t + std::abs(origin) + h); }
  // What errors of the threshold and of all losses do: no derivative of delta is above the mass beyond, or above all.
  [[nodiscard]] double slip(const Sums& sums, double t) const {
    const double beyond = sums.mass_at(index(sums, t) - (sums.right ? 1 : -1)) + sums.error;
    return jumps ? (threshold_error(t) + moved) * beyond : threshold_error(t) * beyond + moved * sums.total;
  }
  // Relative errors are of first order: e^x - 1 is at most 2 x for x up to 1.
  [[nodiscard]] bool seen(double t) const { return relative_at(t) < 0.5; }
  // With what they do to the tilt.
  [[nodiscard]] double relative_at(double t) const { return relative + 2.0 * order * (threshold_error(t) + moved); }
  // e^{-order (t - start)}
  [[nodiscard]] double grown(double t) const { return order == 0.0 ? 1.0 : std::exp(-order * (t - start)); }
  // The mass from the point s outward under the other law; the point is on its own side of 0.
  [[nodiscard]] double other(const Sums& sums, long s) const {
    return std::max(0.0, sums.mass_at(s) - sums.excess_at(s)) * std::exp(-std::abs(point(s)));
  }
  // The points from 0 outward, on either side.
  [[nodiscard]] long right(long i) const { return static_cast<long>(std::ceil(-origin / h)) + i; }
  [[nodiscard]] long left(long i) const { return static_cast<long>(std::floor(-origin / h)) - i; }
};

LatticeProfile::End::End(const std::vector<LatticeLaw>& laws, const Depth& depth, double width, std::size_t points,
                         bool is_above)
    : h(width), order(depth.order), start(depth.epsilon), jumps(depth.jump > 0.0) {
  std::vector<LatticePart> parts;
  double infinite = 0.0, zero = 0.0;
  for (const LatticeLaw& law : laws) {
    parts.push_back({&law.masses, law.count});
    infinite += law.count * law.masses.infinite;
    zero += law.count * law.masses.zero;
    origin += law.count * law.shift;
    if (order > 0.0) {  // logarithms as large as these are rounded
      relative += law.count * 16.0 * unit * (depth.reach * depth.reach + (1.0 + order) * depth.widest);
    }
  }
  const double once = -std::expm1(-h), keep = std::exp(-h), fade = std::exp(-order * h),
               root = std::sqrt(static_cast<double>(points));
  // The 2-norm of the weights e^{-order d} (1 - e^{-d}) of an excess, d counted from a threshold before the point.
  double square = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < points; ++i) {
    const double weight = std::exp(-order * h * static_cast<double>(i)) * -std::expm1(-h * static_cast<double>(i + 1));
    square += weight * weight;
    largest = std::max(largest, weight);
  }
  const double of_weights = (1.0 + 1e-9) * std::sqrt(square);
  double roundings = 0.0;
  for (Sums* sums : {&over, &under}) {
    const bool right = sums == &over;
    if (!right && order > 0.0) {
      break;
    }
    const double power_of_ratio = right ? 1.0 + order : 0.0;
    double all = 0.0;
    for (const LatticeLaw& law : laws) {
      const double size = jumps ? depth.widest : law.mean_size(h, power_of_ratio);
      all += law.count * law.units * unit * (size + law.least_error + h);
    }
    moved = std::max(moved, all);
    if (jumps && !(moved < h)) {  // slip() looks one point back
      throw ConvergenceError("losses are rounded by more than a point of the lattice");
    }
    const LatticePower power =
        jumps ? with_jumps(laws, depth, parts, points) : LatticePower(parts, power_of_ratio * h, points);
    const double log_scale = power.log_moment() + power_of_ratio * origin - order * start, scale = std::exp(log_scale);
    sums->right = right;
    sums->h = h;
    sums->first = power.first();
    sums->mass.assign(points, 0.0);
    sums->excess.assign(points, 0.0);
    double mass = 0.0, excess = 0.0;
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t k = right ? points - 1 - i : i;
      excess = fade * (once * mass + keep * excess);
      mass = scale * std::max(0.0, power.tilted()[k]) + fade * mass;
      sums->excess[k] = excess;
      sums->mass[k] = mass;
    }
    const double wrapped = is_above ? std::exp(right ? power.log_above() : power.log_below()) : power.outside();
    const double lost = wrapped + (is_above ? power.small() : 0.0);
    // Below the normal doubles every operation of the sums above is off by up to half the least double.
    const double denormal = 4.0 * static_cast<double>(points) * std::numeric_limits<double>::denorm_min();
    sums->error = scale * (root * power.rounding_norm() + lost) + denormal;
    sums->excess_error = scale * (of_weights * power.rounding_norm() + largest * lost) + denormal;
    sums->infinite = right ? infinite : zero;
    sums->total = scale;
    const double exponents =
        8.0 * unit * (std::abs(power.log_moment()) + std::abs(power_of_ratio * origin) + order * std::abs(start));
    roundings = std::max(roundings, power.relative() + exponents + 8.0 * unit * static_cast<double>(points));
  }
  relative += roundings;
}

LatticePower LatticeProfile::End::with_jumps(const std::vector<LatticeLaw>& laws, const Depth& depth,
                                             const std::vector<LatticePart>& parts, std::size_t points) {
  lowest = depth.lowest;
  LatticeJumps large;
  large.from = static_cast<long>(std::floor((lowest - origin) / h)) - 1;
  for (const LatticeLaw& law : laws) {
    large.first.push_back(static_cast<long>(std::ceil((depth.jump - law.shift) / h)));
  }
  return {parts, (1.0 + order) * h, points, large};
}

LatticeProfile::LatticeProfile(const Problem& problem, std::size_t points)
    : LatticeProfile(problem, near(problem), points) {}

LatticeProfile::LatticeProfile(const Problem& problem, Depth depth, std::size_t points) {
  Lattice lattice{0.0, depth.order, depth.reach};
  const Window alternative = window(depth.seen, depth.order),
               null = lattice.far() ? alternative : window(problem, -1.0);
  double low = std::min(alternative.low, null.low), high = std::max(alternative.high, null.high);
  if (lattice.far()) {
    constexpr double certain = 17.0;  // e^{-17} of delta is lost
    lattice.highest = depth.epsilon + certain;
  }
  for (const proof::Step& step : depth.seen.steps) {
    const auto [least, most] = losses(step);
    low = std::min(low, least);
    high = std::max(high, std::min(most, lattice.highest));
    depth.widest = std::max(depth.widest, most);
  }
  depth.widest = std::max({depth.widest, std::abs(high), std::abs(low)});
  lattice.h = 2.0 * (high - low) / static_cast<double>(points - 8);  // LatticePower puts the mean in the middle
  std::vector<LatticeLaw> above, below;
  const auto add = [&](LatticeLaws laws) {
    above.push_back(std::move(laws.above));
    below.push_back(std::move(laws.below));
  };
  for (const proof::Step& step : depth.seen.steps) {
    add(lattice_laws(step, lattice));
  }
  if (problem.gaussian_mu > 0.0) {
    add(lattice_laws(problem.gaussian_mu, lattice));
  }
  above_ = std::make_unique<const End>(above, depth, lattice.h, points, true);
  below_ = std::make_unique<const End>(below, depth, lattice.h, points, false);
}

LatticeProfile::LatticeProfile(const std::vector<LatticeLaws>& laws, const Depth& depth, double h, std::size_t points) {
  std::vector<LatticeLaw> above, below;
  for (const LatticeLaws& law : laws) {
    above.push_back(law.above);
    below.push_back(law.below);
  }
  above_ = std::make_unique<const End>(above, depth, h, points, true);
  below_ = std::make_unique<const End>(below, depth, h, points, false);
}

LatticeProfile LatticeProfile::of_laws(const std::vector<LatticeLaws>& laws, const Lattice& lattice, double epsilon,
                                       std::size_t points) {
  return of_laws(laws, lattice, epsilon, points, Jumps{});
}

LatticeProfile LatticeProfile::of_laws(const std::vector<LatticeLaws>& laws, const Lattice& lattice, double epsilon,
                                       std::size_t points, const Jumps& jumps) {
  Depth depth{.epsilon = lattice.far() ? epsilon : 0.0,
              .order = lattice.order,
              .reach = lattice.reach,
              .jump = jumps.from,
              .lowest = jumps.lowest};
  for (const LatticeLaws& law : laws) {
    const auto first = static_cast<double>(law.above.masses.first),
               last = first + static_cast<double>(law.above.masses.log_mass.size());
    depth.widest = std::max(
        {depth.widest, std::abs(first * lattice.h + law.above.shift), std::abs(last * lattice.h + law.above.shift)});
  }
  return {laws, depth, lattice.h, points};
}

LatticeProfile::LatticeProfile(LatticeProfile&&) noexcept = default;
LatticeProfile::~LatticeProfile() = default;

double LatticeProfile::lowest() const {
  const End &a = *above_, &b = *below_;
  return a.order > 0.0 ? std::max({0.0, a.lowest, a.point(a.over.first), b.point(b.over.first)}) : 0.0;
}

Enclosure LatticeProfile::delta(double epsilon) const {
  const End &a = *above_, &b = *below_;
  const double t = std::abs(epsilon);
  const auto sums = [&](const End& end) -> const End::Sums& { return epsilon >= 0.0 ? end.over : end.under; };
  if (a.order > 0.0 && !(epsilon >= lowest())) {
    return {0.0, 1.0};
  }
  double most = a.most(sums(a), t), least = b.least(sums(b), t);
  if (most < tiny) {
    most += 4.0 * std::numeric_limits<double>::denorm_min();
    least -= 4.0 * std::numeric_limits<double>::denorm_min();
  }
  if (!std::isfinite(least) || !std::isfinite(most)) {  // tilted masses beyond the range of doubles
    return {0.0, 1.0};
  }
  require_order(least, most);
  const Enclosure both{std::max(0.0, least), std::min(1.0, most)};
  if (epsilon >= 0.0) {
    return both;
  }
  const double none = -std::expm1(epsilon), part = std::exp(epsilon);  // delta = 1 - e^epsilon + e^epsilon exchanged
  return clamp({none + part * both.lower - 4.0 * unit, none + part * both.upper + 4.0 * unit}, 0.0, 1.0);
}

// From where the lattice has its digits outward, in growing steps: an end is proved by one threshold each.
Enclosure LatticeProfile::epsilon(double delta) const {
  const double begin = above_->start, least = lowest(), near = begin > 0.0 ? 0.05 * begin : 1.0,
               first_step = above_->order > 0.0 ? std::min(1.0 / above_->order, near) : 1.0;
  const auto where = [&](auto over) {  // a threshold that is over, and one that is not, about next to each other
    double low = begin, high = begin, step = first_step;
    while (low > least && !over(low)) {
      high = low;
      low = std::max(least, low - step);
      step *= 2.0;
    }
    if (!over(low)) {
      return std::pair{0.0, low};
    }
    for (step = first_step; high == low || over(high); step *= 2.0) {
      if (step > 1e9) {
        return std::pair{high, infinity};
      }
      low = high;
      high += step;
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
  const double slack = 64.0 * unit + std::max(above_->moved, below_->moved);
  double least = 0.0;
  {
    const End& end = *above_;
    const long right = first([&](long i) { return i >= farthest || end.other(end.over, end.right(i)) < a; });
    const long left = first([&](long i) { return i >= farthest || end.under.mass_at(end.left(i)) < 1.0 - a; });
    for (const long i : {right - 1, right, right + 1}) {
      const long s = end.right(std::max(0L, i));
      const double delta = end.over.excess_at(s) * (1.0 + end.relative) + end.over.of_excess(), e = end.point(s);
      least = std::max(least, 1.0 - delta - std::exp(e) * a * (1.0 + slack * (1.0 + e)) - slack);
    }
    for (const long i : {left - 1, left, left + 1}) {
      const long s = end.left(std::max(0L, i));
      const double delta = end.under.excess_at(s) * (1.0 + end.relative) + end.under.of_excess(), e = end.point(s);
      least = std::max(least, std::exp(e) * (1.0 - slack * (1.0 - e)) * (1.0 - a - delta) - slack);
    }
  }
  const End& end = *below_;
  struct Test {
    double one, two;
  };
  const auto from_right = [&](long i) -> Test {  // rejects losses from a point >= 0 on
    const long s = end.right(i);
    return {end.other(end.over, s) * (1.0 + end.relative) + 2.0 * end.over.of_mass() + slack,
            1.0 - end.over.mass_at(s) * (1.0 - end.relative) + end.over.of_mass() + slack};
  };
  const auto from_left = [&](long i) -> Test {  // accepts losses up to a point <= 0
    const long s = end.left(i);
    return {1.0 - end.under.mass_at(s) * (1.0 - end.relative) + end.under.of_mass() + slack,
            end.other(end.under, s) * (1.0 + end.relative) + 2.0 * end.under.of_mass() + slack};
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
