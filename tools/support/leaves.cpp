// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/leaves.hpp"

#include <CLI/CLI.hpp>

#include "support/exit.hpp"

namespace dpcurves::tools {

CLI::App& branch(CLI::App& parent, const std::string& name, const std::string& summary, const std::string& footer) {
  CLI::App* command = parent.add_subcommand(name, summary);
  command->require_subcommand(1);
  command->footer(footer);
  return *command;
}

void Leaves::add(CLI::App& parent, Leaf leaf) {
  const auto one = std::make_shared<Declared>();
  one->leaf = std::move(leaf);
  one->app = parent.add_subcommand(one->leaf.name, one->leaf.summary);
  one->app->footer(one->leaf.footer);
  declare(*one->app, one->leaf.table, one->raw);
  declare_common(*one->app, one->common, one->leaf.formats);
  declared_.push_back(one);
}

Action Leaves::action() const {
  return [leaves = declared_]() -> int {
    for (const auto& one : leaves) {
      if (one->app->parsed()) {
        return one->leaf.run(one->leaf.table, one->common, one->raw);
      }
    }
    return static_cast<int>(Exit::usage);
  };
}

}  // namespace dpcurves::tools
