// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Audits by one run: how often they reject the truth, for independent canaries and for mechanisms that make all their
// mistakes together.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/one_run.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::audit {
namespace {

using inference::Guesses;
using inference::OneRun;

/// P(Binomial(n, p) >= k).
double at_least(int k, int n, double p) {
  double sum = 0.0;
  for (int i = n; i >= k; --i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(p) +
                    (n - i) * std::log1p(-p));
  }
  return sum;
}

/// The least number of right guesses that `rejected` rejects, by halving; guesses + 1 if none.
template <class Rejected>
std::uint64_t least_rejected(std::uint64_t guesses, const Rejected& rejected) {
  std::uint64_t low = 0, high = guesses + 1;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (rejected(middle) ? high : low) = middle;
  }
  return high;
}

Case pure() {
  return {
      "audit/one-run-epsilon-delta",
      "The lower bound of epsilon from one run exceeds the truth with probability at most the significance",
      "1000 canaries, each with Laplace noise at epsilon 1, significance 0.05; 1000 (nightly 4000) repeats; the 100 "
      "scores farthest from the middle guessed: exact interval of the frequency. Two published bounds with their "
      "digits",
      "The best number of guesses on the same scores, without correction",
      [](const Setting& setting, Outcome& outcome) {
        constexpr std::uint64_t canaries = 1000, guesses = 100;
        constexpr double significance = 0.05;
        const std::size_t repeats = setting.size(1000, 4000);
        std::vector<std::uint64_t> reject{canaries + 1};
        for (std::uint64_t c = 1; c <= canaries; ++c) {
          reject.push_back(least_rejected(c, [c](std::uint64_t v) {
            return inference::approximate_dp_p_value({canaries, c, v}, 1.0, 0.0) <= significance;
          }));
        }
        const auto tails = uniform_sample(setting, 0xB250, canaries * repeats);
        std::size_t missed = 0, missed_best = 0;
        std::vector<std::pair<double, bool>> scores(canaries);
        for (std::size_t i = 0; i < repeats; ++i) {
          for (std::size_t j = 0; j < canaries; ++j) {
            // The canary is at 1/2 or -1/2 with its coin; by symmetry let it be in: the guess is right above 0.
            const double u = tails[i * canaries + j];
            const double noise = u < 0.5 ? std::log(2.0 * u) : -std::log(2.0 * (1.0 - u));
            scores[j] = {-std::abs(0.5 + noise), 0.5 + noise > 0.0};
          }
          std::sort(scores.begin(), scores.end());
          std::uint64_t right = 0;
          bool best = false;
          for (std::uint64_t c = 1; c <= canaries; ++c) {
            right += scores[c - 1].second ? 1U : 0U;
            best = best || right >= reject[c];
            missed += c == guesses && right >= reject[c] ? 1U : 0U;
          }
          missed_best += best ? 1U : 0U;
        }
        // The frequency is close to the significance: the exact interval must not lie above it.
        const auto check = [&](Trial& trial, std::size_t count, const std::string& what) {
          const Enclosure seen = inference::clopper_pearson(count, repeats, miss_per_interval);
          const double share = static_cast<double>(count) / static_cast<double>(repeats);
          trial.require(seen.lower <= significance, what, rounded(seen.lower, 3) + " <= " + rounded(significance, 3),
                        Measurement::at_most(share, significance).interval(seen.lower, seen.upper));
          trial.used_intervals(1);
        };
        check(outcome.claim, missed, "bounds above the truth, 100 guesses");
        check(outcome.control, missed_best, "bounds above the truth, best number");
        outcome.claim.close(inference::one_run_epsilon({20000, 3376, 2807}, 0.05 / 386.0, 1e-6), 1.13346, 1e-6,
                            "published bound, shift 1");
        outcome.claim.close(inference::one_run_epsilon({20000, 8233, 8223}, 0.05 / 140.0, 1e-6), 4.395568, 1e-6,
                            "published bound, shift 4");
      }};
}

/// The largest public chance with which coins may be answered by randomised response at s under G(mu): its profile
/// stays below.
double public_chance(double s, double mu) {
  double chance = 1.0;
  for (double e = 0.0; e < s; e += 1e-3) {
    const double delta =
        numerics::normal_cdf(0.5 * mu - e / mu) - std::exp(e) * numerics::normal_cdf(-0.5 * mu - e / mu);
    chance = std::min(chance, delta * (1.0 + std::exp(s)) / (std::exp(s) - std::exp(e)));
  }
  return 0.9999 * chance;
}

/// Exact chances of v right guesses of 1000 where all coins are answered together, against a p-value.
template <class PValue>
void correlated(Trial& trial, const PValue& p_value) {
  constexpr int coins = 1000;
  for (const double s : {0.5, 1.0, 2.0, 3.0}) {
    const double chance = public_chance(s, 1.0), right = 1.0 / (1.0 + std::exp(-s));
    const int v = static_cast<int>(coins * right - 1.5 * std::sqrt(coins * right * (1.0 - right)));
    const double truth = chance * at_least(v, coins, right);
    const double p = p_value(static_cast<std::uint64_t>(v));
    trial.require(truth <= p * (1.0 + 1e-9),
                  "randomised response at " + rounded(s, 3) + ", " + std::to_string(v) + " right",
                  rounded(truth, 6) + " <= " + rounded(p, 6), Measurement::at_most(truth, p));
  }
}

Case correlated_canaries() {
  return {"audit/one-run-fdp",
          "The p-value for a trade-off function is at least the chance of so many right guesses, also for mechanisms "
          "that answer all coins or none; it is attained by one that reveals all with probability delta",
          "1000 coins, G(1): with the largest public chance all are answered by randomised response at 0.5, 1, 2, 3, "
          "else none: exact sums. 12 coins, delta 0.05",
          "The p-value of independent copies of the Gaussian mechanism", [](const Setting&, Outcome& outcome) {
            correlated(outcome.claim, [](std::uint64_t v) {
              return inference::fdp_p_value({1000, 1000, v}, inference::gaussian_least_rate(1.0), Guesses::two_sided);
            });
            correlated(outcome.control,
                       [](std::uint64_t v) { return at_least(static_cast<int>(v), 1000, numerics::normal_cdf(0.5)); });
            outcome.claim.close(inference::fdp_p_value({12, 12, 12}, inference::approximate_dp_least_rate(0.0, 0.05),
                                                       Guesses::two_sided),
                                0.05 + 0.95 * std::pow(0.5, 12), 1e-8, "reveal all with probability 0.05");
          }};
}

Case product_null() {
  Case result{"audit/product-null",
              "A test that takes the canaries for independent copies of a mu-GDP mechanism rejects a mu-GDP mechanism "
              "with probability at most the significance",
              "1000 coins: with public chance 0.79608 all are answered by randomised response at 1, else none: 1-GDP. "
              "At most 284 mistakes reject mu = 1 at 0.05; exact sums",
              "The same for 285 mistakes or more as well: always", [](const Setting&, Outcome& outcome) {
                const double right = 1.0 / (1.0 + std::exp(-1.0));
                outcome.claim.at_most(at_least(716, 1000, numerics::normal_cdf(0.5)), 0.05,
                                      "product p-value of 716 right");
                outcome.claim.at_most(0.79608 * at_least(716, 1000, right), 0.05, "chance of a rejection");
                outcome.control.at_most(1.0, 0.05, "chance of a rejection");
              }};
  result.expected = Verdict::refuted;
  return result;
}

Case one_sided() {
  return {"audit/one-sided",
          "The one-sided p-value of the trade-off function of the run rejects it with probability at most the "
          "significance",
          "1000 canaries in orthogonal directions with their own coins, noise multiplier 1: each coin G(1); the 100 "
          "largest scores guessed in; 600 (nightly 4000) repeats at significance 0.05: exact interval",
          "G(0.5) in place of G(1)", [](const Setting& setting, Outcome& outcome) {
            constexpr std::uint64_t canaries = 1000, guesses = 100;
            constexpr double significance = 0.05;
            const std::size_t repeats = setting.size(600, 4000);
            const auto noise = normal_sample(setting, 0xB260, canaries * repeats);
            const auto coins = uniform_sample(setting, 0xB270, canaries * repeats);
            std::vector<std::uint64_t> rights;
            std::vector<std::pair<double, bool>> scores(canaries);
            for (std::size_t i = 0; i < repeats; ++i) {
              for (std::size_t j = 0; j < canaries; ++j) {
                const bool in = coins[i * canaries + j] < 0.5;
                scores[j] = {-(noise[i * canaries + j] + (in ? 1.0 : 0.0)), in};
              }
              std::nth_element(scores.begin(), scores.begin() + guesses, scores.end());
              rights.push_back(static_cast<std::uint64_t>(
                  std::count_if(scores.begin(), scores.begin() + guesses, [](const auto& one) { return one.second; })));
            }
            const auto check = [&](Trial& trial, double mu) {
              const std::uint64_t least = least_rejected(guesses, [&](std::uint64_t v) {
                return inference::fdp_rejected({canaries, guesses, v}, inference::gaussian_least_rate(mu),
                                               Guesses::one_sided, significance);
              });
              const auto rejected = static_cast<std::size_t>(
                  std::count_if(rights.begin(), rights.end(), [least](std::uint64_t v) { return v >= least; }));
              covered(trial, rejected, repeats, significance, "rejected from " + std::to_string(least) + " right");
            };
            check(outcome.claim, 1.0);
            check(outcome.control, 0.5);
          }};
}

}  // namespace

std::vector<Case> one_run_cases() { return {pure(), correlated_canaries(), product_null(), one_sided()}; }

}  // namespace dpcurves::validation::audit
