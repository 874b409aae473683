// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Run files of commands that train: what --run puts in place of itself.
#include <filesystem>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/run_options.hpp>

namespace dpcurves::queries {
namespace {

using mechanism::Normalisation;
using mechanism::Phase;
using mechanism::Run;
using mechanism::Sampler;
using mechanism::Strategy;

/// The run under --sampling, or its own sampler, where the command draws it.
void require_sampler(Phase& phase, const Values& values, const Training& training) {
  std::string known;
  for (const auto& [sampler, word] : training.samplers) {
    if (values.has("sampling") ? values.text("sampling") == word : phase.sampler == sampler) {
      phase.sampler = sampler;
      return;
    }
    known += (known.empty() ? "\"" : " or \"") + std::string(mechanism::name(sampler)) + "\"";
  }
  throw DomainError("phases[0].sampler: simulate " + training.process + " draws sampler = " + known +
                    "; simulate dp-sgd --run draws what the run publishes, with any sampler");
}

/// What a command that trains cannot draw.
void require_drawable(const Run& run, const Values& values, const Training& training) {
  const std::string process = "simulate " + training.process;
  const bool own_noise = values.has("lambda") || values.has("strategy");
  const bool named = run.noise.strategy != Strategy::identity && run.noise.strategy != Strategy::lambda &&
                     run.noise.strategy != Strategy::file;
  if (!training.correlated && run.noise.strategy != Strategy::identity) {
    throw DomainError("noise.strategy: " + process +
                      " has independent noise; simulate kan --run trains with correlated noise, simulate correlated "
                      "--run tests what it publishes");
  }
  if (training.correlated && named && !own_noise) {
    throw DomainError("noise.strategy: " + process +
                      " draws \"identity\", \"lambda\" and \"file\"; simulate correlated --run tests what the run "
                      "publishes, with any strategy");
  }
  const auto divisor = run.clipping.normalisation;
  if (divisor == Normalisation::realised || divisor == Normalisation::none) {
    throw DomainError("clipping.normalisation: " + process +
                      " divides the noisy sum by the expected size of a batch: \"expected\" or \"fixed\"");
  }
  if (run.model && run.model->diameter && !values.has("radius") && !training.correlated) {
    throw DomainError("model.diameter: " + process + " does not project all parameters on one set");
  }
}

/// The rows of a file are the records.
bool rows_are_records(const Values& values, const Training& training) {
  std::error_code error;
  return training.records_of_file && values.has("data") && !std::filesystem::is_directory(values.text("data"), error);
}

/// Records of an update, as the run says them or by its rate.
double batch_of(const Run& run, bool own_records) {
  const Phase& phase = run.phases.front();
  const auto size = mechanism::update_size(run, phase);
  if (!size || (own_records && !phase.batch_size)) {
    throw UsageError(std::string("--batch-size: is required") +
                     (own_records ? " beside --data FILE" : ", or --records") + ": the run says only a sampling rate");
  }
  return *size;
}

/// What the run says, as options.
Record typed_options(const Run& run, const Values& values, const Training& training) {
  const Phase& phase = run.phases.front();
  Record options{{"clip", {run.clipping.norm.value_or(1.0)}}};
  const auto add = [&](const char* option, const std::optional<double>& value) {
    if (value && !values.has(option)) {
      options.add(option, {*value});
    }
  };
  if (!values.has("noise-multiplier") && !values.has("epsilon") && !values.has("delta")) {
    const auto multiplier = mechanism::noise_multiplier(run, phase);
    if (!multiplier) {
      throw DomainError("phases[0].noise_multiplier: is not known; or give batch_size beside noise");
    }
    add("noise-multiplier", multiplier);
  }
  for (const auto& [sampler, word] : training.samplers) {
    if (sampler == phase.sampler && !word.empty()) {
      options.add("sampling", {word});
    }
  }
  const bool own_records = rows_are_records(values, training);
  if (run.records && !own_records) {
    add("records", run.records->count);
  }
  if (phase.sampler != Sampler::none && !values.has("batch-size")) {
    add("batch-size", batch_of(run, own_records));
  }
  if (training.correlated) {
    add("iterates", phase.steps + 1.0);
    if (!values.has("lambda") && !values.has("strategy") && run.noise.strategy == Strategy::lambda) {
      add("lambda", run.noise.lambda);
    } else if (!values.has("lambda") && !values.has("strategy") && run.noise.file) {
      options.add("strategy", {*run.noise.file});
    }
    if (run.model && run.model->diameter) {
      add("radius", 0.5 * *run.model->diameter);
    }
  } else {
    add("steps", phase.steps);
  }
  if (run.model) {
    add("step-size", run.model->step_size);
  }
  return options;
}

/// The run as the options have it.
Value drawn_run(Run run, const Values& values, const Training& training) {
  Phase& phase = run.phases.front();
  if (rows_are_records(values, training)) {
    run.records.reset();
  }
  phase.steps = training.correlated ? values.number("iterates") - 1.0 : values.number("steps");
  phase.noise.reset();
  if (!values.has("noise-multiplier")) {  // it is calibrated
    return {};
  }
  phase.noise_multiplier = training.lists_noises ? std::optional(values.numbers("noise-multiplier").front())
                                                 : values.maybe("noise-multiplier");
  phase.accumulation = 1.0;
  if (phase.sampler != Sampler::none) {
    phase.sampling_rate.reset();
    phase.batch_size = values.number("batch-size");
  }
  run.clipping.norm = values.number("clip");
  run.clipping.noise_on = mechanism::NoiseOn::sum;
  if (values.has("lambda")) {
    run.noise = {};
    run.noise.strategy = Strategy::lambda;
    run.noise.lambda = values.numbers("lambda").front();
  } else if (values.has("strategy")) {
    run.noise = {};
    run.noise.strategy = Strategy::file;
    run.noise.file = values.text("strategy");
  }
  if (run.model) {
    run.model->step_size = values.maybe("step-size");
  }
  return {transcripts::record_of(run)};
}

}  // namespace

Value complete_training(Values& values, const std::vector<Option>& table, const Training& training) {
  if (!values.has("run")) {
    return {};
  }
  const std::string path = values.text("run");
  try {
    Run run = read_transcript(path, {}).run;
    require_one_phase(run, "simulate " + training.process);
    if (values.has("records")) {
      run.records = mechanism::Records{values.number("records")};
    }
    require_sampler(run.phases.front(), values, training);
    require_drawable(run, values, training);
    const Values read = checked_options(table, typed_options(run, values, training));
    for (const Option& option : table) {
      if (read.has(option.name) && !values.has(option.name)) {
        values.set(option.name, read.value(option.name));
      }
    }
    if (training.correlated && run.noise.strategy == Strategy::file && !run.noise.file && !values.has("lambda") &&
        !values.has("strategy")) {
      values.set(coefficients_key, Value{run.noise.coefficients});
    }
    values.erase("run");
    return drawn_run(std::move(run), values, training);
  } catch (const DomainError& error) {
    throw DomainError(path + ": " + error.what());
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw UsageError(message.starts_with(path) ? message : path + ": " + message);
  }
}

}  // namespace dpcurves::queries
