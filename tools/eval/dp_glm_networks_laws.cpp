// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Differentially Private Non-convex Learning for Multi-layer Neural Networks": exact laws of single
// runs and exact population risks.
#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/models/population_risk.hpp>
#include <dpcurves/simulate/phased_identity_law.hpp>

#include "eval/calculator.hpp"
#include "eval/dp_glm_networks.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

Json phased_identity(const Inputs& in) {
  simulate::PhasedIdentityRun run;
  run.records = records_of(in);
  run.dimension = in.number("d");
  run.step_size = in.number("eta");
  run.noise_per_step = in.number("tau_over_eta");
  run.label_variance = in.number("noise_var");
  run.start_squared = in.number("D2");
  const auto law = simulate::phased_identity_law(run);
  const double risk = law.squared_distance / run.dimension;
  return {{"E_sq_dist", number(law.squared_distance)},
          {"risk_excess", number(risk)},
          {"surrogate_excess", number(0.5 * risk)},
          {"largest_E_sq_gradient", number(law.gradient_squared)}};
}

models::ParameterPair pair_of(const Inputs& in) {
  return {in.number("norm_w"), in.number("norm_wstar"), in.number("cos")};
}

Json relu_gaussian(const Inputs& in) {
  const auto risk = models::relu_risk(pair_of(in));
  return {{"risk_excess", number(risk.risk_excess)}, {"surrogate_excess", number(risk.surrogate_excess)}};
}

Json erf_gaussian(const Inputs& in) { return {{"risk_excess", number(models::erf_risk(pair_of(in)))}}; }

Json smooth_risk(models::SmoothLink link, bool sphere, const Inputs& in) {
  const std::string name = link == models::SmoothLink::sigmoid ? "sigmoid" : "tanh";
  if (in.text("link") != name) {
    throw DomainError("link: \"" + in.text("link") + "\" is not \"" + name + "\", the name of the calculator");
  }
  const auto risk =
      sphere ? models::sphere_risk(link, pair_of(in), in.number("d")) : models::gaussian_risk(link, pair_of(in));
  const double most = 2.0 * models::lipschitz(link) * risk.surrogate_excess;
  return {{"risk_excess", number(risk.risk_excess)},
          {"surrogate_excess", number(risk.surrogate_excess)},
          {"lemma3_ratio", most > 0.0 ? number(risk.risk_excess / most) : Json(nullptr)}};
}

Json one_batch(const Inputs& in) {
  const auto step =
      bounds::one_batch({in.number("d"), in.number("norm_w"), in.number("norm_v"), in.number("cos"),
                         in.number("label_noise_var"), in.number("eta"), in.number("batch"), in.number("sigma")});
  return {{"risk", number(step.risk)},
          {"E_sq_dist_after", number(step.squared_distance)},
          {"grad_norm_population", number(step.gradient_norm)}};
}

const Key cosine_key = number_key("cos", "[-1, 1]", "cosine of the angle between w and w*");

std::vector<Key> risk_keys() {
  return {number_key("norm_w", "[0, inf)", "|w|"), number_key("norm_wstar", "[0, inf)", "|w*|"), cosine_key};
}

std::vector<Key> smooth_risk_keys(const char* link, bool sphere) {
  auto keys = risk_keys();
  if (sphere) {
    keys.push_back(integer_key("d", "[3, 1e15]", "dimension of the sphere's space"));
  }
  keys.push_back(optional(text_key("link", "the same as in the name"), link));
  return keys;
}

}  // namespace

std::vector<Calculator> glm_law_calculators() {
  using models::SmoothLink;
  std::vector<Calculator> list{
      {"phased-identity-exact",
       "Algorithm 2 with the identity link on the unit sphere: exact mean square distance",
       {integer_key("n", "[2, 9e18]", "records"), integer_key("d", "[2, inf)", "dimension"),
        number_key("eta", "(0, inf)", "step size; phase i takes eta/4^i"),
        number_key("tau_over_eta", "[0, inf)", "c: phase i adds noise c eta_i per coordinate"),
        number_key("noise_var", "[0, inf)", "variance of the label noise"),
        number_key("D2", "[0, inf)", "|w_0 - w*|^2")},
       phased_identity},
      {"risk-relu-gaussian", "excess risk of ReLU regression, Gaussian features", risk_keys(), relu_gaussian},
      {"risk-erf-gaussian", "excess risk of the erf link, Gaussian features", risk_keys(), erf_gaussian},
      {"alg8-one-step",
       "Algorithm 8: exact second moment after one batch, x uniform on the sphere of radius sqrt(d)",
       {number_key("d", "[1, inf)", "dimension"), number_key("norm_w", "[0, inf)", "|w|"),
        number_key("norm_v", "[0, inf)", "norm of the true parameter v"),
        number_key("cos", "[-1, 1]", "cosine of the angle between w and v"),
        number_key("label_noise_var", "[0, inf)", "variance of the labels given x"),
        number_key("eta", "(0, inf)", "step size"), number_key("batch", "[1, inf)", "records of the batch"),
        number_key("sigma", "[0, inf)", "standard deviation of the noise per coordinate")},
       one_batch}};
  for (const auto& [link, name] : {std::pair{SmoothLink::sigmoid, "sigmoid"}, std::pair{SmoothLink::tanh, "tanh"}}) {
    for (const bool sphere : {false, true}) {
      list.push_back({std::string("risk-") + name + (sphere ? "-sphere" : "-gaussian"),
                      std::string("exact excess risk of the ") + name + " link, features " +
                          (sphere ? "uniform on the unit sphere" : "standard Gaussian"),
                      smooth_risk_keys(name, sphere),
                      [link = link, sphere](const Inputs& in) { return smooth_risk(link, sphere, in); }});
    }
  }
  return list;
}

}  // namespace dpcurves::tools::eval
