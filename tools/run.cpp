// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves run: run files and transcripts of other tools: check, show, convert.
#include <utility>

#include <CLI/CLI.hpp>

#include <dpcurves/io/file.hpp>
#include <dpcurves/queries/run_file.hpp>

#include "commands.hpp"
#include "support/exit.hpp"
#include "support/report.hpp"
#include <dpcurves/queries/run_options.hpp>

namespace dpcurves::tools {
namespace {

/// One command with its FILE.
struct Asked {
  std::string file;
  Common common;
  RawOptions raw;
  std::vector<Option> table;
  CLI::App* app = nullptr;
};

std::vector<Option> file_options() {
  auto table = reading_options();
  const char* group = "What the file does not say";
  table.push_back({"adjacency", OptionKind::text, "add-or-remove|add|remove|replace-one|zero-out",
                   "what neighbouring data sets are", group});
  table.push_back({"sampling", OptionKind::text, "poisson|fixed-size|shuffled|cyclic|random-allocation|none",
                   "how batches were drawn", group});
  table.push_back({"records", OptionKind::count, "[1, inf)", "number of records n", group});
  table.push_back({"batch-size", OptionKind::count, "[1, inf)", "records of one micro-batch", group});
  table.push_back({"delta", OptionKind::number, "(0, 1)", "for the epsilons in messages", group});
  return table;
}

int check(const Asked& asked, const Values& values) {
  try {
    return show(asked.common, queries::run_check(io::read_file(asked.file, largest_json), asked.file, given_from(values),
                                                 values.flag("strict")));
  } catch (const UsageError& error) {
    throw UsageError(asked.file + ": " + error.what());
  }
}

int convert(const Asked& asked, const Values& values, const std::string& fallback) {
  auto transcript = read_transcript(asked.file, values);
  emit(asked.common, queries::run_text(transcript, values.text_or("to", fallback) == "toml"));
  return 0;
}

}  // namespace

Action add_run(CLI::App& app) {
  auto* command = app.add_subcommand("run", "run files and transcripts: what they say and what does not fit");
  command->require_subcommand(1);
  command->footer("Example:\n  dpcurves run check data/transcripts/run-01.toml");
  auto commands = std::make_shared<std::vector<std::pair<std::shared_ptr<Asked>, std::function<int(const Asked&, const Values&)>>>>();
  const auto add = [&](const char* name, const char* summary, bool converts, auto action) {
    auto asked = std::make_shared<Asked>();
    asked->table = file_options();
    if (converts) {
      asked->table.push_back({"to", OptionKind::text, "toml|json", "the form of the run file", "Answer"});
    }
    asked->app = command->add_subcommand(name, summary);
    asked->app->add_option("FILE", asked->file, "a run file, or what another tool wrote")->required();
    asked->app->footer(std::string("Example:\n  dpcurves run ") + name + " data/transcripts/opacus-01-rdp.json");
    declare(*asked->app, asked->table, asked->raw);
    declare_common(*asked->app, asked->common, converts ? "text" : "text|json|csv");
    commands->emplace_back(asked, action);
  };
  add("check", "mismatches of loop and accountant; exit 3 if one rules an answer out", false, check);
  add("show", "the canonical form of a run file", true,
      [](const Asked& asked, const Values& values) { return convert(asked, values, "json"); });
  for (const char* name : {"import", "convert"}) {
    add(name, "a run file from what another tool wrote", true,
        [](const Asked& asked, const Values& values) { return convert(asked, values, "toml"); });
  }
  auto schema = std::make_shared<Common>();
  auto* schema_app = command->add_subcommand("schema", "the JSON schema of run files");
  schema_app->footer("Example:\n  dpcurves run schema > run.schema.json");
  declare_common(*schema_app, *schema, "text");
  return [commands, schema, schema_app]() -> int {
    if (schema_app->parsed()) {
      emit(*schema, queries::run_schema());
      return 0;
    }
    for (const auto& [asked, action] : *commands) {
      if (asked->app->parsed()) {
        return action(*asked, read_options(asked->table, asked->raw, asked->common.config));
      }
    }
    return static_cast<int>(Exit::usage);
  };
}

}  // namespace dpcurves::tools
