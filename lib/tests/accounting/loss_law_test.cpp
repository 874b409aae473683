// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/loss_law.hpp>

using namespace dpcurves::accounting;
using namespace dpcurves::accounting::detail;

namespace {

bool near(double value, double wanted, double relative) {
  return std::abs(value - wanted) <= relative * std::abs(wanted);
}

}  // namespace

TEST_CASE("the inverse of a privacy loss returns to every loss", "[accounting][loss law]") {
  const Pair pair = GENERATE(Pair::symmetrised, Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one,
                             Pair::fixed_size_remove, Pair::fixed_size_add);
  const double rate = GENERATE(1e-7, 1e-4, 0.01, 0.5, 0.999);
  const double mu = GENERATE(1e-3, 0.1, 1.0, 3.3);
  const LossLaw law(pair, rate, mu);
  for (const HalfLaw* half : {&law.right(), &law.left()}) {
    double previous = 0.0;
    for (double loss = 1e-9; loss < 60.0; loss *= 1.0037) {
      const double t = half->inverse(loss);
      CAPTURE(static_cast<int>(pair), rate, mu, loss, t);
      if (loss >= half->largest()) {
        REQUIRE(std::isinf(t));
        break;
      }
      REQUIRE(t >= previous);
      if (loss < 0.999 * half->largest()) {  // close to the supremum the loss hardly depends on t
        REQUIRE(near(half->loss(t), loss, 1e-13));
      }
      previous = t;
    }
  }
}

TEST_CASE("the two halves and the atom of a pair are whole laws with one total variation", "[accounting][loss law]") {
  const Pair pair = GENERATE(Pair::symmetrised, Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one,
                             Pair::fixed_size_remove, Pair::fixed_size_add);
  const double rate = GENERATE(1e-4, 0.1, 0.9);
  const double mu = GENERATE(0.05, 1.0, 3.3);
  const LossLaw law(pair, rate, mu);
  const HalfLaw& right = law.right();
  const HalfLaw& left = law.left();
  CAPTURE(static_cast<int>(pair), rate, mu);
  // Under the alternative, and under the null.
  CHECK(near(right.alternative_beyond(0.0) + left.null_beyond(0.0) + law.atom(), 1.0, 1e-14));
  CHECK(near(right.null_beyond(0.0) + left.alternative_beyond(0.0) + law.atom(), 1.0, 1e-14));
  CHECK(near(right.delta(0.0), left.delta(0.0), 1e-11));
  CHECK(near(right.delta(0.0), rate * std::erf(law.separation() / (2.0 * std::sqrt(2.0))), 1e-11));
}

TEST_CASE("one step's profile is the difference of two tails where nothing cancels", "[accounting][loss law]") {
  const Pair pair = GENERATE(Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one,
                             Pair::fixed_size_remove, Pair::fixed_size_add);
  const LossLaw law(pair, 0.3, 2.0);
  const HalfLaw& half = law.right();
  for (double epsilon = 0.0; epsilon < std::min(3.0, half.largest()); epsilon += 0.01) {
    const double t = half.inverse(epsilon);
    const double whole = half.alternative_beyond(t);
    const double difference = whole - std::exp(epsilon) * half.null_beyond(t);
    CAPTURE(static_cast<int>(pair), epsilon);
    CHECK(std::abs(half.delta(epsilon) - difference) < 1e-14 * whole + 1e-12 * difference);
    CHECK(half.delta_from_below(epsilon) <= half.delta(epsilon));
    CHECK(half.delta_from_below(epsilon) >= half.delta(epsilon) - 1e-12 * whole);
    CHECK(half.delta(half.epsilon_from_below(half.delta(epsilon))) >= half.delta(epsilon) * (1.0 - 1e-10));
  }
}

TEST_CASE("exchanging the laws of a pair twice changes nothing", "[accounting][loss law]") {
  for (const Pair pair : {Pair::symmetrised, Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one,
                          Pair::fixed_size_remove, Pair::fixed_size_add}) {
    CHECK(reversed(reversed(pair)) == pair);
    const LossLaw law(pair, 0.1, 1.0);
    const LossLaw exchanged(reversed(pair), 0.1, 1.0);
    CHECK(law.left() == exchanged.right());
    CHECK(law.atom() == exchanged.atom());
    CHECK(law.symmetric() == (law.left() == law.right()));
  }
}
