// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::rigorous {
namespace {

constexpr double round_by = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer, in the last bits

// log 2 and pi / 2 in parts of 32 bits and a rest: k * part is exact for |k| < 2^21.
constexpr double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
constexpr double half_pi_1 = 0x1.921fb544p+0, half_pi_2 = 0x1.0b4611a6p-34, half_pi_3 = 0x1.3198a2e037073p-69;

/// e^x / 2^k and 2^k
[[gnu::always_inline]] inline double exponential(double x) {
  x = x < -700.0 ? -700.0 : x;
  const double shifted = x * 1.4426950408889634 + round_by, k = shifted - round_by;
  const double r = (x - k * log2_high) - k * log2_low;
  double p = 1.0 / 6227020800.0;
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
  const auto two_to_k = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U);
  return p * two_to_k;
}

struct Polar {
  double re, im;
};

[[gnu::always_inline]] inline Polar polar_exponential(double x, double y) {
  const double size = exponential(x);
  const double shifted = y * 0.63661977236758134 + round_by, k = shifted - round_by;
  const double s = ((y - k * half_pi_1) - k * half_pi_2) - k * half_pi_3, t = s * s;
  double c = -1.0 / 6402373705728000.0;
  c = c * t + 1.0 / 20922789888000.0;
  c = c * t - 1.0 / 87178291200.0;
  c = c * t + 1.0 / 479001600.0;
  c = c * t - 1.0 / 3628800.0;
  c = c * t + 1.0 / 40320.0;
  c = c * t - 1.0 / 720.0;
  c = c * t + 1.0 / 24.0;
  c = c * t - 0.5;
  c = c * t + 1.0;
  double d = 1.0 / 355687428096000.0;
  d = d * t - 1.0 / 1307674368000.0;
  d = d * t + 1.0 / 6227020800.0;
  d = d * t - 1.0 / 39916800.0;
  d = d * t + 1.0 / 362880.0;
  d = d * t - 1.0 / 5040.0;
  d = d * t + 1.0 / 120.0;
  d = d * t - 1.0 / 6.0;
  d = d * t + 1.0;
  d = d * s;
  // quarter turns: k odd exchanges, k of 1, 2 (mod 4) and 2, 3 (mod 4) change the signs
  const auto bits = std::bit_cast<std::uint64_t>(shifted);
  const std::uint64_t odd = 0U - (bits & 1U);
  const auto cb = std::bit_cast<std::uint64_t>(c), db = std::bit_cast<std::uint64_t>(d);
  const std::uint64_t cosine = (cb & ~odd) | (db & odd), sine = (db & ~odd) | (cb & odd);
  const std::uint64_t minus_c = ((bits + 1U) & 2U) << 62U, minus_s = (bits & 2U) << 62U;
  return {size * std::bit_cast<double>(cosine ^ minus_c), size * std::bit_cast<double>(sine ^ minus_s)};
}

[[gnu::always_inline]] inline Polar small_less_one(double x, double y) {
  double re = 1.0 / 479001600.0, im = 0.0;
  const auto step = [&](double term) {
    const double next = re * x - im * y + term;
    im = re * y + im * x;
    re = next;
  };
  step(1.0 / 39916800.0);
  step(1.0 / 3628800.0);
  step(1.0 / 362880.0);
  step(1.0 / 40320.0);
  step(1.0 / 5040.0);
  step(1.0 / 720.0);
  step(1.0 / 120.0);
  step(1.0 / 24.0);
  step(1.0 / 6.0);
  step(0.5);
  step(1.0);
  step(0.0);
  return {re, im};
}

constexpr std::size_t width = 8;  // numbers at once, read before any is written
using Row = std::array<double, width>;

[[gnu::always_inline]] inline void all_exponentials(std::size_t count, const double* x, double* out) {
  for (std::size_t from = 0; from < count; from += width) {
    const std::size_t n = std::min(width, count - from);
    Row v{};
    std::copy_n(x + from, n, v.begin());
    for (std::size_t i = 0; i < width; ++i) {
      v[i] = exponential(v[i]);
    }
    std::copy_n(v.begin(), n, out + from);
  }
}

template <Polar (*at)(double, double)>
[[gnu::always_inline]] inline void all_of_pairs(std::size_t count, const double* x, const double* y, double* re,
                                                double* im) {
  for (std::size_t from = 0; from < count; from += width) {
    const std::size_t n = std::min(width, count - from);
    Row v{}, turn{};
    std::copy_n(x + from, n, v.begin());
    std::copy_n(y + from, n, turn.begin());
    for (std::size_t i = 0; i < width; ++i) {
      const Polar p = at(v[i], turn[i]);
      v[i] = p.re;
      turn[i] = p.im;
    }
    std::copy_n(v.begin(), n, re + from);
    std::copy_n(turn.begin(), n, im + from);
  }
}

// The same operations on four at once, and on what every machine has: the same bits.
[[gnu::target("avx2")]] void exponentials_wide(std::size_t count, const double* x, double* out) {
  all_exponentials(count, x, out);
}
[[gnu::target("avx2")]] void polar_wide(std::size_t count, const double* x, const double* y, double* re, double* im) {
  all_of_pairs<polar_exponential>(count, x, y, re, im);
}
[[gnu::target("avx2")]] void less_one_wide(std::size_t count, const double* x, const double* y, double* re,
                                           double* im) {
  all_of_pairs<small_less_one>(count, x, y, re, im);
}

}  // namespace

void exponentials(std::size_t count, const double* x, double* out, Width instruction) {
  instruction == Width::four ? exponentials_wide(count, x, out) : all_exponentials(count, x, out);
}

void polar_exponentials(std::size_t count, const double* x, const double* y, double* re, double* im,
                        Width instruction) {
  instruction == Width::four ? polar_wide(count, x, y, re, im) : all_of_pairs<polar_exponential>(count, x, y, re, im);
}

void exponentials_less_one(std::size_t count, const double* x, const double* y, double* re, double* im,
                           Width instruction) {
  instruction == Width::four ? less_one_wide(count, x, y, re, im) : all_of_pairs<small_less_one>(count, x, y, re, im);
}

}  // namespace dpcurves::rigorous
