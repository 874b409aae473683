// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <memory>

#include <gsl/gsl_bspline.h>
#include <gsl/gsl_matrix.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/bspline.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::models {
namespace {

struct Release {
  void operator()(gsl_bspline_workspace* it) const { gsl_bspline_free(it); }
  void operator()(gsl_matrix* it) const { gsl_matrix_free(it); }
};

/// The largest f on [-1/2, 1/2]: a grid, and Brent's method around its best point.
template <class F>
double largest(const F& f) {
  constexpr int cells = 64;
  double best = f(-0.5);
  int at = 0;
  for (int i = 1; i <= cells; ++i) {
    const double value = f(-0.5 + static_cast<double>(i) / cells);
    if (value > best) {
      best = value;
      at = i;
    }
  }
  const double lo = -0.5 + static_cast<double>(std::max(at - 1, 0)) / cells;
  const double hi = -0.5 + static_cast<double>(std::min(at + 1, cells)) / cells;
  return std::max(best, -numerics::minimise([&f](double x) { return -f(x); }, lo, hi).value);
}

}  // namespace

UniformSplines::UniformSplines(std::size_t count, std::size_t degree) : count_(count), degree_(degree) {
  require_domain(degree >= 2 && degree <= 15, "degree", static_cast<double>(degree), "[2, 15]");
  require_domain(count > degree && count <= (std::size_t{1} << 20U), "count", static_cast<double>(count),
                 "[degree + 1, 2^20]");
  // Knots at -q, ..., q + 1: around the span [0, 1] they are uniform, whatever GSL does at the ends.
  const std::size_t order = degree + 1;
  const std::unique_ptr<gsl_bspline_workspace, Release> splines(gsl_bspline_alloc(order, 2 * order));
  const std::unique_ptr<gsl_matrix, Release> taylor(gsl_matrix_alloc(order, order));
  if (!splines || !taylor) {
    throw Error("UniformSplines: GSL could not allocate B-splines of degree " + std::to_string(degree));
  }
  gsl_bspline_knots_uniform(-static_cast<double>(degree), static_cast<double>(order), splines.get());
  std::size_t first = 0;
  std::size_t last = 0;
  gsl_bspline_deriv_eval_nonzero(0.5, degree, taylor.get(), &first, &last, splines.get());
  polynomials_.resize(order * order);
  for (std::size_t spline = 0; spline < order; ++spline) {
    double factorial = 1.0;
    for (std::size_t power = 0; power < order; ++power) {
      polynomials_[spline * order + power] = gsl_matrix_get(taylor.get(), spline, power) / factorial;
      factorial *= static_cast<double>(power + 1);
    }
  }
}

UniformSplines::Place UniformSplines::place(double v) const {
  const double position = std::clamp((v + 1.0) * inverse_spacing(), 0.0, static_cast<double>(spans()));
  const std::size_t span = std::min(static_cast<std::size_t>(position), spans() - 1);
  return {span, position - static_cast<double>(span) - 0.5};
}

double UniformSplines::polynomial(std::size_t spline, int derivative, double offset) const {
  double value = 0.0;
  for (std::size_t power = degree_ + 1; power-- > static_cast<std::size_t>(derivative);) {
    double factor = coefficient(spline, power);
    for (int k = 0; k < derivative; ++k) {
      factor *= static_cast<double>(power) - k;
    }
    value = value * offset + factor;
  }
  return value;
}

void UniformSplines::evaluate(double v, int derivative, std::span<double> out) const {
  require_domain(derivative >= 0 && derivative <= 2, "derivative", derivative, "0, 1, 2");
  require_domain(out.size() == degree_ + 1, "size of out", static_cast<double>(out.size()), "degree + 1");
  const Place at = place(v);
  const double scale = std::pow(inverse_spacing(), derivative);
  for (std::size_t spline = 0; spline <= degree_; ++spline) {
    out[spline] = scale * polynomial(spline, derivative, at.offset);
  }
}

SplineBounds UniformSplines::bounds() const {
  double single[3] = {0.0, 0.0, 0.0};
  double norm[3] = {0.0, 0.0, 0.0};
  for (int derivative = 0; derivative < 3; ++derivative) {
    const double scale = std::pow(inverse_spacing(), derivative);
    for (std::size_t spline = 0; spline <= degree_; ++spline) {
      single[derivative] =
          std::max(single[derivative],
                   scale * largest([&](double offset) { return std::abs(polynomial(spline, derivative, offset)); }));
    }
    norm[derivative] = scale * std::sqrt(largest([&](double offset) {
                         double sum = 0.0;
                         for (std::size_t spline = 0; spline <= degree_; ++spline) {
                           const double value = polynomial(spline, derivative, offset);
                           sum += value * value;
                         }
                         return sum;
                       }));
  }
  return {single[0], single[1], single[2], norm[0], norm[1], norm[2]};
}

}  // namespace dpcurves::models
