// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <Random123/philox.h>

#include <dpcurves/random/detail/philox.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using random::Counter;

TEST_CASE("Philox gives the published answers", "[random][philox]") {
  CHECK(random::philox({0, 0, 0, 0}, {0, 0}) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(random::philox({ones, ones, ones, ones}, {ones, ones}) ==
        Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(random::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Philox agrees with Random123 on a walk through counters and keys", "[random][philox]") {
  Counter counter{1, 2, 3, 4};
  random::Key key{5, 6};
  for (int i = 0; i < 10000; ++i) {
    const philox4x32_ctr_t their_counter{{counter[0], counter[1], counter[2], counter[3]}};
    const philox4x32_key_t their_key{{key[0], key[1]}};
    const philox4x32_ctr_t theirs = philox4x32(their_counter, their_key);
    const Counter ours = random::philox(counter, key);
    REQUIRE(ours == Counter{theirs[0], theirs[1], theirs[2], theirs[3]});
    counter = ours;
    key = {ours[3], ours[1] + static_cast<std::uint32_t>(i)};
  }
}
