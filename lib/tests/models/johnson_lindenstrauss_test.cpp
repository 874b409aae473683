// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/johnson_lindenstrauss.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST_CASE("projected inner products have the mean and variance that are claimed", "[models][statistics]") {
  const std::vector<double> u{1.0, 0.0, 0.0}, v{0.3, 2.0 * 0.0 + std::sqrt(1.0 - 0.09), 0.0};
  const std::size_t m = 5;
  std::vector<double> pu(m), pv(m);
  double sum = 0.0, squares = 0.0;
  constexpr int maps = 20000;
  for (std::uint32_t path = 0; path < maps; ++path) {
    auto phi = JohnsonLindenstrauss::gaussian(m, 3, 7, path);
    CHECK_FALSE(phi.apply(u, pu));
    phi.apply(v, pv);
    const double product = dot(pu, pv);
    sum += product;
    squares += product * product;
  }
  const auto exact = inner_product_moments(1.0, 1.0, 0.3, 5.0);
  CHECK(exact.mean == 0.3);
  CHECK(exact.variance == Approx(1.09 / 5.0));
  const double mean = sum / maps, variance = squares / maps - mean * mean;
  CHECK(std::abs(mean - exact.mean) < 4.0 * std::sqrt(exact.variance / maps));
  CHECK(variance == Approx(exact.variance).epsilon(0.05));
}

TEST_CASE("both maps are transposed by their transpose", "[models][property]") {
  for (const bool fast : {false, true}) {
    auto phi = fast ? JohnsonLindenstrauss::hadamard(6, 11, 3, 0) : JohnsonLindenstrauss::gaussian(6, 11, 3, 0);
    std::vector<double> x(11), w(6), px(6), tw(11);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = std::sin(1.0 + static_cast<double>(i));
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = std::cos(static_cast<double>(i));
    }
    const bool shortened = phi.apply(x, px);
    phi.transpose(w, tw);
    CHECK_FALSE(shortened);
    CHECK(dot(px, w) == Approx(dot(x, tw)).epsilon(1e-13));
  }
}

TEST_CASE("the fast map keeps norms on average and uses every coordinate once when it keeps all", "[models]") {
  auto all = JohnsonLindenstrauss::hadamard(8, 8, 5, 1);
  std::vector<double> x{1.0, -2.0, 0.5, 0.0, 3.0, 0.25, -1.0, 2.0}, out(8);
  all.apply(x, out);
  CHECK(dot(out, out) == Approx(dot(x, x)));  // an orthogonal map
  double sum = 0.0;
  std::vector<double> part(3);
  for (std::uint32_t path = 0; path < 4000; ++path) {
    auto phi = JohnsonLindenstrauss::hadamard(3, 8, 5, path);
    phi.apply(x, part);
    sum += dot(part, part) / 4000.0;
  }
  CHECK(sum == Approx(dot(x, x)).epsilon(0.05));
}

TEST_CASE("renormalised images are at most twice as long", "[models][property]") {
  std::vector<double> x{1.0, 1.0}, out(1);
  std::size_t shortened = 0;
  for (std::uint32_t path = 0; path < 400; ++path) {
    auto phi = JohnsonLindenstrauss::gaussian(1, 2, 9, path, true);
    shortened += static_cast<std::size_t>(phi.apply(x, out));
    REQUIRE(std::abs(out[0]) <= 2.0 * std::sqrt(2.0) * (1.0 + 1e-15));
  }
  CHECK(shortened > 5);  // P(|N(0,1)| > 2) = 0.0455
  CHECK(shortened < 40);
}

TEST_CASE("projections refuse shapes that make no sense", "[models][errors]") {
  CHECK_THROWS_WITH(JohnsonLindenstrauss::gaussian(0, 3, 1, 0), Catch::Contains("target = 0"));
  CHECK_THROWS_WITH(JohnsonLindenstrauss::hadamard(9, 8, 1, 0), Catch::Contains("target = 9"));
  CHECK_THROWS_WITH(inner_product_moments(1.0, 1.0, 1.5, 2.0), Catch::Contains("cos = 1.5"));
  CHECK_THROWS_WITH(inner_product_moments(1.0, 1.0, 0.5, 0.0), Catch::Contains("m = 0"));
}
