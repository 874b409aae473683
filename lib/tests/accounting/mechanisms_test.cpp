// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <catch2/catch.hpp>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/core/error.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

Mechanism laplace(double noise, double rate = 1.0, double count = 1.0) {
  Mechanism m{MechanismKind::laplace};
  m.noise = noise;
  m.sampling_rate = rate;
  m.count = count;
  return m;
}

Mechanism claim(MechanismKind kind, double value) {
  Mechanism m{kind};
  (kind == MechanismKind::zcdp ? m.rho : kind == MechanismKind::gdp ? m.mu : m.epsilon) = value;
  return m;
}

/// Integral of (p - e^s q)_+ over the outputs, p and q sampled Laplace laws; the kinks are ends of the panels.
double one_step(double noise, double rate, bool remove, double s) {
  const auto density = [&](double x, double mean) { return std::exp(-std::abs(x - mean) / noise) / (2.0 * noise); };
  const auto excess = [&](double x) {
    const double with = (1.0 - rate) * density(x, 0.0) + rate * density(x, 1.0), without = density(x, 0.0);
    return std::max(0.0, (remove ? with : without) - std::exp(s) * (remove ? without : with));
  };
  double sum = 0.0;
  const double ends[] = {-40.0 * noise, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0 + 40.0 * noise};
  for (int i = 0; i < 6; ++i) {
    sum += boost::math::quadrature::gauss_kronrod<double, 61>::integrate(excess, ends[i], ends[i + 1], 15, 1e-12);
  }
  return sum;
}

DpSgd steps(mechanism::Sampler sampler, mechanism::Adjacency adjacency) {
  DpSgd run;
  run.sampling = sampler;
  run.adjacency = adjacency;
  run.phases = {{1.0, 0.01, 100.0}};
  return run;
}

}  // namespace

TEST_CASE("a sampled Laplace mechanism lies between its two laws of atoms", "[accounting][mechanisms]") {
  const double noise = GENERATE(0.5, 1.0, 4.0), rate = GENERATE(0.01, 0.3, 0.9);
  const bool remove = GENERATE(true, false);
  for (const double s : {-0.05, 0.02, 0.1}) {
    const double exact = one_step(noise, rate, remove, s);
    const Enclosure found = mechanisms_curve({laplace(noise, rate)}, remove)->delta(s).value;
    CAPTURE(noise, rate, remove, s, exact, found.lower, found.upper);
    CHECK(found.lower <= exact + 1e-9);
    CHECK(exact - 1e-9 <= found.upper);
    CHECK(found.upper - found.lower < 1e-4 * exact + 1e-5);
  }
}

TEST_CASE("a hundred sampled Laplace mechanisms have a narrow bracket", "[accounting][mechanisms]") {
  for (const bool remove : {true, false}) {
    const Enclosure epsilon = mechanisms_curve({laplace(1.0, 0.1, 100.0)}, remove)->epsilon(1e-5).value;
    CAPTURE(remove, epsilon.lower, epsilon.upper);
    CHECK(epsilon.upper - epsilon.lower < 2e-4 * epsilon.upper);
    CHECK(epsilon.lower > 0.0);
  }
}

TEST_CASE("near the largest loss an epsilon is searched among deltas", "[accounting][mechanisms]") {
  const auto curve = mechanisms_curve({laplace(1.0, 1.0, 10.0)}, true);
  const Enclosure epsilon = curve->epsilon(1e-5).value;
  CHECK(epsilon.upper < 10.0);
  CHECK(epsilon.lower > 9.98);
  CHECK(curve->delta(epsilon.upper).value.upper <= 1e-5);
  CHECK(curve->delta(epsilon.lower).value.lower > 1e-5 * (1.0 - 1e-9));
}

TEST_CASE("Renyi divergences of mechanisms are those of the papers", "[accounting][mechanisms]") {
  const double a = GENERATE(1.5, 2.0, 8.0, 64.0);
  const double e = 0.5;  // Mironov (2017), Laplace of scale 1/e
  const double laplace_renyi =
      std::log(a / (2.0 * a - 1.0) * std::exp((a - 1.0) * e) + (a - 1.0) / (2.0 * a - 1.0) * std::exp(-a * e)) /
      (a - 1.0);
  CHECK(mechanism_renyi(laplace(2.0), true, a) == Approx(laplace_renyi).epsilon(1e-12));
  CHECK(mechanism_renyi(claim(MechanismKind::zcdp, 0.1), true, a) == Approx(0.1 * a).epsilon(1e-12));
  CHECK(mechanism_renyi(claim(MechanismKind::gdp, 0.5), true, a) == Approx(0.125 * a).epsilon(1e-12));
  const double p = std::exp(e) / (1.0 + std::exp(e));
  const double response =
      std::log(std::pow(p, a) * std::pow(1.0 - p, 1.0 - a) + std::pow(1.0 - p, a) * std::pow(p, 1.0 - a)) / (a - 1.0);
  CHECK(mechanism_renyi(claim(MechanismKind::pure, e), true, a) == Approx(response).epsilon(1e-12));
  for (const bool remove : {true, false}) {  // sampling never costs
    CHECK(mechanism_renyi(laplace(2.0, 0.3), remove, a) < laplace_renyi);
    CHECK(mechanism_renyi(laplace(2.0, 0.3), remove, a) > 0.0);
  }
}

TEST_CASE("noise 0, delta 0 and 1, and rate 0 are answered", "[accounting][mechanisms]") {
  CHECK(mechanisms_curve({laplace(0.0)}, true)->delta(3.0).value.lower == Approx(1.0));
  CHECK(mechanisms_curve({laplace(0.0, 0.25)}, true)->delta(3.0).value.upper == Approx(0.25));
  CHECK(mechanisms_curve({laplace(1.0, 0.0)}, true)->delta(0.0).value.upper == 0.0);
  Mechanism all{MechanismKind::approximate};
  all.delta = 1.0;
  CHECK(mechanisms_curve({all}, true)->delta(1.0).value.upper == Approx(1.0));
  CHECK(std::isinf(mechanism_renyi(all, true, 2.0)));
}

TEST_CASE("a sampled mixture is the mixture with the weight of what is not sampled", "[accounting][mechanisms]") {
  Mechanism sampled{MechanismKind::mixture}, given{MechanismKind::mixture};
  sampled.weights = {0.5, 0.5};
  sampled.means = {1.0, 2.0};
  sampled.sampling_rate = 0.25;
  given.weights = {0.75, 0.125, 0.125};
  given.means = {0.0, 1.0, 2.0};
  for (const bool remove : {true, false}) {
    CHECK(mechanisms_curve({sampled}, remove)->delta(0.2).value.upper ==
          Approx(mechanisms_curve({given}, remove)->delta(0.2).value.upper).epsilon(1e-6));
  }
}

TEST_CASE("mechanisms compose with the steps of a run", "[accounting][mechanisms]") {
  using mechanism::Adjacency;
  using mechanism::Sampler;
  DpSgd run = steps(Sampler::poisson, Adjacency::add_or_remove);
  const double alone = dp_sgd_guarantee(run).curve->epsilon(1e-5).value.upper;
  run.mechanisms = {laplace(2.0, 1.0, 2.0)};
  const auto both = dp_sgd_guarantee(run);
  CHECK(both.theorem == "accountant/mechanisms");
  CHECK_FALSE(both.upper_only);
  const Enclosure epsilon = both.curve->epsilon(1e-5).value;
  CHECK(epsilon.upper > alone);
  CHECK(epsilon.upper < alone + 1.0);
  DpSgd claimed = steps(Sampler::poisson, Adjacency::add_or_remove);
  claimed.claims = {{0.5, 0.0, 2.0}};
  CHECK(epsilon.upper <= dp_sgd_guarantee(claimed).curve->epsilon(1e-5).value.upper);

  // beside batches of a fixed size a Laplace mechanism is its epsilon
  DpSgd fixed = steps(Sampler::fixed_size, Adjacency::zero_out);
  fixed.mechanisms = run.mechanisms;
  const auto bound = dp_sgd_guarantee(fixed);
  CHECK(bound.upper_only);
  CHECK(bound.theorem == "accountant/claimed-epsilon-delta");
  fixed.mechanisms = {laplace(2.0, 0.5)};
  CHECK_FALSE(dp_sgd_guarantee(fixed).applies());

  // zCDP beside them: Renyi divergences
  run.mechanisms.push_back(claim(MechanismKind::zcdp, 0.01));
  const auto renyi = dp_sgd_guarantee(run);
  CHECK(renyi.theorem == "accountant/renyi");
  CHECK(renyi.upper_only);
  CHECK(renyi.curve->epsilon(1e-5).value.upper > epsilon.upper);
}

TEST_CASE("a response among two is its claim, and both ends are known", "[accounting][mechanisms]") {
  DpSgd run = steps(mechanism::Sampler::poisson, mechanism::Adjacency::add_or_remove);
  Mechanism response{MechanismKind::randomized_response};
  response.epsilon = 0.5;
  run.mechanisms = {response};
  const auto found = dp_sgd_guarantee(run);
  CHECK_FALSE(found.upper_only);
  const Enclosure narrow = found.curve->epsilon(1e-5).value;
  CHECK(narrow.upper - narrow.lower < 1e-7 * narrow.upper);
  run.mechanisms.front().kind = MechanismKind::pure;
  CHECK(dp_sgd_guarantee(run).upper_only);
  CHECK(dp_sgd_guarantee(run).curve->epsilon(1e-5).value.upper == narrow.upper);
  // among three answers it is less: pairs are composed
  run.mechanisms.front() = response;
  run.mechanisms.front().categories = 3.0;
  CHECK(dp_sgd_guarantee(run).curve->epsilon(1e-5).value.lower < narrow.upper);
}
