// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Many questions that share contours against the same questions one by one.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/dominated.hpp>
#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using accounting::Answer;
using accounting::Composition;
using accounting::CurvePtr;
using accounting::Pair;

namespace {

Composition steps(Pair pair, double count) {
  Composition composition;
  composition.components = {{0.01, 0.9, count, pair}};
  return composition;
}

CurvePtr both_directions(double count) {
  return accounting::worst_curve({{"remove", accounting::composition_curve(steps(Pair::poisson_remove, count))},
                                  {"add", accounting::composition_curve(steps(Pair::poisson_add, count))}});
}

std::vector<double> deltas(std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {  // of all sizes, in no order
    result.push_back(std::exp(-25.0 * static_cast<double>((i * 7919) % count + 1) / static_cast<double>(count)));
  }
  return result;
}

std::vector<Answer> epsilons(const CurvePtr& curve, const std::vector<double>& at, unsigned threads,
                             const Progress& progress = {}) {
  std::vector<Answer> found(at.size());
  accounting::in_shared_pieces(
      at, threads, [&](std::size_t i) { found[i] = curve->epsilon(at[i]); }, progress);
  return found;
}

/// Two true brackets of one number meet, and the shared one is as narrow as was asked for where the other is.
void check_same(const Enclosure& shared, const Enclosure& alone) {
  constexpr double relative = 1e-9;
  CAPTURE(shared.lower, shared.upper, alone.lower, alone.upper);
  CHECK(shared.lower <= alone.upper);
  CHECK(alone.lower <= shared.upper);
  CHECK((shared.relative_width() <= relative || shared.relative_width() <= 1.01 * alone.relative_width()));
}

/// Asks ask(i) for i below count alone, and in a scope of all of them.
template <class Ask>
void check_shared(std::size_t count, const Ask& ask) {
  accounting::SharedContours contours;
  for (std::size_t i = 0; i < count; ++i) {
    const Enclosure alone = ask(i);
    const accounting::SharedContours::Scope scope(&contours);
    CAPTURE(i);
    check_same(ask(i), alone);
  }
}

}  // namespace

TEST_CASE("many epsilons are those of single questions, at the width that was asked for", "[accounting][accuracy]") {
  const double count = GENERATE(1.0, 40.0, 10000.0);
  const auto curve = both_directions(count);
  const auto asked = deltas(100);  // two of each piece
  const auto found = epsilons(curve, asked, 1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CAPTURE(count, asked[i]);
    check_same(found[i].value, curve->epsilon(asked[i]).value);
    CHECK(!found[i].method.empty());
  }
}

TEST_CASE("runs of other numbers of steps share contours: epsilons", "[accounting][accuracy]") {
  const auto pair = GENERATE(Pair::poisson_remove, Pair::poisson_add, Pair::symmetrised, Pair::poisson_replace_one,
                             Pair::fixed_size_remove);
  const double delta = GENERATE(1e-12, 1e-5, 0.03, 0.7);
  CAPTURE(static_cast<int>(pair), delta);
  check_shared(10, [&](std::size_t i) {
    return epsilon_at(steps(pair, std::floor(500.0 * std::pow(1.16, static_cast<double>(i)))), delta).epsilon;
  });
}

TEST_CASE("runs of other noises and rates share contours: epsilons", "[accounting][accuracy]") {
  const auto pair = GENERATE(Pair::poisson_remove, Pair::poisson_add, Pair::symmetrised);
  const double delta = GENERATE(1e-12, 1e-5, 0.03, 0.7);
  const bool of_rate = GENERATE(false, true);
  CAPTURE(static_cast<int>(pair), delta, of_rate);
  check_shared(12, [&](std::size_t i) {
    Composition composition = steps(pair, 4000.0);
    const double times = 1.0 + 3e-3 * static_cast<double>(i);
    (of_rate ? composition.components[0].sampling_rate : composition.components[0].mu) *= times;
    return epsilon_at(composition, delta).epsilon;
  });
}

TEST_CASE("runs of other noises share contours: deltas, and several kinds of steps", "[accounting][accuracy]") {
  const auto pair = GENERATE(Pair::poisson_remove, Pair::poisson_add);
  CAPTURE(static_cast<int>(pair));
  check_shared(12, [&](std::size_t i) {
    Composition composition;
    const double times = 1.0 - 2e-3 * static_cast<double>(i);
    composition.gaussian_mu = 0.3;
    composition.components = {{0.01, 0.9 * times, 1000.0, pair}, {0.02, 0.5 * times, 3000.0, pair}};
    return i % 2 == 0 ? delta_at(composition, 1.0).delta : epsilon_at(composition, 1e-6).epsilon;
  });
}

TEST_CASE("runs of other numbers of steps share contours: deltas", "[accounting][accuracy]") {
  const auto pair = GENERATE(Pair::poisson_remove, Pair::poisson_add, Pair::symmetrised);
  const double epsilon = GENERATE(0.1, 1.0, 4.0);
  CAPTURE(static_cast<int>(pair), epsilon);
  check_shared(10, [&](std::size_t i) {
    return delta_at(steps(pair, std::floor(2000.0 * std::pow(1.11, static_cast<double>(i)))), epsilon).delta;
  });
}

TEST_CASE("several kinds of steps and a Gaussian share contours while they stay in proportion", "[accounting]") {
  check_shared(12, [&](std::size_t i) {
    Composition composition;
    const double times = 1.0 + 0.1 * static_cast<double>(i % 6);
    composition.gaussian_mu = 0.3;
    composition.components = {{0.01, 0.9, std::round(1000.0 * times), Pair::poisson_remove},
                              {0.02, 0.5, std::round(3000.0 * times), Pair::poisson_remove}};
    if (i >= 6) {
      composition.components[1].count += 700.0;  // in another proportion
    }
    return epsilon_at(composition, 1e-6).epsilon;
  });
}

TEST_CASE("a long sweep loses no digits on its way", "[accounting][accuracy]") {
  const auto pair = GENERATE(Pair::poisson_remove, Pair::poisson_add);
  const bool of_rate = GENERATE(false, true);
  CAPTURE(static_cast<int>(pair), of_rate);
  accounting::SharedContours contours;
  constexpr std::size_t count = 600, seldom = 50;
  for (std::size_t i = 0; i < count; ++i) {
    Composition composition = steps(pair, 10000.0);
    (of_rate ? composition.components[0].sampling_rate : composition.components[0].mu) *=
        std::pow(1.8, static_cast<double>(i) / count);
    Enclosure shared;
    {
      const accounting::SharedContours::Scope scope(&contours);
      shared = epsilon_at(composition, 1e-5).epsilon;
    }
    CAPTURE(i);
    CHECK(shared.relative_width() <= 1.1e-9);
    if (i % seldom == seldom - 1) {
      check_same(shared, epsilon_at(composition, 1e-5).epsilon);
    }
  }
}

TEST_CASE("along a sweep the direction that does not decide is left out, and no bit changes",
          "[accounting][accuracy]") {
  const auto changed = GENERATE(0, 1, 2, 3);  // noise down, noise up, rates up, steps up
  const double delta = GENERATE(1e-9, 1e-5, 0.1);
  CAPTURE(changed, delta);
  accounting::SharedContours both, alone;
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<accounting::DirectedCurve> directions;
    Enclosure worst{0.0, 0.0};
    for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add}) {
      Composition composition = steps(pair, 4000.0 + (changed == 3 ? 11.0 * static_cast<double>(i) : 0.0));
      accounting::SubsampledGaussian& one = composition.components.front();
      const double times = 1.0 + 1e-3 * static_cast<double>(i);
      one.mu *= changed == 0 ? times : changed == 1 ? 1.0 / times : 1.0;
      one.sampling_rate *= changed == 2 ? times : 1.0;
      const accounting::SharedContours::Scope scope(&alone);
      const Enclosure epsilon = epsilon_at(composition, delta).epsilon;
      worst = {std::max(worst.lower, epsilon.lower), std::max(worst.upper, epsilon.upper)};
      directions.push_back(
          {pair == Pair::poisson_remove ? "remove" : "add", accounting::composition_curve(composition)});
    }
    const accounting::SharedContours::Scope scope(&both);
    const Answer found = accounting::worst_curve(directions)->epsilon(delta);
    CAPTURE(i);
    CHECK(found.value.lower == worst.lower);
    CHECK(found.value.upper == worst.upper);
    CHECK(found.direction == "remove");
  }
}

TEST_CASE("compositions below others are known by their parameters", "[accounting]") {
  const Composition larger = steps(Pair::poisson_add, 100.0);
  CHECK(accounting::dominated(larger, larger));
  for (double accounting::SubsampledGaussian::*parameter :
       {&accounting::SubsampledGaussian::sampling_rate, &accounting::SubsampledGaussian::mu,
        &accounting::SubsampledGaussian::count}) {
    Composition smaller = larger;
    smaller.components.front().*parameter *= 0.5;
    CHECK(accounting::dominated(smaller, larger));
    CHECK_FALSE(accounting::dominated(larger, smaller));
    CHECK(epsilon_at(smaller, 1e-5).epsilon.upper < epsilon_at(larger, 1e-5).epsilon.lower);
  }
  CHECK_FALSE(accounting::dominated(steps(Pair::poisson_remove, 100.0), larger));
  CHECK_FALSE(accounting::dominated(steps(Pair::symmetrised, 100.0), steps(Pair::symmetrised, 100.0)));
}

TEST_CASE("contours serve only the steps they were made of", "[accounting]") {
  accounting::SharedContours contours;
  const accounting::SharedContours::Scope scope(&contours);
  const Enclosure first = epsilon_at(steps(Pair::poisson_remove, 1000.0), 1e-5).epsilon;
  Composition other = steps(Pair::poisson_remove, 1000.0);
  for (const double rate : {0.0101, 0.0099}) {
    other.components[0].sampling_rate = rate;
    const Enclosure found = epsilon_at(other, 1e-5).epsilon;
    CHECK((rate > 0.01 ? found.lower > first.upper : found.upper < first.lower));
  }
  other = steps(Pair::poisson_remove, 1000.0);
  other.gaussian_mu = 0.1;
  CHECK(epsilon_at(other, 1e-5).epsilon.lower > first.upper);
}

TEST_CASE("many epsilons do not depend on threads, and can be stopped", "[accounting]") {
  const auto curve = both_directions(1000.0);
  const auto asked = deltas(200);
  const auto one = epsilons(curve, asked, 1), three = epsilons(curve, asked, 3);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(one[i].value.lower == three[i].value.lower);
    CHECK(one[i].value.upper == three[i].value.upper);
  }
  std::size_t last = 0;
  CHECK_THROWS_AS(epsilons(curve, asked, 1,
                           [&last](std::size_t done, std::size_t total) {
                             CHECK(done >= last);
                             CHECK(done <= total);
                             last = done;
                             return 2 * done < total;
                           }),
                  Error);
  CHECK(last > 0);
}

TEST_CASE("a few questions have the digits that each has alone, also inside a scope", "[accounting]") {
  const auto curve = both_directions(300.0);
  const std::vector<double> asked{1e-3, 1.01e-3, 1e-6, 1.01e-6};
  const auto alone = [&](std::size_t i) { return curve->epsilon(asked[i]).value; };
  std::vector<Enclosure> before;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    before.push_back(alone(i));
  }
  accounting::SharedContours contours;
  const accounting::SharedContours::Scope scope(&contours);
  const auto found = epsilons(curve, asked, 2);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(found[i].value.lower == before[i].lower);
    CHECK(found[i].value.upper == before[i].upper);
  }
}

TEST_CASE("every question of shared pieces is asked once", "[accounting]") {
  const auto count = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{65}, std::size_t{2049});
  std::vector<int> asked(count);
  std::size_t seen = 0;
  accounting::in_shared_pieces(
      count, 1, [&](std::size_t i) { ++asked[i]; },
      [&](std::size_t done, std::size_t total) {
        CHECK(total == count);
        seen = done;
        return true;
      });
  CHECK(std::all_of(asked.begin(), asked.end(), [](int times) { return times == 1; }));
  CHECK((count < 2 || seen == count));
}

TEST_CASE("a curve without contours is asked one by one", "[accounting]") {
  const auto curve = accounting::renyi_bound_curve(
      accounting::poisson_renyi_curve(steps(Pair::poisson_remove, 100.0), accounting::Direction::remove));
  const std::vector<double> asked{1e-3, 1e-7};
  const auto found = epsilons(curve, asked, 2);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(found[i].value.upper == curve->epsilon(asked[i]).value.upper);
    CHECK(found[i].method == curve->epsilon(asked[i]).method);
  }
  CHECK_THROWS_AS(epsilons(curve, {2.0, 0.1}, 2), DomainError);
  CHECK_THROWS_AS(epsilons(both_directions(10.0), {0.1, std::nan("")}, 2), DomainError);
}

TEST_CASE("where lines answer, a contour is made that later questions share, if many are to come",
          "[accounting][shared]") {
  const auto few = [](double count) {
    Composition composition;
    composition.components = {{0.00426666, 1.0 / 1.1, count, Pair::poisson_remove}};
    return composition;
  };
  constexpr double target = 1e-5, first = 400.0;
  for (const std::size_t questions : {std::size_t{0}, std::size_t{1000}}) {
    accounting::SharedContours contours(questions);
    const accounting::SharedContours::Scope scope(&contours);
    for (double count = first; count < first + 6.0; ++count) {
      const auto shared = accounting::epsilon_at(few(count), target).epsilon;
      const accounting::SharedContours::Scope apart(nullptr);
      check_same(shared, accounting::epsilon_at(few(count), target).epsilon);
    }
    const accounting::proof::Profile next(few(first + 7.0));
    CHECK(contours.epsilon(next, rigorous::Real(target), false, 1e-9).has_value() == (questions > 0));
  }
}
