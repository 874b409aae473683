// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Regimes in which one method or the other has to answer, and agreement between them.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

// delta of two steps: the profile of one, averaged over the loss of the other.
double two_steps(double p, double mu, double epsilon) {
  double total = tradeoff::privacy_loss_atom(p, mu) * tradeoff::subsampled_gaussian_delta(epsilon, p, mu);
  const int pieces = 60000;  // midpoints; the kinks of the profile cost second order
  const double last = 0.5 * mu + 12.0 + mu;
  for (int i = 0; i < pieces; ++i) {
    const double width = (last - 0.5 * mu) / pieces;
    const double x = 0.5 * mu + (i + 0.5) * width;
    const double loss = std::log1p(p * std::expm1(mu * x - 0.5 * mu * mu));
    const double density = std::exp(-0.5 * x * x) * 0.3989422804014327 * width;
    total += density * (std::exp(loss) * tradeoff::subsampled_gaussian_delta(epsilon - loss, p, mu) +
                        tradeoff::subsampled_gaussian_delta(epsilon + loss, p, mu));
  }
  return total;
}

}  // namespace

TEST_CASE("two steps agree with direct integration over the first", "[accounting][accuracy]") {
  for (const auto& [p, mu, epsilon] : {std::tuple{0.5, 1.0, 0.7}, std::tuple{0.1, 2.0, 1.0}}) {
    const Enclosure delta = profile_at({0.0, {{p, mu, 2}}}, epsilon).delta;
    const double exact = two_steps(p, mu, epsilon);
    CAPTURE(p, mu, delta.lower, delta.upper, exact);
    CHECK(delta.lower <= exact * (1 + 1e-7));
    CHECK(delta.upper >= exact * (1 - 1e-7));
    CHECK(delta.relative_width() < 1e-3);
  }
}

TEST_CASE("few steps are known to a thousandth or better", "[accounting][accuracy]") {
  const double count = GENERATE(3.0, 10.0, 50.0);
  const ProfilePoint point = profile_at({0.0, {{0.05, 1.5, count}}}, 0.8);
  CAPTURE(count, point.method, point.delta.lower, point.delta.upper);
  CHECK(point.delta.relative_width() < 1e-3);
}

TEST_CASE("rare large jumps: every claim holds the 34-digit value", "[accounting][accuracy]") {
  const Composition rare{0.0, {{1e-5, 1.0, 1e6}}};
  const Enclosure middle = profile_at(rare, 0.1).delta;
  CHECK(middle.contains(7.299929748649174e-12));
  CHECK(middle.relative_width() < 1e-8);
  const ProfilePoint far = profile_at(rare, 0.15);
  CAPTURE(far.delta.lower, far.delta.upper, far.method);
  CHECK(far.delta.middle() == Approx(4.52244e-20).epsilon(2e-6));
  CHECK(far.delta.relative_width() < 1e-6);
}

TEST_CASE("far tails and huge counts keep their relative accuracy", "[accounting][accuracy]") {
  CHECK(profile_at({0.0, {{0.025, 2.0 / 3.0, 2000}}}, 15.0).delta.middle() == Approx(2.3947e-44).epsilon(1e-4));
  CHECK(profile_at({0.0, {{0.001, 0.5, 1e6}}}, 3.0).delta.middle() == Approx(4.51117958e-7).epsilon(1e-8));
  for (const double delta : {1e-5, 1e-12, 1e-30, 1e-100, 1e-300}) {
    CAPTURE(delta);
    const Enclosure epsilon = epsilon_at({0.0, {{0.01, 1.0, 1000}}}, delta).epsilon;
    CHECK(epsilon.relative_width() < 1e-9);
  }
  for (const double count : {1e6, 1e9}) {
    CAPTURE(count);
    const Composition many{0.0, {{0.1 / std::sqrt(count), 1.0, count}}};
    const Enclosure epsilon = epsilon_at(many, 1e-5).epsilon;
    CHECK(epsilon.relative_width() < 1e-8);
  }
}

TEST_CASE("a schedule of many different steps has contours, not a lattice law for each", "[accounting][effort]") {
  const Pair pair = GENERATE(Pair::poisson_remove, Pair::poisson_add);
  Composition schedule;
  for (int i = 0; i < 160; ++i) {
    schedule.components.push_back({0.01 + 1e-5 * i, 1.0 / (1.0 + 1e-3 * i), 1.0, pair});
  }
  const EpsilonBound epsilon = epsilon_at(schedule, 1e-5);
  CAPTURE(epsilon.method, epsilon.epsilon.lower, epsilon.epsilon.upper);
  CHECK(epsilon.method == "contour");
  CHECK(epsilon.epsilon.relative_width() < 1e-9);
  if (pair == Pair::poisson_remove) {
    CHECK(epsilon.epsilon.upper == Approx(0.75685579).epsilon(1e-7));  // dp_accounting, discretised by 2e-5
  }
}

TEST_CASE("delta falls with epsilon and rises with count, rate and mu", "[accounting][property]") {
  const auto delta = [](double p, double mu, double count, double epsilon) {
    return profile_at({0.0, {{p, mu, count}}}, epsilon).delta;
  };
  const Enclosure base = delta(0.02, 0.8, 500, 1.0);
  CHECK(delta(0.02, 0.8, 500, 1.1).upper < base.lower);
  CHECK(delta(0.02, 0.8, 550, 1.0).lower > base.upper);
  CHECK(delta(0.022, 0.8, 500, 1.0).lower > base.upper);
  CHECK(delta(0.02, 0.88, 500, 1.0).lower > base.upper);
}

TEST_CASE("a composition of Gaussians is the Gaussian of the root of squares", "[accounting][property]") {
  const ProfilePoint point = profile_at({0.3, {{1.0, 0.2, 4}, {0.0, 5.0, 9}, {0.5, 0.0, 3}}}, 0.7);
  const Enclosure alone = tradeoff::delta_enclosure(0.7, exactly(0.5));
  CHECK(point.delta.lower <= alone.upper * (1.0 + 1e-15));  // mu = sqrt(0.3^2 + 4 0.2^2) is 0.5 up to its last place
  CHECK(point.delta.upper >= alone.lower * (1.0 - 1e-15));
  CHECK(point.delta.relative_width() < 1e-11);
  const std::vector<double> errors{0.0, 0.01, 0.5, 1.0};
  const auto curve = accounting::tradeoff({0.5, {}}, errors);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    CHECK(curve[i].contains(tradeoff::gaussian(errors[i], 0.5)));
  }
  CHECK(profile_at({}, 0.5).delta == exactly(0.0));
}

TEST_CASE("a pair is symmetric: delta at minus epsilon follows from epsilon", "[accounting][property]") {
  const Composition composition{0.0, {{0.01, 1.0, 1000}}};
  const ProfilePoint right = profile_at(composition, 0.5);
  const ProfilePoint left = profile_at(composition, -0.5);
  CHECK(left.delta.middle() == Approx(1.0 - std::exp(-0.5) * (1.0 - right.delta.middle())).epsilon(1e-12));
  CHECK(left.type_one_error.middle() == Approx(1.0 - right.power.middle()).epsilon(1e-12));
  const std::vector<double> errors{0.02, 0.2, 0.6};
  const auto once = accounting::tradeoff(composition, errors);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::vector<double> back{once[i].middle()};
    CAPTURE(errors[i]);
    CHECK(accounting::tradeoff(composition, back)[0].middle() == Approx(errors[i]).epsilon(1e-6));
    CHECK(once[i].relative_width() < 1e-6);
  }
}

TEST_CASE("the error of the central limit falls like one over the root of the count", "[accounting][clt]") {
  std::vector<double> misses;
  for (const double count : {1e3, 1e4, 1e5, 1e6}) {
    const double p = 1.0 / std::sqrt(count);
    const double limit = tradeoff::delta_of_epsilon(1.0, central_limit(p, 1.0, count).mu_clt);
    misses.push_back(profile_at({0.0, {{p, 1.0, count}}}, 1.0).delta.middle() - limit);
  }
  CHECK(misses.front() == Approx(-0.0392).epsilon(0.01));
  CHECK(misses.back() == Approx(-0.00157).epsilon(0.01));
  for (std::size_t i = 1; i < misses.size(); ++i) {
    CHECK(std::log10(misses[i] / misses[i - 1]) == Approx(-0.5).margin(0.15));
  }
}

TEST_CASE("central limit parameters agree with 50-digit values", "[accounting][clt]") {
  const CentralLimit a = central_limit(0.025, 0.6666666666666666, 2000);
  CHECK(test::relative_error(a.mu_clt, 1.0253109968465672) < 1e-13);
  CHECK(test::relative_error(a.B, 0.42050505610180067) < 1e-13);
  CHECK(test::relative_error(a.mu_clt_one_sided, 0.836378725224689) < 1e-13);
  CHECK(test::relative_error(central_limit(0.001, 0.01, 1e6).B, 5.040145732450249e-05) < 1e-13);
  CHECK(std::isfinite(central_limit(0.1, 100.0, 10).log_B));
  CHECK_THROWS_AS(central_limit(0.1, -1.0, 10), DomainError);
}

TEST_CASE("the best curve is the pointwise best", "[accounting][curves]") {
  const CurvePtr gaussian = gaussian_curve(exactly(0.5));
  const CurvePtr pure = pure_curve(1.0);
  const CurvePtr best = best_curve({gaussian, pure});
  CHECK(best->delta(2.0).value == exactly(0.0));
  CHECK(best->delta(0.1).value == gaussian->delta(0.1).value);
  CHECK(best->epsilon(1e-12).value.upper == Approx(1.0).epsilon(1e-11));
  CHECK(pure->type_two_errors(std::vector<double>{0.5})[0].middle() == Approx(std::exp(-1.0) * 0.5));
  CHECK(pure->renyi(1e6).upper <= 1.0);
  const CurvePtr composed = composition_curve({0.0, {{0.01, 1.0, 1000}}});
  CHECK(composed->renyi(4.0).relative_width() < 1e-11);
  CHECK(composed->deltas(std::vector<double>{0.5, 1.0})[1].middle() == Approx(0.009905437799565351).epsilon(1e-9));
  CHECK_THROWS_AS(best_curve({}), DomainError);
  CHECK_THROWS_AS(pure_curve(-1.0), DomainError);
}

TEST_CASE("no point of the profile refutes the upper end of a trade-off function, however small the losses",
          "[accounting][tradeoff]") {
  const double noise = GENERATE(0.8, 10.0, 1000.0, 1e6);
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add, Pair::fixed_size_remove}) {
    const Composition composition{0.0, {{256.0 / 60000, 1.0 / noise, 14063, pair}}};
    const std::vector<double> errors{1e-5, 0.01, 0.5, 0.9, 0.99, 0.995, 0.9999};
    const auto curve = accounting::tradeoff(composition, errors);
    std::vector<double> epsilons;
    for (int i = -60; i <= 60; ++i) {
      epsilons.push_back(0.1 * i * 0.5 / noise);  // up to six deviations of the loss
    }
    const auto deltas = deltas_at(composition, epsilons);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      CAPTURE(noise, static_cast<int>(pair), errors[i], curve[i].lower, curve[i].upper);
      CHECK(curve[i].width() < 1e-7);
      for (std::size_t j = 0; j < epsilons.size(); ++j) {
        // f(a) >= 1 - delta(epsilon) - exp(epsilon) a
        CHECK(1.0 - deltas[j].delta.upper - std::exp(epsilons[j]) * errors[i] <= curve[i].upper + 1e-15);
      }
    }
  }
}
