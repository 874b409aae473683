// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Spectra of the second-moment matrix of the features: eigenvalues with multiplicity.
#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>

namespace dpcurves::models {

/// Eigenvalues lambda_b >= 0, each with a multiplicity: block b stands for multiplicity_b equal eigenvalues.
///
/// Coordinates of a vector in the eigenbasis are numbered block by block. The order of the blocks is the caller's.
class Spectrum {
 public:
  Spectrum() = default;

  /// \throws DomainError  unless the list is not empty and every eigenvalue is finite and >= 0; so for all below.
  [[nodiscard]] static Spectrum list(std::span<const double> eigenvalues);
  /// \throws DomainError  unless every multiplicity is a whole number >= 1 and the lengths agree.
  [[nodiscard]] static Spectrum blocks(std::span<const double> eigenvalues, std::span<const double> multiplicity);
  /// lambda_i = scale i^-exponent, i = 1..dimension.
  [[nodiscard]] static Spectrum power_law(std::size_t dimension, double scale, double exponent);
  /// Quantiles of the Marchenko-Pastur law at (i - 1/2)/dimension, i = 1..dimension.
  ///
  /// The law is the limit of the spectrum of the sample covariance of features with covariance scale I, with `ratio`
  /// = dimension/samples: density sqrt((b - x)(x - a))/(2 pi ratio scale x) on [a, b] = scale (1 -+ sqrt(ratio))^2,
  /// and an atom of mass 1 - 1/ratio at 0 if ratio > 1 (a block of its own).
  /// \throws DomainError  unless ratio > 0 and scale > 0. Accuracy: 1e-12 scale. Cost: about 1 us per eigenvalue.
  [[nodiscard]] static Spectrum marchenko_pastur(std::size_t dimension, double ratio, double scale);
  /// `spikes` eigenvalues of size spike and the others of size bulk. \throws DomainError  unless spikes < dimension
  /// and spikes >= 1.
  [[nodiscard]] static Spectrum two_block(std::size_t dimension, double spike, std::size_t spikes, double bulk);

  /// One eigenvalue per block, shape (blocks).
  [[nodiscard]] const Eigen::ArrayXd& eigenvalues() const { return eigenvalues_; }
  /// Shape (blocks), whole numbers >= 1.
  [[nodiscard]] const Eigen::ArrayXd& multiplicity() const { return multiplicity_; }
  /// Entries of every array per block.
  [[nodiscard]] Eigen::Index block_count() const { return eigenvalues_.size(); }
  /// The number of eigenvalues, the sum of the multiplicities.
  [[nodiscard]] Eigen::Index size() const { return size_; }
  /// Every multiplicity is 1: coordinates and blocks are the same.
  [[nodiscard]] bool is_simple() const { return size_ == block_count(); }
  /// The least eigenvalue, >= 0.
  [[nodiscard]] double smallest() const { return eigenvalues_.minCoeff(); }
  /// The largest eigenvalue.
  [[nodiscard]] double largest() const { return eigenvalues_.maxCoeff(); }
  /// The sum of all eigenvalues, with multiplicity.
  [[nodiscard]] double trace() const { return (eigenvalues_ * multiplicity_).sum(); }

  /// Sums a function of the coordinates over each block: shape (size()) -> (blocks).
  /// \throws DomainError  unless there is one entry per coordinate.
  [[nodiscard]] Eigen::ArrayXd block_sums(const Eigen::ArrayXd& per_coordinate) const;
  /// Repeats a number per block for each of its coordinates: shape (blocks) -> (size()).
  [[nodiscard]] Eigen::ArrayXd per_coordinate(const Eigen::ArrayXd& per_block) const;

 private:
  Spectrum(Eigen::ArrayXd eigenvalues, Eigen::ArrayXd multiplicity);

  Eigen::ArrayXd eigenvalues_;
  Eigen::ArrayXd multiplicity_;
  Eigen::Index size_ = 0;
};

}  // namespace dpcurves::models
