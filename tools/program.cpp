// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Collects the subcommands.
#include "program.hpp"

#include <filesystem>
#include <sstream>
#include <utility>

#include <dpcurves/io/file.hpp>

#include "commands.hpp"
#include "support/common.hpp"
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

/// The options that were given a text, with it, of a command and of those below it.
std::vector<std::pair<std::string, std::string>> given_texts(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& text : option->results()) {
      list.emplace_back(option->get_name(), text);
    }
  }
  for (const CLI::App* below : command.get_subcommands()) {
    const auto more = given_texts(*below);
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

/// Before the work, not after it: files that cannot be written, and files that would be lost because another option
/// reads or writes them as well.
void check_outputs(const CLI::App& command) {
  const auto given = given_texts(command);
  for (const auto& [name, path] : given) {
    if (name != "--output" && name != "--plot" && name != "--junit") {
      continue;
    }
    try {
      io::check_writable(path);
    } catch (const DataError& error) {
      throw DataError(name + ": " + error.what());
    }
    std::error_code error;
    const auto file = std::filesystem::weakly_canonical(path, error);
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      continue;  // a device is not lost
    }
    for (const auto& [other, text] : given) {
      double value = 0.0;
      if (other != name && !read_number(text, value) && std::filesystem::weakly_canonical(text, error) == file &&
          !error) {
        throw UsageError(name + ": " + path + " is the file of " + other + " as well");
      }
    }
  }
}

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
  } catch (const CLI::Success& request) {  // --help and --version
    std::ostringstream text;
    const int code = app.exit(request, text, text);
    print(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "\nRun with --help for the options and their ranges.");
  }
  for (const auto& [command, action] : commands) {
    if (command->parsed()) {
      check_outputs(*command);
      return action();
    }
  }
  return static_cast<int>(Exit::usage);
}

}  // namespace dpcurves::tools
