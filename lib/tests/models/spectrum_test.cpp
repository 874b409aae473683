// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/least_squares.hpp>
#include <dpcurves/models/spectrum.hpp>
#include <dpcurves/numerics/quadrature.hpp>

#include "support/support.hpp"

namespace {

using dpcurves::DomainError;
using dpcurves::models::Spectrum;

/// Mass of the Marchenko-Pastur law above x, by quadrature in the angle.
double mass_above(double x, double ratio, double scale) {
  const double r = std::sqrt(ratio);
  const double last = std::acos(std::clamp((x / scale - 1.0 - ratio) / (2.0 * r), -1.0, 1.0));
  return dpcurves::numerics::integrate(
             [&](double a) {
               const double half = std::cos(0.5 * a);
               const double place = (1.0 - r) * (1.0 - r) + 4.0 * r * half * half;
               return 2.0 / std::numbers::pi * std::sin(a) * std::sin(a) / place;
             },
             0.0, last, 1e-12)
      .value;
}

}  // namespace

TEST_CASE("Marchenko-Pastur eigenvalues are quantiles of the law", "[models][spectrum]") {
  for (const double ratio : {1e-4, 0.1, 0.5, 0.9, 1.0, 2.0, 30.0}) {
    const auto spectrum = Spectrum::marchenko_pastur(40, ratio, 1.7);
    CHECK(spectrum.size() == 40);
    for (Eigen::Index b = 0; b < spectrum.block_count(); ++b) {
      const double value = spectrum.eigenvalues()[b];
      if (value > 0.0) {
        CAPTURE(ratio, b, value);
        CHECK(mass_above(value, ratio, 1.7) == Approx((static_cast<double>(b) + 0.5) / 40.0).epsilon(1e-9));
      }
    }
  }
  // mean = scale, and the atom at 0 of the law with more dimensions than samples
  CHECK(Spectrum::marchenko_pastur(4000, 0.5, 1.7).trace() / 4000.0 == Approx(1.7).epsilon(1e-3));
  const auto wide = Spectrum::marchenko_pastur(100, 4.0, 1.0);
  CHECK(wide.eigenvalues()[wide.block_count() - 1] == 0.0);
  CHECK(wide.multiplicity()[wide.block_count() - 1] == 75.0);
}

TEST_CASE("blocks sum and spread what belongs to their coordinates", "[models][spectrum]") {
  const std::vector<double> values{2.0, 0.5};
  const std::vector<double> counts{1.0, 3.0};
  const auto spectrum = Spectrum::blocks(values, counts);
  CHECK(spectrum.size() == 4);
  CHECK_FALSE(spectrum.is_simple());
  CHECK(spectrum.trace() == 3.5);
  Eigen::ArrayXd each(4);
  each << 1.0, 2.0, 3.0, 4.0;
  CHECK(spectrum.block_sums(each)[1] == 9.0);
  CHECK(spectrum.per_coordinate(spectrum.eigenvalues())[3] == 0.5);
  CHECK(Spectrum::two_block(10, 5.0, 2, 0.1).trace() == Approx(10.8));
  CHECK(Spectrum::power_law(3, 2.0, 1.0).eigenvalues()[2] == Approx(2.0 / 3.0));
}

TEST_CASE("impossible spectra are refused", "[models][spectrum][errors]") {
  const std::vector<double> none;
  const std::vector<double> negative{1.0, -0.5};
  const std::vector<double> half{1.0, 0.5};
  CHECK_THROWS_AS(Spectrum::list(none), DomainError);
  CHECK_THROWS_WITH(Spectrum::list(negative), Catch::Contains("eigenvalue = -0.5"));
  CHECK_THROWS_WITH(Spectrum::blocks(half, half), Catch::Contains("multiplicity = 0.5"));
  CHECK_THROWS_AS(Spectrum::power_law(0, 1.0, 1.0), DomainError);
  CHECK_THROWS_AS(Spectrum::power_law(3, 1.0, -1e6), DomainError);
  CHECK_THROWS_AS(Spectrum::two_block(3, 1.0, 3, 0.5), DomainError);
  CHECK_THROWS_AS(Spectrum::marchenko_pastur(3, 0.0, 1.0), DomainError);
}

TEST_CASE("products that no vectors have are refused", "[models][least-squares][errors]") {
  dpcurves::models::LeastSquares problem;
  const std::vector<double> one{1.0};
  problem.spectrum = Spectrum::list(one);
  problem.products = {Eigen::ArrayXd::Constant(1, 4.0), Eigen::ArrayXd::Constant(1, 2.5),
                      Eigen::ArrayXd::Constant(1, 1.0)};
  CHECK_THROWS_WITH(dpcurves::models::require_valid(problem), Catch::Contains("dot_x0_xtilde = 2.5"));
  problem.products.dot_x0_xtilde[0] = 2.0;
  CHECK_NOTHROW(dpcurves::models::require_valid(problem));
}
