// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A bound against the algorithm: two neighbouring data sets, many runs, and the tests that tell them apart.
#include <cstdio>

#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

using namespace dpcurves;

int main() {
  constexpr double curvature = 0.5, step = 0.4, sensitivity = 2.0, records = 4, noise = 0.5;
  const models::SeparableLosses with(curvature, 0.0, 1, {0.0, 0.0, 0.0, 0.5 * sensitivity});
  const models::SeparableLosses without(curvature, 0.0, 1, {0.0, 0.0, 0.0, -0.5 * sensitivity});
  simulate::NoisyDescent algorithm;
  algorithm.step_size = step;
  algorithm.noise = noise;
  algorithm.steps = 20;
  const auto draws = simulate::final_statistics(algorithm, without, with, 200000, 1, [](auto x) { return -x[0]; });
  interpolation::NoisyGd claim;
  claim.steps = 20;
  claim.descent.effective_sensitivity = sensitivity / (records * noise);
  claim.descent.contraction = interpolation::Contraction::factor(1.0 - step * curvature);
  const double mu = interpolation::strongly_convex_mu(claim).upper;
  bool refuted = false;
  for (const auto& test : inference::estimate_tradeoff(draws.first, draws.second, std::vector{-0.5, 0.0, 0.5}, 1e-6)) {
    std::printf("type I in [%.4f, %.4f], type II in [%.4f, %.4f], claimed at least %.4f\n", test.type_one_error.lower,
                test.type_one_error.upper, test.type_two_error.lower, test.type_two_error.upper,
                tradeoff::gaussian(test.type_one_error.upper, mu));
    refuted = refuted || inference::refuted(test, [mu](double a) { return tradeoff::gaussian(a, mu); });
  }
  return refuted ? 1 : 0;
}
