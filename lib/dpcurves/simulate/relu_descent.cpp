// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/projection.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/relu_descent.hpp>

namespace dpcurves::simulate {
namespace {

void require_step(double step_size) {
  require_domain(step_size > 0.0 && std::isfinite(step_size), "step_size", step_size, "(0, inf)");
}

/// Adds the gradients of `labels.size()` rows at w to `sum`.
void add_gradients(const models::Link& link, std::span<const double> w, std::span<const double> features,
                   std::span<const double> labels, std::span<double> sum) {
  const std::size_t d = w.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* x = features.data() + i * d;
    const double u = sum_over(d, [&](std::size_t j) { return w[j] * x[j]; });
    const double slope = models::surrogate_slope(link, u, labels[i]);
    for (std::size_t j = 0; j < d; ++j) {
      sum[j] += slope * x[j];
    }
  }
}

}  // namespace

std::vector<double> projected_descent(const ProjectedDescent& setting, RecordSource& records, std::uint64_t seed,
                                      std::uint32_t path) {
  require_step(setting.step_size);
  require_domain(setting.steps >= 1, "steps", 0.0, "[1, inf)");
  require_domain(setting.noise >= 0.0 && std::isfinite(setting.noise), "noise", setting.noise, "[0, inf)");
  const std::size_t d = records.dimension(), n = records.records();
  const auto ball = models::Projection::ball(setting.radius);
  std::vector<double> features(n * d), labels(n);
  records.read(0, features, labels);
  std::vector<double> w(d, 0.0), sum(d, 0.0), gradient(d), noise(d);
  const auto steps = static_cast<double>(setting.steps);
  for (std::uint64_t t = 0; t < setting.steps; ++t) {
    if (setting.printed_average) {
      sum = w;
    } else {
      for (std::size_t j = 0; j < d; ++j) {
        sum[j] += w[j] / steps;
      }
    }
    std::fill(gradient.begin(), gradient.end(), 0.0);
    add_gradients(setting.link, w, features, labels, gradient);
    random::normals(noise, seed, random::Purpose::noise, path, t * (d + d % 2));
    for (std::size_t j = 0; j < d; ++j) {
      w[j] -= setting.step_size * (gradient[j] / static_cast<double>(n) + setting.noise * noise[j]);
    }
    ball.apply(w);
  }
  return sum;
}

std::vector<double> projected_descent(const ProjectedDescent& setting, RecordSource& records,
                                      models::JohnsonLindenstrauss& map, std::uint64_t seed, std::uint32_t path) {
  MappedRecords mapped(records, map);
  const auto w = projected_descent(setting, mapped, seed, path);
  std::vector<double> result(records.dimension());
  map.transpose(w, result);
  return result;
}

std::vector<double> batched_descent(const BatchedDescent& setting, RecordSource& records, std::uint64_t seed,
                                    std::uint32_t path) {
  require_step(setting.step_size);
  const std::size_t d = records.dimension();
  require_domain(setting.batches >= 1 && setting.batches <= records.records(), "batches",
                 static_cast<double>(setting.batches), "[1, records]");
  require_domain(setting.start.empty() || setting.start.size() == d, "size of the start",
                 static_cast<double>(setting.start.size()), "the dimension");
  const std::uint64_t size = records.records() / setting.batches;
  constexpr std::size_t block = 64;
  std::vector<double> w = setting.start, gradient(d), noise(d), features(block * d), labels(block);
  w.resize(d, 0.0);
  for (std::uint64_t i = 0; i < setting.batches; ++i) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::uint64_t done = 0; done < size; done += block) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block, size - done));
      const auto x = std::span(features).first(count * d), y = std::span(labels).first(count);
      records.read(i * size + done, x, y);
      add_gradients(setting.link, w, x, y, gradient);
    }
    double scale = 0.0;
    if (setting.noise) {
      scale = setting.noise(std::sqrt(std::inner_product(w.begin(), w.end(), w.begin(), 0.0)));
      require_domain(scale >= 0.0 && std::isfinite(scale), "noise", scale, "[0, inf)");
    }
    random::normals(noise, seed, random::Purpose::noise, path, i * (d + d % 2));
    for (std::size_t j = 0; j < d; ++j) {
      w[j] -= setting.step_size * (gradient[j] / static_cast<double>(size) + scale * noise[j]);
    }
    if (setting.observe) {
      setting.observe(i + 1, w);
    }
  }
  return w;
}

}  // namespace dpcurves::simulate
