// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The epsilon of DP-SGD, both ends proved.
#include <cstdio>

#include <dpcurves/accounting/dp_sgd.hpp>

using namespace dpcurves;

int main() {
  accounting::DpSgd run;  // Poisson batches; neighbours differ in one record
  run.phases = {{.noise_multiplier = 1.1, .sampling_rate = accounting::sampling_rate_of(256, 60000), .steps = 14063}};
  const accounting::Guarantee guarantee = accounting::dp_sgd_guarantee(run);
  const accounting::Answer answer = guarantee.curve->epsilon(1e-5);
  std::printf("%s: epsilon in [%.10f, %.10f] at delta = 1e-5, by %s\n", guarantee.theorem.c_str(), answer.value.lower,
              answer.value.upper, answer.method.c_str());
  return answer.proved() ? 0 : 1;
}
