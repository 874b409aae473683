// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Claims of other mechanisms beside steps: exact sums, sums on a grid, and how many of them may be.
#include <cmath>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/accounting/detail/claimed_losses.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/enclosure.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

CurvePtr beside_gaussian(const std::vector<ClaimedRelease>& claims) {
  return claimed_curve(gaussian_curve(exactly(0.5)), claims);
}

/// The sum over all answers of all claims, one by one.
double exact_delta(const std::vector<ClaimedRelease>& claims, double epsilon) {
  std::vector<std::pair<double, double>> law{{0.0, 1.0}};
  double kept = 1.0;
  for (const ClaimedRelease& claim : claims) {
    kept *= 1.0 - claim.delta;
    const double yes = 1.0 / (1.0 + std::exp(-claim.epsilon));
    std::vector<std::pair<double, double>> next;
    for (const auto& [loss, weight] : law) {
      next.emplace_back(loss + claim.epsilon, weight * yes);
      next.emplace_back(loss - claim.epsilon, weight * (1.0 - yes));
    }
    law = std::move(next);
  }
  const auto rest = gaussian_curve(exactly(0.5));
  double sum = 0.0;
  for (const auto& [loss, weight] : law) {
    sum += weight * rest->delta(epsilon - loss).value.lower;
  }
  return 1.0 - kept * (1.0 - sum);
}

/// So many different claims.
std::vector<ClaimedRelease> different(int count, double scale) {
  std::vector<ClaimedRelease> claims;
  for (int i = 1; i <= count; ++i) {
    claims.push_back({scale * (1.0 + 0.37 * std::sqrt(i)), 1e-9, 1.0});
  }
  return claims;
}

}  // namespace

TEST_CASE("a claim alone has its epsilon at its delta, and none below", "[accounting][claims]") {
  const auto nothing = gaussian_curve(exactly(0.0));
  const auto alone = claimed_curve(nothing, {{0.5, 1e-5, 1.0}});
  CHECK(alone->epsilon(1e-5).value.upper == Approx(0.5).epsilon(1e-12));
  CHECK(alone->epsilon(1e-5).value.upper >= 0.5);
  CHECK(std::isinf(alone->epsilon(0.999999e-5).value.lower));
  CHECK(alone->delta(0.5000001).value.upper == 1e-5);
  CHECK(claimed_curve(nothing, {{0.0, 1e-5, 1.0}})->epsilon(1e-5).value.upper == 0.0);
  CHECK(std::isinf(claimed_curve(nothing, {{0.5, 1e-5, 2.0}})->epsilon(1e-5).value.lower));
}

TEST_CASE("trade-off functions of claims that may fail beside steps are close to their profile",
          "[accounting][claims]") {
  DpSgd run;
  run.phases = {{1.1, 0.01, 1000.0}};
  run.claims = {{0.5, 1e-6, 1.0}};
  const auto curve = dp_sgd_guarantee(run).curve;
  const std::vector<double> rates{0.001, 0.01, 0.1, 0.5};
  const auto found = curve->type_two_errors(rates);
  std::vector<double> best(rates.size(), 0.0);  // of the lines that are tangents, on a fine grid
  for (double epsilon = -4.0; epsilon <= 4.0; epsilon += 0.02) {
    const double power = 1.0 - curve->delta(epsilon).value.upper;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      best[i] = std::max(best[i], power - std::exp(epsilon) * rates[i]);
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    CAPTURE(rates[i], found[i].lower, best[i]);
    CHECK(found[i].lower >= best[i] - 1e-5);
    CHECK(found[i].lower <= best[i] + 1e-3);
  }
}

TEST_CASE("claims of one epsilon are one, however they are written", "[accounting][claims]") {
  const auto together = beside_gaussian({{0.3, 1e-8, 40.0}});
  const auto apart = beside_gaussian(std::vector<ClaimedRelease>(40, {0.3, 1e-8, 1.0}));
  CHECK(apart->epsilon(1e-5).value.upper == Approx(together->epsilon(1e-5).value.upper).epsilon(1e-12));
}

TEST_CASE("claims on a grid stay on their sides of the exact sum, and close to it", "[accounting][claims]") {
  const auto claims = different(14, 0.1);  // 16384 answers
  const auto curve = beside_gaussian(claims);
  for (const double epsilon : {0.2, 1.0, 2.0, 4.0}) {
    const double exact = exact_delta(claims, epsilon);
    const Enclosure found = curve->delta(epsilon).value;
    CAPTURE(epsilon, exact, found.lower, found.upper);
    CHECK(found.lower <= exact);
    CHECK(exact <= found.upper * (1.0 + 1e-12));
    CHECK(found.upper <= exact * 1.001);
    CHECK(found.lower >= exact * 0.9);
  }
}

TEST_CASE("laws on a grid have their masses on both sides, rounded up", "[accounting][claims]") {
  std::vector<std::pair<double, double>> claims;
  for (int i = 0; i < 300; ++i) {
    claims.emplace_back(0.01 + 0.0003 * i, 1.0 + i % 3);
  }
  const auto law = accounting::detail::claimed_losses(claims, true);
  double mass = 0.0, other = 0.0;
  for (const auto& term : law.terms) {
    mass += term.weight;
    other += std::isinf(term.loss) ? 0.0 : term.weight * std::exp(-term.loss);
  }
  CHECK(mass == Approx(1.0).epsilon(1e-9));
  CHECK(other == Approx(1.0).epsilon(1e-9));  // what is divided among nodes keeps both
  CHECK(law.terms.size() < 4200);
}

TEST_CASE("thousands of different claims beside sampled steps have an answer", "[accounting][claims]") {
  DpSgd run;
  run.phases = {{1.1, 0.01, 500.0}};
  run.claims = different(2000, 0.002);
  const auto found = dp_sgd_guarantee(run);
  const double many = found.curve->epsilon(1e-5).value.upper;
  double variance = 0.0, failing = 0.0;
  for (const ClaimedRelease& claim : run.claims) {
    variance += claim.epsilon * claim.epsilon;
    failing += claim.delta;
  }
  // As many normal releases of the same size are nearly that.
  DpSgd normal;
  normal.phases = run.phases;
  normal.unsampled = {{1.0 / std::sqrt(variance), 1.0}};
  const double near = dp_sgd_guarantee(normal).curve->epsilon(1e-5 - failing).value.upper;
  CHECK(many == Approx(near).epsilon(0.01));
  CHECK(found.upper_only);
}

TEST_CASE("what stands beside steps never lowers an answer", "[accounting][claims][property]") {
  using mechanism::Adjacency;
  using mechanism::Mechanism;
  using mechanism::MechanismKind;
  using mechanism::Sampler;
  const auto sampling =
      GENERATE(Sampler::poisson, Sampler::fixed_size, Sampler::shuffled, Sampler::cyclic, Sampler::none);
  const auto adjacency = GENERATE(Adjacency::zero_out, Adjacency::replace_one);
  DpSgd steps;
  steps.sampling = sampling;
  steps.adjacency = adjacency;
  steps.phases = {{1.5, 0.1, 10.0}};
  const double alone = dp_sgd_guarantee(steps).curve->epsilon(1e-5).value.upper;
  std::vector<DpSgd> more(5, steps);
  Mechanism pure;
  pure.kind = MechanismKind::pure;
  pure.epsilon = 2.0;
  Mechanism laplace;
  laplace.kind = MechanismKind::laplace;
  laplace.noise = 0.5;
  more[0].claims = {{2.0, 1e-6, 1.0}};
  more[1].mechanisms = {pure};
  more[2].mechanisms = {laplace};
  more[3].unsampled = {{0.5, 1.0}};
  more[4].concentrated = {{2.0, 0.0, 1.0}};
  for (const DpSgd& run : more) {
    for (const Guarantee& row : dp_sgd_guarantees(run)) {
      CAPTURE(name(sampling), name(adjacency), row.theorem);
      CHECK((!row.certified || !row.applies() || row.curve->epsilon(1e-5).value.upper > alone + 0.1));
    }
  }
}
