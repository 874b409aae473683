// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/calibration.hpp>
#include <dpcurves/correlated/detail/tree_aggregation.hpp>
#include <dpcurves/correlated/strategy_comparison.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

using mechanism::Adjacency;

double as_double(std::size_t n) { return static_cast<double>(n); }

double moves(Adjacency adjacency) { return adjacency == Adjacency::replace_one ? 2.0 : 1.0; }

StrategyError scaled(const StrategyError& error, double factor) {
  return {error.mean * factor, error.maximum * factor, error.last * factor};
}

/// kappa of sensitivity/kappa-GDP at the target.
Enclosure gaussian_noise(const Enclosure& sensitivity, double factor, double epsilon, double delta) {
  const Enclosure mu = tradeoff::mu_enclosure(epsilon, delta);
  return {next_down(factor * sensitivity.lower / mu.upper), next_up(factor * sensitivity.upper / mu.lower)};
}

/// Norm of the first column, the longest of a Toeplitz matrix.
Enclosure column_norm(const Strategy& strategy) {
  return pattern_sensitivity(strategy.matrix, {}, strategy.entry_error).value;
}

std::string words(const Strategy& s) {
  switch (s.kind) {
    case StrategyKind::identity:
      return "";
    case StrategyKind::lambda:
      return "lambda = " + rounded(s.lambda, 8);
    case StrategyKind::blt: {
      std::string text;
      for (const auto& [theta, omega] : s.buffers) {
        text += (text.empty() ? "" : ", ") + rounded(omega, 6) + " at " + rounded(theta, 8);
      }
      return text;
    }
    case StrategyKind::bsr:
    case StrategyKind::bisr:
    case StrategyKind::band_mf:
      return std::to_string(s.bands) + (s.bands == 1 ? " band" : " bands");
  }
  return "";
}

StrategyAnswer by_rule(StrategyKind kind, const StrategyQuestion& question) {
  StrategyAnswer answer{.name = std::string(name(kind)), .strategy = search_strategy(kind, question.search)};
  answer.parameters = words(*answer.strategy);
  answer.sensitivity =
      pattern_sensitivity(answer.strategy->matrix, question.search.pattern, answer.strategy->entry_error);
  answer.noise_multiplier =
      gaussian_noise(answer.sensitivity.value, moves(question.adjacency), question.epsilon, question.delta);
  answer.error = scaled(strategy_error(*answer.strategy), answer.noise_multiplier.upper);
  answer.risk = last_iterate_risk(*answer.strategy, answer.noise_multiplier.upper, question.step_curvature);
  return answer;
}

StrategyAnswer by_tree(bool honaker, const StrategyQuestion& question) {
  StrategyAnswer answer{.name = honaker ? "tree-honaker" : "tree",
                        .sensitivity = tree_sensitivity(question.search.steps, question.search.pattern)};
  answer.noise_multiplier =
      gaussian_noise(answer.sensitivity.value, moves(question.adjacency), question.epsilon, question.delta);
  answer.error = scaled(tree_error(question.search.steps, honaker), answer.noise_multiplier.upper);
  return answer;
}

/// A banded strategy whose groups take turns.
StrategyAnswer sampled(const std::string& name, Strategy strategy, const StrategyQuestion& question) {
  const std::size_t steps = question.search.steps, groups = strategy.bands;
  const CyclicPoisson sampling{groups, std::min(1.0, question.epochs * as_double(groups) / as_double(steps))};
  const std::size_t turns = (steps - 1) / groups + 1;
  const MatrixMechanism turn{models::StrategyMatrix::exponential(0.0, turns), sampling.sampling_rate, 1.0,
                             mechanism::Sampler::poisson, question.adjacency};
  const auto found = calibrate(turn, Method::composition, question.epsilon, question.delta);
  const Enclosure norm = column_norm(strategy);
  StrategyAnswer answer;
  answer.name = name;
  const std::string bands = words(strategy);
  answer.parameters = bands + (bands.empty() ? "" : ", ") + "rate " + rounded(sampling.sampling_rate, 6);
  answer.sensitivity = {norm, true, {0}};
  answer.noise_multiplier.upper = next_up(found->noise_multiplier * norm.upper);
  const auto delta_at = [&](double noise) {
    return cyclic_poisson_guarantee(strategy, sampling, noise, question.adjacency, {1e-6, false})
        .curve->delta(question.epsilon)
        .value;
  };
  // Less noise, until it provably misses the target. The last column may be cut, which the upper end leaves out so far.
  Enclosure& ends = answer.noise_multiplier;
  for (double width = 1e-6; width < 1.0 && ends.lower == 0.0; width *= 8.0) {
    const double less = ends.upper * (1.0 - width);
    ends.lower = delta_at(less).lower > question.delta ? less : 0.0;
  }
  while (ends.upper > ends.lower * (1.0 + 5e-5)) {
    const double middle = 0.5 * (ends.lower + ends.upper);
    const Enclosure delta = delta_at(middle);
    if (delta.upper <= question.delta) {
      ends.upper = middle;
    } else if (delta.lower > question.delta) {
      ends.lower = middle;
    } else {
      break;
    }
  }
  answer.error = scaled(strategy_error(strategy), answer.noise_multiplier.upper);
  answer.risk = last_iterate_risk(strategy, answer.noise_multiplier.upper, question.step_curvature);
  answer.sampling = sampling;
  answer.strategy = std::move(strategy);
  return answer;
}

/// Widths in octaves: fewer bands are amplified more, more bands correlate more. Ends when two in a row are worse.
StrategyAnswer best_sampled(const StrategyQuestion& question) {
  StrategySearch search = question.search;
  search.pattern = {};  // one column
  const auto cost = [&](const StrategyAnswer& answer) {
    return search.cost == NoiseCost::mean ? answer.error.mean : answer.error.maximum;
  };
  const auto widest = static_cast<std::size_t>(as_double(search.steps) / question.epochs);
  const auto at = [&](std::size_t bands) {
    search.bands = bands;
    return sampled("band-mf-sampled", search_strategy(StrategyKind::band_mf, search), question);
  };
  if (search.bands) {
    return at(*search.bands);
  }
  constexpr std::size_t most_bands = 512;
  StrategyAnswer best = at(1);
  int worse = 0;
  for (std::size_t bands = 2; bands < 2 * std::min(widest, most_bands) && worse < 2; bands *= 2) {
    StrategyAnswer next = at(std::min({bands, widest, most_bands}));
    worse = cost(next) < cost(best) ? 0 : worse + 1;
    best = worse == 0 ? std::move(next) : best;
  }
  return best;
}

}  // namespace

accounting::Guarantee pattern_guarantee(const Strategy& strategy, const ParticipationPattern& pattern,
                                        double noise_multiplier, Adjacency adjacency) {
  require_domain(noise_multiplier > 0.0 && std::isfinite(noise_multiplier), "noise_multiplier", noise_multiplier,
                 "(0, inf)");
  accounting::Guarantee result;
  result.theorem = "kan-correlated-noise/derived-5";
  result.title = "participation by a rule, Gaussian";
  result.assumed = {"per-record gradients are clipped, and a record takes part by the rule, whatever the data are"};
  result.setting = {{"participation", std::string(name(pattern.rule))}};
  result.adjacency = adjacency;
  if (adjacency != Adjacency::zero_out && adjacency != Adjacency::replace_one) {
    result.violations.push_back(
        {"adjacency zero-out or replace-one", std::string(mechanism::name(adjacency)), "--adjacency zero-out"});
    return result;
  }
  const auto found = pattern_sensitivity(strategy.matrix, pattern, strategy.entry_error);
  const double factor = moves(adjacency);
  result.curve = accounting::gaussian_curve({next_down(factor * found.value.lower / noise_multiplier),
                                             next_up(factor * found.value.upper / noise_multiplier)});
  result.note = std::to_string(found.steps.size()) + " participations move the encoded sums by at most " +
                rounded(found.value.upper, 8) + (found.exact ? ", attained" : "");
  return result;
}

accounting::Guarantee cyclic_poisson_guarantee(const Strategy& strategy, const CyclicPoisson& sampling,
                                               double noise_multiplier, Adjacency adjacency,
                                               const accounting::Accuracy& accuracy) {
  require_domain(noise_multiplier > 0.0 && std::isfinite(noise_multiplier), "noise_multiplier", noise_multiplier,
                 "(0, inf)");
  const std::size_t steps = strategy.matrix.steps(), bands = strategy.matrix.bandwidth(), b = sampling.groups;
  require_domain(b >= 1 && b <= steps, "groups", as_double(b), "[1, steps]");
  // Columns 0, b, 2 b, ... of the first group: all but the last ones are whole.
  const Enclosure norm = column_norm(strategy);
  const std::size_t turns = (steps - 1) / b + 1;
  const std::size_t whole = bands > steps ? 0 : std::min(turns, (steps - bands) / b + 1);
  accounting::DpSgd run{.sampling = mechanism::Sampler::poisson, .adjacency = adjacency};
  run.phases.push_back({next_down(noise_multiplier / norm.upper), sampling.sampling_rate, as_double(whole)});
  const auto norms = strategy.matrix.column_norms();
  for (std::size_t j = whole; j < turns; ++j) {
    const double end = std::min(norm.upper, norms[j * b] * (1.0 + 1e-12) * (1.0 + strategy.entry_error));
    run.phases.push_back({next_down(noise_multiplier / end), sampling.sampling_rate, 1.0});
  }
  accounting::Guarantee result = accounting::dp_sgd_guarantee(run, accuracy);
  result.theorem = "kan-correlated-noise/derived-6";
  result.title = "banded strategy, groups in turn, Poisson samples of each: " + std::to_string(turns) + " steps";
  result.sampling = mechanism::Sampler::cyclic_poisson;
  for (auto& [about, words] : result.setting) {
    if (about == "sampling") {
      words = "cyclic Poisson: " + std::to_string(b) + " groups of records in turn, of each a Poisson sample at rate " +
              rounded(sampling.sampling_rate, 6);
    }
  }
  if (bands > b) {
    result.violations.push_back({"at most as many bands as groups", std::to_string(bands) + " bands",
                                 "--groups " + std::to_string(bands) + " or fewer bands"});
    result.curve = nullptr;
  }
  return result;
}

double last_iterate_risk(const Strategy& strategy, double noise_multiplier, double step_curvature) {
  require_domain(step_curvature > 0.0 && step_curvature < 2.0, "step_curvature", step_curvature, "(0, 2)");
  const double deviation = step_curvature * noise_multiplier * strategy_error(strategy, 1.0 - step_curvature).last;
  return deviation * deviation;
}

std::vector<std::string> strategy_names() {
  return {"identity", "tree", "tree-honaker", "lambda", "bisr", "bsr", "blt", "band-mf", "dp-sgd", "band-mf-sampled"};
}

StrategyAnswer compare(const std::string& name, const StrategyQuestion& question) {
  require_domain(question.epsilon > 0.0 && std::isfinite(question.epsilon), "epsilon", question.epsilon, "(0, inf)");
  require_domain(question.delta > 0.0 && question.delta < 1.0, "delta", question.delta, "(0, 1)");
  require_domain(question.epochs > 0.0 && question.epochs <= as_double(question.search.steps), "epochs",
                 question.epochs, "(0, steps]");
  if (const auto kind = strategy_kind_of(name)) {
    return by_rule(*kind, question);
  }
  if (name == "tree" || name == "tree-honaker") {
    return by_tree(name == "tree-honaker", question);
  }
  if (name == "dp-sgd") {
    return sampled(name, identity_strategy(question.search.steps), question);
  }
  if (name == "band-mf-sampled") {
    return best_sampled(question);
  }
  throw DomainError("strategy: \"" + name + "\" is none of " + joined(strategy_names()));
}

}  // namespace dpcurves::correlated
