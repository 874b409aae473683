// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/kan.hpp>
#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models {
namespace {

using kernels::lanes;

}  // namespace

KanLosses::KanLosses(KanNetwork network, BinaryData data) : network_(std::move(network)), data_(std::move(data)) {
  const KanShape& shape = network_.shape();
  const std::size_t n = data_.records();
  require_domain(n >= 1 && n < (std::size_t{1} << 32U), "records", static_cast<double>(n), "[1, 2^32)");
  require_domain(data_.inputs.rows() == static_cast<Eigen::Index>(shape.inputs) &&
                     data_.inputs.cols() == static_cast<Eigen::Index>(n),
                 "size of the inputs", static_cast<double>(data_.inputs.size()), "inputs x records");
  const std::size_t order = shape.degree + 1;
  first_.resize(n * shape.inputs);
  offsets_.resize(n * shape.inputs);
  std::vector<double> values(order);
  norms_.resize(n);
  constexpr double rounding = 1e-12;  // of a norm that was scaled to 1
  for (std::size_t r = 0; r < n; ++r) {
    const auto x = data_.inputs.col(static_cast<Eigen::Index>(r));
    require_domain(x.norm() <= 1.0 + rounding, "norm of input " + std::to_string(r), x.norm(), "[0, 1]");
    require_domain(data_.labels[r] == 1.0 || data_.labels[r] == -1.0, "label " + std::to_string(r), data_.labels[r],
                   "-1, 1");
    double square = 0.0;
    for (std::size_t c = 0; c < shape.inputs; ++c) {
      const std::size_t cell = r * shape.inputs + c;
      const double v = x[static_cast<Eigen::Index>(c)];
      const auto place = network_.splines().place(v);
      first_[cell] = static_cast<std::uint32_t>(place.span);
      offsets_[cell] = place.offset;
      network_.splines().evaluate(v, 0, values);
      for (const double value : values) {
        square += value * value;
      }
    }
    norms_[r] = std::sqrt(square);
  }
}

/// Fills batch_ and makes room for its results.
void KanLosses::gather(std::span<const std::uint32_t> batch) {
  batch_.gather({first_.data(), offsets_.data(), network_.splines().coefficients(), network_.shape().inputs,
                 network_.shape().degree + 1, network_.shape().splines},
                batch);
  if (outputs_.size() < batch.size()) {
    hidden_.resize(kernels::blocks(network_.shape().units) * lanes * batch.size());
    partial_.resize(2 * kernels::sums * batch.size());
    outputs_.resize(batch.size());
    squares_.resize(batch.size());
    weights_.resize(batch.size());
  }
}

/// Fills outputs_, hidden_ with the slopes (m d)^(1/2) s and squares_ with m d |s|^2.
void KanLosses::respond(std::span<const std::uint32_t> batch, std::span<const double> w) {
  gather(batch);
  double* outputs = partial_.data();
  double* squares = outputs + batch.size() * kernels::sums;
  kernels::forward(batch_, w.data(), network_.kernel(), hidden_.data(), outputs, squares);
  const double outward = 1.0 / std::sqrt(static_cast<double>(network_.shape().units));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    outputs_[i] = outward * std::accumulate(outputs + i * kernels::sums, outputs + (i + 1) * kernels::sums, 0.0);
    squares_[i] = std::accumulate(squares + i * kernels::sums, squares + (i + 1) * kernels::sums, 0.0);
  }
}

double KanLosses::slope_scale() const {
  return 1.0 / std::sqrt(static_cast<double>(network_.shape().units * network_.shape().inputs));
}

BatchSummary KanLosses::clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> w, double clip,
                                    std::span<double> gradient) {
  require_domain(clip > 0.0, "clip", clip, "(0, inf]");
  respond(batch, w);
  BatchSummary summary;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const double y = data_.labels[batch[i]];
    weights_[i] = logistic_loss_slope(y * outputs_[i]) * y;
    weights_[i] *= slope_scale();
    const double norm = std::abs(weights_[i]) * std::sqrt(squares_[i]) * norms_[batch[i]];
    summary.largest_norm = std::max(summary.largest_norm, norm);
    if (norm > clip) {
      weights_[i] *= clip / norm;
      ++summary.clipped;
    }
  }
  kernels::accumulate(batch_, weights_.data(), hidden_.data(), network_.shape().units, gradient.data());
  return summary;
}

void KanLosses::outputs(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) {
  respond(batch, w);
  std::copy_n(outputs_.begin(), batch.size(), out.begin());
}

void KanLosses::losses(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) {
  respond(batch, w);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    out[i] = logistic_loss(data_.labels[batch[i]] * outputs_[i]);
  }
}

Eigen::VectorXd KanLosses::features(std::uint32_t record) const {
  const KanShape& shape = network_.shape();
  Eigen::VectorXd h = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(shape.inputs * shape.splines));
  for (std::size_t c = 0; c < shape.inputs; ++c) {
    const double v = data_.inputs(static_cast<Eigen::Index>(c), record);
    double* first = h.data() + c * shape.splines + first_[record * shape.inputs + c];
    network_.splines().evaluate(v, 0, {first, shape.degree + 1});
  }
  return h;
}

KanExample KanLosses::example(std::uint32_t record, std::span<const double> w) const {
  const KanShape& shape = network_.shape();
  require_domain(record < data_.records(), "record", record, "[0, records)");
  require_domain(w.size() == dimension(), "number of parameters", static_cast<double>(w.size()), "m d p");
  const Eigen::VectorXd h = features(record);
  const auto m = static_cast<Eigen::Index>(shape.units);
  const Eigen::VectorXd a =
      Eigen::Map<const Eigen::MatrixXd>(w.data(), m, h.size()) * h / std::sqrt(static_cast<double>(shape.inputs));
  KanExample result;
  result.slopes.resize(m);
  result.curvatures.resize(m);
  const double root_m = std::sqrt(static_cast<double>(shape.units));
  const auto d = static_cast<double>(shape.inputs);
  for (Eigen::Index j = 0; j < m; ++j) {
    const auto unit = network_.unit(static_cast<std::size_t>(j), a[j]);
    result.output += unit.output;
    result.slopes[j] = unit.slope / (root_m * std::sqrt(d));
    result.curvatures[j] = unit.curvature / (root_m * d);
  }
  result.output /= root_m;
  result.loss = logistic_loss(data_.labels[record] * result.output);
  result.gradient_norm = result.slopes.norm() * norms_[record];
  result.hessian_norm = result.curvatures.cwiseAbs().maxCoeff() * norms_[record] * norms_[record];
  return result;
}

KanExtremes KanLosses::extremes(std::span<const double> w) const {
  KanExtremes result;
  for (std::uint32_t r = 0; r < data_.records(); ++r) {
    const KanExample one = example(r, w);
    result.gradient_norm = std::max(result.gradient_norm, one.gradient_norm);
    result.hessian_norm = std::max(result.hessian_norm, one.hessian_norm);
  }
  return result;
}

void KanLosses::hessian_product(std::span<const double> w, std::span<const double> direction, std::span<double> out) {
  const KanShape& shape = network_.shape();
  const auto batch = all_records(*this);
  gather(batch);
  kernels::Lines& along = hidden_;
  kernels::multiply(batch_, direction.data(), shape.units, along.data());
  std::fill_n(weights_.begin(), batch.size(), 1.0 / static_cast<double>(batch.size()));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const KanExample one = example(batch[i], w);
    const double y = data_.labels[batch[i]];
    const double curvature = logistic_loss_curvature(y * one.output);
    const double slope = y * logistic_loss_slope(y * one.output);
    double product = 0.0;  // <grad f, direction>
    for (std::size_t j = 0; j < shape.units; ++j) {
      product += one.slopes[static_cast<Eigen::Index>(j)] * along[(j / lanes * batch.size() + i) * lanes + j % lanes];
    }
    for (std::size_t j = 0; j < shape.units; ++j) {
      double& cell = along[(j / lanes * batch.size() + i) * lanes + j % lanes];
      const auto unit = static_cast<Eigen::Index>(j);
      cell = curvature * product * one.slopes[unit] + slope * one.curvatures[unit] * cell;
    }
  }
  kernels::accumulate(batch_, weights_.data(), along.data(), shape.units, out.data());
}

Eigen::MatrixXd KanLosses::signed_gram(std::span<const double> w) const {
  const auto n = static_cast<Eigen::Index>(data_.records());
  Eigen::MatrixXd slopes(static_cast<Eigen::Index>(network_.shape().units), n);
  Eigen::MatrixXd h(static_cast<Eigen::Index>(network_.shape().inputs * network_.shape().splines), n);
  for (Eigen::Index i = 0; i < n; ++i) {
    slopes.col(i) = data_.labels[static_cast<std::size_t>(i)] * example(static_cast<std::uint32_t>(i), w).slopes;
    h.col(i) = features(static_cast<std::uint32_t>(i));
  }
  const Eigen::MatrixXd inner = slopes.transpose() * slopes;
  const Eigen::MatrixXd outer = h.transpose() * h;
  return inner.cwiseProduct(outer);
}

void KanLosses::combine_gradients(std::span<const double> weights, std::span<const double> w, std::span<double> out) {
  require_domain(weights.size() == data_.records(), "number of weights", static_cast<double>(weights.size()),
                 "one per record");
  const auto batch = all_records(*this);
  respond(batch, w);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    weights_[i] = slope_scale() * weights[i] * data_.labels[i];
  }
  kernels::accumulate(batch_, weights_.data(), hidden_.data(), network_.shape().units, out.data());
}

double accuracy(KanLosses& losses, std::span<const double> w) {
  std::vector<double> outputs(losses.records());
  losses.outputs(all_records(losses), w, outputs);
  std::size_t right = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    right += outputs[i] * losses.data().labels[i] > 0.0 ? 1U : 0U;
  }
  return static_cast<double>(right) / static_cast<double>(outputs.size());
}

}  // namespace dpcurves::models
