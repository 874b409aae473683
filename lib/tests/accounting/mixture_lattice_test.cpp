// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Other mechanisms on a lattice: both ends around closed forms, sums over all outcomes, and contours.
#include <cmath>
#include <functional>
#include <vector>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/detail/lattice_profile.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/accounting/mixture/profile.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;
namespace mixture = dpcurves::accounting::mixture;
using accounting::detail::Lattice;
using accounting::detail::LatticeProfile;
using accounting::detail::LatticeStep;

namespace {

constexpr std::size_t points = std::size_t{1} << 16U;

/// A hundred batches of ten draws of a thousand records, with noise so that a use moves a sum by 1.
mixture::Problem draws() {
  mixture::Problem problem;
  problem.steps.push_back(
      mixture::shifts(mixture::binomial_uses(10.0, rigorous::Real(1e-3)), 1.0, mixture::Direction::remove));
  problem.steps.back().count = 100.0;
  return problem;
}

/// A Laplace mechanism of that epsilon: an atom at either end, between them a density e^{-e/2} e^{l/2} / 4.
LatticeStep laplace(double e, double count) {
  LatticeStep step;
  step.count = count;
  step.atoms = {{e, std::log(0.5)}, {-e, std::log(0.5) - e}};
  accounting::detail::LatticeDensity ramp;
  ramp.loss = [](double x) { return std::pair{x, 1.0}; };
  ramp.log_density = [e](double x) { return -std::log(4.0) - 0.5 * e + 0.5 * x; };
  ramp.left = -e;
  ramp.right = e;
  step.densities.push_back(ramp);
  return step;
}

LatticeProfile lattice_of(const LatticeStep& step, double order, double epsilon, double most, bool at_atoms = true) {
  const auto [least, largest] = losses(step);
  double h = 8.0 * most / static_cast<double>(points - 8);
  if (at_atoms) {  // points at both ends
    h = (largest - least) / std::floor((largest - least) / h) * (1.0 - 1e-12);
  }
  const Lattice lattice{h, order, 9.0};
  return LatticeProfile::of_laws({lattice_laws(step, lattice)}, lattice, epsilon, points);
}

/// The sum over all outcomes of `count` uses of E_P[(1 - e^{epsilon - losses})_+].
double sum_over(const std::vector<std::pair<double, double>>& atoms, int count, double epsilon) {
  std::function<double(int, double, double)> from = [&](int left, double loss, double mass) {
    if (left == 0) {
      return loss > epsilon ? mass * -std::expm1(epsilon - loss) : 0.0;
    }
    double total = 0.0;
    for (const auto& [l, p] : atoms) {
      total += from(left - 1, loss + l, mass * p);
    }
    return total;
  };
  return from(count, 0.0, 1.0);
}

Mechanism laplace_mechanism(double noise, double count, double rate = 1.0) {
  Mechanism m{MechanismKind::laplace};
  m.noise = noise;
  m.count = count;
  m.sampling_rate = rate;
  return m;
}

void holds(const Enclosure& found, double exact, double width) {
  CAPTURE(found.lower, found.upper, exact, width);
  CHECK(found.lower <= exact * (1 + 1e-13) + 1e-300);
  CHECK(found.upper >= exact * (1 - 1e-13));
  CHECK(found.width() <= width);
}

}  // namespace

TEST_CASE("a lattice holds one Laplace mechanism, near 0 and far down", "[accounting][lattice][mixtures]") {
  const double e = GENERATE(0.1, 0.5, 2.0);
  for (const double share : {0.0, 0.2, 0.5, 0.9, 0.999}) {
    const double epsilon = share * e, exact = -std::expm1(0.5 * (epsilon - e));
    CAPTURE(e, epsilon);
    holds(lattice_of(laplace(e, 1.0), 0.0, 0.0, e).delta(epsilon), exact, 1e-4 * e);
    holds(lattice_of(laplace(e, 1.0), 0.0, 0.0, e, false).delta(epsilon), exact, 1e-3 * e);
    holds(lattice_of(laplace(e, 1.0), 1.0 / (e - epsilon), epsilon, e).delta(epsilon), exact, 1e-5 * exact);
  }
  // Exchanged, the law is the same: delta(-epsilon) = 1 - e^{-epsilon} + e^{-epsilon} delta(epsilon).
  holds(lattice_of(laplace(e, 1.0), 0.0, 0.0, e).delta(-0.5 * e),
        -std::expm1(-0.5 * e) - std::exp(-0.5 * e) * std::expm1(-0.25 * e), 1e-4 * e);
}

TEST_CASE("a lattice of atoms holds the sum over all outcomes", "[accounting][lattice][mixtures]") {
  const std::vector<std::pair<double, double>> atoms{{0.7, 0.45}, {0.1, 0.3}, {-0.234, 0.2}, {-1.1, 0.05}};
  LatticeStep step;
  for (const auto& [l, p] : atoms) {
    step.atoms.push_back({l, std::log(p)});
  }
  for (const int count : {1, 2, 3, 5}) {
    step.count = count;
    for (const double epsilon : {0.0, 0.05, 0.4, 0.69}) {
      const double exact = sum_over(atoms, count, epsilon);
      CAPTURE(count, epsilon);
      holds(lattice_of(step, 0.0, 0.0, 1.1 * count).delta(epsilon), exact, 2e-4 * count);
      holds(lattice_of(step, 3.0, epsilon, 1.1 * count).delta(epsilon), exact, 1e-3 * count);
    }
  }
}

TEST_CASE("atoms at multiples of the points lose nothing", "[accounting][lattice][mixtures]") {
  const double e = 0.3, p = 1.0 / (1.0 + std::exp(-e));
  LatticeStep step;
  step.atoms = {{e, std::log(p)}, {-e, std::log1p(-p)}};
  for (const int count : {1, 2, 7, 12}) {
    step.count = count;
    const double exact = sum_over({{e, p}, {-e, 1.0 - p}}, count, 0.2);
    CAPTURE(count);
    holds(lattice_of(step, 2.0, 0.2, e * count).delta(0.2), exact, 1e-8 * exact);
  }
}

TEST_CASE("lattice and contour of mechanisms prove brackets that meet", "[accounting][lattice][mixtures]") {
  for (const double count : {1000.0, 3000.0}) {
    const auto contour = mechanisms_curve({laplace_mechanism(20.0, count)}, true);
    const LatticeStep step = laplace(0.05, count);
    for (const double epsilon : {5.0, 8.0}) {
      const auto by_contour = contour->delta(epsilon);
      const Enclosure lattice = lattice_of(step, 2.0, epsilon, 8.0).delta(epsilon);
      CAPTURE(count, epsilon, by_contour.value.lower, by_contour.value.upper, lattice.lower, lattice.upper);
      CHECK(by_contour.method == "contour of mixtures");
      CHECK(lattice.lower <= by_contour.value.upper);
      CHECK(by_contour.value.lower <= lattice.upper);
      CHECK(lattice.relative_width() < 1e-3);
      CHECK(by_contour.value.relative_width() < 1e-6);
    }
  }
}

TEST_CASE("few uses of mechanisms are answered by lattices, narrowly", "[accounting][lattice][mechanisms]") {
  for (const double count : {2.0, 3.0, 10.0}) {
    const auto curve = mechanisms_curve({laplace_mechanism(2.0, count)}, true);
    for (const double delta : {1e-3, 1e-5, 1e-10}) {
      const auto found = curve->epsilon(delta);
      CAPTURE(count, delta, found.value.lower, found.value.upper);
      CHECK(found.method == mixture::by_lattice);
      CHECK(found.value.relative_width() < 1e-5);
      CHECK(found.value.upper < 0.5 * count);
      CHECK(curve->delta(found.value.upper * (1 + 1e-9)).value.lower <= delta);
      CHECK(curve->delta(found.value.lower * (1 - 1e-9)).value.upper >= delta);
    }
  }
}

TEST_CASE("a delta below what lattices see asks none of them", "[accounting][mixtures][lattice]") {
  mixture::Profile profile(draws());
  const Enclosure rare = profile.epsilon(1e-300);
  CAPTURE(rare.lower, rare.upper);
  CHECK(profile.lattices() == 0);  // of three sizes at each of thirty thresholds
  CHECK(rare.lower <= rare.upper);
  CHECK(rare.upper >= profile.epsilon(1e-100).lower);  // a contour that is smoothed much has no lower end
}

TEST_CASE("a contour that is smoothed much has no lower end", "[accounting][mixtures]") {
  // 1.2e-296: a transform of the tilted losses in numpy, of 4 million points .002 apart.
  mixture::Profile profile(draws());
  const Enclosure d = profile.delta(500.0);
  CAPTURE(d.lower, d.upper);
  CHECK(d.lower <= 1.2e-296);
  CHECK(d.upper >= 1.19e-296);
}
