// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What DP-SGD needs of a model: the sum of the clipped gradients of a batch, and the losses.
///
/// A model whose gradients have structure (KanLosses: rank one per unit) clips without forming them; SeparateGradients
/// forms one at a time, for any other model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/losses.hpp>

namespace dpcurves::models {

/// What a batch showed on the way to its gradient.
struct BatchSummary {
  double largest_norm = 0.0;  ///< of the gradients before clipping
  std::size_t clipped = 0;    ///< how many were longer than the clip norm
};

/// The losses of n records at parameters in R^D. Calls may use room of the object: one object per thread.
class ExampleGradients {
 public:
  virtual ~ExampleGradients() = default;

  [[nodiscard]] virtual std::size_t dimension() const = 0;  ///< D, the number of parameters
  [[nodiscard]] virtual std::size_t records() const = 0;    ///< n

  /// Writes the sum over the batch of g_i min(1, clip/|g_i|); a zero gradient stays zero. A gradient that is not
  /// clipped enters with its own bits, so that clip = infinity and a clip that does nothing agree bitwise.
  /// \param batch     record numbers below records(), not checked; may be empty.
  /// \param x         shape (dimension)
  /// \param clip      in (0, inf]
  /// \param gradient  shape (dimension), overwritten
  virtual BatchSummary clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> x, double clip,
                                   std::span<double> gradient) = 0;

  /// The losses of the batch, shape (batch).
  virtual void losses(std::span<const std::uint32_t> batch, std::span<const double> x, std::span<double> out) = 0;

 protected:
  ExampleGradients() = default;
  ExampleGradients(const ExampleGradients&) = default;
  ExampleGradients(ExampleGradients&&) = default;
  ExampleGradients& operator=(const ExampleGradients&) = default;
  ExampleGradients& operator=(ExampleGradients&&) = default;
};

/// 0, 1, ..., n - 1.
[[nodiscard]] std::vector<std::uint32_t> all_records(const ExampleGradients& model);

/// The mean loss over all records.
[[nodiscard]] double mean_loss(ExampleGradients& model, std::span<const double> x);

/// Any Losses, clipped by forming one gradient after the other. Cost: O(batch D).
class SeparateGradients final : public ExampleGradients {
 public:
  /// Value of one record's loss; Losses themselves have gradients only.
  using Value = double (*)(const Losses& losses, std::uint32_t record, std::span<const double> x);

  /// \param losses  must outlive the object.
  /// \param value   null: losses() throws.
  explicit SeparateGradients(const Losses& losses, Value value = nullptr)
      : losses_(&losses), value_(value), one_(losses.dimension()) {}

  /// D of the losses.
  [[nodiscard]] std::size_t dimension() const override { return losses_->dimension(); }
  /// n of the losses.
  [[nodiscard]] std::size_t records() const override { return losses_->records(); }
  BatchSummary clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> x, double clip,
                           std::span<double> gradient) override;
  /// \throws DomainError  if no value was given.
  void losses(std::span<const std::uint32_t> batch, std::span<const double> x, std::span<double> out) override;

 private:
  const Losses* losses_;
  Value value_;
  std::vector<double> one_;
};

}  // namespace dpcurves::models
