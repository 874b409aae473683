// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed Data": the
// theorems, clipping, conditions and privacy.
#include <cmath>

#include <dpcurves/bounds/long_tail_clipping.hpp>
#include <dpcurves/bounds/long_tail_conditions.hpp>
#include <dpcurves/bounds/long_tail_memorization.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

[[noreturn]] void outside(const Inputs& in, const char* key, const std::string& range) {
  throw DomainError(std::string(key) + ": " + shortest(in.number(key)) + " is outside " + range);
}

/// The list of pairs [n_j, F_kj].
std::vector<bounds::OtherClass> other_classes(const Inputs& in) {
  const Json& given = in.json("classes_nj_Fkj");
  if (!given.is_array()) {
    throw UsageError("classes_nj_Fkj: is not a list of pairs [n_j, F_kj]");
  }
  if (given.empty()) {
    throw DomainError("classes_nj_Fkj: is empty; one pair [n_j, F_kj] for each other class");
  }
  std::vector<bounds::OtherClass> others;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Json& pair = given[i];
    const std::string where = "classes_nj_Fkj[" + std::to_string(i) + "]";
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) {
      throw UsageError(where + ": is not a pair [n_j, F_kj]");
    }
    others.push_back({pair[0].get<double>(), pair[1].get<double>()});
    for (std::size_t part = 0; part < 2; ++part) {
      const double value = pair[part].get<double>();
      if (!(value > 0.0 && std::isfinite(value))) {
        throw DomainError(where + "[" + std::to_string(part) + "]: " + shortest(value) + " is outside (0, inf)");
      }
    }
  }
  return others;
}

// --- clipping -------------------------------------------------------------------------------------------------------

Json gradient_norm_bound(const Inputs& in) {
  return {{"bound", number(bounds::gradient_norm_bound(in.number("m"), in.number("residual"), in.number("u_norm"),
                                                       in.number("xi_norm2")))}};
}

Json clip_multiplier_lower_bound(const Inputs& in) {
  return {{"h_lower", bounds::clip_multiplier_lower_bound(in.number("C"), in.number("m"), in.number("u_norm"),
                                                          in.number("xi_norm2"))}};
}

Json clipping_factor_lambda(const Inputs& in) {
  if (in.number("u_norm") == 0.0 && in.number("frob_A") == 0.0) {
    throw DomainError("u_norm: 0 is outside (0, inf), the range where frob_A is 0");
  }
  return {{"Lambda", number(bounds::clipping_factor(in.number("C"), in.number("u_norm"), in.number("frob_A")))}};
}

// --- the theorems ---------------------------------------------------------------------------------------------------

Json thm1_noise_memorization(const Inputs& in) {
  if (in.number("sum_1_minus_logit") > in.number("T")) {
    outside(in, "sum_1_minus_logit", "[0, T]");
  }
  bounds::NoiseMemorization s;
  s.step_size = in.number("eta");
  s.clipping_factor = in.number("Lambda");
  s.records = in.number("n");
  s.filters = in.number("m");
  s.steps = in.number("T");
  s.summed_residuals = in.number("sum_1_minus_logit");
  s.noise_norm_squared = in.number("xi_norm2");
  s.noise_norm = in.number("xi_norm");
  s.private_noise = in.number("sigma_n");
  s.noise_frobenius = in.number("frob_A");
  s.failure_probability = in.number("delta");
  s.lead_constant = in.number("c1");
  s.noise_constant = in.number("c2");
  const auto bound = bounds::noise_memorization(s);
  return {{"lead", number(bound.lead)},     {"U_stated", number(bound.stated)},
          {"U_proof", number(bound.proof)}, {"U_sharp", number(bound.sharp)},
          {"c1", s.lead_constant},          {"c2", s.noise_constant}};
}

Json thm2_training_loss(const Inputs& in) {
  bounds::TrainingLoss s;
  s.step_size = in.number("eta");
  s.clipping_factor = in.number("Lambda");
  s.steps = in.number("T");
  s.class_records = in.number("n_k");
  s.records = in.number("n");
  s.filters = in.number("m");
  s.dimension = in.number("d");
  s.signal_norm = in.number("u_norm");
  s.private_noise = in.number("sigma_n");
  s.noise_frobenius = in.number("frob_A");
  s.initial_loss = in.number("loss0");
  s.rate_constant = in.number("c1");
  s.floor_constant = in.number("c2");
  const auto bound = bounds::training_loss_bound(s);
  return {{"rate", number(bound.rate)},
          {"vanishing", number(bound.vanishing)},
          {"privacy", number(bound.privacy)},
          {"total", number(bound.total)},
          {"privacy_no_sqrt_d", number(bound.privacy_without_dimension)},
          {"c1", s.rate_constant},
          {"c2", s.floor_constant}};
}

Json affine_contraction_iterate(const Inputs& in) {
  return {{"aT", number(bounds::affine_contraction_iterate(in.number("r"), in.number("b"), in.number("T"),
                                                           in.number("a0")))}};
}

Json shown(const bounds::TestErrorBound& bound) {
  return {{"numerator", number(bound.numerator)},
          {"raw_sum", number(bound.raw_sum)},
          {"bound", number(bound.bound)},
          {"vacuous", bound.vacuous}};
}

/// What the forms of the first part share; the factor is Lambda or h.
bounds::GeneralTestError general_setting(const Inputs& in, const char* factor) {
  bounds::GeneralTestError s;
  s.class_records = in.number("n_k");
  s.clipping_factor = in.number(factor);
  s.signal_norm = in.number("u_norm");
  s.records = in.number("n");
  s.failure_probability = in.number("delta");
  s.others = other_classes(in);
  s.noise_frobenius = in.number("frob_A");
  s.exponent_constant = in.number("c1");
  return s;
}

Json thm3_general_bound(const Inputs& in) {
  auto s = general_setting(in, "Lambda");
  s.private_noise = in.number("sigma_n");
  s.condition_constant = in.number("C1");
  const auto bound = bounds::general_test_error(s);
  Json json = shown(bound);
  json["condition_holds"] = bound.condition_holds;
  json["c1"] = s.exponent_constant;
  json["C1"] = s.condition_constant;
  return json;
}

Json thm3_general_bound_scale_consistent(const Inputs& in) {
  auto s = general_setting(in, "h");
  s.private_noise = in.number("sigma_n");
  Json json = shown(bounds::scale_consistent_test_error(s, in.number("m"), in.number("T")));
  json["c1"] = s.exponent_constant;
  return json;
}

Json thm3_long_tail_bound(const Inputs& in) {
  bounds::LongTailTestError s;
  s.class_records = in.number("n_k");
  s.clipping_factor = in.number("Lambda");
  s.own_frobenius = in.number("F_kk");
  s.records = in.number("n");
  s.private_noise = in.number("sigma_n");
  s.dimension = in.number("d");
  s.noise_operator = in.number("op_A");
  s.others = other_classes(in);
  s.noise_frobenius = in.number("frob_A");
  s.exponent_constant = in.number("c2");
  s.condition_constant = in.number("C2");
  const auto bound = bounds::long_tail_test_error(s, in.number("L"));
  Json json = shown(bound);
  json["L_break_even"] = number(bounds::break_even_tail_level(s));
  json["condition_holds"] = bound.condition_holds;
  json["c2"] = s.exponent_constant;
  json["C2"] = s.condition_constant;
  return json;
}

Json condition1_report(const Inputs& in) {
  bounds::LongTailSetting s;
  s.noise = {in.number("K"), in.number("d"), in.number("e0"), in.number("lam")};
  if (s.noise.dimension < 2.0 * s.noise.classes) {
    outside(in, "d", "[2 K, inf)");
  }
  s.signal_norm = in.number("u_norm");
  s.records = in.number("n");
  s.filters = in.number("m");
  s.batch = in.number("B");
  s.steps = in.number("T");
  s.failure_probability = in.number("delta");
  s.step_size = in.number("eta");
  s.clip = in.number("C");
  s.private_noise = in.number("sigma_n");
  s.initial_scale = in.number("sigma0");
  s.c1 = in.number("c1");
  s.c2 = in.number("c2");
  s.c = in.number("c");
  const auto conditions = bounds::long_tail_conditions(s);
  Json json = Json::object();
  for (const auto& condition : conditions) {
    const std::string name(condition.name);
    const bool step = name.starts_with("eta_");  // eta_rhs_clip
    json[name + "_lhs"] = number(condition.left);
    json[step ? "eta_rhs" + name.substr(3) : name + "_rhs"] = number(condition.right);
    json[name + "_holds"] = condition.holds;
  }
  const auto failing = bounds::violated(conditions);
  json["violated"] = failing;
  json["all_hold"] = failing.empty();
  for (const char* constant : {"c1", "c2", "c"}) {
    json[constant] = in.number(constant);
  }
  return json;
}

// --- privacy --------------------------------------------------------------------------------------------------------

Json remark4_sigma_n(const Inputs& in) {
  return {{"sigma_n", number(bounds::noise_scale_order(in.number("C"), in.number("T"), in.number("delta_dp"),
                                                       in.number("n"), in.number("eps"), in.number("constant")))},
          {"constant", in.number("constant")}};
}

Json remark4_general_bound(const Inputs& in) {
  const auto s = general_setting(in, "Lambda");
  const auto found = bounds::private_test_error(s, in.number("eps"), in.number("delta_dp"), in.number("T"),
                                                in.number("C"), in.number("constant"));
  Json json{{"sigma_n", number(found.private_noise)}};
  json.update(shown(found.bound));
  json["printed_numerator"] = number(found.printed_numerator);
  json["printed_raw_sum"] = number(found.printed_raw_sum);
  json["c1"] = s.exponent_constant;
  json["constant"] = in.number("constant");
  return json;
}

Json gdp_delta_of_eps(const Inputs& in) {
  const double eps = in.number("eps"), mu = in.number("mu");
  return {{"delta", number(tradeoff::delta_of_epsilon(eps, mu))},
          {"delta_upper", number(tradeoff::delta_enclosure(eps, exactly(mu)).upper)}};
}

Json fullbatch_noise_multiplier(const Inputs& in) {
  const auto noise = bounds::full_batch_noise(in.number("eps"), in.number("delta"), in.number("T"));
  return {{"mu", number(noise.mu)}, {"z", number(noise.noise_multiplier)}};
}

}  // namespace

std::vector<Calculator> long_tail_bound_calculators() {
  const std::string positive = "(0, inf)", nonnegative = "[0, inf)", chance = "(0, 1)", whole = "[1, inf)";
  const Key n = integer_key("n", whole, "training records"), n_k = integer_key("n_k", whole, "records of the class"),
            m = integer_key("m", whole, "filters per class"), d = integer_key("d", whole, "dimension of a patch"),
            K = integer_key("K", "[2, inf)", "classes"), T = integer_key("T", whole, "steps"),
            eta = number_key("eta", positive, "step size"),
            Lambda = number_key("Lambda", positive, "clipping factor C/(u_norm + frob_A)"),
            u_norm = number_key("u_norm", nonnegative, "length of the signal"),
            xi_norm2 = number_key("xi_norm2", nonnegative, "squared length of the noise patch"),
            frob_A = number_key("frob_A", nonnegative, "Frobenius norm of A_k"),
            sigma_n = number_key("sigma_n", nonnegative, "noise per coordinate of the averaged clipped gradient"),
            delta = number_key("delta", chance, "failure chance"),
            delta_dp = number_key("delta_dp", chance, "delta of differential privacy"),
            eps = number_key("eps", positive, "epsilon of differential privacy"),
            clip = number_key("C", positive, "clipping threshold"),
            clip_or_none = number_key("C", "(0, inf]", "clipping threshold, inf for none"),
            others = json_key("classes_nj_Fkj", "list of [n_j, F_kj], one per other class, both > 0"),
            constant = optional(number_key("constant", positive, "not named by the paper"), 1.0);
  const auto free_constant = [&](const char* name, const char* of) {
    return optional(number_key(name, positive, std::string("constant ") + of + ", not named by the paper"), 1.0);
  };
  const Key c1 = free_constant("c1", "of the exponent");
  std::vector<Calculator> list{
      {"gradient-norm-bound",
       "largest gradient of one sample (Lemma 20)",
       {m, number_key("residual", "[0, 1]", "1 - p_y"), u_norm, xi_norm2},
       gradient_norm_bound},
      {"clip-multiplier-lower-bound",
       "least clipping multiplier (Lemma 20)",
       {clip_or_none, m, u_norm, xi_norm2},
       clip_multiplier_lower_bound},
      {"clipping-factor-lambda",
       "clipping factor Lambda of the theorems",
       {clip, u_norm, frob_A},
       clipping_factor_lambda},
      {"thm1-noise-memorization",
       "lower bound on noise memorisation, as stated, as proved and sharp (Theorem 1); an order statement",
       {eta, Lambda, n, m, number_key("sum_1_minus_logit", nonnegative, "sum over the steps of 1 - p_y, at most T"),
        xi_norm2, sigma_n, frob_A, T, number_key("xi_norm", nonnegative, "length of the noise patch, for U_sharp"),
        delta, free_constant("c1", "of the lead"), free_constant("c2", "of the noise")},
       thm1_noise_memorization},
      {"thm2-training-loss",
       "training loss: vanishing part and privacy floor (Theorem 2); an order statement",
       {eta, integer_key("T", nonnegative, "steps"), Lambda, n_k, n, m, u_norm, sigma_n, d, frob_A,
        number_key("loss0", nonnegative, "loss at the start"), free_constant("c1", "of the exponent"),
        free_constant("c2", "of the floor")},
       thm2_training_loss},
      {"affine-contraction-iterate",
       "a_T of a_{t+1} = (1 - r) a_t + b (proof of Theorem 2)",
       {number_key("r", "[0, 1]", "rate"), number_key("b", "(-inf, inf)", "offset"),
        integer_key("T", nonnegative, "steps"), number_key("a0", "(-inf, inf)", "start")},
       affine_contraction_iterate},
      {"thm3-general-bound",
       "test error on a whole class (Theorem 3.1); an order statement, 1 where it says nothing",
       {n_k, Lambda, u_norm, n, sigma_n, delta, others, frob_A, c1, free_constant("C1", "of the condition")},
       thm3_general_bound},
      {"thm3-general-bound-scale-consistent",
       "test error on a whole class with consistent powers of m, n and T (Theorem 3.1 corrected)",
       {n_k, number_key("h", "(0, 1]", "clipping multiplier, or a lower bound of it"), u_norm, n, m, T, sigma_n, delta,
        others, frob_A, c1},
       thm3_general_bound_scale_consistent},
      {"thm3-long-tail-bound",
       "test error on L-long-tailed data and the break-even L (Theorem 3.2); an order statement",
       {n_k, Lambda, number_key("F_kk", positive, "Frobenius norm of A_k^T A_k"), n, sigma_n, d,
        number_key("L", nonnegative, "tail level"), number_key("op_A", positive, "operator norm of A_k"), others,
        frob_A, free_constant("c2", "of the exponent"), free_constant("C2", "of the condition")},
       thm3_long_tail_bound},
      {"condition1-report",
       "Condition 1, inequality by inequality, for the spiked family and classes of n/K records",
       {K, d, number_key("e0", positive, "common singular value of A"), number_key("lam", positive, "spike of A"), n, m,
        integer_key("B", whole, "batch size"), T, u_norm, delta, eta, clip, sigma_n,
        number_key("sigma0", positive, "standard deviation of the initial weights"), c1,
        optional(number_key("c2", positive, "constant of the batch, not named by the paper"), 0.5),
        free_constant("c", "of width_init and rank")},
       condition1_report},
      {"remark4-sigma-n",
       "order of the noise for (epsilon, delta)-DP (Remark 4): no guarantee, see fullbatch-noise-multiplier",
       {clip, T, delta_dp, n, eps, constant},
       remark4_sigma_n},
      {"remark4-general-bound",
       "test error with the noise of Remark 4, with its logarithms and as printed",
       {n_k, Lambda, u_norm, n, eps, delta_dp, T, clip, delta, others, frob_A, c1, constant},
       remark4_general_bound},
      {"gdp-delta-of-eps",
       "delta of mu-GDP; delta_upper may be promised",
       {number_key("eps", nonnegative, "epsilon"), number_key("mu", positive, "GDP parameter")},
       gdp_delta_of_eps},
      {"fullbatch-noise-multiplier",
       "exact noise multiplier of full batches, one record added or removed; rounded up",
       {number_key("eps", nonnegative, "epsilon"), number_key("delta", chance, "delta of differential privacy"), T},
       fullbatch_noise_multiplier}};
  for (auto& calculator : list) {
    calculator.name.insert(0, "long-tail-memorization/");
  }
  return list;
}

}  // namespace dpcurves::tools::eval
