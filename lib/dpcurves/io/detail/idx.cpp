// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/idx.hpp>

namespace dpcurves::io {
namespace {

constexpr std::size_t word = 4;
constexpr std::uint32_t type_and_rank = 0x00000800;  // plus the number of dimensions

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < word; ++i) {
    value = value << 8U | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

std::string hexadecimal(std::uint32_t value) {
  char text[11];
  std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(value));
  return text;
}

std::string product(const std::vector<std::size_t>& lengths) {
  std::string text;
  for (const std::size_t length : lengths) {
    text += (text.empty() ? "" : " x ") + std::to_string(length);
  }
  return text;
}

std::string name_of(std::uint32_t dimensions) {
  return dimensions == static_cast<std::uint32_t>(IdxKind::images) ? "images" : "labels";
}

/// Whether the product of the lengths is `count`; it may exceed what 64 bits hold.
bool product_is(const std::vector<std::size_t>& lengths, std::size_t count) {
  std::size_t total = 1;
  for (const std::size_t length : lengths) {
    if (length == 0 || total > std::numeric_limits<std::size_t>::max() / length) {
      return false;
    }
    total *= length;
  }
  return total == count;
}

}  // namespace

IdxArray parse_idx(std::string_view bytes, std::string_view source, IdxKind kind) {
  const auto fail = [&](const std::string& reason) { throw DataError(std::string(source) + ": " + reason); };
  const auto dimensions = static_cast<std::uint32_t>(kind);
  if (bytes.starts_with("\x1f\x8b")) {
    fail("is compressed by gzip; unpack it first (gunzip)");
  }
  const std::size_t header = word * (1 + dimensions);
  if (bytes.size() >= word) {
    const std::uint32_t magic = big_endian(bytes, 0), expected = type_and_rank + dimensions;
    if (magic != expected) {
      const std::uint32_t other = magic - type_and_rank;
      fail("magic number " + hexadecimal(magic) + (other == 1 || other == 3 ? ", of " + name_of(other) : "") +
           "; expected " + hexadecimal(expected) + " of IDX " + name_of(dimensions));
    }
  }
  if (bytes.size() < header) {
    fail(std::to_string(bytes.size()) + " bytes are too few for the header of IDX " + name_of(dimensions) + ", " +
         std::to_string(header));
  }
  IdxArray array;
  for (std::uint32_t i = 1; i <= dimensions; ++i) {
    array.lengths.push_back(big_endian(bytes, word * i));
    if (array.lengths.back() == 0) {
      fail(i == 1 ? "holds no " + name_of(dimensions) : "images without " + std::string(i == 2 ? "rows" : "columns"));
    }
  }
  bytes.remove_prefix(header);
  if (!product_is(array.lengths, bytes.size())) {
    fail(std::to_string(bytes.size()) + " bytes after the header, which says " + product(array.lengths));
  }
  array.entries.assign(bytes.begin(), bytes.end());
  return array;
}

IdxArray read_idx(const std::string& path, IdxKind kind) { return parse_idx(read_file(path, largest_idx), path, kind); }

std::string to_idx(const IdxArray& array, IdxKind kind) {
  const auto dimensions = static_cast<std::uint32_t>(kind);
  require_domain(array.lengths.size() == dimensions, "number of lengths", static_cast<double>(array.lengths.size()),
                 "that of the kind");
  require_domain(product_is(array.lengths, array.entries.size()), "number of entries",
                 static_cast<double>(array.entries.size()), "the product of the lengths, none 0");
  std::string bytes;
  const auto put = [&](std::size_t value) {
    for (std::size_t shift = 8 * word; shift > 0; shift -= 8) {
      bytes += static_cast<char>(static_cast<std::uint8_t>(value >> (shift - 8) & 0xFFU));
    }
  };
  put(type_and_rank + dimensions);
  for (const std::size_t length : array.lengths) {
    require_domain(length <= 0xFFFFFFFFU, "length", static_cast<double>(length), "[1, 2^32)");
    put(length);
  }
  bytes.append(array.entries.begin(), array.entries.end());
  return bytes;
}

}  // namespace dpcurves::io
