// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What --explain tells: which theorems were considered, what ruled each out, and what would have to change.
#pragma once

#include <string>
#include <vector>

#include <dpcurves/core/record.hpp>
#include <dpcurves/core/verdict.hpp>

namespace dpcurves::queries {

/// The help of --explain.
inline constexpr const char* explain_help =
    "say which theorems were considered, what ruled each out, and what would have to change";

/// One theorem that was considered for an answer.
struct Considered {
  /// What became of it.
  enum class Standing { chosen, applies, unsaid, not_a_guarantee, no_answer, ruled_out };
  std::string theorem;                    ///< catalogue id
  std::string title;                      ///< a few words
  Standing standing = Standing::applies;  ///< what became of it
  std::string outcome{};                  ///< "epsilon <= 7.0858731"; why there is none
  Verdict verdict{};                      ///< what fails, or what nobody has said; and what is taken on trust
};

/// A paragraph for each theorem: the chosen one first, then those that apply, then those that were ruled out, in the
/// given order otherwise. The claim of the chosen one is that of the catalogue.
[[nodiscard]] std::string explanation_text(const std::vector<Considered>& considered);

/// The same as a list of objects {theorem, title, verdict, outcome, claim, assumed, violations}.
[[nodiscard]] List explanation(const std::vector<Considered>& considered);

/// [{assumption, found, remedy}]
[[nodiscard]] List violations_list(const std::vector<Violation>& violations);

}  // namespace dpcurves::queries
