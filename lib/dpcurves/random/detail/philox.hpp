// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Philox4x32-10, the counter-based generator: a bijection of 128-bit counters chosen by a 64-bit key.
///
/// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
/// Tested word for word against the Random123 library.
#pragma once

#include <array>
#include <cstdint>

namespace dpcurves::random {

using Counter = std::array<std::uint32_t, 4>;  ///< least significant word first
using Key = std::array<std::uint32_t, 2>;      ///< least significant word first

/// Multipliers and key increments of the rounds.
inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53U;  ///< of the words 0
inline constexpr std::uint32_t philox_multiplier_1 = 0xCD9E8D57U;  ///< of the words 2
inline constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9U;        ///< added to the key's first word each round
inline constexpr std::uint32_t philox_weyl_1 = 0xBB67AE85U;        ///< added to its second word
inline constexpr int philox_rounds = 10;                           ///< the published number for full strength

/// The four random words that belong to `counter` under `key`. Cost: about 12 ns.
[[nodiscard]] constexpr Counter philox(Counter counter, Key key) {
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t product_0 = std::uint64_t{philox_multiplier_0} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{philox_multiplier_1} * counter[2];
    counter = {
        static_cast<std::uint32_t>(product_1 >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product_1),
        static_cast<std::uint32_t>(product_0 >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product_0)};
    key[0] += philox_weyl_0;
    key[1] += philox_weyl_1;
  }
  return counter;
}

}  // namespace dpcurves::random
