// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Differentially Private Non-convex Learning for Multi-layer Neural Networks": Moreau envelopes, the
// paper's gradient oracle, polynomial feature maps and random projections.
#include <algorithm>
#include <cmath>

#include <dpcurves/models/johnson_lindenstrauss.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/models/polynomial_features.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

Json moreau_prox(const Inputs& in) {
  const auto link = models::make_link(models::link_of(in.text("link")), in.number("slope"));
  const auto p = models::prox(link, in.number("y"), in.number("beta"), in.number("m"));
  return {{"prox", number(p.point)}, {"envelope_derivative", number(p.slope)}, {"evaluations", p.evaluations}};
}

Json oracle_steps(const Inputs& in) {
  const double bound = in.number("B"), accuracy = in.number("gamma");
  const double steps = models::oracle_steps(bound, accuracy);
  return {{"T", number(steps)},
          {"error_bound", number(std::isinf(steps) ? accuracy : models::oracle_error_bound(bound, steps))}};
}

Json feature_map(const Inputs& in, const char* activation) {
  if (in.text("activation") != activation) {
    throw DomainError("activation: \"" + in.text("activation") + "\" is not \"" + activation + "\"");
  }
  const auto degree = static_cast<std::size_t>(in.number("degree"));
  const auto p =
      std::string(activation) == "relu" ? models::relu_polynomial(degree) : models::sigmoid_polynomial(degree);
  constexpr std::size_t shown = 8;
  return {{"alpha0", number(p.error)},
          {"log10_alpha0", number(p.log10_error)},
          {"error_at_one", number(p.error_at_one)},
          {"coef_norm", number(p.coefficient_norm)},
          {"log10_coef_norm", number(p.log10_coefficient_norm)},
          {"W_over_sqrt_k", number(p.weight)},
          {"coefs", numbers(std::span(p.coefficients).first(std::min(shown, p.coefficients.size())))}};
}

Json jl_inner_product(const Inputs& in) {
  const auto moments =
      models::inner_product_moments(in.number("norm_u"), in.number("norm_v"), in.number("cos"), in.number("m"));
  return {{"mean", number(moments.mean)}, {"variance", number(moments.variance)}};
}

}  // namespace

std::vector<Calculator> dp_glm_networks_model_calculators() {
  const std::string positive = "(0, inf)", nonnegative = "[0, inf)", real = "(-inf, inf)";
  const Key degree = integer_key("degree", "[0, 1000]", "of the polynomial");
  return {{"dp-glm-networks/moreau-prox",
           "proximal point and derivative of the Moreau envelope of a GLM surrogate (Lemmas 4, 5); under a Lipschitz "
           "link the surrogate is smooth already, smoothing is for steep links",
           {text_key("link", "sigmoid, tanh, hardtanh, relu, sign, identity, probit, erf or arctan"),
            number_key("slope", positive, "multiplies the argument of the link"), number_key("y", real, "label"),
            number_key("beta", positive, "smoothness of the envelope"), number_key("m", real, "the point")},
           moreau_prox},
          {"dp-glm-networks/oracle-steps",
           "steps of the paper's gradient oracle and the error that they guarantee (Algorithm 4, Lemma 6)",
           {number_key("B", positive, "bound of labels and link"), number_key("gamma", positive, "accuracy")},
           oracle_steps},
          {"dp-glm-networks/feature-map-sigmoid",
           "Chebyshev interpolant of the sigmoid: error, coefficients, W/sqrt(k) (Lemma 16)",
           {optional(text_key("activation", "sigmoid"), "sigmoid"), degree},
           [](const Inputs& in) { return feature_map(in, "sigmoid"); }},
          {"dp-glm-networks/feature-map-relu",
           "truncated Chebyshev series of the ReLU: error, coefficients, W/sqrt(k) (Lemma 17)",
           {optional(text_key("activation", "relu"), "relu"), degree},
           [](const Inputs& in) { return feature_map(in, "relu"); }},
          {"dp-glm-networks/jl-inner-product",
           "mean and variance of <Phi u, Phi v> for a Gaussian projection (Definition 6)",
           {number_key("norm_u", nonnegative, "|u|"), number_key("norm_v", nonnegative, "|v|"),
            number_key("cos", "[-1, 1]", "cosine of the angle"), integer_key("m", "[1, inf)", "rows of Phi")},
           jl_inner_product}};
}

}  // namespace dpcurves::tools::eval
