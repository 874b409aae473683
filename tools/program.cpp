// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Collects the subcommands and turns errors into exit codes.
#include "program.hpp"

#include <exception>
#include <new>
#include <utility>

#include "commands.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

constexpr const char* help_footer =
    "Ask for a number:\n"
    "  dpcurves privacy noisy-cgd --effective-sensitivity 0.6667 --batches-per-epoch 40 \\\n"
    "      --epochs 200 --contraction 0.9998 --delta 1e-5\n"
    "Ask for a parameter:\n"
    "  dpcurves calibrate noisy-gd --solve-for steps --effective-sensitivity 0.05 \\\n"
    "      --contraction 0.95 --epsilon 1 --delta 1e-5\n"
    "Each command and algorithm has its own --help with examples.";

Failure failure(Exit code, const std::string& message) { return {static_cast<int>(code), message}; }

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  CLI::App app("dpcurves: theorems about differentially private SGD as numbers, parameters, curves and tests");
  app.name("dpcurves");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.footer(help_footer);
  app.get_formatter()->column_width(22);

  std::vector<std::pair<CLI::App*, Action>> commands;
  for (auto* add : {&add_privacy, &add_calibrate, &add_curve, &add_risk, &add_simulate, &add_validate, &add_reproduce,
                    &add_theorem, &add_eval, &add_generate}) {
    Action action = (*add)(app);
    commands.emplace_back(app.get_subcommands({}).back(), std::move(action));
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForAllHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForVersion& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "\nRun with --help for the options and their ranges.");
  }
  for (const auto& [command, action] : commands) {
    if (command->parsed()) {
      return action();
    }
  }
  return static_cast<int>(Exit::usage);
}

Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return failure(Exit::usage, error.what());
  } catch (const DomainError& error) {
    return failure(Exit::domain, error.what());
  } catch (const ConvergenceError& error) {
    return failure(Exit::accuracy, error.what());
  } catch (const ContradictionError& error) {
    return failure(Exit::accuracy, std::string("internal contradiction, no answer can be trusted: ") + error.what());
  } catch (const DataError& error) {
    return failure(Exit::file, error.what());
  } catch (const Error& error) {  // stopped on request
    return failure(Exit::accuracy, error.what());
  } catch (const std::bad_alloc&) {
    return failure(Exit::accuracy, "not enough memory for this input");
  } catch (const std::exception& error) {
    return failure(Exit::accuracy, std::string("internal error: ") + error.what());
  }
}

}  // namespace dpcurves::tools
