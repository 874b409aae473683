// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Differentially Private Non-convex Learning for Multi-layer Neural Networks": privacy of its
// algorithms, risk bounds of generalised linear models.
#include "eval/dp_glm_networks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/bounds/two_layer.hpp>
#include <dpcurves/models/phase_schedule.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

using bounds::GlmMechanism;
using models::PhasedAlgorithm;

double log10_of(double natural) { return natural / std::numbers::ln10; }

// --- privacy --------------------------------------------------------------------------------------------------------

/// Largest mu for the answers that are asked of the Gaussian curve.
void require_mu(double mu, const char* key) {
  if (!std::isfinite(mu) || !(mu > 0.0)) {
    throw DomainError(std::string(key) + ": the Gaussian strength mu leaves the range of a double");
  }
}

Json gaussian_classic(const Inputs& in) {
  const double epsilon = in.number("eps"), sensitivity = in.number("sensitivity");
  const double mu = bounds::printed_mu(GlmMechanism::classic, epsilon, in.number("delta"));
  require_mu(mu, "eps");
  return {{"sigma", number(sensitivity / mu)},
          {"mu", number(mu)},
          {"exact_delta", number(tradeoff::delta_of_epsilon(epsilon, mu))},
          {"log10_exact_delta", number(log10_of(tradeoff::log_delta_of_epsilon(epsilon, mu)))},
          {"warning", epsilon > 1.0 ? Json("the formula is proved for eps < 1 only") : Json(nullptr)}};
}

Json gdp_delta(const Inputs& in) {
  const double mu = in.number("mu"), epsilon = in.number("eps");
  return {{"delta", number(tradeoff::delta_of_epsilon(epsilon, mu))},
          {"log10_delta", number(log10_of(tradeoff::log_delta_of_epsilon(epsilon, mu)))}};
}

Json gdp_mu(const Inputs& in) {
  const double mu = tradeoff::mu_of_epsilon_delta(in.number("eps"), in.number("delta"));
  return {{"mu", number(mu)}, {"noise_multiplier", number(1.0 / mu)}};
}

GlmMechanism mechanism_of(const std::string& name) {
  for (const auto& [text, mechanism] :
       {std::pair{"alg2", GlmMechanism::algorithm_2}, std::pair{"alg3", GlmMechanism::algorithm_3},
        std::pair{"alg5", GlmMechanism::algorithm_5}, std::pair{"alg6", GlmMechanism::algorithm_6},
        std::pair{"alg7", GlmMechanism::algorithm_7}, std::pair{"classic", GlmMechanism::classic}}) {
    if (name == text) {
      return mechanism;
    }
  }
  throw DomainError("algorithm: \"" + name + "\" is not one of alg2, alg3, alg5, alg6, alg7, classic");
}

Json printed_privacy(const std::string& name, const Inputs& in) {
  if (in.text("algorithm") != name) {
    throw DomainError("algorithm: \"" + in.text("algorithm") + "\" is not \"" + name +
                      "\", the name of the calculator");
  }
  const GlmMechanism mechanism = mechanism_of(name);
  const double epsilon = in.number("eps"), delta = in.number("delta");
  require_mu(bounds::printed_mu(mechanism, epsilon, delta), "eps");
  if (bounds::delta_target(mechanism, delta) == 0.0) {
    throw DomainError("delta: half of it is no double");
  }
  const bounds::GlmPrivacy privacy = bounds::printed_privacy(mechanism, epsilon, delta);
  return {{"mu", number(privacy.mu)},
          {"delta_target", number(privacy.delta_target)},
          {"exact_delta_at_eps", number(privacy.delta_at_epsilon)},
          {"log10_exact_delta_at_eps", number(log10_of(privacy.log_delta_at_epsilon))},
          {"exact_eps_at_delta_target", number(privacy.epsilon_at_target)},
          {"noise_excess_factor", number(privacy.noise_excess)},
          {"private_as_claimed", privacy.noise_excess >= 1.0}};
}

Json privacy_algorithm_8(const Inputs& in) {
  const double epsilon = in.number("eps_claimed"), delta = in.number("delta");
  const double mu = bounds::algorithm_8_printed_mu(in.number("d"), epsilon, delta);
  require_mu(mu, "eps_claimed");
  return {{"mu", number(mu)},
          {"exact_eps_at_delta", number(tradeoff::epsilon_of_delta(delta, mu))},
          {"exact_delta_at_eps", number(tradeoff::delta_of_epsilon(epsilon, mu))},
          {"log10_exact_delta_at_eps", number(log10_of(tradeoff::log_delta_of_epsilon(epsilon, mu)))},
          {"private_as_claimed", tradeoff::log_delta_of_epsilon(epsilon, mu) <= std::log(delta)}};
}

Json noise_valid_range(const Inputs& in) {
  return {{"eps_max", number(bounds::largest_valid_epsilon(mechanism_of(in.text("algorithm")), in.number("delta")))}};
}

Json projection_event(const Inputs& in) {
  const auto event = bounds::johnson_lindenstrauss_event(in.number("m"), in.number("n"), in.number("delta"));
  return {{"union_failure", number(std::exp(event.log_union_failure))},
          {"log10_union_failure", number(log10_of(event.log_union_failure))},
          {"event_ok", event.enough},
          {"min_m_exact", number(event.least_dimension)},
          {"min_m_chernoff", number(event.chernoff_dimension)}};
}

Json batch_noise(const Inputs& in) {
  const double d = in.number("d");
  const bounds::BatchNoiseSetting setting{in.number("B"),     std::sqrt(d),     in.number("norm_w"),
                                          in.number("batch"), in.number("eps"), in.number("delta")};
  const double printed = bounds::printed_batch_noise_variance(setting);
  return {{"variance_printed", number(printed)}, {"variance_corrected", number(d * printed)}};
}

// --- phases ---------------------------------------------------------------------------------------------------------

Json phase_schedule(const Inputs& in) {
  const std::uint64_t n = records_of(in);
  std::vector<std::uint64_t> sizes = models::phase_sizes(n);
  std::uint64_t used = 0;
  for (const std::uint64_t size : sizes) {
    used += size;
  }
  constexpr std::size_t shown = 25;
  sizes.resize(std::min(sizes.size(), shown));
  return {{"k", models::phase_count(n)},
          {"k_paper", models::printed_phase_count(n)},
          {"sizes", sizes},
          {"used", used},
          {"unused", n - used}};
}

Json phase_noise(const Inputs& in) {
  const double label_bound = in.number("B"), eta = in.number("eta");
  const std::uint64_t n = records_of(in);
  const auto c = [&](PhasedAlgorithm algorithm) {
    return models::printed_noise_per_step(algorithm, label_bound, in.number("eps"), in.number("delta"));
  };
  const double plain = c(PhasedAlgorithm::plain);
  const auto step = [eta](int phase) { return std::ldexp(eta, -2 * phase); };
  return {{"alg2_tau_first3", numbers(std::vector{plain * step(1), plain * step(2), plain * step(3)})},
          {"alg2_tau_last", number(plain * step(models::phase_count(n)))},
          {"alg3_tau_first", number(c(PhasedAlgorithm::projected) * step(1))},
          {"alg5_tau_first", number(c(PhasedAlgorithm::smoothed) * step(1))},
          {"alg2_sensitivity_first", number(bounds::phase_sensitivity(label_bound, step(1), n / 2))}};
}

Json selection(const Inputs& in) {
  const double strength = in.number("n") * in.number("eps"), theta = in.number("theta");
  return {{"alg1", strength > std::pow(theta, 1.5) ? "phased" : "projected"},
          {"alg9", strength > theta ? "phased" : "projected"}};
}

// --- bounds ---------------------------------------------------------------------------------------------------------

/// The keys that a calculator has; the others keep their defaults.
bounds::PhasedSetting setting_of(const Inputs& in) {
  bounds::PhasedSetting setting;
  setting.records = records_of(in);
  for (const auto& [key, value] :
       {std::pair{"eta", &setting.step_size}, std::pair{"eps", &setting.epsilon}, std::pair{"delta", &setting.delta},
        std::pair{"B", &setting.label_bound}, std::pair{"G", &setting.lipschitz}, std::pair{"theta", &setting.rank},
        std::pair{"m", &setting.projected_dimension}, std::pair{"W", &setting.parameter_norm},
        std::pair{"D2", &setting.start_squared}, std::pair{"beta", &setting.smoothing},
        std::pair{"gam", &setting.oracle_error}}) {
    if (in.all().contains(key) && !in.json(key).is_null()) {
      *value = in.number(key);
    }
  }
  return setting;
}

bool steps_contract(PhasedAlgorithm algorithm, const bounds::PhasedSetting& setting, double smoothness) {
  return setting.step_size / 4.0 <= models::largest_phase_step(algorithm, smoothness);
}

Json terms_of(const bounds::PhasedBound& bound) {
  return {{"init", number(bound.start)},
          {"noise", number(bound.noise)},
          {"step", number(bound.steps)},
          {"final", number(bound.final_noise)}};
}

Json theorem_1(const Inputs& in) {
  const auto setting = setting_of(in);
  const auto bound = bounds::phased_bound(setting);
  return {{"terms", terms_of(bound)},
          {"surrogate_bound", number(bound.surrogate)},
          {"risk_bound", number(bound.risk)},
          {"eta_star_uncapped", number(bounds::best_step_size(setting, false))},
          {"step_condition_met", steps_contract(PhasedAlgorithm::plain, setting, setting.lipschitz)}};
}

Json theorem_2(const Inputs& in) {
  const auto setting = setting_of(in);
  const auto bound = bounds::projected_bound(setting);
  Json terms = terms_of(bound);
  terms["jl"] = number(bound.projection);
  return {{"terms", terms},
          {"surrogate_bound", number(bound.surrogate)},
          {"risk_bound", number(bound.risk)},
          {"m_star", number(bounds::best_projected_dimension(setting))},
          {"eta_star_uncapped", number(bounds::best_step_size(setting, true))},
          {"step_condition_met", steps_contract(PhasedAlgorithm::projected, setting, setting.lipschitz)}};
}

Json smoothed(const bounds::PhasedBound& bound, bool contract) {
  return {{"envelope_bound", number(bound.start + bound.noise + bound.steps + bound.final_noise + bound.oracle)},
          {"surrogate_bound", number(bound.surrogate)},
          {"risk_bound", number(bound.risk)},
          {"step_condition_met", contract}};
}

Json theorem_4(const Inputs& in) {
  const auto setting = setting_of(in);
  return smoothed(bounds::smoothed_bound(setting),
                  steps_contract(PhasedAlgorithm::smoothed, setting, setting.smoothing));
}

Json theorem_5(const Inputs& in) {
  const auto setting = setting_of(in);
  const auto bound = bounds::projected_smoothed_bound(setting);
  Json json = smoothed(bound, steps_contract(PhasedAlgorithm::projected_smoothed, setting, setting.smoothing));
  json["jl"] = number(bound.projection);
  return json;
}

Json theorem_6(const Inputs& in) {
  bounds::ProjectedDescentSetting setting;
  setting.records = in.number("n");
  setting.projected_dimension = in.number("m");
  setting.steps = in.number("T");
  setting.step_size = in.number("eta");
  setting.epsilon = in.number("eps");
  setting.delta = in.number("delta");
  setting.label_bound = in.number("B");
  setting.parameter_norm = in.number("W");
  const auto bound = bounds::projected_descent_bound(setting);
  return {{"noise_variance", number(bound.noise_variance)},
          {"terms",
           {{"init", number(bound.start)},
            {"noise", number(bound.noise)},
            {"grad", number(bound.gradients)},
            {"gen", number(bound.stability)},
            {"jl", number(bound.projection)}}},
          {"surrogate_bound", number(bound.surrogate)},
          {"risk_bound", number(bound.risk)}};
}

Json theorem_8(const Inputs& in) {
  const std::string variant = in.text("variant");
  if (variant != "alg2" && variant != "alg3") {
    throw DomainError("variant: \"" + variant + "\" is neither \"alg2\" nor \"alg3\"");
  }
  const bool projected = variant == "alg3";
  for (const char* key : {"m", "theta"}) {
    if (in.json(key).is_null() && (key[0] == 'm') == projected) {
      throw UsageError(std::string(key) + ": missing key, which \"" + variant + "\" needs");
    }
  }
  const auto setting = setting_of(in);
  const auto bound = bounds::two_layer_bound(setting, in.number("Mn"), projected);
  Json terms = terms_of(bound.phased);
  if (projected) {
    terms["jl"] = number(bound.phased.projection);
  }
  return {{"terms", terms},
          {"surrogate_bound", number(bound.phased.surrogate)},
          {"risk_bound", number(bound.risk)},
          {"risk_bound_sharp", number(bound.risk_sharp)},
          {"risk_bound_sharp_jl", number(bound.risk_sharp_projection)},
          {"step_condition_met", steps_contract(projected ? PhasedAlgorithm::projected : PhasedAlgorithm::plain,
                                                setting, setting.lipschitz)}};
}

// --- keys -----------------------------------------------------------------------------------------------------------

const Key epsilon_key = number_key("eps", "(0, inf)", "epsilon of the privacy target; the paper takes it at most 1");
const Key delta_key = number_key("delta", "(0, 1)", "delta of the privacy target");
const Key records_key = integer_key("n", "[2, 9e18]", "records");
const Key step_key = number_key("eta", "(0, inf)", "step size; phase i takes eta/4^i");
const Key label_key = number_key("B", "(0, inf)", "labels and link lie in [-B, B]");
const Key lipschitz_key = number_key("G", "(0, inf)", "Lipschitz constant of the link");
const Key norm_key = number_key("W", "[0, inf)", "bound on |w*|");
const Key start_key = number_key("D2", "[0, inf)", "E|w_0 - w*|^2, after a projection E|w_0 - Phi w*|^2");
const Key rank_key = number_key("theta", "[0, inf)", "expected rank of the data, at most min(n, d)");
const Key projected_key = integer_key("m", "[1, inf)", "dimension of the projection");
const Key smoothing_key = number_key("beta", "(0, inf)", "smoothing parameter of the Moreau envelope");
const Key oracle_key = number_key("gam", "[0, inf)", "accuracy gamma of its gradients");

std::vector<Key> printed_keys(const char* name) {
  return {epsilon_key, delta_key, optional(text_key("algorithm", "the same as in the name"), name)};
}

Key nullable(Key key) {
  key.nullable = true;
  return optional(std::move(key), nullptr);
}

std::vector<Calculator> privacy_calculators() {
  std::vector<Calculator> list{
      {"gaussian-classic",
       "Lemma 1: the classic Gaussian noise and its exact curve",
       {number_key("sensitivity", "(0, inf)", "distance of the means"), epsilon_key, delta_key},
       gaussian_classic},
      {"gdp-delta",
       "delta of mu-GDP at epsilon",
       {number_key("mu", "(0, inf)", "GDP parameter"), number_key("eps", "[0, inf)", "epsilon")},
       gdp_delta},
      {"gdp-mu",
       "largest mu with mu-GDP at least as private as (epsilon, delta)",
       {number_key("eps", "[0, inf)", "epsilon"), delta_key},
       gdp_mu},
      {"privacy-alg8-literal",
       "Algorithm 8 with its noise as printed: not private from d = 2 or so on (E3)",
       {number_key("d", "[1, inf)", "dimension"), number_key("eps_claimed", "(0, inf)", "epsilon it claims"),
        delta_key},
       privacy_algorithm_8},
      {"noise-valid-range",
       "first epsilon above 1 at which a printed noise stops being private",
       {text_key("algorithm", "alg2, alg3, alg5, alg6, alg7 or classic"),
        number_key("delta", "(0, 0.5]", "delta of the privacy target")},
       noise_valid_range},
      {"jl-privacy-event",
       "failure of |Phi x| <= 2|x| for the n + 1 records of two neighbours, Phi Gaussian",
       {projected_key, integer_key("n", "[1, inf)", "records"), delta_key},
       projection_event},
      {"alg8-noise",
       "noise variance of Algorithm 8, as printed and private",
       {label_key, number_key("d", "[1, inf)", "dimension; |x| <= sqrt(d)"),
        number_key("norm_w", "[0, inf)", "norm of the parameter before the step"),
        number_key("batch", "[1, inf)", "records of a batch"), epsilon_key, delta_key},
       batch_noise}};
  for (const char* name : {"alg2", "alg3", "alg5", "alg6", "alg7"}) {
    list.push_back({std::string("privacy-") + name,
                    std::string("exact privacy of the printed noise of Algorithm ") + name[3], printed_keys(name),
                    [name](const Inputs& in) { return printed_privacy(name, in); }});
  }
  return list;
}

std::vector<Calculator> bound_calculators() {
  return {
      {"phase-schedule", "Algorithm 2: sizes of the phases", {records_key}, phase_schedule},
      {"phase-noise",
       "Algorithms 2, 3 and 5: noise of the phases",
       {label_key, step_key, epsilon_key, delta_key, records_key},
       phase_noise},
      {"selection",
       "which algorithm Algorithms 1 and 9 choose",
       {records_key, epsilon_key, number_key("theta", "[0, inf)", "expected rank")},
       selection},
      {"thm1-bound",
       "Theorem 1 with explicit constants: phased SGD",
       {records_key, step_key, epsilon_key, delta_key, label_key, lipschitz_key, rank_key, start_key},
       theorem_1},
      {"thm2-bound",
       "Theorem 2 with explicit constants: projected phased SGD",
       {records_key, projected_key, step_key, epsilon_key, delta_key, label_key, lipschitz_key, norm_key, start_key},
       theorem_2},
      {"thm4-bound",
       "Theorem 4 with explicit constants: phased SGD on Moreau envelopes; Theorem 1 is better unless G is large",
       {records_key, step_key, epsilon_key, delta_key, label_key, lipschitz_key, rank_key, start_key, smoothing_key,
        oracle_key},
       theorem_4},
      {"thm5-bound",
       "Theorem 5 with explicit constants: projected phased SGD on Moreau envelopes",
       {records_key, projected_key, step_key, epsilon_key, delta_key, label_key, lipschitz_key, norm_key, start_key,
        smoothing_key, oracle_key},
       theorem_5},
      {"thm6-bound",
       "Theorem 6 with explicit constants: projected noisy descent for ReLU, on the projection event",
       {records_key, projected_key, integer_key("T", "[1, inf)", "steps"), number_key("eta", "(0, 0.5]", "step size"),
        epsilon_key, delta_key, label_key, norm_key},
       theorem_6},
      {"thm8-bound",
       "Theorem 8 with explicit constants: two-layer networks, B = 1/2",
       {records_key, nullable(projected_key), step_key, epsilon_key, delta_key, lipschitz_key, norm_key, start_key,
        nullable(rank_key), number_key("Mn", "[0, inf)", "bound M on the misfit"),
        text_key("variant", "alg2 (needs theta) or alg3 (needs m)")},
       theorem_8}};
}

}  // namespace

std::vector<Calculator> glm_calculators() {
  std::vector<Calculator> all;
  for (auto part : {privacy_calculators(), bound_calculators(), glm_law_calculators()}) {
    for (Calculator& calculator : part) {
      calculator.name = "dp-glm-networks/" + calculator.name;
      all.push_back(std::move(calculator));
    }
  }
  return all;
}

}  // namespace dpcurves::tools::eval
