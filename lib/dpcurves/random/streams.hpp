// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Random numbers as pure functions of (seed, purpose, path, index).
///
/// No engine is passed around: whoever needs draw number i of a path computes it. Results are the same bits for
/// every number of threads, every division of the work and every x86-64 machine. One counter block is
/// {block 64 bits, path 32, purpose 32} under the key `seed`; it gives two normals, two uniforms or two words.
/// Normals, uniforms and words of the same (seed, purpose, path, index) come from the same bits: give each use of
/// its own a purpose of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dpcurves::random {

/// What numbers are for: streams of different purposes are independent.
enum class Purpose : std::uint32_t {
  noise = 1,           ///< that an algorithm adds to gradients or releases
  sampling = 2,        ///< which records are in a batch; labels of drawn records
  initialisation = 3,  ///< weights and random projections
  data = 4,            ///< features of drawn records
  glyph_train = 5,     ///< of the training set of glyphs
  /// of the test set of glyphs
  glyph_test = 6
};

/// Fills `out` with independent standard normals number first, first + 1, ... of one path (Box-Muller).
///
/// Each is the transform of two uniforms with 52 bits: the tail ends at +-8.572, beyond which a normal falls
/// with probability 1.1e-17. Accuracy: within 2.5e-16 (1 + radius) of that transform, radius = sqrt(a^2 + b^2) of
/// the pair. Cost: about 2.5 ns per number with AVX-512, 4 ns with AVX2, 8 ns without.
void normals(std::span<double> out, std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first);

/// Fills `out` with independent uniforms on the open interval (0, 1): odd multiples of 2^-53.
void uniforms(std::span<double> out, std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first);

/// A sequence of random 64-bit words and integers that starts at a given block of a path.
class Words {
 public:
  /// \param first_block  two words per block; sequences that start 2^32 blocks apart do not meet.
  Words(std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first_block)
      : seed_(seed), purpose_(purpose), path_(path), block_(first_block) {}

  [[nodiscard]] std::uint64_t next();  ///< The next word.

  /// Uniform on {0, ..., n - 1}, without bias: words that would cause one are passed over.
  /// \throws DomainError  unless n >= 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t path_;
  std::uint64_t block_;
  std::uint64_t spare_ = 0;
  bool has_spare_ = false;
};

/// Fills `out` with a uniformly random set of out.size() of the numbers {0, ..., n - 1}, in random order.
/// \throws DomainError  if the set is larger than n.
/// Cost: O(size) draws; a hash set of `size` numbers unless size is near n.
void subset(std::span<std::uint32_t> out, std::uint32_t n, Words& words);

/// Which variant of the generator runs.
enum class InstructionSet { sse2, avx2, avx512 };

/// The variants this machine can run; the last one is what normals() uses.
[[nodiscard]] const std::vector<InstructionSet>& instruction_sets();

/// normals() by a named variant: the same bits, for tests and measurements.
/// \throws DomainError  if this machine cannot run it.
void normals(std::span<double> out, std::uint64_t seed, Purpose purpose, std::uint32_t path, std::uint64_t first,
             InstructionSet variant);

}  // namespace dpcurves::random
