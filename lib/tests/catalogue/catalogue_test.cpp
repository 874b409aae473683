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
    CHECK((entry.title + entry.statement + entry.reason).find('$') == std::string::npos);
    CHECK(entry.assumptions.size() == entry.marked.assumptions.size());
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
  CHECK(papers.size() == 5 + 5);
  std::size_t own = 0;  // theorems of this project
  for (const auto* name : {"accountant", "attack", "audit", "transcripts", "referee"}) {
    CHECK(papers[name] > 0);
    own += papers[name];
  }
  CHECK(seen.size() - own == 312 + 1 + 6 + 1);  // the numbered items, Appendix D.4 of the first paper,
                                                // derived-1 to 6 of the third, derived-1 of the fifth
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

TEST_CASE("shortened ids, keys of papers and words find entries", "[catalogue]") {
  const auto ids = [](const std::vector<const catalogue::Entry*>& found) {
    std::vector<std::string> list;
    for (const auto* one : found) {
      list.push_back(one->id);
    }
    return list;
  };
  const std::vector<std::string> one{"shifted-interpolation/theorem-4.9"};
  CHECK(ids(catalogue::matching("theorem-4.9")) == one);
  CHECK(ids(catalogue::matching("Theorem 4.9")) == one);
  CHECK(ids(catalogue::matching("bok2024/4.9")) == one);
  CHECK(catalogue::matching("4.2").size() > 1);
  CHECK(catalogue::matching("").empty());
  CHECK(catalogue::matching("9").size() < 20);  // "theorem-9" and the like, not "theorem-4.9"
  CHECK(ids(catalogue::search({"AMPLIFICATION"})) == ids(catalogue::search({"amplification"})));
  CHECK(catalogue::search({"random", "allocation"}).front()->id == "accountant/random-allocation");
  CHECK(catalogue::search({"random", "no-such-word"}).empty());
  CHECK(catalogue::paper_of("bok2024") == "shifted-interpolation");
  CHECK(catalogue::paper_of("noisy-hsgd") == "noisy-hsgd");
}
