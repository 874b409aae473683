// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/correlated_noise.hpp>
#include <dpcurves/models/strategy_matrix.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using models::StrategyMatrix;

namespace {

std::vector<StrategyMatrix> examples() {
  return {StrategyMatrix::exponential(0.7, 9), StrategyMatrix::exponential(0.0, 9), StrategyMatrix::exponential(1.0, 9),
          StrategyMatrix::toeplitz({1.5, -0.4, 0.2}, 9),
          StrategyMatrix::lower_triangular({{1.0}, {0.5, 2.0}, {0.0, -0.3, 1.2}, {0.0, 0.0, 0.9, 0.7}})};
}

/// The entries, one by one.
std::vector<std::vector<double>> dense(const StrategyMatrix& matrix) {
  std::vector<std::vector<double>> rows(matrix.steps(), std::vector<double>(matrix.steps()));
  for (std::size_t t = 0; t < matrix.steps(); ++t) {
    for (std::size_t u = 0; u < matrix.steps(); ++u) {
      rows[t][u] = matrix(t, u);
    }
  }
  return rows;
}

std::vector<double> sample(std::size_t count) {
  std::vector<double> x(count);
  random::normals(x, 5, random::Purpose::data, 1, 0);
  return x;
}

}  // namespace

TEST_CASE("products of a strategy matrix are those of its entries", "[models][strategy]") {
  for (const auto& matrix : examples()) {
    const auto entries = dense(matrix);
    const auto x = sample(matrix.steps());
    auto forward = x, backward = x;
    matrix.multiply(forward);
    matrix.multiply_transposed(backward);
    for (std::size_t t = 0; t < matrix.steps(); ++t) {
      double row = 0.0, column = 0.0;
      for (std::size_t u = 0; u < matrix.steps(); ++u) {
        row += entries[t][u] * x[u];
        column += entries[u][t] * x[u];
      }
      CHECK(forward[t] == Approx(row).margin(1e-13));
      CHECK(backward[t] == Approx(column).margin(1e-13));
    }
  }
}

TEST_CASE("solving undoes multiplying, in both directions", "[models][strategy]") {
  for (const auto& matrix : examples()) {
    const auto x = sample(matrix.steps());
    auto forward = x, backward = x;
    matrix.multiply(forward);
    matrix.solve(forward);
    matrix.multiply_transposed(backward);
    matrix.solve_transposed(backward);
    for (std::size_t t = 0; t < matrix.steps(); ++t) {
      CHECK(forward[t] == Approx(x[t]).margin(1e-12));
      CHECK(backward[t] == Approx(x[t]).margin(1e-12));
    }
  }
}

TEST_CASE("column norms and accumulated noise are those of the dense matrices", "[models][strategy]") {
  for (const auto& matrix : examples()) {
    const auto entries = dense(matrix);
    const auto columns = matrix.column_norms();
    for (const double retention : {1.0, 0.8, -0.5}) {
      const auto built_up = matrix.accumulated_noise(retention);
      for (std::size_t t = 0; t < matrix.steps(); ++t) {
        // Row t of A C^{-1}, one unit vector of Z at a time.
        double square = 0.0, column = 0.0;
        for (std::size_t u = 0; u < matrix.steps(); ++u) {
          std::vector<double> unit(matrix.steps(), 0.0);
          unit[u] = 1.0;
          matrix.solve(unit);
          double state = 0.0;
          for (std::size_t s = 0; s <= t; ++s) {
            state = retention * state + unit[s];
          }
          square += state * state;
          column += entries[u][t] * entries[u][t];
        }
        CHECK(built_up[t] == Approx(std::sqrt(square)).epsilon(1e-12));
        CHECK(columns[t] == Approx(std::sqrt(column)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("summed noise of lambda-CGD has variance 1 + (t - 1)(1 - lambda)^2", "[models][strategy]") {
  const auto built_up = StrategyMatrix::exponential(0.9, 200).accumulated_noise();
  CHECK(built_up.back() * built_up.back() == Approx(2.99).epsilon(1e-12));
}

TEST_CASE("noise drawn row by row is C^{-1} Z and remembers bandwidth - 1 rows", "[models][noise]") {
  constexpr std::size_t dimension = 3;
  for (const auto& matrix : examples()) {
    models::CorrelatedNoise noise(matrix, dimension);
    const bool exponential = matrix.form() == StrategyMatrix::Form::exponential;
    const std::size_t rows = exponential ? (matrix.lambda() > 0.0 ? 1 : 0) : matrix.bandwidth() - 1;
    CHECK(noise.memory() == rows * dimension);
    std::vector<std::vector<double>> z(matrix.steps(), std::vector<double>(dimension)), got = z;
    for (std::size_t t = 0; t < matrix.steps(); ++t) {
      random::normals(z[t], 11, random::Purpose::noise, 2, t * (dimension + 1));
      noise.draw(got[t], 11, 2);
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      std::vector<double> column(matrix.steps());
      for (std::size_t t = 0; t < matrix.steps(); ++t) {
        column[t] = z[t][i];
      }
      matrix.solve(column);
      for (std::size_t t = 0; t < matrix.steps(); ++t) {
        CHECK(got[t][i] == Approx(column[t]).margin(1e-12));
      }
    }
    std::vector<double> one_more(dimension);
    CHECK_THROWS_AS(noise.correlate(one_more), DomainError);
  }
}

TEST_CASE("matrices that are no strategies name what is wrong", "[models][strategy][errors]") {
  CHECK_THROWS_WITH(StrategyMatrix::exponential(1.5, 3), Catch::Contains("lambda = 1.5"));
  CHECK_THROWS_WITH(StrategyMatrix::toeplitz({0.0, 1.0}, 3), Catch::Contains("coefficients[0]"));
  CHECK_THROWS_WITH(StrategyMatrix::lower_triangular({{1.0}, {1.0}}), Catch::Contains("row 2"));
  CHECK_THROWS_WITH(StrategyMatrix::lower_triangular({{1.0}, {1.0, -2.0}}), Catch::Contains("diagonal entry 2"));
}
