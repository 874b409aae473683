// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate two-layer: two-layer networks learnt through monomials, beside Theorem 8.
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/bounds/two_layer.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/simulate/detail/two_layer_records.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

#include "simulate/glm.hpp"
#include "simulate/processes.hpp"

namespace dpcurves::tools {
namespace {

using bounds::PhasedSetting;

std::vector<Option> two_layer_options() {
  auto table = risk_simulation_options("1024,4096,16384");
  const std::vector<Option> own{
      {"algorithm", OptionKind::texts, "phased|projected = phased", "branch of Algorithm 9"},
      {"degree", OptionKind::count, "[1, 30] = 3", "of the monomials"},
      {"units", OptionKind::count, "[1, 1000] = 4", "hidden sigmoid units k"},
      {"dimension", OptionKind::count, "[1, 1000] = 2", "inputs d on the unit sphere"},
      {"step-size", OptionKind::number, "(0, inf)", "eta, default the best that privacy allows"},
      {"projected-dimension", OptionKind::count, "[1, 100000]", "m, default the best that privacy allows"},
      {"renormalise", OptionKind::flag, "", "shorten projected records to length 2: privacy for any m"}};
  table.insert(table.begin(), own.begin(), own.end());
  table.erase(std::remove_if(table.begin(), table.end(), [](const Option& o) { return o.name == "parameter-norm"; }),
              table.end());
  return table;
}

Simulation run_two_layer(const Asked& asked) {
  const auto& [values, common, table] = asked;
  const auto degree = values.count("degree");
  const auto units = values.count("units");
  const auto d = values.count("dimension");
  const auto paths = values.count("paths");
  const models::PolynomialFeatures psi(d, degree);
  const auto p = models::sigmoid_polynomial(degree);
  const auto law = simulate::TwoLayerNetwork::drawn(units, d, common.seed).law();
  const double root_units = std::sqrt(static_cast<double>(units));
  auto algorithms = values.texts("algorithm");
  algorithms = algorithms.empty() ? std::vector<std::string>{"phased"} : algorithms;
  std::vector<std::string> notes;
  std::vector<MeasuredRisk> rows;
  for (const double records : values.numbers("records")) {
    for (const auto& algorithm : algorithms) {
      PhasedSetting s{.records = static_cast<std::uint64_t>(records),
                      .epsilon = values.number("epsilon"),
                      .delta = values.number("delta"),
                      .label_bound = 0.5,
                      .lipschitz = 0.25,
                      .rank = static_cast<double>(psi.size()),
                      .parameter_norm = root_units * p.weight};
      s.start_squared = s.parameter_norm * s.parameter_norm;
      if (projects(algorithm)) {
        s.projected_dimension = projected_dimension(values, s);
      }
      s.step_size = values.number_or("step-size", bounds::best_private_step_size(s, projects(algorithm)));
      const auto kind = kind_of(algorithm);
      simulate::PhasedSgd run{
          .link = law.link,
          .step_size = s.step_size,
          .noise_per_step = models::printed_noise_per_step(kind, s.label_bound, s.epsilon, s.delta)};
      const auto risk = measure(paths, common, algorithm + ", n = " + shortest(records), [&](std::uint32_t path) {
        simulate::DrawnRecords base(law, s.records, common.seed, path);
        simulate::MappedRecords data(base, psi);
        std::vector<double> w;
        if (projects(algorithm)) {
          auto map = models::JohnsonLindenstrauss::gaussian(static_cast<std::size_t>(s.projected_dimension), psi.size(),
                                                            common.seed, path, values.flag("renormalise"));
          w = simulate::projected_phased_sgd(run, data, map, common.seed, path);
        } else {
          w = simulate::phased_sgd(run, data, common.seed, path);
        }
        return simulate::risk_above_mean(law, psi, w, 500, common.seed, path);
      });
      note_privacy(notes, algorithm, s, values.flag("renormalise"));
      const auto bound = bounds::two_layer_bound(s, root_units * p.error, projects(algorithm));
      Json details{{"step_size", s.step_size},
                   {"features", psi.size()},
                   {"W", s.parameter_norm},
                   {"M", number(root_units * p.error)},
                   {"bound_as_printed", number(bound.risk)},
                   {"bound_sharper", number(bound.risk_sharp)},
                   {"bound_sharper_projection", number(bound.risk_sharp_projection)}};
      if (projects(algorithm)) {
        details["projected_dimension"] = s.projected_dimension;
      }
      rows.push_back({algorithm, records, risk, bound.risk_sharp_projection, "dp-glm-networks/theorem-8", details});
      note_once(notes,
                "Algorithm 9 would run the " +
                    std::string(bounds::rule_of_algorithm_9(records, s.epsilon, s.rank) ? "phased" : "projected") +
                    " branch at n = " + shortest(records) + "; theta is taken as the number of monomials");
    }
  }
  return report_risks("two-layer", "squared risk above the network's", rows, notes, asked);
}

}  // namespace

Leaf two_layer_simulation() {
  return simulation(
      "two-layer", "two-layer networks learnt through monomials by phased SGD, beside Theorem 8",
      {"--degree 3 --units 4", "--algorithm phased,projected --degree 2 --projected-dimension 3 --renormalise"},
      two_layer_options(), run_two_layer);
}

}  // namespace dpcurves::tools
