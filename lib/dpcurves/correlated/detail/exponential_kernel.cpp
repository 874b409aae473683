// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/correlated/detail/exponential_kernel.hpp>

namespace dpcurves::correlated {
namespace {

// Without contraction both variants give the same bits.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define DPCURVES_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define DPCURVES_CLONES
#endif

DPCURVES_CLONES void multiply(double* __restrict weight, const double* __restrict x, const double* __restrict quadratic,
                              std::size_t count, double slope, int squarings) {
  constexpr double c2 = 1.0 / 2, c3 = 1.0 / 6, c4 = 1.0 / 24, c5 = 1.0 / 120, c6 = 1.0 / 720, c7 = 1.0 / 5040,
                   c8 = 1.0 / 40320;
  switch (squarings) {
    case -1:  // little enough for two terms fewer
      for (std::size_t i = 0; i < count; ++i) {
        const double u = slope * x[i];
        const double e = 1.0 + u * (1.0 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * c6)))));
        weight[i] *= e * quadratic[i];
      }
      return;
    case 0:
      for (std::size_t i = 0; i < count; ++i) {
        const double u = slope * x[i];
        const double e = 1.0 + u * (1.0 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * (c6 + u * (c7 + u * c8)))))));
        weight[i] *= e * quadratic[i];
      }
      return;
    case 1:
      for (std::size_t i = 0; i < count; ++i) {
        const double u = slope * x[i];
        const double e = 1.0 + u * (1.0 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * (c6 + u * (c7 + u * c8)))))));
        weight[i] *= e * e * quadratic[i];
      }
      return;
    default:
      for (std::size_t i = 0; i < count; ++i) {
        const double u = slope * x[i];
        double e = 1.0 + u * (1.0 + u * (c2 + u * (c3 + u * (c4 + u * (c5 + u * (c6 + u * (c7 + u * c8)))))));
        e *= e;
        e *= e;
        for (int k = 2; k < squarings; ++k) {
          e *= e;
        }
        weight[i] *= e * quadratic[i];
      }
      return;
  }
}

}  // namespace

double multiply_exponentials(double* weight, const double* x, const double* quadratic, std::size_t count, double slope,
                             double largest) {
  constexpr double reach = 0.5;
  const double size = std::abs(slope) * largest;
  // u^7/7! at 0.19 is less than u^9/9! at 0.5.
  constexpr double short_reach = 0.19;
  if (size <= reach) {
    multiply(weight, x, quadratic, count, slope, size <= short_reach ? -1 : 0);
    return blocked_sum(weight, count);
  }
  const int squarings = static_cast<int>(std::ceil(std::log2(size / reach)));
  multiply(weight, x, quadratic, count, std::ldexp(slope, -squarings), squarings);
  return blocked_sum(weight, count);
}

double multiply_any_exponentials(double* weight, const double* x, std::size_t count, double slope, double square,
                                 double& shift) {
  const auto log_new = [&](std::size_t i) { return std::log(weight[i]) + x[i] * (slope - square * x[i]); };
  shift = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    if (weight[i] > 0.0) {
      shift = std::max(shift, log_new(i));
    }
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (weight[i] > 0.0) {
      weight[i] = std::exp(log_new(i) - shift);
      sum += weight[i];
    }
  }
  return sum;
}

DPCURVES_CLONES double blocked_sum(const double* x, std::size_t count) {
  double partial[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      partial[k] += x[i + k];
    }
  }
  double total = (partial[0] + partial[1]) + (partial[2] + partial[3]);
  for (; i < count; ++i) {
    total += x[i];
  }
  return total;
}

}  // namespace dpcurves::correlated
