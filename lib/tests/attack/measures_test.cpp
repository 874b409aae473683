// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The dual, its lower end and the measures: Gaussian and (epsilon, delta) closed forms, order, the pitfalls.
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/calibration.hpp>
#include <dpcurves/attack/candidates.hpp>
#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/attack/measures.hpp>
#include <dpcurves/attack/profile.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::attack;

namespace {

/// The profile of G(mu), each bracket `width` wide.
Profile gaussian_profile(double mu, double width = 0.0, int* asked = nullptr) {
  return Profile([=](std::span<const double> epsilons) {
    std::vector<Enclosure> result;
    for (const double e : epsilons) {
      const Enclosure delta = tradeoff::delta_enclosure(e, exactly(mu));
      result.push_back({delta.lower * (1.0 - width), delta.upper * (1.0 + width)});
    }
    if (asked != nullptr) {
      *asked += static_cast<int>(epsilons.size());
    }
    return result;
  });
}

accounting::DpSgd ten_steps() {
  accounting::DpSgd run;
  run.phases = {{1.0, 0.3, 10.0}};
  return run;
}

}  // namespace

TEST_CASE("the dual of the Gaussian profile holds the closed form between narrow ends", "[attack][dual]") {
  const double mu = GENERATE(1e-6, 0.05, 1.0, 6.0), a = GENERATE(1e-30, 1e-5, 0.01, 0.4, 0.95);
  int asked = 0;
  Profile profile = gaussian_profile(mu, 0.0, &asked);
  const Power got = power(profile, a), want = gaussian_power(exactly(mu), a);
  CAPTURE(mu, a, got.power.lower, got.power.upper, want.power.lower, asked);
  CHECK(got.power.lower <= want.power.upper);
  CHECK(got.power.upper >= want.power.lower);
  CHECK(got.excess.lower <= want.excess.upper);
  CHECK(got.excess.upper >= want.excess.lower);
  CHECK(got.power.relative_width() < 1e-9);
  CHECK((a > 0.5 || got.excess.relative_width() < 1e-9));
  CHECK(asked <= 60);
}

TEST_CASE("wide brackets widen the answer by no more than a few times", "[attack][dual]") {
  const double width = GENERATE(1e-9, 1e-6, 1e-3);
  Profile profile = gaussian_profile(1.0, width);
  const Enclosure got = power(profile, 0.01).power, want = gaussian_power(exactly(1.0), 0.01).power;
  CAPTURE(width, got.lower, got.upper);
  CHECK(got.lower <= want.lower);
  CHECK(got.upper >= want.upper);
  CHECK(got.relative_width() < 10.0 * width + 1e-9);
}

TEST_CASE("both ends hold whatever was asked before", "[attack][dual]") {
  Profile profile = gaussian_profile(1.0);
  const std::vector<double> nodes{-3.0, -0.2, 0.9, 4.0};
  profile.ask(nodes);
  const Envelope envelope = profile.envelope();
  for (const double a : {1e-8, 0.02, 0.3, 0.7, 0.999}) {
    CAPTURE(a);
    const Enclosure got = envelope.excess(a), want = gaussian_power(exactly(1.0), a).excess;
    CHECK(got.lower <= want.lower);
    CHECK(got.upper >= want.upper);
    CHECK(envelope.false_positive_rate(1.0 - a).lower <= gaussian_false_positive_rate(exactly(1.0), 1.0 - a).upper);
    CHECK(envelope.false_positive_rate(1.0 - a).upper >= gaussian_false_positive_rate(exactly(1.0), 1.0 - a).lower);
  }
  CHECK(envelope.area().lower <= gaussian_area(exactly(1.0)).lower);
  CHECK(envelope.area().upper >= gaussian_area(exactly(1.0)).upper);
}

TEST_CASE("the measures of a Gaussian profile are the closed forms", "[attack]") {
  const double mu = GENERATE(0.05, 1.0, 2.5);
  Profile profile = gaussian_profile(mu);
  const Enclosure of = exactly(mu);
  const auto same = [](const Enclosure& got, const Enclosure& want, double relative) {
    CAPTURE(got.lower, got.upper, want.lower, want.upper);
    CHECK(got.lower <= want.upper);
    CHECK(got.upper >= want.lower);
    CHECK(got.relative_width() < relative);
  };
  same(advantage(profile).advantage, gaussian_advantage(of).advantage, 1e-15);
  same(advantage(profile).mu, of, 1e-13);
  same(advantage(profile).pure_epsilon, gaussian_advantage(of).pure_epsilon, 1e-13);
  for (const double prior : {0.1, 0.5, 0.8}) {
    same(bayes_error(profile, prior).error, gaussian_bayes_error(of, prior).error, 1e-13);
    same(bayes_error(profile, prior).accuracy, gaussian_bayes_error(of, prior).accuracy, 1e-13);
  }
  CHECK(bayes_error(profile, 0.25).gain.relative_width() < 1e-11);
  same(false_positive_rate(profile, 0.1), gaussian_false_positive_rate(of, 0.1), 1e-9);
  same(area(profile), gaussian_area(of), 3e-6);
}

TEST_CASE("an advantage is 1 minus the sum of both errors at even odds", "[attack]") {
  const Enclosure mu = exactly(0.7);
  const double advantage = gaussian_advantage(mu).advantage.middle();
  CHECK(gaussian_bayes_error(mu, 0.5).error.middle() == Approx(0.5 * (1.0 - advantage)).epsilon(1e-15));
  const Advantage pure = advantage_of(attack::advantage(ApproximateDp{0.7, 0.0}).advantage);
  CHECK(pure.pure_epsilon.contains(0.7));
  CHECK(advantage_of(exactly(0.0)).mu == exactly(0.0));
  CHECK(std::isinf(advantage_of(exactly(1.0)).mu.upper));
}

TEST_CASE("(epsilon, delta): the lines, their inverse and the area", "[attack]") {
  const ApproximateDp dp{1.0, 0.05};
  for (const double a : {1e-9, 0.1, 0.3, 0.8}) {
    const Enclosure t = power(dp, a).power;
    CHECK(false_positive_rate(dp, t.middle()).middle() == Approx(a).margin(1e-15));
  }
  CHECK(power(dp, 0.0).power.contains(0.05));
  CHECK(power(dp, 1.0).power == exactly(1.0));
  double sum = 0.0;
  constexpr int cells = 20000;
  for (int i = 0; i < cells; ++i) {
    sum += power(dp, (i + 0.5) / cells).power.middle() / cells;
  }
  CHECK(area(dp).middle() == Approx(sum).epsilon(1e-8));
  CHECK(bayes_error(dp, 0.01).gain.middle() == Approx(0.01 * 0.05).epsilon(1e-13));  // only what is revealed helps
  CHECK(posterior_tail(dp, 1.5).lower > 0.05);
  CHECK(posterior_tail(dp, -2.0).upper == 1.0);
}

TEST_CASE("the ends of the false positive rate take no logarithm of 0", "[attack][pitfall]") {
  Attack gaussian{exactly(1.0)};
  CHECK(gaussian.power(0.0).value.power == exactly(0.0));
  CHECK(gaussian.power(1.0).value.power == exactly(1.0));
  Profile profile = gaussian_profile(1.0);
  CHECK(power(profile, 0.0).power == exactly(0.0));
  CHECK(power(profile, 1.0).power == exactly(1.0));
  Profile blind = gaussian_profile(0.0);
  CHECK(power(blind, 0.3).power.upper == Approx(0.3).epsilon(1e-12));
}

TEST_CASE("the direction decides: remove and add differ by a factor 7", "[attack][pitfall]") {
  Attack attack(accounting::dp_sgd_guarantee(ten_steps()).directions);
  accounting::DpSgd add = ten_steps();
  add.adjacency = mechanism::Adjacency::add;
  Attack clearing(accounting::dp_sgd_guarantee(add).directions);
  const auto both = attack.power(1e-4), one = clearing.power(1e-4);
  CHECK(both.direction == "remove");
  CHECK(both.value.power.middle() == Approx(0.00794925915).epsilon(1e-7));
  CHECK(one.direction == "add");
  CHECK(one.value.power.middle() == Approx(0.00114053170).epsilon(1e-7));
  // Membership is the prior's event in both: rare members are decided by remove, common ones by add.
  CHECK(attack.bayes_error(0.1).direction == "remove");
  CHECK(attack.bayes_error(0.9).direction == "add");
  CHECK(clearing.bayes_error(0.3).value.error.middle() ==
        Approx(attack.bayes_error(0.3).value.error.middle()).epsilon(1e-9));
  // A small advantage does not bound the odds at small rates.
  CHECK(attack.advantage().value.advantage.upper < 0.38);
  CHECK(attack.precision_at_rate(0.5, 1e-4).value.odds_factor.lower > 79.0);
}

TEST_CASE("the tail of the pair's own loss is no bound: randomised response used with a public chance",
          "[attack][pitfall]") {
  // With a chance w answer by RR(2), else say nothing: 1-GDP for this w, and the odds rise by e^2 more often than for
  // the Gaussian mechanism.
  const double chance = 0.162089, odds = 2.0, often = chance / (1.0 + std::exp(-odds));
  for (double e = 0.0; e < 2.0; e += 0.01) {
    const double delta = chance * (std::exp(odds) - std::exp(e)) / (1.0 + std::exp(odds));
    CHECK(delta <= tradeoff::delta_enclosure(e, exactly(1.0)).lower);
  }
  CHECK(often > 2.0 * gaussian_pair_tail(exactly(1.0), odds).upper);
  CHECK(often <= gaussian_posterior_tail(exactly(1.0), odds).lower * (1.0 + 1e-4));
  CHECK(gaussian_posterior_tail(exactly(1.0), odds).upper == Approx(0.142767).epsilon(1e-5));
}

TEST_CASE("measures fall with the noise and rise with steps and rate", "[attack][property]") {
  const auto at = [](double noise, double rate, double steps) {
    accounting::DpSgd run;
    run.phases = {{noise, rate, steps}};
    Attack attack(accounting::dp_sgd_guarantee(run).directions);
    return std::vector<double>{
        attack.power(0.01).value.power.upper,          attack.advantage().value.advantage.upper,
        attack.bayes_error(0.3).value.accuracy.upper,  attack.precision_at_recall(0.1, 0.2).value.precision.upper,
        attack.reconstruction(1e-3).value.power.upper, attack.posterior_tail(0.5).value.upper};
  };
  const auto base = at(1.0, 0.01, 1000), quiet = at(1.1, 0.01, 1000), longer = at(1.0, 0.01, 1200),
             fuller = at(1.0, 0.012, 1000);
  for (std::size_t i = 0; i < base.size(); ++i) {
    CAPTURE(i);
    CHECK(quiet[i] < base[i]);
    CHECK(base[i] < longer[i]);
    CHECK(base[i] < fuller[i]);
  }
}

TEST_CASE("a calibrated parameter meets the limit, and one bolder does not", "[attack][calibration]") {
  const Measure measure = GENERATE(Measure::advantage, Measure::power, Measure::bayes_accuracy, Measure::precision,
                                   Measure::reconstruction, Measure::area, Measure::gdp_parameter);
  Limit limit{measure, 0.6, 0.01, 0.3};
  limit.most = measure == Measure::bayes_accuracy ? 0.75 : limit.most;
  const Trial trial = [](double noise, double) { return std::optional<Attack>(std::in_place, exactly(1.0 / noise)); };
  accounting::Parameter noise;
  noise.more_is_private = true;
  const auto found = calibrate(trial, noise, limit);
  REQUIRE(found.value);
  Attack safe{exactly(1.0 / *found.value)}, bold{exactly((1.0 + 1e-9) / *found.value)};
  CHECK(value(safe, limit).upper <= limit.most);
  CHECK(value(bold, limit).upper > limit.most);
  CHECK(gaussian_mu(limit) * *found.value == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("limits that a coin meets are refused", "[attack][errors]") {
  Attack attack{exactly(1.0)};
  CHECK_THROWS_WITH(value(attack, {Measure::power, 0.01, 0.01, 0.5}), Catch::Contains("a coin reaches that rate"));
  CHECK_THROWS_AS(value(attack, {Measure::advantage, 0.0, 0.01, 0.5}), DomainError);
  CHECK_THROWS_WITH(value(attack, {Measure::bayes_accuracy, 0.7, 0.01, 0.3}), Catch::Contains("a blind guess"));
  CHECK_THROWS_AS(value(attack, {Measure::area, 0.5, 0.01, 0.3}), DomainError);
  CHECK_THROWS_AS(attack.bayes_error(1.0), DomainError);
  CHECK_THROWS_WITH(attack.power(-0.1), Catch::Contains("false_positive_rate = -0.1"));
  CHECK_THROWS_AS(attack.precision_at_recall(0.5, 0.0), DomainError);
  CHECK_THROWS_AS(Attack(std::vector<accounting::DirectedCurve>{}), DomainError);
  CHECK_THROWS_AS(Attack(Enclosure{std::nan(""), 1.0}), DomainError);
}

TEST_CASE("one of N candidates: chance without a release, half of two, below the bound", "[attack]") {
  CHECK(candidate_success(0.0, 7.0).value == Approx(1.0 / 7.0).epsilon(1e-12));
  CHECK(candidate_success(3.0, 1.0).value == Approx(1.0).epsilon(1e-13));
  const double mu = GENERATE(0.3, 2.0, 8.0);
  CHECK(candidate_success(mu, 2.0).value == Approx(numerics::normal_cdf(mu / std::sqrt(2.0))).epsilon(1e-12));
  CHECK(candidate_success(mu, 1e6).value < gaussian_power(exactly(mu), 1e-6).power.lower);
  CHECK_THROWS_AS(candidate_success(1.0, 2.5), DomainError);
}
