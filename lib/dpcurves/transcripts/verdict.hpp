// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A number that somebody claims, held to a certified bracket.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <dpcurves/core/field.hpp>

namespace dpcurves::transcripts {

/// What a claim is worth.
enum class Judgement { correct, loose, rounded_down, too_small, undecided, not_comparable };

/// Their names.
constexpr std::array<std::pair<Judgement, std::string_view>, 6> enumerators(Judgement /*type*/) {
  return {{{Judgement::correct, "correct"},
           {Judgement::loose, "loose"},
           {Judgement::rounded_down, "rounded down"},
           {Judgement::too_small, "too small"},
           {Judgement::undecided, "undecided"},
           {Judgement::not_comparable, "not comparable"}}};
}
[[nodiscard]] std::string_view name(Judgement judgement);  ///< "too small"

/// From here on a claim is loose: one percent above the certified end.
constexpr double usual_loose = 0.01;

/// A claim and the bracket that it is held to.
struct Claimed {
  double claimed = 0.0;            ///< the number
  double lower = 0.0;              ///< lower end
  double upper = 0.0;              ///< upper end
  std::optional<double> digits{};  ///< how many were printed; nothing: the number is exact
  bool exact = true;               ///< the pair of the theorem is attained: below lower means too small
  double loose = usual_loose;      ///< relative

  static constexpr std::tuple fields{
      required("claimed", &Claimed::claimed, "[0, inf]", "the number that is claimed"),
      required("lower", &Claimed::lower, "[0, inf]", "lower end of the certified bracket"),
      required("upper", &Claimed::upper, "[0, inf]", "upper end of the certified bracket"),
      optional("digits", &Claimed::digits, whole("[1, 400]"), "significant digits that were printed; none: exact"),
      optional("exact", &Claimed::exact, "whether the lower end is one of the mechanism, not of its bound"),
      optional("loose", &Claimed::loose, "[0, inf)", "relative excess from which on a claim is loose")};
};

/// The verdict.
struct Verdict {
  Judgement verdict = Judgement::undecided;  ///< in one word
  double ratio = 1.0;                        ///< claimed over the upper end

  static constexpr std::tuple fields{result("verdict", "verdict", &Verdict::verdict, "what the claim is worth"),
                                     result("ratio", "ratio", &Verdict::ratio, "claimed over the upper end")};
};

/// correct: upper <= claimed <= (1 + loose) upper; loose: above; rounded down: exact, below lower by at most half a
/// unit of the last printed digit; too small: exact, below lower; not comparable: below lower, not exact; else
/// undecided. \throws DomainError  for a value outside its domain, or lower > upper. O(1).
[[nodiscard]] Verdict judge(const Claimed& claim);

/// Significant digits of the shortest text of a number.
[[nodiscard]] double digits_of(double value);

/// Whether the pair of a theorem is attained by a mechanism of the same setting.
[[nodiscard]] bool exact(std::string_view theorem);

}  // namespace dpcurves::transcripts
