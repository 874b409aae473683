// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/population_risk.hpp>
#include <dpcurves/numerics/quadrature.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using models::ParameterPair;
using models::SmoothLink;

namespace {

double close(double got, double exact) { return test::relative_error(got, exact); }

// tanh by the plain formulas, for pairs that are far apart.
double risk_at(double u, double v) { return std::pow(std::tanh(u) - std::tanh(v), 2); }
double log_cosh(double u) { return std::abs(u) + std::log1p(std::exp(-2.0 * std::abs(u))) - std::numbers::ln2; }
double surrogate_at(double u, double v) { return log_cosh(u) - log_cosh(v) - std::tanh(v) * (u - v); }

// The trapezoid rule on [-11, 11]^2 converges like exp(-2 pi a/step) in the width a of the strip of analyticity.
models::PopulationRisk by_trapezoid(const ParameterPair& p, double step) {
  const double s = std::sqrt(1.0 - p.cosine * p.cosine);
  models::PopulationRisk sum;
  const int half = static_cast<int>(11.0 / step);
  for (int i = -half; i <= half; ++i) {
    for (int j = -half; j <= half; ++j) {
      const double x = i * step, y = j * step;
      const double weight = step * step * std::exp(-0.5 * (x * x + y * y)) / (2.0 * std::numbers::pi);
      const double u = p.norm * x, v = p.true_norm * (p.cosine * x + s * y);
      sum.risk_excess += weight * risk_at(u, v);
      sum.surrogate_excess += weight * surrogate_at(u, v);
    }
  }
  return sum;
}

// Polar coordinates: density (d-2)/(2 pi) r (1 - r^2)^((d-4)/2), r = sin(a).
models::PopulationRisk in_polar_coordinates(const ParameterPair& p, int d, int panels, int angles) {
  const double s = std::sqrt(1.0 - p.cosine * p.cosine), pi = std::numbers::pi;
  const double reach = std::fmin(0.5 * pi, 12.0 / std::sqrt(d));
  const auto rule = numerics::gauss_legendre(16);
  models::PopulationRisk sum;
  for (int panel = 0; panel < panels; ++panel) {
    for (std::size_t q = 0; q < rule.nodes.size(); ++q) {
      const double a = reach * (panel + 0.5 * (1.0 + rule.nodes[q])) / panels;
      const double weight = 0.5 * reach / panels * rule.weights[q] * std::sin(a) *
                            std::exp((d - 3) * 0.5 * std::log1p(-std::pow(std::sin(a), 2))) * (d - 2) / angles;
      for (int k = 0; k < angles; ++k) {
        const double phi = 2.0 * pi * k / angles, r = std::sin(a);
        const double u = p.norm * r * std::cos(phi);
        const double v = p.true_norm * r * (p.cosine * std::cos(phi) + s * std::sin(phi));
        sum.risk_excess += weight * risk_at(u, v);
        sum.surrogate_excess += weight * surrogate_at(u, v);
      }
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("Gaussian risks of tanh agree with the trapezoid rule", "[models][population_risk]") {
  struct Row {
    ParameterPair pair;
    double step;
  };
  const auto row = GENERATE(Row{{1.0, 1.5, 0.3}, 0.1}, Row{{3.0, 0.5, -0.9}, 0.03}, Row{{8.0, 5.0, 0.6}, 0.02},
                            Row{{12.0, 12.0, 0.9}, 0.015}, Row{{0.0, 2.0, 0.4}, 0.06});
  const auto exact = by_trapezoid(row.pair, row.step);
  const auto got = models::gaussian_risk(SmoothLink::tanh, row.pair);
  CAPTURE(row.pair.norm, row.pair.true_norm, row.pair.cosine);
  CHECK(close(got.risk_excess, exact.risk_excess) < 1e-12);
  CHECK(close(got.surrogate_excess, exact.surrogate_excess) < 1e-12);
}

TEST_CASE("risks on the sphere agree with polar coordinates", "[models][population_risk]") {
  struct Row {
    ParameterPair pair;
    int d, panels, angles;
  };
  const auto row = GENERATE(Row{{1.0, 1.5, 0.3}, 3, 4, 100}, Row{{10.0, 7.0, -0.8}, 3, 20, 800},
                            Row{{30.0, 20.0, -0.3}, 3, 60, 2400}, Row{{6.0, 9.0, 0.5}, 4, 20, 800},
                            Row{{20.0, 30.0, 0.9}, 10, 20, 2000}, Row{{30.0, 30.0, 0.2}, 1000000, 8, 200});
  const auto exact = in_polar_coordinates(row.pair, row.d, row.panels, row.angles);
  const auto got = models::sphere_risk(SmoothLink::tanh, row.pair, row.d);
  CAPTURE(row.d, row.pair.norm, row.pair.true_norm, row.pair.cosine);
  CHECK(close(got.risk_excess, exact.risk_excess) < 1e-11);
  CHECK(close(got.surrogate_excess, exact.surrogate_excess) < 1e-11);
}

TEST_CASE("near vectors keep the digits of their distance", "[models][population_risk]") {
  // For w* = (1 + h) w the risk is h^2 E (u tanh'(u))^2 (1 + O(h)), and the surrogate h^2 E u^2 tanh'(u)/2.
  double slopes = 0.0, curvature = 0.0;
  for (int i = -220; i <= 220; ++i) {
    const double z = 0.05 * i, density = 0.05 * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    const double slope = 1.0 / std::pow(std::cosh(z), 2);
    slopes += density * std::pow(z * slope, 2);
    curvature += density * 0.5 * z * z * slope;
  }
  const double h = std::ldexp(1.0, -40);
  const auto got = models::gaussian_risk(SmoothLink::tanh, {1.0, 1.0 + h, 1.0});
  CHECK(close(got.risk_excess, h * h * slopes) < 1e-11);
  CHECK(close(got.surrogate_excess, h * h * curvature) < 1e-11);
  // Small norms: the links are linear, tanh' = 1, and lemma 3 is sharp.
  const auto small = models::sphere_risk(SmoothLink::sigmoid, {1e-9, 2e-9, -0.3}, 7.0);
  const double distance = models::squared_distance({1e-9, 2e-9, -0.3});
  CHECK(close(small.risk_excess, distance / 16.0 / 7.0) < 1e-13);
  CHECK(close(small.surrogate_excess, distance / 8.0 / 7.0) < 1e-13);
}

TEST_CASE("a steep link is a sign", "[models][population_risk]") {
  // E (sign - sign)^2 = 4 P(signs differ) = 4 angle/pi, up to 1/norm.
  const double cosine = 0.3;
  const auto got = models::gaussian_risk(SmoothLink::tanh, {1e9, 1e9, cosine});
  CHECK(close(got.risk_excess, 4.0 * std::acos(cosine) / std::numbers::pi) < 1e-8);
  const auto opposite = models::gaussian_risk(SmoothLink::tanh, {1e12, 1e12, -1.0});
  CHECK(close(opposite.risk_excess, 4.0) < 1e-11);
  CHECK(models::gaussian_risk(SmoothLink::tanh, {2.0, 2.0, 1.0}).risk_excess == 0.0);
}

TEST_CASE("ReLU and erf risks agree with 80-digit values", "[models][population_risk]") {
  struct Row {
    ParameterPair pair;
    double relu, erf;
  };
  const auto row = GENERATE(Row{{30, 30, 0.9999999999999999}, 9.99200719003043687e-14, 4.2401507063549862e-15},
                            Row{{30, 30.000000001, 1.0}, 5.00000082740374422e-19, 5.89217325440221013e-24},
                            Row{{1e-8, 1e-8, 0.5}, 3.91002218955770658e-17, 1.27323954473516248e-16},
                            Row{{1e6, 1e6, -1}, 1e12, 3.99999745352091053}, Row{{0, 2, 0.3}, 2.0, 0.697043950547413113},
                            Row{{3, 3, -0.9999999999}, 8.9999999999999973, 3.17014586344509741},
                            Row{{1e5, 1e-5, 0.3}, 4999999999.51725572, 0.999988232031704128},
                            Row{{1, 1, 0.9999999999999999}, 1.11022302111449299e-16, 1.26434426202802013e-16});
  CAPTURE(row.pair.norm, row.pair.true_norm, row.pair.cosine);
  CHECK(close(models::relu_risk(row.pair).risk_excess, row.relu) < 1e-14);
  CHECK(close(models::erf_risk(row.pair), row.erf) < 1e-15);
}

namespace {

using models::Link;
using models::LinkKind;

// Polar coordinates in the plane of w and w*: angles between the kinks, radii to 12.
models::LabelledRisk gaussian_in_polar_coordinates(const Link& link, const Link& truth, const ParameterPair& p) {
  const double pi = std::numbers::pi, turn = std::acos(p.cosine);
  const auto rule = numerics::gauss_legendre(24);
  const double ends[] = {-0.5 * pi, turn - 0.5 * pi, 0.5 * pi, turn + 0.5 * pi, 1.5 * pi};
  models::LabelledRisk sum;
  for (int side = 0; side < 4; ++side) {
    const int pieces = 8;
    for (int piece = 0; piece < pieces * 24; ++piece) {
      const auto node = static_cast<std::size_t>(piece % 24);
      const double width = (ends[side + 1] - ends[side]) / pieces;
      const double angle = ends[side] + width * (piece / 24 + 0.5 * (1.0 + rule.nodes[node]));
      for (int shell = 0; shell < 12 * 24; ++shell) {
        const auto at = static_cast<std::size_t>(shell % 24);
        const double r = shell / 24 + 0.5 * (1.0 + rule.nodes[at]);
        const double weight =
            0.5 * width * rule.weights[node] * 0.5 * rule.weights[at] * r * std::exp(-0.5 * r * r) / (2.0 * pi);
        const double u = p.norm * r * std::cos(angle), v = p.true_norm * r * std::cos(angle - turn);
        sum.miss += weight * std::pow(link.value(u) - truth.value(v), 2);
        sum.surrogate += weight * (link.primitive(u) - truth.value(v) * u);
      }
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("risks of labels from another link agree with polar coordinates", "[models][population_risk]") {
  const auto link = GENERATE(LinkKind::sigmoid, LinkKind::tanh, LinkKind::relu, LinkKind::erf);
  const auto truth = GENERATE(LinkKind::sigmoid, LinkKind::tanh, LinkKind::relu, LinkKind::erf);
  const auto pair = GENERATE(ParameterPair{1.0, 1.5, 0.3}, ParameterPair{2.0, 0.7, -0.95});
  CAPTURE(models::to_string(link), models::to_string(truth), pair.cosine);
  const auto exact = gaussian_in_polar_coordinates({link, 1.0}, {truth, 1.0}, pair);
  const auto got = models::gaussian_labelled_risk({link, 1.0}, {truth, 1.0}, pair, 0.25);
  CHECK(close(got.miss, exact.miss) < 1e-12);
  CHECK(got.risk == got.miss + 0.25);
  CHECK(std::abs(got.surrogate - exact.surrogate) < 1e-12 * (1.0 + pair.norm * (pair.norm + pair.true_norm)));
}

TEST_CASE("risks of labels from another link have their closed forms", "[models][population_risk]") {
  const auto pair =
      GENERATE(ParameterPair{1.0, 1.5, 0.3}, ParameterPair{30.0, 0.01, -0.9}, ParameterPair{0.2, 300.0, 0.999999},
               ParameterPair{5.0, 5.0, -1.0}, ParameterPair{2e4, 1e3, 0.5}, ParameterPair{2.0, 1.0, 1.0},
               ParameterPair{1e-9, 1e9, 0.3}, ParameterPair{1e9, 1e-9, -0.6}, ParameterPair{1e9, 1e9, 0.5},
               ParameterPair{1e-140, 3e-140, 0.2});
  CAPTURE(pair.norm, pair.true_norm, pair.cosine);
  const Link relu{LinkKind::relu, 1.0}, erf{LinkKind::erf, 1.0}, identity{LinkKind::identity, 1.0},
      sign{LinkKind::sign, 1.0};
  const double a = pair.norm, b = pair.true_norm, c = pair.cosine, pi = std::numbers::pi;
  CHECK(close(models::gaussian_labelled_risk(relu, relu, pair, 0.0).miss, models::relu_risk(pair).risk_excess) < 1e-12);
  CHECK(close(models::gaussian_labelled_risk(erf, erf, pair, 0.0).miss, models::erf_risk(pair)) < 1e-12);
  // E relu(u) g(v) = E u g(v)/2 for odd g, which Stein's lemma makes cov(u, v) E g'(v)/2.
  const double square = (2.0 / pi) * std::atan2(2.0 * b * b, std::sqrt(1.0 + 4.0 * b * b));
  const double cross = a * b * c / std::sqrt(pi * (1.0 + 2.0 * b * b));
  CHECK(close(models::gaussian_labelled_risk(relu, erf, pair, 0.0).miss, 0.5 * a * a + square - 2.0 * cross) < 1e-12);
  CHECK(close(models::gaussian_labelled_risk(identity, erf, pair, 0.0).miss, a * a + square - 4.0 * cross) < 1e-12);
  CHECK(std::abs(models::gaussian_labelled_risk(relu, erf, pair, 0.0).surrogate - (0.25 * a * a - 2.0 * cross)) <
        1e-12 * (1.0 + a * a));
  CHECK(close(models::gaussian_labelled_risk(sign, relu, pair, 0.0).miss,
              1.0 + 0.5 * b * b - 2.0 * b * c / std::sqrt(2.0 * pi)) < 1e-12);
}

TEST_CASE("risks of probit and arctan labels", "[models][population_risk]") {
  const Link probit{LinkKind::probit, 1.0}, arctan{LinkKind::arctan, 1.0}, relu{LinkKind::relu, 1.0};
  const auto pair = GENERATE(ParameterPair{1.0, 1.5, 0.3}, ParameterPair{2.0, 0.7, -0.95});
  // Phi(u) = (1 + erf(u/sqrt 2))/2
  const double root = std::numbers::sqrt2;
  CHECK(close(models::gaussian_labelled_risk(probit, probit, pair, 0.0).miss,
              models::erf_risk({pair.norm / root, pair.true_norm / root, pair.cosine}) / 4.0) < 1e-12);
  CHECK(close(models::gaussian_labelled_risk(relu, arctan, pair, 0.0).miss,
              gaussian_in_polar_coordinates(relu, arctan, pair).miss) < 1e-12);
  CHECK(close(models::gaussian_labelled_risk(arctan, probit, pair, 0.0).miss,
              gaussian_in_polar_coordinates(arctan, probit, pair).miss) < 1e-12);
}

TEST_CASE("on the sphere the ReLU keeps its closed form, and slopes are norms", "[models][population_risk]") {
  const double d = GENERATE(3.0, 4.0, 10.0, 1e6);
  const auto pair = GENERATE(ParameterPair{1.0, 1.5, 0.3}, ParameterPair{7.0, 2.0, -0.99});
  const Link relu{LinkKind::relu, 1.0};
  // Homogeneous: the risk on the sphere of radius sqrt d is the Gaussian one.
  CHECK(close(models::sphere_labelled_risk(relu, relu, pair, 0.0, d).miss, models::relu_risk(pair).risk_excess / d) <
        1e-11);
  const Link steep{LinkKind::tanh, 3.0}, tanh{LinkKind::tanh, 1.0};
  const auto sloped = models::sphere_labelled_risk(steep, tanh, pair, 0.1, d);
  const auto scaled = models::sphere_labelled_risk(tanh, tanh, {3.0 * pair.norm, pair.true_norm, pair.cosine}, 0.1, d);
  CHECK(close(sloped.risk, scaled.risk) < 1e-14);
  CHECK(close(3.0 * sloped.surrogate, scaled.surrogate) < 1e-13);
  CHECK(close(models::sphere_labelled_risk(tanh, tanh, pair, 0.0, d).miss,
              models::sphere_risk(SmoothLink::tanh, pair, d).risk_excess) < 1e-11);
}

TEST_CASE("risks name the argument that is outside", "[models][population_risk]") {
  CHECK_THROWS_WITH(models::relu_risk({-1.0, 1.0, 0.0}), Catch::Contains("norm = -1"));
  CHECK_THROWS_WITH(models::erf_risk({1.0, 1.0, 1.5}), Catch::Contains("cosine = 1.5"));
  CHECK_THROWS_WITH(models::gaussian_risk(SmoothLink::tanh, {1.0, std::nan(""), 0.5}), Catch::Contains("true_norm"));
  CHECK_THROWS_WITH(models::sphere_risk(SmoothLink::tanh, {1.0, 1.0, 0.5}, 2.0), Catch::Contains("dimension = 2"));
  const models::Link tanh{models::LinkKind::tanh, 1.0}, hard{models::LinkKind::hard_tanh, 1.0};
  CHECK_THROWS_WITH(models::gaussian_labelled_risk(tanh, tanh, {1.0, 1.0, 0.5}, -1.0),
                    Catch::Contains("noise_variance = -1"));
  CHECK_THROWS_WITH(models::gaussian_labelled_risk(tanh, hard, {1.0, 1.0, 0.5}, 0.0), Catch::Contains("hard-tanh"));
}
