// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/glm_records.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

namespace {

GlmLaw law_of(FeatureLaw features, std::size_t d, models::LinkKind link = models::LinkKind::tanh) {
  GlmLaw law;
  law.features = features;
  law.dimension = d;
  law.link = models::make_link(link);
  law.parameter.assign(d, 0.5);
  return law;
}

}  // namespace

TEST_CASE("a drawn record is a function of its number, whatever block it is read in", "[simulate]") {
  for (const auto features : {FeatureLaw::unit_sphere, FeatureLaw::cube, FeatureLaw::spiked}) {
    auto law = law_of(features, 3);
    law.labels = LabelLaw::two_point;
    DrawnRecords records(law, 100, 5, 1);
    std::vector<double> x(300), y(100), one(3), label(1);
    records.read(0, x, y);
    for (std::uint64_t i = 0; i < 100; i += 7) {
      records.read(i, one, label);
      CHECK(label[0] == y[i]);
      for (std::size_t j = 0; j < 3; ++j) {
        CHECK(one[j] == x[3 * i + j]);
      }
    }
  }
}

TEST_CASE("labels have the mean of the link, and stay in its range", "[simulate][statistics]") {
  auto law = law_of(FeatureLaw::spiked, 2);
  law.parameter = {1.0, 0.0};
  law.labels = LabelLaw::two_point;
  DrawnRecords records(law, 40000, 3, 0);
  std::vector<double> x(80000), y(40000);
  records.read(0, x, y);
  double agree = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(std::abs(y[i]) == 1.0);
    CHECK(std::hypot(x[2 * i], x[2 * i + 1]) == Approx(1.0));
    agree += y[i] * (x[2 * i] > 0.0 ? 1.0 : -1.0) / 40000.0;
  }
  CHECK(agree == Approx(std::tanh(0.8)).margin(4.0 / 200.0));
}

TEST_CASE("isotropic symmetric laws pass the check, the others are named", "[simulate]") {
  const auto check = [](FeatureLaw features, double bound) {
    DrawnRecords records(law_of(features, 4), 20000, 8, 0);
    return isotropy_violations(records, bound, 20000);
  };
  CHECK(check(FeatureLaw::wide_sphere, 2.0).empty());
  CHECK(check(FeatureLaw::cube, std::sqrt(12.0)).empty());
  // Assumption 2 asks for |x| <= sqrt d of an isotropic law, which leaves the sphere alone.
  const auto cube = check(FeatureLaw::cube, 2.0);
  REQUIRE(cube.size() == 1);
  CHECK(cube[0].assumption == "|x| <= 2");
  CHECK(check(FeatureLaw::gaussian, HUGE_VAL).empty());
  const auto exponential = check(FeatureLaw::exponential, HUGE_VAL);
  REQUIRE(exponential.size() == 1);
  CHECK(exponential[0].assumption == "x and -x of the same law");
  CHECK(check(FeatureLaw::unit_sphere, 1.0).size() == 1);  // E x x' = I/d
}

TEST_CASE("each clause of Assumption 1 is checked by itself", "[simulate]") {
  DrawnRecords records(law_of(FeatureLaw::wide_sphere, 4), 100, 8, 0);
  const std::vector<double> parameter(4, 0.5);
  const auto link = models::make_link(models::LinkKind::tanh);
  CHECK(violations({1.0, 1.0, 1.0, 2.0}, link, parameter, records, 100).empty());
  const auto broken = violations({0.5, 0.9, 0.7, 1.0}, link, parameter, records, 100);
  CHECK(broken.size() == 5);
  CHECK(describe(broken).find("|w*| = 1 > W = 0.7") != std::string::npos);
  CHECK(violations({1.0, 1.0, 1.0, 2.0}, models::make_link(models::LinkKind::relu), parameter, records, 1).size() == 1);
}

TEST_CASE("mapped records are the map of the records", "[simulate]") {
  DrawnRecords base(law_of(FeatureLaw::unit_sphere, 5), 30, 8, 0);
  auto map = models::JohnsonLindenstrauss::gaussian(3, 5, 1, 0);
  MappedRecords mapped(base, map);
  std::vector<double> x(5 * 10), y(10), px(3 * 10), py(10), one(3);
  base.read(7, x, y);
  mapped.read(7, px, py);
  for (std::size_t i = 0; i < 10; ++i) {
    map.apply(std::span<const double>(x).subspan(5 * i, 5), one);
    CHECK(py[i] == y[i]);
    CHECK(px[3 * i + 1] == one[1]);
  }
  const models::PolynomialFeatures psi(5, 2);
  MappedRecords polynomial(base, psi);
  CHECK(polynomial.dimension() == 21);
}

TEST_CASE("losses over records are those of a loop", "[simulate]") {
  StoredRecords records(2, {1.0, 0.0, 0.0, 1.0, 1.0, 1.0}, {0.5, -0.5, 0.0});
  const auto link = models::make_link(models::LinkKind::identity);
  const std::vector<double> w{1.0, 2.0}, truth{0.0, 0.0};
  CHECK(mean_squared_loss(records, link, w) == Approx((0.25 + 6.25 + 9.0) / 3.0));
  CHECK(mean_squared_differences(records, link, w, truth)[0] == Approx((1.0 + 4.0 + 9.0) / 3.0));
}

TEST_CASE("laws refuse what makes no sense", "[simulate][errors]") {
  auto law = law_of(FeatureLaw::gaussian, 2, models::LinkKind::relu);
  law.labels = LabelLaw::two_point;
  CHECK_THROWS_WITH(DrawnRecords(law, 10, 1, 0), Catch::Contains("bound of the link"));
  law.labels = LabelLaw::exact;
  CHECK_THROWS_WITH(DrawnRecords(law, 0, 1, 0), Catch::Contains("records = 0"));
  law.rank = 1;
  CHECK_THROWS_WITH(DrawnRecords(law, 10, 1, 0), Catch::Contains("rank"));
  CHECK_THROWS_AS(StoredRecords(2, {1.0}, {1.0}), DomainError);
}
