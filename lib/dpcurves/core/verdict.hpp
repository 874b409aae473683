// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the hypotheses of a theorem say of a setting.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/core/assumption.hpp>

namespace dpcurves {

/// One hypothesis of a theorem, held to a setting. As a field of a result it is a flag.
struct Hypothesis {
  bool holds = false;     ///< whether the setting meets it
  Violation violation{};  ///< what it asks for, what the setting has and what would mend it: of use where it fails

  /// Whether the setting meets it.
  explicit operator bool() const { return holds; }
};

/// Which hypotheses of a theorem fail, what would mend them, and what is taken on trust.
struct Verdict {
  std::vector<Violation> violations{};  ///< hypotheses that fail; the theorem applies if there are none
  std::vector<std::string> assumed{};   ///< hypotheses that the setting does not settle

  /// Whether the theorem applies, given what is assumed.
  [[nodiscard]] bool applies() const { return violations.empty(); }
};

/// The verdict of these. O(hypotheses).
[[nodiscard]] inline Verdict judged(std::initializer_list<Hypothesis> hypotheses, std::vector<std::string> assumed) {
  Verdict verdict{{}, std::move(assumed)};
  for (const Hypothesis& one : hypotheses) {
    if (!one) {
      verdict.violations.push_back(one.violation);
    }
  }
  return verdict;
}

}  // namespace dpcurves
