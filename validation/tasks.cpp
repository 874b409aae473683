// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/tasks.hpp"

#include <map>
#include <numeric>
#include <sstream>
#include <vector>

#include <dpcurves/core/error.hpp>

namespace dpcurves::validation {
namespace {

struct Kept {
  std::map<std::string, std::vector<double>, std::less<>> seconds;
  double average = 1.0;  ///< of a case
};

Kept read() {
  Kept kept;
  std::istringstream lines(kept_tasks());
  std::string line;
  double total = 0.0;
  while (std::getline(lines, line)) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const auto comma = line.find(',');
    std::vector<double>& parts = kept.seconds[line.substr(0, comma)];
    std::istringstream numbers(comma == std::string::npos ? "" : line.substr(comma + 1));
    for (double one = 0.0; numbers >> one;) {
      parts.push_back(one);
      total += one;
    }
    if (parts.empty() || !numbers.eof()) {
      throw DataError("validation/results/nightly-tasks.csv: no seconds in \"" + line + "\"");
    }
  }
  if (!kept.seconds.empty()) {
    kept.average = total / static_cast<double>(kept.seconds.size());
  }
  return kept;
}

const Kept& table() {
  static const Kept kept = read();
  return kept;
}

}  // namespace

std::span<const double> kept_seconds(std::string_view id) {
  const auto found = table().seconds.find(id);
  return found == table().seconds.end() ? std::span<const double>() : std::span<const double>(found->second);
}

double expected_seconds(std::string_view id, std::size_t part, std::size_t parts) {
  const std::span<const double> kept = kept_seconds(id);
  if (kept.size() == parts) {
    return kept[part];
  }
  const double whole = kept.empty() ? table().average : std::accumulate(kept.begin(), kept.end(), 0.0);
  return whole / static_cast<double>(parts);
}

}  // namespace dpcurves::validation
