// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Which files an answer rests on: what read_file read, by checksum.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace dpcurves::io {

/// FNV-1a, 64 bits: against accidents, not against forgery. Cost: about 1 ns a byte.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

/// While one lives, the checksum of every file that read_file reads, from any thread. One at a time.
class Readings {
 public:
  Readings();
  ~Readings();
  Readings(const Readings&) = delete;
  Readings& operator=(const Readings&) = delete;

  /// Path, as it was given, and checksum of what was read so far.
  [[nodiscard]] std::map<std::string, std::uint64_t> files() const;
  /// Tells the one that lives, if any.
  static void note(const std::string& path, std::string_view bytes);

 private:
  mutable std::mutex guard_;
  std::map<std::string, std::uint64_t> files_;
};

}  // namespace dpcurves::io
