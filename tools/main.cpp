// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The program dpcurves: collects the subcommands and turns errors into exit codes.
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "support/exit.hpp"

namespace {

using namespace dpcurves;
using namespace dpcurves::tools;

constexpr const char* help_footer =
    "Ask for a number:\n"
    "  dpcurves privacy noisy-cgd --effective-sensitivity 0.6667 --batches-per-epoch 40 \\\n"
    "      --epochs 200 --contraction 0.9998 --delta 1e-5\n"
    "Ask for a parameter:\n"
    "  dpcurves calibrate noisy-gd --solve-for steps --effective-sensitivity 0.05 \\\n"
    "      --contraction 0.95 --epsilon 1 --delta 1e-5\n"
    "Each command and algorithm has its own --help with examples.";

int fail(const std::string& message, Exit code) {
  std::cerr << message << "\n";
  return static_cast<int>(code);
}

int run(int argc, char** argv) {
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
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForAllHelp& request) {
    return app.exit(request);
  } catch (const CLI::CallForVersion& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(std::string(error.what()) + "\nRun with --help for the options and their ranges.", Exit::usage);
  }
  for (const auto& [command, action] : commands) {
    if (command->parsed()) {
      return action();
    }
  }
  return static_cast<int>(Exit::usage);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error on write, not a sudden death
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    return fail(error.what(), Exit::usage);
  } catch (const DomainError& error) {
    return fail(error.what(), Exit::domain);
  } catch (const ConvergenceError& error) {
    return fail(error.what(), Exit::accuracy);
  } catch (const ContradictionError& error) {
    return fail(std::string("internal contradiction, no answer can be trusted: ") + error.what(), Exit::accuracy);
  } catch (const DataError& error) {
    return fail(error.what(), Exit::file);
  } catch (const Error& error) {  // stopped on request
    return fail(error.what(), Exit::accuracy);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for this input", Exit::accuracy);
  } catch (const std::exception& error) {
    return fail(std::string("internal error: ") + error.what(), Exit::accuracy);
  }
}
