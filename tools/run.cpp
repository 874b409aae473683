// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves run: run files and transcripts of other tools: check, show, convert.
#include <filesystem>
#include <string>
#include <utility>

#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/detail/run_options.hpp>

#include "commands.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

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

int check(const Typed& typed) {
  const std::string& file = typed.words.front();
  const Values values = typed.values();
  return show(typed.common,
              queries::run_check(io::read_file(file, largest_json), file, given_from(values), values.flag("strict")));
}

/// The form that the name of the output asks for, else the command's own.
std::string form_of(const std::string& output, const std::string& usual) {
  const std::string ending = std::filesystem::path(output).extension().string();
  return ending == ".toml" || ending == ".json" ? ending.substr(1) : usual;
}

int convert(const Typed& typed, const std::string& usual) {
  const Values values = typed.values();
  auto transcript = read_transcript(typed.words.front(), values);
  const std::string form = values.text_or("to", form_of(typed.common.output, usual));
  emit(typed.common, queries::run_text(transcript, form == "toml"));
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Leaves& leaves) {
  CLI::App& command = branch(app, "run", "run files, transcripts: what they say, what does not fit",
                             "Example:\n  dpcurves run check data/transcripts/run-01.toml");
  const auto add = [&](const std::string& name, const char* summary, const std::string& example, bool converts,
                       std::function<int(const Typed&)> act) {
    Leaf leaf{.name = name,
              .summary = summary,
              .footer = "Example:\n  dpcurves run " + name + " " + example,
              .table = file_options(),
              .formats = converts ? "text" : "text|json|csv",
              .run = std::move(act),
              .argument = Argument{"FILE", "a run file, or what another tool wrote"}};
    if (converts) {
      leaf.table.push_back(
          {"to", OptionKind::text, "toml|json", "the form of the run file; else as --output ends", "Answer"});
    }
    leaves.add(command, std::move(leaf));
  };
  const std::string history = "data/transcripts/opacus-01-rdp.json";
  const auto as_toml = [](const Typed& typed) { return convert(typed, "toml"); };
  add("check", "mismatches of loop and accountant; exit 3 if one rules an answer out", history, false, check);
  add("show", "the canonical form of a run file, as JSON unless --output or --to say TOML", history, true,
      [](const Typed& typed) { return convert(typed, "json"); });
  add("import", "a run file from what another tool wrote, as TOML unless --output or --to say JSON",
      history + " --output run.toml", true, as_toml);
  add("convert", "a run file from TOML to JSON or back; what another tool wrote is read too, as by import",
      "data/transcripts/run-01.toml --output run.json", true, as_toml);
  leaves.add(command, {.name = "schema",
                       .summary = "the JSON schema of run files",
                       .footer = "Example:\n  dpcurves run schema > run.schema.json",
                       .formats = "text",
                       .run = [](const Typed& typed) {
                         emit(typed.common, queries::run_schema());
                         return 0;
                       }});
}

}  // namespace dpcurves::tools
