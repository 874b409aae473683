// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/mixture/one_step.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/rounding.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr slong bits = 256;
constexpr double far = 1e8;  // all means are nearer, or all of the mass beyond is unsure

struct Cell {
  double left, right;
  double most;  ///< where the sign is not known: the loss exceeds the threshold by so much at most
};

/// Where the loss is above the threshold, and where that is not known.
struct Cut {
  std::vector<Cell> above, unsure;
  static void add(std::vector<Cell>& to, double left, double right, double most) {
    if (!to.empty() && to.back().right == left && to.back().most == most) {
      to.back().right = right;
    } else if (left < right) {
      to.push_back({left, right, most});
    }
  }
  void is_above(double left, double right) { add(above, left, right, infinity); }
  void is_unsure(double left, double right, double most) { add(unsure, left, right, most); }
};

/// Cuts a line where log(a / n) crosses a threshold.
class Cutter {
 public:
  Cutter(const LogRatio& ratio, const Real& threshold) : ratio_(ratio), threshold_(threshold) {}

  /// A cell on which the loss rises (sign > 0) or falls.
  void monotone(double left, double right, int sign, Cut& cut) const {
    const auto above = [&](double x) { return ratio_.at(Real(x)) - threshold_; };
    const Real first = above(left), last = above(right);
    if (sign > 0 ? first.positive() : last.positive()) {
      cut.is_above(left, right);
      return;
    }
    if (sign > 0 ? last.negative() : first.negative()) {
      return;
    }
    double low = left, high = right;  // the crossing is between them, if there is one
    for (int i = 0; i < 200 && high - low > 1e-16 * std::abs(low); ++i) {
      const double middle = 0.5 * (low + high);
      const Real value = above(middle);
      if (value.contains_zero() || !value.finite() || middle == low || middle == high) {
        break;
      }
      (value.negative() == (sign > 0) ? low : high) = middle;
    }
    if (sign < 0) {
      cut.is_above(left, low);
    }
    cut.is_unsure(low, high, infinity);
    if (sign > 0) {
      cut.is_above(high, right);
    }
  }

 private:
  const LogRatio& ratio_;
  const Real& threshold_;
};

/// The mass of a mixture between two points, with relative digits on either side of its means.
Real mass(const Mixture& mixture, double left, double right) {
  Real total;
  for (const Component& c : mixture) {
    const Real from = Real(left) - c.mean, to = Real(right) - c.mean;
    if (std::isinf(left)) {
      total += c.weight * (std::isinf(right) ? Real(1) : rigorous::normal_tail(-to));
    } else if (std::isinf(right)) {
      total += c.weight * rigorous::normal_tail(from);
    } else if (from.positive()) {
      total += c.weight * (rigorous::normal_tail(from) - rigorous::normal_tail(to));
    } else {
      total += c.weight * (rigorous::normal_tail(-to) - rigorous::normal_tail(-from));
    }
  }
  return total;
}

/// The mass in cells.
Real mass(const Mixture& mixture, const std::vector<Cell>& cells) {
  Real total;
  for (const Cell& c : cells) {
    total += mass(mixture, c.left, c.right);
  }
  return total;
}

/// At least the integral of (A - e^epsilon N)_+ over cells: A (1 - e^{epsilon - loss}), and that of A beyond the ends.
Real unsure(const Piece& piece, const Cut& cut, double left, double right) {
  Real total;
  for (const Cell& c : cut.unsure) {
    const Real all = mass(piece.alternative, c.left, c.right);
    total += c.most < 1.0 ? all * Real(std::max(0.0, c.most)) : all;
  }
  total += left > piece.from ? mass(piece.alternative, -infinity, left) : Real();
  return total + mass(piece.alternative, right, infinity);
}

}  // namespace

OneStep::OneStep(const Step& step) : step_(step) {
  constexpr double reach = 60.0;  // beyond, a normal law has e^{-1800}
  for (const Piece& p : step.pieces) {
    double least = infinity, largest = -infinity, least_null = infinity, largest_null = -infinity;
    for (const Component& c : p.alternative) {
      least = std::min(least, c.mean.lower());
      largest = std::max(largest, c.mean.upper());
    }
    for (const Component& c : p.null) {
      least_null = std::min(least_null, c.mean.lower());
      largest_null = std::max(largest_null, c.mean.upper());
    }
    // d log A / dx is between the means of A
    const int sign = least >= largest_null ? 1 : largest <= least_null ? -1 : 0;
    const double left = std::max(p.from, sign == 0 ? std::min(least, least_null) - reach : -far),
                 right = sign == 0 ? std::max(largest, largest_null) + reach : far;
    pieces_.push_back({p, {LogMixture(p.alternative), LogMixture(p.null)}, {}, left, right});
    Sorted& sorted = pieces_.back();
    if (sign != 0 && left < right) {
      sorted.segments.push_back({left, right, sign, -infinity, infinity});
    } else if (left < right) {
      int cells = 0;
      split(sorted, left, right, cells);
    }
    for (Segment& segment : sorted.segments) {
      if (segment.sign != 0) {
        const Real first = sorted.ratio.at(Real(segment.left)), last = sorted.ratio.at(Real(segment.right));
        segment.least = std::min(first.lower(), last.lower());
        segment.most = std::max(first.upper(), last.upper());
      }
    }
  }
}

// In halves until the sign of the slope is proved, or the loss stays where it is.
void OneStep::split(Sorted& sorted, double left, double right, int& cells) {
  constexpr double still = 1e-20;
  constexpr int most_cells = 8000;
  const Precision precision(64);
  const double middle = 0.5 * (left + right);
  const Real cell(left, right), steep = sorted.ratio.slope(cell);
  auto& segments = sorted.segments;
  if (steep.positive() || steep.negative()) {
    const int sign = steep.positive() ? 1 : -1;
    if (!segments.empty() && segments.back().sign == sign) {
      segments.back().right = right;
    } else {
      segments.push_back({left, right, sign, -infinity, infinity});
    }
    return;
  }
  const bool stays = rigorous::abs(steep).upper() * (right - left) < still;
  if (stays || middle == left || middle == right || ++cells > most_cells) {
    const Precision fine(128);
    const Real value = sorted.ratio.at(Real(middle)) + steep * (cell - Real(middle));
    segments.push_back({left, right, 0, value.lower(), value.upper()});
    return;
  }
  split(sorted, left, middle, cells);
  split(sorted, middle, right, cells);
}

std::optional<OneStep> OneStep::of(const Problem& problem) {
  if (problem.steps.size() != 1 || problem.steps.front().count != 1.0 || lattice_only(problem) ||
      !problem.gaussian_square.exact() || problem.gaussian_square.positive()) {
    return std::nullopt;
  }
  const Precision precision(bits);
  return OneStep(problem.steps.front());
}

OneStep::Value OneStep::at(double epsilon) const {
  const Precision precision(bits);
  const Real e(epsilon), x = rigorous::exp(e);
  Real upper, lower, null, most_null;
  for (const Sorted& s : pieces_) {
    const Piece& p = s.piece;
    Cut cut;
    const Cutter cutter(s.ratio, e);
    for (const Segment& segment : s.segments) {
      if (segment.least > epsilon) {
        cut.is_above(segment.left, segment.right);
      } else if (segment.most > epsilon && segment.sign != 0) {
        cutter.monotone(segment.left, segment.right, segment.sign, cut);
      } else if (segment.most > epsilon) {
        cut.is_unsure(segment.left, segment.right, next_up(segment.most - epsilon));
      }
    }
    // delta is at least P(S) - x Q(S) of any S
    const Real sure = mass(p.alternative, cut.above), sure_null = mass(p.null, cut.above);
    const Real all = sure + mass(p.alternative, cut.unsure), all_null = sure_null + mass(p.null, cut.unsure);
    upper += p.weight * (sure - x * sure_null + unsure(p, cut, s.left, s.right));
    lower += p.weight * rigorous::max(Real(), rigorous::max(sure - x * sure_null, all - x * all_null));
    null += p.weight * sure_null;
    most_null += p.weight * all_null;
  }
  Real rest = step_.infinite, slope = -x * null;
  for (const Atom& a : step_.atoms) {
    rest += a.mass * rigorous::at_least(Real(1) - rigorous::exp(e - a.loss), Real());
    slope += a.loss > e ? -(a.mass * rigorous::exp(e - a.loss)) : Real();
  }
  for (const Ramp& r : step_.ramps) {
    if (e < r.high) {
      const Real from = rigorous::max(e, r.low), less = r.rate - Real(1);
      const Real above = r.factor * (rigorous::exp(less * r.high) - rigorous::exp(less * from)) / less * x;
      rest += r.factor * (rigorous::exp(r.rate * r.high) - rigorous::exp(r.rate * from)) / r.rate - above;
      slope += -above;
    }
  }
  // Where losses are above those of the far side, what the null lacks is a share of it.
  Real lacks = step_.dropped_null;
  if (step_.far_out && e > rigorous::log(step_.far_out->ratio)) {
    lacks = rigorous::min(lacks, step_.far_out->share * most_null);
  }
  const Real lowest = lower + rest - lacks * x, highest = upper + rest + step_.dropped_alternative;
  return {{std::clamp(lowest.lower(), 0.0, 1.0), std::clamp(highest.upper(), 0.0, 1.0)}, slope.middle()};
}

// delta falls, and its logarithm about as a concave function: Newton's steps stay above the root.
Enclosure OneStep::epsilon(double wanted) const {
  double low = 0.0, high = infinity;  // delta(low) > wanted, or low = 0; delta(high) <= wanted
  const auto ask = [&](double e) {
    const Value v = at(e);
    if (v.delta.upper <= wanted) {
      high = std::min(high, e);
    }
    if (v.delta.lower > wanted) {
      low = std::max(low, e);
    }
    return v;
  };
  Value here = ask(0.0);
  if (here.delta.upper <= wanted) {
    return {0.0, 0.0};
  }
  const Real bound = step_.infinite + step_.dropped_alternative;
  if (bound >= Real(wanted)) {
    return {0.0, infinity};
  }
  constexpr double most = 1e12, close = 1e-9;
  double e = 0.0;
  for (int i = 0; i < 100; ++i) {
    const double off = std::log(0.5 * (here.delta.lower + here.delta.upper) / wanted),
                 slope = here.slope / here.delta.upper;
    double next = e - off / slope;  // 1e-9 beyond the root on either side, at last
    if (std::abs(off) < close) {
      const double spread = 1e-10 * std::max(e, 1e-3 / std::abs(slope)) +
                            4.0 * (std::abs(off) + here.delta.relative_width()) / std::abs(slope);
      for (double more = 1.0; more < 1e6 && !(e - more * spread <= low); more *= 8.0) {
        (void)ask(std::max(0.0, e - more * spread));
      }
      for (double more = 1.0; more < 1e6 && !(high <= e + more * spread); more *= 8.0) {
        (void)ask(e + more * spread);
      }
      break;
    }
    const double largest = std::isinf(high) ? 4.0 * (e + 1.0) : high;
    if (!(next > low && next < largest)) {
      next = std::isinf(high) ? largest : 0.5 * (low + high);
    }
    if (next > most || next == e || next == low || next == high) {
      break;
    }
    e = next;
    here = ask(e);
  }
  return {low, high};
}

}  // namespace dpcurves::accounting::mixture
