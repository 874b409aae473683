// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/picture_size.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/io/raster.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using io::PictureSize;

TEST_CASE("the innermost size counts, and ends with its scope", "[io][plot]") {
  CHECK(PictureSize::current() == nullptr);
  {
    const PictureSize outer(1200, 640);
    {
      const PictureSize inner("300x200");
      CHECK(PictureSize::current()->width() == 300);
      CHECK(PictureSize::current()->height() == 200);
    }
    CHECK(PictureSize::current() == &outer);
  }
  CHECK(PictureSize::current() == nullptr);
}

TEST_CASE("sizes that make no picture are refused, and leave the size as it was", "[io][plot]") {
  for (const char* text :
       {"", "x", "300", "300x", "x300", "300x200x100", "300x200 ", "-300x200", "3e2x200", "199x200", "300x10001"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(PictureSize(std::string(text)), DomainError);
    CHECK(PictureSize::current() == nullptr);
  }
}

TEST_CASE("plots are drawn in the size asked for", "[io][plot]") {
  io::Plot plot;
  plot.series = {io::line("", {0.0, 1.0}, {0.0, 1.0})};
  CHECK(io::svg(plot).find("viewBox=\"0 0 800 500\"") != std::string::npos);
  const PictureSize size(1000, 400);
  CHECK(io::svg(plot).find("viewBox=\"0 0 1000 400\"") != std::string::npos);
}

TEST_CASE("a title replaces the first line of a picture's own, while it lives", "[io][plot]") {
  io::Plot plot;
  plot.title = "own words\nparameters";
  io::Series line;
  line.x = {0.0, 1.0};
  line.y = {0.0, 1.0};
  plot.series.push_back(line);
  io::Raster panel;
  panel.title = "panel";
  panel.values = {{0.0, 1.0}};
  {
    const io::PictureTitle title("A < B");
    CHECK(io::titled(plot.title) == "A < B\nparameters");
    const std::string drawn = io::svg(plot);
    CHECK(drawn.find("A &lt; B") != std::string::npos);
    CHECK(drawn.find("own words") == std::string::npos);
    CHECK(drawn.find("parameters") != std::string::npos);
    const std::string map = io::svg({panel}, 1);
    CHECK(map.find("A &lt; B") != std::string::npos);
    CHECK(map.find("panel") != std::string::npos);
  }
  CHECK(io::titled(plot.title) == plot.title);
  CHECK(io::svg({panel}, 1).find("A &lt; B") == std::string::npos);
  CHECK_THROWS_AS(io::PictureTitle(""), DomainError);
  CHECK_THROWS_AS(io::PictureTitle("two\nlines"), DomainError);
  CHECK(io::PictureTitle::current() == nullptr);
}

TEST_CASE("a heat map is scaled into the size that is asked", "[io][plot]") {
  io::Raster panel;
  panel.values = {{0.0, 1.0}, {0.5, 0.2}};
  const std::string usual = io::svg({panel}, 1);
  const PictureSize size(1000, 400);
  const std::string large = io::svg({panel}, 1);
  CHECK(large.find("width=\"1000\" height=\"400\"") != std::string::npos);
  const auto box = [](const std::string& text) { return text.substr(text.find("viewBox"), 30); };
  CHECK(box(usual) == box(large));
}
