// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Arrays of bytes in the IDX format, in which public sets of labelled images are distributed.
///
/// A file is a magic number (two zero bytes, the type 0x08 of unsigned bytes, the number of dimensions), the lengths of
/// the dimensions as big-endian 32-bit numbers, and the entries, the last dimension fastest. Images have magic number
/// 0x00000803 and lengths (images, rows, columns), labels 0x00000801 and one length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::io {

/// What a file holds: its dimensions.
enum class IdxKind : std::uint32_t { labels = 1, images = 3 };

/// What a file holds.
struct IdxArray {
  std::vector<std::size_t> lengths;   ///< {count} of labels, {count, rows, columns} of images; none is 0
  std::vector<std::uint8_t> entries;  ///< as many as the product of the lengths
};

/// \param source  what messages call the bytes, for example the file name.
/// \throws DataError  for another magic number (compressed files are told apart), a part of a header, a length of 0, or
///                    fewer or more entries than the header says. Sizes are compared before anything is allocated.
[[nodiscard]] IdxArray parse_idx(std::string_view bytes, std::string_view source, IdxKind kind);

/// The most bytes of a file that is read, 256 MiB: five sets of 60000 images of 28 x 28 pixels.
constexpr std::size_t largest_idx = std::size_t{1} << 28U;

/// parse_idx of a file of at most largest_idx bytes.
[[nodiscard]] IdxArray read_idx(const std::string& path, IdxKind kind);

/// The bytes that parse_idx reads. \throws DomainError unless the lengths fit the kind and the entries.
[[nodiscard]] std::string to_idx(const IdxArray& array, IdxKind kind);

}  // namespace dpcurves::io
