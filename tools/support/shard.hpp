// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Shards: files with a share of a question's runs, and the answer from all of them.
///
/// A shard keeps the question (arguments, version, and checksums of the files it reads) and the values of the pieces
/// that were computed. Merging runs the same command again with the values of every piece read, so that its answer has
/// the bytes of one process; only wall times and the date are the clock's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/share.hpp>

namespace dpcurves::tools {

/// A command line by what it asks and what it shows.
struct Question {
  std::vector<std::string> asked;  ///< without what follows, and without --output, --threads, --quiet
  std::vector<std::string> shown;  ///< --format, --plot, --report, --junit: the answer's, not the question's
  std::map<std::string, std::uint64_t> files;  ///< that were read, by checksum
};

/// One share of a question's runs.
struct Shard {
  std::string version;
  Question question;
  Share share;
  double seconds = 0.0;  ///< processor time of the process
  SharedValues values;
};

/// Takes --shard I/N out of the arguments. \return none without it. \throws UsageError  unless 1 <= I <= N <= 10^6.
[[nodiscard]] std::optional<Share> take_shard(std::vector<std::string>& arguments);

/// The question of a command line without --shard; its files are not known yet.
[[nodiscard]] Question question_of(const std::vector<std::string>& arguments);

/// Runs a command line, as run_command does.
using RunArguments = std::function<int(const std::vector<std::string>&)>;

/// Computes a share and writes it to the file of --output, whole or not at all.
/// \throws UsageError  without --output, or for a question of which nothing is shared; and what the command throws.
void compute_shard(const std::vector<std::string>& arguments, Share share, const RunArguments& run);

/// \throws DataError  for what is no shard, ends early, is damaged or of another version: with the file's name.
[[nodiscard]] Shard read_shard(const std::string& file);

/// The answer to the question of the shards. \param own  arguments that take the place of the shards' own: --format,
/// --output, --threads, --quiet. \return the exit code of the command.
/// \throws DataError  for shards of other questions, missing or doubled ones, and files that have changed.
[[nodiscard]] int merge_shards(const std::vector<std::string>& files, const std::vector<std::string>& own,
                               const RunArguments& run);

}  // namespace dpcurves::tools
