// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/patch_data.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {
namespace {

using random::Purpose;

/// Draws of one part begin here: 2^40 numbers each.
std::uint64_t first_draw(DataPart part) { return static_cast<std::uint64_t>(part) << 40U; }
constexpr auto tail_part = static_cast<DataPart>(3);

Eigen::Index index(double count) { return static_cast<Eigen::Index>(count); }

void check(const PatchLaw& law) {
  (void)norms(law.noise);
  require_domain(law.noise.dimension <= 1e9, "dimension", law.noise.dimension, "[2 classes, 1e9] for data");
  require_domain(law.signal_norm >= 0.0 && std::isfinite(law.signal_norm), "signal_norm", law.signal_norm, "[0, inf)");
}

/// Independent coordinates of mean 0 and variance 1.
void draw_zeta(NoiseLaw law, std::span<double> out, std::uint64_t seed, std::uint32_t path, std::uint64_t first) {
  if (law == NoiseLaw::gaussian) {
    random::normals(out, seed, Purpose::data, path, first);
    return;
  }
  random::uniforms(out, seed, Purpose::data, path, first);
  const double half_width = std::sqrt(3.0);
  for (double& value : out) {
    value = half_width * (2.0 * value - 1.0);
  }
}

}  // namespace

Eigen::VectorXd noise_matrix_diagonal(const PatchLaw& law, std::size_t label) {
  check(law);
  require_domain(static_cast<double>(label) < law.noise.classes, "label", static_cast<double>(label), "[0, classes)");
  const Eigen::Index classes = index(law.noise.classes);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Constant(index(law.noise.dimension), law.noise.bulk);
  diagonal.head(classes).setZero();
  diagonal(classes + static_cast<Eigen::Index>(label)) = law.noise.spike;
  return diagonal;
}

RowMatrix signal_patches(const PatchLaw& law) {
  check(law);
  if (law.signal_norm == 0.0) {
    return RowMatrix(0, index(law.noise.dimension));
  }
  RowMatrix signals = RowMatrix::Zero(index(law.noise.classes), index(law.noise.dimension));
  signals.diagonal().setConstant(law.signal_norm);
  return signals;
}

PatchData draw_patches(const PatchLaw& law, std::size_t examples, std::uint64_t seed, std::uint32_t path,
                       DataPart part) {
  check(law);
  const auto classes = static_cast<std::size_t>(law.noise.classes);
  require_domain(examples >= classes && examples % classes == 0, "examples", static_cast<double>(examples),
                 "the multiples of the number of classes");
  PatchData data{.classes = classes, .signals = signal_patches(law)};
  data.noise.setZero(static_cast<Eigen::Index>(examples), index(law.noise.dimension));
  const auto size = static_cast<std::size_t>(data.noise.cols()) - classes;  // the rank of A
  std::vector<double> zeta(size);
  const std::uint64_t stride = (size + 1) / 2 * 2;
  for (std::size_t i = 0; i < examples; ++i) {
    const std::size_t label = i % classes;
    draw_zeta(law.law, zeta, seed, path, first_draw(part) + i * stride);
    double* row = data.noise.data() + i * (size + classes) + classes;
    for (std::size_t j = 0; j < size; ++j) {
      row[j] = law.noise.bulk * zeta[j];
    }
    row[label] = law.noise.spike * zeta[label];
    data.labels.push_back(static_cast<std::uint32_t>(label));
  }
  return data;
}

Eigen::MatrixXd random_rotation(std::size_t dimension, std::uint64_t seed, std::uint32_t path) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  const auto size = static_cast<Eigen::Index>(dimension);
  Eigen::MatrixXd gaussian(size, size);
  random::normals({gaussian.data(), dimension * dimension}, seed, Purpose::data, path, std::uint64_t{1} << 48U);
  // By Gram and Schmidt, twice: the diagonal of R is positive, so that the law is uniform.
  Eigen::MatrixXd& q = gaussian;
  for (Eigen::Index j = 0; j < size; ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index i = 0; i < j; ++i) {
        q.col(j) -= q.col(i).dot(q.col(j)) * q.col(i);
      }
      q.col(j).normalize();
    }
  }
  return q;
}

PatchData rotated(const PatchData& data, const Eigen::MatrixXd& rotation) {
  require_domain(rotation.rows() == data.noise.cols() && rotation.cols() == data.noise.cols(), "size of the rotation",
                 static_cast<double>(rotation.rows()), "that of the patches");
  PatchData result = data;
  result.noise = data.noise * rotation.transpose();
  result.signals = data.signals * rotation.transpose();
  return result;
}

std::vector<double> tail_levels(const PatchData& data, const PatchLaw& law, const Eigen::Ref<const RowMatrix>& weights,
                                TailFilter reading) {
  const auto classes = static_cast<Eigen::Index>(data.classes);
  require_domain(weights.rows() == data.noise.cols(), "rows of the weights", static_cast<double>(weights.rows()),
                 "the dimension of the patches");
  require_domain(weights.cols() >= classes && weights.cols() % classes == 0, "columns of the weights",
                 static_cast<double>(weights.cols()), "the multiples of the number of classes");
  const Eigen::Index filters = weights.cols() / classes;
  std::vector<double> levels(data.examples());
  for (Eigen::Index label = 0; label < classes; ++label) {
    const RowMatrix own = weights.middleCols(label * filters, filters);
    const RowMatrix shaped = noise_matrix_diagonal(law, static_cast<std::size_t>(label)).asDiagonal() * own;
    const Eigen::MatrixXd gram = shaped.transpose() * shaped;  // |A' sum of filters|^2 without forming the sum
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (data.labels[i] != static_cast<std::uint32_t>(label)) {
        continue;
      }
      const Eigen::VectorXd products = own.transpose() * data.noise.row(static_cast<Eigen::Index>(i)).transpose();
      Eigen::VectorXd chosen = Eigen::VectorXd::Zero(filters);
      switch (reading) {
        case TailFilter::single:
          chosen(0) = 1.0;
          break;
        case TailFilter::sum_all:
          chosen.setOnes();
          break;
        case TailFilter::sum_active:
          chosen = (products.array() > 0.0).cast<double>();
          break;
      }
      const double norm = std::sqrt(std::max(0.0, chosen.dot(gram * chosen)));
      levels[i] = norm > 0.0 ? products.dot(chosen) / norm : -std::numeric_limits<double>::infinity();
    }
  }
  return levels;
}

double truncated_normal(double level, double uniform) {
  require_domain(std::isfinite(level), "level", level, "(-inf, inf)");
  require_domain(uniform > 0.0 && uniform < 1.0, "uniform", uniform, "(0, 1)");
  const double drawn =
      level < -5.0
          ? numerics::normal_upper_quantile(uniform * numerics::normal_upper_tail(level))
          : numerics::normal_upper_quantile_from_log(std::log(uniform) + numerics::log_normal_upper_tail(level));
  return std::max(level, drawn);
}

RowMatrix long_tailed_noise(const PatchLaw& law, std::size_t label, const Eigen::VectorXd& filter, double level,
                            std::size_t count, std::uint64_t seed, std::uint32_t path) {
  require_domain(law.law == NoiseLaw::gaussian, "law", static_cast<double>(law.law), "{gaussian}: use rejection");
  require_domain(level >= 0.0 && std::isfinite(level), "level", level, "[0, inf)");
  const Eigen::VectorXd diagonal = noise_matrix_diagonal(law, label);
  require_domain(filter.size() == diagonal.size(), "size of the filter", static_cast<double>(filter.size()),
                 "the dimension");
  Eigen::VectorXd direction = diagonal.cwiseProduct(filter);
  const double norm = direction.norm();
  require_domain(norm > 0.0 && std::isfinite(norm), "norm of A' w", norm, "(0, inf)");
  direction /= norm;
  const auto size = static_cast<std::size_t>(diagonal.size());
  const std::uint64_t stride = (size + 1) / 2 * 2;
  RowMatrix patches(static_cast<Eigen::Index>(count), diagonal.size());
  std::vector<double> uniforms(count);
  random::uniforms(uniforms, seed, Purpose::sampling, path, first_draw(tail_part));
  Eigen::VectorXd zeta(diagonal.size());
  for (std::size_t i = 0; i < count; ++i) {
    random::normals({zeta.data(), size}, seed, Purpose::data, path, first_draw(tail_part) + i * stride);
    zeta += (truncated_normal(level, uniforms[i]) - direction.dot(zeta)) * direction;
    patches.row(static_cast<Eigen::Index>(i)) = diagonal.cwiseProduct(zeta).transpose();
  }
  return patches;
}

}  // namespace dpcurves::models
