// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves eval: one calculator, raw, and the check of whole files of settings with expected answers.
#include <unistd.h>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "checks/check.hpp"
#include "commands.hpp"
#include "support/exit.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools {
namespace {

int list_calculators(const Common& common) {
  if (common.parsed_format() == Format::json) {
    Json list = Json::array();
    for (const auto& calculator : calculators::all()) {
      list.push_back({{"calculator", calculator.name}, {"summary", calculator.summary}});
    }
    emit(common, pretty(list));
    return 0;
  }
  std::string text;
  for (const auto& calculator : calculators::all()) {
    text += calculator.name + "\n";
  }
  emit(common, text);
  return 0;
}

int evaluate(const Typed& typed) {
  const Values values = typed.values();
  if (values.flag("list")) {
    return list_calculators(typed.common);
  }
  if (values.has("check")) {
    return checks::run_files(typed.common, {values.text("check")}, values.text_or("junit", ""),
                             values.text_or("annotations", ""));
  }
  for (const char* name : {"junit", "annotations"}) {
    require_option(!values.has(name), name, "belongs to --check");
  }
  if (typed.words.empty()) {
    throw UsageError("CALCULATOR: is required, or --list, or --check FILE.json");
  }
  const auto& calculator = calculators::find(typed.words.front());
  if (values.flag("schema")) {
    emit(typed.common, pretty({{"calculator", calculator.name},
                               {"summary", calculator.summary},
                               {"inputs", schema_of(calculator.fields)}}));
    return 0;
  }
  if (typed.common.to.within()) {
    throw UsageError("command: a check of a calculator has the keys calculator, inputs and outputs");
  }
  const auto text = io::read_descriptor(STDIN_FILENO, "standard input", largest_json);
  const auto answer = calculator(record_of(parse_json(text, "standard input")));
  emit(typed.common, json_of({answer}).dump() + "\n");
  return 0;
}

}  // namespace

void add_eval(CLI::App& app, Leaves& leaves) {
  leaves.add(
      app,
      {.name = "eval",
       .summary = "one calculator, raw: JSON inputs on standard input, JSON on output",
       .footer = "Examples:\n"
                 "  echo '{\"mu\": 1, \"eps\": 2}' | dpcurves eval shifted-interpolation/gdp-delta\n"
                 "  dpcurves eval shifted-interpolation/gdp-delta --schema\n"
                 "  dpcurves eval --list\n"
                 "  dpcurves eval --check data/reference/shifted-interpolation.json\n"
                 "  dpcurves eval --check data/examples/budgets.toml --junit budgets.xml",
       .table = {{"list", OptionKind::flag, "", "print the names of all calculators"},
                 {"schema", OptionKind::flag, "", "print the inputs with type, unit, range and default"},
                 {"check", OptionKind::text, "FILE.json|FILE.toml",
                  "run every check of this file: test vectors, or commands with what is expected of them"},
                 {"junit", OptionKind::text, "FILE.xml", "with --check: also write the findings as JUnit XML"},
                 {"annotations", OptionKind::text, "github", "with --check: print the failures as workflow commands"}},
       .formats = "text|json",
       .run = evaluate,
       .argument = Argument{"CALCULATOR", "PAPER/NAME, as --list prints it", 0}});
}

}  // namespace dpcurves::tools
