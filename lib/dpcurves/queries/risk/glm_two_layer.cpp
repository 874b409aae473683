// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// risk glm and calibrate glm with --hidden-units: Theorem 8 for a two-layer network by its polynomial features.
#include <array>
#include <cmath>
#include <limits>

#include <dpcurves/bounds/two_layer_plan.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/queries/risk/glm.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

using bounds::HiddenActivation;
using bounds::TwoLayerForm;

struct Form {
  TwoLayerForm form;
  const char* name;
  const char* title;
};
constexpr std::array<Form, 3> forms{
    Form{TwoLayerForm::printed, "printed", "Theorem 8 as printed"},
    Form{TwoLayerForm::sharp, "sharp", "with the sharper Lemma 7"},
    Form{TwoLayerForm::sharp_projection, "sharp_projection", "with the sharper projection term too"}};

constexpr const char* above_one =
    "epsilon is above 1, where the printed noise is private by the exact curve and not by its theorem";

struct TwoLayerQuestion {
  bounds::TwoLayerNetwork network;
  bounds::PhasedSetting setting;
  bounds::GlmChoice choice = bounds::GlmChoice::best;
  std::optional<std::size_t> degree;
  const char* theorem = "";
};

TwoLayerQuestion two_layer_question(const Values& values) {
  for (const char* settled : {"label-bound", "parameter-norm", "start-squared", "misfit", "step-size",
                              "projected-dimension", "renormalise", "sweep", "link"}) {
    if (values.has(settled)) {
      throw UsageError(std::string("--") + settled + ": cannot be given with --hidden-units, which settles it");
    }
  }
  TwoLayerQuestion question;
  question.network.hidden_units = values.number("hidden-units");
  question.network.inputs = values.number_or("inputs", std::numeric_limits<double>::infinity());
  if (!values.has("activation")) {
    throw UsageError("--activation: is required with --hidden-units (sigmoid|relu)");
  }
  const bool relu = values.text("activation") == "relu";
  question.network.activation = relu ? HiddenActivation::relu : HiddenActivation::sigmoid;
  question.theorem = relu ? "dp-glm-networks/theorem-11" : "dp-glm-networks/theorem-10";
  question.setting = glm_setting(values);
  const std::string algorithm = values.text("algorithm");
  question.choice = algorithm == "phased"      ? bounds::GlmChoice::phased
                    : algorithm == "projected" ? bounds::GlmChoice::projected
                                               : bounds::GlmChoice::best;
  if (question.choice == bounds::GlmChoice::phased && !values.has("rank") && !values.has("inputs")) {
    throw UsageError("--rank: phased SGD needs it, or --inputs; a projection does not");
  }
  if (values.has("degree")) {
    question.degree = values.count("degree");
  }
  return question;
}

Record record_of(const bounds::TwoLayerPlan& plan) {
  Record record{{"degree", {static_cast<std::int64_t>(plan.degree)}},
                {"algorithm", {plan.projected ? "projected" : "phased"}},
                {"risk_bound", {plan.risk}},
                {"approximation_error", {plan.approximation_error}},
                {"coefficient_norm", {plan.coefficient_norm}},
                {"misfit", {plan.misfit}},
                {"parameter_norm", {plan.weight}},
                {"step_size", {plan.setting.step_size}}};
  if (plan.projected) {
    record.add("projected_dimension", {plan.setting.projected_dimension});
  } else {
    record.add("rank", {static_cast<double>(plan.setting.rank)});
  }
  return record;
}

}  // namespace

std::vector<Option> glm_two_layer_options() {
  return {{"hidden-units", OptionKind::count, "[1, 1e15]", "k: a two-layer network, learnt through monomials",
           "Two layers"},
          {"activation", OptionKind::text, "sigmoid|relu", "of the hidden units", "Two layers"},
          {"degree", OptionKind::count, "[0, 200]", "of the monomials, default the best", "Two layers"},
          {"inputs", OptionKind::count, "[1, inf)",
           "d: C(d + degree, degree) then bounds theta, and --rank is optional", "Two layers"}};
}

RiskReport two_layer_report(const Values& values) {
  const TwoLayerQuestion question = two_layer_question(values);
  RiskReport report;
  report.heading = "risk of a private two-layer network of " + shortest(question.network.hidden_units) + " " +
                   values.text("activation") + " units above the best, Theorem 8 on monomials";
  double smallest = std::numeric_limits<double>::infinity();
  for (const Form& form : forms) {
    const auto plan =
        bounds::two_layer_plan(question.network, question.setting, form.form, question.choice, question.degree);
    report.facts.push_back({form.name, form.title, {record_of(plan)}});
    smallest = std::fmin(smallest, plan.risk);
  }
  report.facts.push_back({"risk_bound", "smallest bound", smallest});
  report.notes.push_back("risks of links in [0, 1] are at most 1: a bound above it says nothing");
  if (question.setting.epsilon > 1.0) {
    report.notes.emplace_back(above_one);
  }
  report.considered = {{question.theorem,
                        "two-layer networks through polynomial features",
                        Considered::Standing::chosen,
                        "risk above the best <= " + rounded_up(smallest, 6),
                        {{},
                         {"E(y | x) = link(sum b_t activation(<a_t, x>)), |a_t| = 1, |b| = 1, |x| <= 1",
                          "link and labels in [0, 1], the link nondecreasing and G-Lipschitz"}}}};
  return report;
}

Report calibrate_two_layer(const std::vector<Option>& table, const Values& values) {
  if (values.text("solve-for") != "records") {
    throw UsageError("--solve-for: a two-layer network is asked for records only");
  }
  const TwoLayerQuestion question = two_layer_question(values);
  const double risk = values.number("risk");
  std::vector<bounds::TwoLayerRecords> all;
  const bounds::TwoLayerRecords* best = nullptr;
  for (const Form& form : forms) {
    all.push_back(bounds::two_layer_records(question.network, question.setting, risk, form.form, question.choice,
                                            question.degree));
  }
  for (const auto& one : all) {
    best = best == nullptr || one.records < best->records ? &one : best;
  }
  if (!std::isfinite(best->records)) {
    throw DomainError("no records up to 9e18 meet a risk bound of " + shortest(risk) +
                      (question.degree ? " at this degree" : " at any degree"));
  }
  Report report = glm_calibration_head(table, values);
  Record achieved = record_of(best->plan);
  achieved.add("epsilon", ends(exactly(question.setting.epsilon)));
  achieved.add("delta", {question.setting.delta});
  report.rows.names = {"form", "best", "records", "degree", "misfit", "parameter_norm", "risk_bound"};
  Table table_of_bounds{{"", "bound", "records", "degree", "misfit M", "norm W", "algorithm", "step size"}, {}, {}};
  table_of_bounds.align.assign(table_of_bounds.names.size(), io::Align::right);
  List list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& plan = all[i].plan;
    const bool found = std::isfinite(all[i].records);
    Record row = found ? record_of(plan) : Record();
    row.add("form", {forms[i].name});
    row.add("theorem", {question.theorem});
    row.add("value", {all[i].records});
    list.push_back({std::move(row)});
    const std::string mark = &all[i] == best ? "1" : "0";
    if (found) {
      report.rows.rows.push_back({{forms[i].name},
                                  {mark},
                                  {shortest(all[i].records)},
                                  {std::to_string(plan.degree)},
                                  {shortest(plan.misfit)},
                                  {shortest(plan.weight)},
                                  {shortest(plan.risk)}});
      table_of_bounds.rows.push_back({{&all[i] == best ? "*" : ""},
                                      {forms[i].title},
                                      {shortest(all[i].records)},
                                      {std::to_string(plan.degree)},
                                      {rounded(plan.misfit, 6)},
                                      {rounded(plan.weight, 6)},
                                      {plan.projected ? "projected" : "phased"},
                                      {rounded(plan.setting.step_size, 6)}});
    } else {
      report.rows.rows.push_back({{forms[i].name}, {mark}, {shortest(all[i].records)}, {""}, {""}, {""}, {""}});
      table_of_bounds.rows.push_back({{""}, {forms[i].title}, {"more than 9e18"}, {""}, {""}, {""}, {""}, {""}});
    }
  }
  report.results.add("value", {best->records});
  report.results.add("achieved", {std::move(achieved)});
  report.results.add("theorem", {question.theorem});
  report.results.add("all", {std::move(list)});
  report.blocks = {{"", std::move(table_of_bounds)},
                   {"fewest records with a risk of at most " + shortest(risk) +
                        " above the best function; degree, step size and projection chosen anew at each\nrests on " +
                        question.theorem + " with numbers for its constants, by Theorem 8\n" +
                        (question.setting.epsilon > 1.0 ? std::string("note: ") + above_one + "\n" : std::string()),
                    std::nullopt}};
  return report;
}

}  // namespace dpcurves::queries
