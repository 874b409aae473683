// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>

namespace dpcurves::homogenized {

using Eigen::ArrayXd;

GradientFlow::GradientFlow(const models::LeastSquares& problem) : problem_(problem) {
  models::require_valid(problem);
  const auto& spectrum = problem.spectrum;
  const ArrayXd& lambda = spectrum.eigenvalues();
  const double delta = problem.regularisation;
  rates_ = lambda + delta;
  share_ = (rates_ > 0.0).select(lambda / rates_, 0.0);
  const ArrayXd rest = (rates_ > 0.0).select(delta / rates_, 1.0);  // 1 - share, also where alpha = 0
  const models::BlockProducts products = models::block_products(problem);
  norm2_xtilde_ = products.norm2_xtilde;
  // Where alpha = 0 nothing moves: A = x0 - xtilde with lambda = 0 never enters a risk, and m = x0.
  if (problem.has_coordinates()) {
    const ArrayXd a = problem.x0 - spectrum.per_coordinate(share_) * problem.xtilde;
    const ArrayXd away = problem.x0 - problem.xtilde;
    start_ = spectrum.block_sums(away.square());
    turn_ = -rest * spectrum.block_sums(away * problem.xtilde);
    aa_ = spectrum.block_sums(a.square());
    a_xtilde_ = spectrum.block_sums(a * problem.xtilde);
  } else {
    start_ = (products.norm2_x0 - 2.0 * products.dot_x0_xtilde + norm2_xtilde_).max(0.0);
    turn_ = -rest * (products.dot_x0_xtilde - norm2_xtilde_);
    aa_ = (products.norm2_x0 - 2.0 * share_ * products.dot_x0_xtilde + share_.square() * norm2_xtilde_).max(0.0);
    a_xtilde_ = products.dot_x0_xtilde - share_ * norm2_xtilde_;
  }
  ab_ = -rest * a_xtilde_;
  bb_ = rest.square() * norm2_xtilde_;
}

double GradientFlow::population_risk(double tau) const {
  require_domain(tau >= 0.0, "tau", tau, "[0, inf]");
  // m - xtilde = decay (x0 - xtilde) + (1 - decay) B: no cancellation at the start, where A and B nearly cancel.
  const ArrayXd moved = (rates_ > 0.0).select((-rates_ * tau).unaryExpr([](double z) { return -std::expm1(z); }), 0.0);
  const ArrayXd decay = (rates_ > 0.0).select((-rates_ * tau).exp(), 1.0);
  return 0.5 * (problem_.spectrum.eigenvalues() *
                (start_ * decay.square() + 2.0 * turn_ * decay * moved + bb_ * moved.square()))
                   .sum() +
         0.5 * problem_.label_noise;
}

double GradientFlow::mean_norm2(double tau) const {
  require_domain(tau >= 0.0, "tau", tau, "[0, inf]");
  const ArrayXd decay = (rates_ > 0.0).select((-rates_ * tau).exp(), 1.0);
  return (aa_ * decay.square() + 2.0 * share_ * a_xtilde_ * decay + share_.square() * norm2_xtilde_).sum();
}

ArrayXd GradientFlow::mean(double tau) const {
  require_domain(tau >= 0.0, "tau", tau, "[0, inf]");
  require_domain(problem_.has_coordinates(), "number of known coordinates", 0.0,
                 "[1, inf): only products per block are known");
  const auto& spectrum = problem_.spectrum;
  const ArrayXd moved = (rates_ > 0.0).select(-(-rates_ * tau).unaryExpr([](double z) { return std::expm1(z); }), 0.0);
  return spectrum.per_coordinate(1.0 - moved) * problem_.x0 + spectrum.per_coordinate(moved * share_) * problem_.xtilde;
}

}  // namespace dpcurves::homogenized
