// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/attack_measures.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
namespace {

using attack::Attack;

Question tpr(double fpr) {
  return {"tpr", "TPR at FPR " + shortest(fpr), {{"fpr", fpr}}, "attack/dual", [fpr](Attack& attack) -> Answer {
            const auto [value, direction] = attack.power(fpr);
            return {value.power, direction, {{"excess", value.excess}}};
          }};
}

Question advantage() {
  return {"advantage", "advantage (TPR - FPR)", {}, "attack/advantage", [](Attack& attack) -> Answer {
            const auto value = attack.advantage().value;
            return {value.advantage,
                    "",
                    {{"pure_epsilon_equivalent", value.pure_epsilon}, {"mu_equivalent", value.mu}},
                    "as epsilon = " + rounded_up(value.pure_epsilon.upper, 4) +
                        ", as mu = " + rounded_up(value.mu.upper, 4)};
          }};
}

Question bayes_error(double prior) {
  return {"bayes-error",
          "accuracy at prior " + shortest(prior),
          {{"prior", prior}},
          "attack/bayes-error",
          [prior](Attack& attack) -> Answer {
            const auto [value, direction] = attack.bayes_error(prior);
            return {value.error,
                    direction,
                    {{"accuracy", value.accuracy}, {"gain", value.gain}},
                    "Bayes error at least " + rounded_down(value.error.lower, 8)};
          }};
}

Question precision(double prior, std::optional<double> fpr, std::optional<double> recall) {
  if (fpr && !(*fpr > 0.0)) {
    throw UsageError("--fpr: precision needs a rate above 0");
  }
  return {"precision",
          std::string("precision at ") + (fpr ? "FPR " : "recall ") + shortest(fpr ? *fpr : *recall) + ", prior " +
              shortest(prior),
          {{fpr ? "fpr" : "recall", fpr ? *fpr : *recall}, {"prior", prior}},
          "attack/precision",
          [=](Attack& attack) -> Answer {
            const auto [value, direction] =
                fpr ? attack.precision_at_rate(prior, *fpr) : attack.precision_at_recall(prior, *recall);
            Answer answer{value.precision, direction, {{"odds_factor", value.odds_factor}}};
            if (recall) {
              answer.beside.emplace_back("least_fpr", value.false_rate);
            }
            answer.remark = "prior odds times " + rounded_up(value.odds_factor.upper, 4);
            return answer;
          }};
}

Question auc(double width) {
  return {"auc", "AUC", {}, "attack/auc", [width](Attack& attack) -> Answer {
            const Enclosure area = attack.area(width).value;
            return {area, "", {{"gini", clamp(scale(area, 2.0) + exactly(-1.0), 0.0, 1.0)}}};
          }};
}

Question reconstruction(double baseline) {
  return {"reconstruction",
          "reconstruction, baseline " + shortest(baseline),
          {{"baseline", baseline}},
          "attack/reconstruction",
          [baseline](Attack& attack) -> Answer {
            const auto [value, direction] = attack.reconstruction(baseline);
            return {value.power, direction, {{"gain", value.excess}}};
          }};
}

Question posterior(double odds, bool present) {
  return {present ? "posterior" : "posterior-of-absence",
          std::string("odds of ") + (present ? "presence" : "absence") + " times e^" + shortest(odds),
          {{"odds_epsilon", odds}},
          "attack/posterior",
          [=](Attack& attack) -> Answer {
            const auto [value, direction] =
                present ? attack.posterior_tail(odds) : attack.posterior_tail_of_absence(odds);
            return {value, direction, {}, present ? "along runs with the record" : "along runs without it"};
          }};
}

Question gdp(double floor, bool of_delta) {
  return {"gdp",
          std::string("mu where ") + (of_delta ? "delta" : "FPR") + " >= " + shortest(floor),
          {{of_delta ? "delta_floor" : "fpr_floor", floor}},
          "attack/regret",
          [=](Attack& attack) -> Answer {
            Answer answer{of_delta ? attack.gdp_parameter_above(floor) : attack.gdp_parameter_above_rate(floor)};
            if (answer.value.upper > 0.0 && std::isfinite(answer.value.upper)) {
              const Enclosure regret = attack.regret(answer.value.upper).regret;
              answer.beside.emplace_back("regret", regret);
              answer.remark = "regret " + rounded_up(regret.upper, 4);
            }
            return answer;
          }};
}

/// The names of --measure, each checked.
std::vector<std::string> names_of(const std::string& text) {
  const std::vector<std::string> known{"tpr", "advantage",      "bayes-error", "precision",
                                       "auc", "reconstruction", "posterior",   "gdp"};
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("--measure: \"" + name + "\" is none of " + joined(known) + suggestion(name, known));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<Question> questions(const AttackQuestion& asked) {
  const auto names = names_of(asked.measure);
  const bool points = !asked.fpr.empty() || !asked.prior.empty() || !asked.recall.empty() || !asked.baseline.empty() ||
                      !asked.odds.empty() || asked.mu_delta_floor || asked.mu_fpr_floor;
  const bool usual = names.empty() && !points;
  const auto wanted = [&](const char* name, bool given) {
    return names.empty() ? given || usual : std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto or_usual = [](const std::vector<double>& given, std::vector<double> fallback) {
    return given.empty() ? std::move(fallback) : given;
  };
  std::vector<Question> list;
  if (wanted("advantage", false)) {
    list.push_back(advantage());
  }
  if (wanted("tpr", !asked.fpr.empty())) {
    for (const double fpr : or_usual(asked.fpr, {0.001, 0.01})) {
      list.push_back(tpr(fpr));
    }
  }
  if (wanted("bayes-error", !asked.prior.empty())) {
    for (const double prior : or_usual(asked.prior, {0.5})) {
      list.push_back(bayes_error(prior));
    }
  }
  if (wanted("precision", (!asked.fpr.empty() && !asked.prior.empty()) || !asked.recall.empty())) {
    if (!usual && asked.fpr.empty() && asked.recall.empty()) {
      throw UsageError("--measure: precision needs --fpr or --recall: without one it tends to 1");
    }
    for (const double prior : or_usual(asked.prior, {usual ? 0.01 : 0.5})) {
      for (const double fpr : usual ? std::vector{0.01} : asked.fpr) {
        list.push_back(precision(prior, fpr, std::nullopt));
      }
      for (const double recall : asked.recall) {
        list.push_back(precision(prior, std::nullopt, recall));
      }
    }
  }
  if (wanted("auc", false)) {
    list.push_back(auc(usual ? 1e-5 : 1e-6));  // an area is a thousand questions
  }
  if (wanted("reconstruction", !asked.baseline.empty())) {
    for (const double baseline : or_usual(asked.baseline, {0.001})) {
      list.push_back(reconstruction(baseline));
    }
  }
  if (!usual && wanted("posterior", !asked.odds.empty())) {
    for (const double odds : or_usual(asked.odds, {2.0})) {
      list.push_back(posterior(odds, true));
      list.push_back(posterior(odds, false));
    }
  }
  if (wanted("gdp", asked.mu_delta_floor || asked.mu_fpr_floor)) {
    if (asked.mu_fpr_floor) {
      list.push_back(gdp(*asked.mu_fpr_floor, false));
    }
    if (asked.mu_delta_floor || !asked.mu_fpr_floor) {
      constexpr double usual_floor = 1e-10;
      list.push_back(gdp(asked.mu_delta_floor.value_or(usual_floor), true));
    }
  }
  return list;
}

}  // namespace dpcurves::queries
