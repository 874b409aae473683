// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Measured values: the shifted-interpolation specification's validation plan, computed there by an independent program.
#include <cmath>
#include <functional>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/simulate/detail/chain_law.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using simulate::chain_laws;
using simulate::ChainPair;
using simulate::LawPair;
using simulate::StepKernel;

namespace {

using Gradient = std::function<double(double)>;

double quadratic(double x) { return 0.5 * x; }
double tanh_loss(double x) { return 0.5 * x + 1.5 * std::tanh(x); }
double zero(double) { return 0.0; }

/// x -> x - step_size (gradient(x) + drift)
StepKernel descent(const Gradient& gradient, double step_size, double drift) {
  return {{1.0, [=](double x) { return x - step_size * (gradient(x) + drift); }}};
}

/// With probability p the record that differs is in the batch.
StepKernel subsampled(const Gradient& gradient, double step_size, double drift, double p) {
  return {{1.0 - p, descent(gradient, step_size, 0.0)[0].map}, {p, descent(gradient, step_size, drift)[0].map}};
}

ChainPair pair(double noise, StepKernel first, StepKernel second, double half_width = 0.0) {
  ChainPair chains;
  chains.noise = noise;
  chains.kernels = {std::move(first), std::move(second)};
  chains.first = {0};
  chains.second = {1};
  if (half_width > 0.0) {
    chains.lower = -half_width;
    chains.upper = half_width;
  }
  return chains;
}

/// A cycle of `length` batches, of which the one at `position` differs between the two data sets.
ChainPair cyclic(double noise, const Gradient& gradient, double step_size, double drift, std::size_t length,
                 std::size_t position) {
  ChainPair chains = pair(noise, descent(gradient, step_size, 0.0), descent(gradient, step_size, drift));
  chains.second.assign(length, 0);
  chains.second[position] = 1;
  return chains;
}

}  // namespace

TEST_CASE("the law of a quadratic is the Gaussian of Theorem 4.2", "[simulate][chain]") {
  struct Row {
    double step_size, sensitivity, noise;
    std::size_t steps;
    double mu;
  };
  for (const Row& row :
       {Row{0.4, 1.0, 1.0, 5, 2.134826}, Row{0.4, 1.0, 1.0, 40, 2.999601}, Row{0.8, 2.0, 0.7, 10, 5.679837}}) {
    const LawPair laws = chain_laws(pair(row.step_size * row.noise, descent(quadratic, row.step_size, 0.0),
                                         descent(quadratic, row.step_size, row.sensitivity)),
                                    row.steps);
    const double c = 1.0 - 0.5 * row.step_size, t = static_cast<double>(row.steps);
    const double exact = row.sensitivity / row.noise *
                         std::sqrt((1.0 - std::pow(c, t)) / (1.0 + std::pow(c, t)) * (1.0 + c) / (1.0 - c));
    CHECK(exact == Approx(row.mu).margin(5e-7));
    for (const double a : {1e-30, 1e-6, 0.01, 0.1, 0.25, 0.5, 0.9}) {
      CAPTURE(a, row.steps);
      CHECK(laws.effective_mu(a) == Approx(exact).epsilon(1e-9));
    }
    CHECK(laws.largest_effective_mu(1e-20) == Approx(exact).epsilon(1e-9));
  }
}

TEST_CASE("non-linear losses stay below the bound and do not depend on the grid", "[simulate][chain]") {
  // The effective mu of tanh losses grows into the tail, so the cut at 1e-6 is part of the number. The printed values
  // are those of the last grid point before it; exactly there it is 1.61532, 1.64343, 2.62958.
  struct Row {
    double step_size, sensitivity, noise;
    std::size_t steps;
    double bound, measured;
  };
  for (const Row& row : {Row{0.4, 1.0, 1.0, 5, 2.134826, 1.6142}, Row{0.4, 1.0, 1.0, 40, 2.999601, 1.6421},
                         Row{0.8, 2.0, 0.7, 10, 5.679837, 2.6294}, Row{0.95, 1.0, 1.0, 30, 3.029, 0.873}}) {
    const ChainPair chains = pair(row.step_size * row.noise, descent(tanh_loss, row.step_size, 0.0),
                                  descent(tanh_loss, row.step_size, row.sensitivity));
    const LawPair laws = chain_laws(chains, row.steps), fine = chain_laws(chains, row.steps, 16.0);
    CHECK(laws.largest_effective_mu(1e-6) == Approx(row.measured).epsilon(1.2e-3));
    CHECK(laws.largest_effective_mu(1e-12) < row.bound);
    for (const double a : {1e-9, 1e-3, 0.1, 0.5, 0.9}) {
      CHECK(laws.effective_mu(a) == Approx(fine.effective_mu(a)).epsilon(1e-6));
    }
  }
}

TEST_CASE("a box with opposite drifts saturates in the number of steps", "[simulate][chain]") {
  const auto mu = [](double step_size, double noise, double drift, std::size_t steps) {
    return chain_laws(pair(step_size * noise, descent(zero, step_size, -0.5 * drift),
                           descent(zero, step_size, 0.5 * drift), 0.5),
                      steps)
        .largest_effective_mu();
  };
  CHECK(mu(0.1, 3.0, 1.0, 12) == Approx(0.8927).margin(2e-4));
  CHECK(mu(0.1, 3.0, 1.0, 40) == Approx(0.9294).margin(2e-4));
  CHECK(mu(0.1, 3.0, 1.0, 200) == Approx(0.9294).margin(2e-4));
  CHECK(mu(0.05, 1.0, 0.5, 300) == Approx(5.1499).margin(2e-4));
  CHECK(mu(0.1, 3.0, 1.0, 400) == Approx(mu(0.1, 3.0, 1.0, 200)).epsilon(1e-12));
  // Over sqrt(L D / (step size n)) / noise, for Theorem C.16.
  CHECK(mu(0.1, 3.0, 1.0, 12) / (std::sqrt(10.0) / 3.0) == Approx(0.847).margin(5e-4));
  CHECK(mu(0.1, 3.0, 1.0, 200) / (std::sqrt(10.0) / 3.0) == Approx(0.882).margin(5e-4));
  CHECK(mu(0.05, 1.0, 0.5, 300) / std::sqrt(10.0) == Approx(1.629).margin(5e-4));
}

TEST_CASE("cyclic batches give the exact laws of Theorem C.17 and less where the batch comes first",
          "[simulate][chain]") {
  struct Row {
    double step_size;
    std::size_t length, epochs;
    double lower_bound, tanh, first_position;
  };
  for (const Row& row : {Row{0.4, 5, 1, 0.63506, 0.9607, 0.260}, Row{0.4, 5, 4, 0.88220, 0.9625, 0.361},
                         Row{0.4, 2, 10, 1.64756, 1.0639, 1.318}, Row{0.1, 4, 25, 1.67341, 1.0266, 1.435}}) {
    const std::size_t steps = row.length * row.epochs, last = row.length - 1;
    const auto mu = [&](const Gradient& gradient, std::size_t position) {
      return chain_laws(cyclic(row.step_size, gradient, row.step_size, 1.0, row.length, position), steps)
          .largest_effective_mu();
    };
    CHECK(mu(quadratic, last) == Approx(row.lower_bound).margin(6e-6));
    CHECK(mu(tanh_loss, last) == Approx(row.tanh).margin(5e-4));
    CHECK(mu(quadratic, 0) == Approx(row.first_position).margin(6e-4));
  }
}

TEST_CASE("cyclic batches in a box stay below Theorem 4.6", "[simulate][chain]") {
  const auto mu = [](double step_size, double drift, double noise, std::size_t length, std::size_t epochs) {
    ChainPair chains = cyclic(step_size * noise, zero, step_size, drift, length, length - 1);
    chains.lower = -0.5;
    chains.upper = 0.5;
    return chain_laws(chains, length * epochs).largest_effective_mu();
  };
  CHECK(mu(0.1, 1.0, 3.0, 4, 12) == Approx(0.333).margin(6e-4));   // bound 1.0675
  CHECK(mu(0.05, 0.5, 1.0, 5, 50) == Approx(1.249).margin(6e-4));  // bound 2.8443
}

TEST_CASE("subsampled steps give the measured profiles", "[simulate][chain]") {
  const auto laws = [](const Gradient& gradient, std::size_t steps) {
    return chain_laws(pair(0.4, subsampled(gradient, 0.4, 0.0, 0.1), subsampled(gradient, 0.4, 1.0, 0.1)), steps);
  };
  const LawPair quad = laws(quadratic, 200), tanh = laws(tanh_loss, 200);
  CHECK(quad.delta(0.5) == Approx(1.70e-2).epsilon(5e-3));
  CHECK(quad.delta(1.0) == Approx(1.95e-3).epsilon(5e-3));
  CHECK(quad.delta(2.0) == Approx(2.30e-5).epsilon(5e-3));
  CHECK(tanh.delta(0.5) == Approx(3.5e-3).epsilon(2e-2));
  CHECK(tanh.delta(1.0) == Approx(3.8e-4).epsilon(2e-2));
  CHECK(tanh.delta(2.0) == Approx(5.4e-6).epsilon(2e-2));
  CHECK(quad.delta_reverse(0.5) < quad.delta(0.5));
  const LawPair box =
      chain_laws(pair(0.3, subsampled(zero, 0.1, -0.5, 0.2), subsampled(zero, 0.1, 0.5, 0.2), 0.5), 300);
  CHECK(box.delta(0.05) == Approx(5.3e-2).epsilon(1e-2));
  CHECK(box.delta(0.1) == Approx(3.5e-2).epsilon(1e-2));
  CHECK(box.delta(0.1) == Approx(box.delta_reverse(0.1)).epsilon(1e-10));
}

TEST_CASE("one subsampled step is the mixture's closed form", "[simulate][chain]") {
  // P = N(0, 1), Q = 0.9 N(0, 1) + 0.1 N(-1, 1): Q - e^eps P is positive where x lies below one threshold.
  const LawPair laws = chain_laws(pair(1.0, subsampled(zero, 1.0, 0.0, 0.1), subsampled(zero, 1.0, 1.0, 0.1)), 1);
  const auto tail = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  for (const double epsilon : {0.1, 0.5, 1.0, 3.0}) {
    const double threshold = std::log1p(std::expm1(epsilon) / 0.1) + 0.5;  // -x above it
    const double exact = 0.1 * tail(threshold - 1.0) + (0.9 - std::exp(epsilon)) * tail(threshold);
    CHECK(laws.delta(epsilon) == Approx(exact).epsilon(1e-9));
  }
  CHECK(laws.delta_reverse(0.2) == Approx(0.0).margin(1e-14));  // P / Q is at most 1 / 0.9 = e^0.105
  CHECK(laws.delta(-1.0) == Approx(1.0 - std::exp(-1.0) * (1.0 - laws.delta_reverse(1.0))).epsilon(1e-9));
}

TEST_CASE("the profile of a Gaussian pair is exact into the tail", "[simulate][chain]") {
  const LawPair laws = chain_laws(pair(1.0, descent(zero, 1.0, 0.0), descent(zero, 1.0, 1.0)), 1);
  // delta_1(epsilon) with 17 digits
  CHECK(laws.delta(1.0) == Approx(0.12693673750664383).epsilon(1e-10));
  CHECK(laws.delta(0.0) == Approx(std::erf(0.5 / std::sqrt(2.0))).epsilon(1e-10));
  const auto tail = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  CHECK(laws.delta(8.0) == Approx(tail(7.5) - std::exp(8.0) * tail(8.5)).epsilon(1e-8));
  CHECK(laws.delta(8.0) == Approx(laws.delta_reverse(8.0)).epsilon(1e-8));
}

TEST_CASE("trade-off curves are convex, non-increasing and end where they must", "[simulate][chain][property]") {
  for (const LawPair& laws :
       {chain_laws(pair(0.3, descent(zero, 0.1, -0.5), descent(zero, 0.1, 0.5), 0.5), 40),
        chain_laws(pair(0.4, subsampled(tanh_loss, 0.4, 0.0, 0.1), subsampled(tanh_loss, 0.4, 1.0, 0.1)), 20)}) {
    CHECK(laws.type_two_error(0.0) == Approx(1.0).epsilon(1e-12));
    CHECK(laws.type_two_error(1.0) == Approx(0.0).margin(1e-14));
    const auto& vertices = laws.vertices();
    for (std::size_t i = 2; i < vertices.size(); ++i) {
      const double run_0 = vertices[i - 1].type_one_error - vertices[i - 2].type_one_error;
      const double run_1 = vertices[i].type_one_error - vertices[i - 1].type_one_error;
      const double fall_0 = vertices[i - 2].type_two_error - vertices[i - 1].type_two_error;
      const double fall_1 = vertices[i - 1].type_two_error - vertices[i].type_two_error;
      CHECK(fall_1 >= 0.0);
      CHECK(fall_0 * run_1 >= fall_1 * run_0 - 1e-15);
      // Between vertices: never above the chord, and close to it.
      const double middle = 0.5 * (vertices[i - 1].type_one_error + vertices[i].type_one_error);
      const double chord = 0.5 * (vertices[i - 1].type_two_error + vertices[i].type_two_error);
      CHECK(laws.type_two_error(middle) <= chord + 1e-6);
      CHECK(laws.type_two_error(middle) >= chord - 2e-3);
    }
  }
}

TEST_CASE("tails of both chains are those of the box", "[simulate][chain]") {
  // drift 0 against +1: the second chain is pushed to the upper end
  const LawPair laws = chain_laws(pair(0.3, descent(zero, 0.1, 0.0), descent(zero, 0.1, -1.0), 0.5), 40);
  CHECK(laws.lower_tail_first(0.0) == Approx(0.5).epsilon(1e-10));  // symmetric
  CHECK(laws.lower_tail_second(0.0) < 0.5);
  CHECK(laws.lower_tail_second(-0.6) == 0.0);
  CHECK(laws.upper_tail_second(0.5) == 0.0);
  CHECK(laws.lower_tail_second(0.2) + laws.upper_tail_second(0.2) == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("contractions in a box with opposite drifts have the measured separation", "[simulate][chain]") {
  struct Row {
    double contraction, noise, drift, mu;
  };
  for (const Row& row : {Row{0.95, 0.1, 0.1, 4.609}, Row{0.95, 0.15, 0.1, 2.645}, Row{0.9, 0.2, 0.2, 2.944},
                         Row{0.8, 0.2, 0.3, 3.647}}) {
    const auto step = [&row](double sign) -> StepKernel {
      return {{1.0, [row, sign](double x) { return row.contraction * x + 0.5 * sign * row.drift; }}};
    };
    CHECK(chain_laws(pair(row.noise, step(-1.0), step(1.0), 0.5), 300).largest_effective_mu() ==
          Approx(row.mu).margin(6e-4));
  }
}

TEST_CASE("nearly disjoint laws in a box are told apart by their far tails", "[simulate][chain]") {
  // Theorem 4.3's setting with little noise: the bound 2 sqrt(L D / (step size n)) / noise is nearly reached.
  const auto laws = [](double noise) {
    return chain_laws(pair(0.05 * noise, descent(zero, 0.05, -0.25), descent(zero, 0.05, 0.25), 0.5), 300);
  };
  const double plain = 2.0 * std::sqrt(10.0);
  CHECK(laws(0.5).largest_effective_mu(1e-6) == 0.0);
  CHECK(laws(0.5).largest_effective_mu(1e-30) == Approx(11.9487).margin(1e-4));
  CHECK(laws(0.5).largest_effective_mu(1e-30) < plain / 0.5);
  CHECK(laws(0.19).largest_effective_mu(1e-200) == Approx(33.0151).margin(1e-4));
  CHECK(laws(0.19).largest_effective_mu(1e-200) < plain / 0.19);
}

TEST_CASE("the one-sided drift leaves the measured mass below the middle", "[simulate][chain]") {
  // Each value lies below exp(-u) + ..., the explicit lower bound's q; u = drift / (cycle length noise^2).
  const auto below = [](double drift, double noise, std::size_t length, std::size_t steps) {
    ChainPair chains = cyclic(noise, zero, 1.0, -drift, length, length - 1);
    chains.lower = -0.5;
    chains.upper = 0.5;
    return chain_laws(chains, steps).lower_tail_second(0.0);
  };
  // Printed there from a coarse grid: 0.184, 5.5e-3, and the events' mu 4.18 and 1.65. 4e6 simulated runs of the first
  // give 0.18317 +- 0.00019.
  CHECK(below(0.1, 0.3, 1, 200) == Approx(0.18292).margin(6e-6));
  CHECK(below(0.1, 0.15, 1, 200) == Approx(5.5e-3).epsilon(0.02));
  CHECK(-numerics::normal_quantile(below(0.1, 0.1, 1, 300)) == Approx(4.18).margin(6e-3));
  CHECK(-numerics::normal_quantile(below(0.1, 0.1, 4, 160)) == Approx(1.65).margin(6e-3));
  for (const double noise : {0.1, 0.15, 0.3}) {
    CHECK(below(0.1, noise, 1, 200) < std::exp(-0.1 / (noise * noise)) + 1e-12);  // q, whose second term is negligible
  }
}

TEST_CASE("settings that make no chain are refused", "[simulate][chain][errors]") {
  const ChainPair good = pair(1.0, descent(zero, 1.0, 0.0), descent(zero, 1.0, 1.0));
  CHECK_THROWS_AS(chain_laws(good, 0), DomainError);
  CHECK_THROWS_AS(chain_laws(good, 1, 1.0), DomainError);
  auto bad = good;
  bad.noise = std::nan("");
  CHECK_THROWS_AS(chain_laws(bad, 1), DomainError);
  bad = good;
  bad.upper = 1.0;
  CHECK_THROWS_WITH(chain_laws(bad, 1), Catch::Contains("finite exactly if lower is"));
  bad = good;
  bad.second = {2};
  CHECK_THROWS_AS(chain_laws(bad, 1), DomainError);
  bad = good;
  bad.kernels[0][0].probability = 0.5;
  CHECK_THROWS_WITH(chain_laws(bad, 1), Catch::Contains("sum of probabilities"));
  bad = good;
  bad.kernels[0][0].map = [](double) { return std::nan(""); };
  CHECK_THROWS_WITH(chain_laws(bad, 1), Catch::Contains("value of a map"));
  bad = good;
  bad.noise = 1e-7;
  bad.lower = -1.0;
  bad.upper = 1.0;
  CHECK_THROWS_WITH(chain_laws(bad, 1), Catch::Contains("points needed"));
}
