// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/sgd_optimum.hpp>
#include <dpcurves/interpolation/exponential_mechanism.hpp>
#include <dpcurves/interpolation/guarantees.hpp>

namespace dpcurves::interpolation {
namespace {

using accounting::Guarantee;

/// A theorem and its curve, which is asked for only where the theorem applies.
Guarantee guarantee(const char* id, const char* title, std::vector<Violation> violations,
                    std::vector<std::string> assumed, const std::function<accounting::CurvePtr(std::string&)>& curve) {
  Guarantee result;
  result.theorem = std::string("shifted-interpolation/") + id;
  result.title = title;
  result.violations = std::move(violations);
  result.assumed = std::move(assumed);
  if (result.violations.empty()) {
    result.curve = curve(result.note);
  }
  return result;
}

/// A GDP guarantee without a note.
Guarantee gdp(const char* id, const char* title, std::vector<Violation> violations, std::vector<std::string> assumed,
              const std::function<Enclosure()>& mu) {
  return guarantee(id, title, std::move(violations), std::move(assumed),
                   [&mu](std::string&) { return accounting::gaussian_curve(mu()); });
}

/// A GDP guarantee whose note names the horizon.
Guarantee gdp_at_horizon(const char* id, const char* title, std::vector<Violation> violations,
                         std::vector<std::string> assumed, const char* unit, const std::function<BestHorizon()>& best) {
  return guarantee(id, title, std::move(violations), std::move(assumed), [&best, unit](std::string& note) {
    const BestHorizon found = best();
    note = found.shifted ? "interpolation over the last " + shortest(found.horizon) + " " + unit
                         : "the diameter does not help: no horizon is better than all " + std::string(unit);
    return accounting::gaussian_curve(found.mu);
  });
}

std::vector<std::string> with(std::vector<std::string> list, std::initializer_list<const char*> more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

constexpr auto sensitive = "the gradients of any two losses differ by at most the sensitivity, on all of the space";
constexpr auto last_only = "only the last iterate is released";
constexpr auto fixed_order = "the batches and their order are the same in every epoch";
constexpr auto drawn = "every batch is drawn without replacement, independently of the others";

std::vector<std::string> trusted(const NoisyDescent& descent) {
  auto list = with(descent.assumed, {sensitive, last_only});
  if (!descent.contraction && descent.violated.empty()) {
    list.emplace_back("every loss is convex and M-smooth with step size at most 2/M");
  }
  return list;
}

/// What rests on hidden iterates does not apply where all are released.
std::vector<Violation> hidden(const NoisyDescent& descent, std::vector<Violation> violations) {
  if (descent.all_released) {
    violations.push_back({last_only, "every iterate is released", "a release of the last iterate alone"});
  }
  return violations;
}

/// What all theorems of the list are about; those that rest on the descent's assumptions are marked where nobody made
/// them.
std::vector<Guarantee> about(std::vector<Guarantee> list, const NoisyDescent& descent, mechanism::Sampler sampling) {
  for (Guarantee& one : list) {
    one.sampling = sampling;
    one.adjacency = mechanism::Adjacency::replace_one;
    if (std::find(one.assumed.begin(), one.assumed.end(), last_only) != one.assumed.end()) {
      one.unsaid = descent.unsaid;
    }
  }
  return list;
}

}  // namespace

std::vector<Guarantee> noisy_gd_guarantees(const NoisyGd& setting) {
  const auto assumed = trusted(setting.descent);
  return about(
      {
          gdp("theorem-4.1", "noisy GD by composition", composition_violations(setting), {sensitive},
              [&] { return composition_mu(setting); }),
          gdp("theorem-4.2", "noisy GD, strongly convex", hidden(setting.descent, strongly_convex_violations(setting)),
              assumed, [&] { return strongly_convex_mu(setting); }),
          gdp("theorem-4.3", "noisy GD, convex with a diameter",
              hidden(setting.descent, constrained_violations(setting)), assumed,
              [&] { return constrained_mu(setting); }),
          gdp_at_horizon("theorem-c.7", "noisy GD, convex with a diameter, best horizon",
                         hidden(setting.descent, constrained_best_violations(setting)), assumed, "steps",
                         [&] { return constrained_best(setting); }),
          gdp_at_horizon("derived-3", "noisy GD, strongly convex with a diameter",
                         hidden(setting.descent, constrained_strongly_convex_violations(setting)), assumed, "steps",
                         [&] { return constrained_strongly_convex_best(setting); }),
      },
      setting.descent, mechanism::Sampler::none);
}

std::vector<Guarantee> noisy_cgd_guarantees(const NoisyCgd& setting) {
  const auto assumed = with(trusted(setting.descent), {fixed_order});
  return about(
      {
          gdp("theorem-4.4", "noisy cyclic GD by composition", composition_violations(setting),
              {sensitive, fixed_order}, [&] { return composition_mu(setting); }),
          gdp("theorem-4.5", "noisy cyclic GD, strongly convex",
              hidden(setting.descent, strongly_convex_violations(setting)), assumed,
              [&] { return strongly_convex_mu(setting); }),
          gdp("theorem-4.6", "noisy cyclic GD, convex with a diameter",
              hidden(setting.descent, constrained_violations(setting)), assumed,
              [&] { return constrained_mu(setting); }),
          gdp("derived-2", "noisy cyclic GD, convex", hidden(setting.descent, convex_violations(setting)), assumed,
              [&] { return convex_mu(setting); }),
          gdp_at_horizon("derived-1", "noisy cyclic GD, convex with a diameter, best start of the shift problem",
                         hidden(setting.descent, constrained_strongly_convex_violations(setting)), assumed, "epochs",
                         [&] { return constrained_strongly_convex_best(setting); }),
      },
      setting.descent, mechanism::Sampler::cyclic);
}

std::vector<Guarantee> noisy_sgd_guarantees(const NoisySgd& setting, const SgdTarget& target,
                                            std::optional<double> horizon, const accounting::Accuracy& accuracy,
                                            std::string_view only) {
  const auto assumed = with(trusted(setting.descent), {drawn});
  const auto shifted = [&](const char* id, const char* title, SgdBound bound) {
    auto found = hidden(setting.descent, violations(bound, setting));
    if (!only.empty() && only != std::string("shifted-interpolation/") + id) {
      found.push_back({"a place among the theorems that were asked for", std::string(only) + " alone was asked for",
                       "ask for all theorems"});
    }
    if (found.empty() && horizon) {
      const double least = bound == SgdBound::two_process ? 0.0 : 1.0;
      const double largest = setting.steps - 1.0 + least;
      if (!(*horizon >= least && *horizon <= largest && std::floor(*horizon) == *horizon)) {
        found.push_back({"an integer horizon from " + shortest(least) + " to " + shortest(largest),
                         "horizon " + shortest(*horizon),
                         "a horizon in that range, or none: the best one is searched then"});
      }
    }
    return guarantee(id, title, std::move(found), assumed, [&, bound](std::string& note) {
      SgdHorizon choice;
      try {
        // Two digits are enough to choose; the curve is evaluated afresh.
        accounting::Accuracy rough = accuracy;
        rough.relative = 0.01;
        rough.verify = false;
        choice = optimise(bound, setting, target, horizon, rough).choice;
      } catch (const ConvergenceError&) {
        try {
          choice = ranked_horizons(bound, setting, target, horizon, 1).front();
        } catch (const ConvergenceError&) {  // every choice is a guarantee
          const double shortest_horizon = horizon.value_or(bound == SgdBound::two_process ? 0.0 : 1.0);
          choice = {shortest_horizon, std::numbers::sqrt2, sgd_composition(bound, setting, shortest_horizon)};
        }
      }
      note = "interpolation over the last " + shortest(choice.horizon) +
             " steps, noise split alpha = " + rounded(choice.split, 6);
      return accounting::composition_curve(choice.composition, accuracy);
    });
  };
  std::vector<Guarantee> list{
      guarantee("theorem-4.8", "noisy SGD by composition", violations(SgdBound::composition, setting),
                {sensitive, drawn},
                [&](std::string&) {
                  return accounting::composition_curve(sgd_composition(SgdBound::composition, setting), accuracy);
                }),
      shifted("theorem-4.9", "noisy SGD, strongly convex", SgdBound::two_process),
      shifted("theorem-4.10", "noisy SGD, convex with a diameter", SgdBound::constrained),
      shifted("derived-4", "noisy SGD, one process", SgdBound::one_process),
      guarantee("lemma-a.5", "noisy SGD, central limit of theorem 4.8", violations(SgdBound::composition, setting),
                {sensitive, drawn},
                [&](std::string& note) {
                  note = "an approximation that can be wrong in both directions";
                  const auto limit = accounting::central_limit(setting.sampling_rate,
                                                               setting.descent.effective_sensitivity, setting.steps);
                  return accounting::gaussian_curve(exactly(std::min(limit.mu_clt, 1e300)));  // e^{mu^2} overflows
                }),
  };
  list.back().certified = false;
  return about(std::move(list), setting.descent, mechanism::Sampler::fixed_size);
}

std::vector<Guarantee> langevin_guarantees(const Langevin& setting) {
  const auto descent = as_noisy_gd(setting);
  const auto assumed = with(descent.descent.assumed, {"F - F' is Lipschitz with the given constant"});
  return {
      gdp("theorem-4.1", "Langevin Monte Carlo by composition", composition_violations(descent),
          {"F - F' is Lipschitz with the given constant"}, [&] { return composition_mu(descent); }),
      gdp("proposition-5.1", "Langevin Monte Carlo, strongly convex", langevin_violations(setting), assumed,
          [&] { return langevin_mu(setting); }),
  };
}

std::vector<Guarantee> langevin_guarantees(const ProjectedLangevin& setting) {
  const auto descent = as_noisy_gd(setting);
  const auto assumed = with(descent.descent.assumed, {"F and F' are each Lipschitz with the given constant"});
  return {
      gdp("theorem-4.1", "Langevin Monte Carlo by composition", composition_violations(descent),
          {"F and F' are each Lipschitz with the given constant"}, [&] { return composition_mu(descent); }),
      gdp_at_horizon("theorem-c.7", "projected Langevin Monte Carlo, convex, best horizon",
                     constrained_best_violations(descent), assumed, "steps", [&] { return constrained_best(descent); }),
      gdp("corollary-5.4", "projected Langevin Monte Carlo, convex, any number of steps", {}, assumed,
          [&] { return projected_langevin_mu(setting); }),
  };
}

std::vector<Guarantee> exponential_mechanism_strongly_convex_guarantees(double lipschitz_of_difference,
                                                                        double strong_convexity) {
  const Enclosure mu = exponential_mechanism_strongly_convex_mu(lipschitz_of_difference, strong_convexity);
  return {gdp("corollary-5.2", "exponential mechanism, strongly convex", {},
              {"F and F' are " + shortest(strong_convexity) + "-strongly convex on the whole space",
               "F - F' is Lipschitz with the given constant"},
              [mu] { return mu; })};
}

std::vector<Guarantee> exponential_mechanism_convex_guarantees(double lipschitz, double diameter) {
  const Enclosure mu = exponential_mechanism_convex_mu(lipschitz, diameter);
  const std::vector<std::string> assumed{"F and F' are each Lipschitz with the given constant",
                                         "the density lives on a convex body of the given diameter"};
  return {
      gdp("corollary-5.4", "exponential mechanism, convex", {}, with(assumed, {"F and F' are convex"}),
          [mu] { return mu; }),
      guarantee("appendix-d.4", "exponential mechanism, classical pure bound", {}, assumed,
                [lipschitz, diameter](std::string& note) {
                  const double epsilon = exponential_mechanism_pure_epsilon(lipschitz, diameter).upper;
                  note = shortest(epsilon).append("-differential privacy with delta = 0");
                  return accounting::pure_curve(epsilon);
                }),
  };
}

}  // namespace dpcurves::interpolation
