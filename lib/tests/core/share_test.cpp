// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

struct Found {
  std::string name;
  std::optional<double> value;
  std::vector<std::vector<double>> table;
};

void transfer(Archive& archive, Found& found) { archive(found.name, found.value, found.table); }

struct Pair {
  double a = 0.0, b = 0.0;
};

/// A program with three shared loops, one of which has fewer pieces than there are shares, and a loop in a piece.
double program(unsigned threads, std::size_t& computed) {
  std::vector<double> x(101), few(2);
  std::vector<Found> found(13);
  const auto note = [](std::size_t i, Archive&) { (void)i; };
  std::vector<std::size_t> runs(x.size(), 0);
  shared_for(
      x.size(), threads,
      [&](std::size_t i) {
        ++runs[i];
        std::vector<double> inner(5);
        shared_for(
            inner.size(), 1, [&](std::size_t k) { inner[k] = 0.1 * static_cast<double>(i + k); }, note);
        x[i] = std::sin(static_cast<double>(i)) + inner[4];
      },
      [&](std::size_t i, Archive& archive) { archive(x[i]); });
  for (const std::size_t run : runs) {
    computed += run;
  }
  shared_for(
      few.size(), threads, [&](std::size_t i) { few[i] = 1.0 / (3.0 + static_cast<double>(i)); },
      [&](std::size_t i, Archive& archive) { archive(few[i]); });
  shared_for(
      found.size(), threads,
      [&](std::size_t i) {
        found[i] = {"piece " + std::to_string(i),
                    i % 2 == 0 ? std::optional(0.1 * static_cast<double>(i)) : std::nullopt,
                    {{1.0, std::exp(static_cast<double>(i))}, {}}};
      },
      [&](std::size_t i, Archive& archive) { archive(found[i]); });
  double sum = 0.0;  // in the order of the pieces, so that it has the same bits
  for (const double value : x) {
    sum += value;
  }
  for (const Found& one : found) {
    sum += one.value.value_or(0.3) * one.table.front().back() + static_cast<double>(one.name.size());
  }
  return sum + few[0] * few[1];
}

SharedValues share_of(std::size_t index, std::size_t count, std::size_t& computed) {
  const Sharing sharing(Share{index, count});
  (void)program(2, computed);
  return sharing.computed();
}

}  // namespace

TEST_CASE("an archive gives back what was written, bit for bit", "[core][share]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Found found{"a \0 b", 0.1, {{1.0, -0.0, nan}, {}, {5e-324}}};
  std::array<Pair, 2> pairs{Pair{1.0, 2.0}, Pair{3.0, 4.0}};
  std::optional<std::string> none;
  std::vector<std::pair<std::uint64_t, std::string>> list{{7, "seven"}, {8, ""}};
  Archive writing;
  writing(found, pairs, none, list);
  const std::string bytes = std::move(writing).written();

  Found again;
  std::array<Pair, 2> pairs_again{};
  std::optional<std::string> something("something");
  std::vector<std::pair<std::uint64_t, std::string>> list_again;
  Archive reading{std::string_view(bytes)};
  reading(again, pairs_again, something, list_again);
  CHECK(reading.ended());
  CHECK(again.name == found.name);
  CHECK(again.value == found.value);
  REQUIRE(again.table.size() == 3);
  CHECK(std::signbit(again.table[0][1]));
  CHECK(std::isnan(again.table[0][2]));
  CHECK(again.table[2][0] == 5e-324);
  CHECK(pairs_again[1].a == 3.0);
  CHECK_FALSE(something.has_value());
  CHECK(list_again == list);
  for (std::size_t size = 0; size < bytes.size(); ++size) {  // every cut is noticed
    Archive cut{std::string_view(bytes).substr(0, size)};
    CHECK_THROWS_AS(cut(again, pairs_again, something, list_again), DataError);
  }
}

TEST_CASE("the shares of a program have the bits of one process, and each piece is computed once", "[core][share]") {
  std::size_t computed = 0;
  const double whole = program(3, computed);
  REQUIRE(computed == 101);
  const std::size_t count = GENERATE(1U, 2U, 3U, 7U, 50U);
  computed = 0;
  std::vector<SharedValues> shares;
  for (std::size_t i = 0; i < count; ++i) {
    shares.push_back(share_of(i, count, computed));
  }
  CHECK(computed == 101);
  computed = 0;
  const Sharing all(merged(shares));
  CHECK(program(1, computed) == whole);
  CHECK(computed == 0);
}

TEST_CASE("the pieces of all loops are dealt out evenly", "[core][share]") {
  std::size_t computed = 0;
  std::size_t least = 1000, most = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    std::size_t own = 0;
    for (const LoopValues& loop : share_of(i, 7, computed)) {
      own += loop.values.size();
    }
    least = std::min(least, own);
    most = std::max(most, own);
  }
  CHECK(most - least <= 1);
}

TEST_CASE("missing, doubled and foreign values are refused", "[core][share][errors]") {
  std::size_t computed = 0;
  const auto first = share_of(0, 2, computed), second = share_of(1, 2, computed);
  CHECK_THROWS_WITH(merged({first}), Catch::Contains("missing or doubled"));
  CHECK_THROWS_WITH(merged({first, first}), Catch::Contains("missing or doubled"));
  auto shorter = second;
  shorter.pop_back();
  CHECK_THROWS_WITH(merged({first, shorter}), Catch::Contains("same loops"));
  CHECK(merged({}).empty());
  {
    const Sharing all(merged({first, second}));
    std::vector<double> other(100);
    const auto values = [&](std::size_t i, Archive& archive) { archive(other[i]); };
    CHECK_THROWS_WITH(shared_for(
                          100, 1, [](std::size_t) {}, values),
                      Catch::Contains("not of this question"));
  }
  {
    const Sharing all(merged({first, second}));
    std::vector<float> other(101);
    const auto values = [&](std::size_t i, Archive& archive) { archive(other[i]); };
    CHECK_THROWS_WITH(shared_for(
                          101, 1, [](std::size_t) {}, values),
                      Catch::Contains("too long"));
  }
  CHECK_THROWS_AS(Sharing(Share{2, 2}), DomainError);
  CHECK_FALSE(Sharing::active());
}

TEST_CASE("a loop that others depend on is computed whole in every share", "[core][share]") {
  const Sharing sharing(Share{1, 3});
  CHECK(Sharing::partial());
  std::vector<int> hits(10, 0);
  {
    const Whole pilot;
    shared_for(
        10, 2, [&](std::size_t i) { ++hits[i]; }, [&](std::size_t i, Archive& archive) { archive(hits[i]); });
  }
  CHECK(hits == std::vector<int>(10, 1));
  CHECK(sharing.computed().empty());
  CHECK_THROWS_AS(Sharing::last_loop_done(), ShareComputed);
}

TEST_CASE("a loop that needs no stand-in computes each of its pieces once", "[core][share]") {
  constexpr std::size_t shares = 5;
  int computed = 0;
  const auto run = [&] {
    std::vector<double> few(2, -1.0), many(7);
    Sharing::next_loop_needs_no_stand_in();
    shared_for(
        few.size(), 1,
        [&](std::size_t i) {
          ++computed;
          few[i] = static_cast<double>(i) + 0.5;
        },
        [&](std::size_t i, Archive& archive) { archive(few[i]); });
    shared_for(
        many.size(), 1, [&](std::size_t i) { many[i] = static_cast<double>(i); },
        [&](std::size_t i, Archive& archive) { archive(many[i]); });
    return few[0] + few[1] + many[6];
  };
  std::vector<SharedValues> values;
  for (std::size_t i = 0; i < shares; ++i) {
    const Sharing sharing(Share{i, shares});
    static_cast<void>(run());
    values.push_back(sharing.computed());
  }
  CHECK(computed == 2);
  CHECK(values[3][1].values.size() == 2);  // pieces 2 and 7 of all, after the two of the loop before: 1 and 6 of this
  const Sharing all(merged(values));
  CHECK(run() == 8.0);
  CHECK(computed == 2);
}
