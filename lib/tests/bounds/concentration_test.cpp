// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Concentration lemmas against exact laws: chi-squared, normal, binomial and Bessel tails of Boost. A radius that the
// law leaves more often than it may is wrong; the values themselves are held by data/reference.
#include <cmath>
#include <numbers>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/long_tail_activation.hpp>
#include <dpcurves/bounds/long_tail_concentration.hpp>
#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

double chi_squared_above(double degrees, double value) { return boost::math::gamma_q(0.5 * degrees, 0.5 * value); }
double chi_squared_below(double degrees, double value) { return boost::math::gamma_p(0.5 * degrees, 0.5 * value); }
double two_sided_normal(double value) { return std::erfc(value / std::numbers::sqrt2); }

/// P(|x y| > r) for independent standard normals: their product has the density K_0(|u|)/pi.
double product_above(double r) {
  boost::math::quadrature::exp_sinh<double> integrator;
  return 2.0 * std::numbers::inv_pi *
         integrator.integrate([](double u) { return boost::math::cyl_bessel_k(0, u); }, r,
                              std::numeric_limits<double>::infinity());
}

}  // namespace

TEST_CASE("chi-squared bounds hold under the exact law, and norms of Gaussian layers with them", "[bounds]") {
  const double x = GENERATE(0.0, 0.1, 1.0, 10.0, 200.0), degrees = GENERATE(1.0, 2.0, 50.0, 1e6);
  CHECK(chi_squared_above(degrees, bounds::chi_squared_bound(degrees, x)) <= std::exp(-x));
  CHECK(bounds::chi_squared_bound(100.0, 4.0) == 148.0);

  const double splines = GENERATE(4.0, 11.0), units = GENERATE(1.0, 512.0), delta = GENERATE(1e-8, 0.05, 0.9);
  const auto norms = bounds::second_layer_norms(splines, units, delta);
  CHECK(chi_squared_above(splines * units, norms.whole * norms.whole) <= delta);
  CHECK(units * chi_squared_above(splines, norms.largest_unit * norms.largest_unit) <= delta);
  CHECK(bounds::second_layer_norms(4.0, 9.0, 0.5).whole ==
        Approx(24.0 + 2.0 * std::sqrt(std::log(4.0))).epsilon(1e-15));
}

TEST_CASE("means of batches without replacement have the variance of all batches", "[bounds][kan]") {
  const std::vector<double> values{3.0, -1.0, 0.5, 2.0, -4.5};  // of mean 0
  double square = 0.0;
  for (const double v : values) {
    square += v * v / 5.0;
  }
  for (unsigned batch = 1; batch <= 5; ++batch) {
    double sum = 0.0, count = 0.0;
    for (unsigned chosen = 0; chosen < 32; ++chosen) {
      if (static_cast<unsigned>(__builtin_popcount(chosen)) == batch) {
        double mean = 0.0;
        for (unsigned i = 0; i < 5; ++i) {
          mean += (chosen >> i & 1U) != 0 ? values[i] / batch : 0.0;
        }
        sum += mean * mean;
        ++count;
      }
    }
    CHECK(bounds::without_replacement_variance(5.0, batch, square) == Approx(sum / count).margin(1e-15));
  }
}

TEST_CASE("normals exceed t at least as often as Paley and Zygmund say", "[bounds][long-tail]") {
  const double t = GENERATE(1e-6, 0.3, 0.7, 0.99);
  CHECK(two_sided_normal(t) >= bounds::paley_zygmund(t, 3.0));
  CHECK(bounds::paley_zygmund(0.5, 1.5) == Approx(0.375).epsilon(1e-15));
  CHECK(bounds::paley_zygmund(t, 1.0) <= 1.0);  // signs: always above t
}

TEST_CASE("Freedman's bound holds for signs, by the exact binomial tail", "[bounds][kan]") {
  const double steps = GENERATE(1.0, 30.0, 1000.0, 1e6), delta = GENERATE(1e-9, 0.01, 0.5);
  const double bound = bounds::freedman_bound(steps, 1.0, delta);
  // A sum of `steps` signs is steps - 2 X: above the bound when X < (steps - bound)/2.
  const double count = std::ceil(0.5 * (steps - bound)) - 1.0;
  CHECK(bounds::binomial_lower_tail(steps, 0.5, count).probability <= delta);
  CHECK(bounds::freedman_bound(8.0, 3.0, std::exp(-1.0)) == Approx(6.0).epsilon(1e-14));
}

TEST_CASE("summed batch losses exceed full losses by Freedman's bound for losses up to U", "[bounds][kan]") {
  CHECK(bounds::batch_loss_excess(2.5, 100.0, 4.0, std::exp(-2.0)) ==
        Approx(2.5 * (std::sqrt(2.0 * 25.0 * 2.0) + 4.0 / 3.0)).epsilon(1e-14));
  // Losses 0 or U of half of the records each, batches of one: the excess is U/2 times a sum of signs.
  const double steps = GENERATE(10.0, 1e4), delta = GENERATE(1e-6, 0.1);
  const double signs = 2.0 * bounds::batch_loss_excess(1.0, steps, 1.0, delta);
  CHECK(bounds::binomial_lower_tail(steps, 0.5, std::ceil(0.5 * (steps - signs)) - 1.0).probability <= delta);
}

TEST_CASE("outputs on the ball: log(1 + e^F) for small and for huge F", "[bounds][kan]") {
  const auto small = bounds::output_bounds(0.0, 5.0, 60.0, 0.05, 0.5, 3.0);
  CHECK(small.output == 1.5);
  CHECK(small.loss == Approx(std::log(1.0 + std::exp(1.5))).epsilon(1e-15));
  const auto large = bounds::output_bounds(0.5, 8.0, 25.0, 0.01, 1e4, 1.0);
  CHECK(large.output == Approx(1e4 + 0.5 * std::sqrt(16.0 * std::log(1e4))).epsilon(1e-15));
  CHECK(large.loss == large.output);
}

TEST_CASE("least singular values of one column hold under the law of its norm", "[bounds][long-tail]") {
  const double rows = GENERATE(2.0, 20.0, 5000.0), delta = GENERATE(1e-6, 0.05, 0.5);
  const auto bound = bounds::least_singular_value(rows, 1.0, delta);
  CHECK(bound.printed < bound.sharp);
  if (bound.sharp > 0.0) {
    CHECK(chi_squared_below(rows, bound.sharp * bound.sharp) <= delta);
  }
  const auto square_root = bounds::least_singular_value(400.0, 100.0, std::exp(-2.0));
  CHECK(square_root.sharp == Approx(8.0).epsilon(1e-14));
  CHECK(square_root.printed ==
        Approx(20.0 - 2.0 * std::sqrt(8.0 * std::log(2.0) + 16.0 + 800.0 * std::log(9.0))).epsilon(1e-14));
  CHECK_THROWS_WITH(bounds::least_singular_value(3.0, 3.0, 0.1), Catch::Contains("rows = 3"));
}

TEST_CASE("radii of normals, of their products and of means of half-normals hold under the exact laws",
          "[bounds][long-tail]") {
  const double delta = GENERATE(1e-12, 1e-3, 0.2, 0.9), count = GENERATE(1.0, 100.0, 1e9);
  CHECK(count * two_sided_normal(bounds::subgaussian_maximum(count, 1.0, delta)) <= delta);
  CHECK(bounds::subgaussian_maximum(count, 3.0, delta) ==
        Approx(3.0 * bounds::subgaussian_maximum(count, 1.0, delta)).epsilon(1e-15));
  CHECK(product_above(bounds::bilinear_radius(1.0, 1.0, 1.0, delta)) <= delta);
  const auto projection = bounds::gaussian_projection(0.3, 2.0, delta);
  CHECK(projection.violation == Approx(two_sided_normal(projection.radius / 0.6)).epsilon(1e-11));
  CHECK(projection.violation < delta);

  const double t = GENERATE(0.0, 0.5, 3.0);
  const auto tail = bounds::half_normal_mean_tail(1.0, t);
  CHECK(two_sided_normal(std::sqrt(2.0 * std::numbers::inv_pi) + t) <= tail.sharp);
  CHECK(tail.printed == tail.sharp);
  CHECK(bounds::half_normal_mean_tail(4.0, t).sharp == Approx(std::pow(tail.sharp, 4)).epsilon(1e-13));
  CHECK(bounds::half_normal_mean_tail(4.0, t).printed == tail.printed);
}

TEST_CASE("lower ends of quadratic forms hold for Gaussian noise, whose kurtosis is 3", "[bounds][long-tail]") {
  const double dimension = GENERATE(1.0, 10.0, 300.0, 1e5), delta = GENERATE(1e-8, 0.05, 0.7);
  const double lower = bounds::quadratic_form_lower(dimension, std::sqrt(dimension), 3.0, delta);
  if (lower > 0.0) {
    CHECK(chi_squared_below(dimension, lower) <= delta);
  }
  CHECK(bounds::quadratic_form_lower(100.0, 10.0, 1.0, std::exp(-2.0)) == Approx(80.0).epsilon(1e-14));
  CHECK_THROWS_WITH(bounds::quadratic_form_lower(1.0, 1.0, 0.5, 0.1), Catch::Contains("kurtosis = 0.5"));
}

TEST_CASE("the band of all noise norms holds for isotropic noise where its premise does", "[bounds][long-tail]") {
  const double records = GENERATE(2.0, 500.0), delta = GENERATE(1e-6, 0.1);
  bool seen[2] = {false, false};
  for (const double d : {5.0, 100.0, 1000.0, 1e4}) {
    const auto band = bounds::noise_norm_band(records, d, std::sqrt(d), 1.0, delta);
    seen[band.premise_holds ? 1 : 0] = true;
    CHECK(band.premise_holds.holds == (d >= band.premise_right));
    if (band.premise_holds) {
      CHECK(records * (chi_squared_below(d, band.lower) + chi_squared_above(d, band.upper)) <= 0.5 * delta);
    }
  }
  CHECK(seen[0]);
  CHECK(seen[1]);
}

TEST_CASE("bounds over all pairs, filters and samples are single bounds at the shared probability",
          "[bounds][long-tail]") {
  const double delta = GENERATE(1e-5, 0.05), n = 80.0, classes = 5.0, filters = 20.0;
  CHECK(bounds::noise_cross_radius(n, 7.0, 2.0, delta) ==
        Approx(bounds::bilinear_radius(7.0, 2.0, 1.0, delta / (n * n))).epsilon(1e-14));
  const auto signal = bounds::initial_signal_radius(classes, filters, delta, 3.0, 0.1);
  CHECK(signal.one_class ==
        Approx(0.3 * bounds::subgaussian_maximum(classes * filters, 1.0, 0.5 * delta)).epsilon(1e-14));
  CHECK(signal.all_classes ==
        Approx(0.3 * bounds::subgaussian_maximum(classes * classes * filters, 1.0, 0.5 * delta)).epsilon(1e-14));
  CHECK(
      bounds::initial_noise_radius(classes, filters, n, delta, 7.0, 2.0, 0.1) ==
      Approx(bounds::bilinear_radius(7.0, 2.0, std::sqrt(0.1), 0.5 * delta / (classes * filters * n))).epsilon(1e-14));
}

TEST_CASE("enough filters and records keep four in ten active, by the exact binomial", "[bounds][long-tail]") {
  const double classes = 10.0, filters = 64.0, records = GENERATE(50.0, 1e4), delta = GENERATE(1e-4, 0.3);
  const auto sizes = bounds::activation_sizes(classes, filters, records, delta);
  CHECK(records * bounds::half_activation_tail(std::ceil(sizes.filters), 0.4).exact <= delta);
  CHECK(classes * filters * bounds::half_activation_tail(std::ceil(sizes.records), 0.4).exact <= delta);
  CHECK(sizes.filters == Approx(50.0 * std::log(records / delta)).epsilon(1e-14));
}

TEST_CASE("the first outputs, losses and noise of a network of n records", "[bounds]") {
  const double records = GENERATE(1.0, 60000.0), failure = GENERATE(1e-6, 0.1);
  const double bound = bounds::initial_output_bound(1.3, records, failure);
  CHECK(records * two_sided_normal(bound / 1.3) <= failure);
  CHECK(bounds::initial_output_bound(0.0, records, failure) == 0.0);
  // L - 1 hidden layers with gradients of norm sqrt(m/2), the last of norm sqrt m.
  CHECK(bounds::loss_change(2.0, 0.5, 64.0, 3.0) == Approx(2.0 * std::sqrt(32.0) + 8.0).epsilon(1e-14));
  CHECK(bounds::noise_energy(0.5, 10.0, 4.0, 7.0) == 0.25 * (70.0 + 2.0 * 100.0 + 10.0));
  CHECK_THROWS_WITH(bounds::loss_change(1.0, 1.0, 4.0, 1.0), Catch::Contains("depth = 1"));
  CHECK_THROWS_WITH(bounds::initial_output_bound(-1.0, records, failure), Catch::Contains("hidden = -1"));
}

TEST_CASE("within the radius of Lemma 19 the linearisation errs by the slack", "[bounds]") {
  const double slack = GENERATE(1e-6, 0.1), width = GENERATE(2.0, 1e4), slope = 3.0, depth = 5.0;
  const double radius = bounds::almost_convex_radius(slack, slope, depth, width);
  CHECK(slope * bounds::linearisation_rate(radius, depth, width) == Approx(slack).epsilon(1e-13));
  CHECK(bounds::hidden_change_rate(2.0, 4.0, std::exp(9.0)) == Approx(2.0 * 32.0 * 3.0).epsilon(1e-14));
  CHECK(bounds::hidden_change_rate(2.0, 4.0, 1.0) == 0.0);
  CHECK_THROWS_WITH(bounds::linearisation_rate(-1.0, 2.0, 10.0), Catch::Contains("radius = -1"));
  CHECK_THROWS_WITH(bounds::hidden_change_rate(1.0, 0.0, 10.0), Catch::Contains("depth = 0"));
}
