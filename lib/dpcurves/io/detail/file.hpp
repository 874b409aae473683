// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Whole files in and out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dpcurves::io {

/// Writes `content` to `path` whole or not at all.
///
/// A regular file is written under a temporary name in the same folder, flushed to the disk and renamed, so that a
/// reader sees the old or the new content and never a part; its permissions stay. A symbolic link keeps pointing to
/// the file that changes. What is no regular file (a pipe, a terminal, a device) is written directly.
/// \throws DataError  with path and reason (no such folder, no permission, disk full); nothing is left behind.
void write_file(const std::string& path, std::string_view content);

/// Throws what write_file would throw now for want of a folder or a permission: for before long work. Writes nothing.
void check_writable(const std::string& path);

/// For a process that is about to end while other threads may be writing: removes every temporary file, and lets no
/// write_file make, rename or remove one after that (they wait for the end of the process).
void abandon_writes() noexcept;

/// The most that read_file reads of a file unless told otherwise, 1 GiB.
constexpr std::size_t largest_file = std::size_t{1} << 30U;

/// The bytes of a file, or of a pipe or device until it ends.
/// \throws DataError  with path and reason; among them that there are more bytes than `largest`, which a regular file
///                    says before anything is read, and anything else after `largest` bytes.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t largest = largest_file);

/// The same of an open descriptor, which messages call `name`; it stays open.
[[nodiscard]] std::string read_descriptor(int descriptor, std::string_view name, std::size_t largest = largest_file);

/// For readers of text, before they say something less helpful of UTF-16.
/// \throws UsageError  "source: UTF-16; save the file as UTF-8" for a text that starts with its mark, or with two bytes
/// of which one is zero.
void refuse_utf16(std::string_view text, std::string_view source);

}  // namespace dpcurves::io
