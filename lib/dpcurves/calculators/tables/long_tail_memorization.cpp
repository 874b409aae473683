// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed Data".
#include <cmath>

#include <dpcurves/bounds/long_tail_activation.hpp>
#include <dpcurves/bounds/long_tail_clipping.hpp>
#include <dpcurves/bounds/long_tail_concentration.hpp>
#include <dpcurves/bounds/long_tail_conditions.hpp>
#include <dpcurves/bounds/long_tail_memorization.hpp>
#include <dpcurves/bounds/long_tail_orthant.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/calculators/tables/patch_network.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/models/spiked_noise.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::calculators {
namespace {

/// Condition 1 with names of its inequalities in the keys: trace_lhs, trace_rhs, trace_holds, eta_rhs_clip, ...
Record condition_report(const bounds::LongTailSetting& setting) {
  const auto conditions = bounds::long_tail_conditions(setting);
  Record report;
  for (const auto& condition : conditions) {
    const std::string name(condition.name);
    report.add(name + "_lhs", {condition.left});
    report.add(name.starts_with("eta_") ? "eta_rhs" + name.substr(3) : name + "_rhs", {condition.right});
    report.add(name + "_holds", {condition.holds});
  }
  const auto failing = bounds::violated(conditions);
  report.add("violated", to_value(failing));
  report.add("all_hold", {failing.empty()});
  return report;
}

Record class_ratios(double own, double other, double signal_norm, double gram, double cross) {
  return {{"snr", {models::signal_to_noise(own, other, signal_norm, cross)}},
          {"ncr", {models::noise_correlation_ratio(own, other, gram, cross)}}};
}

Record gaussian_delta(double epsilon, double mu) {
  return {{"delta", {tradeoff::delta_of_epsilon(epsilon, mu)}},
          {"delta_upper", {tradeoff::delta_enclosure(epsilon, exactly(mu)).upper}}};
}

Record one_factor_orthant(double entries, double condition_squared, double rank) {
  require_domain(rank <= entries, "rank", rank, "[1, m]");
  const double log_exact = bounds::log_one_factor_orthant(entries, condition_squared);
  return {{"exact", {std::exp(log_exact)}}, {"log_exact", {log_exact}}, {"paper_bound", {std::pow(0.6, rank)}}};
}

const FieldInfo n = argument("records", "n", whole("[1, inf)"), "training records"),
                m = argument("filters", "m", whole("[1, inf)"), "filters per class"),
                K = argument("classes", "K", whole("[2, inf)"), "classes"),
                T = argument("steps", "T", whole("[1, inf)"), "steps"),
                u_norm = argument("signal_norm", "u_norm", "[0, inf)", "length of the signal"),
                xi_norm2 = argument("noise_norm_squared", "xi_norm2", "[0, inf)", "squared length of the noise patch"),
                frob_A = argument("noise_frobenius", "frob_A", "[0, inf)", "Frobenius norm of A_k"),
                op_A = argument("noise_operator", "op_A", "[0, inf)", "operator norm of A"),
                sigma_n = argument("private_noise", "sigma_n", "[0, inf)",
                                   "noise per coordinate of the averaged clipped gradient"),
                sigma0 = argument("initial_scale", "sigma0", "[0, inf)", "standard deviation of the initial weights"),
                delta = argument("delta", "delta", "(0, 1)", "failure chance"),
                delta_dp = argument("delta_dp", "delta_dp", "(0, 1)", "delta of differential privacy"),
                eps = argument("epsilon", "eps", "(0, inf)", "epsilon of differential privacy"),
                clip = argument("clip", "C", "(0, inf)", "clipping threshold"),
                constant = argument("constant", "constant", "(0, inf)", "not named by the paper", 1.0),
                trace = argument("trace", "trace", "[0, inf)", "trace of A^T A"),
                frob = argument("frobenius", "frob", "[0, inf)", "Frobenius norm"),
                op = argument("operator_norm", "op", "[0, inf)", "operator norm"),
                sigma_p = argument("sigma_p", "sigma_p", "(0, inf)", "variance proxy, as a standard deviation"),
                kappa2 = argument("condition_squared", "kappa2", "[1, 1e30]", "squared condition number"),
                entries = argument("entries", "m", whole("[1, 1e15]"), "entries"),
                rank = argument("rank", "M", whole("[1, 1e15]"), "rank, at most m");

std::vector<Calculator> theorems() {
  return {calculator<&bounds::noise_memorization>(
              "thm1-noise-memorization", {"theorem-1", "remark-1"},
              "lower bound on noise memorisation, as stated, as proved and sharp (Theorem 1); an order statement")
              .echo({"lead_constant", "noise_constant"}),
          calculator<&bounds::training_loss_bound>(
              "thm2-training-loss", {"theorem-2", "remark-2"},
              "training loss: vanishing part and privacy floor (Theorem 2); an order statement")
              .echo({"rate_constant", "floor_constant"}),
          calculator<&bounds::affine_contraction_iterate>(
              "affine-contraction-iterate", {"theorem-2"}, "a_T of a_{t+1} = (1 - r) a_t + b (proof of Theorem 2)",
              {argument("rate", "r", "[0, 1]", "rate"), argument("offset", "b", "(-inf, inf)", "offset"),
               argument("steps", "T", whole("[0, inf)"), "steps"), argument("start", "a0", "(-inf, inf)", "start")})
              .rename("value", "aT"),
          calculator<&bounds::general_test_error>(
              "thm3-general-bound", {"theorem-3"},
              "test error on a whole class (Theorem 3.1); an order statement, 1 where it says nothing")
              .echo({"exponent_constant", "condition_constant"}),
          calculator<&bounds::scale_consistent_test_error>(
              "thm3-general-bound-scale-consistent", {"theorem-3", "remark-5"},
              "test error on a whole class with consistent powers of m, n and T (Theorem 3.1 corrected)", {m, T})
              .narrow("clipping_factor", "h", "(0, 1]", "clipping multiplier, or a lower bound of it")
              .without({"condition_constant"})
              .drop({"condition_holds"})
              .echo({"exponent_constant"}),
          calculator<&bounds::long_tail_test_error>(
              "thm3-long-tail-bound", {"theorem-3", "remark-3", "derived-1"},
              "test error on L-long-tailed data and the break-even L (Theorem 3.2); an order statement")
              .echo({"exponent_constant", "condition_constant"}),
          calculator<&condition_report>(
              "condition1-report", {"condition-1"},
              "Condition 1, inequality by inequality, for the spiked family and classes of n/K records")
              .echo({"c1", "c2", "c"}),
          calculator<&bounds::noise_scale_order>(
              "remark4-sigma-n", {"remark-4"},
              "order of the noise for (epsilon, delta)-DP (Remark 4): no guarantee, see fullbatch-noise-multiplier",
              {clip, T, delta_dp, n, eps, constant})
              .rename("value", "sigma_n")
              .echo({"constant"}),
          calculator<&bounds::private_test_error>(
              "remark4-general-bound", {"remark-4"},
              "test error with the noise of Remark 4, with its logarithms and as printed",
              {eps, delta_dp, T, clip, constant})
              .without({"private_noise", "condition_constant"})
              .drop({"condition_holds"})
              .echo({"exponent_constant", "constant"}),
          calculator<&gaussian_delta>(
              "gdp-delta-of-eps", {"definition-2"}, "delta of mu-GDP; delta_upper may be promised",
              {argument("epsilon", "eps", "[0, inf)", "epsilon"), argument("mu", "mu", "(0, inf)", "GDP parameter")}),
          calculator<&bounds::full_batch_noise>(
              "fullbatch-noise-multiplier", {"definition-2"},
              "exact noise multiplier of full batches, one record added or removed; rounded up",
              {argument("epsilon", "eps", "[0, inf)", "epsilon"),
               argument("delta", "delta", "(0, 1)", "delta of differential privacy"), T}),
          calculator<&bounds::gradient_norm_bound>(
              "gradient-norm-bound", {"lemma-20"}, "largest gradient of one sample (Lemma 20)",
              {m, argument("residual", "residual", "[0, 1]", "1 - p_y"), u_norm, xi_norm2})
              .rename("value", "bound"),
          calculator<&bounds::clip_multiplier_lower_bound>(
              "clip-multiplier-lower-bound", {"lemma-20"}, "least clipping multiplier (Lemma 20)",
              {argument("clip", "C", "(0, inf]", "clipping threshold, inf for none"), m, u_norm, xi_norm2})
              .rename("value", "h_lower"),
          calculator<&bounds::clipping_factor>("clipping-factor-lambda", {"theorem-3"},
                                               "clipping factor Lambda of the theorems", {clip, u_norm, frob_A})
              .rename("value", "Lambda")};
}

std::vector<Calculator> lemmas() {
  const FieldInfo t = argument("t", "t", "[0, inf)", "deviation");
  return {
      calculator<&bounds::least_singular_value>("gaussian-min-singular-lower", {"lemma-1"},
                                                "least singular value of an m x n Gaussian matrix (Lemma 1)",
                                                {argument("rows", "m", whole("[1, inf)"), "rows, more than n"),
                                                 argument("columns", "n", whole("[1, inf)"), "columns"), delta}),
      calculator<&bounds::subgaussian_maximum>("subgaussian-max-radius", {"lemma-2"},
                                               "largest of n sub-Gaussian numbers (Lemma 2)",
                                               {argument("count", "n", whole("[1, inf)"), "numbers"), sigma_p, delta})
          .rename("value", "radius"),
      calculator<&bounds::half_normal_mean_tail>("half-normal-mean-tail", {"lemma-3"},
                                                 "deviation of the mean of n half-normals (Lemma 3)",
                                                 {argument("count", "n", whole("[1, inf)"), "half-normals"), t}),
      calculator<&bounds::bilinear_radius>("bilinear-tail-radius", {"lemma-4", "lemma-6", "lemma-8"},
                                           "|zeta_1^T M zeta_2| (Lemmas 4, 6, 8)", {frob, op, sigma_p, delta})
          .rename("value", "radius"),
      calculator<&bounds::quadratic_form_radii>("quadratic-form-radii", {"lemma-5"},
                                                "ends of |A zeta|^2 (Lemma 5); norms of A^T A",
                                                {trace, frob, op, sigma_p, delta}),
      calculator<&bounds::gaussian_projection>("gaussian-projection-radius", {"lemma-7"}, "|<n, u>| (Lemma 7)",
                                               {sigma_n, u_norm, delta}),
      calculator<&bounds::half_activation_tail>(
          "half-activation-tail", {"lemma-9", "lemma-18", "lemma-19"},
          "chance of less than a share of m active filters (Lemma 9)",
          {argument("filters", "m", whole("[1, 1e15]"), "filters"), argument("fraction", "frac", "(0, 0.5)", "share")}),
      calculator<&bounds::log_mixture_chord>(
          "lemma10-chord", {"theorem-2", "lemma-10"}, "log(1 + t (exp(x) - 1)) below its chord (Lemma 10)",
          {argument("t", "t", "(0, 1]", "share"), argument("a", "a", "(0, inf)", "length of the chord"),
           argument("x", "x", "(-inf, inf)", "argument, at least -a")}),
      calculator<&bounds::sign_fraction>("sign-fraction-two-sided", {"lemma-12"},
                                         "share of positive coordinates on the sphere (Lemma 12)",
                                         {argument("dimension", "d", whole("[1, 1e15]"), "dimension"),
                                          argument("t", "t", "(0, 0.5]", "deviation from 1/2")}),
      calculator<&bounds::paley_zygmund>("paley-zygmund-lower", {"lemma-13"},
                                         "anticoncentration by the fourth moment (Lemma 13)",
                                         {argument("t", "t", "(0, 1)", "level"),
                                          argument("fourth_moment", "fourth_moment", "[1, inf)", "for variance 1")})
          .rename("value", "lower"),
      calculator<&one_factor_orthant>(
          "one-factor-orthant-probability", {"lemma-14"},
          "the largest orthant probability at full rank (Lemma 14), beside the printed bound", {entries, kappa2, rank}),
      calculator<&bounds::orthant_bound>(
          "orthant-probability-bound", {"lemma-14"},
          "orthant probabilities: one-factor integral, corrected and printed bound (Lemma 14)",
          {entries, rank, kappa2, delta}),
      calculator<&bounds::negative_fraction>("negative-fraction-bound", {"lemma-15", "lemma-24"},
                                             "chance that 0.9 m entries are not positive (Lemma 15)",
                                             {entries, kappa2}),
      calculator<&bounds::noise_norm_band>("noise-norm-band", {"lemma-16"},
                                           "band of all noise norms (Lemma 16); norms of A^T A",
                                           {n, trace, frob, op, delta}),
      calculator<&bounds::noise_cross_radius>("noise-cross-radius", {"lemma-16"},
                                              "products of all pairs of noise patches (Lemma 16); norms of A_i^T A_j",
                                              {n, frob, op, delta})
          .rename("value", "radius"),
      calculator<&bounds::initial_signal_radius>("init-signal-radius", {"lemma-17"},
                                                 "initial weights against a signal (Lemma 17)",
                                                 {K, m, delta, u_norm, sigma0}),
      calculator<&bounds::initial_noise_radius>("init-noise-radius", {"lemma-17"},
                                                "initial weights against the noise patches (Lemma 17)",
                                                {K, m, n, delta, frob_A, op_A, sigma0})
          .rename("value", "radius"),
      calculator<&bounds::activation_sizes>("activation-sample-size", {"lemma-18", "lemma-19"},
                                            "filters and records that the activation lemmas ask for (Lemmas 18, 19)",
                                            {K, m, n, delta}),
      calculator<&bounds::long_tail_noise>("long-tail-noise-norm", {"definition-3", "lemma-25"},
                                           "length of a long-tailed noise patch (Lemma 25)",
                                           {argument("dimension", "d", whole("[1, inf)"), "dimension of a patch"),
                                            argument("tail_level", "L", "[0, inf)", "tail level"), delta, op_A})
          .ignore(frob_A)};
}

std::vector<Calculator> networks() {
  return {
      calculator<&class_ratios>(
          "snr-ncr", {"theorem-3"}, "signal-to-noise and noise correlation ratio of two classes",
          {argument("own_count", "n_k", "[1, inf)", "examples of class k"),
           argument("other_count", "n_j", "[1, inf)", "examples of class j"),
           argument("signal_norm", "u_norm", "[0, inf)", "|u_k|"), argument("gram", "F_kk", "(0, inf)", "|A_k' A_k|_F"),
           argument("cross_gram", "F_kj", "(0, inf)", "|A_k' A_j|_F")}),
      calculator<&models::norms>("spiked-covariance-norms", {"definition-1"},
                                 "exact norms of the spiked noise matrices"),
      calculator<&models::spike_of_ratio>(
          "spike-from-ncr", {"definition-1"}, "the spike that gives a noise correlation ratio",
          {argument("ratio", "ncr", "[1, inf)", "noise correlation ratio for classes of equal size")})
          .without({"spike"})
          .rename("value", "lam"),
      calculator<&forward_pass>("forward-loss-gradnorm-clip", {"equation-1", "equation-64"},
                                "scores, loss, joint gradient norm and clipping multiplier of one example"),
      calculator<&softmax_cross_entropy>(
          "softmax-cross-entropy", {"assumption-1", "lemma-11"},
          "softmax cross entropy with its residual 1 - p_y as a sum of the other probabilities"),
      calculator<&given_step>("dpsgd-step", {"equation-4", "equation-64"},
                              "one step of DP-SGD of the two-layer network with the noise given"),
      calculator<&residual_ratio>("residual-ratio", {"lemma-21"},
                                  "residuals 1 - p_y of several examples and the largest over the smallest (Lemma 21)"),
      calculator<&influence_scores>("covariance-influence-scores", {"equation-5", "figure-2"},
                                    "influence of each example on the squared norm of the covariance, equation (5)")
          .rename("value", "scores"),
      calculator<&glyph_image>("glyph-image", {"figure-2"}, "a deformed seven-segment digit"),
      calculator<&synthetic_experiment>(
          "synthetic-dpsgd-experiment", {"equation-4", "figure-1", "figure-3"},
          "test accuracy of the two-layer network trained without privacy and by DP-SGD, over independent trials")};
}

}  // namespace

std::vector<Calculator> long_tail_memorization() {
  std::vector<Calculator> list = theorems();
  for (auto part : {lemmas(), networks()}) {
    std::move(part.begin(), part.end(), std::back_inserter(list));
  }
  return list;
}

}  // namespace dpcurves::calculators
