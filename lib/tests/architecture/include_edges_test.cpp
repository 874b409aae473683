// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Data flows one way through the folders: the include edges of lib/dpcurves against the table of docs/architecture.md.
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/support.hpp"

namespace {

using Names = std::set<std::string>;

Names joined(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// Folder -> the folders that it may include, itself always among them.
std::map<std::string, Names> allowed_edges() {
  const Names base{"core", "numerics"};
  const Names proved = joined(base, {"rigorous"});
  const Names mathematics = joined(proved, {"tradeoff", "divergence"});
  const Names theory = joined(mathematics, {"mechanism", "random", "models", "accounting", "io"});
  const Names theorems = joined(theory, {"interpolation", "correlated", "homogenized"});
  return {{"core", {}},
          {"rigorous", {"core"}},
          {"numerics", {"core"}},
          {"random", {"core"}},
          {"io", {"core"}},
          {"inference", proved},
          {"tradeoff", proved},
          {"divergence", proved},
          {"models", joined(base, {"random", "rigorous"})},
          {"simulate", joined(base, {"random", "models", "mechanism"})},
          {"mechanism", base},
          {"accounting", joined(mathematics, {"mechanism"})},
          {"attack", joined(mathematics, {"accounting"})},
          {"transcripts", {"core", "io", "mechanism", "accounting"}},
          {"queries", joined(theorems, {"attack", "bounds", "calculators", "catalogue", "inference", "transcripts"})},
          {"interpolation", theory},
          {"correlated", theory},
          {"homogenized", theory},
          {"bounds", theorems},
          {"calculators", joined(theorems, {"attack", "bounds", "inference", "simulate", "transcripts"})},
          {"catalogue", joined(theorems, {"bounds"})}};
}

/// "" or what is wrong with the edge.
std::string judge(const std::string& from, const std::string& to) {
  const auto table = allowed_edges();
  const auto row = table.find(from);
  if (row == table.end()) {
    return "the folder " + from + " is not in the table";
  }
  return from == to || row->second.contains(to) ? "" : from + " must not include " + to;
}

}  // namespace

TEST_CASE("every include edge between folders is in the table", "[architecture]") {
  const std::filesystem::path root = std::filesystem::path(DPCURVES_SOURCE_DIR) / "lib" / "dpcurves";
  const std::regex include(R"re(#include [<"]dpcurves/([a-z_]+)/)re");
  std::size_t edges = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root)) {
    if (file.path().extension() != ".hpp" && file.path().extension() != ".cpp") {
      continue;
    }
    const auto relative = std::filesystem::relative(file.path(), root);
    const std::string from = relative.begin()->string();
    std::istringstream text(dpcurves::test::source_file("lib/dpcurves/" + relative.string()));
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (std::regex_search(line, match, include)) {
        CAPTURE(relative.string(), line);
        CHECK(judge(from, match[1]).empty());
        ++edges;
      }
    }
  }
  CHECK(edges > 20);  // the scan found the sources
}

TEST_CASE("the table of edges refuses what it should", "[architecture]") {
  CHECK_FALSE(judge("simulate", "interpolation").empty());  // whoever measures never reads the claim
  CHECK_FALSE(judge("core", "numerics").empty());
  CHECK_FALSE(judge("interpolation", "simulate").empty());
  CHECK(judge("accounting", "tradeoff").empty());
}

TEST_CASE("public headers include no third-party header but Eigen", "[architecture]") {
  const std::filesystem::path root = std::filesystem::path(DPCURVES_SOURCE_DIR) / "lib" / "dpcurves";
  const std::regex include(R"re(^#include <([A-Za-z0-9_]+)/)re");
  for (const auto& file : std::filesystem::recursive_directory_iterator(root)) {
    if (file.path().extension() != ".hpp") {
      continue;
    }
    const auto relative = std::filesystem::relative(file.path(), root);
    std::istringstream text(dpcurves::test::source_file("lib/dpcurves/" + relative.string()));
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (std::regex_search(line, match, include)) {
        CAPTURE(relative.string(), line);
        CHECK((match[1] == "dpcurves" || match[1] == "Eigen"));
      }
    }
  }
}

TEST_CASE("headers that stand in a folder are public, with what they include; those of inner folders are not",
          "[architecture]") {
  const std::filesystem::path root = std::filesystem::path(DPCURVES_SOURCE_DIR) / "lib";
  const Names internal{"numerics", "rigorous"};
  const std::regex listed(R"re(HEADERS((?:\s+dpcurves/\S+\.hpp)*))re"), header(R"re(dpcurves/\S+\.hpp)re");
  Names there, installed;
  for (const auto& folder : std::filesystem::directory_iterator(root / "dpcurves")) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() == ".hpp" && !internal.contains(folder.path().filename())) {
        there.insert(std::filesystem::relative(file.path(), root).generic_string());
      }
    }
    const std::string build =
        dpcurves::test::source_file("lib/dpcurves/" + folder.path().filename().string() + "/CMakeLists.txt");
    std::smatch list;
    REQUIRE(std::regex_search(build, list, listed));
    const std::string names = list[1];
    for (std::sregex_iterator name(names.begin(), names.end(), header), end; name != end; ++name) {
      installed.insert(name->str());
    }
  }
  CHECK(installed == there);
  CHECK(installed.size() < 200);
  const std::regex include(R"re(#include <(dpcurves/[^>]+)>)re");
  for (const auto& name : installed) {
    const std::string text = dpcurves::test::source_file("lib/" + name);
    for (std::sregex_iterator found(text.begin(), text.end(), include), end; found != end; ++found) {
      CAPTURE(name);
      CHECK(installed.contains((*found)[1]));
    }
  }
}
