// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>

#include <dpcurves/models/detail/softmax_kernel.hpp>

namespace dpcurves::models::kernels {
namespace {

/// Ten numbers as vectors of `bytes`, zeros behind.
template <std::size_t bytes>
struct Ten {
  using Vector [[gnu::vector_size(bytes)]] = double;
  static constexpr std::size_t lanes = bytes / sizeof(double), vectors = (10 + lanes - 1) / lanes;
  static constexpr std::size_t width = vectors * lanes;
};

/// sums += value * row.
template <class T>
[[gnu::always_inline]] inline void add_row(double value, const double* row, typename T::Vector (&sums)[T::vectors]) {
#pragma GCC unroll 5
  for (std::size_t v = 0; v < T::vectors; ++v) {
    typename T::Vector right;
    std::memcpy(&right, row + v * T::lanes, sizeof(right));
    sums[v] += value * right;
  }
}

template <class T, std::size_t group>
[[gnu::always_inline]] inline void scores(const SparseFeatures& features, const std::uint32_t* examples,
                                          const double* parameters, double* out) {
  typename T::Vector sums[group][T::vectors] = {};
  const double* values[group];
  const std::uint32_t* where[group];
  std::size_t lengths[group], common = 0;
  for (std::size_t e = 0; e < group; ++e) {
    const std::size_t begin = features.begins[examples[e]];
    values[e] = features.values + begin;
    where[e] = features.where + begin;
    lengths[e] = features.begins[examples[e] + 1] - begin;
    common = e == 0 ? lengths[e] : std::min(common, lengths[e]);
  }
  for (std::size_t k = 0; k < common; ++k) {
#pragma GCC unroll 4
    for (std::size_t e = 0; e < group; ++e) {
      add_row<T>(values[e][k], parameters + where[e][k] * T::width, sums[e]);
    }
  }
  for (std::size_t e = 0; e < group; ++e) {
    for (std::size_t k = common; k < lengths[e]; ++k) {
      add_row<T>(values[e][k], parameters + where[e][k] * T::width, sums[e]);
    }
    std::memcpy(out + e * T::width, &sums[e], sizeof(sums[e]));
  }
}

template <class T>
[[gnu::always_inline]] inline void add(const SparseFeatures& features, std::uint32_t example, const double* residual,
                                       double* sum) {
  typename T::Vector own[T::vectors];
  std::memcpy(&own, residual, sizeof(own));
  for (std::size_t k = features.begins[example]; k < features.begins[example + 1]; ++k) {
    double* row = sum + features.where[k] * T::width;
#pragma GCC unroll 5
    for (std::size_t v = 0; v < T::vectors; ++v) {
      typename T::Vector before;
      std::memcpy(&before, row + v * T::lanes, sizeof(before));
      before += features.values[k] * own[v];
      std::memcpy(row + v * T::lanes, &before, sizeof(before));
    }
  }
}

template <class T, std::size_t group>
[[gnu::always_inline]] inline void add_full(const SparseFeatures& features, const std::uint32_t* examples,
                                            std::size_t dimension, const double* residuals, double* sum) {
  const double* values[group];
  typename T::Vector own[group][T::vectors];
  std::memcpy(&own, residuals, sizeof(own));
  for (std::size_t e = 0; e < group; ++e) {
    values[e] = features.values + features.begins[examples[e]];
  }
  for (std::size_t k = 0; k < dimension; ++k, sum += T::width) {
    typename T::Vector row[T::vectors];
    std::memcpy(&row, sum, sizeof(row));
#pragma GCC unroll 4
    for (std::size_t e = 0; e < group; ++e) {
#pragma GCC unroll 5
      for (std::size_t v = 0; v < T::vectors; ++v) {
        row[v] += values[e][k] * own[e][v];
      }
    }
    std::memcpy(sum, &row, sizeof(row));
  }
}

using Baseline = Ten<16>;

void scores_baseline(const SparseFeatures& f, const std::uint32_t* examples, const double* p, double* out) {
  scores<Baseline, 2>(f, examples, p, out);
}
void one_baseline(const SparseFeatures& f, const std::uint32_t* example, const double* p, double* out) {
  scores<Baseline, 1>(f, example, p, out);
}
void add_baseline(const SparseFeatures& f, std::uint32_t example, const double* residual, double* sum) {
  add<Baseline>(f, example, residual, sum);
}
void full_baseline(const SparseFeatures& f, const std::uint32_t* examples, std::size_t dimension,
                   const double* residuals, double* sum) {
  add_full<Baseline, 2>(f, examples, dimension, residuals, sum);
}

#if defined(__x86_64__)
using Avx2 = Ten<32>;
using Avx512 = Ten<64>;

[[gnu::target("avx2")]] void scores_avx2(const SparseFeatures& f, const std::uint32_t* examples, const double* p,
                                         double* out) {
  scores<Avx2, 2>(f, examples, p, out);
}
[[gnu::target("avx2")]] void one_avx2(const SparseFeatures& f, const std::uint32_t* example, const double* p,
                                      double* out) {
  scores<Avx2, 1>(f, example, p, out);
}
[[gnu::target("avx2")]] void add_avx2(const SparseFeatures& f, std::uint32_t example, const double* residual,
                                      double* sum) {
  add<Avx2>(f, example, residual, sum);
}
[[gnu::target("avx2")]] void full_avx2(const SparseFeatures& f, const std::uint32_t* examples, std::size_t dimension,
                                       const double* residuals, double* sum) {
  add_full<Avx2, 2>(f, examples, dimension, residuals, sum);
}

[[gnu::target("avx512f,prefer-vector-width=512")]] void scores_avx512(const SparseFeatures& f,
                                                                      const std::uint32_t* examples, const double* p,
                                                                      double* out) {
  scores<Avx512, 4>(f, examples, p, out);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] void one_avx512(const SparseFeatures& f,
                                                                   const std::uint32_t* example, const double* p,
                                                                   double* out) {
  scores<Avx512, 1>(f, example, p, out);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] void add_avx512(const SparseFeatures& f, std::uint32_t example,
                                                                   const double* residual, double* sum) {
  add<Avx512>(f, example, residual, sum);
}
[[gnu::target("avx512f,prefer-vector-width=512")]] void full_avx512(const SparseFeatures& f,
                                                                    const std::uint32_t* examples,
                                                                    std::size_t dimension, const double* residuals,
                                                                    double* sum) {
  add_full<Avx512, 4>(f, examples, dimension, residuals, sum);
}
#endif

constexpr TenClasses baseline{Baseline::width, 2, scores_baseline, one_baseline, add_baseline, full_baseline};
#if defined(__x86_64__)
constexpr TenClasses avx2{Avx2::width, 2, scores_avx2, one_avx2, add_avx2, full_avx2};
constexpr TenClasses avx512{Avx512::width, 4, scores_avx512, one_avx512, add_avx512, full_avx512};
#endif

}  // namespace

const TenClasses& ten_classes(random::InstructionSet variant) {
#if defined(__x86_64__)
  switch (variant) {
    case random::InstructionSet::avx2:
      return avx2;
    case random::InstructionSet::avx512:
      return avx512;
    case random::InstructionSet::sse2:
      break;
  }
#endif
  return baseline;
}

}  // namespace dpcurves::models::kernels
