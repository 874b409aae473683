// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Run files as settings: what --run puts in place of itself.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/named.hpp>
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

/// The word of a run file for one of its values.
template <class Enum>
std::string word(Enum value) {
  const auto all = enumerators(value);
  return std::string(std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == value; })->second);
}

DomainError unfit(const std::string& key, const std::string& algorithm, const std::string& words) {
  return DomainError(key + ": " + algorithm + " " + words);
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
  if (phase.noise && !run.clipping.norm) {
    throw DomainError("clipping.norm: is missing, the unit of phases[0].noise");
  }
  if (phase.noise && (on_mean || records)) {
    if (!records) {
      throw DomainError("phases[0].batch_size: is missing, with noise on a mean");
    }
    options.add("clip", {*run.clipping.norm});
    options.add("noise", {on_mean ? *phase.noise : *phase.noise / *records});
  } else if (phase.noise) {
    options.add("effective-sensitivity", {2.0 * *run.clipping.norm / *phase.noise});
    options.add("noise", {*phase.noise});
  } else if (phase.noise_multiplier) {
    options.add("noise-multiplier", {*phase.noise_multiplier});
    add(options, "clip", run.clipping.norm);
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

void complete_from_run(Values& values, const std::vector<Option>& table, const std::string& algorithm) {
  if (!values.has("run")) {
    return;
  }
  const std::string path = values.text("run");
  const Run run = read_transcript(path, {}).run;
  const Values read = of_file(path, [&] {
    require_one_phase(run, algorithm);
    return checked_options(table,
                           algorithm == "correlated" ? correlated_options(run) : descent_options(run, algorithm));
  });
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
  const Algorithm& algorithm = algorithm_named(process);
  Values said = checked_options(algorithm.options, RawOptions{});
  for (const char* option : {"run", "records", "sensitivity", "noise", "step-size", "diameter", "batch-size", "epochs",
                             "steps", "strong-convexity"}) {
    if (values.has(option)) {
      said.set(option, values.value(option));
    }
  }
  algorithm.complete(said, algorithm.options);
  if (said.text("release") == "all") {
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
  choose("noise", {noise});
  if (values.text_or("loss", "") == "softmax") {  // images say the records, the norm of a gradient its sensitivity
    choose("clip", {0.5 * sensitivity});
  } else {
    choose("records", {records});
    choose("sensitivity", {sensitivity});
  }
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
