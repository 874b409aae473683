// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The calculators of the accountant of DP-SGD: JSON in, library call, JSON out.
#include <algorithm>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/core/assumption.hpp>

#include "eval/calculator.hpp"

namespace dpcurves::tools::eval {
namespace {

const Key steps_key = integer_key("steps", "[0, 1e15]", "how many");
const Key noise_key = number_key("noise_multiplier", "(0, inf)", "noise over the clipping norm");
const std::vector<Key> run_keys{
    optional(text_key("sampling", "poisson, fixed-size, shuffled, cyclic, random-allocation or none"), "poisson"),
    optional(text_key("adjacency", "add-or-remove, add, remove, replace-one, zero-out, or usual for the sampling"),
             "usual"),
    optional(integer_key("uses_per_round", "[1, inf)", "random allocation: of floor(uses/q) steps"), 1.0),
    objects_key(
        "phases",
        {noise_key, optional(number_key("sampling_rate", "[0, 1]", "q; not used without sampling"), 1.0), steps_key},
        "steps of one kind each"),
    optional(objects_key("unsampled", {noise_key, integer_key("count", "[0, 1e15]", "how often")},
                         "sums over all records that are released too"),
             Json::array())};

std::vector<Key> with(Key more) {
  std::vector<Key> keys = run_keys;
  keys.push_back(std::move(more));
  return keys;
}

accounting::DpSgd run_of(const Inputs& in) {
  accounting::DpSgd run;
  run.sampling = mechanism::sampler_of(in.text("sampling"));
  const std::string adjacency = in.text("adjacency");
  run.adjacency =
      adjacency == "usual" ? mechanism::usual_adjacency(run.sampling) : mechanism::adjacency_of(adjacency);
  run.uses_per_round = in.number("uses_per_round");
  for (const Inputs& phase : in.objects("phases")) {
    run.phases.push_back({phase.number("noise_multiplier"), phase.number("sampling_rate"), phase.number("steps")});
  }
  for (const Inputs& release : in.objects("unsampled")) {
    run.unsampled.push_back({release.number("noise_multiplier"), release.number("count")});
  }
  return run;
}

accounting::Guarantee guarantee_of(const Inputs& in) {
  auto guarantee = accounting::dp_sgd_guarantee(run_of(in));
  require_theorem(guarantee.theorem.c_str(), guarantee.violations);
  return guarantee;
}

/// The worst and each direction, under the name of what was asked.
template <class Ask>
Json answers(const Inputs& in, const std::string& asked, const Ask& ask) {
  const auto guarantee = guarantee_of(in);
  Enclosure worst{0.0, 0.0};
  Json json = Json::object();
  Json directions = Json::object();
  for (const auto& one : guarantee.directions) {
    const accounting::Answer answer = ask(*one.curve);
    directions[one.direction] = {
        {asked, number(answer.value.upper)}, {asked + "_lower", number(answer.value.lower)}, {"method", answer.method}};
    worst = {std::max(worst.lower, answer.value.lower), std::max(worst.upper, answer.value.upper)};
  }
  json[asked] = number(worst.upper);
  json[asked + "_lower"] = number(worst.lower);
  json["theorem"] = guarantee.theorem;
  json["directions"] = directions;
  return json;
}

Json epsilon(const Inputs& in) {
  const double delta = in.number("delta");
  return answers(in, "epsilon", [delta](const auto& curve) { return curve.epsilon(delta); });
}

Json delta(const Inputs& in) {
  const double epsilon = in.number("epsilon");
  return answers(in, "delta", [epsilon](const auto& curve) { return curve.delta(epsilon); });
}

Json renyi(const Inputs& in) {
  const double order = in.number("order");
  return answers(in, "renyi", [order](const auto& curve) {
    return accounting::Answer{curve.renyi(order), "quadrature"};
  });
}

Json tradeoff(const Inputs& in) {
  const auto guarantee = guarantee_of(in);
  const std::vector<double> at{in.number("alpha")};
  const Enclosure f = guarantee.curve->type_two_errors(at).front();
  return {{"f", number(f.lower)}, {"f_upper", number(f.upper)}, {"theorem", guarantee.theorem}};
}

Json mu(const Inputs& in) {
  const auto guarantee = guarantee_of(in);
  const double floor = in.number("delta_floor");
  const Enclosure least = *guarantee.curve->mu();
  const Enclosure above = accounting::gdp_parameter_above(*guarantee.curve, floor);
  return {{"mu", number(least.upper)},
          {"mu_lower", number(least.lower)},
          {"mu_above", number(above.upper)},
          {"mu_above_lower", number(above.lower)},
          {"theorem", guarantee.theorem}};
}

}  // namespace

std::vector<Calculator> accountant_calculators() {
  return {{"accountant/epsilon", "certified epsilon of DP-SGD at delta, both directions",
           with(number_key("delta", "(0, 1)", "delta")), epsilon},
          {"accountant/delta", "certified delta of DP-SGD at epsilon, both directions",
           with(number_key("epsilon", "(-inf, inf)", "epsilon")), delta},
          {"accountant/tradeoff", "certified trade-off function of DP-SGD, the lower of the directions",
           with(number_key("alpha", "[0, 1]", "type I error")), tradeoff},
          {"accountant/renyi", "Renyi divergence of DP-SGD, both directions",
           with(number_key("order", "(1, 1e12]", "order")), renyi},
          {"accountant/mu", "the smallest mu of DP-SGD, and the one that is enough above a delta",
           with(optional(number_key("delta_floor", "(0, 1)", "where delta is at least this"), 1e-15)), mu}};
}

}  // namespace dpcurves::tools::eval
