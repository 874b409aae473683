// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Records (x, y) of generalised linear models that are read in blocks and never held: drawn, stored, or mapped.
///
/// A drawn record is a function of (law, seed, path, number), so that any block can be read at any time and a pass over
/// 2^40 records needs the memory of one block. Features come from the data stream of the path, labels from its sampling
/// stream; random projections use the initialisation stream and the algorithms' noise the noise stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <dpcurves/core/assumption.hpp>
#include <dpcurves/models/johnson_lindenstrauss.hpp>
#include <dpcurves/models/link.hpp>
#include <dpcurves/models/polynomial_features.hpp>

namespace dpcurves::simulate {

/// A sequence of records that can be read anywhere. One object per thread.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  [[nodiscard]] virtual std::size_t dimension() const = 0;  ///< d of the features
  [[nodiscard]] virtual std::uint64_t records() const = 0;  ///< n
  /// Records first, first + 1, ..., as many as there are labels. Not checked: they exist, and the shapes fit.
  /// \param features  shape (labels.size() x dimension), row by row.
  virtual void read(std::uint64_t first, std::span<double> features, std::span<double> labels) = 0;

 protected:
  RecordSource() = default;
  RecordSource(const RecordSource&) = default;
  RecordSource& operator=(const RecordSource&) = default;
};

/// Laws of x in R^d.
enum class FeatureLaw {
  unit_sphere,  ///< uniform on |x| = 1; with a rank r < d, on the sphere of the first r coordinates
  wide_sphere,  ///< uniform on |x| = sqrt(d): isotropic and symmetric
  gaussian,     ///< N(0, I)
  cube,         ///< uniform on [-sqrt 3, sqrt 3]^d: isotropic and log-concave, |x| <= sqrt(3 d)
  exponential,  ///< independent Exp(1) - 1: isotropic, not symmetric
  spiked        ///< (+-0.8, 0.6 v) with v uniform on the unit sphere of R^(d-1)
};

/// How y follows from the mean link(<w*, x>).
enum class LabelLaw {
  exact,      ///< y is the mean
  two_point,  ///< lowest or highest value of a bounded link, with that mean: the labels of two classes
  signs       ///< mean +- label_noise, each with chance 1/2
};

/// How records are drawn.
struct GlmLaw {
  FeatureLaw features = FeatureLaw::unit_sphere;  ///< of x
  std::size_t dimension = 2;                      ///< d >= 1; spiked: >= 2
  std::size_t rank = 0;                           ///< of a unit sphere; 0: d
  models::Link link;                              ///< g of the mean of the labels
  std::vector<double> parameter{};                ///< w*, shape (d)
  LabelLaw labels = LabelLaw::exact;              ///< given the mean
  double label_noise = 0.0;                       ///< of `signs`, >= 0
  /// Replaces the mean of y if given: f(x, <w*, x>). The model is then misspecified.
  std::function<double(std::span<const double>, double)> mean{};
};

/// n independent records of a law.
class DrawnRecords final : public RecordSource {
 public:
  /// \throws DomainError  for shapes that do not fit or are out of range, labels of two values of an unbounded link, or
  ///                      more than 2^40 numbers.
  DrawnRecords(GlmLaw law, std::uint64_t records, std::uint64_t seed, std::uint32_t path);

  /// d of the law.
  [[nodiscard]] std::size_t dimension() const override { return law_.dimension; }
  /// n, as given.
  [[nodiscard]] std::uint64_t records() const override { return records_; }
  void read(std::uint64_t first, std::span<double> features, std::span<double> labels) override;
  /// The law, as given.
  [[nodiscard]] const GlmLaw& law() const { return law_; }

 private:
  GlmLaw law_;
  std::uint64_t records_, seed_;
  std::uint32_t path_;
  std::size_t stride_;
  std::vector<double> numbers_;
};

/// Rows that are given.
class StoredRecords final : public RecordSource {
 public:
  /// \param features  shape (records x dimension), row by row. \throws DomainError for shapes that do not fit.
  StoredRecords(std::size_t dimension, std::vector<double> features, std::vector<double> labels);

  /// d, as given.
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  /// How many rows there are.
  [[nodiscard]] std::uint64_t records() const override { return labels_.size(); }
  void read(std::uint64_t first, std::span<double> features, std::span<double> labels) override;

 private:
  std::size_t dimension_;
  std::vector<double> features_, labels_;
};

/// (f(x), y) for a map f of the features; both references must outlive it.
class MappedRecords final : public RecordSource {
 public:
  /// (Phi x, y), Algorithms 3, 6 and 7.
  MappedRecords(RecordSource& base, models::JohnsonLindenstrauss& map);
  /// (psi(x), y), Algorithm 9.
  MappedRecords(RecordSource& base, const models::PolynomialFeatures& map);

  /// d of the mapped features.
  [[nodiscard]] std::size_t dimension() const override { return target_; }
  /// n of the base.
  [[nodiscard]] std::uint64_t records() const override { return base_.records(); }
  void read(std::uint64_t first, std::span<double> features, std::span<double> labels) override;
  /// Rows that the projection shortened so far.
  [[nodiscard]] std::uint64_t shortened() const { return shortened_; }

 private:
  RecordSource& base_;
  std::size_t target_;
  std::function<bool(std::span<const double>, std::span<double>)> map_;
  std::vector<double> block_;
  std::uint64_t shortened_ = 0;
};

/// Mean of (link(<w, x>) - link(<v, x>))^2 over records, for several w at once; labels are not looked at.
/// \param candidates  shape (count x dimension).
[[nodiscard]] std::vector<double> mean_squared_differences(RecordSource& records, const models::Link& link,
                                                           std::span<const double> candidates,
                                                           std::span<const double> truth);

/// Mean of (link(<w, x>) - y)^2 over all records.
[[nodiscard]] double mean_squared_loss(RecordSource& records, const models::Link& link, std::span<const double> w);

/// What Assumption 1 asks for (with |x| <= 1 that is Assumption 3 on mapped features, with B = 1/2 around 1/2).
struct GlmAssumption {
  double label_bound = 1.0;     ///< B
  double lipschitz = 1.0;       ///< G
  double parameter_norm = 1.0;  ///< W
  double feature_bound = 1.0;   ///< of |x|
};
/// The clauses that link, parameter or the first `count` records violate, with the offending numbers.
[[nodiscard]] std::vector<Violation> violations(const GlmAssumption& assumption, const models::Link& link,
                                                std::span<const double> parameter, RecordSource& records,
                                                std::uint64_t count);

/// Assumption 2 as far as records can show it: |x| <= bound, E x = 0, E x x' = I and E x |x|^2 = 0 (symmetry) within
/// `standard_errors` of the first `count` records.
[[nodiscard]] std::vector<Violation> isotropy_violations(RecordSource& records, double bound, std::uint64_t count,
                                                         double standard_errors = 6.0);

}  // namespace dpcurves::simulate
