// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/names.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/verdict.hpp>

namespace dpcurves::transcripts {

std::string_view name(Judgement judgement) { return name_in(enumerators(judgement), judgement); }

Verdict judge(const Claimed& claim) {
  require(claim);
  require_domain(claim.lower <= claim.upper, "lower", claim.lower, "[0, upper]");
  Verdict verdict;
  const double claimed = claim.claimed;
  verdict.ratio = claimed == claim.upper ? 1.0 : claimed / claim.upper;
  const auto unit = [&] { return std::pow(10.0, std::floor(std::log10(claimed)) - *claim.digits + 1.0); };
  if (claimed >= claim.upper) {
    verdict.verdict = claimed <= (1.0 + claim.loose) * claim.upper ? Judgement::correct : Judgement::loose;
  } else if (claimed >= claim.lower) {
    verdict.verdict = Judgement::undecided;
  } else if (!claim.exact) {
    verdict.verdict = Judgement::not_comparable;
  } else if (claim.digits && claimed > 0.0 && claim.lower - claimed <= 0.5 * unit()) {
    verdict.verdict = Judgement::rounded_down;
  } else {
    verdict.verdict = Judgement::too_small;
  }
  return verdict;
}

double digits_of(double value) {
  const std::string text = shortest(value);
  double digits = 0.0;
  bool leading = true;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') {
      leading = leading && c == '0';
      digits += leading ? 0.0 : 1.0;
    }
  }
  return std::max(digits, 1.0);
}

bool exact(std::string_view theorem) {
  constexpr std::string_view known[] = {"accountant/poisson-subsampled-gaussian",
                                        "accountant/poisson-replace-one",
                                        "accountant/full-batch",
                                        "accountant/random-allocation",
                                        "accountant/no-release",
                                        "accountant/one-position",
                                        "accountant/b-min-sep",
                                        "accountant/group-mixture",
                                        "accountant/fixed-size-presence",
                                        "accountant/with-replacement",
                                        "accountant/multiplicity",
                                        "accountant/cyclic-poisson",
                                        "accountant/truncated-poisson",
                                        "accountant/truncated-by-others",
                                        "accountant/mechanisms"};
  return std::find(std::begin(known), std::end(known), theorem) != std::end(known);
}

}  // namespace dpcurves::transcripts
