// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/queries/detail/algorithm.hpp>

namespace dpcurves::queries {

void add_run(Record& results, const Algorithm& algorithm, const Values& values) {
  if (Value run = algorithm.run ? algorithm.run(values) : Value{}; !run.null()) {
    results.add("run", std::move(run));
  }
}

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> list;
    for (auto* part : {&descent_algorithms, &mechanism_algorithms, &dp_sgd_algorithms, &correlated_algorithms,
                       &phased_sgd_algorithms, &sampling_algorithms}) {
      for (auto& algorithm : (*part)()) {
        list.push_back(std::move(algorithm));
      }
    }
    return list;
  }();
  return all;
}

const Algorithm& algorithm_named(const std::string& name) {
  const auto& all = algorithms();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Algorithm& one) { return one.name == name; });
  if (found == all.end()) {
    throw UsageError("there is no algorithm " + name);
  }
  return *found;
}

}  // namespace dpcurves::queries
