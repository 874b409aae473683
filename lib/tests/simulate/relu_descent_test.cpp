// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/johnson_lindenstrauss.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/relu_descent.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

namespace {

GlmLaw law_of(std::size_t d, FeatureLaw features) {
  GlmLaw law;
  law.features = features;
  law.dimension = d;
  law.link = models::make_link(models::LinkKind::relu);
  law.parameter.assign(d, 0.4);
  return law;
}

double norm(const std::vector<double>& w) {
  double sum = 0.0;
  for (const double value : w) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("projected descent averages the iterates, and as printed returns the last of them", "[simulate]") {
  DrawnRecords records(law_of(2, FeatureLaw::unit_sphere), 50, 1, 0);
  std::vector<double> x(100), y(50), noise(6);
  records.read(0, x, y);
  random::normals(noise, 9, random::Purpose::noise, 4, 0);
  ProjectedDescent setting{.step_size = 0.4, .steps = 3, .noise = 0.3, .radius = 0.25};
  std::vector<double> w{0.0, 0.0}, mean{0.0, 0.0}, last;
  for (std::size_t t = 0; t < 3; ++t) {
    last = w;
    double g[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < 50; ++i) {
      const double s = std::max(0.0, w[0] * x[2 * i] + w[1] * x[2 * i + 1]) - y[i];
      g[0] += s * x[2 * i] / 50.0;
      g[1] += s * x[2 * i + 1] / 50.0;
    }
    for (std::size_t j = 0; j < 2; ++j) {
      mean[j] += w[j] / 3.0;
      w[j] -= 0.4 * (g[j] + 0.3 * noise[2 * t + j]);
    }
    const double length = norm(w);
    if (length > 0.25) {
      w = {w[0] * 0.25 / length, w[1] * 0.25 / length};
    }
  }
  const auto averaged = projected_descent(setting, records, 9, 4);
  setting.printed_average = true;
  const auto printed = projected_descent(setting, records, 9, 4);
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(averaged[j] == Approx(mean[j]).epsilon(1e-12));
    CHECK(printed[j] == Approx(last[j]).epsilon(1e-12));
  }
}

TEST_CASE("descent on projected records is descent on the rows that the map makes of them", "[simulate]") {
  DrawnRecords records(law_of(6, FeatureLaw::wide_sphere), 50, 1, 0);
  auto map = models::JohnsonLindenstrauss::gaussian(3, 6, 1, 0);
  std::vector<double> features(300), labels(50), rows(150);
  records.read(0, features, labels);
  for (std::size_t i = 0; i < 50; ++i) {
    map.apply(std::span(features).subspan(6 * i, 6), std::span(rows).subspan(3 * i, 3));
  }
  StoredRecords mapped(3, rows, labels);
  const ProjectedDescent setting{.step_size = 0.3, .steps = 25, .radius = 5.0};
  const auto small = projected_descent(setting, mapped, 9, 4);
  std::vector<double> lifted(6);
  map.transpose(small, lifted);
  const auto whole = projected_descent(setting, records, map, 9, 4);
  for (std::size_t j = 0; j < 6; ++j) {
    CHECK(whole[j] == Approx(lifted[j]).epsilon(1e-13));
  }
}

TEST_CASE("without noise both descents find the parameter", "[simulate]") {
  DrawnRecords records(law_of(3, FeatureLaw::wide_sphere), 4000, 1, 0);
  BatchedDescent batched;
  batched.step_size = 0.5;
  batched.batches = 40;
  const auto w = batched_descent(batched, records, 1, 0);
  ProjectedDescent projected{.step_size = 0.5, .steps = 200, .radius = 5.0, .printed_average = true};
  const auto v = projected_descent(projected, records, 1, 0);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(w[j] == Approx(0.4).margin(1e-3));
    CHECK(v[j] == Approx(0.4).margin(1e-6));
  }
}

TEST_CASE("batches are disjoint, and their noise follows the iterate", "[simulate]") {
  // Records of weight 0: all that moves is the noise, with standard deviation 1 + |w|.
  StoredRecords records(1, std::vector<double>(10, 0.0), std::vector<double>(10, 0.0));
  BatchedDescent setting;
  setting.step_size = 0.1;
  setting.batches = 3;
  setting.start = {2.0};
  setting.noise = [](double length) { return 1.0 + length; };
  std::vector<double> path;
  setting.observe = [&](std::uint64_t, std::span<const double> w) { path.push_back(w[0]); };
  (void)batched_descent(setting, records, 7, 3);
  std::vector<double> noise(6);
  random::normals(noise, 7, random::Purpose::noise, 3, 0);
  double w = 2.0;
  for (std::size_t i = 0; i < 3; ++i) {
    w -= 0.1 * (1.0 + std::abs(w)) * noise[2 * i];
    CHECK(path[i] == Approx(w));
  }
}

TEST_CASE("descents refuse settings that make no sense", "[simulate][errors]") {
  StoredRecords records(1, std::vector<double>(10, 0.0), std::vector<double>(10, 0.0));
  BatchedDescent batched;
  batched.batches = 11;
  CHECK_THROWS_WITH(batched_descent(batched, records, 1, 0), Catch::Contains("batches = 11"));
  batched.batches = 2;
  batched.noise = [](double) { return std::nan(""); };
  CHECK_THROWS_WITH(batched_descent(batched, records, 1, 0), Catch::Contains("noise = nan"));
  ProjectedDescent projected;
  projected.radius = 0.0;
  CHECK_THROWS_WITH(projected_descent(projected, records, 1, 0), Catch::Contains("radius = 0"));
  projected.radius = 1.0;
  projected.steps = 0;
  CHECK_THROWS_WITH(projected_descent(projected, records, 1, 0), Catch::Contains("steps = 0"));
}
