// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models::kernels {
namespace {

constexpr std::size_t cubic = 4;  // values per coordinate of cubic splines, the case worth its own loop

/// The batch in the order of the spans of one coordinate: positions begin[s], ..., begin[s + 1] - 1 of `order` are in
/// span s.
struct BySpan {
  std::vector<std::uint32_t> begin, order;

  [[nodiscard]] std::span<const std::uint32_t> positions(std::size_t span) const {
    return std::span(order).subspan(begin[span], begin[span + 1] - begin[span]);
  }

  void sort(const Features& features, std::span<const std::uint32_t> batch, std::size_t coordinate) {
    const std::size_t spans = features.width - features.order + 1;
    begin.assign(spans + 1, 0);
    order.resize(batch.size());
    for (const std::uint32_t record : batch) {
      ++begin[features.first[record * features.coordinates + coordinate] + 1];
    }
    for (std::size_t span = 0; span < spans; ++span) {
      begin[span + 1] += begin[span];
    }
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      order[begin[features.first[batch[i] * features.coordinates + coordinate]]++] = i;
    }
    for (std::size_t span = spans; span > 0; --span) {  // each start was moved to the next one
      begin[span] = begin[span - 1];
    }
    begin[0] = 0;
  }
};

using Lanes [[gnu::vector_size(64)]] = double;  // one register with AVX-512, two with AVX2

[[gnu::always_inline]] inline void load(Lanes& to, const double* from) { std::memcpy(&to, from, sizeof to); }

/// The four columns of one span and sixteen lanes stay in registers while all records of the span pass.
[[gnu::always_inline]] inline void multiply_span(const Features& features, std::span<const std::uint32_t> batch,
                                                 std::size_t coordinate, std::span<const std::uint32_t> positions,
                                                 const double* columns, double* out) {
  Lanes a0{}, a1{}, b0{}, b1{}, c0{}, c1{}, d0{}, d1{}, x{}, y{};
  load(a0, columns);
  load(a1, columns + 8);
  load(b0, columns + lanes);
  load(b1, columns + lanes + 8);
  load(c0, columns + 2 * lanes);
  load(c1, columns + 2 * lanes + 8);
  load(d0, columns + 3 * lanes);
  load(d1, columns + 3 * lanes + 8);
  for (const std::uint32_t i : positions) {
    const double* v = features.values + (batch[i] * features.coordinates + coordinate) * cubic;
    double* o = out + i * lanes;
    load(x, o);
    load(y, o + 8);
    x += ((v[0] * a0 + v[1] * b0) + (v[2] * c0 + v[3] * d0));
    y += ((v[0] * a1 + v[1] * b1) + (v[2] * c1 + v[3] * d1));
    std::memcpy(o, &x, sizeof x);
    std::memcpy(o + 8, &y, sizeof y);
  }
}

/// One coordinate of one block: out[i] += sum_k value_k columns_k.
[[gnu::always_inline]] inline void multiply_block(const Features& features, std::span<const std::uint32_t> batch,
                                                  std::size_t coordinate, const BySpan& spans, const double* columns,
                                                  double* out) {
  for (std::size_t span = 0; span + 1 < spans.begin.size(); ++span) {
    const auto positions = spans.positions(span);
    if (features.order == cubic) {
      for (std::size_t part = 0; part < lanes; part += 16) {
        multiply_span(features, batch, coordinate, positions, columns + span * lanes + part, out + part);
      }
      continue;
    }
    for (const std::uint32_t i : positions) {
      const double* v = features.values + (batch[i] * features.coordinates + coordinate) * features.order;
      for (std::size_t k = 0; k < features.order; ++k) {
        for (std::size_t l = 0; l < lanes; ++l) {
          out[i * lanes + l] += v[k] * columns[(span + k) * lanes + l];
        }
      }
    }
  }
}

/// The four columns of one span and sixteen lanes, in registers over all records of the span.
[[gnu::always_inline]] inline void accumulate_span(const Features& features, std::span<const std::uint32_t> batch,
                                                   std::size_t coordinate, std::span<const std::uint32_t> positions,
                                                   const double* weights, const double* s, double* columns) {
  Lanes a0{}, a1{}, b0{}, b1{}, c0{}, c1{}, d0{}, d1{}, x{}, y{};
  for (const std::uint32_t i : positions) {
    const double* v = features.values + (batch[i] * features.coordinates + coordinate) * cubic;
    load(x, s + i * lanes);
    load(y, s + i * lanes + 8);
    const double a = weights[i] * v[0], b = weights[i] * v[1], c = weights[i] * v[2], d = weights[i] * v[3];
    a0 += a * x;
    a1 += a * y;
    b0 += b * x;
    b1 += b * y;
    c0 += c * x;
    c1 += c * y;
    d0 += d * x;
    d1 += d * y;
  }
  const auto add = [](double* to, const Lanes& first, const Lanes& second) {
    for (std::size_t l = 0; l < 8; ++l) {
      to[l] += first[l];
      to[8 + l] += second[l];
    }
  };
  add(columns, a0, a1);
  add(columns + lanes, b0, b1);
  add(columns + 2 * lanes, c0, c1);
  add(columns + 3 * lanes, d0, d1);
}

/// One coordinate of one block: columns_k += weight_i value_k s_i.
[[gnu::always_inline]] inline void accumulate_block(const Features& features, std::span<const std::uint32_t> batch,
                                                    std::size_t coordinate, const BySpan& spans, const double* weights,
                                                    const double* s, double* columns) {
  for (std::size_t span = 0; span + 1 < spans.begin.size(); ++span) {
    const auto positions = spans.positions(span);
    if (features.order == cubic) {
      for (std::size_t part = 0; part < lanes; part += 16) {
        accumulate_span(features, batch, coordinate, positions, weights, s + part, columns + span * lanes + part);
      }
      continue;
    }
    for (const std::uint32_t i : positions) {
      const double* v = features.values + (batch[i] * features.coordinates + coordinate) * features.order;
      for (std::size_t k = 0; k < features.order; ++k) {
        const double factor = weights[i] * v[k];
        for (std::size_t l = 0; l < lanes; ++l) {
          columns[(span + k) * lanes + l] += factor * s[i * lanes + l];
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
  void (*multiply)(const Features&, std::span<const std::uint32_t>, std::size_t, const BySpan&, const double*, double*);
  void (*accumulate)(const Features&, std::span<const std::uint32_t>, std::size_t, const BySpan&, const double*,
                     const double*, double*);
  void (*respond)(const Units&, std::size_t, std::size_t, double*, double*);
};

constexpr Variant baseline{
    [](const Features& f, std::span<const std::uint32_t> batch, std::size_t c, const BySpan& spans,
       const double* columns, double* out) { multiply_block(f, batch, c, spans, columns, out); },
    [](const Features& f, std::span<const std::uint32_t> batch, std::size_t c, const BySpan& spans,
       const double* weights, const double* s,
       double* columns) { accumulate_block(f, batch, c, spans, weights, s, columns); },
    [](const Units& units, std::size_t first, std::size_t used, double* cells, double* outputs) {
      respond_block(units, first, used, cells, outputs);
    }};

#if defined(__x86_64__)
#define DPCURVES_KAN_VARIANT(NAME, TARGET)                                                                             \
  [[gnu::target(TARGET)]] void multiply_##NAME(const Features& f, std::span<const std::uint32_t> batch, std::size_t c, \
                                               const BySpan& spans, const double* columns, double* out) {              \
    multiply_block(f, batch, c, spans, columns, out);                                                                  \
  }                                                                                                                    \
  [[gnu::target(TARGET)]] void accumulate_##NAME(const Features& f, std::span<const std::uint32_t> batch,              \
                                                 std::size_t c, const BySpan& spans, const double* weights,            \
                                                 const double* s, double* columns) {                                   \
    accumulate_block(f, batch, c, spans, weights, s, columns);                                                         \
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
  thread_local BySpan spans;
  std::fill_n(out, blocks(units) * batch.size() * lanes, 0.0);
  for (std::size_t c = 0; c < features.coordinates; ++c) {
    spans.sort(features, batch, c);
    for (std::size_t block = 0; block < blocks(units); ++block) {
      const std::size_t begin = block * lanes;
      const std::size_t used = std::min(lanes, units - begin);
      if (used < lanes) {
        std::fill_n(columns, features.width * lanes, 0.0);
      }
      for (std::size_t k = 0; k < features.width; ++k) {
        std::copy_n(w + (c * features.width + k) * units + begin, used, columns + k * lanes);
      }
      variant().multiply(features, batch, c, spans, columns, out + block * batch.size() * lanes);
    }
  }
}

void accumulate(const Features& features, std::span<const std::uint32_t> batch, const double* weights, const double* s,
                std::size_t units, double* gradient) {
  double* columns = columns_of(features.width);
  thread_local BySpan spans;
  for (std::size_t c = 0; c < features.coordinates; ++c) {
    spans.sort(features, batch, c);
    for (std::size_t block = 0; block < blocks(units); ++block) {
      const std::size_t begin = block * lanes;
      const std::size_t used = std::min(lanes, units - begin);
      std::fill_n(columns, features.width * lanes, 0.0);
      variant().accumulate(features, batch, c, spans, weights, s + block * batch.size() * lanes, columns);
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
