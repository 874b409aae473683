// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves privacy: every theorem that speaks of an algorithm, side by side, the best one marked.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <dpcurves/core/format.hpp>
#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/table.hpp>

#include "algorithms/algorithm.hpp"
#include "algorithms/least_squares.hpp"
#include "commands.hpp"
#include "support/exit.hpp"
#include "support/explanation.hpp"
#include "support/leaves.hpp"
#include "support/run_options.hpp"
#include "support/setting.hpp"
#include "support/sweep.hpp"

namespace dpcurves::tools {
namespace {

using accounting::Guarantee;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is printed for one theorem at one target.
struct Row {
  Guarantee guarantee;
  std::optional<Enclosure> answer;  ///< epsilon or delta; empty if only mu is asked or the theorem does not apply
  std::optional<Enclosure> mu;
  std::string method;
  bool proved = true;                          ///< no part of the answer has an estimated error
  std::string direction;                       ///< that decided, where there are several
  std::vector<accounting::Answer> directions;  ///< an answer for each of guarantee.directions
  std::string failure;                         ///< why there is no answer although the theorem applies
};

struct Result {
  Target target;
  std::vector<Row> rows;
  std::optional<std::size_t> best;  ///< its place in rows
  std::optional<double> swept{};    ///< the value of the option that --sweep names

  [[nodiscard]] const Row& best_row() const { return rows[*best]; }
};

double ranking(const Row& row) { return row.answer ? row.answer->upper : row.mu ? row.mu->upper : infinity; }

accounting::Answer ask(const accounting::PrivacyCurve& curve, const Target& target) {
  return target.delta ? curve.epsilon(*target.delta) : curve.delta(*target.epsilon);
}

/// Fills in the answer to epsilon or delta: the worst of the directions, where there are several.
void answer(Row& row, const Target& target) {
  const Guarantee& guarantee = row.guarantee;
  if (guarantee.directions.size() < 2) {
    const auto only = ask(*guarantee.curve, target);
    row.answer = only.value;
    row.method = only.method;
    row.proved = only.proved();
    row.direction = only.direction;
    return;
  }
  for (const auto& one : guarantee.directions) {
    auto found = ask(*one.curve, target);
    row.proved = row.proved && found.proved();
    if (!row.answer || found.value.upper > row.answer->upper) {
      row.method = found.method;
      row.direction = one.direction;
    }
    row.answer = row.answer ? Enclosure{std::max(row.answer->lower, found.value.lower),
                                        std::max(row.answer->upper, found.value.upper)}
                            : found.value;
    found.direction = one.direction;
    row.directions.push_back(std::move(found));
  }
}

Result solve(const Algorithm& algorithm, const Values& values, const Target& target) {
  Result result{target, {}, std::nullopt};
  for (auto& guarantee : algorithm.guarantees(values, target)) {
    Row row;
    row.guarantee = std::move(guarantee);
    if (row.guarantee.applies()) {
      row.mu = row.guarantee.curve->mu();
      if (target.delta || target.epsilon) {
        try {
          answer(row, target);
        } catch (const ConvergenceError& error) {
          row.failure = error.what();  // another theorem may have an answer
        }
      } else if (!row.mu) {
        continue;  // has no GDP parameter, and nothing else was asked for
      }
    }
    result.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const Row& row = result.rows[i];
    const bool usable = row.guarantee.promised() && row.failure.empty();
    if (usable && (!result.best || ranking(row) < ranking(result.best_row()))) {
      result.best = i;
    }
  }
  for (const Row& row : result.rows) {
    if (!result.best && !row.failure.empty()) {
      throw ConvergenceError(row.failure);
    }
  }
  return result;
}

Json maybe_ends(const std::optional<Enclosure>& interval) { return interval ? ends(*interval) : Json(nullptr); }

/// The upper end alone, where the lower one says nothing of the mechanism.
Json answer_json(const Row& row) {
  Json json = maybe_ends(row.answer);
  if (row.answer && row.guarantee.upper_only) {
    json["lower"] = nullptr;
  }
  return json;
}

Json row_json(const Row& row, const std::string& asked) {
  Json json{{"theorem", row.guarantee.theorem},
            {"title", row.guarantee.title},
            {"applies", row.guarantee.applies()},
            {"violations", violations_json(row.guarantee.violations)}};
  if (!asked.empty()) {
    json[asked] = answer_json(row);
  }
  json["mu"] = maybe_ends(row.mu);
  if (row.guarantee.mu_above) {
    json["mu_above"] = ends(row.guarantee.mu_above->mu);
    json["mu_above"]["delta_floor"] = row.guarantee.mu_above->delta_floor;
  }
  json["method"] = row.method;
  if (!row.direction.empty()) {
    json["direction"] = row.direction;
  }
  for (const auto& one : row.directions) {
    json["directions"].push_back({{"direction", one.direction}, {asked, ends(one.value)}, {"method", one.method}});
  }
  if (!row.failure.empty()) {
    json["failure"] = row.failure;
  }
  json["certified"] = row.guarantee.certified;
  json["proved"] = row.guarantee.certified && row.proved;
  json["assumed"] = row.guarantee.assumed;
  if (!row.guarantee.unsaid.empty()) {
    json["unsaid"] = violations_json(row.guarantee.unsaid);
  }
  if (!row.guarantee.note.empty()) {
    json["note"] = row.guarantee.note;
  }
  return json;
}

std::string asked_name(const Target& target) { return target.delta ? "epsilon" : target.epsilon ? "delta" : ""; }

/// Every theorem of the result with what became of it.
std::vector<Considered> considered(const Result& result) {
  const std::string asked = asked_name(result.target);
  const auto outcome = [&](const Row& row) -> std::string {
    if (!row.failure.empty()) {
      return row.failure;
    }
    const auto value = row.answer ? row.answer : row.mu;
    if (!value) {
      return "";
    }
    std::string text = (row.answer ? asked : "mu") + " <= " + rounded(value->upper, 8);
    const double best = ranking(result.best_row());
    if (&row != &result.best_row() && best > 0.0 && std::isfinite(value->upper)) {
      text += ", " + rounded(value->upper / best, 3) + " times the chosen one";
    }
    return text;
  };
  std::vector<Considered> list;
  for (const Row& row : result.rows) {
    using enum Considered::Verdict;
    const auto verdict = !row.guarantee.applies()     ? ruled_out
                         : !row.failure.empty()       ? no_answer
                         : !row.guarantee.certified   ? not_a_guarantee
                         : !row.guarantee.unsaid.empty() ? unsaid
                         : &row == &result.best_row() ? chosen
                                                      : applies;
    list.push_back({row.guarantee.theorem, row.guarantee.title, verdict, outcome(row),
                    row.guarantee.applies() ? row.guarantee.unsaid : row.guarantee.violations,
                    row.guarantee.assumed});
  }
  return list;
}

Json result_json(const Result& result, bool explain) {
  Json json = Json::object();
  if (result.target.delta) {
    json["delta"] = *result.target.delta;
  } else if (result.target.epsilon) {
    json["epsilon"] = *result.target.epsilon;
  }
  const std::string asked = asked_name(result.target);
  if (!asked.empty()) {
    json[asked] = answer_json(result.best_row());
  }
  json["mu"] = maybe_ends(result.best_row().mu);
  const Guarantee& best = result.best_row().guarantee;
  json["theorem"] = best.theorem;
  json["method"] = result.best_row().method;
  json["proved"] = result.best_row().proved;  // the best one is certified
  json["sampling"] = best.sampling ? Json(std::string(name(*best.sampling))) : Json(nullptr);
  json["adjacency"] = best.adjacency ? Json(std::string(name(*best.adjacency))) : Json(nullptr);
  json["assumed"] = best.assumed;
  if (!result.best_row().direction.empty()) {
    json["direction"] = result.best_row().direction;
  }
  if (const Json about = setting_json(result.best_row().guarantee); !about.is_null()) {
    json["setting"] = about;
  }
  json["all"] = Json::array();
  for (const Row& row : result.rows) {
    json["all"].push_back(row_json(row, asked));
  }
  if (explain) {
    json["explanation"] = explanation_json(considered(result));
  }
  return json;
}

std::string shown(const std::optional<Enclosure>& interval) { return interval ? rounded(interval->upper, 8) : "-"; }

std::string relative_width(const std::optional<Enclosure>& interval) {
  return interval ? rounded(interval->relative_width(), 2) : "-";
}

std::string result_text(const Algorithm& algorithm, const Result& result) {
  const std::string asked = asked_name(result.target);
  std::string text = algorithm.name;
  if (result.target.delta) {
    text += ", delta = " + shortest(*result.target.delta);
  } else if (result.target.epsilon) {
    text += ", epsilon = " + shortest(*result.target.epsilon);
  }
  text += "\n";
  std::vector<std::string> header{"", "theorem", "mu", "what it uses"};
  if (!asked.empty()) {
    header = {"", "theorem", asked + " <=", "bracket", "mu <=", "what it uses"};
  }
  std::vector<io::Align> alignment(header.size(), io::Align::right);
  alignment[0] = alignment[1] = alignment.back() = io::Align::left;
  io::TextTable table(header, alignment);
  std::vector<std::string> notes;
  for (const Row& row : result.rows) {
    const auto& guarantee = row.guarantee;
    std::vector<std::string> cells{&row == &result.best_row() ? "*" : "", guarantee.theorem};
    if (!asked.empty()) {
      cells.push_back(shown(row.answer));
      cells.push_back(guarantee.upper_only ? "upper only" : relative_width(row.answer));
    }
    cells.push_back(shown(row.mu));
    std::string use = guarantee.title;
    if (!guarantee.violations.empty()) {
      use += ": does not apply";
    } else if (!guarantee.unsaid.empty()) {
      use += ": if the losses are so";
    } else if (!guarantee.certified) {
      use += ": not a guarantee";
    } else if (!row.failure.empty()) {
      use += ": no answer in time";
    }
    cells.push_back(use);
    table.add(cells);
    for (const auto& one : row.directions) {
      table.add({"", "  " + one.direction, rounded(one.value.upper, 8), rounded(one.value.relative_width(), 2), "",
                 one.method});
    }
    if (!guarantee.violations.empty()) {
      notes.push_back(guarantee.theorem + " needs " + describe(guarantee.violations));
    }
    if (!guarantee.note.empty()) {
      notes.push_back(guarantee.theorem + ": " + guarantee.note);
    }
    if (guarantee.mu_above) {
      const auto& above = *guarantee.mu_above;
      notes.push_back("mu: " + shown(row.mu) +
                      " is the least for which the mechanism is mu-GDP; where delta >= " + shortest(above.delta_floor) +
                      ", its profile lies below that of mu = " + rounded(above.mu.upper, 8) + " (bracket " +
                      rounded(above.mu.relative_width(), 2) + ")");
    }
  }
  text += table.text();
  if (!asked.empty()) {
    const Row& best = result.best_row();
    text += "* the best guarantee, by " + best.method +
            (best.directions.empty() ? "" : ", direction " + best.direction) +
            "; bracket: relative width between its certified ends\n";
  }
  text += setting_text(result.best_row().guarantee);
  for (const auto& assumption : result.best_row().guarantee.assumed) {
    text += wrapped("assumed: " + assumption, 2) + "\n";
  }
  std::vector<Guarantee> all;
  for (const Row& row : result.rows) {
    all.push_back(row.guarantee);
  }
  text += not_starred_text(all);
  for (const auto& note : notes) {
    text += wrapped(note, 2) + "\n";
  }
  return text;
}

/// \param option  that is swept; empty: none.
std::string results_csv(const std::vector<Result>& results, const std::string& option) {
  std::string text = (option.empty() ? "" : option + ",") + "target,theorem,best,certified,lower,upper,mu_upper\n";
  for (const Result& result : results) {
    const double target = result.target.delta     ? *result.target.delta
                          : result.target.epsilon ? *result.target.epsilon
                                                  : std::numeric_limits<double>::quiet_NaN();
    for (const Row& row : result.rows) {
      if (!row.guarantee.applies()) {
        continue;
      }
      const auto value = row.answer ? row.answer : row.mu;
      text += (result.swept ? shortest(*result.swept) + "," : "") + (std::isnan(target) ? "" : shortest(target)) + "," + row.guarantee.theorem + "," +
              (&row == &result.best_row() ? "1" : "0") + "," + (row.guarantee.certified ? "1" : "0") + "," +
              (value ? shortest(value->lower) : "") + "," + (value ? shortest(value->upper) : "") + "," +
              (row.mu ? shortest(row.mu->upper) : "") + "\n";
    }
  }
  return text;
}

std::vector<Target> targets(const Values& values) {
  exclude(values, "delta", "epsilon");
  std::vector<Target> list;
  for (const double delta : values.numbers("delta")) {
    list.push_back({std::nullopt, delta, {}, {}});
  }
  for (const double epsilon : values.numbers("epsilon")) {
    list.push_back({epsilon, std::nullopt, {}, {}});
  }
  if (list.empty()) {
    list.emplace_back();
  }
  return list;
}

/// A line per value: what one looks for in a sweep.
std::string sweep_text(const Algorithm& algorithm, const std::string& option, const std::vector<Result>& results) {
  using enum io::Align;
  const std::string asked = asked_name(results.front().target);
  const std::string given = asked.empty() ? "" : asked == "epsilon" ? "delta" : "epsilon";
  std::vector<std::string> header{option};
  if (!asked.empty()) {
    header.insert(header.end(), {given, asked + " <=", "bracket"});
  }
  header.insert(header.end(), {"mu <=", "theorem"});
  std::vector<io::Align> alignment(header.size(), right);
  alignment.back() = left;
  io::TextTable table(header, alignment);
  for (const Result& result : results) {
    const Row& best = result.best_row();
    std::vector<std::string> cells{shortest(result.swept.value_or(0.0))};
    if (!asked.empty()) {
      cells.push_back(shortest(result.target.delta ? *result.target.delta : *result.target.epsilon));
      cells.push_back(shown(best.answer));
      cells.push_back(best.guarantee.upper_only ? "upper only" : relative_width(best.answer));
    }
    cells.push_back(shown(best.mu));
    cells.push_back(best.guarantee.theorem);
    table.add(cells);
  }
  std::string text = algorithm.name + "\n" + table.text();
  const Guarantee& about = results.front().best_row().guarantee;
  text += setting_text(about);
  for (const auto& assumption : about.assumed) {
    text += wrapped("assumed: " + assumption, 2) + "\n";
  }
  return text;
}

/// \throws DomainError  that names what every theorem needs, if none applies.
void require_answer(const Algorithm& algorithm, const Result& result) {
  if (result.best) {
    return;
  }
  std::string reasons;
  for (const Row& row : result.rows) {
    reasons += lacking_text(row.guarantee);
    for (const auto& violation : row.guarantee.violations) {
      reasons += violation.remedy.empty() ? "" : "\n    change to: " + violation.remedy;
    }
  }
  if (reasons.empty()) {
    throw UsageError("--delta or --epsilon: give one of them, " + algorithm.name +
                     " has no GDP parameter in this setting");
  }
  throw DomainError("no theorem applies:" + reasons);
}

/// The answers of one setting to all targets.
std::vector<Result> answers(const Algorithm& algorithm, const Values& values, std::optional<double> swept) {
  std::vector<Result> results;
  for (const Target& target : targets(values)) {
    results.push_back(solve(algorithm, values, target));
    results.back().swept = swept;
    require_answer(algorithm, results.back());
  }
  return results;
}

int run(const Algorithm& algorithm, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  const Stopwatch clock;
  const auto read = [&](const RawOptions& given) {
    Values values = read_options(table, given, common.config);
    if (algorithm.complete) {
      algorithm.complete(values, table);
    }
    return values;
  };
  std::optional<Sweep> sweep;
  std::vector<Result> results;
  Values values;
  if (const auto given = raw.find("sweep"); given != raw.end() && !given->second.empty()) {
    sweep = parse_sweep(given->second.front(), table);
    if (const auto fixed = raw.find(sweep->option); fixed != raw.end() && !fixed->second.empty()) {
      throw UsageError("--sweep: --" + sweep->option + " is given as well");
    }
    ProgressBar bar("sweeping", common.quiet);
    std::size_t done = 0;
    for (const double value : sweep->values) {
      RawOptions one = raw;
      one[sweep->option] = {shortest(value)};
      values = read(one);
      auto more = answers(algorithm, values, value);
      std::move(more.begin(), more.end(), std::back_inserter(results));
      bar.update(++done, sweep->values.size());
    }
    values.erase(sweep->option);
  } else {
    values = read(raw);
    results = answers(algorithm, values, std::nullopt);
  }

  const bool explain = values.flag("explain");
  const std::string transcript = values.has(transcript_key) ? transcript_text(values.json(transcript_key)) : "";
  switch (common.parsed_format()) {
    case Format::json: {
      Json json = result_head("dpcurves/privacy/1", values.echo(table));
      json["inputs"]["algorithm"] = algorithm.name;
      if (values.has(transcript_key)) {
        json["transcript"] = values.json(transcript_key);
      }
      json["seed"] = nullptr;
      json["wall_seconds"] = clock.seconds();
      json["results"] = Json::array();
      for (const Result& result : results) {
        json["results"].push_back(result_json(result, explain));
        if (result.swept) {
          json["results"].back()["swept"] = {{"option", sweep->option}, {"value", number(*result.swept)}};
        }
      }
      emit(common, pretty(json));
      break;
    }
    case Format::csv:
      emit(common, results_csv(results, sweep ? sweep->option : ""));
      break;
    case Format::text: {
      std::string text = transcript;
      if (sweep) {
        emit(common, text + sweep_text(algorithm, sweep->option, results));
        break;
      }
      for (const Result& result : results) {
        text += (text.empty() ? "" : "\n") + result_text(algorithm, result);
        text += explain ? "\n" + explanation_text(considered(result)) : "";
      }
      emit(common, text);
      break;
    }
  }
  return 0;
}

}  // namespace

Action add_privacy(CLI::App& app) {
  CLI::App& command = branch(app, "privacy", "the privacy of an algorithm by every theorem that applies",
                             "Example:\n  dpcurves privacy noisy-gd --help");
  Leaves leaves;
  for (const auto& algorithm : algorithms()) {
    Leaf leaf;
    leaf.name = algorithm.name;
    leaf.summary = algorithm.summary;
    leaf.footer = "Example:\n  dpcurves privacy " + algorithm.name + " " + algorithm.example + " --delta 1e-5";
    leaf.table = algorithm.options;
    leaf.table.push_back({"delta", OptionKind::numbers, "(0, 1)", "compute epsilon for these delta", "Question", {"target-delta"}});
    leaf.table.push_back({"epsilon", OptionKind::numbers, "[0, inf)", "compute delta for these epsilon", "Question", {"target-epsilon"}});
    leaf.table.push_back(sweep_option());
    leaf.table.push_back({"explain", OptionKind::flag, "", explain_help, "Question"});
    leaf.run = [&algorithm](const auto& table, const auto& common, const auto& raw) {
      return run(algorithm, table, common, raw);
    };
    leaves.add(command, std::move(leaf));
  }
  leaves.add(command, privacy_of_noisy_least_squares());
  return leaves.action();
}

}  // namespace dpcurves::tools
