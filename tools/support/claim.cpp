// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/claim.hpp"

#include <algorithm>
#include <cmath>

#include <muParser.h>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

double parsed_value(const std::string& expression, const std::map<std::string, double>& symbols) {
  mu::Parser parser;
  std::string known;
  for (const auto& [name, value] : symbols) {
    parser.DefineConst(name, value);  // no variable: "= 3" behind one would change it
    known += (known.empty() ? "" : ", ") + name;
  }
  parser.DefineFun("log", [](double x) { return std::log(x); });
  try {
    parser.SetExpr(expression);
    const double value = parser.Eval();
    if (parser.GetNumResults() != 1) {
      throw UsageError("--claim: the commas of \"" + expression + "\" make several values of it");
    }
    return value;
  } catch (const mu::Parser::exception_type& error) {
    throw UsageError("--claim: " + error.GetMsg() + " The symbols are " + (known.empty() ? "none" : known));
  }
}

}  // namespace

double Claim::type_two_error(double type_one_error) const {
  if (kind == Kind::mu) {
    return tradeoff::gaussian(type_one_error, value);
  }
  return std::max(
      {0.0, 1.0 - delta - std::exp(value) * type_one_error, std::exp(-value) * (1.0 - delta - type_one_error)});
}

Claim parse_claim(const std::string& text, const std::map<std::string, double>& symbols, double delta) {
  const auto equals = text.find('=');
  const bool at_most = equals != std::string::npos && equals > 0 && text[equals - 1] == '<';  // "mu <= 1" says the same
  const std::string left = trimmed(text.substr(0, at_most ? equals - 1 : equals));
  if (equals == std::string::npos || (left != "mu" && left != "epsilon")) {
    throw UsageError("--claim: \"" + text + "\" is not of the form \"mu = ...\" or \"epsilon = ...\"");
  }
  Claim claim{text, left == "mu" ? Claim::Kind::mu : Claim::Kind::epsilon,
              parsed_value(text.substr(equals + 1), symbols), delta};
  if (!(claim.value >= 0.0 && std::isfinite(claim.value))) {
    throw UsageError("--claim: " + left + " = " + shortest(claim.value) + " is outside [0, inf)");
  }
  return claim;
}

}  // namespace dpcurves::tools
