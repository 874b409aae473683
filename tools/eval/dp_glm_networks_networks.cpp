// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Differentially Private Non-convex Learning for Multi-layer Neural Networks": deep networks, the
// neural tangent kernel, the accounting of DP-SGD and the terms of Theorem 13.
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/integer_orders.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/models/arc_cosine.hpp>

#include "eval/calculator.hpp"

namespace dpcurves::tools::eval {
namespace {

/// A logarithm to base 10, "-inf" for zero.
Json decimal(double natural) { return number(natural / std::numbers::ln10); }

Json ntk_limit(const Inputs& in) {
  const auto limit = models::tangent_limit(in.number("rho"), in.number("L"));
  return {{"theta_over_m", limit.per_width},
          {"rho_last_hidden", limit.last_hidden},
          {"one_minus_rho_last_hidden", limit.last_complement}};
}

Json init_moments(const Inputs& in) {
  const auto moments = models::initial_moments(in.number("m"), in.number("L"), in.number("d"));
  return {{"E_h_sq", moments.hidden_square},
          {"E_h_4", number(moments.hidden_fourth)},
          {"log10_E_h_4", decimal(moments.log_hidden_fourth)},
          {"E_f_sq", moments.output_square},
          {"E_f_4", number(moments.output_fourth)},
          {"E_W1_fro_sq", number(moments.first_layer)},
          {"E_Whidden_fro_sq", number(moments.hidden_layer)},
          {"E_WL_fro_sq", moments.last_layer},
          {"params", number(moments.parameters)},
          {"grad_norm_limit", number(moments.gradient_limit)}};
}

Json rdp_subsampled(const Inputs& in) {
  const double q = in.number("q"), z = in.number("sigma"), order = in.number("alpha");
  if (order <= 1e5) {
    return {{"rdp", number(accounting::integer_order_renyi(q, z, order))}, {"method", "binomial sum"}};
  }
  if (1.0 / z <= 100.0) {
    const auto ends = accounting::poisson_renyi(q, 1.0 / z, order, accounting::Direction::remove);
    return {{"rdp", number(ends.upper)}, {"method", "quadrature"}};
  }
  // The term k = a is larger than all others together by a factor above exp((a - 1)/z^2 - 760).
  const double rdp = (order / z * (0.5 / z)) + order / (order - 1.0) * std::log(q);
  return {{"rdp", number(rdp)}, {"method", "largest term"}};
}

Json dpsgd_accounting(const Inputs& in) {
  const double q = in.number("q"), z = in.number("noise_multiplier"), steps = in.number("T"),
               delta = in.number("delta");
  accounting::DpSgd run;
  run.phases = {{z, q, steps}};
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-4;  // of delta: a hundred times less of epsilon, and contours that are accepted early
  const auto answer = accounting::dp_sgd_guarantee(run, accuracy).curve->epsilon(delta);
  const auto renyi = accounting::epsilon_by_integer_orders(q, z, steps, delta);
  // What may be promised is eps_upper; eps_numeric is the middle of ends that are mostly 1e-8 apart.
  const double epsilon = answer.value.middle();
  return {{"eps_numeric", number(epsilon)},
          {"eps_lower", number(answer.value.lower)},
          {"eps_upper", number(answer.value.upper)},
          {"worst_direction", answer.direction},
          {"method", answer.method},
          {"eps_rdp", number(renyi.epsilon)},
          {"rdp_order", number(renyi.order)},
          {"c2_implied", number(z * epsilon / (q * std::sqrt(steps * -std::log(delta))))}};
}

Json batch_tail(const Inputs& in) {
  const auto tail = bounds::batch_tail(in.number("n"), in.number("q"), in.number("a"), in.number("T"));
  return {{"p_single", tail.single.probability},
          {"log10_p_single", decimal(tail.single.log)},
          {"p_any_of_T", tail.any.probability},
          {"log10_p_any_of_T", decimal(tail.any.log)},
          {"chernoff_single", std::exp(tail.log_chernoff)},
          {"log10_chernoff_single", decimal(tail.log_chernoff)},
          {"count", number(tail.count)}};
}

Json gaussian_norm_tail(const Inputs& in) {
  const auto tail = bounds::norm_tail(in.number("dim"), in.number("sigma"), in.number("t"));
  return {{"exact", tail.exact.probability},
          {"log10_exact", decimal(tail.exact.log)},
          {"bound", std::exp(tail.log_bound)},
          {"log10_bound", decimal(tail.log_bound)},
          {"printed_bound", std::exp(tail.log_printed)},
          {"log10_printed_bound", decimal(tail.log_printed)}};
}

Json thm13_terms(const Inputs& in) {
  bounds::NetworkTraining s;
  s.slope = in.number("S");
  s.depth = in.number("L");
  s.radius = in.number("R");
  s.width = in.number("m");
  s.steps = in.number("T");
  s.clip = in.number("C");
  s.records = in.number("n");
  s.inputs = in.number("d");
  s.epsilon = in.number("eps");
  s.delta = in.number("delta");
  s.failure = in.number("xi");
  s.noise_failure = in.number("gamma");
  const auto terms = bounds::network_terms(s);
  const auto failed = bounds::violations(s);
  Json list = Json::array();
  for (const auto& one : failed) {
    list.push_back(one.assumption + ": " + one.found);
  }
  return {{"convergence", number(terms.convergence)},
          {"privacy", number(terms.privacy)},
          {"log10_privacy", decimal(terms.log_privacy)},
          {"delta_almost_convex", number(terms.almost_convex)},
          {"eta", number(terms.step_size)},
          {"m_required_printed", number(std::exp(terms.log_width_required_printed))},
          {"log10_m_required_printed", decimal(terms.log_width_required_printed)},
          {"m_required_rederived", number(std::exp(terms.log_width_required_rederived))},
          {"log10_m_required_rederived", decimal(terms.log_width_required_rederived)},
          {"log10_m_required_sharp", decimal(terms.log_width_required_sharp)},
          {"n_required", number(terms.records_required)},
          {"log10_n_required", decimal(terms.log_records_required)},
          {"params", number(terms.parameters)},
          {"conditions_met", failed.empty()},
          {"conditions_failed", list}};
}

}  // namespace

std::vector<Calculator> dp_glm_networks_network_calculators() {
  const std::string positive = "(0, inf)", counts = "[1, inf)", chance = "(0, 1)";
  const Key q = number_key("q", "(0, 1]", "Poisson sampling rate M/n"), m = integer_key("m", counts, "width"),
            L = integer_key("L", "[2, inf)", "weight matrices"), d = integer_key("d", counts, "inputs"),
            delta = number_key("delta", chance, "delta"), T = integer_key("T", "[1, 1e15]", "steps");
  std::vector<Calculator> list{
      {"ntk-limit",
       "neural tangent kernel per unit width of Algorithm 10's initialisation, infinite width (Definition 8, Lemma 22)",
       {number_key("rho", "[-1, 1]", "<x, x'>, unit vectors"), integer_key("L", "[2, 1e8]", "weight matrices")},
       ntk_limit},
      {"init-moments",
       "exact moments of Algorithm 10's network at its initialisation, |x| = 1 (Lemmas 20, 22, 26; Assumption 4)",
       {m, L, d},
       init_moments},
      {"rdp-subsampled",
       "Renyi divergence of one Poisson-subsampled Gaussian step at an integer order, add or remove",
       {q, number_key("sigma", positive, "noise multiplier"), integer_key("alpha", "[2, 1e12]", "Renyi order")},
       rdp_subsampled},
      {"dpsgd-accounting",
       "epsilon of DP-SGD with Poisson batches, add or remove: middle and certified ends; Renyi at orders 2..511",
       {q, number_key("noise_multiplier", positive, "noise over the clipping norm"), T, delta},
       dpsgd_accounting},
      {"batch-tail",
       "lower tail of a Poisson batch, exactly, and Chernoff's bound (Lemma 23)",
       {integer_key("n", "[2, inf)", "records"), q, number_key("a", "[0, 1]", "shortfall: at most (1 - a) q n records"),
        integer_key("T", counts, "batches")},
       batch_tail},
      {"gaussian-norm-tail",
       "P(|X| > t), X ~ N(0, sigma^2 I): exact, Lemma 24 corrected, and as printed",
       {integer_key("dim", counts, "dimension"), number_key("sigma", positive, "standard deviation per coordinate"),
        number_key("t", positive, "threshold")},
       gaussian_norm_tail},
      {"thm13-terms",
       "terms and conditions of Theorem 13, a rate: hidden constants 1",
       {number_key("S", positive, "Lipschitz constant of the loss in the output"), L,
        number_key("R", positive, "radius"), m, integer_key("T", counts, "steps"),
        number_key("C", positive, "clip norm"), integer_key("n", "[2, inf)", "records"), d,
        number_key("eps", "(0, inf]", "epsilon"), delta, number_key("xi", chance, "failure chance of the convergence"),
        number_key("gamma", chance, "failure chance of the noise"),
        optional(number_key("gamma1", chance, "failure chance of the initialisation; not in the terms"), 0.05)},
       thm13_terms}};
  for (auto& calculator : list) {
    calculator.name = "dp-glm-networks/" + calculator.name;
  }
  return list;
}

}  // namespace dpcurves::tools::eval
