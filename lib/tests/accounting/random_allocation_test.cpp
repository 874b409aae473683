// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/loud_allocation.hpp>
#include <dpcurves/accounting/detail/ratio_law.hpp>
#include <dpcurves/accounting/detail/replaced_law.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "../support/support.hpp"

using namespace dpcurves;
using accounting::Direction;
using accounting::random_allocation_curve;
using accounting::RandomAllocation;

namespace {

constexpr Direction both_directions[] = {Direction::remove, Direction::add};

double epsilon_width(const RandomAllocation& allocation, Direction direction, double delta) {
  const Enclosure e = random_allocation_curve(allocation, direction)->epsilon(delta).value;
  return e.upper > 0.0 ? (e.upper - e.lower) / e.upper : 0.0;
}

// The likelihood ratio of each epoch's outputs, drawn with or without the record.
std::vector<double> drawn_losses(const RandomAllocation& a, bool present, std::size_t count) {
  std::vector<double> losses(count, 0.0);
  const auto steps = static_cast<std::size_t>(a.steps);
  const double mu = 1.0 / a.noise_multiplier;
  std::vector<double> normal(steps + steps % 2);
  std::vector<double> choice(1);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t epoch = 0; epoch < static_cast<std::uint32_t>(a.epochs); ++epoch) {
      const std::uint32_t path = static_cast<std::uint32_t>(i) * 64U + epoch;
      random::normals(normal, present ? 5 : 6, random::Purpose::noise, path, 0);
      if (present) {
        random::uniforms(choice, 5, random::Purpose::sampling, path, 0);
        normal[static_cast<std::size_t>(choice[0] * a.steps)] += mu;
      }
      double sum = 0.0;
      for (std::size_t s = 0; s < steps; ++s) {
        sum += std::exp(mu * normal[s] - 0.5 * mu * mu);
      }
      losses[i] += std::log(sum / a.steps);
    }
  }
  return losses;
}

}  // namespace

TEST_CASE("one to three steps agree with 22-digit integrals in both directions", "[accounting][allocation][accuracy]") {
  int outside = 0;
  test::Worst width;
  for (const auto& row : test::reference_table("accounting/random_allocation.csv")) {
    const auto curve = random_allocation_curve({1.0 / row.at("mu"), row.at("steps"), 1.0, 1.0},
                                               row.at("direction") == 0.0 ? Direction::remove : Direction::add);
    const Enclosure got = curve->delta(row.at("epsilon")).value;
    outside += outward(got, 2e-16).contains(row.at("delta")) ? 0 : 1;  // the reference is a rounded one
    width.see(got.relative_width(), row.at("delta"));
  }
  CAPTURE(width.at, width.error);
  CHECK(outside == 0);
  CHECK(width.error < 6e-3);
}

TEST_CASE("epsilon is known to the widths of the documentation", "[accounting][allocation][accuracy]") {
  for (const Direction direction : both_directions) {
    CHECK(epsilon_width({1.0, 10.0, 1.0, 1.0}, direction, 1e-5) < 2e-4);
    CHECK(epsilon_width({1.0, 1000.0, 1.0, 1.0}, direction, 1e-5) < 5e-4);
    CHECK(epsilon_width({0.3, 100.0, 1.0, 1.0}, direction, 1e-8) < 5e-4);
    CHECK(epsilon_width({5.0, 1e5, 1.0, 1.0}, direction, 1e-5) < 5e-4);
    CHECK(epsilon_width({2.0, 500.0, 1.0, 20.0}, direction, 1e-6) < 5e-4);
  }
}

TEST_CASE("one step is the Gaussian mechanism, and every step chosen its composition", "[accounting][allocation]") {
  for (const Direction direction : both_directions) {
    const auto one = random_allocation_curve({1.5, 1.0, 1.0, 9.0}, direction);
    const Enclosure mu = exactly(std::sqrt(9.0) / 1.5);
    CHECK(one->delta(1.25).value.contains(tradeoff::delta_of_epsilon(1.25, mu.lower)));
    CHECK(one->delta(-0.5).value.contains(tradeoff::delta_enclosure(-0.5, mu).middle()));
    CHECK(one->epsilon(1e-7).value.relative_width() < 1e-12);
    CHECK(one->renyi(2.5).contains(0.5 * 2.5 * mu.lower * mu.lower));
    const auto all = random_allocation_curve({2.0, 6.0, 6.0, 1.0}, direction);
    CHECK(all->delta(1.0).value.contains(tradeoff::delta_of_epsilon(1.0, std::sqrt(6.0) / 2.0)));
  }
}

TEST_CASE("one step of a round is a Poisson step, and a round that is cut lies between", "[accounting][allocation]") {
  const accounting::Composition steps{0.0, {{0.01, 0.5, 1.0, accounting::Pair::poisson_remove}}};
  const auto allocated = [](double rounds, double rest) {
    return random_allocation_curve({2.0, 100.0, 1.0, rounds, rest}, Direction::remove);
  };
  for (const double epsilon : {0.0, 0.02, 0.5}) {
    const Enclosure got = allocated(0.0, 1.0)->delta(epsilon).value, want = accounting::delta_at(steps, epsilon).delta;
    CAPTURE(epsilon, got.lower, got.upper, want.lower);
    CHECK(got.lower <= want.upper);
    CHECK(want.lower <= got.upper);
    CHECK(got.relative_width() < 1e-3);
  }
  const Enclosure none = allocated(1.0, 0.0)->epsilon(1e-5).value, half = allocated(1.0, 50.0)->epsilon(1e-5).value,
                  two = allocated(2.0, 0.0)->epsilon(1e-5).value;
  CHECK(none.upper < half.lower);
  CHECK(half.upper < two.lower);
  CHECK(allocated(1.0, 50.0)->renyi(4.0).upper <= allocated(2.0, 0.0)->renyi(4.0).upper * (1.0 + 1e-12));
  // With several draws the cut round counts in full above, and not at all below.
  const RandomAllocation five{2.0, 100.0, 5.0, 1.0, 50.0};
  const Enclosure cut = random_allocation_curve(five, Direction::remove)->epsilon(1e-5).value;
  CHECK(cut.upper == random_allocation_curve({2.0, 100.0, 5.0, 2.0}, Direction::remove)->epsilon(1e-5).value.upper);
  CHECK(cut.lower < random_allocation_curve({2.0, 100.0, 5.0, 1.0}, Direction::remove)->epsilon(1e-5).value.upper);
  CHECK_THROWS_AS(allocated(1.0, 100.0), DomainError);
  CHECK_THROWS_AS(allocated(0.0, 0.0), DomainError);
}

// Half a second round of balls in bins: both laws of the mean are of very many atoms, whose pairs took minutes.
TEST_CASE("a long round that is cut where places were used before lies between, and is soon known",
          "[accounting][allocation]") {
  constexpr double noise = 4.0, steps = 1000.0;
  const double twice = noise / std::sqrt(2.0);
  for (const Direction direction : {Direction::remove, Direction::add}) {
    const auto epsilon = [&](const RandomAllocation& allocation) {
      return random_allocation_curve(allocation, direction)->epsilon(1e-5).value;
    };
    const Enclosure one = epsilon({noise, steps, 1.0, 1.0}), two = epsilon({twice, steps, 1.0, 1.0}),
                    cut = epsilon({twice, steps, 1.0, 0.0, 500.0, 1.0 / noise});
    CAPTURE(one.upper, cut.lower, cut.upper, two.lower);
    CHECK(one.upper < cut.lower);
    CHECK(cut.upper < two.lower);
    CHECK(cut.relative_width() < 1e-4);
  }
}

TEST_CASE("simulated likelihood ratios stay within the brackets", "[accounting][allocation]") {
  const RandomAllocation settings[] = {{1.0, 30.0, 1.0, 1.0}, {0.5, 128.0, 1.0, 1.0}, {1.0, 10.0, 1.0, 4.0}};
  constexpr std::size_t trials = 5000;
  for (const RandomAllocation& a : settings) {
    const auto under_p = drawn_losses(a, true, trials);
    const auto under_q = drawn_losses(a, false, trials);
    const auto share = [&](const std::vector<double>& losses, double sign, double threshold) {
      const auto above = std::count_if(losses.begin(), losses.end(), [&](double y) { return sign * y > threshold; });
      return inference::clopper_pearson(static_cast<std::uint64_t>(above), trials, 1e-9);
    };
    const auto curves = accounting::random_allocation_curves(a);
    for (const double epsilon : {0.05, 0.3, 0.8}) {
      // delta = P(loss > eps) - e^eps Q(loss > eps), the best test's advantage, in either direction.
      const Enclosure p = share(under_p, 1.0, epsilon);
      const Enclosure q = share(under_q, 1.0, epsilon);
      const Enclosure remove = curves.remove->delta(epsilon).value;
      CHECK(remove.upper >= p.lower - std::exp(epsilon) * q.upper);
      CHECK(remove.lower <= p.upper - std::exp(epsilon) * q.lower);
      const Enclosure first = share(under_q, -1.0, epsilon);
      const Enclosure second = share(under_p, -1.0, epsilon);
      const Enclosure add = curves.add->delta(epsilon).value;
      CHECK(add.upper >= first.lower - std::exp(epsilon) * second.upper);
      CHECK(add.lower <= first.upper - std::exp(epsilon) * second.lower);
    }
  }
}

TEST_CASE("epochs of one step of two are the products of their ratios", "[accounting][allocation]") {
  // E (L1 L2 - e^eps)_+ with L = (X + Y) / 2 by a trapezoid rule over three of the four variables would be slow;
  // the profile of the second epoch is known, and the first is integrated over its two variables.
  const double mu = 1.0;
  const auto one = random_allocation_curve({1.0, 2.0, 1.0, 1.0}, Direction::remove);
  const auto two = random_allocation_curve({1.0, 2.0, 1.0, 2.0}, Direction::remove);
  for (const double epsilon : {0.3, 2.0, 5.0}) {
    double lower = 0.0;
    double upper = 0.0;
    constexpr double h = 0.25;
    for (double z = -9.0; z <= 10.0; z += h) {
      for (double w = -9.0; w <= 10.0; w += h) {
        const double ratio = 0.5 * (std::exp(mu * z - 0.5 * mu * mu) + std::exp(mu * w - 0.5 * mu * mu));
        const Enclosure inner = one->delta(epsilon - std::log(ratio)).value;
        const double weight = h * h * std::exp(-0.5 * (z * z + w * w)) / (2.0 * 3.141592653589793) * ratio;
        lower += weight * inner.lower;
        upper += weight * inner.upper;
      }
    }
    const Enclosure got = two->delta(epsilon).value;
    CAPTURE(epsilon, lower, upper, got.lower, got.upper);
    CHECK(got.lower <= upper * (1.0 + 1e-9));
    CHECK(got.upper >= lower * (1.0 - 1e-9));
    CHECK(got.relative_width() < 3e-3);
  }
}

TEST_CASE("allocation is more private than no amplification and differs from Poisson sampling at rate 1 / steps",
          "[accounting][allocation]") {
  for (const double steps : {4.0, 256.0}) {
    const auto allocation = random_allocation_curve({1.0, steps, 1.0, 1.0}, Direction::remove)->epsilon(1e-5).value;
    CHECK(allocation.upper <= tradeoff::epsilon_of_delta(1e-5, 1.0));
    const auto poisson =
        accounting::epsilon_at({0.0, {{1.0 / steps, 1.0, steps, accounting::Pair::poisson_remove}}}, 1e-5).epsilon;
    CAPTURE(steps, allocation.lower, allocation.upper, poisson.lower, poisson.upper);
    CHECK(allocation.upper < poisson.lower);  // a coin may choose a record more than once
  }
}

TEST_CASE("random settings: ends in order, monotone, below Renyi, mirrored directions", "[accounting][allocation]") {
  std::vector<double> u(6);
  for (std::uint32_t i = 0; i < 6; ++i) {
    random::uniforms(u, 3, random::Purpose::data, i, 0);
    const double noise = std::exp(std::log(0.3) + u[0] * std::log(100.0 / 0.3));
    const double steps = std::floor(std::exp(u[1] * std::log(64.0)));
    const double epochs = u[2] < 0.5 ? 1.0 : std::floor(2.0 + 30.0 * u[3]);
    const double mu = std::sqrt(epochs) / noise;
    const double epsilon = mu * (0.05 + u[4]);
    const Direction direction = u[5] < 0.5 ? Direction::remove : Direction::add;
    const Direction opposite = u[5] < 0.5 ? Direction::add : Direction::remove;
    const RandomAllocation a{noise, steps, 1.0, epochs};
    CAPTURE(noise, steps, epochs, epsilon, i);
    const auto curve = random_allocation_curve(a, direction);
    const Enclosure d = curve->delta(epsilon).value;
    CHECK(d.lower <= d.upper);
    CHECK(d.lower <= random_allocation_curve({noise * 0.9, steps, 1.0, epochs}, direction)->delta(epsilon).value.upper);
    CHECK(random_allocation_curve({noise, steps, 1.0, epochs + 1.0}, direction)->delta(epsilon).value.upper >= d.lower);
    CHECK(random_allocation_curve({noise, 2.0 * steps, 1.0, epochs}, direction)->delta(epsilon).value.lower <= d.upper);
    CHECK(curve->delta(epsilon * 1.1).value.lower <= d.upper);
    const double order = 2.0 + std::floor(10.0 * u[3]);
    const Enclosure renyi = curve->renyi(order);
    CHECK(renyi.lower <= renyi.upper);
    // E (L - x)_+ <= x^{1 - a} E L^a (a - 1)^{a - 1} / a^a
    CHECK(std::log(d.lower + 1e-300) <= (order - 1.0) * (renyi.upper - epsilon) +
                                            (order - 1.0) * std::log(order - 1.0) - order * std::log(order) + 1e-9);
    // delta of the other direction by h(x) = 1 - x + x h(1/x), here through the negative epsilon.
    const double other = random_allocation_curve(a, opposite)->delta(-epsilon).value.upper;
    CHECK(other >= -std::expm1(-epsilon) + std::exp(-epsilon) * d.lower - 1e-12);
  }
}

TEST_CASE("epsilon and delta undo each other, and the trade-off function is their dual", "[accounting][allocation]") {
  const RandomAllocation settings[] = {{1.0, 20.0, 1.0, 1.0}, {2.0, 8.0, 1.0, 10.0}};
  for (const RandomAllocation& a : settings) {
    const auto curves = accounting::random_allocation_curves(a);
    for (const auto& curve : {curves.remove, curves.add}) {
      for (const double delta : {1e-2, 1e-7, 1e-30}) {
        const Enclosure e = curve->epsilon(delta).value;
        CAPTURE(a.steps, delta, e.lower, e.upper);
        CHECK(curve->delta(e.upper).value.upper <= delta * (1.0 + 1e-9));
        CHECK((e.lower == 0.0 || curve->delta(e.lower).value.lower >= delta * (1.0 - 1e-6)));
      }
      const std::vector<double> alphas{0.0, 1e-4, 0.5, 1.0};
      const auto betas = curve->type_two_errors(alphas);
      for (std::size_t i = 0; i < alphas.size(); ++i) {
        CAPTURE(alphas[i], betas[i].lower, betas[i].upper);
        CHECK(betas[i].lower <= betas[i].upper);
        CHECK(betas[i].upper - betas[i].lower < 1e-4);
        for (const double epsilon : {-1.0, -0.1, 0.0, 0.2, 1.0}) {
          CHECK(betas[i].upper >= 1.0 - curve->delta(epsilon).value.upper - std::exp(epsilon) * alphas[i] - 1e-15);
        }
      }
    }
  }
}

TEST_CASE("a trade-off function lies above its tangents where the best is hard to find", "[accounting][allocation]") {
  // Far left all lines are the same to the last digit: the search lost its way, and the upper end was 1e-15.
  const auto curve = random_allocation_curve({0.3, 1000.0, 1.0, 10.0}, Direction::remove);
  for (const double a : {0.05, 0.125, 0.5}) {
    const Enclosure beta = curve->type_two_errors(std::vector<double>{a}).front();
    CAPTURE(a, beta.lower, beta.upper);
    for (const double epsilon : {-4.0, -2.0, -1.0, 0.0, 1.0}) {
      CHECK(beta.upper >= 1.0 - curve->delta(epsilon).value.upper - std::exp(epsilon) * a - 1e-15);
    }
    CHECK(beta.upper - beta.lower < 3e-3 * beta.upper);
  }
}

TEST_CASE("Renyi divergences of whole orders agree with expansions and integrals", "[accounting][allocation][renyi]") {
  for (const double mu : {0.05, 0.7, 2.0}) {
    for (const double t : {1.0, 2.0, 300.0}) {
      const auto curve = random_allocation_curve({1.0 / mu, t, 1.0, 1.0}, Direction::remove);
      const double v = std::expm1(mu * mu);
      // E L^2 = 1 + v / t, E L^3 = 1 + 3 v / t + (v^3 + 3 v^2) / t^2
      const double second = std::log1p(v / t);
      const double third = 0.5 * std::log1p(3.0 * v / t + (v * v * v + 3.0 * v * v) / (t * t));
      CAPTURE(mu, t);
      CHECK(outward(curve->renyi(2.0), 1e-14).contains(second));
      CHECK(outward(curve->renyi(3.0), 1e-14).contains(third));
      CHECK(curve->renyi(3.0).relative_width() < 1e-11);
      const Enclosure between = curve->renyi(2.5);
      CHECK(between.lower <= between.upper);
      CHECK(between.upper <= third * (1.0 + 1e-12));
      CHECK(between.upper >= second * (1.0 - 1e-12));
      const Enclosure add = random_allocation_curve({1.0 / mu, t, 1.0, 1.0}, Direction::add)->renyi(2.0);
      CHECK(add.lower <= add.upper);
      CHECK(add.relative_width() < 2e-3);
    }
  }
}

TEST_CASE("several steps of an epoch: no worse than blocks rounded down, one-sided below", "[accounting][allocation]") {
  const auto curve = random_allocation_curve({1.0, 100.0, 3.0, 2.0}, Direction::remove);
  const auto rounded_down = random_allocation_curve({1.0, 33.0, 1.0, 6.0}, Direction::remove);
  const auto rounded_up = random_allocation_curve({1.0, 34.0, 1.0, 6.0}, Direction::remove);
  const Enclosure e = curve->epsilon(1e-6).value;
  CHECK(e.upper <= rounded_down->epsilon(1e-6).value.upper);
  CHECK(e.upper >= rounded_up->epsilon(1e-6).value.lower);
  CHECK(e.lower >= tradeoff::epsilon_of_delta(1e-6, 3.0 * std::sqrt(2.0 / 100.0)) * (1.0 - 1e-9));
  CHECK(curve->delta(0.5).method == "convex order (upper bound)");
}

TEST_CASE("upper ends alone are those of both", "[accounting][allocation]") {
  const double chosen = GENERATE(1.0, 3.0), rest = GENERATE(0.0, 7.0);
  const RandomAllocation allocation{1.5, 60.0, chosen, 20.0, rest};
  const auto both = accounting::random_allocation_curves(allocation),
             upper = accounting::random_allocation_curves(allocation, 1.0, accounting::AllocationEnds::upper);
  for (const auto& [whole, half] : {std::pair{both.remove, upper.remove}, std::pair{both.add, upper.add}}) {
    for (const double delta : {1e-3, 1e-9}) {
      const Enclosure a = whole->epsilon(delta).value, b = half->epsilon(delta).value;
      CAPTURE(chosen, rest, delta, a.lower, a.upper, b.lower, b.upper);
      CHECK(b.upper == Approx(a.upper).epsilon(1e-7));
      CHECK(b.lower <= a.lower);
    }
    CHECK(half->delta(0.7).value.upper == Approx(whole->delta(0.7).value.upper).epsilon(1e-7));
  }
}

TEST_CASE("an allocation outside its ranges names the argument", "[accounting][allocation][errors]") {
  CHECK_THROWS_WITH(random_allocation_curve({2e4, 10.0, 1.0, 1.0}, Direction::add),
                    Catch::Contains("noise_multiplier"));
  CHECK_THROWS_WITH(random_allocation_curve({1.0, 10.5, 1.0, 1.0}, Direction::add), Catch::Contains("steps"));
  CHECK_THROWS_WITH(random_allocation_curve({1.0, 10.0, 11.0, 1.0}, Direction::add), Catch::Contains("chosen"));
  CHECK_THROWS_WITH(random_allocation_curve({1.0, 10.0, 1.0, std::nan("")}, Direction::add), Catch::Contains("epochs"));
  const auto curve = random_allocation_curve({1.0, 10.0, 1.0, 1.0}, Direction::add);
  CHECK_THROWS_AS(curve->epsilon(0.0), DomainError);
  CHECK_THROWS_AS(curve->delta(std::nan("")), DomainError);
  CHECK_THROWS_AS(curve->renyi(1.0), DomainError);
  CHECK(curve->delta(infinity).value.upper < 1e-200);
}

TEST_CASE("where masses of the null leave the range of doubles no lower end is claimed", "[accounting]") {
  const Enclosure told = accounting::detail::told({1.9e-287, 4.2e-287}, 175.0);
  CHECK(told.lower == 0.0);
  CHECK(told.upper == 4.2e-287);
  CHECK(accounting::detail::told({1e-200, 2e-200}, 20.0).lower == 1e-200);
  CHECK(accounting::detail::told({0.0, 0.0}, 20.0).upper == 1e-290);
  const auto curve = random_allocation_curve({50.0, 2.0, 1.0, 50000.0}, Direction::remove);
  const Enclosure found = curve->epsilon(1e-300).value;  // contradicted the bound of uses counted in full
  CHECK(found.lower <= found.upper);
}

TEST_CASE("little noise: the loudest places agree with the laws of the ratio", "[accounting][allocation]") {
  using accounting::detail::LoudPair;
  for (const double noise : {0.05, 0.07}) {
    for (const double epochs : {1.0, 10.0}) {
      for (const double steps : {2.0, 100.0}) {
        const RandomAllocation a{noise, steps, 1.0, epochs};
        for (const Direction direction : both_directions) {
          const Enclosure laws = random_allocation_curve(a, direction)->epsilon(1e-5).value;
          const auto loud = accounting::detail::loud_allocation_curve(
              a, direction == Direction::remove ? LoudPair::remove : LoudPair::add);
          const Enclosure places = loud->epsilon(1e-5).value;
          CAPTURE(noise, epochs, steps, laws.lower, laws.upper, places.lower, places.upper);
          CHECK(places.lower <= laws.upper);
          CHECK(laws.lower <= places.upper);
          CHECK(places.lower < places.upper);
          CHECK(loud->delta(places.upper).value.upper <= 1e-5 * (1.0 + 1e-9));
          CHECK(loud->delta(places.lower * (1.0 - 1e-9)).value.lower >= 1e-5 * (1.0 - 1e-6));
        }
      }
    }
  }
}

TEST_CASE("little noise: one place is the Gaussian mechanism", "[accounting][allocation]") {
  using accounting::detail::LoudPair;
  for (const double noise : {0.02, 0.1, 0.25, 0.4}) {
    for (const double rounds : {1.0, 4.0, 100.0}) {
      const double mu = std::sqrt(rounds) / noise;
      for (const LoudPair pair : {LoudPair::remove, LoudPair::add}) {
        const accounting::detail::LoudAllocation loud({noise, 1.0, 1.0, rounds}, pair);
        for (const double away : {-3.0, -1.0, 0.0, 2.0, 5.0}) {
          const double epsilon = mu * (0.5 * mu + away);
          const Enclosure want = tradeoff::delta_enclosure(epsilon, outward(exactly(mu), 1e-15)),
                          got = loud.delta(epsilon);
          CAPTURE(noise, rounds, away, want.lower, got.lower, got.upper);
          CHECK(got.upper >= want.lower);
          CHECK(got.lower <= want.upper);
        }
      }
    }
  }
}

TEST_CASE("far out no law contradicts the loudest places", "[accounting][allocation]") {
  // Densities of the null leave the range of doubles 38 deviations out: such outputs were lost.
  for (const auto& [noise, epsilon] : {std::pair{0.1, 345.0}, {0.1, 380.0}, {0.2, 180.0}, {0.3, 115.0}}) {
    const Enclosure found = random_allocation_curve({noise, 100.0, 1.0, 1.0}, Direction::remove)->delta(epsilon).value;
    CAPTURE(noise, epsilon, found.lower, found.upper);
    CHECK(found.lower > 0.0);
    CHECK(found.lower <= found.upper);
  }
}

TEST_CASE("only what is proved is called so", "[accounting][allocation]") {
  CHECK(random_allocation_curve({1.0, 100.0, 1.0, 2.0}, Direction::add)->epsilon(1e-5).proved());
  CHECK_FALSE(accounting::detail::replaced_rounds_curve({2.0, 100.0, 1.0, 2.0})->delta(0.2).proved());
  CHECK_FALSE(accounting::random_allocation_replaced_curve({2.0, 100.0, 1.0, 10.0})->epsilon(1e-5).proved());
}

TEST_CASE("little noise: the number of places is counted to the last digit", "[accounting][allocation]") {
  for (const double places : {1e7, 9999991.0, 3e6}) {  // logarithms of factorials know 8 digits of its logarithm
    for (const double noise : {0.03, 0.01}) {
      const Enclosure alone = tradeoff::epsilon_enclosure(1e-5, exactly(1.0 / noise));
      const auto curve =
          accounting::detail::loud_allocation_curve({noise, places, 1.0, 1.0}, accounting::detail::LoudPair::remove);
      const Enclosure found = curve->epsilon(1e-5).value;
      const double shown = alone.lower - std::log(places);  // one place tells no more, and no less by far
      CAPTURE(places, noise, shown, found.lower, found.upper);
      CHECK(found.lower <= shown * (1.0 + 1e-15));
      CHECK(found.lower > shown * (1.0 - 1e-11));
    }
  }
}

TEST_CASE("any noise has an answer at both ends, the smaller it is the more is shown", "[accounting][allocation]") {
  for (const double epochs : {0.0, 1.0, 30.0}) {
    double before[3] = {0.0, 0.0, 0.0};
    for (const double noise : {0.1, 0.06, 0.04, 0.01, 1e-3, 1e-10, 1e-100}) {
      const RandomAllocation a{noise, 20.0, 1.0, epochs, epochs == 1.0 ? 0.0 : 3.0};
      const auto curves = accounting::random_allocation_curves(a);
      const accounting::CurvePtr all[] = {curves.remove, curves.add, accounting::random_allocation_replaced_curve(a)};
      for (std::size_t i = 0; i < 3; ++i) {
        const Enclosure epsilon = all[i]->epsilon(1e-5).value;
        CAPTURE(epochs, noise, i, epsilon.lower, epsilon.upper);
        CHECK(epsilon.lower > 0.0);
        CHECK(epsilon.upper >= epsilon.lower);
        CHECK(epsilon.upper >= before[i]);
        before[i] = epsilon.lower;
      }
    }
  }
  // Three steps of a round hide whether it goes on without the record: its ratio is never below 17/20.
  const Enclosure added = random_allocation_curve({0.3, 20.0, 1.0, 0.0, 3.0}, Direction::add)->epsilon(1e-5).value;
  CHECK(added.upper <= std::log(20.0 / 17.0) * (1.0 + 1e-9));
}

TEST_CASE("a replaced record: the law of both sums holds one position, and is narrow over many rounds",
          "[accounting][allocation][accuracy]") {
  for (const double noise : {1.0, 2.0, 20.0}) {
    const double mu = 1.0 / noise;
    const auto curve = accounting::detail::replaced_rounds_curve({noise, 100.0, 1.0, 1.0});
    for (const double epsilon : {0.3 * mu, 0.6 * mu, 1.2 * mu}) {
      const Enclosure exact = accounting::one_position_delta({100.0, mu, -mu}, epsilon);
      const Enclosure found = curve->delta(epsilon).value;
      CAPTURE(noise, epsilon, exact.lower, found.lower, found.upper);
      CHECK(found.lower <= exact.upper);
      CHECK(found.upper >= exact.lower);
      if (noise > 1.0 && exact.lower > 1e-7) {
        CHECK(found.width() <= 0.06 * exact.upper);
      }
    }
  }
  const auto width = [](const RandomAllocation& a) {
    const Enclosure e = accounting::random_allocation_replaced_curve(a)->epsilon(1e-5).value;
    return e.width() / e.upper;
  };
  CHECK(width({2.0, 100.0, 1.0, 1000.0}) < 1e-3);
  CHECK(width({2.0, 100.0, 1.0, 10.0}) < 2e-3);
  CHECK(width({2.0, 100.0, 1.0, 1.0, 50.0}) < 5e-3);
  CHECK(width({5.0, 100.0, 1.0, 1000.0}) < 3e-4);
  CHECK(width({1.0, 100.0, 1.0, 1000.0}) < 0.02);
}
