// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Claims that are made of samplers and filters and are false, refuted by draws; and likelihood-ratio attacks on the
// samplers that those claims are about. The attacker sees the noisy sums, knows the sampler, and not the uses.
#include <array>
#include <cmath>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/simulate/detail/record_uses.hpp>

#include "validation/cases/topics.hpp"
#include "validation/draws.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::accountant {
namespace {

using accounting::DpSgd;
using accounting::Mechanism;
using accounting::MechanismKind;
using mechanism::Adjacency;
using mechanism::Sampler;
using simulate::RecordUses;
using simulate::UseLaw;

DpSgd run_of(Sampler sampling, Adjacency adjacency, accounting::DpSgdPhase phase, double separation = 1.0) {
  return DpSgd{.sampling = sampling, .adjacency = adjacency, .phases = {phase}, .separation = separation};
}

/// Below the trade-off function of a profile: the largest of its supporting lines at some slopes.
Curve below(const accounting::PrivacyCurve& profile, double step = 0.2) {
  std::vector<double> slopes;
  for (double slope = -3.0; slope <= 5.0; slope += step) {
    slopes.push_back(slope);
  }
  const auto deltas = profile.deltas(slopes);
  return [slopes, deltas](double a) {
    double least = 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      least = std::max(least, 1.0 - deltas[i].upper - std::exp(slopes[i]) * a);
    }
    return least;
  };
}

/// That of a run, for the order in which the record is left out of the null.
Curve lower_curve(const DpSgd& run, double step = 0.2) {
  const auto guarantee = accounting::dp_sgd_guarantee(run);
  accounting::CurvePtr curve = guarantee.curve;
  for (const auto& one : guarantee.directions) {
    curve = one.direction == "remove" ? one.curve : curve;
  }
  return below(*curve, step);
}

RecordUses uses_of(UseLaw law, std::size_t steps, double rate, std::size_t round, double noise) {
  return RecordUses{.law = law, .steps = steps, .rate = rate, .round = round, .noise_multiplier = noise};
}

Points attacked(const Setting& setting, const std::string& id, const RecordUses& uses,
                const std::vector<double>& errors, std::size_t count) {
  std::array<std::vector<double>, 2> ratios;  // of the null and of the alternative, each a piece
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      ratios.size(), setting.threads,
      [&](std::size_t i) {
        ratios[i] = simulate::log_likelihood_ratios({uses}, i == 0, count, seed_of(setting, id, i), 0, 1);
      },
      [&](std::size_t i, Archive& archive) { archive(ratios[i]); });
  Sharing::last_loop_done();
  return threshold_points(ratios[0], ratios[1], errors);
}

void judged(const Setting& setting, Outcome& outcome, const std::string& title, const Points& points,
            const Curve& claim, const Curve& broken, bool attained) {
  check_points(outcome.claim, points, claim, attained, title);
  check_points(outcome.control, points, broken, false, title);
  const auto grid = even_grid(setting.size(8, 40));
  outcome.figures.push_back(tradeoff_figure(title, {drawn("claimed", claim, grid), drawn("attack", points)}));
}

Case refuted(Case one) {
  one.expected = Verdict::refuted;
  return one;
}

Case shuffled_as_poisson() {
  return refuted({"accountant/shuffled-as-poisson",
                  "Batches of a random order have the trade-off function of Poisson sampling at the same rate",
                  "One epoch of 10 batches, Z = 0.25, all other gradients 0; likelihood-ratio test, 2e4 (nightly 2e5) "
                  "runs with and without the record, 2 thresholds from a pilot, exact intervals",
                  "Poisson sampling at half the rate", [](const Setting& setting, Outcome& outcome) {
                    const char* id = "accountant/shuffled-as-poisson";
                    RecordUses uses = uses_of(UseLaw::rounds, 10, 0.1, 10, 0.25);
                    judged(setting, outcome, "A random order taken for Poisson sampling",
                           attacked(setting, id, uses, {0.05, 0.2}, setting.size(20000, 200000)),
                           lower_curve(run_of(Sampler::poisson, Adjacency::remove, {0.25, 0.1, 10.0}), 1.0),
                           lower_curve(run_of(Sampler::poisson, Adjacency::remove, {0.25, 0.05, 10.0}), 1.0), false);
                  }});
}

Case bins_as_fixed_size() {
  return refuted(
      {"accountant/balls-in-bins-as-fixed-size",
       "Batches that are drawn once for all epochs have the trade-off function of batches of a fixed size that are "
       "drawn anew in every step, a record zeroed out",
       "40 epochs of 10 batches, Z = 2, all other gradients 0; likelihood-ratio test, 2e4 (nightly 2e5) runs of either "
       "law, 2 thresholds from a pilot, exact intervals",
       "The same with half the steps", [](const Setting& setting, Outcome& outcome) {
         const char* id = "accountant/balls-in-bins-as-fixed-size";
         judged(setting, outcome, "Balls in bins taken for batches of a fixed size",
                attacked(setting, id, uses_of(UseLaw::one_bin, 400, 1.0, 10, 2.0), {0.01, 0.05},
                         setting.size(20000, 200000)),
                lower_curve(run_of(Sampler::fixed_size, Adjacency::zero_out, {2.0, 0.1, 400.0})),
                lower_curve(run_of(Sampler::fixed_size, Adjacency::zero_out, {2.0, 0.1, 200.0})), false);
       }});
}

Case separated_as_poisson() {
  return refuted(
      {"accountant/b-min-sep-as-poisson",
       "Minimum separation has the trade-off function of Poisson sampling at the marginal rate p / (1 + (b - 1) p)",
       "400 steps, b = 10, p = 0.9, Z = 2, all other gradients 0; likelihood-ratio test by a forward recursion, 2e4 "
       "(nightly 2e5) runs with and without the record, 2 thresholds from a pilot, exact intervals",
       "The same with half the steps", [](const Setting& setting, Outcome& outcome) {
         const char* id = "accountant/b-min-sep-as-poisson";
         const double marginal = 0.9 / (1.0 + 9.0 * 0.9);
         const Points points = attacked(setting, id, uses_of(UseLaw::separated, 400, 0.9, 10, 2.0), {0.01, 0.05},
                                        setting.size(20000, 200000));
         judged(setting, outcome, "Minimum separation taken for Poisson sampling", points,
                lower_curve(run_of(Sampler::poisson, Adjacency::remove, {2.0, marginal, 400.0})),
                lower_curve(run_of(Sampler::poisson, Adjacency::remove, {2.0, marginal, 200.0})), false);
       }});
}

/// log((1 + e) / 2)-like constants of randomised response at 1.
constexpr double response_epsilon = 1.0, failure = 0.2;

/// The profile of f and g, f randomised response at 1 and g the same (`twice`) or a failure of 0.2.
double filtered_delta(bool twice, double s) {
  const double yes = std::exp(response_epsilon) / (1.0 + std::exp(response_epsilon));
  const auto response = [&](double x) { return std::max({0.0, yes - std::exp(x) * (1.0 - yes), 1.0 - std::exp(x)}); };
  const auto second = [&](double x) {
    return twice ? response(x) : failure + (1.0 - failure) * std::max(0.0, 1.0 - std::exp(x));
  };
  return yes * second(s - response_epsilon) + (1.0 - yes) * second(s + response_epsilon);
}

/// 1 - min over s of delta(s) + e^s a: the trade-off function of the larger profile.
Curve budget(double shrink) {
  return [shrink](double a) {
    double most = 1.0;
    for (double s = -4.0; s <= 4.0; s += 1e-3) {
      const double delta = std::max(filtered_delta(true, s), filtered_delta(false, s));
      most = std::min(most, delta + std::exp(s) * a);
    }
    return 1.0 - std::max(a, a + shrink * (most - a));
  };
}

Case adaptive_filter() {
  return refuted(
      {"accountant/adaptive-filter",
       "Mechanisms chosen one after the other have the trade-off function of the budget if, for every course of "
       "choices, the tensor product of what was chosen does",
       "Randomised response at 1; after yes the same again, after no a release that reveals all with probability 0.2; "
       "the budget is the least trade-off function of the two products. 2e5 (nightly 4e5) runs of either law, the test "
       "on the likelihood ratio near type I error 0.07, exact intervals",
       "A budget whose power above chance is a twentieth smaller", [](const Setting& setting, Outcome& outcome) {
         const char* id = "accountant/adaptive-filter";
         const std::size_t count = setting.size(200000, 400000);
         const double yes = std::exp(response_epsilon) / (1.0 + std::exp(response_epsilon));
         const auto draw = [&](bool null) {
           Draws draws(setting, std::string(id) + (null ? "/null" : "/alternative"));
           std::vector<double> losses;
           const double chance = null ? 1.0 - yes : yes;
           for (std::size_t i = 0; i < count; ++i) {
             const bool first = draws.uniform() < chance;
             double loss = first ? response_epsilon : -response_epsilon;
             const double u = draws.uniform();
             if (first) {
               loss += u < chance ? response_epsilon : -response_epsilon;
             } else if (u < failure) {
               loss = null ? -10.0 : 10.0;
             }
             losses.push_back(loss + 0.1 * draws.uniform());  // ties broken
           }
           return losses;
         };
         const auto null = draw(true), alternative = draw(false);
         judged(setting, outcome, "A filter of trade-off functions, composed adaptively",
                threshold_points(null, alternative, std::vector{0.07}), budget(1.0), budget(0.95), false);
       }});
}

Case one_position() {
  return {
      "accountant/one-position",
      "The certified trade-off function of balls in bins, a record removed, lies below the likelihood-ratio attack "
      "on the mechanism whose other gradients are 0",
      "5 epochs of 8 batches, Z = 2; 1e5 (nightly 4e5) runs with and without the record, 3 thresholds from a pilot, "
      "exact intervals",
      "The curve of 2 epochs", [](const Setting& setting, Outcome& outcome) {
        judged(setting, outcome, "Balls in bins",
               attacked(setting, "accountant/one-position", uses_of(UseLaw::one_bin, 40, 1.0, 8, 2.0),
                        {0.01, 0.05, 0.2}, setting.size(100000, 400000)),
               lower_curve(run_of(Sampler::balls_in_bins, Adjacency::remove, {2.0, 0.125, 40.0})),
               lower_curve(run_of(Sampler::balls_in_bins, Adjacency::remove, {2.0, 0.125, 16.0})), false);
      }};
}

Case minimum_separation() {
  return {
      "accountant/b-min-sep",
      "The certified trade-off function of minimum separation, a record removed, lies below the likelihood-ratio "
      "attack on the mechanism whose other gradients are 0",
      "100 steps, b = 5, p = 0.1, Z = 1; likelihood-ratio test by a forward recursion, 1e5 (nightly 4e5) runs with and "
      "without the record, 3 thresholds from a pilot, exact intervals",
      "Poisson sampling at rate 0.062; the marginal rate is 0.071", [](const Setting& setting, Outcome& outcome) {
        judged(setting, outcome, "Minimum separation",
               attacked(setting, "accountant/b-min-sep", uses_of(UseLaw::separated, 100, 0.1, 5, 1.0),
                        {0.01, 0.05, 0.2}, setting.size(100000, 400000)),
               lower_curve(run_of(Sampler::b_min_sep, Adjacency::remove, {1.0, 0.1, 100.0}, 5.0)),
               lower_curve(run_of(Sampler::poisson, Adjacency::remove, {1.0, 0.062, 100.0})), false);
      }};
}

/// Losses of three Laplace mechanisms of which each sees the record with chance 0.3, and of a Gaussian one.
std::vector<double> mechanism_losses(const Setting& setting, bool null, std::size_t count, double rate) {
  Draws draws(setting, std::string("accountant/mechanisms") + (null ? "/null" : "/alternative"));
  std::vector<double> losses;
  for (std::size_t i = 0; i < count; ++i) {
    double loss = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double at = !null && draws.uniform() < rate ? 1.0 : 0.0;
      const double u = draws.uniform();
      const double x = at + (u < 0.5 ? std::log(2.0 * u) : -std::log(2.0 * (1.0 - u)));
      loss += std::log1p(rate * std::expm1(std::abs(x) - std::abs(x - 1.0)));
    }
    const double mu = 0.5, z = draws.normal() + (null ? 0.0 : mu);
    losses.push_back(loss + mu * (z - 0.5 * mu));
  }
  return losses;
}

Curve mechanism_curve(double rate, double noise) {
  Mechanism laplace{MechanismKind::laplace}, gaussian;
  laplace.noise = 1.0;
  laplace.sampling_rate = rate;
  laplace.count = 3.0;
  gaussian.noise = noise;
  return below(*accounting::mechanisms_curve({laplace, gaussian}, true));
}

Case mechanisms() {
  return {
      "accountant/mechanisms",
      "The certified trade-off function of sampled Laplace mechanisms beside a Gaussian one lies below the "
      "likelihood-ratio attack",
      "Three Laplace mechanisms of noise 1 at sampling rate 0.3, one Gaussian of noise 2; 2e5 (nightly 4e5) draws of "
      "either law, 3 thresholds from a pilot, exact intervals",
      "Sampling rate 0.2", [](const Setting& setting, Outcome& outcome) {
        const std::size_t count = setting.size(200000, 400000);
        const auto null = mechanism_losses(setting, true, count, 0.3);
        const auto alternative = mechanism_losses(setting, false, count, 0.3);
        judged(setting, outcome, "Sampled Laplace mechanisms beside a Gaussian one",
               threshold_points(null, alternative, std::vector{0.01, 0.05, 0.2}), mechanism_curve(0.3, 2.0),
               mechanism_curve(0.2, 2.0), false);
      }};
}

}  // namespace

std::vector<Case> false_claim_cases() {
  return {shuffled_as_poisson(), bins_as_fixed_size(), separated_as_poisson(), adaptive_filter(), one_position(),
          minimum_separation(),  mechanisms()};
}

}  // namespace dpcurves::validation::accountant
