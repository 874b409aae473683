// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves eval: one calculator, raw, and the check of whole files of settings with expected answers.
#include <memory>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/io/file.hpp>

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

}  // namespace

Action add_eval(CLI::App& app) {
  auto* command = app.add_subcommand("eval", "one calculator, raw: JSON inputs on standard input, JSON on output");
  command->footer(
      "Examples:\n"
      "  echo '{\"mu\": 1, \"eps\": 2}' | dpcurves eval shifted-interpolation/gdp-delta\n"
      "  dpcurves eval shifted-interpolation/gdp-delta --schema\n"
      "  dpcurves eval --list\n"
      "  dpcurves eval --check data/reference/shifted-interpolation.json\n"
      "  dpcurves eval --check data/examples/budgets.toml --junit budgets.xml");
  struct State {
    Common common;
    std::string calculator;
    std::string check;
    std::string junit;
    std::string annotations;
    bool list = false;
    bool schema = false;
  };
  const auto state = std::make_shared<State>();
  command->add_option("CALCULATOR", state->calculator, "PAPER/NAME, as --list prints it");
  command->add_flag("--list", state->list, "print the names of all calculators");
  command->add_flag("--schema", state->schema, "print the inputs with type, unit, range and default");
  command
      ->add_option("--check", state->check,
                   "run every check of this file: test vectors, or commands with what is expected of them")
      ->type_name("FILE.json|FILE.toml");
  command->add_option("--junit", state->junit, "with --check: also write the findings as JUnit XML")
      ->type_name("FILE.xml");
  command->add_option("--annotations", state->annotations, "with --check: print the failures as workflow commands")
      ->check(CLI::IsMember({"github"}).description(""))
      ->type_name("github");
  declare_common(*command, state->common, "text|json");

  return [state]() -> int {
    if (state->list) {
      return list_calculators(state->common);
    }
    if (!state->check.empty()) {
      return checks::run_files(state->common, {state->check}, state->junit, state->annotations);
    }
    if (!state->junit.empty() || !state->annotations.empty()) {
      throw UsageError(std::string(state->junit.empty() ? "--annotations" : "--junit") + ": belongs to --check");
    }
    if (state->calculator.empty()) {
      throw UsageError("CALCULATOR: is required, or --list, or --check FILE.json");
    }
    const auto& calculator = calculators::find(state->calculator);
    if (state->schema) {
      emit(state->common, pretty({{"calculator", calculator.name},
                                  {"summary", calculator.summary},
                                  {"inputs", schema_of(calculator.fields)}}));
      return 0;
    }
    if (Captured::any()) {
      throw UsageError("command: a check of a calculator has the keys calculator, inputs and outputs");
    }
    const auto text = io::read_descriptor(STDIN_FILENO, "standard input", largest_json);
    const auto answer = calculator(record_of(parse_json(text, "standard input")));
    emit(state->common, json_of({answer}).dump() + "\n");
    return 0;
  };
}

}  // namespace dpcurves::tools
