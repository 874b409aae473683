// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenized/volterra.hpp"

#include <cmath>

#include <dpcurves/core/error.hpp>

namespace dpcurves::test {

std::vector<double> volterra_trapezoid(const std::function<double(double)>& forcing,
                                       const std::function<double(double, double)>& kernel,
                                       std::span<const double> grid) {
  std::vector<double> y;
  y.reserve(grid.size());
  for (std::size_t n = 0; n < grid.size(); ++n) {
    double sum = forcing(grid[n]);
    double own = 0.0;
    const auto inside = [&](double s, double towards) { return kernel(grid[n], std::nextafter(s, towards)); };
    for (std::size_t k = 0; k + 1 <= n; ++k) {
      const double step = grid[k + 1] - grid[k];
      require_domain(step > 0.0, "step of the grid", step, "(0, inf)");
      sum += 0.5 * step * inside(grid[k], grid[k + 1]) * y[k];
      if (k + 1 < n) {
        sum += 0.5 * step * inside(grid[k + 1], grid[k]) * y[k + 1];
      } else {
        own = 0.5 * step * inside(grid[n], grid[k]);
      }
    }
    if (!(own < 1.0)) {
      throw ConvergenceError("volterra_trapezoid: a step is too long for the kernel");
    }
    y.push_back(sum / (1.0 - own));
  }
  return y;
}

Estimate volterra_at_end(const std::function<double(double)>& forcing,
                         const std::function<double(double, double)>& kernel, std::span<const double> breaks,
                         int steps) {
  require_domain(breaks.size() >= 2, "number of breaks", static_cast<double>(breaks.size()), "[2, inf)");
  require_domain(steps >= 1, "steps", steps, "[1, inf)");
  const auto at = [&](int pieces) {
    std::vector<double> grid{breaks[0]};
    for (std::size_t b = 1; b < breaks.size(); ++b) {
      for (int k = 1; k < pieces; ++k) {
        grid.push_back(breaks[b - 1] + (breaks[b] - breaks[b - 1]) * k / pieces);
      }
      grid.push_back(breaks[b]);
    }
    return volterra_trapezoid(forcing, kernel, grid).back();
  };
  const double coarse = at(steps);
  const double middle = at(2 * steps);
  const double fine = at(4 * steps);
  const double first = (4.0 * middle - coarse) / 3.0;
  const double second = (4.0 * fine - middle) / 3.0;
  return {(16.0 * second - first) / 15.0, std::abs(second - first) / 15.0};
}

}  // namespace dpcurves::test
