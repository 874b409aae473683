// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What every theorem about noisy gradient descent needs to know, in units of the iterate noise.
///
/// One step is X <- Proj_K(X - eta (g + sigma Z)) with g the mean gradient over a batch and Z standard normal: the
/// iterate noise has standard deviation eta sigma per coordinate. Only the last iterate is released. Adjacent data
/// sets differ in one record.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), section 2 and (2.1).
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/assumption.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/interpolation/contraction.hpp>

namespace dpcurves::interpolation {

/// The common setting. All numbers are dimensionless.
struct NoisyDescent {
  /// kappa: L/(n sigma) for full batches, L/(b sigma) for batches of b records; >= 0, finite. L is the gradient
  /// sensitivity, twice the Lipschitz constant of the losses; sigma the noise of the gradient, not of the iterate.
  double effective_sensitivity = 0.0;
  /// Lipschitz constant of one step without its noise; nothing where the losses need not be convex.
  std::optional<Contraction> contraction;
  /// D/(eta sigma): diameter of K in units of the iterate noise; infinite if the iterates are not constrained.
  double diameter = std::numeric_limits<double>::infinity();
  /// Hypotheses on losses and step size that are known to fail, for example a step size above 2/M.
  std::vector<Violation> violated{};
  /// Hypotheses on losses and step size that were taken on trust.
  std::vector<std::string> assumed{};
  /// Those of `assumed` that the parameters do not say, each with what would say it.
  std::vector<Violation> unsaid{};
  /// Every iterate is released, not the last one alone: what rests on hidden iterates does not apply.
  bool all_released = false;
};

/// Physical parameters as a user has them; the optional ones may be missing.
struct DescentParameters {
  std::optional<double> sensitivity{};            ///< L > 0, gradient units
  std::optional<double> batch_size{};             ///< records averaged in a step: n or b, an integer >= 1
  std::optional<double> noise{};                  ///< sigma > 0, gradient units per coordinate
  std::optional<double> effective_sensitivity{};  ///< kappa >= 0, in place of sensitivity and batch size
  std::optional<double> step_size{};              ///< eta > 0
  std::optional<double> strong_convexity{};       ///< m >= 0
  std::optional<double> smoothness{};             ///< M > 0
  std::optional<double> contraction{};            ///< c in [0, 1]
  std::optional<double> one_minus_contraction{};  ///< 1 - c in [0, 1], where c is too close to 1
  std::optional<double> diameter{};               ///< D >= 0, iterate units; needs step_size and noise
  bool convex = false;        ///< the user says so: every loss convex and smooth, step size at most 2/(m + M)
  bool all_released = false;  ///< every iterate, not the last one alone
};

/// Translates physical parameters, and records what they settle, violate and leave to trust.
///
/// The contraction is min(eta m, 2 - eta M) away from 1. A step size above 2/M, or m > M, is recorded as violated
/// and leaves no contraction. With m alone, a step size of at most 2/(m + M) is taken on trust; with M alone,
/// convexity; with neither and no contraction, a diameter lets the theorems for convex losses apply on trust. What is
/// taken on trust and not said by `convex` is listed in `unsaid`.
///
/// \throws DomainError  if a value is outside its range, needed ones are missing, or two ways of giving the same
///                      quantity differ by more than a relative 1e-9.
[[nodiscard]] NoisyDescent make_descent(const DescentParameters& parameters);

/// An optimal horizon of the interpolation and the GDP parameter it gives.
struct BestHorizon {
  Enclosure mu;          ///< both ends; `upper` may be promised
  double horizon = 0.0;  ///< unrolled steps or epochs N; meaningless unless `shifted`
  bool shifted = false;  ///< false: an analysis from the first step on is at least as good
};

/// \name Shared by the theorem headers
/// @{

/// Throws DomainError unless the numbers of `descent` are in their ranges.
void require_descent(const NoisyDescent& descent);
/// Throws DomainError unless `count` is an integer >= 1 or infinite.
void require_steps(double count, const char* name);

/// What a theorem for convex losses finds violated; for one that needs a known contraction, `known` is true.
[[nodiscard]] std::vector<Violation> contraction_violations(const NoisyDescent& descent, bool known);
/// Adds a violation unless the diameter is finite.
void need_diameter(const NoisyDescent& descent, std::vector<Violation>& violations);
/// Adds a violation if `count` is infinite.
void need_finite(double count, const char* what, std::vector<Violation>& violations);

/// D/s = diameter over effective sensitivity: the horizon after which a diameter pays. The nearest integer where the
/// quotient is one up to its rounding error of 16 units in the last place, so that ceil and floor are safe.
[[nodiscard]] double diameter_in_steps(const NoisyDescent& descent);
/// @}

}  // namespace dpcurves::interpolation
