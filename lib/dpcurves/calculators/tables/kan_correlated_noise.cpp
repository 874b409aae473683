// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise": the network and its risk bounds.
#include <cmath>

#include <dpcurves/bounds/correlated_quadratic.hpp>
#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/bounds/kan_plans.hpp>
#include <dpcurves/bounds/kan_stability.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/models/bspline.hpp>
#include <dpcurves/models/kan.hpp>
#include <dpcurves/models/kan_constants.hpp>
#include <dpcurves/models/losses.hpp>
#include <dpcurves/models/margin.hpp>

namespace dpcurves::calculators {
namespace {

Record spline_constants(std::size_t splines, std::size_t degree) {
  require_domain(splines > degree, "splines", static_cast<double>(splines), "[degree + 1, 4096]");
  const models::UniformSplines basis(splines, degree);
  const auto bounds = basis.bounds();
  std::vector<double> at(degree + 1);
  basis.evaluate(0.37, 0, at);
  const double sum = sum_over(at);
  return {{"h", {basis.spacing()}},
          {"Bb", {bounds.value}},
          {"Bb1", {bounds.slope}},
          {"Bb2", {bounds.curvature}},
          {"max_norm_h", {bounds.norm}},
          {"max_norm_h1", {bounds.slope_norm}},
          {"max_norm_h2", {bounds.curvature_norm}},
          {"sum_at_0p37", {sum}}};
}

Record network(std::size_t inputs, std::size_t units, std::size_t splines, double s, const std::string& activation) {
  models::KanShape shape{.inputs = inputs,
                         .units = units,
                         .splines = splines,
                         .activation = activation == "tanh" ? models::Activation::tanh : models::Activation::logistic};
  const double weights = static_cast<double>(inputs) * static_cast<double>(units) * static_cast<double>(splines);
  require_domain(weights <= 1e8, "units", static_cast<double>(units), "those of at most 1e8 weights m d p");
  const auto m = static_cast<Eigen::Index>(units), p = static_cast<Eigen::Index>(splines),
             d = static_cast<Eigen::Index>(inputs);
  const Eigen::MatrixXd c = Eigen::MatrixXd::NullaryExpr(p, m, [s](Eigen::Index k, Eigen::Index j) {
    return std::cos(2.0 + s + 7.0 * static_cast<double>(j) + static_cast<double>(k));
  });
  const Eigen::MatrixXd w = Eigen::MatrixXd::NullaryExpr(m, d * p, [s](Eigen::Index j, Eigen::Index a) {
    return std::sin(1.0 + s + 10.0 * static_cast<double>(j) + static_cast<double>(a));
  });
  // x may leave the unit ball, to which data sets of KanLosses are confined: its entries stay where splines live.
  const models::KanNetwork kan(shape, c);
  Eigen::VectorXd h = Eigen::VectorXd::Zero(d * p);
  for (Eigen::Index i = 0; i < d; ++i) {
    const double x = 0.3 * std::sin(s + static_cast<double>(i));
    const auto first = static_cast<Eigen::Index>(kan.splines().place(x).span);
    kan.splines().evaluate(x, 0, {h.data() + i * p + first, shape.degree + 1});
  }
  const double root_m = std::sqrt(static_cast<double>(m)), root_d = std::sqrt(static_cast<double>(d));
  const Eigen::VectorXd a = w * h / root_d;
  double f = 0.0, slopes = 0.0, squares = 0.0, curvature = 0.0;
  for (Eigen::Index j = 0; j < m; ++j) {
    const auto unit = kan.unit(static_cast<std::size_t>(j), a[j]);
    f += unit.output / root_m;
    slopes += unit.slope / (root_m * root_d);
    squares += unit.slope * unit.slope;
    curvature = std::max(curvature, std::abs(unit.curvature) / (root_m * root_d * root_d));
  }
  return {{"f", {f}},
          {"grad_norm", {std::sqrt(squares) / (root_m * root_d) * h.norm()}},
          {"grad_first_nonzero_sum", {slopes * h.sum()}},
          {"hess_specnorm", {curvature * h.squaredNorm()}},
          {"loss_y_minus1", {models::logistic_loss(-f)}}};
}

Record ntk_margin(const std::vector<std::vector<double>>& given) {
  if (given.empty() || given[0].empty()) {
    throw UsageError("rows: is not a list of rows of numbers");
  }
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(given.size()), static_cast<Eigen::Index>(given[0].size()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].size() != given[0].size()) {
      throw UsageError("rows: row " + std::to_string(i) + " is not a list of " + std::to_string(given[0].size()) +
                       " numbers");
    }
    rows.row(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::RowVectorXd>(given[i].data(), rows.cols());
  }
  // Margins scale with the rows; squares of unscaled ones could leave the range of doubles.
  const double largest = rows.cwiseAbs().maxCoeff(), scale = largest > 0.0 ? largest : 1.0;
  rows /= scale;
  const auto margin = models::margin_of_rows(rows);
  const auto simple = models::simple_margin_bounds(rows * rows.transpose());
  return {{"gamma", {margin.separable ? scale * margin.value.upper : 0.0}},
          {"primal", {scale * margin.value.lower}},
          {"separable", {margin.separable}},
          {"support", {std::vector<double>(margin.support.begin(), margin.support.end())}},
          {"lambda_min_bound", {scale * simple.lower}},
          {"mean_bound", {scale * simple.upper}}};
}

Record curvature_constants(double activation_slope, double activation_curvature, double spline, double spline_slope,
                           double spline_curvature, double splines, double units, double delta) {
  const auto constants = models::worst_case_constants({.activation_slope = activation_slope,
                                                       .activation_curvature = activation_curvature,
                                                       .spline = spline,
                                                       .spline_slope = spline_slope,
                                                       .spline_curvature = spline_curvature,
                                                       .splines = splines,
                                                       .units = units},
                                                      delta);
  return {{"G", {constants.gradient}},
          {"H", {constants.hessian}},
          {"beta", {constants.smoothness}},
          {"eta_max", {constants.largest_step()}}};
}

Record batch_variance(double records, double batch, double mean_squared_deviation, double gradient) {
  require_domain(batch <= records, "batch", batch, "[1, n]");
  return {{"variance", {bounds::without_replacement_variance(records, batch, mean_squared_deviation)}},
          {"bound", {gradient * gradient / batch}}};
}

Record segment_factor(double curvature, double length) {
  const auto factor = bounds::segment_factor(curvature, length);
  Record answer{{"valid", {factor.valid}}};
  if (factor.valid) {
    answer.add("factor", {factor.factor});
  }
  return answer;
}

Record path_constants(const bounds::NoisyRun& run, double parameters, double gradient, double radius, double smoothness,
                      double comparator_loss, double distance_squared, double delta_noise, double delta_batches,
                      double delta_cross) {
  const auto noise = bounds::noise_bounds(parameters, run.iterates, delta_noise);
  const double batch = bounds::batch_energy(run.iterates, gradient, run.batch, delta_batches);
  const auto cross = bounds::potential_terms(run, gradient, radius, noise.energy, delta_cross);
  const auto path =
      bounds::pathwise_bound(run, smoothness, {noise.energy, batch, cross.sum()}, comparator_loss, distance_squared);
  return {{"z", {noise.largest}},     {"V_Z", {noise.energy}},
          {"V_Delta", {batch}},       {"M_pot", {cross.sum()}},
          {"M_1", {cross.batch}},     {"M_2", {cross.noise}},
          {"M_3", {cross.mixed}},     {"cond10_lhs", {path.radius_squared}},
          {"bound", {path.mean_loss}}};
}

Record optimisation_rate(const bounds::RateSetting& setting) {
  const auto rate = bounds::optimisation_rate(setting);
  Record answer{{"A", {rate.sum()}}};
  const Record terms = to_record(rate);
  for (const auto& term : terms.entries()) {
    answer.add(term.name, term.value);
  }
  return answer;
}

bounds::OptimisationBound optimisation_bound(bounds::OptimisationSetting setting, double units, double inputs,
                                             double noise_multiplier) {
  setting.run.private_noise = setting.clip * noise_multiplier / setting.run.batch;
  setting.parameters = units * inputs * setting.splines;
  return bounds::optimisation_bound(setting);
}

Record correlated_plan(double records, double inputs, double margin, double epsilon, double delta, double share) {
  const auto found = bounds::correlated_plan(records, inputs, margin, epsilon, delta, share);
  return {{"T", {found.plan.iterates}},
          {"B", {found.plan.batch}},
          {"m", {found.plan.units}},
          {"rate", {found.plan.rate}},
          {"privacy_valid", {found.privacy_valid.holds}},
          {"delta_valid", {found.delta_valid.holds}}};
}

Record independent_plan(double records, double inputs, double margin, double epsilon) {
  const auto plan = bounds::independent_plan(records, inputs, margin, epsilon);
  return {{"T", {plan.iterates}},
          {"B", {plan.batch}},
          {"eta", {plan.step_size}},
          {"m", {plan.units}},
          {"rate", {plan.rate}},
          {"privacy", {std::string("no claim: the noise of Theorem 5.4 is too small in this regime")}}};
}

Record non_private_plan(double records, double margin, double batch) {
  require_domain(batch <= records, "batch", batch, "[1, n]");
  const auto found = bounds::non_private_plan(records, margin, batch);
  return {{"eta", {found.plan.step_size}},
          {"T", {found.plan.iterates}},
          {"optimisation_rate", {found.optimisation_rate}},
          {"population_rate", {found.plan.rate}},
          {"batch_valid", {found.batch_valid.holds}}};
}

Record stationary_variance(const bounds::NoisyQuadratic& setting) {
  return {{"var", {bounds::stationary_variance(setting)}},
          {"lambda_opt", {bounds::best_quadratic_correlation(setting.curvature, setting.step_size)}}};
}

const FieldInfo n = argument("records", "n", "[2, inf)", "records"),
                m = argument("units", "m", "[1, inf)", "hidden units"),
                d = argument("inputs", "d", "[1, inf)", "inputs"),
                p = argument("splines", "p", "[1, inf)", "splines per edge"),
                T = argument("iterates", "T", "[1, inf)", "iterates"),
                B = argument("batch", "B", "[1, inf)", "batch size"),
                eta = argument("step_size", "eta", "(0, inf)", "step size"),
                G = argument("gradient", "G", "[0, inf)", "bound of |grad f|"),
                kappa = argument("noise_multiplier", "kappa", "[0, inf)", "noise multiplier"),
                gamma_margin = argument("margin", "gamma", "(0, 1]", "NTK margin"),
                delta = argument("delta", "delta", "(0, 1)", "failure chance"),
                epsilon = argument("epsilon", "epsilon", "(0, inf)", "privacy parameter");

FieldInfo chance(const char* name, const char* key, const char* of) { return argument(name, key, "(0, 1)", of); }
FieldInfo bound(const char* name, const char* key, const char* of) { return argument(name, key, "[0, inf)", of); }

}  // namespace

std::vector<Calculator> kan_model() {
  return {
      calculator<&spline_constants>("bspline-constants", {"assumption-3.2"},
                                    "suprema of uniform B-splines on [-1, 1] and their derivatives (Assumption 3.2)",
                                    {argument("splines", "p", whole("[3, 4096]"), "splines"),
                                     argument("degree", "degree", whole("[2, 15]"), "of the splines", 3.0)}),
      calculator<&network>("kan-network", {"algorithm-1", "lemma-b.1"},
                           "output, gradient and Hessian of a KAN at weights given by sines (Algorithm 1, Lemma B.1)",
                           {argument("inputs", "d", whole("[1, 1000000]"), "inputs"),
                            argument("units", "m", whole("[1, 1000000]"), "hidden units"),
                            argument("splines", "p", whole("[4, 4096]"), "cubic splines per edge"),
                            argument("s", "s", "[-1e9, 1e9]", "seed of the sines"),
                            word("activation", "act", {"tanh", "sigmoid"}, "tanh or sigmoid")}),
      calculator<&ntk_margin>("ntk-margin", {"assumption-3.3"},
                              "largest margin through the origin with a certificate on both sides (Assumption 3.3)",
                              {argument("rows", "rows", "(-inf, inf)", "list of rows y_i g_i")}),
      calculator<&curvature_constants>(
          "curvature-constants", {"lemma-b.6", "lemma-b.7"},
          "gradient, curvature and smoothness in the worst case (Lemmas B.6, B.7)",
          {bound("activation_slope", "Bsigma1", "sup |sigma'|"),
           bound("activation_curvature", "Bsigma2", "sup |sigma''|"), bound("spline", "Bb", "sup |b_k|"),
           bound("spline_slope", "Bb1", "sup |b_k'|"), bound("spline_curvature", "Bb2", "sup |b_k''|"), p, m, delta}),
      calculator<&batch_variance>("without-replacement-variance", {"lemma-b.2", "lemma-d.10"},
                                  "variance of a batch mean drawn without replacement (Lemma B.2)",
                                  {n, B, bound("mean_squared_deviation", "mean_sq_dev", "mean squared deviation"), G}),
      calculator<&segment_factor>(
          "segment-factor", {"lemma-b.4"}, "maximum on a segment against its ends (Lemma B.4)",
          {argument("curvature", "k", "(0, inf)", "curvature"), bound("length", "D", "length of the segment")}),
      calculator<&bounds::second_layer_norms>("second-layer-norm-bounds", {"lemma-b.5"},
                                              "norms of the second layer (Lemma B.5)", {p, m, delta}),
      calculator<&path_constants>(
          "high-probability-constants",
          {"lemma-c.3", "lemma-c.4", "lemma-c.5", "lemma-c.6", "lemma-c.7", "lemma-c.8", "lemma-c.9", "lemma-c.10",
           "lemma-c.11"},
          "noise, batch and cross-term bounds and the pathwise bound (Lemmas C.3 to C.10)",
          {argument("parameters", "D", "[1, inf)", "parameters m d p"), G, bound("radius", "Rbar", "radius"),
           bound("smoothness", "beta", "smoothness"),
           bound("comparator_loss", "LS_star", "training loss at the comparator"),
           bound("distance_squared", "dist0_sq", "squared distance of the comparator from the start"),
           chance("delta_noise", "delta_Z", "of the noise"), chance("delta_batches", "delta_Delta", "of the batches"),
           chance("delta_cross", "delta_pot", "of the cross terms")}),
      calculator<&bounds::freedman_bound>(
          "freedman-bound", {"lemma-c.18"}, "Freedman's inequality (Lemma C.18)",
          {bound("variation", "v", "bound of the variation"), bound("step", "L", "largest step"), delta})
          .rename("value", "bound"),
      calculator<&optimisation_rate>("optimisation-rate", {"theorem-4.1"},
                                     "A_corr of Theorem 4.1, a rate: unnamed constants 1"),
      calculator<&optimisation_bound>("optimisation-bound", {"theorem-4.1", "lemma-c.2", "lemma-c.12", "theorem-c.13"},
                                      "Theorem 4.1 with every constant, and its conditions", {m, d, kappa})
          .without({"private_noise", "parameters", "spline"}),
      calculator<&bounds::stability_bound>(
          "stability-bound",
          {"definition-c.14", "lemma-c.16", "lemma-c.17", "lemma-c.19", "lemma-c.20", "theorem-c.22", "theorem-d.15"},
          "outputs, batch losses and stability of coupled runs (Lemmas C.16 to C.20, Theorem C.22)"),
      calculator<&bounds::population_bound>(
          "population-bound", {"theorem-5.2", "lemma-c.15", "theorem-c.23", "theorem-d.16"},
          "population risk with every constant (Theorems 5.2, C.23), given the event of the second layer"),
      calculator<&bounds::independent_noise_bound>("independent-noise-bound", {"lemma-d.12", "theorem-d.13"},
                                                   "training loss under independent noise (Lemma D.12, Theorem D.13)"),
      calculator<&bounds::descent_step_bound>("descent-step-bound", {"lemma-d.11"},
                                              "training loss before a step under independent noise (Lemma D.11)"),
      calculator<&bounds::independent_noise_rate>("independent-noise-rate", {"theorem-d.14"},
                                                  "A_van of Theorem D.14, a rate: unnamed constants 1")
          .rename("value", "A"),
      calculator<&bounds::non_private_rate>(
          "non-private-rate", {"theorem-e.1"}, "A_non of Theorem E.1 and its population rate: unnamed constants 1",
          {gamma_margin, eta, T, B, n, argument("delta", "delta", "[0, 1)", "failure chance")}),
      calculator<&correlated_plan>(
          "corollary-5-3-plan", {"corollary-5.3", "corollary-c.24"}, "batch, steps and width of Corollary 5.3, a rate",
          {n, d, gamma_margin, epsilon, delta, argument("share", "rho", "(0, 1]", "share B/n of the batch")}),
      calculator<&independent_plan>("corollary-5-5-plan", {"corollary-5.5"},
                                    "batch, steps, step size and width of Corollary 5.5, a rate",
                                    {n, d, gamma_margin, epsilon}),
      calculator<&non_private_plan>("corollary-5-6-plan", {"corollary-5.6"},
                                    "steps and step size of Corollary 5.6, a rate", {n, gamma_margin, B}),
      calculator<&stationary_variance>("quadratic-stationary-variance", {"remark-4.2"},
                                       "stationary variance of SGD with correlated noise on a quadratic (Remark 4.2)"),
      calculator<&bounds::cumulative_noise_variance>(
          "cumulative-noise-variance", {"algorithm-1", "figure-1"},
          "variance of the cumulative noise over kappa^2 (Figure 1, right)",
          {argument("steps", "T", "[1, inf)", "steps whose noise is added up"),
           argument("correlation", "lambda", "[0, 1]", "noise correlation")})
          .rename("value", "var")};
}

}  // namespace dpcurves::calculators
