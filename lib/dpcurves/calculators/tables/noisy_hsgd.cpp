// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares".
#include <algorithm>

#include <dpcurves/calculators/tables/least_squares.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/homogenized/detail/risk_isotropic.hpp>
#include <dpcurves/homogenized/detail/risk_stationary.hpp>
#include <dpcurves/homogenized/doob_step.hpp>
#include <dpcurves/homogenized/equivalence_bounds.hpp>
#include <dpcurves/homogenized/exponential_sum.hpp>
#include <dpcurves/homogenized/risk_fluctuation.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

namespace dpcurves::calculators {
namespace {

using Eigen::ArrayXd;
using Numbers = std::vector<double>;

// --- risks ----------------------------------------------------------------------------------------------------------

Record risk_trajectory(const LeastSquaresProblem& given, const Numbers& times) {
  check_times(times, "t", false);
  const auto problem = least_squares(given);
  const homogenized::RiskTrajectory solved(problem, times.back());
  constexpr Eigen::Index most_listed = 64;  // eigenvalues for which m and V are printed
  List trajectory;
  Numbers risks, regularised, traces;
  for (const double time : times) {
    risks.push_back(solved.population_risk(time).value);
    regularised.push_back(solved.regularised_risk(time).value);
    traces.push_back(solved.trace_variance(time));
    Record row{
        {"t", {time}}, {"P", {risks.back()}}, {"R", {regularised.back()}}, {"P_gf", {solved.gradient_flow_risk(time)}}};
    if (problem.has_coordinates() && problem.spectrum.size() <= most_listed) {
      row.add("m", {listed(solved.mean(time))});
      row.add("V", {listed(problem.spectrum.per_coordinate(solved.variance(time)))});
    }
    trajectory.push_back({std::move(row)});
  }
  return {{"trajectory", {trajectory}}, {"P", {risks}}, {"R", {regularised}}, {"trace_V", {traces}}};
}

/// Risks of blocks of equal eigenvalues for several noise scales: one solve serves all, the risk is affine in sigma^2.
struct BlockTrajectory {
  Numbers eigenvalues;
  Numbers multiplicity;
  Numbers norm2_x0;
  Numbers dot_x0_xtilde;
  Numbers norm2_xtilde;
  double label_noise = 0.0;
  double regularisation = 0.0;
  double step_size = 1.0;
  double dimension = 1.0;
  Numbers iterations;
  Numbers noises;
  static constexpr std::tuple fields{
      required("eigenvalues", &BlockTrajectory::eigenvalues, "[0, inf)", "one per block"),
      required("multiplicity", &BlockTrajectory::multiplicity, "[1, 1e15]", "of each block, whole numbers"),
      required("norm2_x0", "block_norm2_x0", &BlockTrajectory::norm2_x0, "[0, inf)", "|x0|^2 within each block"),
      required("dot_x0_xtilde", "block_dot_x0_xtilde", &BlockTrajectory::dot_x0_xtilde, "(-inf, inf)",
               "x0'xtilde within each block"),
      required("norm2_xtilde", "block_norm2_xtilde", &BlockTrajectory::norm2_xtilde, "[0, inf)",
               "|xtilde|^2 within each block"),
      required("label_noise", "E_xi2", &BlockTrajectory::label_noise, "[0, inf)", "variance of the label noise"),
      required("regularisation", "delta", &BlockTrajectory::regularisation, "[0, inf)", "l2 regularisation"),
      required("step_size", "eta", &BlockTrajectory::step_size, "(0, inf)", "constant step size gamma/d"),
      required("dimension", "dim", &BlockTrajectory::dimension, "(0, inf)", "scaling d: eta = gamma/d, t = k/d"),
      required("iterations", &BlockTrajectory::iterations, "[0, inf)", "iterations k"),
      required("noises", "sigmas", &BlockTrajectory::noises, "[0, inf)", "noise per coordinate of a gradient")};
};

Record block_trajectory(const BlockTrajectory& s) {
  models::LeastSquares problem{.spectrum = models::Spectrum::blocks(s.eigenvalues, s.multiplicity),
                               .products = {array(s.norm2_x0), array(s.dot_x0_xtilde), array(s.norm2_xtilde)},
                               .label_noise = s.label_noise,
                               .regularisation = s.regularisation,
                               .dimension = s.dimension,
                               .schedule = models::Schedule::constant(s.step_size * s.dimension)};
  const double last = s.iterations.empty() ? 0.0 : *std::max_element(s.iterations.begin(), s.iterations.end());
  const homogenized::RiskTrajectory solved(problem, last / s.dimension);
  List curves;
  for (const double noise : s.noises) {
    Numbers risks;
    for (const double k : s.iterations) {
      risks.push_back(solved.population_risk(k / s.dimension, noise).value);
    }
    curves.push_back({Record{{"sigma", {noise}}, {"P", {risks}}}});
  }
  return {{"curves", {curves}}};
}

Record noise_share(const LeastSquaresProblem& given, const Numbers& times) {
  check_times(times, "t", false);
  const homogenized::RiskTrajectory solved(least_squares(given), times.back());
  Numbers shares;
  for (const double time : times) {
    shares.push_back(homogenized::least_noise_share(solved, time));
  }
  return {{"min_share", {shares}}};
}

/// kappa(tau) without gamma^2 and its two bounds.
Record kernel_enclosure(const Value& eigenvalues, const Value& spectrum, double dimension, double regularisation,
                        int nodes, const Numbers& arguments) {
  if (eigenvalues.null() == spectrum.null()) {
    throw UsageError("lambda_: give either lambda_ or spectrum");
  }
  const auto all =
      spectrum.null() ? spectrum_of(eigenvalues, "lambda_", dimension) : spectrum_of(spectrum, "spectrum", dimension);
  const homogenized::ExponentialSum kernel{2.0 * (all.eigenvalues() + regularisation),
                                           all.multiplicity() * all.eigenvalues().square() / dimension};
  const auto rules = homogenized::compress(kernel, nodes);
  Numbers exact, lower, upper;
  for (const double tau : arguments) {
    exact.push_back(kernel(tau));
    lower.push_back(rules.lower(tau));
    upper.push_back(rules.upper(tau));
  }
  return {{"exact", {exact}}, {"lower", {lower}}, {"upper", {upper}}};
}

Record isotropic_risk(const homogenized::IsotropicRisk& setting, double time) {
  return {{"P", {homogenized::population_risk(setting, time)}},
          {"P_inf", {homogenized::limiting_risk(setting)}},
          {"omega", {homogenized::decay_rate(setting)}}};
}

Record stationary_risk(const Numbers& eigenvalues, double regularisation, double noise, double rate, double label_noise,
                       const Numbers& xtilde, double dimension) {
  models::LeastSquares problem{.spectrum = models::Spectrum::list(eigenvalues), .xtilde = array(xtilde)};
  problem.x0 = ArrayXd::Zero(problem.xtilde.size());  // where the run starts does not matter in the end
  problem.label_noise = label_noise;
  problem.regularisation = regularisation;
  problem.noise = noise;
  problem.dimension = dimension;
  const auto limit = homogenized::stationary_risk(problem, rate);
  return {{"kernel_norm", {limit.kernel_norm}},
          {"gamma_max", {homogenized::largest_stable_rate(problem)}},
          {"P_inf", {limit.population_risk}},
          {"R_inf", {limit.regularised_risk}}};
}

homogenized::DoobStep doob_step(const Numbers& eigenvalues, const Numbers& hessian, const Numbers& linear,
                                const Numbers& error, const Numbers& xtilde, double rate, double dimension,
                                double regularisation, double noise, double label_noise) {
  return homogenized::doob_step({array(eigenvalues), array(hessian), array(linear), array(error), array(xtilde), rate,
                                 dimension, regularisation, noise, label_noise});
}

Record exact_mean(LeastSquaresProblem given, double rate, std::size_t steps, double kurtosis) {
  given.step_size = rate / given.dimension;
  auto problem = least_squares(given);
  problem.schedule = models::Schedule::constant(rate);  // eta d may differ from gamma in the last digit
  return {{"EP_n", {simulate::exact_mean_risks(problem, kurtosis, steps).back()}}};
}

// --- tables ---------------------------------------------------------------------------------------------------------

const FieldInfo dim = argument("dimension", "dim", "(0, inf)", "scaling d: eta = gamma/d, t = k/d"),
                delta = argument("regularisation", "delta", "[0, inf)", "l2 regularisation"),
                sigma = argument("noise", "sigma", "[0, inf)", "noise per coordinate of a gradient"),
                label_noise = argument("label_noise", "E_xi2", "[0, inf)", "variance of the label noise"),
                lambda = argument("eigenvalues", "lambda_", "[0, inf)", "eigenvalues"),
                truth = argument("xtilde", "xtilde", "(-inf, inf)", "truth in the eigenbasis");

}  // namespace

std::vector<Calculator> noisy_hsgd() {
  const auto times = [](Domain domain) { return argument("times", "t", domain, "times t = iteration/d, ascending"); };
  return {
      of_problem(calculator<&risk_trajectory>("risk-trajectory", {"equation-5", "theorem-4.2", "equation-10"},
                                              "expected risks and the law of the linearised HSGD (Theorem 4.2)",
                                              {times("[0, inf)")})),
      calculator<&block_trajectory>(
          "risk-trajectory-blocks", {"theorem-4.2", "figure-2a"},
          "expected risk for blocks of equal eigenvalues, several noise scales (Theorem 4.2)"),
      calculator<&kernel_enclosure>("kernel-enclosure", {"theorem-4.2"},
                                    "the kernel of the risk between its Gauss and Gauss-Radau rules (Theorem 4.2)",
                                    {argument("eigenvalues", "lambda_", Domain(), "eigenvalues, or spectrum"),
                                     argument("spectrum", "spectrum", Domain(), "eigenvalues as an object"), dim, delta,
                                     argument("nodes", "nodes", whole("[1, 10000]"), "nodes m of the Gauss rule"),
                                     argument("arguments", "tau", "[0, inf)", "Gamma(t) - Gamma(s)")})
          .fallback("eigenvalues", {})
          .fallback("spectrum", {}),
      of_problem(calculator<&noise_share>("dp-noise-share", {"equation-10", "theorem-4.3"},
                                          "least share of the variance that the added noise causes (E21)",
                                          {times("(0, inf)")})),
      calculator<&isotropic_risk>(
          "risk-isotropic-constant", {"theorem-4.2"},
          "expected risk for Sigma = lambda I and a constant step, in closed form (Theorem 4.2)",
          {argument("time", "t", "[0, inf)", "iteration/d")})
          .ignore(dim),
      calculator<&stationary_risk>("risk-stationary", {"theorem-4.2"},
                                   "limits of the risks at a constant step, and the largest stable step (Theorem 4.2)",
                                   {lambda, delta, sigma, argument("rate", "gamma", "(0, inf)", "constant step, d eta"),
                                    label_noise, truth, dim}),
      calculator<&homogenized::equivalence_bounds>(
          "equivalence-bounds", {"definition-2", "theorem-3.1", "theorem-4.1", "corollary-4.1", "theorem-a.3"},
          "right-hand sides of Theorems 3.1 and 4.1 and Corollary 4.1: rates with hypotheses, no certificates"),
      calculator<&doob_step>("doob-step", {"lemma-a.1"},
                             "expected change of a quadratic in one step, Gaussian features (Lemma A.1, corrected)",
                             {lambda, argument("hessian", "hessian", "(-inf, inf)", "diagonal of H"),
                              argument("linear", "linear", "(-inf, inf)", "u of q = v'Hv/2 + u'v"),
                              argument("error", "v", "(-inf, inf)", "x - xtilde before the step"), truth,
                              argument("rate", "gamma", "[0, inf)", "step, d eta"), dim, delta, sigma, label_noise}),
      of_problem(
          calculator<&exact_mean>(
              "risk-sgd-exact-mean", {"algorithm-1", "theorem-3.1", "theorem-4.2"},
              "mean risk of noisy SGD over random data, without a limit in d (recursion of the second moments)",
              {argument("rate", "gamma", "[0, inf)", "constant step size gamma = d eta"),
               argument("steps", "n", whole("[0, 1000000000]"), "number of steps"),
               argument("kurtosis", "kurtosis", "[1, inf)", "E z^4 of one coordinate of the features: Gaussian 3")}))
          .without({"schedule"}),
      calculator<&homogenized::risk_fluctuation>(
          "risk-fluctuation-isotropic", {"conjecture-3.1", "theorem-4.1"},
          "mean and variance of the risk of SGD, HSGD and linearised HSGD for Sigma = lambda I (derived)",
          {argument("time", "t", "[0, inf)", "time k/d")})};
}

}  // namespace dpcurves::calculators
