// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A function is at most 100 lines long, or says in a comment what "makes this long".
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/support.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 100;

/// The bodies of a formatted source that are longer than that: of functions at its left edge, and of members and
/// functions of inner namespaces two columns in. "line 7: 123 lines".
std::vector<std::string> long_bodies(const std::string& text) {
  static const std::regex other("\\b(namespace|struct|class|enum|union|extern)\\b");
  std::vector<std::string> found;
  for (const std::string indent : {"", "  "}) {
    std::istringstream lines(text);
    std::string line;
    std::optional<std::size_t> begin;
    bool excused = false;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
      const bool here = line.compare(0, indent.size(), indent) == 0 && line.size() > indent.size() &&
                        line[indent.size()] != ' ' && line.ends_with('{');
      if (here && !std::regex_search(line, other)) {
        begin = number;
        excused = false;
      }
      excused = excused || line.find("makes this long") != std::string::npos;
      if (begin && line == indent + "}") {
        const std::size_t length = number - *begin + 1;
        if (length > longest && !excused) {
          found.push_back("line " + std::to_string(*begin) + ": " + std::to_string(length) + " lines");
        }
        begin.reset();
      }
    }
  }
  return found;
}

/// A function of so many lines.
std::string function_of(std::size_t lines, const std::string& indent = "", const std::string& comment = "") {
  std::string text = indent + "int f() {\n" + (comment.empty() ? "" : indent + "  // " + comment + "\n");
  for (std::size_t i = comment.empty() ? 2 : 3; i < lines; ++i) {
    text += indent + "  g();\n";
  }
  return text + indent + "}\n";
}

}  // namespace

TEST_CASE("the scan for long functions sees them", "[architecture][length]") {
  CHECK(long_bodies(function_of(longest)).empty());
  CHECK(long_bodies(function_of(longest + 1)) == std::vector<std::string>{"line 1: 101 lines"});
  CHECK(long_bodies("struct S {\n" + function_of(longest + 1, "  ") + "};\n").size() == 1);
  CHECK(long_bodies("namespace a {\n" + function_of(60) + function_of(60) + "}\n").empty());
  CHECK(long_bodies(function_of(longest + 1, "", "A list, which makes this long.")).empty());
}

TEST_CASE("functions are at most 100 lines long, or say why", "[architecture][length]") {
  const fs::path root = DPCURVES_SOURCE_DIR;
  std::size_t read = 0;
  for (const char* folder : {"lib", "tools", "validation", "docs"}) {
    for (const auto& file : fs::recursive_directory_iterator(root / folder)) {
      if (file.path().extension() == ".cpp" || file.path().extension() == ".hpp") {
        const std::string name = fs::relative(file.path(), root).string();
        CAPTURE(name);
        CHECK(long_bodies(dpcurves::test::source_file(name)) == std::vector<std::string>{});
        ++read;
      }
    }
  }
  CHECK(read > 500);  // the scan found the files
}
