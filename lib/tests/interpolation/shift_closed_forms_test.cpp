// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <random>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>
#include <dpcurves/rigorous/ball.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;
using rigorous::Real;

namespace {

double solved(double c, const std::vector<double>& s, double start) {
  return solve_shift_problem(std::vector<double>(s.size(), c), s, start).sum_a2.middle();
}

/// Sensitivities of E epochs of l batches of which number `position` differs.
std::vector<double> cyclic(std::size_t l, std::size_t E, std::size_t position, double s) {
  std::vector<double> result(l * E, 0.0);
  for (std::size_t k = position - 1; k < result.size(); k += l) {
    result[k] = s;
  }
  return result;
}

}  // namespace

TEST_CASE("Lemma C.6 is the optimum of the shift problem", "[interpolation]") {
  const double c = GENERATE(0.0, 1e-5, 0.5, 0.9, 0.999, 1.0);
  const std::size_t t = GENERATE(1U, 2U, 7U, 1000U);
  const std::vector<double> s(t, 0.7);
  const double optimum = strongly_convex_optimum(Contraction::factor(c), 0.7, static_cast<double>(t));
  CHECK(optimum == Approx(solved(c, s, 0.0)).epsilon(4e-15));
  if (c > 0.0) {
    const auto exact = solve_shift_problem(std::vector<double>(t, c), s, 0.0);
    const auto closed = strongly_convex_sequences(Contraction::factor(c), 0.7, static_cast<double>(t));
    for (std::size_t k = 0; k < t; ++k) {
      CHECK(closed.a[k] == Approx(exact.a[k]).epsilon(1e-13).margin(1e-300));
      CHECK(closed.z[k] == Approx(exact.z[k]).epsilon(1e-12).margin(1e-14));
      CHECK(closed.lambda[k] == Approx(exact.lambda[k]).epsilon(1e-12).margin(1e-14));
    }
  }
}

TEST_CASE("the exponent t - k + 1 in the weights of Lemma C.6 would not end at distance 0", "[interpolation]") {
  const double c = 0.9;
  const double t = 6.0;
  const auto last_distance = [c, t](double shift) {
    double z = 0.0;
    for (double k = 1.0; k <= t; ++k) {
      const double lambda =
          std::pow(c, t - k) * (1.0 - c * c) / (1.0 - std::pow(c, t - k + shift) - std::pow(c, k) + std::pow(c, t));
      z = (1.0 - lambda) * (c * z + 1.0);
    }
    return z;
  };
  CHECK(std::abs(last_distance(2.0)) < 1e-14);
  CHECK(std::abs(last_distance(1.0)) > 0.01);
}

TEST_CASE("Lemma C.8 and its strongly convex form are the optimum from a distance", "[interpolation]") {
  const double c = GENERATE(0.0, 0.5, 0.9, 0.999, 1.0);
  const double diameter = GENERATE(0.0, 0.3, 3.0, 50.0);
  const std::size_t n = GENERATE(1U, 3U, 40U, 400U);
  const auto contraction = Contraction::factor(c);
  const double optimum = constrained_optimum(contraction, 0.3, diameter, static_cast<double>(n));
  CHECK(optimum == Approx(solved(c, std::vector<double>(n, 0.3), diameter)).epsilon(4e-14));
  CHECK(optimum >= constrained_infimum(contraction, 0.3, diameter) * (1.0 - 1e-14));
  if (c == 1.0) {
    const auto sequences = convex_diameter_sequences(0.3, diameter, static_cast<double>(n));
    const auto exact = solve_shift_problem(std::vector<double>(n, 1.0), std::vector<double>(n, 0.3), diameter);
    for (std::size_t k = 0; k < n; ++k) {
      CHECK(sequences.a[k] == Approx(exact.a[k]).epsilon(1e-13));
      CHECK(sequences.z[k] == Approx(exact.z[k]).epsilon(1e-12).margin(1e-13));
      CHECK(sequences.lambda[k] == Approx(exact.lambda[k]).epsilon(1e-12).margin(1e-13));
    }
  }
}

TEST_CASE("the least value over real horizons is attained at the real horizon", "[interpolation]") {
  struct Case {
    double c, s, diameter, integer_minimum, infimum;
  };
  const auto at = GENERATE(Case{0.9, 0.3, 1.0, 0.950335, 0.95}, Case{0.99, 0.05, 2.0, 0.3184008, 0.3184},
                           Case{0.999, 0.01, 3.0, 0.10194905, 0.101949});
  const auto contraction = Contraction::factor(at.c);
  const double n = constrained_horizon(contraction, at.s, at.diameter);
  CHECK(constrained_infimum(contraction, at.s, at.diameter) == Approx(at.infimum).epsilon(1e-13));
  CHECK(std::min(constrained_optimum(contraction, at.s, at.diameter, std::floor(n)),
                 constrained_optimum(contraction, at.s, at.diameter, std::ceil(n))) ==
        Approx(at.integer_minimum).epsilon(1e-6));
  CHECK(constrained_horizon(contraction, at.s, at.s / (1.0 - at.c) * 1.001) == infinity);
  CHECK(constrained_infimum(contraction, at.s, 1e9) ==
        Approx(strongly_convex_optimum(contraction, at.s, infinity)).epsilon(1e-15));
}

TEST_CASE("one batch position has its optimum in one or two chords", "[interpolation]") {
  const double c = GENERATE(0.3, 0.9, 0.95, 0.9999, 1.0);
  const std::size_t l = GENERATE(1U, 2U, 4U, 9U);
  const std::size_t E = GENERATE(1U, 2U, 5U, 30U);
  test::Worst worst;
  for (std::size_t position = 1; position <= l; ++position) {
    const double closed = cyclic_optimum(Contraction::factor(c), 0.8, static_cast<double>(l), static_cast<double>(E),
                                         static_cast<double>(position));
    worst.see(test::relative_error(closed, solved(c, cyclic(l, E, position, 0.8), 0.0)), static_cast<double>(position));
  }
  CAPTURE(c, l, E, worst.at, worst.error);
  CHECK(worst.error < 1e-13);
  if (l >= 2) {
    CHECK(cyclic_optimum_before_last(Contraction::factor(c), 0.8, static_cast<double>(l), static_cast<double>(E)) +
              0.64 ==
          Approx(solved(c, cyclic(l, E, l, 0.8), 0.0)).epsilon(1e-14));
  }
}

TEST_CASE("the constrained cyclic bound over its horizons is the minorant over all starts", "[interpolation]") {
  const double c = GENERATE(0.5, 0.95, 0.999, 1.0);
  const double diameter = GENERATE(0.0, 0.01, 0.5, 0.79, 0.81, 2.0, 2.5, 7.3, 30.0);
  const double l = GENERATE(1.0, 2.0, 3.0, 5.0);
  const double E = GENERATE(1.0, 2.0, 12.0, 60.0);
  const auto step = [c, l](std::size_t r) {
    return ShiftStep{c, (r - 1) % static_cast<std::size_t>(l) == 0 ? 1.0 : 0.0};
  };
  const double exact = best_over_starts(step, l * E, diameter).sum_a2.middle();
  const auto closed = cyclic_constrained_best(Contraction::factor(c), 1.0, diameter, l, E);
  CAPTURE(c, diameter, l, E);
  CHECK(closed.optimum == Approx(exact).epsilon(1e-13));
}

TEST_CASE("the improved horizon outside its domain undercuts the optimum", "[interpolation]") {
  // The printed start index of Lemma C.11 leads to this formula; at l = 5, n = 10, D = 0.1 it is a false guarantee.
  const Contraction convex;
  const std::vector<double> s = cyclic(5, 10, 5, 1.0);
  const auto improved = cyclic_constrained(convex, 1.0, 0.1, 5.0, 10.0);
  CHECK(improved.before_last == Approx(1.690).epsilon(1e-5));
  CHECK(solved(1.0, s, 0.1) - 1.0 == Approx(1.8025).epsilon(1e-12));
  CHECK_FALSE(improved.feasible);
  CHECK(1.0 + cyclic_convex_feasible(1.0, 0.1, 5.0, 10.0) >= solved(1.0, s, 0.1));
}

TEST_CASE("a contraction keeps the digits of both c and 1 - c", "[interpolation]") {
  CHECK(Contraction::complement(1e-14).decay() == Approx(1e-14).epsilon(2e-14));
  CHECK(Contraction::complement(1e-14).one_minus_power(1e6) == Approx(9.99999995e-9).epsilon(1e-12));
  CHECK(Contraction::factor(1e-20).decay() == Approx(20.0 * std::log(10.0)).epsilon(1e-15));
  CHECK(Contraction::factor(0.0).power(0.0) == 1.0);
  CHECK(Contraction::factor(1.0).power(infinity) == 1.0);
  CHECK(Contraction::factor(0.0).geometric_sum(3.0) == 1.0);
  CHECK(Contraction::factor(1.0).geometric_sum(3.0) == 3.0);
  CHECK_THROWS_AS(Contraction::factor(1.0 + 1e-15), DomainError);
  CHECK_THROWS_AS(Contraction::complement(std::nan("")), DomainError);
}

TEST_CASE("the parameters of noisy gradient descent hold the optimum of the chord, summed step by step",
          "[noisy_gd][proved]") {
  // S^2 / T over one block, S and T summed term by term in 400 bits.
  std::mt19937_64 generator(5);
  const auto power = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution(low, high)(generator));
  };
  const rigorous::Precision precision(400);
  for (int i = 0; i < 60; ++i) {
    const double gap = i % 4 == 0 ? 1.0 - power(-10, -0.4) : power(-16, -0.4);
    const double kappa = power(-3, 1), diameter = power(-2, 2);
    const int t = 1 + static_cast<int>(generator() % 300);
    const Contraction contraction = Contraction::complement(gap);
    const Real c = Real(1) - Real(gap);
    // Weights 1, c, c^2, ... from the last step back.
    Real weight(1), S, T;
    for (int k = 0; k < t; ++k) {
      S += weight * Real(kappa);
      T += weight * weight;
      weight = weight * c;
    }
    NoisyDescent descent;
    descent.effective_sensitivity = kappa;
    descent.contraction = contraction;
    const Real free = S / sqrt(T), constrained = (S + weight * Real(diameter)) / sqrt(T);
    const Enclosure mu = strongly_convex_mu(NoisyGd{descent, double(t)});
    CAPTURE(gap, kappa, t, mu.lower, mu.upper);
    CHECK(free >= Real(mu.lower));
    CHECK(free <= Real(mu.upper));
    CHECK(mu.relative_width() < 1e-14);
    CHECK(std::abs(constrained_optimum(contraction, kappa, diameter, t) / (constrained * constrained).middle() - 1.0) <
          3e-16);
  }
}
