// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The referee's rule.
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/transcripts/verdict.hpp>

namespace dpcurves::calculators {

std::vector<Calculator> referee() {
  return {calculator<&transcripts::judge>("verdict", {"verdict"}, "what a claimed number is worth against a bracket")};
}

}  // namespace dpcurves::calculators
