// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/few_steps/engine.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double tiny = std::numeric_limits<double>::min();
constexpr auto extended_method = "contour in extended precision";

}  // namespace

double period_for(const Transform& transform, double c, double epsilon, double log_target) {
  if (c < 0.0) {
    return 1.01 * std::max(-log_target / -c, (epsilon - log_target) / (1.0 + c));
  }
  double right = std::numeric_limits<double>::infinity();
  for (const double other : transform.beyond(c)) {
    right = std::min(right, (transform.cumulant(other).value - other * epsilon - log_target) / (other - c));
  }
  return 1.01 * std::max(-log_target / c, right);
}

Engine::Engine(const Composition& composition, const Effort& accuracy)
    : Engine(composition, accuracy, Deadline(accuracy.time_limit_seconds)) {}

Engine::Engine(const Composition& composition, const Effort& accuracy, const Deadline& deadline)
    : composition_(composition), transform_(composition), accuracy_(accuracy), deadline_(deadline) {
  require_domain(accuracy.relative > 0.0 && accuracy.relative < 1.0, "relative", accuracy.relative, "(0, 1)");
  require_domain(accuracy.time_limit_seconds > 0.0, "time_limit_seconds", accuracy.time_limit_seconds, "(0, inf]");
  transform_.limit(deadline_);
  if (transform_.gaussian_mu() > 0.0 && !transform_.parts().empty()) {
    double square = 0.0;  // of the parts without the Gaussian
    for (const Part& part : transform_.parts()) {
      square += part.count * std::pow(part.law.sampling_rate() * part.law.separation(), 2);
    }
    const double ratio = transform_.gaussian_mu() / std::sqrt(square);
    weak_gaussian_ = ratio < 0.03;
    negligible_gaussian_ = ratio < 1e-9;
    if (weak_gaussian_) {
      Composition rest = composition;
      rest.gaussian_mu = 0.0;
      std::erase_if(rest.components, [](const SubsampledGaussian& part) { return part.sampling_rate == 1.0; });
      without_gaussian_ = std::make_unique<Engine>(rest, accuracy, deadline);
    }
  }
}

Engine::~Engine() = default;

void Engine::aim(double delta) {
  if (!transform_.parts().empty()) {
    transform_.truncate(std::log(delta) + std::log(1e-5 * accuracy_.relative));
  }
}

Engine& Engine::reverse() {
  if (transform_.symmetric()) {
    return *this;
  }
  if (!reverse_) {
    reverse_ = std::make_unique<Engine>(reversed(composition_), accuracy_, deadline_);
  }
  return *reverse_;
}

Point Engine::at_any(double epsilon) {
  return epsilon >= 0.0 ? at(epsilon) : mirrored(reverse().at(-epsilon), -epsilon);
}

bool Engine::left_of_zero(double epsilon) const {
  const Cumulant& k = transform_.cumulant(0.0);
  return k.second > 4.0 && epsilon < k.first && (transform_.gaussian_mu() > 0.0 || transform_.log_atom() < -60.0);
}

template <class Real>
Point Engine::read(const Contour<Real>& contour, double epsilon, const char* method) const {
  return point_of(transform_, contour.at(epsilon), contour.c(), epsilon, contour.expanded(), method);
}

const Contour<double>* Engine::suitable(double epsilon, bool left) const {
  const Contour<double>* best = nullptr;
  double least = 3.0;  // e^3 of the digits is what sharing may cost
  for (const auto& contour : contours_) {
    const double c = contour->c();
    if ((c < 0.0) != left) {
      continue;
    }
    const double slope = transform_.threshold_of(c) - epsilon;
    const double excess = 0.5 * slope * slope / transform_.curvature(c);
    // To the right of the saddle point far jumps take over: stay to the left of it.
    if (excess < least && (slope <= 0.0 || excess < 0.3)) {
      least = excess;
      best = contour.get();
    }
  }
  return best;
}

Contour<double>* Engine::build(double c, double epsilon, double margin) {
  ContourPlan plan;
  plan.c = c;
  plan.log_tail = -44.0;
  plan.most_nodes = 20000;
  // Room for the larger thresholds that may share this contour.
  const double curvature = transform_.curvature(c);
  for (const double threshold : {epsilon, epsilon + (c < 0.0 ? 0.0 : 2.4 * std::sqrt(curvature))}) {
    const double slope = transform_.threshold_of(c) - threshold;
    const double log_value = transform_.log_estimate(c, threshold) - std::min(0.5 * slope * slope / curvature, 8.0);
    plan.period = std::max(plan.period, period_for(transform_, c, threshold, log_value - 36.0 - margin));
    const double log_size = transform_.cumulant(c).value - c * threshold;
    plan.log_tail_expanded = std::max(plan.log_tail, log_value - log_size + std::log(1e-5 * accuracy_.relative) - 2.0);
  }
  try {
    const Deadline attempt(std::min(deadline_.seconds_left(), std::clamp(0.05 * accuracy_.time_limit_seconds, 0.02, 1.5)));
    contours_.push_back(std::make_unique<Contour<double>>(transform_, plan, attempt));
  } catch (const ConvergenceError&) {
    return nullptr;
  }
  return contours_.back().get();
}

void Engine::check(const Point& point, double epsilon) const {
  const double bound = certain_bounds(transform_, epsilon).delta.upper;
  if (point.log_width < 0.1 && point.delta.lower > bound) {
    throw ContradictionError("the inversion at epsilon = " + shortest(epsilon) +
                             " exceeds the Chernoff bound of the same composition");
  }
}

std::optional<Point> Engine::by_double(double epsilon) {
  const bool left = left_of_zero(epsilon);
  if (const Contour<double>* known = suitable(epsilon, left)) {
    Point point = read(*known, epsilon, known->confirmed() ? "contour" : "one contour");
    if (point.log_width < std::min(std::max(1e-9, 0.01 * accuracy_.relative), accuracy_.relative)) {
      check(point, epsilon);
      return point;
    }
  }
  const double saddle = left ? transform_.saddle_left(epsilon) : transform_.saddle_right(epsilon);
  std::vector<double> factors{1.0, 0.85, 0.7, 0.5};
  double margin = 0.0;
  const bool far_hump = !left && transform_.cumulant(saddle).second > 10.0 * transform_.cumulant(0.5 * saddle).second;
  if (far_hump) {
    factors = {0.7, 0.5, 0.85, 0.35, 1.0};
    margin = 30.0;
  }
  std::optional<Point> best;
  int agreeing = 0;
  std::vector<Contour<double>*> sharp;
  slow_ = 0;
  lost_digits_ = false;
  const double goal = accuracy_.relative < 1e-5 ? std::min(0.25 * accuracy_.relative, 1e-7) : 0.25 * accuracy_.relative;
  if (!contours_.empty() && (contours_.back()->c() < 0.0) == left && contours_.back()->expanded() == false) {
    // The neighbour is the second contour: valid here too, if with larger error.
    best = read(*contours_.back(), epsilon, "contour");
    agreeing = best->log_width < 1e-3 ? 1 : 0;
  }
  for (const double factor : factors) {
    if (deadline_.passed()) {
      break;
    }
    Contour<double>* contour = build(saddle * factor, epsilon, margin);
    if (contour == nullptr) {
      if (++slow_ >= 2) {
        break;
      }
      continue;
    }
    const Point point = read(*contour, epsilon, "contour");
    check(point, epsilon);
    best = best ? meet(*best, point) : point;
    if (point.log_width < goal) {
      ++agreeing;
      sharp.push_back(contour);
    }
    lost_digits_ = lost_digits_ || contour->rounding_rules(epsilon);
    if (agreeing >= 2) {
      for (Contour<double>* each : sharp) {
        each->confirm();
      }
      break;
    }
  }
  if (best && agreeing < 2) {
    best->method = "one contour";
  }
  return best;
}

std::optional<Point> Engine::by_known_extended(double epsilon) const {
  for (const auto& known : extended_) {
    const Point point =
        point_of(transform_, known->at(epsilon), known->c(), epsilon, known->expanded(), extended_method);
    if (point.log_width < accuracy_.relative) {
      return point;
    }
  }
  return std::nullopt;
}

std::optional<Point> Engine::by_extended(double epsilon, const Point& known) {
  if (left_of_zero(epsilon)) {
    return std::nullopt;
  }
  const double saddle = transform_.saddle_right(epsilon);
  std::optional<Point> best;
  for (const double factor : {0.7, 0.5, 0.85}) {
    const double c = factor * saddle;
    const double log_size = transform_.cumulant(c).value - c * epsilon;
    // What a rung resolves, relative to exp(K(c) - c epsilon): by what is known of delta, where that is something.
    double log_lost = 60.0;
    if (known.log_width < 0.5) {
      log_lost = std::clamp(log_size - known.log_delta - std::log(accuracy_.relative) + 8.0, 30.0, 60.0);
    }
    for (int round = 0; round < 3 && !late(); ++round) {
      ContourPlan plan;
      plan.c = c;
      plan.log_tail = -log_lost;
      plan.log_tail_expanded = -log_lost;
      plan.period = period_for(transform_, c, epsilon, log_size - log_lost);
      plan.most_nodes = 20000;
      const int digits = static_cast<int>(std::ceil(log_lost / std::numbers::ln10)) + 4;
      try {
        extended_.push_back(extended_contour(transform_, plan, digits, deadline_));
      } catch (const ConvergenceError&) {
        break;
      }
      const ContourValues values = extended_.back()->at(epsilon);
      const Point point = point_of(transform_, values, c, epsilon, extended_.back()->expanded(), extended_method);
      best = best ? meet(*best, point) : point;
      if (point.log_width < accuracy_.relative) {
        best->method = point.method;
        return best;
      }
      const double unknown = log_lost + 50.0;
      log_lost = values.first.value > 2.0 * values.first.error
                     ? std::max(4.0 - std::log(values.first.value) - std::log(accuracy_.relative), log_lost + 7.0)
                     : unknown;
    }
  }
  return best;
}

std::optional<Point> Engine::by_known_lattice(double epsilon) const {
  std::optional<Point> best;
  for (auto lattice = lattices_.rbegin(); lattice != lattices_.rend(); ++lattice) {
    const Point point = read(**lattice, epsilon);
    best = best ? meet(*best, point) : point;
    if (best->delta.relative_width() <= enough_of_a_lattice()) {
      break;
    }
  }
  return best;
}

std::optional<Point> Engine::by_truncated(double epsilon, const Point& known) {
  // Large losses so rare that delta does not notice.
  const double scale = std::log(std::max(known.delta.lower, 1e-60)) + std::log(accuracy_.relative);
  const int level = static_cast<int>(std::floor((scale - 3.0) / 10.0));
  std::unique_ptr<Engine>& engine = truncated_[level];
  if (!engine) {
    engine = std::make_unique<Engine>(composition_, accuracy_, deadline_);
    engine->transform_.truncate(10.0 * level);
  }
  std::optional<Point> point = engine->by_double(epsilon);
  if (point && engine->lost_digits_ && point->log_width > accuracy_.relative) {
    if (const std::optional<Point> sharper = engine->by_extended(epsilon, *point)) {
      point = meet(*sharper, *point);
    }
  }
  // What the truncated sums say by themselves.
  const Point certain = certain_bounds(engine->transform_, epsilon);
  return point ? meet(*point, certain) : certain;
}

Point Engine::by_lattice(double epsilon) {
  // A lattice serves its neighbourhood of thresholds; the width tells where it ends.
  const std::optional<Point> best = by_known_lattice(epsilon);
  if (best && (best->delta.relative_width() <= enough_of_a_lattice() || lattices_.size() >= 24 ||
               std::any_of(lattices_.begin(), lattices_.end(),
                           [&](const auto& lattice) { return lattice->made_for(epsilon); }))) {
    return *best;
  }
  lattices_.push_back(std::make_unique<LatticePair>(transform_, epsilon, std::max(accuracy_.relative, 1e-4),
                                                    std::size_t{1} << 18U, deadline_));
  const Point point = read(*lattices_.back(), epsilon);
  return best ? meet(*best, point) : point;
}

Point Engine::read(const LatticePair& lattice, double epsilon) const {
  // alpha = -dh/dx of the convex profile h(x), x = e^epsilon: between difference quotients to both sides.
  std::vector<double> thresholds{epsilon};
  for (const double gap : {1e-3, 1e-2, 3e-2, 0.1, 0.3}) {
    const double move = gap * std::max(epsilon, std::min(0.1, 3.0 * std::sqrt(transform_.cumulant(0.0).second)));
    thresholds.push_back(epsilon + move);
    if (epsilon > move) {
      thresholds.push_back(epsilon - move);
    }
  }
  std::vector<Enclosure> deltas;
  for (const double threshold : thresholds) {
    deltas.push_back(lattice.delta(threshold));
  }
  Point point;
  point.method = "lattice";
  point.delta = deltas.front();
  point.one_minus_delta = complement(point.delta);
  const double x = std::exp(epsilon);
  // power = delta + e^epsilon alpha <= 1; of a symmetric pair alpha <= beta besides, and alpha + beta <= 1 - delta.
  point.type_one_error.upper =
      next_up((transform_.symmetric() ? std::min(0.5, 1.0 / x) : 1.0 / x) * (1.0 - point.delta.lower) * (1.0 + 1e-15));
  for (std::size_t i = 1; i < thresholds.size(); ++i) {
    const double gap = std::abs(x * std::expm1(thresholds[i] - epsilon));
    Enclosure slope{0.0, 1.0};
    if (thresholds[i] > epsilon) {
      slope.lower = std::max(0.0, (point.delta.lower - deltas[i].upper) / gap * (1.0 - 1e-14));
    } else {
      slope.upper = std::min(1.0, (deltas[i].upper - point.delta.lower) / gap * (1.0 + 1e-14));
    }
    point.type_one_error = intersection(point.type_one_error, slope);
  }
  point.power = clamp(outward(point.delta + scale(point.type_one_error, x), 1e-15), 0.0, 1.0);
  point.type_two_error = complement(point.power);
  point.log_delta = std::log(std::max(point.delta.middle(), tiny));
  point.log_width = point.delta.relative_width();
  point.slope = x * point.type_one_error.middle() / std::max(point.delta.middle(), tiny);
  point.density = point.type_one_error.middle();
  return point;
}

Point Engine::with_weak_gaussian(double epsilon) {
  // Dropping the Gaussian lowers delta. With it, losses move by at most `move` but for a probability that is added:
  // delta(epsilon) <= delta_without(epsilon - move) + delta_gaussian(move).
  const double g = transform_.gaussian_mu();
  const auto without = [this](double at) { return without_gaussian_->at_any(at); };
  Point point = without_gaussian_->at(epsilon);
  const Enclosure delta = point.delta;
  point.delta.upper = next_up(delta.upper + std::erf(0.5 * g / std::numbers::sqrt2) * (1.0 + 1e-12));
  double moved_far = 0.0;
  for (const double deviations : {5.0, 8.0, 12.0, 20.0, 40.0}) {
    const double move = deviations * g + 0.5 * g * g;
    if (deviations < 40.0 &&
        (negligible_gaussian_ || point.delta.upper < delta.upper * (1.0 + 0.1 * accuracy_.relative))) {
      continue;
    }
    const Point left = without(next_down(epsilon - move));
    const double extra = std::exp(-0.5 * deviations * deviations) + tiny;
    point.delta.upper = std::min(point.delta.upper, next_up(left.delta.upper + extra));
    if (deviations == 40.0) {
      const Point right = without(next_up(epsilon + move));
      point.type_one_error = {std::max(0.0, right.type_one_error.lower * (1.0 - 1e-15) - tiny),
                              std::min(1.0, left.type_one_error.upper * (1.0 + 1e-15) + tiny)};
      point.power = {std::max(0.0, right.power.lower * (1.0 - 1e-15) - tiny),
                     std::min(1.0, left.power.upper * (1.0 + 1e-15) + tiny)};
      point.type_two_error = complement(point.power);
      moved_far = move;
    }
  }
  point.delta = clamp(point.delta, 0.0, 1.0);
  point.one_minus_delta = complement(point.delta);
  point.log_width += point.delta.relative_width() + moved_far * point.slope;
  return point;
}

Point Engine::at(double epsilon, const std::function<bool(const Point&)>& enough) {
  if (has_closed_form(transform_)) {
    return closed_form(transform_, epsilon);
  }
  if (negligible_gaussian_) {
    return with_weak_gaussian(epsilon);
  }
  const auto wide = [](const Point& p) { return p.delta.relative_width(); };
  Point best = certain_bounds(transform_, epsilon);
  if (best.delta.upper <= tiny) {
    return best;
  }
  // The narrower of what is known and what a method finds; a method that runs out of time or means changes nothing.
  const auto improve = [&](auto&& method) {
    try {
      const std::optional<Point> found = method();
      if (found) {
        best = wide(*found) <= wide(best) || found->log_width < accuracy_.relative ? meet(*found, best)
                                                                                   : meet(best, *found);
      }
    } catch (const ConvergenceError&) {
    }
  };
  const auto good_enough = [&] { return best.log_width <= accuracy_.relative || (enough && enough(best)); };
  improve([&]() -> std::optional<Point> {  // what the saddle point alone says
    deadline_.check();
    const bool left = left_of_zero(epsilon);
    if (suitable(epsilon, left) == nullptr) {
      (void)(left ? transform_.saddle_left(epsilon) : transform_.saddle_right(epsilon));
    }
    return certain_bounds(transform_, epsilon);
  });
  if (!lattices_.empty() && best.delta.upper > tiny) {
    improve([&] { return by_known_lattice(epsilon); });
  }
  if (late() || best.delta.upper <= tiny || best.one_minus_delta.upper < 1e-16) {
    return best;
  }
  if (!extended_.empty()) {
    improve([&] { return by_known_extended(epsilon); });
  }
  if (!prefer_lattice_ && !good_enough()) {
    improve([&] { return by_double(epsilon); });
  }
  if (!late() && !good_enough() && transform_.gaussian_mu() == 0.0 && transform_.lost() == 0.0) {
    improve([&] { return by_truncated(epsilon, best); });
  }
  // A slowly decaying integrand (no contour, or a wide truncation) is the lattice's case, lost digits the ladder's.
  if (!late() && weak_gaussian_ && !good_enough()) {
    improve([&]() -> std::optional<Point> { return with_weak_gaussian(epsilon); });
  }
  if (!late() && !good_enough() && lost_digits_) {
    improve([&] { return by_extended(epsilon, best); });
  }
  if (!late() && (!good_enough() || accuracy_.verify)) {
    const double before = wide(best);
    improve([&]() -> std::optional<Point> { return by_lattice(epsilon); });
    prefer_lattice_ = prefer_lattice_ || (slow_ > 0 && wide(best) < 0.01 && wide(best) < before);
  }
  if (!late() && slow_ == 0 && !good_enough() && !lost_digits_ && wide(best) > 1e-3) {
    improve([&] { return by_extended(epsilon, best); });
  }
  if (wide(best) < 1e-3) {
    best.log_width = std::min(best.log_width, wide(best));
  }
  return best;
}

}  // namespace dpcurves::accounting::detail
