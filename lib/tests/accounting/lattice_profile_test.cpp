// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Compositions on a lattice: both ends around closed forms and contours, and how far apart they are.
#include <array>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using detail::LatticeProfile;
using rigorous::Precision;
using rigorous::Real;

namespace {

constexpr std::size_t points = std::size_t{1} << 16U;

proof::Problem problem_of(double q, double mu, double count, Pair pair) {
  proof::Problem p;
  p.steps.push_back(proof::step_of({q, mu, count, pair}));
  return p;
}

constexpr std::array pairs{Pair::poisson_remove,    Pair::poisson_add,    Pair::poisson_replace_one,
                           Pair::fixed_size_remove, Pair::fixed_size_add, Pair::symmetrised};

}  // namespace

TEST_CASE("a lattice of one step holds its closed form at every threshold", "[accounting][lattice]") {
  const Precision precision(128);
  for (const Pair pair : pairs) {
    for (const auto& [q, mu] : {std::pair{0.3, 1.0}, std::pair{0.9, 0.2}, std::pair{1e-3, 3.0}, std::pair{0.02, 6.0},
                                std::pair{0.01, 40.0}}) {
      const proof::Problem problem = problem_of(q, mu, 1.0, pair);
      const LatticeProfile lattice(problem, points);
      double widest = 0.0;
      for (const double epsilon : {0.0, 1e-4, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0}) {
        const Enclosure found = lattice.delta(epsilon);
        const Real exact = proof::one_step(problem.steps[0], Real(epsilon), 128).delta;
        CAPTURE(static_cast<int>(pair), q, mu, epsilon, found.lower, found.upper, exact.text());
        CHECK(Real(found.lower) <= exact);
        CHECK(Real(found.upper) >= exact);
        widest = std::max(widest, found.width());
      }
      CHECK(widest < 1e-4 * std::max(1.0, mu));  // T h^2 and less
      CHECK(widest > 1e-12);                     // never more than it can know
    }
  }
}

TEST_CASE("a lattice of a Gaussian mechanism holds its profile, its epsilon and its trade-off function",
          "[accounting][lattice]") {
  for (const double mu : {0.3, 1.0, 4.0}) {
    proof::Problem problem;
    problem.gaussian_mu = mu;
    problem.gaussian_square = Real(mu) * Real(mu);
    const LatticeProfile lattice(problem, points);
    for (const double epsilon : {-3.0, -0.5, 0.0, 0.2, 1.0, 4.0}) {
      const double exact = epsilon >= 0.0
                               ? tradeoff::delta_of_epsilon(epsilon, mu)
                               : 1.0 - std::exp(epsilon) + std::exp(epsilon) * tradeoff::delta_of_epsilon(-epsilon, mu);
      const Enclosure found = lattice.delta(epsilon);
      CAPTURE(mu, epsilon, found.lower, found.upper, exact);
      CHECK(found.lower <= exact + 1e-13);
      CHECK(found.upper >= exact - 1e-13);
      CHECK(found.width() < 1e-7 * (1.0 + mu * mu));
    }
    for (const double a : {1e-9, 1e-4, 0.05, 0.3, 0.7, 0.99, 1.0 - 1e-9}) {
      const double exact = tradeoff::gaussian(a, mu);
      const Enclosure found = lattice.tradeoff(a);
      CAPTURE(mu, a, found.lower, found.upper, exact);
      CHECK(found.lower <= exact + 1e-13);
      CHECK(found.upper >= exact - 1e-13);
      CHECK(found.width() < (a < 1e-6 ? 1e-4 : 1e-7) * (1.0 + mu * mu));  // steep near 0
    }
    const double delta = tradeoff::delta_of_epsilon(1.5 * mu, mu);
    const Enclosure epsilon = lattice.epsilon(delta);
    CHECK(epsilon.contains(1.5 * mu));
    CHECK(epsilon.width() < 1e-4 * mu);
  }
}

TEST_CASE("lattices hold what contours prove, over random compositions", "[accounting][lattice]") {
  std::mt19937_64 random(20261124);
  std::uniform_real_distribution<double> uniform;
  const Precision precision(128);
  for (int i = 0; i < 6; ++i) {
    const Pair pair = pairs[static_cast<std::size_t>(i) % pairs.size()];
    const double q = std::pow(10.0, -3.0 + 2.7 * uniform(random)), mu = std::pow(10.0, -0.5 + uniform(random));
    const double count = std::floor(std::pow(10.0, 1.5 + 1.5 * uniform(random)));
    Composition composition;
    composition.components.push_back({q, mu, count, pair});
    proof::Profile profile(composition);
    const LatticeProfile lattice(profile.problem(), points);
    for (const double epsilon : {0.0, 0.3, 2.0}) {
      const Real exact = profile.delta(Real(epsilon), false, 1e-6);
      const Enclosure found = lattice.delta(epsilon);
      CAPTURE(static_cast<int>(pair), q, mu, count, epsilon, found.lower, found.upper, exact.text());
      CHECK(Real(found.lower) <= rigorous::upper_end(exact));
      CHECK(Real(found.upper) >= rigorous::lower_end(exact));
      CHECK(found.width() < 2e-3);
    }
  }
}

TEST_CASE("a finer lattice lies within a coarser one, four times closer for each doubling", "[accounting][lattice]") {
  proof::Problem problem = problem_of(0.1, 1.0, 20.0, Pair::fixed_size_remove);
  problem.steps.push_back(proof::step_of({0.2, 0.7, 10.0, Pair::poisson_remove}));
  double before = 0.0;
  Enclosure last{0.0, 1.0};
  for (unsigned bits = 12; bits <= 16; ++bits) {
    const Enclosure found = LatticeProfile(problem, std::size_t{1} << bits).tradeoff(0.2);
    CAPTURE(bits, found.lower, found.upper, before);
    CHECK(found.lower <= last.upper);
    CHECK(found.upper >= last.lower);
    if (bits > 12) {
      CHECK(found.width() < before / 2.5);
      CHECK(found.width() > before / 6.0);
    }
    before = found.width();
    last = found;
  }
}

TEST_CASE("a trade-off function on a lattice is convex and lies above the lines of its profile",
          "[accounting][lattice]") {
  const LatticeProfile lattice(problem_of(0.5, 3.0, 4.0, Pair::poisson_remove), points);
  double before = 1.0;
  for (int i = 1; i < 100; ++i) {
    const double a = 0.01 * i;
    const Enclosure f = lattice.tradeoff(a);
    CAPTURE(a);
    if (i > 1) {
      const double after = lattice.tradeoff(a + 0.01 < 1.0 ? a + 0.01 : 0.999).upper;
      CHECK(f.lower <= 0.5 * (before + after) + 1e-12);
    }
    for (const double epsilon : {-2.0, -0.5, 0.0, 1.0, 10.0}) {
      CHECK(f.upper >= 1.0 - lattice.delta(epsilon).upper - std::exp(epsilon) * a - 1e-12);
    }
    before = f.upper;
  }
}

TEST_CASE("far down a lattice keeps the digits of a Gaussian mechanism and of one step", "[accounting][lattice]") {
  const Precision precision(128);
  for (const double mu : {0.3, 1.0, 4.0}) {
    proof::Problem problem;
    problem.gaussian_mu = mu;
    problem.gaussian_square = Real(mu) * Real(mu);
    for (const double sigmas : {3.0, 10.0, 30.0}) {
      const double epsilon = mu * sigmas, exact = tradeoff::delta_of_epsilon(epsilon, mu);
      const LatticeProfile lattice = LatticeProfile::far_down(problem, epsilon, std::log(2.0 * exact), points);
      const Enclosure found = lattice.delta(epsilon);
      CAPTURE(mu, sigmas, found.lower, found.upper, exact);
      CHECK(found.lower <= exact * (1.0 + 1e-12));
      CHECK(found.upper >= exact * (1.0 - 1e-12));
      CHECK(found.relative_width() < 1e-4);
      CHECK(found.relative_width() > 1e-13);
      CHECK(lattice.epsilon(exact).contains(epsilon));
      CHECK(lattice.epsilon(exact).relative_width() < 1e-6);
      CHECK(lattice.delta(0.0).contains(tradeoff::delta_of_epsilon(0.0, mu)));  // far from where its digits are
    }
  }
  for (const Pair pair : pairs) {
    for (const auto& [q, mu] : {std::pair{0.3, 1.0}, std::pair{0.01, 3.0}}) {
      const proof::Problem problem = problem_of(q, mu, 1.0, pair);
      for (const double epsilon : {1e-4, 0.05, 5.0, 12.0}) {
        const Real exact = proof::one_step(problem.steps[0], Real(epsilon), 128).delta;
        if (!exact.positive()) {
          continue;  // beyond the largest loss
        }
        const Enclosure found =
            LatticeProfile::far_down(problem, epsilon, rigorous::log(exact).middle() + 2.0, points).delta(epsilon);
        CAPTURE(static_cast<int>(pair), q, mu, epsilon, found.lower, found.upper, exact.text());
        CHECK(Real(found.lower) <= exact);
        CHECK(Real(found.upper) >= exact);
        CHECK(found.relative_width() < 0.02);
      }
    }
  }
}

TEST_CASE("lattices far down hold what contours prove", "[accounting][lattice]") {
  const Precision precision(128);
  for (const auto& [pair, q, mu, count] :
       {std::tuple{Pair::poisson_remove, 0.1, 1.0, 50.0}, std::tuple{Pair::poisson_add, 0.2, 1.0, 30.0},
        std::tuple{Pair::fixed_size_remove, 0.3, 0.5, 200.0}, std::tuple{Pair::symmetrised, 0.05, 1.0, 400.0}}) {
    Composition composition;
    composition.components.push_back({q, mu, count, pair});
    for (const double delta : {1e-6, 1e-15, 1e-60}) {
      proof::Profile profile(composition);
      const proof::Profile::Bracket exact = profile.epsilon(Real(delta), false, 1e-9);
      const double at = exact.upper.upper();
      const Enclosure found =
          LatticeProfile::far_down(profile.problem(), 1.001 * at, std::log(delta), std::size_t{1} << 18U)
              .epsilon(delta);
      CAPTURE(static_cast<int>(pair), q, mu, count, delta, found.lower, found.upper, exact.lower.text(),
              exact.upper.text());
      CHECK(Real(found.lower) <= exact.upper);
      CHECK(Real(found.upper) >= exact.lower);
      CHECK(found.relative_width() < 1e-3);
    }
  }
}

TEST_CASE("a lattice of rare large losses holds what a contour proves", "[accounting][lattice]") {
  const Precision precision(128);
  for (const Pair pair : {Pair::symmetrised, Pair::poisson_remove}) {
    Composition composition;
    composition.components.push_back({1.4e-8, 1.65, 12.0, pair});
    proof::Profile profile(composition);
    constexpr double delta = 1e-20;
    const proof::Profile::Bracket exact = profile.epsilon(Real(delta), false, 1e-9);
    const Enclosure found =
        LatticeProfile::far_down(profile.problem(), exact.upper.upper(), std::log(delta)).epsilon(delta);
    CAPTURE(static_cast<int>(pair), exact.lower.text(), exact.upper.text(), found.lower, found.upper);
    CHECK((exact.upper - exact.lower).upper() < 1e-9 * exact.lower.lower());
    CHECK(Real(found.lower) <= exact.upper);
    CHECK(Real(found.upper) >= exact.lower);
    CHECK(found.relative_width() < 2e-5);
  }
}

TEST_CASE("few or rare steps far down have narrow brackets that are proved", "[accounting][lattice]") {
  for (const auto& [pair, q, mu, count, delta, width] :
       {std::tuple{Pair::fixed_size_remove, 0.2, 1.0, 2.0, 1e-40, 1e-6},
        std::tuple{Pair::symmetrised, 0.2, 1.0, 2.0, 1e-290, 1e-5},
        std::tuple{Pair::fixed_size_remove, 1e-7, 1.0, 1000.0, 1e-10, 1e-4},
        std::tuple{Pair::symmetrised, 1e-7, 1.0, 1000.0, 1e-10, 2e-3},
        std::tuple{Pair::symmetrised, 1.4e-8, 1.65, 12.0, 1e-20, 1e-6},
        std::tuple{Pair::fixed_size_remove, 8.6e-7, 0.74, 88.0, 6.8e-19, 1e-6},
        std::tuple{Pair::fixed_size_remove, 3.5e-8, 1.3, 24451.0, 9.7e-11, 1e-6},
        std::tuple{Pair::fixed_size_remove, 2.86e-4, 1.0 / 3.38, 26.0, 1e-12, 5e-5},
        std::tuple{Pair::symmetrised, 0.289885, 85.831, 2664.0, 1.59e-26, 1e-3}}) {  // no lattice near 0 reaches
    const EpsilonBound found = epsilon_at({0.0, {{q, mu, count, pair}}}, delta);
    CAPTURE(static_cast<int>(pair), q, mu, count, delta, found.epsilon.lower, found.epsilon.upper, found.method);
    CHECK(found.epsilon.relative_width() < width);
    CHECK(found.epsilon.lower > 0.0);
    if (count < 3.0) {  // the profile at both ends is on the two sides of delta
      CHECK(delta_at({0.0, {{q, mu, count, pair}}}, found.epsilon.lower).delta.upper >= delta);
      CHECK(delta_at({0.0, {{q, mu, count, pair}}}, found.epsilon.upper).delta.lower <= delta);
    }
  }
}

TEST_CASE("just below the largest loss of loud steps no end is on the wrong side", "[accounting][lattice]") {
  const Precision precision(128);
  const double rate = 0.8391869299998852, mu = 1.0 / 0.0583;  // a loss is below its largest with chance 1e-17
  for (const double count : {1.0, 2.0, 4.0, 100.0}) {
    const Real top = Real(count) * -rigorous::log1p(Real(-rate));
    const proof::Problem problem = problem_of(rate, mu, count, Pair::poisson_add);
    for (const double gap : {1e-12, 1e-9, 1e-6, 1e-4, 1e-3}) {
      const double epsilon = top.middle() - gap;
      const Real delta = -rigorous::expm1(Real(epsilon) - top);  // less at most 1e-16
      CAPTURE(count, gap, delta.text());
      const Enclosure all = delta_at({0.0, {{rate, mu, count, Pair::poisson_add}}}, epsilon, {1e-6}).delta;
      CHECK(all.lower <= delta.upper() * (1.0 + 1e-12));
      CHECK(all.upper >= delta.lower() - 1e-16);
      try {
        const Enclosure far =
            LatticeProfile::far_down(problem, epsilon, rigorous::log(delta).middle(), points).delta(epsilon);
        CHECK(far.lower <= delta.upper() * (1.0 + 1e-12));
        CHECK(far.upper >= delta.lower() - 1e-16);
      } catch (const ConvergenceError&) {  // says nothing
      }
    }
  }
}
