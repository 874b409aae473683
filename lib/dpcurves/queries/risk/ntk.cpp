// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk ntk: the terms of Theorem 13 for deep ReLU networks under DP-SGD, its conditions, and the law of the
// network at its start.
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/arc_cosine.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

RiskReport ntk_report(const Values& values, unsigned /*threads*/) {
  bounds::NetworkTraining s{.slope = values.number("loss-slope"),
                            .depth = values.number("depth"),
                            .radius = values.number("radius"),
                            .width = values.number("width"),
                            .steps = values.number("steps"),
                            .clip = values.number("clip"),
                            .records = values.number("records"),
                            .inputs = values.number("inputs"),
                            .epsilon = values.number("epsilon")};
  s.delta = values.number_or("delta", 1.0 / (s.records * s.records));
  s.failure = values.number("failure-probability");
  s.noise_failure = s.failure;
  const auto terms = bounds::network_terms(s);
  const auto start = models::initial_moments(s.width, s.depth, s.inputs);
  const auto [failed, assumed] = bounds::verdict(s);
  RiskReport result;
  result.heading =
      "terms of Theorem 13 for a ReLU network under DP-SGD, a rate with constants 1; L = " + shortest(s.depth) +
      ", m = " + shortest(s.width) + ", d = " + shortest(s.inputs) + ", n = " + shortest(s.records) +
      ", T = " + shortest(s.steps);
  const auto decimal = [](double natural) { return natural / std::numbers::ln10; };
  result.facts = {
      {"conditions_met", "all conditions hold", failed.empty()},
      {"convergence", "convergence, sqrt(log(1/xi)/T)", terms.convergence},
      {"almost_convexity", "almost convexity, S L^1.5 R/sqrt T", terms.almost_convex},
      {"privacy", "privacy term", terms.privacy},
      {"step_size", "step size of the theorem", terms.step_size},
      {"parameters", "parameters", terms.parameters},
      {"records_required", "records that it asks for", terms.records_required},
      {"log10_width_required_printed", "log10 of the width it asks for, as printed",
       decimal(terms.log_width_required_printed)},
      {"log10_width_required_rederived", "the same, re-derived", decimal(terms.log_width_required_rederived)},
      {"log10_width_required_sharp", "the same with the radius of Lemma 19", decimal(terms.log_width_required_sharp)},
      {"gradient_norm", "|grad f| at the start, large width: clipping is inactive above S times it",
       start.gradient_limit},
      {"least_radius_around_zero", "sqrt(2 max(m, d)): balls around 0 of a smaller radius move the start",
       std::sqrt(2.0 * std::max(s.width, s.inputs))},
      {"loss_change", "change of a loss within |W_l - W_l0| <= R/sqrt m, to first order",
       bounds::loss_change(s.slope, s.radius / std::sqrt(s.width), s.width, s.depth)}};
  for (const auto& one : failed) {
    result.notes.push_back("not met: " + one.assumption + " (" + one.found + ")");
  }
  result.notes.emplace_back(failed.empty() ? "the conditions hold with unit constants; the theorem's own are not known"
                                           : "the bound promises nothing here: compare its terms, do not add them up");
  result.considered = {{"dp-glm-networks/theorem-13",
                        "risk of DP-SGD on wide deep ReLU networks",
                        failed.empty() ? Considered::Standing::not_a_guarantee : Considered::Standing::ruled_out,
                        failed.empty() ? "a rate: its constants are not known" : "no bound: its conditions fail",
                        {failed, assumed}},
                       {"dp-glm-networks/lemma-27",
                        "stability of the loss in the ball",
                        Considered::Standing::not_a_guarantee,
                        "losses change by at most " +
                            rounded(bounds::loss_change(s.slope, s.radius / std::sqrt(s.width), s.width, s.depth), 6) +
                            " within R/sqrt m of the start, to first order at large width",
                        {{}, {"|x| <= 1 and a wide network at its random start"}}}};
  std::vector<io::Column> columns{{"steps", {}}, {"convergence", {}}, {"almost_convexity", {}}, {"privacy", {}}};
  for (int i = 0; i <= 60; ++i) {
    auto varied = s;
    varied.steps = std::pow(10.0, 6.0 * i / 60.0);
    const auto at = bounds::network_terms(varied);
    const double cells[] = {varied.steps, at.convergence, at.almost_convex, at.privacy};
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k].values.push_back(cells[k]);
    }
  }
  result.plot.title = "Terms of Theorem 13 against the steps (constants 1)";
  result.plot.x = {"steps T", true, std::nullopt, std::nullopt};
  result.plot.y = {"term", true, std::nullopt, std::nullopt};
  result.plot.legend = io::Legend::bottom_left;
  result.plot.series = {io::line("convergence", columns[0].values, columns[1].values),
                        io::line("almost convexity", columns[0].values, columns[2].values)};
  if (terms.privacy > 0.0) {
    result.plot.series.push_back(io::line("privacy", columns[0].values, columns[3].values));
  }
  if (values.flag("curve")) {
    result.curve = io::Columns(std::move(columns));
  }
  return result;
}

}  // namespace

RiskProblem ntk_risk() {
  return {"ntk",
          "a deep ReLU network under DP-SGD: the terms and conditions of Theorem 13, a rate, and the start",
          {"--width 256 --steps 4000 --records 60000",
           "--width 64 --inputs 20 --records 4000 --steps 200 --plot terms.svg", "--epsilon inf"},
          {{"width", OptionKind::count, "[1, inf) = 256", "m"},
           {"depth", OptionKind::count, "[2, inf) = 3", "L, weight matrices"},
           {"inputs", OptionKind::count, "[1, inf) = 784", "d"},
           {"records", OptionKind::count, "[2, inf) = 60000", "n"},
           {"steps", OptionKind::number, "[1, inf) = 4000", "T"},
           {"clip", OptionKind::number, "(0, inf) = 1", "clip norm C"},
           {"radius", OptionKind::number, "(0, inf) = 1", "R"},
           {"loss-slope", OptionKind::number, "(0, inf) = 1", "S, Lipschitz constant of the loss; logistic: 1"},
           {"epsilon", OptionKind::number, "(0, inf] = 1", "inf: no privacy"},
           {"delta", OptionKind::number, "(0, 1)", "default 1/n^2"},
           {"failure-probability", OptionKind::number, "(0, 1) = 0.05", "xi and gamma"},
           {"curve", OptionKind::flag, "", "list the terms over the steps", "Output"}},
          ntk_report};
}

}  // namespace dpcurves::queries
