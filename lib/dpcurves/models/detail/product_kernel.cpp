// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/product_kernel.hpp>

namespace dpcurves::models::kernels {
namespace {

using random::InstructionSet;

// A block of b (depth x span) lies in the second cache as panels one tile wide. Per tile of rows the same depth of a is
// packed next to each other, whatever its strides, and stays in the first cache while the panels pass.
constexpr std::size_t depth = 256;
constexpr std::size_t span = 256;

struct alignas(64) CacheLine {
  double entries[8];
};

/// A tile whose sums stay in registers: `rows` rows of `vectors` vectors of `bytes`.
template <std::size_t bytes, std::size_t rows_, std::size_t vectors_>
struct Tile {
  using Vector [[gnu::vector_size(bytes)]] = double;
  static constexpr std::size_t rows = rows_, vectors = vectors_, lanes = bytes / sizeof(double);
  static constexpr std::size_t width = vectors * lanes;
};

/// sums += a b, where a has shape (inner x rows), b has shape (inner x width), and sums has shape (rows x width).
template <class T>
[[gnu::always_inline]] inline void add_product(const double* __restrict a, const double* __restrict b,
                                               std::size_t inner, double* __restrict sums) {
  typename T::Vector local[T::rows][T::vectors], right[T::vectors];
  std::memcpy(&local, sums, sizeof(local));
  for (std::size_t k = 0; k < inner; ++k) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < T::vectors; ++v) {
      std::memcpy(&right[v], b + k * T::width + v * T::lanes, sizeof(right[v]));
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < T::rows; ++i) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < T::vectors; ++v) {
        local[i][v] += a[k * T::rows + i] * right[v];
      }
    }
  }
  std::memcpy(sums, &local, sizeof(local));
}

/// b, of shape (size x width), as panels of the width of a tile, zeros beyond.
template <class T>
[[gnu::always_inline]] inline void pack_panels(const StridedMatrix& b, std::size_t size, std::size_t width,
                                               double* panels) {
  for (std::size_t column = 0; column < width; column += T::width) {
    const std::size_t used = std::min(T::width, width - column);
    const double* from = b.data + column * b.column;
    double* panel = panels + column * depth;
    if (used < T::width) {
      std::fill_n(panel, size * T::width, 0.0);
    }
    if (b.column == 1) {
      for (std::size_t k = 0; k < size; ++k) {
        std::copy_n(from + k * b.row, used, panel + k * T::width);
      }
    } else {
      for (std::size_t j = 0; j < used; ++j) {
        for (std::size_t k = 0; k < size; ++k) {
          panel[k * T::width + j] = from[k * b.row + j * b.column];
        }
      }
    }
  }
}

/// `used` rows of a as the columns of (size x T::rows); the columns beyond are left as they are.
template <class T>
[[gnu::always_inline]] inline void pack_rows(const StridedMatrix& a, std::size_t size, std::size_t used,
                                             double* packed) {
  if (a.row == 1 && used == T::rows) {
    for (std::size_t k = 0; k < size; ++k) {
      std::memcpy(packed + k * T::rows, a.data + k * a.column, T::rows * sizeof(double));
    }
    return;
  }
  for (std::size_t i = 0; i < used; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      packed[k * T::rows + i] = a.data[i * a.row + k * a.column];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void product(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows,
                                           std::size_t inner, std::size_t columns, double* c, double* panels) {
  static_assert(span % T::width == 0);
  alignas(64) double packed[depth * T::rows] = {};  // rows beyond the last one: sums that nobody reads
  alignas(64) double sums[T::rows * T::width];
  for (std::size_t left = 0; left < columns; left += span) {
    const std::size_t width = std::min(span, columns - left);
    for (std::size_t begin = 0; begin < inner; begin += depth) {
      const std::size_t size = std::min(depth, inner - begin);
      pack_panels<T>({b.data + begin * b.row + left * b.column, b.row, b.column}, size, width, panels);
      for (std::size_t row = 0; row < rows; row += T::rows) {
        const std::size_t used = std::min(T::rows, rows - row);
        pack_rows<T>({a.data + row * a.row + begin * a.column, a.row, a.column}, size, used, packed);
        for (std::size_t column = 0; column < width; column += T::width) {
          const std::size_t wide = std::min(T::width, width - column);
          double* out = c + row * columns + left + column;
          std::fill_n(sums, T::rows * T::width, 0.0);
          for (std::size_t i = 0; begin > 0 && i < used; ++i) {
            std::copy_n(out + i * columns, wide, sums + i * T::width);
          }
          add_product<T>(packed, panels + column * depth, size, sums);
          for (std::size_t i = 0; i < used; ++i) {
            std::copy_n(sums + i * T::width, wide, out + i * columns);
          }
        }
      }
    }
  }
}

using Product = void (*)(const StridedMatrix&, const StridedMatrix&, std::size_t, std::size_t, std::size_t, double*,
                         double*);

void product_baseline(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows, std::size_t inner,
                      std::size_t columns, double* c, double* panels) {
  product<Tile<16, 4, 2>>(a, b, rows, inner, columns, c, panels);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void product_avx2(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows,
                                          std::size_t inner, std::size_t columns, double* c, double* panels) {
  product<Tile<32, 6, 2>>(a, b, rows, inner, columns, c, panels);
}

[[gnu::target("avx512f,prefer-vector-width=512")]] void product_avx512(const StridedMatrix& a, const StridedMatrix& b,
                                                                       std::size_t rows, std::size_t inner,
                                                                       std::size_t columns, double* c, double* panels) {
  product<Tile<64, 16, 1>>(a, b, rows, inner, columns, c, panels);
}
#endif

Product kernel(InstructionSet variant) {
#if defined(__x86_64__)
  switch (variant) {
    case InstructionSet::avx2:
      return product_avx2;
    case InstructionSet::avx512:
      return product_avx512;
    case InstructionSet::sse2:
      break;
  }
#endif
  return product_baseline;
}

void run(Product variant, const StridedMatrix& a, const StridedMatrix& b, std::size_t rows, std::size_t inner,
         std::size_t columns, double* c) {
  if (inner == 0) {
    std::fill_n(c, rows * columns, 0.0);
    return;
  }
  thread_local std::vector<CacheLine> panels(depth * span / 8);
  variant(a, b, rows, inner, columns, c, panels.front().entries);
}

}  // namespace

void multiply(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows, std::size_t inner, std::size_t columns,
              double* c) {
  static const Product best = kernel(random::instruction_sets().back());
  run(best, a, b, rows, inner, columns, c);
}

void multiply(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows, std::size_t inner, std::size_t columns,
              double* c, InstructionSet variant) {
  const auto& known = random::instruction_sets();
  require_domain(std::find(known.begin(), known.end(), variant) != known.end(), "variant", static_cast<double>(variant),
                 "the instruction sets of this machine");
  run(kernel(variant), a, b, rows, inner, columns, c);
}

}  // namespace dpcurves::models::kernels
