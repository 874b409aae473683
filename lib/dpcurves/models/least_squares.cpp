// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::models {
namespace {

void require_length(const Eigen::ArrayXd& values, Eigen::Index wanted, const char* name) {
  require_domain(values.size() == wanted, name, static_cast<double>(values.size()),
                 "{" + std::to_string(wanted) + "} entries");
  for (const double value : values) {
    require_domain(std::isfinite(value), name, value, "(-inf, inf)");
  }
}

}  // namespace

void require_valid(const LeastSquares& problem) {
  const auto nonnegative = [](double value, const char* name) {
    require_domain(value >= 0.0 && std::isfinite(value), name, value, "[0, inf)");
  };
  nonnegative(problem.label_noise, "label_noise");
  nonnegative(problem.regularisation, "regularisation");
  nonnegative(problem.noise, "noise");
  require_domain(problem.dimension > 0.0 && std::isfinite(problem.dimension), "dimension", problem.dimension,
                 "(0, inf)");
  const auto& spectrum = problem.spectrum;
  require_domain(spectrum.block_count() > 0, "number of eigenvalues", 0.0, "[1, inf)");
  if (problem.has_coordinates()) {
    require_length(problem.x0, spectrum.size(), "x0");
    require_length(problem.xtilde, spectrum.size(), "xtilde");
    return;
  }
  const auto& given = problem.products;
  require_length(given.norm2_x0, spectrum.block_count(), "norm2_x0");
  require_length(given.dot_x0_xtilde, spectrum.block_count(), "dot_x0_xtilde");
  require_length(given.norm2_xtilde, spectrum.block_count(), "norm2_xtilde");
  for (Eigen::Index b = 0; b < spectrum.block_count(); ++b) {
    nonnegative(given.norm2_x0[b], "norm2_x0");
    nonnegative(given.norm2_xtilde[b], "norm2_xtilde");
    const double largest = std::sqrt(given.norm2_x0[b]) * std::sqrt(given.norm2_xtilde[b]);
    constexpr double rounding = 1e-6;  // of numbers typed with seven digits
    require_domain(std::abs(given.dot_x0_xtilde[b]) <= largest * (1.0 + rounding), "dot_x0_xtilde",
                   given.dot_x0_xtilde[b], "[-|x0| |xtilde|, |x0| |xtilde|]");
  }
}

BlockProducts block_products(const LeastSquares& problem) {
  if (!problem.has_coordinates()) {
    return problem.products;
  }
  const auto& spectrum = problem.spectrum;
  return {spectrum.block_sums(problem.x0.square()), spectrum.block_sums(problem.x0 * problem.xtilde),
          spectrum.block_sums(problem.xtilde.square())};
}

}  // namespace dpcurves::models
