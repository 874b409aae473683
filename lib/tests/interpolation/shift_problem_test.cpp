// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <optional>
#include <random>
#include <stdexcept>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <nlopt.hpp>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;

namespace {

struct Problem {
  std::vector<double> c;
  std::vector<double> s;
  double start = 0.0;
};

/// Optimum by trying every set of steps after which the distance is 0: between them the shifts are proportional to
/// the weights, and the set counts if no distance is negative.
double by_enumeration(const Problem& problem) {
  const std::size_t t = problem.c.size();
  double best = infinity;
  for (unsigned set = 0; set < (1U << (t - 1)); ++set) {
    double total = 0.0;
    double start = problem.start;
    std::size_t first = 0;
    bool feasible = true;
    for (std::size_t last = 0; last < t && feasible; ++last) {
      if (last + 1 < t && (set >> last & 1U) == 0) {
        continue;
      }
      std::vector<double> w(last - first + 1, 1.0);
      for (std::size_t k = last; k > first; --k) {
        w[k - 1 - first] = w[k - first] * problem.c[k];
      }
      double T = 0.0;
      double S = w[0] * problem.c[first] * start;
      for (std::size_t k = first; k <= last; ++k) {
        T += w[k - first] * w[k - first];
        S += w[k - first] * problem.s[k];
      }
      double z = start;
      for (std::size_t k = first; k <= last; ++k) {
        z = problem.c[k] * z + problem.s[k] - w[k - first] * S / T;
        feasible = feasible && z > -1e-12 * (1.0 + S);
      }
      total += S * S / T;
      start = 0.0;
      first = last + 1;
    }
    if (feasible) {
      best = std::min(best, total);
    }
  }
  return best;
}

/// The shifts as free variables, z_t = 0 as equality and the distances as inequality constraints. Nothing where the
/// optimiser gives up.
std::optional<double> by_sequential_quadratic_programming(const Problem& problem) {
  const auto t = static_cast<unsigned>(problem.c.size());
  nlopt::opt optimiser(nlopt::LD_SLSQP, t);
  const auto objective = [](const std::vector<double>& a, std::vector<double>& gradient, void*) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      sum += a[k] * a[k];
      if (!gradient.empty()) {
        gradient[k] = 2.0 * a[k];
      }
    }
    return sum;
  };
  const auto constraints = [](unsigned m, double* result, unsigned n, const double* a, double* gradient, void* data) {
    const auto& p = *static_cast<const Problem*>(data);
    double z = p.start;
    std::vector<double> slope(n, 0.0);
    for (unsigned k = 0; k < m; ++k) {
      z = p.c[k] * z + p.s[k] - a[k];
      for (unsigned j = 0; j < k; ++j) {
        slope[j] *= p.c[k];
      }
      slope[k] = -1.0;
      result[k] = -z;
      for (unsigned j = 0; gradient != nullptr && j < n; ++j) {
        gradient[k * n + j] = -slope[j];
      }
    }
  };
  const auto last = [](const std::vector<double>& a, std::vector<double>& gradient, void* data) {
    const auto& p = *static_cast<const Problem*>(data);
    double z = p.start;
    std::vector<double> slope(a.size(), 0.0);
    for (std::size_t k = 0; k < a.size(); ++k) {
      z = p.c[k] * z + p.s[k] - a[k];
      for (std::size_t j = 0; j < k; ++j) {
        slope[j] *= p.c[k];
      }
      slope[k] = -1.0;
    }
    if (!gradient.empty()) {
      gradient = slope;
    }
    return z;
  };
  Problem copy = problem;
  optimiser.set_min_objective(objective, nullptr);
  optimiser.set_lower_bounds(0.0);
  if (t > 1) {
    optimiser.add_inequality_mconstraint(constraints, &copy, std::vector<double>(t - 1, 1e-13));
  }
  optimiser.add_equality_constraint(last, &copy, 1e-13);
  optimiser.set_ftol_rel(1e-13);
  optimiser.set_maxeval(5000);
  std::vector<double> a = problem.s;  // composition with z = 0 after the first step is feasible
  a[0] += problem.c[0] * problem.start;
  double value = 0.0;
  try {
    optimiser.optimize(a, value);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  return value;
}

Problem random_problem(std::mt19937_64& random, std::size_t longest) {
  const auto uniform = [&random] { return std::uniform_real_distribution<double>()(random); };
  Problem problem;
  const std::size_t t = 1 + random() % longest;
  const double special[] = {0.0, 0.3, 0.9, 1.0, 1.3};
  for (std::size_t k = 0; k < t; ++k) {
    problem.c.push_back(uniform() < 0.5 ? special[random() % 5] : 1.5 * uniform());
    problem.s.push_back(uniform() < 0.5 ? 0.0 : uniform());
  }
  problem.start = std::vector<double>{0.0, 0.5, 3.0}[random() % 3];
  return problem;
}

/// The optimum by the minorant in numbers of 113 bits, without ties.
boost::multiprecision::cpp_bin_float_quad in_quadruple(const Problem& problem) {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  struct Block {
    Quad T, S, P;
  };
  std::vector<Block> blocks;
  for (std::size_t k = 0; k < problem.c.size(); ++k) {
    const Quad c = problem.c[k];
    Block block{1, Quad(problem.s[k]) + (k == 0 ? c * problem.start : Quad(0)), c};
    while (!blocks.empty() && blocks.back().S * block.T >= block.P * block.S * blocks.back().T) {
      const Block& last = blocks.back();
      block = {last.T * block.P * block.P + block.T, last.S * block.P + block.S, last.P * block.P};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  Quad sum = 0;
  for (const Block& b : blocks) {
    sum += b.S * b.S / b.T;
  }
  return sum;
}

double residual(const Problem& problem, const ShiftSolution& solution) {
  double worst = 0.0;
  double z = problem.start;
  for (std::size_t k = 0; k < problem.c.size(); ++k) {
    const double next = problem.c[k] * z + problem.s[k] - solution.a[k];
    worst = std::max(worst, std::abs(next - solution.z[k]) / (1.0 + next));
    worst = std::max({worst, -solution.a[k], -solution.z[k]});
    z = solution.z[k];
  }
  return std::max(worst, z);
}

}  // namespace

TEST_CASE("the minorant is the best of all active sets", "[interpolation][property]") {
  std::mt19937_64 random(20241);
  test::Worst worst;
  for (int i = 0; i < 600; ++i) {
    const Problem problem = random_problem(random, 8);
    const auto solution = solve_shift_problem(problem.c, problem.s, problem.start);
    const double exact = by_enumeration(problem);
    worst.see(std::abs(solution.sum_a2.middle() - exact) / (1.0 + exact), i);
    worst.see(residual(problem, solution), i);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 4e-15);
}

TEST_CASE("sequential quadratic programming finds the same optimum", "[interpolation][property]") {
  std::mt19937_64 random(7);
  test::Worst worst;
  int answered = 0;
  for (int i = 0; i < 60; ++i) {
    Problem problem = random_problem(random, 12);
    for (auto& c : problem.c) {
      c = std::clamp(c, 0.3, 1.2);  // degenerate steps are for the enumeration: this optimiser gives up on them
    }
    const auto found = by_sequential_quadratic_programming(problem);
    if (!found) {
      continue;
    }
    ++answered;
    const auto solution = solve_shift_problem(problem.c, problem.s, problem.start);
    worst.see(std::abs(solution.sum_a2.middle() - *found) / (1.0 + *found), i);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(answered > 55);
  CHECK(worst.error < 1e-7);  // the accuracy of the general optimiser
}

TEST_CASE("shifts and distances keep their digits over a million steps", "[interpolation][accuracy]") {
  const double one_minus_c = GENERATE(1e-14, 1e-9, 1e-6, 1e-3, 0.3);
  const std::size_t t = 1'000'000;
  const double c = 1.0 - one_minus_c;
  const std::vector<double> contraction(t, c);
  const std::vector<double> sensitivity(t, 1.0);
  const auto solution = solve_shift_problem(contraction, sensitivity, 0.0);
  const auto exact = strongly_convex_sequences(Contraction::factor(c), 1.0, static_cast<double>(t));
  test::Worst worst;
  for (std::size_t k = 0; k < t; ++k) {
    worst.see(std::abs(solution.a[k] - exact.a[k]) / std::max(1.0, exact.a[k]), static_cast<double>(k));
    worst.see(std::abs(solution.z[k] - exact.z[k]) / std::max(1.0, exact.z[k]), static_cast<double>(k));
    worst.see(std::abs(solution.lambda[k] - exact.lambda[k]), static_cast<double>(k));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-12);
  const double optimum = strongly_convex_optimum(Contraction::factor(c), 1.0, static_cast<double>(t));
  CHECK(test::relative_error(solution.sum_a2.middle(), optimum) < 4e-15);
}

TEST_CASE("optima are within their ends, which are as near as is claimed", "[interpolation][accuracy]") {
  std::mt19937_64 random(11);
  const auto uniform = [&random] { return std::uniform_real_distribution<double>()(random); };
  for (int i = 0; i < 60; ++i) {
    Problem problem{{}, {}, i % 3 == 0 ? 2.0 : 0.0};
    const auto t = static_cast<std::size_t>(std::pow(10.0, 4.0 * uniform()));
    const bool ties = i % 4 == 0;  // slopes that differ by rounding alone, or by little more
    for (std::size_t k = 0; k < t; ++k) {
      problem.c.push_back(ties ? 1.0 : 1.0 - 0.2 * uniform() * uniform() * (uniform() < 0.9 ? 1.0 : -1.0));
      problem.s.push_back(ties ? 0.1 + 1e-17 * static_cast<double>(k) : uniform());
    }
    const auto exact = in_quadruple(problem);
    const auto found = solve_shift_problem(problem.c, problem.s, problem.start).sum_a2;
    const auto steps = [&](std::size_t r) { return ShiftStep{problem.c[t - r], problem.s[t - r]}; };
    CAPTURE(i, t, found.lower, found.upper, static_cast<double>(exact));
    CHECK(found.lower <= exact);
    CHECK(found.upper >= exact);
    CHECK(found.upper - found.lower <= (1.4e-15 + 4.4e-18 * static_cast<double>(t)) * found.upper);
    if (problem.start == 0.0) {
      const auto best = best_over_starts(steps, static_cast<double>(t), infinity).sum_a2;
      CHECK(best.lower <= exact);
      CHECK(best.upper >= exact);
    }
  }
}

TEST_CASE("long expansive and long contracting runs neither overflow nor lose accuracy", "[interpolation]") {
  const std::size_t t = 200'000;
  std::vector<double> sensitivity(t, 1.0);
  SECTION("expansive with constant sensitivity is composition") {
    const auto solution = solve_shift_problem(std::vector<double>(t, 1.5), sensitivity, 0.0);
    CHECK(solution.sum_a2.contains(static_cast<double>(t)));
    CHECK(*std::max_element(solution.z.begin(), solution.z.end()) == 0.0);
  }
  SECTION("an expansive run after one difference pays at once: sum of a^2 is s^2 (1 - c^-2)") {
    std::fill(sensitivity.begin() + 1, sensitivity.end(), 0.0);
    const auto solution = solve_shift_problem(std::vector<double>(t, 1.5), sensitivity, 0.0);
    CHECK(solution.sum_a2.upper == Approx(1.0 - 1.0 / 2.25).epsilon(1e-12));
    CHECK(solution.a[0] == Approx(1.0 - 1.0 / 2.25).epsilon(1e-14));
    CHECK(solution.z[0] == Approx(1.0 / 2.25).epsilon(1e-14));
    CHECK(solution.z[50] == Approx(std::pow(1.5, -52.0)).epsilon(1e-14));
  }
  SECTION("a strongly contracting run needs its last step only") {
    std::fill(sensitivity.begin() + 1, sensitivity.end(), 0.0);
    const auto solution = solve_shift_problem(std::vector<double>(t, 0.5), sensitivity, 1e6);
    CHECK(solution.sum_a2.upper < 1e-300);
    CHECK(solution.z[0] == Approx(500001.0).epsilon(1e-15));
  }
}

TEST_CASE("the sum of squares scales with the square of the sensitivities", "[interpolation][property]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    Problem problem = random_problem(random, 30);
    const auto once = solve_shift_problem(problem.c, problem.s, problem.start);
    for (auto& s : problem.s) {
      s *= 4.0;
    }
    const auto scaled = solve_shift_problem(problem.c, problem.s, 4.0 * problem.start);
    CHECK(scaled.sum_a2.middle() == Approx(16.0 * once.sum_a2.middle()).epsilon(1e-15));
  }
}

TEST_CASE("the best start is the least optimum over all starts", "[interpolation][property]") {
  std::mt19937_64 random(11);
  test::Worst worst;
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(random, 40);
    const std::size_t t = problem.c.size();
    const double diameter = std::vector<double>{0.0, 0.1, 1.0, 5.0, infinity}[random() % 5];
    double exact = solve_shift_problem(problem.c, problem.s, 0.0).sum_a2.middle();
    for (std::size_t tau = 0; tau < t && std::isfinite(diameter); ++tau) {
      const std::span<const double> c(problem.c);
      const std::span<const double> s(problem.s);
      exact = std::min(exact, solve_shift_problem(c.subspan(tau), s.subspan(tau), diameter).sum_a2.middle());
    }
    const auto step = [&problem, t](std::size_t r) { return ShiftStep{problem.c[t - r], problem.s[t - r]}; };
    const auto best = best_over_starts(step, static_cast<double>(t), diameter);
    worst.see(std::abs(best.sum_a2.middle() - exact) / (1.0 + exact), i);
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 4e-15);
}

TEST_CASE("the best start of an endless run is found without an end", "[interpolation]") {
  const auto step = [](std::size_t) { return ShiftStep{0.99, 0.05}; };
  const auto best = best_over_starts(step, infinity, 2.0);
  CHECK(best.uses_diameter);
  CHECK(best.sum_a2.upper == Approx(0.3184008).epsilon(1e-6));
  const auto capped = best_over_starts(step, infinity, 2.0, 20);
  CHECK(capped.sum_a2.upper > best.sum_a2.upper);
  CHECK(capped.sum_a2.lower < best.sum_a2.lower);
  CHECK_THROWS_AS(best_over_starts(step, infinity, infinity, 1000), ConvergenceError);
}

TEST_CASE("shift problems outside the domain name the argument", "[interpolation][errors]") {
  const std::vector<double> one{1.0};
  CHECK_THROWS_AS(solve_shift_problem({}, {}, 0.0), DomainError);
  CHECK_THROWS_AS(solve_shift_problem(one, std::vector<double>{1.0, 2.0}, 0.0), DomainError);
  CHECK_THROWS_WITH(solve_shift_problem(std::vector<double>{-0.5}, one, 0.0), Catch::Contains("contraction = -0.5"));
  CHECK_THROWS_WITH(solve_shift_problem(one, std::vector<double>{std::nan("")}, 0.0), Catch::Contains("sensitivity"));
  CHECK_THROWS_AS(solve_shift_problem(one, one, infinity), DomainError);
  CHECK_THROWS_AS(best_over_starts([](std::size_t) { return ShiftStep{}; }, 2.5, 1.0), DomainError);
}

TEST_CASE("nothing to hide costs nothing", "[interpolation]") {
  const auto solution = solve_shift_problem(std::vector<double>{0.5, 0.0, 1.0}, std::vector<double>(3, 0.0), 0.0);
  CHECK(solution.sum_a2 == exactly(0.0));
  CHECK(solution.lambda == std::vector<double>(3, 0.0));
}
