// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings of the command line as run files: what an answer echoes.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/run_options.hpp>

namespace dpcurves::queries {
namespace {

using mechanism::Adjacency;
using mechanism::Phase;
using mechanism::Release;
using mechanism::Run;
using mechanism::Sampler;

/// 2/(2/x) is x again or less than it, so that no noise is larger than what was asked about.
double twice_over(double x) {
  double quotient = 2.0 / x;
  while (2.0 / quotient < x) {
    quotient = std::nextafter(quotient, 0.0);
  }
  return quotient;
}

/// Noise, clipping and batch of one phase.
/// \param divisor  the option that says the records of a step.
void add_scale(Run& run, Phase& phase, const Values& values, const char* divisor) {
  const auto records = values.maybe(divisor);
  phase.batch_size = records;
  const auto kappa = values.maybe("effective-sensitivity");
  const auto noise = values.maybe("noise");
  if (values.has("noise-multiplier")) {
    phase.noise_multiplier = values.number("noise-multiplier");
    run.clipping.norm = values.maybe("clip");
  } else if (!kappa) {
    run.clipping.noise_on = mechanism::NoiseOn::mean;
    run.clipping.norm = values.has("clip") ? values.number("clip") : 0.5 * values.number("sensitivity");
    phase.noise = noise;
  } else if (noise) {
    run.clipping.norm = 0.5 * *kappa * *noise * records.value_or(1.0);
    run.clipping.noise_on = records ? mechanism::NoiseOn::mean : mechanism::NoiseOn::sum;
    phase.noise = noise;
  } else {
    phase.noise_multiplier = twice_over(*kappa);
  }
}

/// What is known of the losses.
mechanism::Model model_of(const Values& values) {
  mechanism::Model model;
  if (values.flag("convex")) {
    model.convex = true;
  }
  model.step_size = values.maybe("step-size");
  model.strong_convexity = values.maybe("strong-convexity");
  model.smoothness = values.maybe("smoothness");
  model.diameter = values.maybe("diameter");
  const bool contracts = values.has("contraction") || values.has("one-minus-contraction");
  if (contracts && !model.strong_convexity && !model.smoothness) {
    const double complement =
        values.has("contraction") ? 1.0 - values.number("contraction") : values.number("one-minus-contraction");
    const double eta = model.step_size.value_or(1.0);
    double m = complement / eta;
    while (eta * m > complement) {
      m = std::nextafter(m, 0.0);
    }
    double M = std::max(m, (2.0 - complement) / eta);
    while (M > m && std::fma(-eta, M, 2.0) < complement) {  // rounded so that m decides
      M = std::nextafter(M, 0.0);
    }
    model.step_size = eta;
    model.strong_convexity = m;
    model.smoothness = M;
  }
  return model;
}

Value descent_run(const Values& values, const char* divisor, Phase phase, std::optional<double> records,
                  std::optional<mechanism::Order> order = std::nullopt) {
  Run run;
  add_scale(run, phase, values, divisor);
  if (records) {
    run.records = mechanism::Records{*records};
  }
  run.model = model_of(values);
  run.model->order = order;
  run.privacy.adjacency = Adjacency::replace_one;
  const bool all = values.text("release") == "all";
  run.privacy.release = all ? Release::all_steps : Release::last_iterate;
  run.phases.push_back(std::move(phase));
  return echoed(std::move(run), values);
}

}  // namespace

Option run_option() {
  return {"run", OptionKind::text, "FILE", "a run file, as answers have it under \"run\"; options given beside it win",
          "Run file"};
}

Value echoed(Run run, const Values& values) {
  constexpr double most_steps = 1e15;  // of a run file
  const auto too_many = [](double count) { return !(count <= most_steps); };
  if (std::any_of(run.phases.begin(), run.phases.end(), [&](const Phase& one) { return too_many(one.steps); }) ||
      std::any_of(run.releases.begin(), run.releases.end(), [&](const auto& one) { return too_many(one.count); }) ||
      std::any_of(run.phases.begin(), run.phases.end(),
                  [](const Phase& one) { return one.noise_multiplier && std::isinf(*one.noise_multiplier); })) {
    return {};
  }
  if (values.has("delta")) {
    const auto* list = values.value("delta").get<std::vector<double>>();
    const auto all = list != nullptr ? *list : std::vector{values.number("delta")};
    const auto of_file = std::exchange(run.privacy.delta, {});
    std::copy_if(all.begin(), all.end(), std::back_inserter(run.privacy.delta),
                 [](double delta) { return delta > 0.0 && delta < 1.0; });
    if (!of_file.empty() && of_file != run.privacy.delta) {  // a budget and what was logged are of the file's delta
      run.privacy.epsilon_budget.reset();
      for (Phase& phase : run.phases) {
        phase.epsilon_logged.reset();
      }
    }
  }
  return {transcripts::record_of(run)};
}

Value echoed(const accounting::DpSgd& question, const Values& values) { return echoed(run_of(question), values); }

Value noisy_gd_run(const Values& values) {
  Phase phase{.steps = values.number("steps"), .sampler = Sampler::none};
  return descent_run(values, "records", std::move(phase), values.maybe("records"));
}

Value noisy_cgd_run(const Values& values, double batches_per_epoch) {
  Phase phase{.sampler = Sampler::cyclic, .epochs = values.number("epochs")};
  phase.steps = *phase.epochs * batches_per_epoch;
  std::optional<double> records;
  if (const auto batch = values.maybe("batch-size")) {
    records = *batch * batches_per_epoch;
  } else {
    phase.sampling_rate = 1.0 / batches_per_epoch;
  }
  return descent_run(values, "batch-size", std::move(phase), records, mechanism::Order::same_every_epoch);
}

Value noisy_sgd_run(const Values& values) {
  Phase phase;
  phase.sampler = Sampler::fixed_size;
  phase.steps = values.number("steps");
  phase.sampling_rate = values.maybe("sampling-rate");
  return descent_run(values, "batch-size", std::move(phase), values.maybe("records"));
}

Value correlated_run(const Values& values, const correlated::MatrixMechanism& mechanism) {
  constexpr std::size_t most_coefficients = 100000;  // in an answer
  using Form = models::StrategyMatrix::Form;
  Run run;
  run.privacy.adjacency = mechanism.adjacency;
  if (values.has(coefficients_key)) {
    run.noise.strategy = mechanism::Strategy::file;
    run.noise.coefficients = values.numbers(coefficients_key);
  } else if (mechanism.strategy.form() == Form::exponential) {
    run.noise.strategy = mechanism::Strategy::lambda;
    run.noise.lambda = mechanism.strategy.lambda();
  } else if (mechanism.strategy.form() == Form::toeplitz && mechanism.strategy.bandwidth() <= most_coefficients) {
    run.noise.strategy = mechanism::Strategy::file;
    run.noise.coefficients = mechanism.strategy.coefficients();
  } else if (values.text("strategy").ends_with(".csv")) {
    run.noise.strategy = mechanism::Strategy::file;
    run.noise.file = values.text("strategy");
  } else {
    return {};
  }
  Phase phase;
  phase.sampler = mechanism.sampling;
  phase.steps = static_cast<double>(mechanism.strategy.steps());
  phase.noise_multiplier = values.number("noise-multiplier");
  phase.sampling_rate = values.maybe("sampling-rate");
  phase.batch_size = values.maybe("batch-size");
  if (values.has("records")) {
    run.records = mechanism::Records{values.number("records")};
  }
  run.phases.push_back(std::move(phase));
  return echoed(std::move(run), values);
}

Value strategy_run(const Values& values, const correlated::Strategy& strategy,
                   const correlated::ParticipationPattern& pattern,
                   const std::optional<correlated::CyclicPoisson>& turns, double noise_multiplier,
                   mechanism::Adjacency adjacency) {
  using correlated::ParticipationRule;
  using correlated::StrategyKind;
  Run run;
  run.privacy.adjacency = adjacency;
  auto& noise = run.noise;
  switch (strategy.kind) {
    case StrategyKind::identity:
      break;
    case StrategyKind::lambda:
      noise.strategy = mechanism::Strategy::lambda;
      noise.lambda = strategy.lambda;
      break;
    case StrategyKind::bsr:
    case StrategyKind::bisr:
      noise.strategy = strategy.kind == StrategyKind::bsr ? mechanism::Strategy::bsr : mechanism::Strategy::bisr;
      noise.bands = static_cast<double>(strategy.bands);
      break;
    case StrategyKind::blt:
      noise.strategy = mechanism::Strategy::blt;
      for (const auto& [theta, omega] : strategy.buffers) {
        noise.theta.push_back(theta);
        noise.omega.push_back(omega);
      }
      break;
    case StrategyKind::band_mf:
      noise.strategy = mechanism::Strategy::band_mf;
      noise.coefficients = strategy.matrix.coefficients();
      break;
  }
  Phase phase;
  const std::size_t steps = strategy.matrix.steps();
  phase.steps = static_cast<double>(steps);
  phase.noise_multiplier = noise_multiplier;
  if (turns) {
    phase.sampler = Sampler::cyclic_poisson;
    phase.cycle = static_cast<double>(turns->groups);
    phase.sampling_rate = turns->sampling_rate;
  } else {
    const bool single = pattern.rule == ParticipationRule::single;
    const auto separation = static_cast<double>(single ? steps : pattern.separation);
    phase.sampler = Sampler::cyclic;  // of the rules, what a sampler can say
    phase.sampling_rate = 1.0 / separation;
    noise.participation = single                                      ? mechanism::Participation::single
                          : pattern.rule == ParticipationRule::cyclic ? mechanism::Participation::cyclic
                                                                      : mechanism::Participation::min_separation;
    if (!single) {
      noise.separation = separation;
      noise.participations = static_cast<double>(pattern.participations(steps));
    }
  }
  run.phases.push_back(std::move(phase));
  return echoed(std::move(run), values);
}

}  // namespace dpcurves::queries
