// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Kernels and forcing of the risk equation with their sums over the spectrum compressed to a few exponentials.
///
/// Used by RiskTrajectory; see there for the equation and exponential_sum.hpp for the rules and their signs.
#pragma once

#include <utility>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/homogenized/exponential_sum.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>
#include <dpcurves/homogenized/volterra_solver.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// Which rules stand for the spectrum. The equation is monotone in its kernels and its forcing, so that rules on one
/// side give a risk on that side.
enum class SpectrumSide {
  accurate,  ///< all eigenvalues up to 128, above rules that agree with them to 3e-15
  lower,     ///< Gauss rules: a risk that is not above the true one
  upper      ///< Gauss-Radau rules: a risk that is not below it
};

/// A side, and how fine its rules are.
struct SpectrumRule {
  SpectrumSide side = SpectrumSide::accurate;  ///< `accurate` needs no number of nodes
  int nodes = 0;                               ///< of each Gauss rule of a side, >= 1; Radau has one more
};

/// Lines of the kernels, and what their compression may change of them.
struct CompressedKernels {
  KernelLines lines;              ///< rates and weights for solve_volterra
  Eigen::Index kernel_terms = 0;  ///< how many of the lines carry kappa; the others serve the noise alone
  double kernel_gap = 0.0;        ///< sup |kappa - its rule|; on a side what rounding may move the rule across
  double noise_gap = 0.0;         ///< sup |nu - its rule|, likewise
};

/// \param rates  lambda + delta, shape (blocks). \param longest  Gamma at the horizon.
[[nodiscard]] CompressedKernels compressed_kernels(const models::LeastSquares& problem, const Eigen::ArrayXd& rates,
                                                   double longest, const SpectrumRule& rule);

/// P_gf, exact for up to 128 eigenvalues; above from Gauss rules of its parts of one sign, on the side asked for.
class Forcing {
 public:
  /// Keeps a reference to `flow`.
  Forcing(const models::LeastSquares& problem, const GradientFlow& flow, double longest, SpectrumSide side);

  double operator()(double tau) const;  ///< The forcing at tau = Gamma(t) >= 0.
  /// sup |P_gf - its rule|; 0 where the forcing is exact.
  [[nodiscard]] double gap() const { return gap_; }

 private:
  const GradientFlow& flow_;
  std::vector<std::pair<double, ExponentialSum>> parts_;
  double constant_ = 0.0;
  double gap_ = 0.0;
  bool compressed_ = false;
};

}  // namespace dpcurves::homogenized
