// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves validate: its options. The cases are a program of their own, dpcurves-validate, so that whoever asks for a
// number does not build them: run_validation starts it from dpcurves, and runs them in it.
#include "validate.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "checks/check.hpp"
#include "commands.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {

void add_validate(CLI::App& app, Leaves& leaves) {
  auto* command = app.add_subcommand("validate", "theorem against simulation, each with a negative control");
  command->footer(
      "Examples:\n"
      "  dpcurves validate --report report\n"
      "  dpcurves validate shifted-interpolation/theorem-4.2 --profile nightly --seed 7\n"
      "  dpcurves validate data/examples/budgets.toml --junit budgets.xml");
  const auto state = std::make_shared<Validation>();
  command->add_option("ID", state->ids,
                      "cases to run: a theorem's id, or a paper; all if none is given; or files of "
                      "your own checks, FILE.toml or FILE.json");
  command->add_option("--profile", state->profile, "ci: fixed seeds, seconds; nightly: larger, new seeds; default ci")
      ->check(CLI::IsMember({"ci", "nightly"}).description(""))
      ->type_name("ci|nightly");
  command->add_option("--report", state->report, "write an HTML report with pictures into this folder")
      ->type_name("DIR");
  command->add_option("--junit", state->junit, "also write the findings as JUnit XML")->type_name("FILE.xml");
  command->add_option("--annotations", state->annotations, "of your own checks: print failures as workflow commands")
      ->check(CLI::IsMember({"github"}).description(""))
      ->type_name("github");
  command->add_flag("--list", state->list, "print the cases with their claims");
  declare_common(*command, state->common, "text|json");

  leaves.add(*command, [state, command](const Destination& to) -> int {
    state->common.to = to;
    const auto is_file = [](const std::string& id) { return id.ends_with(".toml") || id.ends_with(".json"); };
    if (std::any_of(state->ids.begin(), state->ids.end(), is_file)) {
      if (!std::all_of(state->ids.begin(), state->ids.end(), is_file)) {
        throw UsageError("ID: theorems and files of checks cannot be mixed in one run");
      }
      return checks::run_files(state->common, state->ids, state->junit, state->annotations);
    }
    state->seeded = command->get_option("--seed")->count() > 0;
    return run_validation(*state);
  });
}

}  // namespace dpcurves::tools
