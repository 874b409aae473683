// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The catalogue, the calculators and the validation cases speak of the same things.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/catalogue/catalogue.hpp>

#include "support/support.hpp"
#include "validation_program/tables.hpp"

using namespace dpcurves;

TEST_CASE("calculators and the catalogue name each other", "[tools][catalogue]") {
  std::set<std::pair<std::string, std::string>> by_row, by_entry;
  for (const auto& calculator : calculators::all()) {
    CAPTURE(calculator.name);
    CHECK_FALSE(calculator.theorems.empty());
    for (const auto& id : calculator.theorems) {
      by_row.emplace(calculator.name, id);
    }
  }
  for (const auto& entry : catalogue::entries()) {
    for (const auto& name : entry.calculators) {
      by_entry.emplace(name, entry.id);
    }
  }
  for (const auto& [name, id] : by_row) {
    CAPTURE(name, id);
    CHECK(by_entry.contains({name, id}));
  }
  for (const auto& [name, id] : by_entry) {
    CAPTURE(name, id);
    CHECK(by_row.contains({name, id}));
  }
}

TEST_CASE("no two validation cases have the same id", "[tools][catalogue]") {
  std::set<std::string> seen;
  for (const auto& one : tools::reproduce::all_cases()) {
    CAPTURE(one.id);
    CHECK(seen.insert(one.id).second);
  }
}

TEST_CASE("validation cases and catalogue entries name each other", "[tools][catalogue]") {
  const auto& cases = tools::reproduce::all_cases();
  for (const auto& entry : catalogue::entries()) {
    CAPTURE(entry.id, entry.validation);
    CHECK((entry.validation.empty() ||
           std::any_of(cases.begin(), cases.end(), [&](const auto& one) { return one.id == entry.validation; })));
  }
  for (const auto& one : cases) {
    CAPTURE(one.id);
    const auto* entry = catalogue::find(one.id);
    REQUIRE(entry != nullptr);
    CHECK(entry->validation == one.id);
  }
}
