// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What a theorem asks for and a setting does not give.
#pragma once

#include <string>
#include <vector>

namespace dpcurves {

/// One violated hypothesis of a theorem.
struct Violation {
  std::string assumption;  ///< what the theorem asks for, for example "step size at most 2/M"
  std::string found;       ///< what the setting has, with its numbers, for example "step size 0.3 > 2/M = 0.2"
  std::string remedy{};    ///< what would have to change, for example "a step size of at most 0.2"; may be empty
};

/// "assumption (found); assumption (found)", for messages.
[[nodiscard]] std::string describe(const std::vector<Violation>& violations);

/// Throws DomainError that names `theorem` and the violations, unless there are none.
void require_theorem(const char* theorem, const std::vector<Violation>& violations);

}  // namespace dpcurves
