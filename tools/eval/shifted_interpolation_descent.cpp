// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The calculators about noisy gradient descent of "Shifted Interpolation for Differential Privacy".
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/interpolation/experiments.hpp>
#include <dpcurves/interpolation/inverse.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

using interpolation::Contraction;
using interpolation::NoisyCgd;
using interpolation::NoisyDescent;
using interpolation::NoisyGd;

const Key kappa_key = number_key("kappa", "[0, inf)", "effective sensitivity L/(n sigma) or L/(b sigma)");
const Key c_key = number_key("c", "[0, 1]", "contraction of a step");
const Key maybe_c = optional(c_key, nullptr);
const Key maybe_complement = optional(number_key("one_minus_c", "[0, 1]", "1 - c, in place of c"), nullptr);
const Key steps_key = integer_key("t", "[1, inf]", "number of steps");
const Key batches_key = integer_key("l", "[1, inf)", "batches per epoch");
const Key epochs_key = integer_key("E", "[1, inf]", "number of epochs");
const Key per_record_key = number_key("L_over_n", "(0, inf)", "gradient sensitivity over the number of records");
const Key per_batch_key = number_key("L_over_b", "(0, inf)", "gradient sensitivity over the batch size");
const Key step_size_key = number_key("eta", "(0, inf)", "step size");
const Key diameter_key = number_key("D", "(0, inf)", "diameter of the constraint set");
const Key noise_key = number_key("sigma", "(0, inf)", "standard deviation of the gradient noise");

const Key target_epsilon = number_key("eps", "[0, inf)", "target epsilon");
const Key target_delta = number_key("delta", "(0, 1)", "target delta");

const Key sampling_key = number_key("p", "(0, 1]", "sampling rate b/n");
const Key horizon_key = integer_key("N", "[0, inf)", "unrolled steps t - tau");
const Key maybe_steps = optional(integer_key("t", "[1, inf]", "number of steps, null for any"), nullptr);
const Key split_key = optional(number_key("split_alpha", "(1, inf)", "split of the last noise"), std::numbers::sqrt2);
const Key any_epsilon = number_key("eps", "(-inf, inf)", "epsilon");

/// Upper ends are what may be promised.
Json guaranteed(const Enclosure& mu) { return number(mu.upper); }

Contraction contraction(const Inputs& in) {
  const auto c = in.maybe("c");
  const auto complement = in.maybe("one_minus_c");
  if (c.has_value() == complement.has_value()) {
    throw UsageError("c, one_minus_c: give exactly one of them");
  }
  return c ? Contraction::factor(*c) : Contraction::complement(*complement);
}

NoisyDescent unconstrained(double effective_sensitivity, const Contraction& contraction) {
  NoisyDescent descent;
  descent.effective_sensitivity = effective_sensitivity;
  descent.contraction = contraction;
  return descent;
}

/// Constrained convex losses in physical units: contraction 1.
NoisyDescent constrained(double sensitivity, double step_size, double diameter, double noise) {
  NoisyDescent descent = unconstrained(sensitivity / noise, Contraction{});
  descent.diameter = diameter / (step_size * noise);
  return descent;
}

Json noisy_gd_strongly_convex(const Inputs& in) {
  const NoisyGd setting{unconstrained(in.number("kappa"), contraction(in)), in.number("t")};
  return {{"mu", guaranteed(strongly_convex_mu(setting))}};
}

NoisyDescent constrained_gd(const Inputs& in) {
  return constrained(in.number("L_over_n"), in.number("eta"), in.number("D"), in.number("sigma"));
}

Json noisy_gd_constrained(const Inputs& in) {
  const NoisyGd setting{constrained_gd(in), in.number("t")};
  const auto best = constrained_best(setting);
  const bool paper = constrained_violations(setting).empty();
  return {{"mu_paper", paper ? guaranteed(constrained_mu(setting)) : Json(nullptr)},
          {"mu_best", guaranteed(best.mu)},
          {"best_N", best.shifted ? number(best.horizon) : Json("composition")}};
}

Json noisy_gd_constrained_plateau(const Inputs& in) {
  const auto plateau = interpolation::constrained_plateau(constrained_gd(in));
  return {{"mu_star", guaranteed(plateau.mu)}, {"t_star", number(plateau.count)}};
}

Json noisy_gd_constrained_strongly_convex(const Inputs& in) {
  NoisyGd setting{constrained_gd(in), in.number("t")};
  setting.descent.contraction = Contraction::factor(in.number("c"));
  const auto best = constrained_strongly_convex_best(setting);
  return {{"mu_unconstrained", guaranteed(strongly_convex_mu(setting))},
          {"mu_best", guaranteed(best.mu)},
          {"best_N", best.shifted ? number(best.horizon) : Json("unconstrained")},
          {"mu_real_horizon", guaranteed(constrained_strongly_convex_infimum(setting.descent))}};
}

Json noisy_cgd_strongly_convex(const Inputs& in) {
  const NoisyCgd setting{unconstrained(in.number("kappa"), contraction(in)), in.number("l"), in.number("E")};
  const Contraction c = *setting.descent.contraction;
  const bool contracts = c.c() < 1.0;
  // At c = 1 the theorem's limit is the bound for convex losses, and that of C.17 is kappa sqrt(E/l).
  return {{"mu", guaranteed(contracts ? strongly_convex_mu(setting) : convex_mu(setting))},
          {"mu_composition", guaranteed(composition_mu(setting))},
          {"mu_lower_C17", number(strongly_convex_lower_bound(setting).lower)}};
}

Json noisy_cgd_constrained(const Inputs& in) {
  const NoisyCgd setting{constrained(in.number("L_over_b"), in.number("eta"), in.number("D"), in.number("sigma")),
                         in.number("l"), in.number("E")};
  const auto best = constrained_best(setting);
  // The formula of Theorem 4.6 also holds below its E >= D/s, where the bound for convex losses is smaller.
  const Enclosure paper = interpolation::constrained_plateau(setting.descent, setting.batches_per_epoch).mu;
  return {{"mu_paper", guaranteed(paper)},
          {"mu_best", guaranteed(best.mu)},
          {"best_N", best.shifted ? number(best.horizon) : Json("c->1 or composition")},
          {"mu_composition", guaranteed(composition_mu(setting))},
          {"mu_c_to_1", guaranteed(convex_mu(setting))}};
}

Json noisy_cgd_constrained_plateau(const Inputs& in) {
  Json rows = Json::array();
  for (const double step_size : in.numbers("eta_list")) {
    const auto plateau = interpolation::constrained_plateau(
        constrained(in.number("L_over_b"), step_size, in.number("D"), in.number("sigma")), in.number("l"));
    const double printed =
        interpolation::plateau_epochs_printed_form(in.number("L_over_b"), step_size, in.number("D"), in.number("l"));
    rows.push_back({{"eta", step_size},
                    {"E_star", number(plateau.count)},
                    {"mu_star", guaranteed(plateau.mu)},
                    {"E_star_printed_form", number(printed)}});
  }
  return {{"rows", rows}};
}

// --- noisy SGD -----------------------------------------------------------------------------------------------------

using interpolation::NoisySgd;
using interpolation::SgdBound;

Json sgd_delta(const Inputs& in, SgdBound bound, const NoisySgd& setting) {
  const auto composition = sgd_composition(bound, setting, in.number("N"), in.number("split_alpha"));
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-9;
  const auto point = delta_at(composition, in.number("eps"), accuracy);
  return {{"gaussian_mu", number(composition.gaussian_mu)},
          {"delta", number(point.delta.upper)},
          {"delta_lower", number(point.delta.lower)},
          {"method", point.method}};
}

/// t, infinite if null.
double steps_or_unlimited(const Inputs& in) { return in.maybe("t").value_or(std::numeric_limits<double>::infinity()); }

Json noisy_sgd_strongly_convex(const Inputs& in) {
  const NoisySgd setting{unconstrained(in.number("kappa"), Contraction::factor(in.number("c"))), in.number("p"),
                         steps_or_unlimited(in)};
  return sgd_delta(in, SgdBound::two_process, setting);
}

NoisySgd constrained_sgd(const Inputs& in) {
  NoisyDescent descent = unconstrained(in.number("kappa"), Contraction{});
  descent.diameter = in.number("D") / (in.number("eta") * in.number("sigma"));
  return {descent, in.number("p"), std::numeric_limits<double>::infinity()};
}

Json noisy_sgd_constrained(const Inputs& in) { return sgd_delta(in, SgdBound::constrained, constrained_sgd(in)); }

Json noisy_sgd_one_process(const Inputs& in) {
  NoisySgd setting{unconstrained(in.number("kappa"), Contraction::factor(in.number("c"))), in.number("p"),
                   steps_or_unlimited(in)};
  setting.descent.diameter = in.number("D_over_eta_sigma");
  return sgd_delta(in, SgdBound::one_process, setting);
}

Json noisy_sgd_horizon_strongly_convex(const Inputs& in) {
  const auto found = interpolation::approximate_horizon_strongly_convex(
      NoisySgd{unconstrained(in.number("kappa"), Contraction::factor(in.number("c"))), in.number("p"),
               std::numeric_limits<double>::infinity()});
  return {{"N_real", number(found.horizon)}, {"mu_C6_at_N_real", number(found.mu)}, {"approximate", true}};
}

Json noisy_sgd_horizon_constrained(const Inputs& in) {
  const auto found = interpolation::approximate_horizon_constrained(constrained_sgd(in));
  return {{"N_real", number(found.horizon)}, {"mu_C7_at_N_real", number(found.mu)}, {"approximate", true}};
}

// --- experiments of the paper --------------------------------------------------------------------------------------

Json noisy_gd_figure_1(const Inputs& in) {
  const NoisyGd setting{unconstrained(in.number("kappa"), Contraction::factor(in.number("c"))), in.number("t")};
  const auto row = interpolation::figure_one(setting, in.number("delta"));
  return {{"mu_ours", guaranteed(row.mu)},
          {"eps_ours", guaranteed(row.epsilon)},
          {"eps_our_rdp", number(row.renyi_epsilon)},
          {"rho_prior", guaranteed(row.prior_rho)},
          {"eps_prior_rdp", number(row.prior_renyi_epsilon)},
          {"mu_composition", guaranteed(row.composition_mu)},
          {"eps_composition", guaranteed(row.composition_epsilon)}};
}

Json logistic_regression_table(const Inputs& in) {
  const auto names = in.numbers("lambda");
  const auto contractions = in.numbers("c");
  if (names.size() != contractions.size()) {
    throw UsageError("c: needs as many entries as lambda, " + std::to_string(names.size()));
  }
  interpolation::LogisticRegression setting;
  setting.records = in.number("n");
  setting.batch_size = in.number("b");
  setting.batches_per_epoch = in.number("l");
  setting.noise = in.number("sigma");
  setting.sensitivity = in.number("L");
  setting.epochs = in.number("E");
  setting.delta = in.number("delta");
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-9;
  const auto row = interpolation::logistic_regression_row(setting, contractions, accuracy);
  Json out{{"mu_ncgd_composition", guaranteed(row.cyclic_composition_mu)},
           {"eps_ncgd_composition", guaranteed(row.cyclic_composition_epsilon)},
           {"mu_nsgd_clt", number(row.sgd_central_limit_mu)},
           {"eps_nsgd_exact", guaranteed(row.sgd_epsilon)},
           {"eps_nsgd_from_clt", number(row.sgd_central_limit_epsilon)}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string suffix = "_" + shortest(names[i]);
    out["mu_ours" + suffix] = guaranteed(row.columns[i].mu);
    out["eps_ours" + suffix] = guaranteed(row.columns[i].epsilon);
    out["rho_prior_rdp" + suffix] = guaranteed(row.columns[i].prior_rho);
    out["eps_prior_rdp" + suffix] = number(row.columns[i].prior_renyi_epsilon);
  }
  return out;
}

// --- inverse problems ----------------------------------------------------------------------------------------------

void require_text(const Inputs& in, const std::string& key, const std::string& wanted) {
  if (in.text(key) != wanted) {
    throw DomainError(key + ": \"" + in.text(key) + "\" is not \"" + wanted +
                      "\", the one theorem that is solved here");
  }
}

/// The largest mu that may be spent.
double budget(const Inputs& in) { return tradeoff::mu_of_epsilon_delta(in.number("eps"), in.number("delta")); }

Json real_count(const interpolation::LargestCount& count) {
  return std::isinf(count.largest) ? Json(nullptr) : number(count.real);
}
Json whole_count(const interpolation::LargestCount& count) {
  return std::isinf(count.largest) ? Json("unlimited") : number(count.largest);
}

Json solve_steps(const Inputs& in) {
  require_text(in, "theorem", "4.2");
  const NoisyDescent descent = unconstrained(in.number("kappa"), Contraction::factor(in.number("c")));
  const double mu = budget(in);
  const auto steps = interpolation::solve_steps(descent, mu);
  return {{"mu_budget", number(mu)},
          {"t_real", real_count(steps)},
          {"t_max", whole_count(steps)},
          {"t_max_composition", whole_count(interpolation::solve_steps_by_composition(descent, mu))}};
}

Json solve_epochs(const Inputs& in) {
  require_text(in, "theorem", "4.5");
  const NoisyDescent descent = unconstrained(in.number("kappa"), Contraction::factor(in.number("c")));
  const double mu = budget(in);
  const auto epochs = interpolation::solve_epochs(descent, in.number("l"), mu);
  return {{"mu_budget", number(mu)},
          {"E_real", real_count(epochs)},
          {"E_max", whole_count(epochs)},
          {"E_max_composition", whole_count(interpolation::solve_epochs_by_composition(descent, mu))}};
}

}  // namespace

std::vector<Calculator> shifted_interpolation_descent_calculators() {
  const std::vector<Key> constrained_keys{per_record_key, step_size_key, diameter_key, noise_key};
  std::vector<Key> constrained_steps = constrained_keys;
  constrained_steps.push_back(steps_key);
  std::vector<Key> contracting_steps = constrained_steps;
  contracting_steps.push_back(number_key("c", "(0, 1)", "contraction of a step"));
  return {
      {"noisy-gd-strongly-convex",
       "noisy GD, strongly convex (Theorem 4.2)",
       {kappa_key, maybe_c, maybe_complement, steps_key},
       noisy_gd_strongly_convex},
      {"noisy-gd-constrained", "noisy GD, convex with a diameter (Theorems 4.3 and C.7)", constrained_steps,
       noisy_gd_constrained},
      {"noisy-gd-constrained-plateau", "where Theorem 4.3 becomes flat (Table 8)", constrained_keys,
       noisy_gd_constrained_plateau},
      {"noisy-gd-constrained-strongly-convex", "noisy GD, strongly convex with a diameter (derived-3)",
       contracting_steps, noisy_gd_constrained_strongly_convex},
      {"noisy-cgd-strongly-convex",
       "noisy cyclic GD, strongly convex (Theorems 4.4, 4.5 and C.17)",
       {kappa_key, maybe_c, maybe_complement, batches_key, epochs_key},
       noisy_cgd_strongly_convex},
      {"noisy-cgd-constrained",
       "noisy cyclic GD, convex with a diameter (Theorem 4.6, derived-2)",
       {per_batch_key, step_size_key, diameter_key, noise_key, batches_key, epochs_key},
       noisy_cgd_constrained},
      {"noisy-cgd-constrained-plateau",
       "where Theorem 4.6 becomes flat (Tables 10 to 12, corrected)",
       {per_batch_key, diameter_key, noise_key, batches_key,
        optional(numbers_key("eta_list", "(0, inf)", "step sizes"), Json::array({0.04, 0.02, 0.01}))},
       noisy_cgd_constrained_plateau},
      {"solve-steps",
       "the most steps of noisy GD within (epsilon, delta) (Theorem 4.2)",
       {text_key("theorem", "4.2"), kappa_key, c_key, target_epsilon, target_delta},
       solve_steps},
      {"solve-epochs",
       "the most epochs of noisy cyclic GD within (epsilon, delta) (Theorem 4.5)",
       {text_key("theorem", "4.5"), kappa_key, c_key, batches_key, target_epsilon, target_delta},
       solve_epochs},
      {"noisy-gd-figure-1",
       "noisy GD by four analyses (Figure 1)",
       {c_key, kappa_key, steps_key, target_delta},
       noisy_gd_figure_1},
      {"logistic-regression-table",
       "a row of Tables 1, 3 and 4",
       {step_size_key, integer_key("b", "[1, inf)", "batch size"), integer_key("n", "[1, inf)", "records"), noise_key,
        number_key("L", "(0, inf)", "gradient sensitivity"), batches_key, integer_key("E", "[1, inf)", "epochs"),
        target_delta, numbers_key("lambda", "[0, inf)", "regularisations, which name the outputs"),
        numbers_key("c", "(0, 1)", "their contractions")},
       logistic_regression_table},
      {"noisy-sgd-strongly-convex",
       "noisy SGD, strongly convex (Theorem 4.9)",
       {kappa_key, sampling_key, c_key, horizon_key, maybe_steps, split_key, any_epsilon},
       noisy_sgd_strongly_convex},
      {"noisy-sgd-constrained",
       "noisy SGD, convex with a diameter (Theorem 4.10)",
       {kappa_key, sampling_key, diameter_key, step_size_key, noise_key, horizon_key, split_key, any_epsilon},
       noisy_sgd_constrained},
      {"noisy-sgd-one-process",
       "noisy SGD by one interpolation (derived-4)",
       {kappa_key, sampling_key, c_key, horizon_key, maybe_steps, split_key, any_epsilon,
        optional(number_key("D_over_eta_sigma", "(0, inf]", "diameter over eta sigma"),
                 std::numeric_limits<double>::infinity())},
       noisy_sgd_one_process},
      {"noisy-sgd-horizon-strongly-convex",
       "horizon of Theorem 4.9 by the central limit (Proposition C.14)",
       {kappa_key, sampling_key, c_key},
       noisy_sgd_horizon_strongly_convex},
      {"noisy-sgd-horizon-constrained",
       "horizon of Theorem 4.10 by the central limit (Proposition C.15)",
       {kappa_key, sampling_key, step_size_key, diameter_key, noise_key},
       noisy_sgd_horizon_constrained}};
}

}  // namespace dpcurves::tools::eval
