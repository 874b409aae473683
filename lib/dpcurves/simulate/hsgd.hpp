// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Paths of noisy homogenised SGD: the stochastic differential equation, and its linearisation with exact transitions.
///
/// dX = -gamma grad R(X) dt + gamma sqrt((2 P(X) Sigma + sigma^2 I)/d) dB in the eigenbasis of Sigma. The linearised
/// equation has the mean P_t in place of P(X): its law is Gaussian with independent coordinates.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, equations (1), (9), (10) and (11) to (13).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <dpcurves/models/least_squares.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

namespace dpcurves::simulate {

/// Euler-Maruyama in exponential form on the uniform grid of `steps` steps over [0, horizon].
///
/// The drift of a step is exact, the noise is frozen at its start: stable for every step, weak order one in the noise.
/// \param problem   with coordinates x0 and xtilde.
/// \param observed  steps at which the state is shown, ascending, at most `steps`; step j is time j horizon/steps.
/// \throws DomainError  if the problem is not valid or lacks coordinates, the horizon is beyond the schedule, ...
/// Cost: per step one normal and one square root per coordinate, about 4 us at dimension 1000 on one core; with a
///       schedule that varies three exponentials per coordinate and step, shared by 16 paths.
void hsgd(const models::LeastSquares& problem, double horizon, std::size_t steps,
          const std::vector<std::size_t>& observed, const Paths& paths, const IterateObserver& observe);

/// The Gaussian law of the linearised equation at a few times: what its transitions need.
struct LinearLaw {
  std::vector<double> integrals;               ///< Gamma at these times, not decreasing, shape (times)
  std::vector<double> rates;                   ///< lambda_i + delta, shape (dimension)
  std::vector<std::vector<double>> means;      ///< m_i(t_j), shape (times x dimension)
  std::vector<std::vector<double>> variances;  ///< v_i(t_j), shape (times x dimension)
};

/// One record used at time index `at`: X <- C X + eta b a + eta noise Z, C = I - eta (a a' + regularisation I).
struct Jump {
  std::size_t at = 0;            ///< index of the time just before which the record is used
  std::vector<double> features;  ///< a, shape (dimension)
  double label = 0.0;            ///< b
  double step_size = 0.0;        ///< eta = gamma(s)/d
  double regularisation = 0.0;   ///< delta
  double noise = 0.0;            ///< sigma
};

/// Exact samples of the linearised equation at the times of `law`; observation j belongs to time j, and if a jump is
/// given, those at its time and later are of the process that has made it.
/// \throws DomainError  if shapes differ or a number is outside its range.
/// Cost: per time one normal per coordinate.
void linear_hsgd(const LinearLaw& law, const std::optional<Jump>& jump, const Paths& paths,
                 const IterateObserver& observe);

}  // namespace dpcurves::simulate
