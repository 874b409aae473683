// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <fstream>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/io/detail/rows.hpp>
#include <dpcurves/io/detail/toml.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("numbers and names survive the way through CSV", "[io][csv]") {
  const io::Columns table({{"epsilon", {0.1, 1e-300, -5.0}}, {"a \"b\", c", {1.0 / 3.0, 0.0, 1e22}}});
  const std::string text = io::to_csv(table);
  CHECK(text.starts_with("epsilon,\"a \"\"b\"\", c\"\n0.1,0.3333333333333333\n"));
  const auto back = io::parse_csv(text, "text");
  CHECK(back.rows() == 3);
  CHECK(back["epsilon"] == table["epsilon"]);
  CHECK(back["a \"b\", c"] == table["a \"b\", c"]);
  CHECK_THROWS_WITH(back["delta"], Catch::Contains("no column 'delta' among: epsilon"));
}

TEST_CASE("a matrix without names has numbered columns", "[io][csv]") {
  const auto table = io::parse_csv(
      "\xEF\xBB\xBF"
      "1, 2\r\n\n+3,4e0",
      "m.csv", io::Header::absent);
  CHECK(table["1"] == std::vector<double>{1.0, 3.0});
  CHECK(table["2"] == std::vector<double>{2.0, 4.0});
}

TEST_CASE("a file reads as its text does and is named in messages", "[io][csv]") {
  const test::Folder folder;
  const auto path = folder.path / "table.csv";
  std::ofstream(path) << "a,b\n1,2\n3,nan\n";
  CHECK(io::read_csv(path, io::Header::present, io::NonFinite::allowed)["a"] == std::vector<double>{1.0, 3.0});
  CHECK_THROWS_WITH(io::read_csv(path), Catch::Contains(path.string() + ", line 3: column 2: 'nan' is not finite"));
  CHECK_THROWS_AS(io::read_csv(folder.path / "other.csv"), DataError);
}

TEST_CASE("a bad cell is named by line and column", "[io][csv][errors]") {
  CHECK_THROWS_WITH(io::parse_csv("a,b\n1,2\n3,x\n", "f.csv"),
                    Catch::Contains("f.csv, line 3: column 2: 'x' is not a number"));
  CHECK_THROWS_WITH(io::parse_csv("a,b\n1\n", "f.csv"), Catch::Contains("line 2: 1 cells, expected 2"));
  CHECK_THROWS_WITH(io::parse_csv("a\n1e999\n", "f.csv"), Catch::Contains("outside the range of double"));
  CHECK_THROWS_WITH(io::parse_csv("a,a\n", "f.csv"), Catch::Contains("two columns are called 'a'"));
  CHECK_THROWS_WITH(io::parse_csv("a\n1,\n", "f.csv"), Catch::Contains("line 2: 2 cells"));
  CHECK_THROWS_WITH(io::parse_csv("\"a\" b\n", "f.csv"), Catch::Contains("text after a closing quote"));
  CHECK_THROWS_WITH(io::parse_csv("\"a\n", "f.csv"), Catch::Contains("a quote is not closed"));
  CHECK_THROWS_AS(io::parse_csv("\n\n", "f.csv"), UsageError);
  CHECK_THROWS_AS(io::Columns({{"a", {1.0}}, {"b", {}}}), DomainError);
}

TEST_CASE("what is wrong in a text is no matter of its file", "[io][csv][errors]") {
  CHECK_THROWS_AS(io::parse_csv("a,b\n1,x\n", "f.csv"), UsageError);
  CHECK_THROWS_AS(io::parse_csv("a,b\n1\n", "f.csv"), UsageError);
  CHECK_THROWS_AS(io::parse_csv("a\n1\n", "f.csv")["b"], UsageError);
}

TEST_CASE("UTF-16 is named, with and without its mark", "[io][csv][errors]") {
  using namespace std::string_literals;
  for (const auto& text : {"\xFF\xFE"s + "a\0\n\0"s, "\xFE\xFF"s + "\0a\0\n"s, "a\0\n\0"s, "\0a\0\n"s}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(io::parse_csv(text, "f"), "f: UTF-16; save the file as UTF-8");
    CHECK_THROWS_WITH(io::parse_rows(text, "f"), "f: UTF-16; save the file as UTF-8");
    CHECK_THROWS_WITH(io::read_json(text, "f"), "f: UTF-16; save the file as UTF-8");
    CHECK_THROWS_WITH(io::read_toml(text, "f"), "f: UTF-16; save the file as UTF-8");
  }
}

TEST_CASE("values that are not finite are refused unless allowed", "[io][csv]") {
  CHECK_THROWS_WITH(io::parse_csv("a\nnan\n", "f"), Catch::Contains("line 2: column 1: 'nan' is not finite"));
  const auto table = io::parse_csv("a\nnan\n-inf\n", "f", io::Header::present, io::NonFinite::allowed);
  CHECK(std::isnan(table["a"][0]));
  CHECK(table["a"][1] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("names that start or end with blanks survive being written", "[io][csv]") {
  for (const std::string name : {" a", "a ", "\t", "a\r", "\"",
                                 "\xEF\xBB\xBF"
                                 "a"}) {
    const io::Columns table({{name, {1.0}}, {"b", {2.0}}});
    const auto again = io::parse_csv(io::to_csv(table), "written");
    CAPTURE(name);
    CHECK(again.all()[0].name == name);
  }
}

TEST_CASE("names that look like the mark of a file survive, and a zero byte is refused", "[io][csv]") {
  for (const std::string name : {"\xFF\xFEx", "\xFE\xFFx", "\xEF\xBB\xBFx"}) {
    const io::Columns table({{name, {1.0}}});
    CHECK(io::parse_csv(io::to_csv(table), "f.csv").all().front().name == name);
  }
  using namespace std::string_literals;
  CHECK_THROWS_WITH(io::parse_csv("a,\"\0b\"\n1,2\n"s, "f.csv"), Catch::Contains("line 1: a zero byte"));
}

TEST_CASE("an optional line of names is one without a number", "[io][csv]") {
  const auto named = io::parse_csv("eigenvalue\n2\n1\n", "f", io::Header::optional);
  CHECK(named["eigenvalue"] == std::vector<double>{2.0, 1.0});
  const auto bare = io::parse_csv("2\n1\n", "f", io::Header::optional);
  CHECK(bare["1"] == std::vector<double>{2.0, 1.0});
  // A first row with a mistake is not taken for names.
  CHECK_THROWS_WITH(io::parse_csv("2,x\n1,1\n", "f", io::Header::optional), Catch::Contains("line 1"));
}
