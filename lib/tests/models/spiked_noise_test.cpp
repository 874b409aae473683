// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <Eigen/SVD>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/patch_data.hpp>
#include <dpcurves/models/spiked_noise.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

TEST_CASE("norms of the spiked family are those of dense matrices in a rotated basis", "[models][spiked]") {
  const double spike = GENERATE(0.2, 0.5, 8.0, 300.0);
  const PatchLaw law{{3.0, 12.0, 0.5, spike}, 1.0, NoiseLaw::gaussian};
  const Eigen::MatrixXd rotation = random_rotation(12, 4, 0);
  const Eigen::MatrixXd a = rotation * noise_matrix_diagonal(law, 0).asDiagonal() * rotation.transpose();
  const Eigen::MatrixXd b = rotation * noise_matrix_diagonal(law, 2).asDiagonal() * rotation.transpose();
  const auto exact = norms(law.noise);
  CHECK(((rotation * signal_patches(law).transpose()).transpose() * a).norm() < 1e-12 * a.norm());
  CHECK(exact.rank == 9.0);
  CHECK(test::relative_error(exact.trace, (a.transpose() * a).trace()) < 1e-13);
  CHECK(test::relative_error(exact.frobenius, a.norm()) < 1e-13);
  CHECK(test::relative_error(exact.operator_norm, Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues()(0)) < 1e-13);
  CHECK(test::relative_error(exact.gram, (a.transpose() * a).norm()) < 1e-13);
  CHECK(test::relative_error(exact.cross_gram, (a.transpose() * b).norm()) < 1e-13);
  CHECK(test::relative_error(exact.cross_operator_norm,
                             Eigen::JacobiSVD<Eigen::MatrixXd>(a.transpose() * b).singularValues()(0)) < 1e-13);
  CHECK(test::relative_error(exact.ratio, exact.gram / exact.cross_gram) < 1e-14);
}

TEST_CASE("the spike of a noise correlation ratio gives that ratio, from 1 to 1e150", "[models][spiked]") {
  test::Worst worst;
  for (const double dimension : {4.0, 10.0, 1000.0, 1e6}) {
    for (const double excess : {0.0, 1e-12, 1e-6, 0.1, 9.0, 1399.0, 1e8, 1e150}) {
      const SpikedNoise family{2.0, dimension, 0.5, 1.0};
      const double spike = spike_of_ratio(1.0 + excess, family);
      CHECK(spike >= 0.5);
      worst.see(test::relative_error(norms({2.0, dimension, 0.5, spike}).ratio, 1.0 + excess), excess);
    }
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 4e-15);
  // Near 1 the spike moves like a root: (lam/e0)^2 = 1 + sqrt(2 r (R - 1)) to first order.
  const double excess = std::nextafter(1.0, 2.0) - 1.0;
  CHECK(spike_of_ratio(1.0 + excess, {5.0, 1000.0, 0.5, 1.0}) / 0.5 - 1.0 ==
        Approx(std::sqrt(2.0 * 995.0 * excess) / 2.0).epsilon(1e-3));
}

TEST_CASE("ratios of two classes are those of their norms and counts", "[models][spiked]") {
  // n_k |u|^2/(sqrt(n_j) F_kj) and sqrt(n_k) F_kk/(sqrt(n_j) F_kj).
  CHECK(signal_to_noise(80.0, 25.0, 3.0, 6.0) == Approx(24.0).epsilon(1e-15));
  CHECK(noise_correlation_ratio(100.0, 25.0, 9.0, 6.0) == Approx(3.0).epsilon(1e-15));
  const SpikedNoise family{4.0, 40.0, 0.5, 2.0};
  const auto exact = norms(family);
  CHECK(noise_correlation_ratio(7.0, 7.0, exact.gram, exact.cross_gram) == Approx(exact.ratio).epsilon(1e-14));
  CHECK_THROWS_WITH(signal_to_noise(1.0, 1.0, -1.0, 1.0), Catch::Contains("signal_norm = -1"));
  CHECK_THROWS_WITH(noise_correlation_ratio(1.0, 1.0, 1.0, 0.0), Catch::Contains("cross_gram = 0"));
}

TEST_CASE("spiked families outside their domain are named", "[models][spiked][errors]") {
  CHECK_THROWS_WITH(norms({5.0, 9.0, 0.5, 1.0}), Catch::Contains("dimension = 9"));
  CHECK_THROWS_WITH(norms({1.0, 9.0, 0.5, 1.0}), Catch::Contains("classes = 1"));
  CHECK_THROWS_AS(norms({2.0, 9.0, 0.0, 1.0}), DomainError);
  CHECK_THROWS_AS(norms({2.0, 9.0, 0.5, std::nan("")}), DomainError);
  CHECK_THROWS_WITH(spike_of_ratio(0.999, {2.0, 9.0, 0.5, 1.0}), Catch::Contains("[1, inf)"));
  CHECK_THROWS_AS(signal_to_noise(0.0, 1.0, 1.0, 1.0), DomainError);
}
