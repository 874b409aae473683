// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/detail/no_noise.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

using namespace dpcurves;
using accounting::RevealedPair;
using mechanism::Adjacency;
using mechanism::Sampler;

namespace {

accounting::DpSgd run(Sampler sampler, Adjacency adjacency, double rate, double steps, double noise = 0.0) {
  accounting::DpSgd all;
  all.sampling = sampler;
  all.adjacency = adjacency;
  all.phases = {{noise, rate, steps}};
  all.phases.front().records = 1000.0;
  return all;
}

}  // namespace

// Three outcomes tell everything: Q says "unused" always, P "unused" or "used". A fourth is the other record's.
TEST_CASE("curves of what is revealed are those of the finite laws", "[accounting][no-noise]") {
  const double f = GENERATE(1e-6, 0.1, 0.5, 0.999);
  const auto [pair, p, q] = GENERATE_COPY(table<RevealedPair, std::vector<double>, std::vector<double>>(
      {{RevealedPair::remove, {1.0 - f, f, 0.0}, {1.0, 0.0, 0.0}},
       {RevealedPair::add, {1.0, 0.0, 0.0}, {1.0 - f, f, 0.0}},
       {RevealedPair::replace, {1.0 - f, f, 0.0}, {1.0 - f, 0.0, f}}}));
  const auto curve = accounting::revealed_curve(exactly(f), pair);
  for (const double epsilon : {-3.0, -0.2, 0.0, 0.1, 2.0, 9.0}) {
    double delta = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      delta += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
    }
    CAPTURE(f, epsilon, static_cast<int>(pair));
    const Enclosure found = curve->delta(epsilon).value;
    CHECK(found.lower <= delta + 1e-14);
    CHECK(found.upper >= delta - 1e-14);
    CHECK(found.upper - found.lower < 1e-13);
  }
  for (const double delta : {1e-9, 0.05, 0.3, 0.9}) {
    const Enclosure epsilon = curve->epsilon(delta).value;
    CAPTURE(f, delta, static_cast<int>(pair), epsilon.lower, epsilon.upper);
    const bool largest = std::isinf(epsilon.upper);
    CHECK((largest ? curve->delta(700.0) : curve->delta(epsilon.upper)).value.lower <=
          (largest ? 1.0 : delta * (1 + 1e-9) + 1e-13));
    CHECK((!largest || curve->delta(700.0).value.upper > delta));
    CHECK((epsilon.lower == 0.0 || curve->delta(std::min(epsilon.lower, 700.0) - 1e-9).value.upper >= delta));
  }
  CHECK(curve->type_two_errors(std::vector{0.0}).front().upper >= (pair == RevealedPair::add ? 1.0 : 1.0 - f) - 1e-12);
  CHECK(curve->renyi(infinity).upper >= (pair == RevealedPair::add ? -std::log1p(-f) : infinity));
}

TEST_CASE("noise 0 and rate 0 are answered for every sampler", "[accounting][no-noise]") {
  const Sampler sampler =
      GENERATE(Sampler::poisson, Sampler::fixed_size, Sampler::with_replacement, Sampler::balls_in_bins,
               Sampler::random_allocation, Sampler::shuffled, Sampler::cyclic, Sampler::none);
  CAPTURE(mechanism::name(sampler));
  const auto adjacency = mechanism::usual_adjacency(sampler);
  const auto bare = accounting::dp_sgd_guarantee(run(sampler, adjacency, 0.1, 20.0));
  REQUIRE(bare.applies());
  CHECK(std::isinf(bare.curve->epsilon(1e-5).value.upper));
  CHECK(bare.curve->delta(1.0).value.upper >= 1.0 - std::pow(0.9, 20.0) - 1e-12);
  CHECK(accounting::dp_sgd_guarantees(run(sampler, adjacency, 0.1, 20.0)).size() == 1);
  if (sampler != Sampler::none) {
    const auto unused = accounting::dp_sgd_guarantees(run(sampler, adjacency, 0.0, 20.0, 1.0)).front();
    REQUIRE(unused.applies());
    CHECK(unused.curve->epsilon(1e-5).value.upper == 0.0);
  }
}

TEST_CASE("a few steps without noise leave the rest its epsilon above the chance that they use the record",
          "[accounting][no-noise]") {
  auto mixed = run(Sampler::poisson, Adjacency::add_or_remove, 0.01, 10.0, 1.0);
  const auto alone = accounting::dp_sgd_guarantee(mixed).curve->epsilon(1e-5).value;
  mixed.phases.push_back({0.0, 1e-7, 10.0});
  const auto guarantee = accounting::dp_sgd_guarantee(mixed);
  CHECK(guarantee.curve->epsilon(9e-7).value.lower == infinity);
  const auto found = guarantee.curve->epsilon(1e-5).value;
  CHECK(found.lower > alone.upper);
  // Against the exact identity delta(s) = f + (1 - f) delta_rest(s - log(1 - f)) of removing.
  mixed.phases.pop_back();
  const double f = -std::expm1(10.0 * std::log1p(-1e-7));
  const auto exact = accounting::dp_sgd_guarantee(mixed).curve->epsilon((1e-5 - f) / (1.0 - f)).value;
  CHECK(found.lower <= exact.upper + std::log1p(-f) + 1e-9);
  CHECK(found.upper >= exact.lower + std::log1p(-f) - 1e-9);
  // Batches of a fixed size do not compose as pairs: the event is added to delta.
  auto fixed = run(Sampler::fixed_size, Adjacency::zero_out, 0.01, 10.0, 1.0);
  const double rest = accounting::dp_sgd_guarantee(fixed).curve->delta(0.1).value.upper;
  fixed.phases.push_back({0.0, 1e-7, 10.0});
  const auto bound = accounting::dp_sgd_guarantee(fixed);
  CHECK(bound.upper_only);
  CHECK(bound.curve->delta(0.1).value.upper == Approx(rest + f).epsilon(1e-9));
}

TEST_CASE("the largest loss of mechanisms is the sum of theirs", "[accounting][no-noise]") {
  mechanism::Mechanism laplace{mechanism::MechanismKind::laplace};
  laplace.noise = 2.0;
  laplace.count = 3.0;
  CHECK(accounting::mechanisms_curve({laplace}, true)->renyi(infinity).upper == Approx(1.5).epsilon(1e-14));
  laplace.sampling_rate = 0.1;
  const double e = std::exp(0.5);
  CHECK(accounting::mechanisms_curve({laplace}, true)->renyi(infinity).upper ==
        Approx(3.0 * std::log1p(0.1 * (e - 1.0))).epsilon(1e-14));
  CHECK(accounting::mechanisms_curve({laplace}, false)->renyi(infinity).upper ==
        Approx(-3.0 * std::log1p(0.1 * (1.0 / e - 1.0))).epsilon(1e-14));
  mechanism::Mechanism gaussian;
  gaussian.noise = 1.0;
  CHECK(accounting::mechanisms_curve({laplace, gaussian}, true)->renyi(infinity).upper == infinity);
}

TEST_CASE("chances outside [0, 1] are refused", "[accounting][no-noise][errors]") {
  CHECK_THROWS_AS(accounting::revealed_curve({-0.1, 0.5}, RevealedPair::remove), DomainError);
  CHECK_THROWS_AS(accounting::revealed_curve({0.5, 1.5}, RevealedPair::add), DomainError);
  CHECK_THROWS_AS(accounting::revealed(run(Sampler::poisson, Adjacency::add, 1.5, 3.0)), DomainError);
}
