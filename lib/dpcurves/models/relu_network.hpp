// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Fully connected ReLU networks whose clipped gradient sums need no gradient of an example.
///
/// f(W, x) = sqrt(m) W_L relu(W_{L-1} ... relu(W_1 x)) with h_0 = x, h_l = relu(W_l h_{l-1}). Gradients have rank one
/// per layer: grad_{W_l} f = D_l h_{l-1}', D_L = sqrt(m), D_{l} = W_{l+1}' D_{l+1} on the units with h_l > 0. Hence
/// |grad f|^2 = sum_l |D_l|^2 |h_{l-1}|^2, and the clipped sum of a batch is one matrix product per layer with scaled
/// columns.
///
/// Parameters are W_1, ..., W_L one after the other, each column by column.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Section 5 and Algorithm 10,
/// with the gradients of its proof corrected: docs/errata.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/example_gradients.hpp>
#include <dpcurves/models/kan.hpp>

namespace dpcurves::models {

/// The sizes of a network; all hidden layers have one width.
struct NetworkShape {
  std::size_t inputs = 1;  ///< d >= 1
  std::size_t width = 1;   ///< m >= 1
  std::size_t depth = 2;   ///< L >= 2 weight matrices

  /// Of W_{layer + 1}; `layer` counts from 0.
  [[nodiscard]] std::size_t rows(std::size_t layer) const { return layer + 1 == depth ? 1 : width; }
  /// Columns of W_{layer + 1}.
  [[nodiscard]] std::size_t columns(std::size_t layer) const { return layer == 0 ? inputs : width; }
  [[nodiscard]] std::size_t offset(std::size_t layer) const;  ///< where its weights start
  /// m d + (L - 2) m^2 + m.
  [[nodiscard]] std::size_t parameters() const { return offset(depth); }
};

/// Independent weights N(0, 2/m), N(0, 1/m) in the last layer, from the initialisation stream of the path.
/// \throws DomainError  for a shape outside its range.
[[nodiscard]] std::vector<double> initial_network(const NetworkShape& shape, std::uint64_t seed, std::uint32_t path);

/// A layer of a vector of all weights.
[[nodiscard]] Eigen::Map<const Eigen::MatrixXd> layer_of(const NetworkShape& shape, std::span<const double> w,
                                                         std::size_t layer);
[[nodiscard]] Eigen::Map<Eigen::MatrixXd> layer_of(const NetworkShape& shape, std::span<double> w, std::size_t layer);

/// |W_l - V_l|_F of every layer, shape (depth).
[[nodiscard]] std::vector<double> layer_distances(const NetworkShape& shape, std::span<const double> w,
                                                  std::span<const double> v);

/// Layers and derivatives of a batch at one point, one record per column. Room for the largest batch is kept.
class NetworkPass {
 public:
  explicit NetworkPass(const NetworkShape& shape);  ///< \throws DomainError  for a shape outside its range.

  /// \param batch   columns of `inputs`, shape (d x n). \param w  shape (parameters).
  void forward(const Eigen::MatrixXd& inputs, std::span<const std::uint32_t> batch, std::span<const double> w);
  /// After forward: D_l of the output f.
  void backward(std::span<const double> w);

  /// Records of the last forward().
  [[nodiscard]] std::size_t batch() const { return batch_; }
  /// h_layer, shape (columns(layer) x batch); layer 0 is the input.
  [[nodiscard]] auto hidden(std::size_t layer) const {
    return hidden_[layer].leftCols(static_cast<Eigen::Index>(batch_));
  }
  /// f, shape (batch).
  [[nodiscard]] auto outputs() const { return outputs_.head(static_cast<Eigen::Index>(batch_)); }
  /// D_{layer + 1}, shape (width x batch), layer < depth - 1; the last is sqrt(m).
  [[nodiscard]] auto derivative(std::size_t layer) const {
    return derivatives_[layer].leftCols(static_cast<Eigen::Index>(batch_));
  }
  /// |grad_{W_{layer + 1}} f|^2 per record, shape (batch); allocates.
  [[nodiscard]] Eigen::VectorXd squared_norms(std::size_t layer) const;
  /// |grad f|^2 into out, shape (batch).
  void squared_norms(Eigen::Ref<Eigen::VectorXd> out) const;
  /// sum_i weight_i grad f(x_i) into out, shape (parameters); scales the derivatives, which are lost.
  void weighted_sum(const Eigen::Ref<const Eigen::VectorXd>& weights, std::span<double> out);

  /// The sizes of the network.
  [[nodiscard]] const NetworkShape& shape() const { return shape_; }
  [[nodiscard]] double output_scale() const { return output_scale_; }  ///< sqrt(m)

 private:
  NetworkShape shape_;
  double output_scale_;
  std::size_t batch_ = 0;
  std::vector<Eigen::MatrixXd> hidden_, derivatives_;
  Eigen::VectorXd outputs_;
};

/// Logistic losses log(1 + exp(-y f(x))) of a network on a data set; Lipschitz in f with S = 1.
///
/// Accuracy: rounding. Cost per batch of B: three products of a layer with B
/// columns per hidden layer. Nothing is allocated once the largest batch has been seen.
class NetworkLosses final : public ExampleGradients {
 public:
  /// \throws DomainError  if an input is longer than 1, a label is not -1 or 1, or sizes do not fit.
  NetworkLosses(const NetworkShape& shape, BinaryData data);

  /// The sizes of the network.
  [[nodiscard]] const NetworkShape& shape() const { return pass_.shape(); }
  /// The data, as given.
  [[nodiscard]] const BinaryData& data() const { return data_; }
  /// m d + (L - 2) m^2 + m.
  [[nodiscard]] std::size_t dimension() const override { return shape().parameters(); }
  /// n of the data.
  [[nodiscard]] std::size_t records() const override { return data_.records(); }

  BatchSummary clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> w, double clip,
                           std::span<double> gradient) override;
  void losses(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) override;
  /// f(x), shape (batch).
  void outputs(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out);

 private:
  BinaryData data_;
  NetworkPass pass_;
  Eigen::VectorXd weights_;  // shape (largest batch)
};

/// Mean logistic loss and share of labels that are the sign of the output, over all records in blocks.
struct NetworkQuality {
  double loss = 0.0;   ///< mean of log(1 + exp(-y f)), nats
  double error = 0.0;  ///< 1 - accuracy
};
/// Cost: a forward pass over the data.
[[nodiscard]] NetworkQuality quality(NetworkLosses& losses, std::span<const double> w);

/// Labelled points of the sphere: x uniform on the unit sphere, y the sign of a two-layer tanh network that is the same
/// for every path, some labels flipped.
struct TeacherData {
  std::size_t inputs = 20;         ///< d >= 1
  std::size_t records = 1000;      ///< n >= 1
  std::size_t teacher_units = 6;   ///< hidden units of the tanh network, >= 1
  double flipped = 0.05;           ///< chance of a flipped label, in [0, 0.5)
  std::uint64_t teacher_seed = 7;  ///< of the teacher's normal weights
};
/// \throws DomainError  outside the ranges.
[[nodiscard]] BinaryData teacher_data(const TeacherData& law, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::models
