// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Domains that the bounds share. The message names the function that was called.
#pragma once

#include <cmath>
#include <source_location>

#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds::checks {

using Where = std::source_location;  ///< the call that a message names

/// A length, a variance or a count that may be 0.
inline void require_nonnegative(double value, const char* name, Where where = Where::current()) {
  require_domain(value >= 0.0 && std::isfinite(value), name, value, "[0, inf)", where);
}

/// A length, a step size or a constant that is divided by.
inline void require_positive(double value, const char* name, Where where = Where::current()) {
  require_domain(value > 0.0 && std::isfinite(value), name, value, "(0, inf)", where);
}

/// A dimension or a number of things that may be averages.
inline void require_at_least_one(double value, const char* name, Where where = Where::current()) {
  require_domain(value >= 1.0 && std::isfinite(value), name, value, "[1, inf)", where);
}

/// The margin of a classifier.
inline void require_margin(double value, Where where = Where::current()) {
  require_domain(value > 0.0 && value <= 1.0, "margin", value, "(0, 1]", where);
}

/// A number of records, filters, coordinates or steps: doubles, because products of them leave the integers.
inline void require_count(double value, const char* name, Where where = Where::current()) {
  require_domain(value >= 1.0 && std::isfinite(value) && value == std::floor(value), name, value, "{1, 2, ...}", where);
}

/// log(1/chance) of a probability in (0, 1), never formed as a quotient: 1/1e-300 times a count would overflow.
inline double log_inverse(double chance, const char* name = "delta", Where where = Where::current()) {
  require_domain(chance > 0.0 && chance < 1.0, name, chance, "(0, 1)", where);
  return -std::log(chance);
}

}  // namespace dpcurves::bounds::checks
