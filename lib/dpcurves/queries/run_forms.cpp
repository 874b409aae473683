// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/algorithm.hpp>
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

/// The word of a run file for one of its values.
template <class Enum>
std::string word(Enum value) {
  const auto all = enumerators(value);
  return std::string(std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == value; })->second);
}

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

/// Who takes part, where a rule says it, and a strategy by name.
void strategy_options_of(Record& options, const Run& run, const Phase& phase) {
  const auto& noise = run.noise;
  options.add("strategy", {word(noise.strategy)});
  if (noise.strategy == mechanism::Strategy::lambda) {
    add(options, "lambda", noise.lambda);
  }
  add(options, "bands", noise.bands);
  if (noise.participation) {
    options.add("participation", {word(*noise.participation)});
    if (noise.participation != mechanism::Participation::single) {
      add(options, "separation", noise.separation);
      add(options, "participations", noise.participations);
    }
  } else {
    add(options, "groups", phase.cycle);
  }
  using mechanism::Strategy;
  const bool numbers = noise.strategy == Strategy::band_mf ? !noise.coefficients.empty()
                       : noise.strategy == Strategy::blt   ? !noise.theta.empty()
                       : noise.strategy == Strategy::bsr || noise.strategy == Strategy::bisr ? noise.bands.has_value()
                                                                                             : true;
  if (!numbers || noise.theta.size() != noise.omega.size()) {
    throw DomainError(std::string("noise.") +
                      (noise.strategy == Strategy::band_mf ? "coefficients: are"
                       : noise.strategy == Strategy::blt   ? "theta: is, as long as omega,"
                                                           : "bands: is") +
                      " missing, with strategy = \"" + word(noise.strategy) + "\"");
  }
}

Record correlated_options(const Run& run) {
  const std::string algorithm = "correlated";
  const Phase& phase = run.phases.front();
  const bool by_rule = run.noise.participation.has_value();
  const bool turns = !by_rule && phase.sampler == Sampler::cyclic_poisson;
  if (by_rule) {
    require_sampler(phase, algorithm, {Sampler::cyclic});
  } else {
    require_sampler(phase, algorithm, {Sampler::poisson, Sampler::fixed_size, Sampler::cyclic_poisson});
  }
  if (run.privacy.release != Release::all_steps) {
    throw unfit("privacy.release", algorithm, "has release = \"all-steps\"");
  }
  Record options{{"adjacency", {std::string(name(run.privacy.adjacency))}}, {"steps", {phase.steps}}};
  add(options, "noise-multiplier", mechanism::noise_multiplier(run, phase));
  if (by_rule) {
    strategy_options_of(options, run, phase);
    return options;
  }
  options.add("sampling", {std::string(name(phase.sampler))});
  add(options, "sampling-rate", phase.sampling_rate);
  if (!phase.sampling_rate) {
    add(options, "batch-size", mechanism::update_size(run, phase));
    add(options, "records", run.records ? std::optional(run.records->count) : std::nullopt);
  }
  if (turns) {
    strategy_options_of(options, run, phase);
    return options;
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
    default:
      throw DomainError("noise.participation: is missing, with strategy = \"" + word(run.noise.strategy) +
                        "\"; or sampler = \"cyclic-poisson\"");
  }
  return options;
}

/// Options that say the same in different words: one of them on the command line replaces all of the file.
const std::vector<std::vector<std::string>>& alternatives() {
  static const std::vector<std::vector<std::string>> all{
      {"noise-multiplier", "clip", "sensitivity", "noise", "effective-sensitivity"},
      {"contraction", "one-minus-contraction", "strong-convexity", "smoothness"},
      {"lambda", "strategy", "bands", "buffers", coefficients_key, theta_key, omega_key},
      {"participation", "epochs", "separation", "participations"}};
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
  const std::pair<const char*, const std::vector<double>*> numbers[] = {
      {coefficients_key, &run.noise.coefficients}, {theta_key, &run.noise.theta}, {omega_key, &run.noise.omega}};
  for (const auto& [key, list] : numbers) {
    if (!list->empty() && !run.noise.file && !replaced(given, key, algorithm)) {
      values.set(key, Value{*list});
    }
  }
}

void complete_simulation(Values& values, const std::string& process) {
  if (!values.has("run")) {
    return;
  }
  const std::string path = values.text("run");
  const auto& all = algorithms();
  const auto algorithm =
      std::find_if(all.begin(), all.end(), [&](const Algorithm& one) { return one.name == process; });
  Values said;
  for (const char* option : {"run", "records", "sensitivity", "noise", "step-size", "diameter", "batch-size", "epochs",
                             "steps", "strong-convexity"}) {
    if (values.has(option)) {
      said.set(option, values.value(option));
    }
  }
  algorithm->complete(said, algorithm->options);
  if (said.text_or("release", "last-iterate") == "all") {
    throw DomainError(path + ": privacy.release: simulate " + process +
                      " draws the last iterate; simulate dp-sgd --run draws all steps");
  }
  const bool gd = process == "noisy-gd", cgd = process == "noisy-cgd";
  const double batch = said.number_or("batch-size", 1.0);
  double records = said.number_or("records", 2.0);
  if (cgd) {
    records = batch * said.number("batches-per-epoch");
  } else if (!gd && said.has("sampling-rate")) {
    records = std::round(batch / said.number("sampling-rate"));
    if (std::abs(records * said.number("sampling-rate") - batch) > 1e-9 * batch) {
      throw DomainError(path + ": records: is missing; batches of " + shortest(batch) + " at rate " +
                        shortest(said.number("sampling-rate")) + " are not of a whole number of records");
    }
  }
  const double divisor = gd ? records : batch;
  double noise = said.number_or("noise", 1.0), sensitivity = 0.0;
  if (said.has("noise-multiplier")) {
    const double clip = said.number_or("clip", 1.0);
    noise = said.number("noise-multiplier") * clip / divisor;
    sensitivity = 2.0 * clip;
  } else if (said.has("effective-sensitivity")) {
    sensitivity = said.number("effective-sensitivity") * divisor * noise;
  } else {
    sensitivity = said.has("clip") ? 2.0 * said.number("clip") : said.number("sensitivity");
  }
  values.erase("run");
  const auto choose = [&](const char* option, const Value& value) {
    if (!values.has(option)) {
      values.set(option, value);
    }
  };
  choose("records", {records});
  choose("noise", {noise});
  choose("sensitivity", {sensitivity});
  if (!gd) {
    choose("batch-size", {batch});
  }
  for (const char* option : {"step-size", "diameter", "epochs", "steps", "strong-convexity"}) {
    if (said.has(option)) {
      choose(option, said.value(option));
    }
  }
  if (said.number_or("strong-convexity", 0.0) == 0.0) {
    choose("loss", {std::string("linear")});
  }
}

}  // namespace dpcurves::queries
