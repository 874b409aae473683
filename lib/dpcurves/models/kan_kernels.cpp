// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models::kernels {
namespace {

constexpr std::size_t cubic = 4;  // values per coordinate of cubic splines, the case worth its own loop

/// One coordinate of one block: out[i] += sum_k value_k columns_k.
[[gnu::always_inline]] inline void multiply_block(const Features& features, std::span<const std::uint32_t> batch,
                                                  std::size_t coordinate, const double* __restrict columns,
                                                  double* __restrict out) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t cell = batch[i] * features.coordinates + coordinate;
    const double* __restrict w = columns + features.first[cell] * lanes;
    const double* __restrict v = features.values + cell * features.order;
    double* __restrict o = out + i * lanes;
    if (features.order == cubic) {
      for (std::size_t l = 0; l < lanes; ++l) {
        o[l] += ((v[0] * w[l] + v[1] * w[lanes + l]) + (v[2] * w[2 * lanes + l] + v[3] * w[3 * lanes + l]));
      }
    } else {
      for (std::size_t k = 0; k < features.order; ++k) {
        for (std::size_t l = 0; l < lanes; ++l) {
          o[l] += v[k] * w[k * lanes + l];
        }
      }
    }
  }
}

/// One coordinate of one block: columns_k += weight_i value_k s_i.
[[gnu::always_inline]] inline void accumulate_block(const Features& features, std::span<const std::uint32_t> batch,
                                                    std::size_t coordinate, const double* __restrict weights,
                                                    const double* __restrict s, double* __restrict columns) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t cell = batch[i] * features.coordinates + coordinate;
    double* __restrict g = columns + features.first[cell] * lanes;
    const double* __restrict v = features.values + cell * features.order;
    const double* __restrict in = s + i * lanes;
    if (features.order == cubic) {
      const double a = weights[i] * v[0], b = weights[i] * v[1], c = weights[i] * v[2], d = weights[i] * v[3];
      for (std::size_t l = 0; l < lanes; ++l) {
        g[l] += a * in[l];
        g[lanes + l] += b * in[l];
        g[2 * lanes + l] += c * in[l];
        g[3 * lanes + l] += d * in[l];
      }
    } else {
      for (std::size_t k = 0; k < features.order; ++k) {
        const double factor = weights[i] * v[k];
        for (std::size_t l = 0; l < lanes; ++l) {
          g[k * lanes + l] += factor * in[l];
        }
      }
    }
  }
}

/// exp(x) for x <= 0.
[[gnu::always_inline]] inline double exponential(double x) {
  constexpr double least = -708.0;    // above it results are normal numbers
  constexpr double shift = 0x1.8p52;  // rounds to a whole number, which the low bits then hold
  constexpr double log2_high = 0x1.62e42fefa0000p-1, log2_low = 0x1.cf79abc9e3b39p-40;
  x = x > least ? x : least;
  const double shifted = x * 0x1.71547652b82fep0 + shift;
  const double n = shifted - shift;
  const double r = (x - n * log2_high) - n * log2_low;  // |r| <= 0.347
  double p = 1.0 / 6227020800.0;                        // Taylor to r^13: the rest is below 5e-18
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
  return p * std::bit_cast<double>(exponent);
}

[[gnu::always_inline]] inline void respond_block(const Units& units, std::size_t first, std::size_t used,
                                                 double* __restrict cells, double* __restrict outputs) {
  double slope[lanes], offset[lanes];
  std::int32_t piece[lanes];  // where the polynomial of the lane's span starts
  const double rate = (units.hyperbolic ? -2.0 : -1.0), inward = units.inward;
  const double high = units.hyperbolic ? 1.0 : 0.5, middle = units.hyperbolic ? 0.0 : 0.5;
  const double steepness = units.hyperbolic ? 4.0 : 1.0, scale = units.inverse_spacing;
  const double last_span = static_cast<double>(units.spans) - 1.0;
  const auto powers = static_cast<std::int32_t>(units.powers);
  const auto stride = static_cast<std::int32_t>(units.spans) * powers;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double a = inward * cells[l];
    const double e = exponential(rate * std::abs(a));
    const double r = 1.0 / (1.0 + e);
    const double magnitude = (1.0 - e) * r;  // tanh |a|, or tanh |a/2|
    const double u = middle + high * (a < 0.0 ? -magnitude : magnitude);
    slope[l] = steepness * e * r * r;
    const double position = (u + 1.0) * scale;
    double whole = std::floor(position);
    whole = whole < last_span ? whole : last_span;
    piece[l] = static_cast<std::int32_t>(l) * stride + static_cast<std::int32_t>(whole) * powers;
    offset[l] = position - whole - 0.5;
  }
  const double* __restrict pieces = units.pieces + first * units.spans * units.powers;
  if (units.powers == cubic) {
    for (std::size_t l = 0; l < used; ++l) {
      const double t = offset[l];
      const double c0 = pieces[piece[l]], c1 = pieces[piece[l] + 1], c2 = pieces[piece[l] + 2],
                   c3 = pieces[piece[l] + 3];
      outputs[l] = ((c3 * t + c2) * t + c1) * t + c0;
      cells[l] = slope[l] * (((3.0 * c3 * t + 2.0 * c2) * t + c1) * scale);
    }
  } else {
    for (std::size_t l = 0; l < used; ++l) {
      double value = 0.0;
      double derivative = 0.0;
      for (std::size_t power = units.powers; power-- > 0;) {
        derivative = derivative * offset[l] + value;
        value = value * offset[l] + pieces[static_cast<std::size_t>(piece[l]) + power];
      }
      outputs[l] = value;
      cells[l] = slope[l] * (derivative * scale);
    }
  }
  for (std::size_t l = used; l < lanes; ++l) {
    outputs[l] = 0.0;
    cells[l] = 0.0;
  }
}

/// The three loops for one instruction set.
struct Variant {
  void (*multiply)(const Features&, std::span<const std::uint32_t>, std::size_t, const double*, double*);
  void (*accumulate)(const Features&, std::span<const std::uint32_t>, std::size_t, const double*, const double*,
                     double*);
  void (*respond)(const Units&, std::size_t, std::size_t, double*, double*);
};

constexpr Variant baseline{
    [](const Features& f, std::span<const std::uint32_t> batch, std::size_t c, const double* columns, double* out) {
      multiply_block(f, batch, c, columns, out);
    },
    [](const Features& f, std::span<const std::uint32_t> batch, std::size_t c, const double* weights, const double* s,
       double* columns) { accumulate_block(f, batch, c, weights, s, columns); },
    [](const Units& units, std::size_t first, std::size_t used, double* cells, double* outputs) {
      respond_block(units, first, used, cells, outputs);
    }};

#if defined(__x86_64__)
#define DPCURVES_KAN_VARIANT(NAME, TARGET)                                                                             \
  [[gnu::target(TARGET)]] void multiply_##NAME(const Features& f, std::span<const std::uint32_t> batch, std::size_t c, \
                                               const double* columns, double* out) {                                   \
    multiply_block(f, batch, c, columns, out);                                                                         \
  }                                                                                                                    \
  [[gnu::target(TARGET)]] void accumulate_##NAME(const Features& f, std::span<const std::uint32_t> batch,              \
                                                 std::size_t c, const double* weights, const double* s,                \
                                                 double* columns) {                                                    \
    accumulate_block(f, batch, c, weights, s, columns);                                                                \
  }                                                                                                                    \
  [[gnu::target(TARGET)]] void respond_##NAME(const Units& units, std::size_t first, std::size_t used, double* cells,  \
                                              double* outputs) {                                                       \
    respond_block(units, first, used, cells, outputs);                                                                 \
  }                                                                                                                    \
  constexpr Variant NAME{multiply_##NAME, accumulate_##NAME, respond_##NAME};

DPCURVES_KAN_VARIANT(avx2, "avx2")
DPCURVES_KAN_VARIANT(avx512, "avx512f,avx512dq,avx512vl,prefer-vector-width=512")
#undef DPCURVES_KAN_VARIANT
#endif

const Variant& variant() {
#if defined(__x86_64__)
  static const Variant& best =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
          ? avx512
      : __builtin_cpu_supports("avx2") ? avx2
                                       : baseline;
  return best;
#else
  return baseline;
#endif
}

/// Room for one coordinate's columns of one block.
double* columns_of(std::size_t width) {
  thread_local std::vector<double> room;
  if (room.size() < width * lanes) {
    room.resize(width * lanes);
  }
  return room.data();
}

}  // namespace

void multiply(const Features& features, std::span<const std::uint32_t> batch, const double* w, std::size_t units,
              double* out) {
  double* columns = columns_of(features.width);
  std::fill_n(out, blocks(units) * batch.size() * lanes, 0.0);
  for (std::size_t block = 0; block < blocks(units); ++block) {
    const std::size_t begin = block * lanes;
    const std::size_t used = std::min(lanes, units - begin);
    if (used < lanes) {
      std::fill_n(columns, features.width * lanes, 0.0);
    }
    for (std::size_t c = 0; c < features.coordinates; ++c) {
      for (std::size_t k = 0; k < features.width; ++k) {
        std::copy_n(w + (c * features.width + k) * units + begin, used, columns + k * lanes);
      }
      variant().multiply(features, batch, c, columns, out + block * batch.size() * lanes);
    }
  }
}

void accumulate(const Features& features, std::span<const std::uint32_t> batch, const double* weights, const double* s,
                std::size_t units, double* gradient) {
  double* columns = columns_of(features.width);
  for (std::size_t block = 0; block < blocks(units); ++block) {
    const std::size_t begin = block * lanes;
    const std::size_t used = std::min(lanes, units - begin);
    for (std::size_t c = 0; c < features.coordinates; ++c) {
      std::fill_n(columns, features.width * lanes, 0.0);
      variant().accumulate(features, batch, c, weights, s + block * batch.size() * lanes, columns);
      for (std::size_t k = 0; k < features.width; ++k) {
        std::copy_n(columns + k * lanes, used, gradient + (c * features.width + k) * units + begin);
      }
    }
  }
}

void respond(const Units& units, std::size_t first, std::size_t used, double* cells, double* outputs) {
  variant().respond(units, first, used, cells, outputs);
}

}  // namespace dpcurves::models::kernels
