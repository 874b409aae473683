// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/spiked_noise.hpp>

namespace dpcurves::models {
namespace {

void check(const SpikedNoise& family, std::source_location where = std::source_location::current()) {
  require(family, where);
  require_domain(family.dimension >= 2.0 * family.classes, "dimension", family.dimension, "[2 K, inf)", where);
}

/// sqrt(r - 1 + a^4) / sqrt(r - 2 + 2 a^2) for a = lam/e0, without forming a^4.
double ratio_of(double a, double rank) {
  if (a <= 1.0) {
    return std::hypot(std::sqrt(rank - 1.0), a * a) / std::sqrt(rank - 2.0 + 2.0 * a * a);
  }
  const double q = 1.0 / a;
  return a * std::hypot(1.0, std::sqrt(rank - 1.0) * q * q) /
         std::hypot(std::numbers::sqrt2, std::sqrt(rank - 2.0) * q);
}

}  // namespace

SpikedNorms norms(const SpikedNoise& family) {
  check(family);
  const double e0 = family.bulk, lam = family.spike, rank = family.dimension - family.classes;
  SpikedNorms result{.rank = rank,
                     .trace = e0 * e0 * (rank - 1.0) + lam * lam,
                     .frobenius = std::hypot(e0 * std::sqrt(rank - 1.0), lam),
                     .operator_norm = std::max(e0, lam),
                     .gram = std::hypot(e0 * e0 * std::sqrt(rank - 1.0), lam * lam),
                     .cross_gram = e0 * std::hypot(e0 * std::sqrt(rank - 2.0), std::numbers::sqrt2 * lam)};
  // Eigenvalues of A_k' A_j: e0 lam on v_k and v_j, e0^2 on the other r - 2 directions.
  result.cross_operator_norm = rank > 2.0 ? e0 * std::max(e0, lam) : e0 * lam;
  result.ratio = ratio_of(lam / e0, rank);
  return result;
}

double spike_of_ratio(double ratio, const SpikedNoise& family) {
  check(family);
  require_domain(ratio >= 1.0 && std::isfinite(ratio), "ratio", ratio, "[1, inf)");
  // e0 sqrt(R^2 + sqrt((R - 1)(R + 1)(R^2 + r - 1))) with R taken out of both roots.
  const double rank = family.dimension - family.classes;
  const double inner = (ratio - 1.0) / ratio * (1.0 + 1.0 / ratio) * (1.0 + (rank - 1.0) / ratio / ratio);
  return family.bulk * ratio * std::sqrt(1.0 + std::sqrt(inner));
}

double signal_to_noise(double own_count, double other_count, double signal_norm, double cross_gram) {
  require_domain(own_count >= 1.0, "own_count", own_count, "[1, inf)");
  require_domain(other_count >= 1.0, "other_count", other_count, "[1, inf)");
  require_domain(signal_norm >= 0.0, "signal_norm", signal_norm, "[0, inf)");
  require_domain(cross_gram > 0.0, "cross_gram", cross_gram, "(0, inf)");
  return own_count / std::sqrt(other_count) * signal_norm * (signal_norm / cross_gram);
}

double noise_correlation_ratio(double own_count, double other_count, double gram, double cross_gram) {
  require_domain(own_count >= 1.0, "own_count", own_count, "[1, inf)");
  require_domain(other_count >= 1.0, "other_count", other_count, "[1, inf)");
  require_domain(gram > 0.0, "gram", gram, "(0, inf)");
  require_domain(cross_gram > 0.0, "cross_gram", cross_gram, "(0, inf)");
  return std::sqrt(own_count / other_count) * (gram / cross_gram);
}

}  // namespace dpcurves::models
