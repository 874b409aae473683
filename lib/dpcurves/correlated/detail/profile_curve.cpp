// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/profile_curve.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double highest_threshold = 30.0;  // exp(-30) is below what a curve of type II errors shows
constexpr int cells = 64;                   // on either side of 0

/// Thresholds that every curve uses, denser near 0.
double node(int i) {
  const double share = static_cast<double>(i) / cells;
  return highest_threshold * share * share * share;
}

/// A line below a trade-off function: scale (height - steepness a), the scale applied last.
struct Line {
  double height = 0.0, steepness = 0.0, scale = 1.0;
  [[nodiscard]] double at(double a) const { return scale * (height - steepness * a); }
};

constexpr double rounding = 4e-16;  // of a line, all of whose numbers are at most 1 where it matters

Line steep(double epsilon, double delta) {
  return {1.0 - delta - rounding, next_up(std::exp(epsilon) * (1.0 + rounding)), 1.0};
}
/// That of the other order: exp(-epsilon) (1 - delta - a).
Line flat(double epsilon, double delta) {
  return {1.0 - delta - rounding, 1.0, next_down(std::exp(-epsilon) * (1.0 - rounding))};
}

}  // namespace

accounting::Answer ProfileCurve::epsilon(double delta) const {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  constexpr double beyond = 1e6;
  const auto excess = [&](double e) { return std::log(std::max(rough_delta(e), 1e-320)) - std::log(delta); };
  const auto upper_meets = [&](double e) { return this->delta(e).value.upper <= delta; };
  const auto lower_meets = [&](double e) { return this->delta(e).value.lower <= delta; };
  const auto answer = [&](double lower, double upper) {
    return accounting::Answer{{lower, upper}, this->delta(std::isinf(upper) ? 0.0 : upper).method};
  };
  double low = 0.0, high = 1.0;
  if (upper_meets(0.0)) {
    return answer(0.0, 0.0);
  }
  while (excess(high) > 0.0) {
    low = high;
    high *= 2.0;
    if (high > beyond) {
      return answer(0.0, infinity);
    }
  }
  const double found = excess(low) > 0.0 ? numerics::root(excess, low, high).middle() : low;
  Enclosure ends{found, found};
  for (double width = 1e-15; !upper_meets(ends.upper); width *= 4.0) {
    ends.upper = found + width * std::max(found, 1e-6);
    if (ends.upper > beyond) {
      return answer(0.0, infinity);
    }
  }
  for (double width = 1e-15; ends.lower > 0.0 && lower_meets(ends.lower); width *= 4.0) {
    ends.lower = width < 1.0 ? found * (1.0 - width) : 0.0;
  }
  return answer(ends.lower, ends.upper);
}

std::vector<Enclosure> ProfileCurve::type_two_errors(std::span<const double> type_one_errors) const {
  std::map<double, double> known;  // rough profile at thresholds
  const auto rough = [&](double e) {
    const auto [place, fresh] = known.try_emplace(e, 0.0);
    if (fresh) {
      place->second = rough_delta(e);
    }
    return place->second;
  };
  std::vector<Line> lines;
  const auto add = [&](double e) {
    const double delta = this->delta(e).value.upper;
    known[e] = delta;
    lines.push_back(steep(e, delta));
    if (both_) {
      lines.push_back(flat(e, delta));
    }
  };
  for (int i = both_ ? 0 : -cells; i <= cells; ++i) {
    add(node(i));
  }
  /// The threshold whose line is highest: a scan, then Brent's method around the best node.
  const auto best = [&](const auto& height, int first) {
    int at = first;
    for (int i = first; i <= cells; ++i) {
      at = height(node(i)) > height(node(at)) ? i : at;
    }
    const double low = node(std::max(first, at - 1)), high = node(std::min(cells, at + 1));
    return numerics::minimise([&](double e) { return -height(e); }, low, high).at;
  };
  for (const double a : type_one_errors) {
    require_domain(a >= 0.0 && a <= 1.0, "type_one_error", a, "[0, 1]");
    add(best([&](double e) { return 1.0 - rough(e) - std::exp(e) * a; }, both_ ? 0 : -cells));
    if (both_) {
      add(best([&](double e) { return std::exp(-e) * (1.0 - rough(e) - a); }, 0));
    }
  }
  std::vector<Enclosure> result;
  for (const double a : type_one_errors) {
    double highest = 0.0;
    for (const Line& line : lines) {
      highest = std::max(highest, line.at(a));
    }
    result.push_back(clamp({highest, 1.0 - a}, 0.0, 1.0));
  }
  return result;
}

Enclosure ProfileCurve::renyi(double /*order*/) const { return {0.0, infinity}; }

accounting::Answer ProfileCurve::symmetric(double epsilon) const {
  const accounting::Answer opposite = delta(-epsilon);
  return {clamp(tradeoff::mirrored_delta(opposite.value, epsilon), 0.0, 1.0), opposite.method};
}

}  // namespace dpcurves::correlated
