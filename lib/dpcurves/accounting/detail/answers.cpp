// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/detail/answers.hpp>
#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/shown.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {
namespace {

using proof::Profile;
using rigorous::Precision;
using rigorous::Real;
using Effort = Profile::Effort;

constexpr slong bits = 256;  // of what is done with the profile's balls; wider than what they hold
constexpr std::size_t small_lattice = std::size_t{1} << 19U, large_lattice = std::size_t{1} << 21U;
constexpr const char* by_contour = "contour";
constexpr double large_gains = 16.0;  // the gap between the laws falls with the square of the number of points

Enclosure probability(const Real& ball) { return clamp(ball.enclosure(), 0.0, 1.0); }

/// Another contour for the same answer: other balls, other nodes, other strips.
void prove_again(Profile& profile, const Real& epsilon, const Real& value) {
  if (profile.last() == nullptr) {
    return;
  }
  const proof::Plan& plan = profile.last()->plan();
  constexpr double elsewhere = 0.75;
  const proof::Inversion other(profile.problem(),
                               proof::make_plan(profile.problem(), elsewhere * plan.c, epsilon.middle(), plan.wanted));
  if (!overlap(other.at(epsilon), value)) {
    throw ContradictionError("internal contradiction: two contours prove " + value.text() + " and " +
                             other.at(epsilon).text());
  }
}

}  // namespace

/// A bracket so far, and what gave its last digits.
struct Answers::Held {
  Enclosure value;
  const char* method;
  double enough;  // relative width
  double bar;     // below it none is too wide

  Held(const Enclosure& first, const char* by, const Accuracy& accuracy)
      : value(first), method(by), enough(std::max(1e-6, accuracy.relative)), bar(accuracy.bar) {}
  [[nodiscard]] bool wide() const { return value.relative_width() > enough && !(value.upper < bar); }
  void offer(const Enclosure& other, const char* by) {
    if (other.width() < value.width()) {
      method = by;
    }
    value = intersection(value, other);
  }
};

bool Answers::contours_may_serve(const Accuracy& accuracy) const {
  return !profile_.gaussian() && !profile_.single() && !accuracy.verify;
}

bool Answers::lattice_serves() const {
  constexpr double most_steps = 1e9, largest_mu = 100.0;
  constexpr std::size_t most_kinds = 64;  // each costs a law on the lattice; contours with many kinds are cheaper
  const proof::Problem& problem = profile_.problem();
  return !problem.steps.empty() && problem.steps.size() <= most_kinds && !profile_.single() &&
         problem.total_count() <= most_steps &&
         std::all_of(problem.steps.begin(), problem.steps.end(),
                     [](const proof::Step& s) { return s.mu <= largest_mu; });
}

const LatticeProfile* Answers::lattice() {
  if (!asked_) {
    asked_ = true;
    try {
      near_ = std::make_unique<const LatticeProfile>(profile_.problem());
    } catch (const ConvergenceError&) {
    }
  }
  return near_.get();
}

// Null where no lattice reaches.
const LatticeProfile* Answers::far_down(double epsilon, double delta, std::size_t points) {
  try {
    far_ = std::make_unique<const LatticeProfile>(
        LatticeProfile::far_down(profile_.problem(), epsilon, std::log(delta), points));
  } catch (const ConvergenceError&) {
    far_.reset();
  }
  return far_.get();
}

void Answers::narrow_delta(double epsilon, std::size_t points, Held& held) {
  const auto offer = [&](const LatticeProfile* lattice) {
    if (held.wide() && lattice != nullptr) {
      held.offer(lattice->delta(epsilon), by_lattice);
    }
  };
  offer(lattice());
  offer(far_.get());
  constexpr double much = 0.5;  // a lattice for a delta that is so much smaller is narrower
  for (double before = infinity; held.wide() && epsilon > 0.0 && held.value.upper < much * before;) {
    before = held.value.upper;
    offer(far_down(epsilon, before, points));
  }
}

void Answers::narrow_epsilon(double delta, std::size_t points, Held& held) {
  const auto offer = [&](const LatticeProfile* lattice) {
    if (lattice != nullptr) {
      held.offer(lattice->epsilon(delta), by_lattice);
    }
  };
  constexpr double seen = 1e-9;  // smaller ones have no digits on a lattice that is not tilted
  if (delta > seen || !std::isfinite(held.value.upper)) {
    offer(lattice());
  }
  constexpr double near = 1e-3;     // relative: from so far away a lattice still has its digits
  constexpr double unseen = 16.0;   // losses so much rarer, in logarithms, than delta do not matter
  constexpr int most_lattices = 4;  // of one size
  constexpr double hardly = 0.2;    // steps that sample the record: then one of them makes nearly all of delta
  const double log_delta = std::log(delta);
  double sampled = profile_.problem().gaussian_mu > 0.0 ? infinity : 0.0, before = infinity;
  for (const proof::Step& step : profile_.problem().steps) {
    sampled += step.count * step.q;
  }
  double at = sampled < hardly ? held.value.lower
                               : proof::guess(profile_.problem().cut(log_delta - unseen), log_delta, false).epsilon;
  for (int i = 0; i < most_lattices && held.wide() && std::abs(at - before) > near * at; ++i) {
    before = at = std::clamp(at, held.value.lower, held.value.upper);
    if (!(at > 0.0 && at < infinity)) {
      return;
    }
    offer(far_down(at, delta, points));
    if (std::isfinite(held.value.upper)) {
      at = 0.5 * (held.value.lower + held.value.upper);
    }
  }
}

// A large lattice before the dear contours where it will do, else behind them.
template <class Narrow, class Contours>
void Answers::narrow(Held& held, const Narrow& with_lattice, const Contours& dear) {
  if (!held.wide() || !lattice_serves()) {
    return;
  }
  const double before = held.value.relative_width();
  with_lattice(small_lattice);
  constexpr double gain = 0.9;  // of the width: where a lattice saw nothing, a larger one does not either
  const bool sees = held.value.relative_width() < gain * before;
  const bool promising = held.value.relative_width() < large_gains * held.enough;
  if (held.wide() && promising) {
    with_lattice(large_lattice);
  }
  if (held.wide()) {
    dear();
  }
  if (held.wide() && !promising && sees) {
    with_lattice(large_lattice);
  }
}

DeltaBound Answers::delta(double epsilon, const Accuracy& accuracy, double spare) {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  if (std::isinf(epsilon)) {
    return {exactly(epsilon > 0.0 ? 0.0 : 1.0), "limit"};
  }
  if (constexpr double far_below = -40.0; epsilon < far_below) {  // at least 1 - e^epsilon, whatever the laws are
    return {{next_down(1.0), 1.0}, "limit"};
  }
  const Precision precision(bits);
  const Real at(epsilon);
  if (epsilon > 0.0 && !profile_.gaussian() && !profile_.single()) {
    const Real most = proof::chernoff_delta(profile_.problem(), at);
    if (most < Real(std::numeric_limits<double>::min())) {  // no double tells more
      return {probability(rigorous::hull(Real(), most)), "Chernoff bound"};
    }
  }
  SharedContours* const shared = contours_may_serve(accuracy) ? SharedContours::current() : nullptr;
  if (shared != nullptr && epsilon > 0.0) {
    if (const auto known = shared->delta(profile_, epsilon, accuracy.relative)) {
      return {proof::shown(probability(*known)), by_contour};
    }
  }
  if (!profile_.gaussian() && !profile_.single() && proof::chernoff_rest(profile_.problem(), at) < Real(0x1p-54)) {
    return {{next_down(1.0), 1.0}, "Chernoff bound"};  // no double tells more
  }
  const Real value =
      profile_.delta(at, false, accuracy.relative, spare, lattice_serves() ? Effort::modest : Effort::all);
  if (shared != nullptr && epsilon > 0.0) {
    shared->keep(profile_);
  }
  if (accuracy.verify && epsilon >= 0.0) {
    prove_again(profile_, at, value);
  }
  if (Profile::below_doubles(value)) {
    return {probability(value), profile_.method()};
  }
  Held held(probability(value), profile_.method(), accuracy);
  narrow(
      held, [&](std::size_t points) { narrow_delta(epsilon, points, held); },
      [&] {
        const Real dear = profile_.delta(at, false, accuracy.relative, spare, Effort::dear);
        held.offer(probability(dear), profile_.method());
      });
  return {proof::shown(held.value), held.method};
}

EpsilonBound Answers::epsilon(double delta, const Accuracy& accuracy) {
  const Precision precision(bits);
  const bool rest = delta > 0.5;
  const Real target = rest ? Real(1) - Real(delta) : Real(delta);
  SharedContours* const shared = contours_may_serve(accuracy) ? SharedContours::current() : nullptr;
  if (shared != nullptr) {
    auto known = shared->epsilon(profile_, target, rest, accuracy.relative);
    if (!known) {
      known = shared->shared_epsilon(profile_, target, rest, accuracy.relative);
    }
    if (known) {
      return {proof::shown(*known), by_contour};
    }
  }
  const auto ask = [&](Effort effort) {
    const Profile::Bracket bracket = profile_.epsilon(target, rest, accuracy.relative, effort, accuracy.bar);
    if (accuracy.verify && bracket.upper.positive() && bracket.upper.finite()) {
      prove_again(profile_, bracket.upper, profile_.delta(bracket.upper, rest, accuracy.relative));
    }
    return clamp({bracket.lower.lower(), bracket.upper.upper()}, 0.0, infinity);
  };
  const Enclosure first = ask(lattice_serves() ? Effort::modest : Effort::all);
  if (shared != nullptr) {
    shared->keep(profile_);
  }
  Held held(first, profile_.method(), accuracy);
  narrow(
      held, [&](std::size_t points) { narrow_epsilon(delta, points, held); },
      [&] {
        const Enclosure dear = ask(Effort::dear);
        held.offer(dear, profile_.method());
      });
  return {proof::shown(held.value), held.method};
}

}  // namespace dpcurves::accounting::detail
