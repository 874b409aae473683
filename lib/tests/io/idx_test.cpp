// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <filesystem>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/idx.hpp>

#include "support/support.hpp"

namespace {

using dpcurves::DataError;
using dpcurves::io::IdxArray;
using dpcurves::io::IdxKind;
using dpcurves::io::parse_idx;

/// Bytes with zeros among them.
template <std::size_t size>
std::string bytes(const char (&text)[size]) {
  return {text, size - 1};
}

std::string reason(const std::string& content, IdxKind kind) {
  try {
    (void)parse_idx(content, "digits", kind);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("images and labels are read as their bytes say", "[io][idx]") {
  const auto images =
      parse_idx(bytes("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03\x00\x01\x02\xFD\xFE\xFF"), "digits", IdxKind::images);
  CHECK(images.lengths == std::vector<std::size_t>{2, 1, 3});
  CHECK(images.entries == std::vector<std::uint8_t>{0, 1, 2, 253, 254, 255});
  const auto labels = parse_idx(bytes("\0\0\x08\x01\0\0\0\x02\x07\x00"), "digits", IdxKind::labels);
  CHECK(labels.lengths == std::vector<std::size_t>{2});
  CHECK(labels.entries == std::vector<std::uint8_t>{7, 0});
}

TEST_CASE("lengths of more than one byte are big endian", "[io][idx]") {
  const std::string content = bytes("\0\0\x08\x01\0\0\x01\x02") + std::string(258, '\x05');
  CHECK(parse_idx(content, "digits", IdxKind::labels).lengths == std::vector<std::size_t>{258});
}

TEST_CASE("what is written as IDX is read back", "[io][idx]") {
  IdxArray array{{300, 2, 3}, std::vector<std::uint8_t>(1800)};
  std::iota(array.entries.begin(), array.entries.end(), std::uint8_t{0});
  const auto path = std::filesystem::temp_directory_path() / "dpcurves-idx-test";
  dpcurves::io::write_file(path, dpcurves::io::to_idx(array, IdxKind::images));
  const auto again = dpcurves::io::read_idx(path, IdxKind::images);
  std::filesystem::remove(path);
  CHECK(again.lengths == array.lengths);
  CHECK(again.entries == array.entries);
  CHECK_THROWS_AS(dpcurves::io::to_idx(array, IdxKind::labels), dpcurves::DomainError);
  array.entries.pop_back();
  CHECK_THROWS_AS(dpcurves::io::to_idx(array, IdxKind::images), dpcurves::DomainError);
}

TEST_CASE("malformed IDX bytes are refused with the reason", "[io][idx]") {
  struct Row {
    std::string content;
    IdxKind kind;
    std::string message;
  };
  const std::string images = bytes("\0\0\x08\x03"), labels = bytes("\0\0\x08\x01");
  const std::string most = bytes("\xFF\xFF\xFF\xFF");
  const Row rows[] = {
      {"", IdxKind::images, "digits: 0 bytes are too few for the header of IDX images, 16"},
      {bytes("\0"), IdxKind::images, "digits: 1 bytes are too few for the header of IDX images, 16"},
      {labels + bytes("\0\0\0"), IdxKind::labels, "digits: 7 bytes are too few for the header of IDX labels, 8"},
      {labels + bytes("\0\0\0\x01\x05"), IdxKind::images,
       "digits: magic number 0x00000801, of labels; expected 0x00000803 of IDX images"},
      {images + bytes("\0\0\0\x01\x05"), IdxKind::labels,
       "digits: magic number 0x00000803, of images; expected 0x00000801 of IDX labels"},
      {"label,1,2\n", IdxKind::images, "digits: magic number 0x6c616265; expected 0x00000803 of IDX images"},
      {bytes("\x1F\x8B\x08\0\0"), IdxKind::images, "digits: is compressed by gzip; unpack it first (gunzip)"},
      {bytes("\x1F\x8B"), IdxKind::labels, "digits: is compressed by gzip; unpack it first (gunzip)"},
      {labels + bytes("\0\0\0\0"), IdxKind::labels, "digits: holds no labels"},
      {images + bytes("\0\0\0\0\0\0\0\x02\0\0\0\x02"), IdxKind::images, "digits: holds no images"},
      {images + bytes("\0\0\0\x02\0\0\0\0\0\0\0\x02"), IdxKind::images, "digits: images without rows"},
      {images + bytes("\0\0\0\x02\0\0\0\x02\0\0\0\0"), IdxKind::images, "digits: images without columns"},
      {labels + bytes("\0\0\0\x03\x01\x02"), IdxKind::labels, "digits: 2 bytes after the header, which says 3"},
      {labels + bytes("\0\0\0\x01\x01\x02"), IdxKind::labels, "digits: 2 bytes after the header, which says 1"},
      // 4e9 images of 28 x 28, and a product beyond 64 bits that would wrap around to 0.
      {images + bytes("\xEE\x6B\x28\0\0\0\0\x1C\0\0\0\x1C") + "x", IdxKind::images,
       "digits: 1 bytes after the header, which says 4000000000 x 28 x 28"},
      {images + most + most + most, IdxKind::images,
       "digits: 0 bytes after the header, which says 4294967295 x 4294967295 x 4294967295"},
      {images + bytes("\x80\0\0\0\x80\0\0\0\0\0\0\x04"), IdxKind::images,
       "digits: 0 bytes after the header, which says 2147483648 x 2147483648 x 4"}};
  for (const Row& row : rows) {
    CHECK(reason(row.content, row.kind) == row.message);
  }
}

TEST_CASE("a missing IDX file is named", "[io][idx]") {
  CHECK_THROWS_WITH(dpcurves::io::read_idx("no-such-folder/images", IdxKind::images),
                    Catch::Contains("no-such-folder/images"));
}
