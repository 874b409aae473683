// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <cmath>
#include <cstdio>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>

namespace dpcurves::transcripts {
namespace {

std::string fixed(double value, int decimals) {
  if (std::isinf(value)) {
    return "inf";
  }
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace

std::string nearest(double value, int decimals) { return fixed(value, decimals); }
std::string at_most(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return fixed(std::ceil(value * unit) / unit, decimals);
}
std::string at_least(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return fixed(std::floor(value * unit) / unit, decimals);
}

bool read_number(std::string_view text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !std::isnan(value);
}

std::string outside(double value, const Domain& domain) {
  const bool part = domain.whole() && std::isfinite(value) && value != std::floor(value);
  return shortest(value) + " is not " + (part ? "a whole number" : "in " + std::string(domain.interval()));
}

std::optional<double> epsilon_of(const mechanism::Run& run, std::optional<double> delta) {
  if (!delta) {
    return std::nullopt;
  }
  try {
    const auto guarantee = accounting::dp_sgd_guarantee(accounting::dp_sgd_of(run));
    return guarantee.applies() ? std::optional(guarantee.curve->epsilon(*delta).value.upper) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // a number in a message, not an answer
  }
}

}  // namespace dpcurves::transcripts
