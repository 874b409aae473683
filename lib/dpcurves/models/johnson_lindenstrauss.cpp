// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/johnson_lindenstrauss.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {
namespace {

constexpr std::size_t largest = std::size_t{1} << 28;

double norm(std::span<const double> x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

}  // namespace

InnerProductMoments inner_product_moments(double norm_u, double norm_v, double cosine, double target) {
  require_domain(norm_u >= 0.0 && std::isfinite(norm_u), "norm_u", norm_u, "[0, inf)");
  require_domain(norm_v >= 0.0 && std::isfinite(norm_v), "norm_v", norm_v, "[0, inf)");
  require_domain(cosine >= -1.0 && cosine <= 1.0, "cos", cosine, "[-1, 1]");
  require_domain(target >= 1.0, "m", target, "[1, inf)");
  const double product = norm_u * norm_v;
  return {product * cosine, product * (product / target) * (1.0 + cosine * cosine)};
}

JohnsonLindenstrauss JohnsonLindenstrauss::gaussian(std::size_t target, std::size_t dimension, std::uint64_t seed,
                                                    std::uint32_t path, bool renormalise, double scale) {
  require_domain(dimension >= 1 && dimension <= largest, "dimension", static_cast<double>(dimension), "[1, 2^28]");
  require_domain(target >= 1 && target <= largest / dimension, "target", static_cast<double>(target),
                 "[1, 2^28/dimension]");
  require_domain(scale >= 0.0 && std::isfinite(scale), "scale", scale, "[0, inf)");
  JohnsonLindenstrauss result;
  result.target_ = target;
  result.dimension_ = dimension;
  result.renormalise_ = renormalise;
  result.matrix_.resize(target * dimension);
  random::normals(result.matrix_, seed, random::Purpose::initialisation, path, 0);
  const double factor = scale > 0.0 ? scale : 1.0 / std::sqrt(static_cast<double>(target));
  for (double& entry : result.matrix_) {
    entry *= factor;
  }
  return result;
}

JohnsonLindenstrauss JohnsonLindenstrauss::hadamard(std::size_t target, std::size_t dimension, std::uint64_t seed,
                                                    std::uint32_t path) {
  require_domain(dimension >= 1 && dimension <= largest, "dimension", static_cast<double>(dimension), "[1, 2^28]");
  const std::size_t padded = std::bit_ceil(dimension);
  require_domain(target >= 1 && target <= padded, "target", static_cast<double>(target), "[1, padded dimension]");
  JohnsonLindenstrauss result;
  result.target_ = target;
  result.dimension_ = dimension;
  result.renormalise_ = true;
  result.fast_ = true;
  result.work_.resize(padded);
  result.signs_.resize(dimension);
  random::uniforms(result.signs_, seed, random::Purpose::initialisation, path, 0);
  for (double& sign : result.signs_) {
    sign = sign < 0.5 ? -1.0 : 1.0;
  }
  result.rows_.resize(target);
  random::Words words(seed, random::Purpose::initialisation, path, std::uint64_t{1} << 32);
  random::subset(result.rows_, static_cast<std::uint32_t>(padded), words);
  return result;
}

void JohnsonLindenstrauss::transform() {
  for (std::size_t half = 1; half < work_.size(); half *= 2) {
    for (std::size_t block = 0; block < work_.size(); block += 2 * half) {
      for (std::size_t i = block; i < block + half; ++i) {
        const double a = work_[i], b = work_[i + half];
        work_[i] = a + b;
        work_[i + half] = a - b;
      }
    }
  }
}

bool JohnsonLindenstrauss::apply(std::span<const double> x, std::span<double> out) {
  require_domain(x.size() == dimension_, "size of x", static_cast<double>(x.size()), "the dimension of the map");
  require_domain(out.size() == target_, "size of out", static_cast<double>(out.size()), "the target of the map");
  if (fast_) {
    std::fill(work_.begin(), work_.end(), 0.0);
    for (std::size_t i = 0; i < dimension_; ++i) {
      work_[i] = signs_[i] * x[i];
    }
    transform();
    const double scale = 1.0 / std::sqrt(static_cast<double>(target_));
    for (std::size_t i = 0; i < target_; ++i) {
      out[i] = scale * work_[rows_[i]];
    }
  } else {
    for (std::size_t i = 0; i < target_; ++i) {
      out[i] =
          std::inner_product(x.begin(), x.end(), matrix_.begin() + static_cast<std::ptrdiff_t>(i * dimension_), 0.0);
    }
  }
  if (!renormalise_) {
    return false;
  }
  const double allowed = 2.0 * norm(x), length = norm(out);
  if (!(length > allowed)) {
    return false;
  }
  for (double& entry : out) {
    entry *= allowed / length;
  }
  return true;
}

void JohnsonLindenstrauss::transpose(std::span<const double> w, std::span<double> out) {
  require_domain(w.size() == target_, "size of w", static_cast<double>(w.size()), "the target of the map");
  require_domain(out.size() == dimension_, "size of out", static_cast<double>(out.size()), "the dimension of the map");
  if (fast_) {
    std::fill(work_.begin(), work_.end(), 0.0);
    const double scale = 1.0 / std::sqrt(static_cast<double>(target_));
    for (std::size_t i = 0; i < target_; ++i) {
      work_[rows_[i]] = scale * w[i];
    }
    transform();
    for (std::size_t i = 0; i < dimension_; ++i) {
      out[i] = signs_[i] * work_[i];
    }
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < target_; ++i) {
    for (std::size_t j = 0; j < dimension_; ++j) {
      out[j] += matrix_[i * dimension_ + j] * w[i];
    }
  }
}

}  // namespace dpcurves::models
