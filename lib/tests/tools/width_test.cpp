// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the program prints as text fits a terminal of 80 columns.
#include <set>
#include <sstream>

#include <dpcurves/io/table.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

/// The widest line of a text.
std::string widest(const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t width = dpcurves::io::display_width(line); width > most) {
      most = width;
      all = line;
    }
  }
  return all;
}

/// Of tools/questions.txt the first of every command and subject, and that with --explain. Curves are CSV, eval is
/// JSON, and what takes long has the same tables.
std::vector<std::string> questions() {
  std::istringstream lines(dpcurves::test::source_file("tools/questions.txt"));
  const std::set<std::string> outside{"curve", "eval", "simulate", "#", "validate", "reproduce"};
  const std::set<std::string> slow{"noisy-sgd", "correlated", "langevin", "exponential-mechanism"};
  std::set<std::string> seen;
  std::vector<std::string> list;
  for (std::string line; std::getline(lines, line);) {
    const auto parts = words(line);
    if (parts.size() < 2 || outside.contains(parts[0]) || slow.contains(parts[1]) ||
        line.find("--format") != std::string::npos || line.find("TMP/") != std::string::npos ||
        parts.back() == "--help") {
      continue;
    }
    if (seen.insert(parts[0] + parts[1] + (line.find("--explain") != std::string::npos ? "?" : "")).second) {
      list.push_back(line);
    }
  }
  return list;
}

}  // namespace

TEST_CASE("every block of a wide table says which row is which", "[tools][width]") {
  const auto claim =
      run_program(words("simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 2000 --claim mu=1"));
  CHECK_THAT(claim.out, Catch::Contains("type I error  verdict\n"));
  const auto glm = run_program(words("simulate glm --records 2000 --dimension 5 --paths 2"));
  CHECK_THAT(glm.out,
             Catch::Contains("records  algorithm  verdict\n") && Catch::Contains("   2000        sgd    holds\n"));
}

TEST_CASE("answers in words fit 80 columns", "[tools][width]") {
  const auto list = questions();
  REQUIRE(list.size() > 15);
  for (const std::string& line : list) {
    const std::string found = widest(run_program(words(line)).out);
    CAPTURE(line, found);
    CHECK(dpcurves::io::display_width(found) <= dpcurves::io::line_width);
  }
}

TEST_CASE("every help fits 80 columns", "[tools][width][help]") {
  std::vector<std::string> open{""};
  std::size_t seen = 0;
  while (!open.empty()) {
    const std::string command = open.back();
    open.pop_back();
    const std::string help = run_program(words(command + " --help")).out;
    const std::string found = widest(help);
    CAPTURE(command, found);
    CHECK(dpcurves::io::display_width(found) <= dpcurves::io::line_width);
    ++seen;
    const std::size_t list = help.find("Subcommands:");
    std::istringstream lines(list == std::string::npos ? "" : help.substr(list));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && !line.empty()) {
      if (line.size() > 2 && line.compare(0, 2, "  ") == 0 && line[2] != ' ') {
        open.push_back(command + (command.empty() ? "" : " ") + words(line).front());
      }
    }
  }
  CHECK(seen > 80);
}

TEST_CASE("an example that is broken can be copied", "[tools][width][help]") {
  const std::string help = run_program(words("privacy dp-sgd --help")).out;
  const std::size_t from = help.find("  dpcurves privacy dp-sgd");
  REQUIRE(from != std::string::npos);
  std::string line = help.substr(from, help.find("1e-5", from) + 4 - from);
  CHECK_THAT(line, Catch::Contains(" \\\n      --"));
  for (std::size_t at = line.find(" \\\n"); at != std::string::npos; at = line.find(" \\\n")) {
    line.replace(at, 3, " ");
  }
  auto arguments = words(line);
  arguments.erase(arguments.begin());  // dpcurves
  CHECK(run_program(arguments).exit_code == 0);
}

TEST_CASE("lists, audits, verdicts and simulations fit 80 columns", "[tools][width]") {
  const std::string data = std::string(DPCURVES_SOURCE_DIR) + "/data/";
  const auto line = GENERATE_COPY(
      as<std::string>{}, "theorem list", "theorem show 4.9", "theorem search amplification", "reproduce --list",
      "reproduce shifted-interpolation/figure-9", "validate --list", "referee " + data + "transcripts/claims.csv",
      "run check " + data + "transcripts/log-04-noise-on-mean.csv",
      "audit one-run " + data + "examples/one-run-scores.csv --run " + data + "examples/audit-run.toml",
      "attack dp-sgd --noise-multiplier 1.1 --sampling-rate 0.01 --steps 100",
      "privacy --run " + data + "transcripts/opacus-02-two-phases.json --delta 1e-5",
      "simulate noisy-gd --noise 1 --step-size 0.1 --steps 3 --paths 1000",
      "simulate dp-sgd --run " + data + "examples/audit-run.toml --paths 1000",
      "simulate mlp --records 100 --steps 5 --paths 2 --width 4 --test-records 100",
      "simulate hsgd --paths 20 --problem " + data + "examples/least-squares.json",
      "validate shifted-interpolation/theorem-4.2 --profile ci --quiet");
  const std::string found = widest(run_program(words(line)).out);
  CAPTURE(line, found);
  CHECK(!found.empty());
  CHECK(dpcurves::io::display_width(found) <= dpcurves::io::line_width);
}
