// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate samples on statistics of few values.
#include "simulate/own_draws.hpp"

#include <algorithm>
#include <cmath>

#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::Folder;
using dpcurves::tools::Testing;

namespace {

/// Draws of a statistic whose values 0, 1, ... have these chances.
std::string drawn(const Folder& folder, const char* name, const std::vector<double>& chances, std::size_t count,
                  std::uint64_t seed, std::uint32_t path) {
  std::vector<double> draws(count);
  dpcurves::random::uniforms(draws, seed, dpcurves::random::Purpose::noise, path, 0);
  for (double& x : draws) {
    double value = 0.0, sum = chances.front();
    while (x > sum && value + 1.0 < static_cast<double>(chances.size())) {
      value += 1.0;
      sum += chances[static_cast<std::size_t>(value)];
    }
    x = value;
  }
  dpcurves::io::write_file(folder.path / name, dpcurves::io::to_csv(dpcurves::io::Columns({{"x", draws}})));
  return (folder.path / name).string();
}

/// The tests of a claimed epsilon at delta = 0.
dpcurves::tools::Tests tested(const std::vector<double>& first, const std::vector<double>& second, double epsilon,
                              std::size_t count, std::uint64_t seed, double miss) {
  const Folder folder;
  const auto files =
      drawn(folder, "p.csv", first, count, seed, 1) + "," + drawn(folder, "q.csv", second, count, seed, 2);
  const auto claim = dpcurves::tools::parse_claim("epsilon = e", {{"e", epsilon}}, 0.0);
  Testing testing;
  testing.miss = miss;
  return tests_of_samples(files, bound_of_claim(claim), testing);
}

// The third value is five times as likely under the second input; no threshold between values shows it.
const std::vector<double> five{0.5, 0.29, 0.01, 0.1, 0.1}, five_moved{0.46, 0.29, 0.05, 0.1, 0.1};

}  // namespace

TEST_CASE("a false claim is refuted at the value that breaks it, wherever it lies", "[tools][simulate][claim]") {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    CAPTURE(seed);
    const auto tests = tested(five, five_moved, 1.0, 60000, seed, 1e-6);  // log 5 = 1.609
    CHECK(tests.refuted);
    CHECK(tests.points.size() == 4);
    CHECK(tests.rejected.front() == "2");
    CHECK(tested(five_moved, five, 1.0, 60000, seed, 1e-6).refuted);
  }
  CHECK(tested({0.9, 0.1}, {0.6, 0.4}, 1.0, 10000, 1, 1e-6).refuted);  // log 4 = 1.386
  CHECK(tested({0.1, 0.9}, {0.4, 0.6}, 1.0, 10000, 1, 1e-6).refuted);
}

TEST_CASE("a true claim about few values holds at its level", "[tools][simulate][claim][statistics]") {
  constexpr std::size_t seeds = 200;
  constexpr double miss = 0.01;  // two intervals at five type I errors: refuted with a chance of at most 0.1
  std::size_t refuted = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    refuted += static_cast<std::size_t>(tested(five, five_moved, std::log(5.0), 2000, seed, miss).refuted);
  }
  CHECK(refuted <= seeds / 10);
}

TEST_CASE("more values than type I errors share the level", "[tools][simulate][claim]") {
  const std::vector<double> twenty(20, 0.05);
  const auto tests = tested(twenty, twenty, 0.1, 20000, 1, 1e-3);
  CHECK(tests.points.size() == 19);
  CHECK(tests.miss == Approx(1e-3 * 5.0 / 19.0).epsilon(1e-12));
  CHECK_FALSE(tests.refuted);
}

TEST_CASE("an atom among values that are all different is tested beside thresholds", "[tools][simulate][claim]") {
  const Folder folder;
  const auto mixed = [&](const char* name, double share, std::uint32_t path) {
    std::vector<double> draws(20000), coins(20000);
    dpcurves::random::normals(draws, 1, dpcurves::random::Purpose::noise, path, 0);
    dpcurves::random::uniforms(coins, 1, dpcurves::random::Purpose::noise, path + 10, 0);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      draws[i] = coins[i] < share ? 0.0 : draws[i];
    }
    dpcurves::io::write_file(folder.path / name, dpcurves::io::to_csv(dpcurves::io::Columns({{"x", draws}})));
    return (folder.path / name).string();
  };
  const std::string files = mixed("p.csv", 0.02, 1) + "," + mixed("q.csv", 0.1, 2);
  const auto claimed = [&](const char* epsilon) {
    auto line = dpcurves::test::words("simulate samples --delta 0 --format json --samples");
    line.insert(line.end(), {files, "--claim", std::string("epsilon = ") + epsilon});
    return nlohmann::json::parse(dpcurves::test::run_program(line).out);
  };
  const auto refuted = claimed("1");
  CHECK(refuted["verdict"] == "refuted");
  CHECK(refuted["results"].size() == 6);
  CHECK(refuted["results"].back()["rejected"] == "0");
  CHECK(refuted["results"].back()["threshold"].is_null());
  CHECK_FALSE(refuted["results"].front().contains("rejected"));
  CHECK(claimed("1.7")["verdict"] == "holds");
}
