// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// DP-SGD: every step released, batches drawn in one of nine ways.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/named.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/run_options.hpp>

namespace dpcurves::queries {
namespace {

using accounting::DpSgd;
using accounting::Guarantee;
using mechanism::Sampler;

/// "3:0.01:1.5" as numbers, each in its range. \param form  names of the parts: "STEPS:SAMPLING_RATE:NOISE_MULTIPLIER".
std::vector<double> read_parts(const std::string& option, const std::string& text, const std::string& form,
                               const std::vector<std::string>& ranges) {
  std::istringstream stream(text);
  std::vector<double> parts;
  for (std::string part; std::getline(stream, part, ':');) {
    double value = 0.0;
    if (!read_number(part, value)) {
      throw UsageError("--" + option + ": \"" + part + "\" in \"" + text + "\" is not a number; write " + form);
    }
    parts.push_back(value);
  }
  if (parts.size() != ranges.size()) {
    throw UsageError("--" + option + ": \"" + text + "\" is not of the form " + form);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!Range(ranges[i]).contains(parts[i])) {
      throw UsageError("--" + option + ": " + shortest(parts[i]) + " in \"" + text + "\" is outside " + ranges[i] +
                       "; write " + form);
    }
  }
  if (parts.front() != std::floor(parts.front())) {
    throw UsageError("--" + option + ": " + shortest(parts.front()) + " in \"" + text + "\" is not a whole number");
  }
  return parts;
}

double sampling_rate(const Values& values, Sampler sampling) {
  if (sampling == Sampler::none) {
    for (const char* option : {"sampling-rate", "batch-size"}) {
      if (values.has(option)) {
        throw UsageError(std::string("--") + option +
                         ": has no meaning with --sampling none, where every step uses all records");
      }
    }
    return 1.0;
  }
  exclude(values, "sampling-rate", "batch-size");
  if (values.has("sampling-rate")) {
    return values.number("sampling-rate");
  }
  if (!values.has("records") || !values.has("batch-size")) {
    throw UsageError(values.has("epochs") ? "--epochs: needs --records and --batch-size"
                                          : "--sampling-rate: is required, or --records and --batch-size");
  }
  const double batch = values.number("batch-size");
  const double records = values.number("records");
  if (batch > records) {
    throw UsageError("--batch-size: " + shortest(batch) + " is outside [1, " + shortest(records) +
                     "], the number of records");
  }
  return accounting::sampling_rate_of(batch, records);
}

/// The steps, or the epochs in steps.
double steps_of(const Values& values, Sampler sampling) {
  exclude(values, "steps", "epochs");
  if (!values.has("epochs")) {
    if (!values.has("steps")) {
      throw UsageError("--steps: is required, or --epochs with --records and --batch-size");
    }
    return values.number("steps");
  }
  if (sampling != Sampler::none && (!values.has("records") || !values.has("batch-size"))) {
    throw UsageError("--epochs: needs --records and --batch-size");
  }
  return steps_of_epochs(sampling, values.number("epochs"), values.number_or("batch-size", 1.0),
                         values.number_or("records", 1.0));
}

/// A number in [0, 1], or BATCH/RECORDS.
double rate_of(const std::string& option, const std::string& text) {
  const auto slash = text.find('/');
  double batch = 0.0;
  double records = 1.0;
  if (!read_number(text.substr(0, slash), batch) ||
      (slash != std::string::npos && !read_number(text.substr(slash + 1), records))) {
    throw UsageError("--" + option + ": \"" + text + "\" is neither a rate in [0, 1] nor BATCH/RECORDS");
  }
  if (!(batch >= 0.0 && batch <= records && std::isfinite(records) && records > 0.0)) {
    throw UsageError("--" + option + ": the rate " + text + " is outside [0, 1]" +
                     (slash == std::string::npos && batch > 1.0
                          ? "; for batches of " + text + " of RECORDS records write " + text + "/RECORDS"
                          : ""));
  }
  return slash == std::string::npos || batch == 0.0 ? std::min(batch, 1.0)
                                                    : accounting::sampling_rate_of(batch, records);
}

/// A training log has columns that a table of phases cannot have, texts among them.
/// \throws UsageError  that says what reads it.
void refuse_training_log(const std::string& path) {
  std::istringstream lines(io::read_file(path, io::largest_csv));
  std::string head;
  std::getline(lines, head);
  std::istringstream names(head);
  const std::vector<std::string> of_a_log{"sampler",      "first_step", "last_step",
                                          "accumulation", "noise_on",   "normalisation"};
  for (std::string name; std::getline(names, name, ',');) {
    std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0 || c == '"'; });
    if (std::find(of_a_log.begin(), of_a_log.end(), name) != of_a_log.end()) {
      throw UsageError("--phases: " + path + " has a column " + name + ", so it is a training log; type --run " + path +
                       " in place of --phases, or\n  dpcurves run import " + path +
                       " --output run.toml\nand --run run.toml");
    }
  }
}

/// The rows of --phases: columns steps, noise_multiplier, and sampling_rate or batch_size.
void add_phases(DpSgd& run, const Values& values) {
  const std::string path = values.text("phases");
  refuse_training_log(path);
  const io::Columns table = io::read_csv(path);
  const auto has = [&](std::string_view name) {
    return std::any_of(table.all().begin(), table.all().end(), [&](const io::Column& c) { return c.name == name; });
  };
  const auto bad = [&](std::size_t row, const std::string& words) {
    return DomainError("--phases: " + path + ", line " + std::to_string(row + 2) + ": " + words);
  };
  const bool batches = !has("sampling_rate");
  if (batches && !values.has("records")) {
    throw UsageError("--phases: " + path +
                     (has("batch_size") ? " has batch_size, so --records is required"
                                        : " needs a column sampling_rate, or batch_size"));
  }
  const auto column = [&](const char* name) -> const std::vector<double>& {
    return of_file("--phases: " + path, [&]() -> const std::vector<double>& { return table[name]; });
  };
  const auto& steps = column("steps");
  const auto& noise = column("noise_multiplier");
  const auto& rates = column(batches ? "batch_size" : "sampling_rate");
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!(steps[i] >= 0.0 && steps[i] <= 1e15 && steps[i] == std::floor(steps[i]))) {
      throw bad(i, "steps " + shortest(steps[i]) + " is no whole number in [0, 1e15]");
    }
    if (!(noise[i] >= 0.0)) {
      throw bad(i, "noise_multiplier " + shortest(noise[i]) + " is outside [0, inf)");
    }
    if (!(rates[i] >= 0.0 && rates[i] <= (batches ? values.number("records") : 1.0))) {
      throw bad(i, std::string(batches ? "batch_size " : "sampling_rate ") + shortest(rates[i]) + " is outside [0, " +
                       (batches ? shortest(values.number("records")) : "1") + "]");
    }
    run.phases.push_back(
        {noise[i],
         batches && rates[i] > 0.0 ? accounting::sampling_rate_of(rates[i], values.number("records")) : rates[i],
         steps[i]});
  }
}

/// More phases and releases of the command line.
void add_more(DpSgd& run, const Values& values) {
  for (const auto& text : values.texts("phase")) {
    constexpr auto form = "STEPS:SAMPLING_RATE:NOISE_MULTIPLIER";
    const auto first = text.find(':');
    const auto last = text.rfind(':');
    if (first == last) {
      throw UsageError("--phase: \"" + text + "\" is not of the form " + form);
    }
    const auto parts = read_parts("phase", text.substr(0, first) + text.substr(last), form, {"[0, 1e15]", "[0, inf)"});
    run.phases.push_back({parts[1], rate_of("phase", text.substr(first + 1, last - first - 1)), parts[0]});
  }
  if (values.has("phases")) {
    add_phases(run, values);
  }
  for (const auto& text : values.texts("unsampled")) {
    const auto parts = read_parts("unsampled", text, "COUNT:NOISE_MULTIPLIER", {"[0, 1e15]", "[0, inf)"});
    run.unsampled.push_back({parts[1], parts[0]});
  }
}

DpSgd setting(const Values& values) {
  if (values.has("run")) {
    DpSgd run = accounting::dp_sgd_of(run_from(values));
    run.group_size = values.number_or("group-size", run.group_size);
    for (accounting::DpSgdPhase& phase : run.phases) {
      phase.cycle = values.number_or("cycle", phase.cycle);
      phase.largest_batch = values.number_or("largest-batch", phase.largest_batch);
    }
    add_more(run, values);
    return run;
  }
  DpSgd run;
  run.sampling = mechanism::sampler_of(values.text("sampling"));
  run.adjacency = values.has("adjacency") ? mechanism::adjacency_of(values.text("adjacency"))
                                          : mechanism::usual_adjacency(run.sampling);
  const bool phases_only = (values.has("phase") || values.has("phases")) && !values.has("noise-multiplier") &&
                           !values.has("steps") && !values.has("epochs");
  if (!phases_only) {
    const double noise = values.number("noise-multiplier");
    const double rate = sampling_rate(values, run.sampling);
    run.phases.push_back({noise, rate, steps_of(values, run.sampling)});
  }
  for (const auto& [option, sampler] :
       {std::pair{"cycle", Sampler::cyclic_poisson}, std::pair{"largest-batch", Sampler::truncated_poisson}}) {
    if (values.has(option) && run.sampling != sampler) {
      throw UsageError(std::string("--") + option + ": has a meaning only with --sampling " +
                       std::string(name(sampler)));
    }
    if (!values.has(option) && run.sampling == sampler) {
      throw UsageError(std::string("--") + option + ": is required with --sampling " + std::string(name(sampler)));
    }
  }
  require_option(run.sampling != Sampler::truncated_poisson || values.has("records"), "records",
                 "is required with --sampling truncated-poisson");
  run.uses_per_round = values.number_or("uses-per-round", run.uses_per_round);
  if (values.has("uses-per-round") && run.sampling != Sampler::random_allocation) {
    throw UsageError("--uses-per-round: has a meaning only with --sampling random-allocation");
  }
  if (values.has("separation") != (run.sampling == Sampler::b_min_sep)) {
    throw UsageError(values.has("separation") ? "--separation: has a meaning only with --sampling b-min-sep"
                                              : "--separation: is required with --sampling b-min-sep");
  }
  run.separation = values.number_or("separation", run.separation);
  add_more(run, values);
  run.group_size = values.number("group-size");
  for (accounting::DpSgdPhase& phase : run.phases) {
    phase.records = values.number_or("records", 0.0);
    phase.cycle = values.number_or("cycle", 1.0);
    phase.largest_batch = values.number_or("largest-batch", 0.0);
  }
  return run;
}

/// The certificate of the larger direction's epsilon.
void write_certificate(const std::string& file, const DpSgd& run, double delta, const accounting::Accuracy& accuracy) {
  io::check_writable(file);
  const accounting::DpSgdDirection* worst = nullptr;
  const auto directions = accounting::directions(run);
  accounting::EpsilonBound bound;
  for (const accounting::DpSgdDirection& direction : directions) {
    const auto one =
        accounting::epsilon_at(direction.composition, delta, {accuracy.relative, accuracy.verify, bound.epsilon.lower});
    if (worst == nullptr || one.epsilon.upper > bound.epsilon.upper) {
      worst = &direction;
      bound = one;
    }
  }
  io::write_file(file, accounting::epsilon_certificate(worst->composition, delta, bound, accuracy));
}

std::vector<Guarantee> guarantees(const Values& values, const Target& target) {
  const DpSgd run = setting(values);
  accounting::Accuracy accuracy;
  accuracy.relative = target.accuracy.value_or(values.number("accuracy"));
  accuracy.verify = values.flag("verify");
  auto list = accounting::dp_sgd_guarantees(run, accuracy);
  if (values.has("certificate") && list.front().applies()) {
    if (!target.delta) {
      throw UsageError("--certificate: needs --delta, one number: what is certified is an epsilon");
    }
    write_certificate(values.text("certificate"), run, *target.delta, accuracy);
  }
  Guarantee& composed = list.front();
  if (values.has("epochs")) {
    composed.note += (composed.note.empty() ? "" : "; ") + shortest(values.number("epochs")) +
                     (values.number("epochs") == 1.0 ? " epoch is " : " epochs are ") +
                     shortest(run.phases.front().steps) + " steps";
  }
  const bool only_mu = !target.delta && !target.epsilon;
  if (composed.applies() && composed.curve->mu() && (only_mu || values.has("mu-delta-floor"))) {
    const double floor = values.number("mu-delta-floor");
    composed.mu_above = accounting::MuAbove{floor, accounting::gdp_parameter_above(*composed.curve, floor)};
  }
  return list;
}

/// Whether the command line says more than the file of a run.
bool says_more(const Values& values) {
  return values.has("phase") || values.has("phases") || values.has("unsampled") || values.has("group-size");
}

/// What was typed beside the file of a run, and the budget of the file held against all together.
void hold_whole(Values& values) {
  Record beside;
  for (const Entry& entry : values.value(transcript_key).get<Record>()->entries()) {
    if (entry.name != "budget") {
      beside.add(entry.name, entry.value);
      continue;
    }
    if (const auto whole = accounting::dp_sgd_guarantee(setting(values)); whole.applies()) {
      beside.add("budget", {budget_record(*transcripts::budget(run_from(values), whole, given_from(values).delta))});
    }
  }
  List added;
  for (const char* option : {"phase", "phases", "unsampled", "group-size"}) {
    if (values.has(option)) {
      added.push_back({std::string(option)});
    }
  }
  beside.add("added", {std::move(added)});
  values.set(transcript_key, Value{std::move(beside)});
}

/// The file of --run, and the defaults that an answer depends on, so that it says them.
void complete(Values& values, const std::vector<Option>& table) {
  complete_with_run(values, table);
  if (values.has("run") && says_more(values)) {
    hold_whole(values);
  }
  if (!values.has("run")) {
    const auto sampling = mechanism::sampler_of(values.text("sampling"));
    values.set("sampling", Value{std::string(mechanism::name(sampling))});
    values.set("adjacency",
               Value{values.text_or("adjacency", std::string(name(mechanism::usual_adjacency(sampling))))});
  }
}

Value run_value(const Values& values) {
  return values.has("run") && !says_more(values) ? echoed(run_from(values), values) : echoed(setting(values), values);
}

/// Where the central limit meets the budget: delta falls with it in the same way, if not by the same amount.
std::optional<double> guess(const Values& values, const std::string& unknown, double budget) {
  Values trial = values;
  const auto excess = [&](double value) {
    trial.set(unknown, value);
    return accounting::approximate_mu(setting(trial)) - budget;
  };
  const bool many = unknown == "steps" || unknown == "epochs";
  const bool whole = many || unknown == "batch-size";
  const bool noise = unknown == "noise-multiplier";
  double low = whole ? 1.0 : noise ? 0.05 : 1e-9;
  double high = noise ? 1e6 : many ? 1e12 : unknown == "batch-size" ? values.number("records") : 1.0;
  for (int i = 0; i < 60 && high > 1.001 * low; ++i) {
    const double middle = whole ? std::round(std::sqrt(low * high)) : std::sqrt(low * high);
    if (whole && (middle <= low || middle >= high)) {
      break;
    }
    ((excess(middle) < 0.0) == noise ? high : low) = middle;
  }
  return low;
}

}  // namespace

std::vector<Algorithm> dp_sgd_algorithms() {
  const char* needed = "Required (or --run, --phase or --phases)";
  const char* batches = "Batches (required: the sampling rate, or batch size and records)";
  const char* more = "More of the run";
  const char* answer = "Answer";
  Algorithm sgd;
  sgd.name = "dp-sgd";
  sgd.summary = "DP-SGD: clipped gradients summed over random batches, noise in every step, all steps released";
  sgd.example = "--noise-multiplier 1.1 --batch-size 256 --records 60000 --steps 14063";
  sgd.calibration_example = "noise-multiplier --batch-size 256 --records 60000 --steps 14063";
  sgd.options = {
      {"noise-multiplier",
       OptionKind::number,
       "[0, inf)",
       "Z: the standard deviation of the noise on the sum of clipped gradients, over the clipping norm C",
       needed,
       {"sigma"}},
      {"steps", OptionKind::count, "[1, inf]", "number of steps T, or unlimited", needed},
      {"epochs", OptionKind::number, "(0, inf)", "in place of --steps, with --records and --batch-size", needed},
      {"sampling-rate",
       OptionKind::number,
       "[0, 1]",
       "q, the chance that a step uses a record",
       batches,
       {"sample-rate", "sampling-probability"}},
      {"batch-size", OptionKind::count, "[1, inf)", "B, expected or fixed; q = B/n", batches},
      {"records", OptionKind::count, "[1, inf)", "number of records n", batches},
      {"clip",
       OptionKind::number,
       "(0, inf)",
       "clipping norm C: the unit of the noise, no answer depends on it",
       batches,
       {"max-grad-norm"}},
      {"sampling", OptionKind::text,
       "poisson|fixed-size|with-replacement|balls-in-bins|random-allocation|shuffled|cyclic|cyclic-poisson|"
       "truncated-poisson|b-min-sep|none = poisson",
       "how batches are drawn", batches},
      {"adjacency", OptionKind::text, "add-or-remove|add|remove|replace-one|zero-out",
       "what neighbouring data sets are, default add-or-remove; zero-out for fixed-size, shuffled and cyclic", batches},
      {"uses-per-round",
       OptionKind::count,
       "[1, inf) = 1",
       "random-allocation: in how many of the floor(uses/q) steps of a round a record is",
       batches,
       {"uses"}},
      {"separation",
       OptionKind::count,
       "[1, inf)",
       "b-min-sep: steps from one use of a record to its next, at least",
       batches,
       {"min-separation"}},
      {"group-size", OptionKind::count, "[1, 2000] = 1", "records of one owner that are protected together", batches},
      {"cycle", OptionKind::count, "[1, 1e15]",
       "cyclic-poisson: how many groups of records take turns; q is the rate within a group", batches},
      {"largest-batch", OptionKind::count, "[1, 1e15]",
       "truncated-poisson: a larger batch is cut to a uniform choice of so many; needs --records", batches},
      {"phase", OptionKind::texts, "", "STEPS:SAMPLING_RATE:NOISE_MULTIPLIER, more steps of another kind; repeatable",
       more},
      {"phases", OptionKind::text, "FILE.csv",
       "the same, a row each: columns steps, noise_multiplier, and sampling_rate or batch_size", more},
      {"unsampled", OptionKind::texts, "",
       "COUNT:NOISE_MULTIPLIER, sums over all records that are released too; repeatable", more},
      {"run", OptionKind::text, "FILE", "a run file or a transcript of another tool; options given beside it win",
       more},
      {"accuracy", OptionKind::number, "(0, 1) = 1e-9", "wanted relative width of the answer", answer},
      {"verify", OptionKind::flag, "", "prove by a second contour too, and hold against Renyi", answer},
      {"certificate", OptionKind::text, "FILE", "write what dpcurves-verify needs to prove the epsilon again", answer},
      {"mu-delta-floor", OptionKind::number, "(0, 1) = 1e-15",
       "the least mu whose profile covers this one where delta is at least this", answer}};
  for (auto& option : reading_options()) {
    sgd.options.push_back(std::move(option));
  }
  sgd.complete = complete;
  sgd.run = run_value;
  sgd.unknowns = {{"noise-multiplier", false, true, 0.0, infinity, {}},
                  {"steps", true, false, 1.0, infinity, "epochs"},
                  {"epochs", true, false, 1.0, infinity, "steps"},
                  {"sampling-rate", false, false, 0.0, 1.0, "batch-size"},
                  {"batch-size", true, false, 1.0, infinity, "sampling-rate", "records"}};
  sgd.guarantees = guarantees;
  sgd.guess = guess;
  sgd.tolerance = 1e-7;
  return {sgd};
}

}  // namespace dpcurves::queries
