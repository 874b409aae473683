// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated Noise": the
// network, its constants and its risk bounds.
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/bounds/kan_plans.hpp>
#include <dpcurves/bounds/kan_stability.hpp>
#include <dpcurves/models/kan.hpp>
#include <dpcurves/models/kan_constants.hpp>
#include <dpcurves/models/margin.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

std::size_t count(const Inputs& in, const char* key) { return static_cast<std::size_t>(in.number(key)); }

// --- the model ------------------------------------------------------------------------------------------------------

Json bspline_constants(const Inputs& in) {
  const auto degree = count(in, "degree");
  const auto p = count(in, "p");
  if (p <= degree) {
    throw DomainError("p: " + std::to_string(p) + " is outside [degree + 1, 4096]");
  }
  const models::UniformSplines splines(p, degree);
  const auto bounds = splines.bounds();
  std::vector<double> at(degree + 1);
  splines.evaluate(0.37, 0, at);
  double sum = 0.0;
  for (const double value : at) {
    sum += value;
  }
  return {{"h", splines.spacing()},
          {"Bb", bounds.value},
          {"Bb1", bounds.slope},
          {"Bb2", bounds.curvature},
          {"max_norm_h", bounds.norm},
          {"max_norm_h1", bounds.slope_norm},
          {"max_norm_h2", bounds.curvature_norm},
          {"sum_at_0p37", sum}};
}

Json kan_network(const Inputs& in) {
  models::KanShape shape;
  shape.inputs = count(in, "d");
  shape.units = count(in, "m");
  shape.splines = count(in, "p");
  const std::string act = in.text("act");
  if (act != "tanh" && act != "sigmoid") {
    throw DomainError("act: \"" + act + "\" is neither \"tanh\" nor \"sigmoid\"");
  }
  shape.activation = act == "tanh" ? models::Activation::tanh : models::Activation::logistic;
  if (shape.inputs * shape.units * shape.splines > 100'000'000) {
    throw DomainError("m: m d p is above 1e8");
  }
  const double s = in.number("s");
  const auto m = static_cast<Eigen::Index>(shape.units), p = static_cast<Eigen::Index>(shape.splines);
  const Eigen::MatrixXd c = Eigen::MatrixXd::NullaryExpr(p, m, [s](Eigen::Index k, Eigen::Index j) {
    return std::cos(2.0 + s + 7.0 * static_cast<double>(j) + static_cast<double>(k));
  });
  const auto d = static_cast<Eigen::Index>(shape.inputs);
  const Eigen::MatrixXd w = Eigen::MatrixXd::NullaryExpr(m, d * p, [s](Eigen::Index j, Eigen::Index a) {
    return std::sin(1.0 + s + 10.0 * static_cast<double>(j) + static_cast<double>(a));
  });
  // x may leave the unit ball, to which data sets of KanLosses are confined: its entries stay where splines live.
  const models::KanNetwork network(shape, c);
  Eigen::VectorXd h = Eigen::VectorXd::Zero(d * p);
  for (Eigen::Index i = 0; i < d; ++i) {
    const double x = 0.3 * std::sin(s + static_cast<double>(i));
    const auto first = static_cast<Eigen::Index>(network.splines().place(x).span);
    network.splines().evaluate(x, 0, {h.data() + i * p + first, shape.degree + 1});
  }
  const double root_m = std::sqrt(static_cast<double>(m)), root_d = std::sqrt(static_cast<double>(d));
  const Eigen::VectorXd a = w * h / root_d;
  double f = 0.0;
  double slopes = 0.0;
  double squares = 0.0;
  double curvature = 0.0;
  for (Eigen::Index j = 0; j < m; ++j) {
    const auto unit = network.unit(static_cast<std::size_t>(j), a[j]);
    f += unit.output / root_m;
    slopes += unit.slope / (root_m * root_d);
    squares += unit.slope * unit.slope;
    curvature = std::max(curvature, std::abs(unit.curvature) / (root_m * root_d * root_d));
  }
  return {{"f", f},
          {"grad_norm", std::sqrt(squares) / (root_m * root_d) * h.norm()},
          {"grad_first_nonzero_sum", slopes * h.sum()},
          {"hess_specnorm", curvature * h.squaredNorm()},
          {"loss_y_minus1", models::logistic_loss(-f)}};
}

Json ntk_margin(const Inputs& in) {
  const Json& given = in.json("rows");
  if (!given.is_array() || given.empty() || !given[0].is_array() || given[0].empty()) {
    throw UsageError("rows: is not a list of rows of numbers");
  }
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(given.size()), static_cast<Eigen::Index>(given[0].size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is_array() || given[i].size() != given[0].size()) {
      throw UsageError("rows: row " + std::to_string(i) + " is not a list of " + std::to_string(given[0].size()) +
                       " numbers");
    }
    for (std::size_t j = 0; j < given[0].size(); ++j) {
      if (!given[i][j].is_number()) {
        throw UsageError("rows: row " + std::to_string(i) + " has an entry that is not a number");
      }
      rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = given[i][j].get<double>();
    }
  }
  // Margins scale with the rows; squares of unscaled ones could leave the range of doubles.
  const double largest = rows.cwiseAbs().maxCoeff(), scale = largest > 0.0 ? largest : 1.0;
  rows /= scale;
  const auto margin = models::margin_of_rows(rows);
  const auto simple = models::simple_margin_bounds(rows * rows.transpose());
  std::vector<double> support(margin.support.begin(), margin.support.end());
  return {{"gamma", number(margin.separable ? scale * margin.value.upper : 0.0)},
          {"primal", number(scale * margin.value.lower)},
          {"separable", margin.separable},
          {"support", numbers(support)},
          {"lambda_min_bound", number(scale * simple.lower)},
          {"mean_bound", number(scale * simple.upper)}};
}

Json curvature_constants(const Inputs& in) {
  const auto constants =
      models::worst_case_constants({in.number("Bsigma1"), in.number("Bsigma2"), in.number("Bb"), in.number("Bb1"),
                                    in.number("Bb2"), in.number("p"), in.number("m")},
                                   in.number("delta"));
  return {{"G", number(constants.gradient)},
          {"H", number(constants.hessian)},
          {"beta", number(constants.smoothness)},
          {"eta_max", number(constants.largest_step())}};
}

// --- concentration --------------------------------------------------------------------------------------------------

Json without_replacement_variance(const Inputs& in) {
  const double n = in.number("n"), batch = in.number("B"), gradient = in.number("G");
  if (batch > n) {
    throw DomainError("B: " + in.json("B").dump() + " is above n");
  }
  return {{"variance", number(bounds::without_replacement_variance(n, batch, in.number("mean_sq_dev")))},
          {"bound", number(gradient * gradient / batch)}};
}

Json segment_factor(const Inputs& in) {
  const auto factor = bounds::segment_factor(in.number("k"), in.number("D"));
  Json result{{"valid", factor.valid}};
  if (factor.valid) {
    result["factor"] = factor.factor;
  }
  return result;
}

Json second_layer_norm_bounds(const Inputs& in) {
  const auto norms = bounds::second_layer_norms(in.number("p"), in.number("m"), in.number("delta"));
  return {{"norm_c", norms.whole}, {"max_norm_cj", norms.largest_unit}};
}

bounds::NoisyRun run_of(const Inputs& in, double private_noise) {
  return {in.number("T"), in.number("B"), in.number("eta"), in.number("lambda"), private_noise};
}

Json high_probability_constants(const Inputs& in) {
  const auto run = run_of(in, in.number("c_priv"));
  const double gradient = in.number("G");
  const auto noise = bounds::noise_bounds(in.number("D"), run.iterates, in.number("delta_Z"));
  const double batch = bounds::batch_energy(run.iterates, gradient, run.batch, in.number("delta_Delta"));
  const auto cross = bounds::potential_terms(run, gradient, in.number("Rbar"), noise.energy, in.number("delta_pot"));
  const auto path = bounds::pathwise_bound(run, in.number("beta"), {noise.energy, batch, cross.sum()},
                                           in.number("LS_star"), in.number("dist0_sq"));
  return {{"z", noise.largest},
          {"V_Z", number(noise.energy)},
          {"V_Delta", number(batch)},
          {"M_pot", number(cross.sum())},
          {"M_1", number(cross.batch)},
          {"M_2", number(cross.noise)},
          {"M_3", number(cross.mixed)},
          {"cond10_lhs", number(path.radius_squared)},
          {"bound", number(path.mean_loss)}};
}

Json freedman_bound(const Inputs& in) {
  return {{"bound", number(bounds::freedman_bound(in.number("v"), in.number("L"), in.number("delta")))}};
}

// --- the training loss ----------------------------------------------------------------------------------------------

Json optimisation_rate(const Inputs& in) {
  const auto rate =
      bounds::optimisation_rate({in.number("gamma"), in.number("eta"), in.number("T"), in.number("B"),
                                 in.number("lambda"), in.number("kappa"), in.number("m"), in.number("d")});
  return {{"A", number(rate.sum())},
          {"drift", number(rate.drift)},
          {"batch_cross", number(rate.batch_cross)},
          {"batch", number(rate.batch)},
          {"noise_cross", number(rate.noise_cross)},
          {"noise", number(rate.noise)}};
}

Json optimisation_bound(const Inputs& in) {
  bounds::OptimisationSetting s;
  s.clip = in.number("C_clip");
  s.run = run_of(in, s.clip * in.number("kappa") / in.number("B"));
  s.records = in.number("n");
  s.splines = in.number("p");
  s.parameters = in.number("m") * in.number("d") * s.splines;
  s.margin = in.number("gamma");
  s.delta = in.number("delta");
  s.gradient = in.number("G");
  s.curvature = in.number("H");
  s.smoothness = in.number("beta");
  s.comparator_hessian = in.number("H_half");
  const auto bound = bounds::optimisation_bound(s);
  return {{"tau", bound.comparator_length},
          {"Rbar", number(bound.radius)},
          {"M_pot", number(bound.potential)},
          {"bound", number(bound.mean_loss)},
          {"R_star_min", number(bound.least_projection_radius)},
          {"cond_eta", bound.step_small},
          {"cond_curvature", bound.curvature_small},
          {"cond_comparator", bound.comparator_exists},
          {"cond_clip", bound.clip_inactive}};
}

// --- stability and population
// -----------------------------------------------------------------------------------------

Json stability_bound(const Inputs& in) {
  const auto bound = bounds::stability_bound({in.number("n"), in.number("B"), in.number("T"), in.number("eta"),
                                              in.number("G"), in.number("H"), in.number("Bb"), in.number("p"),
                                              in.number("R_star"), in.number("delta_f"), in.number("delta_mb"),
                                              in.number("A"), in.number("sum_expected_loss"), in.number("delta_stab")});
  return {{"F", number(bound.output)},
          {"U", number(bound.loss)},
          {"batch_excess", number(bound.batch_excess)},
          {"c20_lhs", number(bound.growth)},
          {"cond_c20", bound.growth_bounded},
          {"cond_c16", bound.curvature_small},
          {"stability", number(bound.stability)}};
}

Json population_bound(const Inputs& in) {
  const auto bound =
      bounds::population_bound({in.number("n"), in.number("T"), in.number("eta"), in.number("G"), in.number("R_star"),
                                in.number("m"), in.number("p"), in.number("Bb"), in.number("A"), in.number("delta_opt"),
                                in.number("delta_stab"), in.number("delta")});
  return {{"U_max", number(bound.largest_loss)}, {"bound", number(bound.risk)}, {"factor", number(bound.factor)}};
}

// --- independent noise, no noise, plans
// -------------------------------------------------------------------------------

Json independent_noise_bound(const Inputs& in) {
  const auto bound = bounds::independent_noise_bound({in.number("D"), in.number("T"), in.number("B"), in.number("eta"),
                                                      in.number("G"), in.number("c_priv"), in.number("R_star"),
                                                      in.number("delta"), in.number("LS_star"), in.number("dist0_sq")});
  return {{"V_Delta", number(bound.batch_energy)},
          {"V_Z", number(bound.noise_energy)},
          {"M_Delta", number(bound.batch_cross)},
          {"M_Z", number(bound.noise_cross)},
          {"bound", number(bound.mean_loss)}};
}

Json independent_noise_rate(const Inputs& in) {
  return {{"A", number(bounds::independent_noise_rate({in.number("gamma"), in.number("eta"), in.number("T"),
                                                       in.number("B"), in.number("kappa"), in.number("m"),
                                                       in.number("d"), in.number("n"), in.number("delta")}))}};
}

Json non_private_rate(const Inputs& in) {
  const auto rate = bounds::non_private_rate(in.number("gamma"), in.number("eta"), in.number("T"), in.number("B"),
                                             in.number("n"), in.number("delta"));
  return {{"A", number(rate.optimisation)}, {"population", number(rate.population)}};
}

Json corollary_5_3_plan(const Inputs& in) {
  const auto found = bounds::correlated_plan(in.number("n"), in.number("d"), in.number("gamma"), in.number("epsilon"),
                                             in.number("delta"), in.number("rho"));
  return {{"T", number(found.plan.iterates)},     {"B", number(found.plan.batch)},
          {"m", number(found.plan.units)},        {"rate", number(found.plan.rate)},
          {"privacy_valid", found.privacy_valid}, {"delta_valid", found.delta_valid}};
}

Json corollary_5_5_plan(const Inputs& in) {
  const auto plan = bounds::independent_plan(in.number("n"), in.number("d"), in.number("gamma"), in.number("epsilon"));
  return {
      {"T", number(plan.iterates)},    {"B", number(plan.batch)},
      {"eta", number(plan.step_size)}, {"m", number(plan.units)},
      {"rate", number(plan.rate)},     {"privacy", "no claim: the noise of Theorem 5.4 is too small in this regime"}};
}

Json corollary_5_6_plan(const Inputs& in) {
  const double n = in.number("n"), batch = in.number("B");
  if (batch > n) {
    throw DomainError("B: " + in.json("B").dump() + " is above n");
  }
  const auto found = bounds::non_private_plan(n, in.number("gamma"), batch);
  return {{"eta", number(found.plan.step_size)},
          {"T", number(found.plan.iterates)},
          {"optimisation_rate", number(found.optimisation_rate)},
          {"population_rate", number(found.plan.rate)},
          {"batch_valid", found.batch_valid}};
}

Json quadratic_stationary_variance(const Inputs& in) {
  const double a = in.number("a"), eta = in.number("eta");
  if (!(eta * a < 2.0)) {
    throw DomainError("eta: " + in.json("eta").dump() + " is outside (0, 2/a)");
  }
  return {{"var", number(bounds::stationary_variance({a, eta, in.number("lambda"), in.number("c")}))},
          {"lambda_opt", number(bounds::best_quadratic_correlation(a, eta))}};
}

Json cumulative_noise_variance(const Inputs& in) {
  return {{"var", number(bounds::cumulative_noise_variance(in.number("T"), in.number("lambda")))}};
}

}  // namespace

std::vector<Calculator> kan_model_calculators() {
  const std::string positive = "(0, inf)", nonnegative = "[0, inf)", at_least_one = "[1, inf)", chance = "(0, 1)";
  const Key n = number_key("n", "[2, inf)", "records"), m = number_key("m", at_least_one, "hidden units"),
            d = number_key("d", at_least_one, "inputs"), p = number_key("p", at_least_one, "splines per edge"),
            T = number_key("T", at_least_one, "iterates"), B = number_key("B", at_least_one, "batch size"),
            eta = number_key("eta", positive, "step size"), G = number_key("G", nonnegative, "bound of |grad f|"),
            H = number_key("H", nonnegative, "bound nu of |Hess f|"),
            beta = number_key("beta", nonnegative, "smoothness"),
            lambda = number_key("lambda", "[0, 1)", "noise correlation"),
            kappa = number_key("kappa", nonnegative, "noise multiplier"),
            gamma = number_key("gamma", "(0, 1]", "NTK margin"), delta = number_key("delta", chance, "failure chance"),
            Bb = number_key("Bb", nonnegative, "sup |b_k|"),
            R_star = number_key("R_star", nonnegative, "projection radius"),
            c_priv = number_key("c_priv", nonnegative, "C_clip kappa/B: standard deviation per coordinate"),
            LS_star = number_key("LS_star", nonnegative, "training loss at the comparator"),
            dist0_sq = number_key("dist0_sq", nonnegative, "squared distance of the comparator from the start"),
            D = number_key("D", at_least_one, "parameters m d p"),
            epsilon = number_key("epsilon", positive, "privacy parameter"),
            A = number_key("A", nonnegative, "bound of the mean training loss");
  const auto chance_key = [&](const char* name, const char* of) { return number_key(name, "(0, 1)", of); };
  return {
      {"kan-correlated-noise/bspline-constants",
       "suprema of uniform B-splines on [-1, 1] and their derivatives (Assumption 3.2)",
       {integer_key("p", "[3, 4096]", "splines"), optional(integer_key("degree", "[2, 15]", "of the splines"), 3)},
       bspline_constants},
      {"kan-correlated-noise/kan-network",
       "output, gradient and Hessian of a KAN at weights given by sines (Algorithm 1, Lemma B.1)",
       {integer_key("d", "[1, 1000000]", "inputs"), integer_key("m", "[1, 1000000]", "hidden units"),
        integer_key("p", "[4, 4096]", "cubic splines per edge"), number_key("s", "[-1e9, 1e9]", "seed of the sines"),
        text_key("act", "tanh or sigmoid")},
       kan_network},
      {"kan-correlated-noise/ntk-margin",
       "largest margin through the origin with a certificate on both sides (Assumption 3.3)",
       {json_key("rows", "list of rows y_i g_i")},
       ntk_margin},
      {"kan-correlated-noise/curvature-constants",
       "gradient, curvature and smoothness in the worst case (Lemmas B.6, B.7)",
       {number_key("Bsigma1", nonnegative, "sup |sigma'|"), number_key("Bsigma2", nonnegative, "sup |sigma''|"), Bb,
        number_key("Bb1", nonnegative, "sup |b_k'|"), number_key("Bb2", nonnegative, "sup |b_k''|"), p, m, delta},
       curvature_constants},
      {"kan-correlated-noise/without-replacement-variance",
       "variance of a batch mean drawn without replacement (Lemma B.2)",
       {n, B, number_key("mean_sq_dev", nonnegative, "mean squared deviation"), G},
       without_replacement_variance},
      {"kan-correlated-noise/segment-factor",
       "maximum on a segment against its ends (Lemma B.4)",
       {number_key("k", positive, "curvature"), number_key("D", nonnegative, "length of the segment")},
       segment_factor},
      {"kan-correlated-noise/second-layer-norm-bounds",
       "norms of the second layer (Lemma B.5)",
       {p, m, delta},
       second_layer_norm_bounds},
      {"kan-correlated-noise/high-probability-constants",
       "noise, batch and cross-term bounds and the pathwise bound (Lemmas C.3 to C.10)",
       {D, T, chance_key("delta_Z", "of the noise"), eta, G, B, chance_key("delta_Delta", "of the batches"), lambda,
        c_priv, number_key("Rbar", nonnegative, "radius"), chance_key("delta_pot", "of the cross terms"), beta, LS_star,
        dist0_sq},
       high_probability_constants},
      {"kan-correlated-noise/freedman-bound",
       "Freedman's inequality (Lemma C.18)",
       {number_key("v", nonnegative, "bound of the variation"), number_key("L", nonnegative, "largest step"), delta},
       freedman_bound},
      {"kan-correlated-noise/optimisation-rate",
       "A_corr of Theorem 4.1, a rate: unnamed constants 1",
       {gamma, eta, T, B, number_key("lambda", "[0, 1]", "noise correlation"), kappa, m, d},
       optimisation_rate},
      {"kan-correlated-noise/optimisation-bound",
       "Theorem 4.1 with every constant, and its conditions",
       {n, m, d, p, T, eta, B, kappa, lambda, number_key("C_clip", positive, "clip norm"), gamma, delta, G, H, beta,
        number_key("H_half", nonnegative, "bound of |Hess f| at failure chance delta/10")},
       optimisation_bound},
      {"kan-correlated-noise/stability-bound",
       "outputs, batch losses and stability of coupled runs (Lemmas C.16 to C.20, Theorem C.22)",
       {n, B, T, eta, G, H, Bb, p, R_star, chance_key("delta_f", "of the outputs"),
        chance_key("delta_mb", "of the batch losses"), A,
        number_key("sum_expected_loss", nonnegative, "sum of expected training losses"),
        number_key("delta_stab", "[0, 1]", "chance of the event left out")},
       stability_bound},
      {"kan-correlated-noise/population-bound",
       "population risk with every constant (Theorems 5.2, C.23), given the event of the second layer",
       {n, T, eta, G, R_star, m, p, Bb, A, number_key("delta_opt", "[0, 1]", "failure chance of A"),
        number_key("delta_stab", "[0, 1]", "failure chance of the stability"), delta},
       population_bound},
      {"kan-correlated-noise/independent-noise-bound",
       "training loss under independent noise (Lemma D.12, Theorem D.13)",
       {D, T, B, eta, G, c_priv, R_star, delta, LS_star, dist0_sq},
       independent_noise_bound},
      {"kan-correlated-noise/independent-noise-rate",
       "A_van of Theorem D.14, a rate: unnamed constants 1",
       {gamma, eta, T, B, kappa, m, d, n, delta},
       independent_noise_rate},
      {"kan-correlated-noise/non-private-rate",
       "A_non of Theorem E.1 and its population rate: unnamed constants 1",
       {gamma, eta, T, B, n, number_key("delta", "[0, 1)", "failure chance")},
       non_private_rate},
      {"kan-correlated-noise/corollary-5-3-plan",
       "batch, steps and width of Corollary 5.3, a rate",
       {n, d, gamma, epsilon, delta, number_key("rho", "(0, 1]", "share B/n of the batch")},
       corollary_5_3_plan},
      {"kan-correlated-noise/corollary-5-5-plan",
       "batch, steps, step size and width of Corollary 5.5, a rate",
       {n, d, gamma, epsilon},
       corollary_5_5_plan},
      {"kan-correlated-noise/corollary-5-6-plan",
       "steps and step size of Corollary 5.6, a rate",
       {n, gamma, B},
       corollary_5_6_plan},
      {"kan-correlated-noise/quadratic-stationary-variance",
       "stationary variance of SGD with correlated noise on a quadratic (Remark 4.2)",
       {number_key("a", positive, "curvature"), eta, number_key("lambda", "[0, 1]", "noise correlation"),
        number_key("c", nonnegative, "noise per step size")},
       quadratic_stationary_variance},
      {"kan-correlated-noise/cumulative-noise-variance",
       "variance of the cumulative noise over kappa^2 (Figure 1, right)",
       {number_key("T", at_least_one, "steps whose noise is added up"),
        number_key("lambda", "[0, 1]", "noise correlation")},
       cumulative_noise_variance}};
}

}  // namespace dpcurves::tools::eval
