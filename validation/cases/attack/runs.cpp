// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The best attack on runs of the worst mechanism against the dual: power, advantage, Bayes error, area; and the best
// guess among orthogonal candidates against the bound on reconstruction.
#include <algorithm>
#include <cmath>
#include <memory>

#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/candidates.hpp>
#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/inference/detail/binomial.hpp>

#include "validation/cases/attack/ten_steps.hpp"
#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::attack_risk {

accounting::DpSgd ten_steps(double sampling_rate, mechanism::Adjacency adjacency) {
  return accounting::DpSgd{.adjacency = adjacency, .phases = {{1.0, sampling_rate, 10.0}}};
}

std::vector<double> ten_step_losses(const Setting& setting, std::uint32_t number, bool present, std::size_t count) {
  constexpr double rate = 0.3;
  constexpr std::uint32_t steps = 10;
  std::vector<double> losses(count, 0.0);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto normal = normal_sample(setting, number + step, count);
    const auto choice = uniform_sample(setting, number + step, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = normal[i] + (present && choice[i] < rate ? 1.0 : 0.0);
      losses[i] += std::log1p(rate * std::expm1(x - 0.5));
    }
  }
  return losses;
}

namespace {

using attack::Attack;
using mechanism::Adjacency;

Attack attack_on(const accounting::DpSgd& run) { return Attack(accounting::dp_sgd_guarantee(run).directions); }

/// The trade-off function whose power is claimed.
Curve claimed(const accounting::DpSgd& run) {
  const auto attack = std::make_shared<Attack>(attack_on(run));
  return [attack](double a) { return 1.0 - attack->power(a, 1e-7).value.power.upper; };
}

Case dual() {
  return {"attack/dual",
          "No attack has a larger true positive rate than the dual of the certified profile says, and the likelihood "
          "ratio test has it",
          "Ten steps at rate 0.3 and noise multiplier 1; likelihood ratios of 1e5 (nightly 4e5) runs with and as many "
          "without the record; thresholds near false positive rates 0.01, 0.1 and 0.5 from a pilot, exact intervals",
          "The dual for rate 0.25; the direction add in place of remove", [](const Setting& setting, Outcome& outcome) {
            const std::size_t count = setting.size(100000, 400000);
            const auto out = ten_step_losses(setting, 0xB100, false, count);
            const auto in = ten_step_losses(setting, 0xB110, true, count);
            const std::vector<double> rates{0.01, 0.1, 0.5};
            const Points points = threshold_points(out, in, rates);
            check_points(outcome.claim, points, claimed(ten_steps(0.3, Adjacency::remove)), true, "rate 0.3, remove");
            check_points(outcome.control, points, claimed(ten_steps(0.25, Adjacency::remove)), false, "rate 0.25");
            check_points(outcome.control, points, claimed(ten_steps(0.3, Adjacency::add)), false, "rate 0.3, add");
            outcome.claim.used_intervals(2 * rates.size());
          }};
}

/// The share of pairs in which a run with the record has the larger loss.
double share_of_pairs(std::vector<double> in, std::vector<double> out) {
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end());
  double pairs = 0.0;
  std::size_t below = 0;
  for (const double loss : in) {
    while (below < out.size() && out[below] < loss) {
      ++below;
    }
    pairs += static_cast<double>(below);
  }
  return pairs / (static_cast<double>(in.size()) * static_cast<double>(out.size()));
}

Case advantage() {
  return {"attack/advantage",
          "The advantage, the Bayes error and the area under the curve of the likelihood ratio test are those of the "
          "profile",
          "The mechanism of attack/dual, other runs: the threshold 1 on the likelihood ratio, the threshold 9 at prior "
          "0.1, and the share of ordered pairs, within standard errors",
          "The numbers for rate 0.25", [](const Setting& setting, Outcome& outcome) {
            const std::size_t count = setting.size(100000, 400000);
            const auto out = ten_step_losses(setting, 0xB120, false, count);
            const auto in = ten_step_losses(setting, 0xB130, true, count);
            const auto above = [](const std::vector<double>& losses, double threshold) {
              return static_cast<double>(std::count_if(losses.begin(), losses.end(),
                                                       [threshold](double loss) { return loss > threshold; })) /
                     static_cast<double>(losses.size());
            };
            const auto spread = [count](double p) { return p * (1.0 - p) / static_cast<double>(count); };
            const double hit = above(in, 0.0), alarm = above(out, 0.0);
            const double prior = 0.1, late_hit = above(in, std::log(9.0)), late_alarm = above(out, std::log(9.0));
            const double area = share_of_pairs(in, out);
            const auto check = [&](Trial& trial, double rate) {
              Attack attack = attack_on(ten_steps(rate));
              within_errors(trial, hit - alarm, std::sqrt(spread(hit) + spread(alarm)),
                            attack.advantage().value.advantage.upper, "advantage");
              within_errors(
                  trial, (1.0 - prior) * late_alarm + prior * (1.0 - late_hit),
                  std::hypot((1.0 - prior) * std::sqrt(spread(late_alarm)), prior * std::sqrt(spread(late_hit))),
                  attack.bayes_error(prior).value.error.lower, "Bayes error at prior 0.1");
              // The variance of the share is at most that of one pair for each run.
              within_errors(trial, area, std::sqrt(spread(area)), attack.area(1e-4).value.middle(), "area", 1e-4);
            };
            check(outcome.claim, 0.3);
            check(outcome.control, 0.25);
          }};
}

Case candidates() {
  return {
      "attack/candidates",
      "The best guess among 10 orthogonal records succeeds as often as the integral says, and no more often than the "
      "bound on reconstruction at baseline 1/10",
      "1e5 (nightly 1e6) releases at mu = 1: the largest of ten coordinates; exact interval",
      "The integral and the bound for mu = 0.8", [](const Setting& setting, Outcome& outcome) {
        constexpr std::size_t records = 10;
        const std::size_t count = setting.size(100000, 1000000);
        auto release = normal_sample(setting, 0xB140, records * count);
        std::uint64_t hits = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const auto first = release.begin() + static_cast<std::ptrdiff_t>(i * records);
          *first += 1.0;
          hits += std::max_element(first, first + records) == first ? 1U : 0U;
        }
        const auto check = [&](Trial& trial, double mu) {
          frequency_is(trial, hits, count, attack::candidate_success(mu, records).value, "success of the best guess");
          covered(trial, hits, count, attack::gaussian_power(exactly(mu), 1.0 / records).power.upper,
                  "the bound at baseline 1/10");
        };
        check(outcome.claim, 1.0);
        check(outcome.control, 0.8);
      }};
}

Case posterior() {
  return {
      "attack/posterior",
      "In a mechanism below the profile of G(1) the odds of presence rise by e^2 or more with at most the chance "
      "that the bound gives",
      "With the public chance 0.162089 answer by randomised response at epsilon 2, else say nothing: 1-GDP; 2e5 "
      "(nightly 2e6) losses of the record, exact interval of the chance of a loss of 2",
      "The chance for the Gaussian mechanism itself, Phi(1/2 - 2)", [](const Setting& setting, Outcome& outcome) {
        const std::size_t count = setting.size(200000, 2000000);
        constexpr double chance = 0.162089, odds = 2.0;
        const auto answers = uniform_sample(setting, 0xB150, count), rights = uniform_sample(setting, 0xB160, count);
        std::size_t risen = 0;
        for (std::size_t i = 0; i < count; ++i) {
          risen += answers[i] < chance && rights[i] < 1.0 / (1.0 + std::exp(-odds)) ? 1U : 0U;
        }
        // The bound is attained to four digits: an interval cannot lie below it.
        const Enclosure seen = inference::clopper_pearson(risen, count, miss_per_interval);
        const auto check = [&](Trial& trial, double bound) {
          const double share = static_cast<double>(risen) / static_cast<double>(count);
          trial.require(seen.lower <= bound, "losses of 2 or more", rounded(seen.lower, 4) + " <= " + rounded(bound, 6),
                        Measurement::at_most(share, bound).interval(seen.lower, seen.upper));
          trial.used_intervals(1);
        };
        check(outcome.claim, attack::gaussian_posterior_tail(exactly(1.0), odds).upper);
        check(outcome.control, attack::gaussian_pair_tail(exactly(1.0), odds).upper);
      }};
}

}  // namespace

std::vector<Case> runs_cases() { return {dual(), advantage(), candidates(), posterior()}; }

}  // namespace dpcurves::validation::attack_risk
