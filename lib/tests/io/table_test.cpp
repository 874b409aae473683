// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/table.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("width counts what a terminal shows", "[io][table]") {
  CHECK(io::display_width("") == 0);
  CHECK(io::display_width("epsilon") == 7);
  CHECK(io::display_width("ε ≤ 1") == 5);
  CHECK(io::display_width("e\xCC\x81") == 1);     // e and a combining accent
  CHECK(io::display_width("\xE8\xA1\xA8") == 2);  // one wide character
  CHECK(io::display_width("\xFF\xFE") == 2);      // no UTF-8: one per byte
  CHECK(io::display_width("a\xE2\x94") == 3);     // cut off inside a character
}

TEST_CASE("columns line up also where letters take two bytes", "[io][table]") {
  io::TextTable table({"theorem", "ε", "δ"}, {io::Align::left});
  table.add({"4.2", "1.25", "1e-05"});
  table.add({"4.10 (α)", "10", "1"});
  CHECK(table.text() ==
        "theorem      ε      δ\n"
        "─────────────────────\n"
        "4.2       1.25  1e-05\n"
        "4.10 (α)    10      1\n");
  CHECK_THROWS_AS(table.add({"one"}), DomainError);
}

TEST_CASE("words are broken where they are, longer ones anywhere", "[io][table]") {
  using Lines = std::vector<std::string>;
  CHECK(io::broken("", 5) == Lines{""});
  CHECK(io::broken("one two three", 7) == Lines{"one two", "three"});
  CHECK(io::broken("  one two three", 7, 2) == Lines{"  one", "   two", "   thre", "   e"});
  CHECK(io::broken("epsilonδelta", 8) == Lines{"epsilonδ", "elta"});
  CHECK(io::broken("\xE8\xA1\xA8\xE8\xA1\xA8", 1) == Lines{"\xE8\xA1\xA8", "\xE8\xA1\xA8"});  // wider than the line
  CHECK(io::broken_lines("short\n\n  long words of a line\nend", 10) ==
        "short\n\n  long\n    words\n    of a\n    line\nend");
  CHECK(io::broken_lines("a  b\n") == "a  b\n");
}

TEST_CASE("a table keeps to its width", "[io][table]") {
  using enum io::Align;
  using Row = std::vector<std::string>;
  const auto text = [](const Row& names, const std::vector<io::Align>& align, const std::vector<Row>& rows,
                       std::size_t width) {
    io::TextTable table(names, align);
    for (const Row& row : rows) {
      table.add(row);
    }
    return table.text(width);
  };
  SECTION("by breaking words") {
    CHECK(text({"id", "what it says"}, {left, left}, {{"1", "some words that need more than one line here"}}, 30) ==
          "id  what it says\n"
          "──────────────────────────────\n"
          "1   some words that need more\n"
          "      than one line here\n");
  }
  SECTION("by putting the last column below the row") {
    CHECK(text({"", "theorem", "epsilon", "what it uses"}, {left, left, right, left},
               {{"*", "accountant/poisson", "2.38", "Poisson sampling"}, {"", "accountant/renyi", "2.59", ""}}, 32) ==
          "   theorem             epsilon\n"
          "     what it uses\n"
          "──────────────────────────────\n"
          "*  accountant/poisson     2.38\n"
          "     Poisson sampling\n"
          "   accountant/renyi       2.59\n");
  }
  SECTION("by naming the columns below the row where there are several") {
    CHECK(text({"case", "verdict", "gap", "runs"}, {left, left, right, right},
               {{"theorem-4.2", "holds", "1.02", "-"}, {"theorem-4.9", "holds", "1.1", "400"}}, 24) ==
          "case         verdict\n"
          "────────────────────\n"
          "theorem-4.2  holds\n"
          "     gap 1.02\n"
          "theorem-4.9  holds\n"
          "     gap 1.1, runs 400\n");
  }
  SECTION("by columns below columns under a number") {
    CHECK(text({"t", "risk", "mean", "bound"}, {}, {{"1", "0.25", "0.125", "0.5"}}, 12) ==
          "t  risk\n"
          "───────\n"
          "1  0.25\n"
          "\n"
          "t   mean\n"
          "────────\n"
          "1  0.125\n"
          "\n"
          "t  bound\n"
          "────────\n"
          "1    0.5\n");
  }
  SECTION("by columns below columns behind all that tells the rows apart") {
    CHECK(text({"n", "by", "risk", "bound"}, {right, left, right, right},
               {{"9", "a", "0.25", "0.5"}, {"9", "b", "0.5", "1"}}, 12) ==
          "n  by  risk\n"
          "───────────\n"
          "9  a   0.25\n"
          "9  b    0.5\n"
          "\n"
          "n  by  bound\n"
          "────────────\n"
          "9  a     0.5\n"
          "9  b       1\n");
  }
  SECTION("with colours, which have no width") {
    io::TextTable table({"a", "b"}, {left, left});
    table.add({"x", "good"}, {"", "\033[32m"});
    table.add({"yy", "z"});
    CHECK(table.text() == "a   b\n────────\nx   \033[32mgood\033[0m\nyy  z\n");
  }
}
