// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The noise that meets a budget: the question that `dpcurves calibrate dp-sgd` asks.
#include <cstdio>

#include <dpcurves/queries/calibrate.hpp>

using namespace dpcurves;

int main() {
  const queries::Report report = queries::calibrate({{"algorithm", {"dp-sgd"}},
                                                     {"solve_for", {"noise-multiplier"}},
                                                     {"batch_size", {256.0}},
                                                     {"records", {60000.0}},
                                                     {"steps", {14063.0}},
                                                     {"epsilon", {2.0}},
                                                     {"delta", {1e-5}}});
  double noise = 0.0;
  if (!report.results.at("value").number(noise)) {
    return 1;
  }
  std::printf("noise multiplier %.6f, by %s\n", noise, report.results.at("theorem").get<std::string>()->c_str());
}
