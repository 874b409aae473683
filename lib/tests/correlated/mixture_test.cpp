// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The pairs of Gaussian mixtures: exact values of few steps, and certified bounds at any number.
#include <cmath>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using accounting::Pair;
using models::StrategyMatrix;

namespace {

double composed(Pair pair, double rate, double mu, double steps, double epsilon) {
  return accounting::profile_at({0.0, {{rate, mu, steps, pair}}}, epsilon).delta.middle();
}

}  // namespace

TEST_CASE("one step of a fixed size with a replaced record is the amplified Gaussian of twice the distance",
          "[correlated][mixture]") {
  const double rate = GENERATE(0.05, 0.7, 1.0), noise = GENERATE(0.4, 3.0), epsilon = GENERATE(0.0, 0.3, 2.0);
  const auto step = fixed_size_step_replacement(rate, noise, epsilon);
  CHECK(step.add == step.remove);
  // sup over sets of r (P(S) - e^eps' Q(S)) with 1 + r (e^eps' - 1) = e^eps, P = N(1, kappa^2), Q = N(-1, kappa^2).
  const double amplified = std::log1p(std::expm1(epsilon) / rate), cut = 0.5 * noise * noise * amplified;
  const auto above = [&](double mean) { return 0.5 * std::erfc((cut - mean) / noise / std::sqrt(2.0)); };
  CHECK(step.remove == Approx(rate * (above(1.0) - std::exp(amplified) * above(-1.0))).epsilon(1e-9).margin(1e-15));
  CHECK(step.remove >= fixed_size_step_zero_out(rate, noise, epsilon).remove * (1.0 - 1e-12));
}

TEST_CASE("one step in closed form, by quadrature and by the composition engine is one number",
          "[correlated][mixture]") {
  for (const double rate : {0.02, 0.5, 1.0}) {
    for (const double noise : {0.5, 1.0, 3.0}) {
      for (const double epsilon : {0.05, 1.0, 2.0}) {
        CAPTURE(rate, noise, epsilon);
        const auto step = StrategyMatrix::exponential(0.5, 1);
        const double remove = one_step_remove_delta(rate, noise, epsilon);
        const double add = one_step_add_delta(rate, noise, epsilon);
        CHECK(few_steps_delta(step, rate, noise, {1.0, 0.0}, epsilon) == Approx(remove).epsilon(1e-9).margin(1e-17));
        CHECK(few_steps_delta(step, rate, noise, {0.0, 1.0}, epsilon) == Approx(add).epsilon(1e-9).margin(1e-17));
        const auto fixed = fixed_size_step_zero_out(rate, noise, epsilon);
        CHECK(composed(Pair::fixed_size_remove, rate, 1.0 / noise, 1.0, epsilon) ==
              Approx(fixed.remove).epsilon(2e-3).margin(1e-15));
        CHECK(composed(Pair::fixed_size_add, rate, 1.0 / noise, 1.0, epsilon) ==
              Approx(fixed.add).epsilon(2e-3).margin(1e-15));
      }
    }
  }
}

TEST_CASE("the pair of Theorem F.8 does not dominate batches of a fixed size", "[correlated][counter-example]") {
  // Other gradients -1, the record's +1 or 0: (1-r) N(-1) + r N(1) against (1-r) N(-1) + r N(0).
  struct Row {
    double rate, noise, epsilon, truth, claimed, same_batch;
  };
  for (const Row& row :
       {Row{0.5, 1.0, 1.0, 0.058692, 0.028868, 0.063468}, Row{0.1, 1.0, 1.0, 0.0077172, 0.00020712, 0.012694},
        Row{0.01, 0.8, 0.5, 1.591e-3, 8.97e-6, 3.3728e-3}}) {
    const double truth = fixed_size_step_zero_out(row.rate, row.noise, row.epsilon).remove;
    CHECK(truth == Approx(row.truth).epsilon(1e-3));
    CHECK(one_step_remove_delta(row.rate, row.noise, row.epsilon) == Approx(row.claimed).epsilon(1e-3));
    CHECK(truth > 2.0 * row.claimed);
    CHECK(row.rate * tradeoff::delta_of_epsilon(row.epsilon, 1.0 / row.noise) == Approx(row.same_batch).epsilon(1e-3));
    CHECK(truth < row.same_batch);
  }
}

TEST_CASE("one step of a fixed size where e^epsilon overflows", "[correlated][mixture]") {
  // Only N(1) against N(0) is left, at its threshold 1 for epsilon = 5000: r (P(Z > 0) - e^5000 P(Z > 100)).
  CHECK(fixed_size_step_zero_out(0.1, 0.01, 5000.0).remove == Approx(0.0496010976018583).epsilon(1e-10));
  CHECK(fixed_size_step_zero_out(0.1, 0.01, 1000.0).remove == Approx(0.1).epsilon(1e-14));
  for (const double noise : {0.01, 0.5, 10.0}) {
    for (const double epsilon : {1e5, 1e308}) {
      const auto step = fixed_size_step_zero_out(0.1, noise, epsilon);
      CHECK(step.remove == 0.0);
      CHECK(step.add == 0.0);
    }
  }
}

TEST_CASE("two steps without correlation are the composition of one", "[correlated][mixture]") {
  const auto two = StrategyMatrix::exponential(0.0, 2);
  for (const double epsilon : {0.1, 0.8}) {
    CHECK(few_steps_delta(two, 0.3, 1.0, {1.0, 0.0}, epsilon) ==
          Approx(composed(Pair::poisson_remove, 0.3, 1.0, 2.0, epsilon)).epsilon(1e-4));
    CHECK(few_steps_delta(two, 0.3, 1.0, {1.0, -1.0}, epsilon) ==
          Approx(composed(Pair::poisson_replace_one, 0.3, 1.0, 2.0, epsilon)).epsilon(1e-4));
  }
}

TEST_CASE("two steps with much noise keep their digits: total variation is the mean shift", "[correlated][mixture]") {
  // To first order in 1/kappa the mixtures differ by the mean: |first - second| r |C 1| phi(0)/kappa.
  for (const double noise : {1e3, 1e6, 1e9}) {
    for (const double rate : {1e-6, 0.3}) {
      const auto two = StrategyMatrix::exponential(0.9, 2);
      const double shift = rate * std::hypot(1.0, 1.9) / noise / std::sqrt(2.0 * std::acos(-1.0));
      CAPTURE(noise, rate);
      CHECK(few_steps_delta(two, rate, noise, {1.0, 0.0}, 0.0) == Approx(shift).epsilon(1e-4));
      CHECK(few_steps_delta(two, rate, noise, {2.0, -1.0}, 0.0) == Approx(3.0 * shift).epsilon(1e-4));
    }
  }
}

TEST_CASE("the orders of two steps satisfy H_a(P, Q) = 1 - a + a H_{1/a}(Q, P) at a = 1", "[correlated][mixture]") {
  const auto two = StrategyMatrix::exponential(0.5, 2);
  CHECK(few_steps_delta(two, 0.3, 1.0, {1.0, 0.0}, 0.0) ==
        Approx(few_steps_delta(two, 0.3, 1.0, {0.0, 1.0}, 0.0)).epsilon(1e-9));
}

TEST_CASE("increasing any entry of the strategy increases the divergence", "[correlated][mixture]") {
  double before = 0.0;
  for (const double lambda : {0.0, 0.2, 0.5, 0.9}) {
    const double delta = few_steps_delta(StrategyMatrix::exponential(lambda, 2), 0.3, 1.0, {2.0, -1.0}, 0.5);
    CHECK(delta > before);
    before = delta;
  }
}

TEST_CASE("exact Renyi divergences agree with one-step ones that compose", "[correlated][renyi]") {
  for (const double order : {2.0, 3.0, 7.0}) {
    const double one = accounting::poisson_renyi(0.2, 1.0, order, accounting::Direction::remove).middle();
    CHECK(exact_renyi(StrategyMatrix::exponential(0.0, 3), 0.2, 1.0, order).middle() ==
          Approx(3.0 * one).epsilon(1e-12));
  }
  CHECK(exact_renyi(StrategyMatrix::exponential(0.5, 2), 1.0, 1.0, 4.0).middle() ==
        Approx(2.0 * (1.0 + 1.5 * 1.5)).epsilon(1e-12));  // a Gaussian: order |C 1|^2 / 2
  CHECK_THROWS_AS(exact_renyi(StrategyMatrix::exponential(0.5, 20), 0.1, 1.0, 4.0), DomainError);
}

TEST_CASE("Renyi divergences of independent noise are proved to the last digits", "[correlated][renyi][accuracy]") {
  struct Row {
    double order, rate, noise;
    std::size_t steps;
    double exact;
  };
  // mpmath, 60 digits.
  for (const Row& row :
       {Row{5.0, 0.2, 1.0, 3, 1.860722723575461967065201}, Row{3e5, 0.5, 3e5, 1, 0.0000004166670138885995356304641},
        Row{2.0, 1e-9, 10.0, 10000, 1.005016708416805879399575e-16},
        Row{64.0, 0.001, 1e4, 10000000, 0.000003200000017982000214603396},
        Row{200.0, 0.01, 0.3, 5, 5532.413996831997718773292}}) {
    CAPTURE(row.order, row.rate, row.noise);
    const Enclosure found = exact_renyi(StrategyMatrix::exponential(0.0, row.steps), row.rate, row.noise, row.order);
    CHECK(found.contains(row.exact));
    CHECK(found.relative_width() < 4e-15);
  }
}

TEST_CASE("the rounding of the Renyi bound is bounded and grows no faster than the steps", "[correlated][renyi]") {
  // Independent noise: one cell, no chord, so that all that the bound adds is rounding.
  for (const double steps : {10.0, 1e4}) {
    for (const double rate : {1e-9, 1e-3, 0.3}) {
      for (const double noise : {0.5, 10.0, 1e3}) {
        for (const double order : {2.0, 5.0, 200.0}) {
          const auto strategy = StrategyMatrix::exponential(0.0, static_cast<std::size_t>(steps));
          const Enclosure exact = exact_renyi(strategy, rate, noise, order);
          const double bound = renyi_bound({1.0, 0.0}, steps, rate, noise, {1.0, 0.0}, order);
          CAPTURE(steps, rate, noise, order, exact.lower, bound);
          CHECK(bound >= exact.upper);
          CHECK(bound <= exact.lower * (1.0 + 1e-9));
        }
      }
    }
  }
}

TEST_CASE("the Renyi bound lies above the exact divergence and close to it", "[correlated][renyi]") {
  for (const double lambda : {0.0, 0.5, 0.9}) {
    for (const double rate : {0.05, 0.3}) {
      for (const double order : {2.0, 3.0, 5.0}) {
        const auto strategy = StrategyMatrix::exponential(lambda, 5);
        const double exact = exact_renyi(strategy, rate, 3.0, order).middle();
        const double bound = renyi_bound({1.0, lambda}, 5.0, rate, 3.0, {1.0, 0.0}, order);
        CAPTURE(lambda, rate, order, exact, bound);
        CHECK(bound >= exact);
        CHECK(bound <= exact * 2.0);
        if (lambda == 0.0) {
          CHECK(bound == Approx(exact).epsilon(1e-3));
        }
      }
    }
  }
}

TEST_CASE("the order without the record first has a Renyi bound that is exact for a Gaussian and above quadrature",
          "[correlated][renyi]") {
  const auto strategy = StrategyMatrix::exponential(0.5, 4);
  double together = 0.0;  // |C 1|^2
  for (const double x : {1.0, 1.5, 1.75, 1.875}) {
    together += x * x;
  }
  CHECK(MixtureBound(strategy, 1.0, 3.0, {0.0, 1.0}).renyi(2.5) == Approx(2.5 * together / 18.0).epsilon(1e-10));
  for (const double order : {1.5, 4.0}) {
    const double bound = MixtureBound(StrategyMatrix::exponential(0.0, 3), 0.2, 1.5, {0.0, 1.0}).renyi(order);
    const double exact = 3.0 * accounting::poisson_renyi(0.2, 1.0 / 1.5, order, accounting::Direction::add).upper;
    CHECK(bound >= exact);
    CHECK(bound < 8.0 * exact);
  }
}

TEST_CASE("certified bounds lie above the exact delta of two steps in every row of the table", "[correlated][bound]") {
  const auto two = StrategyMatrix::exponential(0.5, 2);
  for (const MeanMultiples m : {MeanMultiples{1.0, 0.0}, MeanMultiples{0.0, 1.0}, MeanMultiples{1.0, -1.0},
                                MeanMultiples{2.0, -1.0}, MeanMultiples{-1.0, 2.0}, MeanMultiples{2.0, -2.0}}) {
    for (const double rate : {0.1, 0.6}) {
      for (const double noise : {1.5, 4.0}) {
        CAPTURE(m.first, m.second, rate, noise);
        const double exact = few_steps_delta(two, rate, noise, m, 0.3);
        CHECK(MixtureBound(two, rate, noise, m).delta(0.3).delta >= exact);
      }
    }
  }
}

TEST_CASE("question 1: r = 0.1, T = 400, lambda = 0.9 is certified at a noise multiplier of 81.5, by chords and orders",
          "[correlated][bound]") {
  const auto strategy = StrategyMatrix::exponential(0.9, 400);
  const MixtureBound remove(strategy, 0.1, 81.6, {1.0, 0.0}), add(strategy, 0.1, 81.6, {0.0, 1.0});
  CHECK(remove.delta(1.0).delta <= 1e-5);
  CHECK(add.delta(1.0).delta <= 1e-5);
  CHECK(remove.epsilon(1e-5).epsilon <= 1.0);
  CHECK(add.epsilon(1e-5).epsilon <= 1.0);
  // The estimate of the pair is 74.0: nothing below it may be certified.
  CHECK(MixtureBound(strategy, 0.1, 73.5, {1.0, 0.0}).delta(1.0).delta > 1e-5);
}

TEST_CASE("without correlation the certified bound is at least the composed profile", "[correlated][bound]") {
  const auto strategy = StrategyMatrix::exponential(0.0, 50);
  for (const double noise : {1.0, 3.0}) {
    CHECK(MixtureBound(strategy, 0.1, noise, {1.0, 0.0}).delta(1.0).delta >=
          composed(Pair::poisson_remove, 0.1, 1.0 / noise, 50.0, 1.0));
    CHECK(MixtureBound(strategy, 0.1, noise, {0.0, 1.0}).delta(1.0).delta >=
          composed(Pair::poisson_add, 0.1, 1.0 / noise, 50.0, 1.0));
  }
}

TEST_CASE("a strategy is dominated entry by entry by its exponential", "[correlated][bound]") {
  const auto band = StrategyMatrix::toeplitz({1.0, -0.6, 0.3}, 20);
  const auto found = dominating_exponential(band);
  for (std::size_t t = 0; t < 20; ++t) {
    for (std::size_t u = 0; u <= t; ++u) {
      CHECK(found.factor * std::pow(found.lambda, static_cast<double>(t - u)) >= std::abs(band(t, u)));
    }
  }
  CHECK(found.factor < 1.2);
  CHECK(dominating_exponential(StrategyMatrix::exponential(0.3, 5)).lambda == 0.3);
}
