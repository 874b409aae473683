// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/example_gradients.hpp>

namespace dpcurves::models {

std::vector<std::uint32_t> all_records(const ExampleGradients& model) {
  std::vector<std::uint32_t> all(model.records());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

double mean_loss(ExampleGradients& model, std::span<const double> x) {
  std::vector<double> values(model.records());
  model.losses(all_records(model), x, values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

BatchSummary SeparateGradients::clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> x,
                                            double clip, std::span<double> gradient) {
  require_domain(clip > 0.0, "clip", clip, "(0, inf]");
  std::fill(gradient.begin(), gradient.end(), 0.0);
  BatchSummary summary;
  for (const std::uint32_t record : batch) {
    losses_->gradient_sum({&record, 1}, x, one_);
    const double norm = std::sqrt(std::inner_product(one_.begin(), one_.end(), one_.begin(), 0.0));
    summary.largest_norm = std::max(summary.largest_norm, norm);
    double factor = 1.0;
    if (norm > clip) {
      factor = clip / norm;
      ++summary.clipped;
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] += factor * one_[i];
    }
  }
  return summary;
}

void SeparateGradients::losses(std::span<const std::uint32_t> batch, std::span<const double> x, std::span<double> out) {
  if (value_ == nullptr) {
    throw DomainError("SeparateGradients: these losses have gradients but no values");
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    out[i] = value_(*losses_, batch[i], x);
  }
}

}  // namespace dpcurves::models
