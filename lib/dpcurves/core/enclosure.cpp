// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves {
namespace {

// The interval, unless an end is lost: then nothing is known about where the truth lies.
Enclosure made(double lower, double upper) {
  if (std::isnan(lower) || std::isnan(upper)) {
    throw ContradictionError("internal contradiction: an interval with the ends " + shortest(lower) + " and " +
                             shortest(upper));
  }
  return {lower, upper};
}

}  // namespace

double next_up(double value) { return std::nextafter(value, infinity); }
double next_down(double value) { return std::nextafter(value, -infinity); }

double Enclosure::middle() const {
  if (std::isinf(lower) || std::isinf(upper)) {
    return std::isinf(lower) ? upper : lower;
  }
  return lower + 0.5 * (upper - lower);
}

double Enclosure::width() const { return lower == upper ? 0.0 : next_up(upper - lower); }

double Enclosure::relative_width() const {
  if (lower == upper) {
    return 0.0;
  }
  if (std::isinf(lower) || std::isinf(upper)) {
    return infinity;
  }
  return width() / std::max(std::abs(lower), std::abs(upper));
}

Enclosure exactly(double value) { return made(value, value); }

Enclosure around(double value, double absolute) {
  require_domain(absolute >= 0.0, "absolute", absolute, "[0, inf]");
  if (absolute == 0.0) {
    return exactly(value);
  }
  return made(next_down(value - absolute), next_up(value + absolute));
}

Enclosure outward(Enclosure interval, double relative) {
  require_domain(relative >= 0.0, "relative", relative, "[0, inf)");
  const auto moved = [relative](double end) { return std::isinf(end) ? 0.0 : relative * std::abs(end); };
  return made(next_down(interval.lower - moved(interval.lower)), next_up(interval.upper + moved(interval.upper)));
}

Enclosure clamp(Enclosure interval, double lowest, double highest) {
  static_cast<void>(made(interval.lower, interval.upper));  // std::clamp needs numbers that compare
  return made(std::clamp(interval.lower, lowest, highest), std::clamp(interval.upper, lowest, highest));
}

Enclosure intersection(const Enclosure& a, const Enclosure& b) {
  for (const Enclosure& one : {a, b}) {  // std::max may lose an end that is not a number
    static_cast<void>(made(one.lower, one.upper));
  }
  const Enclosure both{std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
  if (!(both.lower <= both.upper)) {
    throw ContradictionError("[" + shortest(a.lower) + ", " + shortest(a.upper) + "] and [" + shortest(b.lower) + ", " +
                             shortest(b.upper) + "] should hold the same number but do not meet");
  }
  return both;
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  return made(next_down(a.lower + b.lower), next_up(a.upper + b.upper));
}

Enclosure scale(const Enclosure& a, double factor) {
  require_domain(factor >= 0.0, "factor", factor, "[0, inf]");
  const auto times = [factor](double end) { return factor == 0.0 || end == 0.0 ? 0.0 : end * factor; };
  return made(next_down(times(a.lower)), next_up(times(a.upper)));
}

}  // namespace dpcurves
