// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <random>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

#include "../support/support.hpp"

using namespace dpcurves;
using accounting::Direction;
using accounting::fixed_size_renyi_bound;
using accounting::poisson_renyi;
using rigorous::Real;

namespace {

// log of the binomial sum over k of C(a, k) (1 - q)^(a - k) q^k e^(k (k - 1) mu^2 / 2), over a - 1.
double binomial_sum(double q, double mu, int order) {
  double sum = 0.0, choose = 1.0;
  for (int k = 0; k <= order; ++k) {
    sum += choose * std::pow(1.0 - q, order - k) * std::pow(q, k) * std::exp(0.5 * k * (k - 1) * mu * mu);
    choose *= static_cast<double>(order - k) / (k + 1.0);
  }
  return std::log(sum) / (order - 1.0);
}

}  // namespace

TEST_CASE("the divergence of Poisson sampling agrees with 90-digit integrals in both directions",
          "[accounting][renyi][accuracy]") {
  test::Worst error, width;
  int outside = 0;
  for (const auto& row : test::reference_table("accounting/subsampled_renyi.csv")) {
    const Enclosure got = poisson_renyi(row.at("sampling_rate"), row.at("mu"), row.at("order"),
                                        row.at("direction") == 0.0 ? Direction::remove : Direction::add);
    const double exact = row.at("renyi");
    outside += got.contains(exact) ? 0 : 1;
    error.see(test::relative_error(got.middle(), exact), row.at("order"));
    width.see(got.relative_width(), row.at("order"));
  }
  CAPTURE(error.at, error.error, width.at, width.error);
  CHECK(outside == 0);
  CHECK(error.error < 5e-16);
  CHECK(width.error < 5e-16);  // three doubles: the number in the header comment
}

TEST_CASE("the divergence of a replaced record agrees with 40-digit integrals, at large orders too",
          "[accounting][renyi][accuracy]") {
  struct Row {
    double q, mu, order, exact;
  };
  for (const Row& row : {Row{0.3, 0.01, 1e4, 0.18634276393162129}, Row{0.9, 0.01, 1e4, 1.5039293103925175},
                         Row{0.3, 0.001, 1e7, 4.1527885273811065}, Row{0.01, 1.0, 2.5, 0.00057275675556067941},
                         Row{0.01, 1.0, 32.0, 11.256326272901570}, Row{1e-6, 0.5, 1.5, 7.5783670461259367e-13},
                         Row{1e-7, 0.02, 60.0, 4.8000001278079240e-16}, Row{0.5, 2.0, 1.001, 1.1718651067915288},
                         Row{0.99, 0.3, 50.0, 6.4016031065213914}, Row{1e-3, 4.0, 3.0, 13.639367581880067}}) {
    const Enclosure got = accounting::replaced_renyi(row.q, row.mu, row.order);
    CAPTURE(row.q, row.mu, row.order, got.lower, got.upper);
    CHECK(got.contains(row.exact));
    CHECK(got.relative_width() < 5e-16);
    const accounting::Composition one{0.0, {{row.q, row.mu, 1.0, accounting::Pair::poisson_replace_one}}};
    CHECK(accounting::renyi(one, row.order).contains(row.exact));
    CHECK(accounting::renyi(one, row.order).relative_width() < 1e-12);
  }
  CHECK(std::isinf(accounting::replaced_renyi(0.1, 1.0, infinity).lower));
  for (const auto& [rate, mu] : {std::pair{0.01, 1e-300}, std::pair{1e-300, 1.0}}) {  // no double tells 1 from it
    const Enclosure tiny = accounting::replaced_renyi(rate, mu, 3.0);
    CHECK(tiny.lower == 0.0);
    CHECK(tiny.upper < 1e-200);
  }
  CHECK(accounting::replaced_renyi(0.0, 1.0, 2.0).upper == 0.0);
  CHECK(accounting::replaced_renyi(1.0, 1.0, 2.0).contains(4.0));
  CHECK(accounting::replaced_renyi(0.5, 100.0, 1e12).upper <= 2.0001e16);  // no quadrature: still true
}

TEST_CASE("the divergence of the symmetrised pair agrees with 60-digit integrals", "[accounting][renyi][accuracy]") {
  test::Worst error, width;
  int outside = 0;
  for (const auto& row : test::reference_table("accounting/symmetrised_renyi.csv")) {
    const Enclosure got = accounting::symmetrised_renyi(row.at("sampling_rate"), row.at("mu"), row.at("order"));
    outside += got.contains(row.at("renyi")) ? 0 : 1;
    error.see(test::relative_error(got.middle(), row.at("renyi")), row.at("order"));
    width.see(got.relative_width(), row.at("order"));
  }
  CAPTURE(error.at, error.error, width.at, width.error);
  CHECK(outside == 0);
  CHECK(error.error < 5e-16);
  CHECK(width.error < 5e-16);
}

TEST_CASE("integer orders are the binomial sum", "[accounting][renyi]") {
  const double q = GENERATE(0.01, 0.3, 0.9), mu = GENERATE(0.2, 1.0, 1.5);
  const int order = GENERATE(2, 3, 7, 20);
  const double got = poisson_renyi(q, mu, order, Direction::remove).middle();
  const double exact = binomial_sum(q, mu, order);
  CAPTURE(q, mu, order);
  CHECK(std::abs(got - exact) < 4e-15 * (1.0 + exact));  // the sum in doubles loses the digits of 1
}

TEST_CASE("the divergence grows with the order, the sampling rate and mu", "[accounting][renyi][property]") {
  const auto direction = GENERATE(Direction::remove, Direction::add);
  const double orders[] = {1.0 + 1e-9, 1.01, 1.7, 2.0, 4.3, 19.0, 333.3, 1e4, 1e7, 1e9};
  const double rates[] = {0.0, 1e-12, 1e-6, 0.01, 0.4, 0.99, 1.0 - 1e-12, 1.0};
  const double mus[] = {0.0, 1e-5, 0.03, 0.5, 1.5, 4.0, 12.0};
  for (std::size_t i = 0; i < std::size(rates); ++i) {
    for (std::size_t j = 0; j < std::size(mus); ++j) {
      double last = 0.0;
      for (const double order : orders) {
        const Enclosure here = poisson_renyi(rates[i], mus[j], order, direction);
        CAPTURE(rates[i], mus[j], order, here.lower, here.upper);
        CHECK(here.upper >= last);
        CHECK(here.lower >= 0.0);
        CHECK(here.relative_width() < 1e-12);
        last = here.lower;
        if (i > 0) {
          CHECK(here.upper >= poisson_renyi(rates[i - 1], mus[j], order, direction).lower);
        }
        if (j > 0) {
          CHECK(here.upper >= poisson_renyi(rates[i], mus[j - 1], order, direction).lower);
        }
      }
    }
  }
}

TEST_CASE("two bumps of one size keep the width, also where the sampling rate is extreme", "[accounting][renyi]") {
  // a log(q) + a (a - 1) mu^2 / 2 is about 0; the integrals' exponents cancel, and the closed forms must not interfere.
  for (const double order : {1.5, 2.3, 44.0, 250.0, 3618.4, 6574.7}) {
    for (const double mu : {1e-3, 0.0256, 0.186, 0.913, 2.3, 4.0, 17.7}) {
      const double q = std::exp(-0.5 * (order - 1.0) * mu * mu * 0.98);
      if (q > 1e-300) {
        const Enclosure got = poisson_renyi(q, mu, order, Direction::remove);
        CAPTURE(order, mu, q, got.lower, got.upper);
        CHECK(got.lower > 0.0);
        CHECK(got.relative_width() < 5e-16);
      }
    }
  }
}

TEST_CASE("no sampling is the Gaussian mechanism and sampling nothing leaves no divergence", "[accounting][renyi]") {
  const auto direction = GENERATE(Direction::remove, Direction::add);
  CHECK(poisson_renyi(0.0, 1.0, 3.0, direction) == exactly(0.0));
  CHECK(poisson_renyi(0.5, 0.0, 3.0, direction) == exactly(0.0));
  CHECK(poisson_renyi(1.0, 1.5, 2.5, direction).contains(2.8125));
  CHECK(poisson_renyi(1.0, 1.5, 2.5, direction).relative_width() < 2e-15);
  // The derivative in q is -1.7 for remove and about -100 for add.
  CHECK(std::abs(poisson_renyi(1.0 - 1e-15, 1.5, 2.5, direction).middle() - 2.8125) < 1e-12);
}

TEST_CASE("at infinite order only adding a record has a bound", "[accounting][renyi]") {
  CHECK(poisson_renyi(0.2, 1.0, infinity, Direction::remove) == exactly(infinity));
  const Enclosure limit = poisson_renyi(0.2, 1.0, infinity, Direction::add);
  CHECK(limit.contains(-std::log1p(-0.2)));
  // What is missing is the logarithm of a normal tail 24 deviations out, over the order.
  const double missing = limit.middle() - poisson_renyi(0.2, 1.0, 1e12, Direction::add).middle();
  CHECK(missing > 0.0);
  CHECK(missing < 400e-12);
  CHECK(poisson_renyi(1.0, 1.0, infinity, Direction::add) == exactly(infinity));
}

TEST_CASE("the symmetrised pair lies above both directions and below their sum", "[accounting][renyi][property]") {
  // Its moment less 1 is the sum of the two integrals over x > mu/2 alone.
  const double q = GENERATE(0.01, 0.3), mu = GENERATE(0.5, 2.0), order = GENERATE(1.5, 4.0, 16.0);
  const Enclosure symmetrised = accounting::renyi({0.0, {{q, mu, 1.0}}}, order);
  const Enclosure remove = poisson_renyi(q, mu, order, Direction::remove);
  const Enclosure add = poisson_renyi(q, mu, order, Direction::add);
  CAPTURE(q, mu, order, symmetrised.lower, remove.lower, add.lower);
  CHECK(symmetrised.upper >= remove.lower);
  CHECK(symmetrised.upper >= add.lower);
  const auto moment = [order](double divergence) { return std::expm1((order - 1.0) * divergence); };
  CHECK(moment(symmetrised.lower) <= (moment(remove.upper) + moment(add.upper)) * (1.0 + 1e-14));
  const Enclosure own = accounting::symmetrised_renyi(q, mu, order);
  CHECK(own.lower <= symmetrised.upper);
  CHECK(own.upper >= symmetrised.lower);
  CHECK(own.middle() == Approx(symmetrised.middle()).epsilon(1e-11));
  const Enclosure full = accounting::renyi({0.0, {{1.0, mu, 1.0}}}, order);
  CHECK(full.middle() == Approx(poisson_renyi(1.0, mu, order, Direction::add).middle()).epsilon(1e-14));
}

TEST_CASE("the bound for fixed batches agrees with the 60-digit sum and is rounded up",
          "[accounting][renyi][accuracy]") {
  test::Worst worst;
  for (const auto& row : test::reference_table("accounting/fixed_size_renyi.csv")) {
    const double got = fixed_size_renyi_bound(row.at("sampling_rate"), row.at("mu"), row.at("order"));
    const double exact = row.at("renyi_bound");
    CAPTURE(row.at("sampling_rate"), row.at("mu"), row.at("order"));
    CHECK(got >= exact);
    worst.see(test::relative_error(got, exact), row.at("order"));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-12);  // the number in the header comment
}

TEST_CASE("the bound for fixed batches never exceeds the mechanism without sampling", "[accounting][renyi]") {
  CHECK(fixed_size_renyi_bound(1.0, 0.5, 8.0) == Approx(1.0).epsilon(1e-14));
  CHECK(fixed_size_renyi_bound(0.3, 8.0, 64.0) <= 64.0 * 32.0 * (1.0 + 1e-15));
  CHECK(fixed_size_renyi_bound(0.0, 1.0, 8.0) == 0.0);
  CHECK(fixed_size_renyi_bound(0.1, 0.0, 8.0) == 0.0);
}

TEST_CASE("arguments of the sampled divergences outside their domains name themselves", "[accounting][errors]") {
  const double nan = std::nan("");
  for (const auto direction : {Direction::remove, Direction::add}) {
    CHECK_THROWS_WITH(poisson_renyi(-0.1, 1.0, 2.0, direction), Catch::Contains("sampling_rate = -0.1"));
    CHECK_THROWS_AS(poisson_renyi(nan, 1.0, 2.0, direction), DomainError);
    CHECK_THROWS_WITH(poisson_renyi(0.1, 101.0, 2.0, direction), Catch::Contains("mu = 101"));
    CHECK_THROWS_AS(poisson_renyi(0.1, nan, 2.0, direction), DomainError);
    CHECK_THROWS_WITH(poisson_renyi(0.1, 1.0, 1.0, direction), Catch::Contains("order = 1"));
    CHECK_THROWS_AS(poisson_renyi(0.1, 1.0, nan, direction), DomainError);
    CHECK_THROWS_AS(poisson_renyi(0.1, 1.0, 1e13, direction), DomainError);
  }
  CHECK_THROWS_WITH(fixed_size_renyi_bound(0.1, 1.0, 2.5), Catch::Contains("order = 2.5"));
  CHECK_THROWS_AS(fixed_size_renyi_bound(0.1, 1.0, 1.0), DomainError);
  CHECK_THROWS_AS(fixed_size_renyi_bound(0.1, 1.0, infinity), DomainError);
  CHECK_THROWS_AS(fixed_size_renyi_bound(1.1, 1.0, 2.0), DomainError);
  CHECK_THROWS_AS(fixed_size_renyi_bound(0.1, nan, 2.0), DomainError);
}

TEST_CASE("the divergence at integer orders lies between the ends, by the binomial sum in 3000 bits",
          "[accounting][renyi][proved]") {
  std::mt19937_64 generator(7);
  const auto power = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution(low, high)(generator));
  };
  const rigorous::Precision precision(3000);
  for (int i = 0; i < 120; ++i) {
    const double q = i % 3 == 0 ? 1.0 - power(-14, -1) : power(i % 5 == 0 ? -200 : -9, 0);
    const double mu = power(i % 7 == 0 ? -80 : -4, 1.3);
    const int order = static_cast<int>(2 + power(0, 1.8));
    Real sum, choose(1);
    for (int k = 0; k <= order; ++k) {
      Real term = choose * exp(scaled(Real(k) * Real(k - 1) * Real(mu) * Real(mu), -1));
      for (int j = 0; j < order; ++j) {
        term = term * (j < k ? Real(q) : Real(1) - Real(q));
      }
      sum += term;
      choose = choose * Real(order - k) / Real(k + 1);
    }
    const Real truth = log(sum) / Real(order - 1);
    const Enclosure got = poisson_renyi(q, mu, order, Direction::remove);
    CAPTURE(q, mu, order, got.lower, got.upper);
    CHECK_FALSE(truth < Real(got.lower));
    CHECK_FALSE(truth > Real(got.upper));
    CHECK(got.upper <= next_up(next_up(got.lower)));
    if (got.upper > 1e-290) {
      CHECK(test::relative_error(accounting::estimated_poisson_renyi(q, mu, order, Direction::remove), got.upper) <
            1e-12);
    }
  }
}

TEST_CASE("adding a record lies between the ends, by a rule that knows nothing of the strip",
          "[accounting][renyi][proved]") {
  // The trapezoidal rule on twice as many bits and a fixed step that is far finer than the plan's.
  std::mt19937_64 generator(8);
  const auto power = [&](double low, double high) {
    return std::pow(10.0, std::uniform_real_distribution(low, high)(generator));
  };
  const rigorous::Precision precision(300);
  for (int i = 0; i < 25; ++i) {
    const double q = i % 3 == 0 ? 1.0 - power(-6, -1) : power(-6, 0), mu = power(-2, 0.5), order = 1.0 + power(-3, 2.5);
    const Real a(order), h(0.01);
    Real add;
    for (int j = -9000; j <= 3000; ++j) {
      const Real x = Real(j) * h;
      const Real r = Real(1) - Real(q) + Real(q) * exp(Real(mu) * x - scaled(Real(mu) * Real(mu), -1));
      add += exp((Real(1) - a) * log(r) - scaled(x * x, -1));
    }
    const Real truth = log(add * h / sqrt(scaled(rigorous::pi(), 1))) / (a - Real(1));
    const Enclosure got = poisson_renyi(q, mu, order, Direction::add);
    CAPTURE(q, mu, order, got.lower, got.upper);
    CHECK(truth.middle() >= got.lower);  // the rule's own error is below 1e-70, the doubles' steps are 1e-16
    CHECK(truth.middle() <= got.upper);
    CHECK(got.upper <= next_up(next_up(got.lower)));
  }
}
