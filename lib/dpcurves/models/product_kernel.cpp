// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <vector>

#include <dpcurves/models/product_kernel.hpp>

namespace dpcurves::models::kernels {
namespace {

using Lanes [[gnu::vector_size(64)]] = double;  // one register with AVX-512, two with AVX2
constexpr std::size_t lanes = 8;
constexpr std::size_t tile_rows = 6;  // accumulators of a tile stay in the sixteen registers of AVX2
constexpr std::size_t depth = 256;    // inner indices per panel: 16 KiB of b

/// tile += a panel, for `used` <= tile_rows rows. `panel` has shape (inner x lanes).
template <std::size_t used>
[[gnu::always_inline]] inline void add_tile(const StridedMatrix& a, const double* panel, std::size_t inner,
                                            double* tile) {
  Lanes sums[used];
  const double* rows[used];
  for (std::size_t i = 0; i < used; ++i) {
    std::memcpy(&sums[i], tile + i * lanes, sizeof(Lanes));
    rows[i] = a.data + i * a.row;
  }
  for (std::size_t k = 0; k < inner; ++k) {
    Lanes b;
    std::memcpy(&b, panel + k * lanes, sizeof(Lanes));
    for (std::size_t i = 0; i < used; ++i) {
      sums[i] += rows[i][k * a.column] * b;
    }
  }
  for (std::size_t i = 0; i < used; ++i) {
    std::memcpy(tile + i * lanes, &sums[i], sizeof(Lanes));
  }
}

[[gnu::always_inline]] inline void product(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner,
                                           std::size_t columns, double* c, double* panel) {
  double tile[tile_rows * lanes];
  for (std::size_t begin = 0; begin < inner; begin += depth) {
    const std::size_t size = std::min(depth, inner - begin);
    for (std::size_t column = 0; column < columns; column += lanes) {
      const std::size_t width = std::min(lanes, columns - column);
      for (std::size_t k = 0; k < size; ++k) {  // lanes beyond the last column stay 0
        std::copy_n(b + (begin + k) * columns + column, width, panel + k * lanes);
      }
      for (std::size_t row = 0; row < rows; row += tile_rows) {
        const std::size_t used = std::min(tile_rows, rows - row);
        const StridedMatrix part{a.data + row * a.row + begin * a.column, a.row, a.column};
        std::fill_n(tile, tile_rows * lanes, 0.0);
        if (begin > 0) {
          for (std::size_t i = 0; i < used; ++i) {
            std::copy_n(c + (row + i) * columns + column, width, tile + i * lanes);
          }
        }
        switch (used) {
          case 6:
            add_tile<6>(part, panel, size, tile);
            break;
          case 5:
            add_tile<5>(part, panel, size, tile);
            break;
          case 4:
            add_tile<4>(part, panel, size, tile);
            break;
          case 3:
            add_tile<3>(part, panel, size, tile);
            break;
          case 2:
            add_tile<2>(part, panel, size, tile);
            break;
          default:
            add_tile<1>(part, panel, size, tile);
            break;
        }
        for (std::size_t i = 0; i < used; ++i) {
          std::copy_n(tile + i * lanes, width, c + (row + i) * columns + column);
        }
      }
    }
  }
}

using Product = void (*)(const StridedMatrix&, const double*, std::size_t, std::size_t, std::size_t, double*, double*);

void product_baseline(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner, std::size_t columns,
                      double* c, double* panel) {
  product(a, b, rows, inner, columns, c, panel);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void product_avx2(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner,
                                          std::size_t columns, double* c, double* panel) {
  product(a, b, rows, inner, columns, c, panel);
}

[[gnu::target("avx512f,prefer-vector-width=512")]] void product_avx512(const StridedMatrix& a, const double* b,
                                                                       std::size_t rows, std::size_t inner,
                                                                       std::size_t columns, double* c, double* panel) {
  product(a, b, rows, inner, columns, c, panel);
}
#endif

Product best_variant() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    return product_avx512;
  }
  if (__builtin_cpu_supports("avx2")) {
    return product_avx2;
  }
#endif
  return product_baseline;
}

void run(Product kernel, const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner,
         std::size_t columns, double* c) {
  if (inner == 0) {
    std::fill_n(c, rows * columns, 0.0);
    return;
  }
  alignas(64) double panel[depth * lanes] = {};
  kernel(a, b, rows, inner, columns, c, panel);
}

}  // namespace

void multiply(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner, std::size_t columns,
              double* c) {
  static const Product best = best_variant();
  run(best, a, b, rows, inner, columns, c);
}

void multiply_baseline(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner,
                       std::size_t columns, double* c) {
  run(product_baseline, a, b, rows, inner, columns, c);
}

}  // namespace dpcurves::models::kernels
