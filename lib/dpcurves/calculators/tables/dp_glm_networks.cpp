// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// "Differentially Private Non-convex Learning for Multi-layer Neural Networks".
#include <algorithm>
#include <cmath>
#include <optional>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/bounds/two_layer.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/models/arc_cosine.hpp>
#include <dpcurves/models/johnson_lindenstrauss.hpp>
#include <dpcurves/models/link.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/models/phase_schedule.hpp>
#include <dpcurves/models/polynomial_features.hpp>
#include <dpcurves/models/population_risk.hpp>
#include <dpcurves/simulate/phased_identity_law.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::calculators {
namespace {

using bounds::GlmMechanism;
using models::PhasedAlgorithm;

// --- privacy --------------------------------------------------------------------------------------------------------

/// Answers are asked of the Gaussian curve. \throws DomainError  where mu leaves the range of a double.
double finite_mu(double mu, double epsilon, std::source_location where = std::source_location::current()) {
  require_domain(mu > 0.0 && std::isfinite(mu), "epsilon", epsilon, "where the Gaussian strength mu is a double",
                 where);
  return mu;
}

Record gaussian_classic(double sensitivity, double epsilon, double delta) {
  const double mu = finite_mu(bounds::printed_mu(GlmMechanism::classic, epsilon, delta), epsilon);
  return {{"sigma", {sensitivity / mu}},
          {"mu", {mu}},
          {"exact_delta", {tradeoff::delta_of_epsilon(epsilon, mu)}},
          {"log10_exact_delta", {log10_of(tradeoff::log_delta_of_epsilon(epsilon, mu))}},
          {"warning", epsilon > 1.0 ? Value{std::string("the formula is proved for eps < 1 only")} : Value{}}};
}

Record gdp_delta(double mu, double epsilon) {
  return {{"delta", {tradeoff::delta_of_epsilon(epsilon, mu)}},
          {"log10_delta", {log10_of(tradeoff::log_delta_of_epsilon(epsilon, mu))}}};
}

Record gdp_mu(double epsilon, double delta) {
  const double mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  return {{"mu", {mu}}, {"noise_multiplier", {1.0 / mu}}};
}

template <GlmMechanism mechanism>
Record printed_privacy(double epsilon, double delta) {
  finite_mu(bounds::printed_mu(mechanism, epsilon, delta), epsilon);
  require_domain(bounds::delta_target(mechanism, delta) > 0.0, "delta", delta, "where half of it is a double");
  const auto privacy = bounds::printed_privacy(mechanism, epsilon, delta);
  return {{"mu", {privacy.mu}},
          {"delta_target", {privacy.delta_target}},
          {"exact_delta_at_eps", {privacy.delta_at_epsilon}},
          {"log10_exact_delta_at_eps", {log10_of(privacy.log_delta_at_epsilon)}},
          {"exact_eps_at_delta_target", {privacy.epsilon_at_target}},
          {"noise_excess_factor", {privacy.noise_excess}},
          {"private_as_claimed", {privacy.noise_excess >= 1.0}}};
}

Record algorithm_8_privacy(double dimension, double epsilon, double delta) {
  const double mu = finite_mu(bounds::algorithm_8_printed_mu(dimension, epsilon, delta), epsilon);
  const double log_delta = tradeoff::log_delta_of_epsilon(epsilon, mu);
  return {{"mu", {mu}},
          {"exact_eps_at_delta", {tradeoff::epsilon_of_delta(delta, mu)}},
          {"exact_delta_at_eps", {tradeoff::delta_of_epsilon(epsilon, mu)}},
          {"log10_exact_delta_at_eps", {log10_of(log_delta)}},
          {"private_as_claimed", {log_delta <= std::log(delta)}}};
}

Record projection_event(double projected_dimension, double records, double delta) {
  const auto event = bounds::johnson_lindenstrauss_event(projected_dimension, records, delta);
  return {{"union_failure", {std::exp(event.log_union_failure)}},
          {"log10_union_failure", {log10_of(event.log_union_failure)}},
          {"event_ok", {event.enough}},
          {"min_m_exact", {event.least_dimension}},
          {"min_m_chernoff", {event.chernoff_dimension}}};
}

Record batch_noise(double label_bound, double dimension, double parameter_norm, double batch, double epsilon,
                   double delta) {
  const double printed =
      bounds::printed_batch_noise_variance({label_bound, std::sqrt(dimension), parameter_norm, batch, epsilon, delta});
  return {{"variance_printed", {printed}}, {"variance_corrected", {dimension * printed}}};
}

// --- phases ---------------------------------------------------------------------------------------------------------

Record phases(std::uint64_t records) {
  auto sizes = models::phase_sizes(records);
  std::uint64_t used = 0;
  for (const std::uint64_t size : sizes) {
    used += size;
  }
  constexpr std::size_t most_shown = 25;
  sizes.resize(std::min(sizes.size(), most_shown));
  return {{"k", to_value(models::phase_count(records))},
          {"k_paper", to_value(models::printed_phase_count(records))},
          {"sizes", to_value(sizes)},
          {"used", to_value(used)},
          {"unused", to_value(records - used)}};
}

Record phase_noise(double label_bound, double step_size, double epsilon, double delta, std::uint64_t records) {
  const auto first = [&](PhasedAlgorithm algorithm, int phase) {
    return models::printed_noise_per_step(algorithm, label_bound, epsilon, delta) * std::ldexp(step_size, -2 * phase);
  };
  const auto plain = PhasedAlgorithm::plain;
  return {{"alg2_tau_first3", {std::vector{first(plain, 1), first(plain, 2), first(plain, 3)}}},
          {"alg2_tau_last", {first(plain, models::phase_count(records))}},
          {"alg3_tau_first", {first(PhasedAlgorithm::projected, 1)}},
          {"alg5_tau_first", {first(PhasedAlgorithm::smoothed, 1)}},
          {"alg2_sensitivity_first", {bounds::phase_sensitivity(label_bound, std::ldexp(step_size, -2), records / 2)}}};
}

Record selection(double records, double epsilon, double rank) {
  const auto chosen = [](bool phased) { return Value{std::string(phased ? "phased" : "projected")}; };
  return {{"alg1", chosen(bounds::rule_of_algorithm_1(records, epsilon, rank))},
          {"alg9", chosen(bounds::rule_of_algorithm_9(records, epsilon, rank))}};
}

// --- bounds ---------------------------------------------------------------------------------------------------------

Value steps_contract(PhasedAlgorithm algorithm, const bounds::PhasedSetting& s, double smoothness) {
  return {s.step_size / 4.0 <= models::largest_phase_step(algorithm, smoothness)};
}

Record terms_of(const bounds::PhasedBound& bound, bool projected) {
  Record terms{
      {"init", {bound.start}}, {"noise", {bound.noise}}, {"step", {bound.steps}}, {"final", {bound.final_noise}}};
  if (projected) {
    terms.add("jl", {bound.projection});
  }
  return terms;
}

Record theorem_1(const bounds::PhasedSetting& s) {
  const auto bound = bounds::phased_bound(s);
  return {{"terms", {terms_of(bound, false)}},
          {"surrogate_bound", {bound.surrogate}},
          {"risk_bound", {bound.risk}},
          {"eta_star_uncapped", {bounds::best_step_size(s, false)}},
          {"step_condition_met", steps_contract(PhasedAlgorithm::plain, s, s.lipschitz)}};
}

Record theorem_2(const bounds::PhasedSetting& s) {
  const auto bound = bounds::projected_bound(s);
  return {{"terms", {terms_of(bound, true)}},
          {"surrogate_bound", {bound.surrogate}},
          {"risk_bound", {bound.risk}},
          {"m_star", {bounds::best_projected_dimension(s)}},
          {"eta_star_uncapped", {bounds::best_step_size(s, true)}},
          {"step_condition_met", steps_contract(PhasedAlgorithm::projected, s, s.lipschitz)}};
}

Record smoothed(const bounds::PhasedBound& bound, Value contract) {
  return {{"envelope_bound", {bound.start + bound.noise + bound.steps + bound.final_noise + bound.oracle}},
          {"surrogate_bound", {bound.surrogate}},
          {"risk_bound", {bound.risk}},
          {"step_condition_met", std::move(contract)}};
}

Record theorem_4(const bounds::PhasedSetting& s) {
  return smoothed(bounds::smoothed_bound(s), steps_contract(PhasedAlgorithm::smoothed, s, s.smoothing));
}

Record theorem_5(const bounds::PhasedSetting& s) {
  const auto bound = bounds::projected_smoothed_bound(s);
  Record answer = smoothed(bound, steps_contract(PhasedAlgorithm::projected_smoothed, s, s.smoothing));
  answer.add("jl", {bound.projection});
  return answer;
}

Record theorem_6(const bounds::ProjectedDescentSetting& s) {
  const auto bound = bounds::projected_descent_bound(s);
  return {{"noise_variance", {bound.noise_variance}},
          {"terms",
           {Record{{"init", {bound.start}},
                   {"noise", {bound.noise}},
                   {"grad", {bound.gradients}},
                   {"gen", {bound.stability}},
                   {"jl", {bound.projection}}}}},
          {"surrogate_bound", {bound.surrogate}},
          {"risk_bound", {bound.risk}}};
}

Record theorem_8(bounds::PhasedSetting s, double misfit, std::optional<double> projected_dimension,
                 std::optional<double> rank, const std::string& variant) {
  const bool projected = variant == "alg3";
  if (projected ? !projected_dimension : !rank) {
    throw UsageError(std::string(projected ? "m" : "theta") + ": missing key, which \"" + variant + "\" needs");
  }
  s.projected_dimension = projected_dimension.value_or(s.projected_dimension);
  s.rank = rank.value_or(s.rank);
  const auto bound = bounds::two_layer_bound(s, misfit, projected);
  return {{"terms", {terms_of(bound.phased, projected)}},
          {"surrogate_bound", {bound.phased.surrogate}},
          {"risk_bound", {bound.risk}},
          {"risk_bound_sharp", {bound.risk_sharp}},
          {"risk_bound_sharp_jl", {bound.risk_sharp_projection}},
          {"step_condition_met",
           steps_contract(projected ? PhasedAlgorithm::projected : PhasedAlgorithm::plain, s, s.lipschitz)}};
}

// --- laws and models ------------------------------------------------------------------------------------------------

Record phased_identity(const simulate::PhasedIdentityRun& run) {
  const auto law = simulate::phased_identity_law(run);
  const double risk = law.squared_distance / run.dimension;
  return {{"E_sq_dist", {law.squared_distance}},
          {"risk_excess", {risk}},
          {"surrogate_excess", {0.5 * risk}},
          {"largest_E_sq_gradient", {law.gradient_squared}}};
}

Record with_ratio(const models::PopulationRisk& risk, models::SmoothLink link) {
  const double most = 2.0 * models::lipschitz(link) * risk.surrogate_excess;
  return {{"risk_excess", {risk.risk_excess}},
          {"surrogate_excess", {risk.surrogate_excess}},
          {"lemma3_ratio", most > 0.0 ? Value{risk.risk_excess / most} : Value{}}};
}

template <models::SmoothLink link>
Record gaussian_risk(const models::ParameterPair& pair) {
  return with_ratio(models::gaussian_risk(link, pair), link);
}

template <models::SmoothLink link>
Record sphere_risk(const models::ParameterPair& pair, double dimension) {
  return with_ratio(models::sphere_risk(link, pair, dimension), link);
}

models::Prox moreau_prox(models::LinkKind link, double slope, double label, double beta, double at) {
  return models::prox(models::make_link(link, slope), label, beta, at);
}

Record oracle_steps(double label_bound, double accuracy) {
  const double steps = models::oracle_steps(label_bound, accuracy);
  return {{"T", {steps}},
          {"error_bound", {std::isinf(steps) ? accuracy : models::oracle_error_bound(label_bound, steps)}}};
}

template <models::ActivationPolynomial (*polynomial)(std::size_t)>
Record feature_map(std::size_t degree) {
  const auto p = polynomial(degree);
  constexpr std::size_t most_shown = 8;
  const auto end = p.coefficients.begin() + static_cast<std::ptrdiff_t>(std::min(most_shown, p.coefficients.size()));
  return {{"alpha0", {p.error}},
          {"log10_alpha0", {p.log10_error}},
          {"error_at_one", {p.error_at_one}},
          {"coef_norm", {p.coefficient_norm}},
          {"log10_coef_norm", {p.log10_coefficient_norm}},
          {"W_over_sqrt_k", {p.weight}},
          {"coefs", {std::vector<double>(p.coefficients.begin(), end)}}};
}

// --- tables ---------------------------------------------------------------------------------------------------------

const FieldInfo eps = argument("epsilon", "eps", "(0, inf)",
                               "epsilon of the privacy target; the paper takes it at most 1"),
                eps_or_0 = argument("epsilon", "eps", "[0, inf)", "epsilon"),
                delta = argument("delta", "delta", "(0, 1)", "delta of the privacy target"),
                n = argument("records", "n", whole("[2, 9e18]"), "records"),
                eta = argument("step_size", "eta", "(0, inf)", "step size; phase i takes eta/4^i"),
                B = argument("label_bound", "B", "(0, inf)", "labels and link lie in [-B, B]"),
                m = argument("projected_dimension", "m", whole("[1, inf)"), "dimension of the projection"),
                theta = argument("rank", "theta", "[0, inf)", "expected rank of the data, at most min(n, d)"),
                cosine = argument("cosine", "cos", "[-1, 1]", "cosine of the angle");

FieldInfo same(const char* name, const char* value) {
  return word(name, name, {value}, "the same as in the name", false);
}

std::vector<Calculator> privacy_rows() {
  const FieldInfo mechanism = argument("mechanism", "algorithm", Domain(), "whose noise");
  return {
      calculator<&gaussian_classic>(
          "gaussian-classic", {"lemma-1"}, "Lemma 1: the classic Gaussian noise and its exact curve",
          {argument("sensitivity", "sensitivity", "(0, inf)", "distance of the means"), eps, delta}),
      calculator<&gdp_delta>("gdp-delta", {"definition-1", "lemma-1"}, "delta of mu-GDP at epsilon",
                             {argument("mu", "mu", "(0, inf)", "GDP parameter"), eps_or_0}),
      calculator<&gdp_mu>("gdp-mu", {"definition-1"}, "largest mu with mu-GDP at least as private as (epsilon, delta)",
                          {eps_or_0, delta}),
      calculator<&printed_privacy<GlmMechanism::algorithm_2>>("privacy-alg2", {"algorithm-2", "theorem-1"},
                                                              "exact privacy of the printed noise of Algorithm 2",
                                                              {eps, delta})
          .ignore(same("algorithm", "alg2")),
      calculator<&printed_privacy<GlmMechanism::algorithm_3>>("privacy-alg3", {"algorithm-3", "theorem-2"},
                                                              "exact privacy of the printed noise of Algorithm 3",
                                                              {eps, delta})
          .ignore(same("algorithm", "alg3")),
      calculator<&printed_privacy<GlmMechanism::algorithm_5>>("privacy-alg5", {"algorithm-5", "theorem-4"},
                                                              "exact privacy of the printed noise of Algorithm 5",
                                                              {eps, delta})
          .ignore(same("algorithm", "alg5")),
      calculator<&printed_privacy<GlmMechanism::algorithm_6>>("privacy-alg6", {"algorithm-6", "theorem-5"},
                                                              "exact privacy of the printed noise of Algorithm 6",
                                                              {eps, delta})
          .ignore(same("algorithm", "alg6")),
      calculator<&printed_privacy<GlmMechanism::algorithm_7>>("privacy-alg7", {"algorithm-7", "theorem-6"},
                                                              "exact privacy of the printed noise of Algorithm 7",
                                                              {eps, delta})
          .ignore(same("algorithm", "alg7")),
      calculator<&algorithm_8_privacy>("privacy-alg8-literal", {"algorithm-8", "theorem-7"},
                                       "Algorithm 8 with its noise as printed: not private from d = 2 or so on (E3)",
                                       {argument("dimension", "d", "[1, inf)", "dimension"),
                                        argument("epsilon", "eps_claimed", "(0, inf)", "epsilon it claims"), delta}),
      calculator<&bounds::largest_valid_epsilon>(
          "noise-valid-range",
          {"algorithm-2", "algorithm-3", "algorithm-5", "algorithm-6", "algorithm-7", "lemma-1", "theorem-1",
           "theorem-6"},
          "first epsilon above 1 at which a printed noise stops being private",
          {mechanism, argument("delta", "delta", "(0, 0.5]", "delta of the privacy target")})
          .rename("value", "eps_max"),
      calculator<&projection_event>(
          "jl-privacy-event", {"definition-6", "algorithm-3", "algorithm-6", "theorem-2", "theorem-5", "theorem-6"},
          "failure of |Phi x| <= 2|x| for the n + 1 records of two neighbours, Phi Gaussian",
          {m, argument("records", "n", whole("[1, inf)"), "records"), delta}),
      calculator<&batch_noise>(
          "alg8-noise", {"algorithm-8", "theorem-7"}, "noise variance of Algorithm 8, as printed and private",
          {B, argument("dimension", "d", "[1, inf)", "dimension; |x| <= sqrt(d)"),
           argument("parameter_norm", "norm_w", "[0, inf)", "norm of the parameter before the step"),
           argument("batch", "batch", "[1, inf)", "records of a batch"), eps, delta}),
      calculator<&phases>("phase-schedule", {"algorithm-2", "algorithm-3", "algorithm-5"},
                          "Algorithm 2: sizes of the phases", {n}),
      calculator<&phase_noise>("phase-noise", {"algorithm-2", "algorithm-3", "algorithm-5", "theorem-1"},
                               "Algorithms 2, 3 and 5: noise of the phases", {B, eta, eps, delta, n}),
      calculator<&selection>("selection", {"algorithm-1", "algorithm-9"}, "which algorithm Algorithms 1 and 9 choose",
                             {n, eps, argument("rank", "theta", "[0, inf)", "expected rank")})};
}

/// A bound of phased SGD; the printed noise has a finite epsilon.
Calculator phased(Calculator row, Texts unused) {
  return row.without(unused).without({"noise_ratio"}).narrow("epsilon", "eps", eps.domain, eps.meaning.c_str());
}

std::vector<Calculator> bound_rows() {
  return {
      phased(calculator<&theorem_1>("thm1-bound", {"theorem-1", "remark-3", "lemma-8"},
                                    "Theorem 1 with explicit constants: phased SGD"),
             {"projected_dimension", "parameter_norm", "smoothing", "oracle_error"}),
      phased(calculator<&theorem_2>("thm2-bound", {"theorem-2", "remark-3", "lemma-9"},
                                    "Theorem 2 with explicit constants: projected phased SGD"),
             {"rank", "smoothing", "oracle_error"}),
      phased(calculator<&theorem_4>(
                 "thm4-bound", {"theorem-4", "lemma-10"},
                 "Theorem 4 with explicit constants: phased SGD on Moreau envelopes; Theorem 1 is better unless G is "
                 "large"),
             {"projected_dimension", "parameter_norm"}),
      phased(calculator<&theorem_5>("thm5-bound", {"theorem-5"},
                                    "Theorem 5 with explicit constants: projected phased SGD on Moreau envelopes"),
             {"rank"}),
      calculator<&theorem_6>(
          "thm6-bound", {"algorithm-7", "theorem-6"},
          "Theorem 6 with explicit constants: projected noisy descent for ReLU, on the projection event"),
      phased(calculator<&theorem_8>(
                 "thm8-bound",
                 {"algorithm-9", "lemma-7", "theorem-8", "remark-9", "corollary-1", "theorem-10", "theorem-11"},
                 "Theorem 8 with explicit constants: two-layer networks, B = 1/2",
                 {argument("misfit", "Mn", "[0, inf)", "bound M on the misfit"),
                  argument("projection", "m", m.domain, m.meaning.c_str()),
                  argument("expected_rank", "theta", theta.domain, theta.meaning.c_str()),
                  word("variant", "variant", {"alg2", "alg3"}, "alg2 (needs theta) or alg3 (needs m)")}),
             {"label_bound", "projected_dimension", "rank", "smoothing", "oracle_error"})};
}

std::vector<Calculator> model_rows() {
  using models::SmoothLink;
  const FieldInfo sphere = argument("dimension", "d", whole("[3, 1e15]"), "dimension of the sphere's space");
  const FieldInfo degree = argument("degree", "degree", whole("[0, 1000]"), "of the polynomial");
  return {
      calculator<&phased_identity>("phased-identity-exact", {"algorithm-2"},
                                   "Algorithm 2 with the identity link on the unit sphere: exact mean square distance"),
      calculator<&models::relu_risk>("risk-relu-gaussian", {"definition-2", "lemma-3"},
                                     "excess risk of ReLU regression, Gaussian features"),
      calculator<&models::erf_risk>("risk-erf-gaussian", {"definition-2", "lemma-3"},
                                    "excess risk of the erf link, Gaussian features")
          .rename("value", "risk_excess"),
      calculator<&gaussian_risk<SmoothLink::sigmoid>>("risk-sigmoid-gaussian", {"definition-2", "lemma-3"},
                                                      "exact excess risk of the sigmoid link, features standard "
                                                      "Gaussian")
          .ignore(same("link", "sigmoid")),
      calculator<&gaussian_risk<SmoothLink::tanh>>("risk-tanh-gaussian", {"definition-2", "lemma-3"},
                                                   "exact excess risk of the tanh link, features standard Gaussian")
          .ignore(same("link", "tanh")),
      calculator<&sphere_risk<SmoothLink::sigmoid>>(
          "risk-sigmoid-sphere", {"definition-2", "lemma-3"},
          "exact excess risk of the sigmoid link, features uniform on the unit sphere", {sphere})
          .ignore(same("link", "sigmoid")),
      calculator<&sphere_risk<SmoothLink::tanh>>(
          "risk-tanh-sphere", {"definition-2", "lemma-3"},
          "exact excess risk of the tanh link, features uniform on the unit sphere", {sphere})
          .ignore(same("link", "tanh")),
      calculator<&bounds::one_batch>(
          "alg8-one-step", {"algorithm-8", "theorem-7", "lemma-11", "lemma-15"},
          "Algorithm 8: exact second moment after one batch, x uniform on the sphere of radius sqrt(d)"),
      calculator<&moreau_prox>(
          "moreau-prox", {"algorithm-4", "lemma-4", "lemma-5", "lemma-6"},
          "proximal point and derivative of the Moreau envelope of a GLM surrogate (Lemmas 4, 5); under a Lipschitz "
          "link the surrogate is smooth already, smoothing is for steep links",
          {argument("link", "link", Domain(), "sigmoid, tanh, hardtanh, relu, sign, identity, probit, erf or arctan"),
           argument("slope", "slope", "(0, inf)", "multiplies the argument of the link"),
           argument("label", "y", "(-inf, inf)", "label"),
           argument("beta", "beta", "(0, inf)", "smoothness of the envelope"),
           argument("at", "m", "(-inf, inf)", "the point")}),
      calculator<&oracle_steps>(
          "oracle-steps", {"algorithm-4", "lemma-6"},
          "steps of the paper's gradient oracle and the error that they guarantee (Algorithm 4, Lemma 6)",
          {argument("label_bound", "B", "(0, inf)", "bound of labels and link"),
           argument("accuracy", "gamma", "(0, inf)", "accuracy")}),
      calculator<&feature_map<&models::sigmoid_polynomial>>(
          "feature-map-sigmoid", {"definition-7", "corollary-1", "theorem-10", "remark-12", "lemma-16"},
          "Chebyshev interpolant of the sigmoid: error, coefficients, W/sqrt(k) (Lemma 16)", {degree})
          .ignore(same("activation", "sigmoid")),
      calculator<&feature_map<&models::relu_polynomial>>(
          "feature-map-relu", {"definition-7", "corollary-1", "theorem-11", "remark-12", "lemma-17"},
          "truncated Chebyshev series of the ReLU: error, coefficients, W/sqrt(k) (Lemma 17)", {degree})
          .ignore(same("activation", "relu")),
      calculator<&models::inner_product_moments>(
          "jl-inner-product", {"definition-6"},
          "mean and variance of <Phi u, Phi v> for a Gaussian projection (Definition 6)",
          {argument("norm_u", "norm_u", "[0, inf)", "|u|"), argument("norm_v", "norm_v", "[0, inf)", "|v|"), cosine,
           argument("target", "m", whole("[1, inf)"), "rows of Phi")})};
}

}  // namespace

std::vector<Calculator> dp_glm_networks() {
  std::vector<Calculator> list = privacy_rows();
  for (auto part : {bound_rows(), model_rows()}) {
    std::move(part.begin(), part.end(), std::back_inserter(list));
  }
  return list;
}

}  // namespace dpcurves::calculators
