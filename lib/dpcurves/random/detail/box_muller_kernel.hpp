// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Blocks of Philox words turned into pairs of standard normals, several blocks at a time (not installed).
///
/// Compiled once per instruction set: `Isa` names the vector types and the few operations that the vector extensions
/// of the compilers lack. Every arithmetic operation is one of +, -, *, /, sqrt, each correctly rounded, in one fixed
/// order and without contraction: all instruction sets give the same bits. No function of the standard
/// library is called here: an inline one, compiled for a newer machine, could be linked into the rest of the library.
///
/// Logarithm and sine are our own polynomials, made by data/generate/normal_polynomials.py.
#pragma once

#include <dpcurves/random/detail/kernels.hpp>

namespace dpcurves::random {
namespace {

template <class Isa>
struct BoxMuller {
  using D = typename Isa::D;
  using I = typename Isa::I;

  static D as_double(I v) { return __builtin_bit_cast(D, v); }
  static I as_bits(D v) { return __builtin_bit_cast(I, v); }
  static D constant(double v) { return Isa::broadcast(v); }
  static I word(std::uint64_t v) { return Isa::broadcast(v); }
  static I select(I mask, I yes, I no) { return (mask & yes) | (~mask & no); }

  /// -2 log u for the u in (0, 1) with 53 bits, relative error below 5e-16.
  static D minus_two_log(D u) {
    constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCDULL;  // bits of sqrt(1/2)
    constexpr std::uint64_t one = 0x3FF0000000000000ULL, two_to_52 = 0x4330000000000000ULL;
    const I bits = as_bits(u) + word(one - root_half);
    // u = 2^e m, m in [sqrt(1/2), sqrt(2))
    const D e = as_double((bits >> 52) | word(two_to_52)) - constant(0x1p52 + 1023.0);
    const D m = as_double((bits & word(0x000FFFFFFFFFFFFFULL)) + word(root_half));
    const D f = m - constant(1.0);
    const D s = f / (constant(2.0) + f);
    const D z = s * s;
    D p = constant(0x1.2b584aae78a57p-3);
    p = p * z + constant(0x1.39fe606542ddep-3);
    p = p * z + constant(0x1.7462b4ab2ef6bp-3);
    p = p * z + constant(0x1.c71c62e5800a1p-3);
    p = p * z + constant(0x1.2492492df148dp-2);
    p = p * z + constant(0x1.99999999952e2p-2);
    p = p * z + constant(0x1.5555555555558p-1);
    // e times the upper 41 bits of log 2 is exact.
    const D small = s * z * p + e * constant(0x1.3de6af278ece6p-42);
    const D log = e * constant(0x1.62e42fefa3000p-1) + ((s + s) + small);
    return constant(-2.0) * log;
  }

  /// Two independent standard normals per lane from two 64-bit words.
  static void transform(I first, I second, D& a, D& b) {
    constexpr std::uint64_t one = 0x3FF0000000000000ULL, sign = 0x8000000000000000ULL;
    // The upper 52 bits k of the first word: u = (k + 1/2) 2^-52, never 0 nor 1.
    const D u = (as_double((first >> 12) | word(one)) - constant(1.0)) + constant(0x1p-53);
    const D radius = Isa::sqrt(minus_two_log(u));
    // The upper 52 bits of the second word: y in (-1/2, 1/2), an angle of y quarter turns.
    const D y = (as_double((second >> 12) | word(one)) - constant(1.5)) + constant(0x1p-53);
    const D z = y * y;
    D sine = constant(0x1.e3f38399551bfp-25);
    sine = sine * z + constant(-0x1.e30071afc3e59p-19);
    sine = sine * z + constant(0x1.50782fda12d96p-13);
    sine = sine * z + constant(-0x1.32d2cce2e5b19p-8);
    sine = sine * z + constant(0x1.466bc677587f8p-4);
    sine = sine * z + constant(-0x1.4abbce625be41p-1);
    sine = y * (sine * z + constant(0x1.921fb54442d18p+0));
    D cosine = constant(-0x1.b2f3eb054afcdp-28);
    cosine = cosine * z + constant(0x1.f9ce245cada0bp-22);
    cosine = cosine * z + constant(-0x1.a6d1eef479be1p-16);
    cosine = cosine * z + constant(0x1.e1f5068688d5bp-11);
    cosine = cosine * z + constant(-0x1.55d3c7e3cb241p-6);
    cosine = cosine * z + constant(0x1.03c1f081b5ac0p-2);
    cosine = cosine * z + constant(-0x1.3bd3cc9be45dep+0);
    cosine = cosine * z + constant(1.0);
    // The lowest two bits, not used above, are the number of whole quarter turns.
    const I swapped = word(std::uint64_t{0}) - (second & word(std::uint64_t{1}));
    const I x_part = select(swapped, as_bits(sine), as_bits(cosine));
    const I y_part = select(swapped, as_bits(cosine), as_bits(sine));
    a = radius * as_double(x_part ^ ((second ^ (second >> 1)) << 63));
    b = radius * as_double(y_part ^ ((second << 62) & word(sign)));
  }

  static void run(double* out, std::uint64_t blocks, const BlockAddress& address) {
    I key_0[philox_rounds], key_1[philox_rounds];
    for (std::uint32_t round = 0; round < philox_rounds; ++round) {
      key_0[round] = word(std::uint64_t{static_cast<std::uint32_t>(address.seed) + round * philox_weyl_0});
      key_1[round] = word(std::uint64_t{static_cast<std::uint32_t>(address.seed >> 32U) + round * philox_weyl_1});
    }
    const I multiplier_0 = word(std::uint64_t{philox_multiplier_0});
    const I multiplier_1 = word(std::uint64_t{philox_multiplier_1});
    const I low_word = word(std::uint64_t{0xFFFFFFFFU});
    I block = word(address.first_block) + Isa::count();
    for (std::uint64_t done = 0; done < blocks; done += Isa::lanes) {
      // Each word is the lower half of a lane; what collects in the upper halves is never read.
      I w0 = block, w1 = block >> 32;
      I w2 = word(std::uint64_t{address.path}), w3 = word(std::uint64_t{address.purpose});
      for (int round = 0; round < philox_rounds; ++round) {
        const I product_0 = Isa::multiply(w0, multiplier_0);
        const I product_1 = Isa::multiply(w2, multiplier_1);
        w0 = (product_1 >> 32) ^ w1 ^ key_0[round];
        w1 = product_1;
        w2 = (product_0 >> 32) ^ w3 ^ key_1[round];
        w3 = product_0;
      }
      D a, b;
      transform((w0 & low_word) | (w1 << 32), (w2 & low_word) | (w3 << 32), a, b);
      if (blocks - done >= Isa::lanes) {
        Isa::store(out + 2 * done, a, b);
      } else {
        double rest[2 * Isa::lanes];
        Isa::store(rest, a, b);
        for (std::uint64_t i = 0; i < 2 * (blocks - done); ++i) {
          out[2 * done + i] = rest[i];
        }
      }
      block += word(std::uint64_t{Isa::lanes});
    }
  }
};

}  // namespace
}  // namespace dpcurves::random
