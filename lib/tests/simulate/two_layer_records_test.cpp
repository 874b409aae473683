// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/two_layer_records.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

TEST_CASE("a drawn two-layer network has unit directions, and is a function of its seed", "[simulate][two-layer]") {
  const auto network = TwoLayerNetwork::drawn(3, 5, 7);
  REQUIRE(network.outer.size() == 3);
  REQUIRE(network.directions.size() == 15);
  double outer = 0.0;
  for (std::size_t t = 0; t < 3; ++t) {
    double square = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
      square += network.directions[5 * t + i] * network.directions[5 * t + i];
    }
    CHECK(square == Approx(1.0).epsilon(1e-14));
    outer += network.outer[t] * network.outer[t];
  }
  CHECK(outer == Approx(1.0).epsilon(1e-14));
  CHECK(TwoLayerNetwork::drawn(3, 5, 7).directions == network.directions);
  CHECK(TwoLayerNetwork::drawn(3, 5, 8).directions != network.directions);
  CHECK_THROWS_AS(TwoLayerNetwork::drawn(0, 5, 7), DomainError);
  CHECK_THROWS_AS(TwoLayerNetwork::drawn(3, 0, 7), DomainError);
}

TEST_CASE("output and labels of a two-layer network", "[simulate][two-layer]") {
  const TwoLayerNetwork network{{0.6, -0.8}, {1.0, 0.0, 0.0, 1.0}};
  const std::vector<double> x{0.8, 0.6};
  const auto sigmoid = [](double u) { return 1.0 / (1.0 + std::exp(-u)); };
  const double f = 0.6 * sigmoid(0.8) - 0.8 * sigmoid(0.6);
  CHECK(network.output(x) == Approx(f).epsilon(1e-15));
  const auto law = network.law();
  CHECK(law.mean(x, 0.0) == Approx(sigmoid(f)).epsilon(1e-15));
  constexpr std::size_t n = 20000;  // half the labels are 1, give or take 4 standard errors of the mean sigmoid(f)
  DrawnRecords records(law, n, 3, 0);
  std::vector<double> features(2 * n), labels(n);
  records.read(0, features, labels);
  double seen = 0.0, expected = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool label = labels[i] == 0.0 || labels[i] == 1.0;
    REQUIRE(label);
    seen += labels[i] / n;
    expected += law.mean(std::span(features).subspan(2 * i, 2), 0.0) / n;
  }
  CHECK(std::abs(seen - expected) < 4.0 * 0.5 / std::sqrt(static_cast<double>(n)));
  CHECK_THROWS_AS((TwoLayerNetwork{{1.0, 0.0}, {1.0, 0.0, 0.0}}.law()), DomainError);
}

TEST_CASE("the risk above a two-layer network is 0 only for its own mean", "[simulate][two-layer]") {
  // One unit with |b| = 1 in one dimension: x is -1 or 1, and monomials of degree 1 reach both values of f.
  const TwoLayerNetwork network{{1.0}, {1.0}};
  const auto law = network.law();
  const models::PolynomialFeatures psi(1, 1);  // (1, x)/sqrt 2
  const double at_one = 1.0 / (1.0 + std::exp(-1.0)), at_minus_one = 1.0 - at_one, root = std::sqrt(2.0);
  const std::vector<double> w{root * 0.5 * (at_one + at_minus_one), root * 0.5 * (at_one - at_minus_one)};
  CHECK(risk_above_mean(law, psi, w, 100, 5, 0) < 1e-30);
  const std::vector<double> zero{0.0, 0.0};
  const auto square = [&](double f) { return std::pow(1.0 / (1.0 + std::exp(-f)) - 0.5, 2.0); };
  const double risk = risk_above_mean(law, psi, zero, 4000, 5, 0);
  const double mean = 0.5 * (square(at_one) + square(at_minus_one));
  CHECK(std::abs(risk - mean) < 4.0 * std::abs(square(at_one) - mean) / std::sqrt(4000.0));
  CHECK_THROWS_AS(risk_above_mean(law, psi, std::vector<double>(3), 100, 5, 0), DomainError);
  CHECK_THROWS_AS(risk_above_mean({}, psi, zero, 100, 5, 0), DomainError);
}
