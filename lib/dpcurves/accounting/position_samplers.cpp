// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/position_samplers.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/accounting/sampled_curve.hpp>
#include <dpcurves/accounting/shuffled.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting::detail {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

double bins_of(const DpSgdPhase& phase) {
  constexpr double rounding = 1e-15;  // the rate 1/3 is not a double
  return std::floor((1.0 + rounding) / phase.sampling_rate);
}

bool alone(const DpSgd& run) { return run.unsampled.empty() && run.claims.empty() && run.concentrated.empty(); }

// The mean of the record's bin: its uses in all phases, the last epoch of each counted in full.
struct Bins {
  double count = 1.0;
  double uses = 0.0;
  double mean = 0.0;
  bool whole = true;
};

Bins bins(const DpSgd& run) {
  Bins all;
  double square = 0.0;
  for (const DpSgdPhase& phase : run.phases) {
    all.count = bins_of(phase);
    const double uses = std::ceil(phase.steps / all.count);
    all.whole = all.whole && uses * all.count == phase.steps;
    all.uses += uses;
    square += uses / (phase.noise_multiplier * phase.noise_multiplier);
  }
  all.mean = std::sqrt(square);
  return all;
}

std::vector<std::string> direction_names(Adjacency adjacency) {
  return adjacency == Adjacency::add      ? std::vector<std::string>{"add"}
         : adjacency == Adjacency::remove ? std::vector<std::string>{"remove"}
                                          : std::vector<std::string>{"remove", "add"};
}

// Both ends of b-min-sep: the number of uses revealed above, a test below.
CurvePtr separated_curve(const DpSgd& run, Direction direction) {
  const DpSgdPhase& phase = run.phases.front();
  const MinimumSeparation sampler{phase.steps, phase.sampling_rate, run.separation, true};
  const std::vector<double> uses = sampler.participations();
  const double mu = 1.0 / phase.noise_multiplier;
  const auto delta = [=](double epsilon) {
    Enclosure value{0.0, 0.0};
    double total = 0.0;
    for (std::size_t n = 0; n < uses.size(); ++n) {
      const double root = mu * std::sqrt(static_cast<double>(n));
      const Enclosure mean{root * (1.0 - 1e-15), root * (1.0 + 1e-15)};
      value.upper += uses[n] * tradeoff::delta_enclosure(epsilon, mean).upper * (1.0 + 1e-12);
      total += uses[n];
    }
    value.upper = std::min(1.0, value.upper + std::max(0.0, 1.0 - total) + 1e-14 * value.upper);
    if (epsilon >= 0.0 && epsilon <= 700.0) {
      constexpr std::size_t points = std::size_t{1} << 16U;  // a lower end may be a little lower
      for (const double factor : {0.7, 1.0}) {
        AdditiveTest test;
        test.steps = phase.steps;
        test.fewest = 0.0;
        test.probability = uses;
        test.noise_multiplier = phase.noise_multiplier;
        test.rate = std::min(0.99, factor * sampler.marginal_rate());
        test.epsilon = epsilon;
        test.direction = direction;
        value.lower = std::max(value.lower, additive_test(test, points).delta_lower);
      }
    }
    value.lower = std::min(value.lower, value.upper);
    return value;
  };
  const double most = std::ceil(phase.steps / run.separation);
  return sampled_curve(delta, outward(exactly(mu * std::sqrt(most)), 1e-15), "number of uses revealed; test");
}

}  // namespace

std::vector<Violation> position_violations(const DpSgd& run, Sampler sampler) {
  std::vector<Violation> found;
  const std::string word(name(sampler));
  const bool mixed = std::any_of(run.phases.begin(), run.phases.end(), [&](const DpSgdPhase& phase) {
    return phase.sampling.value_or(run.sampling) != sampler;
  });
  if (run.phases.empty() || mixed || !alone(run)) {
    return {{"steps of one sampler and nothing else with " + word, "other samplers or releases",
             "poisson or fixed-size batches, which compose with anything"}};
  }
  if (sampler == Sampler::balls_in_bins) {
    const Bins all = bins(run);
    for (const DpSgdPhase& phase : run.phases) {
      if (bins_of(phase) != all.count) {
        found.push_back({"the same number of bins in all phases of balls-in-bins", "sampling rates that differ",
                         "one sampling rate: the bins are drawn once"});
        break;
      }
    }
    if (!(all.count <= 1e7) || !(all.mean <= 10.0 && all.mean >= 1e-4)) {
      found.push_back({"at most 1e7 bins and a noise multiplier over the root of the uses in [0.1, 1e4] with "
                       "balls-in-bins",
                       shortest(all.count) + " bins, " + shortest(1.0 / all.mean), "poisson batches"});
    }
    return found;
  }
  const DpSgdPhase& phase = run.phases.front();
  if (run.adjacency == Adjacency::replace_one) {
    found.push_back({"adjacency add-or-remove or zero-out with b-min-sep batches", "adjacency replace-one",
                     "adjacency zero-out, or poisson batches"});
  }
  if (run.phases.size() > 1 || !(phase.steps >= 1.0 && phase.steps <= 1e5) || run.separation > phase.steps ||
      !(phase.noise_multiplier >= 0.1 && phase.noise_multiplier <= 1e4)) {
    found.push_back({"one phase of 1 to 1e5 steps, at least the separation, and a noise multiplier in [0.1, 1e4] with "
                     "b-min-sep",
                     shortest(phase.steps) + " steps, separation " + shortest(run.separation) + ", noise multiplier " +
                         shortest(phase.noise_multiplier),
                     "poisson batches"});
  }
  return found;
}

void add_position_curves(Guarantee& guarantee, const DpSgd& run, Sampler sampler) {
  if (sampler == Sampler::b_min_sep) {
    for (const std::string& direction : direction_names(run.adjacency)) {
      guarantee.directions.push_back(
          {direction, separated_curve(run, direction == "remove" ? Direction::remove : Direction::add)});
    }
    const DpSgdPhase& phase = run.phases.front();
    const double most = std::ceil(phase.steps / run.separation);
    guarantee.note = "at most " + shortest(most) +
                     " uses of a record; the upper end reveals how many there were, the lower end is that of a "
                     "test; whether Poisson sampling at the same rate is an upper bound is not known here, at the marginal rate "
                     "it is not";
    guarantee.curve = worst_curve(guarantee.directions,
                                  outward(exactly(std::sqrt(most) / phase.noise_multiplier), 1e-15));
    return;
  }
  const Bins all = bins(run);
  const Enclosure mu = outward(exactly(all.mean), 1e-15);
  if (run.adjacency == Adjacency::replace_one) {
    guarantee.directions.push_back({"both", one_position_curve({all.count, all.mean, -all.mean})});
    guarantee.curve = worst_curve(guarantee.directions, scale(mu, 2.0));
  } else {
    const AllocationCurves curves = random_allocation_curves({1.0 / all.mean, all.count, 1.0, 1.0});
    for (const std::string& direction : direction_names(run.adjacency)) {
      guarantee.directions.push_back({direction, direction == "remove" ? curves.remove : curves.add});
    }
    guarantee.curve = worst_curve(guarantee.directions, mu);
  }
  guarantee.upper_only = !all.whole;
  guarantee.note = shortest(all.count) + " bins, each record in one of them for all " + shortest(all.uses) + " epochs" +
                   (all.whole ? "" : "; the last epoch is counted in full");
}

std::optional<Guarantee> shuffled_guarantee(const DpSgd& run) {
  const bool replace = run.adjacency == Adjacency::replace_one;
  if (run.phases.size() != 1 || !alone(run) || run.phases.front().sampling.value_or(run.sampling) != Sampler::shuffled ||
      (!replace && run.adjacency != Adjacency::zero_out)) {
    return std::nullopt;
  }
  const DpSgdPhase& phase = run.phases.front();
  Shuffled batches{phase.noise_multiplier, bins_of(phase), 1.0, ShuffledPair::replace_one, true};
  batches.epochs = std::ceil(phase.steps / batches.batches);
  if (!(batches.batches <= 1e6 && batches.epochs >= 1.0 && batches.epochs <= 1e5) || (replace && batches.epochs > 1.0) ||
      !(phase.noise_multiplier >= 0.1 && phase.noise_multiplier <= 1e4)) {
    return std::nullopt;
  }
  Guarantee guarantee;
  guarantee.theorem = "accountant/shuffled";
  guarantee.title = "random order, hiding among clones";
  guarantee.assumed = {"batches, noise and the clipping norm do not depend on the data beyond the earlier releases",
                       "every epoch draws a new uniform order, and drops a last batch that is not full",
                       "the first step starts an epoch"};
  guarantee.note = shortest(batches.epochs) + " epochs of " + shortest(batches.batches) +
                   " batches; the upper end is proved for every adaptive choice of gradients, the lower end is that of "
                   "opposite gradients, seen through the largest output of each epoch where there are several";
  if (replace) {
    guarantee.directions.push_back({"both", shuffled_curve(batches)});
  } else {
    for (const auto& [direction, pair] : {std::pair{"remove", ShuffledPair::remove}, {"add", ShuffledPair::add}}) {
      batches.pair = pair;
      guarantee.directions.push_back({direction, shuffled_curve(batches)});
    }
  }
  guarantee.upper_only = batches.epochs * batches.batches != phase.steps;
  guarantee.curve = worst_curve(guarantee.directions,
                                outward(exactly((replace ? 2.0 : 1.0) * std::sqrt(batches.epochs) / phase.noise_multiplier), 1e-15));
  return guarantee;
}

}  // namespace dpcurves::accounting::detail
