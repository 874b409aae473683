// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves calibrate glm: the records or the epsilon that a bound on the excess risk needs.
#include <dpcurves/core/format.hpp>
#include <dpcurves/io/table.hpp>

#include "risk/glm.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

using bounds::GlmChoice;
using bounds::GlmPlan;

const char* theorem_of(const GlmPlan& plan) {
  return plan.projected ? "dp-glm-networks/theorem-2" : "dp-glm-networks/theorem-1";
}

struct Solution {
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

int run(const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  const Stopwatch clock;
  const Values values = read_options(table, raw, common.config);
  const bool records = values.text("solve-for") == "records";
  const char* given = records ? "epsilon" : "records";
  if (!values.has(given)) {
    throw UsageError(std::string("--") + given + ": is required");
  }
  if (values.has(records ? "records" : "epsilon")) {
    throw UsageError(std::string("--") + (records ? "records" : "epsilon") +
                     ": is what is solved for, so it cannot be given");
  }
  if (!records && values.text_or("noise", "printed") == "exact") {
    throw UsageError("--noise: exact noise depends on epsilon, so it cannot be used when epsilon is solved for");
  }
  if (values.has("hidden-units")) {
    return calibrate_two_layer(table, common, values);
  }
  const auto setting = glm_setting(values);
  const double risk = values.number("risk");
  const std::string algorithm = values.text_or("algorithm", "best");
  std::vector<Solution> all;
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
  const Solution* best = &all.front();
  for (const Solution& one : all) {
    best = one.value < best->value ? &one : best;
  }
  const double achieved_epsilon = best->plan.setting.epsilon;
  if (common.parsed_format() == Format::json) {
    Json json = result_head("dpcurves/calibrate/1", values.echo(table));
    json["inputs"]["algorithm"] = "glm";
    json["seed"] = nullptr;
    json["wall_seconds"] = clock.seconds();
    json["solve_for"] = values.text("solve-for");
    json["value"] = number(best->value);
    if (records) {
      json["power_of_two"] = number(power_of_two(best->value));
    }
    json["achieved"] = {{"epsilon", ends(exactly(achieved_epsilon))},
                        {"delta", setting.delta},
                        {"risk_bound", number(best->plan.bound.risk)},
                        {"step_size", number(best->plan.setting.step_size)}};
    if (best->plan.projected) {
      json["achieved"]["projected_dimension"] = number(best->plan.setting.projected_dimension);
    }
    json["theorem"] = best->theorem;
    json["all"] = Json::array();
    for (const Solution& one : all) {
      json["all"].push_back({{"theorem", one.theorem},
                             {"value", number(one.value)},
                             {"real_value", records ? Json(nullptr) : number(one.value)},
                             {"risk_bound", number(one.plan.bound.risk)}});
    }
    emit(common, pretty(json));
    return 0;
  }
  const std::string unknown = values.text("solve-for");
  if (common.parsed_format() == Format::csv) {
    std::string text = "theorem,best," + unknown + ",risk_bound\n";
    for (const Solution& one : all) {
      text += std::string(one.theorem) + "," + (&one == best ? "1" : "0") + "," + shortest(one.value) + "," +
              shortest(one.plan.bound.risk) + "\n";
    }
    emit(common, text);
    return 0;
  }
  io::TextTable rows({"", "theorem", unknown, "risk bound", "step size"});
  for (const Solution& one : all) {
    rows.add({&one == best ? "*" : "", one.theorem, records ? shortest(one.value) : rounded(one.value, 10),
              rounded(one.plan.bound.risk, 8), rounded(one.plan.setting.step_size, 8)});
  }
  std::string text = rows.text() + "smallest " + unknown + " with an excess risk of at most " + shortest(risk) +
                     ", the step size and the projection chosen anew at each\n";
  if (records) {
    text += "first power of two: " + shortest(power_of_two(best->value)) + "\n";
  }
  if (achieved_epsilon > 1.0) {
    text += "note: epsilon is above 1, where the printed noise is private by the exact curve and not by its theorem\n";
  }
  emit(common, text);
  return 0;
}

}  // namespace

Leaf calibration_of_glm() {
  Leaf leaf;
  leaf.name = "glm";
  leaf.summary = "private generalised linear models: the records or the epsilon that a risk bound needs";
  leaf.footer =
      "The value is the smallest at which Theorem 1 or 2, at its best step size, promises the risk.\nExamples:\n"
      "  dpcurves calibrate glm --solve-for records --risk 0.05 --epsilon 1 --delta 1e-5 --rank 10\n"
      "  dpcurves calibrate glm --solve-for epsilon --risk 0.1 --records 262144 --delta 1e-6 --rank 20\n"
      "  dpcurves calibrate glm --solve-for records --risk 0.01 --epsilon 1 --delta 1e-5 --lipschitz 0.25 "
      "--hidden-units 4 --activation sigmoid";
  leaf.table = glm_model_options();
  const std::vector<Option> question{
      {"solve-for", OptionKind::text, "records|epsilon", "what to find", "Question"},
      {"risk", OptionKind::number, "(0, inf)", "the excess squared risk that the bound must promise", "Question"},
      {"records", OptionKind::count, "[2, 9e18]", "number of records", "Question"},
      {"epsilon", OptionKind::number, "(0, inf)", "epsilon of the noise", "Question"},
      {"delta", OptionKind::number, "(0, 0.5]", "delta of the noise", "Question"},
      {"algorithm", OptionKind::text, "best|phased|projected", "which algorithm may be used, default best",
       "Question"}};
  const auto two_layer = glm_two_layer_options();
  leaf.table.insert(leaf.table.end(), two_layer.begin(), two_layer.end());
  leaf.table.insert(leaf.table.begin(), question.begin(), question.end());
  leaf.run = run;
  return leaf;
}

}  // namespace dpcurves::tools
