// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Samplers whose steps are mixtures: likelihood-ratio attacks on the sums over drawn batches against the certified
// trade-off functions. The attacker sees the sums, not the batches.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mixtures.hpp>

#include "validation/cases/topics.hpp"
#include "validation/runs.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::DpSgd;
using mechanism::Adjacency;
using mechanism::Sampler;

/// Chances of the mean of a noisy sum, in units of the clipping norm.
using Means = std::map<double, double>;

/// A mechanism whose gradients are constant: what its sums are with and without the records.
struct Attack {
  Means with, without;
  std::function<double(double)> draw_with, draw_without;  ///< a mean from a uniform number: the algorithm's batch
  double noise = 1.0, steps = 1.0;
};

/// log likelihood ratios of all steps of `count` runs.
std::vector<double> losses(const Setting& setting, std::uint32_t number, const Attack& a, bool present,
                           std::size_t count) {
  std::vector<double> result(count, 0.0);
  const auto density = [&](const Means& means, double x) {
    double sum = 0.0;
    for (const auto& [mean, chance] : means) {
      sum += chance * std::exp(-0.5 * (x - mean) * (x - mean) / (a.noise * a.noise));
    }
    return sum;
  };
  for (std::uint32_t step = 0; step < static_cast<std::uint32_t>(a.steps); ++step) {
    const auto normal = normal_sample(setting, number + step, count);
    const auto batch = uniform_sample(setting, number + step, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = (present ? a.draw_with : a.draw_without)(batch[i]) + a.noise * normal[i];
      result[i] += std::log(density(a.with, x) / density(a.without, x));
    }
  }
  return result;
}

/// The inverse of a distribution function.
std::function<double(double)> drawing(const Means& means) {
  return [means](double u) {
    double sum = 0.0;
    for (const auto& [mean, chance] : means) {
      sum += chance;
      if (u < sum) {
        return mean;
      }
    }
    return means.rbegin()->first;
  };
}

Means shifted(const std::vector<double>& chances, double distance) {
  Means means;
  for (std::size_t j = 0; j < chances.size(); ++j) {
    means[static_cast<double>(j) * distance] += chances[j];
  }
  return means;
}

std::vector<double> binomial(int n, double p) {
  std::vector<double> chances{1.0};
  for (int i = 0; i < n; ++i) {
    chances.push_back(0.0);
    for (std::size_t j = chances.size(); j-- > 0;) {
      chances[j] = chances[j] * (1.0 - p) + (j > 0 ? chances[j - 1] * p : 0.0);
    }
  }
  return chances;
}

/// Lower ends at any type I error, each found once.
Curve lower_curve(const accounting::CurvePtr& curve) {
  const auto known = std::make_shared<std::map<double, double>>();
  return [curve, known](double a) {
    const auto [at, fresh] = known->try_emplace(a, 0.0);
    if (fresh) {
      const double asked[] = {a};
      at->second = curve->type_two_errors(asked).front().lower;
    }
    return at->second;
  };
}

Attack attack_of(Means with, Means without, double noise, double steps) {
  Attack a{std::move(with), std::move(without), {}, {}, noise, steps};
  a.draw_with = drawing(a.with);
  a.draw_without = drawing(a.without);
  return a;
}

DpSgd removed(Sampler sampling, accounting::DpSgdPhase phase, double group = 1.0) {
  return DpSgd{.sampling = sampling, .adjacency = Adjacency::remove, .phases = {phase}, .group_size = group};
}

/// What is claimed: a curve for each part of a case, which are computed side by side.
struct Claimed {
  Claimed(const DpSgd& run)  // NOLINT: a run is its certified curve
      : curve([run] { return lower_curve(accounting::dp_sgd_guarantee(run).curve); }) {}
  explicit Claimed(std::function<Curve()> of) : curve(std::move(of)) {}
  std::function<Curve()> curve;
};

/// Lines below which no test's type II error is, at thresholds from 0 on.
Curve lines(const std::function<double(double)>& delta, double last, double step) {
  std::map<double, double> deltas;
  for (double epsilon = 0.0; epsilon <= last; epsilon += step) {
    deltas[epsilon] = delta(epsilon);
  }
  return allowed_by(std::move(deltas));
}

/// A record zeroed out of batches that are drawn with replacement.
Claimed zeroed_out(double draws, double records) {
  return Claimed([draws, records] {
    const auto curves = accounting::multiplicity_curves({true, 1.0, draws, records, 1.0, 1.0, 0.0},
                                                        accounting::MultiplicityDirection::zero_remove);
    return lines(
        [&](double epsilon) {
          return std::min(curves.revealed->delta(epsilon).value.upper, curves.hidden->delta(epsilon).value.upper);
        },
        2.5, 0.125);
  });
}

struct Study {
  Attack attack;
  Claimed claimed, broken;
  bool attained;
  std::vector<double> errors;
  const char* title;
  std::size_t runs = 50000, nightly_runs = 400000;
};

/// Runs of one step where the attack shows at small type I errors only: for controls to break with every seed.
constexpr std::size_t many_runs = 200000;

/// The attack against the claim and the broken claim; the pictured curve in ranges of type I errors, each a part.
void judged(const Setting& setting, Outcome& outcome, std::uint32_t number, const Study& s) {
  const std::size_t count = setting.size(s.runs, s.nightly_runs), ranges = setting.size(1, 4);
  std::vector<double> grid = even_grid(setting.size(8, 40));
  grid.insert(grid.end(), s.errors.begin(), s.errors.end());  // where a chord would be above the attack
  std::sort(grid.begin(), grid.end());
  outcome = outcome_of_parts(1 + ranges, setting.threads, [&](std::size_t part, Outcome& found) {
    if (part > 0) {
      const std::size_t first = (part - 1) * grid.size() / ranges, end = part * grid.size() / ranges;
      found.figures.push_back(tradeoff_figure(
          s.title, {drawn("certified", s.claimed.curve(), std::span(grid).subspan(first, end - first))}));
      return;
    }
    const Points points = threshold_points(losses(setting, number, s.attack, false, count),
                                           losses(setting, number + 0x80, s.attack, true, count), s.errors);
    check_points(found.claim, points, s.claimed.curve(), s.attained, s.title);
    check_points(found.control, points, s.broken.curve(), false, s.title);
    found.figures.push_back(tradeoff_figure(s.title, {drawn("attack", points)}));
  });
  io::Series attack, curve;
  for (Figure& part : outcome.figures) {
    io::Series& series = part.plot.series.front();
    if (series.name == "attack") {
      attack = std::move(series);
    } else if (curve.x.empty()) {
      curve = std::move(series);
    } else {
      curve.x.insert(curve.x.end(), series.x.begin(), series.x.end());
      curve.y.insert(curve.y.end(), series.y.begin(), series.y.end());
    }
  }
  outcome.figures = {tradeoff_figure(s.title, {std::move(curve), std::move(attack)})};
}

Case group() {
  return {
      "accountant/group-mixture",
      "The certified trade-off function of DP-SGD with Poisson sampling and a group of three records removed lies "
      "below the likelihood-ratio attack on gradients of full norm in one direction, and the attack attains it.",
      "10 steps, q = 0.1, Z = 1.5; 5e4 (nightly 4e5) runs of either law, 3 thresholds from a pilot, exact intervals.",
      "The curve of a group of two.", [](const Setting& setting, Outcome& outcome) {
        const accounting::DpSgdPhase phase{1.5, 0.1, 10.0};
        judged(setting, outcome, 0x7000,
               {attack_of(shifted(binomial(3, 0.1), 1.0), {{0.0, 1.0}}, 1.5, 10.0),
                removed(Sampler::poisson, phase, 3.0),
                removed(Sampler::poisson, phase, 2.0),
                true,
                {0.01, 0.05, 0.2},
                "A group of three records, Poisson sampling"});
      }};
}

Case fixed_size() {
  return {
      "accountant/fixed-size-presence",
      "The certified trade-off function of DP-SGD with batches of a fixed size, a record removed, lies below the "
      "likelihood-ratio attack on a record opposite to all others, and the attack attains it.",
      "Batches of 6 of 20 records, 10 steps, Z = 2; 5e4 (nightly 4e5) runs of either law, 3 thresholds from a pilot, "
      "exact intervals.",
      "The curve of Poisson sampling at the same rate.", [](const Setting& setting, Outcome& outcome) {
        const accounting::DpSgdPhase phase{2.0, 0.3, 10.0, {}, 20.0};
        judged(setting, outcome, 0x7200,
               {attack_of({{-6.0, 0.7}, {-4.0, 0.3}}, {{-6.0, 1.0}}, 2.0, 10.0),
                removed(Sampler::fixed_size, phase),
                removed(Sampler::poisson, phase),
                true,
                {0.01, 0.05, 0.2},
                "A record removed, batches of a fixed size"});
      }};
}

Case with_replacement() {
  return {
      "accountant/with-replacement",
      "The certified trade-off function of DP-SGD with batches drawn with replacement, a record removed, lies below "
      "the likelihood-ratio attack on a record opposite to all others, and the attack attains it.",
      "One batch of 5 draws from 10 records, Z = 1; 2e5 (nightly 4e5) runs of either law, 2 thresholds from a pilot, "
      "exact intervals.",
      "The curve of batches of a fixed size without replacement.", [](const Setting& setting, Outcome& outcome) {
        const accounting::DpSgdPhase phase{1.0, 0.5, 1.0, {}, 10.0};
        judged(setting, outcome, 0x7400,
               {attack_of(shifted(binomial(5, 0.1), 2.0), {{0.0, 1.0}}, 1.0, 1.0),
                removed(Sampler::with_replacement, phase),
                removed(Sampler::fixed_size, phase),
                true,
                {0.001, 0.002},
                "A record removed, batches with replacement",
                many_runs,
                2 * many_runs});
      }};
}

Case multiplicity() {
  return {
      "accountant/multiplicity",
      "The lines of the smaller of the two bounds for batches drawn with replacement, a record zeroed out, lie below "
      "the likelihood-ratio attack on the record whose gradient is 1 where all others are 0.",
      "One batch of 5 draws from 10 records, Z = 1; 2e5 (nightly 4e5) runs of either law, 3 thresholds from a pilot, "
      "exact intervals.",
      "The lines of 4 draws.", [](const Setting& setting, Outcome& outcome) {
        judged(setting, outcome, 0x7A00,
               {attack_of(shifted(binomial(5, 0.1), 1.0), {{0.0, 1.0}}, 1.0, 1.0),
                zeroed_out(5.0, 10.0),
                zeroed_out(4.0, 10.0),
                false,
                {0.01, 0.05, 0.2},
                "A record zeroed out, batches with replacement",
                many_runs,
                2 * many_runs});
      }};
}

Case cyclic_poisson() {
  return {"accountant/cyclic-poisson",
          "The certified trade-off function of cyclic Poisson sampling lies below the likelihood-ratio attack on a "
          "record of the first group, and the attack attains it.",
          "40 steps of a cycle of 4, q = 0.3 within a group, Z = 2: 10 steps see the record; 5e4 (nightly 4e5) runs of "
          "either law, 3 thresholds from a pilot, exact intervals.",
          "The curve of 40 Poisson steps at rate q / 4.", [](const Setting& setting, Outcome& outcome) {
            judged(setting, outcome, 0x7600,
                   {attack_of({{0.0, 0.7}, {1.0, 0.3}}, {{0.0, 1.0}}, 2.0, 10.0),
                    removed(Sampler::cyclic_poisson, {2.0, 0.3, 40.0, {}, 0.0, 4.0}),
                    removed(Sampler::poisson, {2.0, 0.075, 40.0}),
                    true,
                    {0.01, 0.05, 0.2},
                    "Cyclic Poisson sampling"});
          }};
}

Case truncated_poisson() {
  return {"accountant/truncated-poisson",
          "The certified trade-off function of Poisson batches cut at a largest size lies below the likelihood-ratio "
          "attack on a record opposite to all others, and attains it where every batch is full.",
          "4 records, all drawn, a batch cut at 2, Z = 1; 2e5 (nightly 4e5) runs of either law, 2 thresholds from a "
          "pilot, exact intervals.",
          "The curve of Poisson sampling without the cut.", [](const Setting& setting, Outcome& outcome) {
            // Without the record two of the others are kept, -1 each; with it, it takes a place with chance 1/2.
            const accounting::DpSgdPhase phase{1.0, 1.0, 1.0, {}, 4.0, 1.0, 2.0};
            judged(setting, outcome, 0x7800,
                   {attack_of({{-2.0, 0.5}, {0.0, 0.5}}, {{-2.0, 1.0}}, 1.0, 1.0),
                    removed(Sampler::truncated_poisson, phase),
                    removed(Sampler::poisson, phase),
                    true,
                    {0.001, 0.002},
                    "Truncated Poisson batches",
                    many_runs,
                    2 * many_runs});
          }};
}

/// How often one record is kept: with m of the others drawn, always where they leave a place, else by a fair choice.
double chance_of_being_kept(int others, double p, int largest) {
  double chance = 0.0;
  const auto drawn = binomial(others, p);
  for (std::size_t m = 0; m < drawn.size(); ++m) {
    chance += drawn[m] * p * std::min(1.0, largest / (static_cast<double>(m) + 1.0));
  }
  return chance;
}

Case truncated_by_others() {
  return {"accountant/truncated-by-others",
          "The certified lines of Poisson batches cut at a largest size, told apart by how many of the other records "
          "are kept, lie below the likelihood-ratio attack on a record beside others of gradient 0.",
          "20 records, q = 0.2, batches cut at 5, 5 steps, Z = 1; 2e5 (nightly 4e5) runs of either law, 3 thresholds "
          "from a pilot, exact intervals.",
          "The curve of Poisson sampling at the chance that a record is drawn and nothing is cut.",
          [](const Setting& setting, Outcome& outcome) {
            const double p = 0.2, kept = chance_of_being_kept(19, p, 5);
            const accounting::DpSgdPhase phase{1.0, p, 5.0, {}, 20.0, 1.0, 5.0};
            double uncut = 0.0;
            const auto drawn = binomial(19, p);
            for (std::size_t m = 0; m < 5; ++m) {
              uncut += drawn[m];
            }
            const DpSgd run = removed(Sampler::truncated_poisson, phase);
            judged(setting, outcome, 0x7900,
                   {attack_of({{0.0, 1.0 - kept}, {1.0, kept}}, {{0.0, 1.0}}, 1.0, 5.0),
                    Claimed([run] {
                      const auto curve = accounting::truncated_by_others(run)->curve;
                      return lines([&](double epsilon) { return curve->delta(epsilon).value.upper; }, 3.5, 0.25);
                    }),
                    removed(Sampler::poisson, {1.0, p * uncut, 5.0}),
                    false,
                    {0.01, 0.05, 0.2},
                    "Truncated Poisson batches, by the others that are kept",
                    many_runs,
                    2 * many_runs});
          }};
}

}  // namespace

std::vector<Case> mixture_cases() {
  return {group(),          fixed_size(),        with_replacement(),   multiplicity(),
          cyclic_poisson(), truncated_poisson(), truncated_by_others()};
}

}  // namespace dpcurves::validation::accountant
