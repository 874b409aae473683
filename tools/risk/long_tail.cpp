// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk long-tail: what the theorems about memorisation of long-tailed data say of a setting, and which of
// their hypotheses fail.
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/long_tail_clipping.hpp>
#include <dpcurves/bounds/long_tail_conditions.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/core/format.hpp>

#include "risk/risk.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

void only_one(const Values& values, const std::vector<const char*>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      exclude(values, names[i], names[j]);
    }
  }
}

bounds::LongTailSetting setting_of(const Values& values) {
  bounds::LongTailSetting s;
  s.noise.classes = values.number_or("classes", 5);
  s.noise.dimension = values.number_or("dimension", 200);
  if (s.noise.dimension < 2.0 * s.noise.classes) {
    throw UsageError("--dimension: " + shortest(s.noise.dimension) + " is outside [2 K, inf)");
  }
  s.noise.bulk = values.number_or("bulk", 0.5);
  only_one(values, {"spike", "ncr", "ncr-squared"});
  const double ratio =
      values.has("ncr-squared") ? std::sqrt(values.number("ncr-squared")) : values.number_or("ncr", 1.0);
  s.noise.spike = values.has("spike") ? values.number("spike") : models::spike_of_ratio(ratio, s.noise);
  s.signal_norm = values.number_or("signal-norm", 1.0);
  s.records = values.number_or("records", 100);
  s.filters = values.number_or("filters", 20);
  s.batch = values.number_or("batch-size", s.records);
  if (s.batch > s.records) {
    throw UsageError("--batch-size: " + shortest(s.batch) + " is outside [1, " + shortest(s.records) +
                     "], the number of records");
  }
  s.steps = values.number_or("steps", 80);
  s.failure_probability = values.number_or("failure-probability", 0.05);
  s.step_size = values.number_or("step-size", 0.5);
  s.clip = values.number_or("clip", 1.0);
  s.initial_scale = values.number_or("initial-scale", 1.0 / std::sqrt(3.0 * s.noise.dimension));
  s.c1 = values.number_or("constant", 1.0);
  s.c = s.c1;
  return s;
}

/// sigma_n: as given, or calibrated for the sampler.
void put_noise(const Values& values, bounds::LongTailSetting& s, RiskReport& report) {
  only_one(values, {"noise", "epsilon"});
  if (!values.has("epsilon")) {
    s.private_noise = values.number_or("noise", 0.0);
    report.facts.push_back({"noise", "noise sigma_n per coordinate, as given", s.private_noise});
    if (s.private_noise > 0.0) {
      report.notes.emplace_back(
          "no (epsilon, delta) is claimed for a given --noise; --epsilon and --delta calibrate it");
    }
    return;
  }
  const double epsilon = values.number("epsilon"), delta = values.number_or("delta", 1e-5);
  bounds::PrivateRun run;
  run.records = s.records;
  run.batch = s.batch;
  run.steps = s.steps;
  run.sampling = accounting::sampling_of(values.text_or("sampling", s.batch < s.records ? "poisson" : "none"));
  run.adjacency = accounting::usual_adjacency(run.sampling);
  if (values.has("adjacency")) {
    run.adjacency = accounting::adjacency_of(values.text("adjacency"));
  }
  const auto found = bounds::calibrated_noise(run, epsilon, delta);
  s.private_noise = found.noise_multiplier * s.clip / s.batch;
  report.facts.push_back(
      {"noise_multiplier", "noise multiplier z, certified for these batches", found.noise_multiplier});
  report.facts.push_back({"noise", "noise sigma_n = z C/B per coordinate", s.private_noise});
  report.facts.push_back({"privacy",
                          "it rests on",
                          {{"theorem", found.theorem},
                           {"sampling", std::string(accounting::name(run.sampling))},
                           {"adjacency", std::string(accounting::name(run.adjacency))},
                           {"delta", number(found.delta.upper)}}});
  report.facts.push_back({"noise_order", "order formula of Remark 4, constant 1 (no guarantee)",
                          bounds::noise_scale_order(s.clip, s.steps, delta, s.records, epsilon)});
}

Json shown(const bounds::TestErrorBound& bound, bool condition) {
  Json json{{"bound", number(bound.bound)},
            {"vacuous", bound.vacuous},
            {"numerator", number(bound.numerator)},
            {"raw_sum", number(bound.raw_sum)}};
  if (condition) {
    json["condition_holds"] = bound.condition_holds;
  }
  return json;
}

/// What would have to change for an inequality of Condition 1 to hold.
std::string remedy(std::string_view name, double right) {
  constexpr double below = 1.0 - 5e-4, above = 1.0 + 5e-4;  // so that four digits stay on the safe side
  if (name == "trace" || name == "dim") {
    return "more dimensions d, or fewer records n";
  }
  if (name == "frob_op") {
    return "a smaller spike, so that no direction carries the noise alone";
  }
  if (name == "diag") {
    return "a larger spike: F_kk above F_kj";
  }
  if (name == "width" || name == "width_init") {
    return rounded(right * above, 4) + " filters or more";
  }
  if (name == "samples") {
    return rounded(right * above, 4) + " records or more";
  }
  if (name == "rank") {
    return "ten filters for each record, and noise of rank 0.9 m + n";
  }
  if (name == "batch") {
    return "batches of " + rounded(right * above, 4) + " or more";
  }
  if (name == "sigma0") {
    return "a start of standard deviation " + rounded(right * below, 4) + " or less";
  }
  return "a step of at most " + rounded(right * below, 4);
}

std::vector<Considered> considered(const std::vector<bounds::Condition>& conditions,
                                   const bounds::TrainingLossBound& training, const bounds::TestErrorBound& whole,
                                   const bounds::TestErrorBound& tailed) {
  std::vector<Violation> violations;
  for (const auto& condition : conditions) {
    if (!condition.holds) {
      violations.push_back({"Condition 1, " + std::string(condition.name) + ": " + std::string(condition.about),
                            rounded(condition.left, 4) + " against " + rounded(condition.right, 4),
                            remedy(condition.name, condition.right)});
    }
  }
  const auto one = [&](const std::string& id, const std::string& title, const std::string& outcome) {
    return Considered{"long-tail-memorization/" + id,
                      title,
                      violations.empty() ? Considered::Verdict::not_a_guarantee : Considered::Verdict::ruled_out,
                      outcome,
                      violations,
                      {"an order statement: its constants are those of --constant, the paper fixes none"}};
  };
  const auto error = [](const bounds::TestErrorBound& bound) {
    return bound.vacuous ? std::string("vacuous") : "test error <= " + rounded(bound.bound, 6);
  };
  std::vector<Considered> list{one("theorem-2", "training loss", "loss <= " + rounded(training.total, 6)),
                               one("theorem-3", "test error of a class (3.1)", error(whole)),
                               one("theorem-3", "test error of long-tailed data (3.2)", error(tailed))};
  for (std::size_t k = 1; k < list.size(); ++k) {
    list[k].violations =
        list[0].violations.empty()
            ? std::vector<Violation>{}
            : std::vector<Violation>{{"Condition 1, as Theorem 2 does", "fails", "the changes named there"}};
  }
  return list;
}

RiskReport report(const Values& values, unsigned /*threads*/) {
  RiskReport result;
  auto s = setting_of(values);
  const auto norms = models::norms(s.noise);
  result.heading =
      "memorisation of long-tailed data under DP-SGD, theorems of Zhang et al.; K = " + shortest(s.noise.classes) +
      ", d = " + shortest(s.noise.dimension) + ", n = " + shortest(s.records) + ", m = " + shortest(s.filters) +
      ", T = " + shortest(s.steps);
  put_noise(values, s, result);
  const double own = values.number_or("own-frobenius", norms.gram),
               cross = values.number_or("cross-frobenius", norms.cross_gram),
               frobenius = values.number_or("frobenius", norms.frobenius),
               largest = values.number_or("operator-norm", norms.operator_norm),
               class_records =
                   values.number_or("class-records", std::max(1.0, std::floor(s.records / s.noise.classes)));
  const double factor = values.has("clipping-factor") ? values.number("clipping-factor")
                                                      : bounds::clipping_factor(s.clip, s.signal_norm, frobenius);
  result.facts.push_back({"spike", "spike of A_k", s.noise.spike});
  result.facts.push_back({"norms",
                          "norms of A_k",
                          {{"trace", number(norms.trace)},
                           {"frob_A", number(frobenius)},
                           {"op_A", number(largest)},
                           {"F_kk", number(own)},
                           {"F_kj", number(cross)},
                           {"ncr", number(own / cross)}}});
  result.facts.push_back({"clipping_factor", "clipping factor Lambda", number(factor)});
  result.facts.push_back({"clip_multiplier_lower", "clipping multiplier is at least (Lemma 20, |xi|^2 <= 1.5 trace)",
                          bounds::clip_multiplier_lower_bound(s.clip, s.filters, s.signal_norm, 1.5 * norms.trace)});

  bounds::TrainingLoss loss{s.step_size,
                            factor,
                            s.steps,
                            class_records,
                            s.records,
                            s.filters,
                            s.noise.dimension,
                            s.signal_norm,
                            s.private_noise,
                            frobenius,
                            values.number_or("initial-loss", std::log(s.noise.classes)),
                            s.c1,
                            s.c1};
  const auto training = bounds::training_loss_bound(loss);
  result.facts.push_back({"training_loss",
                          "Theorem 2, training loss, constants " + shortest(s.c1),
                          {{"rate", number(training.rate)},
                           {"vanishing", number(training.vanishing)},
                           {"floor", number(training.privacy)},
                           {"floor_without_sqrt_d", number(training.privacy_without_dimension)},
                           {"total", number(training.total)}}});
  if (training.total > loss.initial_loss) {
    result.notes.emplace_back("Theorem 2 is uninformative here: its bound is above the loss at the start");
  }

  const auto others = static_cast<std::size_t>(s.noise.classes) - 1;
  bounds::GeneralTestError general;
  general.class_records = class_records;
  general.clipping_factor = factor;
  general.signal_norm = s.signal_norm;
  general.records = s.records;
  general.private_noise = s.private_noise;
  general.failure_probability = s.failure_probability;
  general.others.assign(others, {class_records, cross});
  general.noise_frobenius = frobenius;
  general.exponent_constant = s.c1;
  const auto whole = bounds::general_test_error(general);
  result.facts.push_back(
      {"general_error", "Theorem 3.1, test error of a class, constants " + shortest(s.c1), shown(whole, true)});
  auto consistent = general;
  consistent.clipping_factor = bounds::clip_multiplier_lower_bound(s.clip, s.filters, s.signal_norm, 1.5 * norms.trace);
  result.facts.push_back({"general_error_consistent", "the same with consistent powers of m, n and T",
                          shown(bounds::scale_consistent_test_error(consistent, s.filters, s.steps), false)});
  bounds::LongTailTestError tail;
  tail.class_records = class_records;
  tail.clipping_factor = factor;
  tail.own_frobenius = own;
  tail.records = s.records;
  tail.private_noise = s.private_noise;
  tail.dimension = s.noise.dimension;
  tail.noise_operator = largest;
  tail.others = general.others;
  tail.noise_frobenius = frobenius;
  tail.exponent_constant = s.c1;
  const double level = values.number_or("tail-level", 1.0);
  const auto tailed = bounds::long_tail_test_error(tail, level);
  result.facts.push_back({"long_tail_error", "Theorem 3.2, test error of long-tailed data at L = " + shortest(level),
                          shown(tailed, true)});
  const double even = bounds::break_even_tail_level(tail);
  result.facts.push_back({"break_even_tail_level", "least L at which Theorem 3.2 says anything", number(even)});
  if (whole.vacuous) {
    result.notes.emplace_back("Theorem 3.1 is vacuous here: its numerator is not positive or its sum reaches 1");
  }
  if (tailed.vacuous) {
    result.notes.emplace_back("Theorem 3.2 is vacuous at this L");
  }

  const auto conditions = bounds::long_tail_conditions(s);
  const auto failing = bounds::violated(conditions);
  result.considered = considered(conditions, training, whole, tailed);
  Json table = Json::object();
  for (const auto& condition : conditions) {
    table[std::string(condition.name)] = condition.holds ? "holds" : "FAILS";
  }
  result.facts.push_back({"conditions", "Condition 1", table});
  result.facts.push_back({"applies", "all hypotheses of the theorems hold", failing.empty()});
  if (!failing.empty()) {
    result.notes.emplace_back("CONDITION 1 IS VIOLATED: the theorems do not apply to this setting");
    for (const auto& condition : conditions) {
      if (!condition.holds) {
        result.notes.emplace_back("FAILS " + std::string(condition.name) + ": " + std::string(condition.about) + " (" +
                                  rounded(condition.left, 4) + " against " + rounded(condition.right, 4) + ")");
      }
    }
  }
  result.notes.emplace_back(
      "order statements: the paper fixes no constants; --constant sets those of all three theorems");
  result.notes.emplace_back("both errors are upper bounds: comparing them does not show which data suffer more");

  const double last =
      values.number_or("largest-tail-level",
                       std::isfinite(even) ? std::max({5.0, 2.0 * even, 2.0 * level}) : std::max(5.0, 2.0 * level));
  std::vector<io::Column> columns{{"tail_level", {}}, {"bound", {}}, {"numerator", {}}};
  std::vector<double> whole_line;
  for (int i = 0; i <= 100; ++i) {
    const double at = last * i / 100.0;
    const auto bound = bounds::long_tail_test_error(tail, at);
    columns[0].values.push_back(at);
    columns[1].values.push_back(bound.bound);
    columns[2].values.push_back(bound.numerator);
    whole_line.push_back(whole.bound);
  }
  result.plot.title = "Theorem 3: bounds of the test error, constants " + shortest(s.c1);
  result.plot.x = {"tail level L", false, 0.0, last};
  result.plot.y = {"bound", true, 1e-12, 2.0};
  result.plot.legend = io::Legend::outside;
  result.plot.series = {io::line("long-tailed data", columns[0].values, columns[1].values),
                        io::dashed("whole class", columns[0].values, whole_line)};
  if (std::isfinite(even) && even > 0.0) {
    result.plot.series.push_back(io::dashed("break-even L", {even, even}, {1e-12, 2.0}));
  }
  if (values.flag("curve")) {
    result.curve = io::Columns(std::move(columns));
  }
  return result;
}

}  // namespace

RiskProblem long_tail_risk() {
  const std::string noise = "Noise matrices", privacy = "Privacy", direct = "In place of what the noise matrices give";
  return {
      "long-tail",
      "a two-layer CNN under DP-SGD on signal and noise patches: training loss, test error, tail level, conditions",
      {"--classes 5 --dimension 1000 --ncr 10", "--records 500 --steps 40 --epsilon 8 --delta 1e-5",
       "--records 500 --class-records 100 --clipping-factor 0.06 --signal-norm 3.8 --cross-frobenius 3 --frobenius "
       "15.8 --noise 0.0005",
       "--records 500 --dimension 1000 --class-records 100 --clipping-factor 0.05 --own-frobenius 400 "
       "--cross-frobenius 8 --frobenius 25 --operator-norm 20 --noise 5e-4 --tail-level 2 --plot error.svg",
       "--signal-norm 3.8 --frobenius 7 --clipping-factor 0.1 --noise 0.06"},
      {{"classes", OptionKind::count, "[2, 1e6]", "K, default 5"},
       {"dimension", OptionKind::count, "[4, 1e15]", "d of a patch, default 200"},
       {"signal-norm", OptionKind::number, "[0, inf)", "|u|, default 1"},
       {"records", OptionKind::count, "[1, 1e15]", "n, default 100"},
       {"class-records", OptionKind::count, "[1, 1e15]", "n_k, default n/K"},
       {"filters", OptionKind::count, "[1, 1e15]", "m per class, default 20"},
       {"batch-size", OptionKind::count, "[1, 1e15]", "B, default n"},
       {"steps", OptionKind::count, "[1, 1e15]", "T, default 80"},
       {"step-size", OptionKind::number, "(0, inf)", "eta, default 0.5"},
       {"clip", OptionKind::number, "(0, inf)", "C, default 1"},
       {"initial-scale", OptionKind::number, "(0, inf)", "sigma_0, default that of uniform weights, 1/sqrt(3 d)"},
       {"initial-loss", OptionKind::number, "[0, inf)", "L_0, default log K"},
       {"tail-level", OptionKind::number, "[0, inf)", "L, default 1"},
       {"failure-probability", OptionKind::number, "(0, 1)", "of the theorems, default 0.05"},
       {"constant", OptionKind::number, "(0, inf)", "every constant that the paper does not name, default 1"},
       {"bulk", OptionKind::number, "(0, inf)", "common singular value e0, default 0.5", noise},
       {"spike", OptionKind::number, "(0, inf)", "the one other singular value", noise},
       {"ncr", OptionKind::number, "[1, inf)", "noise correlation ratio, in place of the spike; default 1", noise},
       {"ncr-squared", OptionKind::number, "[1, inf)", "its square: the other reading of the paper's axis", noise},
       {"noise", OptionKind::number, "[0, inf)", "sigma_n per coordinate of the averaged gradient, default 0", privacy},
       {"epsilon", OptionKind::number, "(0, inf)", "calibrates the noise for the sampler", privacy},
       {"delta", OptionKind::number, "(0, 1)", "of differential privacy, default 1e-5", privacy},
       {"sampling", OptionKind::text, "poisson|fixed-size|shuffled|cyclic|none",
        "how batches are drawn; default none for B = n, else poisson", privacy},
       {"adjacency", OptionKind::text, "add-or-remove|add|remove|replace-one|zero-out",
        "neighbouring data sets, default the usual one of the sampling", privacy},
       {"clipping-factor", OptionKind::number, "(0, inf)", "Lambda, default C/(|u| + |A|_F)", direct},
       {"own-frobenius", OptionKind::number, "(0, inf)", "F_kk", direct},
       {"cross-frobenius", OptionKind::number, "(0, inf)", "F_kj of every other class", direct},
       {"frobenius", OptionKind::number, "(0, inf)", "|A_k|_F", direct},
       {"operator-norm", OptionKind::number, "(0, inf)", "largest singular value of A_k", direct},
       {"curve", OptionKind::flag, "", "list the bound over L", "Output"},
       {"largest-tail-level", OptionKind::number, "(0, inf)", "end of the curve", "Output"}},
      report};
}

}  // namespace dpcurves::tools
