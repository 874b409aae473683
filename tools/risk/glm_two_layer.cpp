// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// risk glm and calibrate glm with --hidden-units: Theorem 8 for a two-layer network by its polynomial features.
#include <array>
#include <limits>

#include <dpcurves/bounds/two_layer_plan.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/io/table.hpp>

#include "risk/glm.hpp"
#include "risk/risk.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {
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

struct Question {
  bounds::TwoLayerNetwork network;
  bounds::PhasedSetting setting;
  bounds::GlmChoice choice = bounds::GlmChoice::best;
  std::optional<std::size_t> degree;
  const char* theorem = "";
};

Question question_of(const Values& values) {
  for (const char* settled : {"label-bound", "parameter-norm", "start-squared", "misfit", "step-size",
                              "projected-dimension", "renormalise", "sweep", "link"}) {
    if (values.has(settled)) {
      throw UsageError(std::string("--") + settled + ": cannot be given with --hidden-units, which settles it");
    }
  }
  Question question;
  question.network.hidden_units = values.number("hidden-units");
  question.network.inputs = values.number_or("inputs", std::numeric_limits<double>::infinity());
  if (!values.has("activation")) {
    throw UsageError("--activation: is required with --hidden-units (sigmoid|relu)");
  }
  const bool relu = values.text("activation") == "relu";
  question.network.activation = relu ? HiddenActivation::relu : HiddenActivation::sigmoid;
  question.theorem = relu ? "dp-glm-networks/theorem-11" : "dp-glm-networks/theorem-10";
  question.setting = glm_setting(values);
  const std::string algorithm = values.text_or("algorithm", "best");
  question.choice = algorithm == "phased"      ? bounds::GlmChoice::phased
                    : algorithm == "projected" ? bounds::GlmChoice::projected
                                               : bounds::GlmChoice::best;
  if (question.choice == bounds::GlmChoice::phased && !values.has("rank") && !values.has("inputs")) {
    throw UsageError("--rank: phased SGD needs it, or --inputs; a projection does not");
  }
  if (values.has("degree")) {
    question.degree = static_cast<std::size_t>(values.number("degree"));
  }
  return question;
}

Json json_of(const bounds::TwoLayerPlan& plan) {
  Json json = {{"degree", plan.degree},
               {"algorithm", plan.projected ? "projected" : "phased"},
               {"risk_bound", number(plan.risk)},
               {"approximation_error", number(plan.approximation_error)},
               {"coefficient_norm", number(plan.coefficient_norm)},
               {"misfit", number(plan.misfit)},
               {"parameter_norm", number(plan.weight)},
               {"step_size", number(plan.setting.step_size)}};
  if (plan.projected) {
    json["projected_dimension"] = number(plan.setting.projected_dimension);
  } else {
    json["rank"] = number(plan.setting.rank);
  }
  return json;
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
  const Question question = question_of(values);
  RiskReport report;
  report.heading = "risk of a private two-layer network of " + shortest(question.network.hidden_units) + " " +
                   values.text("activation") + " units above the best, Theorem 8 on monomials";
  double smallest = std::numeric_limits<double>::infinity();
  for (const Form& form : forms) {
    const auto plan =
        bounds::two_layer_plan(question.network, question.setting, form.form, question.choice, question.degree);
    report.facts.push_back({form.name, form.title, json_of(plan)});
    smallest = std::fmin(smallest, plan.risk);
  }
  report.facts.push_back({"risk_bound", "smallest bound", number(smallest)});
  report.notes.push_back("risks of links in [0, 1] are at most 1: a bound above it says nothing");
  if (question.setting.epsilon > 1.0) {
    report.notes.emplace_back(above_one);
  }
  report.considered = {{question.theorem,
                        "two-layer networks through polynomial features",
                        Considered::Verdict::chosen,
                        "risk above the best <= " + rounded(smallest, 6),
                        {},
                        {"E(y | x) = link(sum b_t activation(<a_t, x>)), |a_t| = 1, |b| = 1, |x| <= 1",
                         "link and labels in [0, 1], the link nondecreasing and G-Lipschitz"}}};
  return report;
}

int calibrate_two_layer(const std::vector<Option>& table, const Common& common, const Values& values) {
  const Stopwatch clock;
  if (values.text("solve-for") != "records") {
    throw UsageError("--solve-for: a two-layer network is asked for records only");
  }
  const Question question = question_of(values);
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
  if (common.parsed_format() == Format::json) {
    Json json = result_head("dpcurves/calibrate/1", values.echo(table));
    json["inputs"]["algorithm"] = "glm";
    json["seed"] = nullptr;
    json["wall_seconds"] = clock.seconds();
    json["solve_for"] = "records";
    json["value"] = number(best->records);
    json["achieved"] = json_of(best->plan);
    json["achieved"]["epsilon"] = ends(exactly(question.setting.epsilon));
    json["achieved"]["delta"] = question.setting.delta;
    json["theorem"] = question.theorem;
    json["all"] = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      Json row = std::isfinite(all[i].records) ? json_of(all[i].plan) : Json::object();
      row["form"] = forms[i].name;
      row["theorem"] = question.theorem;
      row["value"] = number(all[i].records);
      json["all"].push_back(row);
    }
    emit(common, pretty(json));
    return 0;
  }
  if (common.parsed_format() == Format::csv) {
    std::string text = "form,best,records,degree,misfit,parameter_norm,risk_bound\n";
    for (std::size_t i = 0; i < all.size(); ++i) {
      text += std::string(forms[i].name) + "," + (&all[i] == best ? "1" : "0") + "," + shortest(all[i].records) + ",";
      if (std::isfinite(all[i].records)) {
        text += std::to_string(all[i].plan.degree) + "," + shortest(all[i].plan.misfit) + "," +
                shortest(all[i].plan.weight) + "," + shortest(all[i].plan.risk);
      } else {
        text += ",,,";
      }
      text += "\n";
    }
    emit(common, text);
    return 0;
  }
  io::TextTable rows({"", "bound", "records", "degree", "misfit M", "norm W", "algorithm", "step size"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& plan = all[i].plan;
    if (std::isfinite(all[i].records)) {
      rows.add({&all[i] == best ? "*" : "", forms[i].title, shortest(all[i].records), std::to_string(plan.degree),
                rounded(plan.misfit, 6), rounded(plan.weight, 6), plan.projected ? "projected" : "phased",
                rounded(plan.setting.step_size, 6)});
    } else {
      rows.add({"", forms[i].title, "more than 9e18", "", "", "", "", ""});
    }
  }
  emit(common, rows.text() + "fewest records with a risk of at most " + shortest(risk) +
                   " above the best function; degree, step size and projection chosen anew at each\n" + "rests on " +
                   question.theorem + " with numbers for its constants, by Theorem 8\n" +
                   (question.setting.epsilon > 1.0 ? std::string("note: ") + above_one + "\n" : std::string()));
  return 0;
}

}  // namespace dpcurves::tools
