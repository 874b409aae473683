// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the cases took in a nightly run that was kept: how they are cut, and in which order they are handed out.
///
/// Source: validation/results/nightly-tasks.csv, which validation/tasks.py writes and the build makes part of the
/// program. No result depends on it, only who computes what when.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dpcurves::validation {

/// Seconds of one processor that the parts of a case took, whole cases have one. \return none for a case that the
/// table does not have. \throws DataError  for a table that cannot be read. Cost: a search by name.
[[nodiscard]] std::span<const double> kept_seconds(std::string_view id);

/// The seconds to expect of one part. Where the case was kept in another number of parts, they are equal shares of the
/// whole; where it was not kept at all, the whole is an average case.
[[nodiscard]] double expected_seconds(std::string_view id, std::size_t part, std::size_t parts);

/// The table as it is kept: "id,seconds of the parts with a space between", a line per case. Made when it is built.
[[nodiscard]] std::string kept_tasks();

}  // namespace dpcurves::validation
