// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves referee: the numbers of a file held to certified brackets.
#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/queries/referee.hpp>

#include "commands.hpp"
#include "support/exit.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

struct Asked {
  std::string file;
  std::string junit;
  std::string annotations;
  std::string fail_on = "too-small";
  double loose = transcripts::usual_loose;
  Common common;
};

queries::FailOn fail_on(const std::string& word) {
  return word == "loose"            ? queries::FailOn::loose
         : word == "undecided"      ? queries::FailOn::undecided
         : word == "not-comparable" ? queries::FailOn::not_comparable
                                    : queries::FailOn::too_small;
}

int run(const Asked& asked) {
  const auto claims = [&] {
    try {
      return queries::read_claims(io::read_file(asked.file, largest_json), asked.file);
    } catch (const UsageError& error) {
      const std::string message = error.what();
      throw UsageError(message.starts_with(asked.file) ? message : asked.file + ": " + message);
    }
  }();
  const auto folder = std::filesystem::path(asked.file).parent_path();
  std::vector<queries::Judged> judged(claims.size());
  ProgressBar bar("judging", asked.common.quiet);
  parallel_for(
      claims.size(), asked.common.threads,
      [&](std::size_t i) { judged[i] = queries::judge(claims[i], asked.loose, folder); }, bar.follow());
  if (!asked.junit.empty()) {
    io::write_file(asked.junit, queries::referee_junit(judged, asked.file));
  }
  const auto report = queries::referee_report(judged, asked.file, asked.loose, fail_on(asked.fail_on));
  if (!asked.annotations.empty()) {
    emit(asked.common, queries::referee_annotations(judged, asked.file));
    return static_cast<int>(report.outcome == queries::Outcome::ok ? Exit::ok : Exit::refuted);
  }
  return show(asked.common, report);
}

}  // namespace

Action add_referee(CLI::App& app) {
  auto asked = std::make_shared<Asked>();
  auto* command = app.add_subcommand("referee", "hold the epsilons of a file to certified brackets");
  command->footer("Exit 1 if a claim is too small.\nExample:\n  dpcurves referee data/transcripts/claims.csv");
  command->add_option("FILE", asked->file, "claims, CSV or JSON")->required();
  command->add_option("--loose", asked->loose, "relative excess from which on a claim is loose, default 0.01")
      ->check(CLI::Range(0.0, 1e300));
  command->add_option("--fail-on", asked->fail_on, "the least verdict that fails, default too-small")
      ->check(CLI::IsMember({"too-small", "loose", "undecided", "not-comparable"}));
  command->add_option("--junit", asked->junit, "also write the verdicts as JUnit XML")->type_name("FILE.xml");
  command->add_option("--annotations", asked->annotations, "print workflow commands instead of a table")
      ->check(CLI::IsMember({"github"}));
  declare_common(*command, asked->common);
  return [asked] { return run(*asked); };
}

}  // namespace dpcurves::tools
