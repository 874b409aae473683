// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Strategy matrices from CSV files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::queries {

/// A file with one row is a banded Toeplitz matrix (its coefficients); a square one is lower triangular.
/// \param steps   what `option` says; empty: the rows of a square matrix.
/// \param option  names `steps` in messages.
/// \throws DataError where the file cannot be read, UsageError and DomainError  naming the file or the option.
[[nodiscard]] models::StrategyMatrix read_strategy_file(const std::string& path, std::optional<std::size_t> steps,
                                                        const std::string& option);

}  // namespace dpcurves::queries
