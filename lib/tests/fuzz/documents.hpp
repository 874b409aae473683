// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What becomes of a parsed document, JSON or TOML alike, short of long computations.
#pragma once

#include "support/json.hpp"

namespace dpcurves::test {

/// The document as a file of checks: entries, calculators and inputs, command lines, expectations and tolerances.
/// Calculators that answer at once are run and compared, and the findings are printed in both forms.
void try_checks(const tools::Json& document);

/// The document as the inputs of those calculators that know its first key; those that answer at once are run.
void try_inputs(const tools::Json& document);

}  // namespace dpcurves::test
