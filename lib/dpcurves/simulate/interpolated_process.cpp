// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/simulate/interpolated_process.hpp>

namespace dpcurves::simulate {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t paths_per_piece = 256;

/// phi of one data set at one step: x - step_size times the mean gradient.
void map(const NoisyDescent& setting, const models::Losses& losses, std::span<const std::uint32_t> batch,
         const Vector& x, Vector& result) {
  losses.gradient_sum(batch, x, result);
  for (std::size_t j = 0; j < x.size(); ++j) {
    result[j] = x[j] - setting.step_size * (result[j] / static_cast<double>(batch.size()));
  }
}

double distance(const Vector& a, const Vector& b) {
  const double sum = sum_over(a.size(), [&](std::size_t j) { return (a[j] - b[j]) * (a[j] - b[j]); });
  return std::sqrt(sum);
}

}  // namespace

std::vector<double> interpolation_distances(const NoisyDescent& setting, const models::Losses& first,
                                            const models::Losses& second, std::span<const double> lambda,
                                            std::size_t paths, std::uint64_t seed, unsigned threads) {
  const std::size_t d = first.dimension(), t = setting.steps;
  require_domain(second.dimension() == d && second.records() == first.records(), "records of the second data set",
                 static_cast<double>(second.records()), "as many as in the first, of the same dimension");
  require_domain(setting.rule != BatchRule::subset, "batch rule", 2.0, "{full, cyclic}");
  require_domain(lambda.size() <= t, "number of weights", static_cast<double>(lambda.size()), "[0, steps]");
  for (const double weight : lambda) {
    require_domain(weight >= 0.0 && weight <= 1.0, "lambda", weight, "[0, 1]");
  }
  require_domain(setting.start.empty() || setting.start.size() == d, "dimension of the start",
                 static_cast<double>(setting.start.size()), "that of the losses");
  const std::size_t tau = t - lambda.size();
  const Vector start = setting.start.empty() ? Vector(d, 0.0) : setting.start;
  const std::size_t pieces = (paths + paths_per_piece - 1) / paths_per_piece;
  std::vector<std::vector<double>> of_piece(pieces);
  const auto run_piece = [&](std::size_t piece) {
    BatchSequence batches(setting.rule, setting.batch_size, first.records());
    std::vector<double> local(lambda.size() + 1, 0.0);
    Vector phi(d), phi_other(d), noise(d), noise_other(d);
    const std::size_t end = std::min(paths, (piece + 1) * paths_per_piece);
    for (std::size_t path = piece * paths_per_piece; path < end; ++path) {
      const auto number = static_cast<std::uint32_t>(2 * path);
      Vector x = start, other = start;  // `other` is X' up to tau and X~ afterwards
      for (std::size_t k = 0; k < t; ++k) {
        const auto batch = batches.batch(k, seed, number);
        map(setting, first, batch, x, phi);
        map(setting, second, batch, other, phi_other);
        random::normals(noise, seed, random::Purpose::noise, number, k * d);
        if (k < tau) {
          random::normals(noise_other, seed, random::Purpose::noise, number + 1, k * d);
        } else {
          local[k - tau] = std::max(local[k - tau], distance(x, other));
        }
        for (std::size_t j = 0; j < d; ++j) {
          const double scale = setting.step_size * setting.noise;
          x[j] = phi[j] + scale * noise[j];
          if (k < tau) {
            other[j] = phi_other[j] + scale * noise_other[j];
          } else {
            const double weight = lambda[k - tau];
            other[j] = weight * phi[j] + (1.0 - weight) * phi_other[j] + scale * noise[j];
          }
        }
        setting.projection.apply(x);
        setting.projection.apply(other);
      }
      local.back() = std::max(local.back(), distance(x, other));
    }
    of_piece[piece] = std::move(local);
  };
  shared_for(pieces, threads, run_piece, [&](std::size_t piece, Archive& archive) { archive(of_piece[piece]); });
  std::vector<double> largest(lambda.size() + 1, 0.0);
  for (const auto& local : of_piece) {
    std::transform(local.begin(), local.end(), largest.begin(), largest.begin(),
                   [](double a, double b) { return std::max(a, b); });
  }
  return largest;
}

}  // namespace dpcurves::simulate
