// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/link.hpp>
#include <dpcurves/numerics/quadrature.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<120>>;

Real probit_primitive(const Real& v) {
  using boost::math::constants::root_two;
  const Real cdf = erfc(-v / root_two<Real>()) / 2;
  return v * cdf + exp(-v * v / 2) / sqrt(2 * boost::math::constants::pi<Real>());
}

/// Link and primitive at slope 1 in 120 digits, by the textbook forms.
Real exact_value(LinkKind kind, const Real& v) {
  switch (kind) {
    case LinkKind::sigmoid:
      return 1 / (1 + exp(-v));
    case LinkKind::tanh:
      return tanh(v);
    case LinkKind::relu:
      return v > 0 ? v : Real(0);
    case LinkKind::identity:
      return v;
    case LinkKind::probit:
      return erfc(-v / boost::math::constants::root_two<Real>()) / 2;
    case LinkKind::erf:
      return erf(v);
    case LinkKind::arctan:
      return atan(v);
    case LinkKind::hard_tanh:
      return v > 1 ? Real(1) : (v < -1 ? Real(-1) : v);
    case LinkKind::sign:
      return Real((v > 0) - (v < 0));
  }
  return v;
}

Real exact_primitive(LinkKind kind, const Real& v) {
  using boost::math::constants::root_two;
  const Real size = abs(v);
  switch (kind) {
    case LinkKind::sigmoid:
      return log1p(exp(v)) - log(Real(2));
    case LinkKind::tanh:
      return log(cosh(v));
    case LinkKind::relu:
      return v > 0 ? Real(v * v / 2) : Real(0);
    case LinkKind::identity:
      return v * v / 2;
    case LinkKind::probit:
      return probit_primitive(v) - probit_primitive(Real(0));
    case LinkKind::erf:
      return v * erf(v) + (exp(-v * v) - 1) / sqrt(boost::math::constants::pi<Real>());
    case LinkKind::arctan:
      return v * atan(v) - log1p(v * v) / 2;
    case LinkKind::hard_tanh:
      return size <= 1 ? Real(v * v / 2) : Real(size - Real(1) / 2);
    case LinkKind::sign:
      return size;
  }
  return v;
}

const std::vector<double> points{-60.0, -25.0, -9.0, -3.0,  -1.0, -0.75, -1e-3, -1e-9, 0.0,
                                 1e-12, 1e-5,  0.3,  0.875, 1.0,  1.5,   4.0,   18.0,  70.0};

}  // namespace

TEST_CASE("links and their primitives agree with 120 digits", "[models][accuracy]") {
  for (const LinkKind kind : all_links()) {
    CAPTURE(to_string(kind));
    const Link link = make_link(kind);
    test::Worst value, primitive;
    for (const double u : points) {
      value.see(test::relative_error(link.value(u), static_cast<double>(exact_value(kind, u))), u);
      primitive.see(test::relative_error(link.primitive(u), static_cast<double>(exact_primitive(kind, u))), u);
    }
    CAPTURE(value.at, value.error, primitive.at, primitive.error);
    CHECK(value.error < (kind == LinkKind::probit ? 4e-15 : 1e-15));
    CHECK(primitive.error < 1e-14);
  }
}

TEST_CASE("Bregman divergences keep their digits from 1e-9 apart to 1e2 apart", "[models][accuracy]") {
  for (const LinkKind kind : all_links()) {
    CAPTURE(to_string(kind));
    const Link link = make_link(kind);
    test::Worst worst;
    for (const double b : points) {
      for (const double width : {-80.0, -16.0, -2.0, -0.9375, -0.25, -0.0009765625, -9.313225746154785e-10,
                                 4.656612873077393e-10, 0.001953125, 0.125, 0.984375, 1.0, 5.0, 29.0, 31.0, 100.0}) {
        const double a = b + width;
        if (kind == LinkKind::probit || kind == LinkKind::erf) {
          continue;  // below, by integrals: 1 - erf asks for more digits than are cheap
        }
        const Real exact = exact_primitive(kind, a) - exact_primitive(kind, b) - exact_value(kind, b) * (Real(a) - b);
        const auto rounded = static_cast<double>(exact);
        if (rounded > 1e-290) {
          worst.see(test::relative_error(link.bregman(a, b), rounded), b * 1e3 + width);
        } else {
          CHECK(link.bregman(a, b) <= 1e-290);
        }
        CHECK(link.bregman(a, b) >= 0.0);
      }
    }
    CAPTURE(worst.at, worst.error);
    CHECK(worst.error < 2e-13);
  }
}

TEST_CASE("Bregman divergences of probit and erf are integrals of their densities", "[models][accuracy]") {
  for (const LinkKind kind : {LinkKind::probit, LinkKind::erf}) {
    const Link link = make_link(kind);
    test::Worst worst;
    for (const double b : {-20.0, -6.0, -1.0, 0.0, 0.25, 3.0, 12.0}) {
      for (const double width : {-30.0, -3.0, -0.5, -0.0625, 9.313225746154785e-10, 0.03125, 0.125, 1.0, 2.0, 25.0}) {
        // Panels, so that the density varies little over each.
        double exact = 0.0;
        constexpr int panels = 600;
        for (int i = 0; i < panels; ++i) {
          exact += numerics::gauss_legendre(
              [&](double t) { return (1.0 - t) * width * width * link.derivative(b + t * width); },
              static_cast<double>(i) / panels, (i + 1.0) / panels, 20);
        }
        worst.see(test::relative_error(link.bregman(b + width, b), exact), b * 1e3 + width);
      }
    }
    CAPTURE(to_string(kind), worst.at, worst.error);
    CHECK(worst.error < 4e-13);
  }
}

TEST_CASE("the derivative is that of the value, and G is its supremum", "[models][property]") {
  for (const LinkKind kind : all_links()) {
    const Link link = make_link(kind, 2.5);
    CAPTURE(to_string(kind));
    for (const double u : {-6.0, -0.7, -0.1, 0.05, 0.2, 3.0}) {
      const double h = 1e-5;
      CHECK(link.derivative(u) == Approx((link.value(u + h) - link.value(u - h)) / (2.0 * h)).margin(2e-9));
      CHECK(link.derivative(u) <= link.lipschitz() * (1.0 + 1e-15));
      CHECK(link.value(u) >= link.lowest());
      CHECK(link.value(u) <= link.highest());
      CHECK(std::abs(link.value(u)) <= link.bound());
    }
    if (kind != LinkKind::sign) {
      CHECK(link.derivative(0.0) == Approx(link.lipschitz()));  // all nine are steepest at 0
    }
  }
  // Far out tanh' = 1 - tanh^2 would be 0.
  CHECK(make_link(LinkKind::tanh).derivative(30.0) == Approx(4.0 * std::exp(-60.0)).epsilon(1e-14));
  CHECK(make_link(LinkKind::tanh, 1e308).derivative(1.0) == 0.0);  // no infinity times 0
  CHECK(make_link(LinkKind::erf, 1e308).derivative(1.0) == 0.0);
}

TEST_CASE("a slope multiplies the argument of link, primitive and divergence alike", "[models][property]") {
  for (const LinkKind kind : all_links()) {
    const Link base = make_link(kind), steep = make_link(kind, 4.0);
    CAPTURE(to_string(kind));
    CHECK(steep.value(0.3) == base.value(1.2));
    CHECK(steep.primitive(0.3) == Approx(base.primitive(1.2) / 4.0));
    CHECK(steep.bregman(0.3, -0.4) == Approx(base.bregman(1.2, -1.6) / 4.0));
    CHECK(surrogate_loss(steep, 0.3, 0.5) == Approx(steep.primitive(0.3) - 0.15));
  }
}

TEST_CASE("links answer at infinity and refuse slopes and names that make no sense", "[models][errors]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(make_link(LinkKind::sigmoid).primitive(-infinity) == Approx(-std::log(2.0)));
  CHECK(make_link(LinkKind::relu).primitive(-infinity) == 0.0);
  CHECK(std::isinf(make_link(LinkKind::tanh).primitive(-infinity)));
  CHECK(make_link(LinkKind::tanh).value(-infinity) == -1.0);
  CHECK(std::isnan(make_link(LinkKind::hard_tanh).value(std::nan(""))));
  CHECK_THROWS_WITH(make_link(LinkKind::tanh, 0.0), Catch::Contains("slope = 0"));
  CHECK_THROWS_WITH(link_of("logit"), Catch::Contains("sigmoid, tanh"));
  CHECK(link_of("hardtanh") == LinkKind::hard_tanh);
}
