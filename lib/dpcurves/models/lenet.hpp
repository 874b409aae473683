// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// LeNet-5 on grey images of 28 x 28 pixels, whose per-example clipping forms gradients of its small layers only.
///
/// Six maps by 5 x 5 (padded by 2), sixteen maps by 5 x 5 of all six, each followed by ReLU and the largest of 2 x 2;
/// then 400 - 120 - 84 - K, ReLU between; cross entropy. Gradients of the three dense layers have rank one, so their
/// norms are products and their clipped sums are matrix products; those of the convolutions (2572 numbers) are formed.
///
/// Parameters are layer after layer, the weights of a unit one after the other (of a map: input map, row, column),
/// then the biases of the layer. Bits do not depend on the machine but for exp of the C library.
///
/// Source: LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied to document recognition" (1998), Section
/// II.B, as it is written today: all maps connected, ReLU, no trained pooling. Used by Zhang et al., "Understanding the
/// Impact of Differentially Private Training on Memorization of Long-Tailed Data", Figure 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/example_gradients.hpp>
#include <dpcurves/models/image_data.hpp>

namespace dpcurves::models {

/// Where the parameters of a layer lie.
struct LeNetLayer {
  std::size_t outputs = 0;  ///< maps or units
  std::size_t inputs = 0;   ///< weights of one of them
  std::size_t offset = 0;   ///< of its first weight; its biases are behind the weights
  /// Of the first bias.
  [[nodiscard]] std::size_t biases() const { return offset + outputs * inputs; }
  /// Behind the last bias.
  [[nodiscard]] std::size_t end() const { return biases() + outputs; }
};

/// Pixels of a side.
inline constexpr std::size_t lenet_side = 28;
/// Pixels of an image.
inline constexpr std::size_t lenet_pixels = lenet_side * lenet_side;

/// The five layers for K classes; the last ends at the number of parameters, 60856 + 85 K.
[[nodiscard]] std::array<LeNetLayer, 5> lenet_layers(std::size_t classes);

/// Weights and biases uniform on (-1/sqrt(inputs), 1/sqrt(inputs)), the default of PyTorch, from the initialisation
/// stream of the path.
[[nodiscard]] std::vector<double> initial_lenet(std::size_t classes, std::uint64_t seed, std::uint32_t path);

/// Cross entropies of LeNet on images. One object per thread.
///
/// Accuracy: gradients agree with central differences of the losses within 1e-6 of the largest entry.
/// Cost: about 0.3 ms of processor time per example of clipped_sum, 0.1 ms per example of losses.
class LeNetLosses final : public ExampleGradients {
 public:
  /// \param images  of lenet_pixels pixels; must outlive the object.
  /// \throws DomainError  for images of another size.
  explicit LeNetLosses(const LabelledImages& images);

  /// 60856 + 85 K.
  [[nodiscard]] std::size_t dimension() const override { return layers_.back().end(); }
  /// n of the images.
  [[nodiscard]] std::size_t records() const override { return images_->labels.size(); }
  BatchSummary clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> w, double clip,
                           std::span<double> gradient) override;
  void losses(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) override;

  /// Whether each image is put into its class at w, shape (n): 1 or 0.
  [[nodiscard]] std::vector<char> right(std::span<const double> w);

 private:
  void forward(std::span<const std::uint32_t> block, std::span<const double> w);
  void backward(std::size_t size, std::span<const double> w);
  void first_maps(std::size_t i, std::uint32_t record, std::span<const double> w);
  void second_maps(std::size_t i, std::span<const double> w);
  void map_gradients(std::size_t i, std::uint32_t record, std::span<const double> w);
  [[nodiscard]] double squared_norm(std::size_t i) const;
  void add_weighted(std::span<const double> weights, std::span<double> gradient);

  const LabelledImages* images_;
  std::array<LeNetLayer, 5> layers_;
  std::vector<double> patches_, maps_, product_;                  // room of one example, and of one product
  std::vector<double> first_, second_, third_, fourth_, scores_;  // outputs of the layers, shape (block x outputs)
  std::vector<std::uint16_t> first_at_, second_at_;               // where the largest of 2 x 2 was
  std::vector<double> second_slopes_, third_slopes_, fourth_slopes_, score_slopes_;  // of the loss, by the outputs
  std::vector<double> map_gradients_;                                                // shape (block x 2572)
};

}  // namespace dpcurves::models
