// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Every pair of a subsampled Gaussian step against the inversion in 50 digits of data/generate/dp_sgd_truths.cpp, which
// shares nothing with the library, and against the closed profiles of one step.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

using Row = std::map<std::string, double>;

Composition composition_of(const Row& row) {
  return {
      0.0,
      {{row.at("sampling_rate"), row.at("mu"), row.at("count"), static_cast<Pair>(static_cast<int>(row.at("pair")))}}};
}

bool nightly() { return std::getenv("DPCURVES_NIGHTLY") != nullptr; }

/// All of the table in a nightly run, else the targets at both ends of the range that is promised.
std::vector<Row> truths() {
  std::vector<Row> rows = test::reference_table("accounting/dp_sgd_truths.csv");
  if (!nightly()) {
    std::erase_if(rows, [](const Row& row) { return row.at("delta") != 1e-5 && row.at("delta") != 1e-12; });
  }
  return rows;
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("the epsilon of every pair holds the 50-digit value", "[accounting][dp-sgd][accuracy]") {
  std::vector<double> widths, seconds;
  test::Worst width, slowest;
  const std::vector<Row> rows = truths();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    EpsilonBound bound;
    seconds.push_back(seconds_of([&] { bound = epsilon_at(composition_of(row), row.at("delta")); }));
    const double exact = row.at("epsilon");
    CAPTURE(row.at("pair"), row.at("sampling_rate"), row.at("mu"), row.at("count"), row.at("delta"), exact,
            bound.epsilon.lower, bound.epsilon.upper, bound.method, seconds.back());
    CHECK(bound.epsilon.lower <= exact * (1.0 + 2e-16));  // the reader rounds the table
    CHECK(bound.epsilon.upper >= exact * (1.0 - 2e-16));
    CHECK(bound.epsilon.relative_width() <= 1e-3);
    widths.push_back(bound.epsilon.relative_width());
    slowest.see(seconds.back(), static_cast<double>(i));
  }
  std::sort(seconds.begin(), seconds.end());
  CAPTURE(slowest.error, slowest.at, seconds[seconds.size() / 2]);
  CHECK(std::count_if(widths.begin(), widths.end(), [](double w) { return w > 1e-6; }) * 10 <
        static_cast<std::ptrdiff_t>(widths.size()));
  CHECK(seconds[seconds.size() / 2] < 1.0);  // 0.02 measured; also for checked builds
}

TEST_CASE("the profile of every pair holds the target of the 50-digit epsilon", "[accounting][dp-sgd][accuracy]") {
  const std::vector<Row> rows = truths();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (!nightly() && row.at("delta") != 1e-5) {
      continue;
    }
    const bool errors = nightly() || i % 5 == 0;  // they take twice the digits
    ProfilePoint point;
    if (errors) {
      point = profile_at(composition_of(row), row.at("epsilon"));
    } else {
      const DeltaBound bound = delta_at(composition_of(row), row.at("epsilon"));
      point.delta = bound.delta;
      point.method = bound.method;
    }
    const double delta = row.at("delta");
    // d log delta / d log epsilon times the rounding of the table's epsilon to a double.
    const double rounded = 1.2e-16 * 4.0 * (std::abs(std::log(delta)) + row.at("epsilon"));
    CAPTURE(row.at("pair"), row.at("sampling_rate"), row.at("mu"), row.at("count"), delta, row.at("epsilon"),
            point.delta.lower, point.delta.upper, point.method);
    CHECK(point.delta.lower <= delta * (1.0 + rounded));
    CHECK(point.delta.upper >= delta * (1.0 - rounded));
    // The type I error and the power belong to it: delta = power - e^epsilon type I error.
    if (errors && row.at("epsilon") < 600.0) {
      const double factor = std::exp(row.at("epsilon"));
      CHECK(point.power.upper - factor * point.type_one_error.lower >= delta * (1.0 - rounded));
      CHECK(point.power.lower - factor * point.type_one_error.upper <= delta * (1.0 + rounded));
    }
  }
}

TEST_CASE("the Renyi divergence of the pairs without a formula of their own holds the 50-digit value",
          "[accounting][dp-sgd][renyi][accuracy]") {
  test::Worst width;
  for (const Row& row : test::reference_table("accounting/pair_renyi.csv")) {
    const double exact = row.at("renyi");
    Composition step = composition_of(
        {{"sampling_rate", row.at("sampling_rate")}, {"mu", row.at("mu")}, {"count", 1.0}, {"pair", row.at("pair")}});
    const Enclosure got = renyi(step, row.at("order"));
    CAPTURE(row.at("pair"), row.at("order"), row.at("sampling_rate"), row.at("mu"), exact, got.lower, got.upper);
    CHECK(got.lower <= exact * (1.0 + 2e-16));
    CHECK(got.upper >= exact * (1.0 - 2e-16));
    if (exact > 1e-6) {  // smaller ones lose digits to the quadrature's absolute target
      width.see(got.relative_width(), row.at("order"));
    }
  }
  CAPTURE(width.at, width.error);
  CHECK(width.error < 1e-8);
}
