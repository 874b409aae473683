// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/accounting/proof/steep.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double seen_by_doubles = 25.0;                         // digits, as a power of e, that may cancel in a sketch
constexpr double in_the_bulk = 1.5e5;                            // work of an upright contour that needs no other
constexpr double modest_upright = 1.5e6, longest_upright = 4e6;  // of one for cut laws, a microsecond each
constexpr double modest_steep = 3e6, longest_steep = 1e7;        // a third of one
constexpr double modest_straight = 5e7, longest_straight = 2e8;  // a fiftieth
constexpr double line_relative = 1e-8;     // of epsilon: with it the dearer contours are not asked
constexpr double line_delta = 1e-8;        // of delta: the same
constexpr double line_close = 3e-7;        // of delta: with it the dearest contour is not asked
constexpr double line_finest = 1e-12;      // more than a straight line can ever give
constexpr double most_line_digits = 24.0;  // doubles have no more to give
constexpr double smallest_delta = 745.0;   // -log of the smallest double

/// Drops what does nothing, joins equal steps, takes unsampled steps into the Gaussian.
Problem problem_of(const Composition& composition) {
  const Precision precision(256);
  Problem problem;
  Real square = Real(composition.gaussian_mu) * Real(composition.gaussian_mu);
  std::map<std::tuple<int, double, double>, double> joined;
  for (const SubsampledGaussian& c : composition.components) {
    if (c.count == 0.0 || c.mu == 0.0 || c.sampling_rate == 0.0) {
      continue;
    }
    if (c.sampling_rate == 1.0) {
      const Real mu = Real(c.pair == Pair::poisson_replace_one ? 2 : 1) * Real(c.mu);
      square += Real(c.count) * mu * mu;
      continue;
    }
    joined[{static_cast<int>(c.pair), c.sampling_rate, c.mu}] += c.count;
  }
  for (const auto& [key, count] : joined) {
    problem.steps.push_back(step_of({std::get<1>(key), std::get<2>(key), count, static_cast<Pair>(std::get<0>(key))}));
  }
  problem.gaussian_square = square;
  problem.gaussian_mu = std::sqrt(std::max(0.0, square.middle()));
  return problem;
}

double log_of(const Real& positive) {
  const Precision precision(64);
  return rigorous::log(positive).middle();
}

// Whether a positive value, below the range of doubles too, is as narrow as that.
bool has_digits(const Real& value, double relative) {
  return value.positive() && static_cast<double>(arb_rel_accuracy_bits(value.get())) > 1.0 - std::log2(relative);
}

}  // namespace

Profile::Profile(const Composition& composition) : composition_(composition), problem_(problem_of(composition)) {
  method_ = gaussian() || single() ? "closed form" : "contour";
}

Profile::~Profile() = default;

const char* Profile::method() const { return method_; }

Profile& Profile::reversed() {
  const bool alike = std::all_of(problem_.steps.begin(), problem_.steps.end(), [](const Step& s) {
    return s.pair == Pair::symmetrised || s.pair == Pair::poisson_replace_one;
  });
  if (alike) {
    return *this;
  }
  if (!reversed_) {
    reversed_ = std::make_unique<Profile>(accounting::reversed(composition_));
  }
  return *reversed_;
}

// At least delta(0): the total variation distances of the steps, added up.
Real Profile::variation() const {
  const Real root = rigorous::sqrt(Real(8));
  Real total = rigorous::erf(rigorous::sqrt(problem_.gaussian_square) / root);
  for (const Step& s : problem_.steps) {
    const Real distance = Real(s.pair == Pair::poisson_replace_one ? 2 : 1) * Real(s.mu);
    total += Real(s.count) * Real(s.q) * rigorous::erf(distance / root);
  }
  return total;
}

// The largest loss where every step has one, else infinite.
Real Profile::largest_loss() const {
  Real total;
  if (problem_.gaussian_square.positive()) {
    arb_pos_inf(total.get());
    return total;
  }
  for (const Step& s : problem_.steps) {
    if (s.pair != Pair::poisson_add) {
      arb_pos_inf(total.get());
      return total;
    }
    total = total - Real(s.count) * rigorous::log1p(-Real(s.q));
  }
  return total;
}

const Inversion* Profile::find(double epsilon, bool rest, double digits) const {
  const Inversion* best = nullptr;
  double nearest = infinity;
  for (const auto& inversion : contours_) {
    const Plan& p = inversion->plan();
    const double far = std::abs(epsilon - p.epsilon) * p.width;  // digits are lost like those of a normal density
    if ((p.c < 0.0) == rest && p.wanted >= digits && far < 6.0 && far < nearest) {
      nearest = far;
      best = inversion.get();
    }
  }
  return best;
}

const Inversion& Profile::build(const Way& way, double c, double epsilon, double digits, double log_value) {
  // The integrand may be much larger on the strip than the plan saw: a narrower one, with steps as much shorter, has
  // the same factor e^{-2 pi up / h} and less of it.
  constexpr double narrower = 0.75, far_off = 1e3;
  constexpr int attempts = 3;
  Plan p = plan(way, c, epsilon, digits, log_value);
  auto found = std::make_unique<Inversion>(*way.problem, p);
  for (int i = 1; i < attempts; ++i) {
    const Real at(epsilon), sum = found->sum(at), strip = found->strip(at);
    if (strip < rigorous::abs(sum) * rigorous::exp(Real(-digits)) * Real(far_off) || sum.contains_zero()) {
      break;
    }
    p.up *= narrower;
    p.down *= narrower;
    p.h *= narrower;
    p.n = static_cast<long>(std::ceil(static_cast<double>(p.n) / narrower));
    found = std::make_unique<Inversion>(*way.problem, p);
  }
  contours_.push_back(std::move(found));
  return *contours_.back();
}

// Upright where the transform decays by itself, in the bulk; upright for laws without the parts that are too rare to be
// seen at a value of e^{log_value}, where these hide the saddle point; a straight line for rare large losses; steep.
std::vector<Profile::Way> Profile::ways(double log_value, double epsilon, bool rest, double relative, Effort effort) {
  constexpr double unseen = 30.0, hidden = 4.0;
  using Kind = Way::Kind;
  const bool straight = !rest && decays();
  std::vector<Way> all;
  const Problem* cut = nullptr;
  bool rare = true;
  if (decays()) {
    cut_.push_back(std::make_unique<Problem>(problem_.cut(std::min(0.0, log_value) - unseen)));
    cut = cut_.back().get();
    const double excess = log_modulus(problem_, saddle(*cut, epsilon, rest), epsilon) - log_value;
    rare = !(excess < hidden);
  }
  const auto add = [&](const Problem* problem, double most_work, Kind kind) {
    if (problem != nullptr) {
      all.push_back({problem, most_work, kind});
    }
  };
  if (effort != Effort::dear) {
    const bool halves =
        std::any_of(problem_.steps.begin(), problem_.steps.end(), [](const Step& s) { return s.has_atom; });
    add(rare ? nullptr : &problem_, halves ? 8.0 * in_the_bulk : in_the_bulk, Kind::upright);
    add(straight && relative >= line_finest ? &problem_ : nullptr, modest_straight, Kind::straight);
    add(cut, modest_upright, Kind::upright);
    add(&problem_, modest_steep, Kind::steep);
  }
  if (effort != Effort::modest) {
    add(cut, longest_upright, Kind::upright);
    add(&problem_, longest_steep, Kind::steep);
    add(straight && lines_.empty() ? &problem_ : nullptr, longest_straight, Kind::straight);
  }
  return all;
}

Plan Profile::plan(const Way& way, double c, double epsilon, double digits) {
  if (way.kind == Way::Kind::steep) {
    return steep_plan(*way.problem, c, epsilon, digits, bearings_, way.most_work);
  }
  return make_plan(*way.problem, c, epsilon, digits, way.most_work);
}

// The integrand at c is larger than its integral where parts of the laws far away hide the saddle point: then digits
// cancel.
Plan Profile::plan(const Way& way, double c, double epsilon, double digits, double log_value) {
  c = c > 0.0 && way.kind != Way::Kind::steep ? before_edges(*way.problem, c, epsilon, digits, log_value) : c;
  constexpr double hidden = 80.0;  // a saddle point below so many digits is not that of this value
  const double known = std::max(0.0, log_modulus(*way.problem, c, epsilon) - log_value - 2.0);
  if (known > hidden && std::isfinite(known)) {
    throw ConvergenceError("the saddle point is hidden");
  }
  double lost = std::isfinite(known) ? known : 0.0;
  if (lost > seen_by_doubles) {
    Plan p = plan(way, c, epsilon, digits + lost);
    p.wanted = digits;
    return p;
  }
  constexpr int rounds = 3;
  std::optional<Plan> found;
  for (int i = 0; i < rounds; ++i) {
    try {
      found = plan(way, c, epsilon, digits + lost);
    } catch (const ConvergenceError&) {
      if (lost == 0.0 || found) {
        throw;
      }
      lost = 0.0;
      continue;
    }
    const double seen =
        log_modulus(*way.problem, found->c, epsilon) - Sketch(*way.problem, *found).at(epsilon).log_value;
    if (!(seen > lost + 3.0) || lost > seen_by_doubles) {
      break;
    }
    lost = seen + 1.0;
  }
  if (!found) {
    throw ConvergenceError("no contour is short enough");
  }
  found->wanted = digits;
  return *found;
}

Real Profile::ahead(const Real& epsilon, bool rest, double relative, double spare, Effort effort) {
  if (gaussian()) {
    Real last;
    for (slong bits = 128; bits <= 65536; bits *= 2) {
      const Precision precision(bits);
      const Real mu = rigorous::sqrt(problem_.gaussian_square);
      const Real t = epsilon / mu + rigorous::scaled(mu, -1);  // type I error P(N > t), power P(N > t - mu)
      const Real off = rigorous::exp(epsilon) * rigorous::normal_tail(t);
      last = rest ? rigorous::normal_tail(mu - t) + off : rigorous::normal_tail(t - mu) - off;
      if (has_digits(last, relative)) {
        break;
      }
    }
    return last;
  }
  if (single()) {
    Real last;
    for (slong bits = 128; bits <= 65536; bits *= 2) {
      const Precision precision(bits);
      const OneStep at = one_step(problem_.steps[0], epsilon, bits);
      last = rest ? Real(1) - at.delta : at.delta;
      if (last.exact() || has_digits(last, relative)) {
        break;
      }
    }
    return last;
  }
  const double e = epsilon.middle();
  if (Jumps::serves(problem_)) {
    const Jumps jumps(problem_, -smallest_delta, rest);
    if (jumps.affordable()) {
      const Jumps::Value v = jumps.at(epsilon);
      const Real value = rigorous::hull(v.lower, v.upper);
      if (value.positive() && value.radius() <= relative * value.middle()) {
        method_ = "sum over jumps";
        forget();
        return value;
      }
    }
  }
  method_ = "contour";
  Real best;
  arb_zero_pm_inf(best.get());
  double digits = std::log(1.0 / relative) + 1.0;
  if (const Inversion* known = find(e, rest, digits)) {
    const Real value = known->at(epsilon);
    if (value.positive() && value.radius() <= relative * value.middle()) {
      line_ = nullptr;
      last_ = known;
      return value;
    }
  }
  // The value itself says how much of the laws it sees.
  double log_value = -40.0;
  for (int i = 0; i < 2; ++i) {
    const double found = log_estimate(problem_.cut(log_value - 30.0), e, rest);
    log_value = std::isfinite(found) ? std::clamp(found, -1e4, 0.0) : log_value;
  }
  for (const Way& way : ways(log_value, e, rest, relative, effort)) {
    if (way.kind == Way::Kind::steep && line_ != nullptr && relative >= line_finest &&
        best.radius() <= line_close * best.middle()) {
      continue;  // the dearest, and rarely closer there
    }
    try {
      const bool straight = way.kind == Way::Kind::straight;
      const Inversion* const last = last_;
      const Upright* const line = line_;
      const Real value =
          straight ? by_line(epsilon, relative, way.most_work) : ahead(way, epsilon, rest, relative, spare, log_value);
      if (!best.finite() || value.radius() < best.radius()) {
        best = value;
      } else {
        last_ = last;
        line_ = line;
      }
      if (value.positive() &&
          value.radius() <= (straight ? std::max(relative, line_delta) : relative) * value.middle()) {
        break;
      }
    } catch (const ConvergenceError&) {
    }
  }
  return best;
}

bool Profile::decays() const {
  constexpr double far_down = 20.0;
  double floor = 0.5 * problem_.gaussian_mu * problem_.gaussian_mu;  // -log |F| far up, at most
  bool halves = false;
  for (const Step& s : problem_.steps) {
    halves = halves || s.has_atom;
    floor -= s.has_atom ? s.count * std::log(s.approximate_atom()) : 0.0;
  }
  return !halves || floor > far_down;
}

// No contour is the last one.
void Profile::forget() {
  last_ = nullptr;
  line_ = nullptr;
}

double Profile::log_value_at(double epsilon) {
  double value = -40.0;
  for (int i = 0; i < 2; ++i) {
    const double found = log_estimate(problem_.cut(value - 30.0), epsilon, false);
    value = std::isfinite(found) ? std::clamp(found, -1e4, 0.0) : value;
  }
  for (const Step& s : problem_.steps) {  // rarely two large losses
    const Precision precision(64);
    const Real one = one_step(s, Real(epsilon), 64).delta;
    if (one.positive()) {
      value = std::max(value, std::min(0.0, std::log(s.count) + log_of(one)));
    }
  }
  return value;
}

const Upright* Profile::line(double epsilon, double log_value, double digits, double most_work) {
  try {
    lines_.push_back(std::make_unique<Upright>(problem_, epsilon, log_value, digits, most_work));
    return lines_.back().get();
  } catch (const ConvergenceError&) {
    return nullptr;
  }
}

// The best that straight lines prove; the value itself says how many digits a line must have.
Real Profile::by_line(const Real& epsilon, double relative, double most_work) {
  Real best;
  arb_zero_pm_inf(best.get());
  const auto narrow = [&] {
    return best.positive() && best.radius() <= std::max(relative, line_delta) * best.middle();
  };
  const auto offer = [&](const Upright* line) {
    const Real value = line->at(epsilon);
    if (!best.finite() || value.radius() < best.radius()) {
      best = value;
      forget();
      line_ = line;
    }
  };
  for (const auto& line : lines_) {
    offer(line.get());
    if (narrow()) {
      return best;
    }
  }
  double log_value = best.positive() ? log_of(best) : log_value_at(epsilon.middle());
  const double digits = std::min(std::log(1.0 / relative) + 2.0, most_line_digits);
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    const Upright* found = line(epsilon.middle(), log_value, digits, most_work);
    if (found == nullptr) {
      break;
    }
    offer(found);
    const double seen = best.upper() > 0.0 ? std::log(best.upper()) : -infinity;
    if (narrow() || !(seen < log_value - 1.0)) {
      break;
    }
    log_value = std::max(seen, log_value - 2.0 * digits);
  }
  return best;
}

// The root on one line, then, if that was made for a threshold far away, on another; from where the saddle point says,
// and from where a single step would do it.
Profile::Bracket Profile::line_bracket(const Real& target, double relative, double most_work) {
  const double wanted = log_of(target);
  std::vector<double> starts{std::max(0.0, guess(problem_, wanted, false).epsilon)};
  constexpr double least = -150.0;  // below it closed forms of one step take seconds
  for (const Step& s : wanted > least ? problem_.steps : std::vector<Step>{}) {
    Composition one;
    one.components.push_back({s.q, s.mu, 1.0, s.pair});
    starts.push_back(Profile(one).epsilon(target / Real(s.count), false, 1e-3).upper.middle());
  }
  std::sort(starts.begin() + 1, starts.end(), std::greater<>());
  Bracket known{Real(), largest_loss()};
  const double digits = std::min(std::log(1.0 / relative) + 3.0, most_line_digits);
  const auto enough = [&] {
    return known.upper.finite() && (known.upper - known.lower) <= Real(std::max(relative, line_relative)) * known.upper;
  };
  constexpr int rounds = 3;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, starts.size()) && !known.upper.finite(); ++i) {
    double e = starts[i];
    for (int round = 0; round < rounds; ++round) {
      const Upright* found = line(e, wanted, digits, most_work);
      const std::optional<double> at = found != nullptr ? line_root(*found, e, target, known) : std::nullopt;
      constexpr double near = 0.3;  // a line elsewhere has no more digits
      if (!at || enough() || std::abs(*at - e) * found->order() < near) {
        break;
      }
      e = *at;
    }
  }
  return known;
}

// Where one line has the value of the target; `known` is narrowed. Empty if it has it nowhere.
std::optional<double> Profile::line_root(const Upright& line, double start, const Real& target, Bracket& known) {
  const auto over = [&](double at) { return line.at(Real(at)).middle() > target.middle(); };
  double low = 0.0, high = std::max(start, 1e-3);
  while (over(high) && high < 1e6) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 60 && high - low > 1e-3 / line.order(); ++i) {
    const double m = 0.5 * (low + high);
    (over(m) ? low : high) = m;
  }
  double at = 0.5 * (low + high), slope = 0.0;
  Real value = line.at(Real(at));
  for (int i = 0; i < 8 && value.positive(); ++i) {  // Newton's method on the logarithm; doubles may not see the slope
    const double step = 1e-4 / line.order();
    const Real beside = line.at(Real(at + step));
    if (!beside.positive()) {
      break;
    }
    slope = log_of(beside / value) / step;
    const double next = std::max(0.0, at - log_of(value / target) / slope);
    if (!std::isfinite(next) || std::abs(next - at) <= 1e-14 * at) {
      break;
    }
    at = next;
    value = line.at(Real(at));
  }
  if (!(slope < 0.0)) {
    return std::nullopt;
  }
  for (double spread = (1.1 * value.radius() / target.middle() + 1e-13) / -slope; spread < 1.0; spread *= 4.0) {
    const Real lower(std::max(0.0, at - spread)), upper(at + spread);
    const bool left = lower.contains_zero() || line.at(lower) > target, right = line.at(upper) <= target;
    if (left && known.lower < lower) {
      known.lower = lower;
    }
    if (right && !(known.upper <= upper)) {
      known.upper = upper;
    }
    if (left && right) {
      forget();
      line_ = &line;
      break;
    }
  }
  return at;
}

Real Profile::ahead(const Way& way, const Real& epsilon, bool rest, double relative, double spare, double log_value) {
  const double e = epsilon.middle(), c = saddle(*way.problem, e, rest);
  double digits = std::log(1.0 / relative) + 1.0;
  Real best;
  arb_zero_pm_inf(best.get());
  for (int i = 0; i < 4; ++i) {
    const Inversion& contour = build(way, c, e, digits + spare, log_value);
    const Real value = contour.at(epsilon);
    if (value.radius() < best.radius()) {
      best = value;
      line_ = nullptr;
      last_ = &contour;
    }
    const double width = value.radius() / std::abs(value.middle());
    if (width <= relative) {
      break;
    }
    digits += std::isfinite(width) ? std::min(40.0, std::max(2.0, std::log(width / relative) + 1.0)) : 20.0;
  }
  return best;
}

Real Profile::delta(const Real& epsilon, bool rest, double relative, double spare, Effort effort) {
  const Precision precision(256);
  forget();
  if (epsilon.negative()) {
    // delta(e) = 1 - e^e (1 - delta'(-e)), delta' of the laws exchanged; two positive terms where delta is wanted
    const Real x = rigorous::exp(epsilon), other = reversed().delta(-epsilon, rest, relative, spare, effort);
    return rest ? x * other : x * other - rigorous::expm1(epsilon);
  }
  const Real most = largest_loss();
  if (most <= epsilon) {
    return rest ? Real(1) : Real();
  }
  if (gaussian() || single()) {  // a closed form has nothing to fall back on, and needs nothing
    return ahead(epsilon, rest, relative, spare, effort);
  }
  Real value;
  arb_zero_pm_inf(value.get());
  try {
    value = ahead(epsilon, rest, relative, spare, effort);
  } catch (const ConvergenceError&) {
  }
  if (value.positive() && value.radius() <= 0.5 * value.middle()) {
    return value;
  }
  const Real bounds = bounded(epsilon, rest);
  return value.finite() ? rigorous::intersection(value, bounds) : bounds;
}

// From the nearest contour in doubles, if that is close enough; else with a new one, as close as it gets.
Real Profile::quick(double epsilon, bool rest, double relative, double absolute) {
  const auto enough = [&](const Real& v) {
    return v.radius() <= std::max(absolute, std::max(relative, reached_) * std::abs(v.middle()));
  };
  if (!gaussian() && !single()) {
    const Inversion* near = nullptr;
    double nearest = infinity;
    for (const auto& contour : contours_) {
      const Plan& p = contour->plan();
      const double far = std::abs(epsilon - p.epsilon) * p.width;
      if ((p.c < 0.0) == rest && far < nearest) {
        nearest = far;
        near = contour.get();
      }
    }
    if (near != nullptr) {
      const Real value = near->quick(epsilon);
      if (enough(value)) {
        line_ = nullptr;
        last_ = near;
        return value;
      }
    }
    for (std::size_t i = rest ? 0 : lines_.size(); i-- > 0;) {
      const Real value = lines_[i]->quick(epsilon);
      if (enough(value)) {
        last_ = nullptr;
        line_ = lines_[i].get();
        return value;
      }
    }
  }
  constexpr double spare = 3.0;
  const Real value = delta(Real(epsilon), rest, relative, spare);
  if (!enough(value) && value.positive()) {
    reached_ = 2.0 * value.radius() / value.middle();
  }
  return value;
}

std::optional<Approximate> Profile::approximate(double epsilon) const {
  if (last_ != nullptr) {
    return last_->approximate(epsilon);
  }
  if (line_ != nullptr) {
    return line_->approximate(epsilon);
  }
  return std::nullopt;
}

// Where log delta (or log(1 - delta)) is log_value, in doubles: the saddle point's estimate, then short contours.
Profile::Start Profile::start(const Way& way, double log_value, bool rest) {
  const Problem& problem = *way.problem;
  Guess at = guess(problem_, log_value, rest);
  double sampled = problem_.gaussian_mu > 0.0 ? infinity : 0.0;  // steps that sample the record
  for (const Step& s : problem_.steps) {
    sampled += s.count * s.q;
  }
  constexpr double rarely = 2.0, hardly = 0.2, small = 2.0;
  const bool alike = problem_.steps.size() == 1;
  if (way.kind == Way::Kind::steep && !rest && alike &&
      sampled < (at.epsilon <= 0.0               ? rarely
                 : problem_.steps[0].mu <= small ? hardly
                                                 : 0.0)) {  // nearly a sum of single steps
    const Precision precision(256);
    const Real share = rigorous::exp(Real(log_value)) / Real(problem_.steps[0].count);
    const double alone = easiest().epsilon(share, false, 1e-3).upper.middle();
    if (alone > 0.0) {
      at.epsilon = alone;
      at.c = std::min(at.c, 1.0 / alone);
    }
  }
  if (at.epsilon > 0.0) {
    const double slope = -at.c;
    at.c = saddle(problem, at.epsilon, rest);
    if (log_modulus(problem, at.c, at.epsilon) - log_value > seen_by_doubles) {
      return {at.epsilon, slope};
    }
  }
  constexpr double few = 7.0;
  constexpr int most = 5, most_failures = 2;
  int failures = 0;
  double low = 0.0, high = infinity;
  double e = std::max(at.epsilon, 0.0), c = at.epsilon > 0.0 ? at.c : saddle(problem, 0.0, rest);
  for (int i = 0; i < most; ++i) {
    std::optional<Sketch> sketch;
    try {
      sketch.emplace(problem, plan(way, c, e, few, log_value));
    } catch (const ConvergenceError&) {
      if (++failures > most_failures) {
        break;
      }
      high = std::min(high, e);
      e = 0.5 * (low + e);
      c = saddle(problem, e, rest);
      continue;
    }
    const double center = e;
    for (int k = 0; k < 30; ++k) {
      const Rough r = sketch->at(e);
      if (!std::isfinite(r.log_value) || !std::isfinite(r.slope) || r.slope == 0.0) {
        break;
      }
      const bool above = (r.log_value > log_value) != rest;  // delta falls with epsilon, 1 - delta rises
      if (e == 0.0 && !above) {
        return {0.0, r.slope};
      }
      (above ? low : high) = e;
      const double next = e - (r.log_value - log_value) / r.slope;
      if (std::abs((next - e) * r.slope) < 0.05 && next > 0.0 && std::abs(next - center) <= 0.5 * center) {
        return {next, r.slope};
      }
      e = next > low && next < high   ? next
          : next <= 0.0 && low == 0.0 ? 0.0
          : std::isfinite(high)       ? 0.5 * (low + high)
                                      : 2.0 * e + 1.0;
      if (high < 1e-3 / std::abs(r.slope) * 1e-9) {
        e = 0.0;
      }
      if (std::abs(e - center) > 0.5 * center) {  // too far for this contour
        break;
      }
    }
    c = saddle(problem, e, rest);
  }
  throw ConvergenceError("no threshold was found");
}

Profile::Bracket Profile::by_contour(const Real& target, bool rest, double relative, Effort effort) {
  constexpr double usual = 1e-6;  // contours for fewer digits are no shorter, and more often none is found
  relative = std::min(relative, usual);
  Bracket best{Real(), largest_loss()};
  for (const Way& way :
       ways(log_of(target), std::max(0.0, guess(problem_, log_of(target), rest).epsilon), rest, relative, effort)) {
    try {
      const bool straight = way.kind == Way::Kind::straight;
      const Bracket found =
          straight ? line_bracket(target, relative, way.most_work) : by_contour(way, target, rest, relative, best);
      best = {rigorous::max(best.lower, found.lower),
              found.upper.finite() ? rigorous::min(best.upper, found.upper) : best.upper};
      const double enough = straight ? std::max(relative, line_relative) : relative;
      if (best.upper.finite() && (best.upper - best.lower) <= Real(enough) * best.upper) {
        return best;
      }
    } catch (const ConvergenceError&) {
    }
  }
  if (!best.upper.finite()) {
    throw ConvergenceError("no upper end of epsilon was proved");
  }
  return best;
}

Profile::Bracket Profile::by_contour(const Way& way, const Real& target, bool rest, double relative,
                                     const Bracket& near) {
  constexpr double narrow = 1e-2;
  const bool known_well =
      near.lower.positive() && near.upper.finite() && near.upper - near.lower < Real(narrow) * near.upper;
  const double middle = 0.5 * (near.lower + near.upper).middle();
  const Start s = known_well ? Start{middle, -saddle(*way.problem, middle, rest)} : start(way, log_of(target), rest);
  double e = s.epsilon;
  if (e == 0.0) {
    for (const double width : {1e-3, 1e-12}) {
      const Real value = ahead(way, Real(), rest, width, 0.0, log_of(target));
      if (rest ? value >= target : value <= target) {
        return {Real(), Real()};
      }
      if (rest ? value < target : value > target) {
        break;
      }
    }
    e = 1e-3 / std::abs(s.slope);
  }
  double digits = std::log(1.0 / relative) - std::log(std::min(1.0, std::abs(e * s.slope))) + 2.5;
  Bracket known{Real(), largest_loss()};
  constexpr int attempts = 4;
  double place = 1.0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Inversion* built = nullptr;
    try {
      built = &build(way, place * saddle(*way.problem, e, rest), e, digits, log_of(target));
    } catch (const ConvergenceError&) {
      if (way.kind != Way::Kind::steep) {
        break;  // an upright contour is no shorter elsewhere
      }
    }
    const Real first = built != nullptr ? built->at(Real(e)) : Real();
    if (!first.positive()) {  // from scratch, elsewhere
      bearings_.clear();
      place *= 0.6;
      continue;
    }
    const Inversion& contour = *built;
    line_ = nullptr;
    last_ = &contour;
    double at = e, slope = s.slope, before = 0.0, moved = 0.0;  // Newton's method on the logarithm, then secants
    Real value = first;
    for (int i = 0; i < 12 && value.positive(); ++i) {
      const double off = log_of(value / target);
      slope = i > 0 && off != before ? (off - before) / moved : slope;
      moved = std::clamp(-off / slope, -0.5 * at, at);  // no contour serves much farther
      if (!std::isfinite(moved) || !(at + moved > 0.0) || std::abs(moved) <= 1e-14 * at) {
        break;
      }
      before = off;
      at += moved;
      value = contour.at(Real(at));
    }
    const double width =
        value.positive() ? value.radius() / value.middle() + std::abs(log_of(value / target)) : infinity;
    const double spread = (2.0 * width + 0.1 * relative * std::abs(at * slope)) / std::abs(slope);
    if (std::isfinite(spread) && at > 0.0) {
      const Real lower(std::max(0.0, at - spread)), upper(at + spread);
      const Real left = contour.at(lower), right = contour.at(upper);
      if ((rest ? left < target : left > target) && known.lower < lower) {
        known.lower = lower;
      }
      if ((rest ? right >= target : right <= target) && !(known.upper <= upper)) {
        known.upper = upper;
      }
      if (known.upper.finite() && (known.upper - known.lower).middle() <= relative * known.upper.middle()) {
        return known;
      }
    }
    if (std::isfinite(spread) && std::abs((at - e) * slope) > 1.0 && at > 0.0) {
      e = at;
    } else {
      digits += 6.0;
    }
  }
  if (!known.upper.finite()) {
    throw ConvergenceError("no upper end of epsilon was proved");
  }
  return known;
}

// Bisection in doubles, then Newton's steps with the proved values, then both ends proved.
std::optional<Profile::Bracket> Profile::by_jumps(const Real& target, bool rest, double relative) {
  const double wanted = log_of(target);
  const Jumps jumps(problem_, wanted, rest);
  if (!jumps.affordable()) {
    return std::nullopt;
  }
  Bracket known{Real(), largest_loss()};
  if (problem_.steps[0].pair == Pair::poisson_add && problem_.gaussian_square.contains_zero()) {
    const Jumps::Ends ends = jumps.add_ends(target);
    known = {ends.lower, ends.upper};
    if ((known.upper - known.lower) <= Real(relative) * known.upper) {
      method_ = "sum over jumps";
      forget();
      return known;
    }
    return std::nullopt;
  }
  const auto over = [&](double e) { return (jumps.approximate(e) > wanted) != rest; };  // delta(e) is above the target
  double low = 0.0, high = 1.0;
  while (over(high) && high < 1e300) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 200 && high - low > 1e-13 * high && high > 1e-300; ++i) {
    const double m = low > 0.0 || high < 1e-12 ? 0.5 * (low + high) : 0.125 * high;
    (over(m) ? low : high) = m;
  }
  double at = 0.5 * (low + high);
  constexpr int attempts = 4;
  for (int i = 0; i < attempts; ++i) {
    const Jumps::Value here = jumps.at(Real(at));
    const Real middle = rigorous::scaled(here.lower + here.upper, -1);
    if (!middle.positive() || !std::isfinite(here.slope) || here.slope == 0.0) {
      break;
    }
    const double off = log_of(middle / target), width = ((here.upper - here.lower) / middle).upper();
    at -= off / here.slope;
    const double spread = (2.0 * width + 0.3 * off * off) / std::abs(here.slope) + 0.2 * relative * std::abs(at);
    if (!std::isfinite(spread) || !(at > -spread)) {
      break;
    }
    const Real lower(std::max(0.0, at - spread)), upper(at + spread);
    const Jumps::Value left = jumps.at(lower), right = jumps.at(upper);
    if ((rest ? left.upper < target : left.lower > target) && known.lower < lower) {
      known.lower = lower;
    }
    if ((rest ? right.lower >= target : right.upper <= target) && !(known.upper <= upper)) {
      known.upper = upper;
    }
    if (known.upper.finite() && (known.upper - known.lower) <= Real(relative) * known.upper) {
      method_ = "sum over jumps";
      forget();
      return known;
    }
  }
  const Jumps::Value none = jumps.at(Real());
  if (rest ? none.lower >= target : none.upper <= target) {
    method_ = "sum over jumps";
    return Bracket{Real(), Real()};
  }
  return std::nullopt;
}

// For closed forms: bisection with as many digits as each comparison needs.
Profile::Bracket Profile::by_bisection(const Real& target, bool rest, double relative) {
  const auto above = [&](double e) {  // delta(e) > target; false only if delta(e) <= target was seen
    for (slong bits = 128; bits <= 65536; bits *= 4) {
      const Precision precision(bits);
      const Real value = ahead(Real(e), rest, std::exp2(-0.5 * static_cast<double>(bits)), 0.0, Effort::modest);
      if (rest ? value >= target : value <= target) {
        return false;
      }
      if (rest ? value < target : value > target) {
        return true;
      }
    }
    return true;
  };
  if (!above(0.0)) {
    return {Real(), Real()};
  }
  double low = 0.0, high = 1.0;
  while (above(high)) {
    low = high;
    high *= 2.0;
    if (!(high < 1e300)) {
      throw ConvergenceError("epsilon is beyond 1e300");
    }
  }
  const auto middle = [&] {
    return low == 0.0         ? high * (high > 1e-290 ? 1e-3 : 0.5)
           : high > 2.0 * low ? std::sqrt(low) * std::sqrt(high)
                              : low + 0.5 * (high - low);
  };
  for (int i = 0; i < 400 && high - low > std::min(relative, 1e-15) * high; ++i) {
    const double m = middle();
    if (!(m > low && m < high)) {
      break;
    }
    (above(m) ? low : high) = m;
  }
  return {Real(low), Real(high)};
}

Profile::Bracket Profile::epsilon(const Real& target, bool rest, double relative, Effort effort) {
  const Precision precision(256);
  if (problem_.steps.empty() && problem_.gaussian_mu == 0.0) {
    return {Real(), Real()};
  }
  const Real most = rest ? Real(1) - variation() : variation();
  if (rest ? most >= target : most <= target) {
    return {Real(), Real()};
  }
  if (gaussian() || single()) {
    return by_bisection(target, rest, relative);
  }
  if (Jumps::serves(problem_)) {
    if (const std::optional<Bracket> found = by_jumps(target, rest, relative)) {
      return *found;
    }
  }
  method_ = "contour";
  try {
    const Bracket found = by_contour(target, rest, relative, effort);
    if (found.upper.finite() && (found.upper - found.lower) <= Real(1e-3) * found.upper) {
      return found;
    }
    Bracket other = last_resort(target, rest, relative);
    other.lower = rigorous::max(other.lower, found.lower);
    other.upper = found.upper.finite() ? rigorous::min(other.upper, found.upper) : other.upper;
    return other;
  } catch (const ConvergenceError&) {
    return last_resort(target, rest, relative);
  }
}

// A composition is at least as easy to tell apart as any one of its parts: the part of the largest count times rate
// alone.
Profile& Profile::easiest() {
  if (!easiest_) {
    Composition one;
    if (problem_.gaussian_mu > 0.0) {
      one.gaussian_mu = composition_.gaussian_mu;
    }
    if (one.gaussian_mu == 0.0 && !problem_.steps.empty()) {
      const auto strongest =
          std::max_element(problem_.steps.begin(), problem_.steps.end(),
                           [](const Step& a, const Step& b) { return a.q * std::erf(a.mu) < b.q * std::erf(b.mu); });
      one.components.push_back({strongest->q, strongest->mu, 1.0, strongest->pair});
    }
    easiest_ = std::make_unique<Profile>(one);
  }
  return *easiest_;
}

// delta(epsilon) between that of one part, or of the largest step, and Chernoff's bound.
Real Profile::bounded(const Real& epsilon, bool rest) {
  method_ = "Chernoff bound";
  forget();
  const Real least = rigorous::max(easiest().delta(epsilon, false, 1e-6), any_step_delta(problem_, epsilon));
  const Real most = rigorous::min(chernoff_delta(problem_, epsilon),
                                  cut_chernoff_delta(problem_, epsilon, log_value_at(epsilon.middle())));
  const Real low = rigorous::lower_end(least),
             high = rigorous::max(rigorous::upper_end(least), rigorous::min(most, variation()));
  const Real both = rigorous::hull(low, high);
  return rest ? Real(1) - both : both;
}

Profile::Bracket Profile::last_resort(const Real& target, bool rest, double relative) {
  method_ = "Chernoff bound";
  forget();
  const Real delta = rest ? Real(1) - target : target;
  Bracket out{Real(), rigorous::min(largest_loss(), chernoff_epsilon(problem_, rigorous::lower_end(delta)))};
  if (!easiest().problem().steps.empty() || easiest().gaussian()) {
    out.lower = easiest().epsilon(target, rest, relative).lower;
  }
  if (rest) {
    out.upper = rigorous::max(out.upper, out.lower);
    return out;
  }
  out.upper = rigorous::min(out.upper, cut_chernoff_epsilon(problem_, rigorous::lower_end(delta)));
  double low = out.lower.middle(), high = out.upper.middle();
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double m = 0.5 * (low + high);
    (any_step_delta(problem_, Real(m)) > delta ? low : high) = m;
  }
  out.lower = rigorous::max(out.lower, Real(low));
  out.upper = rigorous::max(out.upper, out.lower);
  return out;
}

// h(x) = delta(log x) is convex and falls at the rate of the type I error: between difference quotients.
Real Profile::type_one_error(const Real& epsilon, double relative) {
  const Precision precision(256);
  if (gaussian()) {
    const Real mu = rigorous::sqrt(problem_.gaussian_square);
    return rigorous::normal_tail(epsilon / mu + rigorous::scaled(mu, -1));
  }
  if (single() && !epsilon.negative()) {
    return one_step(problem_.steps[0], epsilon, 256).type_one_error;
  }
  const Real here = delta(epsilon, false, relative * relative), x = rigorous::exp(epsilon);
  const Inversion* contour = last_;
  const Upright* line = line_;
  const auto value = [&](const Real& at) {
    return contour != nullptr ? contour->at(at)
           : line != nullptr  ? line->at(at)
                              : delta(at, false, relative * relative);
  };
  const double scale = contour != nullptr ? std::max(1.0, std::abs(contour->approximate(epsilon.middle()).slope)) : 1.0;
  Real alpha = rigorous::zero_to(Real(1));
  // Short steps cancel the digits of delta, long ones feel its curvature: the best of several.
  for (double step = 1e-3 / scale; step > 1e-12 / scale; step *= 0.1) {
    const Real least = (here - value(epsilon + Real(step))) / (x * rigorous::expm1(Real(step)));
    const Real most = (value(epsilon - Real(step)) - here) / (x * -rigorous::expm1(Real(-step)));
    const Real found = rigorous::hull(least, most);
    if (found.radius() >= alpha.radius()) {
      break;
    }
    alpha = rigorous::intersection(alpha, found);
  }
  return alpha;
}

}  // namespace dpcurves::accounting::proof
