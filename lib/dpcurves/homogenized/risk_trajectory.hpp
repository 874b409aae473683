// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Expected risks of noisy homogenised SGD along the run, and the law of its linearisation.
///
/// The expected population risk solves the linear Volterra equation
///   P_t = P_gf(t) + integral_0^t gamma(s)^2 [kappa(Gamma(t) - Gamma(s)) P_s + sigma^2 nu(Gamma(t) - Gamma(s))] ds,
///   kappa(tau) = (1/d) sum lambda_i^2 exp(-2 alpha_i tau), nu(tau) = 1/(2d) sum lambda_i exp(-2 alpha_i tau),
/// alpha_i = lambda_i + delta, which is equivalent to the variances
///   v_i' = -2 gamma alpha_i v_i + (gamma^2/d)(2 P_t lambda_i + sigma^2), v_i(0) = 0, P_t = P_gf(t) + 1/2 sum lambda_i
///   v_i.
/// R_t = P_t + delta/2 (|m(t)|^2 + sum v_i). With P known, X_t of the linearised equation is N(m(t), diag v(t)).
///
/// Source: Lin, Kolaczyk, Smith and Paquette, Theorem 4.2, equations (6), (7), (9) and (10). The risk is affine in
/// sigma^2: P_t = P_t(0) + sigma^2 D_t.
#pragma once

#include <memory>

#include <Eigen/Core>

#include <dpcurves/core/estimate.hpp>
#include <dpcurves/homogenized/risk_kernel.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// How well the equation is solved, and with which rules for the spectrum.
struct TrajectoryOptions {
  double tolerance = 1e-12;    ///< wanted error relative to the risk at the same time
  int nodes = 5;               ///< Lobatto nodes per step, 2 to 6
  int resolution = 16;         ///< first grid: steps per doubling; doubled until the tolerance is met
  int most_resolution = 2048;  ///< refinement ends here; the error that is left is reported
  unsigned threads = 1;        ///< for variance(), 0: as many as the machine has
  SpectrumRule spectrum{};     ///< for bounds of the risk on one side: risk_enclosure.hpp
};

/// The solved equation, evaluated wherever it is asked.
///
/// Method: exponential collocation, refined until its a-posteriori error estimate meets the tolerance. Spectra of more
/// than 128 different eigenvalues are compressed by Gauss rules with a two-sided gap (exponential_sum.hpp). The error
/// of an Estimate is (largest resolvent growth) times (largest residual, sampled within every step), plus the gap of
/// the compression: |P_t - value| <= u(t) max |residual| with u = 1 + integral G u, because the kernel is nonnegative.
/// Where the risk exceeds the range of doubles the value is infinity and diverges_at() says since when.
class RiskTrajectory {
 public:
  /// Solves on [0, horizon].
  /// \throws DomainError  unless the problem is valid and 0 <= horizon <= schedule.end(), horizon finite.
  /// Accuracy: relative error below 1e-11 (1 + log growth) for rates up to 2 alpha Gamma = 1e4, growth being that of
  /// the risk above its start. Cost: about 1 ms for 1000 eigenvalues, 1 s for a million.
  RiskTrajectory(const models::LeastSquares& problem, double horizon, const TrajectoryOptions& options = {});

  [[nodiscard]] const models::LeastSquares& problem() const;  ///< as given
  [[nodiscard]] double horizon() const;                       ///< as given

  /// P_t = E P(X_t) at t in [0, horizon] (so for all below), for the problem's noise or for another sigma >= 0.
  [[nodiscard]] Estimate population_risk(double t) const;
  /// P_t for a noise sigma >= 0 of the caller's.
  [[nodiscard]] Estimate population_risk(double t, double noise) const;
  /// R_t = E R(X_t), the regularised risk.
  [[nodiscard]] Estimate regularised_risk(double t) const;
  /// P of gradient flow, without any noise: exact.
  [[nodiscard]] double gradient_flow_risk(double t) const;
  /// D_t = dP_t/d(sigma^2).
  [[nodiscard]] Estimate noise_response(double t) const;

  /// m(t) per coordinate, shape (spectrum.size()). \throws DomainError  if the problem has no coordinates.
  [[nodiscard]] Eigen::ArrayXd mean(double t) const;
  /// v(t) per block, shape (blocks). Accuracy as the risk's. Cost: O(blocks q) where blocks times steps is below
  /// 8 million (the first call prepares), else O(blocks steps q).
  [[nodiscard]] Eigen::ArrayXd variance(double t) const;
  /// The part of v(t) that the added noise causes: the solution without the source 2 P lambda. Exact linear integral.
  [[nodiscard]] Eigen::ArrayXd noise_variance(double t) const;
  /// sum v_i over all coordinates.
  [[nodiscard]] double trace_variance(double t) const;

  /// The first time at which the risk is no finite double; infinity if there is none.
  [[nodiscard]] double diverges_at() const;
  /// Steps of the final grid, and terms of the kernel after compression.
  [[nodiscard]] std::size_t steps() const;
  [[nodiscard]] Eigen::Index kernel_terms() const;  ///< exponentials in the kernel after compression

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// The noise sigma with P_t = risk, by one division: the risk is affine in sigma^2.
/// \return the noise; NaN never. \throws DomainError  unless risk >= P_t(0) and D_t > 0.
[[nodiscard]] double noise_for_risk(const RiskTrajectory& trajectory, double t, double risk);

/// min_i v_i^DP(t)/v_i(t): below about 0.9 the Renyi loss of HSGD is not conservative for a fixed data set, because
/// v contains the sampling noise of the other records (E21). Coordinates without variance are passed over; 1 if there
/// is none with. \throws DomainError  as RiskTrajectory.
[[nodiscard]] double least_noise_share(const RiskTrajectory& trajectory, double t);

}  // namespace dpcurves::homogenized
