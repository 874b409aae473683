// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Four lanes. Compiled with -mavx2.
#include <immintrin.h>

#include <dpcurves/random/detail/box_muller_kernel.hpp>

namespace dpcurves::random {
namespace {

struct Avx2 {
  using D = __m256d;
  using I = unsigned long long __attribute__((vector_size(32)));
  static constexpr std::uint64_t lanes = 4;

  static D broadcast(double v) { return _mm256_set1_pd(v); }
  static I broadcast(std::uint64_t v) { return I{v, v, v, v}; }
  static I count() { return I{0, 1, 2, 3}; }
  static D sqrt(D v) { return _mm256_sqrt_pd(v); }
  static I multiply(I a, I b) {
    return __builtin_bit_cast(I, _mm256_mul_epu32(__builtin_bit_cast(__m256i, a), __builtin_bit_cast(__m256i, b)));
  }
  static void store(double* out, D a, D b) {
    const D low = _mm256_unpacklo_pd(a, b), high = _mm256_unpackhi_pd(a, b);
    _mm256_storeu_pd(out, _mm256_permute2f128_pd(low, high, 0x20));
    _mm256_storeu_pd(out + 4, _mm256_permute2f128_pd(low, high, 0x31));
  }
};

}  // namespace

void normal_blocks_avx2(double* out, std::uint64_t blocks, const BlockAddress& address) {
  BoxMuller<Avx2>::run(out, blocks, address);
}

}  // namespace dpcurves::random
