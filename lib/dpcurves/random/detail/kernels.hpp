// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The compiled variants of the normal generator (not installed).
#pragma once

#include <cstdint>

#include <dpcurves/random/detail/philox.hpp>

namespace dpcurves::random {

/// Where a run of blocks begins.
struct BlockAddress {
  std::uint64_t seed;         ///< the key of the generator
  std::uint32_t purpose;      ///< Purpose as a number
  std::uint32_t path;         ///< number of the path
  std::uint64_t first_block;  ///< a block gives two normals
};

/// Writes 2 * blocks standard normals; the variants give the same bits.
void normal_blocks_sse2(double* out, std::uint64_t blocks, const BlockAddress& address);
void normal_blocks_avx2(double* out, std::uint64_t blocks, const BlockAddress& address);    ///< needs AVX2
void normal_blocks_avx512(double* out, std::uint64_t blocks, const BlockAddress& address);  ///< needs AVX-512F

}  // namespace dpcurves::random
