// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/tangent_model.hpp>
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::models {
namespace {

using Eigen::Index;

}  // namespace

TangentModel::TangentModel(const NetworkShape& shape, const BinaryData& data, std::span<const double> start)
    : shape_(shape), labels_(data.labels), start_(start.begin(), start.end()) {
  constexpr std::size_t most_records = 5000;
  require_domain(data.records() >= 1 && data.records() <= most_records, "records", static_cast<double>(data.records()),
                 "[1, 5000]");
  const NetworkLosses checked(shape, data);
  require_domain(start.size() == shape.parameters(), "dimension of the start", static_cast<double>(start.size()),
                 "that of the network");
  NetworkPass pass(shape);
  std::vector<std::uint32_t> all(data.records());
  std::iota(all.begin(), all.end(), 0U);
  pass.forward(data.inputs, all, start);
  pass.backward(start);
  initial_ = pass.outputs();
  const auto n = static_cast<Index>(all.size());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t layer = 0; layer < shape.depth; ++layer) {
    hidden_.emplace_back(pass.hidden(layer));
    derivatives_.emplace_back(layer + 1 == shape.depth ? Eigen::MatrixXd::Constant(1, n, pass.output_scale())
                                                       : Eigen::MatrixXd(pass.derivative(layer)));
    grams_.emplace_back((hidden_.back().transpose() * hidden_.back())
                            .cwiseProduct(derivatives_.back().transpose() * derivatives_.back()));
    sum += grams_.back();
  }
  largest_ = (1.0 + 1e-9) * numerics::symmetric_eigenvalues(sum).maxCoeff();
}

Eigen::VectorXd TangentModel::outputs(std::span<const double> w, bool printed_form) const {
  require_domain(w.size() == start_.size(), "dimension of the weights", static_cast<double>(w.size()),
                 "that of the network");
  Eigen::VectorXd f = initial_;
  for (std::size_t layer = 0; layer < shape_.depth; ++layer) {
    Eigen::MatrixXd moved = layer_of(shape_, w, layer);
    if (!printed_form) {
      moved -= layer_of(shape_, std::span<const double>(start_), layer);
    }
    f += (moved * hidden_[layer]).cwiseProduct(derivatives_[layer]).colwise().sum().transpose();
  }
  return f;
}

TangentFit TangentModel::fit(double radius, double tolerance) const {
  require_domain(radius > 0.0 && std::isfinite(radius), "radius", radius, "(0, inf)");
  require_domain(tolerance > 0.0, "tolerance", tolerance, "(0, inf)");
  // W_l - W_{l,0} = sum_i a(i, l) grad_{W_l} f(x_i): every gradient of the loss has this form, and projections scale a
  // column. With p = K_l a(., l): outputs f_0 + sum_l p, |W_l - W_{l,0}|^2 = <a, p>.
  const auto n = initial_.size(), depth = static_cast<Index>(shape_.depth);
  const double share = 1.0 / static_cast<double>(n), step = 4.0 / (share * largest_);  // the loss is 1/4-smooth in f
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, depth), ahead = a, before = a, products = a, pulled(n, depth);
  Eigen::VectorXd slopes(n), outputs(n);
  const auto loss_at = [&](const Eigen::MatrixXd& p) {
    outputs = initial_ + p.rowwise().sum();
    double loss = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double y = labels_[static_cast<std::size_t>(i)];
      loss += logistic_loss(y * outputs[i]);
      slopes[i] = share * y * logistic_loss_slope(y * outputs[i]);
    }
    return share * loss;
  };
  const auto multiply = [&](const Eigen::MatrixXd& x, Eigen::MatrixXd& p) {
    for (Index l = 0; l < depth; ++l) {
      p.col(l).noalias() = grams_[static_cast<std::size_t>(l)].selfadjointView<Eigen::Lower>() * x.col(l);
    }
  };
  Eigen::MatrixXd products_before = products, products_ahead = products;
  double momentum = 1.0;
  constexpr std::size_t most = 200'000, every = 10;
  constexpr double rounding = 1e-11;  // of a mean of losses of order 1, with room
  TangentFit best;
  best.mean_loss = {0.0, std::numeric_limits<double>::infinity()};
  for (std::size_t iteration = 0; iteration <= most; ++iteration) {
    if (iteration % every == 0) {
      // F(W) - F(V) <= <grad F(W), W - V> for every V of the balls.
      const double loss = loss_at(products);
      double gap = 0.0;
      for (Index l = 0; l < depth; ++l) {
        pulled.col(l).noalias() = grams_[static_cast<std::size_t>(l)].selfadjointView<Eigen::Lower>() * slopes;
        gap += slopes.dot(products.col(l)) + radius * std::sqrt(std::max(0.0, slopes.dot(pulled.col(l))));
      }
      best.mean_loss.lower = std::max(best.mean_loss.lower, loss - gap - rounding);
      if (loss + rounding < best.mean_loss.upper) {
        best.mean_loss.upper = loss + rounding;
        best.error =
            share *
            static_cast<double>(
                (Eigen::Map<const Eigen::VectorXd>(labels_.data(), n).array() * outputs.array() <= 0.0).count());
        best.distances.clear();
        for (Index l = 0; l < depth; ++l) {
          best.distances.push_back(std::sqrt(std::max(0.0, a.col(l).dot(products.col(l)))));
        }
      }
      best.iterations = iteration;
      if (best.mean_loss.upper - best.mean_loss.lower <= tolerance) {
        return best;
      }
    }
    loss_at(products_ahead);
    before = a;
    products_before = products;
    a = ahead;
    a.colwise() -= step * slopes;
    multiply(a, products);
    for (Index l = 0; l < depth; ++l) {
      const double length = std::sqrt(std::max(0.0, a.col(l).dot(products.col(l))));
      if (length > radius) {
        a.col(l) *= radius / length;
        products.col(l) *= radius / length;
      }
    }
    // A restart where the momentum points uphill (O'Donoghue and Candes).
    const double uphill = (ahead - a).cwiseProduct(products - products_before).sum();
    const double next = uphill > 0.0 ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    const double push = uphill > 0.0 ? 0.0 : (momentum - 1.0) / next;
    momentum = next;
    ahead = a + push * (a - before);
    products_ahead = products + push * (products - products_before);
  }
  throw ConvergenceError("tangent fit: a duality gap of " +
                         std::to_string(best.mean_loss.upper - best.mean_loss.lower) +
                         " is left after 200000 iterations");
}

}  // namespace dpcurves::models
