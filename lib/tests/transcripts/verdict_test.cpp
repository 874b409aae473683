// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/verdict.hpp>

using namespace dpcurves;
using transcripts::Judgement;

namespace {

Judgement of(double claimed, bool exact = true, std::optional<double> digits = std::nullopt) {
  return transcripts::judge({claimed, 1.0, 1.0001, digits, exact, 0.01}).verdict;
}

}  // namespace

TEST_CASE("a claim is judged by both ends of its bracket", "[transcripts][referee]") {
  CHECK(of(1.0001) == Judgement::correct);
  CHECK(of(1.01) == Judgement::correct);
  CHECK(of(1.0102) == Judgement::loose);
  CHECK(of(1.00005) == Judgement::undecided);
  CHECK(of(0.9999) == Judgement::too_small);
  CHECK(of(0.9999, false) == Judgement::not_comparable);
}

TEST_CASE("half a unit of the last printed digit is rounding, more is not", "[transcripts][referee]") {
  CHECK(of(0.96, true, 2.0) == Judgement::too_small);      // a unit is 0.01
  CHECK(of(0.996, true, 2.0) == Judgement::rounded_down);  // half a unit is 0.005
  CHECK(of(0.994, true, 2.0) == Judgement::too_small);
  CHECK(of(0.0, true, 1.0) == Judgement::too_small);
}

TEST_CASE("an infinite bracket and brackets of nothing are judged", "[transcripts][referee]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(transcripts::judge({infinity, infinity, infinity}).verdict == Judgement::correct);
  CHECK(transcripts::judge({1.0, infinity, infinity}).verdict == Judgement::too_small);
  CHECK(transcripts::judge({0.0, 0.0, 0.0}).verdict == Judgement::correct);
  CHECK(transcripts::judge({0.1, 0.0, 0.0}).verdict == Judgement::loose);
  CHECK_THROWS_AS(transcripts::judge({1.0, 2.0, 1.0}), DomainError);
  CHECK_THROWS_AS(transcripts::judge({-1.0, 0.0, 1.0}), DomainError);
}

TEST_CASE("digits are those of the shortest text", "[transcripts][referee]") {
  CHECK(transcripts::digits_of(5.6) == 2.0);
  CHECK(transcripts::digits_of(0.00721) == 3.0);
  CHECK(transcripts::digits_of(1e-5) == 1.0);
}
