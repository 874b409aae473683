// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <filesystem>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/process.hpp>
#include <dpcurves/io/raster.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::io;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("a heat map has a cell and a number for every finite value, with names escaped", "[io][raster]") {
  Raster raster{"a < b", "x", "y", {"1", "2"}, {"u", "v"}, {{0.25, 1.0}, {NAN, 0.0}}, 0.0, 1.0, false};
  const auto text = svg({raster}, 1);
  CHECK(count(text, "<rect ") == 1 + 3);  // the background as well
  CHECK(count(text, ">0.25<") == 1);
  CHECK(count(text, "a &lt; b") == 1);
  CHECK(count(text, "rgb(253,231,37)") == 1);
  CHECK(count(text, "rgb(68,1,84)") == 1);
  raster.grey = true;
  const auto image = svg({raster, raster, raster}, 2);
  CHECK(count(image, "<rect ") == 1 + 9);
  CHECK(count(image, ">0.25<") == 0);
}

TEST_CASE("heat maps are saved as picture or page", "[io][raster]") {
  const test::Folder folder;
  const Raster raster{"a < b", "x", "y", {"1"}, {"u"}, {{0.25}}, 0.0, 1.0, false};
  save({raster}, 1, folder.path / "r.svg");
  save({raster}, 1, folder.path / "r.html");
  CHECK(read_file(folder.path / "r.svg") == svg({raster}, 1));
  const auto page = read_file(folder.path / "r.html");
  CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>") && Catch::Contains("<title>a &lt; b</title>"));
  CHECK_THAT(page, Catch::Contains(svg({raster}, 1)));
  CHECK(read_file(folder.path / "r.svg.csv") == "panel,column,row,value\n\"a < b\",\"1\",\"u\",0.25\n");
  if (program_exists("gnuplot")) {
    save({raster}, 1, folder.path / "r.png");
    save({raster}, 1, folder.path / "r.pdf");
    CHECK(read_file(folder.path / "r.png").starts_with("\x89PNG"));
    CHECK(read_file(folder.path / "r.pdf").starts_with("%PDF"));
    CHECK(read_file(folder.path / "r.pdf.csv") == read_file(folder.path / "r.svg.csv"));
  }
}

TEST_CASE("tables that cannot be drawn are refused", "[io][raster][errors]") {
  CHECK_THROWS_AS(svg({}, 1), DomainError);
  CHECK_THROWS_AS(svg({Raster{}}, 1), DomainError);
  Raster ragged;
  ragged.values = {{1.0, 2.0}, {3.0}};
  CHECK_THROWS_WITH(svg({ragged}, 1), Catch::Contains("length of a row"));
  Raster fine;
  fine.values = {{1.0}};
  CHECK_THROWS_WITH(save({fine}, 1, "picture.gif"), Catch::Contains(".html or .pdf"));
}
