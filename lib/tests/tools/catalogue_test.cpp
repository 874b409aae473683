// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The catalogue, the calculators and the validation cases speak of the same things.
#include <algorithm>
#include <set>

#include <dpcurves/catalogue/catalogue.hpp>

#include "eval/calculator.hpp"
#include "support/support.hpp"
#include "validation_program/tables.hpp"

using namespace dpcurves;

TEST_CASE("every calculator that the catalogue names exists", "[tools][catalogue]") {
  for (const auto& entry : catalogue::entries()) {
    for (const auto& name : entry.calculators) {
      CAPTURE(entry.id, name);
      CHECK_NOTHROW(tools::eval::find_calculator(name));
    }
  }
}

TEST_CASE("every calculator is named by an entry of the catalogue", "[tools][catalogue]") {
  for (const auto& calculator : tools::eval::calculators()) {
    CAPTURE(calculator.name);
    const auto& all = catalogue::entries();
    CHECK(std::any_of(all.begin(), all.end(), [&](const auto& entry) {
      return std::count(entry.calculators.begin(), entry.calculators.end(), calculator.name) > 0;
    }));
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
