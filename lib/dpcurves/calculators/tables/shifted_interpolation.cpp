// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// "Shifted Interpolation for Differential Privacy".
#include <algorithm>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/calculators/tables/shifted_interpolation.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/interpolation/exponential_mechanism.hpp>
#include <dpcurves/interpolation/langevin.hpp>
#include <dpcurves/interpolation/lower_bounds.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

namespace dpcurves::calculators {
namespace {

using namespace shifted;

// --- trade-off functions and composition ----------------------------------------------------------------------------

Record gdp_tradeoff(double mu, double alpha) {
  return {{"f", {tradeoff::gaussian(alpha, mu)}}, {"one_minus_f", {tradeoff::gaussian_power(alpha, mu)}}};
}

double gdp_delta(double mu, double epsilon) { return tradeoff::delta_of_epsilon(epsilon, mu); }
double gdp_epsilon(double mu, double delta) { return tradeoff::epsilon_of_delta(delta, mu); }
double subsampled_tradeoff(double rate, double mu, double alpha) {
  return tradeoff::subsampled_gaussian(alpha, rate, mu);
}

Record subsampled_delta(double rate, double mu, double epsilon) {
  return {{"delta", {tradeoff::subsampled_gaussian_delta(epsilon, rate, mu)}},
          {"atom", {tradeoff::privacy_loss_atom(rate, mu)}}};
}

/// A subsampled factor C_p(G(mu)), composed with itself.
struct SubsampledFactor {
  double rate = 0.0;
  double mu = 0.0;
  double count = 1.0;
  static constexpr std::tuple fields{
      required("rate", "p", &SubsampledFactor::rate, "[0, 1]", "sampling rate"),
      required("mu", &SubsampledFactor::mu, "[0, inf)", "mu of the Gaussian that is subsampled"),
      required("count", &SubsampledFactor::count, whole("[0, 1e15]"), "how often it is composed")};
};
/// A Gaussian and subsampled factors.
struct Product {
  double gaussian_mu = 0.0;
  std::vector<SubsampledFactor> components;
  static constexpr std::tuple fields{
      required("gaussian_mu", &Product::gaussian_mu, "[0, inf)", "mu of the Gaussian factor"),
      required("components", &Product::components, "the subsampled factors C_p(G(mu))")};
};

accounting::Composition composition(const Product& product) {
  accounting::Composition all;
  all.gaussian_mu = product.gaussian_mu;
  for (const auto& part : product.components) {
    all.components.push_back({part.rate, part.mu, part.count});
  }
  return all;
}

Record compose_delta(const Product& product, double epsilon) {
  const auto point = accounting::profile_at(composition(product), epsilon, tight());
  return {{"delta", {point.delta.upper}},
          {"delta_lower", {point.delta.lower}},
          {"alpha", {point.type_one_error.middle()}},
          {"one_minus_beta", {point.power.middle()}},
          {"method", to_value(point.method)}};
}

Record compose_epsilon(const Product& product, double delta) {
  const auto bound = accounting::epsilon_at(composition(product), delta, tight());
  return {{"eps", {bound.epsilon.upper}}, {"eps_lower", {bound.epsilon.lower}}, {"method", to_value(bound.method)}};
}

Record shift_problem(const std::vector<double>& contractions, const std::vector<double>& sensitivities, double start) {
  if (contractions.empty() || contractions.size() != sensitivities.size()) {
    throw UsageError("s: needs as many entries as c, at least one; got " + std::to_string(sensitivities.size()) +
                     " and " + std::to_string(contractions.size()));
  }
  const auto solution = interpolation::solve_shift_problem(contractions, sensitivities, start);
  return {{"sum_a2", {solution.sum_a2.upper}},
          {"a", to_value(solution.a)},
          {"z", to_value(solution.z)},
          {"lambda", to_value(solution.lambda)}};
}

// --- conversions, sampling, lower bounds ----------------------------------------------------------------------------

Record central_limit(double rate, double mu, double steps) {
  const auto limit = accounting::central_limit(rate, mu, steps);
  return {{"mu_clt", {limit.mu_clt}},
          {"B", {limit.B}},
          {"mu_clt_one_sided", {limit.mu_clt_one_sided}},
          {"approximate", {true}}};
}

Record renyi_conversions(double rho, double delta) {
  const auto best = divergence::best(rho, delta);
  return {{"eps_bun_steinke", {divergence::bun_steinke(rho, delta).epsilon}},
          {"eps_balle", {divergence::balle(rho, delta).epsilon}},
          {"eps_asoodeh", {divergence::asoodeh(rho, delta).epsilon}},
          {"eps_best", {best.epsilon}},
          {"best_order", {best.order}}};
}

Record langevin(double lipschitz, double strong_convexity, double step_size, double steps, Maybe smoothness) {
  interpolation::Langevin setting{lipschitz, strong_convexity, step_size, steps, smoothness};
  require_theorem("shifted-interpolation/proposition-5.1", langevin_violations(setting));
  const Enclosure at_t = langevin_mu(setting);
  setting.steps = unlimited;
  return {{"mu_t", guaranteed(at_t)},
          {"mu_stationary", guaranteed(langevin_mu(setting))},
          {"mu_exponential_mechanism",
           guaranteed(interpolation::exponential_mechanism_strongly_convex_mu(lipschitz, strong_convexity))}};
}

Record exponential_mechanism(double lipschitz, double diameter, double step_size) {
  const interpolation::ProjectedLangevin run{lipschitz, diameter, step_size, unlimited};
  const double gdp = interpolation::exponential_mechanism_convex_mu(lipschitz, diameter).upper;
  const double pure = interpolation::exponential_mechanism_pure_mu(lipschitz, diameter).upper;
  return {{"mu_em", {gdp}},
          {"mu_lmc_paper", guaranteed(projected_langevin_mu(run))},
          {"mu_lmc_ceiling", guaranteed(projected_langevin_ceiling_mu(run))},
          {"mu_pure_2LD", {pure}},
          {"mu_best", {std::min(gdp, pure)}}};
}

double mechanism_threshold() { return interpolation::exponential_mechanism_threshold().middle(); }
double largest_c0(double c1_squared) { return interpolation::largest_c0(c1_squared).lower; }

Record constrained_lower_bound(double step_sensitivity, double diameter, double noise, double epochs, double batches) {
  const auto bound = interpolation::constrained_lower_bound({step_sensitivity, diameter, noise, epochs, batches});
  return {
      {"u", {bound.u}}, {"event_probability_bound", {bound.event_probability_bound}}, {"mu_lower", {bound.mu.lower}}};
}

// --- tables ---------------------------------------------------------------------------------------------------------

const FieldInfo mu = argument("mu", "mu", "[0, inf)", "GDP parameter"),
                p = argument("rate", "p", "[0, 1]", "sampling rate"),
                alpha = argument("type_one_error", "alpha", "[0, 1]", "type I error");

}  // namespace

std::vector<Calculator> shifted_interpolation() {
  return {calculator<&gdp_tradeoff>("gdp-tradeoff",
                                    {"definition-2.2", "definition-2.4", "lemma-3.1", "lemma-c.4", "figure-2"},
                                    "the Gaussian trade-off function G(mu) (Definition 2.4)", {mu, alpha}),
          calculator<&gdp_delta>("gdp-delta", {"definition-2.1", "lemma-a.3"}, "mu-GDP to (epsilon, delta) (Lemma A.3)",
                                 {mu, eps})
              .rename("value", "delta"),
          calculator<&gdp_epsilon>("gdp-epsilon", {"lemma-a.3", "figure-6", "figure-7", "figure-8", "figure-9"},
                                   "mu-GDP to epsilon at delta (Lemma A.3)", {mu, delta})
              .rename("value", "eps"),
          calculator<&tradeoff::mu_of_epsilon_delta>("gdp-mu", {"lemma-a.3"},
                                                     "the largest mu that implies (epsilon, delta) (Lemma A.3)",
                                                     {argument("epsilon", "eps", "[0, inf)", "epsilon"), delta})
              .rename("value", "mu"),
          calculator<&subsampled_tradeoff>("subsampled-gaussian-tradeoff",
                                           {"definition-2.2", "definition-4.7", "lemma-c.12", "figure-4"},
                                           "C_p(G(mu)) (Definition 4.7)", {p, mu, alpha})
              .rename("value", "f"),
          calculator<&subsampled_delta>(
              "subsampled-gaussian-delta",
              {"definition-2.1", "definition-4.7", "definition-d.1", "lemma-d.2", "lemma-d.3", "proposition-d.4"},
              "profile of C_p(G(mu)), atom of its loss at 0 (Proposition D.4)", {p, mu, eps}),
          calculator<&compose_delta>("compose-delta",
                                     {"definition-2.1", "definition-2.6", "theorem-4.8", "lemma-a.2", "lemma-a.11",
                                      "proposition-d.4", "figure-10", "derived-6"},
                                     "certified delta, type I error and power of a composition (derived-6)", {eps}),
          calculator<&compose_epsilon>("compose-epsilon", {"theorem-4.8", "table-4", "derived-6"},
                                       "certified epsilon of a composition (derived-6)", {delta}),
          calculator<&shift_problem>("shift-problem",
                                     {"lemma-3.2", "theorem-3.3", "definition-c.2", "theorem-c.3", "theorem-c.5",
                                      "lemma-c.6", "lemma-c.8", "lemma-c.10", "lemma-c.11", "derived-1"},
                                     "optimal shifts (Theorems 3.3 and C.3, derived-1)",
                                     {argument("contractions", "c", "[0, inf)", "Lipschitz constants of the steps"),
                                      argument("sensitivities", "s", "[0, inf)", "sensitivities of the steps"),
                                      argument("start", "z_start", "[0, inf)", "distance before the first step")}),
          calculator<&central_limit>("subsampled-gaussian-clt", {"lemma-a.5", "lemma-a.11", "figure-10"},
                                     "central limit of C_p(G(mu)) composed, an approximation (Lemma A.5)",
                                     {p, mu, argument("steps", "t", whole("[1, 1e15]"), "number of steps")}),
          calculator<&renyi_conversions>("rdp-to-approximate-dp", {"definition-a.1", "lemma-a.4"},
                                         "(a, rho a)-RDP for every order to epsilon at delta (section 10)",
                                         {argument("rho", "rho", "[0, inf)", "Renyi divergence per order"), delta}),
          calculator<&langevin>("langevin-gdp", {"proposition-5.1", "corollary-5.2", "remark-5.3"},
                                "Langevin Monte Carlo, strongly convex (Proposition 5.1, Corollary 5.2)",
                                {argument("lipschitz_of_difference", "L", "[0, inf)", "Lipschitz constant of F - F'"),
                                 argument("strong_convexity", "m", "(0, inf)", "strong convexity"), eta, t,
                                 argument("smoothness", "M", "(0, inf)", "smoothness, to check the step size")}),
          calculator<&exponential_mechanism>(
              "exponential-mechanism-convex", {"corollary-5.4", "appendix-d.4"},
              "exponential mechanism and projected Langevin, convex (Corollary 5.4)",
              {argument("lipschitz", "L", "[0, inf)", "Lipschitz constant of F and of F' each"),
               argument("diameter", "D", "[0, inf)", "diameter"),
               argument("step_size", "eta", "(0, inf)", "step size of Langevin")}),
          calculator<&mechanism_threshold>("exponential-mechanism-threshold", {"corollary-5.4", "appendix-d.4"},
                                           "the L D above which Corollary 5.4 beats the pure bound")
              .rename("value", "c_star"),
          calculator<&largest_c0>("lower-bound-constants", {"theorem-c.16"}, "admissible constants of Theorem C.16",
                                  {argument("c1_squared", "c1_squared", "(0, 0.0017857142857142857)", "c1 squared")})
              .rename("value", "c0_max"),
          calculator<&constrained_lower_bound>(
              "constrained-lower-bound", {"theorem-c.16", "derived-5"},
              "no smaller mu holds for constrained descent (derived-5)",
              {argument("step_sensitivity", "step_sensitivity", "(0, inf)", "eta L/n or eta L/b"),
               argument("diameter", "D", "(0, inf)", "diameter"),
               argument("noise", "iterate_noise_std", "(0, inf)", "eta sigma"),
               argument("epochs", "epochs", whole("[1, inf]"), "drift steps"),
               argument("batches_per_epoch", "l", whole("[1, inf)"), "batches per epoch", 1.0)})};
}

}  // namespace dpcurves::calculators
