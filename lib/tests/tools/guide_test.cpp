// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// docs/guide/commands.md and the help of the commands name the same options.
#include <regex>
#include <set>
#include <sstream>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

std::set<std::string> options_in(const std::string& text) {
  static const std::regex option("(^|[^-a-z0-9])(--[a-z][-a-z0-9]*)");
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), option), end; match != end; ++match) {
    found.insert((*match)[2]);
  }
  return found;
}

/// The words that begin the lines under "Subcommands:", up to the next empty line.
std::vector<std::string> subcommands(const std::string& help) {
  std::vector<std::string> names;
  const auto start = help.find("Subcommands:\n");
  if (start == std::string::npos) {
    return names;
  }
  std::istringstream lines(help.substr(start));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && !line.empty();) {
    if (line.size() > 2 && line.compare(0, 2, "  ") == 0 && line[2] != ' ') {
      names.push_back(words(line).front());
    }
  }
  return names;
}

/// Every option of a command and of what is below it.
std::set<std::string> options_of(const std::string& command) {
  const auto spoken = run_program(words(command + " --help"));
  CAPTURE(command);
  REQUIRE(spoken.exit_code == 0);
  auto all = options_in(spoken.out);
  for (const auto& name : subcommands(spoken.out)) {
    all.merge(options_of(command + " " + name));
  }
  return all;
}

}  // namespace

TEST_CASE("the guide to the commands and their help name the same options", "[tools][help]") {
  const auto guide = options_in(dpcurves::test::source_file("docs/guide/commands.md"));
  std::set<std::string> offered;
  for (const char* command : {"privacy", "calibrate", "curve", "attack", "audit", "risk", "simulate", "validate",
                              "reproduce", "theorem", "eval", "generate"}) {
    offered.merge(options_of(command));
  }
  offered.erase("--help");
  for (const auto& option : offered) {
    INFO(option + " is missing in docs/guide/commands.md");
    CHECK(guide.count(option) == 1);
  }
  for (const auto& option : guide) {
    INFO(option + " of docs/guide/commands.md is offered by no command");
    CHECK((offered.count(option) == 1 || option == "--help" || option == "--version"));
  }
}

TEST_CASE("the page of calculators is the one that the program generates", "[tools][guide]") {
  CHECK(dpcurves::test::run_program({"generate", "calculators"}).out ==
        dpcurves::test::source_file("docs/guide/calculators.md"));
}
