// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/models/softmax.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/glyph_folder.hpp"

using namespace dpcurves;
using tools::reproduce::Reproduced;
using tools::reproduce::Reproduction;

namespace {

Reproduced run(const std::vector<Reproduction>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Reproduction& r) { return r.id == "shifted-interpolation/" + name; });
  REQUIRE(found != list.end());
  return found->run();
}

Reproduced table(int number) {
  return run(tools::reproduce::shifted_interpolation_tables(), "table-" + std::to_string(number));
}

Reproduced figure(int number) {
  return run(tools::reproduce::shifted_interpolation_figures(), "figure-" + std::to_string(number));
}

double value(const Reproduced& result, const std::vector<std::string>& labels) {
  const auto found = std::find_if(result.entries.begin(), result.entries.end(),
                                  [&](const tools::reproduce::Entry& entry) { return entry.labels == labels; });
  REQUIRE(found != result.entries.end());
  return found->computed;
}

}  // namespace

TEST_CASE("the published parameters and epsilons are met to the printed digits", "[tools][reproduce]") {
  struct Row {
    int number;
    std::size_t published;
  };
  const auto row = GENERATE(Row{1, 9}, Row{3, 12}, Row{4, 18}, Row{7, 18}, Row{8, 18}, Row{9, 30});
  const auto result = table(row.number);
  CHECK(result.entries.size() == row.published);
  for (const auto& entry : result.entries) {
    CAPTURE(row.number, entry.labels, entry.computed);
    REQUIRE(entry.published);
    CAPTURE(*entry.published);
    CHECK(entry.agrees());
  }
}

TEST_CASE("tables 10 to 12 have the right parameters and the wrong epochs", "[tools][reproduce]") {
  const int number = GENERATE(10, 11, 12);
  const auto result = table(number);
  CHECK(result.entries.size() == 27);
  for (const auto& entry : result.entries) {
    CAPTURE(number, entry.labels, entry.computed);
    REQUIRE(entry.published);
    CAPTURE(*entry.published);
    CHECK(entry.agrees() == (entry.labels.back() != "E*"));  // the printed formula gives the printed epochs
    if (entry.labels.back() == "E*") {
      CHECK(entry.computed > *entry.published);
      CHECK(entry.remark.find("refuted") == 0);
    }
  }
}

TEST_CASE("the corrected epochs are the first at which composition reaches the bound", "[tools][reproduce]") {
  struct Row {
    int number;
    const char* sensitivity;
    const char* step_size;
    double epochs;
  };
  const auto row = GENERATE(Row{10, "0.25", "0.04", 41}, Row{10, "0.25", "0.01", 161}, Row{10, "0.5", "0.02", 41},
                            Row{10, "1", "0.01", 41}, Row{11, "0.5", "0.04", 11}, Row{11, "1", "0.04", 6},
                            Row{12, "0.25", "0.02", 21}, Row{12, "1", "0.04", 4});
  CHECK(value(table(row.number), {row.sensitivity, row.step_size, "E*"}) == row.epochs);
}

TEST_CASE("tables that need MNIST say so", "[tools][reproduce]") {
  const auto result = table(GENERATE(2, 5, 6));
  CHECK(result.entries.empty());
  REQUIRE_FALSE(result.notes.empty());
  CHECK(result.notes.front().find("MNIST") != std::string::npos);
}

namespace {

std::vector<double> computed(const Reproduced& result) {
  std::vector<double> all;
  for (const auto& entry : result.entries) {
    all.push_back(entry.computed);
  }
  return all;
}

}  // namespace

TEST_CASE("accuracies on a folder of images: the same bits for any threads, taken up where they stopped",
          "[tools][reproduce]") {
  const test::Folder folder;
  test::write_glyphs(folder.path, 80, 20);
  tools::reproduce::OnData question;
  question.folder = folder.path;
  question.repetitions = 2;
  question.threads = 1;
  const auto once = tools::reproduce::shifted_interpolation_accuracies(5, question);
  REQUIRE(once.entries.size() == 12);
  for (const auto& entry : once.entries) {
    CHECK(entry.stand_in);
    CHECK(entry.computed > 30.0);  // chance is 10
    CHECK(entry.deviation.value() >= 0.0);
  }
  question.threads = 2;
  question.resume = folder.path / "kept.csv";
  CHECK(computed(tools::reproduce::shifted_interpolation_accuracies(5, question)) == computed(once));
  CHECK(io::read_csv(question.resume).rows() == 4 * 2 * 3);
  question.progress = [](std::size_t, std::size_t) -> bool { throw Error("trained again"); };
  CHECK(computed(tools::reproduce::shifted_interpolation_accuracies(5, question)) == computed(once));
  question.seed = 2;
  CHECK_THROWS_WITH(tools::reproduce::shifted_interpolation_accuracies(5, question), Catch::Contains("another seed"));
  question.seed = 1;
  test::change_an_image(folder.path);
  CHECK_THROWS_WITH(tools::reproduce::shifted_interpolation_accuracies(5, question), Catch::Contains("other images"));
  question.folder = folder.path / "nowhere";
  CHECK_THROWS_WITH(tools::reproduce::shifted_interpolation_accuracies(5, question),
                    Catch::Contains("--data") && Catch::Contains("there is no folder"));
}

TEST_CASE("two means of runs are told apart at a level", "[tools][reproduce]") {
  tools::reproduce::Entry entry{{"50"}, 90.70, 90.75, 2, ""};
  CHECK_FALSE(entry.agrees());  // to the digits
  CHECK_FALSE(entry.standard_error());
  entry.deviation = 0.05;
  entry.published_deviation = 0.03;
  entry.runs = entry.published_runs = 10;
  const double pooled = std::sqrt((0.05 * 0.05 + 0.03 * 0.03) / 2.0);
  CHECK(*entry.standard_error() == Approx(pooled * std::sqrt(0.2)).epsilon(1e-12));
  constexpr double student = 2.878440473;  // 0.995 quantile, 18 degrees of freedom
  const double margin = 0.005 + student * *entry.standard_error();
  for (const double side : {-1.0, 1.0}) {
    entry.computed = 90.75 + side * (margin - 1e-6);
    CHECK(entry.agrees());
    entry.computed = 90.75 + side * (margin + 1e-6);
    CHECK_FALSE(entry.agrees());
  }
  entry.runs = 1;  // a single run has the printed deviation
  entry.deviation = 0.0;
  CHECK(*entry.standard_error() == Approx(0.03 * std::sqrt(1.1)).epsilon(1e-12));
}

TEST_CASE("means of one law are called different at most as often as the level says",
          "[tools][reproduce][statistics]") {
  constexpr std::size_t trials = 4000, runs = 10;
  std::size_t different = 0;
  std::vector<double> draws(2 * runs);
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    random::normals(draws, 1, random::Purpose::noise, trial, 0);
    const auto mean_of = [&](std::size_t first) {
      const std::span<const double> sample(draws.data() + first, runs);
      const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / runs;
      double squares = 0.0;
      for (const double x : sample) {
        squares += (x - mean) * (x - mean);
      }
      return std::pair(mean, std::sqrt(squares / (runs - 1)));
    };
    const auto [mean, deviation] = mean_of(0);
    const auto [other, other_deviation] = mean_of(runs);
    tools::reproduce::Entry entry{{""}, mean, other, 9, ""};
    entry.deviation = deviation;
    entry.published_deviation = other_deviation;
    entry.runs = entry.published_runs = runs;
    different += static_cast<std::size_t>(!entry.agrees());
  }
  CHECK(different < 65);  // 40 on average, of deviation 6.3
  CHECK(different > 15);
}

TEST_CASE("the clipped softmax step behind tables 1 to 6 can expand", "[tools][reproduce]") {
  constexpr double clip = 5.0;
  constexpr double step_size = 0.05;
  constexpr double regularisation = 0.004;
  models::LabelledData data;
  data.features = Eigen::MatrixXd::Constant(2, 1, 1.0);
  data.features(0, 0) = 8.0;  // the longest feature, and the constant 1
  data.labels = {0};
  data.classes = 10;
  const Eigen::RowVectorXd direction = data.features.col(0).transpose() / data.features.col(0).squaredNorm();
  const models::SoftmaxRegression model(data, clip);
  const models::SoftmaxRegression unclipped(data, std::numeric_limits<double>::infinity());
  const auto scores = [](double first, double second, double third) {
    Eigen::VectorXd z = Eigen::VectorXd::Constant(10, -40.0);  // the other classes do not matter
    z.head(3) << first, second, third;
    return z;
  };
  const Eigen::MatrixXd theta = scores(0.0, -0.5, 0.5) * direction;
  const Eigen::MatrixXd other = scores(-1.5, 0.0, 1.5) * direction;
  const std::vector<std::uint32_t> batch{0};
  const auto ratio = [&](const models::SoftmaxRegression& losses) {
    const auto step = [&](const Eigen::MatrixXd& at) -> Eigen::MatrixXd {
      return at - step_size * (losses.mean_gradient(batch, at) + regularisation * at);
    };
    return (step(theta) - step(other)).norm() / (theta - other).norm();
  };
  CHECK(ratio(model) == Approx(1.01576).epsilon(1e-5));
  CHECK(ratio(unclipped) <= 1.0 - step_size * regularisation);
}

TEST_CASE("figure 1 has the recomputed values", "[tools][reproduce]") {
  const auto result = figure(1);
  CHECK_THAT(value(result, {"10", "mu, theorem 4.2"}), Catch::WithinAbs(0.312866, 5e-7));
  CHECK_THAT(value(result, {"160", "epsilon, theorem 4.2"}), Catch::WithinAbs(2.55684, 5e-6));
  CHECK_THAT(value(result, {"40", "epsilon, its Renyi form"}), Catch::WithinAbs(2.40164, 5e-6));
  CHECK_THAT(value(result, {"80", "epsilon, earlier Renyi bound"}), Catch::WithinAbs(3.78484, 5e-6));
  CHECK_THAT(value(result, {"80", "epsilon, composition"}), Catch::WithinAbs(3.84861, 5e-6));
}

TEST_CASE("the one-step curves of figure 4 touch C_p where the figure says", "[tools][reproduce]") {
  const auto result = figure(4);
  const std::string lambda = GENERATE("0", "0.5", "1");
  CHECK_THAT(value(result, {lambda, "type II error, f^(lambda)"}),
             Catch::WithinAbs(value(result, {lambda, "type II error, C_p(G(mu))"}), 1e-14));
}

TEST_CASE("figures have numbers and a picture, sketches a note", "[tools][reproduce]") {
  const int number = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9);
  const auto result = figure(number);
  CAPTURE(number);
  const bool sketch = number == 3 || number == 5;
  CHECK(result.entries.empty() == sketch);
  CHECK(result.plot.has_value() != sketch);
  CHECK_FALSE(result.notes.empty());
}

TEST_CASE("figure 10 puts the certified curve beside the approximation", "[tools][reproduce]") {
  const auto result = figure(10);
  const std::vector<std::string> panel{"0.01", "0.5", "0.1"};
  const auto at = [&](const std::string& quantity) {
    auto labels = panel;
    labels.push_back(quantity);
    return value(result, labels);
  };
  CHECK(at("delta, composition, t = 20000") == Approx(3.49e-6).epsilon(2e-3));
  CHECK(at("delta, theorem 4.10") > 0.0);
  CHECK(at("delta, theorem 4.10") != at("delta, theorem 4.10 (CLT)"));
  REQUIRE(result.plot);
  const auto& certified = result.plot->series.front();
  // Steps: every cell has the value at its right end, where the central limit's curve is near.
  const double cell = certified.x.at(1);
  CHECK(certified.x.front() == 0.0);
  CHECK(certified.y.front() == certified.y.at(1));
  CHECK(certified.y.front() == Approx(tradeoff::gaussian(cell, at("mu, theorem 4.10 (CLT)"))).margin(1e-4));
  CHECK(std::is_sorted(certified.y.rbegin(), certified.y.rend()));
}
