// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/leaves.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <dpcurves/core/error.hpp>

#include "support/exit.hpp"
#include "support/help.hpp"

namespace dpcurves::tools {
namespace {

/// The examples at the end of a help, with the line that heads them; empty where there are none.
std::string examples_of(const std::string& footer) {
  const std::size_t start = footer.find("Example");
  if (start == std::string::npos) {
    return "";
  }
  std::size_t end = footer.find('\n', start);
  while (end != std::string::npos && footer.compare(end + 1, 1, " ") == 0) {
    end = footer.find('\n', end + 1);
  }
  return footer.substr(start, end == std::string::npos ? end : end - start);
}

/// The end of a help; without one of its own that of the program.
void describe_end(CLI::App& command, const std::string& footer) {
  if (!footer.empty()) {
    command.footer(footer);
  }
}

}  // namespace

void declare_picture(CLI::App& command, PictureOptions& options) {
  const auto good = [](const std::string& text) -> std::string {
    try {
      const io::PictureSize tried(text);
      return {};
    } catch (const DomainError&) {
      return "\"" + text + "\" is not WIDTHxHEIGHT, each from 200 to 10000 pixels, such as 1200x800";
    }
  };
  const auto one_line = [](const std::string& text) -> std::string {
    const bool bad = text.empty() || text.find_first_of("\r\n") != std::string::npos;
    return bad ? "one line of text is wanted" : "";
  };
  command.add_option("--title", options.title, "title of the picture of --plot, in place of its own")
      ->type_name("TEXT")
      ->check(CLI::Validator(one_line, ""))
      ->group("Common options");
  command.add_option("--size", options.size, "size of the picture of --plot in pixels, default 800x500")
      ->type_name("WxH")
      ->check(CLI::Validator(good, ""))
      ->group("Common options");
}

PictureScope::PictureScope(const PictureOptions& options) {
  if (!options.size.empty()) {
    size_.emplace(options.size);
  }
  if (!options.title.empty()) {
    title_.emplace(options.title);
  }
}

CLI::App& branch(CLI::App& parent, const std::string& name, const std::string& summary, const std::string& footer) {
  CLI::App* command = parent.add_subcommand(name, summary);
  command->require_subcommand(1);
  describe_end(*command, footer);
  return *command;
}

void Leaves::add(CLI::App& parent, Leaf leaf) {
  declared_.push_back(std::make_unique<Declared>(Declared{.leaf = std::move(leaf)}));
  Declared& one = *declared_.back();
  one.app = parent.add_subcommand(one.leaf.name, one.leaf.summary);
  one.app->preparse_callback([&one](std::size_t) { one.declare_options(); });
  describe_end(*one.app, one.leaf.footer);
}

void Leaves::add(const CLI::App& command, Action action) { own_.emplace_back(&command, std::move(action)); }

void Leaves::declare_all() const {
  for (const auto& one : declared_) {
    one->declare_options();
  }
}

void Leaves::Declared::declare_options() {
  if (std::exchange(complete, true)) {
    return;
  }
  if (const auto& argument = leaf.argument) {
    auto* option = app->add_option(argument->name, words, argument->help)->required(argument->least > 0);
    if (argument->most == 1) {
      option->expected(1);
    }
  }
  declare(*app, leaf.table, raw);
  declare_common(*app, common, leaf.formats);
  const auto draws = [](const Option& option) { return option.name == "plot"; };
  if (std::any_of(leaf.table.begin(), leaf.table.end(), draws)) {
    declare_picture(*app, picture);
  }
}

int Leaves::Declared::run(const Destination& to) {
  common.to = to;
  const PictureScope scope(picture);
  try {
    return leaf.run({leaf.table, common, raw, words});
  } catch (const UsageError& error) {
    const std::string message = error.what(), examples = examples_of(leaf.footer);
    if (message.find(": is required") == std::string::npos || examples.empty()) {
      throw;
    }
    throw UsageError(message + "\n" + help_lines(examples) + "\nRun with --help for what else is required.");
  }
}

int Leaves::run(const Destination& to) const {
  for (const auto& one : declared_) {
    if (one->app->parsed()) {
      return one->run(to);
    }
  }
  for (const auto& [command, action] : own_) {
    if (command->parsed()) {
      return action(to);
    }
  }
  return static_cast<int>(Exit::usage);
}

}  // namespace dpcurves::tools
