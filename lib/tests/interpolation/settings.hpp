// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Settings that several of these tests ask about.
#pragma once

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/interpolation/contraction.hpp>
#include <dpcurves/interpolation/descent.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>

namespace dpcurves::test {

/// Batches of one record, iterates constrained to a box of that diameter.
inline interpolation::NoisyDescent boxed(double sensitivity, double step_size, double diameter, double noise) {
  interpolation::DescentParameters parameters;
  parameters.sensitivity = sensitivity;
  parameters.batch_size = 1.0;
  parameters.noise = noise;
  parameters.step_size = step_size;
  parameters.diameter = diameter;
  return interpolation::make_descent(parameters);
}

/// Noisy SGD in units of the iterate noise.
inline interpolation::NoisySgd sampled(double kappa, double p, double c, double t, double diameter = infinity) {
  interpolation::NoisySgd setting;
  setting.descent.effective_sensitivity = kappa;
  setting.descent.contraction = interpolation::Contraction::factor(c);
  setting.descent.diameter = diameter;
  setting.sampling_rate = p;
  setting.steps = t;
  return setting;
}

}  // namespace dpcurves::test
