// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A topic of the catalogue has one stem: header, unit test, file of cases and page. A page or a file of cases that
// several topics share is that of their family, and free in its name; so is a unit test.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <dpcurves/catalogue/catalogue.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

namespace fs = std::filesystem;

const fs::path root = DPCURVES_SOURCE_DIR;

/// Path below docs/theory or validation/cases, and why it has a stem of its own.
using Exceptions = std::map<std::string, std::string>;

const Exceptions pages{{"accountant/gdp", "a link that papers quote; the header says which of the parameters"},
                       {"attack/dual", "the profile is that of the dual problem, which the page is about"},
                       {"audit/product-null", "a second page of one-run: why its shortcut is none"}};

const Exceptions cases{{"shifted_interpolation/limits", "a second file of function: limits of its curves"},
                       {"shifted_interpolation/one_step", "a second file of shift_problem: its first step alone"},
                       {"shifted_interpolation/privacy_loss", "appendix D, drawn for subsampled_gaussian"},
                       {"shifted_interpolation/sgd_horizons", "a second file of noisy_sgd: choices of its horizon"}};

std::string stem_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Whether a file is named after a topic; the file's folder may say the first words of the stem.
bool same_stem(const std::string& file, const std::string& topic) {
  std::string stem = stem_of(file);
  std::replace(stem.begin(), stem.end(), '-', '_');
  return stem == stem_of(topic) || stem_of(topic).ends_with("_" + stem);
}

/// "noisy_hsgd/risk" of validation/cases/noisy_hsgd/risk.cpp.
std::string below(const fs::path& file, const fs::path& folder) {
  return fs::relative(file, folder).replace_extension().generic_string();
}

/// The sources of a folder with those below it, by their text.
std::map<fs::path, std::string> sources(const fs::path& folder) {
  std::map<fs::path, std::string> texts;
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".cpp" || file.path().extension() == ".hpp") {
      texts[file.path()] = test::source_file(fs::relative(file.path(), root).string());
    }
  }
  return texts;
}

std::set<std::string> topics() {
  std::set<std::string> all;
  for (const auto& entry : catalogue::entries()) {
    if (!entry.topic.empty()) {
      all.insert(entry.topic);
    }
  }
  return all;
}

/// Each file with a single topic is named after it, or is an exception; every exception is one.
void check_names(const std::map<std::string, std::set<std::string>>& topics_of, const Exceptions& exceptions) {
  std::size_t named = 0;
  for (const auto& [file, topics] : topics_of) {
    const bool own = topics.size() == 1, agree = own && same_stem(file, *topics.begin());
    named += agree ? 1U : 0U;
    CAPTURE(file, *topics.begin());
    CHECK((own && !agree) == exceptions.contains(file));
  }
  CHECK(named > 10);  // the scan found the files
}

}  // namespace

TEST_CASE("every topic has a header, and unit tests in its folder that include it", "[architecture][stem]") {
  std::map<std::string, std::map<fs::path, std::string>> tests;  // by folder
  for (const auto& topic : topics()) {
    CAPTURE(topic);
    CHECK(fs::exists(root / "lib/dpcurves" / (topic + ".hpp")));
    const std::string folder = topic.substr(0, topic.find('/'));
    auto& here = tests[folder];
    if (here.empty()) {
      here = sources(root / "lib/tests" / folder);
    }
    const std::string include = "#include <dpcurves/" + topic + ".hpp>";
    const auto includes = [&](const auto& file) { return file.second.find(include) != std::string::npos; };
    CHECK(std::any_of(here.begin(), here.end(), includes));
    const auto own = here.find(root / "lib/tests" / (topic + "_test.cpp"));
    CHECK((own == here.end() || includes(*own)));  // a test with the stem is about the topic
  }
}

TEST_CASE("a page of one topic has its stem", "[architecture][stem]") {
  std::map<std::string, std::set<std::string>> topics_of;
  for (const auto& entry : catalogue::entries()) {
    if (!entry.topic.empty() && !entry.page.empty()) {
      topics_of[entry.page].insert(entry.topic);
    }
  }
  check_names(topics_of, pages);
}

TEST_CASE("a file of cases of one topic has its stem", "[architecture][stem]") {
  std::map<std::string, std::set<std::string>> topics_of;
  const fs::path folder = root / "validation/cases";
  const auto files = sources(folder);
  for (const auto& entry : catalogue::entries()) {
    for (const auto& [file, text] : files) {
      const bool has = !entry.validation.empty() && text.find('"' + entry.validation + '"') != std::string::npos;
      if (has && !entry.topic.empty() && file.extension() == ".cpp") {
        topics_of[below(file, folder)].insert(entry.topic);
      }
    }
  }
  check_names(topics_of, cases);
}

TEST_CASE("stems are compared as they should be", "[architecture][stem]") {
  CHECK(same_stem("shifted-interpolation/noisy-gd", "interpolation/noisy_gd"));
  CHECK(same_stem("long-tail-memorization/privacy", "bounds/long_tail_privacy"));
  CHECK_FALSE(same_stem("noisy-hsgd/risk", "homogenized/risk_trajectory"));
  CHECK_FALSE(same_stem("attack/dual", "attack/profile"));
}
