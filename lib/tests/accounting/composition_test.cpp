// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/error.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

struct Known {
  Composition composition;
  double epsilon;
  double delta;
  double type_one_error;
  double power;
};

// From the inversion in 34-digit arithmetic along two contours.
const std::vector<Known>& known_points() {
  static const std::vector<Known> points{
      {{0.0, {{0.025, 2.0 / 3.0, 2000}}}, 1.0, 0.1297960997697617, 0.06726970066581016, 0.3126541046955128},
      {{0.0, {{0.025, 2.0 / 3.0, 2000}}}, 4.44, 9.922175937093627e-06, 4.911681927871432e-07, 5.156093083266321e-05},
      {{0.0, {{0.025, 2.0 / 3.0, 2000}}}, 8.0, 1.4261518005789982e-14, 3.4499757399222946e-17, 1.171038453760056e-13},
      {{0.0, {{0.01, 1.0, 1000}}}, 0.5, 0.06139301505469834, 0.11251532467131685, 0.24689942412002933},
      {{0.0, {{0.01, 1.0, 1000}}}, 1.0, 0.009905437799565351, 0.015620785721264553, 0.052367135771931306},
      {{0.0, {{0.01, 1.0, 1000}}}, 6.0, 3.212287850578591e-18, 6.042480468672688e-20, 2.7589393902378986e-17},
      {{0.0, {{0.001, 1.0, 1e6}}}, 4.0, 0.030084022937354675, 0.0006928837688165122, 0.06791419490272904},
      {{0.0, {{0.0001, 2.0, 1e6}}}, 3.0, 0.0018072887710598282, 0.00024569045759698696, 0.006742113528798984},
      {{0.0, {{0.5, 0.1, 10000}}}, 20.0, 0.06136518894262152, 4.837881965572261e-11, 0.08483690843458518},
      {{0.0, {{1e-6, 0.5, 1e6}}}, 0.002, 1.2211846793505326e-07, 0.0007180560249944033, 0.0007196156925822641},
      {{0.10540925533894598, {{0.01, 0.4714045207910317, 2000}}},
       1.0,
       2.0802692668649707e-05,
       0.0001059935511948965,
       0.0003089230368155804},
      {{0.18398291135251915, {{0.01, 0.282842712474619, 1}, {0.01, 0.2, 500}}},
       0.5,
       0.0003266748957711103,
       0.003240661750055354,
       0.005669622854231674},
      {{0.0, {{1e-5, 1.0, 1e6}}}, 0.0366, 0.0001007496956472216, 0.01582654970470171, 0.01651728194176823},
  };
  return points;
}

// The references have 16 digits.
bool holds(const Enclosure& bracket, double reference) {
  return bracket.lower <= reference * (1 + 1e-15) && bracket.upper >= reference * (1 - 1e-15);
}

}  // namespace

TEST_CASE("brackets of delta, type I error and power hold the 34-digit values", "[accounting][accuracy]") {
  for (const Known& known : known_points()) {
    const ProfilePoint point = profile_at(known.composition, known.epsilon);
    CAPTURE(known.epsilon, known.delta, point.delta.lower, point.delta.upper, point.method);
    CHECK(holds(point.delta, known.delta));
    CHECK(holds(point.type_one_error, known.type_one_error));
    CHECK(holds(point.power, known.power));
    CHECK(point.delta.relative_width() < 1e-8);
    CHECK(point.type_one_error.relative_width() < 1e-8);
    CHECK(point.power.relative_width() < 1e-8);
  }
}

TEST_CASE("epsilon agrees with the published values", "[accounting][accuracy]") {
  const auto epsilon = [](double p, double mu, double count, double delta) {
    return epsilon_at({0.0, {{p, mu, count}}}, delta).epsilon;
  };
  for (const auto& [count, exact] : {std::pair{2000.0, 4.438137905572019}, std::pair{4000.0, 6.653814023821627},
                                     std::pair{8000.0, 10.113130500486035}}) {
    const Enclosure found = epsilon(0.025, 2.0 / 3.0, count, 1e-5);
    CAPTURE(count, found.lower, found.upper);
    CHECK(holds(found, exact));
    CHECK(found.relative_width() < 1e-9);
  }
  struct Row {
    double p, mu, count, at_five, at_ten;
  };
  for (const Row& row :
       {Row{0.01, 1.0, 100, 0.768007, 2.199737}, Row{0.01, 1.0, 1000, 2.198910, 3.680570},
        Row{0.01, 1.0, 1e4, 8.083963, 11.758660}, Row{0.01, 1.0, 1e5, 35.875796, 47.093631},
        Row{0.025, 2.0 / 3, 100, 0.874331, 1.557638}, Row{0.025, 2.0 / 3, 1000, 2.993774, 4.613750},
        Row{0.025, 2.0 / 3, 1e4, 11.611934, 16.449001}, Row{0.025, 2.0 / 3, 1e5, 55.046576, 70.078012}}) {
    CAPTURE(row.p, row.count);
    CHECK(std::abs(epsilon(row.p, row.mu, row.count, 1e-5).middle() - row.at_five) < 1e-6);
    CHECK(std::abs(epsilon(row.p, row.mu, row.count, 1e-10).middle() - row.at_ten) < 1e-6);
  }
}

TEST_CASE("composition arguments outside the domain name themselves", "[accounting][errors]") {
  const double nan = std::nan("");
  CHECK_THROWS_AS(profile_at({nan, {}}, 1.0), DomainError);
  CHECK_THROWS_WITH(profile_at({-1.0, {}}, 1.0), Catch::Contains("gaussian_mu = -1"));
  CHECK_THROWS_WITH(profile_at({0.0, {{1.5, 1.0, 1}}}, 1.0), Catch::Contains("sampling_rate = 1.5"));
  CHECK_THROWS_AS(profile_at({0.0, {{0.5, -1.0, 1}}}, 1.0), DomainError);
  CHECK_THROWS_AS(profile_at({0.0, {{0.5, nan, 1}}}, 1.0), DomainError);
  CHECK_THROWS_WITH(profile_at({0.0, {{0.5, 1.0, 2.5}}}, 1.0), Catch::Contains("count = 2.5"));
  CHECK_THROWS_AS(profile_at({0.0, {{0.5, 1.0, 2}}}, nan), DomainError);
  CHECK_THROWS_AS(epsilon_at({0.0, {{0.5, 1.0, 2}}}, 0.0), DomainError);
  CHECK_THROWS_AS(epsilon_at({0.0, {{0.5, 1.0, 2}}}, 1.0), DomainError);
  CHECK_THROWS_AS(accounting::tradeoff({0.0, {{0.5, 1.0, 2}}}, std::vector<double>{1.5}), DomainError);
  CHECK_THROWS_AS(renyi({0.0, {{0.5, 1.0, 2}}}, 1.0), DomainError);
  CHECK_THROWS_AS(profile_at({0.0, {{0.5, 1.0, 2}}}, 1.0, {0.0}), DomainError);
}

TEST_CASE("a Gaussian alone has its own delta: no step bounds its losses", "[accounting][property]") {
  const Enclosure delta = delta_at({3.0, {{1.0, 4.0, 1.0}}}, 2.0).delta;
  CAPTURE(delta.lower, delta.upper);
  CHECK(delta.lower > 0.96);
  CHECK(delta.upper < 0.97);
}

TEST_CASE("a session answers as the question alone does, and keeps its contours", "[accounting][session]") {
  const auto pair = GENERATE(Pair::poisson_remove, Pair::poisson_add);
  Composition composition;
  composition.components.push_back({0.01, 1.0, 1000.0, pair});
  DeltaSession session(composition);
  for (const double epsilon : {0.3, 0.9, -0.4, 1.5, 0.0, -1.0, 0.31}) {
    CAPTURE(epsilon);
    const Enclosure asked = session.delta(epsilon).delta, alone = delta_at(composition, epsilon).delta;
    CHECK(asked.lower <= alone.upper);
    CHECK(asked.upper >= alone.lower);
    CHECK(asked.relative_width() < 1e-9);
  }
  CHECK_THROWS_AS(DeltaSession(Composition{-1.0, {}}), DomainError);
}

TEST_CASE("below 0 both terms of the mirrored profile are proved", "[accounting][proved]") {
  Composition composition;
  composition.components.push_back({0.01, 1.0, 1000.0, Pair::poisson_remove});
  for (const double epsilon : {-0.2, -0.6, -1.5}) {
    const DeltaBound at = delta_at(composition, epsilon);
    CAPTURE(epsilon, at.method);
    CHECK(at.method == "contour");
    const double mirrored = delta_at(reversed(composition), -epsilon).delta.middle();
    CHECK(at.delta.middle() == Approx(-std::expm1(epsilon) + std::exp(epsilon) * mirrored).epsilon(1e-12));
  }
}
