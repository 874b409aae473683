// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Values of an enum and their names, by the table `enumerators` that stands beside the enum.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves {

/// The name of a value that is in the table. O(names).
template <class Names, class Value>
[[nodiscard]] std::string_view name_in(const Names& names, Value value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == value; })->second;
}

/// The value of a name; underscores and dashes are the same. \param what  names the value in the message.
/// \throws DomainError  that lists the names. O(names).
template <class Names>
[[nodiscard]] auto value_in(const Names& names, std::string_view name, const std::string& what) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == dashed; });
  if (found == names.end()) {
    std::vector<std::string> known;
    for (const auto& entry : names) {
      known.emplace_back(entry.second);
    }
    throw DomainError(what + ": \"" + std::string(name) + "\" is not one of " + joined(known) +
                      suggestion(dashed, known));
  }
  return found->first;
}

}  // namespace dpcurves
