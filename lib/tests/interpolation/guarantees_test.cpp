// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/guarantees.hpp>

#include "settings.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;
using test::sampled;

namespace {

const accounting::Guarantee& named(const std::vector<accounting::Guarantee>& list, const std::string& id) {
  for (const auto& item : list) {
    if (item.theorem == "shifted-interpolation/" + id) {
      return item;
    }
  }
  throw std::runtime_error("no guarantee " + id);
}

}  // namespace

TEST_CASE("every theorem about noisy GD is listed, applicable or not", "[interpolation]") {
  DescentParameters parameters;
  parameters.sensitivity = 1.0;
  parameters.batch_size = 1000.0;
  parameters.noise = 0.02;
  parameters.step_size = 0.1;
  const auto list = noisy_gd_guarantees({make_descent(parameters), 100.0});
  CHECK(named(list, "theorem-4.1").applies());
  CHECK(named(list, "theorem-4.1").curve->mu()->contains(0.5));
  CHECK_FALSE(named(list, "theorem-4.2").applies());
  CHECK_THAT(describe(named(list, "theorem-4.3").violations), Catch::Contains("no diameter is given"));
  parameters.strong_convexity = 1.0;
  parameters.smoothness = 10.0;
  const auto convex = noisy_gd_guarantees({make_descent(parameters), infinity});
  CHECK_FALSE(named(convex, "theorem-4.1").applies());
  CHECK(named(convex, "theorem-4.2").curve->mu()->upper == Approx(0.05 * std::sqrt(19.0)).epsilon(1e-14));
  CHECK_FALSE(named(convex, "theorem-4.2").assumed.empty());
}

TEST_CASE("noisy cyclic GD on the paper's logistic regression", "[interpolation]") {
  DescentParameters parameters;
  parameters.sensitivity = 10.0;
  parameters.batch_size = 1500.0;
  parameters.noise = 0.01;
  parameters.contraction = 0.9999;
  const auto list = noisy_cgd_guarantees({make_descent(parameters), 40.0, 50.0});
  CHECK(named(list, "theorem-4.4").curve->epsilon(1e-5).value.upper == Approx(30.506279992712216).epsilon(1e-9));
  CHECK(named(list, "theorem-4.5").curve->epsilon(1e-5).value.upper == Approx(4.339158572295274).epsilon(1e-9));
  CHECK_FALSE(named(list, "theorem-4.6").applies());
}

TEST_CASE("noisy SGD lists composition, the shifted bounds and the approximation", "[interpolation]") {
  const auto list = noisy_sgd_guarantees(sampled(1.0 / 6.0, 0.01, 1.0, 15000.0, 10.0 / 3.0), {1.0, std::nullopt});
  CHECK(named(list, "theorem-4.8").curve->delta(1.0).value.upper == Approx(1.72e-7).epsilon(0.01));
  CHECK_FALSE(named(list, "theorem-4.9").applies());
  CHECK(named(list, "theorem-4.10").curve->delta(1.0).value.upper <= 8.085e-7);
  CHECK_THAT(named(list, "theorem-4.10").note, Catch::Contains("steps"));
  CHECK(named(list, "derived-4").applies());
  CHECK_FALSE(named(list, "lemma-a.5").certified);
  const auto fixed = noisy_sgd_guarantees(sampled(0.1, 0.01, 0.99, 100.0), {std::nullopt, 1e-5}, 100.0);
  CHECK_FALSE(named(fixed, "theorem-4.9").applies());
  CHECK(named(fixed, "derived-4").applies());
}

TEST_CASE("the exponential mechanism reports both bounds", "[interpolation]") {
  const auto list = exponential_mechanism_convex_guarantees(0.5, 1.0);
  CHECK(named(list, "corollary-5.4").curve->mu()->contains(std::sqrt(2.0)));
  CHECK(named(list, "appendix-d.4").curve->epsilon(1e-5).value.upper <= 1.0 + 1e-12);
  const auto strong = exponential_mechanism_strongly_convex_guarantees(0.5, 1.0);
  CHECK(strong[0].curve->epsilon(1e-5).value.upper == Approx(1.99309140442).epsilon(1e-10));
  CHECK(langevin_guarantees(Langevin{1.0, 1.0, 0.1, 50.0, std::nullopt})[1].applies());
  CHECK(langevin_guarantees(ProjectedLangevin{1.0, 1.0, 0.01, infinity})[1].curve->mu()->upper ==
        Approx(2.0).epsilon(1e-14));
}

TEST_CASE("extreme settings of noisy SGD give a bound or say why not, and soon", "[interpolation]") {
  struct Case {
    double kappa, p, c, steps, diameter;
  };
  const auto at = GENERATE(Case{0.0, 0.01, 0.99, 100.0, infinity}, Case{0.1, 1.0, 0.9, 1e9, infinity},
                           Case{0.1, 0.01, 0.0, 50.0, infinity}, Case{1e-8, 1e-6, 1.0, 1e9, 1e-9},
                           Case{0.1, 0.001, 1.0, infinity, 1e9}, Case{5.0, 0.5, 0.999, 3.0, 2.0},
                           Case{0.5, 0.01, 1.0 - 1e-14, 1e6, infinity}, Case{0.1, 0.01, 0.5, 1.0, 0.0});
  CAPTURE(at.kappa, at.p, at.c, at.steps, at.diameter);
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-3;
  const auto list = noisy_sgd_guarantees(sampled(at.kappa, at.p, at.c, at.steps, at.diameter), {1.0, std::nullopt},
                                         std::nullopt, accuracy);
  CHECK(list.size() == 5);
  for (const auto& item : list) {
    CAPTURE(item.theorem);
    CHECK(item.violations.empty() == (item.curve != nullptr));
    if (item.applies()) {
      try {
        const auto delta = item.curve->delta(1.0).value;
        CHECK(delta.lower >= 0.0);
        CHECK(delta.upper <= 1.0);
        CHECK(delta.lower <= delta.upper);
      } catch (const ConvergenceError& error) {
        CHECK_THAT(error.what(), Catch::Contains("epsilon = 1"));
      }
    }
  }
}
