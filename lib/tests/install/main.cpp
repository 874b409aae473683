// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the smallest user of an installed dpcurves writes.
#include <cstdio>

#include <dpcurves/dpcurves.hpp>

int main() {
  dpcurves::accounting::Composition steps;
  steps.components = {{.sampling_rate = 0.01, .mu = 1.0, .count = 1000.0}};
  const auto bound = dpcurves::accounting::epsilon_at(steps, 1e-5);
  std::printf("epsilon in [%.12g, %.12g]\n", bound.epsilon.lower, bound.epsilon.upper);
  const bool right = bound.epsilon.lower <= 2.19891 + 1e-5 && bound.epsilon.upper >= 2.19891 - 1e-5;
  return right && dpcurves::catalogue::find("shifted-interpolation/theorem-4.2") != nullptr ? 0 : 1;
}
