// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
#include <algorithm>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/explanation.hpp>
#include <dpcurves/queries/detail/privacy_answers.hpp>
#include <dpcurves/queries/detail/privacy_words.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/queries/detail/setting.hpp>
#include <dpcurves/queries/detail/sweep.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/queries/privacy.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Guarantee;
using namespace answered;

Value maybe_ends(const std::optional<Enclosure>& interval) { return interval ? ends(*interval) : Value{}; }

/// The upper end alone, where the lower one says nothing of the mechanism.
Value answer_ends(const Row& row) {
  if (row.answer && row.guarantee.upper_only) {
    return {Record{{"lower", {}}, {"upper", {row.answer->upper}}}};
  }
  return maybe_ends(row.answer);
}

Record row_record(const Row& row, const std::string& asked) {
  const Guarantee& guarantee = row.guarantee;
  Record record{{"theorem", {guarantee.theorem}},
                {"title", {guarantee.title}},
                {"applies", {guarantee.applies()}},
                {"violations", {violations_list(guarantee.violations)}}};
  if (!asked.empty()) {
    record.add(asked, answer_ends(row));
  }
  record.add("mu", maybe_ends(row.mu));
  if (guarantee.mu_above) {
    const auto& [floor, mu] = *guarantee.mu_above;
    record.add("mu_above", {Record{{"lower", {mu.lower}}, {"upper", {mu.upper}}, {"delta_floor", {floor}}}});
  }
  record.add("method", {row.method});
  if (!row.direction.empty()) {
    record.add("direction", {row.direction});
  }
  if (!row.directions.empty()) {
    List list;
    for (const auto& one : row.directions) {
      list.push_back({Record{{"direction", {one.direction}}, {asked, ends(one.value)}, {"method", {one.method}}}});
    }
    record.add("directions", {std::move(list)});
  }
  if (!row.failure.empty()) {
    record.add("failure", {row.failure});
  }
  record.add("certified", {guarantee.certified});
  record.add("proved", {guarantee.certified && row.proved});
  record.add("assumed", texts(guarantee.assumed));
  if (!guarantee.unsaid.empty()) {
    record.add("unsaid", {violations_list(guarantee.unsaid)});
  }
  if (!guarantee.note.empty()) {
    record.add("note", {guarantee.note});
  }
  return record;
}

Record result_record(const Result& result, bool explain) {
  Record record;
  if (result.target.delta) {
    record.add("delta", {*result.target.delta});
  } else if (result.target.epsilon) {
    record.add("epsilon", {*result.target.epsilon});
  }
  const std::string asked = asked_name(result.target);
  const Row& row = result.best_row();
  if (!asked.empty()) {
    record.add(asked, answer_ends(row));
  }
  const Guarantee& best = row.guarantee;
  record.add("mu", maybe_ends(row.mu));
  record.add("theorem", {best.theorem});
  record.add("method", {row.method});
  record.add("proved", {row.proved});  // the best one is certified
  record.add("sampling", best.sampling ? Value{std::string(name(*best.sampling))} : Value{});
  record.add("adjacency", best.adjacency ? Value{std::string(name(*best.adjacency))} : Value{});
  record.add("assumed", texts(best.assumed));
  if (!row.direction.empty()) {
    record.add("direction", {row.direction});
  }
  if (std::string note = width_note(row, result.target); !note.empty()) {
    record.add("bracket_note", {std::move(note)});
  }
  if (Value about = setting_value(best); !about.null()) {
    record.add("setting", std::move(about));
  }
  List all;
  for (const Row& one : result.rows) {
    all.push_back({row_record(one, asked)});
  }
  record.add("all", {std::move(all)});
  if (explain) {
    record.add("explanation", {explanation(considered(result))});
  }
  return record;
}

/// \param sweep  null where nothing is swept.
Table csv_rows(const std::vector<Result>& results, const Sweep* sweep) {
  Table table;
  table.names = {"target", "theorem", "best", "certified", "lower", "upper", "mu_upper"};
  if (sweep != nullptr) {
    table.names.insert(table.names.begin(), sweep->option);
  }
  for (const Result& result : results) {
    const auto target = result.target.delta ? result.target.delta : result.target.epsilon;
    for (const Row& row : result.rows) {
      if (!row.guarantee.applies()) {
        continue;
      }
      const auto value = row.answer ? row.answer : row.mu;
      std::vector<Cell> cells;
      if (result.swept) {
        cells.push_back({sweep->text(*result.swept)});
      }
      cells.push_back({target ? shortest(*target) : ""});
      cells.push_back({row.guarantee.theorem});
      cells.push_back({&row == &result.best_row() ? "1" : "0"});
      cells.push_back({row.guarantee.certified ? "1" : "0"});
      cells.push_back({value ? shortest(value->lower) : ""});
      cells.push_back({value ? shortest(value->upper) : ""});
      cells.push_back({row.mu ? shortest(row.mu->upper) : ""});
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

/// The best answer over the swept option, a series for each target.
io::Plot swept_picture(const Algorithm& algorithm, const Sweep& sweep, const std::vector<Result>& results,
                       const Record& inputs) {
  const std::size_t targets_each = results.size() / sweep.values.size();
  const std::string asked = asked_name(results.front().target), label = asked.empty() ? "mu" : asked;
  const std::string title = algorithm.name + ": " + label + " that is guaranteed\n" + caption_of(inputs, {"sweep"});
  std::optional<io::Plot> plot;
  for (std::size_t target = 0; target < targets_each; ++target) {
    std::vector<double> found;
    for (std::size_t i = target; i < results.size(); i += targets_each) {
      found.push_back(ranking(results[i].best_row()));
    }
    auto one = sweep_plot(title, sweep, label, found);
    const Target& of = results[target].target;
    one.series.front().name = of.delta     ? "delta = " + shortest(*of.delta)
                              : of.epsilon ? "epsilon = " + shortest(*of.epsilon)
                                           : "";
    if (!plot) {
      plot = std::move(one);
      continue;
    }
    plot->legend = io::Legend::automatic;
    plot->y.logarithmic = plot->y.logarithmic && one.y.logarithmic;
    plot->series.push_back(std::move(one.series.front()));
  }
  return *plot;
}

Report privacy_answer(const Algorithm& algorithm, const std::vector<Option>& table, const Values& given,
                      const Effort& effort) {
  const auto sweep = sweep_of(given, table);
  if (!sweep && given.has("plot")) {
    throw UsageError("--plot: is drawn over a --sweep; dpcurves curve draws the curve of one setting");
  }
  const auto completed = [&](Values values) {
    if (algorithm.complete) {
      algorithm.complete(values, table);
    }
    return values;
  };
  std::vector<Values> settings;
  if (sweep) {
    for (const double value : sweep->values) {
      settings.push_back(completed(at(*sweep, value, given, table)));
    }
  }
  Values values = sweep ? settings.back() : completed(given);
  const std::vector<Result> results = sweep ? answers(algorithm, settings, *sweep, effort) : answers(algorithm, values);
  if (sweep) {
    values.erase(sweep->option);
    values.set("sweep", given.value("sweep"));
  }

  const bool explain = values.flag("explain");
  Report report{.schema = "dpcurves/privacy/1", .inputs = values.echo(table)};
  report.inputs.add("algorithm", {algorithm.name});
  if (values.has(transcript_key)) {
    report.results.add(transcript_key, values.value(transcript_key));
    report.blocks.push_back({transcript_text(values), std::nullopt});
  }
  List records;
  for (const Result& result : results) {
    Record record = result_record(result, explain);
    if (result.swept) {
      record.add("swept", swept_value(*sweep, *result.swept));
      if (!result.run.null()) {
        record.add("run", result.run);
      }
    } else {
      add_words(report, algorithm, result, explain);
    }
    records.push_back({std::move(record)});
  }
  if (sweep) {
    add_sweep_words(report, algorithm, *sweep, results);
    if (given.has("plot")) {
      report.plot = swept_picture(algorithm, *sweep, results, values.echo(table));
    }
  }
  if (!sweep && !results.front().run.null()) {
    report.results.add("run", results.front().run);
  }
  report.results.add("seed", {});
  report.results.add("wall_seconds", {});
  report.results.add("results", {std::move(records)});
  report.rows = csv_rows(results, sweep ? &*sweep : nullptr);
  return report;
}

}  // namespace

const std::vector<Subject>& privacy_subjects() {
  static const std::vector<Subject> all = [] {
    std::vector<Subject> list;
    for (const auto& algorithm : algorithms()) {
      Subject one{
          .name = algorithm.name,
          .summary = algorithm.summary,
          .footer = "Example:\n  dpcurves privacy " + algorithm.name + " " + algorithm.example + " --delta 1e-5",
          .table = algorithm.options};
      one.table.push_back({"delta",
                           OptionKind::numbers,
                           "[0, 1]",
                           "compute epsilon for these delta; at 0 the largest privacy loss",
                           "Question",
                           {"target-delta"}});
      one.table.push_back({"epsilon",
                           OptionKind::numbers,
                           "[0, inf)",
                           "compute delta for these epsilon",
                           "Question",
                           {"target-epsilon"}});
      one.table.push_back(sweep_option());
      one.table.push_back(plot_option("draw a sweep", "Question"));
      one.table.push_back({"explain", OptionKind::flag, "", explain_help, "Question"});
      one.answer = [&algorithm, table = one.table](const Values& values, const Effort& effort) {
        return privacy_answer(algorithm, table, values, effort);
      };
      list.push_back(std::move(one));
    }
    list.push_back(privacy_of_noisy_least_squares());
    return list;
  }();
  return all;
}

Report privacy(const Record& question, const Effort& effort) {
  return ask(privacy_subjects(), "algorithm", question, effort);
}

}  // namespace dpcurves::queries
