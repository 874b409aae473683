// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/kan.hpp>
#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models {
namespace {

using kernels::lanes;

kernels::Features view(const std::vector<std::uint32_t>& first, const std::vector<double>& values,
                       const KanShape& shape) {
  return {first.data(), values.data(), shape.inputs, shape.degree + 1, shape.splines};
}

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
  values_.resize(n * shape.inputs * order);
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
      first_[cell] = static_cast<std::uint32_t>(network_.splines().place(v).span);
      const std::span<double> values(values_.data() + cell * order, order);
      network_.splines().evaluate(v, 0, values);
      for (const double value : values) {
        square += value * value;
      }
    }
    norms_[r] = std::sqrt(square);
  }
}

void KanLosses::reserve(std::size_t batch) {
  if (outputs_.size() < batch) {
    hidden_.resize(kernels::blocks(network_.shape().units) * lanes * batch);
    outputs_.resize(batch);
    squares_.resize(batch);
    weights_.resize(batch);
  }
}

/// Fills outputs_, hidden_ with the slopes (m d)^(1/2) s and squares_ with m d |s|^2.
void KanLosses::respond(std::span<const std::uint32_t> batch, std::span<const double> w) {
  const KanShape& shape = network_.shape();
  reserve(batch.size());
  kernels::multiply(view(first_, values_, shape), batch, w.data(), shape.units, hidden_.data());
  const double inward = 1.0 / std::sqrt(static_cast<double>(shape.inputs));
  const double outward = 1.0 / std::sqrt(static_cast<double>(shape.units));
  const kernels::Units units{network_.pieces().data(),
                             network_.splines().spans(),
                             shape.degree + 1,
                             shape.activation == Activation::tanh,
                             inward,
                             network_.splines().inverse_spacing()};
  std::fill_n(outputs_.begin(), batch.size(), 0.0);
  std::fill_n(squares_.begin(), batch.size(), 0.0);
  double values[lanes];
  for (std::size_t begin = 0; begin < shape.units; begin += lanes) {
    const std::size_t used = std::min(lanes, shape.units - begin);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      double* cells = hidden_.data() + (begin * batch.size() + i * lanes);
      kernels::respond(units, begin, used, cells, values);
      double output = 0.0;
      double square = 0.0;
      for (std::size_t l = 0; l < lanes; ++l) {
        output += values[l];
        square += cells[l] * cells[l];
      }
      outputs_[i] += outward * output;
      squares_[i] += square;
    }
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
  kernels::accumulate(view(first_, values_, network_.shape()), batch, weights_.data(), hidden_.data(),
                      network_.shape().units, gradient.data());
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
  const std::size_t order = shape.degree + 1;
  Eigen::VectorXd h = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(shape.inputs * shape.splines));
  for (std::size_t c = 0; c < shape.inputs; ++c) {
    const std::size_t cell = record * shape.inputs + c;
    for (std::size_t k = 0; k < order; ++k) {
      h[static_cast<Eigen::Index>(c * shape.splines + first_[cell] + k)] = values_[cell * order + k];
    }
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
  std::vector<double> along(kernels::blocks(shape.units) * lanes * batch.size());
  kernels::multiply(view(first_, values_, shape), batch, direction.data(), shape.units, along.data());
  reserve(batch.size());
  std::fill(weights_.begin(), weights_.end(), 1.0 / static_cast<double>(batch.size()));
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
  kernels::accumulate(view(first_, values_, shape), batch, weights_.data(), along.data(), shape.units, out.data());
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
  kernels::accumulate(view(first_, values_, network_.shape()), batch, weights_.data(), hidden_.data(),
                      network_.shape().units, out.data());
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
