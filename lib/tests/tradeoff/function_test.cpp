// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/function.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::tradeoff;

TEST_CASE("analytic functions answer with their closed forms", "[function]") {
  const auto f = gaussian_function(1.3);
  CHECK(f(0.2) == gaussian(0.2, 1.3));
  CHECK(f.power(1e-200) == gaussian_power(1e-200, 1.3));
  CHECK(f.delta(0.7) == delta_enclosure(0.7, exactly(1.3)));
  CHECK(f.gaussian_mu() == 1.3);
  CHECK(f.symmetric());
  CHECK(f.inverse()(0.2) == f(0.2));
  const auto g = subsampled_gaussian_function(0.1, 1.3);
  CHECK(g(0.2) == subsampled_gaussian(0.2, 0.1, 1.3));
  CHECK(g.delta(0.1) == subsampled_gaussian_delta_enclosure(0.1, 0.1, 1.3));
  CHECK(identity_function()(0.3) == 0.7);
  CHECK(gaussian_function(0.0).table() == identity_function().table());
  CHECK(f.delta(std::numeric_limits<double>::infinity()) == Enclosure{0.0, 0.0});
}

TEST_CASE("f_{epsilon, delta} is the formula and its profile is exact at epsilon", "[function]") {
  const double epsilon = GENERATE(0.0, 0.5, 3.0), delta = GENERATE(0.0, 1e-5, 0.2);
  const auto f = approximate_dp_function(epsilon, delta);
  for (const double a : {0.0, 1e-3, 0.1, 0.4, 0.7, 0.9, 1.0}) {
    const double exact = std::max({0.0, 1.0 - delta - std::exp(epsilon) * a, std::exp(-epsilon) * (1.0 - delta - a)});
    CHECK(f(a) == Approx(exact).epsilon(1e-14).margin(1e-16));
  }
  CHECK(f.delta(epsilon).contains(delta));
}

TEST_CASE("the table of C_p lies on the stated side of the closed form", "[function]") {
  // The bounds on hull minus closed form are those of an independent prototype.
  struct Case {
    double p, mu, bound;
  };
  for (const auto& [p, mu, bound] : {Case{0.25, 2.5, 7.3e-6}, Case{0.01, 1.0, 4.6e-8}}) {
    const auto grid = default_grid(8000);
    const auto above = subsampled(tabulated(gaussian_function(mu), grid, Side::above), p);
    const auto below = subsampled(tabulated(gaussian_function(mu), grid, Side::below), p);
    CHECK(above.symmetric());
    for (int i = 0; i <= 1000; ++i) {
      const double a = 0.001 * i, exact = subsampled_gaussian(a, p, mu);
      CHECK(above(a) >= exact - 4e-16);
      CHECK(above(a) <= exact + bound);
      CHECK(below(a) <= exact + 1e-16);
      CHECK(below(a) >= exact - 4.0 * bound);  // extended chords miss by three times what chords miss, and a corner
    }
    CHECK(is_tradeoff(above.table(), 1e-15));
    CHECK(subsampled(gaussian_function(mu), p)(0.4) == subsampled_gaussian(0.4, p, mu));
  }
}

TEST_CASE("the inverse of a mixture undoes it", "[function][property]") {
  const auto f = mixed_with_identity(gaussian_function(2.0), 0.3);
  const auto inverse = f.inverse();
  for (const double a : {1e-9, 0.01, 0.3, 0.8}) {
    CHECK(inverse(f(a)) == Approx(a).epsilon(1e-12).margin(1e-15));
    CHECK(f(inverse(f(a))) >= f(a));
  }
  CHECK(inverse.inverse()(0.3) == f(0.3));
  const double epsilon = GENERATE(-1.0, -0.1, 0.0, 0.4, 2.0);
  CHECK(test::relative_error(f.delta(epsilon).middle(), one_sided_delta_of_adding(epsilon, 0.3, 2.0)) < 1e-13);
  CHECK(f.delta(epsilon).relative_width() < 2e-15);
  CHECK(inverse.delta(epsilon).middle() == Approx(one_sided_delta_of_removing(epsilon, 0.3, 2.0)).margin(1e-14));
}

TEST_CASE("composition is exact for Gaussians and enclosed by tables", "[function]") {
  CHECK(tensor(gaussian_function(3.0), gaussian_function(4.0)).gaussian_mu() == 5.0);
  const auto f = gaussian_function(0.6), g = gaussian_function(0.8);
  CHECK(tensor(f, identity_function()).gaussian_mu() == 0.6);
  CHECK_THROWS_AS(tensor(f, subsampled_gaussian_function(0.1, 1.0)), DomainError);
  const auto grid = default_grid(600);
  const auto below = tensor(tabulated(f, grid, Side::below), tabulated(g, grid, Side::below));
  const auto above = tensor(tabulated(f, grid, Side::above), tabulated(g, grid, Side::above));
  for (int i = 1; i < 100; ++i) {
    const double a = 0.01 * i, exact = gaussian(a, 1.0);
    CHECK(below(a) <= exact);
    CHECK(above(a) >= exact);
    CHECK(above(a) - below(a) < 3e-3);
  }
}

TEST_CASE("composition with a failure probability", "[function]") {
  const auto f = with_failure(gaussian_function(1.0), 0.1);
  CHECK(f(0.45) == Approx(0.9 * gaussian(0.5, 1.0)).epsilon(1e-15));
  CHECK(f(0.95) == 0.0);
  CHECK(f.delta(0.5).middle() == Approx(0.1 + 0.9 * delta_of_epsilon(0.5, 1.0)).epsilon(1e-12));
  CHECK(with_failure(gaussian_function(1.0), 1.0).delta(0.5).contains(1.0));
  const auto table = tabulated(gaussian_function(1.0), default_grid(300), Side::below);
  const auto direct = tensor(table, approximate_dp_function(0.0, 0.1));
  CHECK(with_failure(table, 0.1)(0.2) <= f(0.2));
  CHECK(direct(0.2) <= f(0.2));
}

TEST_CASE("the maximum of bounds has the smallest profile", "[function]") {
  const auto f = gaussian_function(1.0), g = approximate_dp_function(1.0, 0.01);
  const auto both = maximum({f, g});
  CHECK(both(0.2) == std::max(f(0.2), g(0.2)));
  const double epsilon = GENERATE(-0.5, 0.0, 0.5, 1.0, 2.0);
  const Enclosure delta = both.delta(epsilon);
  CHECK(delta.lower <= std::min(f.delta(epsilon).upper, g.delta(epsilon).upper));
  CHECK(delta.width() < 1e-9);
  // A dense grid of type I errors gives a lower bound of the profile.
  double best = 0.0;
  for (int i = 1; i < 20000; ++i) {
    const double a = i / 20000.0;
    best = std::max(best, 1.0 - both(a) - std::exp(epsilon) * a);
  }
  CHECK(best <= delta.upper);
  CHECK(best >= delta.lower - 2e-4);
  CHECK(maximum({f}).gaussian_mu() == 1.0);
}

TEST_CASE("the power of every kind of function is one minus it, to small errors", "[function][property]") {
  const auto gaussians = gaussian_function(2.0), lopsided = mixed_with_identity(gaussians, 0.3);
  const auto f =
      GENERATE_COPY(subsampled_gaussian_function(0.1, 2.0), lopsided, lopsided.inverse(), with_failure(gaussians, 0.2),
                    with_failure(lopsided, 0.2), maximum({gaussians, approximate_dp_function(1.0, 0.01)}));
  for (const double a : {0.0, 1e-3, 0.2, 0.5, 0.79, 0.81, 1.0}) {
    CHECK(f.power(a) == Approx(1.0 - f(a)).epsilon(1e-12).margin(1e-15));
  }
  // Where the type I error is tiny the subtraction would lose what the power keeps.
  CHECK(mixed_with_identity(gaussians, 0.3).power(1e-200) ==
        Approx(0.3 * gaussian_power(1e-200, 2.0) + 0.7e-200).epsilon(1e-13));
}

TEST_CASE("the inverse of a maximum and of a failure undoes it, and symmetry is known", "[function][property]") {
  const auto lopsided = mixed_with_identity(gaussian_function(2.0), 0.3);
  const auto f =
      GENERATE_COPY(with_failure(lopsided, 0.2), maximum({lopsided, mixed_with_identity(gaussian_function(1.0), 0.9)}));
  CHECK_FALSE(f.symmetric());
  const auto inverse = f.inverse();
  for (const double a : {1e-6, 0.05, 0.3, 0.7}) {
    CHECK(inverse(f(a)) == Approx(a).epsilon(1e-9));
  }
  CHECK_FALSE(lopsided.inverse().symmetric());
  CHECK(with_failure(gaussian_function(2.0), 0.2).symmetric());
  CHECK(with_failure(gaussian_function(2.0), 0.2).inverse()(0.3) == with_failure(gaussian_function(2.0), 0.2)(0.3));
  CHECK(maximum({gaussian_function(1.0), approximate_dp_function(1.0, 0.1)}).symmetric());
  CHECK(maximum({gaussian_function(1.0), approximate_dp_function(1.0, 0.1)}).inverse()(0.2) ==
        maximum({gaussian_function(1.0), approximate_dp_function(1.0, 0.1)})(0.2));
}

TEST_CASE("sampling nothing gives perfect privacy, sampling all the function itself", "[function]") {
  CHECK(subsampled_gaussian_function(0.0, 2.0)(0.3) == 0.7);
  CHECK(subsampled_gaussian_function(0.5, 0.0)(0.3) == 0.7);
  const auto table = tabulated(gaussian_function(1.0), default_grid(100), Side::below);
  CHECK(subsampled(table, 0.0)(0.3) == 0.7);
  CHECK(subsampled(table, 1.0)(0.3) <= table(0.3));  // made symmetric
  CHECK(mixed_with_identity(table, 0.0)(0.3) == 0.7);
  CHECK(mixed_with_identity(table, 1.0)(0.3) == table(0.3));
}

TEST_CASE("symmetrisation of a table is symmetric and below", "[function]") {
  const auto f = tabulated(mixed_with_identity(gaussian_function(2.0), 0.3), default_grid(300), Side::below);
  const auto h = symmetrised(f);
  CHECK(h.symmetric());
  for (const double a : {0.01, 0.2, 0.5, 0.9}) {
    CHECK(h(a) <= f(a) + 1e-16);
    CHECK(h(a) <= f.inverse()(a) + 1e-15);
  }
  CHECK_THROWS_AS(symmetrised(mixed_with_identity(gaussian_function(2.0), 0.3)), DomainError);
}

TEST_CASE("functions outside their domains name the argument", "[function][errors]") {
  CHECK_THROWS_WITH(gaussian_function(-1.0), Catch::Contains("mu = -1"));
  CHECK_THROWS_AS(gaussian_function(1.0)(1.5), DomainError);
  CHECK_THROWS_AS(gaussian_function(1.0).delta(std::nan("")), DomainError);
  CHECK_THROWS_AS(approximate_dp_function(-1.0, 0.0), DomainError);
  CHECK_THROWS_AS(tabulated_function({{0.0, 0.5}, {0.3, 0.4}, {0.4, 0.1}, {1.0, 0.0}}), DomainError);
  CHECK_THROWS_AS(tabulated_function({{0.0, 1.0}, {0.5, 0.0}}), DomainError);
  CHECK_THROWS_AS(maximum({}), DomainError);
  CHECK_THROWS_AS(subsampled(subsampled_gaussian_function(0.1, 1.0), 0.5), DomainError);
  CHECK_THROWS_AS(mixed_with_identity(identity_function(), 2.0), DomainError);
  CHECK_THROWS_AS(with_failure(identity_function(), -0.1), DomainError);
  CHECK_THROWS_AS(default_grid(0), DomainError);
}
