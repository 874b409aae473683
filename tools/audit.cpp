// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves audit: scores of canaries as lower bounds, held to the certified curve of the same run.
#include <algorithm>
#include <optional>

#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/audit.hpp>
#include <dpcurves/queries/detail/named.hpp>
#include <dpcurves/queries/detail/option_record.hpp>
#include <dpcurves/queries/detail/promises.hpp>
#include <dpcurves/queries/detail/run_options.hpp>

#include "commands.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

/// What a kind of audit asks of the typed scores and options. \param drawn  its picture is wanted.
using Ask = std::function<queries::Report(const Typed&, const Values&, const queries::Promises*, bool drawn)>;

queries::Scores scores_of_file(const std::string& path) {
  return queries::read_scores(io::read_file(path, path.ends_with(".json") ? largest_json : io::largest_csv), path);
}

int answer_audit(const Typed& typed, const Ask& ask) {
  Values values = typed.values();
  const std::string plot = values.text_or("plot", "");
  check_plot(plot);
  const std::string file = values.text_or("run", "");
  std::optional<queries::Promises> promised;
  if (values.has("run")) {
    promised = promises(algorithm_named("dp-sgd"), values, typed.table);
  }
  const auto answer = [&] { return ask(typed, values, promised ? &*promised : nullptr, values.has("plot")); };
  auto report = promised ? queries::named(file, answer) : answer();
  report.inputs = values.echo(typed.table);
  if (!typed.words.empty()) {
    report.inputs.add("scores", {typed.words.front()});
  }
  finish(report, values);
  if (promised) {
    report.results.add("audited_run", values.value("run"));
  }
  return show(typed.common, report, plot);
}

}  // namespace

void add_audit(CLI::App& app, Leaves& leaves) {
  CLI::App& command =
      branch(app, "audit", "lower bounds from scores of canaries, beside the certified curve",
             "Exit 1 if the certified curve of --run is rejected, 4 if undecided.\nExample:\n"
             "  dpcurves audit one-run data/examples/one-run-scores.csv --run data/examples/audit-run.toml");
  const auto add = [&](const char* name, const char* summary, const std::string& example,
                       const std::vector<FieldInfo>& fields, bool scores, const Ask& ask) {
    Leaf leaf{.name = name,
              .summary = summary,
              .footer = "Example:\n  dpcurves audit " + example,
              .table = options_of(fields),
              .run = [ask](const Typed& typed) { return answer_audit(typed, ask); }};
    for (Option& option : leaf.table) {
      option.group = "Question";
    }
    add_options(
        leaf.table,
        {{"run", OptionKind::text, "FILE", "the run that was audited: a run file or a transcript of another tool"}},
        "Run file");
    add_options(leaf.table, reading_options(), "Run file");
    add_options(leaf.table, {queries::plot_option("draw TPR against FPR")}, "Answer");
    if (scores) {
      leaf.argument = {"SCORES", "CSV with the columns score and member, perhaps canary and run; or JSON"};
    }
    leaves.add(command, std::move(leaf));
  };
  add("multi-run", "many runs, a canary in half of them", "multi-run data/examples/multi-run-scores.csv",
      describe<queries::MultiRunQuestion>(), true,
      [](const Typed& typed, const Values& values, const queries::Promises* run, bool drawn) {
        auto question = setting_from<queries::MultiRunQuestion>(values);
        question.seed = typed.common.seed;
        return queries::audit_multi_run(scores_of_file(typed.words.front()), question, run, drawn);
      });
  add("one-run", "one run, many canaries, each in by a fair coin of its own",
      "one-run data/examples/one-run-scores.csv --delta 1e-5", describe<queries::OneRunQuestion>(), true,
      [](const Typed& typed, const Values& values, const queries::Promises* run, bool drawn) {
        return queries::audit_one_run(scores_of_file(typed.words.front()),
                                      setting_from<queries::OneRunQuestion>(values), run, drawn);
      });
  add("counts", "counts in place of scores", "counts --canaries 1000 --guesses 100 --correct 90 --delta 1e-5",
      describe<queries::CountsQuestion>(), false,
      [](const Typed&, const Values& values, const queries::Promises* run, bool drawn) {
        return queries::audit_counts(setting_from<queries::CountsQuestion>(values), run, drawn);
      });
}

}  // namespace dpcurves::tools
