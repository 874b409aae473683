// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Losses of records: what noisy descent needs of them, and families whose constants are known exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpcurves::models {

/// The losses f_1, ..., f_n on R^d of one data set.
class Losses {
 public:
  virtual ~Losses() = default;

  [[nodiscard]] virtual std::size_t dimension() const = 0;  ///< d
  [[nodiscard]] virtual std::size_t records() const = 0;    ///< n

  /// Writes the sum of the gradients of the records in `batch` at x. Safe to call from several threads.
  /// \param batch     record numbers below records(); not checked.
  /// \param x         shape (dimension)
  /// \param gradient  shape (dimension), overwritten
  virtual void gradient_sum(std::span<const std::uint32_t> batch, std::span<const double> x,
                            std::span<double> gradient) const = 0;

  /// m >= 0 and M >= m such that every record's loss is m-strongly convex and M-smooth.
  [[nodiscard]] virtual double strong_convexity() const = 0;
  [[nodiscard]] virtual double smoothness() const = 0;  ///< M

 protected:
  Losses() = default;
  Losses(const Losses&) = default;
  Losses(Losses&&) = default;
  Losses& operator=(const Losses&) = default;
  Losses& operator=(Losses&&) = default;
};

/// max(|1 - step m|, |1 - step M|): the Lipschitz constant of a gradient step.
/// \param step_size  > 0, finite. \throws DomainError otherwise.
[[nodiscard]] double contraction(const Losses& losses, double step_size);

/// Gradient of record i: curvature x + tanh_weight tanh(x) + drift_i, coordinate by coordinate.
///
/// tanh_weight 0 gives quadratics, curvature 0 as well linear losses (a constant drift, the worst case of a box).
/// The loss is curvature-strongly convex and (curvature + tanh_weight)-smooth; two data sets differ by the drifts.
class SeparableLosses final : public Losses {
 public:
  /// \param drifts  shape (records x dimension), row by row; not empty.
  /// \throws DomainError  unless curvature, tanh_weight >= 0, all finite, and dimension divides drifts.size().
  SeparableLosses(double curvature, double tanh_weight, std::size_t dimension, std::vector<double> drifts);

  /// d of the records.
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  /// n, the number of losses.
  [[nodiscard]] std::size_t records() const override { return drifts_.size() / dimension_; }
  void gradient_sum(std::span<const std::uint32_t> batch, std::span<const double> x,
                    std::span<double> gradient) const override;
  [[nodiscard]] double strong_convexity() const override { return curvature_; }
  /// curvature + tanh_weight.
  [[nodiscard]] double smoothness() const override { return curvature_ + tanh_weight_; }

 private:
  double curvature_, tanh_weight_;
  std::size_t dimension_;
  std::vector<double> drifts_;
};

/// Logistic regression with two classes: log(1 + exp(-y_i <u_i, x>)) + regularisation |x|^2 / 2.
///
/// Features longer than `clip` are shortened to it, so that the data term is clip-Lipschitz and clip^2/4-smooth:
/// m = regularisation, M = regularisation + clip^2 / 4, sensitivity of the gradient at most 2 clip.
class LogisticLosses final : public Losses {
 public:
  /// \param features  shape (records x dimension), row by row
  /// \param labels    shape (records), each +1 or -1
  /// \throws DomainError  for shapes that do not fit, other labels, clip <= 0 or regularisation < 0.
  LogisticLosses(std::size_t dimension, std::vector<double> features, std::vector<double> labels, double clip,
                 double regularisation);

  /// d of the records.
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  /// n, the number of losses.
  [[nodiscard]] std::size_t records() const override { return labels_.size(); }
  void gradient_sum(std::span<const std::uint32_t> batch, std::span<const double> x,
                    std::span<double> gradient) const override;
  [[nodiscard]] double strong_convexity() const override { return regularisation_; }
  /// regularisation + clip^2/4.
  [[nodiscard]] double smoothness() const override { return regularisation_ + 0.25 * clip_ * clip_; }

  /// sup |grad f_i - grad g_i| over records of this family: 2 clip.
  [[nodiscard]] double sensitivity() const { return 2.0 * clip_; }
  /// The mean loss over all records.
  [[nodiscard]] double mean_loss(std::span<const double> x) const;

 private:
  std::size_t dimension_;
  std::vector<double> features_, labels_;
  double clip_, regularisation_;
};

}  // namespace dpcurves::models
