// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate conditional-noisy-sgd: is the Renyi loss of HSGD conservative for these records? The exact law of
// noisy SGD given the data, with one record replaced, beside HSGD.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/divergence/gaussian_pair.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>
#include <dpcurves/simulate/detail/least_squares_problem.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "simulate/processes.hpp"
#include "support/means.hpp"
#include "support/simulation.hpp"

namespace dpcurves::tools {
namespace {

using divergence::Direction;

std::vector<Option> conditional_options() {
  return {{"problem", OptionKind::text, "", "JSON file of a problem with records"},
          {"renyi-order", OptionKind::number, "(1, inf) = 2", "order of the divergence"},
          {"positions", OptionKind::count, "[1, 1000000] = 8", "how many positions of the differing record"},
          queries::plot_option()};
}

/// The losses of replacing one record, the larger of the two directions each.
struct ConditionalRow {
  std::size_t position = 0;  ///< counted from 1
  double exact = 0.0, hsgd = 0.0;
};

Simulation run_conditional(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const ProblemFile file = read_problem_file(values.text("problem"));
  const models::LeastSquares& problem = file.problem;
  if (!problem.has_coordinates() || file.records.size() < 2 || !(problem.noise > 0.0)) {
    throw DomainError(values.text("problem") +
                      ": needs the coordinates of x0 and xtilde, at least two records and sigma > 0");
  }
  const double order = values.number("renyi-order");
  const std::size_t steps = file.records.size();
  simulate::ConditionalSgd data;
  data.records = simulate::to_records(file.records);
  data.step_sizes = simulate::step_sizes(problem, steps);
  data.start = problem.x0.matrix();
  data.regularisation = problem.regularisation;
  data.noise = problem.noise;
  const double horizon = static_cast<double>(steps) / problem.dimension;
  const homogenized::HsgdLaw law(problem, horizon);
  const homogenized::Release release(problem, homogenized::ReleaseKind::last_iterate, law.states(std::vector{horizon}));
  const double share = law.trajectory() ? homogenized::least_noise_share(*law.trajectory(), horizon) : 1.0;
  const std::size_t count = std::min(steps, values.count("positions"));
  std::vector<ConditionalRow> rows(count);
  last_loop(
      common, "positions", count,
      [&](std::size_t i) {
        const std::size_t at = count == 1 ? steps - 1 : i * (steps - 1) / (count - 1);
        // The next record stands in for the one that is replaced.
        const models::RecordPair pair{file.records[at], file.records[(at + 1) % steps]};
        const auto exact = simulate::reduced(simulate::conditional_pair(data, steps, at, pair.second));
        const auto axes = divergence::principal_axes(exact.mean1, exact.covariance1, exact.mean2, exact.covariance2);
        const double s = std::min(horizon, static_cast<double>(at + 1) / problem.dimension);
        const auto weights = release.weights(law.state(s));
        const homogenized::NeighbouringLaws laws(
            weights, homogenized::pair_sums(weights, homogenized::pair_products(problem, pair)));
        rows[i] = {
            at + 1,
            std::max(divergence::renyi(order, axes, Direction::first_to_second),
                     divergence::renyi(order, axes, Direction::second_to_first)),
            std::max(laws.renyi(order, Direction::first_to_second), laws.renyi(order, Direction::second_to_first))};
      },
      [&](std::size_t i, Archive& archive) { archive(rows[i]); });
  Results results({{"position", "position", "position"},
                   {"exact", "exact", "exact given the data", 6},
                   {"hsgd", "hsgd", "HSGD", 6},
                   {"ratio", "ratio", "ratio", 4}});
  double worst = 0.0;
  for (const ConditionalRow& row : rows) {
    const double ratio = row.exact / row.hsgd;
    worst = std::isnan(ratio) ? worst : std::max(worst, ratio);
    results.add({row.position, row.exact, row.hsgd, ratio});
  }
  const std::string verdict = worst > 1.0
                                  ? "HSGD is optimistic for these records: its loss is no guarantee for them"
                                  : "HSGD is conservative at these positions, which is no proof for other records";
  Simulation found = results.found("Renyi loss of order " + shortest(order) + ", last iterate after " +
                                   std::to_string(steps) + " steps, larger of both directions");
  found.drawn = false;
  found.fields["largest_ratio"] = number(worst);
  found.fields["least_noise_share"] = number(share);
  found.fields["notes"] = {verdict};
  found.text += "share of the variance due to the added noise: " + rounded(share, 3) + " at least\n" + verdict +
                ": largest ratio " + rounded(worst, 3) + "\n";
  const auto positions = all_of(rows, &ConditionalRow::position);
  found.plot = io::Plot{"Renyi loss of order " + shortest(order) + " of replacing one record by the next",
                        {"position of the record"},
                        {"Renyi loss", true},
                        io::Legend::automatic,
                        {io::points("exact, given the data", positions, all_of(rows, &ConditionalRow::exact)),
                         io::points("HSGD", positions, all_of(rows, &ConditionalRow::hsgd))}};
  return found;
}

}  // namespace

Leaf conditional_simulation() {
  return simulation("conditional-noisy-sgd", "exact Renyi loss of noisy SGD given its records, beside that of HSGD",
                    {"--problem data/examples/least-squares.json"}, conditional_options(), run_conditional);
}

}  // namespace dpcurves::tools
