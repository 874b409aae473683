// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The algebra of trade-off functions on what a theorem promises: the last iterate, and a count released beside it.
#include <cstdio>

#include <dpcurves/accounting/function_curve.hpp>
#include <dpcurves/interpolation/guarantees.hpp>

using namespace dpcurves;

int main() {
  interpolation::NoisyGd run;
  run.steps = 36;
  run.descent.effective_sensitivity = 0.05;
  run.descent.contraction = interpolation::Contraction::factor(0.95);
  const auto theorem = interpolation::noisy_gd_guarantees(run).at(1);        // Theorem 4.2
  const auto iterate = accounting::tradeoff_function(*theorem.curve, 1000);  // never above the theorem
  const auto count =
      tradeoff::tabulated(tradeoff::gaussian_function(0.1), tradeoff::default_grid(1000), tradeoff::Side::below);
  const auto both = accounting::function_curve(tradeoff::tensor(iterate, count));
  const auto lost = accounting::function_curve(tradeoff::with_failure(tradeoff::tensor(iterate, count), 1e-7));
  std::printf("the iterate: epsilon <= %.6f\nwith a count: epsilon <= %.6f\nif it fails once in 1e7: epsilon <= %.6f\n",
              theorem.curve->epsilon(1e-5).value.upper, both->epsilon(1e-5).value.upper,
              lost->epsilon(1e-5).value.upper);
}
