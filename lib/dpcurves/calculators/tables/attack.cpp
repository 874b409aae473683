// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Attack risk: certified profiles in the words of an attacker; and audits, from counts to lower bounds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/calibration.hpp>
#include <dpcurves/attack/candidates.hpp>
#include <dpcurves/attack/gaussian.hpp>
#include <dpcurves/calculators/tables/dp_sgd_run.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/multi_run.hpp>
#include <dpcurves/inference/one_run.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::calculators {
namespace {

using attack::Attack;
using mechanism::Adjacency;
using mechanism::Sampler;

/// What is guaranteed: mu-GDP, (epsilon, delta)-DP, or a run of DP-SGD.
struct Guaranteed {
  std::optional<double> mu, epsilon, delta;
  DpSgdRun run;
  static constexpr std::tuple fields{optional("mu", &Guaranteed::mu, "[0, 1e6]", "GDP parameter"),
                                     optional("epsilon", &Guaranteed::epsilon, "[0, 700]", "of (epsilon, delta)-DP"),
                                     optional("delta", &Guaranteed::delta, "[0, 1]", "of (epsilon, delta)-DP"),
                                     part(&Guaranteed::run)};
};

Attack attack_of(const Guaranteed& g) {
  const bool approximate = g.epsilon || g.delta;
  if ((g.mu ? 1 : 0) + (approximate ? 1 : 0) + (g.run.phases.empty() && g.run.unsampled.empty() ? 0 : 1) != 1) {
    throw UsageError("mu: give one of mu, epsilon with delta, and phases");
  }
  if (g.mu) {
    return Attack(exactly(*g.mu));
  }
  if (approximate) {
    if (!g.epsilon) {
      throw UsageError("epsilon: missing key");
    }
    return Attack(attack::ApproximateDp{*g.epsilon, g.delta.value_or(0.0)});
  }
  return Attack(guarantee_of(g.run).directions);
}

/// The promised end under the name, both ends beside it.
void add(Record& record, const std::string& name, const Enclosure& value, bool upper = true) {
  record.add(name, {upper ? value.upper : value.lower});
  record.add(name + "_lower", {value.lower});
  record.add(name + "_upper", {value.upper});
}

void add_direction(Record& record, const std::string& direction) {
  record.add("direction", direction.empty() ? Value{} : Value{direction});
}

Record tpr(const Guaranteed& g, double fpr) {
  const auto answer = attack_of(g).power(fpr);
  Record record;
  add(record, "tpr", answer.value.power);
  add(record, "excess", answer.value.excess);
  add_direction(record, answer.direction);
  return record;
}

Record advantage(const Guaranteed& g) {
  const auto answer = attack_of(g).advantage().value;
  Record record;
  add(record, "advantage", answer.advantage);
  add(record, "pure_epsilon_equivalent", answer.pure_epsilon);
  add(record, "mu_equivalent", answer.mu);
  return record;
}

Record bayes_error(const Guaranteed& g, double prior) {
  const auto answer = attack_of(g).bayes_error(prior);
  Record record;
  add(record, "bayes_error", answer.value.error, false);
  add(record, "accuracy", answer.value.accuracy);
  add(record, "gain", answer.value.gain);
  add_direction(record, answer.direction);
  return record;
}

Record precision(const Guaranteed& g, double prior, std::optional<double> fpr, std::optional<double> recall) {
  if (fpr.has_value() == recall.has_value()) {
    throw UsageError("fpr, recall: precision needs one of them; without one it tends to 1");
  }
  Attack attack = attack_of(g);
  const auto answer = fpr ? attack.precision_at_rate(prior, *fpr) : attack.precision_at_recall(prior, *recall);
  Record record;
  add(record, "precision", answer.value.precision);
  add(record, "odds_factor", answer.value.odds_factor);
  add(record, "fpr", answer.value.false_rate, false);
  add_direction(record, answer.direction);
  return record;
}

Record auc(const Guaranteed& g) {
  const Enclosure area = attack_of(g).area().value;
  Record record;
  add(record, "auc", area);
  add(record, "gini", clamp({2.0 * area.lower - 1.0, 2.0 * area.upper - 1.0}, 0.0, 1.0));  // exact from 1/4 on
  return record;
}

Record reconstruction(const Guaranteed& g, double baseline) {
  const auto answer = attack_of(g).reconstruction(baseline);
  Record record;
  add(record, "success", answer.value.power);
  add(record, "gain", answer.value.excess);
  add_direction(record, answer.direction);
  return record;
}

Record posterior(const Guaranteed& g, double odds) {
  Attack attack = attack_of(g);
  const auto answer = attack.posterior_tail(odds);
  Record record;
  add(record, "probability", answer.value);
  add_direction(record, answer.direction);
  add(record, "probability_of_absence", attack.posterior_tail_of_absence(odds).value);
  if (g.mu && *g.mu > 0.0) {
    add(record, "pair_probability", attack::gaussian_pair_tail(exactly(*g.mu), odds));
  }
  return record;
}

Record gdp(const Guaranteed& g, std::optional<double> delta_floor, std::optional<double> fpr_floor) {
  const bool pure = g.epsilon && g.delta.value_or(0.0) == 0.0;
  if (!pure && delta_floor.has_value() == fpr_floor.has_value()) {
    throw UsageError("delta_floor, fpr_floor: give one of them");
  }
  Attack attack = attack_of(g);
  const Enclosure mu = pure          ? tradeoff::pure_dp_to_gdp_enclosure(*g.epsilon)
                       : delta_floor ? attack.gdp_parameter_above(*delta_floor)
                                     : attack.gdp_parameter_above_rate(*fpr_floor);
  const attack::Regret regret = pure             ? attack::pure_dp_regret(*g.epsilon)
                                : mu.upper > 0.0 ? attack.regret(mu.upper)
                                                 : attack::Regret{};
  Record record;
  add(record, "mu", mu);
  add(record, "regret", regret.regret);
  record.add("regret_at_epsilon", {regret.epsilon});
  return record;
}

Record candidates(double mu, double candidates) {
  const Estimate success = attack::candidate_success(mu, candidates);
  Record record{{"success", {success.value}}, {"success_error", {success.error}}};
  add(record, "bound", attack::gaussian_power(exactly(mu), 1.0 / candidates).power);
  return record;
}

enum class Word { advantage, tpr, bayes_accuracy, precision, reconstruction, auc, gdp_mu };
constexpr std::array<std::pair<Word, std::string_view>, 7> enumerators(Word /*type*/) {
  return {{{Word::advantage, "advantage"},
           {Word::tpr, "tpr"},
           {Word::bayes_accuracy, "bayes-accuracy"},
           {Word::precision, "precision"},
           {Word::reconstruction, "reconstruction"},
           {Word::auc, "auc"},
           {Word::gdp_mu, "gdp-mu"}}};
}

struct Calibrate {
  Word measure = Word::advantage;
  double target = 0.1;
  std::optional<double> fpr, baseline, delta_floor;
  double prior = 0.5;
  double steps = 1.0, sampling_rate = 1.0;
  Sampler sampling = Sampler::poisson;
  std::string adjacency = "usual";
  static constexpr std::tuple fields{
      required("measure", &Calibrate::measure, "what is limited"),
      required("target", &Calibrate::target, "(0, inf)", "the largest value that is allowed"),
      optional("fpr", &Calibrate::fpr, "(0, 1)", "false positive rate of tpr and precision"),
      optional("baseline", &Calibrate::baseline, "(0, 1)", "success of the best guess without the run"),
      optional("delta_floor", &Calibrate::delta_floor, "(0, 1)", "of gdp-mu"),
      optional("prior", &Calibrate::prior, "(0, 1)", "that the record is present"),
      required("steps", &Calibrate::steps, whole("[1, 1e15]"), "how many"),
      optional("sampling_rate", &Calibrate::sampling_rate, "(0, 1]", "q"),
      optional("sampling", &Calibrate::sampling, "how batches are drawn"),
      optional("adjacency", &Calibrate::adjacency, "which data sets are neighbours, or usual for the sampling")};
};

attack::Limit limit_of(const Calibrate& c) {
  const auto needed = [](const std::optional<double>& value, const char* name) {
    if (!value) {
      throw UsageError(std::string(name) + ": missing key");
    }
    return *value;
  };
  using attack::Measure;
  switch (c.measure) {
    case Word::tpr:
      return {Measure::power, c.target, needed(c.fpr, "fpr"), c.prior};
    case Word::bayes_accuracy:
      return {Measure::bayes_accuracy, c.target, 0.0, c.prior};
    case Word::precision:
      return {Measure::precision, c.target, needed(c.fpr, "fpr"), c.prior};
    case Word::reconstruction:
      return {Measure::reconstruction, c.target, needed(c.baseline, "baseline"), c.prior};
    case Word::auc:
      return {Measure::area, c.target, 0.0, c.prior};
    case Word::gdp_mu:
      return {Measure::gdp_parameter, c.target, needed(c.delta_floor, "delta_floor"), c.prior};
    case Word::advantage:
      break;
  }
  return {Measure::advantage, c.target, 0.0, c.prior};
}

Record calibrate(const Calibrate& c) {
  const attack::Limit limit = limit_of(c);
  accounting::DpSgd run{.sampling = c.sampling, .adjacency = adjacency_of(c.adjacency, c.sampling)};
  const bool plain = c.sampling == Sampler::none && run.adjacency != Adjacency::replace_one;
  const attack::Trial trial = [&](double noise, double relative) -> std::optional<Attack> {
    if (plain) {  // one Gaussian mechanism: closed forms
      const double mu = std::sqrt(c.steps) / noise;
      return Attack(Enclosure{std::max(0.0, next_down(next_down(mu))), next_up(next_up(mu))});
    }
    run.phases = {{noise, c.sampling_rate, c.steps}};
    accounting::Accuracy accuracy;
    accuracy.relative = std::clamp(relative, 1e-9, 1e-4);
    const auto guarantee = accounting::dp_sgd_guarantee(run, accuracy);
    require_theorem(guarantee.theorem.c_str(), guarantee.violations);
    return Attack(guarantee.directions);
  };
  accounting::Parameter noise;
  noise.more_is_private = true;
  accounting::CalibrationTarget target;
  target.tolerance = plain ? 1e-12 : 1e-8;
  const auto found = attack::calibrate(trial, noise, limit, target);
  if (!found.value) {
    throw ConvergenceError("no noise multiplier was found that meets the target");
  }
  Record record{{"noise_multiplier", {*found.value}}, {"trials", to_value(found.trials)}};
  if (plain) {
    record.add("mu", {std::sqrt(c.steps) / *found.value});
  }
  return record;
}

// --- audits ---------------------------------------------------------------------------------------------------------

Record multi_run(std::uint64_t true_positives, std::uint64_t canaries_in, std::uint64_t false_positives,
                 std::uint64_t canaries_out, double significance, double delta) {
  const auto b =
      inference::multi_run({true_positives, canaries_in, false_positives, canaries_out}, significance, delta);
  return {{"true_positive_rate_lower", {b.true_positive_rate_lower}},
          {"false_positive_rate_upper", {b.false_positive_rate_upper}},
          {"epsilon_lower", {b.epsilon_lower}},
          {"mu_lower", {b.mu_lower}},
          {"epsilon_ceiling", {b.ceiling}}};
}

inference::Guesses guesses_of(bool one_sided) {
  return one_sided ? inference::Guesses::one_sided : inference::Guesses::two_sided;
}

Record one_run_p_value(std::uint64_t canaries, std::uint64_t guesses, std::uint64_t correct, double epsilon,
                       double delta) {
  return {{"p_value", {inference::approximate_dp_p_value({canaries, guesses, correct}, epsilon, delta)}}};
}

Record one_run_epsilon(std::uint64_t canaries, std::uint64_t guesses, std::uint64_t correct, double significance,
                       double delta) {
  return {{"epsilon_lower", {inference::one_run_epsilon({canaries, guesses, correct}, significance, delta)}}};
}

Record one_run_mu(std::uint64_t canaries, std::uint64_t guesses, std::uint64_t correct, double significance,
                  bool one_sided) {
  return {{"mu_lower", {inference::one_run_mu({canaries, guesses, correct}, significance, guesses_of(one_sided))}}};
}

Record one_run_fdp(const Guaranteed& g, std::uint64_t canaries, std::uint64_t guesses, std::uint64_t correct,
                   bool one_sided) {
  Attack attack = attack_of(g);
  const inference::LeastRate least = g.mu ? inference::gaussian_least_rate(*g.mu)
                                     : g.epsilon
                                         ? inference::approximate_dp_least_rate(*g.epsilon, g.delta.value_or(0.0))
                                         : attack.least_rate(one_sided);
  return {{"p_value", {inference::fdp_p_value({canaries, guesses, correct}, least, guesses_of(one_sided))}}};
}

/// A guarantee may be given by mu or by epsilon instead.
std::vector<Calculator> phases_optional(std::vector<Calculator> list) {
  for (Calculator& calculator : list) {
    for (FieldInfo& field : calculator.fields) {
      if (field.name == "phases") {
        field.required = false;
        field.fallback = {List{}};
      }
    }
  }
  return list;
}

}  // namespace

std::vector<Calculator> attack_risk() {
  const FieldInfo fpr = argument("false_positive_rate", "fpr", "[0, 1]", "share of absent records that are accused");
  const FieldInfo prior = argument("prior", "prior", "(0, 1)", "that the record is present");
  const FieldInfo mu = argument("mu", "mu", "[0, 100]", "GDP parameter of the release");
  std::vector<Calculator> list{
      calculator<&tpr>("tpr", {"dual"}, "largest true positive rate at a false positive rate", {fpr}),
      calculator<&advantage>("advantage", {"advantage"}, "largest true minus false positive rate"),
      calculator<&bayes_error>("bayes-error", {"bayes-error"}, "least error of a guess whether the record is present",
                               {prior}),
      calculator<&precision>(
          "precision", {"precision"}, "share of present records among those accused",
          {prior, argument("false_positive_rate", "fpr", "(0, 1]", "share of absent records accused"),
           argument("recall", "recall", "(0, 1]", "share of present records accused")}),
      calculator<&auc>("auc", {"auc"}, "area under the largest true positive rates"),
      calculator<&reconstruction>(
          "reconstruction", {"reconstruction"}, "largest success of a reconstruction",
          {argument("baseline", "baseline", "(0, 1)", "success of the best guess without the run")}),
      calculator<&posterior>(
          "posterior", {"posterior"}, "how often the odds of presence rise so much, at most",
          {argument("odds_epsilon", "odds_epsilon", "[-700, 700]", "log of the factor of the odds")}),
      calculator<&gdp>(
          "gdp", {"regret"}, "one GDP parameter for a guarantee, and its regret",
          {argument("delta_floor", "delta_floor", "(0, 1)", "profiles are compared where delta is at least this"),
           argument("fpr_floor", "fpr_floor", "[1e-300, 0.5)", "curves are compared from this rate on")}),
      calculator<&candidates>("candidates", {"candidates"}, "best guess among N orthogonal records, and the bound",
                              {mu, argument("candidates", "candidates", whole("[1, 1e15]"), "N")}),
      calculator<&calibrate>("calibrate", {"calibration"}, "the least noise that limits a measure of attacks")};
  return phases_optional(std::move(list));
}

std::vector<Calculator> audits() {
  const FieldInfo canaries = argument("canaries", "canaries", whole("[1, 1e9]"), "whose coins were tossed");
  const FieldInfo guesses = argument("guesses", "guesses", whole("[0, 1e9]"), "canaries that were guessed");
  const FieldInfo correct = argument("correct", "correct", whole("[0, 1e9]"), "right guesses");
  const FieldInfo significance = argument("significance", "significance", "(0, 0.5)", "chance that the bound is wrong");
  const FieldInfo delta = argument("delta", "delta", "[0, 1]", "delta");
  FieldInfo one_sided = argument("one_sided", "one_sided", Domain(), "only `in` was guessed");
  one_sided.required = false;
  one_sided.fallback = {false};
  std::vector<Calculator> list{
      calculator<&multi_run>(
          "multi-run", {"multi-run"}, "lower bounds from many independent runs",
          {argument("true_positives", "true_positives", whole("[0, 1e15]"), "runs with the canary above"),
           argument("canaries_in", "canaries_in", whole("[1, 1e15]"), "runs with the canary"),
           argument("false_positives", "false_positives", whole("[0, 1e15]"), "runs without it above"),
           argument("canaries_out", "canaries_out", whole("[1, 1e15]"), "runs without it"), significance, delta}),
      calculator<&one_run_p_value>(
          "one-run-p-value", {"one-run-epsilon-delta"},
          "chance of so many right guesses in one run, at most, under (epsilon, delta)-DP",
          {canaries, guesses, correct, argument("epsilon", "epsilon", "[0, 700]", "epsilon"), delta}),
      calculator<&one_run_epsilon>("one-run-epsilon", {"one-run-epsilon-delta"}, "lower bound of epsilon from one run",
                                   {canaries, guesses, correct, significance, delta}),
      calculator<&one_run_fdp>("one-run-fdp-p-value", {"one-run-fdp", "one-sided"},
                               "chance of so many right guesses in one run, at most, under a trade-off function",
                               {canaries, guesses, correct, one_sided}),
      calculator<&one_run_mu>("one-run-mu", {"one-run-fdp", "one-sided"}, "lower bound of mu from one run",
                              {canaries, guesses, correct, significance, one_sided})};
  return phases_optional(std::move(list));
}

}  // namespace dpcurves::calculators
