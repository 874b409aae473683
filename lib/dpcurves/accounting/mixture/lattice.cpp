// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <dpcurves/accounting/mixture/lattice.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using detail::Lattice;
using detail::LatticeDensity;
using detail::LatticeStep;
using rigorous::Precision;
using rigorous::Real;

constexpr double half_log_2pi = 0.91893853320467274178;

/// A sum of normal densities in doubles.
class Sum {
 public:
  explicit Sum(const Mixture& mixture) {
    for (const Component& c : mixture) {
      if (c.weight.middle() > 0.0) {
        terms_.push_back({std::log(c.weight.middle()), c.mean.middle()});
      }
    }
  }
  /// Without the components that are nowhere seen on a range beside another one.
  Sum(const Mixture& mixture, const Range& range) : Sum(mixture) {
    constexpr double nothing = 60.0;  // logarithms
    const std::vector<Term> all = terms_;
    const auto below = [&](const Term& t, const Term& other, double x) {
      return size(t, x) < size(other, x) - nothing;
    };
    std::erase_if(terms_, [&](const Term& t) {
      return std::any_of(all.begin(), all.end(), [&](const Term& other) {
        return below(t, other, range.left) && below(t, other, range.right);
      });
    });
  }
  struct Value {
    double ratio, slope;  // logarithm over the standard normal density, and its derivative
    double density;       // logarithm of the density
  };
  [[nodiscard]] Value at(double x) const {
    constexpr double unseen = 45.0;  // logarithms below the largest term
    double most = -infinity;
    const Term* top = &terms_.front();
    for (const Term& t : terms_) {
      if (size(t, x) > most) {
        most = size(t, x);
        top = &t;
      }
    }
    double rest = 0.0, moved = 0.0;
    for (const Term& t : terms_) {
      if (&t != top && size(t, x) > most - unseen) {
        const double apart = t.mean - top->mean;
        const double share = std::exp(t.log_weight - top->log_weight + apart * (x - 0.5 * (t.mean + top->mean)));
        rest += share;
        moved += share * apart;
      }
    }
    const double more = std::log1p(rest);
    return {top->log_weight + top->mean * (x - 0.5 * top->mean) + more, top->mean + moved / (1.0 + rest),
            most + more - half_log_2pi};
  }
  [[nodiscard]] double least() const { return extreme(true); }
  [[nodiscard]] double largest() const { return extreme(false); }
  [[nodiscard]] double count() const { return static_cast<double>(terms_.size()); }

 private:
  struct Term {
    double log_weight, mean;
  };
  static double size(const Term& t, double x) { return t.log_weight - 0.5 * (x - t.mean) * (x - t.mean); }
  [[nodiscard]] double extreme(bool least) const {
    double found = terms_.front().mean;
    for (const Term& t : terms_) {
      found = least ? std::min(found, t.mean) : std::max(found, t.mean);
    }
    return found;
  }
  std::vector<Term> terms_;
};

/// Both laws of a piece. The values at the last point are kept: they are asked for twice.
struct Pair {
  Pair(const Piece& piece, const Range& range) : alternative(piece.alternative, range), null(piece.null, range) {}
  const std::pair<Sum::Value, Sum::Value>& at(double x) {
    if (x != last_) {
      last_ = x;
      values_ = {alternative.at(x), null.at(x)};
    }
    return values_;
  }
  Sum alternative, null;

 private:
  double last_ = std::numeric_limits<double>::quiet_NaN();
  std::pair<Sum::Value, Sum::Value> values_;
};

struct Part {
  double left, right;
  bool rises;
};

/// Parts of the range on which the loss is monotone: proved by the slopes of balls, but where it moves by less than
/// roundings.
void add_parts(const LogRatio& ratio, double left, double right, std::vector<Part>& parts) {
  constexpr double still = 1e-15, narrow = 1e-9;
  const Real slope = ratio.slope(Real(left, right));
  const bool rises = slope.positive(), falls = slope.negative();
  const bool stays = right - left < narrow || rigorous::abs(slope).upper() * (right - left) < still;
  if (rises || falls || stays) {
    const bool up = stays && !parts.empty() ? parts.back().rises : !falls;
    if (!parts.empty() && parts.back().rises == up) {
      parts.back().right = right;
    } else {
      parts.push_back({left, right, up});
    }
    return;
  }
  const double middle = 0.5 * (left + right);
  add_parts(ratio, left, middle, parts);
  add_parts(ratio, middle, right, parts);
}

std::vector<Part> parts_of(const Piece& piece, const Range& range) {
  const Sum a(piece.alternative), n(piece.null);
  if (a.least() >= n.largest() || a.largest() <= n.least()) {  // d log A / dx is between the means of A
    return {{range.left, range.right, a.least() >= n.largest()}};
  }
  const Precision precision(64);
  const LogRatio ratio{LogMixture(piece.alternative), LogMixture(piece.null)};
  std::vector<Part> parts;
  constexpr double cell = 1.0 / 16.0;
  for (double x = range.left; x < range.right; x += cell) {
    add_parts(ratio, x, std::min(x + cell, range.right), parts);
  }
  return parts;
}

/// The mean, under the alternative tilted by e^{order loss}, of the sizes that are rounded where a loss is computed.
class MeanSize {
 public:
  explicit MeanSize(double order) : order_(order) {}
  void add(double log_density, double loss, double size) {
    const double log_weight = log_density + order_ * loss;
    if (log_weight > most_) {
      const double less = std::exp(most_ - log_weight);
      total_ *= less;
      sum_ *= less;
      most_ = log_weight;
    }
    total_ += std::exp(log_weight - most_);
    sum_ += std::exp(log_weight - most_) * size;
  }
  [[nodiscard]] double value() const { return total_ > 0.0 ? sum_ / total_ : 0.0; }

 private:
  double order_, most_ = -infinity, total_ = 0.0, sum_ = 0.0;
};

using MeanSizes = std::array<MeanSize, 2>;

/// The largest distance of a mean from a point of the range.
double furthest(const Sum& a, const Sum& n, const Range& range) {
  return std::max(
      {range.right - a.least(), a.largest() - range.left, range.right - n.least(), n.largest() - range.left});
}

void add_piece(const Piece& piece, const Range& range, LatticeStep& step, MeanSizes& sizes) {
  if (!(range.left < range.right)) {
    return;
  }
  const auto pair = std::make_shared<Pair>(piece, range);
  const Sum &a = pair->alternative, &n = pair->null;
  const double log_weight = std::log(piece.weight.middle());
  for (const Part& part : parts_of(piece, range)) {
    const double side = part.rises ? 1.0 : -1.0;
    LatticeDensity d;
    d.loss = [pair, side](double y) {
      const auto& [above, under] = pair->at(side * y);
      return std::pair{above.ratio - under.ratio, side * (above.slope - under.slope)};
    };
    d.log_density = [pair, side, log_weight](double y) { return log_weight + pair->at(side * y).first.density; };
    d.left = part.rises ? part.left : -part.right;
    d.right = part.rises ? part.right : -part.left;
    d.steepest = furthest(a, n, range);
    step.densities.push_back(std::move(d));
  }
  constexpr double step_of_means = 0.05;
  for (double x = range.left; x < range.right; x += step_of_means) {
    const Sum::Value above = a.at(x), under = n.at(x);
    for (MeanSize& size : sizes) {
      size.add(log_weight + above.density, above.ratio - under.ratio,
               1.0 + std::abs(above.ratio) + std::abs(under.ratio));
    }
  }
}

/// At least the alternative's mass, and in a lattice near 0 the null's, that lies outside.
double beyond(const Piece& piece, const Range& range, bool near) {
  const double alternative = lost(piece, range).upper();
  return near ? std::max(alternative, lost({piece.weight, piece.null, piece.alternative, piece.from}, range).upper())
              : alternative;
}

/// By the loss x before sampling, or -x where the laws are exchanged.
LatticeDensity density_of(const SampledRamp& sampled) {
  LatticeDensity d;
  const double q = sampled.rate, log_factor = std::log(sampled.ramp.factor.middle()),
               rate = sampled.ramp.rate.middle() - 1.0, side = sampled.reversed ? -1.0 : 1.0;
  const double low = sampled.ramp.low.middle(), high = sampled.ramp.high.middle();
  d.loss = [q, side](double y) {
    const double more = q * std::expm1(side * y);
    return std::pair{side * std::log1p(more), q * std::exp(side * y) / (1.0 + more)};
  };
  d.log_density = [q, side, log_factor, rate](double y) {
    return log_factor + rate * side * y + (side > 0.0 ? std::log1p(q * std::expm1(y)) : 0.0);
  };
  d.left = side > 0.0 ? low : -high;
  d.right = side > 0.0 ? high : -low;
  d.steepest = 2.0 + std::abs(rate);
  return d;
}

LatticeStep lattice_step(const Step& step, const std::vector<Range>& ranges, const LatticePlan& plan) {
  LatticeStep out;
  const bool near = plan.order == 0.0;
  MeanSizes sizes{MeanSize(plan.order), MeanSize(near ? -1.0 : plan.order)};
  out.count = step.count;
  Real outside = near ? rigorous::max(step.dropped_alternative, step.dropped_null) : step.dropped_alternative;
  for (std::size_t i = 0; i < step.pieces.size(); ++i) {
    add_piece(step.pieces[i], ranges[i], out, sizes);
    outside += Real(beyond(step.pieces[i], ranges[i], near));
  }
  out.beyond = outside.upper();
  out.least_error = std::max(sizes[0].value(), sizes[1].value());
  for (const Ramp& r : step.ramps) {
    LatticeDensity d;
    const double log_factor = std::log(r.factor.middle()), rate = r.rate.middle();
    d.loss = [](double x) { return std::pair{x, 1.0}; };
    d.log_density = [log_factor, rate](double x) { return log_factor + rate * x; };
    d.left = r.low.middle();
    d.right = r.high.middle();
    d.steepest = 1.0 + std::abs(rate);
    out.densities.push_back(std::move(d));
  }
  for (const SampledRamp& r : step.sampled_ramps) {
    out.densities.push_back(density_of(r));
  }
  for (const Atom& a : step.atoms) {
    if (a.mass.middle() > 0.0) {
      out.atoms.push_back({a.loss.middle(), rigorous::log(a.mass).middle()});
    }
  }
  return out;
}

/// A distance of the points, at least h, of which those of the atoms are multiples if there is one: a little less, so
/// that rounding leaves no atom before its point.
double aligned(double h, const std::vector<LatticeStep>& steps) {
  double common = 0.0;
  for (const LatticeStep& s : steps) {
    for (const detail::LatticeAtom& a : s.atoms) {
      double b = std::abs(a.loss - s.atoms.front().loss);
      const double rounding = 1e-13 * std::max(common, b);
      while (b > rounding) {
        const double rest = std::fmod(common, b);
        common = b;
        b = b - rest > rounding ? rest : 0.0;
      }
      if (common > 0.0 && common < h) {
        return h;
      }
    }
  }
  constexpr double less = 1.0 - 1e-12;
  return common > 0.0 ? common / std::floor(common / h) * less : h;
}

struct Window {
  double low, high;
};

/// Losses between which all but e^{-34} of the law tilted by e^{order loss} lies.
Window window(const std::function<double(double)>& log_moment, double order) {
  constexpr double unseen = 34.0, enough = 300.0;  // larger tilts prove less
  const double d = 1e-3 * std::max(1e-3, std::abs(order)), here = log_moment(order);
  const double up = log_moment(order + d), down = log_moment(order - d), mean = (up - down) / (2.0 * d),
               second = std::max((up - 2.0 * here + down) / (d * d), 1e-12);
  const auto reach = [&](double side) {
    double least = infinity;
    for (double c = std::min(0.01, 0.1 / std::sqrt(second)); c < 1e12; c *= 1.3) {
      const double excess = log_moment(order + side * c) - here - side * c * mean;
      if (!(excess < enough)) {
        break;
      }
      least = std::min(least, (excess + unseen) / c);
    }
    return least;
  };
  return {mean - reach(-1.0), mean + reach(1.0)};
}

}  // namespace

namespace {

/// Of the components that are not so rare that they lie beyond the ranges.
double largest_mean(const Problem& problem) {
  constexpr double rare = 1e-26;
  double mean = 0.0;
  for (const Step& s : problem.steps) {
    for (const Piece& p : s.pieces) {
      for (const Mixture* m : {&p.alternative, &p.null}) {
        for (const Component& c : *m) {
          mean = std::max(mean, (p.weight * c.weight).middle() > rare ? std::abs(c.mean.middle()) : 0.0);
        }
      }
    }
  }
  return mean;
}

}  // namespace

double work_of_cells(const Problem& problem, const std::vector<std::vector<Range>>& ranges) {
  constexpr double cells = 12.5;  // to a deviation, for each deviation from the furthest mean
  constexpr double few = 8.0;     // components, with which a cell costs as much as a point
  double work = 0.0;
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
      const Range& range = ranges[i][k];
      const Sum a(problem.steps[i].pieces[k].alternative, range), n(problem.steps[i].pieces[k].null, range);
      work += std::max(0.0, range.right - range.left) * cells * furthest(a, n, range) * (a.count() + n.count()) / few;
    }
  }
  return work;
}

bool lattice_serves(const Problem& problem) {
  constexpr double most_steps = 1e7, most_mean = 100.0;
  double count = 0.0;
  for (const Step& s : problem.steps) {
    count += s.count;
  }
  return count > 0.0 && count <= most_steps && largest_mean(problem) <= most_mean;
}

bool loud(const Problem& problem) {
  constexpr double most_mean = 150.0;
  return largest_mean(problem) > most_mean;
}

bool is_proper(const Problem& problem) {
  constexpr double rounding = 1e-15;
  const Precision precision(160);
  return std::all_of(problem.steps.begin(), problem.steps.end(), [&](const Step& s) {
    Real null;
    for (const Atom& a : s.atoms) {
      null += a.mass * rigorous::exp(-a.loss);
    }
    for (const Ramp& r : s.ramps) {
      null += r.moment(rigorous::Complex(Real(-1))).re();
    }
    for (const SampledRamp& r : s.sampled_ramps) {
      const Real rate(r.reversed ? r.rate : 0.0);
      null += (Real(1) - rate) * r.ramp.moment(rigorous::Complex(Real(-1))).re() +
              rate * r.ramp.moment(rigorous::Complex(Real())).re();
    }
    for (const Piece& p : s.pieces) {
      for (const Component& c : p.null) {
        null += p.weight * c.weight * (p.from > -infinity ? rigorous::normal_tail(Real(p.from) - c.mean) : Real(1));
      }
    }
    const double lacks = std::max((Real(1) - null - s.dropped_null).upper(), s.infinite.upper());
    return lacks < rounding;
  });
}

std::vector<std::vector<Range>> near_ranges(const Problem& problem) {
  constexpr double reach = 9.0;
  std::vector<std::vector<Range>> ranges;
  for (const Step& s : problem.steps) {
    ranges.emplace_back();
    for (const Piece& p : s.pieces) {
      const Sum a(p.alternative), n(p.null);
      const double right = std::max(a.largest(), n.largest()) + reach;
      ranges.back().push_back({std::min(right, std::max(p.from, std::min(a.least(), n.least()) - reach)), right});
    }
  }
  return ranges;
}

detail::LatticeProfile lattice_of(const Problem& problem, LatticePlan plan, std::size_t points) {
  constexpr double unseen = 40.0;
  const Precision precision(160);
  const double mu = std::sqrt(problem.gaussian_square.middle());
  detail::LatticeProfile::Jumps jumps;
  if (plan.order > 0.0 && plan.epsilon > 0.0 && !plan.losses.empty()) {
    jumps = detail::LatticeProfile::jumps(plan.losses, mu, plan.epsilon, plan.order, plan.log_delta);
    plan.order = jumps.order;
  }
  Lattice lattice{0.0, plan.order, std::max(9.0, std::sqrt(2.0 * (unseen - plan.log_delta)))};
  std::vector<LatticeStep> steps;
  Window kept = window(plan.log_moment, plan.order);
  if (!lattice.far()) {
    const Window null = window(plan.log_moment, -1.0);
    kept = {std::min(kept.low, null.low), std::max(kept.high, null.high)};
  }
  if (mu > 0.0) {
    const double most = mu * (lattice.reach + 0.5 * mu);
    kept = {std::min(kept.low, -most), std::max(kept.high, most)};
  }
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    steps.push_back(lattice_step(problem.steps[i], plan.ranges[i], plan));
    const auto [least, most] = losses(steps.back());
    kept = {std::min({kept.low, least, 0.0}), std::max({kept.high, most, 0.0})};
  }
  // The window has the mean in its middle, and the law of one step must fit too.
  lattice.h = aligned(2.0 * (kept.high - kept.low) / static_cast<double>(points - 8), steps);
  std::vector<detail::LatticeLaws> laws;
  for (const LatticeStep& step : steps) {
    laws.push_back(lattice_laws(step, lattice));
  }
  if (mu > 0.0) {
    laws.push_back(detail::lattice_laws(mu, lattice));
  }
  return detail::LatticeProfile::of_laws(laws, lattice, plan.epsilon, points, jumps);
}

}  // namespace dpcurves::accounting::mixture
