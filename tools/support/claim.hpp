// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A privacy guarantee as somebody typed it: "mu = 2 * L / (n * sigma)" or "epsilon = log(1 + q)".
#pragma once

#include <map>
#include <string>

namespace dpcurves::tools {

/// A claimed parameter with its trade-off function.
struct Claim {
  enum class Kind { mu, epsilon };
  std::string text;  ///< as typed
  Kind kind = Kind::mu;
  double value = 0.0;  ///< of the expression, >= 0 and finite
  double delta = 0.0;  ///< of the (epsilon, delta) that is claimed

  /// The least type II error that the claim allows: G_mu, or that of (epsilon, delta).
  [[nodiscard]] double type_two_error(double type_one_error) const;
};

/// \param text     "mu = EXPRESSION" or "epsilon = EXPRESSION", = or <=, with the operators and functions of muParser
/// (sqrt, exp,
///                 log and ln to base e, min, max, sum, ...) over the symbols.
/// \param symbols  name and value; a value may be infinite.
/// \throws UsageError  about --claim for another form, an unknown symbol (it lists the known ones), or a value that is
///                     negative or not finite.
[[nodiscard]] Claim parse_claim(const std::string& text, const std::map<std::string, double>& symbols, double delta);

}  // namespace dpcurves::tools
