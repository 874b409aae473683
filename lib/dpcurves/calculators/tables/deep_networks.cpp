// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Deep networks of "Differentially Private Non-convex Learning for Multi-layer Neural Networks".
#include <cmath>

#include <dpcurves/accounting/detail/integer_orders.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/models/arc_cosine.hpp>

namespace dpcurves::calculators {
namespace {

Record initial_moments(double width, double depth, double inputs) {
  const auto moments = models::initial_moments(width, depth, inputs);
  Record answer = to_record(moments);
  answer.entries().back() = {"log10_E_h_4", {log10_of(moments.log_hidden_fourth)}};
  return answer;
}

Record integer_renyi(double rate, double noise_multiplier, double order) {
  const auto answer = [](double rdp, const char* method) {
    return Record{{"rdp", {rdp}}, {"method", {std::string(method)}}};
  };
  const double q = rate, z = noise_multiplier;
  if (order <= 1e5) {
    return answer(accounting::integer_order_renyi(q, z, order), "binomial sum");
  }
  if (1.0 / z <= 100.0) {
    return answer(accounting::poisson_renyi(q, 1.0 / z, order, accounting::Direction::remove).upper, "quadrature");
  }
  // The term k = a is larger than all others together by a factor above exp((a - 1)/z^2 - 760).
  return answer((order / z * (0.5 / z)) + order / (order - 1.0) * std::log(q), "largest term");
}

Record dp_sgd_epsilon(double rate, double noise_multiplier, double steps, double delta) {
  accounting::DpSgd run;
  run.phases = {{noise_multiplier, rate, steps}};
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-4;  // of delta: a hundred times less of epsilon, and contours that are accepted early
  const auto answer = accounting::dp_sgd_guarantee(run, accuracy).curve->epsilon(delta);
  const auto renyi = accounting::epsilon_by_integer_orders(rate, noise_multiplier, steps, delta);
  // What may be promised is eps_upper; eps_numeric is the middle of ends that are mostly 1e-8 apart.
  const double epsilon = answer.value.middle();
  return {{"eps_numeric", {epsilon}},
          {"eps_lower", {answer.value.lower}},
          {"eps_upper", {answer.value.upper}},
          {"worst_direction", to_value(answer.direction)},
          {"method", to_value(answer.method)},
          {"eps_rdp", {renyi.epsilon}},
          {"rdp_order", {renyi.order}},
          {"c2_implied", {noise_multiplier * epsilon / (rate * std::sqrt(steps * -std::log(delta)))}}};
}

Record batch_tail(double records, double rate, double shortfall, double steps) {
  const auto tail = bounds::batch_tail(records, rate, shortfall, steps);
  return {{"p_single", {tail.single.probability}},
          {"log10_p_single", {log10_of(tail.single.log)}},
          {"p_any_of_T", {tail.any.probability}},
          {"log10_p_any_of_T", {log10_of(tail.any.log)}},
          {"chernoff_single", {std::exp(tail.log_chernoff)}},
          {"log10_chernoff_single", {log10_of(tail.log_chernoff)}},
          {"count", {tail.count}}};
}

Record norm_tail(double dimension, double deviation, double threshold) {
  const auto tail = bounds::norm_tail(dimension, deviation, threshold);
  return {{"exact", {tail.exact.probability}},
          {"log10_exact", {log10_of(tail.exact.log)}},
          {"bound", {std::exp(tail.log_bound)}},
          {"log10_bound", {log10_of(tail.log_bound)}},
          {"printed_bound", {std::exp(tail.log_printed)}},
          {"log10_printed_bound", {log10_of(tail.log_printed)}}};
}

Record theorem_13(const bounds::NetworkTraining& s) {
  const auto terms = bounds::network_terms(s);
  std::vector<std::string> failed;
  for (const auto& one : bounds::verdict(s).violations) {
    failed.push_back(one.assumption + ": " + one.found);
  }
  return {{"convergence", {terms.convergence}},
          {"privacy", {terms.privacy}},
          {"log10_privacy", {log10_of(terms.log_privacy)}},
          {"delta_almost_convex", {terms.almost_convex}},
          {"eta", {terms.step_size}},
          {"m_required_printed", {std::exp(terms.log_width_required_printed)}},
          {"log10_m_required_printed", {log10_of(terms.log_width_required_printed)}},
          {"m_required_rederived", {std::exp(terms.log_width_required_rederived)}},
          {"log10_m_required_rederived", {log10_of(terms.log_width_required_rederived)}},
          {"log10_m_required_sharp", {log10_of(terms.log_width_required_sharp)}},
          {"n_required", {terms.records_required}},
          {"log10_n_required", {log10_of(terms.log_records_required)}},
          {"params", {terms.parameters}},
          {"conditions_met", {failed.empty()}},
          {"conditions_failed", to_value(failed)}};
}

// --- tables ---------------------------------------------------------------------------------------------------------

const FieldInfo width = argument("width", "m", whole("[1, inf)"), "width"),
                depth = argument("depth", "L", whole("[2, inf)"), "weight matrices"),
                inputs = argument("inputs", "d", whole("[1, inf)"), "inputs"),
                rate = argument("rate", "q", "(0, 1]", "Poisson sampling rate M/n");

}  // namespace

std::vector<Calculator> deep_networks() {
  const FieldInfo chance = argument("delta", "delta", "(0, 1)", "delta");
  return {
      calculator<&models::tangent_limit>(
          "ntk-limit", {"definition-8", "theorem-13", "lemma-18", "lemma-22"},
          "neural tangent kernel per unit width of Algorithm 10's initialisation, infinite width (Definition 8, Lemma "
          "22)",
          {argument("correlation", "rho", "[-1, 1]", "<x, x'>, unit vectors"),
           argument("depth", "L", whole("[2, 1e8]"), "weight matrices")}),
      calculator<&initial_moments>(
          "init-moments", {"assumption-4", "algorithm-10", "remark-17", "lemma-20", "lemma-22", "lemma-26", "lemma-27"},
          "exact moments of Algorithm 10's network at its initialisation, |x| = 1 (Lemmas 20, 22, 26; Assumption 4)",
          {width, depth, inputs}),
      calculator<&integer_renyi>(
          "rdp-subsampled", {"algorithm-10"},
          "Renyi divergence of one Poisson-subsampled Gaussian step at an integer order, add or remove",
          {rate, argument("noise_multiplier", "sigma", "(0, inf)", "noise multiplier"),
           argument("order", "alpha", whole("[2, 1e12]"), "Renyi order")}),
      calculator<&dp_sgd_epsilon>(
          "dpsgd-accounting", {"algorithm-10", "theorem-13", "figure-2", "figure-3", "figure-4", "figure-5"},
          "epsilon of DP-SGD with Poisson batches, add or remove: middle and certified ends; Renyi at orders 2..511",
          {rate, argument("noise_multiplier", "noise_multiplier", "(0, inf)", "noise over the clipping norm"),
           argument("steps", "T", whole("[1, 1e15]"), "steps"), chance}),
      calculator<&batch_tail>("batch-tail", {"algorithm-10", "lemma-23"},
                              "lower tail of a Poisson batch, exactly, and Chernoff's bound (Lemma 23)",
                              {argument("records", "n", whole("[2, inf)"), "records"), rate,
                               argument("shortfall", "a", "[0, 1]", "shortfall: at most (1 - a) q n records"),
                               argument("steps", "T", whole("[1, inf)"), "batches")}),
      calculator<&norm_tail>("gaussian-norm-tail", {"lemma-24"},
                             "P(|X| > t), X ~ N(0, sigma^2 I): exact, Lemma 24 corrected, and as printed",
                             {argument("dimension", "dim", whole("[1, inf)"), "dimension"),
                              argument("deviation", "sigma", "(0, inf)", "standard deviation per coordinate"),
                              argument("threshold", "t", "(0, inf)", "threshold")}),
      calculator<&theorem_13>("thm13-terms", {"theorem-13", "remark-14", "remark-15", "lemma-19", "lemma-25"},
                              "terms and conditions of Theorem 13, a rate: hidden constants 1")
          .ignore(argument("initial_failure", "gamma1", "(0, 1)",
                           "failure chance of the initialisation; not in the terms", 0.05))};
}

}  // namespace dpcurves::calculators
