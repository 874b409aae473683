// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/renyi_estimate.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/error.hpp>

#include "../support/support.hpp"

using namespace dpcurves;
using accounting::Composition;
using accounting::Direction;
using accounting::poisson_renyi;

namespace {

double upper_tail(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

// The exact delta of one step, remove: the sign of q (e^(x - 1/2) - 1) + 1 - e^epsilon changes once.
double delta_of_one_step(double q, double noise, double epsilon) {
  const double x = 0.5 + noise * noise * std::log((std::exp(epsilon) - 1.0 + q) / q);
  return q * upper_tail((x - 1.0) / noise) + (1.0 - q - std::exp(epsilon)) * upper_tail(x / noise);
}

}  // namespace

TEST_CASE("the Renyi divergence of a composition is sharp where it is small", "[accounting][renyi]") {
  const double order = GENERATE(1.0 + 1e-6, 1.5, 64.0, 1e5);
  const double mu = GENERATE(1e-3, 1.0);
  const Enclosure once = accounting::symmetrised_renyi(1e-7, mu, order);
  const Enclosure composed = accounting::renyi({0.0, {{1e-7, mu, 1000.0}}}, order);
  CAPTURE(order, mu, composed.lower, composed.upper);
  CHECK(composed.lower <= 1000.0 * once.middle());
  CHECK(composed.upper >= 1000.0 * once.middle());
  CHECK(composed.relative_width() < 1e-11);
}

TEST_CASE("divergences of different steps add", "[accounting][renyi]") {
  const auto direction = GENERATE(Direction::remove, Direction::add);
  const double order = GENERATE(1.3, 2.0, 17.5);
  const Composition steps{0.3, {{0.01, 1.0, 500}, {0.05, 0.5, 20}, {0.01, 1.0, 100}, {1.0, 0.4, 1}, {0.0, 3.0, 9}}};
  const Enclosure got = poisson_renyi(steps, order, direction);
  const double want = 600.0 * poisson_renyi(0.01, 1.0, order, direction).middle() +
                      20.0 * poisson_renyi(0.05, 0.5, order, direction).middle() +
                      0.5 * order * (0.3 * 0.3 + 0.4 * 0.4);
  CHECK(got.contains(want));
  CHECK(got.relative_width() < 2e-14);
  CHECK(accounting::poisson_renyi_curve(steps, direction)(order) == got.upper);
}

TEST_CASE("a Gaussian mechanism alone is converted as mu-GDP", "[accounting][renyi]") {
  const auto got = accounting::epsilon_by_renyi(Composition{0.7, {}}, 1e-6);
  CHECK(got.remove.epsilon == Approx(divergence::best(0.245, 1e-6).epsilon).epsilon(1e-10));
  CHECK(got.add.epsilon == Approx(got.remove.epsilon).epsilon(1e-12));
}

TEST_CASE("no step gives epsilon 0", "[accounting][renyi]") {
  CHECK(accounting::epsilon_by_renyi(Composition{}, 1e-6).add_or_remove().epsilon == 0.0);
  CHECK(poisson_renyi(Composition{0.0, {{0.1, 1.0, 0.0}}}, 2.0, Direction::add) == exactly(0.0));
}

TEST_CASE("the epsilon is that of its order and no integer order is better", "[accounting][renyi]") {
  const double delta = 1e-5;
  const Composition steps{0.0, {{0.01, 1.0, 2000}}};
  const auto direction = GENERATE(Direction::remove, Direction::add);
  const auto got = accounting::epsilon_by_renyi(steps, delta, direction);
  const auto balle = [&](double a) {
    const long double order = a;
    return poisson_renyi(steps, a, direction).upper + std::log1p(-1 / order) -
           (std::log(static_cast<long double>(delta)) + std::log(order)) / (order - 1);
  };
  REQUIRE(got.method == "Balle et al.");
  CHECK(got.epsilon >= balle(got.order));
  CHECK(got.epsilon <= balle(got.order) * (1 + 5e-16L));
  for (int a = 2; a <= 64; ++a) {
    CHECK(got.epsilon <= balle(a) * (1 + 1e-12L));
  }
}

TEST_CASE("no order of a fine grid is better, also where the sampled moment has two regimes",
          "[accounting][renyi][property]") {
  struct Row {
    double rate, mu, count, delta;
  };
  const auto row = GENERATE(Row{1e-3, 0.8, 1e5, 1e-6}, Row{1e-6, 0.5, 1e6, 1e-8}, Row{0.01, 2.0, 100.0, 1e-5},
                            Row{1e-4, 4.0, 50.0, 1e-12}, Row{0.3, 0.02, 1000.0, 1e-3}, Row{1e-8, 1.0, 1.0, 1e-9});
  const auto direction = GENERATE(Direction::remove, Direction::add);
  const Composition steps{0.0, {{row.rate, row.mu, row.count}}};
  const auto curve = accounting::poisson_renyi_curve(steps, direction);
  const double found = divergence::balle(curve, row.delta).epsilon;
  for (double s = -13.8; s < 20.7; s += 0.02) {
    const double excess = std::exp(s), log_order = std::log1p(excess);
    const double here = curve.guide(1.0 + excess) + s - log_order - (std::log(row.delta) + log_order) / excess;
    CAPTURE(row.rate, row.mu, row.count, row.delta, s, here, found);
    REQUIRE(found <= std::max(0.0, here) * (1.0 + 1e-10));
  }
}

TEST_CASE("delta lies above the exact profile of one step", "[accounting][renyi][property]") {
  const double q = GENERATE(0.01, 0.2), noise = GENERATE(0.6, 1.0, 3.0), epsilon = GENERATE(0.1, 0.5, 2.0);
  const double log_delta =
      accounting::log_delta_by_renyi(Composition{0.0, {{q, 1.0 / noise, 1.0}}}, epsilon, Direction::remove);
  const double exact = delta_of_one_step(q, noise, epsilon);
  CAPTURE(q, noise, epsilon, log_delta, exact);
  if (exact > 1e-14) {  // below, the closed form has cancelled
    CHECK(log_delta >= std::log(exact));
  }
}

TEST_CASE("delta of 400 steps lies above the composed profile, by less than a factor 10", "[accounting][renyi]") {
  // remove, q = 0.1, noise 7.5624, epsilon = 1: 1.014e-5 by Fourier transform of the privacy loss.
  const Composition steps{0.0, {{0.1, 1.0 / 7.5624, 400.0}}};
  const double delta = std::exp(accounting::log_delta_by_renyi(steps, 1.0, Direction::remove));
  CHECK(delta > 1.014e-5);
  CHECK(delta < 1.014e-4);
}

TEST_CASE("epsilon and delta are inverse to each other", "[accounting][renyi][property]") {
  const Composition steps{0.0, {{0.02, 0.9, 1000}, {0.05, 0.4, 300}}};
  const auto direction = GENERATE(Direction::remove, Direction::add);
  const auto curve = accounting::poisson_renyi_curve(steps, direction);
  const double epsilon = divergence::balle(curve, 1e-7).epsilon;
  CHECK(accounting::log_delta_by_renyi(steps, epsilon, direction) == Approx(std::log(1e-7)).epsilon(1e-9));
}

TEST_CASE("the relation add or remove keeps both and takes the larger", "[accounting][renyi]") {
  const Composition steps{0.0, {{0.2, 1.0, 50}}};
  const auto both = accounting::epsilon_by_renyi(steps, 1e-5);
  CHECK(both.remove.epsilon == accounting::epsilon_by_renyi(steps, 1e-5, Direction::remove).epsilon);
  CHECK(both.add.epsilon == accounting::epsilon_by_renyi(steps, 1e-5, Direction::add).epsilon);
  CHECK(both.remove.epsilon != both.add.epsilon);
  CHECK(both.add_or_remove().epsilon == std::max(both.remove.epsilon, both.add.epsilon));
}

TEST_CASE("adding a record costs at most -log(1 - q) for each step", "[accounting][renyi][property]") {
  const Composition steps{0.0, {{0.1, 4.0, 2}}};
  CHECK(accounting::epsilon_by_renyi(steps, 1e-12, Direction::add).epsilon <= -2.0 * std::log1p(-0.1) * (1.0 + 1e-6));
}

TEST_CASE("the curve of fixed batches passes through the integer bounds and is convex between", "[accounting][renyi]") {
  const auto curve = accounting::fixed_size_renyi_curve({0.0, {{0.05, 0.8, 7}}});
  for (const double a : {2.0, 3.0, 10.0, 41.0}) {
    CHECK(curve(a) == Approx(7.0 * accounting::fixed_size_renyi_bound(0.05, 0.8, a)).epsilon(1e-13));
    CHECK(curve(a + 0.25) <= curve(a + 0.75));
    const double chord = 0.5 * ((a - 1.0) * curve(a) + a * curve(a + 1.0));
    CHECK((a - 0.5) * curve(a + 0.5) <= chord * (1.0 + 1e-12));
  }
  CHECK(curve(1.25) == Approx(curve(2.0)).epsilon(1e-13));  // the chord from (1, 0)
  CHECK(curve(1e6) == Approx(7.0 * 0.5 * 1e6 * 0.64).epsilon(1e-13));
  CHECK(divergence::best(curve, 1e-5).epsilon > 0.0);
}

TEST_CASE("orders for a replaced record are chosen by an estimate within 1e-9", "[accounting][renyi][accuracy]") {
  test::Worst worst;
  for (const double q : {1e-6, 1e-3, 0.3, 0.9}) {
    for (const double mu : {0.1, 0.5, 2.0}) {
      for (const double excess : {1e-4, 0.5, 7.0, 60.0}) {
        const Composition one{0.0, {{q, mu, 1.0, accounting::Pair::poisson_replace_one}}};
        const double exact = accounting::renyi(one, 1.0 + excess).upper;
        const double found = accounting::detail::estimated_replaced_log_moment(q, mu, 1.0 + excess) / excess;
        worst.see(test::relative_error(found, exact), excess);
      }
    }
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-9);
  // Far orders, where the integrand matters only around its maxima.
  for (const double mu : {0.01, 0.5, 33.0}) {
    const double excess = 1e7;
    const Composition one{0.0, {{0.3, mu, 1.0, accounting::Pair::poisson_replace_one}}};
    const Enclosure exact = accounting::renyi(one, 1.0 + excess);
    const double found = accounting::detail::estimated_replaced_log_moment(0.3, mu, 1.0 + excess) / excess;
    CAPTURE(mu, exact.lower, exact.upper);
    CHECK(test::relative_error(found, exact.upper) < 1e-9);
  }
}

TEST_CASE("a replaced record's curve is the proved bound, with full batches and other steps beside", "[accounting]") {
  const Composition steps{0.3, {{0.01, 0.5, 1000.0, accounting::Pair::poisson_replace_one}}};
  const auto curve = accounting::replaced_renyi_curve(steps);
  const double order = GENERATE(1.5, 20.0);
  CHECK(curve(order) == accounting::renyi(steps, order).upper);
  CHECK(test::relative_error(curve.guide(order), curve(order)) < 1e-9);
  Composition mixed = steps;
  mixed.components.push_back({1.0, 0.2, 3.0, accounting::Pair::poisson_replace_one});
  CHECK(accounting::replaced_renyi_curve(mixed).guide(order) == accounting::renyi(mixed, order).upper);
}

TEST_CASE("arguments of the Renyi accountant outside their domains name themselves", "[accounting][errors]") {
  const Composition steps{0.0, {{0.1, 1.0, 10}}};
  CHECK_THROWS_WITH(accounting::epsilon_by_renyi(steps, 0.0), Catch::Contains("delta = 0"));
  CHECK_THROWS_AS(accounting::epsilon_by_renyi(steps, std::nan("")), DomainError);
  CHECK_THROWS_WITH(poisson_renyi(steps, 1.0, Direction::add), Catch::Contains("order = 1"));
  CHECK_THROWS_AS(accounting::poisson_renyi_curve(steps, Direction::add)(0.5), DomainError);
  CHECK_THROWS_WITH(accounting::poisson_renyi_curve({0.0, {{0.1, 200.0, 1}}}, Direction::add),
                    Catch::Contains("mu = 200"));
  CHECK_THROWS_WITH(accounting::fixed_size_renyi_curve({0.0, {{1.5, 1.0, 1}}}), Catch::Contains("sampling_rate = 1.5"));
  CHECK_THROWS_AS(accounting::log_delta_by_renyi(steps, -1.0, Direction::add), DomainError);
  CHECK_THROWS_AS(poisson_renyi({0.0, {{0.1, 1.0, 1.5}}}, 2.0, Direction::add), DomainError);
}
