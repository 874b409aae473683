// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How many steps or epochs a budget of the GDP parameter allows.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), Theorems 4.1, 4.2, 4.4 and
/// 4.5, solved for the number of steps.
#pragma once

#include <functional>

#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>

namespace dpcurves::interpolation {

/// The largest number of steps or epochs within a budget.
struct LargestCount {
  double real = 0.0;     ///< where the parameter as a function of a real count meets the budget; infinite if never
  double largest = 0.0;  ///< largest integer at which the guarantee, rounded up, is within the budget; 0 if there is
                         ///< none, infinite if there is no limit
};

/// Theorem 4.2: t = (2/h) artanh((budget/kappa)^2 tanh(h/2)). `setting.steps` is ignored.
/// \param budget  mu >= 0, finite. \throws DomainError outside, and where Theorem 4.2 does not apply.
[[nodiscard]] LargestCount solve_steps(const NoisyDescent& descent, double budget);
/// Theorem 4.1: t = (budget/kappa)^2.
[[nodiscard]] LargestCount solve_steps_by_composition(const NoisyDescent& descent, double budget);

/// Theorem 4.5, E = 1 + (2/(l h)) artanh(((budget/kappa)^2 - 1)/B) with B = c^(2l-2) (1 - c^2)/(1 - c^l)^2; with one
/// batch Theorem 4.2. `real` is 0 where not even one epoch fits.
[[nodiscard]] LargestCount solve_epochs(const NoisyDescent& descent, double batches_per_epoch, double budget);
/// Theorem 4.4: E = (budget/kappa)^2.
[[nodiscard]] LargestCount solve_epochs_by_composition(const NoisyDescent& descent, double budget);

/// The largest integer n >= 1 with within(n), for a predicate that stays false once it is false: 0 if within(1) is
/// false, infinite if within(infinity) is true. Integers up to 2^53 are searched. Cost: at most 106 evaluations.
[[nodiscard]] double largest_count(const std::function<bool(double)>& within);

}  // namespace dpcurves::interpolation
