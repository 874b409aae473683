// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/product_kernel.hpp>
#include <dpcurves/numerics/symmetric.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/detail/patch_span.hpp>

namespace dpcurves::simulate {
namespace {

using models::RowMatrix;

constexpr std::uint64_t outside_first = std::uint64_t{1} << 56U;  // noise numbers no step of a run reaches

RowMatrix product(const RowMatrix& a, const double* b, Eigen::Index columns) {
  RowMatrix c(a.rows(), columns);
  models::kernels::multiply({a.data(), static_cast<std::size_t>(a.cols()), 1},
                            {b, static_cast<std::size_t>(columns), 1}, static_cast<std::size_t>(a.rows()),
                            static_cast<std::size_t>(a.cols()), static_cast<std::size_t>(columns), c.data());
  return c;
}

}  // namespace

bool span_pays(const PatchSgd& setting, const models::PatchCnn& model) {
  return !setting.adam && 3 * (model.records() + model.classes()) <= model.data().dimension();
}

std::vector<double> train_in_span(const PatchSgd& setting, const models::PatchCnn& model, std::span<const double> start,
                                  std::uint64_t seed, std::uint32_t path) {
  require_domain(!setting.adam, "adam", 1.0, "{none} in the span: Adam depends on the basis");
  require_domain(start.size() == model.dimension(), "size of the start", static_cast<double>(start.size()),
                 "that of the model");
  const models::PatchData& data = model.data();
  const Eigen::Index signals = data.signals.rows(), width = static_cast<Eigen::Index>(model.width());
  RowMatrix patches(signals + data.noise.rows(), data.noise.cols());
  patches << data.signals, data.noise;
  const RowMatrix turned = patches.transpose();
  const auto [lower, independent] = numerics::cholesky(product(patches, turned.data(), patches.rows()));
  const double longest = patches.rowwise().norm().maxCoeff();
  if (!independent || !(lower.diagonal().minCoeff() > 1e-12 * longest)) {
    throw ConvergenceError("train_in_span: the training patches are linearly dependent, train without their span");
  }
  models::PatchData reduced;
  reduced.classes = data.classes;
  reduced.labels = data.labels;
  reduced.signals = lower.topRows(signals);
  reduced.noise = lower.bottomRows(data.noise.rows());
  if (signals > 0) {
    for (std::size_t i = 0; i < reduced.labels.size(); ++i) {  // 0 up to the rounding of the factor
      reduced.noise(static_cast<Eigen::Index>(i), reduced.labels[i]) = 0.0;
    }
  }
  models::PatchCnn small(std::move(reduced), model.filters());

  // W outside of the span: the start and, at once, the noise of all steps.
  std::vector<double> weights(start.begin(), start.end());
  const RowMatrix before = product(patches, weights.data(), width);
  RowMatrix coordinates = numerics::forward_solved(lower, before);
  const std::vector<double> small_start(coordinates.data(), coordinates.data() + coordinates.size());
  const auto trained = train_patches(setting, small, small_start, seed, path);
  if (setting.noise > 0.0) {
    std::vector<double> outside(weights.size());
    random::normals(outside, seed, random::Purpose::noise, path, outside_first);
    const double scale = setting.step_size * setting.noise * std::sqrt(static_cast<double>(setting.steps));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] += scale * outside[i];
    }
  }
  // W' + X' L^-T (trained - L^-1 X W'): the part in the span replaced.
  const RowMatrix shadow = product(patches, weights.data(), width);
  const Eigen::MatrixXd wanted = Eigen::Map<const RowMatrix>(trained.data(), coordinates.rows(), width);
  const Eigen::MatrixXd gap = wanted - numerics::forward_solved(lower, shadow);
  const RowMatrix lift = numerics::backward_solved(lower, gap);
  const RowMatrix change = product(turned, lift.data(), width);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] += change.data()[i];
  }
  return weights;
}

}  // namespace dpcurves::simulate
