// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The calculators of "Shifted Interpolation for Differential Privacy": JSON in, library call, JSON out.
#include <algorithm>
#include <iterator>
#include <limits>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/interpolation/exponential_mechanism.hpp>
#include <dpcurves/interpolation/langevin.hpp>
#include <dpcurves/interpolation/lower_bounds.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

const Key mu_key = number_key("mu", "[0, inf)", "GDP parameter");
const Key rate_key = number_key("p", "[0, 1]", "sampling rate");
const Key alpha_key = number_key("alpha", "[0, 1]", "type I error");
const Key eps_key = number_key("eps", "(-inf, inf)", "epsilon");
const Key nonnegative_eps_key = number_key("eps", "[0, inf)", "epsilon");
const Key delta_key = number_key("delta", "(0, 1)", "delta");
const Key gaussian_mu_key = number_key("gaussian_mu", "[0, inf)", "mu of the Gaussian factor");
const Key components_key = objects_key("components",
                                       {rate_key, number_key("mu", "[0, inf)", "mu of the Gaussian that is subsampled"),
                                        integer_key("count", "[0, 1e15]", "how often it is composed")},
                                       "the subsampled factors C_p(G(mu))");

/// Vectors ask for ten digits; the engine is asked for a little more.
accounting::Accuracy tight() {
  accounting::Accuracy accuracy;
  accuracy.relative = 1e-9;
  return accuracy;
}

accounting::Composition composition(const Inputs& in) {
  accounting::Composition all;
  all.gaussian_mu = in.number("gaussian_mu");
  for (const Inputs& part : in.objects("components")) {
    all.components.push_back({part.number("p"), part.number("mu"), part.number("count")});
  }
  return all;
}

// --- trade-off functions and composition -----------------------------------------------------------------------

Json gdp_tradeoff(const Inputs& in) {
  const double alpha = in.number("alpha");
  const double mu = in.number("mu");
  return {{"f", number(tradeoff::gaussian(alpha, mu))}, {"one_minus_f", number(tradeoff::gaussian_power(alpha, mu))}};
}

Json gdp_delta(const Inputs& in) {
  return {{"delta", number(tradeoff::delta_of_epsilon(in.number("eps"), in.number("mu")))}};
}

Json gdp_epsilon(const Inputs& in) {
  return {{"eps", number(tradeoff::epsilon_of_delta(in.number("delta"), in.number("mu")))}};
}

Json gdp_mu(const Inputs& in) {
  return {{"mu", number(tradeoff::mu_of_epsilon_delta(in.number("eps"), in.number("delta")))}};
}

Json subsampled_gaussian_tradeoff(const Inputs& in) {
  return {{"f", number(tradeoff::subsampled_gaussian(in.number("alpha"), in.number("p"), in.number("mu")))}};
}

Json subsampled_gaussian_delta(const Inputs& in) {
  const double p = in.number("p");
  const double mu = in.number("mu");
  return {{"delta", number(tradeoff::subsampled_gaussian_delta(in.number("eps"), p, mu))},
          {"atom", number(tradeoff::privacy_loss_atom(p, mu))}};
}

Json compose_delta(const Inputs& in) {
  const auto point = accounting::profile_at(composition(in), in.number("eps"), tight());
  return {{"delta", number(point.delta.upper)},
          {"delta_lower", number(point.delta.lower)},
          {"alpha", number(point.type_one_error.middle())},
          {"one_minus_beta", number(point.power.middle())},
          {"method", point.method}};
}

Json compose_epsilon(const Inputs& in) {
  const auto bound = accounting::epsilon_at(composition(in), in.number("delta"), tight());
  return {{"eps", number(bound.epsilon.upper)}, {"eps_lower", number(bound.epsilon.lower)}, {"method", bound.method}};
}

Json shift_problem(const Inputs& in) {
  const auto c = in.numbers("c");
  const auto s = in.numbers("s");
  if (c.empty() || c.size() != s.size()) {
    throw UsageError("s: needs as many entries as c, at least one; got " + std::to_string(s.size()) + " and " +
                     std::to_string(c.size()));
  }
  const auto solution = interpolation::solve_shift_problem(c, s, in.number("z_start"));
  return {{"sum_a2", number(solution.sum_a2.upper)},
          {"a", numbers(solution.a)},
          {"z", numbers(solution.z)},
          {"lambda", numbers(solution.lambda)}};
}

std::vector<Calculator> calculus() {
  return {
      {"gdp-tradeoff", "the Gaussian trade-off function G(mu) (Definition 2.4)", {mu_key, alpha_key}, gdp_tradeoff},
      {"gdp-delta", "mu-GDP to (epsilon, delta) (Lemma A.3)", {mu_key, eps_key}, gdp_delta},
      {"gdp-epsilon", "mu-GDP to epsilon at delta (Lemma A.3)", {mu_key, delta_key}, gdp_epsilon},
      {"gdp-mu", "the largest mu that implies (epsilon, delta) (Lemma A.3)", {nonnegative_eps_key, delta_key}, gdp_mu},
      {"subsampled-gaussian-tradeoff",
       "C_p(G(mu)) (Definition 4.7)",
       {rate_key, mu_key, alpha_key},
       subsampled_gaussian_tradeoff},
      {"subsampled-gaussian-delta",
       "profile of C_p(G(mu)), atom of its loss at 0 (Proposition D.4)",
       {rate_key, mu_key, eps_key},
       subsampled_gaussian_delta},
      {"compose-delta",
       "certified delta, type I error and power of a composition (derived-6)",
       {gaussian_mu_key, components_key, eps_key},
       compose_delta},
      {"compose-epsilon",
       "certified epsilon of a composition (derived-6)",
       {gaussian_mu_key, components_key, delta_key},
       compose_epsilon},
      {"shift-problem",
       "optimal shifts (Theorems 3.3 and C.3, derived-1)",
       {numbers_key("c", "[0, inf)", "Lipschitz constants of the steps"),
        numbers_key("s", "[0, inf)", "sensitivities of the steps"),
        number_key("z_start", "[0, inf)", "distance before the first step")},
       shift_problem}};
}

// --- conversions, sampling, lower bounds ------------------------------------------------------------------------

Json subsampled_gaussian_clt(const Inputs& in) {
  const auto limit = accounting::central_limit(in.number("p"), in.number("mu"), in.number("t"));
  return {{"mu_clt", number(limit.mu_clt)},
          {"B", number(limit.B)},
          {"mu_clt_one_sided", number(limit.mu_clt_one_sided)},
          {"approximate", true}};
}

Json rdp_to_approximate_dp(const Inputs& in) {
  const double rho = in.number("rho");
  const double delta = in.number("delta");
  const auto best = divergence::best(rho, delta);
  return {{"eps_bun_steinke", number(divergence::bun_steinke(rho, delta).epsilon)},
          {"eps_balle", number(divergence::balle(rho, delta).epsilon)},
          {"eps_asoodeh", number(divergence::asoodeh(rho, delta).epsilon)},
          {"eps_best", number(best.epsilon)},
          {"best_order", number(best.order)}};
}

Json langevin_gdp(const Inputs& in) {
  const double L = in.number("L");
  const double m = in.number("m");
  interpolation::Langevin setting{L, m, in.number("eta"), in.number("t"), in.maybe("M")};
  require_theorem("shifted-interpolation/proposition-5.1", langevin_violations(setting));
  const Enclosure at_t = langevin_mu(setting);
  setting.steps = std::numeric_limits<double>::infinity();
  return {{"mu_t", number(at_t.upper)},
          {"mu_stationary", number(langevin_mu(setting).upper)},
          {"mu_exponential_mechanism", number(interpolation::exponential_mechanism_strongly_convex_mu(L, m).upper)}};
}

Json exponential_mechanism_convex(const Inputs& in) {
  const double L = in.number("L");
  const double D = in.number("D");
  const interpolation::ProjectedLangevin langevin{L, D, in.number("eta"), std::numeric_limits<double>::infinity()};
  const double gdp = interpolation::exponential_mechanism_convex_mu(L, D).upper;
  const double pure = interpolation::exponential_mechanism_pure_mu(L, D).upper;
  return {{"mu_em", number(gdp)},
          {"mu_lmc_paper", number(projected_langevin_mu(langevin).upper)},
          {"mu_lmc_ceiling", number(projected_langevin_ceiling_mu(langevin).upper)},
          {"mu_pure_2LD", number(pure)},
          {"mu_best", number(std::min(gdp, pure))}};
}

Json exponential_mechanism_threshold(const Inputs& /*in*/) {
  return {{"c_star", number(interpolation::exponential_mechanism_threshold().middle())}};
}

Json lower_bound_constants(const Inputs& in) {
  return {{"c0_max", number(interpolation::largest_c0(in.number("c1_squared")).lower)}};
}

Json constrained_lower_bound(const Inputs& in) {
  const auto bound =
      interpolation::constrained_lower_bound({in.number("step_sensitivity"), in.number("D"),
                                              in.number("iterate_noise_std"), in.number("epochs"), in.number("l")});
  return {{"u", number(bound.u)},
          {"event_probability_bound", number(bound.event_probability_bound)},
          {"mu_lower", number(bound.mu.lower)}};
}

std::vector<Calculator> sampling() {
  const Key each_key = number_key("L", "[0, inf)", "Lipschitz constant of F and of F' each");
  return {
      {"subsampled-gaussian-clt",
       "central limit of C_p(G(mu)) composed, an approximation (Lemma A.5)",
       {rate_key, mu_key, integer_key("t", "[1, 1e15]", "number of steps")},
       subsampled_gaussian_clt},
      {"rdp-to-approximate-dp",
       "(a, rho a)-RDP for every order to epsilon at delta (section 10)",
       {number_key("rho", "[0, inf)", "Renyi divergence per order"), delta_key},
       rdp_to_approximate_dp},
      {"langevin-gdp",
       "Langevin Monte Carlo, strongly convex (Proposition 5.1, Corollary 5.2)",
       {number_key("L", "[0, inf)", "Lipschitz constant of F - F'"), number_key("m", "(0, inf)", "strong convexity"),
        number_key("eta", "(0, inf)", "step size"), integer_key("t", "[1, inf]", "number of steps"),
        optional(number_key("M", "(0, inf)", "smoothness, to check the step size"), nullptr)},
       langevin_gdp},
      {"exponential-mechanism-convex",
       "exponential mechanism and projected Langevin, convex (Corollary 5.4)",
       {each_key, number_key("D", "[0, inf)", "diameter"), number_key("eta", "(0, inf)", "step size of Langevin")},
       exponential_mechanism_convex},
      {"exponential-mechanism-threshold",
       "the L D above which Corollary 5.4 beats the pure bound",
       {},
       exponential_mechanism_threshold},
      {"lower-bound-constants",
       "admissible constants of Theorem C.16",
       {number_key("c1_squared", "(0, 0.0017857142857142857)", "c1 squared")},
       lower_bound_constants},
      {"constrained-lower-bound",
       "no smaller mu holds for constrained descent (derived-5)",
       {number_key("step_sensitivity", "(0, inf)", "eta L/n or eta L/b"), number_key("D", "(0, inf)", "diameter"),
        number_key("iterate_noise_std", "(0, inf)", "eta sigma"), integer_key("epochs", "[1, inf]", "drift steps"),
        optional(integer_key("l", "[1, inf)", "batches per epoch"), 1.0)},
       constrained_lower_bound}};
}

}  // namespace

std::vector<Calculator> shifted_interpolation_calculators() {
  std::vector<Calculator> all = calculus();
  for (auto* part : {&sampling, &shifted_interpolation_descent_calculators}) {
    auto more = (*part)();
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  for (auto& calculator : all) {
    calculator.name = "shifted-interpolation/" + calculator.name;
  }
  return all;
}

}  // namespace dpcurves::tools::eval
