// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// --run FILE of the processes that train: the run in place of the options, or what to type where there is none.
#include <utility>

#include "simulate/processes.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools {

std::function<Simulation(const Asked&)> from_run(queries::Training training,
                                                 std::function<Simulation(const Asked&)> answer) {
  return [training = std::move(training), answer = std::move(answer)](const Asked& asked) {
    const Value drawn = queries::complete_training(asked.values, asked.table, training);
    Simulation found = answer(asked);
    if (!drawn.null()) {
      found.fields["run"] = json_of(drawn);
    }
    return found;
  };
}

std::string no_run_of(const std::string& process) {
  const std::string draws = "\nwhat a run file publishes is drawn by dpcurves simulate dp-sgd --run FILE";
  if (process == "glm" || process == "relu-regression" || process == "two-layer") {
    return "its noise follows from the privacy that is asked for; type --epsilon E --delta D --records n" + draws;
  }
  if (process == "noisy-sgd-least-squares" || process == "hsgd" || process == "conditional-noisy-sgd") {
    return "steps, schedule and noise are those of a problem of least squares; type --problem FILE.json" + draws;
  }
  if (process == "samples") {
    return "it draws nothing; type --samples P.csv,Q.csv --claim \"epsilon = ...\"" + draws;
  }
  return "";
}

}  // namespace dpcurves::tools
