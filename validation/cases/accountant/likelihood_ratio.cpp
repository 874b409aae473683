// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Likelihood-ratio attacks on DP-SGD itself: noisy sums over drawn batches, with the gradients that give most away,
// against the certified trade-off functions, and their moments against the Renyi divergences that the accountant adds.
// The attacker sees the sums, not the batches.
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/inference/detail/moments.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/accountant/certified.hpp"
#include "validation/cases/topics.hpp"
#include "validation/runs.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::Composition;
using accounting::Pair;
using accounting::SubsampledGaussian;

/// Gradients, in units of the clipping norm, of the one record that differs and of all others.
struct Gradients {
  double record, record_in_null, others;
};

/// The instances that are the worst of one step. With Poisson sampling the others do not matter; with a fixed size
/// they say whether the record was drawn. For the record added, the null has it.
Gradients worst(Pair pair) {
  switch (pair) {
    case Pair::symmetrised:  // replaced
      return {1.0, -1.0, -1.0};
    case Pair::poisson_replace_one:
      return {1.0, -1.0, 0.0};
    case Pair::poisson_add:
      return {0.0, 1.0, 0.0};
    case Pair::fixed_size_remove:
      return {1.0, 0.0, -1.0};
    case Pair::fixed_size_add:
      return {0.0, 1.0, 1.0};
    case Pair::poisson_remove:
      break;
  }
  return {1.0, 0.0, 0.0};
}

bool fixed_size(Pair pair) {
  return pair == Pair::symmetrised || pair == Pair::fixed_size_remove || pair == Pair::fixed_size_add;
}

constexpr double records = 20.0;  // of which a batch of a fixed size takes sampling_rate * records

/// Log-likelihood ratios of all steps of `count` runs. The attacker knows the gradients and the sampler.
std::vector<double> attack(const Setting& setting, std::uint32_t number, const Composition& run, bool null,
                           std::size_t count) {
  std::vector<double> ratio(count, 1.0);
  for (const SubsampledGaussian& phase : run.components) {
    const Gradients g = worst(phase.pair);
    // mu is 1 / noise multiplier, but 2 / noise multiplier for C_p(G(mu)).
    const double unit = phase.pair == Pair::symmetrised ? 0.5 * phase.mu : phase.mu;
    const double q = phase.sampling_rate, batch = std::round(q * records);
    // The sum without the record's own draw: `rest` others; with it one fewer of them if the size is fixed.
    const double rest = fixed_size(phase.pair) ? batch * g.others : 0.0;
    const double given_up = fixed_size(phase.pair) ? g.others : 0.0;
    const double shift = unit * (g.record - given_up), shift_in_null = unit * (g.record_in_null - given_up);
    const auto density = [q](double mean, double x) { return 1.0 - q + q * std::exp(mean * (x - 0.5 * mean)); };
    for (std::uint32_t step = 0; step < static_cast<std::uint32_t>(phase.count); ++step, ++number) {
      const auto noise = normal_sample(setting, number, count);
      const auto place = uniform_sample(setting, number, count);  // of the record in a random order
      for (std::size_t i = 0; i < count; ++i) {
        const bool drawn = fixed_size(phase.pair) ? std::floor(records * place[i]) < batch : place[i] < q;
        const double own = null ? g.record_in_null : g.record;
        const double sum = unit * (rest + (drawn ? own - given_up : 0.0)) + noise[i];
        const double x = sum - unit * rest;
        ratio[i] *= density(shift, x) / density(shift_in_null, x);
      }
    }
  }
  if (run.gaussian_mu > 0.0) {  // a sum over all records with noise of its own
    const double mu = run.gaussian_mu;
    const auto noise = normal_sample(setting, number, count);
    for (std::size_t i = 0; i < count; ++i) {
      ratio[i] *= std::exp(mu * (noise[i] + (null ? -0.5 : 0.5) * mu));
    }
  }
  for (double& value : ratio) {
    value = std::log(value);
  }
  return ratio;
}

Curve certified(const Composition& composition, const Points& points) {
  return accountant::certified(*accounting::composition_curve(composition, {1e-3}), points);
}

std::vector<double> on_grid(const Composition& composition, std::span<const double> grid) {
  std::vector<double> lower;
  for (const Enclosure& e : accounting::tradeoff(composition, grid, {1e-3})) {
    lower.push_back(e.lower);
  }
  return lower;
}

/// Every step with its rate and its mu multiplied.
Composition changed(Composition run, double rate_factor, double mu_factor) {
  for (SubsampledGaussian& phase : run.components) {
    phase.sampling_rate *= rate_factor;
    phase.mu *= mu_factor;
  }
  run.gaussian_mu *= mu_factor;
  return run;
}

/// Every step dominated by another pair, at the same noise.
Composition with_pair(Composition run, Pair pair) {
  for (SubsampledGaussian& phase : run.components) {
    phase.mu *= phase.pair == Pair::symmetrised ? 0.5 : 1.0;
    phase.pair = pair;
  }
  return run;
}

std::string name_of(Pair pair) {
  switch (pair) {
    case Pair::poisson_remove:
      return "Poisson, removed";
    case Pair::poisson_add:
      return "Poisson, added";
    case Pair::poisson_replace_one:
      return "Poisson, replaced";
    case Pair::fixed_size_remove:
      return "fixed size, zeroed in null";
    case Pair::fixed_size_add:
      return "fixed size, zeroed in alternative";
    case Pair::symmetrised:
      break;
  }
  return "fixed size, replaced";
}

std::string name_of(const Composition& run) {
  if (run.components.empty()) {
    return "G(" + rounded(run.gaussian_mu, 4) + ")";
  }
  std::string text = name_of(run.components.front().pair);
  std::string before = ": ";
  for (const SubsampledGaussian& phase : run.components) {
    const double noise = (phase.pair == Pair::symmetrised ? 2.0 : 1.0) / phase.mu;
    text += before + rounded(phase.count, 6) + " x (q = " + rounded(phase.sampling_rate, 3) +
            ", Z = " + rounded(noise, 3) + ")";
    before = ", ";
  }
  return text + (run.gaussian_mu > 0.0 ? ", G(" + rounded(run.gaussian_mu, 3) + ")" : "");
}

struct Audit {
  Composition run;
  std::vector<Composition> broken;  ///< claims of which each must be refuted
  bool attained = false;            ///< the certified curve is that of the attack
};

/// One audit: the claim against the attack, and each broken claim, which is the control.
void audited_once(const Setting& setting, Outcome& outcome, std::uint32_t number, const Audit& audit,
                  const std::vector<double>& errors, std::size_t count, int colour) {
  const Points points = threshold_points(attack(setting, number, audit.run, true, count),
                                         attack(setting, number + 0x80, audit.run, false, count), errors);
  check_points(outcome.claim, points, certified(audit.run, points), audit.attained, name_of(audit.run));
  for (const Composition& broken : audit.broken) {
    const Curve claim = certified(broken, points);
    std::size_t refuted = 0;
    for (const auto& point : points) {
      refuted += inference::refuted(point, claim) ? 1U : 0U;
    }
    outcome.claim.require(refuted > 0, name_of(audit.run) + ": the curve of " + name_of(broken) + " is refuted at " +
                                           std::to_string(refuted) + " thresholds");
    check_points(outcome.control, points, claim, false, name_of(broken));
  }
  Figure figure;
  figure.plot.series = {drawn("", points)};
  figure.plot.series.front().colour = colour;
  outcome.figures.push_back(std::move(figure));
}

/// The curve of a claim, or of a broken one, for the picture.
void drawn_curve(const Setting& setting, Outcome& outcome, const Audit& audit, bool broken, int colour) {
  std::vector<double> grid;  // logarithmic
  for (const double exponent : even_grid(setting.size(13, 61), -3.0, 0.0)) {
    grid.push_back(std::pow(10.0, exponent));
  }
  Figure figure;
  figure.plot.series = {broken ? io::dashed("", grid, on_grid(audit.broken.front(), grid))
                               : io::line(name_of(audit.run), grid, on_grid(audit.run, grid))};
  figure.plot.series.front().colour = colour;
  outcome.figures.push_back(std::move(figure));
}

/// All audits with one comparison code, each broken claim on its own; the control is the first broken claim of each.
/// An audit is a part, and so is each curve of the picture.
void audited(const Setting& setting, Outcome& outcome, std::uint32_t number, const std::vector<Audit>& audits,
             const std::vector<double>& errors, std::size_t count, const std::string& title) {
  outcome = outcome_of_parts(3 * audits.size(), setting.threads, [&](std::size_t part, Outcome& found) {
    const std::size_t i = part / 3;
    const int colour = static_cast<int>(i);
    if (part % 3 < 2) {
      drawn_curve(setting, found, audits[i], part % 3 == 1, colour);
    } else {
      audited_once(setting, found, number + 0x100 * static_cast<std::uint32_t>(i), audits[i], errors, count, colour);
    }
  });
  std::vector<io::Series> series;
  for (const Figure& part : outcome.figures) {
    series.insert(series.end(), part.plot.series.begin(), part.plot.series.end());
  }
  Figure figure = tradeoff_figure(title, series);
  figure.plot.x = {
      .label = "type I error (dashed: refuted claims)", .logarithmic = true, .lowest = 1e-3, .highest = 1.0};
  figure.plot.legend = io::Legend::bottom_left;
  outcome.figures = {std::move(figure)};
}

Case poisson() {
  return {
      "accountant/poisson-subsampled-gaussian",
      "The certified trade-off functions of DP-SGD with Poisson sampling, record removed and added, lie below the "
      "likelihood-ratio attack on the mechanism whose other gradients are 0, and the attack attains them.",
      "20 steps with q = 0.3, Z = 1; 6 steps with q = 0.5, Z = 1, then 6 with q = 0.25, Z = 0.64, and a release "
      "of all records; 5e4 (nightly 1e6) runs with and as many without the record, 4 thresholds from a pilot, exact "
      "intervals.",
      "The certified curves of sampling rates smaller by a tenth.", [](const Setting& setting, Outcome& outcome) {
        std::vector<Audit> audits;
        for (const Pair pair : {Pair::poisson_remove, Pair::poisson_add}) {
          for (const Composition& run : {Composition{0.0, {{0.3, 1.0, 20.0, pair}}},
                                         Composition{0.5, {{0.5, 1.0, 6.0, pair}, {0.25, 1.5625, 6.0, pair}}}}) {
            audits.push_back({run, {changed(run, 0.9, 1.0)}, true});
          }
        }
        audited(setting, outcome, 0x1000, audits, {0.01, 0.05, 0.2, 0.5}, setting.size(50000, 1000000),
                "Poisson sampling: certified trade-off functions and attacks");
      }};
}

Case poisson_replace_one() {
  return {"accountant/poisson-replace-one",
          "The certified trade-off function of DP-SGD with Poisson sampling, one record replaced, lies below the "
          "likelihood-ratio attack on opposite gradients, and the attack attains it.",
          "20 steps with q = 0.3, Z = 1.25; 30 with q = 0.1, Z = 0.8; 5e4 (nightly 1e6) runs of either law, 4 "
          "thresholds from a pilot, exact intervals.",
          "The certified curves of sampling rates smaller by a tenth, and of mu smaller by a tenth.",
          [](const Setting& setting, Outcome& outcome) {
            std::vector<Audit> audits;
            for (const Composition& run : {Composition{0.0, {{0.3, 0.8, 20.0, Pair::poisson_replace_one}}},
                                           Composition{0.0, {{0.1, 1.25, 30.0, Pair::poisson_replace_one}}}}) {
              audits.push_back({run, {changed(run, 0.9, 1.0), changed(run, 1.0, 0.9)}, true});
            }
            audited(setting, outcome, 0x2000, audits, {0.01, 0.05, 0.2, 0.5}, setting.size(50000, 1000000),
                    "Poisson sampling, one record replaced: certified trade-off functions and attacks");
          }};
}

Case fixed_size_batches() {
  return {
      "accountant/fixed-size-lemma-c",
      "The certified trade-off functions of DP-SGD with batches of a fixed size lie below the likelihood-ratio "
      "attack on the mechanism whose other gradients reveal whether the record was drawn; one step attains them.",
      "Batches of 6 of 20 records: one step with Z = 0.5, zeroed out in either direction and replaced; 60 steps with "
      "Z = 1, zeroed out, and Z = 2, replaced; 5e4 (nightly 1e6) runs of either law, 4 thresholds from a pilot, exact "
      "intervals.",
      "One step: the curves of sampling rates smaller by a fifth. 60 steps: those of Poisson sampling at the same "
      "rate, as if batches of a fixed size were amplified like it.",
      [](const Setting& setting, Outcome& outcome) {
        std::vector<Audit> audits;
        for (const SubsampledGaussian& step : {SubsampledGaussian{0.3, 2.0, 1.0, Pair::fixed_size_remove},
                                               SubsampledGaussian{0.3, 2.0, 1.0, Pair::fixed_size_add},
                                               SubsampledGaussian{0.3, 4.0, 1.0, Pair::symmetrised}}) {
          const Composition run{0.0, {step}};
          audits.push_back({run, {changed(run, 0.8, 1.0)}, true});
        }
        const Composition removed{0.0, {{0.3, 1.0, 60.0, Pair::fixed_size_remove}}};
        const Composition replaced{0.0, {{0.3, 1.0, 60.0, Pair::symmetrised}}};
        audits.push_back({removed, {with_pair(removed, Pair::poisson_remove)}, false});
        audits.push_back({replaced, {with_pair(replaced, Pair::poisson_replace_one)}, false});
        // Small type I errors: there the loss of one step is positive, and Lemma C has one instance for both. Beyond
        // P(Z > 2) = 0.0228 the curve of the replaced record is a chord, which no single threshold attains.
        audited(setting, outcome, 0x4000, audits, {0.002, 0.005, 0.01, 0.02}, setting.size(50000, 1000000),
                "Batches of a fixed size: certified trade-off functions and attacks");
      }};
}

Case central_limit() {
  return {
      "accountant/central-limit",
      "Where the central limit promises too much, the certified trade-off function still lies below the "
      "likelihood-ratio attack, which attains it.",
      "24 steps of Poisson sampling with q = 0.02, Z = 0.6, the record removed, and an unsampled release with mu = "
      "0.1: few large jumps; 2e5 (nightly 2e6) runs with and as many without the record, 3 thresholds from a pilot, "
      "exact intervals.",
      "The central limit, G(sqrt(0.1^2 + q^2 T (e^(1/Z^2) - 1))).", [](const Setting& setting, Outcome& outcome) {
        const double q = 0.02, mu = 1.0 / 0.6, steps = 24.0;
        const double unsampled = 0.1;
        const Composition run{unsampled, {{q, mu, steps, Pair::poisson_remove}}};
        const Composition limit{std::hypot(unsampled, q * std::sqrt(steps * std::expm1(mu * mu))), {}};
        audited(setting, outcome, 0x6000, {{run, {limit}, true}}, {0.003, 0.01, 0.03}, setting.size(200000, 2000000),
                "Rare large jumps: the central limit (dashed) is refuted");
        io::Plot& plot = outcome.figures.front().plot;  // of the power, which is small
        for (io::Series& series : plot.series) {
          for (std::vector<double>* values : {&series.y, &series.lower, &series.upper}) {
            std::transform(values->begin(), values->end(), values->begin(), [](double b) { return 1.0 - b; });
          }
          series.lower.swap(series.upper);
        }
        plot.x = {.label = "type I error", .logarithmic = true, .lowest = 1e-3, .highest = 0.1};
        plot.y = {.label = "power of the attack", .logarithmic = true, .lowest = 1e-3, .highest = 1.0};
        plot.legend = io::Legend::bottom_right;
      }};
}

/// The mean of e^{(order - 1) loss} - 1, against what the divergence says. \param broken  one step is forgotten.
void check_moments(const Setting& setting, Trial& trial, bool broken) {
  const std::size_t count = setting.size(400000, 2000000);
  for (const bool removed : {true, false}) {
    const Pair pair = removed ? Pair::poisson_remove : Pair::poisson_add;
    trial.group(removed ? "record removed" : "record added");
    Composition run{0.0, {{0.3, 0.8, 4.0, pair}, {0.6, 0.5, 3.0, pair}}};
    const auto losses = attack(setting, removed ? 0xf000 : 0xf080, run, false, count);
    run.components.front().count -= broken ? 1.0 : 0.0;
    for (const double order : removed ? std::array{1.5, 2.0, 2.5} : std::array{1.5, 2.5, 4.0}) {
      std::vector<double> excess(count);
      std::transform(losses.begin(), losses.end(), excess.begin(),
                     [order](double loss) { return std::expm1((order - 1.0) * loss); });
      const auto direction = removed ? accounting::Direction::remove : accounting::Direction::add;
      const Enclosure divergence = accounting::poisson_renyi(run, order, direction);
      mean_below(trial, inference::moments(excess), std::expm1((order - 1.0) * divergence.upper),
                 "moment of order " + rounded(order, 2) + " less 1");
    }
  }
}

Case renyi() {
  return {"accountant/renyi",
          "Renyi divergences of the steps add: the moments of the likelihood ratio of a run in two phases are those of "
          "the sum of its divergences.",
          "q = 0.3, mu = 0.8, 4 steps, then q = 0.6, mu = 0.5, 3 steps; 4e5 (nightly 2e6) runs with the record and as "
          "many without, orders 1.5 to 4, means with Student intervals.",
          "One step of the first phase forgotten.", [](const Setting& setting, Outcome& outcome) {
            check_moments(setting, outcome.claim, false);
            check_moments(setting, outcome.control, true);
          }};
}

}  // namespace

std::vector<Case> likelihood_ratio_cases() {
  return {poisson(), poisson_replace_one(), fixed_size_batches(), central_limit(), renyi()};
}

}  // namespace dpcurves::validation::accountant
