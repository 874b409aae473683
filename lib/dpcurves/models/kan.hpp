// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Two-layer Kolmogorov-Arnold networks with a trained first and a fixed random second layer.
///
/// With a_j = <w_j, h(x)>/sqrt(d) and u_j = sigma(a_j), f(x) = m^(-1/2) sum_j <c_j, h(u_j)>. The gradient block of unit
/// j is s_j h(x) and its Hessian block v_j h(x) h(x)', so |grad f| = |s| |h(x)| and |Hess f| = max_j |v_j| |h(x)|^2:
/// neither is ever formed. Parameters are numbered column by column: w_j's entry a is number a m + j, a = i p + k for
/// coordinate i and spline k.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Sections 3 and B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/models/bspline.hpp>
#include <dpcurves/models/example_gradients.hpp>
#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models {

/// sigma, between the layers; its values lie in [-1, 1], where the second layer's splines live.
enum class Activation { tanh, logistic };

/// The sizes of a network.
struct KanShape {
  std::size_t inputs = 1;                    ///< d >= 1
  std::size_t units = 1;                     ///< m >= 1, the width
  std::size_t splines = 5;                   ///< p >= degree + 1 per edge
  std::size_t degree = 3;                    ///< q of the splines, at least 2
  Activation activation = Activation::tanh;  ///< the same for every unit

  [[nodiscard]] std::size_t parameters() const { return inputs * units * splines; }  ///< D = m d p
};

/// sup |sigma'| and sup |sigma''|: 1 and 4/(3 sqrt 3), or 1/4 and 1/(6 sqrt 3).
struct ActivationBounds {
  double slope = 0.0;      ///< sup |sigma'|
  double curvature = 0.0;  ///< sup |sigma''|
};
[[nodiscard]] ActivationBounds bounds(Activation activation);  ///< exact

/// A network: its shape, and the second layer as the polynomial that each unit applies on each span.
class KanNetwork {
 public:
  /// \param second_layer  c, shape (splines x units).
  /// \throws DomainError  for a shape out of its range, or a second layer of another shape or not finite.
  KanNetwork(const KanShape& shape, Eigen::MatrixXd second_layer);

  /// c ~ N(0, 1) entry by entry, from the initialisation stream of the path.
  [[nodiscard]] static KanNetwork draw(const KanShape& shape, std::uint64_t seed, std::uint32_t path);

  /// The sizes, as given.
  [[nodiscard]] const KanShape& shape() const { return shape_; }
  /// The splines of both layers.
  [[nodiscard]] const UniformSplines& splines() const { return splines_; }
  /// c, shape (splines x units).
  [[nodiscard]] const Eigen::MatrixXd& second_layer() const { return second_layer_; }

  /// What a unit makes of its input a.
  struct Unit {
    double output = 0.0;     ///< <c_j, h(u)>
    double slope = 0.0;      ///< sigma'(a) <c_j, h'(u)>: (m d)^(1/2) s_j
    double curvature = 0.0;  ///< <c_j, sigma''(a) h'(u) + sigma'(a)^2 h''(u)>: d m^(1/2) v_j
  };
  [[nodiscard]] Unit unit(std::size_t j, double a) const;  ///< \param j  below units. \param a  any finite number.
  /// The polynomials of all units, <c_j, h(v)> by powers of the offset within the span, as the kernels read them: shape
  /// (blocks of units x spans x powers x lanes).
  [[nodiscard]] kernels::Units kernel() const;

 private:
  struct Piece {
    double u, first, second;  ///< sigma(a) and its derivatives
    double offset;
    const double* coefficients;  ///< of the span, kernels::lanes apart
  };
  [[nodiscard]] Piece piece(std::size_t j, double a) const;

  KanShape shape_;
  UniformSplines splines_;
  Eigen::MatrixXd second_layer_;
  kernels::Lines pieces_;
};

/// A first layer with independent N(0, 1) entries, drawn after the second layer of the same path.
[[nodiscard]] std::vector<double> draw_first_layer(const KanShape& shape, std::uint64_t seed, std::uint32_t path);

/// Inputs in the unit ball with labels -1 and +1.
struct BinaryData {
  Eigen::MatrixXd inputs;      ///< shape (d x n): one record per column
  std::vector<double> labels;  ///< shape (n), each -1 or 1

  /// n, the number of columns.
  [[nodiscard]] std::size_t records() const { return labels.size(); }
};

/// One record at one point.
struct KanExample {
  double output = 0.0;         ///< f(x)
  double loss = 0.0;           ///< log(1 + exp(-y f))
  double gradient_norm = 0.0;  ///< |grad f|
  double hessian_norm = 0.0;   ///< spectral norm of Hess f
  Eigen::VectorXd slopes;      ///< s, shape (m)
  Eigen::VectorXd curvatures;  ///< v, shape (m)
};

/// Largest |grad f| and |Hess f| over records.
struct KanExtremes {
  double gradient_norm = 0.0;  ///< over the records, at one first layer
  double hessian_norm = 0.0;   ///< spectral norm, likewise
};

/// Logistic losses of a network on a data set.
///
/// Accuracy: rounding. Cost: O(batch m d q) per gradient or loss, that is the (degree + 1)/p part of a dense product;
/// nothing is allocated once the largest batch has been seen.
class KanLosses final : public ExampleGradients {
 public:
  /// \throws DomainError  if an input is longer than 1, a label is not -1 or 1, or sizes do not fit.
  KanLosses(KanNetwork network, BinaryData data);

  /// The network, with the second layer that all records share.
  [[nodiscard]] const KanNetwork& network() const { return network_; }
  /// The data, as given.
  [[nodiscard]] const BinaryData& data() const { return data_; }
  /// D = m d p, the weights of the first layer.
  [[nodiscard]] std::size_t dimension() const override { return network_.shape().parameters(); }
  /// n of the data.
  [[nodiscard]] std::size_t records() const override { return data_.records(); }

  BatchSummary clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> w, double clip,
                           std::span<double> gradient) override;
  void losses(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) override;
  /// f(x), shape (batch).
  void outputs(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out);

  /// Everything about one record; allocates.
  [[nodiscard]] KanExample example(std::uint32_t record, std::span<const double> w) const;
  /// h(x), dense, shape (d p).
  [[nodiscard]] Eigen::VectorXd features(std::uint32_t record) const;

  /// Over all records.
  [[nodiscard]] KanExtremes extremes(std::span<const double> w) const;

  /// The Hessian of the mean loss times a vector. Cost: O(n m d p); allocates.
  void hessian_product(std::span<const double> w, std::span<const double> direction, std::span<double> out);

  /// The signed Gram matrix y_i y_j <grad f(x_i), grad f(x_j)>, shape (n x n), as a product of two small ones.
  [[nodiscard]] Eigen::MatrixXd signed_gram(std::span<const double> w) const;
  /// sum_i weight_i y_i grad f(x_i). \param weights  shape (n)
  void combine_gradients(std::span<const double> weights, std::span<const double> w, std::span<double> out);

 private:
  void gather(std::span<const std::uint32_t> batch);
  void respond(std::span<const std::uint32_t> batch, std::span<const double> w);
  [[nodiscard]] double slope_scale() const;

  KanNetwork network_;
  BinaryData data_;
  std::vector<std::uint32_t> first_;  // shape (n x d): first spline of each coordinate that is not zero
  std::vector<double> offsets_;       // shape (n x d): from the middle of the span
  std::vector<double> norms_;         // shape (n): |h(x)|
  // Room of a batch.
  kernels::Batch batch_;
  kernels::Lines hidden_;        // shape (blocks x batch x lanes): a, then (m d)^(1/2) s
  kernels::Lines partial_;       // shape (2 x batch x sums): parts of m^(1/2) f and of m d |s|^2
  std::vector<double> outputs_;  // shape (batch)
  std::vector<double> squares_;  // shape (batch): m d |s|^2
  std::vector<double> weights_;  // shape (batch)
};

/// The fraction of records whose label is the sign of the output.
[[nodiscard]] double accuracy(KanLosses& losses, std::span<const double> w);

/// log(1 + exp(-z)) and its first two derivatives, without overflow or cancellation.
[[nodiscard]] double logistic_loss(double z);
[[nodiscard]] double logistic_loss_slope(double z);      ///< its first derivative in z, in (-1, 0)
[[nodiscard]] double logistic_loss_curvature(double z);  ///< its second derivative, in (0, 1/4]

/// How to draw labelled points of the unit ball.
struct BallData {
  std::size_t inputs = 4;     ///< d >= 1
  std::size_t records = 500;  ///< n >= 1
  double margin = 0.15;       ///< points with |sum x|/sqrt(d) below it are drawn again, in [0, 0.5]
  double label_noise = 0.0;   ///< chance that a label is flipped, in [0, 0.5)
};

/// x ~ N(0, I), shortened to the unit ball where longer; y = sign(sum x).
/// \throws DomainError  outside the ranges.
[[nodiscard]] BinaryData ball_data(const BallData& law, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::models
