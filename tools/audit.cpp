// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves audit: scores of canaries as lower bounds, held to the certified curve of the same run.
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <dpcurves/core/convert.hpp>
#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/queries/audit.hpp>
#include <dpcurves/queries/option_record.hpp>
#include <dpcurves/queries/promises.hpp>
#include <dpcurves/queries/run_options.hpp>

#include "commands.hpp"
#include "support/exit.hpp"
#include "support/json_record.hpp"
#include "support/leaves.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

/// One kind of audit with its options.
struct Asked {
  std::string scores;
  Common common;
  RawOptions raw;
  std::vector<Option> table;
  PictureOptions picture;
  CLI::App* app = nullptr;
  std::function<queries::Report(const Asked&, const Values&, const queries::Promises*, bool drawn)> ask;
};

queries::Scores read(const std::string& path) {
  return queries::read_scores(io::read_file(path, path.ends_with(".json") ? largest_json : io::largest_csv), path);
}

int run(const Asked& asked) {
  Values values = read_options(asked.table, asked.raw, asked.common.config);
  check_plot(values.text_or("plot", ""));
  const PictureScope picture(asked.picture);
  std::optional<queries::Promises> promised;
  if (values.has("run")) {
    const auto& all = algorithms();
    const auto sgd = std::find_if(all.begin(), all.end(), [](const Algorithm& one) { return one.name == "dp-sgd"; });
    promised = promises(*sgd, values, asked.table);
  }
  auto report = asked.ask(asked, values, promised ? &*promised : nullptr, values.has("plot"));
  report.inputs = values.echo(asked.table);
  if (!asked.scores.empty()) {
    report.inputs.add("scores", {asked.scores});
  }
  finish(report, values);
  return show(asked.common, report, values.text_or("plot", ""));
}

}  // namespace

Action add_audit(CLI::App& app) {
  auto* command = app.add_subcommand("audit", "lower bounds from scores of canaries, beside the certified curve");
  command->require_subcommand(1);
  command->footer(
      "Exit 1 if the certified curve of --run is rejected, 4 if undecided.\nExample:\n"
      "  dpcurves audit one-run data/examples/one-run-scores.csv --run data/examples/audit-run.toml");
  auto kinds = std::make_shared<std::vector<std::shared_ptr<Asked>>>();
  const auto add = [&](const char* name, const char* summary, const std::string& example,
                       const std::vector<FieldInfo>& fields, bool scores, auto ask) {
    auto asked = std::make_shared<Asked>();
    asked->ask = ask;
    asked->table = options_of(fields);
    for (Option& option : asked->table) {
      option.group = "Question";
    }
    add_options(
        asked->table,
        {{"run", OptionKind::text, "FILE", "the run that was audited: a run file or a transcript of another tool"}},
        "Run file");
    add_options(asked->table, reading_options(), "Run file");
    add_options(asked->table,
                {{"plot", OptionKind::text, "", "draw TPR against FPR into FILE.svg, .png, .html or .pdf"}}, "Answer");
    asked->app = command->add_subcommand(name, summary);
    if (scores) {
      asked->app
          ->add_option("SCORES", asked->scores,
                       "CSV with the columns score and member, perhaps canary and run; or JSON")
          ->required();
    }
    asked->app->footer("Example:\n  dpcurves audit " + example);
    declare(*asked->app, asked->table, asked->raw);
    declare_common(*asked->app, asked->common);
    declare_picture(*asked->app, asked->picture);
    kinds->push_back(asked);
  };
  add("multi-run", "many runs, a canary in half of them", "multi-run data/examples/multi-run-scores.csv",
      describe<queries::MultiRunQuestion>(), true,
      [](const Asked& asked, const Values& values, const queries::Promises* run, bool drawn) {
        auto question = setting_from<queries::MultiRunQuestion>(values);
        question.seed = asked.common.seed;
        return queries::audit_multi_run(read(asked.scores), question, run, drawn);
      });
  add("one-run", "one run, many canaries, each in by a fair coin of its own",
      "one-run data/examples/one-run-scores.csv --delta 1e-5", describe<queries::OneRunQuestion>(), true,
      [](const Asked& asked, const Values& values, const queries::Promises* run, bool drawn) {
        return queries::audit_one_run(read(asked.scores), setting_from<queries::OneRunQuestion>(values), run, drawn);
      });
  add("counts", "counts in place of scores", "counts --canaries 1000 --guesses 100 --correct 90 --delta 1e-5",
      describe<queries::CountsQuestion>(), false,
      [](const Asked&, const Values& values, const queries::Promises* run, bool drawn) {
        return queries::audit_counts(setting_from<queries::CountsQuestion>(values), run, drawn);
      });
  return [kinds]() -> int {
    for (const auto& asked : *kinds) {
      if (asked->app->parsed()) {
        return run(*asked);
      }
    }
    return static_cast<int>(Exit::usage);
  };
}

}  // namespace dpcurves::tools
