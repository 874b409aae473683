// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What is promised at any setting: an answer in time, ends in order, agreement of neighbours.
#include <array>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

bool sane(const Enclosure& e) { return e.lower >= 0.0 && e.lower <= e.upper && e.upper <= 1.0; }

}  // namespace

TEST_CASE("brackets hold the 45-digit values of hard compositions", "[accounting][accuracy]") {
  const Accuracy accuracy;
  for (const auto& row : test::reference_table("accounting/hard_compositions.csv")) {
    const double exact = row.at("delta");
    const Composition composition{0.0, {{row.at("sampling_rate"), row.at("mu"), row.at("count")}}};
    const ProfilePoint point = profile_at(composition, row.at("epsilon"), accuracy);
    CAPTURE(row.at("sampling_rate"), row.at("epsilon"), exact, point.delta.lower, point.delta.upper, point.method);
    CHECK(point.delta.lower <= exact * (1 + 2e-16));
    CHECK(point.delta.upper >= exact * (1 - 2e-16));
    CHECK(point.delta.relative_width() < 1e-6);
  }
}

TEST_CASE("far below the losses of many loud steps delta is 1", "[accounting][limits]") {
  for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add, Pair::poisson_replace_one, Pair::fixed_size_remove,
                          Pair::fixed_size_add, Pair::symmetrised}) {
    for (const auto& [rate, mu, count] : {std::array{0.96, 1.0, 1e8}, std::array{0.3, 20.0, 1e6},
                                          std::array{0.01, 5.0, 1e8}, std::array{0.5, 900.0, 1e3}}) {
      for (const double epsilon : {-1e305, -60.0, -1.0, 0.0, 1.0, 60.0}) {
        CAPTURE(static_cast<int>(pair), rate, mu, count, epsilon);
        const DeltaBound found = delta_at({0.0, {{rate, mu, count, pair}}}, epsilon, {1e-6});
        CHECK(found.delta.upper <= 1.0);
        CHECK(found.delta.lower >= 1.0 - 1e-15);
      }
    }
  }
}

TEST_CASE("denormal deltas contradict nothing, and epsilon falls as they rise", "[accounting][limits]") {
  const Composition composition{0.0, {{0.01, 1.0, 10, Pair::poisson_remove}}};
  double before = std::numeric_limits<double>::infinity();
  for (const double delta : {1e-323, 1e-322, 1e-321, 1e-320, 1e-319, 1e-316, 1e-310, 1e-305}) {
    const Enclosure epsilon = epsilon_at(composition, delta).epsilon;
    CAPTURE(delta, epsilon.lower, epsilon.upper);
    CHECK(epsilon.lower < before);
    CHECK(epsilon.relative_width() < 2e-3);
    before = epsilon.lower;
  }
  // Far down the slope changes by so little that a chord foretells the next: what the lattice once missed by 1e-4.
  const auto middle = [&](double delta) { return epsilon_at(composition, delta).epsilon.middle(); };
  CHECK(middle(1e-320) == Approx(middle(1e-318) + 2.0 * (middle(1e-318) - middle(1e-317))).epsilon(2e-5));
}

// Minutes today: hidden until planning gives up sooner; nightly runs name it.
TEST_CASE("extreme settings have an answer, at any work limit", "[.][nightly][accounting][limits]") {
  struct Setting {
    double gaussian, p, mu, count, epsilon;
  };
  for (const Setting& s :
       {Setting{0.0, 1e-7, 1.0, 1e12, 1.0}, Setting{1e-100, 0.01, 1.0, 1, 1.0}, Setting{1e-300, 0.01, 1.0, 1, 1.0},
        Setting{0.0, 1e-9, 1.0, 10, 1.0}, Setting{0.0, 0.5, 5.0, 3, 1.0}, Setting{0.0, 1e-6, 1e-8, 1e9, 1.0},
        Setting{0.0, 0.01, 1.0, 1000, 20000.0}, Setting{0.0, 0.01, 1.0 / 3.0, 2, 1.0},
        Setting{0.0, 0.01, 0.33, 1e9, 1.0}, Setting{0.0, 0.01, 0.33, 1e15, 1.0}, Setting{0.0, 1e-5, 1.0, 1e6, 0.15}}) {
    CAPTURE(s.gaussian, s.p, s.mu, s.count, s.epsilon);
    const Composition composition{s.gaussian, {{s.p, s.mu, s.count}}};
    const Enclosure delta = delta_at(composition, s.epsilon).delta;
    CAPTURE(delta.lower, delta.upper);
    CHECK(sane(delta));
    const EpsilonBound bound = epsilon_at(composition, 1e-5);
    CAPTURE(bound.epsilon.lower, bound.epsilon.upper, bound.method);
    CHECK(std::isfinite(bound.epsilon.upper));
  }
}

TEST_CASE(
    "a Gaussian part of any size up to 1e10 beside sampled steps has the epsilon of both, or of the Gaussian alone",
    "[accounting][limits]") {
  // A cell of the lattice once held 1e15 pieces of such a density, a number that is no int.
  const double mu = GENERATE(1e4, 3e9, 1e10);
  Composition composition;
  composition.gaussian_mu = mu;
  composition.components.push_back({0.025, 2.0 / 3.0, 2000.0});
  const Enclosure epsilon = epsilon_at(composition, 1e-5).epsilon;
  // At least the Gaussian alone; at most with every step unsampled, by composition of Gaussians.
  CHECK(epsilon.upper >= tradeoff::epsilon_of_delta(1e-5, mu));
  CHECK(epsilon.lower <=
        tradeoff::epsilon_of_delta(1e-5, std::hypot(mu, 2.0 / 3.0 * std::sqrt(2000.0))) * (1.0 + 1e-12));
  CHECK(epsilon.relative_width() < 1e-6);
}

TEST_CASE("delta rises with the count from 1 to 50", "[accounting][property]") {
  Accuracy loose;
  loose.relative = 1e-3;
  Enclosure previous = exactly(0.0);
  for (int count = 1; count <= 50; ++count) {
    const ProfilePoint point = profile_at({0.0, {{0.1, 1.0, double(count)}}}, 0.8, loose);
    CAPTURE(count, point.method, point.delta.lower, point.delta.upper);
    CHECK(point.delta.relative_width() < 2e-3);
    CHECK(point.delta.upper > previous.lower);
    CHECK(point.delta.lower > previous.upper);
    previous = point.delta;
  }
}

TEST_CASE("random settings give ordered brackets that fall with epsilon", "[accounting][property]") {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Accuracy quick;
  quick.relative = 1e-3;
  for (int i = 0; i < 40; ++i) {
    const double p = std::pow(10.0, -6.0 * uniform(generator));
    const double mu = std::pow(10.0, -2.0 + 2.6 * uniform(generator));
    const double count = std::floor(std::pow(10.0, 6.0 * uniform(generator)));
    const double spread = p * mu * std::sqrt(count);
    const double epsilon = 3.0 * uniform(generator) * spread + 0.5 * spread * spread;
    CAPTURE(p, mu, count, epsilon);
    const auto points = profile({0.0, {{p, mu, count}}}, std::vector<double>{epsilon, 1.3 * epsilon + 1e-6}, quick);
    for (const ProfilePoint& point : points) {
      CAPTURE(point.method, point.delta.lower, point.delta.upper);
      CHECK(sane(point.delta));
      CHECK(sane(point.type_one_error));
      CHECK(sane(point.power));
    }
    CHECK(points[1].delta.lower <= points[0].delta.upper);
  }
}

TEST_CASE("no header includes a third-party header but Eigen", "[accounting][architecture]") {
  for (const char* name : {"boost", "gsl", "fftw", "nlohmann", "CLI", "toml", "nlopt", "arb"}) {
    for (const char* header : {"calibration", "central_limit", "composition", "dp_sgd", "gdp_parameter",
                               "privacy_curve", "random_allocation", "renyi_accountant", "subsampled_renyi"}) {
      const std::string text = test::source_file("lib/dpcurves/accounting/" + std::string(header) + ".hpp");
      CAPTURE(name, header);
      CHECK(text.find(std::string("#include <") + name) == std::string::npos);
    }
  }
}

TEST_CASE("an epsilon among rare large jumps does not wait for far points", "[accounting][limits]") {
  // 1.007496956e-4 at 0.0366 and 7.299929749e-12 at 0.1: delta = 1e-5 and 1e-8 lie between.
  const accounting::Composition jumps{0.0, {{1e-5, 1.0, 1e6}}};
  const double delta = GENERATE(1e-5, 1e-8);
  const Enclosure epsilon = accounting::epsilon_at(jumps, delta).epsilon;
  CAPTURE(delta, epsilon.lower, epsilon.upper);
  CHECK(epsilon.lower > 0.0366);
  CHECK(epsilon.upper < 0.1);
  CHECK(epsilon.relative_width() < 1e-8);
  CHECK(accounting::profile_at(jumps, epsilon.upper).delta.upper <= delta * (1.0 + 1e-6));
}

TEST_CASE("a Renyi divergence beyond the range of doubles has an infinite upper end", "[accounting][limits]") {
  for (const Pair pair :
       {Pair::symmetrised, Pair::poisson_remove, Pair::poisson_replace_one, Pair::fixed_size_remove}) {
    const Enclosure divergence = renyi({0.0, {{0.1, 1e308, 10, pair}}}, 2.0);
    CHECK(divergence.lower >= 0.0);
    CHECK(std::isinf(divergence.upper));
  }
}

TEST_CASE("laws that were cut off give nine digits and no certificate", "[accounting][limits]") {
  const Composition rare{0.0, {{1.55888e-08, 0.0723324, 24910, Pair::poisson_remove}}};
  const EpsilonBound bound = epsilon_at(rare, 1.28247e-17);
  CHECK(bound.method == "contour");
  CHECK(bound.epsilon.relative_width() < 1e-9);
  CHECK_THROWS_WITH(epsilon_certificate(rare, 1.28247e-17, bound), Catch::Contains("cut off"));
}
