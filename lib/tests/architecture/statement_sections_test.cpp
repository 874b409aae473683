// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Every section of the theory that states something says how accurate its numbers are.
#include <filesystem>
#include <string>
#include <vector>

#include <dpcurves/io/detail/file.hpp>

#include "support/support.hpp"

namespace {

namespace fs = std::filesystem;

/// The headings of sections with a statement and without a word on accuracy.
std::vector<std::string> silent(const std::string& page) {
  std::vector<std::string> found;
  for (std::size_t at = page.find("\n## "); at != std::string::npos;) {
    const std::size_t next = page.find("\n## ", at + 1);
    const std::string section = page.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    if (section.find("\n**Statement") != std::string::npos && section.find("\n**Accuracy") == std::string::npos) {
      found.push_back(section.substr(0, section.find('\n')));
    }
    at = next;
  }
  return found;
}

}  // namespace

TEST_CASE("every statement of the theory is followed by its accuracy", "[architecture][docs]") {
  CHECK(silent("# A page\n\n## One\n\n**Statement.** x\n\n## Two\n\n**Statement.** y\n\n**Accuracy.** z\n") ==
        std::vector<std::string>{"## One"});
  std::size_t pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(DPCURVES_SOURCE_DIR) / "docs" / "theory")) {
    if (entry.path().extension() == ".md") {
      CAPTURE(entry.path().string());
      CHECK(silent(dpcurves::io::read_file(entry.path().string())).empty());
      ++pages;
    }
  }
  CHECK(pages > 30);
}
