// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "queue.hpp"

#include <filesystem>
#include <utility>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>

#include "support/common.hpp"
#include "support/shard.hpp"

namespace dpcurves::tools::mpi {

namespace fs = std::filesystem;

std::optional<std::size_t> Queue::next() {
  const std::lock_guard lock(guard_);
  if (failure_ || handed_out_ == open_.size()) {
    return std::nullopt;
  }
  return open_[handed_out_++];
}

void Queue::done() {
  const std::lock_guard lock(guard_);
  ++finished_;
}

void Queue::failed(Failure failure) {
  const std::lock_guard lock(guard_);
  if (!failure_) {
    failure_ = std::move(failure);
  }
}

std::size_t Queue::finished() const {
  const std::lock_guard lock(guard_);
  return finished_;
}

std::optional<Failure> Queue::failure() const {
  const std::lock_guard lock(guard_);
  return failure_;
}

Store::Store(std::string folder, std::vector<std::string> asked, std::size_t shards, std::size_t usual)
    : folder_(std::move(folder)), shards_(shards) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw DataError("--directory: cannot make " + folder_ + ": " + error.message());
  }
  std::vector<bool> there;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".shard") {
      continue;
    }
    try {
      const Shard shard = read_shard(entry.path().string());
      if (shard.question.asked != asked) {
        throw UsageError("--directory: " + folder_ + " holds shards of another question,\n  " +
                         command_line(shard.question.asked));
      }
      shards_ = shards_ == 0 ? shard.share.count : shards_;
      if (shard.share.count != shards_) {
        throw UsageError("--shards: " + folder_ + " holds shards of " + std::to_string(shard.share.count));
      }
      there.resize(shards_);
      there[shard.share.index] = entry.path() == fs::path(file(shard.share.index));
    } catch (const DataError&) {  // it is computed again
    }
  }
  shards_ = shards_ == 0 ? usual : shards_;
  there.resize(shards_);
  for (std::size_t i = 0; i < shards_; ++i) {
    if (!there[i]) {
      open_.push_back(i);
    }
  }
}

std::string Store::file(std::size_t shard) const {
  return folder_ + "/" + std::to_string(shard + 1) + "-of-" + std::to_string(shards_) + ".shard";
}

std::vector<std::string> Store::files() const {
  return mapped(shards_, [&](std::size_t i) { return file(i); });
}

}  // namespace dpcurves::tools::mpi
