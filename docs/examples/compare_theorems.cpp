// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// One setting of noisy gradient descent by every theorem that speaks of it.
#include <cstdio>

#include <dpcurves/interpolation/guarantees.hpp>

using namespace dpcurves;

int main() {
  interpolation::DescentParameters losses;
  losses.sensitivity = 1.0;  // of a gradient
  losses.batch_size = 1000;  // all records
  losses.noise = 0.01;       // on the average gradient
  losses.step_size = 0.5;
  losses.strong_convexity = 0.1;
  losses.smoothness = 1.0;
  const interpolation::NoisyGd setting{interpolation::make_descent(losses), 100};
  for (const accounting::Guarantee& guarantee : interpolation::noisy_gd_guarantees(setting)) {
    if (guarantee.applies()) {
      std::printf("%-40s epsilon <= %.6f  %s\n", guarantee.theorem.c_str(), guarantee.curve->epsilon(1e-6).value.upper,
                  guarantee.title.c_str());
    } else {
      std::printf("%-40s needs %s\n", guarantee.theorem.c_str(), describe(guarantee.violations).c_str());
    }
  }
}
