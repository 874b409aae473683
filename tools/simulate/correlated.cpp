// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate correlated: noisy sums of a matrix mechanism with and without one record whose gradient has the
// full norm, tests between them, and the guarantee that they try to break.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/detail/strategies.hpp>
#include <dpcurves/simulate/detail/correlated_sum.hpp>

#include "simulate/processes.hpp"
#include "simulate/threshold_tests.hpp"
#include "support/json_record.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

const queries::Algorithm& correlated() { return queries::algorithm_named("correlated"); }

/// The options of the algorithm but those of its estimate, and what is tested.
std::vector<Option> correlated_options() {
  std::vector<Option> table = correlated().options;
  std::erase_if(table, [](const Option& option) {
    return option.name == "method" || option.name == "standard-error" || option.name == "draws";
  });
  const char* answer = "What is tested";
  table.push_back({"theorem", OptionKind::text, "",
                   "id of the theorem that is tested, for example derived-1; default the best", answer});
  table.push_back({"claim", OptionKind::text, "",
                   "a claim that is tested in place of a theorem: \"mu = ...\" or \"epsilon = ...\" over the symbols "
                   "kappa (noise multiplier), T, r (sampling rate), delta",
                   answer});
  table.push_back({"delta", OptionKind::number, "(0, 1) = 1e-5",
                   "of a claimed epsilon, and where the theorems are compared", answer});
  for (auto& option :
       testing_options("runs with and as many without the record, default 100000, fewer for long runs")) {
    table.push_back(std::move(option));
  }
  return table;
}

/// What the draws try to break.
Bound tested_bound(const Values& values, const simulate::CorrelatedSum& sum) {
  const double delta = values.number("delta");
  if (values.has("claim")) {
    const auto steps = static_cast<double>(sum.rates.size());
    const double rate = *std::max_element(sum.rates.begin(), sum.rates.end());
    const double kappa = values.number("noise-multiplier");
    return bound_of_claim(
        parse_claim(values.text("claim"), {{"kappa", kappa}, {"T", steps}, {"r", rate}, {"delta", delta}}, delta));
  }
  queries::Target target;
  target.delta = delta;
  const auto guarantees = correlated().guarantees(values, target);
  const auto& chosen =
      values.has("theorem") ? guarantee_named(guarantees, values.text("theorem")) : best_guarantee(guarantees, delta);
  return bound_of(chosen, chosen.curve);
}

Simulation simulate_correlated(const Asked& asked) {
  const auto& [values, common, table] = asked;
  exclude(values, "theorem", "claim");
  values.add_defaults(correlated().options);  // the table leaves some out
  correlated().complete(values, table);
  const Value said = correlated().run(values);
  if (said.null() || values.number_or("noise-multiplier", 1.0) == 0.0) {
    throw DomainError(
        "no run file says this setting: a strategy is a name, lambda, or a file that ends in .csv, and "
        "the noise multiplier is above 0");
  }
  const mechanism::Run described = transcripts::run_of(std::get<Record>(said.data));
  const auto sum = simulate::correlated_sum(described, queries::strategy_matrix(values));
  constexpr double usual_paths = 1e5, usual_work = 1e8;  // steps of all paths, and of the band: some ten seconds
  const double steps = static_cast<double>(sum.rates.size()),
               band = sum.strategy.form() == models::StrategyMatrix::Form::exponential
                          ? 1.0
                          : static_cast<double>(sum.strategy.bandwidth());
  const auto paths = static_cast<std::size_t>(
      values.number_or("paths", std::clamp(std::floor(usual_work / (steps * band)), 1000.0, usual_paths)));
  const Testing testing = testing_of(values);
  const Bound bound = tested_bound(values, sum);
  auto points = tests_of_draws(
      [&](bool null, std::size_t count, std::uint32_t first, unsigned threads) {
        return simulate::statistics(sum, null, count, common.seed, first, threads);
      },
      paths, common, testing);
  const Tests tests = tested(std::move(points), bound, testing.miss);
  Simulation found = report_of("correlated, all steps, " + shortest(steps) + " of them, " + std::to_string(paths) +
                                   " runs of either law, seed " + std::to_string(common.seed),
                               bound, !values.has("claim"), tests);
  const std::string note = "one record of full norm in one dimension; the test takes the steps one after the other";
  found.text += "note: " + note + "\n";
  found.fields["run"] = json_of(said);
  found.fields["paths"] = paths;
  found.fields["notes"] = std::vector<std::string>{note};
  found.plot = picture(title_of("correlated", !values.has("claim"), tests) + "\n" +
                           queries::caption_of(asked.inputs(), {"plot", "theorem", "claim"}),
                       bound, tests.points);
  return found;
}

}  // namespace

Leaf correlated_simulation() {
  Leaf leaf = simulation("correlated", "a run with correlated noise: tests between what it publishes of two neighbours",
                         {"--noise-multiplier 8 --sampling-rate 0.1 --steps 100 --lambda 0.9", "--run run.toml",
                          "--noise-multiplier 8 --strategy bsr --bands 10 --steps 100 --epochs 5"},
                         correlated_options(), simulate_correlated);
  leaf.footer = "Exit 1 if the guarantee is refuted.\n" + leaf.footer;
  return leaf;
}

}  // namespace dpcurves::tools
