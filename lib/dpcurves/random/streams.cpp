// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

#include <dpcurves/core/error.hpp>
#include <dpcurves/random/detail/kernels.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::random {
namespace {

using Kernel = void (*)(double*, std::uint64_t, const BlockAddress&);

Kernel kernel(InstructionSet variant) {
  switch (variant) {
    case InstructionSet::avx2:
      return normal_blocks_avx2;
    case InstructionSet::avx512:
      return normal_blocks_avx512;
    case InstructionSet::sse2:
      break;
  }
  return normal_blocks_sse2;
}

void fill(std::span<double> out, BlockAddress address, std::uint64_t first, Kernel blocks) {
  address.first_block = first / 2;
  std::array<double, 2> pair{};
  if (first % 2 == 1 && !out.empty()) {
    blocks(pair.data(), 1, address);
    out[0] = pair[1];
    out = out.subspan(1);
    ++address.first_block;
  }
  const std::uint64_t whole = out.size() / 2;
  blocks(out.data(), whole, address);
  if (out.size() % 2 == 1) {
    address.first_block += whole;
    blocks(pair.data(), 1, address);
    out.back() = pair[0];
  }
}

/// The two 64-bit words of one block.
std::array<std::uint64_t, 2> block_words(const BlockAddress& address) {
  const Counter words =
      philox({static_cast<std::uint32_t>(address.first_block), static_cast<std::uint32_t>(address.first_block >> 32U),
              address.path, address.purpose},
             {static_cast<std::uint32_t>(address.seed), static_cast<std::uint32_t>(address.seed >> 32U)});
  return {words[0] | std::uint64_t{words[1]} << 32U, words[2] | std::uint64_t{words[3]} << 32U};
}

}  // namespace

void normals(std::span<double> out, std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first) {
  static const Kernel best = kernel(instruction_sets().back());
  fill(out, {seed, static_cast<std::uint32_t>(purpose), path, 0}, first, best);
}

void normals(std::span<double> out, std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first,
             InstructionSet variant) {
  const auto& known = instruction_sets();
  if (std::find(known.begin(), known.end(), variant) == known.end()) {
    throw DomainError("normals: this machine lacks the instruction set asked for");
  }
  fill(out, {seed, static_cast<std::uint32_t>(purpose), path, 0}, first, kernel(variant));
}

void uniforms(std::span<double> out, std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first) {
  BlockAddress address{seed, static_cast<std::uint32_t>(purpose), path, first / 2};
  for (std::size_t i = 0; i < out.size(); ++address.first_block) {
    const auto words = block_words(address);
    for (std::size_t half = i == 0 ? first % 2 : 0; half < 2 && i < out.size(); ++half, ++i) {
      out[i] = static_cast<double>(words[half] >> 12U) * 0x1p-52 + 0x1p-53;
    }
  }
}

std::uint64_t Words::next() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const auto words = block_words({seed_, static_cast<std::uint32_t>(purpose_), path_, block_++});
  spare_ = words[1];
  has_spare_ = true;
  return words[0];
}

std::uint64_t Words::below(std::uint64_t n) {
  require_domain(n >= 1, "n", static_cast<double>(n), "[1, 2^64)");
  // The upper half of word * n, where the lower half is not among the 2^64 mod n values that occur once too often.
  for (;;) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(next()) * n;
    const auto low = static_cast<std::uint64_t>(product);
    if (low >= n || low >= (0 - n) % n) {
      return static_cast<std::uint64_t>(product >> 64U);
    }
  }
}

void subset(std::span<std::uint32_t> out, std::uint32_t n, Words& words) {
  require_domain(out.size() <= n, "size of the set", static_cast<double>(out.size()), "[0, n]");
  const std::size_t size = out.size();
  if (size > n / 4 || size > 4096) {
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0U);
    for (std::size_t i = 0; i < size; ++i) {
      std::swap(all[i], all[i + words.below(n - i)]);
      out[i] = all[i];
    }
    return;
  }
  // At most a quarter is taken: draw again what is there already.
  if (size <= 32) {
    for (std::size_t i = 0; i < size; ++i) {
      do {
        out[i] = static_cast<std::uint32_t>(words.below(n));
      } while (std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i), out[i]) !=
               out.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return;
  }
  std::unordered_set<std::uint32_t> taken(2 * size);
  for (std::uint32_t& chosen : out) {
    do {
      chosen = static_cast<std::uint32_t>(words.below(n));
    } while (!taken.insert(chosen).second);
  }
}

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> known = [] {
    std::vector<InstructionSet> sets{InstructionSet::sse2};
    if (__builtin_cpu_supports("avx2")) {
      sets.push_back(InstructionSet::avx2);
    }
    if (__builtin_cpu_supports("avx512f")) {
      sets.push_back(InstructionSet::avx512);
    }
    return sets;
  }();
  return known;
}

}  // namespace dpcurves::random
