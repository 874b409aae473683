// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Cases whose bound says nothing at the sizes that can be run.
#pragma once

#include <functional>
#include <string>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// The case as one that is expected to be vacuous. It stays `holds`, and so fails, as soon as a bound of its claim lies
/// below the trivial value.
/// \param trivial  what holds without the theorem.
/// \param speaks   "from n = 2^20 records on".
[[nodiscard]] Case vacuous(Case base, double trivial, std::function<std::string()> speaks);

/// The least power of two up to 2^60 at which `bound` is below `trivial`, as "from NAME = 2^k on".
[[nodiscard]] std::string speaks_from(const std::string& name, const std::function<double(double)>& bound,
                                      double trivial);

}  // namespace dpcurves::validation
