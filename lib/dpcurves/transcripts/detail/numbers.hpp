// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Numbers of messages, and epsilons to put into them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <dpcurves/core/domain.hpp>
#include <dpcurves/mechanism/run.hpp>

namespace dpcurves::transcripts {

/// With so many digits behind the point, to the nearest.
[[nodiscard]] std::string nearest(double value, int decimals);
/// The same, rounded up or down. \param value  in [0, 1e15) or infinite.
[[nodiscard]] std::string at_most(double value, int decimals);
[[nodiscard]] std::string at_least(double value, int decimals);  ///< Rounded down.

/// Whether all of a text is a number; "inf" is one, NaN is none.
[[nodiscard]] bool read_number(std::string_view text, double& value);

/// "1.5 is not a whole number", "2 is not in [0, 1]".
[[nodiscard]] std::string outside(double value, const Domain& domain);

/// The upper end of epsilon of a run, or nothing where there is no theorem or no delta.
[[nodiscard]] std::optional<double> epsilon_of(const mechanism::Run& run, std::optional<double> delta);

}  // namespace dpcurves::transcripts
