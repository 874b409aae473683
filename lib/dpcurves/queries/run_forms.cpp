// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/run_file.hpp>
#include <dpcurves/queries/run_forms.hpp>
#include <dpcurves/queries/run_options.hpp>

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
    run.clipping.norm = values.number_or("clip", 1.0);
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
  const bool all = values.text_or("release", "last-iterate") == "all";
  run.privacy.release = all ? Release::all_steps : Release::last_iterate;
  run.phases.push_back(std::move(phase));
  return echoed(std::move(run), values);
}

DomainError unfit(const std::string& key, const std::string& algorithm, const std::string& words) {
  return DomainError(key + ": " + algorithm + " " + words);
}

/// What no algorithm here has.
void require_one_phase(const Run& run, const std::string& algorithm) {
  if (run.phases.size() != 1 || !run.releases.empty() || !run.claims.empty() || !run.concentrated.empty() ||
      !run.mechanisms.empty()) {
    throw unfit("phases", algorithm,
                "has one kind of steps and nothing beside them; dp-sgd composes phases and releases");
  }
  if (run.records && run.records->max_records_per_unit > 1.0) {
    throw unfit("records.unit", algorithm, "protects one record");
  }
  if (run.clipping.adaptive || run.clipping.per != mechanism::ClippedPer::record) {
    throw unfit("clipping", algorithm, "has one norm for the gradient of each record");
  }
  if (run.selection.best && run.selection.runs > 1.0) {
    throw unfit("selection", algorithm, "is one run, not the best of several");
  }
}

void require_sampler(const Phase& phase, const std::string& algorithm, std::initializer_list<Sampler> allowed) {
  std::string words;
  for (const Sampler one : allowed) {
    words += (words.empty() ? "\"" : " or \"") + std::string(name(one)) + "\"";
  }
  if (std::find(allowed.begin(), allowed.end(), phase.sampler) == allowed.end()) {
    throw unfit("phases[0].sampler", algorithm, "has sampler = " + words);
  }
}

void add(Record& options, const char* name, const std::optional<double>& value) {
  if (value) {
    options.add(name, {*value});
  }
}

/// add_scale, read back.
void scale_options(Record& options, const Run& run, const Phase& phase, const char* divisor) {
  const auto records = phase.batch_size                                   ? mechanism::update_size(run, phase)
                       : std::string(divisor) == "records" && run.records ? std::optional(run.records->count)
                                                                          : std::nullopt;
  const bool on_mean = run.clipping.noise_on == mechanism::NoiseOn::mean;
  if (phase.noise && (on_mean || records)) {
    if (!records) {
      throw DomainError("phases[0].batch_size: is missing, with noise on a mean");
    }
    options.add("clip", {run.clipping.norm});
    options.add("noise", {on_mean ? *phase.noise : *phase.noise / *records});
  } else if (phase.noise) {
    options.add("effective-sensitivity", {2.0 * run.clipping.norm / *phase.noise});
    options.add("noise", {*phase.noise});
  } else if (phase.noise_multiplier) {
    options.add("noise-multiplier", {*phase.noise_multiplier});
    options.add("clip", {run.clipping.norm});
  } else {
    throw DomainError("phases[0]: neither noise_multiplier nor noise");
  }
  add(options, divisor, records);
}

Record descent_options(const Run& run, const std::string& algorithm) {
  const Phase& phase = run.phases.front();
  const bool gd = algorithm == "noisy-gd", cgd = algorithm == "noisy-cgd";
  require_sampler(phase, algorithm, {gd ? Sampler::none : cgd ? Sampler::cyclic : Sampler::fixed_size});
  if (run.noise.strategy != mechanism::Strategy::identity) {
    throw unfit("noise.strategy", algorithm,
                "has independent noise; dpcurves privacy correlated --run reads a strategy");
  }
  if (run.privacy.release != Release::last_iterate && run.privacy.release != Release::all_steps) {
    throw unfit("privacy.release", algorithm, "has release = \"last-iterate\" or \"all-steps\"");
  }
  if (run.privacy.adjacency != Adjacency::replace_one) {
    throw unfit("privacy.adjacency", algorithm, "speaks of a record that is replaced: adjacency = \"replace-one\"");
  }
  Record options;
  const char* divisor = gd ? "records" : "batch-size";
  scale_options(options, run, phase, divisor);
  const auto all = run.records ? std::optional(run.records->count) : std::nullopt;
  if (!cgd) {
    options.add("steps", {phase.steps});
  } else {
    const bool sized = all && phase.batch_size;
    if (!sized && !phase.sampling_rate && !phase.epochs) {
      throw DomainError("phases[0].batch_size: is missing, or records");
    }
    const double batches = sized          ? *all / *mechanism::update_size(run, phase)
                           : phase.epochs ? phase.steps / *phase.epochs
                                          : std::round(1.0 / *phase.sampling_rate);
    options.add("batches-per-epoch", {batches});
    options.add("epochs", {phase.steps / batches});
  }
  if (!gd && !cgd) {
    add(options, "sampling-rate", phase.sampling_rate);
    add(options, "records", phase.sampling_rate ? std::nullopt : all);
  }
  if (run.privacy.release == Release::all_steps) {
    options.add("release", {"all"});
  }
  if (run.model) {
    if (run.model->convex.value_or(false)) {
      options.add("convex", {true});
    }
    add(options, "step-size", run.model->step_size);
    add(options, "strong-convexity", run.model->strong_convexity);
    add(options, "smoothness", run.model->smoothness);
    add(options, "diameter", run.model->diameter);
  }
  return options;
}

Record correlated_options(const Run& run) {
  const std::string algorithm = "correlated";
  const Phase& phase = run.phases.front();
  require_sampler(phase, algorithm, {Sampler::poisson, Sampler::fixed_size});
  if (run.privacy.release != Release::all_steps) {
    throw unfit("privacy.release", algorithm, "has release = \"all-steps\"");
  }
  Record options{{"sampling", {std::string(name(phase.sampler))}},
                 {"adjacency", {std::string(name(run.privacy.adjacency))}},
                 {"steps", {phase.steps}}};
  add(options, "noise-multiplier", mechanism::noise_multiplier(run, phase));
  add(options, "sampling-rate", phase.sampling_rate);
  if (!phase.sampling_rate) {
    add(options, "batch-size", mechanism::update_size(run, phase));
    add(options, "records", run.records ? std::optional(run.records->count) : std::nullopt);
  }
  switch (run.noise.strategy) {
    case mechanism::Strategy::identity:
      options.add("lambda", {0.0});
      break;
    case mechanism::Strategy::lambda:
      if (!run.noise.lambda) {
        throw DomainError("noise.lambda: is missing, with strategy = \"lambda\"");
      }
      options.add("lambda", {*run.noise.lambda});
      break;
    case mechanism::Strategy::file:
      if (run.noise.file) {
        options.add("strategy", {*run.noise.file});
      } else if (run.noise.coefficients.empty()) {
        throw DomainError("noise.file: is missing, or noise.coefficients, with strategy = \"file\"");
      }
      break;
  }
  return options;
}

/// Options that say the same in different words: one of them on the command line replaces all of the file.
const std::vector<std::vector<std::string>>& alternatives() {
  static const std::vector<std::vector<std::string>> all{
      {"noise-multiplier", "clip", "sensitivity", "noise", "effective-sensitivity"},
      {"contraction", "one-minus-contraction", "strong-convexity", "smoothness"},
      {"lambda", "strategy", coefficients_key}};
  return all;
}

/// Whether what the command line says rules out an option of the file.
bool replaced(const Values& given, const std::string& option, const std::string& algorithm) {
  const bool solved_for = given.has("solve-for") && given.text("solve-for") == option;
  const bool rate = given.has("batch-size") && option == "sampling-rate";
  const bool batch =
      given.has("sampling-rate") && (option == "records" || (option == "batch-size" && algorithm == "correlated"));
  return given.has(option) || solved_for || rate || batch ||
         std::any_of(alternatives().begin(), alternatives().end(), [&](const std::vector<std::string>& group) {
           return std::find(group.begin(), group.end(), option) != group.end() &&
                  std::any_of(group.begin(), group.end(), [&](const std::string& other) { return given.has(other); });
         });
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
    run.privacy.delta.clear();
    std::copy_if(all.begin(), all.end(), std::back_inserter(run.privacy.delta),
                 [](double delta) { return delta > 0.0 && delta < 1.0; });
  }
  return {transcripts::record_of(run)};
}

Value echoed(const accounting::DpSgd& question, const Values& values) { return echoed(run_of(question), values); }

Value noisy_gd_run(const Values& values) {
  Phase phase;
  phase.sampler = Sampler::none;
  phase.steps = values.number("steps");
  return descent_run(values, "records", std::move(phase), values.maybe("records"));
}

Value noisy_cgd_run(const Values& values, double batches_per_epoch) {
  Phase phase;
  phase.sampler = Sampler::cyclic;
  phase.epochs = values.number("epochs");
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

void complete_from_run(Values& values, const std::vector<Option>& table, const std::string& algorithm) {
  if (!values.has("run")) {
    return;
  }
  const std::string path = values.text("run");
  Run run;
  Values read;
  try {
    run = read_transcript(path, {}).run;
    require_one_phase(run, algorithm);
    const Record options = algorithm == "correlated" ? correlated_options(run) : descent_options(run, algorithm);
    read = checked_options(table, options);
  } catch (const DomainError& error) {
    throw DomainError(path + ": " + error.what());
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw UsageError(message.starts_with(path) ? message : path + ": " + message);
  }
  const Values given = values;
  values.erase("run");
  for (const Option& option : table) {
    if (read.has(option.name) && !replaced(given, option.name, algorithm)) {
      values.set(option.name, read.value(option.name));
    }
    if (option.name == "delta" && !given.has("delta") && !run.privacy.delta.empty() &&
        (option.kind == OptionKind::number || !given.has("epsilon"))) {
      const auto& asked = run.privacy.delta;
      values.set("delta", option.kind == OptionKind::number ? Value{asked.front()} : Value{asked});
    }
  }
  if (!run.noise.coefficients.empty() && !run.noise.file && !replaced(given, coefficients_key, algorithm)) {
    values.set(coefficients_key, Value{run.noise.coefficients});
  }
}

}  // namespace dpcurves::queries
