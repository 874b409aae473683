// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("every piece runs once, for any number of threads", "[core][parallel]") {
  const unsigned threads = GENERATE(0U, 1U, 2U, 7U);
  std::vector<int> hits(1000, 0);
  parallel_for(hits.size(), threads, [&](std::size_t i) { ++hits[i]; });
  CHECK(std::accumulate(hits.begin(), hits.end(), 0) == 1000);
  CHECK(*std::max_element(hits.begin(), hits.end()) == 1);
}

TEST_CASE("the first failure of a piece reaches the caller", "[core][parallel][errors]") {
  const auto work = [](std::size_t i) {
    if (i == 3) {
      throw DataError("piece 3");
    }
  };
  CHECK_THROWS_AS(parallel_for(100, 2, work), DataError);
}

TEST_CASE("of several failures the first piece's is thrown, whatever finished before", "[core][parallel][errors]") {
  const auto threads = GENERATE(1U, 2U, 4U);
  const auto work = [](std::size_t i) {
    if (i == 5) {  // slower than those behind it
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (i >= 5) {
      throw DataError("piece " + std::to_string(i));
    }
  };
  for (int repeat = 0; repeat < 5; ++repeat) {
    CHECK_THROWS_WITH(parallel_for(100, threads, work), "piece 5");
  }
}

TEST_CASE("progress counts the pieces and can stop them", "[core][parallel]") {
  std::size_t last = 0;
  parallel_for(
      10, 2, [](std::size_t) {},
      [&](std::size_t done, std::size_t total) {
        CHECK(total == 10);
        CHECK(done == last + 1);
        last = done;
        return true;
      });
  CHECK(last == 10);
  CHECK_THROWS_AS(parallel_for(
                      10, 1, [](std::size_t) {}, [](std::size_t, std::size_t) { return false; }),
                  Error);
}
