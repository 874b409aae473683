// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Trade-off functions from profiles whose own are known, and how often they ask.
#include <cmath>
#include <vector>

#include <dpcurves/accounting/detail/profile_tradeoff.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "../support/support.hpp"

using namespace dpcurves;
using accounting::detail::ProfileTradeoff;

namespace {

const std::vector<double> errors{1e-12, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.95, 0.999, 1.0 - 1e-9};

ProfileTradeoff::Profile gaussian(double mu) {
  return [mu](double epsilon) { return tradeoff::delta_enclosure(epsilon, exactly(mu)); };
}

}  // namespace

TEST_CASE("the trade-off function of a profile: Gaussian mechanisms, to the width that is wanted",
          "[accounting][tradeoff]") {
  for (const double mu : {1e-6, 0.01, 0.5, 1.0, 4.0, 12.0}) {
    for (const double relative : {1e-3, 1e-7}) {
      ProfileTradeoff f(gaussian(mu), relative);
      for (const double a : errors) {
        INFO("a = " << a);
        const Enclosure found = f.at(a), truth = tradeoff::gaussian_enclosure(a, exactly(mu));
        CHECK(found.lower <= truth.upper);
        CHECK(found.upper >= truth.lower);
        CHECK(found.width() <= 1.01 * relative * found.upper + 2e-14);
      }
    }
  }
}

// At 1e-7 the first error asks for at most 30 values, others for at most 10 each.
TEST_CASE("the trade-off function of a profile: errors share what was asked", "[accounting][tradeoff]") {
  for (const double mu : {0.05, 1.0, 5.0}) {
    ProfileTradeoff one(gaussian(mu), 1e-7);
    (void)one.at(0.1);
    CHECK(one.asked() <= 30U);
    ProfileTradeoff many(gaussian(mu), 1e-7);
    for (int i = 1; i < 1000; ++i) {
      (void)many.at(1e-3 * i);
    }
    CHECK(many.asked() <= 10000U);
  }
}

// Profiles with corners: (epsilon, 0)-DP, whose f is piecewise linear.
TEST_CASE("the trade-off function of a profile: profiles with corners", "[accounting][tradeoff]") {
  for (const double epsilon : {0.1, 1.0, 6.0}) {
    const auto curve = accounting::pure_curve(epsilon);
    ProfileTradeoff f([&](double e) { return curve->delta(e).value; }, 1e-6);
    for (const double a : errors) {
      INFO("a = " << a);
      const Enclosure found = f.at(a);
      const double truth = std::max({0.0, 1.0 - std::exp(epsilon) * a, std::exp(-epsilon) * (1.0 - a)});
      CHECK(found.lower <= truth + 1e-14);
      CHECK(found.upper >= truth - 1e-14);
      CHECK(found.width() <= 2e-6 * truth + 2e-14);
    }
  }
}

// Brackets that are wide by chance: the truth is inside, and nothing is far wider than they are.
TEST_CASE("the trade-off function of a profile: profiles that are wide by chance", "[accounting][tradeoff]") {
  for (const double width : {1e-4, 1e-2, 0.1}) {
    random::Words words(17, random::Purpose::data, 0, 0);
    const auto chance = [&words] { return static_cast<double>(words.below(1000U)) / 1000.0; };
    const double mu = 1.0;
    ProfileTradeoff f(
        [&](double epsilon) {
          const Enclosure delta = tradeoff::delta_enclosure(epsilon, exactly(mu));
          return Enclosure{std::max(-std::expm1(epsilon), delta.lower * (1.0 - width * chance())),
                           std::min(1.0, delta.upper * (1.0 + width * chance()))};
        },
        1e-7);
    for (const double a : errors) {
      INFO("a = " << a);
      const Enclosure found = f.at(a), truth = tradeoff::gaussian_enclosure(a, exactly(mu));
      CHECK(found.lower <= truth.upper);
      CHECK(found.upper >= truth.lower);
      // Of g, delta is at most 1 - f: what its width leaves, and as much for chords that do not know better.
      CHECK(found.width() <= 4.0 * width * (1.0 - truth.lower) + 1e-6);
    }
    CHECK(f.asked() <= 200U);
  }
}

TEST_CASE("the trade-off function of a profile: errors outside (0, 1) are refused", "[accounting][tradeoff]") {
  ProfileTradeoff f(gaussian(1.0), 1e-6);
  for (const double a : {0.0, 1.0, -0.1, std::nan("")}) {
    CHECK_THROWS_AS((void)f.at(a), DomainError);
  }
}
