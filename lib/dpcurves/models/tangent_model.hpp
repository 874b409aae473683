// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The neural tangent random features of a network at its start, and how well they fit a data set.
///
/// f_ntk(W, x) = f(W_0, x) + sum_l <grad_{W_l} f(W_0, x), W_l - W_{l,0}>: the first-order expansion at W_0. The paper
/// prints W in place of W - W_0, which at W = W_0 gives (1 + L) f, because <grad_{W_l} f, W_l> = f for every layer.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Definition 8 and the
/// approximation term of Theorem 13 (Figure 1).
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/models/relu_network.hpp>

namespace dpcurves::models {

/// The least mean loss of the class within |W_l - W_{l,0}|_F <= radius for every layer.
struct TangentFit {
  Enclosure mean_loss;            ///< the loss of the point found, and a lower bound of every point's (duality gap)
  std::vector<double> distances;  ///< |W_l - W_{l,0}|_F of the point found
  double error = 0.0;             ///< share of labels that are not the sign of f_ntk
  std::size_t iterations = 0;     ///< of the descent, until the gap closed
};

/// Linear in W and exact for any width: the records' gradients enter by their inner products only.
class TangentModel {
 public:
  /// \param start  W_0, shape (parameters). Cost: a forward and a backward pass, and n^2 (m L + d) products.
  /// \throws DomainError  as NetworkLosses; more than 5000 records.
  TangentModel(const NetworkShape& shape, const BinaryData& data, std::span<const double> start);

  /// n of the data.
  [[nodiscard]] std::size_t records() const { return labels_.size(); }
  /// f(W_0, x), shape (n).
  [[nodiscard]] const Eigen::VectorXd& initial_outputs() const { return initial_; }
  /// <grad_{W_{layer + 1}} f(x_i), grad_{W_{layer + 1}} f(x_j)> at W_0, shape (n x n).
  [[nodiscard]] const Eigen::MatrixXd& gram(std::size_t layer) const { return grams_[layer]; }
  /// f_ntk(W, x_i), shape (n). \param printed_form  W in place of W - W_0.
  [[nodiscard]] Eigen::VectorXd outputs(std::span<const double> w, bool printed_form = false) const;

  /// Accelerated projected gradient descent with restarts, from W_0, until the duality gap of Frank and Wolfe is below
  /// `tolerance`; the paper runs projected SGD, which ends at the same minimum.
  /// \param radius  > 0. \param tolerance  > 0.
  /// \throws DomainError       outside. \throws ConvergenceError  past 200,000 iterations.
  /// Cost: L n^2 per iteration, whatever the width.
  [[nodiscard]] TangentFit fit(double radius, double tolerance = 1e-4) const;

 private:
  NetworkShape shape_;
  std::vector<double> labels_, start_;
  Eigen::VectorXd initial_;
  std::vector<Eigen::MatrixXd> grams_, hidden_, derivatives_;
  double largest_ = 0.0;  // an upper bound of the largest eigenvalue of the sum of the Gram matrices
};

}  // namespace dpcurves::models
