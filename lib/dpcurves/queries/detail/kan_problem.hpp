// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A KAN and its data as options of a command: a CSV file, or points of the ball drawn with the seed.
#pragma once

#include <cstdint>
#include <vector>

#include <dpcurves/models/kan.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// Options of the network and of the data. `records` is the default number of drawn records.
[[nodiscard]] std::vector<Option> kan_options();

/// The shape that the options describe; `inputs` are those of the data.
[[nodiscard]] models::KanShape kan_shape(const Values& values, std::size_t inputs);

/// Training data of a path: the file of --data, the same for every path, or drawn anew.
/// \throws UsageError, DomainError, DataError  naming the option or the file.
[[nodiscard]] models::BinaryData kan_training_data(const Values& values, std::uint64_t seed, std::uint32_t path);
/// Data for tests: --test-data, drawn points, or none (no columns) for a file without a test file.
[[nodiscard]] models::BinaryData kan_test_data(const Values& values, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::queries
