// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/option_record.hpp>
#include <dpcurves/queries/detail/promises.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/queries/detail/setting.hpp>
#include <dpcurves/queries/detail/sweep.hpp>
#include <dpcurves/queries/detail/swept_subject.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Guarantee;

constexpr const char* attack_group = "Question: a limit on attacks, in place of epsilon and delta";

/// One theorem's answer.
struct Solution {
  std::string theorem;
  std::string title;
  std::optional<double> value;   ///< infinite: unlimited; empty: no value in the range meets the target
  bool promised = true;          ///< false: rests on what nobody has said
  std::optional<double> real{};  ///< before rounding to a whole number, where it is known
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
  if (name.empty()) {
    throw UsageError("--solve-for: is required: " + joined(names));
  }
  throw UsageError("--solve-for: " + algorithm.name + " can be solved for " + joined(names) + ", not for \"" + name +
                   "\"" + suggestion(name, names));
}

Value value_or_word(const std::optional<double>& value) {
  return !value ? Value{} : std::isinf(*value) ? Value{"unlimited"} : Value{*value};
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
  wanted.limit = limit_of(setting_from<AttackTarget>(values));
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
      throw UsageError(std::string("--") + option + ": is another target than " + words(*wanted.limit));
    }
  }
  wanted.epsilon = deciding_epsilon(*wanted.limit);
  wanted.budget = attack::gaussian_mu(*wanted.limit);
  return wanted;
}

/// "the guarantee is epsilon <= 1", "the TPR at FPR 0.01 is at most 0.05"
std::string achieved_text(const Wanted& wanted, const accounting::Answer& achieved) {
  return (wanted.limit ? words(*wanted.limit) + " is at most " : std::string("the guarantee is epsilon <= ")) +
         rounded_up(achieved.value.upper, 8) + (achieved.direction.empty() ? "" : ", direction " + achieved.direction);
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

Solved solve(const Algorithm& algorithm, const std::vector<Option>& table, Values values, const Effort& effort) {
  if (algorithm.complete) {
    algorithm.complete(values, table);
  }
  Unknown unknown = find_unknown(algorithm, values.text_or("solve-for", ""));
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
  for (const char* noise : {"noise-multiplier", "noise"}) {
    if (values.maybe(noise) == 0.0) {
      throw UsageError(std::string("--") + noise + ": 0 hides nothing, so no value of --" + unknown.name +
                       " meets a target; give a noise above 0, or --solve-for " + noise);
    }
  }
  const Trials trials(algorithm, values, unknown, wanted.epsilon, wanted.delta);
  const double budget = wanted.budget;
  accounting::CalibrationTarget target{wanted.epsilon, wanted.delta, algorithm.tolerance, std::nullopt};
  if (algorithm.guess) {
    target.guess = algorithm.guess(values, unknown.name, budget);
  }
  const accounting::Parameter parameter{unknown.lowest, unknown.highest, unknown.whole, unknown.more_is_private};
  std::vector<Solution> solutions;
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
    tell(effort, ++done, theorems.size());
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

/// What is known of the answer beside the value, as data.
void add_results(Report& report, const Solved& solved) {
  const Solution& best = solved.solutions[solved.best];
  const Guarantee& found = solved.found;
  const Value achieved = ends(solved.achieved.value);
  Record& results = report.results;
  results.add("value", value_or_word(best.value));
  results.add("achieved", {solved.wanted.limit ? Record{{"measure", {words(*solved.wanted.limit)}}, {"value", achieved}}
                                               : Record{{"epsilon", achieved}, {"delta", {solved.wanted.delta}}}});
  results.add("theorem", {best.theorem});
  if (!solved.achieved.direction.empty()) {
    results.add("direction", {solved.achieved.direction});
  }
  if (Value about = setting_value(found); !about.null()) {
    results.add("setting", std::move(about));
  }
  results.add("assumed", texts(found.assumed));
  results.add("sampling", found.sampling ? Value{std::string(name(*found.sampling))} : Value{});
  results.add("adjacency", found.adjacency ? Value{std::string(name(*found.adjacency))} : Value{});
  List all;
  for (const Solution& solution : solved.solutions) {
    all.push_back({Record{{"theorem", {solution.theorem}},
                          {"value", value_or_word(solution.value)},
                          {"promised", {solution.promised}},
                          {"real_value", solution.real ? Value{*solution.real} : Value{}}}});
  }
  results.add("all", {std::move(all)});
}

/// The theorems side by side, in words and as rows.
void add_table(Report& report, const Algorithm& algorithm, const Solved& solved) {
  using enum io::Align;
  const Solution* best = &solved.solutions[solved.best];
  report.rows.names = {"theorem", "best", solved.unknown};
  Table table{{"", "theorem", solved.unknown, "what it uses"}, {}, {left, left, right, left}};
  for (const Solution& solution : solved.solutions) {
    const std::string value = value_text(solution.value);
    report.rows.rows.push_back({{solution.theorem}, {&solution == best ? "1" : "0"}, {value}});
    table.rows.push_back({{&solution == best ? "*" : ""},
                          {solution.theorem},
                          {value},
                          {solution.title + (solution.promised || !solution.value ? "" : ": if the losses are so")}});
  }
  report.blocks.push_back({algorithm.name + ", " + solved.wanted.words() + "\n", std::move(table)});
  const Guarantee& found = solved.found;
  report.blocks.push_back({"* the best: at " + solved.unknown + " = " + value_text(best->value) + " " +
                               achieved_text(solved.wanted, solved.achieved) + "\n" + setting_text(found) +
                               assumed_text(found) + not_starred_text(solved.theorems) +
                               (found.note.empty() ? "" : wrapped(best->theorem + ": " + found.note, 2) + "\n"),
                           std::nullopt});
}

/// What every answer starts with.
Report head(const Algorithm& algorithm, Record inputs, const std::string& unknown) {
  Report report{.schema = "dpcurves/calibrate/1", .inputs = std::move(inputs)};
  report.inputs.add("algorithm", {algorithm.name});
  report.results = {{"seed", {}}, {"wall_seconds", {}}, {"solve_for", {unknown}}};
  return report;
}

Report answer(const Algorithm& algorithm, const std::vector<Option>& table, const Values& values,
              const Effort& effort) {
  const Solved solved = solve(algorithm, table, values, effort);
  Report report = head(algorithm, solved.values.echo(table), solved.unknown);
  if (solved.values.has(transcript_key)) {
    report.results.add(transcript_key, solved.values.value(transcript_key));
    report.blocks.push_back({transcript_text(solved.values), std::nullopt});
  }
  add_results(report, solved);
  Values found = solved.values;
  found.set(solved.unknown, *solved.solutions[solved.best].value);
  add_run(report.results, algorithm, found);
  add_table(report, algorithm, solved);
  return report;
}

/// One line per value of --sweep; where nothing meets the target the value is "none".
Report swept_answer(const Algorithm& algorithm, const std::vector<Option>& table, const Values& values,
                    const Sweep& swept, const Effort& effort) {
  std::vector<std::optional<Solved>> answers(swept.values.size());
  std::vector<std::string> lacking(swept.values.size());
  parallel_for(
      swept.values.size(), effort.threads,
      [&](std::size_t i) {
        try {
          answers[i] = solve(algorithm, table, at(swept, swept.values[i], values, table), {});
        } catch (const DomainError& error) {
          lacking[i] = error.what();
        }
      },
      effort.progress);
  const auto first = std::find_if(answers.begin(), answers.end(), [](const auto& one) { return one.has_value(); });
  if (first == answers.end()) {
    throw DomainError(lacking.back());
  }
  const std::string unknown = (*first)->unknown;
  Values shared = (*first)->values;
  shared.erase(swept.option);
  const Record inputs = shared.echo(table);
  Report report = head(algorithm, inputs, unknown);
  using enum io::Align;
  Table text{{swept.option, unknown, "theorem"}, {}, {right, right, left}};
  List rows;
  std::vector<double> found;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Solution best = answers[i] ? answers[i]->solutions[answers[i]->best] : Solution();
    rows.push_back({Record{{"swept", swept_value(swept, swept.values[i])},
                           {"value", value_or_word(best.value)},
                           {"theorem", answers[i] ? Value{best.theorem} : Value{}}}});
    text.rows.push_back({{swept.text(swept.values[i])}, {value_text(best.value)}, {best.theorem}});
    found.push_back(best.value.value_or(std::nan("")));
  }
  if (values.has("plot") || (effort.pictures && swept.words.empty())) {
    const std::string title = algorithm.name + ": " + spoken(unknown) + " that meets the target\n";
    report.plot = sweep_plot(title + caption_of(inputs, {"solve_for"}), swept, spoken(unknown), found);
  }
  report.results.add("results", {std::move(rows)});
  report.rows = text;
  report.blocks.push_back({algorithm.name + ", " + (*first)->wanted.words() + "\n", std::move(text)});
  return report;
}

Report run(const Algorithm& algorithm, const std::vector<Option>& table, const Values& values, const Effort& effort) {
  if (const auto swept = sweep_of(values, table)) {
    return swept_answer(algorithm, table, values, *swept, effort);
  }
  if (values.has("plot")) {
    throw UsageError("--plot: is drawn over a --sweep");
  }
  return answer(algorithm, table, values, effort);
}

/// The commands of their own that correlated noise has for (epsilon, delta), and the noise multiplier for attacks.
Subject correlated_subject() {
  static const Algorithm attacked = [] {
    Algorithm sgd = correlated_algorithms().front();
    sgd.unknowns = {{"noise-multiplier", false, true, 0.0, infinity, {}}};
    sgd.tolerance = 1e-6;
    return sgd;
  }();
  Subject one = calibration_of_correlated();
  add_options(one.table, options_of(describe<AttackTarget>()), attack_group);
  one.answer = [own = one.answer, table = one.table](const Values& values, const Effort& effort) {
    return limit_of(setting_from<AttackTarget>(values)) ? run(attacked, table, values, effort) : own(values, effort);
  };
  return with_sweep(std::move(one), [](const Report& first) {
    if (first.rows.names.front() == "strategy") {
      const Value* minimised = first.inputs.find("minimise");
      const bool largest = minimised != nullptr && *minimised->get<std::string>() == "maximum";
      const std::string noise = largest ? "largest_noise" : "mean_noise";
      return SweptPicture{"strategies of correlated noise: what becomes of it at the target",
                          std::string(largest ? "largest" : "root mean square") + " noise of the sums, over the clip",
                          noise, "strategy", "best,strategy,noise_multiplier," + noise + ",risk"};
    }
    const std::string unknown = *first.results.at("solve_for").get<std::string>();
    const std::string words = spoken(unknown);
    return SweptPicture{"correlated: " + words + " that meets the target", words, unknown, "theorem",
                        "best,theorem," + unknown};
  });
}

Subject calibrate_subject(const Algorithm& algorithm) {
  std::string names;
  for (const Unknown& unknown : algorithm.unknowns) {
    names += (names.empty() ? "" : "|") + unknown.name;
  }
  Subject one{
      .name = algorithm.name,
      .summary = algorithm.summary,
      .footer = "The value found is on the safe side: the guarantee holds at it.\nExample:\n  dpcurves calibrate " +
                algorithm.name + " --solve-for " + algorithm.calibration_example + " --epsilon 1 --delta 1e-5",
      .table = algorithm.options};
  one.table.push_back({"solve-for", OptionKind::text, names, "the option to find", "Question"});
  one.table.push_back(
      {"epsilon", OptionKind::number, "[0, inf)", "the target epsilon", "Question", {"target-epsilon"}});
  one.table.push_back({"delta", OptionKind::number, "(0, 1)", "the target delta", "Question", {"target-delta"}});
  add_options(one.table, options_of(describe<AttackTarget>()), attack_group);
  one.table.push_back(sweep_option());
  one.table.push_back(plot_option("draw a sweep", "Question"));
  one.answer = [&algorithm, table = one.table](const Values& values, const Effort& effort) {
    return run(algorithm, table, values, effort);
  };
  return one;
}

}  // namespace

const std::vector<Subject>& calibrate_subjects() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> list;
    for (const auto& algorithm : algorithms()) {
      if (!algorithm.unknowns.empty()) {
        list.push_back(calibrate_subject(algorithm));
      }
    }
    list.push_back(correlated_subject());
    list.push_back(calibration_of_glm());
    return list;
  }();
  return all;
}

Report calibrate(const Record& question, const Effort& effort) {
  return ask(calibrate_subjects(), "algorithm", question, effort);
}

}  // namespace dpcurves::queries
