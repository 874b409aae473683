// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <map>
#include <set>

#include <dpcurves/catalogue/catalogue.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

bool exists(const std::string& path) { return std::filesystem::exists(std::string(DPCURVES_SOURCE_DIR) + "/" + path); }

}  // namespace

TEST_CASE("every entry has a calculator or a reason, and a validation case or a reason", "[catalogue]") {
  for (const auto& entry : catalogue::entries()) {
    CAPTURE(entry.id);
    CHECK((!entry.calculators.empty() || !entry.reason.empty()));
    CHECK((!entry.validation.empty() || !entry.reason.empty()));
    CHECK_FALSE(entry.title.empty());
  }
}

TEST_CASE("ids are unique and belong to their paper", "[catalogue]") {
  std::set<std::string> seen;
  std::map<std::string, std::size_t> papers;
  for (const auto& entry : catalogue::entries()) {
    CAPTURE(entry.id);
    CHECK(seen.insert(entry.id).second);
    CHECK(entry.id.rfind(entry.paper + "/", 0) == 0);
    ++papers[entry.paper];
  }
  CHECK(papers.size() == 5 + 3);
  const std::size_t own = papers["accountant"] + papers["attack"] + papers["audit"];  // theorems of this project
  CHECK(own > 0);
  CHECK(seen.size() - own == 312 + 1 + 3 + 1);  // the numbered items, Appendix D.4 of the first paper,
                                                // derived-1 to 3 of the third, derived-1 of the fifth
}

TEST_CASE("headers and pages that entries name are there", "[catalogue]") {
  for (const auto& entry : catalogue::entries()) {
    CAPTURE(entry.id, entry.topic, entry.page);
    CHECK((entry.topic.empty() || exists("lib/dpcurves/" + entry.topic + ".hpp")));
    CHECK((entry.page.empty() || exists("docs/theory/" + entry.page + ".md")));
  }
}

TEST_CASE("an entry is found by its id", "[catalogue]") {
  REQUIRE(catalogue::find("shifted-interpolation/theorem-4.2") != nullptr);
  CHECK(catalogue::find("shifted-interpolation/theorem-4.2")->kind == "theorem");
  CHECK(catalogue::find("no/such") == nullptr);
}
