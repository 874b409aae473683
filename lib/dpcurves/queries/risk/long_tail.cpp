// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves risk long-tail: what the theorems about memorisation of long-tailed data say of a setting, and which of
// their hypotheses fail.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <dpcurves/bounds/long_tail_clipping.hpp>
#include <dpcurves/bounds/long_tail_conditions.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/option_record.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/risk/problem.hpp>

namespace dpcurves::queries {
namespace {

/// What the command asks; what is not given follows from the rest.
struct LongTailQuestion {
  double classes = 5.0;
  double dimension = 200.0;
  double signal_norm = 1.0;
  double records = 100.0;
  std::optional<double> class_records;
  double filters = 20.0;
  std::optional<double> batch_size;
  double steps = 80.0;
  double step_size = 0.5;
  double clip = 1.0;
  std::optional<double> initial_scale;
  std::optional<double> initial_loss;
  double tail_level = 1.0;
  double failure_probability = 0.05;
  double constant = 1.0;
  double bulk = 0.5;
  std::optional<double> spike;
  std::optional<double> ncr;
  std::optional<double> ncr_squared;
  std::optional<double> noise;
  std::optional<double> epsilon;
  double delta = 1e-5;
  std::optional<mechanism::Sampler> sampling;
  std::optional<mechanism::Adjacency> adjacency;
  std::optional<double> clipping_factor;
  std::optional<double> own_frobenius;
  std::optional<double> cross_frobenius;
  std::optional<double> frobenius;
  std::optional<double> operator_norm;
  bool curve = false;
  std::optional<double> largest_tail_level;
  static constexpr std::tuple fields{
      optional("classes", "K", &LongTailQuestion::classes, whole("[2, 1e6]"), "classes"),
      optional("dimension", "d", &LongTailQuestion::dimension, whole("[4, 1e15]"), "dimension of a patch"),
      optional("signal_norm", "|u|", &LongTailQuestion::signal_norm, "[0, inf)", "length of the signal"),
      optional("records", "n", &LongTailQuestion::records, whole("[1, 1e15]"), "training records"),
      optional("class_records", "n_k", &LongTailQuestion::class_records, whole("[1, 1e15]"),
               "records of the class, default n/K"),
      optional("filters", "m", &LongTailQuestion::filters, whole("[1, 1e15]"), "filters per class"),
      optional("batch_size", "B", &LongTailQuestion::batch_size, whole("[1, 1e15]"), "records per step, default n"),
      optional("steps", "T", &LongTailQuestion::steps, whole("[1, 1e15]"), "steps"),
      optional("step_size", "eta", &LongTailQuestion::step_size, "(0, inf)", "step size"),
      optional("clip", "C", &LongTailQuestion::clip, "(0, inf)", "clipping threshold"),
      optional("initial_scale", "sigma_0", &LongTailQuestion::initial_scale, "(0, inf)",
               "of the initial weights, default that of uniform weights, 1/sqrt(3 d)"),
      optional("initial_loss", "L_0", &LongTailQuestion::initial_loss, "[0, inf)", "loss at the start, default log K"),
      optional("tail_level", "L", &LongTailQuestion::tail_level, "[0, inf)", "tail level"),
      optional("failure_probability", &LongTailQuestion::failure_probability, "(0, 1)", "of the theorems"),
      optional("constant", &LongTailQuestion::constant, "(0, inf)", "every constant that the paper does not name"),
      optional("bulk", "e0", &LongTailQuestion::bulk, "(0, inf)", "common singular value of A_k, all but one"),
      optional("spike", "lam", &LongTailQuestion::spike, "(0, inf)", "the one other singular value of A_k"),
      optional("ncr", &LongTailQuestion::ncr, "[1, inf)", "noise correlation ratio, in place of the spike; default 1"),
      optional("ncr_squared", &LongTailQuestion::ncr_squared, "[1, inf)",
               "its square: the other reading of the paper's axis"),
      optional("noise", "sigma_n", &LongTailQuestion::noise, "[0, inf)",
               "per coordinate of the averaged gradient, default 0"),
      optional("epsilon", &LongTailQuestion::epsilon, "(0, inf)", "calibrates the noise for the sampler"),
      optional("delta", &LongTailQuestion::delta, "(0, 1)", "of differential privacy"),
      optional("sampling", &LongTailQuestion::sampling, "how batches are drawn; default none for B = n, else poisson"),
      optional("adjacency", &LongTailQuestion::adjacency,
               "neighbouring data sets, default the usual one of the sampling"),
      optional("clipping_factor", "Lambda", &LongTailQuestion::clipping_factor, "(0, inf)",
               "clipping factor, default C/(|u| + |A|_F)"),
      optional("own_frobenius", "F_kk", &LongTailQuestion::own_frobenius, "(0, inf)", "|A_k^T A_k|_F"),
      optional("cross_frobenius", "F_kj", &LongTailQuestion::cross_frobenius, "(0, inf)",
               "|A_k^T A_j|_F of every other class"),
      optional("frobenius", "|A_k|_F", &LongTailQuestion::frobenius, "(0, inf)", "Frobenius norm"),
      optional("operator_norm", "|A_k|", &LongTailQuestion::operator_norm, "(0, inf)", "largest singular value"),
      optional("curve", &LongTailQuestion::curve, "list the bound over L"),
      optional("largest_tail_level", &LongTailQuestion::largest_tail_level, "(0, inf)", "end of the curve")};
};

void only_one(const Values& values, const std::vector<const char*>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      exclude(values, names[i], names[j]);
    }
  }
}

bounds::LongTailSetting setting_of(const LongTailQuestion& q) {
  bounds::LongTailSetting s;
  adopt(s, q);
  if (q.dimension < 2.0 * q.classes) {
    throw UsageError("--dimension: " + shortest(q.dimension) + " is outside [2 K, inf)");
  }
  const double ratio = q.ncr_squared ? std::sqrt(*q.ncr_squared) : q.ncr.value_or(1.0);
  s.noise.spike = q.spike ? *q.spike : models::spike_of_ratio(ratio, s.noise);
  s.batch = q.batch_size.value_or(q.records);
  if (s.batch > s.records) {
    throw UsageError("--batch-size: " + shortest(s.batch) + " is outside [1, " + shortest(s.records) +
                     "], the number of records");
  }
  s.initial_scale = q.initial_scale.value_or(1.0 / std::sqrt(3.0 * q.dimension));
  s.c1 = s.c = q.constant;
  return s;
}

/// The clipped steps, which release every iterate.
Value long_tail_run(const bounds::PrivateRun& of, double noise_multiplier, double clip, double delta) {
  mechanism::Run run;
  run.records = mechanism::Records{of.records};
  run.phases.push_back(mechanism::Phase{
      .steps = of.steps, .batch_size = of.batch, .sampler = of.sampling, .noise_multiplier = noise_multiplier});
  run.clipping.norm = clip;
  run.privacy.adjacency = of.adjacency;
  run.privacy.delta = {delta};
  return echoed(std::move(run), {});
}

/// sigma_n: as given, or calibrated for the sampler.
void put_noise(const LongTailQuestion& q, bounds::LongTailSetting& s, RiskReport& report) {
  if (!q.epsilon) {
    s.private_noise = q.noise.value_or(0.0);
    report.facts.push_back({"noise", "noise sigma_n per coordinate, as given", s.private_noise});
    if (s.private_noise > 0.0) {
      report.notes.emplace_back(
          "no (epsilon, delta) is claimed for a given --noise; --epsilon and --delta calibrate it");
    }
    return;
  }
  const double epsilon = *q.epsilon, delta = q.delta;
  bounds::PrivateRun run{
      .records = s.records,
      .batch = s.batch,
      .steps = s.steps,
      .sampling = q.sampling.value_or(s.batch < s.records ? mechanism::Sampler::poisson : mechanism::Sampler::none)};
  run.adjacency = q.adjacency.value_or(mechanism::usual_adjacency(run.sampling));
  const auto found = bounds::calibrated_noise(run, epsilon, delta);
  s.private_noise = found.noise_multiplier * s.clip / s.batch;
  report.facts.push_back(
      {"noise_multiplier", "noise multiplier z, certified for these batches", found.noise_multiplier});
  report.facts.push_back({"noise", "noise sigma_n = z C/B per coordinate", s.private_noise});
  report.run = long_tail_run(run, found.noise_multiplier, s.clip, delta);
  report.facts.push_back({"privacy",
                          "it rests on",
                          {Record{{"theorem", {found.theorem}},
                                  {"sampling", {std::string(name(run.sampling))}},
                                  {"adjacency", {std::string(name(run.adjacency))}},
                                  {"delta", {found.delta.upper}}}}});
  report.facts.push_back({"noise_order", "order formula of Remark 4, constant 1 (no guarantee)",
                          bounds::noise_scale_order(s.clip, s.steps, delta, s.records, epsilon)});
}

Value shown_bound(const bounds::TestErrorBound& bound, bool condition) {
  Record record{{"bound", {bound.bound}},
                {"vacuous", {bound.vacuous}},
                {"numerator", {bound.numerator}},
                {"raw_sum", {bound.raw_sum}}};
  if (condition) {
    record.add("condition_holds", {bound.condition_holds.holds});
  }
  return {std::move(record)};
}

std::vector<Considered> considered_theorems(const std::vector<bounds::Condition>& conditions,
                                            const bounds::TrainingLossBound& training,
                                            const bounds::TestErrorBound& whole, const bounds::TestErrorBound& tailed) {
  const std::vector<Violation> violations = bounds::verdict(conditions).violations;
  const auto one = [&](const std::string& id, const std::string& title, const std::string& outcome) {
    return Considered{
        "long-tail-memorization/" + id,
        title,
        violations.empty() ? Considered::Standing::not_a_guarantee : Considered::Standing::ruled_out,
        outcome,
        {violations, {"an order statement: its constants are those of --constant, the paper fixes none"}}};
  };
  const auto error = [](const bounds::TestErrorBound& bound) {
    return bound.vacuous ? std::string("vacuous") : "test error <= " + rounded_up(bound.bound, 6);
  };
  std::vector<Considered> list{one("theorem-2", "training loss", "loss <= " + rounded_up(training.total, 6)),
                               one("theorem-3", "test error of a class (3.1)", error(whole)),
                               one("theorem-3", "test error of long-tailed data (3.2)", error(tailed))};
  for (std::size_t k = 1; k < list.size(); ++k) {
    list[k].verdict.violations =
        list[0].verdict.violations.empty()
            ? std::vector<Violation>{}
            : std::vector<Violation>{{"Condition 1, as Theorem 2 does", "fails", "the changes named there"}};
  }
  return list;
}

/// The question with all that follows from it, and what the theorems share of it.
struct Case {
  LongTailQuestion q;
  bounds::LongTailSetting s;
  models::SpikedNorms norms;  // of A_k, where the question does not say them
  double own, cross, frobenius, largest, class_records, factor, multiplier;

  Case(const LongTailQuestion& question, const bounds::LongTailSetting& setting)
      : q(question),
        s(setting),
        norms(models::norms(s.noise)),
        own(q.own_frobenius.value_or(norms.gram)),
        cross(q.cross_frobenius.value_or(norms.cross_gram)),
        frobenius(q.frobenius.value_or(norms.frobenius)),
        largest(q.operator_norm.value_or(norms.operator_norm)),
        class_records(q.class_records.value_or(std::max(1.0, std::floor(s.records / s.noise.classes)))),
        factor(q.clipping_factor ? *q.clipping_factor : bounds::clipping_factor(s.clip, s.signal_norm, frobenius)),
        multiplier(bounds::clip_multiplier_lower_bound(s.clip, s.filters, s.signal_norm, 1.5 * norms.trace)) {}

  /// A theorem's setting, as far as it is that of the question and of Condition 1, and what follows from these.
  template <class Setting>
  [[nodiscard]] Setting of() const {
    Setting setting;
    adopt(setting, q);
    adopt(setting, s);
    setting.class_records = class_records;
    setting.clipping_factor = factor;
    setting.noise_frobenius = frobenius;
    return setting;
  }
};

void put_norms(const Case& of, RiskReport& result) {
  result.facts.push_back({"spike", "spike of A_k", of.s.noise.spike});
  result.facts.push_back({"norms",
                          "norms of A_k",
                          {Record{{"trace", {of.norms.trace}},
                                  {"frob_A", {of.frobenius}},
                                  {"op_A", {of.largest}},
                                  {"F_kk", {of.own}},
                                  {"F_kj", {of.cross}},
                                  {"ncr", {of.own / of.cross}}}}});
  result.facts.push_back({"clipping_factor", "clipping factor Lambda", of.factor});
  result.facts.push_back(
      {"clip_multiplier_lower", "clipping multiplier is at least (Lemma 20, |xi|^2 <= 1.5 trace)", of.multiplier});
}

bounds::TrainingLossBound put_training(const Case& of, RiskReport& result) {
  auto loss = of.of<bounds::TrainingLoss>();
  loss.initial_loss = of.q.initial_loss.value_or(std::log(of.s.noise.classes));
  loss.rate_constant = loss.floor_constant = of.q.constant;
  const auto training = bounds::training_loss_bound(loss);
  result.facts.push_back({"training_loss",
                          "Theorem 2, training loss, constants " + shortest(of.s.c1),
                          {Record{{"rate", {training.rate}},
                                  {"vanishing", {training.vanishing}},
                                  {"floor", {training.privacy}},
                                  {"floor_without_sqrt_d", {training.privacy_without_dimension}},
                                  {"total", {training.total}}}}});
  if (training.total > loss.initial_loss) {
    result.notes.emplace_back("Theorem 2 is uninformative here: its bound is above the loss at the start");
  }
  return training;
}

/// Theorem 3 for a class and for data in its tail.
struct TestErrors {
  bounds::TestErrorBound whole;
  bounds::LongTailErrorBound tailed;
  bounds::LongTailTestError tail;  // the setting of that
};

TestErrors put_errors(const Case& of, RiskReport& result) {
  TestErrors found;
  auto general = of.of<bounds::GeneralTestError>();
  general.others.assign(static_cast<std::size_t>(of.s.noise.classes) - 1, {of.class_records, of.cross});
  general.exponent_constant = general.condition_constant = of.q.constant;
  found.whole = bounds::general_test_error(general);
  result.facts.push_back({"general_error", "Theorem 3.1, test error of a class, constants " + shortest(of.s.c1),
                          shown_bound(found.whole, true)});
  auto consistent = general;
  consistent.clipping_factor = of.multiplier;
  result.facts.push_back(
      {"general_error_consistent", "the same with consistent powers of m, n and T",
       shown_bound(bounds::scale_consistent_test_error(consistent, of.s.filters, of.s.steps), false)});
  found.tail = of.of<bounds::LongTailTestError>();
  found.tail.own_frobenius = of.own;
  found.tail.noise_operator = of.largest;
  found.tail.others = general.others;
  found.tail.exponent_constant = found.tail.condition_constant = of.q.constant;
  found.tailed = bounds::long_tail_test_error(found.tail);
  result.facts.push_back({"long_tail_error",
                          "Theorem 3.2, test error of long-tailed data at L = " + shortest(of.q.tail_level),
                          shown_bound(found.tailed, true)});
  result.facts.push_back({"break_even_tail_level",
                          "least L above which the numerator of Theorem 3.2 is positive, as it must be",
                          found.tailed.break_even_level});
  if (found.whole.vacuous) {
    result.notes.emplace_back("Theorem 3.1 is vacuous here: its numerator is not positive or its sum reaches 1");
  }
  if (found.tailed.vacuous) {
    result.notes.emplace_back("Theorem 3.2 is vacuous at this L");
  }
  return found;
}

void put_conditions(const std::vector<bounds::Condition>& conditions, RiskReport& result) {
  const auto failing = bounds::violated(conditions);
  Record table;
  for (const auto& condition : conditions) {
    table.add(std::string(condition.name), {condition.holds ? "holds" : "FAILS"});
  }
  result.facts.push_back({"conditions", "Condition 1", {std::move(table)}});
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
}

/// The bounds of Theorem 3 over the tail level.
void put_picture(const Case& of, TestErrors errors, RiskReport& result) {
  const double even = errors.tailed.break_even_level;
  const double last = of.q.largest_tail_level.value_or(
      std::isfinite(even) ? std::max({5.0, 2.0 * even, 2.0 * of.q.tail_level}) : std::max(5.0, 2.0 * of.q.tail_level));
  std::vector<io::Column> columns{{"tail_level", {}}, {"bound", {}}, {"numerator", {}}};
  std::vector<double> whole_line;
  for (int i = 0; i <= 100; ++i) {
    const double at = last * i / 100.0;
    errors.tail.tail_level = at;
    const auto bound = bounds::long_tail_test_error(errors.tail);
    columns[0].values.push_back(at);
    columns[1].values.push_back(bound.bound);
    columns[2].values.push_back(bound.numerator);
    whole_line.push_back(errors.whole.bound);
  }
  result.plot.title = "Theorem 3: bounds of the test error, constants " + shortest(of.s.c1);
  result.plot.x = {"tail level L", false, 0.0, last};
  const auto& drawn = columns[1].values;
  const double least = std::min(*std::min_element(drawn.begin(), drawn.end()), errors.whole.bound);
  const double foot = std::clamp(0.5 * least, 1e-12, 0.1);  // no empty decades below a bound that says nothing
  result.plot.y = {"bound", true, foot, 2.0};
  result.plot.legend = io::Legend::outside;
  result.plot.series = {io::line("long-tailed data", columns[0].values, columns[1].values),
                        io::dashed("whole class", columns[0].values, whole_line)};
  if (std::isfinite(even) && even > 0.0) {
    result.plot.series.push_back(io::dashed("break-even L", {even, even}, {foot, 2.0}));
  }
  if (of.q.curve) {
    result.curve = io::Columns(std::move(columns));
  }
}

RiskReport long_tail_report(const Values& values, unsigned /*threads*/) {
  RiskReport result;
  only_one(values, {"spike", "ncr", "ncr-squared"});
  only_one(values, {"noise", "epsilon"});
  const auto q = setting_from<LongTailQuestion>(values);
  auto s = setting_of(q);
  result.heading =
      "memorisation of long-tailed data under DP-SGD, theorems of Zhang et al.; K = " + shortest(s.noise.classes) +
      ", d = " + shortest(s.noise.dimension) + ", n = " + shortest(s.records) + ", m = " + shortest(s.filters) +
      ", T = " + shortest(s.steps);
  put_noise(q, s, result);
  const Case of(q, s);
  put_norms(of, result);
  const auto training = put_training(of, result);
  TestErrors errors = put_errors(of, result);
  const auto conditions = bounds::long_tail_conditions(s);
  result.considered = considered_theorems(conditions, training, errors.whole, errors.tailed);
  put_conditions(conditions, result);
  put_picture(of, std::move(errors), result);
  return result;
}

}  // namespace

RiskProblem long_tail_risk() {
  auto options = options_of(describe<LongTailQuestion>(),
                            {{"Noise matrices", {"bulk", "spike", "ncr", "ncr_squared"}},
                             {"Privacy", {"noise", "epsilon", "delta", "sampling", "adjacency"}},
                             {"In place of what the noise matrices give",
                              {"clipping_factor", "own_frobenius", "cross_frobenius", "frobenius", "operator_norm"}},
                             {"Output", {"curve", "largest_tail_level"}}});
  std::find_if(options.begin(), options.end(), [](const Option& o) { return o.name == "sampling"; })->range =
      "poisson|fixed-size|shuffled|cyclic|none";  // Theorem 2 has no rounds of random allocation
  return {"long-tail",
          "a two-layer CNN under DP-SGD on signal and noise patches: training loss, test error, tail level, conditions",
          {"--classes 5 --dimension 1000 --ncr 10", "--records 500 --steps 40 --epsilon 8 --delta 1e-5",
           "--records 500 --class-records 100 --clipping-factor 0.06 --signal-norm 3.8 --cross-frobenius 3 --frobenius "
           "15.8 --noise 0.0005",
           "--records 500 --dimension 1000 --class-records 100 --clipping-factor 0.05 --own-frobenius 400 "
           "--cross-frobenius 8 --frobenius 25 --operator-norm 20 --noise 5e-4 --tail-level 2 --plot error.svg",
           "--signal-norm 3.8 --frobenius 7 --clipping-factor 0.1 --noise 0.06"},
          std::move(options),
          long_tail_report};
}

}  // namespace dpcurves::queries
