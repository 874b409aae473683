// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/correlated_noise.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {

CorrelatedNoise::CorrelatedNoise(StrategyMatrix strategy, std::size_t dimension)
    : strategy_(std::move(strategy)), dimension_(dimension) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  const bool exponential = strategy_.form() == StrategyMatrix::Form::exponential;
  remembered_ = exponential ? (strategy_.lambda() > 0.0 ? 1 : 0) : strategy_.bandwidth() - 1;
  past_.assign(remembered_ * dimension_, 0.0);
}

void CorrelatedNoise::correlate(std::span<double> row) {
  require_domain(row.size() == dimension_, "length of row", static_cast<double>(row.size()), "the dimension");
  require_domain(step_ < strategy_.steps(), "step", static_cast<double>(step_), "[0, steps)");
  if (strategy_.form() == StrategyMatrix::Form::exponential) {
    if (remembered_ == 1) {
      const double lambda = strategy_.lambda();
      for (std::size_t i = 0; i < dimension_; ++i) {
        const double z = row[i];
        row[i] = z - lambda * past_[i];  // Z_0 = 0
        past_[i] = z;
      }
    }
    ++step_;
    return;
  }
  for (std::size_t lag = 1; lag <= std::min(remembered_, step_); ++lag) {
    const double weight = strategy_(step_, step_ - lag);
    const double* noise = past_.data() + ((step_ - lag) % remembered_) * dimension_;
    for (std::size_t i = 0; i < dimension_; ++i) {
      row[i] -= weight * noise[i];
    }
  }
  const double diagonal = strategy_(step_, step_);
  for (double& value : row) {
    value /= diagonal;
  }
  if (remembered_ > 0) {
    std::copy(row.begin(), row.end(), past_.begin() + static_cast<std::ptrdiff_t>((step_ % remembered_) * dimension_));
  }
  ++step_;
}

void CorrelatedNoise::draw(std::span<double> row, std::uint64_t seed, std::uint32_t path) {
  const std::size_t even = dimension_ + dimension_ % 2;
  random::normals(row, seed, random::Purpose::noise, path, static_cast<std::uint64_t>(step_) * even);
  correlate(row);
}

}  // namespace dpcurves::models
