// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Compositions with little noise as a sum over the number of jumps: against closed forms of one step, and the lattice.
#include <array>
#include <cmath>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/accounting/proof/jumps.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
using namespace dpcurves::accounting::proof;
using rigorous::Precision;
using rigorous::Real;

namespace {

constexpr std::array every_pair{Pair::poisson_remove, Pair::poisson_add,       Pair::poisson_replace_one,
                                Pair::symmetrised,    Pair::fixed_size_remove, Pair::fixed_size_add};

Problem problem_of(const SubsampledGaussian& component) {
  Problem p;
  p.steps.push_back(step_of(component));
  return p;
}

}  // namespace

TEST_CASE("the sum over jumps holds the closed form of one step, to nine digits with little noise",
          "[accounting][proof]") {
  const Precision precision(192);
  int asked = 0;
  for (const Pair pair : every_pair) {
    for (const double mu : {9.0, 10.5, 14.0, 24.0}) {
      for (const double q : {1e-6, 1e-3, 0.2}) {
        const Problem problem = problem_of({q, mu, 1.0, pair});
        if (!Jumps::serves(problem)) {
          continue;
        }
        const Jumps jumps(problem, -700.0, false);
        for (const double share : {0.0, 0.3, 0.8, 1.1}) {
          const Real at(share * (0.5 * mu * mu + std::log(q)));
          if (at.negative() || pair == Pair::poisson_add) {
            continue;
          }
          const Jumps::Value value = jumps.at(at);
          const Real exact = one_step(problem.steps[0], at, 192).delta;
          CAPTURE(static_cast<int>(pair), mu, q, share, value.lower.text(), exact.text(), value.upper.text());
          CHECK_FALSE(value.lower > exact);  // surely: they may agree to all digits
          CHECK_FALSE(exact > value.upper);
          ++asked;
          if (mu > 20.0) {
            CHECK(value.upper - value.lower <= Real(1e-9) * exact);
          }
        }
      }
    }
  }
  CHECK(asked > 100);
}

TEST_CASE("the sum over jumps meets the lattice in compositions of every pair", "[accounting][proof]") {
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_replace_one, Pair::symmetrised, Pair::fixed_size_remove,
                          Pair::fixed_size_add}) {
    for (const auto& [q, mu, count] : {std::tuple{0.02, 12.0, 8.0}, {0.3, 10.0, 5.0}, {1e-3, 20.0, 60.0}}) {
      const Problem problem = problem_of({q, mu, count, pair});
      REQUIRE(Jumps::serves(problem));
      const accounting::detail::LatticeProfile lattice(problem);
      for (const double epsilon : {0.5 * mu * mu, 1.2 * mu * mu}) {
        const Precision precision(192);
        const Jumps::Value value = Jumps(problem, std::log(1e-12), false).at(Real(epsilon));
        const Enclosure near = lattice.delta(epsilon);
        CAPTURE(static_cast<int>(pair), q, mu, count, epsilon, value.lower.text(), value.upper.text(), near.lower,
                near.upper);
        CHECK(value.lower.lower() <= near.upper);
        CHECK(near.lower <= value.upper.upper());
      }
    }
  }
}

TEST_CASE("little noise: an epsilon to a billionth for every pair", "[accounting][proof]") {
  for (const Pair pair : every_pair) {
    const EpsilonBound bound = epsilon_at({0.0, {{6.7e-6, 40.0, 57000.0, pair}}}, 1e-11);
    CAPTURE(static_cast<int>(pair), bound.epsilon.lower, bound.epsilon.upper);
    CHECK(bound.method == "sum over jumps");
    CHECK(bound.epsilon.relative_width() < 1e-9);
  }
  // far down in delta, within the brackets of the lattice
  struct Deep {
    Pair pair;
    double q, mu, count, delta, low, high;
  };
  for (const Deep& s : {Deep{Pair::fixed_size_add, 4.5329945924068596e-07, 1 / 0.037704227607940621, 14824237,
                             4.110100392287012e-61, 28544.866, 28550.178},
                        Deep{Pair::fixed_size_remove, 3.731837756017538e-06, 1 / 0.016301095511753131, 21177946,
                             1.0832982143100873e-281, 1079674.1, 1080642.1},
                        Deep{Pair::fixed_size_remove, 1.2686228769894894e-08, 1 / 0.029390722095411485, 52525,
                             6.2938579007359469e-273, 35234.92, 35235.06}}) {
    const EpsilonBound bound = epsilon_at({0.0, {{s.q, s.mu, s.count, s.pair}}}, s.delta);
    CAPTURE(static_cast<int>(s.pair), bound.epsilon.lower, bound.epsilon.upper);
    CHECK(bound.method == "sum over jumps");
    CHECK(bound.epsilon.relative_width() < 1e-9);
    CHECK(bound.epsilon.lower > s.low);
    CHECK(bound.epsilon.upper < s.high);
  }
  // held by the lattice, whose brackets are wider: [1851.9723, 1851.9726], [3873.762, 3873.768]
  const auto epsilon = [](double q, double mu, double count, double delta, Pair pair) {
    return epsilon_at({0.0, {{q, mu, count, pair}}}, delta).epsilon;
  };
  CHECK(
      std::abs(
          epsilon(5.873517200298973e-06, 33.70859015386674, 143, 5.48832280777583e-13, Pair::fixed_size_remove).upper -
          1851.97245) < 1e-4);
  CHECK(
      std::abs(
          epsilon(6.723927143409816e-06, 49.131883635392114, 570, 1.1971621026020728e-11, Pair::fixed_size_add).upper -
          3873.765) < 2.8e-3);
}

// 400 and more likely numbers of jumps: the inversion against the sum over them, for each pair and with a Gaussian
// part.
TEST_CASE("many jumps on a line are the sum over their number", "[accounting][proof]") {
  const Precision precision(192);
  for (const auto& [q, mu, count, square] :
       {std::tuple{0.25, 12.0, 40000.0, 0.0}, {0.01, 20.0, 1e6, 0.0}, {0.5, 9.0, 3000.0, 400.0}}) {
    JumpLaw law{Real(q), Real(), rigorous::log(Real(q)), Real(mu), count, Real(square)};
    const double epsilon = law.threshold(std::log(1e-9), false);
    const JumpLine line(law, epsilon, 26.0, false);
    const Real near = line.at(Real(epsilon));
    Real sum, listed;
    const double spread = std::sqrt(count * q * (1.0 - q)), first = std::floor(count * q - 12.0 * spread),
                 last = std::ceil(count * q + 12.0 * spread);
    for (double k = std::max(0.0, first); k <= std::min(count, last); k += 1.0) {
      const double log_weight = std::lgamma(count + 1.0) - std::lgamma(k + 1.0) - std::lgamma(count - k + 1.0) +
                                k * std::log(q) + (count - k) * std::log1p(-q);
      const Real weight = rigorous::exp(Real(log_weight)), half = Real(0.5 * mu * mu);
      const Real variance = Real(k) * Real(mu) * Real(mu) + Real(square), deviation = rigorous::sqrt(variance);
      const Real gap = Real(epsilon) - Real(k) * (half + law.jump) - rigorous::scaled(Real(square), -1);
      const Real d = gap / deviation;
      sum += weight * (rigorous::normal_tail(d) -
                       rigorous::exp(gap + rigorous::scaled(variance, -1)) * rigorous::normal_tail(d + deviation));
      listed += weight;
    }
    CAPTURE(q, mu, count, near.text(), sum.text(), listed.text());
    CHECK(std::abs(listed.middle() - 1.0) < 1e-8);  // lgamma in doubles keeps no more
    CHECK(near.radius() < 1e-9 * near.middle());
    CHECK(near.middle() == Approx(sum.middle()).epsilon(1e-7));
    CHECK(near.middle() == Approx(1e-9).epsilon(0.1));
    // delta and 1 - delta are of their own lines, on both sides of the pole at 0
    for (const double value : {0.9, 0.5, 0.01}) {
      const double at = law.threshold(std::log(value), false);
      const Real delta = JumpLine(law, at, 26.0, false).at(Real(at)), rest = JumpLine(law, at, 26.0, true).at(Real(at));
      CAPTURE(value, delta.text(), rest.text());
      CHECK((delta + rest - Real(1)).contains_zero());
      CHECK(delta.radius() + rest.radius() < 1e-9);
    }
    const double far = law.threshold(std::log(1e-9), true);
    const Real rest = JumpLine(law, far, 26.0, true).at(Real(far));
    CHECK(rest.radius() < 1e-9 * rest.middle());
    CHECK(rest.middle() == Approx(1e-9).epsilon(0.1));
  }
}

TEST_CASE("10^10 loud steps take milliseconds", "[accounting][proof]") {
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_replace_one, Pair::symmetrised, Pair::fixed_size_remove,
                          Pair::fixed_size_add}) {
    const Composition loud{0.0, {{0.004, 600.0, 3e10, pair}}};
    const EpsilonBound answer = epsilon_at(loud, 1e-100);
    CAPTURE(static_cast<int>(pair), answer.epsilon.lower, answer.epsilon.upper);
    CHECK(answer.method == "sum over jumps");
    CHECK(answer.epsilon.relative_width() < 1e-8);
    // the mean loss of 1.2e8 jumps of 180,000 and 21 deviations of (1.1e4 jumps + 600 (1.2e8)^(1/2))
    CHECK(answer.epsilon.lower > 2.159e13);
    CHECK(answer.epsilon.upper < 2.168e13);
  }
  // So far apart that delta is a staircase: too few jumps are likely for a line, and they are listed.
  const Enclosure stairs = epsilon_at({0.0, {{1e-9, 1000.0, 1e12, Pair::poisson_remove}}}, 1e-300).epsilon;
  CAPTURE(stairs.lower, stairs.upper);
  CHECK(stairs.relative_width() < 1e-9);
  const Composition half{0.0, {{0.5, 1000.0, 1e12, Pair::symmetrised}}};  // where delta passes 1/2 another line answers
  const Enclosure before = epsilon_at(half, 0.5000001).epsilon, after = epsilon_at(half, 0.4999999).epsilon;
  CAPTURE(before.lower, before.upper, after.lower, after.upper);
  CHECK(before.lower < after.upper);
  CHECK(after.upper < before.lower * (1.0 + 2e-9));
}
