// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// calibrate correlated --strategy NAME: strategies of correlated noise at one privacy target.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/strategies.hpp>
#include <dpcurves/queries/detail/strategy_file.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
namespace {

using correlated::ParticipationPattern;
using correlated::ParticipationRule;
using correlated::StrategyAnswer;

constexpr int digits = 6;

std::size_t whole_number(const Values& values, const std::string& name) {
  return static_cast<std::size_t>(values.number(name));
}

std::vector<std::string> known_names() {
  auto names = correlated::strategy_names();
  names.insert(names.begin(), "all");
  return names;
}

/// The parts of a list with commas.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts{""};
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

ParticipationPattern pattern(const Values& values) {
  const std::size_t steps = whole_number(values, "steps");
  ParticipationPattern rule;
  rule.rule = correlated::participation_rule_of(values.text_or("participation", "cyclic"));
  if (rule.rule == ParticipationRule::single) {
    exclude(values, "participation", "separation");
    return rule;
  }
  exclude(values, "epochs", "separation");
  if (!values.has("epochs") && !values.has("separation")) {
    throw UsageError("--epochs: is required, or --separation, with --participation " +
                     std::string(correlated::name(rule.rule)));
  }
  const double epochs = values.number_or("epochs", 1.0);
  if (epochs > static_cast<double>(steps)) {
    throw UsageError("--epochs: " + shortest(epochs) + " epochs do not fit in " + std::to_string(steps) + " steps");
  }
  rule.separation = values.has("separation")
                        ? whole_number(values, "separation")
                        : static_cast<std::size_t>(std::floor(static_cast<double>(steps) / epochs));
  rule.most = steps;  // as many as fit
  rule.most =
      static_cast<std::size_t>(values.number_or("participations", static_cast<double>(rule.participations(steps))));
  return rule;
}

/// "steps 2000 in 4 epochs: a record takes part at most 4 times, cyclic, 500 steps apart"
std::string participation_words(const ParticipationPattern& rule, std::size_t steps) {
  const std::size_t k = rule.participations(steps);
  std::string text = std::to_string(steps) + " steps, a record in at most " + std::to_string(k) + " of them";
  if (k > 1) {
    text += rule.rule == ParticipationRule::cyclic ? ", every " + std::to_string(rule.separation) + " steps"
                                                   : ", at least " + std::to_string(rule.separation) + " apart";
  }
  return text;
}

Value maybe(const std::optional<double>& value) { return value ? Value{*value} : Value{}; }

Record strategy_parameters(const StrategyAnswer& answer) {
  Record record;
  if (!answer.strategy) {
    return record;
  }
  const auto& s = *answer.strategy;
  if (s.kind == correlated::StrategyKind::lambda) {
    record.add("lambda", {s.lambda});
  } else if (s.kind == correlated::StrategyKind::blt) {
    std::vector<double> decay, weight;
    for (const auto& [theta, omega] : s.buffers) {
      decay.push_back(theta);
      weight.push_back(omega);
    }
    record.add("theta", {decay});
    record.add("omega", {weight});
  } else if (s.kind != correlated::StrategyKind::identity) {
    record.add("bands", {static_cast<std::int64_t>(s.bands)});
    if (s.kind == correlated::StrategyKind::band_mf) {
      record.add("coefficients", {s.matrix.coefficients()});
    }
  }
  if (answer.sampling) {
    record.add("groups", {static_cast<std::int64_t>(answer.sampling->groups)});
    record.add("sampling_rate", {answer.sampling->sampling_rate});
  }
  return record;
}

Record row(const StrategyAnswer& answer) {
  return {{"strategy", {answer.name}},
          {"parameters", {strategy_parameters(answer)}},
          {"noise_multiplier", ends(answer.noise_multiplier)},
          {"sensitivity", ends(answer.sensitivity.value)},
          {"sensitivity_exact", {answer.sensitivity.exact}},
          {"mean_noise", {answer.error.mean}},
          {"largest_noise", {answer.error.maximum}},
          {"risk", maybe(answer.risk)},
          {"theorem",
           {std::string(answer.sampling ? "kan-correlated-noise/derived-6" : "kan-correlated-noise/derived-5")}}};
}

correlated::StrategyQuestion strategy_question(const Values& values) {
  for (const char* option :
       {"sampling", "sampling-rate", "batch-size", "records", "method", "draws", "standard-error", "groups"}) {
    if (values.has(option)) {
      throw UsageError(std::string("--") + option + ": has no meaning with --strategy " + values.text("strategy") +
                       "; dp-sgd and band-mf-sampled sample at the rate of --epochs");
    }
  }
  correlated::StrategyQuestion question{.search = strategy_search(values),
                                        .epsilon = values.number("epsilon"),
                                        .delta = values.number("delta"),
                                        .adjacency = mechanism::adjacency_of(values.text_or("adjacency", "zero-out"))};
  question.epochs =
      values.number_or("epochs", static_cast<double>(question.search.pattern.participations(question.search.steps)));
  question.step_curvature = values.number_or("step-curvature", question.step_curvature);
  if (!(question.step_curvature > 0.0 && question.step_curvature < 2.0)) {
    throw UsageError("--step-curvature: " + shortest(question.step_curvature) + " is outside (0, 2)");
  }
  if (question.adjacency != mechanism::Adjacency::zero_out && question.adjacency != mechanism::Adjacency::replace_one) {
    throw UsageError("--adjacency: zero-out or replace-one with --strategy " + values.text("strategy"));
  }
  return question;
}

}  // namespace

bool names_strategy(const Values& values) {
  if (!values.has("strategy")) {
    return false;
  }
  const std::string text = values.text("strategy");
  const auto names = known_names();
  const auto parts = parts_of(text);
  const auto unknown = std::find_if(parts.begin(), parts.end(), [&](const std::string& part) {
    return std::find(names.begin(), names.end(), part) == names.end() || (part == "all" && parts.size() > 1);
  });
  if (unknown == parts.end()) {
    return true;
  }
  if (text.find_first_of("./\\") == std::string::npos && !std::filesystem::exists(text)) {
    throw UsageError("--strategy: \"" + *unknown + "\"" + (parts.size() > 1 ? " of \"" + text + "\"" : "") +
                     " is no file and none of " + joined(names) + suggestion(*unknown, names));
  }
  return false;
}

std::vector<Option> strategy_options() {
  const char* group = "With --strategy NAME: who takes part, and parameters (left out: the best found)";
  return {
      {"participation", OptionKind::text, "single|cyclic|min-separation",
       "steps of a record: one; every b-th, in epochs of a fixed order (default); any that are b apart", group},
      {"epochs", OptionKind::number, "(0, inf)", "passes over the data: b is the steps over the epochs", group},
      {"separation", OptionKind::count, "[1, 1e7]", "b, in place of --epochs", group},
      {"participations", OptionKind::count, "[1, 1e7]", "at most so many per record, default as many as fit", group},
      {"bands", OptionKind::count, "[1, 1e7]", "bands of bsr, bisr and band-mf", group},
      {"buffers", OptionKind::count, "[1, 8] = 3", "buffers of blt", group},
      {"groups", OptionKind::count, "[1, 1e7]", "groups that take turns, with --sampling cyclic-poisson", group}};
}

correlated::StrategySearch strategy_search(const Values& values) {
  correlated::StrategySearch search;
  search.steps = whole_number(values, "steps");
  const std::string name = values.text("strategy");
  const bool sampled = values.has("sampling-rate") || values.has("batch-size");
  search.pattern =
      sampled && !values.has("participation") && !values.has("epochs") ? ParticipationPattern{} : pattern(values);
  search.cost = correlated::noise_cost_of(values.text_or("minimise", "mean"));
  search.lambda = values.maybe("lambda");
  const auto parts = parts_of(name);
  if (values.has("lambda") && name != "all" && std::find(parts.begin(), parts.end(), "lambda") == parts.end()) {
    throw UsageError("--lambda: has no meaning with --strategy " + name);
  }
  if (values.has("bands")) {
    search.bands = whole_number(values, "bands");
    if (*search.bands > search.steps) {
      throw UsageError("--bands: " + std::to_string(*search.bands) + " is more than the steps");
    }
  }
  search.buffers = whole_number(values, "buffers");
  return search;
}

correlated::Strategy named_strategy(const Values& values) {
  const std::string name = values.text("strategy");
  const auto kind = correlated::strategy_kind_of(name);
  if (!kind) {
    throw UsageError("--strategy: " + name + " is known to `calibrate correlated` only");
  }
  const std::size_t steps = whole_number(values, "steps");
  if (*kind == correlated::StrategyKind::band_mf && values.has(coefficients_key)) {
    return correlated::banded_strategy(steps, values.numbers(coefficients_key));
  }
  if (*kind == correlated::StrategyKind::blt && values.has(theta_key)) {
    const auto theta = values.numbers(theta_key), omega = values.numbers(omega_key);
    std::vector<std::pair<double, double>> buffers;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      buffers.emplace_back(theta[i], omega.at(i));
    }
    return correlated::blt_strategy(steps, std::move(buffers));
  }
  return correlated::search_strategy(*kind, strategy_search(values));
}

models::StrategyMatrix strategy_matrix(const Values& values) {
  using models::StrategyMatrix;
  if (values.has(coefficients_key) && !names_strategy(values)) {
    return StrategyMatrix::toeplitz(values.numbers(coefficients_key), whole_number(values, "steps"));
  }
  if (names_strategy(values)) {
    return named_strategy(values).matrix;
  }
  if (exactly_one(values, {"lambda", "strategy"}) == "strategy") {
    return read_strategy_file(values.text("strategy"),
                              values.has("steps") ? std::optional(whole_number(values, "steps")) : std::nullopt,
                              "--steps");
  }
  return StrategyMatrix::exponential(values.number("lambda"), whole_number(values, "steps"));
}

Report strategy_report(const Values& values, const std::vector<Option>& table, const Effort& effort) {
  if (values.has(coefficients_key) || values.has(theta_key)) {
    throw UsageError("--run: has the coefficients of " + values.text("strategy") +
                     ", and the noise is found for those of the search; give --strategy NAME");
  }
  const auto question = strategy_question(values);
  const std::string asked = values.text("strategy");
  const auto names = asked == "all" ? correlated::strategy_names() : parts_of(asked);
  std::vector<StrategyAnswer> answers;
  for (const auto& name : names) {
    answers.push_back(correlated::compare(name, question));
    tell(effort, answers.size(), names.size());
  }
  const bool mean = question.search.cost == correlated::NoiseCost::mean;
  const auto cost = [&](const StrategyAnswer& a) { return mean ? a.error.mean : a.error.maximum; };
  const auto best =
      std::min_element(answers.begin(), answers.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  Report report{.schema = "dpcurves/calibrate/1", .inputs = values.echo(table)};
  report.inputs.add("algorithm", {std::string("correlated")});
  report.rows.names = {"strategy",      "best", "noise_multiplier", "sensitivity", "mean_noise",
                       "largest_noise", "risk", "parameters"};
  Table words_table;
  words_table.names = {"",
                       "strategy",
                       "noise multiplier",
                       "sensitivity",
                       mean ? "rms noise *" : "rms noise",
                       mean ? "largest noise" : "largest noise *",
                       "risk",
                       "parameters"};
  List rows;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const StrategyAnswer& a = answers[i];
    const bool wins = i == static_cast<std::size_t>(best - answers.begin());
    rows.push_back({row(a)});
    words_table.rows.push_back({{wins ? "*" : ""},
                                {a.name},
                                {rounded_up(a.noise_multiplier.upper, digits)},
                                {rounded_up(a.sensitivity.value.upper, digits)},
                                {rounded(a.error.mean, digits)},
                                {rounded(a.error.maximum, digits)},
                                {a.risk ? rounded(*a.risk, 4) : ""},
                                {a.parameters}});
    report.rows.rows.push_back({{a.name},
                                {wins ? "1" : "0"},
                                {shortest(a.noise_multiplier.upper)},
                                {shortest(a.sensitivity.value.upper)},
                                {shortest(a.error.mean)},
                                {shortest(a.error.maximum)},
                                {a.risk ? shortest(*a.risk) : ""},
                                {a.parameters}});
  }
  report.results = {
      {"seed", {}},
      {"wall_seconds", {}},
      {"solve_for", {std::string("noise-multiplier")}},
      {"value", {best->noise_multiplier.upper}},
      {"strategy", {best->name}},
      {"participations", {static_cast<std::int64_t>(question.search.pattern.participations(question.search.steps))}},
      {"separation", {static_cast<std::int64_t>(question.search.pattern.separation)}},
      {"results", {std::move(rows)}}};
  if (best->strategy) {  // trees are no Toeplitz matrices
    if (Value run = strategy_run(values, *best->strategy, question.search.pattern, best->sampling,
                                 best->noise_multiplier.upper, question.adjacency);
        !run.null()) {
      report.results.add("run", std::move(run));
    }
  }
  report.blocks.push_back({"correlated, epsilon = " + shortest(question.epsilon) +
                               ", delta = " + shortest(question.delta) + "\n" +
                               participation_words(question.search.pattern, question.search.steps) + "; " +
                               std::string(mechanism::name(question.adjacency)) + "\n",
                           words_table});
  report.blocks.push_back(
      {"noise: deviations of the running sums, over the clipping norm; * the least\n"
       "risk: of the last iterate on a quadratic, per coordinate, in C^2/(2 a); step size times curvature " +
           shortest(question.step_curvature) + "\n" +
           (std::any_of(answers.begin(), answers.end(), [](const auto& a) { return a.sampling.has_value(); })
                ? "dp-sgd and band-mf-sampled: groups of records in turn, of each a Poisson sample; the sensitivity is "
                  "that of one turn\n"
                : ""),
       std::nullopt});
  return report;
}

}  // namespace dpcurves::queries
