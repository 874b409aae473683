// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What Algorithm 10 releases, and what that is worth: sensitivity, accounting, tails of batches and of noise.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/integer_orders.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/dp_glm_networks/network_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

/// How far one record moves what a step adds to the weights, divided by the fixed M and by the size of the batch.
void sensitivity(const Setting& setting, Outcome& outcome) {
  const auto seed = seed_of(setting, "dp-glm-networks/algorithm-10");
  const models::NetworkShape shape{6, 24, 3};
  constexpr double clip = 3.0, expected_size = 5.0;
  double largest = 0.0;
  for (std::uint32_t path = 0; path < setting.size(60, 2000); ++path) {
    models::NetworkLosses losses(shape, sphere_data(6, 12, seed, path));
    const auto w = models::initial_network(shape, seed, path);
    const auto batch = first_records(2 + path % 10);
    const std::vector<std::uint32_t> fewer(batch.begin(), batch.end() - 1);
    const auto size = static_cast<Eigen::Index>(w.size());
    Eigen::VectorXd with(size), without(size);
    losses.clipped_sum(batch, w, clip, {with.data(), w.size()});
    losses.clipped_sum(fewer, w, clip, {without.data(), w.size()});
    const double by_fixed = (with - without).norm() / expected_size;
    const double by_size =
        (with / static_cast<double>(batch.size()) - without / static_cast<double>(fewer.size())).norm();
    outcome.claim.at_most(by_fixed, clip / expected_size * (1.0 + 1e-12),
                          "change of a step by one record, sums over M");
    outcome.control.at_most(by_size, clip / expected_size * (1.0 + 1e-12), "the same, sums over the size of the batch");
    largest = std::max(largest, by_fixed * expected_size / clip);
  }
  outcome.claim.require(largest > 0.99, "the bound is reached to " + rounded(largest, 5));
}

void algorithm_10(const Setting& setting, Outcome& outcome) {
  sensitivity(setting, outcome);
  const auto numerical = [](double q, double z, double steps, double delta) {
    accounting::DpSgd run;
    run.phases = {{z, q, steps}};
    return accounting::dp_sgd_guarantee(run).curve->epsilon(delta).value;
  };
  struct Row {
    double q, z, steps, delta;
  };
  for (const Row row : {Row{0.01, 1.0, 1000.0, 1e-5}, Row{0.01, 0.8, 10000.0, 1e-5}, Row{0.05, 3.8, 200.0, 6.25e-8},
                        Row{0.02, 2.0, 50000.0, 1e-6}}) {
    const auto found = numerical(row.q, row.z, row.steps, row.delta);
    const std::string at = "q = " + shortest(row.q) + ", z = " + shortest(row.z) + ", T = " + shortest(row.steps);
    outcome.claim.at_most(found.upper,
                          accounting::epsilon_by_integer_orders(row.q, row.z, row.steps, row.delta).epsilon,
                          at + ": numerical epsilon against Renyi");
    // The central limit mu = q sqrt(T (e^(1/z^2) - 1)) promises less than is true.
    const double mu = row.q * std::sqrt(row.steps * std::expm1(1.0 / (row.z * row.z)));
    outcome.control.at_most(found.lower, tradeoff::epsilon_of_delta(row.delta, mu),
                            at + ": numerical epsilon against the central limit");
  }
  const double full = numerical(1.0, 5.0, 20.0, 1e-5).middle();
  outcome.claim.close(full, 3.848610283, 1e-9, "q = 1, z = 5, T = 20 against the exact Gaussian");
  outcome.control.close(full, 3.848610283 * 0.9999, 1e-5, "against 0.9999 of it");
}

void lemma_23(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  for (const double n : {200.0, 5000.0, 1e6}) {
    for (const double q : {0.005, 0.05, 0.4}) {
      for (const double a : {0.05, 0.2, 0.5, 0.9}) {
        const auto tail = bounds::batch_tail(n, q, a, 100.0);
        const std::string at = "n = " + shortest(n) + ", q = " + shortest(q) + ", a = " + shortest(a);
        outcome.claim.at_most(tail.single.log, tail.log_chernoff + 1e-9,
                              at + ": log of the exact tail against Chernoff");
        outcome.control.at_most(tail.single.log, 4.0 * tail.log_chernoff, at + ": against four times the exponent");
      }
    }
  }
  // The tail itself against the batches that the simulator draws.
  constexpr std::size_t records = 400;
  constexpr double rate = 0.05, shortfall = 0.3;
  simulate::DpSgd run{.sampling = simulate::BatchSampling::poisson, .batch_size = rate * records};
  simulate::SharedRandomness random(run, records, 1, seed_of(setting, "dp-glm-networks/lemma-23"), 0);
  const std::size_t steps = setting.size(20000, 1000000);
  const auto exact = bounds::batch_tail(records, rate, shortfall, 1.0);
  std::size_t small = 0;
  for (std::size_t t = 1; t <= steps; ++t) {
    small += static_cast<double>(random.batch(t).size()) <= exact.count ? 1U : 0U;
  }
  const double share = static_cast<double>(small) / static_cast<double>(steps), p = exact.single.probability;
  const double error = std::sqrt(p * (1.0 - p) / static_cast<double>(steps));
  within_errors(outcome.claim, share, error, p, "share of small batches against the exact tail");
  within_errors(outcome.control, share, error, std::exp(exact.log_chernoff), "share of small batches against Chernoff");
}

void lemma_24(const Setting& setting, Outcome& outcome) {
  struct Row {
    std::size_t dimension;
    double deviation, threshold;
  };
  const std::size_t draws = setting.size(4000, 200000);
  std::uint32_t stream = 0;
  for (const Row row : {Row{1, 0.1, 0.1}, Row{1, 0.1, 0.3}, Row{3, 0.2, 0.5}, Row{20, 0.05, 0.3}}) {
    const auto tail = bounds::norm_tail(static_cast<double>(row.dimension), row.deviation, row.threshold);
    std::vector<double> z(row.dimension * draws);
    random::normals(z, seed_of(setting, "dp-glm-networks/lemma-24"), random::Purpose::noise, stream++, 0);
    std::size_t beyond = 0;
    for (std::size_t i = 0; i < draws; ++i) {
      double square = 0.0;
      for (std::size_t k = 0; k < row.dimension; ++k) {
        square += z[i * row.dimension + k] * z[i * row.dimension + k];
      }
      beyond += row.deviation * std::sqrt(square) > row.threshold ? 1U : 0U;
    }
    const std::string at = "dim = " + std::to_string(row.dimension) + ", sigma = " + shortest(row.deviation) +
                           ", t = " + shortest(row.threshold);
    const double share = static_cast<double>(beyond) / static_cast<double>(draws), p = tail.exact.probability;
    within_errors(outcome.claim, share, std::sqrt(p * (1.0 - p) / static_cast<double>(draws)), p,
                  at + ": share against the exact tail");
    covered(outcome.claim, beyond, draws, std::min(1.0, std::exp(tail.log_bound)),
            at + ": against the corrected bound");
    covered(outcome.control, beyond, draws, std::min(1.0, std::exp(tail.log_printed)),
            at + ": against the printed bound");
  }
  // The corrected bound on a grid, where the worst dimension is 2.
  for (const double dimension : {1.0, 2.0, 3.0, 10.0, 1000.0, 1e6}) {
    for (const double s : {0.1, 0.7, 1.0, 1.2, 2.0, 5.0}) {
      const auto tail = bounds::norm_tail(dimension, 1.0, s * std::sqrt(dimension));
      outcome.claim.at_most(tail.exact.log, tail.log_bound,
                            "dim = " + shortest(dimension) + ", t = " + shortest(s) + " sigma sqrt(dim)");
    }
  }
}

}  // namespace

std::vector<Case> network_privacy_cases() {
  return {
      {"dp-glm-networks/algorithm-10",
       "a step moves by at most C/M with one record, so Poisson accounting applies; numerical epsilon is below Renyi's",
       "60 random batches (nightly 2000) with and without one record; four settings of the accounting table; q = 1 "
       "against the exact Gaussian",
       "division by the size of the batch, as printed; the central limit as a guarantee; an epsilon off by 1e-4",
       algorithm_10},
      {"dp-glm-networks/lemma-23",
       "a Poisson batch has at most (1 - a) M records with the binomial chance, at most exp(-a^2 M/2)",
       "exact tails on a grid of 36; 20,000 batches (nightly 1e6) of the simulator within 6.5 standard errors",
       "four times the exponent; Chernoff's bound as the chance", lemma_23},
      {"dp-glm-networks/lemma-24", "P(|X| > t) <= 2 exp(-t^2/(2 dim sigma^2))",
       "4000 normal vectors (nightly 200,000) in four settings against the exact tail and the bound; the bound on a "
       "grid of 36",
       "the printed 2 exp(-t/(2 dim sigma^2))", lemma_24},
  };
}

}  // namespace dpcurves::validation::dp_glm_networks
