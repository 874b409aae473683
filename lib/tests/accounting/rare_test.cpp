// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What rare large losses add to the bulk: against closed forms of one step, other contours, lattices, other splits.
#include <array>
#include <cmath>
#include <random>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/accounting/proof/rare.hpp>
#include <dpcurves/accounting/proof/upright.hpp>
#include <dpcurves/core/error.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using namespace dpcurves::accounting::proof;
using rigorous::Complex;
using rigorous::overlap;
using rigorous::Precision;
using rigorous::Real;

namespace {

Problem problem_of(double q, double mu, double count, Pair pair) {
  Problem p;
  p.steps.push_back(step_of({q, mu, count, pair}));
  return p;
}

constexpr std::array rising{Pair::poisson_remove, Pair::poisson_replace_one, Pair::symmetrised, Pair::fixed_size_remove,
                            Pair::fixed_size_add};

}  // namespace

TEST_CASE("the shares of bulk and rare part add up to 1, and their bounds hold", "[accounting][proof]") {
  std::mt19937_64 random(20261124);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Precision precision(128);
  Piece bulk{1e-3, 1.0, 1, 0, false};
  bulk.part = Piece::Part::bulk;
  Piece rare = bulk;
  rare.part = Piece::Part::rare;
  for (int i = 0; i < 200; ++i) {
    bulk.middle = rare.middle = 5.0 * uniform(random);
    bulk.blur = rare.blur = std::exp(uniform(random));
    const Complex x(Real(bulk.middle + 8.0 * uniform(random)), Real(2.0 * uniform(random)));
    const Complex all = share(bulk, x) + share(rare, x);
    CHECK((all.re() - Real(1)).contains_zero());
    CHECK(all.im().contains_zero());
    for (const Piece& p : {bulk, rare}) {
      const double exact = rigorous::log(rigorous::abs(share(p, x))).middle(), most = log_share(p, x);
      CAPTURE(p.middle, p.blur, x.re().text(), x.im().text(), exact, most);
      CHECK(most >= exact);
      const double plain = log_share(p, std::complex<double>(x.re().middle(), x.im().middle()));
      CHECK(std::abs(plain - most) < 3e-3);  // the asymptotic series far out
      if (std::abs(x.im().middle()) < 1e-2) {
        CHECK(most < exact + 1.0);
      }
      const Complex wide(widened(x.re(), Real(0.1)), x.im());
      CHECK(log_share(p, wide) >= exact);
    }
  }
}

TEST_CASE("beyond the branch points the loss turns one way at any height", "[accounting][proof]") {
  const Precision precision(64);
  for (const auto& [a, n] : {std::pair{1, 0}, {2, 1}, {1, -1}}) {
    Piece p{1e-6, 5.0, a, n, false};
    p.left = 8.0;
    p.right = 30.0;
    CHECK(p.beyond_branches());
    for (double x = 8.0; x < 20.0; x += 1.7) {
      double before = 0.0;
      for (double y = 0.01; y < 8.0; y += 0.05) {
        Path at;
        at.d = y;
        const double turn = evaluate(p, at, Complex(Real(x))).loss.im().middle();
        CHECK(turn > before);
        before = turn;
      }
    }
    p.left = 3.0;
    CHECK_FALSE(p.beyond_branches());
  }
}

TEST_CASE("of one step the line for rare losses has the closed form's delta", "[accounting][proof]") {
  for (const Pair pair : rising) {
    for (const auto& [q, mu, epsilon] : {std::tuple{1e-5, 1.2, 0.05}, {1e-4, 4.0, 9.0}, {1e-3, 0.5, 0.01}}) {
      const Problem problem = problem_of(q, mu, 1.0, pair);
      const Precision precision(128);
      const Real at(epsilon), exact = one_step(problem.steps[0], at, 128).delta;
      const Real delta = Rare(problem, epsilon, rigorous::approximate_log(exact), 18.0).at(at);
      CAPTURE(static_cast<int>(pair), q, mu, exact.text(), delta.text());
      CHECK(overlap(exact, delta));
      CHECK(delta.radius() < 2e-7 * delta.middle());
    }
  }
}

TEST_CASE("lines for rare losses, of other digits and thresholds, prove the same delta", "[accounting][proof]") {
  for (const Pair pair : rising) {
    const Problem problem = problem_of(2e-7, 9.0, 1e6, pair);
    const double log_value = std::log(delta_at({0.0, {{2e-7, 9.0, 1e6, pair}}}, 400.0).delta.upper);
    const Real at(400.0);
    Real before;
    for (const auto& [digits, made_at] : {std::pair{18.0, 400.0}, {14.0, 401.0}, {10.0, 399.0}}) {
      const Rare line(problem, made_at, log_value, digits);
      const Real delta = line.at(at);
      CAPTURE(static_cast<int>(pair), digits, delta.text(), before.text());
      CHECK(delta.positive());
      if (before.positive()) {
        CHECK(overlap(before, delta));
      }
      before = delta;
    }
  }
}

TEST_CASE("the claimed error of a line for rare losses is never below the true one", "[accounting][proof]") {
  std::mt19937_64 random(20261125);
  std::uniform_real_distribution<double> uniform;
  int tight = 0, lines = 0;
  for (int i = 0; i < 15; ++i) {
    const Pair pair = rising[static_cast<std::size_t>(i) % rising.size()];
    const double q = std::pow(10.0, -6.0 + 2.0 * uniform(random)), mu = 3.0 + 6.0 * uniform(random);
    const Problem problem = problem_of(q, mu, 1.0, pair);
    const double epsilon = 0.3 * mu * mu * (1.0 + uniform(random)), digits = 13.0 + 5.0 * uniform(random);
    const Precision precision(128);
    const Real at(epsilon), exact = one_step(problem.steps[0], at, 128).delta;
    const Real rough = Rare(problem, epsilon, rigorous::approximate_log(exact), digits).at(at);
    const double error = std::abs((rough - exact).middle()), claimed = rough.radius();
    CAPTURE(static_cast<int>(pair), q, mu, epsilon, digits, exact.text(), rough.text());
    CHECK(overlap(exact, rough));
    CHECK(claimed >= error);
    ++lines;
    tight += claimed < 100.0 * error ? 1 : 0;
  }
  CHECK(tight > lines / 2);
}

TEST_CASE("far down the line for rare losses has the closed form's delta, and tells how well", "[accounting][proof]") {
  std::mt19937_64 random(20261129);
  std::uniform_real_distribution<double> uniform;
  int lines = 0, close = 0;
  for (int i = 0; i < 40; ++i) {
    const Pair pair = rising[static_cast<std::size_t>(i) % rising.size()];
    const double q = std::pow(10.0, -8.0 + 3.0 * uniform(random)), mu = 0.15 + uniform(random);
    const double log_value = -200.0 - 440.0 * uniform(random), relative = 1e-3;
    const Precision precision(256);
    const Composition one{0.0, {{q, mu, 1.0, pair}}};
    const double epsilon = Profile(one).epsilon(rigorous::exp(Real(log_value)), false, relative).upper.middle();
    const Real at(epsilon), exact = one_step(step_of(one.components.front()), at, 256).delta;
    CAPTURE(static_cast<int>(pair), q, mu, log_value, epsilon, exact.text());
    Real rough;
    try {
      rough = Rare(problem_of(q, mu, 1.0, pair), epsilon, rigorous::approximate_log(exact), 14.0).at(at);
    } catch (const ConvergenceError&) {
      continue;  // most are too long for the work that this test allows
    }
    CAPTURE(rough.text());
    ++lines;
    CHECK(overlap(exact, rough));
    CHECK(std::abs((rough - exact).middle()) <= rough.radius());
    close += rough.radius() < 1e-6 * exact.middle() ? 1 : 0;
  }
  CAPTURE(lines, close);
  CHECK(lines >= 10);
  CHECK(close >= 8);
}

TEST_CASE("rare steps at deltas far below 1e-65 have narrow answers", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, noise, count, delta, low, high;  // a bracket by lattices and elementary bounds, where there was one
  };
  for (const Setting& s : {Setting{Pair::poisson_remove, 1.5341915113098337e-06, 3.1380769204676167, 6592.0,
                                   4.74821747392406e-241, 0.055305601846280146, 0.10080263137976088},
                           Setting{Pair::poisson_remove, 3.2875483918553074e-08, 2.617116456475496, 422903.0,
                                   1.2202868451421161e-103, 0.00017592524249954167, 0.029279393613005144},
                           Setting{Pair::poisson_remove, 0.004828762572323448, 7.17742438598115, 3.0,
                                   4.7721029035900905e-273, 0.4922257587355165, 0.49223219735273077},
                           Setting{Pair::poisson_remove, 1.1649128047475754e-07, 1.16276956388587, 34470747.0,
                                   3.4063947467942943e-206, 10.675236430748456, 10.713486112976977}}) {
    const EpsilonBound bound = epsilon_at({0.0, {{s.q, 1.0 / s.noise, s.count, s.pair}}}, s.delta);
    CAPTURE(s.q, bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(bound.epsilon.relative_width() < 1e-8);
    CHECK(bound.epsilon.lower < s.high);
    CHECK(bound.epsilon.upper > s.low);
  }
}

TEST_CASE("losses that are bounded have no line for rare ones", "[accounting][proof]") {
  CHECK_THROWS_AS(Rare(problem_of(1e-5, 2.0, 3000.0, Pair::poisson_add), 0.01, -20.0, 16.0), ConvergenceError);
}

TEST_CASE("few loud steps that sample the record: epsilon to a hundredth of a millionth", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, mu, count, delta, low, high;  // a bracket by the lattice, or by a steep contour
  };
  for (const Setting& s : {Setting{Pair::poisson_remove, 3.402764550481446e-08, 12.900758938807952, 69927198,
                                   5.776068865764664e-30, 2474.4251, 2474.5200},
                           Setting{Pair::fixed_size_add, 2.70945990696189e-07, 18.193352635223942, 10360319,
                                   1.7766332732652134e-20, 4463.6873, 4464.1426},
                           Setting{Pair::symmetrised, 0.00017698864968007877, 0.9253242682239868, 6065,
                                   2.670256641905321e-29, 2.0626644519, 2.0626644524},
                           Setting{Pair::fixed_size_remove, 1.6702831956280402e-07, 0.8770630187304801, 144530,
                                   3.0506436260577395e-16, 0.29083274, 0.61185684},
                           Setting{Pair::poisson_replace_one, 7.158942945797056e-05, 1.0686065419413744, 2766,
                                   1.3102697671464656e-23, 1.4855131621, 1.4855131625}}) {
    const EpsilonBound bound = epsilon_at({0.0, {{s.q, s.mu, s.count, s.pair}}}, s.delta);
    CAPTURE(s.q, bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(bound.epsilon.relative_width() < 1e-8);
    CHECK(bound.epsilon.lower < s.high);
    CHECK(bound.epsilon.upper > s.low);
  }
}

TEST_CASE("rare steps whose bulk ends where it is largest, and thresholds that one loss reaches or many share",
          "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, noise, count, delta, low, high, widest;  // a bracket by other methods
  };
  for (const Setting& s :
       {Setting{Pair::fixed_size_remove, 1.57e-8, 1.02, 65, 4.82e-19, 0.081030996, 0.081034008, 1e-8},      // a lattice
        Setting{Pair::poisson_replace_one, 5.55e-8, 0.357, 19, 7.46e-9, 0.0013290117, 0.0013294509, 1e-8},  // the same
        Setting{Pair::symmetrised, 1.28e-6, 1.36, 13, 6.88e-10, 2.3852972e-5, 2.3853059e-5, 1e-8},          // the same
        // a sum along Re z = 600 in 50 digits, of laws cut off at 13.6: delta(.029211345) = 2.079998706e-28
        Setting{Pair::fixed_size_remove, 8.85e-6, 3.1, 505297, 2.08e-28, 0.02921134, 0.02921135, 1e-6},
        Setting{Pair::fixed_size_add, 1.35e-8, 0.578, 278411, 6e-15, 0.0071485885085, 0.0071485885107,
                1e-6}}) {  // steep
    const EpsilonBound bound = epsilon_at({0.0, {{s.q, 1.0 / s.noise, s.count, s.pair}}}, s.delta);
    CAPTURE(s.q, bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(bound.epsilon.relative_width() < s.widest);
    CHECK(bound.epsilon.lower < s.high);
    CHECK(bound.epsilon.upper > s.low);
  }
}

TEST_CASE("one large loss and many moderate ones that are as likely", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, noise, count, delta, low, high;
  };
  for (const Setting& s :
       // a sum along Re z = 150000 in 90 digits, of laws cut off at 13: delta(8.873e-5) = 1.290297286155e-29
       {Setting{Pair::poisson_replace_one, 3.31e-8, 1.38, 32415, 1.290297286155e-29, 8.87299999e-5, 8.87300001e-5},
        Setting{Pair::symmetrised, 1.39e-5, 2.68, 36394, 1.15e-24, 0.0304514647025, 0.0304514647312},       // steep
        Setting{Pair::fixed_size_remove, 1.64e-7, 2.52, 3258330, 6.87e-26, 0.0017171976, 0.0017172002}}) {  // one line
    const double mu = (s.pair == Pair::symmetrised ? 2.0 : 1.0) / s.noise;
    const EpsilonBound bound = epsilon_at({0.0, {{s.q, mu, s.count, s.pair}}}, s.delta);
    CAPTURE(s.q, bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(bound.epsilon.relative_width() < 1e-9);
    CHECK(bound.epsilon.lower < s.high);
    CHECK(bound.epsilon.upper > s.low);
  }
  const Precision precision(128);
  const double epsilon = 8.873e-5, log_value = std::log(1.29e-29);
  const Problem problem = problem_of(3.31e-8, 1.0 / 1.38, 32415, Pair::poisson_replace_one);
  for (const double digits : {12.0, 14.0, 16.0}) {
    const Rare line(problem, epsilon, log_value, digits, 1e8, Leaves::bulk);
    const Real delta = line.at(Real(epsilon)), beside = line.at(Real(epsilon * 1.0001));
    const Approximate near = line.approximate(epsilon);
    CAPTURE(digits, delta.text(), beside.text(), near.log_value, near.slope);
    CHECK(std::abs(near.log_value - rigorous::approximate_log(delta)) < 1e-4);
    CHECK(std::abs(near.slope * epsilon * 1e-4 / rigorous::approximate_log(beside / delta) - 1.0) < 0.1);
    CHECK(overlap(delta, rigorous::decimal("1.290297286155e-29")));
    CHECK(delta.radius() < 1e-4 * delta.middle());
    CHECK_THROWS_AS(Rare(problem, epsilon, log_value, digits, 1e8), ConvergenceError);  // the bulk is seen
  }
}

TEST_CASE("losses from far below the threshold to far above it: the largest are counted apart", "[accounting][proof]") {
  const Precision precision(128);
  int served = 0;
  for (const Pair pair : rising) {
    for (const auto& [q, mu, epsilon] :
         {std::tuple{1e-6, 1.0, 1e-4}, std::tuple{5e-7, 0.9, 1.4e-4}, std::tuple{1e-7, 2.0, 1e-4}}) {
      const Problem problem = problem_of(q, mu, 1.0, pair);
      const Real at(epsilon), exact = one_step(problem.steps[0], at, 128).delta;
      const double log_value = rigorous::approximate_log(exact);
      for (const double digits : {12.0, 18.0}) {
        const auto parting = parted(problem, epsilon, log_value, digits, {0.12});
        if (!parting) {
          continue;
        }
        try {
          const Real delta = Rare(*parting, epsilon, log_value, digits, 1e8).at(at);
          CAPTURE(static_cast<int>(pair), q, mu, digits, exact.text(), delta.text());
          CHECK(overlap(exact, delta));
          CHECK(delta.radius() < 30.0 * std::exp(-digits) * delta.middle());
          ++served;
        } catch (const ConvergenceError&) {
        }
      }
    }
  }
  CHECK(served >= 10);
  // 8 steps, by a convolution of 10^6 cells of 10^-8: .00013610589
  const EpsilonBound bound = epsilon_at({0.0, {{5.62e-7, 1.0 / 1.08, 8, Pair::fixed_size_remove}}}, 3.26e-8);
  CAPTURE(bound.epsilon.lower, bound.epsilon.upper, bound.method);
  CHECK(bound.epsilon.relative_width() < 1e-8);
  CHECK(bound.epsilon.lower < 1.361059e-4);
  CHECK(bound.epsilon.upper > 1.3610588e-4);
}

TEST_CASE("the bulk of a split is bounded as it was planned", "[accounting][proof]") {
  // 65 steps of a fixed size at rate 1.57e-8 and noise 1.02: what bounded the bulk was the end of its path.
  const Problem problem = problem_of(1.57e-8, 1.0 / 1.02, 65.0, Pair::fixed_size_remove);
  const double epsilon = 0.081031, log_value = std::log(4.82e-19);
  const Precision precision(128);
  const Real delta = Rare(problem, epsilon, log_value, 20.0, 1e8).at(Real(epsilon));
  CAPTURE(delta.text());
  CHECK(delta.positive());
  CHECK(delta.radius() < 1e-7 * delta.middle());
}

TEST_CASE("where delta at 0 is below the target, epsilon is 0", "[accounting][proof]") {
  const EpsilonBound bound =
      epsilon_at({0.0, {{5.29e-7, 1.2202, 229835, Pair::poisson_remove}}}, 2.54e-4);  // total variation 1.9e-4
  CHECK(bound.epsilon.lower == 0.0);
  CHECK(bound.epsilon.upper == 0.0);
}
