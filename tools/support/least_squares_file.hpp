// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Least-squares problems as JSON: the objects that problem files and the noisy-hsgd calculators share.
///
/// A problem has the keys
///   lambda_ | spectrum   the list of eigenvalues; or {"type": "list", "eigenvalues": [...]},
///                        {"type": "blocks", "eigenvalues": [...], "multiplicity": [...]},
///                        {"type": "power_law", "scale": s, "exponent": p}, {"type": "marchenko_pastur", "ratio": r,
///                        "scale": s}, {"type": "two_block", "spike": a, "spikes": k, "bulk": b} (these three with
///                        "size", by default dim), {"type": "csv", "file": "eigenvalues.csv"}
///   x0, xtilde           coordinates in the eigenbasis; or {"type": "constant", "norm": r}, {"type": "cosine",
///                        "scale": s}; or instead of both the products per block block_norm2_x0,
///                        block_dot_x0_xtilde, block_norm2_xtilde
///   E_xi2, delta, sigma  label noise variance, regularisation, noise scale
///   dim                  the scaling d (number)
///   schedule             {"type": "constant", "gamma0": g}, ...; or eta in place of it: the constant step eta =
///   gamma/d
/// and problem files also
///   records, eigenbasis  names of CSV files: rows a_1, ..., a_N, b; and the matrix with the eigenvectors as columns,
///                        with which records (and x0, xtilde) are rotated if it is given
/// Mistakes are UsageErrors and DomainErrors whose messages start with the key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dpcurves/models/least_squares.hpp>

#include "support/json.hpp"

namespace dpcurves::tools {

/// A list of numbers; `where` starts the messages, for example "x0".
[[nodiscard]] Eigen::ArrayXd read_array(const Json& given, const std::string& where);

/// A schedule object: constant, inverse_time, power, exponential, cosine, warmup_cosine, piecewise_constant or
/// table {times, values}.
[[nodiscard]] models::Schedule read_schedule(const Json& given, const std::string& where = "schedule");

/// A spectrum, as a list or an object. `dimension` is the default size of generated spectra; CSV names are relative
/// to `folder`.
[[nodiscard]] models::Spectrum read_spectrum(const Json& given, const std::string& where, double dimension,
                                             const std::filesystem::path& folder = {});

/// A whole problem, checked. Unknown keys are refused unless listed in `besides`.
[[nodiscard]] models::LeastSquares read_least_squares(const Json& given, const std::vector<std::string>& besides = {},
                                                      const std::filesystem::path& folder = {});

/// {"a": [...], "b": 1} and {"a": ..., "b": ..., "a_prime": ..., "b_prime": ...}; `size` is the number of coordinates.
[[nodiscard]] models::RecordPair read_record_pair(const Json& given, const std::string& where, Eigen::Index size);

/// A problem file with its records.
struct ProblemFile {
  models::LeastSquares problem;
  std::vector<models::Record> records;  ///< in the eigenbasis; empty if the file names none
};

/// \throws DataError for files that cannot be read, UsageError and DomainError as above, starting with the path.
[[nodiscard]] ProblemFile read_problem_file(const std::filesystem::path& path);

}  // namespace dpcurves::tools
