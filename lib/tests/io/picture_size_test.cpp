// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/picture_size.hpp>
#include <dpcurves/io/plot.hpp>

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
