// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Epsilons at many deltas against the same questions one by one.
#include <cmath>

#include <dpcurves/accounting/epsilons.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using accounting::Composition;
using accounting::Pair;

namespace {

Composition steps(Pair pair, double count) {
  Composition composition;
  composition.components = {{0.01, 0.9, count, pair}};
  return composition;
}

accounting::CurvePtr both_directions(double count) {
  return accounting::worst_curve({{"remove", accounting::composition_curve(steps(Pair::poisson_remove, count))},
                                  {"add", accounting::composition_curve(steps(Pair::poisson_add, count))}});
}

std::vector<double> deltas(std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {  // of all sizes, in no order
    result.push_back(std::exp(-25.0 * static_cast<double>((i * 7919) % count + 1) / static_cast<double>(count)));
  }
  return result;
}

}  // namespace

TEST_CASE("many epsilons are those of single questions, at the width that was asked for", "[accounting][accuracy]") {
  const double count = GENERATE(1.0, 40.0, 10000.0);
  const auto curve = both_directions(count);
  const auto asked = deltas(40);
  const double relative = 1e-9;
  const auto found = accounting::epsilons(*curve, asked, relative, 1);
  REQUIRE(found.size() == asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto alone = curve->epsilon(asked[i]);
    CAPTURE(count, asked[i], found[i].value.lower, found[i].value.upper, alone.value.lower, alone.value.upper);
    CHECK(found[i].value.lower <= alone.value.upper);
    CHECK(alone.value.lower <= found[i].value.upper);
    CHECK((found[i].value.relative_width() <= relative || alone.value.relative_width() > relative));
    CHECK(!found[i].method.empty());
  }
}

TEST_CASE("many epsilons do not depend on threads, and can be stopped", "[accounting]") {
  const auto curve = both_directions(1000.0);
  const auto asked = deltas(700);  // two pieces
  const auto one = accounting::epsilons(*curve, asked, 1e-9, 1), two = accounting::epsilons(*curve, asked, 1e-9, 2);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(one[i].value.lower == two[i].value.lower);
    CHECK(one[i].value.upper == two[i].value.upper);
  }
  std::size_t last = 0;
  CHECK_THROWS_AS(accounting::epsilons(*curve, asked, 1e-9, 1,
                                       [&last](std::size_t done, std::size_t total) {
                                         last = done;
                                         return 4 * done < total;
                                       }),
                  Error);
  CHECK(last > 0);
}

TEST_CASE("a curve that shares nothing is asked one by one", "[accounting]") {
  const auto curve = accounting::renyi_bound_curve(
      accounting::poisson_renyi_curve(steps(Pair::poisson_remove, 100.0), accounting::Direction::remove));
  const std::vector<double> asked{1e-3, 1e-7};
  const auto found = accounting::epsilons(*curve, asked, 1e-9, 2);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(found[i].value.upper == curve->epsilon(asked[i]).value.upper);
    CHECK(found[i].method == curve->epsilon(asked[i]).method);
  }
  CHECK(accounting::epsilons(*curve, {}, 1e-9, 2).empty());
  CHECK_THROWS_AS(accounting::epsilons(*curve, std::vector<double>{2.0}, 1e-9, 2), DomainError);
  CHECK_THROWS_AS(accounting::epsilons(*both_directions(10.0), std::vector<double>{0.1, std::nan("")}, 1e-9, 2),
                  DomainError);
}
