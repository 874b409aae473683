// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Tables and figures that follow from theorems, asked by name.
#include <algorithm>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/reproduce.hpp>

#include "support/support.hpp"

using namespace dpcurves;
namespace reproduce = queries::reproduce;

TEST_CASE("a table answers with its numbers beside the published ones", "[queries][reproduce]") {
  const auto report = reproduce::ask("shifted-interpolation/table-7");
  CHECK(report.schema == "dpcurves/reproduce/1");
  CHECK(report.results.at("seed").null());
  const auto& rows = std::get<List>(report.results.at("results").data);
  REQUIRE(rows.size() == 18);
  CHECK(report.rows.rows.size() == rows.size());
  for (const Value& row : rows) {
    CHECK(std::get<bool>(std::get<Record>(row.data).at("agrees").data));
  }
  CHECK(report.blocks.back().text.starts_with("18 of 18 published numbers agree to the printed digits\n"));
}

TEST_CASE("a figure comes with its picture", "[queries][reproduce]") {
  const auto report = reproduce::ask("shifted-interpolation/figure-2");
  REQUIRE(report.plot.has_value());
  CHECK(report.plot->series.size() == 5);
}

TEST_CASE("a drawing without numbers has words only", "[queries][reproduce]") {
  const auto report = reproduce::ask("shifted-interpolation/figure-3");
  CHECK(std::none_of(report.blocks.begin(), report.blocks.end(), [](const auto& block) { return block.table; }));
  CHECK(report.rows.rows.empty());
}

TEST_CASE("what is unknown or trains elsewhere is refused by name", "[queries][reproduce][errors]") {
  CHECK_THROWS_WITH(reproduce::ask("shifted-interpolation/table-77"), Catch::Contains("did you mean"));
  const auto tables = reproduce::shifted_interpolation_tables();
  reproduce::OnData images;
  images.folder = "images";
  CHECK_THROWS_WITH(reproduce::compute(tables[0], images),
                    Catch::Contains("--data: nothing is trained for shifted-interpolation/table-1"));
}
