// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/conversion.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::divergence;

TEST_CASE("the reference vectors of the Renyi conversions hold", "[conversion][vectors]") {
  int checked = 0;
  for (const auto& vector : nlohmann::json::parse(test::source_file("data/reference/shifted-interpolation.json"))) {
    if (vector.at("calculator") != "shifted-interpolation/rdp-to-approximate-dp") {
      continue;
    }
    const double rho = vector.at("inputs").at("rho"), delta = vector.at("inputs").at("delta");
    const auto& want = vector.at("outputs");
    CHECK(test::relative_error(bun_steinke(rho, delta).epsilon, want.at("eps_bun_steinke")) < 1e-11);
    CHECK(test::relative_error(balle(rho, delta).epsilon, want.at("eps_balle")) < 1e-11);
    CHECK(test::relative_error(asoodeh(rho, delta).epsilon, want.at("eps_asoodeh")) < 1e-11);
    CHECK(test::relative_error(best(rho, delta).epsilon, want.at("eps_best")) < 1e-11);
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("no order does better than the one that was found", "[conversion][property]") {
  const double rho = GENERATE(1e-8, 1e-4, 0.5, 30.0), delta = GENERATE(1e-15, 1e-5, 0.1);
  const double balle_found = balle(rho, delta).epsilon, asoodeh_found = asoodeh(rho, delta).epsilon;
  for (double s = -12.0; s < 25.0; s += 0.01) {
    const double a = 1.0 + std::exp(s), d = rho * a;
    const double by_balle = d + std::log1p(-1.0 / a) - (std::log(delta) + std::log(a)) / (a - 1.0);
    CHECK(balle_found <= std::max(0.0, by_balle) * (1.0 + 1e-12) + 1e-15);
    if ((a - 1.0) * d < 600.0) {
      const double by_asoodeh = std::log1p(std::expm1((a - 1.0) * d) / (a * delta)) / (a - 1.0);
      CHECK(asoodeh_found <= std::max(0.0, by_asoodeh) * (1.0 + 1e-12) + 1e-15);
    }
  }
  const double found = best(rho, delta).epsilon;
  CHECK(found <= mironov(rho, delta).epsilon);
  CHECK(found <= balle_found);
}

TEST_CASE("the general conversions agree with the ones for a line", "[conversion]") {
  const double rho = GENERATE(1e-3, 0.5, 10.0), delta = GENERATE(1e-10, 1e-3);
  const RenyiCurve line = [rho](double order) { return rho * order; };
  CHECK(test::relative_error(mironov(line, delta).epsilon, mironov(rho, delta).epsilon) < 1e-12);
  CHECK(test::relative_error(balle(line, delta).epsilon, balle(rho, delta).epsilon) < 1e-12);
  CHECK(test::relative_error(asoodeh(line, delta).epsilon, asoodeh(rho, delta).epsilon) < 1e-12);
  CHECK(test::relative_error(best(line, delta).epsilon, best(rho, delta).epsilon) < 1e-12);
  // Balle et al. backwards.
  CHECK(log_delta_of_renyi(line, balle(rho, delta).epsilon) == Approx(std::log(delta)).epsilon(1e-10));
}

TEST_CASE("curves that are infinite past some order convert", "[conversion]") {
  const RenyiCurve curve = [](double order) {
    return order < 3.0 ? 0.1 * order : std::numeric_limits<double>::infinity();
  };
  const Conversion found = best(curve, 1e-6);
  CHECK(found.order < 3.0);
  CHECK(std::isfinite(found.epsilon));
  CHECK(best([](double) { return std::numeric_limits<double>::infinity(); }, 1e-6).epsilon ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("perfect privacy converts to epsilon 0", "[conversion]") {
  CHECK(best(0.0, 1e-5).epsilon == 0.0);
  CHECK(best(1e-30, 0.5).epsilon < 1e-14);
}

TEST_CASE("arguments of conversions outside their domains name themselves", "[conversion][errors]") {
  CHECK_THROWS_WITH(balle(-1.0, 1e-5), Catch::Contains("rho = -1"));
  CHECK_THROWS_AS(best(1.0, 0.0), DomainError);
  CHECK_THROWS_AS(asoodeh(1.0, std::nan("")), DomainError);
  CHECK_THROWS_AS(mironov([](double a) { return a; }, 1.0), DomainError);
  CHECK_THROWS_AS(log_delta_of_renyi([](double a) { return a; }, -1.0), DomainError);
}

TEST_CASE("a list of orders converts at its best finite one, without clamping", "[conversion]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<RenyiPoint> points{{2.0, 0.1}, {4.0, 0.3}, {8.0, infinity}, {16.0, 1e3}};
  const double delta = 1e-5;
  const Conversion classic = mironov(points, delta), tight = balle(points, delta);
  CHECK(test::relative_error(classic.epsilon, 0.3 - std::log(delta) / 3.0) < 1e-14);
  CHECK(classic.order == 4.0);
  CHECK(test::relative_error(tight.epsilon, 0.3 + std::log(0.75) - (std::log(delta) + std::log(4.0)) / 3.0) < 1e-14);
  CHECK(balle(std::vector<RenyiPoint>{{2.0, 1e-3}}, 0.9).epsilon < 0.0);
  const Conversion none = balle(std::vector<RenyiPoint>{{2.0, infinity}}, delta);
  CHECK(none.epsilon == infinity);
  CHECK(std::isnan(none.order));
  CHECK_THROWS_AS(balle(std::vector<RenyiPoint>{{1.0, 0.1}}, delta), DomainError);
  CHECK_THROWS_AS(balle(std::vector<RenyiPoint>{{2.0, -0.1}}, delta), DomainError);
}
