// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using bounds::GlmChoice;
using bounds::PhasedSetting;

TEST_CASE("plans answer the questions of the specification", "[bounds][glm_plan]") {
  PhasedSetting setting;  // B = G = W = D2 = 1, epsilon = 1, delta = 1e-5
  setting.records = 65536;
  setting.epsilon = 0.2;
  setting.rank = 2000.0;
  CHECK(bounds::phased_plan(setting).bound.risk == Approx(1.4820595).epsilon(1e-7));
  const auto free = bounds::projected_plan(setting, 1.0);
  CHECK(free.setting.projected_dimension == 15.0);
  CHECK(free.bound.risk == Approx(0.39883779).epsilon(1e-7));
  const auto chosen = bounds::select_by_bound(setting);
  CHECK(chosen.projected);
  CHECK(chosen.setting.projected_dimension == 25.0);
  CHECK(chosen.bound.risk == Approx(0.42213107).epsilon(1e-7));
  CHECK(chosen.setting.step_size == Approx(0.000713588).epsilon(1e-5));
  CHECK_FALSE(bounds::rule_of_algorithm_1(65536.0, 0.2, 2000.0));

  setting = {};
  setting.records = std::uint64_t{1} << 18;
  setting.rank = 20.0;
  setting.delta = 1e-6;
  const auto epsilon = bounds::least_epsilon(setting, 0.1, GlmChoice::phased);
  CHECK(epsilon.setting.epsilon == Approx(0.08183333189).epsilon(1e-9));
  CHECK(epsilon.bound.risk <= 0.1);
}

TEST_CASE("one record fewer is not enough", "[bounds][glm_plan]") {
  const auto choice = GENERATE(GlmChoice::phased, GlmChoice::projected, GlmChoice::best);
  PhasedSetting setting;
  setting.rank = 10.0;
  const double risk = GENERATE(0.05, 1.0);
  auto plan = bounds::fewest_records(setting, risk, choice);
  CHECK(plan.bound.risk <= risk);
  setting.records = plan.setting.records - 1;
  const auto before = choice == GlmChoice::phased ? bounds::phased_plan(setting)
                      : choice == GlmChoice::best ? bounds::select_by_bound(setting)
                                                  : bounds::projected_plan(setting, 1.0);
  if (choice != GlmChoice::projected) {
    CHECK(before.bound.risk > risk);
  }
  if (choice == GlmChoice::phased && risk == 0.05) {
    CHECK(plan.setting.records > 32768);
    CHECK(plan.setting.records <= 65536);
  }
}

TEST_CASE("the best dimension is that of a scan", "[bounds][glm_plan]") {
  PhasedSetting setting;
  setting.records = GENERATE(1000u, 30000u, 4000000u);
  setting.parameter_norm = GENERATE(0.1, 3.0);
  const auto plan = bounds::projected_plan(setting, 3.0);
  double best = 1e300;
  for (int m = 3; m < 4000; ++m) {
    setting.projected_dimension = m;
    best = std::min(best, bounds::projected_plan_at(setting).bound.risk);
  }
  CHECK(plan.bound.risk == Approx(best).epsilon(1e-13));
}

TEST_CASE("the printed rules are strict", "[bounds][glm_plan]") {
  CHECK_FALSE(bounds::rule_of_algorithm_1(16.0, 0.5, 4.0));  // 8 = 4^1.5
  CHECK(bounds::rule_of_algorithm_1(16.1, 0.5, 4.0));
  CHECK_FALSE(bounds::rule_of_algorithm_9(8.0, 0.5, 4.0));
  CHECK(bounds::rule_of_algorithm_9(8.1, 0.5, 4.0));
}

TEST_CASE("a risk that no plan can meet is refused", "[bounds][glm_plan]") {
  PhasedSetting setting;
  setting.records = 100;
  CHECK_THROWS_WITH(bounds::least_epsilon(setting, 1e-3, GlmChoice::phased), Catch::Contains("risk = 0.001"));
  CHECK_THROWS_WITH(bounds::fewest_records(setting, 1e-30, GlmChoice::phased), Catch::Contains("2^62"));
  CHECK_THROWS_WITH(bounds::fewest_records(setting, 0.0, GlmChoice::phased), Catch::Contains("(0, inf)"));
}
