// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation_program/record_json.hpp"

#include <algorithm>
#include <cmath>

#include "validation/report.hpp"
#include "validation/resolution.hpp"

namespace dpcurves::tools {
namespace {

using validation::Comparison;
using validation::Group;
using validation::GroupFinding;
using validation::Measurement;
using validation::Record;
using validation::Trial;

/// How many comparisons of a group are listed with their numbers: a nightly run compares hundreds of thousands.
constexpr std::size_t most_listed = 40;

/// A finite number as it is, "inf", "-inf", null for NaN and for nothing.
Json json_number(double value) {
  return std::isnan(value) ? Json() : std::isinf(value) ? Json(value > 0.0 ? "inf" : "-inf") : Json(value);
}
Json known(const std::optional<double>& value) { return value ? json_number(*value) : Json(); }

std::string relation(const Measurement& measured) {
  switch (measured.relation) {
    case Measurement::Relation::at_most:
      return "<=";
    case Measurement::Relation::at_least:
      return ">=";
    case Measurement::Relation::within:
      return "=";
    case Measurement::Relation::none:
      break;
  }
  return "";
}

Json comparison_json(const Comparison& comparison) {
  const Measurement& m = comparison.measured;
  Json json{{"label", comparison.label}, {"holds", comparison.holds}, {"by", to_string(m.basis)}};
  if (m.relation != Measurement::Relation::none) {
    json["value"] = json_number(m.value);
    json["relation"] = relation(m);
    json["claimed"] = json_number(m.claimed);
    json["interval"] = {json_number(m.lower), json_number(m.upper)};
    if (m.relation == Measurement::Relation::within) {
      json["allowance"] = json_number(m.allowance);
    }
    json["resolution"] = known(validation::resolution(m));
  } else {
    json["numbers"] = comparison.numbers;
  }
  if (m.miss > 0.0) {
    json["level"] = 1.0 - m.miss;
  }
  return json;
}

/// The comparisons of a group: broken ones first, then the tightest.
Json listed(const Trial& trial, const std::string& group) {
  std::vector<const Comparison*> all;
  for (const Comparison& comparison : trial.all()) {
    if (trial.groups()[comparison.group].name == group) {
      all.push_back(&comparison);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Comparison* a, const Comparison* b) {
    return a->holds != b->holds ? b->holds
                                : validation::resolution(a->measured).value_or(-1.0) >
                                      validation::resolution(b->measured).value_or(-1.0);
  });
  all.resize(std::min(all.size(), most_listed));
  Json json = Json::array();
  for (const Comparison* comparison : all) {
    json.push_back(comparison_json(*comparison));
  }
  return json;
}

Json gap_json(const std::optional<validation::Gap>& gap) {
  return gap ? Json{{"least", json_number(gap->least)}, {"median", json_number(gap->median)}} : Json();
}

Json monte_carlo_json(validation::Basis basis, std::size_t runs, std::size_t units) {
  return {{"by", to_string(basis)}, {"runs", runs}, {"units", units}};
}

Json group_json(const GroupFinding& group, const Record& record) {
  const Trial &claim = record.outcome.claim, &control = record.outcome.control;
  Json json{{"name", group.name},
            {"role", group.role == Group::Role::claim ? "claim" : "set-up"},
            {"comparisons", group.comparisons},
            {"broken", group.broken},
            {"resolution", known(group.resolution)},
            {"gap", gap_json(group.gap)},
            {"monte_carlo", monte_carlo_json(group.basis, group.runs, group.units)},
            {"levels", levels_json(group.levels)}};
  json["tightest"] = group.tightest ? comparison_json(claim.all()[*group.tightest]) : Json();
  json["listed"] = listed(claim, group.name);
  json["control"] = {{"comparisons", group.control_comparisons}, {"broken", group.control_broken}};
  json["control"]["listed"] = listed(control, group.name);
  return json;
}

Json verdict_json(const std::optional<validation::Verdict>& verdict) {
  return verdict ? Json(to_string(*verdict)) : Json();
}

}  // namespace

Json levels_json(const validation::Levels& levels) {
  return {{"certified", levels.certified},
          {"without_level", levels.without_level},
          {"deterministic", levels.deterministic},
          {"miss", levels.miss}};
}

Json record_json(const Record& record, const std::string& report) {
  Json figures = Json::array();
  for (std::size_t k = 0; k < record.outcome.figures.size(); ++k) {
    figures.push_back(report.empty() ? Json(record.outcome.figures[k].title)
                                     : Json(validation::figure_file(*record.what, k)));
  }
  const validation::Judgement& found = record.judgement;
  Json json{{"id", record.what->id},
            {"claim", record.what->claim},
            {"experiment", record.what->experiment},
            {"control", record.what->control},
            {"verdict", to_string(record.verdict)},
            {"expected", to_string(record.what->expected)},
            {"good", record.good()},
            {"as_printed", verdict_json(found.as_printed)},
            {"as_repaired", verdict_json(found.as_repaired)},
            {"resolution", known(found.resolution)},
            {"gap", gap_json(found.gap)},
            {"monte_carlo", monte_carlo_json(found.basis, found.runs, found.units)},
            {"levels", levels_json(found.levels)},
            {"comparisons", record.outcome.claim.comparisons()},
            {"seconds", record.seconds},
            {"figures", figures}};
  if (const auto& vacuous = record.outcome.vacuous) {
    json["vacuous"]["bound"] = json_number(vacuous->bound);
    json["vacuous"]["trivial"] = json_number(vacuous->trivial);
    json["vacuous"]["speaks"] = vacuous->speaks;
  }
  json["groups"] = Json::array();
  for (const GroupFinding& group : found.groups) {
    json["groups"].push_back(group_json(group, record));
  }
  if (!record.good()) {
    json["failure"] = record.failure();
  }
  if (!record.error.empty()) {
    json["error"] = record.error;
  }
  return json;
}

}  // namespace dpcurves::tools
