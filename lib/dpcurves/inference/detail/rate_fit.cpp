// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/rate_fit.hpp>

namespace dpcurves::inference {
namespace {

void check(std::span<const double> x, std::span<const double> y, std::size_t least) {
  require_domain(x.size() == y.size(), "number of y", static_cast<double>(y.size()), "as many as x");
  require_domain(x.size() >= least, "number of points", static_cast<double>(x.size()),
                 least == 2 ? "[2, inf)" : "[3, inf)");
  for (std::size_t i = 0; i < x.size(); ++i) {
    require_domain(x[i] > 0.0 && std::isfinite(x[i]), "x", x[i], "(0, inf)");
    require_domain(y[i] > 0.0 && std::isfinite(y[i]), "y", y[i], "(0, inf)");
  }
}

struct Line {
  double slope, intercept, spread, weight, mean;  // spread: weighted sum of squares of log x around its mean
};

Line weighted_line(std::span<const double> x, std::span<const double> y, std::span<const double> weights) {
  double total = 0.0, mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    total += weights[i];
    mean_x += weights[i] * std::log(x[i]);
    mean_y += weights[i] * std::log(y[i]);
  }
  mean_x /= total;
  mean_y /= total;
  double spread = 0.0, joint = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mean_x;
    spread += weights[i] * dx * dx;
    joint += weights[i] * dx * (std::log(y[i]) - mean_y);
  }
  require_domain(spread > 0.0, "spread of log x", spread, "(0, inf)");
  const double slope = joint / spread;
  return {slope, mean_y - slope * mean_x, spread, total, mean_x};
}

RateFit with_variance(const Line& line, double variance) {
  return {{line.slope, std::sqrt(variance / line.spread)},
          {line.intercept, std::sqrt(variance * (1.0 / line.weight + line.mean * line.mean / line.spread))}};
}

}  // namespace

RateFit fit_rate(std::span<const double> x, std::span<const double> y) {
  check(x, y, 3);
  const std::vector<double> weights(x.size(), 1.0);
  const Line line = weighted_line(x, y, weights);
  double residual = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double r = std::log(y[i]) - line.intercept - line.slope * std::log(x[i]);
    residual += r * r;
  }
  return with_variance(line, residual / static_cast<double>(x.size() - 2));
}

RateFit fit_rate(std::span<const double> x, std::span<const double> y, std::span<const double> y_errors) {
  check(x, y, 2);
  require_domain(y_errors.size() == y.size(), "number of y_errors", static_cast<double>(y_errors.size()),
                 "as many as y");
  std::vector<double> weights;
  for (std::size_t i = 0; i < y.size(); ++i) {
    require_domain(y_errors[i] > 0.0 && std::isfinite(y_errors[i]), "y_error", y_errors[i], "(0, inf)");
    weights.push_back(std::pow(y[i] / y_errors[i], 2));  // error of log y: y_error / y
  }
  return with_variance(weighted_line(x, y, weights), 1.0);
}

}  // namespace dpcurves::inference
