// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk kan: the training loss of a KAN under clipped SGD with correlated noise, as rate and with constants.
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/kan_optimisation.hpp>
#include <dpcurves/bounds/kan_stability.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/kan_constants.hpp>
#include <dpcurves/models/margin.hpp>
#include <dpcurves/queries/detail/kan_problem.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

using models::KanConstants;

/// What of the data the bounds use.
struct Measured {
  models::Margin margin;
  Enclosure simple;
  KanConstants sharp, seen;
};

Measured measure(const models::KanShape& shape, models::BinaryData data, std::uint64_t seed) {
  constexpr std::size_t most_records = 4000;  // of the Gram matrix
  if (data.records() > most_records) {
    throw UsageError("--records: the margin of " + std::to_string(data.records()) + " records is outside [2, " +
                     std::to_string(most_records) + "]; give --margin");
  }
  const models::KanLosses losses(models::KanNetwork::draw(shape, seed, 0), std::move(data));
  const auto start = models::draw_first_layer(shape, seed, 0);
  const Eigen::MatrixXd gram = losses.signed_gram(start);
  models::MeasuredConstants seen;
  seen.see(losses.extremes(start));
  return {models::margin_of_gram(gram), models::simple_margin_bounds(gram),
          models::spline_sharp_constants(losses.network()), seen.constants()};
}

/// Theorem 4.1 with its constants, and the rate, as --explain tells them.
std::vector<Considered> considered_bounds(const bounds::OptimisationBound& bound, double rate) {
  const Verdict verdict = bound.verdict();
  const std::string outcome = "mean loss <= " + rounded_up(bound.mean_loss, 6);
  const Considered with_constants{"kan-correlated-noise/theorem-4.1",
                                  "optimisation risk under correlated noise, with every constant",
                                  verdict.applies() ? Considered::Standing::chosen : Considered::Standing::ruled_out,
                                  outcome + (verdict.applies() ? "" : " promises nothing"), verdict};
  Considered as_rate{.theorem = "kan-correlated-noise/theorem-4.1",
                     .title = "the same as a rate, A_corr: its unnamed constants are taken as 1",
                     .standing = Considered::Standing::not_a_guarantee,
                     .outcome = "A_corr = " + rounded(rate, 6)};
  return {with_constants, as_rate};
}

std::string in_words(const Hypothesis& one) { return one ? "holds" : "fails"; }

void add_constants(RiskReport& report, const std::string& key, const std::string& label,
                   const KanConstants& constants) {
  report.facts.push_back({key,
                          label,
                          {Record{{"G", {constants.gradient}},
                                  {"H", {constants.hessian}},
                                  {"beta", {constants.smoothness}},
                                  {"largest_step", {constants.largest_step()}}}}});
}

/// The clipped steps, which release every iterate; nothing without noise, or of half a step.
Value kan_run(const bounds::RateSetting& rate, double records, double clip) {
  const double steps = rate.iterates - 1.0;
  if (rate.noise_multiplier == 0.0 || steps < 1.0 || steps != std::floor(steps)) {
    return {};
  }
  mechanism::Run run;
  run.records = mechanism::Records{records};
  run.phases.push_back(mechanism::Phase{.steps = steps,
                                        .batch_size = rate.batch,
                                        .sampler = mechanism::Sampler::fixed_size,
                                        .noise_multiplier = rate.noise_multiplier});
  run.clipping.norm = clip;
  if (rate.correlation > 0.0) {
    run.noise.strategy = mechanism::Strategy::lambda;
    run.noise.lambda = rate.correlation;
  }
  run.privacy.adjacency = mechanism::usual_adjacency(mechanism::Sampler::fixed_size);
  return echoed(std::move(run), {});
}

/// What the theorem is asked: its rate, its network, and constants as --constants wants them.
struct KanCase {
  bounds::RateSetting rate;
  models::KanBounds at;
  double records, parameters, delta;
  KanConstants constants;
  double half_hessian;  // of the comparator, at half the chance
};

bounds::RateSetting rate_of(const Values& values, const models::KanShape& shape, double records) {
  bounds::RateSetting rate{.step_size = values.number("step-size"),
                           .iterates = values.number("iterates"),
                           .batch = values.number("batch-size"),
                           .correlation = values.number("lambda"),
                           .noise_multiplier = values.number("noise-multiplier"),
                           .units = static_cast<double>(shape.units),
                           .inputs = static_cast<double>(shape.inputs)};
  if (rate.batch > records) {
    throw UsageError("--batch-size: " + shortest(rate.batch) + " is outside [1, " + shortest(records) +
                     "], the number of records");
  }
  return rate;
}

/// The margin and the constants that the data have. \returns whether the data are separable.
bool put_measured(const Values& values, const models::KanShape& shape, const models::BinaryData& data,
                  std::uint64_t seed, KanCase& of, RiskReport& result) {
  const auto found = measure(shape, data, seed);
  add_constants(result, "spline_sharp", "spline-sharp, for the second layer of --data-seed", found.sharp);
  add_constants(result, "measured", "measured at the start", found.seen);
  result.facts.push_back({"margin", "NTK margin, certified on both sides", ends(found.margin.value)});
  result.facts.push_back({"support_vectors", "support vectors", static_cast<double>(found.margin.support.size())});
  result.facts.push_back({"simple_margin_bounds", "margin by lambda_min and by the mean row", ends(found.simple)});
  if (!found.margin.separable) {
    result.notes.emplace_back("the data are not separable at the start: Assumption 3.3 fails, there is no bound");
    result.considered = {{"kan-correlated-noise/theorem-4.1",
                          "optimisation risk under correlated noise",
                          Considered::Standing::ruled_out,
                          "",
                          {{{"data that the tangent kernel at the start separates (Assumption 3.3)",
                             "margin at most " + rounded(found.margin.value.upper, 4),
                             "more units or splines, or labels without noise"}}}}};
    return false;
  }
  of.rate.margin = std::min(1.0, found.margin.value.lower);
  const std::string version = values.text("constants");
  if (version != "worst-case") {
    of.constants = version == "spline-sharp" ? found.sharp : found.seen;
    of.half_hessian = of.constants.hessian;
  }
  return true;
}

bounds::OptimisationRate put_rate(const bounds::RateSetting& rate, RiskReport& result) {
  const auto terms = bounds::optimisation_rate(rate);
  result.facts.push_back({"rate", "A_corr, a rate: unnamed constants 1", terms.sum()});
  result.facts.push_back({"rate_terms",
                          "its terms",
                          {Record{{"drift", {terms.drift}},
                                  {"batch_cross", {terms.batch_cross}},
                                  {"batch", {terms.batch}},
                                  {"noise_cross", {terms.noise_cross}},
                                  {"noise", {terms.noise}}}}});
  result.facts.push_back({"best_lambda", "lambda of the least noise term at this noise multiplier",
                          bounds::best_correlation(rate.step_size)});
  return terms;
}

void put_bound(const Values& values, const KanCase& of, RiskReport& result) {
  const auto terms = put_rate(of.rate, result);
  bounds::OptimisationSetting setting;
  setting.clip = values.number_or("clip", std::max(1.0, of.constants.gradient));
  setting.run = {of.rate.iterates, of.rate.batch, of.rate.step_size, of.rate.correlation,
                 setting.clip * of.rate.noise_multiplier / of.rate.batch};
  setting.records = of.records;
  setting.parameters = of.parameters;
  setting.splines = of.at.splines;
  setting.spline = of.at.spline;
  setting.margin = of.rate.margin;
  setting.delta = of.delta;
  setting.gradient = of.constants.gradient;
  setting.curvature = of.constants.curvature;
  setting.smoothness = of.constants.smoothness;
  setting.comparator_hessian = of.half_hessian;
  result.run = kan_run(of.rate, of.records, setting.clip);
  auto bound = bounds::optimisation_bound(setting);
  const bool applies = bound.verdict().applies();
  result.facts.push_back({"bound", "Theorem 4.1 with every constant, if all conditions hold", bound.mean_loss});
  result.facts.push_back({"applies", "all conditions hold", applies});
  result.facts.push_back({"conditions",
                          "step, curvature, comparator, clip",
                          {Record{{"step", {in_words(bound.step_small)}},
                                  {"curvature", {in_words(bound.curvature_small)}},
                                  {"comparator", {in_words(bound.comparator_exists)}},
                                  {"clip", {in_words(bound.clip_inactive)}}}}});
  result.facts.push_back({"tau", "length tau of the comparator", bound.comparator_length});
  result.facts.push_back({"least_radius", "least projection radius", bound.least_projection_radius});
  const auto target =
      bounds::comparator(of.rate.iterates, of.at.spline, of.at.splines, of.records, of.rate.margin, of.delta / 5.0);
  const double units = bounds::required_width(of.at, of.delta / 5.0, target.largest_hessian);
  result.facts.push_back({"required_units", "units that the comparator needs in the worst case", units});
  bound.comparator_exists.violation.remedy = rounded(units * (1.0 + 5e-4), 4) + " units or more";  // rounded up
  result.considered = considered_bounds(bound, terms.sum());
  if (!applies) {
    result.notes.emplace_back("conditions fail: the bound promises nothing here; required_units says what it takes");
  } else if (bound.mean_loss > std::log(2.0)) {
    result.notes.emplace_back(
        "the bound is above log 2, the loss of the zero function: a check of conditions, no prediction");
  }
  result.notes.emplace_back("the rate has no constants: compare settings with it, do not read it as a loss");
}

/// The rate over lambda.
void put_kan_picture(const Values& values, const bounds::RateSetting& rate, RiskReport& result) {
  std::vector<io::Column> columns{{"lambda", {}}, {"rate", {}}, {"noise", {}}, {"noise_cross", {}}};
  for (int i = 0; i <= 50; ++i) {
    auto varied = rate;
    varied.correlation = 0.02 * i;
    const auto value = bounds::optimisation_rate(varied);
    const double cells[] = {varied.correlation, value.sum(), value.noise, value.noise_cross};
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k].values.push_back(cells[k]);
    }
  }
  result.plot.title = "A_corr of Theorem 4.1 at a fixed noise multiplier (unnamed constants 1)";
  result.plot.x = {"lambda", false, 0.0, 1.0};
  result.plot.y = {"rate", true, std::nullopt, std::nullopt};
  result.plot.legend = io::Legend::bottom_left;
  if (rate.noise_multiplier > 0.0) {
    result.plot.series = {io::line("sum", columns[0].values, columns[1].values),
                          io::line("noise", columns[0].values, columns[2].values),
                          io::dashed("noise, first order", columns[0].values, columns[3].values)};
  }
  if (rate.noise_multiplier == 0.0 && values.flag("curve") && values.has("plot")) {
    throw UsageError("--plot: without noise there is nothing to draw over lambda; give --noise-multiplier");
  }
  if (values.flag("curve")) {
    result.curve = io::Columns(std::move(columns));
  }
}

RiskReport kan_report(const Values& values, unsigned /*threads*/) {
  const auto seed = static_cast<std::uint64_t>(values.number("data-seed"));
  const double delta = values.number("failure-probability");
  const auto data = kan_training_data(values, seed, 0);
  const auto shape = kan_shape(values, static_cast<std::size_t>(data.inputs.rows()));
  const auto records = static_cast<double>(data.records());
  const auto at = models::kan_bounds(shape);
  KanCase of{rate_of(values, shape, records),
             at,
             records,
             static_cast<double>(shape.parameters()),
             delta,
             models::worst_case_constants(at, delta / 5.0),
             models::worst_case_constants(at, delta / 10.0).hessian};
  RiskReport result;
  result.heading = "training loss of a KAN under clipped SGD with correlated noise, Theorem 4.1 of Wang et al.; d = " +
                   std::to_string(shape.inputs) + ", m = " + std::to_string(shape.units) +
                   ", p = " + std::to_string(shape.splines) + ", n = " + shortest(records);
  add_constants(result, "worst_case", "worst case", of.constants);
  if (values.has("margin")) {
    of.rate.margin = values.number("margin");
    result.facts.push_back({"margin", "NTK margin, as given", of.rate.margin});
  } else if (!put_measured(values, shape, data, seed, of, result)) {
    return result;
  }
  put_bound(values, of, result);
  put_kan_picture(values, of.rate, result);
  return result;
}

}  // namespace

RiskProblem kan_risk() {
  std::vector<Option> table{
      {"step-size", OptionKind::number, "(0, inf) = 0.3", "eta"},
      {"iterates", OptionKind::number, "[1, inf) = 400", "T"},
      {"batch-size", OptionKind::number, "[1, inf) = 10", "B, of a fixed size"},
      {"noise-multiplier", OptionKind::number, "[0, inf) = 0", "kappa"},
      {"lambda", OptionKind::number, "[0, 1) = 0", "noise correlation"},
      {"clip", OptionKind::number, "(0, inf)", "clip norm, default max(1, G)"},
      {"margin", OptionKind::number, "(0, 1]", "NTK margin gamma, in place of measuring that of the data"},
      {"constants", OptionKind::text, "worst-case|spline-sharp|measured = worst-case",
       "which G and H the theorem with constants uses; measured: at the start, no guarantee"},
      {"failure-probability", OptionKind::number, "(0, 1) = 0.05", ""},
      {"data-seed", OptionKind::count, "[0, 4294967295] = 1", "of network and drawn data"},
      {"curve", OptionKind::flag, "", "list the rate over lambda", "Output"}};
  const auto problem = kan_options();
  table.insert(table.end(), problem.begin(), problem.end());
  return {"kan",
          "a two-layer KAN under DP-SGD with correlated noise: NTK margin, constants, rate and bound",
          {"--units 512 --records 200", "--units 512 --batch-size 50 --noise-multiplier 2 --lambda 0.5 --plot rate.svg",
           "--margin 0.3 --iterates 10000 --step-size 5e-4 --constants worst-case",
           "--data data/datasets/two-classes.csv --constants measured"},
          table,
          kan_report};
}

}  // namespace dpcurves::queries
