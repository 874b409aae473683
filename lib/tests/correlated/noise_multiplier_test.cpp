// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The printed closed forms. Vectors: data/reference/kan-correlated-noise.json, checked by `dpcurves eval --check`.
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;

TEST_CASE("conversions of a Gaussian's Renyi divergence lie above its exact epsilon, the tighter one nearer",
          "[correlated][noise-multiplier]") {
  const double order = GENERATE(1.5, 4.0, 30.0), deviation = GENERATE(0.8, 5.0), delta = GENERATE(1e-9, 1e-3);
  const auto found = gaussian_rdp(order, 2.0, deviation, delta);
  CHECK(found.rdp == Approx(2.0 * order / (deviation * deviation)).epsilon(1e-14));
  CHECK(found.tighter_epsilon < found.epsilon);
  CHECK(found.tighter_epsilon >= tradeoff::epsilon_of_delta(delta, 2.0 / deviation));
  CHECK_THROWS_WITH(gaussian_rdp(1.0, 2.0, deviation, delta), Catch::Contains("order = 1"));
  CHECK_THROWS_WITH(gaussian_rdp(order, 2.0, 0.0, delta), Catch::Contains("deviation = 0"));
}

TEST_CASE("a closed-form noise multiplier gives back its epsilon", "[correlated][closed-form]") {
  const ClosedForm setting{0.9, 0.1, 400.0, 0.7, 1e-5};
  const auto answer = closed_form(setting);
  CHECK(closed_form_epsilon(setting, answer.noise_multiplier, replacement_constant).value() ==
        Approx(0.7).epsilon(1e-12));
  CHECK(closed_form_epsilon(setting, answer.noise_multiplier_constant_2, zero_out_constant).value() ==
        Approx(0.7).epsilon(1e-12));
  CHECK(answer.noise_multiplier == Approx(2.0 * answer.noise_multiplier_constant_2).epsilon(1e-14));
}

TEST_CASE("the closed form says nothing for short runs and for epsilon above 1", "[correlated][closed-form]") {
  const auto answer = closed_form({0.9, 0.02, 400.0, 1.0, 1e-5});
  CHECK_FALSE(answer.valid);
  CHECK(answer.required_participations == Approx(36.618217936590526).epsilon(1e-13));
  CHECK_FALSE(closed_form_epsilon({0.9, 0.02, 400.0, 1.0, 1e-5}, 1e3, zero_out_constant).has_value());
  CHECK_FALSE(closed_form_epsilon({0.9, 0.1, 400.0, 1.0, 1e-5}, 440.0, zero_out_constant).has_value());
  CHECK(closed_form_epsilon({0.9, 0.1, 400.0, 1.0, 1e-5}, 442.0, zero_out_constant).has_value());
}

TEST_CASE("at epsilon = 1 the calibration inside the closed form is a valid Gaussian one",
          "[correlated][closed-form]") {
  // sigma = sqrt(2 log(1.25/(delta/2))) Delta/epsilon, proved in the literature for epsilon < 1 only.
  for (double delta = 1.0; delta > 1e-15; delta /= 3.0) {
    CAPTURE(delta);
    const double mu = 1.0 / std::sqrt(2.0 * std::log(2.5 / delta));
    CHECK(tradeoff::delta_of_epsilon(1.0, mu) <= 0.5 * delta);
  }
}

TEST_CASE("the independent-noise theorem is certified nowhere that its own lemma does not reach",
          "[correlated][independent-noise]") {
  // Question 3 of the user: q = 5e-4, T = 2000, epsilon = 1, delta = 5e-7.
  const auto answer = independent_noise(5e-4, 2000.0, 1.0, 5e-7);
  CHECK(answer.noise_multiplier == Approx(0.490039).epsilon(1e-6));
  CHECK_FALSE(answer.certified);
  const accounting::Composition instance{
      0.0, {{5e-4, 1.0 / answer.noise_multiplier, 2000.0, accounting::Pair::poisson_replace_one}}};
  const auto delta = accounting::delta_at(instance, 1.0, {1e-4, false}).delta;
  CHECK(delta.lower > 1000.0 * 5e-7);
  CHECK(delta.middle() == Approx(7.33e-4).epsilon(0.01));
  // The leading term 8 a q^2/kappa^2 is below the lemma it is said to simplify; more noise certifies.
  CHECK(printed_fixed_size_rdp(0.01, 25.0, 6.2) < fixed_size_rdp(0.01, 25.0, 6.2));
  CHECK(independent_noise(0.1, 1e6, 1e-3, 1e-5).certified_at_order ==
        (independent_noise(0.1, 1e6, 1e-3, 1e-5).epsilon <= 1e-3));
}

TEST_CASE("the corrected Renyi sum lies above the exact worst case of one step", "[correlated][independent-noise]") {
  for (const double rate : {0.01, 0.1, 0.5}) {
    for (const double noise : {0.8, 2.0, 10.0}) {
      for (const double order : {2.0, 3.0, 8.0, 20.0}) {
        CAPTURE(rate, noise, order);
        const accounting::Composition step{0.0, {{rate, 2.0 / noise, 1.0, accounting::Pair::symmetrised}}};
        CHECK(fixed_size_rdp(rate, order, noise) >= accounting::renyi(step, order).lower);
      }
    }
  }
}

TEST_CASE("the best integer order is the best of all", "[correlated][independent-noise]") {
  for (const double noise : {0.7, 6.2}) {
    const auto best = fixed_size_rdp_epsilon(0.01, 1000.0, noise, 1e-5);
    double least = 1e300;
    for (double order = 2.0; order < 1000.0; ++order) {
      least = std::min(least, 1000.0 * fixed_size_rdp(0.01, order, noise) + std::log(1e5) / (order - 1.0));
    }
    CAPTURE(noise, best.order);
    CHECK(best.epsilon == Approx(least).epsilon(1e-13));
  }
}

TEST_CASE("the first k steps are the most sensitive for monotone Toeplitz matrices", "[correlated][sensitivity]") {
  constexpr std::size_t steps = 12;
  const auto strategies = {models::StrategyMatrix::exponential(0.7, steps),
                           models::StrategyMatrix::toeplitz({1.0, 0.8, 0.8, 0.1}, steps)};
  for (const auto& strategy : strategies) {
    const auto found = encoded_sensitivities(strategy);
    CHECK(found.exact);
    std::vector<double> largest(steps + 1, 0.0);
    for (unsigned y = 0; y < (1U << steps); ++y) {
      std::vector<double> x(steps);
      std::size_t k = 0;
      for (std::size_t t = 0; t < steps; ++t) {
        x[t] = (y >> t) & 1U;
        k += (y >> t) & 1U;
      }
      strategy.multiply(x);
      double square = 0.0;
      for (const double v : x) {
        square += v * v;
      }
      largest[k] = std::max(largest[k], std::sqrt(square));
    }
    for (std::size_t k = 0; k <= steps; ++k) {
      CHECK(found.values[k] == Approx(largest[k]).margin(1e-13));
    }
  }
}

TEST_CASE("other matrices have their sensitivity bounded by row sums", "[correlated][sensitivity]") {
  // Coefficients (1, 0, .9, 0, .8): steps {1, 3} give 2.853, steps {1, 2} only 2.214.
  const auto strategy = models::StrategyMatrix::toeplitz({1.0, 0.0, 0.9, 0.0, 0.8}, 8);
  const auto found = encoded_sensitivities(strategy);
  CHECK_FALSE(found.exact);
  std::vector<double> spread(8, 0.0), first(8, 0.0);
  spread[0] = spread[2] = first[0] = first[1] = 1.0;
  strategy.multiply(spread);
  strategy.multiply(first);
  const auto norm = [](const std::vector<double>& x) {
    double sum = 0.0;
    for (const double v : x) {
      sum += v * v;
    }
    return std::sqrt(sum);
  };
  CHECK(norm(spread) == Approx(2.853).epsilon(1e-3));
  CHECK(norm(first) == Approx(2.214).epsilon(1e-3));
  CHECK(found.values[2] >= norm(spread));
}

TEST_CASE("sensitivities of lambda-CGD agree with the closed form and stay below the printed bound",
          "[correlated][sensitivity]") {
  const auto all = encoded_sensitivities(models::StrategyMatrix::exponential(0.95, 400));
  for (const double k : {0.0, 1.0, 7.0, 40.0, 399.0, 400.0}) {
    CHECK(all.values[static_cast<std::size_t>(k)] == Approx(encoded_sensitivity(0.95, k, 400.0)).epsilon(1e-12));
    CHECK(encoded_sensitivity(0.95, k, 400.0) <= printed_encoded_sensitivity(0.95, k, 400.0));
  }
  // All steps: (T - 2 lambda g + lambda^2 (1 - lambda^{2T})/(1 - lambda^2))/(1 - lambda)^2.
  const double g = gain(0.95, 400.0);
  const double closed = (400.0 - 1.9 * g + 0.9025 * (1.0 - std::pow(0.95, 800.0)) / (1.0 - 0.9025)) / 0.0025;
  CHECK(all.values[400] == Approx(std::sqrt(closed)).epsilon(1e-12));
  CHECK(gain(1.0, 7.0) == 7.0);
  CHECK(gain(0.0, 7.0) == 1.0);
}

TEST_CASE("noise costs are the maximum, the mean square and the last of what builds up", "[correlated][sensitivity]") {
  const auto strategy = models::StrategyMatrix::exponential(0.9, 200);
  CHECK(noise_cost(strategy, NoiseCost::last) == Approx(std::sqrt(2.99)).epsilon(1e-12));
  CHECK(noise_cost(strategy, NoiseCost::maximum) == noise_cost(strategy, NoiseCost::last));
  CHECK(noise_cost(strategy, NoiseCost::mean) == Approx(std::sqrt(1.0 + 99.5 * 0.01)).epsilon(1e-12));
  // On a quadratic the stationary variance per unit step is ((1-l)^2 + 2 l eta a)/(eta a (2 - eta a)).
  const double product = 0.1;
  CHECK(std::pow(noise_cost(strategy, NoiseCost::last, 1.0 - product), 2) ==
        Approx((0.01 + 2.0 * 0.9 * product) / (product * (2.0 - product))).epsilon(1e-9));
  CHECK_THROWS_AS(noise_cost_of("median"), DomainError);
}

TEST_CASE("sensitivities of a billion participations need no loop and keep their digits", "[correlated][sensitivity]") {
  for (const double away : {0.5, 1e-3, 1e-5, 4.9e-6, 5.1e-6, 1e-7, 1e-12, 0.0}) {
    const double lambda = 1.0 - away;
    long double x = 0.0L, squares = 0.0L;
    for (int t = 0; t < 20000; ++t) {
      x = static_cast<long double>(lambda) * x + 1.0L;
      squares += x * x;
    }
    CAPTURE(lambda);
    CHECK(encoded_sensitivity(lambda, 20000.0, 20000.0) ==
          Approx(static_cast<double>(std::sqrt(squares))).epsilon(1e-13));
  }
  // 50 digits: sums in closed form.
  CHECK(encoded_sensitivity(0.9, 1e9, 1e9) == Approx(316227.76384485255).epsilon(1e-13));
  CHECK(encoded_sensitivity(1.0 - 0x1p-30, 1e9, 1e12) == Approx(20069123996359.179).epsilon(1e-13));
  CHECK(encoded_sensitivity(1.0 - 0x1p-40, 1e9, 1e9) == Approx(18251193293338.525).epsilon(1e-13));
  CHECK(encoded_sensitivity(1.0 - 0x1p-53, 1e15, 1e15) == Approx(1.7520290635976309e22).epsilon(1e-13));
}
