// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The straight line for rare large losses: against other contours, other lines, the sum over the number of large
// losses.
#include <array>
#include <cmath>
#include <random>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/proof/chernoff.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
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

struct Row {
  double q, mu, count, epsilon, log_value;
  Pair pair;
};

}  // namespace

TEST_CASE("a straight line proves the delta of other contours", "[accounting][proof]") {
  for (const Row& row :
       {Row{0.05, 0.5, 3000, 4.0, -7.0, Pair::poisson_remove}, Row{0.05, 0.5, 3000, 4.0, -7.0, Pair::poisson_add},
        Row{0.01, 0.5, 3000, 1.0, -12.0, Pair::poisson_replace_one}, Row{0.05, 1.0, 2000, 8.0, -5.0, Pair::symmetrised},
        Row{0.05, 0.5, 3000, 4.0, -7.0, Pair::fixed_size_remove},
        Row{0.05, 0.5, 3000, 4.0, -7.0, Pair::fixed_size_add}}) {
    const Problem problem = problem_of(row.q, row.mu, row.count, row.pair);
    const Real at(row.epsilon);
    const Real other =
        Inversion(problem, make_plan(problem, saddle(problem, row.epsilon, false), row.epsilon, 25.0)).at(at);
    const Real line = Upright(problem, row.epsilon, std::log(other.middle()), 20.0).at(at);
    CAPTURE(static_cast<int>(row.pair), other.text(), line.text());
    CHECK(overlap(other, line));
    CHECK(line.radius() < 1e-7 * line.middle());
    CHECK(other.radius() < 1e-9 * other.middle());
  }
}

TEST_CASE("straight lines through other points, with other digits, prove the same delta", "[accounting][proof]") {
  const Problem problem = problem_of(1.8e-5, 1.54, 3445, Pair::symmetrised);
  const Real at(0.157);
  Real before;
  for (const double digits : {8.0, 12.0, 16.0, 20.0}) {
    const Real delta = Upright(problem, 0.157, -20.2, digits).at(at);
    CAPTURE(digits, delta.text(), before.text());
    CHECK(delta.positive());
    CHECK(delta.radius() < 2.0 * (std::exp(-digits) + 5e-6) * delta.middle());
    if (before.positive()) {
      CHECK(overlap(before, delta));
    }
    before = delta;
  }
}

TEST_CASE("the claimed error of a straight line is never below the true one, and seldom far above",
          "[accounting][proof]") {
  std::mt19937_64 random(20261123);
  std::uniform_real_distribution<double> uniform;
  int tight = 0, lines = 0;
  for (int i = 0; i < 12; ++i) {
    const Pair pair = std::array{Pair::symmetrised, Pair::fixed_size_remove, Pair::fixed_size_add,
                                 Pair::poisson_remove}[static_cast<std::size_t>(i % 4)];
    const double q = std::pow(10.0, -4.0 + 2.0 * uniform(random)), mu = 0.5 + uniform(random);
    const Problem problem = problem_of(q, mu, std::floor(2000.0 * (1.0 + uniform(random))), pair);
    const double log_value = -8.0 - 8.0 * uniform(random);
    const double epsilon = guess(problem, log_value, false).epsilon;
    const Real at(std::max(0.01, epsilon));
    const Real exact = Upright(problem, at.middle(), log_value, 20.0).at(at);
    const double digits = 3.0 + 4.0 * uniform(random);
    const Real rough = Upright(problem, at.middle(), log_value, digits).at(at);
    CAPTURE(static_cast<int>(pair), q, mu, digits, exact.text(), rough.text());
    CHECK(overlap(exact, rough));
    const double error = std::abs(rough.middle() - exact.middle()), claimed = rough.radius();
    CHECK(claimed >= error - exact.radius());
    ++lines;
    tight += claimed < 100.0 * (error + exact.radius()) ? 1 : 0;
  }
  CHECK(tight > lines / 2);  // of two aliases and a tail the largest decides; it is near its bound
}

TEST_CASE("rows of sums in two doubles hold those of balls", "[accounting][proof]") {
  const Problem problem = problem_of(1e-4, 1.2, 1000.0, Pair::fixed_size_remove).cut(-150.0);
  const Precision precision(192);
  for (const Piece& piece : problem.steps[0].pieces) {
    Path path;
    path.d = path.up = path.down = 0.625;
    path.scale = 0.25;
    path.h = 0.0625;
    path.first = -40.0;
    path.count = 1760;
    path.reach_right = piece.right;
    const Integral integral(piece, path, 0.0, 60.0);
    constexpr long last = 2000;
    for (const double h : {0.0625, 0.5}) {
      const auto less_one = integral.row(3.0, h, last, true), whole = integral.row(3.0, h, last, false);
      const Complex none = integral.at(Complex(Real(0)));
      for (const long k : {0L, 1L, 17L, 500L, last}) {
        const Complex slow = integral.at(Complex(Real(3.0), Real(h) * Real(k))), less = slow - none;
        const std::size_t i = static_cast<std::size_t>(k);
        CAPTURE(piece.a, piece.n, h, k, less_one[i].re().text(), less.re().text(), whole[i].im().text());
        CHECK(overlap(less_one[i].re(), less.re()));
        CHECK(overlap(less_one[i].im(), less.im()));
        CHECK(overlap(whole[i].re(), slow.re()));
        CHECK(overlap(whole[i].im(), slow.im()));
        CHECK(slow.re().radius() < 1e-14);
        CHECK(less_one[i].re().radius() < 1e-27 * static_cast<double>(k + 1));
      }
    }
  }
}

// Against the same sums in balls of 300 bits: the error is held, and is 1e-29 a step. Those that fall fast reach their
// limits.
TEST_CASE("recurrences and polynomials of two doubles keep what they claim", "[rigorous]") {
  std::mt19937_64 random(20261124);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Precision precision(300);
  const auto number = [&](double size) { return Complex(Real(size * uniform(random)), Real(size * uniform(random))); };
  constexpr long last = 300;
  for (const std::size_t count : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{130}}) {
    rigorous::Sequences all;
    std::vector<Complex> x, ratio, shift, sums(static_cast<std::size_t>(last) + 1);
    for (std::size_t j = 0; j < count; ++j) {
      const double angle = 3.2 * uniform(random);
      const double falls = count == 64 ? 0.6 + 0.4 * uniform(random) : 0.05 * std::abs(uniform(random));
      const Complex turn = rigorous::exp(Complex(Real(-falls), Real(angle)));
      x.push_back(number(std::exp(5.0 * uniform(random))));
      ratio.push_back(turn);
      shift.push_back(j % 3 == 0 ? Complex() : number(1e-3));
      all.limit.push_back(rigorous::two_doubles(shift.back() / (Complex(Real(1)) - turn)));
      all.first.push_back(rigorous::two_doubles(x.back()));
      all.ratio.push_back(rigorous::two_doubles(turn));
      all.shift.push_back(rigorous::two_doubles(shift.back()));
    }
    const std::vector<rigorous::TwoDoubles> found = rigorous::sums(all, last);
    const std::vector<rigorous::TwoDoubles> narrow = rigorous::sums(all, last, rigorous::Width::two);
    for (std::size_t k = 0; k < found.size(); ++k) {  // the same bits
      REQUIRE(found[k].re == narrow[k].re);
      REQUIRE(found[k].re_low == narrow[k].re_low);
      REQUIRE(found[k].im == narrow[k].im);
      REQUIRE(found[k].im_low == narrow[k].im_low);
      REQUIRE(found[k].error == narrow[k].error);
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      Complex exact;
      for (std::size_t j = 0; j < count; ++j) {
        exact = exact + x[j];
        x[j] = x[j] * ratio[j] + shift[j];
      }
      const Real off = rigorous::abs(
          exact - Complex(Real(found[k].re) + Real(found[k].re_low), Real(found[k].im) + Real(found[k].im_low)));
      CAPTURE(count, k, off.upper(), found[k].error);
      REQUIRE(off.upper() <= found[k].error);
      REQUIRE(found[k].error < 1e-26 * static_cast<double>(count));
    }
    rigorous::TwoDoubles slope;
    const Complex w = rigorous::exp(Complex(Real(0), Real(0.7)));
    const rigorous::TwoDoubles sum = rigorous::polynomial(found, rigorous::two_doubles(w), &slope);
    Complex exact, derivative;
    for (std::size_t k = found.size(); k-- > 0;) {
      derivative = derivative * w + exact;
      exact = exact * w + Complex(Real(found[k].re) + Real(found[k].re_low), Real(found[k].im) + Real(found[k].im_low));
    }
    CHECK(overlap(rigorous::ball_of(sum).re(), exact.re()));
    CHECK(overlap(rigorous::ball_of(sum).im(), exact.im()));
    CHECK(sum.error < 1e-23 * static_cast<double>(count));
    CHECK_THAT(slope.re, Catch::Matchers::WithinRel(derivative.re().middle(), 1e-12));
  }
  const rigorous::TwoDoubles huge = rigorous::two_doubles(rigorous::exp(Complex(Real(1000))));
  CHECK(std::isinf(huge.error));
  CHECK_FALSE(rigorous::ball_of(huge).re().finite());
}

TEST_CASE("bounds that need no contour hold delta", "[accounting][proof]") {
  for (const Row& row : {Row{1.8e-5, 1.54, 3445, 0.157, -20.2, Pair::symmetrised},
                         Row{1e-4, 1.68, 1000, 0.63, -9.0, Pair::fixed_size_add},
                         Row{1e-5, 2.3, 5000, 3.0, -12.0, Pair::fixed_size_remove}}) {
    const Problem problem = problem_of(row.q, row.mu, row.count, row.pair);
    const Real at(row.epsilon), delta = Upright(problem, row.epsilon, row.log_value, 16.0).at(at);
    const Real least = any_step_delta(problem, at), most = cut_chernoff_delta(problem, at, row.log_value);
    CAPTURE(delta.text(), least.text(), most.text());
    CHECK(least <= delta);
    CHECK(delta <= most);
    CHECK(least > Real(0.2) * delta);  // one large loss is most of what can be seen
    CHECK(cut_chernoff_epsilon(problem, delta) >= at);
    CHECK(cut_chernoff_epsilon(problem, delta) < chernoff_epsilon(problem, delta));
  }
}

TEST_CASE("the bound of what delta lacks of 1 holds, for every pair", "[accounting][proof]") {
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one, Pair::fixed_size_remove,
                          Pair::fixed_size_add, Pair::symmetrised}) {
    for (const auto& [rate, mu, count, gaussian, epsilon] :
         {std::array{0.3, 1.0, 300.0, 0.0, 0.0}, std::array{0.9, 0.5, 400.0, 1.0, 2.0},
          std::array{0.05, 2.0, 1000.0, 0.5, -3.0}, std::array{0.5, 3.0, 20.0, 0.0, 1.0},
          std::array{0.02, 12.0, 500.0, 0.0, 0.0}}) {
      const Composition composition{gaussian, {{rate, mu, count, pair}}};
      Profile profile(composition);
      const Real rest = profile.delta(Real(epsilon), true, 1e-9),
                 bound = chernoff_rest(profile.problem(), Real(epsilon));
      CAPTURE(static_cast<int>(pair), rate, mu, epsilon, rest.text(), bound.text());
      CHECK(bound >= rest);
      CHECK(bound < rigorous::exp(Real(0.12) * rigorous::log(rest)));
    }
  }
}

TEST_CASE("laws with parts far apart are told apart with certainty, at once", "[accounting][proof]") {
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one, Pair::fixed_size_remove,
                          Pair::fixed_size_add, Pair::symmetrised}) {
    const DeltaBound found = delta_at({0.4, {{0.0011, 274.0, 29410733.0, pair}}}, 0.0);
    CAPTURE(static_cast<int>(pair), found.delta.lower);
    CHECK(found.delta.lower >= 1.0 - 2e-16);
    CHECK(found.method == "Chernoff bound");
  }
}

TEST_CASE("rare large losses of pairs with an atom: epsilon to a millionth", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, mu, count, delta;
  };
  for (const Setting& s : {Setting{Pair::symmetrised, 1.82388e-05, 1.54084, 3445, 1.68e-09},
                           Setting{Pair::fixed_size_remove, 0.000121055, 0.650669, 5692, 2.26e-09},
                           Setting{Pair::fixed_size_remove, 6.44096e-05, 1.12371, 79277, 3.1e-09},
                           Setting{Pair::symmetrised, 0.000458819, 1.2981, 6787, 0.000523},
                           Setting{Pair::fixed_size_add, 1.92e-7, 1.61, 797210, 6.6e-10}}) {
    const Composition composition{0.0, {{s.q, s.mu, s.count, s.pair}}};
    const EpsilonBound bound = epsilon_at(composition, s.delta);
    CAPTURE(s.q, bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(bound.method == "contour");
    CHECK(bound.epsilon.relative_width() < 1e-6);
    CHECK(delta_at(composition, bound.epsilon.lower).delta.upper >= s.delta);
    CHECK(delta_at(composition, bound.epsilon.upper).delta.lower <= s.delta);
  }
}

TEST_CASE("rare large losses in long compositions: epsilon to a billionth", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, mu, count, delta, epsilon;  // the last one by sums in 80-bit floating point, to 5 digits and more
  };
  for (const Setting& s : {Setting{Pair::poisson_remove, 3.428042684275484e-05, 1.4199582998868612, 4813524,
                                   6.093946124828378e-14, 2.13259},
                           Setting{Pair::poisson_remove, 1.1507277245911453e-08, 1.088442600852416, 2710712,
                                   2.010212084957603e-14, 1.65117e-4},
                           Setting{Pair::poisson_replace_one, 1.3923821526745505e-05, 1.562337545492511, 22824479,
                                   5.809014629995183e-30, 8.62310441}}) {
    const EpsilonBound bound = epsilon_at({0.0, {{s.q, s.mu, s.count, s.pair}}}, s.delta);
    CAPTURE(s.q, bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(bound.epsilon.relative_width() < 1e-9);
    CHECK(std::abs(bound.epsilon.upper - s.epsilon) < 1e-5 * s.epsilon);
  }
}

TEST_CASE("records added to few rare steps: the test that looks at all of them", "[accounting][proof]") {
  // one step: the closed form, but for the grid of tests
  const double q = 1e-4, mu = 6.0, target = 1e-6;
  const double single = every_step_epsilon(problem_of(q, mu, 1.0, Pair::poisson_add), Real(target)).middle();
  const EpsilonBound exact = epsilon_at({0.0, {{q, mu, 1.0, Pair::poisson_add}}}, target);
  CHECK(single <= exact.epsilon.upper);
  CHECK(single > exact.epsilon.lower - 0.1 * target);
  // 21 steps, where the largest loss is 21 times -log(1 - q): no contour is short there
  const EpsilonBound many = epsilon_at({0.0, {{5e-7, 8.7, 21.0, Pair::poisson_add}}}, 5.3e-14);
  CHECK(many.epsilon.relative_width() < 1e-7);
  // two steps near the largest loss: the chance of the test under both laws, where a bound of the loss left 6e-6
  const EpsilonBound two = epsilon_at({0.0, {{2.62e-8, 1.0 / 0.101, 2.0, Pair::poisson_add}}}, 6.67e-10);
  CAPTURE(two.epsilon.lower, two.epsilon.upper, two.method);
  CHECK(two.epsilon.relative_width() < 1e-6);
  CHECK(two.epsilon.lower < 5.1732994882e-8);  // by sums over a grid of both steps
  CHECK(two.epsilon.upper > 5.1732994880e-8);
  CHECK(every_step_epsilon(problem_of(q, mu, 1.0, Pair::poisson_remove), Real(target)).contains_zero());
}

// By the trapezoidal rule in 40 digits along Re z = const, with x turned by -3/4 arg z / mu at every node.
TEST_CASE("near the largest loss a line from the top holds an independent inversion", "[accounting][proof]") {
  struct Reference {
    double q, mu, count, epsilon, log_value;
    const char* delta;
  };
  for (const Reference& row : {Reference{1.0 / 256, 5.0, 71, 0.277862, -20.7, "9.807213778520204e-10"},
                               Reference{0x1p-18, 9.4, 300000, 1.144411355, -48.8, "6.390193558167798716e-22"}}) {
    const Problem problem = problem_of(row.q, row.mu, row.count, Pair::poisson_add);
    Real exact;
    REQUIRE(arb_set_str(exact.get(), row.delta, 128) == 0);
    const Upright line(problem, row.epsilon, row.log_value, 22.0);
    const Real value = line.at(Real(row.epsilon));
    CAPTURE(row.q, value.text());
    CHECK(rigorous::abs(value - exact).middle() < value.radius() + 1e-14 * exact.middle());
    CHECK(value.radius() < 1e-8 * value.middle());
    CHECK(line.order() > 1e5);
  }
}

TEST_CASE("epsilon close to the largest loss of all steps has nine digits", "[accounting][proof]") {
  for (const auto& [q, mu, count, delta] :
       {std::tuple{0.004260791032811706, 5.0725401310738345, 71.0, 2.8565639962965963e-08},
        {0.0005719381085845055, 7.906006180685745, 837463.0, 1.5796976235152464e-20},
        {1.1601991313896535e-07, 4.775033856152538, 25.0, 5.120307334538591e-25},
        {0.058377220523868595, 2.7510610218425393, 12.0, 1.748446026322548e-25},
        {4.735555327087825e-08, 0.0015874275624267074, 704.0, 2.5153811427614974e-11}}) {
    const Composition composition{0.0, {{q, mu, count, Pair::poisson_add}}};
    const Enclosure epsilon = epsilon_at(composition, delta).epsilon;
    CAPTURE(q, mu, count, delta, epsilon.lower, epsilon.upper);
    CHECK(epsilon.upper <= -count * std::log1p(-q) * (1.0 + 1e-15));
    CHECK(epsilon.relative_width() < 1e-9);
    // A little lower, delta is above the target: the slope is at least 1 in log delta where epsilon is small.
    CHECK(delta_at(composition, 0.99 * epsilon.lower).delta.lower > delta);
  }
}

// The integrand at the line is larger than delta by a factor of e^28 to e^46: numbers of two doubles keep the digits.
TEST_CASE("rare steps whose line loses all digits of doubles have nine digits", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, mu, count, delta, low, high;  // the brackets of Chernoff's bound and of the lattice
  };
  for (const Setting& s : {Setting{Pair::poisson_remove, 1.810344389575396e-07, 1 / 0.72724720320724068, 10864785,
                                   1.9534958526487709e-14, 0.012801, 0.01282},
                           Setting{Pair::symmetrised, 3.981332358150821e-08, 1 / 1.0624025171092322, 110842,
                                   6.3405156678178014e-19, 1.05e-4, 1.92e-4},
                           Setting{Pair::fixed_size_remove, 8.0613955358339065e-06, 1 / 2.590341322325628, 148949,
                                   1.3794910996967507e-17, 0.01111, 0.018245},
                           Setting{Pair::fixed_size_add, 2.3946194701037268e-06, 1 / 2.660628138279622, 55,
                                   8.7419891734932022e-30, 1.1732e-4, 1.2903e-4}}) {
    const Composition composition{0.0, {{s.q, s.mu, s.count, s.pair}}};
    const Enclosure epsilon = epsilon_at(composition, s.delta).epsilon;
    CAPTURE(s.q, s.mu, s.count, epsilon.lower, epsilon.upper);
    CHECK(epsilon.relative_width() < 1e-9);
    CHECK(epsilon.lower > s.low);
    CHECK(epsilon.upper < s.high);
  }
}

TEST_CASE("losses far above the threshold are counted in closed form, whatever the partition", "[accounting][proof]") {
  struct Setting {
    Pair pair;
    double q, mu, count, epsilon, delta;
  };
  for (const Setting& row : {Setting{Pair::symmetrised, 1.11e-7, 2.0 / 0.754, 25633, 0.0010835, 2.77e-5},
                             Setting{Pair::fixed_size_remove, 1.11e-7, 1.0 / 0.754, 25633, 2e-5, 2e-4},
                             Setting{Pair::fixed_size_add, 1.11e-7, 1.0 / 0.754, 25633, 2e-5, 2e-4},
                             Setting{Pair::poisson_remove, 1e-6, 2.0, 30000, 0.002, 1e-4},
                             Setting{Pair::poisson_replace_one, 1e-6, 2.0, 30000, 0.002, 1e-4}}) {
    const Problem problem = problem_of(row.q, row.mu, row.count, row.pair);
    const double log_value = std::log(row.delta);
    const Precision precision(256);
    CAPTURE(static_cast<int>(row.pair));
    std::vector<Real> values;
    for (const double digits : {16.0, 20.0}) {  // with more digits the partition lies farther out
      const auto parting = parted(problem, row.epsilon, log_value, digits);
      REQUIRE(parting);
      values.push_back(Upright(*parting, row.epsilon, log_value, digits, 3e8).at(Real(row.epsilon)));
      CAPTURE(digits, values.back().text());
      CHECK(values.back().radius() < 1e-5 * values.back().middle());
    }
    CHECK(overlap(values[0], values[1]));
    // between the test that looks for one step with a large loss and Chernoff's bound
    CHECK_FALSE(values[0] < any_step_delta(problem, Real(row.epsilon)));
    CHECK_FALSE(values[0] > chernoff_delta(problem, Real(row.epsilon)));
  }
}

TEST_CASE("the chance that losses add up to less than -t is bounded, and is not far off", "[accounting][proof]") {
  const Precision precision(128);
  for (const Pair pair :
       {Pair::symmetrised, Pair::poisson_replace_one, Pair::fixed_size_remove, Pair::fixed_size_add}) {
    const Problem problem = problem_of(1e-6, 2.0, 3000, pair);
    const Pair other = pair == Pair::fixed_size_remove ? Pair::fixed_size_add
                       : pair == Pair::fixed_size_add  ? Pair::fixed_size_remove
                                                       : pair;
    for (const double t : {0.02, 0.1, 1.0}) {  // one step alone has nearly all of it
      const Real alone = one_step(step_of({1e-6, 2.0, 1.0, other}), Real(t), 128).power;
      const Real most = chance_below(problem, Real(t)), one = -rigorous::expm1(Real(3000) * rigorous::log1p(-alone));
      CAPTURE(static_cast<int>(pair), t, one.text(), most.text());
      CHECK_FALSE(most < rigorous::scaled(one, -1));  // others may lift it a little
      CHECK(most < Real(50) * one);
    }
  }
  CHECK(chance_below(problem_of(1e-6, 2.0, 3000, Pair::poisson_remove), Real(0.004)).contains_zero());
}
