// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Audits by many runs: how often their bounds miss; bands over all thresholds; and the verdict on a run of DP-SGD.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <dpcurves/attack/attack.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/inference/audit_verdict.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/multi_run.hpp>
#include <dpcurves/inference/simultaneous.hpp>

#include "validation/cases/attack/ten_steps.hpp"
#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::audit {
namespace {

/// The smallest of n uniforms up to `most`, rising, from exponential spacings.
std::vector<double> smallest(std::size_t n, double most, const std::vector<double>& uniforms, std::size_t& next) {
  std::vector<double> values;
  double left = 1.0;
  for (std::size_t i = 0; i < n && next < uniforms.size(); ++i) {
    left *= std::pow(1.0 - uniforms[next++], 1.0 / static_cast<double>(n - i));
    if (1.0 - left > most) {
      break;
    }
    values.push_back(1.0 - left);
  }
  return values;
}

constexpr std::uint64_t in_runs = 1000, out_runs = 100000;
constexpr double significance = 0.05, top = 0.02, fixed = 0.005;
constexpr int grid = 16;

/// Which counts put the bound of epsilon above 1. An end takes milliseconds: each is computed once, and few are, since
/// for a count with the canary there is a largest count without it that does so.
class Exceeding {
 public:
  explicit Exceeding(double miss) : miss_(miss) {}
  [[nodiscard]] bool at(std::uint64_t in, std::uint64_t out) {
    const auto [found, fresh] = most_.try_emplace(in, -1);
    if (fresh && in > 0) {
      found->second = most_of(inference::clopper_pearson(in, in_runs, miss_).lower);
    }
    return static_cast<std::int64_t>(out) <= found->second;
  }

 private:
  /// The largest count without the canary, -1 if none; found near where the frequencies' ratio is e, in growing steps
  /// and then by halving.
  [[nodiscard]] std::int64_t most_of(double rate) {
    const auto exceeds = [&](std::int64_t out) {
      return inference::bounds_of_rates(rate, upper(out), 0.0).epsilon_lower > 1.0;
    };
    const double near = rate * out_runs / std::numbers::e;
    const auto start = static_cast<std::int64_t>(std::max(0.0, near - 2.0 * std::sqrt(near)));
    std::int64_t low = start, high = start, step = 4;
    if (exceeds(start)) {
      for (high += step; exceeds(high); high += step) {
        low = high;
        step *= 2;
      }
    } else {
      for (low -= step; low >= 0 && !exceeds(low); low -= step) {
        high = low;
        step *= 2;
      }
      low = std::max(low, std::int64_t{-1});
    }
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (exceeds(middle) ? low : high) = middle;
    }
    return low;
  }
  [[nodiscard]] double upper(std::int64_t out) {
    const auto [found, fresh] = upper_.try_emplace(out, 0.0);
    if (fresh) {
      found->second = inference::clopper_pearson(static_cast<std::uint64_t>(out), out_runs, miss_).upper;
    }
    return found->second;
  }

  double miss_;
  std::map<std::uint64_t, std::int64_t> most_;
  std::map<std::int64_t, double> upper_;
};

/// How many of some audits put their bound above the truth, by the way in which they choose a threshold.
struct Misses {
  std::uint64_t fixed = 0, best_of_grid = 0, best_of_all = 0, ratio = 0;
};

/// The audits of one block. Its ends are its own, so that a process that computes it needs no other.
Misses misses_of(const Setting& setting, std::size_t block, std::size_t audits) {
  constexpr std::size_t per_audit = 2200;
  const auto uniforms = uniform_sample(setting, 0xB200, audits * per_audit, block * audits * per_audit);
  Exceeding at_one(significance), at_many(significance / grid);
  Misses missed;
  std::size_t next = 0;
  for (std::size_t i = 0; i < audits; ++i) {
    // Upper tails of the scores in units of the chance without the canary; with it they are e times as likely.
    const auto out = smallest(out_runs, top, uniforms, next);
    auto in = smallest(in_runs, top * std::numbers::e, uniforms, next);
    for (double& tail : in) {
      tail /= std::numbers::e;
    }
    const auto count = [](const std::vector<double>& tails, double threshold) {
      return static_cast<std::uint64_t>(std::upper_bound(tails.begin(), tails.end(), threshold) - tails.begin());
    };
    const auto above = [&](Exceeding& by, double threshold) {
      return by.at(count(in, threshold), count(out, threshold));
    };
    bool any = false;
    for (int k = 1; k <= grid; ++k) {
      any = any || above(at_many, top * k / grid);
    }
    missed.fixed += above(at_one, fixed) ? 1U : 0U;
    missed.best_of_grid += any ? 1U : 0U;
    missed.best_of_all +=
        std::any_of(in.begin(), in.end(), [&](double score) { return above(at_one, score); }) ? 1U : 0U;
    missed.ratio += static_cast<double>(count(in, fixed)) / in_runs >
                            std::numbers::e * static_cast<double>(count(out, fixed)) / out_runs
                        ? 1U
                        : 0U;
  }
  return missed;
}

Case coverage() {
  return {
      "audit/multi-run", "The lower bound of epsilon exceeds the truth with probability at most the significance",
      "Laplace noise at epsilon 1, 1000 runs with and 100000 without the canary, significance 0.05; 2000 (nightly "
      "48000) audits, the scores above false positive rate 0.02, where every threshold has a rate ratio of e; the "
      "threshold 0.005, and the best of 16 thresholds at a sixteenth of the significance: exact intervals",
      "The best of all scores as the threshold without correction; the ratio of the frequencies in place of their ends",
      [](const Setting& setting, Outcome& outcome) {
        const std::size_t repeats = setting.size(2000, 48000), per_block = setting.size(2000, 6000);
        std::vector<Misses> found(repeats / per_block);
        shared_for(
            found.size(), setting.threads,
            [&](std::size_t block) { found[block] = misses_of(setting, block, per_block); },
            [&](std::size_t block, Archive& archive) {
              Misses& m = found[block];
              archive(m.fixed, m.best_of_grid, m.best_of_all, m.ratio);
            });
        Sharing::last_loop_done();
        Misses missed;
        for (const Misses& m : found) {
          missed.fixed += m.fixed;
          missed.best_of_grid += m.best_of_grid;
          missed.best_of_all += m.best_of_all;
          missed.ratio += m.ratio;
        }
        covered(outcome.claim, missed.fixed, repeats, significance, "bounds above the truth, fixed threshold");
        covered(outcome.claim, missed.best_of_grid, repeats, significance, "bounds above the truth, the best of 16");
        covered(outcome.control, missed.best_of_all, repeats, significance, "bounds above the truth, the best of all");
        covered(outcome.control, missed.ratio, repeats, significance, "ratios of frequencies above the truth");
      }};
}

Case bands() {
  return {"audit/simultaneous-bands",
          "The ends at all thresholds hold together with the probability that the recursion gives",
          "The order statistics of 50 uniforms, 20000 (nightly 200000) repeats; significance 0.05: the frequency of a "
          "violation lies in an exact interval around 0.05",
          "The level 0.05 for each order statistic", [](const Setting& setting, Outcome& outcome) {
            constexpr std::size_t size = 50;
            constexpr double miss = 0.05;
            const std::size_t repeats = setting.size(20000, 200000);
            auto draws = uniform_sample(setting, 0xB210, size * repeats);
            const auto violations = [&](double eta) {
              std::vector<double> bound;
              for (std::uint64_t k = 0; k < size; ++k) {
                bound.push_back(inference::clopper_pearson(k, size, 2.0 * eta).upper);
              }
              std::uint64_t count = 0;
              for (std::size_t i = 0; i < repeats; ++i) {
                const double* sample = &draws[i * size];
                bool broken = false;
                for (std::size_t k = 0; k < size; ++k) {
                  broken = broken || sample[k] > bound[k];
                }
                count += broken ? 1U : 0U;
              }
              return count;
            };
            for (std::size_t i = 0; i < repeats; ++i) {
              const auto first = draws.begin() + static_cast<std::ptrdiff_t>(i * size);
              std::sort(first, first + size);
            }
            frequency_is(outcome.claim, violations(inference::simultaneous_eta(size, miss)), repeats, miss,
                         "violations of the bands");
            frequency_is(outcome.control, violations(miss), repeats, miss, "violations of single ends");
          }};
}

Case verdict() {
  return {"audit/verdict",
          "An audit of a run by the likelihood ratio test does not refute the certified curve of that run",
          "Ten steps at rate 0.3 and noise multiplier 1, 1e5 (nightly 4e5) runs with and without the canary, the "
          "threshold near false positive rate 0.01 from other runs, significance 1e-10: not BROKEN, and the bound is "
          "above half of the promise at delta 1e-5",
          "The run file says rate 0.25: must not be BROKEN", [](const Setting& setting, Outcome& outcome) {
            const std::size_t count = setting.size(100000, 400000);
            const double rates[] = {0.01};
            const auto pilot = attack_risk::ten_step_losses(setting, 0xB220, false, 20000);
            const double threshold = inference::pilot_thresholds(pilot, rates).front();
            const auto out = attack_risk::ten_step_losses(setting, 0xB230, false, count);
            const auto in = attack_risk::ten_step_losses(setting, 0xB240, true, count);
            const auto bounds = inference::multi_run(inference::counts_at(in, out, threshold), miss_per_interval, 1e-5);
            const auto check = [&](Trial& trial, double rate) {
              attack::Attack attack(accounting::dp_sgd_guarantee(attack_risk::ten_steps(rate)).directions);
              const Enclosure power = attack.power(bounds.false_positive_rate_upper, 1e-7).value.power;
              const auto said = inference::audit_verdict(bounds.true_positive_rate_lower > power.upper,
                                                         bounds.true_positive_rate_lower > power.lower,
                                                         bounds.epsilon_lower, 2.0 * bounds.epsilon_lower);
              trial.require(said != inference::AuditVerdict::broken, "rate " + rounded(rate, 3),
                            rounded(bounds.true_positive_rate_lower, 5) + " <= " + rounded(power.upper, 5),
                            Measurement::at_most(bounds.true_positive_rate_lower, power.upper));
              trial.used_intervals(2);
            };
            check(outcome.claim, 0.3);
            check(outcome.control, 0.25);
          }};
}

}  // namespace

std::vector<Case> multi_run_cases() { return {coverage(), bands(), verdict()}; }

}  // namespace dpcurves::validation::audit
