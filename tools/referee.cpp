// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves referee: the numbers of a file held to certified brackets.
#include <filesystem>

#include <dpcurves/core/parallel.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/referee.hpp>

#include "commands.hpp"
#include "support/exit.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

queries::FailOn fail_on(const std::string& word) {
  return word == "loose"            ? queries::FailOn::loose
         : word == "undecided"      ? queries::FailOn::undecided
         : word == "not-comparable" ? queries::FailOn::not_comparable
                                    : queries::FailOn::too_small;
}

int answer_referee(const Typed& typed) {
  const Values values = typed.values();
  const std::string& file = typed.words.front();
  const double loose = values.number("loose");
  const auto folder = std::filesystem::path(file).parent_path();
  std::vector<queries::Judged> judged;
  try {
    const auto claims = queries::read_claims(io::read_file(file, largest_json), file);
    judged.resize(claims.size());
    ProgressBar bar("judging", typed.common);
    parallel_for(
        claims.size(), typed.common.threads,
        [&](std::size_t i) { judged[i] = queries::judge(claims[i], loose, folder); }, bar.follow());
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw UsageError(message.starts_with(file) ? message : file + ": " + message);
  }
  if (values.has("junit")) {
    io::write_file(values.text("junit"), queries::referee_junit(judged, file));
  }
  const auto report = queries::referee_report(judged, file, loose, fail_on(values.text("fail-on")));
  if (values.has("annotations")) {
    emit(typed.common, queries::referee_annotations(judged, file));
    return static_cast<int>(report.outcome == queries::Outcome::ok ? Exit::ok : Exit::refuted);
  }
  return show(typed.common, report);
}

}  // namespace

void add_referee(CLI::App& app, Leaves& leaves) {
  leaves.add(
      app,
      {.name = "referee",
       .summary = "hold the epsilons of a file to certified brackets",
       .footer = "Exit 1 if a claim is too small.\n"
                 "A file of claims names the run by its file, or by options of privacy dp-sgd:\n"
                 "  id,run,delta,claimed\n"
                 "  ours,opacus.json,1e-5,3\n"
                 "Example:\n"
                 "  dpcurves referee data/transcripts/claims.csv",
       .table = {{"loose", OptionKind::number, "[0, 1e300] = 0.01", "relative excess from which on a claim is loose"},
                 {"fail-on", OptionKind::text, "too-small|loose|undecided|not-comparable = too-small",
                  "the least verdict that fails"},
                 {"junit", OptionKind::text, "FILE.xml", "also write the verdicts as JUnit XML"},
                 {"annotations", OptionKind::text, "github", "print workflow commands instead of a table"}},
       .run = answer_referee,
       .argument = Argument{"FILE", "claims, CSV or JSON"}});
}

}  // namespace dpcurves::tools
