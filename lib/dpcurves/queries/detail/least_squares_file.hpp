// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Files of least-squares problems: the keys of calculators/tables/least_squares.hpp, and
///   records, eigenbasis  names of CSV files: rows a_1, ..., a_N, b; and the matrix with the eigenvectors as columns,
///                        with which records (and x0, xtilde) are rotated if it is given
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::queries {

/// A problem file with its records.
struct ProblemFile {
  models::LeastSquares problem;         ///< with its schedule
  std::vector<models::Record> records;  ///< in the eigenbasis; empty if the file names none
};

/// \throws DataError for files that cannot be read, UsageError and DomainError as above, starting with the path.
[[nodiscard]] ProblemFile read_problem_file(const std::filesystem::path& path);

/// A small problem file, for --help.
[[nodiscard]] std::string problem_file_help();

}  // namespace dpcurves::queries
