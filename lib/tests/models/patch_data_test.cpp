// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/models/patch_data.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

TEST_CASE("noise patches have covariance A A' and no part along a signal", "[models][patch-data]") {
  const auto kind = GENERATE(NoiseLaw::gaussian, NoiseLaw::uniform);
  const PatchLaw law{{2.0, 6.0, 0.5, 3.0}, 2.0, kind};
  const auto data = draw_patches(law, 40000, 9, 0, DataPart::train);
  CHECK(data.noise.leftCols(2).norm() == 0.0);
  RowMatrix own(20000, 6);
  for (Eigen::Index i = 0; i < own.rows(); ++i) {
    own.row(i) = data.noise.row(2 * i + 1);
    REQUIRE(data.labels[static_cast<std::size_t>(2 * i + 1)] == 1);
  }
  const Eigen::MatrixXd covariance = own.transpose() * own / 20000.0;
  const Eigen::VectorXd diagonal = noise_matrix_diagonal(law, 1);
  for (Eigen::Index i = 0; i < 6; ++i) {
    for (Eigen::Index j = 0; j < 6; ++j) {
      const double scale = diagonal(i) * diagonal(j);  // standard errors: sqrt(2/n) at most
      CHECK(covariance(i, j) == Approx(i == j ? scale : 0.0).margin(6.0 * scale * std::sqrt(2.0 / 20000.0)));
    }
  }
  if (kind == NoiseLaw::uniform) {
    CHECK(own.cwiseAbs().maxCoeff() <= 3.0 * std::sqrt(3.0));
  }
}

TEST_CASE("parts of a path share no numbers, a prefix keeps its numbers", "[models][patch-data]") {
  const PatchLaw law{{2.0, 6.0, 0.5, 3.0}, 0.0, NoiseLaw::gaussian};
  const auto train = draw_patches(law, 4, 9, 0, DataPart::train), more = draw_patches(law, 8, 9, 0, DataPart::train);
  CHECK(train.noise == more.noise.topRows(4));
  CHECK(train.noise != draw_patches(law, 4, 9, 0, DataPart::test).noise);
  CHECK(train.noise != draw_patches(law, 4, 9, 1, DataPart::train).noise);
  CHECK_THROWS_WITH(draw_patches(law, 5, 9, 0, DataPart::train), Catch::Contains("multiples"));
}

TEST_CASE("a random rotation is orthogonal", "[models][patch-data]") {
  const auto q = random_rotation(17, 2, 3);
  CHECK((q.transpose() * q - Eigen::MatrixXd::Identity(17, 17)).norm() < 1e-13);
}

TEST_CASE("truncated normals invert their distribution far into the tail", "[models][patch-data]") {
  test::Worst worst;
  for (const double level : {-6.0, 0.0, 1.0, 7.0, 30.0, 1e4}) {
    for (const double uniform : {1e-12, 0.3, 0.999999}) {
      const double z = truncated_normal(level, uniform);
      CHECK(z >= level);
      // P(Z > z)/P(Z > L) = uniform, compared through logarithms and the slope -z of log P.
      const double log_ratio = numerics::log_normal_upper_tail(z) - numerics::log_normal_upper_tail(level);
      worst.see(std::fabs(log_ratio - std::log(uniform)) / (1.0 + z * z), level);
    }
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-14);
  CHECK_THROWS_AS(truncated_normal(0.0, 0.0), DomainError);
}

TEST_CASE("long-tailed patches reach their level exactly, and as often as the normal tail says",
          "[models][patch-data]") {
  const PatchLaw law{{2.0, 12.0, 0.5, 3.0}, 1.0, NoiseLaw::gaussian};
  Eigen::VectorXd filter(12);
  random::normals({filter.data(), 12}, 6, random::Purpose::initialisation, 0, 0);
  const auto patches = long_tailed_noise(law, 1, filter, 1.5, 4000, 6, 0);
  const double scale = noise_matrix_diagonal(law, 1).cwiseProduct(filter).norm();
  const Eigen::VectorXd levels = patches * filter / scale;
  CHECK(levels.minCoeff() >= 1.5 - 1e-12);
  const double expected = numerics::normal_upper_tail(2.0) / numerics::normal_upper_tail(1.5);
  const double seen = static_cast<double>((levels.array() >= 2.0).count()) / 4000.0;
  CHECK(seen == Approx(expected).margin(5.0 * std::sqrt(expected * (1.0 - expected) / 4000.0)));
  // The other directions keep variance 1: the sum of squares of zeta less z^2 is chi-square with 9 degrees (rank 10).
  CHECK_THROWS_AS(long_tailed_noise(law, 1, Eigen::VectorXd::Zero(12), 1.0, 3, 1, 0), DomainError);
}

TEST_CASE("tail levels of the three readings are those of explicit sums of filters", "[models][patch-data]") {
  const PatchLaw law{{2.0, 6.0, 0.5, 3.0}, 1.0, NoiseLaw::gaussian};
  const auto data = draw_patches(law, 10, 4, 0, DataPart::fresh);
  RowMatrix weights(6, 2 * 3);
  random::normals({weights.data(), 36}, 4, random::Purpose::initialisation, 0, 0);
  const auto one = tail_levels(data, law, weights, TailFilter::single);
  const auto sum = tail_levels(data, law, weights, TailFilter::sum_all);
  const auto active = tail_levels(data, law, weights, TailFilter::sum_active);
  for (Eigen::Index i = 0; i < 10; ++i) {
    const auto label = data.labels[static_cast<std::size_t>(i)];
    const Eigen::VectorXd a = noise_matrix_diagonal(law, label);
    Eigen::VectorXd all = Eigen::VectorXd::Zero(6), seen = all;
    for (Eigen::Index r = 0; r < 3; ++r) {
      const Eigen::VectorXd w = weights.col(label * 3 + r);
      all += w;
      if (data.noise.row(i).dot(w) > 0.0) {
        seen += w;
      }
    }
    const auto level = [&](const Eigen::VectorXd& w) { return data.noise.row(i).dot(w) / a.cwiseProduct(w).norm(); };
    CHECK(one[static_cast<std::size_t>(i)] == Approx(level(weights.col(label * 3))).epsilon(1e-12));
    CHECK(sum[static_cast<std::size_t>(i)] == Approx(level(all)).epsilon(1e-12));
    if (seen.norm() > 0.0) {
      CHECK(active[static_cast<std::size_t>(i)] == Approx(level(seen)).epsilon(1e-12));
    } else {
      CHECK(std::isinf(active[static_cast<std::size_t>(i)]));
    }
  }
}

TEST_CASE("a glyph is bright on its segments and dark far from them", "[models][glyphs]") {
  const auto one = glyph_image(1, {}, 40);  // the two segments on the right
  const auto at = [&](double x, double y) {
    return one[static_cast<std::size_t>(y * 40) * 40 + static_cast<std::size_t>(x * 40)];
  };
  CHECK(at(.75, .3) > 0.95);
  CHECK(at(.25, .3) < 1e-10);
  // The eight contains every other digit, pixel by pixel.
  const auto eight = glyph_image(8);
  for (std::size_t digit = 0; digit < 10; ++digit) {
    const auto other = glyph_image(digit);
    for (std::size_t i = 0; i < other.size(); ++i) {
      CHECK(other[i] <= eight[i]);
    }
  }
  CHECK_THROWS_WITH(glyph_image(10), Catch::Contains("digit = 10"));
  CHECK_THROWS_AS(glyph_image(1, {4.1, {}, {}}), DomainError);
}

TEST_CASE("glyph samples do not depend on how many are drawn, and their pixel noise is 0.05", "[models][glyphs]") {
  const auto few = draw_glyphs(30, 8, GlyphPart::test), more = draw_glyphs(60, 8, GlyphPart::test);
  CHECK(few.images == more.images.topRows(30));
  CHECK(few.images != draw_glyphs(30, 8, GlyphPart::train).images);
  // The draws as the specification of the data writes them.
  std::vector<double> draws(151);
  random::normals(draws, 8, random::Purpose::glyph_test, 7, 0);
  CHECK(few.strengths[7] == std::min(4.0, .35 * std::exp(.6 * draws[0])));
  const auto image = glyph_image(7, {few.strengths[7], {draws[1], draws[2], draws[3], draws[4]}, {draws[5], draws[6]}});
  CHECK(few.images(7, 100) == image[100] + .05 * draws[107]);
  CHECK(few.labels[17] == 7);
}
