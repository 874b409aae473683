// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/calibration.hpp>
#include <dpcurves/attack/candidates.hpp>
#include <dpcurves/attack/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::attack;

namespace {

using Json = nlohmann::json;
using Numbers = std::map<std::string, double>;

accounting::DpSgd run_of(const Json& in) {
  accounting::DpSgd run;
  run.sampling = mechanism::sampler_of(in.at("sampling").get<std::string>());
  run.adjacency = mechanism::adjacency_of(in.at("adjacency").get<std::string>());
  for (const Json& phase : in.value("phases", Json::array())) {
    run.phases.push_back({phase.at("noise_multiplier"), phase.at("sampling_rate"), phase.at("steps")});
  }
  return run;
}

Attack attack_of(const Json& in) {
  if (in.contains("mu")) {
    return Attack(exactly(in.at("mu").get<double>()));
  }
  if (in.contains("epsilon")) {
    return Attack(ApproximateDp{in.at("epsilon"), in.at("delta")});
  }
  return Attack(accounting::dp_sgd_guarantee(run_of(in)).directions);
}

Numbers gdp(const Json& in) {
  if (in.contains("epsilon")) {
    const Regret r = pure_dp_regret(in.at("epsilon"));
    return {{"mu", 0.0}, {"regret", r.regret.upper}, {"regret_at_epsilon", r.epsilon}};
  }
  Attack attack = attack_of(in);
  const Enclosure mu = in.contains("delta_floor") ? attack.gdp_parameter_above(in.at("delta_floor"))
                                                  : attack.gdp_parameter_above_rate(in.at("fpr_floor"));
  const Regret r = attack.regret(mu.upper);
  return {{"mu", mu.upper}, {"regret", r.regret.upper}, {"regret_at_epsilon", r.epsilon}};
}

Numbers precision(const Json& in) {
  Attack attack = attack_of(in);
  const Precision p = in.contains("fpr") ? attack.precision_at_rate(in.at("prior"), in.at("fpr")).value
                                         : attack.precision_at_recall(in.at("prior"), in.at("recall")).value;
  return {{"precision", p.precision.upper}, {"odds_factor", p.odds_factor.upper}, {"fpr", p.false_rate.lower}};
}

Numbers calibration(const Json& in) {
  const std::map<std::string, Measure> measures{{"advantage", Measure::advantage},
                                                {"tpr", Measure::power},
                                                {"reconstruction", Measure::reconstruction},
                                                {"auc", Measure::area}};
  Limit limit{measures.at(in.at("measure").get<std::string>()), in.at("target"),
              in.value("fpr", in.value("baseline", 0.0)), in.value("prior", 0.5)};
  accounting::DpSgd run = run_of(in);
  const Trial trial = [&](double noise, double relative) -> std::optional<Attack> {
    if (run.sampling == mechanism::Sampler::none) {
      return Attack(exactly(1.0 / noise));
    }
    run.phases = {{noise, in.at("sampling_rate"), in.at("steps")}};
    return Attack(accounting::dp_sgd_guarantee(run, {.relative = std::clamp(relative, 1e-9, 1e-4)}).directions);
  };
  accounting::CalibrationTarget target;
  target.tolerance = 1e-9;
  accounting::Parameter noise;
  noise.more_is_private = true;
  const auto found = calibrate(trial, noise, limit, target);
  return {{"noise_multiplier", found.value.value()}, {"mu", gaussian_mu(limit)}};
}

const std::map<std::string, std::function<Numbers(const Json&)>> calculators{
    {"tpr",
     [](const Json& in) {
       const auto r = attack_of(in).power(in.at("fpr"));
       return Numbers{{"tpr", r.value.power.upper}, {"excess", r.value.excess.upper}};
     }},
    {"advantage",
     [](const Json& in) {
       const auto r = attack_of(in).advantage().value;
       return Numbers{{"advantage", r.advantage.upper},
                      {"pure_epsilon_equivalent", r.pure_epsilon.upper},
                      {"mu_equivalent", r.mu.upper}};
     }},
    {"bayes-error",
     [](const Json& in) {
       const auto r = attack_of(in).bayes_error(in.at("prior")).value;
       return Numbers{{"bayes_error", r.error.lower}, {"accuracy", r.accuracy.upper}, {"gain", r.gain.upper}};
     }},
    {"precision", precision},
    {"auc",
     [](const Json& in) {
       const double auc = attack_of(in).area().value.upper;
       return Numbers{{"auc", auc}, {"gini", 2.0 * auc - 1.0}};
     }},
    {"reconstruction",
     [](const Json& in) {
       const auto r = attack_of(in).reconstruction(in.at("baseline")).value;
       return Numbers{{"success", r.power.upper}, {"gain", r.excess.upper}};
     }},
    {"posterior",
     [](const Json& in) {
       const double odds = in.at("odds_epsilon");
       Numbers result{{"probability", attack_of(in).posterior_tail(odds).value.upper}};
       if (in.contains("mu")) {
         result["pair_probability"] = gaussian_pair_tail(exactly(in.at("mu").get<double>()), odds).upper;
       }
       return result;
     }},
    {"gdp", gdp},
    {"candidates",
     [](const Json& in) {
       const double mu = in.at("mu"), n = in.at("candidates");
       return Numbers{{"success", candidate_success(mu, n).value},
                      {"bound", gaussian_power(exactly(mu), 1.0 / n).power.upper}};
     }},
    {"calibrate", calibration},
};

}  // namespace

TEST_CASE("the reference vectors of attack risk hold", "[attack][vectors]") {
  int checked = 0;
  for (const Json& vector : Json::parse(test::source_file("data/reference/attack-risk.json"))) {
    const std::string name = vector.at("calculator").get<std::string>();
    const auto calculator = calculators.find(name.substr(name.find('/') + 1));
    if (name.rfind("attack/", 0) != 0 || calculator == calculators.end()) {
      continue;
    }
    const Numbers got = calculator->second(vector.at("inputs"));
    const Json tolerance = vector.at("tolerance");
    for (const auto& [key, want] : vector.at("outputs").items()) {
      if (!want.is_number() || (name == "attack/gdp" && vector.at("inputs").contains("epsilon") && key == "mu")) {
        continue;
      }
      const Json own = tolerance.value("by_key", Json::object()).value(key, tolerance);
      CAPTURE(vector.at("id").get<std::string>(), key, want.get<double>(), got.at(key));
      CHECK(std::abs(got.at(key) - want.get<double>()) <=
            std::max(own.value("abs", 0.0), own.value("rel", 0.0) * std::abs(want.get<double>())));
      ++checked;
    }
  }
  CHECK(checked > 100);
}
