// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("binomial tails agree with 60-digit references from 2 to 1e12 trials", "[bounds][accuracy]") {
  test::Worst worst;
  std::size_t rows = 0;
  for (const auto& row : test::reference_table("bounds/binomial_lower_tail.csv")) {
    const auto tail = bounds::binomial_lower_tail(row.at("trials"), row.at("rate"), row.at("count"));
    const double exact = row.at("log");
    worst.see(std::abs(tail.log - exact) / (1e-10 + 1e-15 * std::abs(exact)), row.at("trials"));
    CHECK(tail.probability == std::exp(tail.log));
    ++rows;
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1.0);  // the error in the header comment
  CHECK(rows >= 27);
}

TEST_CASE("a long flat binomial tail is the same by terms and by integration", "[bounds]") {
  // 1e10 trials at rate 1/2: the terms change over 50000 counts, on the side of the sum; 1e14: integrated. Against the
  // normal law with its skewness correction, whose error is below 1e-9 at 1e14 trials.
  const double n = 1e14, sd = 0.5 * std::sqrt(n), k = 0.5 * n - 3.0 * sd;
  const double normal = 0.5 * std::erfc((3.0 - 0.5 / sd) / std::sqrt(2.0));
  CHECK(bounds::binomial_lower_tail(n, 0.5, k).probability == Approx(normal).epsilon(1e-9));
  CHECK(bounds::binomial_lower_tail(n, 0.5, 0.5 * n).probability ==
        Approx(0.5 + 0.5 / std::sqrt(2.0 * std::acos(-1.0)) / sd).epsilon(1e-9));
}

TEST_CASE("norm tails agree with 60-digit references up to dimension 1e9", "[bounds][accuracy]") {
  test::Worst worst;
  for (const auto& row : test::reference_table("bounds/norm_tail.csv")) {
    const auto tail = bounds::norm_tail(row.at("dimension"), row.at("deviation"), row.at("threshold"));
    const double exact = row.at("log");
    if (exact > -1e-10) {  // nearly 1: its logarithm is lost in the rounding of the probability
      CHECK(tail.exact.probability == Approx(std::exp(exact)).epsilon(1e-15));
      continue;
    }
    worst.see(std::abs(tail.exact.log - exact) / (1e-11 + 1e-14 * std::abs(exact)), row.at("dimension"));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1.0);
}

TEST_CASE("batches of every rate fall short as the binomial law says", "[bounds]") {
  const auto certain = bounds::batch_tail(100.0, 1.0, 0.0, 5.0);  // all records: never more than n, always n
  CHECK(certain.single.probability == 1.0);
  CHECK(certain.any.probability == 1.0);
  const auto never = bounds::batch_tail(100.0, 1.0, 0.01, 5.0);
  CHECK(never.single.probability == 0.0);
  CHECK(never.any.probability == 0.0);
  CHECK(bounds::batch_tail(100.0, 0.1, 0.9, 1.0).count == 1.0);  // (1 - .9) .1 100 is a little below 1 in doubles
  const auto empty = bounds::batch_tail(50.0, 0.1, 1.0, 1.0);
  CHECK(empty.single.probability == Approx(std::pow(0.9, 50)).epsilon(1e-13));
  const auto deep = bounds::batch_tail(1e9, 0.01, 0.5, 1e6);
  CHECK(deep.any.log == Approx(deep.single.log + std::log(1e6)).epsilon(1e-14));
}

TEST_CASE("Lemma 24 as printed is exceeded by the truth, as corrected it is not", "[bounds]") {
  const auto tail = bounds::norm_tail(1.0, 0.1, 0.1);
  CHECK(tail.exact.probability > 20.0 * std::exp(tail.log_printed));
  CHECK(tail.exact.probability < std::exp(tail.log_bound));
}

TEST_CASE("Theorem 13 loses its privacy term at infinite epsilon and its conditions nowhere near", "[bounds]") {
  bounds::NetworkTraining s{1.0, 3.0, 1.0, 256.0, 4000.0, 1.0, 60000.0, 784.0, 1.0, 1.0 / 3.6e9, 0.05, 0.05};
  const auto terms = bounds::network_terms(s);
  CHECK(terms.privacy == Approx(1.207741474743161).epsilon(1e-12));
  CHECK(bounds::verdict(s).violations.size() == 3);  // records, width, width against T^7
  s.epsilon = std::numeric_limits<double>::infinity();
  CHECK(bounds::network_terms(s).privacy == 0.0);
  CHECK(bounds::network_terms(s).records_required == 0.0);
  CHECK(bounds::verdict(s).violations.size() == 2);
  s.clip = 2.0;
  CHECK(bounds::verdict(s).violations.back().assumption == "C <= R");
  // One step, a tiny radius, a huge width: everything is met, so that the flag can be true.
  bounds::NetworkTraining vast{1.0, 2.0, 1e-3, 1e30, 1.0, 1e-3, 1e60, 1.0, 1.0, 1e-5, 0.05, 0.05};
  CHECK(bounds::verdict(vast).applies());
}

TEST_CASE("the width that Lemma 25 needs solves its inequality and lies below the printed powers", "[bounds]") {
  const double s = 1.0, depth = 3.0, radius = 1.0, slack = 0.08, clip = 1.0;
  const double log_m = bounds::log_width_required(s, depth, radius, slack, clip);
  const auto gap = [&](double x) {  // log of left over right side of S L^2 R^3/(Delta C sqrt m) <= omega
    const double omega = 0.75 * (std::log(slack / s) - 3.0 * std::log(depth) - 0.5 * x - 0.5 * std::log(x));
    return std::log(s * depth * depth * radius * radius * radius / slack / clip) - 0.5 * x - omega;
  };
  CHECK(gap(log_m) == Approx(0.0).margin(1e-10));
  CHECK(gap(log_m * 0.99) > 0.0);
  CHECK(gap(log_m * 1.01) < 0.0);
  CHECK(bounds::almost_convex_radius(slack, s, depth, 1e4) ==
        Approx(std::pow(slack / 27.0 / std::sqrt(1e4 * std::log(1e4)), 0.75)).epsilon(1e-13));
  CHECK(bounds::log_width_required(1.0, 1.0, 1.0, 1e9, 1.0) == 0.0);
}

TEST_CASE("the radius of Lemma 19 is where the linearisation error of Lemma 18 reaches its slack", "[bounds]") {
  const double slack = GENERATE(1e-6, 0.1), depth = GENERATE(2.0, 7.0), width = GENERATE(3.0, 1e9);
  const double radius = bounds::almost_convex_radius(slack, 2.0, depth, width);
  CHECK(2.0 * bounds::linearisation_rate(radius, depth, width) == Approx(slack).epsilon(1e-13));
  // Lemma 21 is of first order in the radius: beyond it hidden layers move more than outputs bend.
  CHECK(bounds::hidden_change_rate(3.0 * radius, depth, width) ==
        Approx(3.0 * bounds::hidden_change_rate(radius, depth, width)).epsilon(1e-14));
  CHECK(bounds::hidden_change_rate(1.0, 4.0, std::exp(1.0)) == Approx(32.0).epsilon(1e-14));
}

TEST_CASE("settings outside Theorem 13's domain name what is wrong", "[bounds][errors]") {
  bounds::NetworkTraining s;
  s.depth = 1.0;
  CHECK_THROWS_WITH(bounds::network_terms(s), Catch::Contains("depth = 1"));
  CHECK_THROWS_WITH(bounds::batch_tail(10.0, 0.0, 0.5, 1.0), Catch::Contains("rate = 0"));
  CHECK_THROWS_AS(bounds::norm_tail(1.5, 1.0, 1.0), DomainError);
  CHECK_THROWS_AS(bounds::norm_tail(1.0, 1.0, std::nan("")), DomainError);
}
