// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/shifted_interpolation/sgd_support.hpp"

#include <dpcurves/core/share.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/runs.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

constexpr std::array<double, 2> telling_epsilons{0.1, 0.5};
/// Around the factor 0.484 at which the bounds of remembering_all() meet the exact law.
constexpr std::array remembering_factors{0.25, 0.45, 0.47, 0.48, 0.49};

/// The mu whose profile passes through (epsilon, delta); 0 for delta = 0, infinite for delta = 1.
double mu_of(double epsilon, double delta) {
  return delta <= 0.0   ? 0.0
         : delta >= 1.0 ? std::numeric_limits<double>::infinity()
                        : tradeoff::mu_of_epsilon_delta(epsilon, delta);
}

/// The bound of telling steps against their exact law; the control has the sampling rate times 0.75.
void attained(Outcome& outcome, const SgdExample& example, const Composition& bound, const std::string& what) {
  const auto laws = example.laws();
  laws_within(outcome.claim, laws, bound, telling_epsilons, example.text() + what);
  Composition rarer = bound;
  for (auto& component : rarer.components) {
    component.sampling_rate *= 0.75;
  }
  laws_within(outcome.control, laws, rarer, telling_epsilons, example.text() + what + ", 0.75 of the sampling rate");
}

}  // namespace

void laws_within(Trial& trial, const MeasuredLaws& laws, const Composition& claim, std::span<const double> epsilons,
                 const std::string& what) {
  laws_within(trial, laws, std::array{WordedClaim{claim, what}}, epsilons);
}

void laws_within(Trial& trial, const MeasuredLaws& laws, std::span<const WordedClaim> claims,
                 std::span<const double> epsilons) {
  std::vector<std::array<double, 2>> both(claims.size() * epsilons.size());
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      both.size(), 1,
      [&](std::size_t i) {
        const double epsilon = epsilons[i % epsilons.size()];
        const Composition& claim = claims[i / epsilons.size()].claim;
        both[i] = {laws.delta(epsilon), accounting::delta_at(claim, epsilon).delta.upper};
      },
      [&](std::size_t i, Archive& archive) { archive(both[i]); });
  for (std::size_t i = 0; i < both.size(); ++i) {
    const double epsilon = epsilons[i % epsilons.size()];
    const auto [exact, bound] = both[i];
    trial.require(exact * (1.0 - 1e-6) <= bound,
                  claims[i / epsilons.size()].what + ", delta(" + shortest(epsilon) + ")",
                  rounded(exact, 8) + " <= " + rounded(bound, 8),
                  Measurement::at_most(mu_of(epsilon, exact), mu_of(epsilon, bound)).exact());
  }
}

Composition scaled(Composition composition, double factor) {
  composition.gaussian_mu *= factor;
  for (auto& component : composition.components) {
    component.mu *= factor;
  }
  return composition;
}

void factor_within(Trial& trial, const MeasuredLaws& laws, const Composition& claim, double epsilon,
                   std::span<const double> factors, const std::string& what) {
  double exact = 0.0;
  std::vector<double> bounds(1 + factors.size());  // of the claim, then of the claim at each factor
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      1 + bounds.size(), 1,
      [&](std::size_t piece) {
        if (piece == 0) {
          exact = laws.delta(epsilon);
        } else {
          const double factor = piece == 1 ? 1.0 : factors[piece - 2];
          bounds[piece - 1] = accounting::delta_at(scaled(claim, factor), epsilon).delta.upper;
        }
      },
      [&](std::size_t piece, Archive& archive) { archive(piece == 0 ? exact : bounds[piece - 1]); });
  double refuted = 0.0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    refuted = bounds[i + 1] < exact ? std::max(refuted, factors[i]) : refuted;
  }
  trial.require(exact <= bounds.front(), what + ", every mu times s, delta(" + shortest(epsilon) + ")",
                rounded(exact, 8) + " <= " + rounded(bounds.front(), 8) + "; refuted for s = " + rounded(refuted, 4),
                Measurement::at_most(refuted, 1.0).exact());
}

std::vector<double> shared_deltas(std::span<const std::pair<Composition, double>> asked) {
  Sharing::next_loop_needs_no_stand_in();
  return values_of_runs(asked.size(), 1, [&](std::size_t i) {
    return accounting::delta_at(asked[i].first, asked[i].second).delta.upper;
  });
}

std::function<double(double)> lower_tradeoff(const Composition& composition) {
  return [composition](double a) { return accounting::tradeoff(composition, std::array{a}).front().lower; };
}

Composition best_of(SgdBound bound, const SgdExample& e, const std::vector<double>& horizons, double epsilon) {
  Composition best;
  double least = 2.0;
  for (const double n : horizons) {
    const Composition candidate = sgd_composition(bound, e.setting(), n);
    const double delta = accounting::delta_at(candidate, epsilon).delta.upper;
    if (delta < least) {
      least = delta;
      best = candidate;
    }
  }
  return best;
}

Composition without_gaussian(Composition composition) {
  composition.gaussian_mu = 0.0;
  std::erase_if(composition.components, [](const auto& component) { return component.mu == 0.0; });
  return composition;
}

void hard_runs(Outcome& outcome, const Composition& remembering, const std::string& of_remembering,
               const Composition& telling_steps, const std::string& of_telling) {
  const SgdExample all = remembering_all();
  const auto laws = all.laws();
  factor_within(outcome.claim, laws, remembering, 0.2, remembering_factors, all.text() + of_remembering);
  laws_within(outcome.control, laws, scaled(remembering, 0.45), std::array{0.2},
              all.text() + of_remembering + ", 0.45 of every mu");
  attained(outcome, telling(), telling_steps, of_telling);
}

io::Plot profile_plot(const std::string& title,
                      const std::vector<std::pair<std::string, std::function<Composition()>>>& bounds,
                      const std::vector<std::pair<std::string, MeasuredLaws>>& laws) {
  io::Plot plot{.title = title,
                .x = {"epsilon", false, 0.0, 3.0},
                .y = {"delta", true, 1e-8, 1.0},
                .legend = io::Legend::bottom_left};
  std::vector<double> grid;
  for (int i = 0; i <= 30; ++i) {
    grid.push_back(0.1 * i);
  }
  std::vector<double> every_other;
  for (std::size_t i = 0; i < grid.size(); i += 2) {
    every_other.push_back(grid[i]);
  }
  std::vector<std::vector<double>> deltas(bounds.size() + laws.size());
  Sharing::next_loop_needs_no_stand_in();
  shared_for(
      deltas.size(), 1,
      [&](std::size_t i) {
        if (i < bounds.size()) {
          for (const auto& point : accounting::deltas_at(bounds[i].second(), grid)) {
            deltas[i].push_back(point.delta.upper);
          }
          return;
        }
        for (const double epsilon : every_other) {
          deltas[i].push_back(laws[i - bounds.size()].second.delta(epsilon));
        }
      },
      [&](std::size_t i, Archive& archive) { archive(deltas[i]); });
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    plot.series.push_back(i < bounds.size() ? io::line(bounds[i].first, grid, deltas[i])
                                            : io::points(laws[i - bounds.size()].first, every_other, deltas[i]));
  }
  return plot;
}

}  // namespace dpcurves::validation::shifted_interpolation
