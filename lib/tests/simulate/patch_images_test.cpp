// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Images as noise patches: against covariances written out, and data whose ratio is known.
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/simulate/detail/patch_images.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

namespace {

/// Class k varies along (1 + overlap k) of two pixels, with another number of images in each class.
models::LabelledImages two_classes() {
  models::LabelledImages all{2, models::RowMatrix::Zero(10, 3), {0, 0, 0, 0, 1, 1, 1, 1, 1, 1}};
  for (Eigen::Index i = 0; i < 4; ++i) {
    all.images(i, 0) = 0.5 + (i % 2 == 0 ? 0.3 : -0.3);
  }
  for (Eigen::Index i = 4; i < 10; ++i) {
    const double move = i % 2 == 0 ? 0.2 : -0.2;
    all.images(i, 0) = 0.5 + move;
    all.images(i, 1) = 0.5 + move;
  }
  return all;
}

models::LabelledImages glyphs(std::size_t count, models::GlyphPart part) {
  auto drawn = models::draw_glyphs(count, 1, part);
  return {10, std::move(drawn.images), std::move(drawn.labels)};
}

}  // namespace

TEST_CASE("noise correlation ratios are those of the classes' covariances", "[simulate][patch]") {
  const auto ratios = noise_correlation_ratios(two_classes());
  // Sigma_0 = 0.09 e e', e = (1, 0, 0); Sigma_1 = 0.04 f f', f = (1, 1, 0): norms 0.09 and 0.08, tr of the product
  // 0.09 * 0.04.
  CHECK(ratios(0, 1) == Approx(std::sqrt(4.0) * 0.09 / (std::sqrt(6.0) * 0.06)).epsilon(1e-13));
  CHECK(ratios(1, 0) == Approx(std::sqrt(6.0) * 0.08 / (std::sqrt(4.0) * 0.06)).epsilon(1e-13));
  CHECK(ratios(0, 0) == 1.0);
  auto alike = two_classes();
  alike.images.topRows(4).setConstant(0.5);
  CHECK_THROWS_AS(noise_correlation_ratios(alike), DomainError);
}

TEST_CASE("signals lie in coordinates that no image has", "[simulate][patch]") {
  const auto all = two_classes();
  const Eigen::RowVectorXd mean = all.images.colwise().mean();
  const auto data = signalled_images(all, mean, 2.0);
  CHECK(data.dimension() == 5);
  CHECK((data.noise * data.signals.transpose()).norm() == 0.0);
  CHECK((data.signals * data.signals.transpose()).isApprox(4.0 * Eigen::MatrixXd::Identity(2, 2), 1e-15));
  CHECK(data.noise.leftCols(3).colwise().sum().norm() < 1e-14);
  CHECK(signalled_images(all, mean, 0.0).signals.rows() == 0);
  CHECK_THROWS_AS(signalled_images(all, mean, -1.0), DomainError);
  CHECK_THROWS_AS(signalled_images(all, Eigen::RowVectorXd::Zero(2), 1.0), DomainError);
}

TEST_CASE("without a signal a trial on images is that of the influence experiment", "[simulate][patch]") {
  const auto train = glyphs(100, models::GlyphPart::train), test = glyphs(200, models::GlyphPart::test);
  const auto scores = models::influence_scores_by_class(Eigen::MatrixXd(test.images), test.labels, 10);
  PatchExperiment experiment;
  experiment.law.signal_norm = 0.0;
  experiment.sgd.steps = 60;
  const PatchMode modes[] = {PatchMode::clean, PatchMode::dp};
  const auto found = signalled_trial(experiment, train, test, scores, modes, 1, 0);
  REQUIRE(found.size() == 2);
  CHECK(found[0].typical > found[0].atypical);
  CHECK(found[0].test_accuracy > found[1].test_accuracy);
  CHECK(found[0].train_margins.signal == 0.0);
  experiment.law.signal_norm = 10.0;
  CHECK(signalled_trial(experiment, train, test, scores, modes, 1, 0)[0].test_accuracy == 1.0);
  CHECK_THROWS_AS(signalled_trial(experiment, train, train, std::vector<double>(3), modes, 1, 0), DomainError);
}
