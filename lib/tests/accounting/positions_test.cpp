// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/accounting/allocation_bounds.hpp>
#include <dpcurves/accounting/detail/geometric_weights.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/accounting/shuffled.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "../support/support.hpp"

using namespace dpcurves;
using accounting::one_position_delta;
using accounting::OnePosition;

namespace {

/// (1/2) E (h(z) + h(w))_+ by the trapezoidal rule in both variables.
double two_positions(double m, double n, double epsilon) {
  const double a = std::exp(epsilon);
  const double step = 0.02;
  std::vector<double> h;
  std::vector<double> w;
  for (double z = -12.0; z < 12.0 + 2.0 * std::abs(m); z += step) {
    h.push_back(std::exp(m * z - 0.5 * m * m) - a * std::exp(n * z - 0.5 * n * n));
    w.push_back(step * std::exp(-0.5 * z * z) / std::sqrt(2.0 * 3.14159265358979323846));
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    for (std::size_t j = 0; j < h.size(); ++j) {
      sum += w[i] * w[j] * std::max(0.0, h[i] + h[j]);
    }
  }
  return 0.5 * sum;
}

}  // namespace

TEST_CASE("two positions agree with an integral over the plane", "[accounting][positions][accuracy]") {
  for (const auto& [m, n, epsilon] : {std::tuple{1.0, 0.0, 1.0},
                                      {0.0, 1.0, 0.3},
                                      {1.0, -1.0, 1.0},
                                      {2.0, 1.0, 1.5},
                                      {1.0, 2.0, 0.2},
                                      {-1.0, 0.0, 0.5}}) {
    const Enclosure delta = one_position_delta({2.0, m, n}, epsilon);
    const double integral = two_positions(m, n, epsilon);
    CAPTURE(m, n, epsilon, delta.lower, delta.upper, integral);
    CHECK(delta.lower <= integral * (1.0 + 2e-4));  // the kink of the integrand costs the rule 1e-4
    CHECK(delta.upper >= integral * (1.0 - 2e-4));
    CHECK(delta.upper - delta.lower < 1e-5 * delta.upper);
  }
}

TEST_CASE("one position is random allocation where the record is absent in the null", "[accounting][positions]") {
  for (const double t : {3.0, 50.0, 1000.0}) {
    const auto curves = accounting::random_allocation_curves({1.25, t, 1.0, 1.0});
    for (const double epsilon : {0.05, 0.8}) {
      CAPTURE(t, epsilon);
      const Enclosure remove = one_position_delta({t, 0.8, 0.0}, epsilon);
      const Enclosure add = one_position_delta({t, 0.0, 0.8}, epsilon);
      const Enclosure known = curves.remove->delta(epsilon).value;
      const Enclosure known_add = curves.add->delta(epsilon).value;
      CHECK(std::max(remove.lower, known.lower) <= std::min(remove.upper, known.upper));
      CHECK(std::max(add.lower, known_add.lower) <= std::min(add.upper, known_add.upper));
    }
  }
}

TEST_CASE("the largest output is a test, the distance of the means a bound", "[accounting][positions][property]") {
  for (const OnePosition& pair :
       {OnePosition{1.0, 1.0, 0.0}, OnePosition{20.0, 2.0, 1.0}, OnePosition{300.0, 1.0, -1.0}}) {
    double before = 1.0;
    for (const double epsilon : {-0.5, 0.0, 0.5, 2.0}) {
      const Enclosure delta = one_position_delta(pair, epsilon);
      const auto test = accounting::largest_test(pair, epsilon);
      CAPTURE(pair.positions, epsilon, delta.lower, delta.upper, test.delta.lower);
      CHECK(test.delta.lower <= delta.upper);
      CHECK(delta.upper <= tradeoff::delta_enclosure(epsilon, exactly(pair.mean - pair.null_mean)).upper);
      CHECK(delta.lower <= before);
      before = delta.upper;
    }
  }
  CHECK_THROWS_AS(one_position_delta({2.5, 1.0, 0.0}, 1.0), DomainError);
  CHECK_THROWS_AS(one_position_delta({2.0, 1.0, std::nan("")}, 1.0), DomainError);
}

TEST_CASE("a curve answers as its profile does", "[accounting][positions]") {
  const auto curve = accounting::one_position_curve({10.0, 0.5, -0.5});
  const Enclosure epsilon = curve->epsilon(1e-3).value;
  CHECK(epsilon.upper - epsilon.lower < 1e-4 * epsilon.upper);
  CHECK(one_position_delta({10.0, 0.5, -0.5}, epsilon.upper).upper <= 1e-3);
  const std::vector<double> errors{0.05, 0.5};
  for (const Enclosure& f : curve->type_two_errors(errors)) {
    CHECK(f.lower <= f.upper);
    CHECK(f.upper - f.lower < 0.01);
  }
}

TEST_CASE("an epsilon of one position is narrow where z0 and the lattice decide", "[accounting][positions]") {
  struct Case {
    OnePosition pair;
    double delta, width;
  };
  for (const Case& c : {Case{{1000.0, 2.5, -2.5}, 1e-5, 2e-4}, Case{{1e5, 2.0, -2.0}, 1e-5, 4e-4},
                        Case{{1e4, 1.3, 0.0}, 1e-7, 1e-4}, Case{{100.0, 0.1, -0.1}, 1e-9, 2e-6}}) {
    CAPTURE(c.pair.positions, c.pair.mean, c.pair.null_mean);
    const Enclosure epsilon = accounting::one_position_curve(c.pair)->epsilon(c.delta).value;
    CHECK(epsilon.relative_width() < c.width);
    CHECK(one_position_delta(c.pair, epsilon.upper).lower <= c.delta);
    CHECK(one_position_delta(c.pair, epsilon.lower).upper >= c.delta);
    CHECK(one_position_delta(c.pair, epsilon.upper).relative_width() < 0.01);
  }
}

TEST_CASE("the additive test lies below the bracket of one of t steps", "[accounting][positions]") {
  accounting::AdditiveTest test = accounting::allocation_test(1.0, 30.0, 1.0, 1.0);
  test.epsilon = 0.7;
  const auto curves = accounting::random_allocation_curves({1.0, 30.0, 1.0, 1.0});
  for (const auto direction : {accounting::Direction::remove, accounting::Direction::add}) {
    test.direction = direction;
    const auto result = accounting::additive_test(test, std::size_t{1} << 18U);
    const Enclosure delta = (direction == accounting::Direction::remove ? curves.remove : curves.add)->delta(0.7).value;
    CAPTURE(result.delta_lower, delta.lower);
    CHECK(result.delta_lower <= delta.upper);
    CHECK(result.delta_lower > 0.6 * delta.lower);
  }
}

TEST_CASE("participations agree with an enumeration", "[accounting][positions]") {
  for (const bool warm : {true, false}) {
    const double p = 0.3;
    constexpr int steps = 9;
    constexpr int gap = 3;
    std::vector<double> expected(4, 0.0);
    const auto walk = [&](const auto& self, int step, int blocked, std::size_t uses, double weight) -> void {
      if (step == steps) {
        expected.at(uses) += weight;
      } else if (blocked > 0) {
        self(self, step + 1, blocked - 1, uses, weight);
      } else {
        self(self, step + 1, gap - 1, uses + 1, weight * p);
        self(self, step + 1, 0, uses, weight * (1.0 - p));
      }
    };
    for (int j = 0; j < gap; ++j) {
      walk(walk, 0, j, 0, warm ? (j == 0 ? 1.0 : p) / (1.0 + (gap - 1) * p) : (j == 0 ? 1.0 : 0.0));
    }
    const auto found = accounting::MinimumSeparation{steps, p, gap, warm}.participations();
    REQUIRE(found.size() == expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      CHECK(found[n] == Approx(expected[n]).epsilon(1e-12));
    }
  }
}

TEST_CASE("moments of k of t are those of all pairs and triples of subsets", "[accounting][positions][accuracy]") {
  const std::vector<std::vector<int>> subsets{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double second = 0.0;
  double third = 0.0;
  const auto common = [](const auto& a, const auto& b) {
    return std::accumulate(a.begin(), a.end(), 0.0, [&](double n, int i) { return n + (b[0] == i || b[1] == i); });
  };
  for (const auto& a : subsets) {
    for (const auto& b : subsets) {
      second += std::exp(0.5 * common(a, b)) / 36.0;
      for (const auto& c : subsets) {
        third += std::exp(0.5 * (common(a, b) + common(a, c) + common(b, c))) / 216.0;
      }
    }
  }
  const accounting::Allocation allocation{2.0, 4.0, 1.0, std::sqrt(2.0)};
  CHECK(accounting::allocation_log_moment(allocation, 2).upper == Approx(std::log(second)).epsilon(1e-13));
  CHECK(accounting::allocation_log_moment(allocation, 3).upper == Approx(std::log(third)).epsilon(1e-13));
}

TEST_CASE("upper ends of k of t lie above the tests", "[accounting][positions][property]") {
  for (const double epsilon : {0.3, 1.0}) {
    const auto bounds = accounting::allocation_bounds({4.0, 40.0, 1.0, 1.5}, 0.12, epsilon);
    accounting::AdditiveTest test = accounting::allocation_test(4.0, 40.0, 1.0, 1.5);
    test.epsilon = epsilon;
    const double remove = accounting::additive_test(test, std::size_t{1} << 16U).delta_lower;
    test.direction = accounting::Direction::add;
    const double add = accounting::additive_test(test, std::size_t{1} << 16U).delta_lower;
    CAPTURE(epsilon, remove, add);
    CHECK(remove > 0.0);
    CHECK(remove <= bounds.remove_conditioned);
    CHECK(add <= bounds.add_geometric);
  }
}

TEST_CASE("a random order hides less than random allocation, and more than nothing", "[accounting][positions]") {
  const accounting::Shuffled run{2.0, 1000.0, 1.0, accounting::ShuffledPair::remove, true};
  const double upper = accounting::shuffled_bound(run, 0.33, 2.61, 35.0).delta;
  CHECK(upper < 1e-5);
  CHECK(upper < 1e-3 * accounting::shuffled_bound(run, 0.33, 2.61, 35.0).unamplified);
  // Random allocation is no upper end: what opposite gradients attain refutes it.
  const double lower = one_position_delta({1000.0, 1.0, 0.5}, 0.09).lower;
  const auto allocation = accounting::random_allocation_curves({2.0, 1000.0, 1.0, 1.0});
  CHECK(lower > 1e-5);
  CHECK(lower > 100.0 * allocation.remove->delta(0.09).value.upper);
  for (const double epsilon : {0.05, 0.33}) {
    const double upper_end = accounting::shuffled_curve(run)->delta(epsilon).value.upper;
    CHECK(accounting::shuffled_largest(run, epsilon) <= upper_end);
    CHECK(one_position_delta({1000.0, 1.0, 0.5}, epsilon).lower <= upper_end);
  }
}

TEST_CASE("several epochs of largest outputs lie below no amplification", "[accounting][positions]") {
  for (const auto pair : {accounting::ShuffledPair::remove, accounting::ShuffledPair::add}) {
    const accounting::Shuffled run{1.5, 20.0, 3.0, pair, true};
    const double lower = accounting::shuffled_largest(run, 0.5);
    const double upper = accounting::shuffled_curve(run)->delta(0.5).value.upper;
    CAPTURE(lower, upper);
    CHECK(lower > 0.0);
    CHECK(lower <= upper);
  }
}

TEST_CASE("balls in bins and minimum separation are runs of DP-SGD", "[accounting][positions]") {
  accounting::DpSgd run;
  run.sampling = mechanism::Sampler::balls_in_bins;
  run.phases = {{2.0, 0.1, 40.0}};
  const auto guarantee = accounting::dp_sgd_guarantee(run);
  REQUIRE(guarantee.applies());
  CHECK(guarantee.directions.size() == 2);
  const Enclosure delta = guarantee.curve->delta(1.0).value;
  const Enclosure pair = one_position_delta({10.0, 1.0, 0.0}, 1.0);
  CHECK(std::max(delta.lower, pair.lower) <= std::min(delta.upper, pair.upper));
  run.phases = {{2.0, 0.1, 40.0}, {2.0, 0.2, 40.0}};
  CHECK_FALSE(accounting::dp_sgd_guarantee(run).applies());
  run.sampling = mechanism::Sampler::b_min_sep;
  run.phases = {{1.0, 0.05, 100.0}};
  run.separation = 5.0;
  const auto separated = accounting::dp_sgd_guarantee(run);
  REQUIRE(separated.applies());
  const Enclosure both = separated.curve->delta(2.0).value;
  CHECK(both.lower > 2.8e-4);  // of the vector
  CHECK(both.lower < both.upper);
}

TEST_CASE("a last epoch that is cut has both ends, around its exact pair", "[accounting][positions]") {
  // Three steps, two bins: the record is seen twice or once, mean sqrt(2)/Z in one coordinate or 1/Z in the other.
  constexpr double twice = 0.70710678118654752, once = 0.5, step = 0.001;
  const auto above = [](double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); };
  double exact = 0.0;
  for (double w = -10.0; w < 10.0; w += step) {  // over the other coordinate in closed form
    const double rest = 0.5 * std::exp(once * w - 0.5 * once * once) - std::exp(0.5);
    const double from = rest < 0.0 ? (std::log(-2.0 * rest) + 0.5 * twice * twice) / twice : -40.0;
    exact += std::exp(-0.5 * w * w) * (0.5 * above(from - twice) + rest * above(from));
  }
  exact *= step / std::sqrt(2.0 * 3.14159265358979323846);
  accounting::DpSgd run;
  run.adjacency = mechanism::Adjacency::remove;
  run.sampling = mechanism::Sampler::balls_in_bins;
  run.phases = {{2.0, 0.5, 3.0}};
  const auto cut = accounting::dp_sgd_guarantee(run);
  CHECK_FALSE(cut.upper_only);
  const Enclosure delta = cut.curve->delta(0.5).value;
  CAPTURE(delta.lower, exact, delta.upper);
  CHECK(delta.lower < exact);
  CHECK(exact < delta.upper);
  const auto at = [&run](double steps) {
    run.phases.front().steps = steps;
    return accounting::dp_sgd_guarantee(run).curve->delta(0.5).value;
  };
  CHECK(delta.relative_width() < 1e-4);
  CHECK(delta.lower > at(2.0).upper);
  CHECK(delta.upper < at(4.0).lower);
  const Enclosure epsilon = cut.curve->epsilon(1e-3).value;
  CHECK(epsilon.lower > 0.0);
  CHECK(epsilon.lower < epsilon.upper);
  // Replaced, the cut epoch is counted in full or not at all.
  run.adjacency = mechanism::Adjacency::replace_one;
  const Enclosure replaced = at(3.0);
  CHECK(replaced.lower == at(2.0).lower);
  CHECK(replaced.upper == at(4.0).upper);
  run.phases.front().steps = 1.0;
  CHECK(accounting::dp_sgd_guarantee(run).upper_only);
  // Shuffled batches: the same.
  run.adjacency = mechanism::Adjacency::zero_out;
  run.sampling = mechanism::Sampler::shuffled;
  run.phases = {{2.0, 0.1, 25.0}};
  const auto shuffled = accounting::dp_sgd_guarantees(run).back();
  CHECK(shuffled.theorem == "accountant/shuffled");
  CHECK_FALSE(shuffled.upper_only);
  CHECK(shuffled.curve->delta(1.0).value.lower > 0.0);
}

TEST_CASE("balls in bins with little noise are about as loud as the same release without bins",
          "[accounting][positions]") {
  accounting::DpSgd run;
  run.sampling = mechanism::Sampler::balls_in_bins;
  run.phases = {{2.0, 0.01, 1e5}};
  const Enclosure unamplified = accounting::gaussian_curve(exactly(std::sqrt(1000.0) / 2.0))->epsilon(1e-5).value;
  run.adjacency = mechanism::Adjacency::remove;
  const Enclosure removed = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
  CHECK(removed.lower > unamplified.lower - std::log(100.0) - 1e-6);
  CHECK(removed.upper < unamplified.upper + 1e-6);
  run.adjacency = mechanism::Adjacency::replace_one;
  const Enclosure replaced = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
  CHECK(replaced.lower > removed.upper);
  CHECK(replaced.upper > unamplified.upper);
  CHECK(replaced.relative_width() < 0.2);
}

TEST_CASE("minimum separation is bracketed by Poisson sampling and a test", "[accounting][positions]") {
  using mechanism::Adjacency;
  for (const Adjacency adjacency : {Adjacency::remove, Adjacency::add, Adjacency::replace_one}) {
    accounting::DpSgd run;
    run.sampling = mechanism::Sampler::b_min_sep;
    run.adjacency = adjacency;
    run.separation = 10.0;
    run.phases = {{2.0, 0.01, 1000.0}};
    const Enclosure separated = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
    run.sampling = mechanism::Sampler::poisson;
    const Enclosure poisson = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
    CAPTURE(separated.lower, separated.upper, poisson.upper);
    CHECK(separated.upper <= poisson.upper * (1.0 + 1e-9));
    CHECK(separated.lower > 0.88 * separated.upper);
    // Rate 1 is balls in bins.
    run.sampling = mechanism::Sampler::b_min_sep;
    run.phases = {{4.0, 1.0, 40.0}};
    const Enclosure turns = accounting::dp_sgd_guarantee(run).curve->delta(0.8).value;
    run.sampling = mechanism::Sampler::balls_in_bins;
    run.phases = {{4.0, 0.1, 40.0}};
    const Enclosure bins = accounting::dp_sgd_guarantee(run).curve->delta(0.8).value;
    CHECK(turns.upper == bins.upper);
    CHECK(turns.lower == bins.lower);
  }
}

TEST_CASE("minimum separation with little noise has an upper end", "[accounting][positions]") {
  accounting::DpSgd run;
  run.sampling = mechanism::Sampler::b_min_sep;
  run.separation = 10.0;
  run.phases = {{0.1, 0.01, 1000.0}};
  const double more_noise = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value.upper;
  double before = more_noise;
  for (const double noise : {0.099, 0.01, 1e-3}) {
    CAPTURE(noise);
    run.phases.front().noise_multiplier = noise;
    const auto guarantee = accounting::dp_sgd_guarantee(run);
    const Enclosure epsilon = guarantee.curve->epsilon(1e-5).value;
    CHECK(guarantee.upper_only);
    CHECK((epsilon.lower == 0.0 && epsilon.upper > before));
    CHECK(epsilon.upper <= 51.0 / (noise * noise) + 50.0 / noise);  // 100 uses of no sampling
    before = epsilon.upper;
  }
}

TEST_CASE("participations of a long run are those of a short recursion", "[accounting][positions]") {
  const auto found = accounting::MinimumSeparation{1e5, 0.01, 10.0, true}.participations();
  double total = 0.0;
  double mean = 0.0;
  for (std::size_t n = 0; n < found.size(); ++n) {
    total += found[n];
    mean += static_cast<double>(n) * found[n];
  }
  CHECK(total == Approx(1.0).epsilon(1e-12));
  CHECK(mean == Approx(1e5 * 0.01 / 1.09).epsilon(1e-11));
}

TEST_CASE("one threshold's epsilon is that of its test", "[accounting][positions]") {
  for (const bool replaced : {false, true}) {
    accounting::AdditiveTest test = accounting::allocation_test(2.0, 40.0, 2.0, 1.5);
    test.replaced = replaced;
    const double epsilon = accounting::additive_epsilon(test, 1e-4, 3.0);
    CAPTURE(replaced, epsilon);
    test.epsilon = epsilon * (1.0 - 2e-3);
    CHECK(accounting::additive_test(test, std::size_t{1} << 18U).delta_lower >= 1e-4);
    test.epsilon = epsilon * (1.0 + 2e-3);
    CHECK(accounting::additive_test(test, std::size_t{1} << 18U).delta_lower <= 1e-4);
  }
}

TEST_CASE("a replaced record of random allocation is removed and added", "[accounting][positions]") {
  const double mu = 0.5;
  const auto one = accounting::random_allocation_replaced_curve({1.0 / mu, 30.0, 1.0, 1.0});
  const Enclosure exact = one_position_delta({30.0, mu, -mu}, 0.6);
  CHECK(one->delta(0.6).value.upper == exact.upper);
  // The test lies below the exact pair, close to it.
  accounting::AdditiveTest test = accounting::allocation_test(1.0, 30.0, 1.0, 1.0 / mu);
  test.replaced = true;
  test.epsilon = 0.6;
  const double shown = accounting::additive_test(test, std::size_t{1} << 18U).delta_lower;
  CHECK(shown <= exact.upper);
  CHECK(shown > 0.8 * exact.lower);
  const auto several = accounting::random_allocation_replaced_curve({1.0 / mu, 30.0, 2.0, 3.0});
  const Enclosure epsilon = several->epsilon(1e-5).value;
  CAPTURE(epsilon.lower, epsilon.upper);
  CHECK(epsilon.lower < epsilon.upper);
  CHECK(epsilon.lower > 0.8 * epsilon.upper);
  CHECK(several->delta(epsilon.upper).value.lower <= 1e-5);
  const Enclosure mirrored = several->delta(-0.5).value;
  CHECK(mirrored.upper >= -std::expm1(-0.5));
}

TEST_CASE("balls in bins of many epochs are one round of random allocation", "[accounting][positions]") {
  accounting::DpSgd run;
  run.sampling = mechanism::Sampler::balls_in_bins;
  run.phases = {{2.0, 0.01, 1e5}};  // a mean of 15.8: added, the upper end was that without amplification
  const accounting::RandomAllocation round{2.0 / std::sqrt(1000.0), 100.0, 1.0, 1.0};
  const auto curves = accounting::random_allocation_curves(round);
  for (const auto& [adjacency, curve] :
       {std::pair{mechanism::Adjacency::remove, curves.remove}, std::pair{mechanism::Adjacency::add, curves.add}}) {
    run.adjacency = adjacency;
    const Enclosure found = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
    const Enclosure other = curve->epsilon(1e-5).value;
    CAPTURE(found.lower, found.upper, other.lower, other.upper);
    CHECK(found.relative_width() < 1e-3);
    CHECK(std::max(found.lower, other.lower) <= std::min(found.upper, other.upper) * (1.0 + 1e-12));
  }
}

TEST_CASE("balls in bins of hardly any noise are counted", "[accounting][positions]") {
  for (const double noise : {1e-3, 1e-100}) {
    accounting::DpSgd run;
    run.sampling = mechanism::Sampler::balls_in_bins;
    run.phases = {{noise, 0.01, 1e5}};
    const Enclosure found = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
    CHECK(found.lower > 0.0);
    CHECK(found.upper <= found.lower * (1.0 + 1e-7));
  }
}

TEST_CASE("balls in bins are no fixed batches, and minimum separation is no Poisson sampling",
          "[accounting][positions]") {
  // With p = 1 a record is used in every b-th step from a random start: balls in b bins.
  const double lower = one_position_delta({100.0, std::sqrt(10.0), 0.0}, 5.0).lower;
  for (const auto sampling : {mechanism::Sampler::poisson, mechanism::Sampler::fixed_size}) {
    accounting::DpSgd run;
    run.sampling = sampling;
    run.adjacency = mechanism::Adjacency::zero_out;
    run.phases = {{1.0, 0.01, 1000.0}};
    const double claimed = accounting::dp_sgd_guarantee(run).curve->delta(5.0).value.upper;
    CAPTURE(lower, claimed);
    CHECK(lower > 5.0 * claimed);
  }
  const auto uses = accounting::MinimumSeparation{1000.0, 1.0, 100.0, true}.participations();
  CHECK(uses.back() == Approx(1.0));
  CHECK(uses.size() == 11);
}

TEST_CASE("weights in geometric progression are exponentials, in any order", "[accounting][positions]") {
  accounting::GeometricWeights weight(-300.0, 0.25);
  test::Worst worst;
  for (const std::size_t i : {0U, 1U, 255U, 256U, 2000U, 3U, 1200U, 513U}) {
    const double exact = std::exp(-300.0 + 0.25 * static_cast<double>(i));
    worst.see(test::relative_error(weight(i), exact), static_cast<double>(i));
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-15);
}

TEST_CASE("the lower end of shuffled epochs is found from any first guess", "[accounting][positions]") {
  // 8e6 simulated runs by their largest outputs have delta 9.84e-6 +- 4.5e-7 at 0.949147, a record removed.
  const auto curve = accounting::shuffled_curve({2.0, 100.0, 10.0, accounting::ShuffledPair::remove, true});
  CHECK(curve->epsilon(1e-5).value.lower == Approx(0.949147).epsilon(1e-5));
}
