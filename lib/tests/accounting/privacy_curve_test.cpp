// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Curves that answer in every form: Gaussian and pure guarantees against their closed forms, the best and the worst of
// several against what each of them says.
#include <cmath>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

const std::vector<double> errors{0.0, 1e-6, 0.01, 0.2, 0.5, 0.9, 1.0};

/// One step of sampled noise: a guarantee that is not Gaussian.
CurvePtr sampled_step(double rate, double mu) {
  Composition composition;
  composition.components.push_back({rate, mu, 1.0});
  return composition_curve(composition);
}

}  // namespace

TEST_CASE("a Gaussian guarantee has the closed forms of mu at both of its ends", "[accounting][curve]") {
  const auto curve = gaussian_curve({0.8, 1.1});
  const double order = GENERATE(1.5, 2.0, 100.0);
  CHECK(curve->renyi(order).lower == Approx(0.32 * order).epsilon(1e-14));
  CHECK(curve->renyi(order).upper == Approx(0.605 * order).epsilon(1e-14));
  CHECK(curve->renyi(order).upper >= 0.605 * order);
  CHECK(curve->delta(0.7).value.lower == tradeoff::delta_enclosure(0.7, exactly(0.8)).lower);
  CHECK(curve->delta(0.7).value.upper == tradeoff::delta_enclosure(0.7, exactly(1.1)).upper);
  CHECK(curve->mu() == Enclosure{0.8, 1.1});
  const std::vector<double> epsilons{-0.5, 0.0, 0.7};
  const auto deltas = curve->deltas(epsilons);
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    CHECK(deltas[i] == curve->delta(epsilons[i]).value);
  }
  CHECK(gaussian_curve(exactly(0.0))->renyi(7.0) == exactly(0.0));
  CHECK(gaussian_curve({0.0, 1.0})->renyi(2.0).lower == 0.0);
  CHECK_THROWS_WITH(curve->renyi(1.0), Catch::Contains("order = 1"));
  CHECK_THROWS_WITH(gaussian_curve({-0.1, 1.0}), Catch::Contains("mu.lower"));
  CHECK_THROWS_WITH(gaussian_curve({0.0, infinity}), Catch::Contains("mu.upper"));
}

TEST_CASE("a pure guarantee is randomised response, summed out", "[accounting][curve]") {
  const double eps = GENERATE(0.01, 0.5, 2.0, 30.0);
  const auto curve = pure_curve(eps);
  const double p = 1.0 / (1.0 + std::exp(-eps)), q = p * std::exp(-eps);  // the likelier and the rarer answer
  for (const double x : {-40.0, -1.0, 0.0, 0.3, 0.4999, 1.9, 3.0}) {
    const double exact = std::max(0.0, p - std::exp(x) * q) + std::max(0.0, q - std::exp(x) * p);
    CHECK(curve->delta(x).value.middle() == Approx(exact).epsilon(1e-10).margin(1e-15));
  }
  for (const double order : {1.01, 2.0, 17.0}) {
    const double sum = std::pow(p, order) * std::pow(q, 1.0 - order) + std::pow(q, order) * std::pow(p, 1.0 - order);
    if (eps < 5.0) {
      CHECK(curve->renyi(order).middle() == Approx(std::log(sum) / (order - 1.0)).epsilon(1e-9));
    }
    CHECK(curve->renyi(order).upper <= eps);
  }
  CHECK(curve->renyi(infinity) == exactly(eps));
  // G_mu touches the trade-off function of randomised response where both errors are q: mu = -2 Phi^{-1}(q).
  REQUIRE(curve->mu());
  CHECK(tradeoff::gaussian(q, curve->mu()->lower) == Approx(q).epsilon(1e-9));
  for (const double a : errors) {
    CHECK(curve->type_two_errors(std::vector{a}).front().upper >= tradeoff::gaussian(a, curve->mu()->upper) - 1e-14);
  }
}

TEST_CASE("a pure guarantee inverts its profile, and has limits", "[accounting][curve]") {
  const auto curve = pure_curve(2.0);
  const double delta = GENERATE(1e-12, 1e-3, 0.4);
  const double epsilon = curve->epsilon(delta).value.upper;
  CHECK(curve->delta(epsilon).value.lower <= delta);
  CHECK(curve->delta(epsilon).value.upper == Approx(delta).epsilon(1e-3));
  CHECK(curve->epsilon(0.8).value == exactly(0.0));  // delta(0) = tanh(1) = 0.76
  CHECK(pure_curve(0.0)->renyi(3.0) == exactly(0.0));
  CHECK(pure_curve(infinity)->renyi(3.0) == exactly(infinity));
  CHECK_FALSE(pure_curve(infinity)->mu());
  CHECK(pure_curve(infinity)->delta(5.0).value.upper == 1.0);
  CHECK_THROWS_WITH(curve->renyi(0.5), Catch::Contains("order = 0.5"));
  CHECK_THROWS_WITH(curve->epsilon(1.0), Catch::Contains("delta = 1"));
  CHECK_THROWS_WITH(curve->type_two_errors(std::vector{1.5}), Catch::Contains("1.5"));
  CHECK_THROWS_WITH(pure_curve(-1.0), Catch::Contains("epsilon = -1"));
}

TEST_CASE("the best and the worst of several curves are pointwise, in every form", "[accounting][curve]") {
  // The two profiles cross: a pure guarantee has no tail, the Gaussian one is better near 0.
  const CurvePtr one = gaussian_curve(exactly(0.7)), other = pure_curve(1.5);
  const auto best = best_curve({one, other}), worst = worst_curve({{"remove", one}, {"add", other}});
  bool first = false, second = false;
  for (const double epsilon : {-2.0, 0.0, 0.5, 1.0, 1.4, 1.6, 4.0}) {
    const auto a = one->delta(epsilon).value, b = other->delta(epsilon).value;
    (a.upper > b.upper ? first : second) = true;
    CHECK(best->delta(epsilon).value.upper == std::min(a.upper, b.upper));
    CHECK(worst->delta(epsilon).value.upper == std::max(a.upper, b.upper));
    CHECK(worst->delta(epsilon).direction == (b.upper > a.upper ? "add" : "remove"));
    CHECK(best->deltas(std::vector{epsilon}).front() == best->delta(epsilon).value);
    CHECK(worst->deltas(std::vector{epsilon}).front() == worst->delta(epsilon).value);
  }
  CHECK((first && second));
  for (const double delta : {1e-9, 1e-3, 0.2}) {
    const auto a = one->epsilon(delta).value, b = other->epsilon(delta).value;
    CHECK(best->epsilon(delta).value.upper == std::min(a.upper, b.upper));
    CHECK(worst->epsilon(delta).value.upper == std::max(a.upper, b.upper));
  }
  const auto f = one->type_two_errors(errors), g = other->type_two_errors(errors);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    CHECK(best->type_two_errors(errors)[i].lower == std::max(f[i].lower, g[i].lower));
    CHECK(worst->type_two_errors(errors)[i].lower == std::min(f[i].lower, g[i].lower));
  }
  for (const double order : {1.1, 4.0, 50.0}) {
    CHECK(best->renyi(order).upper == std::min(one->renyi(order).upper, other->renyi(order).upper));
    CHECK(worst->renyi(order).upper == std::max(one->renyi(order).upper, other->renyi(order).upper));
  }
  CHECK(best->mu() == one->mu());
  CHECK(worst->mu() == other->mu());
  CHECK_THROWS_WITH(best_curve({}), Catch::Contains("at least one curve"));
  CHECK_THROWS_WITH(best_curve({one, nullptr}), Catch::Contains("not null"));
}

TEST_CASE("an answer below the bar may be wide, and the worst of directions is none the wider", "[accounting][curve]") {
  const double delta = 1.52e-19;
  const Composition remove{0.0, {{3.56e-7, 1.0 / 10.2, 6.0, Pair::fixed_size_remove}}};
  const CurvePtr curve = composition_curve(remove), add = composition_curve(reversed(remove));
  const Answer narrow = curve->epsilon(delta), wide = curve->epsilon_unless_below(delta, exactly(1.0));
  CHECK(narrow.value.relative_width() < 1e-5);
  CHECK(wide.value.relative_width() > 10.0 * narrow.value.relative_width());  // no lattice was asked
  CHECK((wide.value.lower <= narrow.value.lower && narrow.value.upper <= wide.value.upper && wide.value.upper < 1.0));
  CHECK(curve->epsilon_unless_below(delta, narrow.value).value == narrow.value);
  CHECK(worst_curve({{"remove", curve}, {"add", add}})->epsilon(delta).value == narrow.value);
  CHECK(worst_curve({{"add", add}, {"remove", curve}})->epsilon(delta).value == narrow.value);
  const double epsilon = narrow.value.middle();
  const Enclosure of_delta = curve->delta(epsilon).value, low = curve->delta_unless_below(epsilon, 1e-10).value;
  CHECK((low.lower <= of_delta.upper && of_delta.lower <= low.upper && low.upper < 1e-10));
  CHECK(curve->delta_unless_below(epsilon, of_delta.lower).value == of_delta);
}

TEST_CASE("the worst of curves has a GDP parameter only if all have one, or if it is known", "[accounting][curve]") {
  const CurvePtr gaussian = gaussian_curve(exactly(0.7)), sampled = sampled_step(0.1, 1.0);
  CHECK_FALSE(sampled->mu());
  CHECK_FALSE(worst_curve({{"remove", gaussian}, {"add", sampled}})->mu());
  CHECK(best_curve({sampled, gaussian})->mu() == exactly(0.7));
  CHECK(worst_curve({{"remove", gaussian}, {"add", sampled}}, exactly(0.9))->mu() == exactly(0.9));
}

TEST_CASE("a curve of Renyi divergences lies on the safe side of the Gaussian it came from", "[accounting][curve]") {
  const double mu = GENERATE(0.3, 2.0);
  const auto curve = renyi_bound_curve([mu](double order) { return 0.5 * order * mu * mu; });
  const auto exact = gaussian_curve(exactly(mu));
  CHECK(curve->renyi(6.0).upper == Approx(3.0 * mu * mu).epsilon(1e-15));
  CHECK(curve->delta(1.0).value.upper > exact->delta(1.0).value.upper);
  CHECK(curve->delta(-1.0).value.contains(exact->delta(-1.0).value.middle()));
  CHECK(curve->epsilon(1e-6).value.upper > exact->epsilon(1e-6).value.upper);
  CHECK(curve->epsilon(1e-6).value.upper < 1.3 * exact->epsilon(1e-6).value.upper);
  const std::vector<double> some{0.01, 0.2, 0.6};
  const auto bound = curve->type_two_errors(some), truth = exact->type_two_errors(some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    CHECK(bound[i].lower <= truth[i].lower);
    CHECK(bound[i].lower >= (mu < 1.0 ? 0.5 * truth[i].lower : 0.0));
    CHECK(bound[i].upper == 1.0 - some[i]);
  }
}
