// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Records (a, b) of a linear model, b = a' target + label noise, drawn afresh for every path or kept as a data set.
///
/// Entry i of the features is mean_i + standard_deviation_i z_i with independent z_i of mean 0 and variance 1. The
/// second moment E[a a'] of such features is diag(standard_deviation^2) + mean mean': diagonal in the coordinates used
/// here only if the mean is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dpcurves::simulate {

/// The law of z_i.
enum class Entries {
  gaussian,    ///< kurtosis 3
  uniform,     ///< on (-sqrt 3, sqrt 3), kurtosis 1.8
  rademacher,  ///< -1 or 1, kurtosis 1
  coordinate   ///< one coordinate at a time: sqrt(d) on a uniformly drawn one, 0 elsewhere; the z_i are not independent
};

/// E z^4 of one entry. \throws DomainError  for coordinate, whose entries are not independent.
[[nodiscard]] double kurtosis(Entries entries);

/// The law of one record.
struct RecordLaw {
  Entries entries = Entries::gaussian;      ///< the same for every coordinate
  std::vector<double> standard_deviations;  ///< shape (dimension), >= 0
  std::vector<double> means;                ///< shape (dimension); empty: 0
  std::vector<double> target;               ///< x-tilde, shape (dimension)
  double label_noise = 0.0;                 ///< standard deviation of the Gaussian label noise, >= 0
  double label_clip = std::numeric_limits<double>::infinity();  ///< |noise| is cut at this many deviations, > 0

  /// d, the length of the features.
  [[nodiscard]] std::size_t dimension() const { return standard_deviations.size(); }
};

/// Features of the given second moment diag(eigenvalues) and mean 0.
[[nodiscard]] RecordLaw centred_records(Entries entries, std::span<const double> eigenvalues,
                                        std::span<const double> target, double label_noise);

/// Section 5 of Lin, Kolaczyk, Smith and Paquette: entries uniform on (0, 1/sqrt d), label noise N(0, 0.01/d) cut at
/// three deviations, target with entries uniform on (0, 1/sqrt d) drawn from `seed`.
/// The second moment is I/(12 d) + 1 1'/(4 d): a spike of height 1/4 beside the covariance I/(12 d).
[[nodiscard]] RecordLaw section_5_records(std::size_t dimension, std::uint64_t seed);

/// A data set. Row k of the features is record k.
struct Records {
  std::size_t dimension = 0;     ///< d
  std::vector<double> features;  ///< shape (records x dimension)
  std::vector<double> labels;    ///< shape (records)

  /// n, the number of records.
  [[nodiscard]] std::size_t size() const { return labels.size(); }
  /// Features of record k, shape (dimension).
  [[nodiscard]] std::span<const double> row(std::size_t k) const {
    return std::span(features).subspan(k * dimension, dimension);
  }
};

/// Draws records in blocks; record k of a path is a function of (seed, path, k) alone.
class RecordDraw {
 public:
  /// \throws DomainError  if the shapes of the law differ or a number is outside its range.
  explicit RecordDraw(const RecordLaw& law);

  /// Records first to first + labels.size() - 1 of a path.
  /// \param features  shape (labels.size() x dimension). \param labels  at least one.
  /// Cost: Gaussian features about 3 ns per entry with AVX-512.
  void draw(std::span<double> features, std::span<double> labels, std::uint64_t seed, std::uint32_t path,
            std::size_t first);

 private:
  const RecordLaw& law_;
  std::vector<double> noise_;
};

/// The first `size` records of a path as a data set.
[[nodiscard]] Records draw_records(const RecordLaw& law, std::size_t size, std::uint64_t seed, std::uint32_t path = 0);

/// x' y by eight partial sums, in one order on every machine.
[[nodiscard]] double dot(std::span<const double> x, std::span<const double> y);

}  // namespace dpcurves::simulate
