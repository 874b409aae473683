// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Collects the subcommands.
#include "program.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/detail/setting.hpp>

#include "commands.hpp"
#include "simulate/processes.hpp"
#include "support/common.hpp"
#include "support/exit.hpp"
#include "support/help.hpp"
#include "support/json_record.hpp"
#include "support/shard.hpp"

namespace dpcurves::tools {
namespace {

constexpr const char* help_footer =
    "Ask for a number:\n"
    "  dpcurves privacy noisy-cgd --effective-sensitivity 0.6667 \\\n"
    "      --batches-per-epoch 40 --epochs 200 --contraction 0.9998 --delta 1e-5\n"
    "Ask for a parameter:\n"
    "  dpcurves calibrate noisy-gd --solve-for steps --effective-sensitivity 0.05 \\\n"
    "      --contraction 0.95 --epsilon 1 --delta 1e-5\n"
    "Each command and algorithm has its own --help with examples.";

/// "dpcurves privacy dp-sgd", ...: the commands of that name, in all of the tree.
void commands_named(const CLI::App& command, const std::string& name, const std::string& path,
                    std::vector<std::string>& found) {
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string here = path + " " + below->get_name();
    if (below->get_name() == name) {
      found.push_back(here);
    }
    commands_named(*below, name, here, found);
  }
}

/// The command that the names lead to; throws for a name that is none.
const CLI::App& named_command(const CLI::App& program, const std::vector<std::string>& arguments) {
  const CLI::App* command = &program;
  std::string path = "dpcurves";
  for (const auto& word : arguments) {
    const auto below = command->get_subcommands([](const CLI::App*) { return true; });
    if (below.empty() || word.starts_with('-')) {
      break;
    }
    const auto found =
        std::find_if(below.begin(), below.end(), [&](const auto* app) { return app->get_name() == word; });
    if (found == below.end()) {
      std::vector<std::string> names;
      std::transform(below.begin(), below.end(), std::back_inserter(names),
                     [](const auto* a) { return a->get_name(); });
      std::vector<std::string> elsewhere;
      commands_named(*command, word, path, elsewhere);
      if (elsewhere.empty()) {
        commands_named(program, word, "dpcurves", elsewhere);
      }
      if (!elsewhere.empty()) {
        const std::string near = suggestion(word, names);
        std::string text = command->get_name() + ": \"" + word + "\" comes after the question that is asked of it" +
                           (near.empty() ? "" : near + " If not, ask one of") + ":";
        for (const auto& one : elsewhere) {
          text += "\n  " + one;
        }
        throw UsageError(text + "\nRun one of them with --help for its options.");
      }
      const bool asks_of_runs = std::find(names.begin(), names.end(), "dp-sgd") != names.end();
      const std::string file = asks_of_runs && std::filesystem::is_regular_file(word)
                                   ? "; a file of a run follows --run:\n  " + path + " --run " + word
                                   : "";
      throw UsageError(command->get_name() + ": there is no \"" + word + "\"" +
                       (file.empty() ? suggestion(word, names) : file) + "\nRun with --help for what there is.");
    }
    command = *found;
    path += " " + word;
  }
  return *command;
}

/// Names of other projects: --noise_multiplier is --noise-multiplier.
std::vector<std::string> with_dashes(std::vector<std::string> arguments) {
  for (auto& word : arguments) {
    if (word.starts_with("--")) {
      std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
    }
  }
  return arguments;
}

/// --run FILE asks of dp-sgd: "privacy --run FILE" is "privacy dp-sgd --run FILE". Own draws are of no algorithm.
std::vector<std::string> with_algorithm(std::vector<std::string> arguments) {
  const auto given = [&](const std::string& option) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const auto& word) { return word == option || word.starts_with(option + "="); });
  };
  if (arguments.size() > 1 && arguments[0] == "simulate" && arguments[1].starts_with("--") && given("--samples")) {
    arguments.insert(arguments.begin() + 1, "samples");
  }
  if (arguments.empty() || !given("--run")) {
    return arguments;
  }
  const auto& command = arguments.front();
  const std::size_t names = command == "curve" ? 2 : 1;
  const bool asks = command == "curve" || command == "privacy" || command == "calibrate" || command == "attack" ||
                    command == "simulate";
  if (asks && arguments.size() > names && arguments[names].starts_with("--") &&
      !arguments[names - 1].starts_with("--")) {
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(names), "dp-sgd");
  }
  return arguments;
}

/// "curve profile dp-sgd", ...: the first command of the same name, in all of the tree below, that has the option.
std::string owner(const CLI::App& below, const std::string& name, const std::string& option, const std::string& path) {
  for (const CLI::App* one : below.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string here = path + (path.empty() ? "" : " ") + one->get_name();
    if (one->get_name() == name && one->get_option_no_throw(option) != nullptr) {
      return here;
    }
    if (auto found = owner(*one, name, option, here); !found.empty()) {
      return found;
    }
  }
  return "";
}

const CLI::App& root_of(const CLI::App& command) {
  return command.get_parent() == nullptr ? command : root_of(*command.get_parent());
}

/// The commands below it, with commas between them.
std::string names_below(const CLI::App& command) {
  std::string names;
  for (const CLI::App* one :
       command.get_subcommands([](const CLI::App* below) { return !below->get_name().empty(); })) {
    names += (names.empty() ? "" : ", ") + one->get_name();
  }
  return names;
}

/// What was not expected, in words, with the option that was meant or the command that has it.
std::string unexpected(const CLI::App& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) {
      names.push_back(name);
    }
  }
  for (const auto& word : arguments) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("--") && std::find(names.begin(), names.end(), name.substr(2)) == names.end()) {
      const CLI::App* parent = command.get_parent();
      if (const std::string below = names_below(command); parent != nullptr && !below.empty()) {
        return queries::wrapped(command.get_name() + ": needs one of " + below, 2);
      }
      if (const std::string reason = no_run_of(command.get_name());
          name == "--run" && parent != nullptr && parent->get_name() == "simulate" && !reason.empty()) {
        return "simulate " + command.get_name() + ": there is no --run: " + reason;
      }
      if (const std::string has = owner(root_of(command), command.get_name(), name, ""); !has.empty()) {
        return command.get_name() + ": there is no option " + name + " here; dpcurves " + has + " has it";
      }
      auto nearest = suggestion(name.substr(2), names);
      if (const auto at = nearest.rfind(' '); at != std::string::npos) {
        nearest.insert(at + 1, "--");
      }
      return command.get_name() + ": there is no option " + name + nearest;
    }
    if (word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0 &&
        command.get_option_no_throw(word) == nullptr) {
      return command.get_name() + ": there is no option " + name + ": names are written out behind two dashes";
    }
  }
  return "";
}

/// What the parser found of an option, in the words of the other messages; empty where it found something else.
std::string about_option(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(": "));
  const CLI::Option* option = name.starts_with("--") ? command.get_option_no_throw(name) : nullptr;
  if (option == nullptr) {
    return "";
  }
  const std::string type = option->get_type_name();
  if (message.find(": At Most 1 required but received ") != std::string::npos) {
    return name + ": is given " + std::to_string(option->count()) + " times; it takes one value, " + type;
  }
  if (message.ends_with(" missing")) {
    return name + ": its value is missing, " + type;
  }
  if (message.find(" not in {") != std::string::npos) {
    return name + ": \"" + option->results().front() + "\" is not one of " + type;
  }
  return "";
}

/// What is missing at the end of a command line, or between two options, in words; empty if nothing is.
std::string missing(const CLI::App& command, const std::vector<std::string>& arguments, const CLI::ParseError& error) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const CLI::Option* option = command.get_option_no_throw(arguments[i]);
    const bool takes_one = arguments[i].starts_with("--") && option != nullptr && option->get_items_expected_min() > 0;
    if (takes_one && (i + 1 == arguments.size() || command.get_option_no_throw(arguments[i + 1]) != nullptr)) {
      const std::string type = option->get_type_name();
      return arguments[i] + ": its value is missing" + (type.empty() ? "" : ", " + type);
    }
  }
  if (const std::string below = names_below(command); error.get_name() == "RequiredError" && !below.empty()) {
    return queries::wrapped(command.get_name() + ": needs one of " + below, 2);
  }
  return "";
}

/// The innermost command that was parsed.
CLI::App& innermost(CLI::App& command) {
  const auto below = command.get_subcommands();
  return below.empty() ? command : innermost(*below.front());
}

/// Options of --config that are not read with the command's table of options (read_options): those of every command,
/// and all of a command without a table, whose options hold their values themselves.
void take_config(CLI::App& command) {
  const CLI::Option* config = command.get_option_no_throw("--config");
  if (config == nullptr || config->count() == 0) {
    return;
  }
  const auto path = config->as<std::string>();
  const bool whole = command.get_name() == "validate";
  const std::string what = "--config " + path;
  const Json parsed = parse_config(path);
  for (const auto& [key, value] : parsed.items()) {
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', '-');
    CLI::Option* option = command.get_option_no_throw("--" + name);
    const bool common = option != nullptr && option->get_group() == "Common options" && name != "config";
    if (!whole && !common) {
      continue;
    }
    if (option == nullptr || name == "config" || name == "help" || name == "shard") {
      throw UsageError(what + ": " + name + ": unknown option");
    }
    if (option->count() > 0 || value == false) {
      continue;  // the command line wins
    }
    if (value.is_structured() || value.is_null()) {
      throw UsageError(what + ": " + name + ": is neither a number, a text, true nor false");
    }
    try {
      option->add_result(value.is_string() ? value.get<std::string>() : value.dump());
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw UsageError(what + ": " + error.what());
    }
  }
}

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

int run_command(const std::vector<std::string>& given, const Destination& to) {
  auto arguments = with_dashes(given);
  if (const auto share = take_shard(arguments)) {
    compute_shard(arguments, *share, [&to](const std::vector<std::string>& own) { return run_command(own, to); });
    return static_cast<int>(Exit::ok);
  }
  arguments = with_algorithm(arguments);
  if (!arguments.empty() && arguments.front() == "help") {  // "help privacy" is "privacy --help"
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  CLI::App app("dpcurves: theorems about differentially private SGD as numbers, parameters, curves and tests");
  app.name("dpcurves");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.footer(help_footer);
  app.get_formatter()->column_width(help_column);

  Leaves leaves;
  for (auto* add :
       {&add_privacy, &add_calibrate, &add_curve, &add_attack, &add_audit, &add_run, &add_referee, &add_risk,
        &add_simulate, &add_validate, &add_reproduce, &add_merge, &add_theorem, &add_eval, &add_generate}) {
    (*add)(app, leaves);
  }
  const CLI::App& asked = named_command(app, arguments);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& request) {  // --help and --version
    std::ostringstream text;
    const int code = app.exit(request, text, text);
    to.print(help_lines(text.str()));
    return code;
  } catch (const CLI::ParseError& error) {
    leaves.declare_all();
    auto words = unexpected(asked, arguments);
    if (words.empty()) {
      words = missing(asked, arguments, error);
    }
    if (words.empty()) {
      words = about_option(asked, error.what());
    }
    throw UsageError((words.empty() ? std::string(error.what()) : words) +
                     "\nRun with --help for the options and their ranges.");
  }
  take_config(innermost(app));
  check_outputs(app);
  return leaves.run(to);
}

}  // namespace dpcurves::tools
