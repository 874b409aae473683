// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/resolution.hpp"

#include <cmath>
#include <limits>

namespace dpcurves::validation {
namespace {

using Relation = Measurement::Relation;

/// Whether a factor sharpens the claim.
bool scalable(const Measurement& m) {
  const bool positive = m.relation == Relation::within ? m.claimed != 0.0 && std::isfinite(m.claimed) : m.claimed > 0.0;
  return m.relation != Relation::none && positive && !std::isnan(m.value);
}

/// a / b with inf / inf = 1 and no more than 1, at least 0.
double share(double a, double b) {
  if (!(a > 0.0)) {
    return 0.0;
  }
  return a >= b ? 1.0 : a / b;
}

}  // namespace

std::optional<double> resolution(const Measurement& measured) {
  if (!scalable(measured)) {
    return std::nullopt;
  }
  switch (measured.relation) {
    case Relation::at_most:
      return share(measured.lower, measured.claimed);
    case Relation::at_least:
      return share(measured.claimed, measured.upper);
    case Relation::within:
      return share(std::copysign(1.0, measured.claimed) * measured.value - measured.allowance,
                   std::abs(measured.claimed));
    case Relation::none:
      break;
  }
  return std::nullopt;
}

std::optional<double> gap(const Measurement& measured) {
  if (!scalable(measured)) {
    return std::nullopt;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double ratio =
      measured.relation == Relation::at_least ? measured.value / measured.claimed : measured.claimed / measured.value;
  return std::isnan(ratio) ? 1.0 : ratio > 0.0 ? ratio : infinity;
}

}  // namespace dpcurves::validation
