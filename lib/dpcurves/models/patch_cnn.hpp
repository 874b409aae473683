// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two-layer ReLU network on two patches, its losses, and gradients clipped without forming any of them.
///
/// F_k = (1/m) sum_r relu<w_kr, u_y> + relu<w_kr, xi>; relu'(0) = 0. The gradient of an example by w_kr is
/// -(g_k/m) (a_kr u_y + b_kr xi) with g_k = 1{y = k} - p_k and activations a, b; since u_y is orthogonal to xi its
/// joint norm is (1/m) sqrt(sum_k g_k^2 (N^u_k |u_y|^2 + N^xi_k |xi|^2)), N the numbers of active filters. A clipped
/// batch gradient is two matrix products, patches with weights and patches with coefficients.
///
/// Parameters are (d x K m) row by row: entry c K m + k m + r is coordinate c of filter r of class k.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", equations (1) to (4); gradient (64) as an example's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/example_gradients.hpp>
#include <dpcurves/models/patch_data.hpp>

namespace dpcurves::models {

/// What the network makes of examples, one entry (or row) each.
struct PatchResponses {
  std::size_t classes = 0;             ///< K
  std::vector<double> scores;          ///< F, shape (examples x K)
  std::vector<double> probabilities;   ///< p, shape (examples x K)
  std::vector<double> losses;          ///< -log p_y
  std::vector<double> residuals;       ///< 1 - p_y
  std::vector<double> log_residuals;   ///< its logarithm
  std::vector<double> gradient_norms;  ///< over all K m d parameters jointly
  std::vector<double> signal_parts;    ///< (1/m) sum_r relu<w_kr, u_y>, shape (examples x K)
  std::vector<double> active;          ///< N^xi: how many filters of each class see xi, shape (examples x K)

  /// How many examples there are.
  [[nodiscard]] std::size_t examples() const { return losses.size(); }
  /// F of example i, shape (K).
  [[nodiscard]] std::span<const double> score(std::size_t i) const {
    return std::span(scores).subspan(i * classes, classes);
  }
};

/// min(1, clip/norm), 1 for a zero gradient. \param clip in (0, inf].
[[nodiscard]] double clip_multiplier(double norm, double clip);

/// The network on one data set; parameters are the caller's.
class PatchCnn final : public ExampleGradients {
 public:
  /// \param filters  m >= 1 per class.
  /// \throws DomainError  for an empty or non-finite data set, labels that are no class, signals of another shape, or
  ///                      a signal that is not orthogonal to a patch of its class (|<u, xi>| > 1e-12 |u| |xi|).
  PatchCnn(PatchData data, std::size_t filters);

  /// The data set, as given.
  [[nodiscard]] const PatchData& data() const { return data_; }
  /// K, the number of classes.
  [[nodiscard]] std::size_t classes() const { return data_.classes; }
  /// m, filters per class.
  [[nodiscard]] std::size_t filters() const { return filters_; }
  [[nodiscard]] std::size_t width() const { return data_.classes * filters_; }  ///< K m
  /// K m d, the number of parameters.
  [[nodiscard]] std::size_t dimension() const override { return width() * data_.dimension(); }
  /// How many examples there are.
  [[nodiscard]] std::size_t records() const override { return data_.examples(); }
  [[nodiscard]] double noise_norm(std::size_t i) const { return noise_norms_[i]; }            ///< |xi_i|
  [[nodiscard]] double signal_norm(std::size_t label) const { return signal_norms_[label]; }  ///< |u_k|

  /// Accuracy: each entry within 1e-13 of exact arithmetic on the same parameters, relative for norms however small
  /// the residuals are. Cost: two products batch x d x K m, about 30 operations per ns with AVX-512.
  BatchSummary clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> x, double clip,
                           std::span<double> gradient) override;
  void losses(std::span<const std::uint32_t> batch, std::span<const double> x, std::span<double> out) override;

  /// Everything about a batch. Losses and norms keep their relative accuracy down to underflow (1e-308).
  [[nodiscard]] PatchResponses responses(std::span<const std::uint32_t> batch, std::span<const double> x);
  [[nodiscard]] PatchResponses responses(std::span<const double> x);  ///< of all examples

  /// <w_kr, xi_i> of the batch, shape (batch x K m), and <w_kr, u_y>, shape (K x K m): row y. Valid until the next
  /// call.
  std::span<const double> noise_products(std::span<const std::uint32_t> batch, std::span<const double> x);
  std::span<const double> signal_products(std::span<const double> x);  ///< <w_kr, u_y>, shape (K x K m): row y.

 private:
  void forward(std::span<const std::uint32_t> batch, std::span<const double> x);
  [[nodiscard]] const double* gathered(std::span<const std::uint32_t> batch);
  double respond(std::size_t position, std::uint32_t example);

  PatchData data_;
  std::size_t filters_;
  std::vector<double> noise_norms_, signal_norms_;
  std::vector<double> patches_, noise_products_, signal_products_, signal_coefficients_, silent_;
  // Of one example: its scores, their parts, counts of active filters, probabilities.
  std::vector<double> scores_, signal_parts_, signal_active_, noise_active_, probabilities_;
  double loss_ = 0.0, residual_ = 0.0, log_residual_ = 0.0;
};

/// Share of the examples whose class has the largest score.
[[nodiscard]] double accuracy(const PatchResponses& responses, std::span<const std::uint32_t> labels);
/// Over some of the examples.
[[nodiscard]] double accuracy(const PatchResponses& responses, std::span<const std::uint32_t> labels,
                              std::span<const std::uint32_t> chosen);

}  // namespace dpcurves::models
