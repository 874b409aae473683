// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/accounting/detail/position_samplers.hpp>
#include <dpcurves/accounting/detail/replaced_curve.hpp>
#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/accounting/shuffled.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/rounding.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::accounting::detail {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

double bins_of(const DpSgdPhase& phase) {
  constexpr double rounding = 1e-15;  // the rate 1/3 is not a double
  return std::floor((1.0 + rounding) / phase.sampling_rate);
}

bool alone(const DpSgd& run) {
  return run.unsampled.empty() && run.claims.empty() && run.concentrated.empty() && run.mechanisms.empty();
}

// The mean of the record's bin: its uses in all phases.
struct Bins {
  double count = 1.0;
  double uses = 0.0;
  double mean = 0.0;
  bool whole = true;
};

// How the epochs of a phase are counted: the last one in full where it is none, or not at all.
using Rounding = double (*)(double);
double in_full(double epochs) { return std::ceil(epochs); }
double complete(double epochs) { return std::floor(epochs); }

Bins bins(const DpSgd& run, Rounding counted) {
  Bins all;
  double square = 0.0;
  for (const DpSgdPhase& phase : run.phases) {
    all.count = bins_of(phase);
    const double uses = counted(phase.steps / all.count);
    all.whole = all.whole && uses * all.count == phase.steps;
    all.uses += uses;
    square += uses / (phase.noise_multiplier * phase.noise_multiplier);
  }
  all.mean = std::sqrt(square);
  return all;
}

// Minimum separation at rate 1: a record is used in every b-th step from a random start on.
Bins turns(const DpSgd& run, Rounding counted) {
  const DpSgdPhase& phase = run.phases.front();
  const double uses = counted(phase.steps / run.separation);
  return {run.separation, uses, std::sqrt(uses) / phase.noise_multiplier, uses * run.separation == phase.steps};
}

std::string position_note(const Bins& all) {
  return shortest(all.count) + " bins, each record in one of them for all " + shortest(all.uses) + " epochs" +
         (all.whole ? "" : "; the last epoch is counted in full, and left out of the lower end");
}

constexpr double loud = 10.0;  // mean of a bin beyond which the loudest one tells all

bool has_curve(const Bins& all) { return all.count <= 1e7 && all.mean <= 1e150 && all.mean >= 1e-4; }

std::vector<std::string> direction_names(Adjacency adjacency) {
  return adjacency == Adjacency::add      ? std::vector<std::string>{"add"}
         : adjacency == Adjacency::remove ? std::vector<std::string>{"remove"}
                                          : std::vector<std::string>{"remove", "add"};
}

// delta of a Gaussian mechanism of mu sqrt(n), n the number of uses, in the mean: the number revealed.
double revealed_uses(const std::vector<double>& uses, double mu, double epsilon) {
  constexpr std::size_t most_terms = 256;  // beyond, neighbouring numbers count as the largest of them
  std::size_t from = 0;
  while (from + 1 < uses.size() && uses[from] == 0.0) {
    ++from;
  }
  const std::size_t width = (uses.size() - from + most_terms - 1) / most_terms;
  double value = 0.0;
  double total = 0.0;
  for (std::size_t n = from; n < uses.size(); n += width) {
    const std::size_t end = std::min(n + width, uses.size());
    double mass = 0.0;
    for (std::size_t i = n; i < end; ++i) {
      mass += uses[i];
    }
    if (mass > 0.0) {
      const double root = mu * std::sqrt(static_cast<double>(end - 1));
      const Enclosure mean{root * (1.0 - 1e-15), root * (1.0 + 1e-15)};
      value += mass * tradeoff::delta_enclosure(epsilon, mean).upper * (1.0 + 1e-12);
      total += mass;
    }
  }
  return std::min(1.0, value + std::max(0.0, 1.0 - total) + 1e-14 * value);
}

// Poisson sampling that uses the record whenever minimum separation does: at the rate of a free record in every step,
// or in every window of b steps at the rate of a free record in some step of it.
std::vector<CurvePtr> separated_as_poisson(const DpSgd& run, Pair pair) {
  const DpSgdPhase& phase = run.phases.front();
  const double mu = ratio_up(1.0, phase.noise_multiplier);
  std::vector<CurvePtr> found;
  const auto add = [&](double rate, double steps) {
    Composition composition;
    composition.components.push_back({rate, mu, steps, pair});
    found.push_back(composition_curve(composition));
  };
  add(phase.sampling_rate, phase.steps);
  if (run.separation > 1.0 && phase.sampling_rate < 1.0) {
    const double some = -std::expm1(run.separation * std::log1p(-phase.sampling_rate));
    add(std::min(1.0, some * (1.0 + 1e-14 * (1.0 + run.separation * phase.sampling_rate))),
        std::ceil(phase.steps / run.separation));
  }
  return found;
}

constexpr double least_tested = 0.1;  // noise of an additive test

// Both ends of b-min-sep: the best of three bounds above, a test below, where there is one. \param direction  "remove",
// "add" or "both".
CurvePtr separated_curve(const DpSgd& run, const std::string& direction) {
  const DpSgdPhase& phase = run.phases.front();
  const MinimumSeparation sampler{phase.steps, phase.sampling_rate, run.separation, true};
  const std::vector<double> uses = sampler.participations();
  const bool replaced = direction == "both";
  const double mu = (replaced ? 2.0 : 1.0) / phase.noise_multiplier;
  AdditiveTest test{.steps = phase.steps,
                    .fewest = 0.0,
                    .probability = uses,
                    .noise_multiplier = phase.noise_multiplier,
                    .rate = sampler.marginal_rate(),
                    .direction = direction == "add" ? Direction::add : Direction::remove,
                    .replaced = replaced};
  const double most = std::ceil(phase.steps / run.separation);
  auto curves = separated_as_poisson(run, replaced             ? Pair::poisson_replace_one
                                          : direction == "add" ? Pair::poisson_add
                                                               : Pair::poisson_remove);
  const Enclosure whole = outward(exactly(mu * std::sqrt(most)), 1e-15);
  const LowerEnd none{[](double) { return 0.0; }, [](double, double) { return 0.0; }};
  curves.push_back(sampled_curve([uses, mu](double epsilon) { return revealed_uses(uses, mu, epsilon); }, none, whole,
                                 "uses revealed"));
  const bool tested = phase.noise_multiplier >= least_tested;
  return tested_curve(best_curve(std::move(curves)), tested ? lower_end(test, {0.7, 1.0}) : none, whole,
                      std::string("Poisson sampling or uses revealed") + (tested ? "; test" : ""));
}

std::vector<DirectedCurve> directed(Adjacency adjacency, const AllocationCurves& curves) {
  return mapped(direction_names(adjacency), [&](const std::string& direction) {
    return DirectedCurve{direction, direction == "remove" ? curves.remove : curves.add};
  });
}

// A last epoch of one phase that is cut: the bins that it has reached hold one use more.
std::vector<DirectedCurve> cut_curves(const DpSgd& run, const Bins& done) {
  const DpSgdPhase& phase = run.phases.front();
  const AllocationCurves curves =
      random_allocation_curves({phase.noise_multiplier / std::sqrt(done.uses + 1.0), done.count, 1.0, 0.0,
                                phase.steps - done.uses * done.count, done.mean});
  return directed(run.adjacency, curves);
}

// The pair of a bin, in every direction of the adjacency.
std::vector<DirectedCurve> position_curves(Adjacency adjacency, const Bins& all) {
  constexpr double moderate = 2.0;  // mean up to which the sum over the positions is narrow
  const RandomAllocation one_round{1.0 / all.mean, all.count, 1.0, 1.0};
  if (adjacency == Adjacency::replace_one && all.mean > loud) {
    return {{"both", random_allocation_replaced_curve(one_round)}};
  }
  const OnePosition replaced{all.count, all.mean, -all.mean};
  if (adjacency == Adjacency::replace_one && all.mean <= moderate) {
    return {{"both", one_position_curve(replaced)}};
  }
  const AllocationEnds ends = adjacency == Adjacency::replace_one ? AllocationEnds::upper : AllocationEnds::both;
  const AllocationCurves curves = random_allocation_curves(one_round, 1.0, ends);
  if (adjacency == Adjacency::replace_one) {
    const LowerEnd largest{[replaced](double epsilon) { return largest_test(replaced, epsilon).delta.lower; }};
    return {{"both", replaced_curve(curves.remove, curves.add, largest, scale(outward(exactly(all.mean), 1e-15), 2.0),
                                    "removed, then added; largest output")}};
  }
  return directed(adjacency, curves);
}

// Lower ends of a run that is shorter, hence shows less.
void bound_below(std::vector<DirectedCurve>& directions, std::vector<DirectedCurve> shorter, Enclosure mu) {
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const CurvePtr below = shorter[i].curve;
    const LowerEnd end{
        [below](double epsilon) { return below->delta(epsilon).value.lower; },
        [below](double delta, double high) { return std::min(high, below->epsilon(delta).value.lower); }};
    directions[i].curve = tested_curve(directions[i].curve, end, mu, "epochs rounded up and down");
  }
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
    const Bins all = bins(run, in_full);
    for (const DpSgdPhase& phase : run.phases) {
      if (bins_of(phase) != all.count) {
        found.push_back({"the same number of bins in all phases of balls-in-bins", "sampling rates that differ",
                         "one sampling rate: the bins are drawn once"});
        break;
      }
    }
    if (!has_curve(all)) {
      found.push_back(
          {"at most 1e7 bins and a noise multiplier over the root of the uses in [1e-150, 1e4] with balls-in-bins",
           shortest(all.count) + " bins, " + shortest(1.0 / all.mean), "poisson batches"});
    }
    return found;
  }
  const DpSgdPhase& phase = run.phases.front();
  if (run.phases.size() > 1 || !(phase.steps >= 1.0 && phase.steps <= 1e6) || run.separation > phase.steps ||
      !(phase.noise_multiplier >= 1e-3 && phase.noise_multiplier <= 1e4)) {
    found.push_back(
        {"one phase of 1 to 1e6 steps, at least the separation, and a noise multiplier in [1e-3, 1e4] with b-min-sep",
         shortest(phase.steps) + " steps, separation " + shortest(run.separation) + ", noise multiplier " +
             shortest(phase.noise_multiplier),
         "poisson batches"});
  }
  return found;
}

void add_position_curves(Guarantee& guarantee, const DpSgd& run, Sampler sampler) {
  const auto counted = [&](Rounding way) { return sampler == Sampler::b_min_sep ? turns(run, way) : bins(run, way); };
  const Bins all = counted(in_full);
  if (sampler == Sampler::b_min_sep && !(run.phases.front().sampling_rate == 1.0 && has_curve(all))) {
    const bool replaced = run.adjacency == Adjacency::replace_one;
    for (const std::string& direction : replaced ? std::vector<std::string>{"both"} : direction_names(run.adjacency)) {
      guarantee.directions.push_back({direction, separated_curve(run, direction)});
    }
    guarantee.upper_only = run.phases.front().noise_multiplier < least_tested;
    guarantee.note = "at most " + shortest(all.uses) +
                     " uses of a record; the upper end is that of Poisson sampling at the rate of a free record, of "
                     "windows of b steps, or of the number of uses revealed" +
                     (guarantee.upper_only ? "" : ", the lower end that of a test");
    const double distance = replaced ? 2.0 : 1.0;
    guarantee.curve = worst_curve(guarantee.directions, outward(exactly(distance * all.mean), 1e-15));
    return;
  }
  const double distance = run.adjacency == Adjacency::replace_one ? 2.0 : 1.0;
  Enclosure mu = scale(outward(exactly(all.mean), 1e-15), distance);
  const Bins done = counted(complete);
  const bool exact =
      !all.whole && sampler == Sampler::balls_in_bins && run.phases.size() == 1 && distance == 1.0 && all.mean <= loud;
  guarantee.directions = exact ? cut_curves(run, done) : position_curves(run.adjacency, all);
  if (exact) {
    mu.lower = std::min(mu.lower, scale(outward(exactly(done.mean), 1e-15), distance).lower);
  } else if (!all.whole) {
    guarantee.upper_only = !has_curve(done);
    if (!guarantee.upper_only) {
      mu.lower = scale(outward(exactly(done.mean), 1e-15), distance).lower;
      bound_below(guarantee.directions, position_curves(run.adjacency, done), mu);
    }
  }
  guarantee.curve = worst_curve(guarantee.directions, mu);
  guarantee.note = position_note(all);
}

std::optional<Guarantee> shuffled_guarantee(const DpSgd& run) {
  const bool replace = run.adjacency == Adjacency::replace_one;
  if (run.phases.size() != 1 || !alone(run) ||
      run.phases.front().sampling.value_or(run.sampling) != Sampler::shuffled ||
      (!replace && run.adjacency != Adjacency::zero_out)) {
    return std::nullopt;
  }
  const DpSgdPhase& phase = run.phases.front();
  if (phase.first_step && std::fmod(*phase.first_step - 1.0, bins_of(phase)) != 0.0) {
    return std::nullopt;  // in the middle of an epoch
  }
  Shuffled batches{phase.noise_multiplier, bins_of(phase), 1.0, ShuffledPair::replace_one, true};
  batches.epochs = std::ceil(phase.steps / batches.batches);
  if (!(batches.batches <= 1e6 && batches.epochs >= 1.0 && batches.epochs <= 1e5) ||
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
  const auto curves = [&](double epochs) {
    batches.epochs = epochs;
    std::vector<DirectedCurve> found;
    for (const std::string& direction : replace ? std::vector<std::string>{"both"} : direction_names(run.adjacency)) {
      batches.pair = direction == "both"     ? ShuffledPair::replace_one
                     : direction == "remove" ? ShuffledPair::remove
                                             : ShuffledPair::add;
      found.push_back({direction, shuffled_curve(batches, found.empty() ? CurvePtr{} : found.front().curve)});
    }
    return found;
  };
  const auto mean = [&](double epochs) {
    return outward(exactly((replace ? 2.0 : 1.0) * std::sqrt(epochs) / phase.noise_multiplier), 1e-15);
  };
  const double full = batches.epochs, done = complete(phase.steps / batches.batches);
  Enclosure mu = mean(full);
  guarantee.directions = curves(full);
  guarantee.upper_only = done == 0.0;
  if (done != full && done > 0.0) {
    mu.lower = mean(done).lower;
    bound_below(guarantee.directions, curves(done), mu);
  }
  guarantee.curve = worst_curve(guarantee.directions, mu);
  return guarantee;
}

}  // namespace dpcurves::accounting::detail
