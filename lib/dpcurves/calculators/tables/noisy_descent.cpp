// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Noisy descent of "Shifted Interpolation for Differential Privacy".
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/calculators/tables/shifted_interpolation.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/detail/experiments.hpp>
#include <dpcurves/interpolation/detail/inverse.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::calculators::shifted {
namespace {

using interpolation::Contraction;
using interpolation::NoisyCgd;
using interpolation::NoisyDescent;
using interpolation::NoisyGd;
using interpolation::NoisySgd;
using interpolation::SgdBound;

NoisyDescent unconstrained(double effective_sensitivity, const Contraction& contraction) {
  return NoisyDescent{.effective_sensitivity = effective_sensitivity, .contraction = contraction};
}

NoisyDescent unconstrained(double effective_sensitivity, Maybe factor, Maybe complement) {
  if (factor.has_value() == complement.has_value()) {
    throw UsageError("c, one_minus_c: give exactly one of them");
  }
  return unconstrained(effective_sensitivity,
                       factor ? Contraction::factor(*factor) : Contraction::complement(*complement));
}

/// Constrained convex losses in physical units.
struct ConstrainedDescent {
  double sensitivity = 1.0;
  double step_size = 1.0;
  double diameter = 1.0;
  double noise = 1.0;
  static constexpr std::tuple fields{
      required("sensitivity", "L_over_n", &ConstrainedDescent::sensitivity, "(0, inf)",
               "gradient sensitivity over the number of records"),
      required("step_size", "eta", &ConstrainedDescent::step_size, "(0, inf)", "step size"),
      required("diameter", "D", &ConstrainedDescent::diameter, "(0, inf)", "diameter of the constraint set"),
      required("noise", "sigma", &ConstrainedDescent::noise, "(0, inf)", "standard deviation of the gradient noise")};
};

/// With contraction 1.
NoisyDescent constrained(const ConstrainedDescent& s) {
  NoisyDescent descent = unconstrained(s.sensitivity / s.noise, Contraction{});
  descent.diameter = s.diameter / (s.step_size * s.noise);
  return descent;
}

double gd_strongly_convex(double kappa, Maybe factor, Maybe complement, double steps) {
  return strongly_convex_mu(NoisyGd{unconstrained(kappa, factor, complement), steps}).upper;
}

Value horizon_or(const interpolation::BestHorizon& best, const char* otherwise) {
  return best.shifted ? Value{best.horizon} : Value{std::string(otherwise)};
}

Record gd_constrained(const ConstrainedDescent& descent, double steps) {
  const NoisyGd setting{constrained(descent), steps};
  const auto best = constrained_best(setting);
  return {{"mu_paper", constrained_violations(setting).empty() ? guaranteed(constrained_mu(setting)) : Value{}},
          {"mu_best", guaranteed(best.mu)},
          {"best_N", horizon_or(best, "composition")}};
}

Record gd_plateau(const ConstrainedDescent& descent) {
  const auto plateau = interpolation::constrained_plateau(constrained(descent));
  return {{"mu_star", guaranteed(plateau.mu)}, {"t_star", {plateau.count}}};
}

Record gd_constrained_strongly_convex(const ConstrainedDescent& descent, double steps, double factor) {
  NoisyGd setting{constrained(descent), steps};
  setting.descent.contraction = Contraction::factor(factor);
  const auto best = constrained_strongly_convex_best(setting);
  return {{"mu_unconstrained", guaranteed(strongly_convex_mu(setting))},
          {"mu_best", guaranteed(best.mu)},
          {"best_N", horizon_or(best, "unconstrained")},
          {"mu_real_horizon", guaranteed(constrained_strongly_convex_infimum(setting.descent))}};
}

Record cgd_strongly_convex(double kappa, Maybe factor, Maybe complement, double batches, double epochs) {
  const NoisyCgd setting{unconstrained(kappa, factor, complement), batches, epochs};
  const bool contracts = setting.descent.contraction->c() < 1.0;
  // At c = 1 the theorem's limit is the bound for convex losses, and that of C.17 is kappa sqrt(E/l).
  return {{"mu", guaranteed(contracts ? strongly_convex_mu(setting) : convex_mu(setting))},
          {"mu_composition", guaranteed(composition_mu(setting))},
          {"mu_lower_C17", {strongly_convex_lower_bound(setting).lower}}};
}

Record cgd_constrained(const ConstrainedDescent& descent, double batches, double epochs) {
  const NoisyCgd setting{constrained(descent), batches, epochs};
  const auto best = constrained_best(setting);
  // The formula of Theorem 4.6 also holds below its E >= D/s, where the bound for convex losses is smaller.
  const Enclosure paper = interpolation::constrained_plateau(setting.descent, batches).mu;
  return {{"mu_paper", guaranteed(paper)},
          {"mu_best", guaranteed(best.mu)},
          {"best_N", horizon_or(best, "c->1 or composition")},
          {"mu_composition", guaranteed(composition_mu(setting))},
          {"mu_c_to_1", guaranteed(convex_mu(setting))}};
}

Record cgd_plateaus(ConstrainedDescent descent, double batches, const std::vector<double>& step_sizes) {
  List rows;
  for (const double step_size : step_sizes) {
    descent.step_size = step_size;
    const auto plateau = interpolation::constrained_plateau(constrained(descent), batches);
    const double printed =
        interpolation::plateau_epochs_printed_form(descent.sensitivity, step_size, descent.diameter, batches);
    rows.push_back({Record{{"eta", {step_size}},
                           {"E_star", {plateau.count}},
                           {"mu_star", guaranteed(plateau.mu)},
                           {"E_star_printed_form", {printed}}}});
  }
  return {{"rows", {rows}}};
}

// --- noisy SGD ------------------------------------------------------------------------------------------------------

Record sgd_delta(SgdBound bound, const NoisySgd& setting, double horizon, double split, double epsilon) {
  const auto composed = sgd_composition(bound, setting, horizon, split);
  const auto point = delta_at(composed, epsilon, tight());
  return {{"gaussian_mu", {composed.gaussian_mu}},
          {"delta", {point.delta.upper}},
          {"delta_lower", {point.delta.lower}},
          {"method", to_value(point.method)}};
}

NoisySgd contracting_sgd(double kappa, double rate, double factor, Maybe steps = {}) {
  return {unconstrained(kappa, Contraction::factor(factor)), rate, steps.value_or(unlimited)};
}

NoisySgd constrained_sgd(double kappa, double rate, double diameter, double step_size, double noise) {
  NoisyDescent descent = unconstrained(kappa, Contraction{});
  descent.diameter = diameter / (step_size * noise);
  return {descent, rate, unlimited};
}

Record sgd_strongly_convex(double kappa, double rate, double factor, double horizon, Maybe steps, double split,
                           double epsilon) {
  return sgd_delta(SgdBound::two_process, contracting_sgd(kappa, rate, factor, steps), horizon, split, epsilon);
}

Record sgd_constrained(double kappa, double rate, double diameter, double step_size, double noise, double horizon,
                       double split, double epsilon) {
  return sgd_delta(SgdBound::constrained, constrained_sgd(kappa, rate, diameter, step_size, noise), horizon, split,
                   epsilon);
}

Record sgd_one_process(double kappa, double rate, double factor, double horizon, Maybe steps, double split,
                       double epsilon, double diameter) {
  NoisySgd setting = contracting_sgd(kappa, rate, factor, steps);
  setting.descent.diameter = diameter;
  return sgd_delta(SgdBound::one_process, setting, horizon, split, epsilon);
}

Record horizon_strongly_convex(double kappa, double rate, double factor) {
  const auto found = interpolation::approximate_horizon_strongly_convex(contracting_sgd(kappa, rate, factor));
  return {{"N_real", {found.horizon}}, {"mu_C6_at_N_real", {found.mu}}, {"approximate", {true}}};
}

Record horizon_constrained(double kappa, double rate, double step_size, double diameter, double noise) {
  const auto found =
      interpolation::approximate_horizon_constrained(constrained_sgd(kappa, rate, diameter, step_size, noise));
  return {{"N_real", {found.horizon}}, {"mu_C7_at_N_real", {found.mu}}, {"approximate", {true}}};
}

// --- experiments of the paper, inverse problems ---------------------------------------------------------------------

Record figure_1(double factor, double kappa, double steps, double delta) {
  const auto row = interpolation::figure_one(NoisyGd{unconstrained(kappa, Contraction::factor(factor)), steps}, delta);
  return {{"mu_ours", guaranteed(row.mu)},
          {"eps_ours", guaranteed(row.epsilon)},
          {"eps_our_rdp", {row.renyi_epsilon}},
          {"rho_prior", guaranteed(row.prior_rho)},
          {"eps_prior_rdp", {row.prior_renyi_epsilon}},
          {"mu_composition", guaranteed(row.composition_mu)},
          {"eps_composition", guaranteed(row.composition_epsilon)}};
}

Record logistic_regression(double batch_size, double records, double noise, double sensitivity, double batches,
                           double epochs, double delta, const std::vector<double>& names,
                           const std::vector<double>& contractions) {
  if (names.size() != contractions.size()) {
    throw UsageError("c: needs as many entries as lambda, " + std::to_string(names.size()));
  }
  interpolation::LogisticRegression setting{.records = records,
                                            .batch_size = batch_size,
                                            .batches_per_epoch = batches,
                                            .noise = noise,
                                            .sensitivity = sensitivity,
                                            .epochs = epochs,
                                            .delta = delta};
  const auto row = interpolation::logistic_regression_row(setting, contractions, tight());
  Record answer{{"mu_ncgd_composition", guaranteed(row.cyclic_composition_mu)},
                {"eps_ncgd_composition", guaranteed(row.cyclic_composition_epsilon)},
                {"mu_nsgd_clt", {row.sgd_central_limit_mu}},
                {"eps_nsgd_exact", guaranteed(row.sgd_epsilon)},
                {"eps_nsgd_from_clt", {row.sgd_central_limit_epsilon}}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string suffix = "_" + shortest(names[i]);
    answer.add("mu_ours" + suffix, guaranteed(row.columns[i].mu));
    answer.add("eps_ours" + suffix, guaranteed(row.columns[i].epsilon));
    answer.add("rho_prior_rdp" + suffix, guaranteed(row.columns[i].prior_rho));
    answer.add("eps_prior_rdp" + suffix, {row.columns[i].prior_renyi_epsilon});
  }
  return answer;
}

Value real_count(const interpolation::LargestCount& count) {
  return std::isinf(count.largest) ? Value{} : Value{count.real};
}
Value whole_count(const interpolation::LargestCount& count) {
  return std::isinf(count.largest) ? Value{std::string("unlimited")} : Value{count.largest};
}

Record most_steps(double kappa, double factor, double epsilon, double delta) {
  const NoisyDescent descent = unconstrained(kappa, Contraction::factor(factor));
  const double mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);  // the largest that may be spent
  const auto steps = interpolation::solve_steps(descent, mu);
  return {{"mu_budget", {mu}},
          {"t_real", real_count(steps)},
          {"t_max", whole_count(steps)},
          {"t_max_composition", whole_count(interpolation::solve_steps_by_composition(descent, mu))}};
}

Record most_epochs(double kappa, double factor, double batches, double epsilon, double delta) {
  const NoisyDescent descent = unconstrained(kappa, Contraction::factor(factor));
  const double mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  const auto epochs = interpolation::solve_epochs(descent, batches, mu);
  return {{"mu_budget", {mu}},
          {"E_real", real_count(epochs)},
          {"E_max", whole_count(epochs)},
          {"E_max_composition", whole_count(interpolation::solve_epochs_by_composition(descent, mu))}};
}

// --- tables ---------------------------------------------------------------------------------------------------------

const FieldInfo target_eps = argument("epsilon", "eps", "[0, inf)", "target epsilon"),
                kappa = argument("effective_sensitivity", "kappa", "[0, inf)",
                                 "effective sensitivity L/(n sigma) or L/(b sigma)"),
                c = argument("contraction", "c", "[0, 1]", "contraction of a step"),
                one_minus_c = argument("one_minus_contraction", "one_minus_c", "[0, 1]", "1 - c, in place of c"),
                l = argument("batches_per_epoch", "l", whole("[1, inf)"), "batches per epoch"),
                E = argument("epochs", "E", whole("[1, inf]"), "number of epochs"),
                D = argument("diameter", "D", "(0, inf)", "diameter of the constraint set"),
                sigma = argument("noise", "sigma", "(0, inf)", "standard deviation of the gradient noise"),
                rate = argument("sampling_rate", "p", "(0, 1]", "sampling rate b/n"),
                N = argument("horizon", "N", whole("[0, inf)"), "unrolled steps t - tau"),
                any_t = argument("steps", "t", whole("[1, inf]"), "number of steps, null for any"),
                split = argument("split", "split_alpha", "(1, inf)", "split of the last noise", std::numbers::sqrt2);

/// Sensitivities of cyclic descent are those of a batch.
Calculator per_batch(Calculator row) {
  return row.narrow("sensitivity", "L_over_b", "(0, inf)", "gradient sensitivity over the batch size");
}

}  // namespace

std::vector<Calculator> descent() {
  const FieldInfo step_sizes = [] {
    FieldInfo row = argument("step_sizes", "eta_list", "(0, inf)", "step sizes");
    row.required = false;
    row.fallback = {std::vector{0.04, 0.02, 0.01}};
    return row;
  }();
  return {
      calculator<&gd_strongly_convex>("noisy-gd-strongly-convex", {"theorem-4.2", "theorem-c.5", "figure-6", "table-7"},
                                      "noisy GD, strongly convex (Theorem 4.2)", {kappa, c, one_minus_c, t})
          .rename("value", "mu"),
      calculator<&gd_constrained>("noisy-gd-constrained", {"theorem-4.1", "theorem-4.3", "theorem-c.7", "figure-7"},
                                  "noisy GD, convex with a diameter (Theorems 4.3 and C.7)", {t}),
      calculator<&gd_plateau>("noisy-gd-constrained-plateau", {"theorem-4.3", "table-8"},
                              "where Theorem 4.3 becomes flat (Table 8)"),
      calculator<&gd_constrained_strongly_convex>("noisy-gd-constrained-strongly-convex", {"derived-3"},
                                                  "noisy GD, strongly convex with a diameter (derived-3)",
                                                  {t, argument("contraction", "c", "(0, 1)", "contraction of a step")}),
      calculator<&cgd_strongly_convex>(
          "noisy-cgd-strongly-convex",
          {"theorem-4.4", "theorem-4.5", "lemma-c.10", "theorem-c.17", "figure-8", "table-9"},
          "noisy cyclic GD, strongly convex (Theorems 4.4, 4.5 and C.17)", {kappa, c, one_minus_c, l, E}),
      per_batch(calculator<&cgd_constrained>(
          "noisy-cgd-constrained", {"theorem-4.4", "theorem-4.6", "lemma-c.11", "figure-9", "derived-2"},
          "noisy cyclic GD, convex with a diameter (Theorem 4.6, derived-2)", {l, E})),
      per_batch(calculator<&cgd_plateaus>(
                    "noisy-cgd-constrained-plateau", {"theorem-4.6", "table-10", "table-11", "table-12"},
                    "where Theorem 4.6 becomes flat (Tables 10 to 12, corrected)", {l, step_sizes})
                    .without({"step_size"})),
      calculator<&most_steps>("solve-steps", {"theorem-4.2"},
                              "the most steps of noisy GD within (epsilon, delta) (Theorem 4.2)",
                              {kappa, c, target_eps, delta})
          .ignore(word("theorem", "theorem", {"4.2"}, "4.2")),
      calculator<&most_epochs>("solve-epochs", {"theorem-4.5"},
                               "the most epochs of noisy cyclic GD within (epsilon, delta) (Theorem 4.5)",
                               {kappa, c, l, target_eps, delta})
          .ignore(word("theorem", "theorem", {"4.5"}, "4.5")),
      calculator<&figure_1>("noisy-gd-figure-1", {"theorem-4.1", "figure-1"}, "noisy GD by four analyses (Figure 1)",
                            {c, kappa, t, delta}),
      calculator<&logistic_regression>(
          "logistic-regression-table", {"table-1", "table-3", "table-4"}, "a row of Tables 1, 3 and 4",
          {argument("batch_size", "b", whole("[1, inf)"), "batch size"),
           argument("records", "n", whole("[1, inf)"), "records"), sigma,
           argument("sensitivity", "L", "(0, inf)", "gradient sensitivity"), l,
           argument("epochs", "E", whole("[1, inf)"), "epochs"), delta,
           argument("regularisations", "lambda", "[0, inf)", "regularisations, which name the outputs"),
           argument("contractions", "c", "(0, 1)", "their contractions")})
          .ignore(eta),
      calculator<&sgd_strongly_convex>("noisy-sgd-strongly-convex", {"theorem-4.9", "theorem-c.13"},
                                       "noisy SGD, strongly convex (Theorem 4.9)",
                                       {kappa, rate, c, N, any_t, split, eps}),
      calculator<&sgd_constrained>("noisy-sgd-constrained", {"theorem-4.10", "figure-10"},
                                   "noisy SGD, convex with a diameter (Theorem 4.10)",
                                   {kappa, rate, D, eta, sigma, N, split, eps}),
      calculator<&sgd_one_process>(
          "noisy-sgd-one-process", {"theorem-4.10", "derived-4"}, "noisy SGD by one interpolation (derived-4)",
          {kappa, rate, c, N, any_t, split, eps,
           argument("diameter", "D_over_eta_sigma", "(0, inf]", "diameter over eta sigma", unlimited)}),
      calculator<&horizon_strongly_convex>("noisy-sgd-horizon-strongly-convex", {"proposition-c.14"},
                                           "horizon of Theorem 4.9 by the central limit (Proposition C.14)",
                                           {kappa, rate, c}),
      calculator<&horizon_constrained>("noisy-sgd-horizon-constrained", {"proposition-c.15"},
                                       "horizon of Theorem 4.10 by the central limit (Proposition C.15)",
                                       {kappa, rate, eta, D, sigma})};
}

}  // namespace dpcurves::calculators::shifted
