// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Formulas against independent ones: the area by an integral of moments, the regret by its definition, calibration by
// evaluation.
#include <cmath>
#include <complex>
#include <numbers>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/calibration.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/topics.hpp"

namespace dpcurves::validation::attack_risk {
namespace {

using attack::Attack;

/// 1 - AUC = 1/(4 pi) int |M(1/2 + iy)|^(2T) / (weight + y^2) dy, M(z) = E (p/q)^z of one step, weight 1/4: AUC is the
/// chance that the loss is larger with the record, and the difference of two losses has the moments M(1+z) M(-z).
double area_by_moments(double rate, double mu, double steps, double weight) {
  constexpr int nodes = 500;
  constexpr double far = 9.0;
  std::vector<double> density, loss;
  const double h = (2.0 * far + mu) / nodes;
  for (int k = 0; k <= nodes; ++k) {
    const double x = -far + h * k;
    density.push_back(h * std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi));
    loss.push_back(std::log1p(rate * std::expm1(mu * x - 0.5 * mu * mu)));
  }
  double sum = 0.0;
  constexpr double step = 0.02, most = 200.0;
  for (double y = 0.0; y < most; y += step) {
    std::complex<double> moment;
    for (std::size_t k = 0; k < loss.size(); ++k) {
      moment += density[k] * std::exp(std::complex<double>(0.5 * loss[k], y * loss[k]));
    }
    const double share = std::pow(std::norm(moment), steps) / (weight + y * y);
    sum += (y == 0.0 ? 1.0 : 2.0) * step * share;
    if (share < 1e-14) {
      break;
    }
  }
  return 1.0 - sum / (4.0 * std::numbers::pi);
}

Case area() {
  return {
      "attack/auc", "The bracket of the area under the curve holds the area that the moments of one step give",
      "Poisson sampling: rate 0.01, noise 1, 1000 steps; rate 0.1, noise 2, 100 steps; rate 0.3, noise 1, 10 steps: "
      "inside the bracket, which is 1e-4 wide, up to 1e-9",
      "The weight 1 in place of 1/4 under the integral", [](const Setting&, Outcome& outcome) {
        struct Run {
          double rate, noise, steps;
        };
        for (const Run& run : {Run{0.01, 1.0, 1000.0}, Run{0.1, 2.0, 100.0}, Run{0.3, 1.0, 10.0}}) {
          accounting::DpSgd dp_sgd;
          dp_sgd.phases = {{run.noise, run.rate, run.steps}};
          const Enclosure bracket = Attack(accounting::dp_sgd_guarantee(dp_sgd).directions).area(1e-4).value;
          const auto check = [&](Trial& trial, double weight) {
            const double exact = area_by_moments(run.rate, 1.0 / run.noise, run.steps, weight);
            trial.require(
                bracket.lower - 1e-9 <= exact && exact <= bracket.upper + 1e-9, rounded(run.steps, 4) + " steps",
                rounded(exact, 10) + " in [" + rounded(bracket.lower, 10) + ", " + rounded(bracket.upper, 10) + "]",
                Measurement::within(exact, bracket.middle(), bracket.width()));
          };
          check(outcome.claim, 0.25);
          check(outcome.control, 1.0);
        }
      }};
}

Case regret() {
  return {"attack/regret", "The regret by priors is the least shift of the definition",
          "Pure privacy at epsilon 0.75, 1, 1.5, 2 with its smallest mu: f(a + k) - k <= G(mu)(a) on 4000 rates at the "
          "regret, and the search over priors meets the closed form",
          "0.95 of the regret: some rate lies above", [](const Setting&, Outcome& outcome) {
            for (const double epsilon : {0.75, 1.0, 1.5, 2.0}) {
              const double mu = tradeoff::pure_dp_to_gdp(epsilon),
                           closed = attack::pure_dp_regret(epsilon).regret.upper;
              attack::Profile profile(accounting::pure_curve(epsilon));
              const Enclosure searched = attack::regret(profile, mu).regret;
              const auto above = [&](double k) {
                double most = -1.0;
                for (int i = 1; i < 4000; ++i) {
                  const double a = i / 4000.0;
                  if (a + k < 1.0) {
                    const double power = attack::power(attack::ApproximateDp{epsilon, 0.0}, a + k).power.middle();
                    most = std::max(most, 1.0 - power - k - tradeoff::gaussian(a, mu));
                  }
                }
                return most;
              };
              const std::string at = "epsilon = " + rounded(epsilon, 3) + ": ";
              outcome.claim.at_most(above(closed), 1e-12, at + "largest excess after the shift");
              outcome.claim.close(searched.middle(), closed, 1e-6, at + "the search over priors");
              outcome.control.at_most(above(0.95 * closed), 1e-12, at + "largest excess after 0.95 of the shift");
            }
          }};
}

Case calibration() {
  return {
      "attack/calibration",
      "The calibrated noise meets the limit, noise that is 1e-6 smaller does not, and every measure falls with the "
      "noise and rises with the steps",
      "Poisson sampling at rate 0.1, 100 steps: advantage 0.2, true positive rate 0.05 at 0.01, Bayes accuracy 0.71 "
      "at prior 0.3",
      "The noise over 1 + 1e-6 as if it were calibrated", [](const Setting&, Outcome& outcome) {
        using attack::Measure;
        const auto run = [](double noise, double steps) {
          accounting::DpSgd dp_sgd;
          dp_sgd.phases = {{noise, 0.1, steps}};
          return Attack(accounting::dp_sgd_guarantee(dp_sgd).directions);
        };
        const attack::Trial trial_at = [&](double noise, double) { return std::optional<Attack>(run(noise, 100.0)); };
        for (const attack::Limit& limit :
             {attack::Limit{Measure::advantage, 0.2, 0.0, 0.5}, attack::Limit{Measure::power, 0.05, 0.01, 0.5},
              attack::Limit{Measure::bayes_accuracy, 0.71, 0.0, 0.3}}) {
          accounting::Parameter noise;
          noise.more_is_private = true;
          accounting::CalibrationTarget target;
          target.tolerance = 1e-8;
          const double found = attack::calibrate(trial_at, noise, limit, target).value.value_or(0.0);
          const auto at = [&](double z, double steps) {
            Attack attack = run(z, steps);
            return attack::value(attack, limit).upper;
          };
          const std::string what = "limit " + rounded(limit.most, 4) + ", noise " + rounded(found, 8);
          outcome.claim.at_most(at(found, 100.0), limit.most, what);
          outcome.claim.require(at(found / (1.0 + 1e-6), 100.0) > limit.most, what + ": less is not enough");
          outcome.claim.require(at(1.1 * found, 100.0) < limit.most, what + ": more is");
          outcome.claim.require(at(found, 120.0) > limit.most, what + ": 120 steps are too many");
          outcome.control.at_most(at(found / (1.0 + 1e-6), 100.0), limit.most, what + ", over 1 + 1e-6");
        }
      }};
}

}  // namespace

std::vector<Case> formulas_cases() { return {area(), regret(), calibration()}; }

}  // namespace dpcurves::validation::attack_risk
