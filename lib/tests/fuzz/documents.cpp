// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "documents.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/error.hpp>

#include "checks/check.hpp"
#include "support/json_record.hpp"

namespace dpcurves::test {
namespace {

using tools::Json;

/// Calculators whose cost is that of reading the document: closed forms, and those that read nested lists.
bool is_quick(const std::string& name) {
  static const std::set<std::string> quick{
      "dp-glm-networks/gaussian-classic",
      "dp-glm-networks/gdp-delta",
      "dp-glm-networks/selection",
      "dp-glm-networks/thm1-bound",
      "kan-correlated-noise/ntk-margin",
      "kan-correlated-noise/segment-factor",
      "long-tail-memorization/dpsgd-step",
      "long-tail-memorization/forward-loss-gradnorm-clip",
      "long-tail-memorization/softmax-cross-entropy",
      "long-tail-memorization/covariance-influence-scores",
      "long-tail-memorization/snr-ncr",
      "long-tail-memorization/thm3-general-bound",
      "noisy-hsgd/doob-step",
      "noisy-hsgd/rdp-to-approx-dp",
      "noisy-hsgd/renyi-gaussian",
      "noisy-hsgd/risk-stationary",
      "shifted-interpolation/gdp-delta",
      "shifted-interpolation/gdp-epsilon",
      "shifted-interpolation/gdp-tradeoff",
      "shifted-interpolation/noisy-gd-strongly-convex",
      "shifted-interpolation/shift-problem",
  };
  return quick.contains(name);
}

/// Calculators by the names of their keys.
const std::map<std::string, std::vector<const calculators::Calculator*>>& by_key() {
  static const auto all = [] {
    std::map<std::string, std::vector<const calculators::Calculator*>> map;
    for (const auto& calculator : calculators::all()) {
      for (const auto& field : calculator.fields) {
        map[field.symbol].push_back(&calculator);
      }
    }
    return map;
  }();
  return all;
}

/// What a command answers, as expectations see it.
const Json& an_answer() {
  static const Json answer = tools::parse_json(
      R"({"schema": "dpcurves/privacy/1", "seed": null, "results": [{"delta": 1e-05, "mu": "inf",
          "epsilon": {"lower": 4.375, "upper": 4.376}, "all": []}]})",
      "the answer");
  return answer;
}

template <typename Work>
void unless_refused(const Work& work) {
  try {
    work();
  } catch (const Error&) {
  }
}

void try_expectations(const Json& entry) {
  unless_refused([&] { (void)tools::checks::command_line(entry); });
  if (entry.contains("expect")) {
    const Json& expect = entry["expect"];
    for (const auto& expectation : expect.is_array() ? expect : Json::array({expect})) {
      unless_refused([&] { (void)tools::checks::expectation_failure(an_answer(), expectation); });
    }
  }
}

}  // namespace

void try_checks(const Json& document) {
  std::vector<Json> runnable;
  unless_refused([&] {
    for (const Json& entry : tools::checks::entries(document, "input")) {
      const bool named = entry.is_object() && entry.contains("calculator") && entry["calculator"].is_string();
      if (entry.is_object() && entry.contains("command")) {
        try_expectations(entry);
      } else if (!named || is_quick(entry["calculator"].get<std::string>())) {
        runnable.push_back(entry);
      } else if (entry.contains("inputs")) {
        unless_refused([&] {
          const auto& calculator = calculators::find(entry["calculator"].get<std::string>());
          (void)checked(calculator.fields, tools::record_of(entry["inputs"]));
        });
      }
    }
  });
  const auto findings = tools::checks::run(runnable, 1, {});
  (void)tools::checks::text(findings);
  (void)tools::checks::junit("input", findings);
}

void try_inputs(const Json& document) {
  if (!document.is_object() || document.empty()) {
    return;
  }
  const auto found = by_key().find(document.begin().key());
  if (found == by_key().end()) {
    return;
  }
  for (const auto* calculator : found->second) {
    unless_refused([&] {
      const auto inputs = tools::record_of(document);
      (void)checked(calculator->fields, inputs);
      if (is_quick(calculator->name)) {
        (void)tools::json_of({(*calculator)(inputs)}).dump();
      }
    });
  }
}

}  // namespace dpcurves::test
