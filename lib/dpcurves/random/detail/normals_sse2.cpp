// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Two lanes: what every x86-64 machine has.
#include <emmintrin.h>

#include <dpcurves/random/detail/box_muller_kernel.hpp>

namespace dpcurves::random {
namespace {

struct Sse2 {
  using D = __m128d;
  using I = unsigned long long __attribute__((vector_size(16)));
  static constexpr std::uint64_t lanes = 2;

  static D broadcast(double v) { return _mm_set1_pd(v); }
  static I broadcast(std::uint64_t v) { return I{v, v}; }
  static I count() { return I{0, 1}; }
  static D sqrt(D v) { return _mm_sqrt_pd(v); }
  static I multiply(I a, I b) {
    return __builtin_bit_cast(I, _mm_mul_epu32(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
  }
  static void store(double* out, D a, D b) {
    _mm_storeu_pd(out, _mm_unpacklo_pd(a, b));
    _mm_storeu_pd(out + 2, _mm_unpackhi_pd(a, b));
  }
};

}  // namespace

void normal_blocks_sse2(double* out, std::uint64_t blocks, const BlockAddress& address) {
  BoxMuller<Sse2>::run(out, blocks, address);
}

}  // namespace dpcurves::random
