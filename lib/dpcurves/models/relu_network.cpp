// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/product_kernel.hpp>
#include <dpcurves/models/relu_network.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {
namespace {

using Eigen::Index;
using random::Purpose;

Index index(std::size_t i) { return static_cast<Index>(i); }

void check(const NetworkShape& shape) {
  require_domain(shape.inputs >= 1, "inputs", static_cast<double>(shape.inputs), "[1, inf)");
  require_domain(shape.width >= 1, "width", static_cast<double>(shape.width), "[1, inf)");
  require_domain(shape.depth >= 2, "depth", static_cast<double>(shape.depth), "[2, inf)");
  const double parameters = static_cast<double>(shape.width) * static_cast<double>(shape.inputs) +
                            static_cast<double>(shape.depth) * static_cast<double>(shape.width * shape.width);
  require_domain(parameters <= 1e9, "parameters", parameters, "[2, 1e9]");
}

}  // namespace

std::size_t NetworkShape::offset(std::size_t layer) const {
  if (layer == 0) {
    return 0;
  }
  const std::size_t square = width * width, first = width * inputs;
  return layer < depth ? first + (layer - 1) * square : first + (depth - 2) * square + width;
}

std::vector<double> initial_network(const NetworkShape& shape, std::uint64_t seed, std::uint32_t path) {
  check(shape);
  std::vector<double> w(shape.parameters());
  random::normals(w, seed, Purpose::initialisation, path, 0);
  const double m = static_cast<double>(shape.width);
  const auto last = w.begin() + static_cast<std::ptrdiff_t>(shape.offset(shape.depth - 1));
  std::transform(w.begin(), last, w.begin(), [scale = std::sqrt(2.0 / m)](double z) { return scale * z; });
  std::transform(last, w.end(), last, [scale = std::sqrt(1.0 / m)](double z) { return scale * z; });
  return w;
}

Eigen::Map<const Eigen::MatrixXd> layer_of(const NetworkShape& shape, std::span<const double> w, std::size_t layer) {
  return {w.data() + shape.offset(layer), index(shape.rows(layer)), index(shape.columns(layer))};
}

Eigen::Map<Eigen::MatrixXd> layer_of(const NetworkShape& shape, std::span<double> w, std::size_t layer) {
  return {w.data() + shape.offset(layer), index(shape.rows(layer)), index(shape.columns(layer))};
}

std::vector<double> layer_distances(const NetworkShape& shape, std::span<const double> w, std::span<const double> v) {
  std::vector<double> distances;
  for (std::size_t layer = 0; layer < shape.depth; ++layer) {
    distances.push_back((layer_of(shape, w, layer) - layer_of(shape, v, layer)).norm());
  }
  return distances;
}

// --- a batch --------------------------------------------------------------------------------------------------------

NetworkPass::NetworkPass(const NetworkShape& shape)
    : shape_((check(shape), shape)),
      output_scale_(std::sqrt(static_cast<double>(shape.width))),
      hidden_(shape.depth),
      derivatives_(shape.depth - 1) {}

void NetworkPass::forward(const Eigen::MatrixXd& inputs, std::span<const std::uint32_t> batch,
                          std::span<const double> w) {
  batch_ = batch.size();
  const Index room = index(std::max<std::size_t>(batch_, 1));  // an empty batch has layers too
  if (room > outputs_.size()) {
    outputs_.resize(room);
    for (std::size_t layer = 0; layer < shape_.depth; ++layer) {
      hidden_[layer].resize(index(shape_.columns(layer)), room);
    }
    for (auto& derivative : derivatives_) {
      derivative.resize(index(shape_.width), room);
    }
  }
  for (std::size_t i = 0; i < batch_; ++i) {
    hidden_[0].col(index(i)) = inputs.col(index(batch[i]));
  }
  const Index size = index(batch_);
  for (std::size_t layer = 0; layer + 1 < shape_.depth; ++layer) {
    auto next = hidden_[layer + 1].leftCols(size);
    // The kernel is for rows, and a matrix column by column is its transpose row by row: H'^T = H^T W^T.
    kernels::multiply({hidden_[layer].data(), shape_.columns(layer), 1},
                      {w.data() + shape_.offset(layer), shape_.width, 1}, batch_, shape_.columns(layer), shape_.width,
                      hidden_[layer + 1].data());
    next = next.cwiseMax(0.0);
  }
  outputs_.head(size).noalias() =
      hidden_.back().leftCols(size).transpose() * layer_of(shape_, w, shape_.depth - 1).transpose();
  outputs_.head(size) *= output_scale_;
}

void NetworkPass::backward(std::span<const double> w) {
  const std::size_t m = shape_.width, last = shape_.depth - 1;
  const double* top = w.data() + shape_.offset(last);
  for (std::size_t layer = last; layer-- > 0;) {
    if (layer + 1 < last) {  // D^T = D'^T W', where D' and W' belong to the layer above
      kernels::multiply({derivatives_[layer + 1].data(), m, 1}, {w.data() + shape_.offset(layer + 1), 1, m}, batch_, m,
                        m, derivatives_[layer].data());
    }
    for (std::size_t i = 0; i < batch_; ++i) {
      const double* h = hidden_[layer + 1].col(index(i)).data();
      double* d = derivatives_[layer].col(index(i)).data();
      for (std::size_t r = 0; r < m; ++r) {
        const double above = layer + 1 < last ? d[r] : output_scale_ * top[r];
        d[r] = h[r] > 0.0 ? above : 0.0;
      }
    }
  }
}

Eigen::VectorXd NetworkPass::squared_norms(std::size_t layer) const {
  Eigen::VectorXd squares = hidden(layer).colwise().squaredNorm().transpose();
  if (layer + 1 == shape_.depth) {
    return output_scale_ * output_scale_ * squares;
  }
  return squares.cwiseProduct(derivative(layer).colwise().squaredNorm().transpose());
}

void NetworkPass::squared_norms(Eigen::Ref<Eigen::VectorXd> out) const {
  const std::size_t last = shape_.depth - 1;
  for (Index i = 0; i < out.size(); ++i) {
    double sum = output_scale_ * output_scale_ * hidden_[last].col(i).squaredNorm();
    for (std::size_t layer = 0; layer < last; ++layer) {
      sum += derivatives_[layer].col(i).squaredNorm() * hidden_[layer].col(i).squaredNorm();
    }
    out[i] = sum;
  }
}

void NetworkPass::weighted_sum(const Eigen::Ref<const Eigen::VectorXd>& weights, std::span<double> out) {
  const Index size = index(batch_);
  for (std::size_t layer = 0; layer + 1 < shape_.depth; ++layer) {
    auto scaled = derivatives_[layer].leftCols(size);
    for (Index i = 0; i < size; ++i) {
      scaled.col(i) *= weights[i];
    }
    // G^T = H D^T.
    kernels::multiply({hidden_[layer].data(), 1, shape_.columns(layer)}, {scaled.data(), shape_.width, 1},
                      shape_.columns(layer), batch_, shape_.width, out.data() + shape_.offset(layer));
  }
  auto last = layer_of(shape_, out, shape_.depth - 1);
  last.transpose().noalias() = hidden_.back().leftCols(size) * weights.head(size);
  last *= output_scale_;
}

// --- losses ---------------------------------------------------------------------------------------------------------

NetworkLosses::NetworkLosses(const NetworkShape& shape, BinaryData data) : data_(std::move(data)), pass_(shape) {
  require_domain(data_.inputs.rows() == index(shape.inputs), "inputs of a record",
                 static_cast<double>(data_.inputs.rows()), "those of the network");
  require_domain(data_.inputs.cols() == index(data_.records()), "labels", static_cast<double>(data_.records()),
                 "one for each record");
  for (std::size_t i = 0; i < data_.records(); ++i) {
    const double norm = data_.inputs.col(index(i)).norm(), y = data_.labels[i];
    require_domain(norm <= 1.0 + 1e-12, "norm of an input", norm, "[0, 1]");
    require_domain(y == 1.0 || y == -1.0, "label", y, "{-1, 1}");
  }
}

BatchSummary NetworkLosses::clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> w, double clip,
                                        std::span<double> gradient) {
  BatchSummary summary;
  pass_.forward(data_.inputs, batch, w);
  pass_.backward(w);
  if (index(batch.size()) > weights_.size()) {
    weights_.resize(index(batch.size()));
  }
  auto weights = weights_.head(index(batch.size()));
  pass_.squared_norms(weights);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    // The loss gradient is slope times grad f.
    const double y = data_.labels[batch[i]], slope = y * logistic_loss_slope(y * pass_.outputs()[index(i)]);
    const double norm = std::abs(slope) * std::sqrt(weights[index(i)]);
    summary.largest_norm = std::max(summary.largest_norm, norm);
    const bool clipped = norm > clip;
    summary.clipped += clipped ? 1U : 0U;
    weights[index(i)] = clipped ? slope * (clip / norm) : slope;
  }
  pass_.weighted_sum(weights, gradient);
  return summary;
}

void NetworkLosses::outputs(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) {
  pass_.forward(data_.inputs, batch, w);
  std::copy_n(pass_.outputs().data(), batch.size(), out.begin());
}

void NetworkLosses::losses(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) {
  outputs(batch, w, out);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    out[i] = logistic_loss(data_.labels[batch[i]] * out[i]);
  }
}

NetworkQuality quality(NetworkLosses& losses, std::span<const double> w) {
  constexpr std::size_t block = 256;
  const auto all = all_records(losses);
  std::vector<double> out(block);
  NetworkQuality sum;
  for (std::size_t first = 0; first < all.size(); first += block) {
    const auto batch = std::span(all).subspan(first, std::min(block, all.size() - first));
    losses.outputs(batch, w, out);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const double margin = losses.data().labels[batch[i]] * out[i];
      sum.loss += logistic_loss(margin);
      sum.error += margin > 0.0 ? 0.0 : 1.0;
    }
  }
  const auto n = static_cast<double>(all.size());
  return {sum.loss / n, sum.error / n};
}

BinaryData teacher_data(const TeacherData& law, std::uint64_t seed, std::uint32_t path) {
  require_domain(law.inputs >= 1, "inputs", static_cast<double>(law.inputs), "[1, inf)");
  require_domain(law.records >= 1, "records", static_cast<double>(law.records), "[1, inf)");
  require_domain(law.teacher_units >= 1, "teacher_units", static_cast<double>(law.teacher_units), "[1, inf)");
  require_domain(law.flipped >= 0.0 && law.flipped < 0.5, "flipped", law.flipped, "[0, 0.5)");
  const Index d = index(law.inputs), n = index(law.records), units = index(law.teacher_units);
  Eigen::MatrixXd first(units, d);
  Eigen::VectorXd second(units);
  const std::span<double> one(first.data(), law.inputs * law.teacher_units);
  constexpr std::uint32_t teacher_path = 0xffffffffU;  // apart from all data, also where the seeds are equal
  random::normals(one, law.teacher_seed, Purpose::data, teacher_path, 0);
  random::normals({second.data(), law.teacher_units}, law.teacher_seed, Purpose::initialisation, teacher_path, 0);
  BinaryData data;
  data.inputs.resize(d, n);
  data.labels.resize(law.records);
  random::normals({data.inputs.data(), law.inputs * law.records}, seed, Purpose::data, path, 0);
  std::vector<double> chances(law.records);
  random::uniforms(chances, seed, Purpose::data, path, std::uint64_t{1} << 40U);
  for (Index i = 0; i < n; ++i) {
    data.inputs.col(i) /= data.inputs.col(i).norm();
    const double score = second.dot((first * data.inputs.col(i)).array().tanh().matrix());
    const double flip = chances[static_cast<std::size_t>(i)] < law.flipped ? -1.0 : 1.0;
    data.labels[static_cast<std::size_t>(i)] = score > 0.0 ? flip : -flip;
  }
  return data;
}

}  // namespace dpcurves::models
