// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What --explain prints: which theorems were considered, what ruled each out, and what would have to change.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/core/assumption.hpp>

#include "support/json.hpp"

namespace dpcurves::tools {

/// The help of --explain.
inline constexpr const char* explain_help =
    "say which theorems were considered, what ruled each out, and what would have to change";

/// One theorem that was considered for an answer.
struct Considered {
  enum class Verdict { chosen, applies, unsaid, not_a_guarantee, no_answer, ruled_out };
  std::string theorem;  ///< catalogue id
  std::string title;
  Verdict verdict = Verdict::applies;
  std::string outcome;                 ///< "epsilon <= 7.0858731"; why there is none
  std::vector<Violation> violations;   ///< of a theorem that was ruled out, or what nobody has said
  std::vector<std::string> assumed{};  ///< what the setting does not settle
};

/// A paragraph for each theorem: the chosen one first, then those that apply, then those that were ruled out, in the
/// given order otherwise. The claim of the chosen one is that of the catalogue.
[[nodiscard]] std::string explanation_text(const std::vector<Considered>& considered);

/// The same as a list of objects {theorem, title, verdict, outcome, claim, assumed, violations}.
[[nodiscard]] Json explanation_json(const std::vector<Considered>& considered);

/// [{assumption, found, remedy}]
[[nodiscard]] Json violations_json(const std::vector<Violation>& violations);

}  // namespace dpcurves::tools
