// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstdint>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/tree_aggregation.hpp>
#include <dpcurves/correlated/participation.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::correlated;
using models::StrategyMatrix;

namespace {

/// || C 1_set ||^2, and the sum of |G| over the set.
struct Sums {
  double plain = 0.0, absolute = 0.0;
};
Sums sums(const StrategyMatrix& c, const std::vector<std::size_t>& set) {
  Sums result;
  for (const std::size_t u : set) {
    for (const std::size_t v : set) {
      double gram = 0.0;
      for (std::size_t t = std::max(u, v); t < c.steps(); ++t) {
        gram += c(t, u) * c(t, v);
      }
      result.plain += gram;
      result.absolute += std::abs(gram);
    }
  }
  return result;
}

bool allowed(const std::vector<std::size_t>& set, const ParticipationPattern& pattern) {
  if (set.empty() || set.size() > (pattern.rule == ParticipationRule::single ? 1 : pattern.most)) {
    return false;
  }
  if (pattern.rule == ParticipationRule::cyclic && set[0] >= pattern.separation) {
    return false;
  }
  for (std::size_t i = 1; i < set.size(); ++i) {
    const std::size_t gap = set[i] - set[i - 1];
    if (pattern.rule == ParticipationRule::cyclic ? gap != pattern.separation : gap < pattern.separation) {
      return false;
    }
  }
  return true;
}

/// Both maxima over all sets.
Sums largest(const StrategyMatrix& c, const ParticipationPattern& pattern) {
  Sums best;
  for (std::uint32_t y = 1; y < (std::uint32_t{1} << c.steps()); ++y) {
    std::vector<std::size_t> set;
    for (std::size_t t = 0; t < c.steps(); ++t) {
      if (((y >> t) & 1U) != 0) {
        set.push_back(t);
      }
    }
    if (allowed(set, pattern)) {
      const Sums here = sums(c, set);
      best = {std::max(best.plain, here.plain), std::max(best.absolute, here.absolute)};
    }
  }
  return best;
}

std::vector<ParticipationPattern> patterns() {
  std::vector<ParticipationPattern> list{{}};
  for (const std::size_t b : std::vector<std::size_t>{1, 2, 3, 5}) {
    for (const std::size_t k : std::vector<std::size_t>{1, 2, 3, 12}) {
      list.push_back({ParticipationRule::cyclic, b, k});
      list.push_back({ParticipationRule::min_separation, b, k});
    }
  }
  return list;
}

StrategyMatrix drawn(std::size_t steps, std::size_t bands, double shift, std::uint32_t path) {
  std::vector<double> u(steps * steps);
  random::uniforms(u, 5, random::Purpose::data, path, 0);
  std::vector<std::vector<double>> rows(steps);
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t v = 0; v <= t; ++v) {
      rows[t].push_back(t == v ? 0.5 + u[t * steps + v] : t - v < bands ? u[t * steps + v] - shift : 0.0);
    }
  }
  return StrategyMatrix::lower_triangular(rows);
}

}  // namespace

TEST_CASE("sensitivities of monotone Toeplitz matrices are the maxima over all sets", "[correlated][participation]") {
  for (const auto& c : {StrategyMatrix::exponential(0.0, 12), StrategyMatrix::exponential(0.8, 12),
                        StrategyMatrix::toeplitz({1.0, 0.5, 0.375, 0.3125}, 12),
                        StrategyMatrix::toeplitz({2.0, 2.0, 0.1, 0.05, 0.01, 0.001}, 11)}) {
    for (const auto& pattern : patterns()) {
      const auto found = pattern_sensitivity(c, pattern);
      const double exact = std::sqrt(largest(c, pattern).plain);
      CAPTURE(name(pattern.rule), pattern.separation, pattern.most);
      CHECK(found.exact);
      CHECK(found.value.lower <= exact * (1.0 + 1e-15));
      CHECK(found.value.upper >= exact * (1.0 - 1e-15));
      CHECK(found.value.relative_width() < 1e-13);
      CHECK(allowed(found.steps, pattern));
      CHECK(std::sqrt(sums(c, found.steps).plain) == Approx(exact).epsilon(1e-14));
    }
  }
}

TEST_CASE("sensitivities of any matrix hold the maxima over all sets", "[correlated][participation]") {
  for (const std::size_t bands : std::vector<std::size_t>{2, 4, 10}) {
    for (const double shift : {0.0, 0.5}) {
      const auto c = drawn(10, bands, shift, static_cast<std::uint32_t>(bands));
      for (const auto& pattern : patterns()) {
        const auto found = pattern_sensitivity(c, pattern);
        const Sums exact = largest(c, pattern);
        CAPTURE(bands, shift, name(pattern.rule), pattern.separation, pattern.most);
        // The truth lies between the best equal vectors and the sum of absolute values.
        CHECK(found.value.upper >= std::sqrt(exact.plain) * (1.0 - 1e-14));
        CHECK(found.value.lower <= std::sqrt(exact.absolute) * (1.0 + 1e-14));
        CHECK(std::sqrt(sums(c, found.steps).plain) >= found.value.lower);
        if (pattern.rule == ParticipationRule::cyclic || bands <= pattern.separation) {
          CHECK(found.value.upper == Approx(std::sqrt(exact.absolute)).epsilon(1e-12));
          CHECK((found.exact || shift > 0.0));
        } else {
          CHECK(found.value.upper >= std::sqrt(exact.absolute) * (1.0 - 1e-14));
        }
      }
    }
  }
}

TEST_CASE("the formula of monotone matrices is false for others", "[correlated][participation]") {
  // Steps 1 and 3 meet, steps 1 and 2 hardly do; the first two steps are not the worst.
  const auto c = StrategyMatrix::toeplitz({1.0, 0.0, 0.9, 0.0, 0.8, 0.0, 0.0, 0.0}, 8);
  const ParticipationPattern two{ParticipationRule::min_separation, 1, 2};
  const auto found = pattern_sensitivity(c, two);
  CHECK(std::sqrt(sums(c, {0, 1}).plain) == Approx(2.2136).epsilon(1e-4));
  CHECK(std::sqrt(sums(c, {0, 2}).plain) == Approx(2.8531).epsilon(1e-4));
  CHECK(found.value.upper >= std::sqrt(sums(c, {0, 2}).plain) * (1.0 - 1e-14));
  // Opposite vectors move a matrix with negative entries more than equal ones.
  const auto signs = StrategyMatrix::toeplitz({1.0, -0.5}, 6);
  const auto apart = pattern_sensitivity(signs, {ParticipationRule::cyclic, 1, 6});
  CHECK(apart.value.lower == Approx(std::sqrt(1.0 + 5.0 * 0.25)).epsilon(1e-12));
  CHECK(apart.value.upper == Approx(std::sqrt(1.0 + 5.0 * 2.25)).epsilon(1e-12));
  CHECK_FALSE(apart.exact);
}

TEST_CASE("values of the sensitivity tests of jax_privacy", "[correlated][participation]") {
  // Its banded example and its dense one; the sign of the last entry does not matter to them.
  const auto banded = StrategyMatrix::lower_triangular({{1.0}, {2.0, 1.0}, {0.0, 1.0, 1.0}, {0.0, 0.0, 1.0, 6.0}});
  CHECK(pattern_sensitivity(banded, {ParticipationRule::min_separation, 2, 1}).value.upper == Approx(6.0));
  for (const std::size_t b : std::vector<std::size_t>{2, 3}) {
    const auto found = pattern_sensitivity(banded, {ParticipationRule::min_separation, b, 4});
    CHECK(found.value.upper == Approx(std::sqrt(41.0)).epsilon(1e-12));
    CHECK(found.exact);
  }
  const auto single = StrategyMatrix::lower_triangular({{1.0}, {2.0, 1.0}, {0.0, 1.0, 1.0}, {0.0, 0.0, 3.0, 6.0}});
  CHECK(pattern_sensitivity(single, {}).value.upper == Approx(6.0));
  for (const std::size_t epochs : std::vector<std::size_t>{1, 2, 4, 8, 16}) {
    const ParticipationPattern rule{ParticipationRule::cyclic, 16 / epochs, epochs};
    CHECK(pattern_sensitivity(StrategyMatrix::exponential(0.0, 16), rule).value.upper ==
          Approx(std::sqrt(static_cast<double>(epochs))).epsilon(1e-14));
  }
  const std::vector<std::size_t> fit{5, 3, 2, 2, 1, 1};
  for (std::size_t b = 1; b <= 6; ++b) {
    CHECK(ParticipationPattern{ParticipationRule::min_separation, b, 99}.participations(5) == fit[b - 1]);
  }
  CHECK(best_places({1.0, 0.5, 0.5, 0.5, 0.1}, 1, 9).sum == Approx(2.6));
  CHECK(best_places({1.0, 1.0, 1.0, 1.0}, 2, 2).sum == 2.0);
  CHECK(best_places({-1.0, 1.0, -1.0}, 1, 9).sum == 1.0);
  CHECK(best_places({-1.0, -1.0}, 2, 1).places.empty());
}

TEST_CASE("sums over dyadic blocks", "[correlated][tree]") {
  // 7 steps: blocks of sizes 1, 2 and 4 that end by step 7.
  const auto by_hand = [](const std::vector<std::size_t>& set) {
    double sum = 0.0;
    for (const auto& block : std::vector<std::vector<std::size_t>>{
             {0}, {1}, {2}, {3}, {4}, {5}, {6}, {0, 1}, {2, 3}, {4, 5}, {0, 1, 2, 3}}) {
      double inside = 0.0;
      for (const std::size_t t : set) {
        for (const std::size_t u : block) {
          inside += t == u ? 1.0 : 0.0;
        }
      }
      sum += inside * inside;
    }
    return sum;
  };
  for (const auto& pattern : patterns()) {
    double exact = 0.0;
    for (std::uint32_t y = 1; y < 128; ++y) {
      std::vector<std::size_t> set;
      for (std::size_t t = 0; t < 7; ++t) {
        if (((y >> t) & 1U) != 0) {
          set.push_back(t);
        }
      }
      exact = allowed(set, pattern) ? std::max(exact, by_hand(set)) : exact;
    }
    const auto found = tree_sensitivity(7, pattern);
    CAPTURE(name(pattern.rule), pattern.separation, pattern.most);
    CHECK(found.value.upper >= std::sqrt(exact));
    CHECK(found.value.lower <= std::sqrt(exact));
    CHECK(by_hand(found.steps) >= found.value.lower * found.value.lower);
    if (pattern.rule != ParticipationRule::min_separation) {
      CHECK(found.exact);
    }
  }
  // Binary digits of 1, ..., 7; Honaker's variances 1, 2/3, 4/7.
  CHECK(tree_error(7, false).mean == Approx(std::sqrt(12.0 / 7.0)));
  CHECK(tree_error(7, false).maximum == Approx(std::sqrt(3.0)));
  CHECK(tree_error(7, true).last == Approx(std::sqrt(1.0 + 2.0 / 3.0 + 4.0 / 7.0)));
}

TEST_CASE("rules outside their domain name themselves", "[correlated][participation][errors]") {
  const auto c = StrategyMatrix::exponential(0.5, 4);
  CHECK_THROWS_WITH(pattern_sensitivity(c, {ParticipationRule::cyclic, 0, 1}), Catch::Contains("separation = 0"));
  CHECK_THROWS_WITH(pattern_sensitivity(c, {ParticipationRule::cyclic, 1, 0}), Catch::Contains("most = 0"));
  CHECK_THROWS_WITH(participation_rule_of("weekly"), Catch::Contains("weekly"));
  CHECK(participation_rule_of("min-separation") == ParticipationRule::min_separation);
}
