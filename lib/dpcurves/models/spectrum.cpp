// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/spectrum.hpp>

namespace dpcurves::models {
namespace {

Eigen::ArrayXd as_array(std::span<const double> values) {
  return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Continuous part of the Marchenko-Pastur law with scale 1, at x(angle) = 1 + ratio + 2 sqrt(ratio) cos(angle) for
/// angle in [0, pi]: the mass above x(angle), of total mass min(1, 1/ratio), divided by that total.
///
/// With r = sqrt(ratio) the density in the angle is (2/pi) sin^2/(1 + r^2 + 2 r cos); for r < 1 its integral is
/// elementary; r > 1 is the same with 1/r in place of r.
double upper_mass(double angle, double r) {
  r = r > 1.0 ? 1.0 / r : r;
  constexpr double small = 0.5;
  if (r < small) {
    // The closed form cancels like r^-2; 1/(1 + r^2 + 2 r cos) = (1 + 2 sum_k (-r)^k cos(k .))/(1 - r^2) does not.
    double sum = 0.5 * (angle - 0.5 * std::sin(2.0 * angle));
    double power = 1.0;
    for (int k = 1; k <= 60; ++k) {
      power *= -r;
      const double below = k == 2 ? angle : std::sin((k - 2) * angle) / (k - 2);
      sum += power * (std::sin(k * angle) / k - 0.5 * (std::sin((k + 2) * angle) / (k + 2) + below));
    }
    return 2.0 / std::numbers::pi * sum / (1.0 - r * r);
  }
  // sin^2/(1 + r^2 + 2 r cos) = (1 + r^2)/(4 r^2) - cos/(2 r) - (1 - r^2)^2/(4 r^2)/(1 + r^2 + 2 r cos).
  const double folded = 2.0 * std::atan2((1.0 - r) * std::sin(0.5 * angle), (1.0 + r) * std::cos(0.5 * angle));
  return 2.0 / std::numbers::pi *
         ((1.0 + r * r) / (4.0 * r * r) * angle - std::sin(angle) / (2.0 * r) - (1.0 - r * r) / (4.0 * r * r) * folded);
}

}  // namespace

Spectrum::Spectrum(Eigen::ArrayXd eigenvalues, Eigen::ArrayXd multiplicity)
    : eigenvalues_(std::move(eigenvalues)), multiplicity_(std::move(multiplicity)) {
  require_domain(eigenvalues_.size() > 0, "number of eigenvalues", 0.0, "[1, inf)");
  require_domain(multiplicity_.size() == eigenvalues_.size(), "number of multiplicities",
                 static_cast<double>(multiplicity_.size()), "{number of eigenvalues}");
  for (Eigen::Index b = 0; b < eigenvalues_.size(); ++b) {
    const double value = eigenvalues_[b];
    const double count = multiplicity_[b];
    require_domain(value >= 0.0 && std::isfinite(value), "eigenvalue", value, "[0, inf)");
    require_domain(count >= 1.0 && count <= 1e15 && count == std::floor(count), "multiplicity", count,
                   "whole numbers in [1, 1e15]");
  }
  size_ = static_cast<Eigen::Index>(multiplicity_.sum());
}

Spectrum Spectrum::list(std::span<const double> eigenvalues) {
  return {as_array(eigenvalues), Eigen::ArrayXd::Ones(static_cast<Eigen::Index>(eigenvalues.size()))};
}

Spectrum Spectrum::blocks(std::span<const double> eigenvalues, std::span<const double> multiplicity) {
  return {as_array(eigenvalues), as_array(multiplicity)};
}

Spectrum Spectrum::power_law(std::size_t dimension, double scale, double exponent) {
  std::vector<double> values(dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    values[i] = scale * std::pow(static_cast<double>(i + 1), -exponent);
  }
  return list(values);
}

Spectrum Spectrum::marchenko_pastur(std::size_t dimension, double ratio, double scale) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  require_domain(ratio > 0.0 && std::isfinite(ratio), "ratio", ratio, "(0, inf)");
  require_domain(scale > 0.0 && std::isfinite(scale), "scale", scale, "(0, inf)");
  const double r = std::sqrt(ratio);
  const double total = std::min(1.0, 1.0 / ratio);
  const auto d = static_cast<double>(dimension);
  std::vector<double> values;
  std::vector<double> multiplicity;
  double zeros = 0.0;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double above = (static_cast<double>(i) + 0.5) / d;  // largest eigenvalue first
    if (above >= total) {
      zeros += 1.0;
      continue;
    }
    double low = 0.0;
    double high = std::numbers::pi;
    while (high - low > 1e-15) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) {
        break;
      }
      (upper_mass(middle, r) < above / total ? low : high) = middle;
    }
    const double half = std::cos(0.5 * low);
    values.push_back(scale * ((1.0 - r) * (1.0 - r) + 4.0 * r * half * half));
    multiplicity.push_back(1.0);
  }
  if (zeros > 0.0) {
    values.push_back(0.0);
    multiplicity.push_back(zeros);
  }
  return blocks(values, multiplicity);
}

Spectrum Spectrum::two_block(std::size_t dimension, double spike, std::size_t spikes, double bulk) {
  require_domain(spikes >= 1 && spikes < dimension, "spikes", static_cast<double>(spikes), "[1, dimension)");
  const std::vector<double> values{spike, bulk};
  const std::vector<double> multiplicity{static_cast<double>(spikes), static_cast<double>(dimension - spikes)};
  return blocks(values, multiplicity);
}

Eigen::ArrayXd Spectrum::block_sums(const Eigen::ArrayXd& per_coordinate) const {
  require_domain(per_coordinate.size() == size_, "number of coordinates", static_cast<double>(per_coordinate.size()),
                 "{number of eigenvalues}");
  if (is_simple()) {
    return per_coordinate;
  }
  Eigen::ArrayXd sums(block_count());
  Eigen::Index start = 0;
  for (Eigen::Index b = 0; b < block_count(); ++b) {
    const auto count = static_cast<Eigen::Index>(multiplicity_[b]);
    sums[b] = per_coordinate.segment(start, count).sum();
    start += count;
  }
  return sums;
}

Eigen::ArrayXd Spectrum::per_coordinate(const Eigen::ArrayXd& per_block) const {
  require_domain(per_block.size() == block_count(), "number of blocks", static_cast<double>(per_block.size()),
                 "{number of blocks of the spectrum}");
  if (is_simple()) {
    return per_block;
  }
  Eigen::ArrayXd all(size_);
  Eigen::Index start = 0;
  for (Eigen::Index b = 0; b < block_count(); ++b) {
    const auto count = static_cast<Eigen::Index>(multiplicity_[b]);
    all.segment(start, count).setConstant(per_block[b]);
    start += count;
  }
  return all;
}

}  // namespace dpcurves::models
