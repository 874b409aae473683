// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate dp-sgd --run FILE: noisy sums of the run with and without one record whose gradient has the full
// norm, the likelihood-ratio test between them or, of a run that releases less, tests of the iterate, and the guarantee
// that they try to break.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/simulate/detail/run_uses.hpp>

#include "simulate/processes.hpp"
#include "simulate/threshold_tests.hpp"
#include "support/json_record.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using mechanism::Adjacency;

std::vector<Option> run_file_options() {
  std::vector<Option> table{{"run", OptionKind::text, "FILE",
                             "a run file or a transcript of another tool; options given beside it win", "Required"}};
  for (const char* name : {"noise-multiplier", "steps", "sampling-rate", "batch-size", "records", "sampling",
                           "adjacency", "uses-per-round", "separation", "cycle", "largest-batch"}) {
    for (const Option& option : algorithm_named("dp-sgd").options) {
      if (option.name == name) {
        table.push_back(option);
        table.back().group = "In place of what the file says";
      }
    }
  }
  for (auto& option : reading_options()) {
    table.push_back(std::move(option));
  }
  for (auto& option :
       testing_options("runs with and as many without the record, default 100000, fewer for long runs")) {
    table.push_back(std::move(option));
  }
  return table;
}

Simulation simulate_run_file(const Asked& asked) {
  const auto& [values, common, table] = asked;
  require_option(values.has("run"), "run", "is required: the file of the run");
  complete_with_run(values, table);
  const mechanism::Run described = run_from(values);
  const auto dp_sgd = accounting::dp_sgd_of(described);
  const auto uses = simulate::uses_of(described);
  const auto guarantee = accounting::dp_sgd_guarantee(dp_sgd);
  require_theorem(guarantee.theorem.c_str(), guarantee.violations);
  const std::string direction = dp_sgd.adjacency == Adjacency::add ? "add" : "remove";
  accounting::CurvePtr curve = guarantee.curve;
  for (const auto& one : guarantee.directions) {
    curve = one.direction == direction ? one.curve : curve;
  }
  double steps = 0.0;
  for (const auto& phase : uses) {
    steps += static_cast<double>(phase.steps);
  }
  constexpr double usual_paths = 1e5, usual_work = 2e8;  // steps of all paths: some ten seconds
  const auto paths = static_cast<std::size_t>(
      values.number_or("paths", std::clamp(std::floor(usual_work / steps), 1000.0, usual_paths)));
  const Testing testing = testing_of(values);
  auto points = tests_of_draws(
      [&](bool null, std::size_t count, std::uint32_t first, unsigned threads) {
        return simulate::statistics(described, null, count, common.seed, first, threads);
      },
      paths, common, testing);
  const Bound bound = bound_of(guarantee, curve);
  const Tests tests = tested(std::move(points), bound, testing.miss);
  const auto release = described.privacy.release;
  const std::string seen = release == mechanism::Release::all_steps ? "all steps"
                           : release == mechanism::Release::average ? "the mean of the iterates"
                                                                    : "the last iterate";
  const std::string change = dp_sgd.adjacency == Adjacency::replace_one ? "replaced"
                             : direction == "add"                       ? "added"
                                                                        : "removed";
  const Value& transcript = values.value(transcript_key);
  const auto notes = simulate::simplifications(described);
  Simulation found = report_of(transcript_text(values) + "\ndp-sgd, " + seen + ", the record " + change + ", " +
                                   std::to_string(paths) + " runs of either law, seed " + std::to_string(common.seed),
                               bound, true, tests);
  for (const std::string& note : notes) {
    found.text += "note: " + note + "\n";
  }
  found.fields["seen"] = seen;
  found.fields["direction"] = direction;
  found.fields["run"] = json_of(values.value("run"));
  found.fields["transcript"] = json_of(transcript);
  found.fields["paths"] = paths;
  found.fields["notes"] = notes;
  const std::string name = described.name.empty()
                               ? std::get<std::string>(std::get<Record>(transcript.data).at("file").data)
                               : described.name;
  found.plot = picture(name + ": tests of " + seen + " against the guarantee", bound, tests.points);
  return found;
}

}  // namespace

Leaf run_file_simulation() {
  Leaf leaf =
      simulation("dp-sgd", "the run of a file: what it releases with and without a record, and tests between them",
                 {"--run data/examples/audit-run.toml"}, run_file_options(), simulate_run_file);
  leaf.footer = "Exit 1 if the guarantee is refuted.\n" + leaf.footer;
  return leaf;
}

}  // namespace dpcurves::tools
