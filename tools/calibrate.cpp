// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves calibrate: the parameter that just meets (epsilon, delta) or a limit on attacks, on the safe side.
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/core/convert.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/io/table.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "algorithms/correlated.hpp"
#include "algorithms/promises.hpp"
#include "commands.hpp"
#include "risk/glm.hpp"
#include "support/caption.hpp"
#include "support/exit.hpp"
#include "support/leaves.hpp"
#include "support/option_record.hpp"
#include "support/run_options.hpp"
#include "support/setting.hpp"
#include "support/sweep.hpp"

namespace dpcurves::tools {
namespace {

using accounting::Guarantee;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr const char* attack_group = "Question: a limit on attacks, in place of epsilon and delta";

/// One theorem's answer.
struct Solution {
  std::string theorem;
  std::string title;
  std::optional<double> value;  ///< infinite: unlimited; empty: no value in the range meets the target
  bool promised = true;         ///< false: rests on what nobody has said
  std::optional<double> real{};   ///< before rounding to a whole number, where it is known
};

/// Evaluates the theorems of an algorithm at trial values of one option.
class Trials {
 public:
  Trials(const Algorithm& algorithm, Values values, const Unknown& unknown, double epsilon, double delta)
      : algorithm_(algorithm), values_(std::move(values)), unknown_(unknown), epsilon_(epsilon), delta_(delta) {}

  /// \param theorem   the one that matters; empty: all. \param accuracy  wanted relative width of delta.
  [[nodiscard]] std::vector<Guarantee> at(double value, const std::string& theorem = "",
                                          std::optional<double> accuracy = std::nullopt) const {
    Values trial = values_;
    trial.set(unknown_.name, value);
    return algorithm_.guarantees(trial, {epsilon_, delta_, theorem, accuracy});
  }

  /// delta at the target's epsilon; empty where the theorem does not apply or nothing is certified in time.
  [[nodiscard]] std::optional<Enclosure> delta(const std::string& theorem, double value, double accuracy) const {
    constexpr double finest = 1e-6;  // and the default of the commands: what more digits cost is not worth it
    try {
      for (const Guarantee& guarantee :
           at(value, theorem, std::max(accuracy, std::min(finest, algorithm_.tolerance)))) {
        if (guarantee.theorem == theorem && guarantee.applies()) {
          return guarantee.curve->delta(epsilon_).value;
        }
      }
    } catch (const ConvergenceError&) {
      return std::nullopt;
    }
    return std::nullopt;
  }

  /// The theorem in the words of an attacker; empty as above.
  [[nodiscard]] std::optional<attack::Attack> attack(const std::string& theorem, double value, double accuracy) const {
    constexpr double finest = 1e-9, coarsest = 1e-4;  // measures are read from differences of delta
    try {
      for (const Guarantee& guarantee : at(value, theorem, std::clamp(accuracy, finest, coarsest))) {
        if (guarantee.theorem == theorem && guarantee.applies()) {
          return attack::Attack(guarantee);
        }
      }
    } catch (const ConvergenceError&) {
      return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  const Algorithm& algorithm_;
  Values values_;
  const Unknown& unknown_;
  double epsilon_;
  double delta_;
};

const Unknown& find_unknown(const Algorithm& algorithm, const std::string& name) {
  std::vector<std::string> names;
  for (const Unknown& unknown : algorithm.unknowns) {
    if (unknown.name == name) {
      return unknown;
    }
    names.push_back(unknown.name);
  }
  std::string all;
  for (const auto& known : names) {
    all += (all.empty() ? "" : ", ") + known;
  }
  throw UsageError("--solve-for: " + algorithm.name + " can be solved for " + all + ", not for \"" + name + "\"" +
                   suggestion(name, names));
}

Json value_json(const std::optional<double>& value) {
  return !value ? Json(nullptr) : std::isinf(*value) ? Json("unlimited") : Json(*value);
}

std::string value_text(const std::optional<double>& value) {
  return !value ? "none" : std::isinf(*value) ? "unlimited" : shortest(*value);
}

/// A value of the range at which the algorithm's options are complete, to learn which theorems there are.
double some_value(const Unknown& unknown) {
  if (std::isfinite(unknown.highest)) {
    return unknown.highest;
  }
  return std::max(unknown.lowest, 1.0);
}

/// What is to be met: (epsilon, delta), or a limit on a measure of attacks.
struct Wanted {
  double epsilon = 0.0;  ///< for a limit the one that decides it
  double delta = 1e-5;
  double budget = 0.0;  ///< the mu of the Gaussian mechanism that just meets it
  std::optional<attack::Limit> limit{};

  [[nodiscard]] std::string words() const {
    return limit ? queries::words(*limit) + " at most " + shortest(limit->most)
                 : "epsilon = " + shortest(epsilon) + ", delta = " + shortest(delta);
  }
};

Wanted wanted_of(const Values& values) {
  Wanted wanted;
  wanted.limit = queries::limit_of(setting_from<queries::AttackTarget>(values));
  if (!wanted.limit) {
    if (!values.has("epsilon") || !values.has("delta")) {
      throw UsageError(std::string("--") + (values.has("epsilon") ? "delta" : "epsilon") +
                       ": is required, or a limit on attacks, such as --advantage or --tpr with --fpr");
    }
    wanted.epsilon = values.number("epsilon");
    wanted.delta = values.number("delta");
    wanted.budget = tradeoff::mu_of_epsilon_delta(wanted.epsilon, wanted.delta);
    return wanted;
  }
  for (const char* option : {"epsilon", "delta"}) {
    if (values.has(option) && !values.has("run")) {
      throw UsageError(std::string("--") + option + ": is another target than " + queries::words(*wanted.limit));
    }
  }
  wanted.epsilon = queries::deciding_epsilon(*wanted.limit);
  wanted.budget = attack::gaussian_mu(*wanted.limit);
  return wanted;
}

/// "the guarantee is epsilon <= 1", "the TPR at FPR 0.01 is at most 0.05"
std::string achieved_text(const Wanted& wanted, const accounting::Answer& achieved) {
  return (wanted.limit ? queries::words(*wanted.limit) + " is at most " : std::string("the guarantee is epsilon <= ")) +
         rounded(achieved.value.upper, 8) + (achieved.direction.empty() ? "" : ", direction " + achieved.direction);
}

/// The answer to one question.
struct Solved {
  Values values;
  std::string unknown;
  Wanted wanted;
  std::vector<Guarantee> theorems;
  std::vector<Solution> solutions;
  std::size_t best = 0;         ///< of the solutions
  accounting::Answer achieved;  ///< by the best one
  Guarantee found;              ///< at its value
};

Solved solve(const Algorithm& algorithm, const std::vector<Option>& table, const Common& common,
             const RawOptions& raw) {
  Values values = read_options(table, raw, common.config);
  if (algorithm.complete) {
    algorithm.complete(values, table);
  }
  Unknown unknown = find_unknown(algorithm, values.text("solve-for"));
  if (!unknown.at_most.empty()) {
    unknown.highest = values.number(unknown.at_most);
  }
  const Wanted wanted = wanted_of(values);
  if (values.has(unknown.name)) {
    throw UsageError("--" + unknown.name + ": is what is solved for, so it cannot be given");
  }
  if (!unknown.fixed_by.empty() && values.has(unknown.fixed_by)) {
    throw UsageError("--solve-for: --" + unknown.fixed_by + " leaves nothing to solve for in " + unknown.name);
  }
  const Trials trials(algorithm, values, unknown, wanted.epsilon, wanted.delta);
  const double budget = wanted.budget;
  accounting::CalibrationTarget target{wanted.epsilon, wanted.delta, algorithm.tolerance, std::nullopt};
  if (algorithm.guess) {
    target.guess = algorithm.guess(values, unknown.name, budget);
  }
  const accounting::Parameter parameter{unknown.lowest, unknown.highest, unknown.whole, unknown.more_is_private};
  std::vector<Solution> solutions;
  ProgressBar bar("solving", common.quiet);
  const auto theorems = trials.at(some_value(unknown));
  std::size_t done = 0;
  for (const Guarantee& guarantee : theorems) {
    if (guarantee.certified && !guarantee.dominated) {
      const auto found =
          wanted.limit
              ? attack::calibrate(
                    [&](double value, double accuracy) { return trials.attack(guarantee.theorem, value, accuracy); },
                    parameter, *wanted.limit, target)
              : accounting::calibrate(
                    [&](double value, double accuracy) { return trials.delta(guarantee.theorem, value, accuracy); },
                    parameter, target);
      Solution solution{guarantee.theorem, guarantee.title, found.value, guarantee.unsaid.empty()};
      if (!unknown.whole) {
        solution.real = solution.value;
      } else if (algorithm.real_count && !unknown.more_is_private) {
        solution.real = algorithm.real_count(values, guarantee.theorem, budget);
      }
      solutions.push_back(solution);
    }
    bar.update(++done, theorems.size());
  }
  const auto worse = [&](const Solution& a, const Solution& b) {
    const double nothing = unknown.more_is_private ? infinity : -infinity;
    const double x = a.promised ? a.value.value_or(nothing) : nothing;
    const double y = b.promised ? b.value.value_or(nothing) : nothing;
    return unknown.more_is_private ? x > y : x < y;
  };
  const auto best = std::max_element(solutions.begin(), solutions.end(), worse);
  if (best == solutions.end() || !best->value || !best->promised) {
    std::string reasons;
    for (const Guarantee& guarantee : theorems) {
      reasons += lacking_text(guarantee);
    }
    throw DomainError("no value of --" + unknown.name + " meets " + wanted.words() + reasons);
  }

  accounting::Answer achieved{{0.0, 0.0}, ""};
  Guarantee found;
  for (const Guarantee& guarantee : trials.at(*best->value, best->theorem)) {
    if (guarantee.theorem == best->theorem) {
      if (wanted.limit) {
        attack::Attack attack(guarantee);
        achieved.value = attack::value(attack, *wanted.limit);
      } else {
        achieved = guarantee.curve->epsilon(wanted.delta);
      }
      found = guarantee;
    }
  }
  const auto index = static_cast<std::size_t>(best - solutions.begin());
  return {std::move(values), unknown.name, wanted, theorems, solutions, index, achieved, found};
}

int answer(const Algorithm& algorithm, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  const Stopwatch clock;
  const auto [values, unknown, wanted, theorems, solutions, index, achieved, found] =
      solve(algorithm, table, common, raw);
  const Solution* best = &solutions[index];
  if (common.parsed_format() == Format::json) {
    Json json = result_head("dpcurves/calibrate/1", values.echo(table));
    json["inputs"]["algorithm"] = algorithm.name;
    if (values.has(transcript_key)) {
      json["transcript"] = values.json(transcript_key);
    }
    json["seed"] = nullptr;
    json["wall_seconds"] = clock.seconds();
    json["solve_for"] = unknown;
    json["value"] = value_json(best->value);
    json["achieved"] = wanted.limit ? Json{{"measure", queries::words(*wanted.limit)}, {"value", ends(achieved.value)}}
                                    : Json{{"epsilon", ends(achieved.value)}, {"delta", wanted.delta}};
    json["theorem"] = best->theorem;
    if (!achieved.direction.empty()) {
      json["direction"] = achieved.direction;
    }
    if (const Json about = setting_json(found); !about.is_null()) {
      json["setting"] = about;
    }
    json["assumed"] = found.assumed;
    json["sampling"] = found.sampling ? Json(std::string(name(*found.sampling))) : Json(nullptr);
    json["adjacency"] = found.adjacency ? Json(std::string(name(*found.adjacency))) : Json(nullptr);
    json["all"] = Json::array();
    for (const Solution& solution : solutions) {
      json["all"].push_back({{"theorem", solution.theorem},
                             {"value", value_json(solution.value)},
                             {"promised", solution.promised},
                             {"real_value", solution.real ? number(*solution.real) : Json(nullptr)}});
    }
    emit(common, pretty(json));
    return 0;
  }
  if (common.parsed_format() == Format::csv) {
    std::string text = "theorem,best," + unknown + "\n";
    for (const Solution& solution : solutions) {
      text += solution.theorem + "," + (&solution == best ? "1" : "0") + "," + value_text(solution.value) + "\n";
    }
    emit(common, text);
    return 0;
  }
  std::string text = values.has(transcript_key) ? transcript_text(values.json(transcript_key)) : "";
  text += algorithm.name + ", " + wanted.words() + "\n";
  using enum io::Align;
  io::TextTable rows({"", "theorem", unknown, "what it uses"}, {left, left, right, left});
  for (const Solution& solution : solutions) {
    rows.add({&solution == best ? "*" : "", solution.theorem, value_text(solution.value),
              solution.title + (solution.promised || !solution.value ? "" : ": if the losses are so")});
  }
  text += rows.text();
  text += "* the best: at " + unknown + " = " + value_text(best->value) + " " + achieved_text(wanted, achieved) + "\n" +
          setting_text(found);
  for (const auto& assumption : found.assumed) {
    text += wrapped("assumed: " + assumption, 2) + "\n";
  }
  text += not_starred_text(theorems);
  if (!found.note.empty()) {
    text += wrapped(best->theorem + ": " + found.note, 2) + "\n";
  }
  emit(common, text);
  return 0;
}

/// One line per value of --sweep; where nothing meets the target the value is "none".
int sweep(const Algorithm& algorithm, const std::vector<Option>& table, const Common& common, const RawOptions& raw,
          const Sweep& swept) {
  const Stopwatch clock;
  const std::string plot = raw.contains("plot") && !raw.at("plot").empty() ? raw.at("plot").front() : "";
  check_plot(plot);
  std::vector<std::optional<Solved>> answers;
  std::string lacking;
  Common quiet = common;
  quiet.quiet = true;
  ProgressBar bar("sweeping", common.quiet);
  for (const double value : swept.values) {
    try {
      answers.emplace_back(solve(algorithm, table, quiet, at(swept, value, raw)));
    } catch (const DomainError& error) {
      answers.emplace_back();
      lacking = error.what();
    }
    bar.update(answers.size(), swept.values.size());
  }
  const auto first = std::find_if(answers.begin(), answers.end(), [](const auto& one) { return one.has_value(); });
  if (first == answers.end()) {
    throw DomainError(lacking);
  }
  const std::string unknown = (*first)->unknown;
  Values shared = (*first)->values;
  shared.erase(swept.option);
  const Json inputs = shared.echo(table);
  Json rows = Json::array();
  using enum io::Align;
  io::TextTable text({swept.option, unknown, "theorem"}, {right, right, left});
  std::string csv = swept.option + "," + unknown + ",theorem\n";
  std::vector<double> found;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Solution* best = answers[i] ? &answers[i]->solutions[answers[i]->best] : nullptr;
    const auto value = best != nullptr ? best->value : std::nullopt;
    const std::string theorem = best != nullptr ? best->theorem : "";
    rows.push_back({{"swept", {{"option", swept.option}, {"value", number(swept.values[i])}}},
                    {"value", value_json(value)},
                    {"theorem", best != nullptr ? Json(theorem) : Json(nullptr)}});
    text.add({shortest(swept.values[i]), value_text(value), theorem});
    csv += shortest(swept.values[i]) + "," + value_text(value) + "," + theorem + "\n";
    found.push_back(value.value_or(std::nan("")));
  }
  if (!plot.empty()) {
    const std::string title = algorithm.name + ": " + unknown + " that meets the target\n";
    io::save(sweep_plot(title + caption_of(inputs, {"solve_for"}), swept, unknown, found), plot);
  }
  switch (common.parsed_format()) {
    case Format::json: {
      Json json = result_head("dpcurves/calibrate/1", inputs);
      json["inputs"]["algorithm"] = algorithm.name;
      json["seed"] = nullptr;
      json["wall_seconds"] = clock.seconds();
      json["solve_for"] = unknown;
      json["results"] = rows;
      emit(common, pretty(json));
      break;
    }
    case Format::csv:
      emit(common, csv);
      break;
    case Format::text:
      emit(common, algorithm.name + ", " + (*first)->wanted.words() + "\n" + text.text());
      break;
  }
  return 0;
}

int run(const Algorithm& algorithm, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  if (const auto swept = sweep_of(raw, table)) {
    return sweep(algorithm, table, common, raw, *swept);
  }
  if (raw.contains("plot") && !raw.at("plot").empty()) {
    throw UsageError("--plot: is drawn over a --sweep");
  }
  return answer(algorithm, table, common, raw);
}

/// The commands of their own that correlated noise has for (epsilon, delta), and the noise multiplier for attacks.
Leaf correlated_leaf() {
  static const Algorithm attacked = [] {
    Algorithm sgd = correlated_algorithms().front();
    sgd.unknowns = {{"noise-multiplier", false, true, 0.0, infinity, {}}};
    sgd.tolerance = 1e-6;
    return sgd;
  }();
  Leaf leaf = calibration_of_correlated();
  add_options(leaf.table, options_of(describe<queries::AttackTarget>()), attack_group);
  leaf.run = [own = leaf.run](const auto& table, const auto& common, const auto& raw) {
    const Values values = read_options(table, raw, common.config);
    return queries::limit_of(setting_from<queries::AttackTarget>(values)) ? run(attacked, table, common, raw)
                                                                          : own(table, common, raw);
  };
  return leaf;
}

}  // namespace

Action add_calibrate(CLI::App& app) {
  CLI::App& command = branch(app, "calibrate", "the parameter that just meets a target: (epsilon, delta), or a limit on attacks",
                             "Example:\n  dpcurves calibrate noisy-gd --help");
  Leaves leaves;
  for (const auto& algorithm : algorithms()) {
    if (algorithm.unknowns.empty()) {
      continue;
    }
    std::string names;
    for (const Unknown& unknown : algorithm.unknowns) {
      names += (names.empty() ? "" : "|") + unknown.name;
    }
    Leaf leaf;
    leaf.name = algorithm.name;
    leaf.summary = algorithm.summary;
    leaf.footer = "The value found is on the safe side: the guarantee holds at it.\nExample:\n  dpcurves calibrate " +
                  algorithm.name + " --solve-for " + algorithm.calibration_example + " --epsilon 1 --delta 1e-5";
    leaf.table = algorithm.options;
    leaf.table.push_back({"solve-for", OptionKind::text, "", "the option to find: " + names, "Question"});
    leaf.table.push_back({"epsilon", OptionKind::number, "[0, inf)", "the target epsilon", "Question", {"target-epsilon"}});
    leaf.table.push_back({"delta", OptionKind::number, "(0, 1)", "the target delta", "Question", {"target-delta"}});
    add_options(leaf.table, options_of(describe<queries::AttackTarget>()), attack_group);
    leaf.table.push_back(sweep_option());
    leaf.table.push_back({"plot", OptionKind::text, "", "draw a sweep into FILE.svg, .png, .html or .pdf", "Question"});
    leaf.run = [&algorithm](const auto& table, const auto& common, const auto& raw) {
      return run(algorithm, table, common, raw);
    };
    leaves.add(command, std::move(leaf));
  }
  leaves.add(command, correlated_leaf());
  leaves.add(command, calibration_of_glm());
  return leaves.action();
}

}  // namespace dpcurves::tools
