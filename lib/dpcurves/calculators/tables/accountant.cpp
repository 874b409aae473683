// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The accountant of DP-SGD.
#include <algorithm>
#include <utility>

#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/calculators/tables/dp_sgd_run.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::calculators {
mechanism::Adjacency adjacency_of(const std::string& word, mechanism::Sampler sampling) {
  return word == "usual" ? mechanism::usual_adjacency(sampling) : mechanism::adjacency_of(word);
}

accounting::DpSgd run_of(const DpSgdRun& s) {
  accounting::DpSgd run{
      .sampling = s.sampling, .adjacency = adjacency_of(s.adjacency, s.sampling), .uses_per_round = s.uses_per_round};
  for (const auto& phase : s.phases) {
    const double noise = s.adaptive_clipping ? accounting::with_counts(phase.noise_multiplier, *s.adaptive_clipping)
                                             : phase.noise_multiplier;
    run.phases.push_back({noise, phase.sampling_rate, phase.steps, {}, s.records, s.cycle, s.largest_batch});
  }
  run.group_size = s.group_size;
  run.separation = s.separation;
  for (const auto& release : s.unsampled) {
    run.unsampled.push_back({release.noise_multiplier, release.count});
  }
  return run;
}

accounting::Guarantee guarantee_of(const DpSgdRun& s) {
  auto guarantee = accounting::dp_sgd_guarantee(run_of(s));
  require_theorem(guarantee.theorem.c_str(), guarantee.violations);
  return guarantee;
}

namespace {

/// The worst and each direction, under the name of what was asked.
template <class Ask>
Record answers(const DpSgdRun& run, const std::string& asked, const Ask& ask) {
  const auto guarantee = guarantee_of(run);
  Enclosure worst{0.0, 0.0};
  Record directions;
  for (const auto& one : guarantee.directions) {
    const accounting::Answer answer = ask(*one.curve);
    directions.add(std::string(one.direction), {Record{{asked, {answer.value.upper}},
                                                       {asked + "_lower", {answer.value.lower}},
                                                       {"method", to_value(answer.method)}}});
    worst = {std::max(worst.lower, answer.value.lower), std::max(worst.upper, answer.value.upper)};
  }
  if (guarantee.directions.empty()) {
    worst = ask(*guarantee.curve).value;
  }
  return {{asked, {worst.upper}},
          {asked + "_lower", {worst.lower}},
          {"theorem", to_value(guarantee.theorem)},
          {"directions", {directions}}};
}

Record epsilon_at(const DpSgdRun& run, double delta) {
  return answers(run, "epsilon", [delta](const auto& curve) { return curve.epsilon(delta); });
}

Record delta_at(const DpSgdRun& run, double epsilon) {
  return answers(run, "delta", [epsilon](const auto& curve) { return curve.delta(epsilon); });
}

Record renyi_at(const DpSgdRun& run, double order) {
  return answers(run, "renyi", [order](const auto& curve) {
    return accounting::Answer{curve.renyi(order), "quadrature"};
  });
}

Record tradeoff_at(const DpSgdRun& run, double type_one_error) {
  const auto guarantee = guarantee_of(run);
  const Enclosure f = guarantee.curve->type_two_errors(std::vector{type_one_error}).front();
  return {{"f", {f.lower}}, {"f_upper", {f.upper}}, {"theorem", to_value(guarantee.theorem)}};
}

Record least_mu(const DpSgdRun& run, double delta_floor) {
  const auto guarantee = guarantee_of(run);
  if (!guarantee.curve->mu()) {
    throw DomainError("the smallest mu of " + guarantee.theorem + " is not computed here");
  }
  const Enclosure least = *guarantee.curve->mu();
  const Enclosure above = accounting::gdp_parameter_above(*guarantee.curve, delta_floor);
  return {{"mu", {least.upper}},
          {"mu_lower", {least.lower}},
          {"mu_above", {above.upper}},
          {"mu_above_lower", {above.lower}},
          {"theorem", to_value(guarantee.theorem)}};
}

}  // namespace

std::vector<Calculator> accountant() {
  return {
      calculator<&epsilon_at>(
          "epsilon",
          {"poisson-subsampled-gaussian", "poisson-replace-one", "fixed-size-lemma-c", "full-batch",
           "without-amplification", "group-mixture", "fixed-size-presence", "with-replacement", "multiplicity",
           "cyclic-poisson", "truncated-poisson", "random-allocation", "central-limit"},
          "certified epsilon of DP-SGD at delta, both directions", {argument("delta", "delta", "(0, 1)", "delta")}),
      calculator<&delta_at>("delta",
                            {"poisson-subsampled-gaussian", "poisson-replace-one", "fixed-size-lemma-c", "full-batch",
                             "without-amplification", "group-mixture", "fixed-size-presence", "with-replacement",
                             "multiplicity", "cyclic-poisson", "truncated-poisson", "random-allocation"},
                            "certified delta of DP-SGD at epsilon, both directions",
                            {argument("epsilon", "epsilon", "(-inf, inf)", "epsilon")}),
      calculator<&tradeoff_at>(
          "tradeoff",
          {"poisson-subsampled-gaussian", "poisson-replace-one", "fixed-size-lemma-c", "full-batch",
           "without-amplification", "group-mixture", "fixed-size-presence", "with-replacement", "multiplicity",
           "cyclic-poisson", "truncated-poisson", "random-allocation"},
          "certified trade-off function of DP-SGD, the lower of the directions",
          {argument("type_one_error", "alpha", "[0, 1]", "type I error")}),
      calculator<&renyi_at>("renyi",
                            {"poisson-subsampled-gaussian", "poisson-replace-one", "fixed-size-lemma-c", "full-batch",
                             "without-amplification", "random-allocation", "renyi"},
                            "Renyi divergence of DP-SGD, both directions",
                            {argument("order", "order", "(1, 1e12]", "order")}),
      calculator<&least_mu>("mu",
                            {"poisson-subsampled-gaussian", "poisson-replace-one", "fixed-size-lemma-c", "full-batch",
                             "without-amplification", "random-allocation", "smallest-mu"},
                            "the smallest mu of DP-SGD, and the one that is enough above a delta",
                            {argument("delta_floor", "delta_floor", "(0, 1)", "where delta is at least this", 1e-15)})};
}

}  // namespace dpcurves::calculators
