// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves calibrate glm: the records or the epsilon that a bound on the excess risk needs.
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/detail/swept_subject.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/queries/risk/glm.hpp>

namespace dpcurves::queries {
namespace {

using bounds::GlmChoice;
using bounds::GlmPlan;

const char* theorem_of(const GlmPlan& plan) {
  return plan.projected ? "dp-glm-networks/theorem-2" : "dp-glm-networks/theorem-1";
}

struct GlmSolution {
  const char* theorem;
  double value;
  GlmPlan plan;
};

/// The first power of two: the phases then use all records but one.
double power_of_two(double records) {
  double power = 2.0;
  while (power < records) {
    power *= 2.0;
  }
  return power;
}

Report calibrated_glm(const std::vector<Option>& table, const Values& values) {
  const bool records = values.text("solve-for") == "records";
  const char* given = records ? "epsilon" : "records";
  if (!values.has(given)) {
    throw UsageError(std::string("--") + given + ": is required");
  }
  if (values.has(records ? "records" : "epsilon")) {
    throw UsageError(std::string("--") + (records ? "records" : "epsilon") +
                     ": is what is solved for, so it cannot be given");
  }
  if (!records && values.text("noise") == "exact") {
    throw UsageError("--noise: exact noise depends on epsilon, so it cannot be used when epsilon is solved for");
  }
  if (values.has("hidden-units")) {
    return calibrate_two_layer(table, values);
  }
  const auto setting = glm_setting(values);
  const double risk = values.number("risk");
  const std::string algorithm = values.text("algorithm");
  std::vector<GlmSolution> all;
  std::string reason;
  for (const auto& [name, choice] :
       {std::pair{"phased", GlmChoice::phased}, std::pair{"projected", GlmChoice::projected}}) {
    if (algorithm == "best" || algorithm == name) {
      try {
        const GlmPlan plan =
            records ? bounds::fewest_records(setting, risk, choice) : bounds::least_epsilon(setting, risk, choice);
        all.push_back(
            {theorem_of(plan), records ? static_cast<double>(plan.setting.records) : plan.setting.epsilon, plan});
      } catch (const DomainError& error) {
        reason = error.what();
      }
    }
  }
  if (all.empty()) {
    throw DomainError("no " + values.text("solve-for") + " meets a risk bound of " + shortest(risk) + " (" + reason +
                      ")");
  }
  const GlmSolution* best = &all.front();
  for (const GlmSolution& one : all) {
    best = one.value < best->value ? &one : best;
  }
  const double achieved_epsilon = best->plan.setting.epsilon;
  const std::string unknown = values.text("solve-for");
  Report report = glm_calibration_head(table, values);
  report.rows.names = {"theorem", "best", unknown, "risk_bound"};
  Table plans{{"", "theorem", unknown, "risk bound", "step size"}, {}, {}};
  plans.align.assign(plans.names.size(), io::Align::right);
  List list;
  for (const GlmSolution& one : all) {
    const double bound = one.plan.bound.risk;
    list.push_back({Record{{"theorem", {one.theorem}},
                           {"value", {one.value}},
                           {"real_value", records ? Value{} : Value{one.value}},
                           {"risk_bound", {bound}}}});
    report.rows.rows.push_back({{one.theorem}, {&one == best ? "1" : "0"}, {shortest(one.value)}, {shortest(bound)}});
    plans.rows.push_back({{&one == best ? "*" : ""},
                          {one.theorem},
                          {records ? shortest(one.value) : rounded(one.value, 10)},
                          {rounded_up(bound, 8)},
                          {rounded(one.plan.setting.step_size, 8)}});
  }
  Record achieved{{"epsilon", ends(exactly(achieved_epsilon))},
                  {"delta", {setting.delta}},
                  {"risk_bound", {best->plan.bound.risk}},
                  {"step_size", {best->plan.setting.step_size}}};
  if (best->plan.projected) {
    achieved.add("projected_dimension", {best->plan.setting.projected_dimension});
  }
  report.results.add("value", {best->value});
  if (records) {
    report.results.add("power_of_two", {power_of_two(best->value)});
  }
  report.results.add("achieved", {std::move(achieved)});
  report.results.add("theorem", {best->theorem});
  report.results.add("all", {std::move(list)});
  std::string text = "smallest " + unknown + " with an excess risk of at most " + shortest(risk) +
                     ", the step size and the projection chosen anew at each\n";
  if (records) {
    text += "first power of two: " + shortest(power_of_two(best->value)) + "\n";
  }
  if (achieved_epsilon > 1.0) {
    text += "note: epsilon is above 1, where the printed noise is private by the exact curve and not by its theorem\n";
  }
  report.blocks = {{"", std::move(plans)}, {text, std::nullopt}};
  return report;
}

}  // namespace

Report glm_calibration_head(const std::vector<Option>& table, const Values& values) {
  Report report{.schema = "dpcurves/calibrate/1", .inputs = values.echo(table)};
  report.inputs.add("algorithm", {"glm"});
  report.results = {{"seed", {}}, {"wall_seconds", {}}, {"solve_for", {values.text("solve-for")}}};
  return report;
}

Subject calibration_of_glm() {
  Subject one{
      .name = "glm",
      .summary = "private generalised linear models: the records or the epsilon that a risk bound needs",
      .footer =
          "The value is the smallest at which Theorem 1 or 2, at its best step size, promises the risk.\nExamples:\n"
          "  dpcurves calibrate glm --solve-for records --risk 0.05 --epsilon 1 --delta 1e-5 --rank 10\n"
          "  dpcurves calibrate glm --solve-for epsilon --risk 0.1 --records 262144 --delta 1e-6 --rank 20\n"
          "  dpcurves calibrate glm --solve-for records --risk 0.01 --epsilon 1 --delta 1e-5 --lipschitz 0.25 "
          "--hidden-units 4 --activation sigmoid",
      .table = glm_model_options()};
  const std::vector<Option> question{
      {"solve-for", OptionKind::text, "records|epsilon", "what to find", "Question"},
      {"risk", OptionKind::number, "(0, inf)", "the excess squared risk that the bound must promise", "Question"},
      {"records", OptionKind::count, "[2, 9e18]", "number of records", "Question"},
      {"epsilon", OptionKind::number, "(0, inf)", "epsilon of the noise", "Question"},
      {"delta", OptionKind::number, "(0, 0.5]", "delta of the noise", "Question"},
      {"algorithm", OptionKind::text, "best|phased|projected = best", "which algorithm may be used", "Question"}};
  const auto two_layer = glm_two_layer_options();
  one.table.insert(one.table.end(), two_layer.begin(), two_layer.end());
  one.table.insert(one.table.begin(), question.begin(), question.end());
  one.answer = [table = one.table](const Values& values, const Effort&) { return calibrated_glm(table, values); };
  return with_sweep(std::move(one), [](const Report& first) {
    const std::string unknown = *first.results.at("solve_for").get<std::string>();
    return SweptPicture{"glm: " + unknown + " that meet a risk bound", unknown, unknown, first.rows.names.front()};
  });
}

}  // namespace dpcurves::queries
