// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk glm: risk bounds of private generalised linear models term by term, and exact population risks.
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/two_layer.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/population_risk.hpp>
#include <dpcurves/queries/risk/glm.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

using bounds::GlmPlan;
using bounds::PhasedSetting;

RiskReport exact_risk(const Values& values) {
  const std::string link = values.text("link");
  const models::ParameterPair pair{values.number("norm"), values.number("true-norm"), values.number("cosine")};
  const bool sphere = values.has("sphere-dimension");
  RiskReport report;
  report.heading = "excess population risk of the " + link + " link, x " +
                   (sphere ? "uniform on the unit sphere of R^" + shortest(values.number("sphere-dimension"))
                           : std::string("standard Gaussian")) +
                   ", well specified; exact";
  report.considered = {{"dp-glm-networks/lemma-3",
                        "risks of a link, evaluated exactly",
                        Considered::Standing::chosen,
                        "no bound: the value itself",
                        {{}, {"E(y | x) is the link of <w*, x>"}}}};
  if (sphere && (link == "relu" || link == "erf")) {
    throw UsageError(
        "--sphere-dimension: is for the links sigmoid and tanh; the risk of relu on the sphere of radius r "
        "is the Gaussian one times r^2/d");
  }
  if (link == "erf") {
    report.facts.push_back({"risk_excess", "risk excess", models::erf_risk(pair)});
    return report;
  }
  const auto smooth = link == "sigmoid" ? models::SmoothLink::sigmoid : models::SmoothLink::tanh;
  const double lipschitz = link == "relu" ? 1.0 : models::lipschitz(smooth);
  const auto risk = link == "relu" ? models::relu_risk(pair)
                    : sphere       ? models::sphere_risk(smooth, pair, values.number("sphere-dimension"))
                                   : models::gaussian_risk(smooth, pair);
  report.facts.push_back({"risk_excess", "risk excess E(link(<w,x>) - link(<w*,x>))^2", risk.risk_excess});
  report.facts.push_back({"surrogate_excess", "surrogate excess", risk.surrogate_excess});
  if (values.has("sweep")) {
    if (values.text("sweep") != "cosine") {
      throw UsageError("--sweep: \"" + values.text("sweep") + "\" belongs to bounds; exact risks go along cosine");
    }
    const int points = static_cast<int>(values.number("points"));
    std::vector<double> x, squared, surrogate;
    for (int i = 0; i < points; ++i) {
      models::ParameterPair at = pair;
      at.cosine = -1.0 + 2.0 * i / (points - 1);
      const auto here = link == "relu" ? models::relu_risk(at)
                        : sphere       ? models::sphere_risk(smooth, at, values.number("sphere-dimension"))
                                       : models::gaussian_risk(smooth, at);
      x.push_back(at.cosine);
      squared.push_back(here.risk_excess);
      surrogate.push_back(2.0 * lipschitz * here.surrogate_excess);
    }
    report.curve = io::Columns({{"cosine", x}, {"risk_excess", squared}, {"lemma_3_bound", surrogate}});
    report.plot.title =
        "Excess risk of the " + link + " link, |w| = " + shortest(pair.norm) + ", |w*| = " + shortest(pair.true_norm);
    report.plot.x = {"cosine of the angle between w and w*", false, {}, {}};
    report.plot.y = {"excess risk", false, 0.0, {}};
    report.plot.series = {io::line("risk excess", x, squared), io::dashed("2 G times the surrogate's", x, surrogate)};
  }
  report.facts.push_back(
      {"lemma_3_bound", "Lemma 3: at most 2 G times the surrogate excess", 2.0 * lipschitz * risk.surrogate_excess});
  return report;
}

/// Labels of mean true-link(<w*, x>) with noise.
RiskReport labelled_risk(const Values& values) {
  const std::string truth = values.text_or("true-link", values.text("link"));
  const models::Link link = models::make_link(models::link_of(values.text("link")));
  const models::Link other = models::make_link(models::link_of(truth));
  const models::ParameterPair pair{values.number("norm"), values.number("true-norm"), values.number("cosine")};
  const double variance = values.number_or("noise-variance", 0.0);
  if (values.has("sweep")) {
    throw UsageError("--sweep: exact risks go along cosine without --true-link and --noise-variance");
  }
  const bool sphere = values.has("sphere-dimension");
  const auto risk = sphere
                        ? models::sphere_labelled_risk(link, other, pair, variance, values.number("sphere-dimension"))
                        : models::gaussian_labelled_risk(link, other, pair, variance);
  RiskReport report;
  report.heading = "population risk of the " + values.text("link") + " link for labels of the " + truth + " link, x " +
                   (sphere ? "uniform on the unit sphere of R^" + shortest(values.number("sphere-dimension"))
                           : std::string("standard Gaussian")) +
                   "; exact";
  report.considered = {{"dp-glm-networks/definition-2",
                        "risk of a link, evaluated exactly",
                        Considered::Standing::chosen,
                        "no bound: the value itself",
                        {{}, {"E(y | x) = true-link(<w*, x>), Var(y | x) of mean noise-variance"}}}};
  report.facts = {{"risk", "risk E(link(<w,x>) - y)^2", risk.risk},
                  {"miss", "of it E(link(<w,x>) - E(y | x))^2", risk.miss},
                  {"surrogate", "surrogate risk E[S(<w,x>) - y <w,x>]", risk.surrogate}};
  return report;
}

Value terms(const bounds::PhasedBound& bound, bool projected) {
  Record record{{"start", {bound.start}},
                {"noise", {bound.noise}},
                {"steps", {bound.steps}},
                {"final_noise", {bound.final_noise}}};
  if (projected) {
    record.add("projection", {bound.projection});
  }
  return {std::move(record)};
}

GlmPlan plan_of(const Values& values, const PhasedSetting& setting, bool projected) {
  const double enough = values.flag("renormalise") ? 1.0
                                                   : bounds::johnson_lindenstrauss_event(
                                                         1.0, static_cast<double>(setting.records), setting.delta)
                                                         .least_dimension;
  GlmPlan plan = !projected                          ? bounds::phased_plan(setting)
                 : values.has("projected-dimension") ? bounds::projected_plan_at(setting)
                                                     : bounds::projected_plan(setting, enough);
  if (values.has("step-size")) {
    plan.setting.step_size = values.number("step-size");
    plan.bound = projected ? bounds::projected_bound(plan.setting) : bounds::phased_bound(plan.setting);
  }
  return plan;
}

void add_plan(RiskReport& report, const Values& values, const GlmPlan& plan) {
  const std::string name = plan.projected ? "projected" : "phased";
  const std::string theorem = plan.projected ? "Theorem 2" : "Theorem 1";
  Record record{{"theorem", {plan.projected ? "dp-glm-networks/theorem-2" : "dp-glm-networks/theorem-1"}},
                {"risk_bound", {plan.bound.risk}},
                {"surrogate_bound", {plan.bound.surrogate}},
                {"terms", terms(plan.bound, plan.projected)},
                {"step_size", {plan.setting.step_size}},
                {"best_step_size", {bounds::best_step_size(plan.setting, plan.projected)}}};
  if (plan.projected) {
    record.add("projected_dimension", {plan.setting.projected_dimension});
  }
  report.facts.push_back({name, theorem, {std::move(record)}});
  Considered considered{.theorem = plan.projected ? "dp-glm-networks/theorem-2" : "dp-glm-networks/theorem-1",
                        .title = plan.projected ? "phased SGD on projected records" : "phased SGD",
                        .outcome = "excess risk <= " + rounded_up(plan.bound.risk, 6)};
  considered.verdict.assumed = {"links and labels in [-B, B], the link nondecreasing and G-Lipschitz, |x| <= 1",
                                "E(y | x) is the link of <w*, x> with |w*| <= W"};
  const auto algorithm = plan.projected ? models::PhasedAlgorithm::projected : models::PhasedAlgorithm::plain;
  for (const Violation& violation : bounds::verdict(algorithm, plan.setting).violations) {
    report.notes.push_back(theorem + ": privacy asks for " + violation.assumption + "; here " + violation.found);
    considered.verdict.violations.push_back(violation);
    if (violation.remedy.empty()) {
      considered.verdict.violations.back().remedy = "a smaller --step-size, or none: the best private one is taken";
    }
  }
  if (plan.projected && !values.flag("renormalise")) {
    const auto event = bounds::johnson_lindenstrauss_event(
        plan.setting.projected_dimension, static_cast<double>(plan.setting.records), plan.setting.delta);
    if (!event.enough) {
      report.notes.push_back("Theorem 2: a projection to " + shortest(plan.setting.projected_dimension) +
                             " dimensions is too small for privacy; at least " + shortest(event.least_dimension) +
                             ", or --renormalise");
      considered.verdict.violations.push_back(
          {"projected records of norm at most 2 but for probability delta/2",
           shortest(plan.setting.projected_dimension) + " dimensions",
           "--projected-dimension of at least " + shortest(event.least_dimension) + ", or --renormalise"});
    }
  }
  considered.standing = considered.verdict.applies() ? Considered::Standing::applies : Considered::Standing::ruled_out;
  report.considered.push_back(considered);
  if (values.has("misfit")) {
    const auto two = bounds::two_layer_bound(plan.setting, values.number("misfit"), plan.projected);
    report.facts.push_back({name + "_two_layer",
                            "Theorem 8, B = 1/2, on " + theorem,
                            {Record{{"theorem", {"dp-glm-networks/theorem-8"}},
                                    {"risk_bound", {two.risk}},
                                    {"risk_bound_sharp", {two.risk_sharp}},
                                    {"risk_bound_sharp_projection", {two.risk_sharp_projection}}}}});
  }
}

/// Both bounds and the terms of the first along records, epsilon or rank.
void add_sweep(RiskReport& report, const Values& values, PhasedSetting setting) {
  const std::string along = values.text("sweep");
  if (along == "cosine") {
    throw UsageError("--sweep: \"cosine\" belongs to exact risks, which --link asks for");
  }
  const double centre = along == "records"   ? static_cast<double>(setting.records)
                        : along == "epsilon" ? setting.epsilon
                                             : std::fmax(setting.rank, 1.0);
  const double from = values.number_or("from", std::fmax(along == "epsilon" ? 0.0 : 2.0, centre / 64.0));
  const double to = values.number_or("to", centre * (along == "epsilon" ? 8.0 : 64.0));
  const int points = static_cast<int>(values.number("points"));
  if (!(from < to) || (along == "records" && (from < 2.0 || to > 9e18))) {
    throw UsageError("--from: " + shortest(from) + " to " + shortest(to) + " is no range of " + along);
  }
  std::vector<double> x, phased, projected, start, noise, steps;
  for (int i = 0; i < points; ++i) {
    const double at = from * std::pow(to / from, static_cast<double>(i) / (points - 1));
    x.push_back(along == "records" ? std::round(at) : at);
    (along == "epsilon" ? setting.epsilon : setting.rank) = along == "records" ? setting.rank : x.back();
    if (along == "records") {
      setting.records = static_cast<std::uint64_t>(x.back());
    }
    const GlmPlan plain = plan_of(values, setting, false), other = plan_of(values, setting, true);
    const double unit = 2.0 * setting.lipschitz;
    phased.push_back(plain.bound.risk);
    projected.push_back(other.bound.risk);
    start.push_back(unit * plain.bound.start);
    noise.push_back(unit * (plain.bound.noise + plain.bound.final_noise));
    steps.push_back(unit * plain.bound.steps);
  }
  report.curve = io::Columns({{along, x},
                              {"phased_risk_bound", phased},
                              {"projected_risk_bound", projected},
                              {"phased_start", start},
                              {"phased_noise", noise},
                              {"phased_steps", steps}});
  report.plot.title = "Risk bounds of private generalised linear models";
  report.plot.x = {along == "records"   ? "records n"
                   : along == "epsilon" ? "epsilon"
                                        : "rank theta of the data",
                   true,
                   {},
                   {}};
  report.plot.y = {"excess risk", true, {}, {}};
  report.plot.legend = io::Legend::outside;
  report.plot.series = {io::line("Theorem 1, phased", x, phased), io::line("Theorem 2, projected", x, projected),
                        io::dashed("of Theorem 1: start", x, start), io::dashed("of Theorem 1: noise", x, noise),
                        io::dashed("of Theorem 1: steps", x, steps)};
}

/// The options of a sweep without values belong to one.
void check_sweep(const Values& values) {
  const std::vector<std::string> names{"records", "epsilon", "rank", "cosine"};
  if (values.has("sweep")) {
    const std::string along = values.text("sweep");
    require_option(std::find(names.begin(), names.end(), along) != names.end(), "sweep",
                   "\"" + along +
                       "\" is not one of records|epsilon|rank|cosine, nor OPTION=FROM:TO:STEP or OPTION=A,B,..." +
                       suggestion(along, names));
    return;
  }
  for (const char* option : {"from", "to", "points"}) {
    require_option(!values.has(option), option, "belongs to --sweep records|epsilon|rank|cosine");
  }
}

RiskReport glm_report(const Values& values, unsigned /*threads*/) {
  check_sweep(values);
  if (values.has("hidden-units")) {
    return two_layer_report(values);
  }
  if (!values.has("link") && (values.has("true-link") || values.has("noise-variance"))) {
    throw UsageError("--link: is required with --true-link and --noise-variance");
  }
  if (values.has("link")) {
    return values.has("true-link") || values.has("noise-variance") ? labelled_risk(values) : exact_risk(values);
  }
  PhasedSetting setting = glm_setting(values);
  RiskReport result;
  result.heading = "excess risk of private generalised linear models, Theorems 1 and 2 with explicit constants";
  const std::string algorithm = values.text("algorithm");
  std::optional<GlmPlan> plain, projected;
  if (algorithm != "projected") {
    plain = plan_of(values, setting, false);
    add_plan(result, values, *plain);
  }
  if (algorithm != "phased") {
    projected = plan_of(values, setting, true);
    add_plan(result, values, *projected);
  }
  if (plain && projected) {
    const bool rule = bounds::rule_of_algorithm_1(static_cast<double>(setting.records), setting.epsilon, setting.rank);
    const bool by_bound = plain->bound.risk <= projected->bound.risk;
    result.facts.push_back({"select_by_bound", "the smaller bound", by_bound ? "phased" : "projected"});
    result.facts.push_back(
        {"algorithm_1", "the rule of Algorithm 1, n epsilon against theta^1.5", rule ? "phased" : "projected"});
    result.facts.push_back(
        {"risk_bound", "smallest bound on the excess risk", std::fmin(plain->bound.risk, projected->bound.risk)});
  } else {
    result.facts.push_back({"risk_bound", "bound on the excess risk", (plain ? plain : projected)->bound.risk});
  }
  for (Considered& one : result.considered) {
    const bool of_projected = one.theorem == "dp-glm-networks/theorem-2";
    const bool smaller = !(plain && projected) || (of_projected == (projected->bound.risk < plain->bound.risk));
    if (one.standing == Considered::Standing::applies && smaller) {
      one.standing = Considered::Standing::chosen;
    }
  }
  const double trivial = 4.0 * setting.label_bound * setting.label_bound;
  result.notes.push_back("squared risks of links in [-B, B] are at most 4 B^2 = " + shortest(trivial) +
                         ": a bound above it says nothing");
  if (setting.noise_ratio != 1.0) {
    result.notes.push_back("noise by the exact curve, " + rounded(setting.noise_ratio, 6) + " times the printed one");
  }
  if (values.has("sweep")) {
    add_sweep(result, values, setting);
  }
  return result;
}

}  // namespace

std::vector<Option> glm_model_options() {
  return {{"rank", OptionKind::number, "[0, inf)",
           "theta, public bound on the expected rank of the data, at most min(n, d)", "Model"},
          {"label-bound", OptionKind::number, "(0, inf) = 1", "B: link and labels lie in [-B, B]", "Model"},
          {"lipschitz", OptionKind::number, "(0, inf) = 1", "G, Lipschitz constant of the link", "Model"},
          {"parameter-norm", OptionKind::number, "[0, inf) = 1", "W, bound on |w*|", "Model"},
          {"start-squared", OptionKind::number, "[0, inf)", "E|w_0 - w*|^2, default W^2", "Model"},
          {"noise", OptionKind::text, "printed|exact = printed", "noise of the paper, or the least that is private",
           "Model"}};
}

PhasedSetting glm_setting(const Values& values) {
  PhasedSetting setting{.records = static_cast<std::uint64_t>(values.number_or("records", 2)),
                        .epsilon = values.number_or("epsilon", 1.0),
                        .delta = values.number("delta"),
                        .label_bound = values.number("label-bound"),
                        .lipschitz = values.number("lipschitz")};
  // The features of a two-layer network bound it too.
  setting.rank = values.has("hidden-units") ? values.number_or("rank", std::numeric_limits<double>::infinity())
                                            : values.number("rank");
  setting.parameter_norm = values.number("parameter-norm");
  setting.start_squared = values.number_or("start-squared", setting.parameter_norm * setting.parameter_norm);
  setting.projected_dimension = values.number_or("projected-dimension", 1.0);
  if (values.text("noise") == "exact") {
    // The smaller of the savings of both algorithms, so that one number serves both.
    setting.noise_ratio =
        1.0 /
        std::fmin(
            bounds::printed_privacy(bounds::GlmMechanism::algorithm_2, setting.epsilon, setting.delta).noise_excess,
            bounds::printed_privacy(bounds::GlmMechanism::algorithm_3, setting.epsilon, setting.delta).noise_excess);
  }
  return setting;
}

RiskProblem glm_risk() {
  RiskProblem problem{
      .name = "glm",
      .summary = "private generalised linear models: risk bounds term by term, exact population risks",
      .examples = {"--records 4096 --epsilon 1 --delta 1e-5 --rank 5 --step-size 0.015",
                   "--records 65536 --epsilon 0.2 --delta 1e-5 --rank 2000 --sweep rank --plot rank.svg",
                   "--records 65536 --epsilon 1 --delta 1e-5 --rank 20 --misfit 0.01",
                   "--records 1e9 --epsilon 1 --delta 1e-5 --hidden-units 4 --activation sigmoid --lipschitz 0.25",
                   "--link sigmoid --norm 1 --true-norm 1.5 --cosine 0.3",
                   "--link relu --true-link tanh --norm 0.7 --true-norm 1.5 --cosine 1 --noise-variance 0.1",
                   "--link tanh --norm 1 --true-norm 1.5 --cosine 0.3 --sweep cosine --plot tanh.svg"}};
  problem.options = {
      {"records", OptionKind::count, "[2, 9e18]", "number of records"},
      {"epsilon", OptionKind::number, "(0, inf)", "epsilon of the noise"},
      {"delta", OptionKind::number, "(0, 0.5]", "delta of the noise"},
      {"algorithm", OptionKind::text, "best|phased|projected = best", "whose bound; best shows both"},
      {"step-size", OptionKind::number, "(0, inf)", "eta, default the best that is private"},
      {"projected-dimension", OptionKind::count, "[1, inf)", "m, default the best that is private"},
      {"renormalise", OptionKind::flag, "", "projected rows are scaled to norm at most 2: any m is private"},
      {"misfit", OptionKind::number, "[0, inf)",
       "M of a two-layer network: Theorem 8 too, with links and labels in [0, 1]"},
      {"sweep", OptionKind::text, "records|epsilon|rank|cosine|OPTION=FROM:TO:STEP|OPTION=A,B,...",
       "the bounds along one of the first three, the exact risk along cosine; or one result for each value of any "
       "option",
       "Sweep"},
      {"from", OptionKind::number, "(0, inf)", "start of a sweep without values", "Sweep"},
      {"to", OptionKind::number, "(0, inf)", "end of a sweep without values", "Sweep"},
      {"points", OptionKind::count, "[2, 10000] = 41", "points of a sweep without values", "Sweep"},
      {"link", OptionKind::text, "sigmoid|tanh|relu|erf", "exact risk of this link instead of a bound", "Exact risk"},
      {"norm", OptionKind::number, "[0, inf)", "|w|", "Exact risk"},
      {"true-norm", OptionKind::number, "[0, inf)", "|w*|", "Exact risk"},
      {"cosine", OptionKind::number, "[-1, 1]", "cosine of the angle between w and w*", "Exact risk"},
      {"true-link", OptionKind::text, "sigmoid|tanh|relu|erf", "of the labels' mean, default --link: well specified",
       "Exact risk"},
      {"noise-variance", OptionKind::number, "[0, inf)", "of the labels; with it, the risk in place of the excess",
       "Exact risk"},
      {"sphere-dimension", OptionKind::count, "[3, 1e15]", "x uniform on the unit sphere of R^d; default x Gaussian",
       "Exact risk"}};
  const auto model = glm_model_options();
  const auto two_layer = glm_two_layer_options();
  problem.options.insert(problem.options.begin() + 8, two_layer.begin(), two_layer.end());
  problem.options.insert(problem.options.begin() + 3, model.begin(), model.end());
  problem.report = glm_report;
  return problem;
}

}  // namespace dpcurves::queries
