// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// TOML as data, in the form that JSON has.
#pragma once

#include <cstddef>
#include <string>

#include <dpcurves/core/record.hpp>

namespace dpcurves::io {

/// The most bytes of a TOML file that are read, 16 MiB.
constexpr std::size_t largest_toml = std::size_t{1} << 24U;

/// The value of a TOML text: tables are records in the order of their names, dates are texts, infinities "inf" and
/// "-inf".
/// \throws UsageError with the position of the first mistake; `what` names the text. More than deepest_document or
/// most_keys are mistakes, and so are keys of more than a hundred parts.
[[nodiscard]] Value read_toml(const std::string& text, const std::string& what);

/// A record as TOML: plain entries first, then records as tables and lists of records as arrays of tables. Entries that
/// are nothing are left out.
[[nodiscard]] std::string write_toml(const Record& record);

}  // namespace dpcurves::io
