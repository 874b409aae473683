// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Linear Volterra equations of the second kind with any kernel, by the trapezoidal rule and extrapolation.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dpcurves/core/estimate.hpp>

namespace dpcurves::test {

/// y(t) = forcing(t) + integral_0^t kernel(t, s) y(s) ds on `grid` by the trapezoidal rule.
///
/// \param grid  ascending times, the first is the start of the integral. As a function of s the kernel may jump at
///              them: on each step it is taken next to the ends, inside.
/// \return y at the grid. Error O(h^2) for smooth kernels; O(n^2) kernel evaluations.
/// \throws DomainError       unless the grid ascends.
/// \throws ConvergenceError  where 1 - h kernel(t, t)/2 is not positive: the steps are too long for the kernel.
[[nodiscard]] std::vector<double> volterra_trapezoid(const std::function<double(double)>& forcing,
                                                     const std::function<double(double, double)>& kernel,
                                                     std::span<const double> grid);

/// y at the end of `breaks`, by Richardson extrapolation of three grids: `steps` between neighbouring breaks, 2 steps
/// and 4 steps. At the breaks kernel and forcing may have kinks, and the kernel may jump in s.
/// \return y with the difference of the last two extrapolations as its error. Order 6 in 1/steps.
/// \throws as volterra_trapezoid; DomainError  unless there are at least two breaks and steps >= 1.
[[nodiscard]] Estimate volterra_at_end(const std::function<double(double)>& forcing,
                                       const std::function<double(double, double)>& kernel,
                                       std::span<const double> breaks, int steps);

}  // namespace dpcurves::test
