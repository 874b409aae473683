// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <dpcurves/accounting/few_steps/few_steps.hpp>
#include <dpcurves/accounting/few_steps/engine.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ProfilePoint as_profile(const Point& point) {
  return {point.delta, point.type_one_error, point.power, point.method, point.type_two_error};
}

ProfilePoint point_at(Engine& engine, double epsilon) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  if (std::isinf(epsilon)) {
    const Enclosure none = exactly(0.0);
    const Enclosure all = exactly(1.0);
    return epsilon > 0.0 ? ProfilePoint{none, none, none, "limit", all} : ProfilePoint{all, all, all, "limit", none};
  }
  return as_profile(engine.at_any(epsilon));
}

std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(values[a]) < std::abs(values[b]); });
  return order;
}

// One point of the curve whose type I error (or, with `second`, type II error) is at most `target`, and barely so.
// Newton on the logarithm, which is concave and so converges from one side, held within a bracket.
struct Crossing {
  double epsilon;
  Point point;
};

Crossing crossing(Engine& engine, double target, bool second, double start) {
  // f(epsilon) = log(error / target) falls for the type I error and rises for the type II error.
  const double direction = second ? 1.0 : -1.0;
  const auto error_of = [second](const Point& p) { return second ? p.type_two_error : p.type_one_error; };
  const auto rate_of = [second](const Point& p, double epsilon) {
    return second ? p.density * std::exp(epsilon) : p.density;
  };
  double low = 0.0;
  double high = infinity;
  double epsilon = start;
  Point point = engine.at(epsilon);
  for (int i = 0; i < 80 && !engine.late(); ++i) {
    const Enclosure error = error_of(point);
    const double middle = std::max(error.middle(), 1e-307);
    const double miss = std::log(middle / target);
    (miss * direction < 0.0 ? low : high) = epsilon;
    if (std::abs(miss) < 1e-10 + error.relative_width()) {
      break;
    }
    const double rate = direction * rate_of(point, epsilon) / middle;
    double next = epsilon - miss / rate;
    if (!std::isfinite(next) || next <= low || next >= high) {
      next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * epsilon + 1.0;
    } else if (std::isinf(high)) {
      next = std::min(next, 2.0 * epsilon + 1.0 + engine.transform().cumulant(0.0).first);
    }
    if (next == epsilon || high - low <= 1e-14 * epsilon) {
      break;
    }
    epsilon = next;
    point = engine.at(epsilon);
  }
  // A little beyond, until the error is certainly at most the target.
  for (int i = 0; i < 60 && !engine.late() && error_of(point).upper > target; ++i) {
    const Enclosure error = error_of(point);
    const double gap = (error.upper - target) / target + 1e-13;
    const double rate = std::max(rate_of(point, epsilon) / std::max(error.middle(), 1e-307), 1e-300);
    const double step = std::max(1.5 * gap / rate, 4e-16 * epsilon) * std::exp2(i);
    epsilon = std::max(0.0, epsilon - direction * step);
    point = engine.at(epsilon);
    if (epsilon == 0.0) {
      break;
    }
  }
  return {epsilon, point};
}

// f(a) from the point (alpha, beta) at threshold epsilon: chord from above (f falls), tangent from below.
Enclosure from_crossing(const Enclosure& along, const Enclosure& across, double slope, double target) {
  const double drop = slope * (along.lower - target);  // <= 0
  const double lower = across.lower + drop - 1e-15 * std::abs(drop);
  const double upper = along.upper <= target ? across.upper : 1.0;
  return clamp({next_down(lower), next_up(upper)}, 0.0, 1.0);
}

// The trade-off function as the conjugate of the profile: f(a) = sup over x > 0 of 1 - h(x) - x a, x = e^epsilon, for
// the convex h(x) = delta(log x). Nodes with both ends of h are shared by all a; between nodes, h lies above the lines
// through its lower end here and its upper end one node before. For where errors of single tests are known less well
// than delta.
class Conjugate {
 public:
  explicit Conjugate(Engine& engine) {
    const std::vector<Node> right = ahead(engine);
    // Left of 1, h(x) = 1 - x (1 - h'(1/x)) with the profile h' of the laws exchanged.
    const std::vector<Node> exchanged = &engine.reverse() == &engine ? right : ahead(engine.reverse());
    for (std::size_t i = exchanged.size(); i-- > 1;) {
      const Node& r = exchanged[i];
      const double x = 1.0 / r.x;
      nodes_.push_back({x, 1.0 - x * r.rest_upper, 1.0 - x * r.rest_lower, x * r.rest_lower, x * r.rest_upper});
    }
    nodes_.insert(nodes_.end(), right.begin(), right.end());
  }

  [[nodiscard]] Enclosure at(double a) const {
    double lower = 0.0;
    double upper = 0.0;
    const std::size_t last = nodes_.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      const Node& n = nodes_[i];
      lower = std::max(lower, n.rest_lower - n.x * a);
      if (i == last) {
        upper = std::max(upper, 1.0 - n.x * a);  // beyond, h >= 0
        break;
      }
      const Node& m = nodes_[i + 1];
      // 1 - h(x) - x a is at most both lines; the left one starts from n, the right one from m.
      const double width = m.x - n.x;
      const double left_slope =
          i > 0 ? std::max(-1.0, (n.lower - nodes_[i - 1].upper) / (n.x - nodes_[i - 1].x)) : -1.0;
      const double right_slope =
          i + 1 < last ? std::min(0.0, (nodes_[i + 2].upper - m.lower) / (nodes_[i + 2].x - m.x)) : 0.0;
      const double from_left = n.rest_upper - n.x * a;
      const double from_right = m.rest_upper - m.x * a;
      const double up = -left_slope - a;    // slope of the left line in x
      const double down = right_slope + a;  // of the right line in -x
      // The smaller of two lines over [0, width] is largest at an end or where they cross.
      double best =
          std::max(std::min(from_left, from_right + down * width), std::min(from_left + up * width, from_right));
      const double cross = (from_right + down * width - from_left) / (up + down);
      if (cross > 0.0 && cross < width) {
        best = std::max(best, from_left + up * cross);
      }
      upper = std::max(upper, best);
    }
    upper = std::max(upper, nodes_.front().x * (1.0 - a));  // left of the first node, 1 - h(x) <= x
    return clamp({next_down(lower - 4e-16), next_up(upper + 4e-16)}, 0.0, 1.0 - a);
  }

 private:
  struct Node {
    double x, lower, upper, rest_lower, rest_upper;  // rest = 1 - h
  };

  // At x >= 1.
  static std::vector<Node> ahead(Engine& engine) {
    std::vector<Node> nodes;
    double epsilon = 0.0;
    double step = 1e-3;
    for (int i = 0; i < 4000 && epsilon < 700.0; ++i) {
      const Enclosure delta = engine.at(epsilon).delta;
      nodes.push_back({std::exp(epsilon), delta.lower, delta.upper, 1.0 - delta.upper, 1.0 - delta.lower});
      if (delta.upper < 1e-17 || (engine.late() && i > 200)) {
        break;
      }
      step = std::min(step * 1.02, engine.late() ? 0.2 : 0.008 + 0.003 * epsilon);
      epsilon += step;
    }
    return nodes;
  }

  std::vector<Node> nodes_;
};

// `zero` and `exchanged` are the points at threshold 0 of the engine and of the one with the laws exchanged.
Enclosure tradeoff_at(Engine& engine, const Point& zero, const Point& exchanged, double a, double& start) {
  if (a == 0.0 || a == 1.0) {
    return exactly(1.0 - a);
  }
  const Enclosure flat =
      clamp({next_down(zero.one_minus_delta.lower - a), next_up(zero.one_minus_delta.upper - a)}, 0.0, 1.0 - a);
  if (a <= zero.type_one_error.lower) {
    const Crossing at = crossing(engine, a, false, start);
    start = at.epsilon;
    return clamp(from_crossing(at.point.type_one_error, at.point.type_two_error, std::exp(at.epsilon), a), flat.lower,
                 1.0 - a);
  }
  // Beyond the segment the same with the laws exchanged, whose type II error is this one's type I error.
  if (a >= exchanged.type_two_error.upper) {
    const Crossing at = crossing(engine.reverse(), a, true, 0.0);
    return clamp(from_crossing(at.point.type_two_error, at.point.type_one_error, std::exp(-at.epsilon), a), flat.lower,
                 1.0 - a);
  }
  if (a >= zero.type_one_error.upper && a <= exchanged.type_two_error.lower) {
    return flat;  // the segment of slope -1, where the loss is 0
  }
  // Within the uncertainty of an end of the segment: the tangent from below; from above the value at that end, or,
  // left of the start, the chord from (0, 1) to it.
  const bool near_start = a < 0.5 * (zero.type_one_error.upper + exchanged.type_two_error.lower);
  double upper = std::max(flat.upper, near_start ? zero.type_two_error.upper : exchanged.type_one_error.upper);
  if (a < zero.type_one_error.upper) {
    upper = std::max(upper, 1.0 - a / zero.type_one_error.upper * (1.0 - zero.type_two_error.upper));
  }
  return {flat.lower, std::min(1.0 - a, next_up(next_up(upper)))};
}

// A saddle-point estimate of the threshold: log delta(c) and epsilon(c) along the family of saddle points.
double saddle_guess(const detail::Transform& transform, const Point& zero, double wanted) {
  if (zero.log_delta <= wanted) {
    return 0.0;
  }
  double c_low = transform.saddle_right(0.0);
  double c_high = c_low;
  const auto miss = [&](double c) { return transform.log_estimate(c, transform.threshold_of(c)) - wanted; };
  for (int i = 0; i < 60 && miss(c_high) > 0.0; ++i) {
    c_low = c_high;
    c_high *= 2.0;
  }
  for (int i = 0; i < 40 && c_high > 1.02 * c_low; ++i) {
    const double middle = std::sqrt(c_low * c_high);
    (miss(middle) > 0.0 ? c_low : c_high) = middle;
  }
  return std::max(0.0, transform.threshold_of(std::sqrt(c_low * c_high)));
}

}  // namespace

ProfilePoint few_steps_profile(const Composition& composition, double epsilon) {
  const Effort accuracy;
  Engine engine(composition, accuracy);
  return point_at(engine, epsilon);
}

EpsilonBound few_steps_epsilon(const Composition& composition, double delta) {
  const Effort accuracy;
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  Engine engine(composition, accuracy);
  engine.aim(delta);
  const detail::Transform& transform = engine.transform();
  if (engine.gaussian_only()) {
    const double mu = transform.gaussian_mu();
    return {clamp(outward(tradeoff::epsilon_enclosure(delta, {mu, mu}), 4e-16), 0.0, infinity), "closed form"};
  }
  if (detail::certain_bounds(transform, 0.0).delta.upper <= delta) {
    return {exactly(0.0), "Chernoff bound"};
  }
  const Point zero =
      engine.at(0.0, [&](const Point& known) { return known.delta.upper <= delta || known.delta.lower > delta; });
  if (zero.delta.upper <= delta) {
    return {exactly(0.0), zero.method};
  }
  // Every point that is computed narrows the bracket: delta.lower > delta to the left, delta.upper <= delta to the
  // right.
  Enclosure result{0.0, infinity};
  std::string method = "Chernoff bound";
  // A point far from the target need not be sharp: `margin` is how far, as a factor of delta.
  const auto see = [&](double epsilon, double margin) {
    const Point point = engine.at(epsilon, [&](const Point& known) {
      return known.delta.upper <= delta / margin || known.delta.lower > delta * margin;
    });
    if (point.delta.upper <= delta && epsilon < result.upper) {
      result.upper = epsilon;
      method = point.method;
    }
    if (point.delta.lower > delta) {
      result.lower = std::max(result.lower, epsilon);
    }
    return point;
  };
  const auto finish = [&]() -> EpsilonBound {
    const Enclosure certain = detail::certain_epsilon(transform, delta);
    result.lower = std::max(result.lower, certain.lower);
    if (certain.upper < result.upper) {
      result.upper = certain.upper;
      method = "Chernoff bound";
    }
    if (std::isinf(result.upper)) {
      throw ConvergenceError("no epsilon could be certified for delta = " + shortest(delta) + " within " +
                             shortest(accuracy.time_limit_seconds) + " s");
    }
    return {{std::min(result.lower, result.upper), result.upper}, method};
  };
  const double wanted = std::log(delta);
  double epsilon = 0.0;
  try {
    epsilon = saddle_guess(transform, zero, wanted);
  } catch (const ConvergenceError&) {
    epsilon = detail::certain_epsilon(transform, delta).middle();
    if (!std::isfinite(epsilon)) {
      return finish();
    }
  }
  constexpr double far = 10.0;
  Point point = see(epsilon, far);
  // Newton on log delta, whose derivative is -e^epsilon alpha / delta.
  double low = 0.0;
  double high = detail::certain_epsilon(transform, delta).upper;
  for (int i = 0; i < 60 && !engine.late(); ++i) {
    const bool rough = point.log_width > 0.1;  // only the side of the target is known
    const bool above = rough ? point.delta.lower > delta : point.log_delta > wanted;
    if (rough && !above && point.delta.upper > delta) {
      break;
    }
    (above ? low : high) = epsilon;
    const double miss = point.log_delta - wanted;
    if (!rough && std::abs(miss) < 1e-13 * std::abs(wanted) + 0.01 * point.log_width) {
      break;
    }
    double next = epsilon + miss / point.slope;
    if (rough || !std::isfinite(next) || next < low || next > high) {
      next = !std::isfinite(high) ? 2.0 * epsilon + 1.0 : low > 0.0 ? 0.5 * (low + high) : 0.25 * high;
    }
    if (std::abs(next - epsilon) <= 1e-15 * epsilon) {
      break;
    }
    epsilon = next;
    point = see(epsilon, far);
  }
  for (const double side : {-1.0, 1.0}) {
    const double spread = std::min(point.log_width, 1.0) + 1e-13 * std::abs(wanted);
    double step = std::max(1.5 * spread / std::max(point.slope, 1e-300), 4e-16 * epsilon);
    // When the time is over what is known already may still tell.
    for (int i = 0, after = 0; i < 80 && after < 20; ++i, step *= 2.0, after += engine.late() ? 1 : 0) {
      const double candidate = std::max(0.0, epsilon + side * step);
      const bool known = side > 0.0 ? result.upper <= candidate : result.lower >= candidate;
      if (known || candidate == 0.0) {
        break;
      }
      (void)see(candidate, 1.0);
    }
  }
  return finish();
}

std::vector<Enclosure> few_steps_tradeoff(const Composition& composition, std::span<const double> type_one_errors) {
  const Effort accuracy;
  Engine engine(composition, accuracy);
  std::vector<Enclosure> result(type_one_errors.size());
  for (const double a : type_one_errors) {
    require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
  }
  if (engine.gaussian_only()) {
    const double mu = engine.transform().gaussian_mu();
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = clamp(outward(tradeoff::gaussian_enclosure(type_one_errors[i], {mu, mu}), 1e-15), 0.0, 1.0);
    }
    return result;
  }
  const Point zero = engine.at(0.0);
  const Point exchanged = engine.reverse().at(0.0);
  // Where the ends of the segment of slope -1 are.
  const bool vague = zero.type_one_error.width() > 1e-3 || exchanged.type_two_error.width() > 1e-3;
  // From large type I errors to small ones: thresholds rise, and each starts the next.
  std::vector<std::size_t> order = ascending(type_one_errors);
  std::reverse(order.begin(), order.end());
  double start = 0.0;
  std::optional<Conjugate> conjugate;
  for (const std::size_t i : order) {
    if ((vague || engine.coarse() || engine.late()) && !conjugate) {
      conjugate.emplace(engine);
    }
    if (conjugate) {
      result[i] = conjugate->at(type_one_errors[i]);
      continue;
    }
    result[i] = tradeoff_at(engine, zero, exchanged, type_one_errors[i], start);
  }
  return result;
}

}  // namespace dpcurves::accounting::detail
