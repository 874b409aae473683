// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": risk trajectories of noisy
// least squares.
#include <algorithm>

#include <dpcurves/homogenized/doob_step.hpp>
#include <dpcurves/homogenized/equivalence_bounds.hpp>
#include <dpcurves/homogenized/exponential_sum.hpp>
#include <dpcurves/homogenized/risk_isotropic.hpp>
#include <dpcurves/homogenized/risk_stationary.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"
#include "support/least_squares_file.hpp"

namespace dpcurves::tools::eval {
namespace {

using Eigen::ArrayXd;

std::span<const double> view(const ArrayXd& values) { return {values.data(), static_cast<std::size_t>(values.size())}; }

ArrayXd array(const Inputs& in, const std::string& key) {
  const std::vector<double> values = in.numbers(key);
  return Eigen::Map<const ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Times of the key, ascending, at least one.
std::vector<double> times(const Inputs& in) {
  const std::vector<double> t = in.numbers("t");
  if (t.empty()) {
    throw UsageError("t: needs at least one time");
  }
  if (!std::is_sorted(t.begin(), t.end())) {
    throw DomainError("t: is not ascending");
  }
  return t;
}

Key times_key(const char* range) { return numbers_key("t", range, "times t = iteration/d, ascending"); }

// --- trajectories -----------------------------------------------------------------------------------------------

Json risk_trajectory(const Inputs& in) {
  const auto t = times(in);
  const auto setting = problem(in);
  const homogenized::RiskTrajectory solved(setting, t.back());
  constexpr Eigen::Index most_listed = 64;  // eigenvalues for which m and V are printed
  Json trajectory = Json::array();
  Json risks = Json::array();
  Json regularised = Json::array();
  Json traces = Json::array();
  for (const double time : t) {
    const double risk = solved.population_risk(time).value;
    const double with_penalty = solved.regularised_risk(time).value;
    Json row{{"t", time},
             {"P", number(risk)},
             {"R", number(with_penalty)},
             {"P_gf", number(solved.gradient_flow_risk(time))}};
    if (setting.has_coordinates() && setting.spectrum.size() <= most_listed) {
      row["m"] = numbers(view(solved.mean(time)));
      row["V"] = numbers(view(setting.spectrum.per_coordinate(solved.variance(time))));
    }
    trajectory.push_back(row);
    risks.push_back(number(risk));
    regularised.push_back(number(with_penalty));
    traces.push_back(number(solved.trace_variance(time)));
  }
  return {{"trajectory", trajectory}, {"P", risks}, {"R", regularised}, {"trace_V", traces}};
}

/// Risks of blocks of equal eigenvalues for several noise scales: one solve serves all, the risk is affine in sigma^2.
Json risk_trajectory_blocks(const Inputs& in) {
  models::LeastSquares setting;
  const auto values = in.numbers("eigenvalues");
  const auto multiplicity = in.numbers("multiplicity");
  setting.spectrum = models::Spectrum::blocks(values, multiplicity);
  setting.products = {array(in, "block_norm2_x0"), array(in, "block_dot_x0_xtilde"), array(in, "block_norm2_xtilde")};
  setting.label_noise = in.number("E_xi2");
  setting.regularisation = in.number("delta");
  setting.dimension = in.number("dim");
  setting.schedule = models::Schedule::constant(in.number("eta") * setting.dimension);
  const auto iterations = in.numbers("iterations");
  const double last = iterations.empty() ? 0.0 : *std::max_element(iterations.begin(), iterations.end());
  const homogenized::RiskTrajectory solved(setting, last / setting.dimension);
  Json curves = Json::array();
  for (const double noise : in.numbers("sigmas")) {
    std::vector<double> risks;
    for (const double k : iterations) {
      risks.push_back(solved.population_risk(k / setting.dimension, noise).value);
    }
    curves.push_back({{"sigma", noise}, {"P", numbers(risks)}});
  }
  return {{"curves", curves}};
}

Json dp_noise_share(const Inputs& in) {
  const auto t = times(in);
  const homogenized::RiskTrajectory solved(problem(in), t.back());
  std::vector<double> shares;
  for (const double time : t) {
    shares.push_back(homogenized::least_noise_share(solved, time));
  }
  return {{"min_share", numbers(shares)}};
}

/// kappa(tau) without gamma^2 and its two bounds.
Json kernel_enclosure(const Inputs& in) {
  if (in.json("lambda_").is_null() == in.json("spectrum").is_null()) {
    throw UsageError("lambda_: give either lambda_ or spectrum");
  }
  const std::string key = in.json("spectrum").is_null() ? "lambda_" : "spectrum";
  const double dimension = in.number("dim");
  const auto spectrum = read_spectrum(in.json(key), key, dimension);
  const homogenized::ExponentialSum kernel{2.0 * (spectrum.eigenvalues() + in.number("delta")),
                                           spectrum.multiplicity() * spectrum.eigenvalues().square() / dimension};
  const auto rules = homogenized::compress(kernel, static_cast<int>(in.number("nodes")));
  std::vector<double> exact;
  std::vector<double> lower;
  std::vector<double> upper;
  for (const double tau : in.numbers("tau")) {
    exact.push_back(kernel(tau));
    lower.push_back(rules.lower(tau));
    upper.push_back(rules.upper(tau));
  }
  return {{"exact", numbers(exact)}, {"lower", numbers(lower)}, {"upper", numbers(upper)}};
}

// --- closed forms -----------------------------------------------------------------------------------------------

Json risk_isotropic_constant(const Inputs& in) {
  const homogenized::IsotropicRisk setting{in.number("lambda_"),       in.number("delta"),       in.number("sigma"),
                                           in.number("gamma"),         in.number("E_xi2"),       in.number("norm2_x0"),
                                           in.number("dot_x0_xtilde"), in.number("norm2_xtilde")};
  return {{"P", number(homogenized::population_risk(setting, in.number("t")))},
          {"P_inf", number(homogenized::limiting_risk(setting))},
          {"omega", number(homogenized::decay_rate(setting))}};
}

Json risk_stationary(const Inputs& in) {
  models::LeastSquares setting;
  setting.spectrum = models::Spectrum::list(in.numbers("lambda_"));
  setting.xtilde = array(in, "xtilde");
  setting.x0 = ArrayXd::Zero(setting.xtilde.size());  // where the run starts does not matter in the end
  setting.label_noise = in.number("E_xi2");
  setting.regularisation = in.number("delta");
  setting.noise = in.number("sigma");
  setting.dimension = in.number("dim");
  const auto limit = homogenized::stationary_risk(setting, in.number("gamma"));
  return {{"kernel_norm", number(limit.kernel_norm)},
          {"gamma_max", number(homogenized::largest_stable_rate(setting))},
          {"P_inf", number(limit.population_risk)},
          {"R_inf", number(limit.regularised_risk)}};
}

Json equivalence_bounds(const Inputs& in) {
  const auto bounds = homogenized::equivalence_bounds({in.number("q_C2_norm"), in.number("c0"), in.number("c_star"),
                                                       in.number("sigma"), in.number("n"), in.number("dim")});
  return {{"theorem_3_1", number(bounds.theorem_3_1)},
          {"theorem_4_1", number(bounds.theorem_4_1)},
          {"corollary_4_1", number(bounds.corollary_4_1)},
          {"log_theorem_3_1", number(bounds.log_theorem_3_1)},
          {"log_corollary_4_1", number(bounds.log_corollary_4_1)},
          {"n_admissible", bounds.iterations_admissible}};
}

Json doob_step(const Inputs& in) {
  const auto step = homogenized::doob_step({array(in, "lambda_"), array(in, "hessian"), array(in, "linear"),
                                            array(in, "v"), array(in, "xtilde"), in.number("gamma"), in.number("dim"),
                                            in.number("delta"), in.number("sigma"), in.number("E_xi2")});
  return {{"leading", number(step.leading)},
          {"remainder", number(step.remainder)},
          {"mean_increment", number(step.mean_increment)},
          {"remainder_printed_form", number(step.remainder_printed_form)}};
}

}  // namespace

std::vector<Calculator> noisy_hsgd_risk_calculators() {
  const Key label_noise = number_key("E_xi2", "[0, inf)", "variance of the label noise");
  const Key delta = number_key("delta", "[0, inf)", "l2 regularisation");
  const Key sigma = number_key("sigma", "[0, inf)", "noise per coordinate of a gradient");
  const Key rate = number_key("gamma", "(0, inf)", "constant step, d eta");
  const Key dimension = number_key("dim", "(0, inf)", "scaling d: eta = gamma/d, t = k/d");
  std::vector<Key> trajectory_keys = problem_keys();
  trajectory_keys.push_back(times_key("[0, inf)"));
  std::vector<Key> share_keys = problem_keys();
  share_keys.push_back(times_key("(0, inf)"));
  return {
      {"noisy-hsgd/risk-trajectory", "expected risks and the law of the linearised HSGD (Theorem 4.2)", trajectory_keys,
       risk_trajectory},
      {"noisy-hsgd/risk-trajectory-blocks",
       "expected risk for blocks of equal eigenvalues, several noise scales (Theorem 4.2)",
       {numbers_key("eigenvalues", "[0, inf)", "one per block"),
        numbers_key("multiplicity", "[1, 1e15]", "of each block, whole numbers"),
        numbers_key("block_norm2_x0", "[0, inf)", "|x0|^2 within each block"),
        numbers_key("block_dot_x0_xtilde", "(-inf, inf)", "x0'xtilde within each block"),
        numbers_key("block_norm2_xtilde", "[0, inf)", "|xtilde|^2 within each block"), label_noise, delta,
        number_key("eta", "(0, inf)", "constant step size gamma/d"), dimension,
        numbers_key("iterations", "[0, inf)", "iterations k"),
        numbers_key("sigmas", "[0, inf)", "noise per coordinate of a gradient")},
       risk_trajectory_blocks},
      {"noisy-hsgd/kernel-enclosure",
       "the kernel of the risk between its Gauss and Gauss-Radau rules (Theorem 4.2)",
       {optional(json_key("lambda_", "eigenvalues, or spectrum"), nullptr),
        optional(json_key("spectrum", "eigenvalues as an object"), nullptr), dimension, delta,
        integer_key("nodes", "[1, 10000]", "nodes m of the Gauss rule"),
        numbers_key("tau", "[0, inf)", "Gamma(t) - Gamma(s)")},
       kernel_enclosure},
      {"noisy-hsgd/dp-noise-share", "least share of the variance that the added noise causes (E21)", share_keys,
       dp_noise_share},
      {"noisy-hsgd/risk-isotropic-constant",
       "expected risk for Sigma = lambda I and a constant step, in closed form (Theorem 4.2)",
       {number_key("lambda_", "(0, inf)", "eigenvalue, as many as dim"), delta, sigma, rate, label_noise,
        number_key("norm2_x0", "[0, inf)", "|x0|^2"), number_key("dot_x0_xtilde", "(-inf, inf)", "x0'xtilde"),
        number_key("norm2_xtilde", "[0, inf)", "|xtilde|^2"), dimension, number_key("t", "[0, inf)", "iteration/d")},
       risk_isotropic_constant},
      {"noisy-hsgd/risk-stationary",
       "limits of the risks at a constant step, and the largest stable step (Theorem 4.2)",
       {numbers_key("lambda_", "[0, inf)", "eigenvalues"), delta, sigma, rate, label_noise,
        numbers_key("xtilde", "(-inf, inf)", "truth in the eigenbasis"), dimension},
       risk_stationary},
      {"noisy-hsgd/equivalence-bounds",
       "right-hand sides of Theorems 3.1 and 4.1 and Corollary 4.1: rates with hypotheses, no certificates",
       {number_key("q_C2_norm", "[0, inf)", "|q|_C2 (Definition 2)"),
        number_key("c0", "(0, inf)", "the constant that the theorems leave open"),
        number_key("c_star", "[0, inf)", "growth exponent of Assumption 2"), sigma,
        number_key("n", "[0, inf)", "iterations"), number_key("dim", "[2, inf)", "dimension d")},
       equivalence_bounds},
      {"noisy-hsgd/doob-step",
       "expected change of a quadratic in one step, Gaussian features (Lemma A.1, corrected)",
       {numbers_key("lambda_", "[0, inf)", "eigenvalues"), numbers_key("hessian", "(-inf, inf)", "diagonal of H"),
        numbers_key("linear", "(-inf, inf)", "u of q = v'Hv/2 + u'v"),
        numbers_key("v", "(-inf, inf)", "x - xtilde before the step"),
        numbers_key("xtilde", "(-inf, inf)", "truth in the eigenbasis"), number_key("gamma", "[0, inf)", "step, d eta"),
        dimension, delta, sigma, label_noise},
       doob_step}};
}

}  // namespace dpcurves::tools::eval
