// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled with -mavx2 -mfma.
#include <cstdint>

#include <immintrin.h>

namespace dpcurves::models::kernels {
namespace {

using Doubles [[gnu::vector_size(32)]] = double;
using Integers [[gnu::vector_size(32)]] = std::int64_t;

inline Doubles fma(const Doubles& a, const Doubles& b, const Doubles& c) { return _mm256_fmadd_pd(a, b, c); }

}  // namespace
}  // namespace dpcurves::models::kernels

#include <dpcurves/models/detail/kan_loops.hpp>

const dpcurves::models::kernels::Loops dpcurves::models::kernels::avx2_loops = Machine<Doubles, Integers>::loops;
