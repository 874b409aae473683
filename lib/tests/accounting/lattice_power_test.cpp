// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Powers of lattice laws by Fourier transform beside direct convolutions of the same masses: the errors that are
// claimed, and no more than a hundred times the true ones.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/detail/lattice_power.hpp>

using namespace dpcurves::accounting::detail;

namespace {

using Masses = std::vector<long double>;

// A crowd at 0, a few masses beside it, and large ones from index 20 on that are rare.
LatticeMasses law(double rare, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0.5, 1.0);
  LatticeMasses result;
  result.first = -3;
  for (long k = result.first; k <= 40; ++k) {
    const double mass = (k == 0 ? 1.0 : k < 5 ? 0.02 : k < 20 ? rare * 1e-3 : rare) * uniform(engine);
    result.mass.push_back(mass);
    result.log_mass.push_back(std::log(mass));
  }
  return result;
}

Masses product(const Masses& a, const Masses& b) {
  Masses c(a.size() + b.size() - 1, 0.0L);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      c[i + j] += a[i] * b[j];
    }
  }
  return c;
}

// Of the sums of all parts with masses e^{tilt k}: those without a mass from `large` on, and the others.
struct Sums {
  Masses small, others;
};
Sums sums(std::span<const LatticePart> parts, double tilt, long large) {
  Sums result{{1.0L}, {0.0L}};
  for (const LatticePart& part : parts) {
    Masses small, rest;
    for (std::size_t k = 0; k < part.law->mass.size(); ++k) {
      const long at = part.law->first + static_cast<long>(k);
      const long double mass =
          std::exp(static_cast<long double>(part.law->log_mass[k] + tilt * static_cast<double>(at)));
      small.push_back(at < large ? mass : 0.0L);
      rest.push_back(at < large ? 0.0L : mass);
    }
    for (int n = 0; n < static_cast<int>(part.count); ++n) {
      const Masses once = product(result.small, rest), again = product(result.others, small),
                   twice = product(result.others, rest);
      result.small = product(result.small, small);
      result.others.assign(once.size(), 0.0L);
      for (std::size_t k = 0; k < once.size(); ++k) {
        result.others[k] = once[k] + (k < again.size() ? again[k] + twice[k] : 0.0L);
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("sums with a large mass in them have digits relative to the large masses", "[accounting][lattice]") {
  const double rare = GENERATE(1e-3, 1e-14, 1e-25);
  const double tilt = GENERATE(0.0, 0.05);
  const LatticeMasses a = law(rare, 1), b = law(rare, 2);
  const std::vector<LatticePart> parts{{&a, 5.0}, {&b, 3.0}};
  const LatticeJumps jumps{{20, 20}, 18};
  const LatticePower power(parts, tilt, 1024, jumps);
  const Sums exact = sums(parts, tilt, 20);
  const long first = 5 * a.first + 3 * b.first;
  const double scale = std::exp(power.log_moment());
  double square = 0.0, beyond = 0.0, size = 0.0;
  for (std::size_t k = 0; k < exact.others.size(); ++k) {
    const long at = first + static_cast<long>(k);
    const auto place = static_cast<std::size_t>(at - power.first());
    REQUIRE(place < power.tilted().size());
    const double wanted = static_cast<double>(exact.others[k]) / scale, off = power.tilted()[place] - wanted;
    square += off * off;
    size += wanted;
    beyond += at >= jumps.from && k < exact.small.size() ? static_cast<double>(exact.small[k]) / scale : 0.0;
  }
  CAPTURE(rare, tilt, power.rounding_norm() / size, std::sqrt(square) / size, size, beyond, power.small());
  CHECK(beyond <= power.small());
  CHECK(power.small() < 100.0 * beyond);
  CHECK(std::sqrt(square) <= power.rounding_norm() + power.relative() * size);
  CHECK(power.rounding_norm() < 1e-10 * size);
}

TEST_CASE("all sums are those with a large mass and those without", "[accounting][lattice]") {
  const LatticeMasses a = law(1e-6, 3);
  const std::vector<LatticePart> parts{{&a, 6.0}};
  const LatticePower whole(parts, 0.1, 512), some(parts, 0.1, 512, {{20}, 200});
  const Masses small = sums(parts, 0.1, 20).small;
  const double scale = std::exp(whole.log_moment());
  REQUIRE(whole.first() == some.first());
  CHECK(whole.log_moment() == some.log_moment());
  double most = 0.0;
  for (std::size_t k = 0; k < whole.tilted().size(); ++k) {
    const long at = whole.first() + static_cast<long>(k) - 6 * a.first;
    const bool inside = at >= 0 && at < static_cast<long>(small.size());
    const double rest = inside ? static_cast<double>(small[static_cast<std::size_t>(at)]) / scale : 0.0;
    most = std::max(most, std::abs(whole.tilted()[k] - some.tilted()[k] - rest));
  }
  CHECK(most < 1e-13);
}

TEST_CASE("each sum is known to the rounding that is claimed for it", "[accounting][lattice]") {
  const double count = GENERATE(2.0, 16.0, 150.0), tilt = GENERATE(-0.05, 0.0, 0.2);
  LatticeMasses a;  // no crowd
  a.first = -4;
  for (long k = 0; k < 40; ++k) {
    const double x = static_cast<double>(k) - 15.0;
    a.log_mass.push_back(-0.01 * x * x - 3.0);
    a.mass.push_back(std::exp(a.log_mass.back()));
  }
  const LatticeMasses b = law(1e-3, 7);
  const std::vector<LatticePart> parts{{&a, count}, {&b, 1.0}};
  const LatticePower power(parts, tilt, 8192);
  const Sums exact = sums(parts, tilt, 1000);
  const long first = static_cast<long>(count) * a.first + b.first;
  const long double scale = std::exp(static_cast<long double>(power.log_moment()));
  int outside = 0;
  double most = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < exact.small.size(); ++k) {
    const auto place = static_cast<std::size_t>(first + static_cast<long>(k) - power.first());
    REQUIRE(place < power.tilted().size());
    const double wanted = static_cast<double>(exact.small[k] / scale), off = std::abs(power.tilted()[place] - wanted);
    outside += off > power.rounding() + power.tilting() * wanted ? 1 : 0;
    most = std::max(most, off);
    largest = std::max(largest, wanted);
  }
  CAPTURE(count, tilt, most, power.rounding(), power.rounding_norm(), power.tilting(), largest);
  CHECK(outside == 0);
  CHECK(power.rounding() <= power.rounding_norm());
  CHECK(power.rounding() < 1e-9 * largest);
}
