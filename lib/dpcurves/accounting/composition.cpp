// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/answers.hpp>
#include <dpcurves/accounting/proof/certificate.hpp>
#include <dpcurves/accounting/proof/shown.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using detail::Answers;
using detail::by_lattice;
using proof::Profile;
using rigorous::Precision;
using rigorous::Real;

constexpr slong bits = 256;  // of what is done with the profile's balls; wider than what they hold

void check(const Composition& composition, const Accuracy& accuracy) {
  require_domain(accuracy.relative > 0.0 && accuracy.relative < 1.0, "relative", accuracy.relative, "(0, 1)");
  detail::check(composition);
}

/// Whether a contour takes milliseconds at every threshold, so that a curve may be made of them: many steps with small
/// losses.
bool quick_contours(const Profile& profile) {
  const std::vector<proof::Step>& steps = profile.problem().steps;
  double drawn = 0.0, mu = 0.0;
  for (const proof::Step& s : steps) {
    drawn += s.count * s.q;
    mu = std::max(mu, s.mu);
  }
  const double count = profile.problem().total_count();
  return mu <= 2.5 && (count >= 1000.0 || (count >= 200.0 && drawn >= 10.0));
}

Enclosure probability(const Real& ball) { return clamp(ball.enclosure(), 0.0, 1.0); }

ProfilePoint point_of(Answers& answers, double epsilon, const Accuracy& accuracy) {
  Profile& profile = answers.profile();
  const DeltaBound delta = answers.delta(epsilon, accuracy);
  if (std::isinf(epsilon)) {
    const Enclosure all = exactly(1.0), none = exactly(0.0);
    return epsilon > 0.0 ? ProfilePoint{none, none, none, "limit", all} : ProfilePoint{all, all, all, "limit", none};
  }
  const Precision precision(bits);
  const Real at(epsilon);
  ProfilePoint point{delta.delta, {}, {}, delta.method, {}};
  const double relative = std::max(accuracy.relative, 1e-9);
  if (epsilon >= 0.0) {
    const Real alpha = profile.type_one_error(at, relative);
    const Real moved = exp(at) * alpha;
    const Real less = profile.delta(at, false, relative);
    point.type_one_error = probability(alpha);
    if (less < Real(0.5)) {
      point.power = probability(less + moved);
      point.type_two_error = probability(Real(1) - less - moved);
    } else {  // the digits of what is left
      const Real rest = profile.delta(at, true, relative);
      point.type_two_error = probability(rest - moved);
      point.power = probability(Real(1) - rest + moved);
    }
    return point;
  }
  // With the laws exchanged: this null is that alternative, and a loss above epsilon is one below -epsilon.
  Profile& exchanged = profile.reversed();
  const Real beyond = exchanged.type_one_error(-at, relative);
  const Real rest = exchanged.delta(-at, true, relative);
  point.type_one_error = probability(rest - exp(-at) * beyond);
  point.type_two_error = probability(beyond);
  point.power = probability(Real(1) - beyond);
  return point;
}

std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(values[a]) < std::abs(values[b]); });
  return order;
}

/// f(a) = sup over x > 0 of g(x) = 1 - h(x) - x a, the conjugate of the convex h(x) = delta(log x). Any x gives a lower
/// end. From above, g lies below the lines through two points on either side of the maximum, and the maximum need not
/// lie between the inner ones: beside them it lies below the line through both.
class Conjugate {
 public:
  explicit Conjugate(Profile& profile) : profile_(profile) {}

  Enclosure at(double a) {
    const Precision precision(bits);
    const double e = threshold(a);
    const auto there = profile_.approximate(std::max(0.0, e));
    const double steep = there && std::isfinite(there->slope) ? std::abs(there->slope) + 1.0 : 10.0;
    double step = 1e-5 / steep;
    const Real here = g(e, a);
    Real best = here;
    double upper = 1.0 - a;
    constexpr int attempts = 12;
    for (int i = 0; i < attempts; ++i, step *= 8.0) {
      Real x[4], y[4];
      for (int k = 0; k < 4; ++k) {
        const double at = e + step * (k < 2 ? k - 2 : k - 1);
        x[k] = exp(Real(at));
        y[k] = g(at, a);
        best = max(best, y[k]);
      }
      const Real left = (y[1] - y[0]) / (x[1] - x[0]), right = (y[3] - y[2]) / (x[3] - x[2]);
      if (left.negative() || right.positive()) {
        continue;  // the maximum is elsewhere: look further
      }
      // Between x1 and x2: g <= y1 + left (x - x1) and g <= y2 + right (x - x2); where the slopes are not certain, 0 is
      // between them, and the larger of both at the far end is an upper end. Beyond x0 and x3 g falls.
      const Real width = x[2] - x[1];
      const Real rise = at_least(left, Real()), fall = at_least(-right, Real());
      Real top = min(y[1] + rise * width, y[2] + fall * width);
      const Real both = rise + fall;
      if (both.positive()) {
        top = min(top, (fall * y[1] + rise * y[2] + rise * fall * width) / both);
      }
      const Real middle = (y[2] - y[1]) / width;
      const Real before = y[1] + at_least(-middle, Real()) * (x[1] - x[0]);
      const Real behind = y[2] + at_least(middle, Real()) * (x[3] - x[2]);
      upper = std::min(upper, max(max(before, behind), top).upper());
      break;
    }
    return clamp({std::max(0.0, best.lower()), std::max(best.lower(), upper)}, 0.0, next_up(1.0 - a));
  }

 private:
  static constexpr double relative = 1e-10, absolute = 1e-13;  // of the profile: curves are wanted to about 1e-10

  Real g(double e, double a) {
    const Real at(e), alpha(a);
    if (e >= 0.0) {
      return profile_.quick(e, likely_large_, relative, absolute) * Real(likely_large_ ? 1 : -1) +
             Real(likely_large_ ? 0 : 1) - exp(at) * alpha;
    }
    return exp(at) * (Real(1) - alpha - profile_.reversed().quick(-e, false, relative, absolute));
  }

  /// log of the type I error at e >= 0, or, `second`, of the type II error; unproved.
  double log_error(Profile& profile, double e, bool second) {
    if (profile.gaussian() || profile.single()) {
      const Real at(e), alpha = profile.type_one_error(at, 1e-6);
      const Real value = second ? profile.delta(at, true, 1e-13) - exp(at) * alpha : alpha;
      return log(max(value, Real(1e-320))).middle();
    }
    if (!profile.sees(e, second)) {
      static_cast<void>(profile.quick(e, second, relative, absolute));
    }
    const auto near = profile.approximate(e);
    if (!near) {
      return -infinity;
    }
    return second ? near->log_value + std::log(std::max(1.0 - near->slope, 1e-300))
                  : near->log_value + std::log(std::max(-near->slope, 1e-300)) - e;
  }

  /// The e whose test has about the type I error a.
  double threshold(double a) {
    const double wanted = std::log(a);
    likely_large_ = false;
    if (!zero_) {
      zero_ = true;
      first_at_zero_ = log_error(profile_, 0.0, false);
      if (const auto there = profile_.approximate(0.0); there && std::isfinite(there->slope) && there->slope < 0.0) {
        first_step_ = std::min(first_step_, -1.0 / there->slope);
      }
      second_at_zero_ = log_error(profile_.reversed(), 0.0, true);
    }
    if (wanted <= first_at_zero_) {
      const double e =
          root([&](double at) { return wanted - log_error(profile_, at, false); }, last_right_, first_step_);
      last_right_ = e;
      const Real value = profile_.quick(e, false, relative, absolute);
      likely_large_ = value.middle() > 0.5;
      return e;
    }
    if (wanted >= second_at_zero_) {
      const double e =
          root([&](double at) { return log_error(profile_.reversed(), at, true) - wanted; }, last_left_, first_step_);
      last_left_ = e;
      return -e;
    }
    return 0.0;  // the segment of slope -1, of losses 0
  }

  /// The root of a rising f on [0, infinity), f(0) <= 0, near `start`. \param least  of the steps away from it.
  template <class F>
  static double root(const F& f, double start, double least) {
    double low = 0.0, high = infinity, e = start, step = 0.1 * start + least;
    double f_low = -1.0, f_high = 1.0;
    for (int i = 0; i < 200; ++i) {
      const double v = f(e);
      if (std::abs(v) < 1e-8) {
        return e;
      }
      if (v < 0.0) {
        low = e;
        f_low = v;
      } else {
        high = e;
        f_high = v;
      }
      if (std::isfinite(high) && high - low <= 1e-12 * high) {
        return e;
      }
      if (std::isinf(high)) {
        e = low + step;
        step *= 3.0;
      } else if (i % 4 == 3 || low == 0.0) {
        e = 0.5 * (low + high);
      } else {
        e = std::clamp(low - f_low * (high - low) / (f_high - f_low), low + 1e-3 * (high - low),
                       high - 1e-3 * (high - low));
      }
    }
    return e;
  }

  Profile& profile_;
  bool zero_ = false, likely_large_ = false;
  double first_at_zero_ = 0.0, second_at_zero_ = 0.0, last_right_ = 0.0, last_left_ = 0.0;
  double first_step_ = 0.01;  // or where the profile falls by a factor e: far beyond, contours say nothing of it
};

}  // namespace

void detail::check(const Composition& composition) {
  require_domain(composition.gaussian_mu >= 0.0 && std::isfinite(composition.gaussian_mu), "gaussian_mu",
                 composition.gaussian_mu, "[0, inf)");
  for (const SubsampledGaussian& c : composition.components) {
    require_domain(c.sampling_rate >= 0.0 && c.sampling_rate <= 1.0, "sampling_rate", c.sampling_rate, "[0, 1]");
    require_domain(c.mu >= 0.0 && std::isfinite(c.mu), "mu", c.mu, "[0, inf)");
    require_domain(c.count >= 0.0 && c.count <= 1e15 && c.count == std::floor(c.count), "count", c.count,
                   "the whole numbers [0, 1e15]");
  }
}

Pair reversed(Pair pair) {
  switch (pair) {
    case Pair::poisson_remove:
      return Pair::poisson_add;
    case Pair::poisson_add:
      return Pair::poisson_remove;
    case Pair::fixed_size_remove:
      return Pair::fixed_size_add;
    case Pair::fixed_size_add:
      return Pair::fixed_size_remove;
    case Pair::symmetrised:
    case Pair::poisson_replace_one:
      break;
  }
  return pair;
}

Composition reversed(const Composition& composition) {
  Composition result = composition;
  for (SubsampledGaussian& component : result.components) {
    component.pair = reversed(component.pair);
  }
  return result;
}

DeltaBound delta_at(const Composition& composition, double epsilon, const Accuracy& accuracy) {
  check(composition, accuracy);
  Answers answers(composition);
  return answers.delta(epsilon, accuracy);
}

std::vector<DeltaBound> deltas_at(const Composition& composition, std::span<const double> epsilons,
                                  const Accuracy& accuracy) {
  check(composition, accuracy);
  Answers answers(composition);
  std::vector<DeltaBound> result(epsilons.size());
  for (const std::size_t i : ascending(epsilons)) {
    result[i] = answers.delta(epsilons[i], accuracy);
  }
  return result;
}

struct DeltaSession::State {
  Answers answers;
  Accuracy accuracy;
};

DeltaSession::DeltaSession(const Composition& composition, const Accuracy& accuracy) {
  check(composition, accuracy);
  state_.reset(new State{Answers(composition), accuracy});
}

DeltaSession::~DeltaSession() = default;

DeltaBound DeltaSession::delta(double epsilon) {
  constexpr double spare = 8.0;  // a contour serves thresholds up to four deviations away
  return state_->answers.delta(epsilon, state_->accuracy, spare);
}

ProfilePoint profile_at(const Composition& composition, double epsilon, const Accuracy& accuracy) {
  check(composition, accuracy);
  Answers answers(composition);
  return point_of(answers, epsilon, accuracy);
}

std::vector<ProfilePoint> profile(const Composition& composition, std::span<const double> epsilons,
                                  const Accuracy& accuracy) {
  check(composition, accuracy);
  Answers answers(composition);
  std::vector<ProfilePoint> points(epsilons.size());
  for (const std::size_t i : ascending(epsilons)) {
    points[i] = point_of(answers, epsilons[i], accuracy);
  }
  return points;
}

EpsilonBound epsilon_at(const Composition& composition, double delta, const Accuracy& accuracy) {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  check(composition, accuracy);
  return Answers(composition).epsilon(delta, accuracy);
}

std::string epsilon_certificate(const Composition& composition, double delta, const EpsilonBound& bound,
                                const Accuracy& accuracy) {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  check(composition, accuracy);
  const Precision precision(bits);
  const bool rest = delta > 0.5;
  const Real target = rest ? Real(1) - Real(delta) : Real(delta);
  const auto text = [&](const Profile& profile) {
    return proof::certificate(
        composition, {proof::Claim::Question::epsilon, delta, bound.epsilon.lower, bound.epsilon.upper}, profile);
  };
  Profile profile(composition);
  static_cast<void>(profile.epsilon(target, rest, accuracy.relative));
  const proof::Inversion* contour = profile.last();
  const bool whole = contour != nullptr ? &contour->problem() == &profile.problem() && contour->plan().whole()
                                        : std::string_view(profile.method()) == "closed form";
  if (whole && bound.method != by_lattice) {
    return text(profile);
  }
  // The answer rests on something that dpcurves-verify does not repeat; a longer contour may prove it too.
  constexpr double closer = 0.05;  // than the ends are to the value
  Profile contours(composition, Profile::Laws::whole);
  static_cast<void>(contours.epsilon(
      target, rest, std::min(accuracy.relative, closer * std::max(bound.epsilon.relative_width(), 1e-12))));
  const auto proves = [&](const proof::Inversion& found) {
    const Real low = found.at(Real(bound.epsilon.lower)), high = found.at(Real(bound.epsilon.upper));
    return (bound.epsilon.lower == 0.0 || (rest ? low < target : low > target)) &&
           (rest ? high >= target : high <= target);
  };
  if (contours.last() != nullptr && proves(*contours.last())) {
    return text(contours);
  }
  const bool cut = std::string_view(profile.method()) == "contour";
  throw ConvergenceError("no certificate: this answer rests on " +
                         (bound.method == by_lattice ? "a lattice of losses"
                          : cut                      ? "a contour of laws that were cut off or taken apart"
                                                     : "the method \"" + std::string(profile.method()) + "\"") +
                         ", which dpcurves-verify does not repeat");
}

std::vector<Enclosure> tradeoff(const Composition& composition, std::span<const double> type_one_errors,
                                const Accuracy& accuracy) {
  for (const double a : type_one_errors) {
    require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
  }
  check(composition, accuracy);
  Answers answers(composition);
  Profile& profile = answers.profile();
  std::vector<Enclosure> result(type_one_errors.size());
  const bool trivial = profile.gaussian() && profile.problem().gaussian_mu == 0.0;
  // From large type I errors to small ones: thresholds rise, and each starts the next.
  std::vector<std::size_t> order = ascending(type_one_errors);
  std::reverse(order.begin(), order.end());
  constexpr double close = 1e-8;
  const bool quick = quick_contours(profile);
  const bool serves = answers.lattice_serves() && (quick || answers.lattice() != nullptr), contours = !serves || quick;
  Conjugate conjugate(profile);
  for (const std::size_t i : order) {
    const double a = type_one_errors[i];
    if (trivial || a == 0.0 || a == 1.0) {
      result[i] = exactly(1.0 - a);
      continue;
    }
    result[i] = contours ? conjugate.at(a) : answers.lattice()->tradeoff(a);
    if (contours && serves && result[i].width() > close && answers.lattice() != nullptr) {
      result[i] = intersection(result[i], answers.lattice()->tradeoff(a));
    }
    result[i] = proof::shown(result[i]);
  }
  return result;
}

}  // namespace dpcurves::accounting
