// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Loops whose pieces are computed by several processes, and put together by one.
///
/// A loop says which values each of its pieces writes. A process that computes one share runs its pieces only and
/// keeps their values. The one that merges runs the same program with the values of every piece read instead of
/// computed: what follows the loop is the same code on the same bits, and so is the answer.
///
/// What a program may do between its shared loops: anything, as long as no piece of a later loop depends on the values
/// of an earlier one, because a share has none of the others' values. It has stand-ins: those of one of its own pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/core/archive.hpp>
#include <dpcurves/core/parallel.hpp>

namespace dpcurves {

/// One of `count` equal shares; piece i of a loop, counted through all loops, belongs to share i modulo count.
struct Share {
  std::size_t index = 0;  ///< from 0
  std::size_t count = 1;  ///< at least 1
};

/// The values of pieces of one loop.
struct LoopValues {
  std::uint64_t pieces = 0;                                   ///< that the loop has
  std::vector<std::pair<std::uint64_t, std::string>> values;  ///< piece and bytes, in the order of the pieces
};
/// Writes or reads them.
void transfer(Archive& archive, LoopValues& loop);

/// Thrown where a share has run its last loop: the rest of the program is for who merges.
struct ShareComputed {};

/// The loops of a program in the order in which it runs them.
using SharedValues = std::vector<LoopValues>;

/// While one lives, the shared loops of this thread are computed in part, or read. One inside a piece is computed
/// whole.
class Sharing {
 public:
  /// Loops compute this share. \throws DomainError  unless index < count.
  explicit Sharing(Share share);
  /// Loops read the values of all their pieces.
  explicit Sharing(SharedValues all);
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  /// What was computed so far.
  [[nodiscard]] const SharedValues& computed() const { return values_; }
  /// Whether one lives in this thread, and no piece of a loop is being run.
  [[nodiscard]] static bool active();
  /// Whether one lives that computes a share: what follows its loops is no answer.
  [[nodiscard]] static bool partial();
  /// Says that no shared loop follows. \throws ShareComputed  where partial().
  static void last_loop_done();
  /// Says that the next shared loop is the last: a share without a piece of it computes none for a stand-in.
  static void last_loop_follows();
  /// Says the same of the next shared loop, whatever follows: what it writes may stay as it was before.
  static void next_loop_needs_no_stand_in();

 private:
  friend void shared_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                         const std::function<void(std::size_t, Archive&)>& values, const Progress& progress);
  void compute(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
               const std::function<void(std::size_t, Archive&)>& values, const Progress& progress);
  void read(std::size_t count, const std::function<void(std::size_t, Archive&)>& values);

  Share share_;
  bool reads_ = false, last_ = false, bare_ = false;
  std::size_t next_loop_ = 0;        // that is read
  std::uint64_t pieces_before_ = 0;  // of all loops before this one
  SharedValues values_;
  Sharing* outer_ = nullptr;
};

/// While one lives, the loops of this thread are computed whole: those whose values other loops depend on.
class Whole {
 public:
  Whole();
  ~Whole();
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

 private:
  Sharing* outer_;
};

/// The shares' values of a program as one. \param shares  in the order of their indices, of one and the same program.
/// \throws DataError  where a piece is missing or doubled, or the loops differ. Cost: a copy of the values.
[[nodiscard]] SharedValues merged(const std::vector<SharedValues>& shares);

/// parallel_for over pieces that other processes may compute.
///
/// \param work    as for parallel_for; piece i may depend on nothing that another shared loop computes.
/// \param values  names the values that piece i writes, to a writing or reading Archive: all that is read later.
/// \throws DataError  if what is read is not of this loop; and what parallel_for throws.
void shared_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                const std::function<void(std::size_t, Archive&)>& values, const Progress& progress = {});

}  // namespace dpcurves
