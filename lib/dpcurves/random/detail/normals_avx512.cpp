// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Eight lanes. Compiled with -mavx512f.
#include <immintrin.h>

#include <dpcurves/random/detail/box_muller_kernel.hpp>

namespace dpcurves::random {
namespace {

struct Avx512 {
  using D = __m512d;
  using I = unsigned long long __attribute__((vector_size(64)));
  static constexpr std::uint64_t lanes = 8;

  static D broadcast(double v) { return _mm512_set1_pd(v); }
  static I broadcast(std::uint64_t v) { return I{v, v, v, v, v, v, v, v}; }
  static I count() { return I{0, 1, 2, 3, 4, 5, 6, 7}; }
  static D sqrt(D v) { return _mm512_maskz_sqrt_pd(0xFF, v); }
  static I multiply(I a, I b) {
    return __builtin_bit_cast(
        I, _mm512_maskz_mul_epu32(0xFF, __builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
  }
  static void store(double* out, D a, D b) {
    const __m512i first = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0),
                  second = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    _mm512_storeu_pd(out, _mm512_permutex2var_pd(a, first, b));
    _mm512_storeu_pd(out + 8, _mm512_permutex2var_pd(a, second, b));
  }
};

}  // namespace

void normal_blocks_avx512(double* out, std::uint64_t blocks, const BlockAddress& address) {
  BoxMuller<Avx512>::run(out, blocks, address);
}

}  // namespace dpcurves::random
