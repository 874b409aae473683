// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"

namespace fs = std::filesystem;
using namespace dpcurves;
using dpcurves::test::Folder;

namespace {

std::ptrdiff_t entries(const dpcurves::test::Folder& folder) {
  return std::distance(fs::directory_iterator(folder.path), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a file reads back byte for byte and nothing else is in the folder", "[io][file]") {
  const Folder folder;
  const std::string content("a\0b\r\n\xff", 6);
  io::write_file(folder.path / "x", "longer than the second content");
  io::write_file(folder.path / "x", content);
  CHECK(io::read_file(folder.path / "x") == content);
  CHECK(entries(folder) == 1);
}

TEST_CASE("a file that cannot be written names path and reason and leaves nothing behind", "[io][file][errors]") {
  const Folder folder;
  CHECK_THROWS_WITH(io::write_file(folder.path / "no" / "x", "y"),
                    Catch::Contains("no/x") && Catch::Contains("No such file or directory"));
  CHECK_THROWS_WITH(io::write_file(folder.path, "y"), Catch::Contains("Is a directory"));
  CHECK_THROWS_AS(io::write_file("", "y"), DataError);
  CHECK(entries(folder) == 0);
}

TEST_CASE("a full disk is an error and the device stays a device", "[io][file][errors]") {
  REQUIRE(fs::is_character_file("/dev/full"));
  CHECK_THROWS_WITH(io::write_file("/dev/full", "y"), Catch::Contains("No space left on device"));
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("an overwritten file keeps its permissions and a symbolic link stays a link", "[io][file]") {
  const Folder folder;
  io::write_file(folder.path / "x", "1");
  fs::permissions(folder.path / "x", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("x", folder.path / "link");
  io::write_file(folder.path / "link", "2");
  CHECK(io::read_file(folder.path / "x") == "2");
  CHECK(fs::is_symlink(folder.path / "link"));
  CHECK(fs::status(folder.path / "x").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a file that cannot be read names path and reason", "[io][file][errors]") {
  CHECK_THROWS_AS(io::read_file("/no/such/file"), DataError);
  CHECK_THROWS_WITH(io::read_file("/no/such/file"), Catch::Contains("/no/such/file: No such file or directory"));
  CHECK_THROWS_WITH(io::read_file("/"), Catch::Contains("Is a directory"));
}
