// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The shards of one question as tasks, and what became of them. Knows nothing of MPI.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpcurves::tools::mpi {

/// Why a task failed, and with which exit code.
struct Failure {
  int code = 0;
  std::string message;
};

/// Tasks 0, 1, ... that are handed out once each, in order. Any thread may ask.
class Queue {
 public:
  /// \param open  the tasks that are to be done.
  explicit Queue(std::vector<std::size_t> open) : open_(std::move(open)) {}

  /// The next task; none when all are handed out or one has failed.
  [[nodiscard]] std::optional<std::size_t> next();
  void done();
  void failed(Failure failure);  ///< the first is kept

  [[nodiscard]] std::size_t finished() const;
  [[nodiscard]] std::optional<Failure> failure() const;

 private:
  mutable std::mutex guard_;
  std::vector<std::size_t> open_;
  std::size_t handed_out_ = 0, finished_ = 0;
  std::optional<Failure> failure_;
};

/// A folder with one file per finished shard of one question.
class Store {
 public:
  /// \param asked   the question, as in support/shard.hpp. \param shards  0: as many as the folder has, else `usual`.
  /// \throws DataError  if the folder cannot be made, or holds shards of another question or another number of them.
  Store(std::string folder, std::vector<std::string> asked, std::size_t shards, std::size_t usual);

  /// The same folder as another process sees it, which looks at no file.
  Store(std::string folder, std::size_t shards) : folder_(std::move(folder)), shards_(shards) {}

  [[nodiscard]] std::size_t shards() const { return shards_; }
  [[nodiscard]] std::string file(std::size_t shard) const;
  /// The shards that are not there, or damaged.
  [[nodiscard]] const std::vector<std::size_t>& open() const { return open_; }
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::string folder_;
  std::size_t shards_ = 0;
  std::vector<std::size_t> open_;
};

}  // namespace dpcurves::tools::mpi
