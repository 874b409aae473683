// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// DP-SGD with correlated noise: subsampled matrix mechanisms.
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

#include <dpcurves/accounting/detail/no_noise.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/calibration.hpp>
#include <dpcurves/correlated/guarantees.hpp>
#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>
#include <dpcurves/queries/detail/strategies.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Guarantee;
using correlated::MatrixMechanism;
using correlated::Method;
using models::StrategyMatrix;

constexpr const char* summary = "DP-SGD with correlated noise: lambda-CGD, or any matrix mechanism, all steps released";

MatrixMechanism mechanism(const Values& values) {
  MatrixMechanism run;
  run.strategy = strategy_matrix(values);
  exclude(values, "sampling-rate", "batch-size");
  if (values.has("batch-size")) {
    run.sampling_rate = values.number("batch-size") / values.number("records");
    if (run.sampling_rate > 1.0) {
      throw UsageError("--batch-size: " + shortest(values.number("batch-size")) + " is outside [1, " +
                       shortest(values.number("records")) + "], the number of records");
    }
  } else {
    run.sampling_rate = values.number("sampling-rate");
  }
  run.noise_multiplier = values.number_or("noise-multiplier", 1.0);
  run.sampling = mechanism::sampler_of(values.text("sampling"));
  run.adjacency = values.has("adjacency") ? mechanism::adjacency_of(values.text("adjacency"))
                                          : mechanism::usual_adjacency(run.sampling);
  return run;
}

std::vector<Method> certified() { return {correlated::certified_methods.begin(), correlated::certified_methods.end()}; }

/// What --method names; all certified ones without it.
std::vector<Method> methods(const Values& values) {
  const auto name = values.text_or("method", "");
  return name == "closed-form"  ? std::vector{Method::closed_form}
         : name == "same-batch" ? std::vector{Method::same_batch}
         : name == "mean"       ? std::vector{Method::participation_mean}
         : name == "amplified"  ? std::vector{Method::composition, Method::mixture}
         : name == "renyi"      ? std::vector{Method::mixture}
         : name == "likelihood" ? std::vector{Method::likelihood}
         : name == "fft"        ? std::vector{Method::composition}
                                : certified();
}

correlated::EstimateBudget budget(const Values& values) {
  exclude(values, "draws", "standard-error");
  correlated::EstimateBudget limits;
  limits.relative_error = values.number("standard-error");
  if (const auto draws = values.maybe("draws")) {
    limits.least = limits.most = static_cast<std::size_t>(*draws);
    limits.relative_error = 0.0;
    limits.most_work = std::numeric_limits<double>::infinity();
  }
  limits.threads = 0;
  return limits;
}

/// With --sampling cyclic-poisson.
correlated::CyclicPoisson turns_of(const Values& values, const correlated::Strategy& strategy) {
  const auto groups = static_cast<std::size_t>(values.number_or("groups", static_cast<double>(strategy.bands)));
  return {groups, values.number("sampling-rate")};
}

/// A strategy by name whose records take part by a rule, or in turns.
std::optional<Guarantee> by_rule(const Values& values, const accounting::Accuracy& accuracy) {
  const bool turns = values.text_or("sampling", "") == "cyclic-poisson";
  const bool named = names_strategy(values);
  if (turns && !named) {
    throw UsageError("--sampling: cyclic-poisson asks for a --strategy by name");
  }
  if (!turns && (!named || (!values.has("participation") && !values.has("epochs") && !values.has("separation")))) {
    return std::nullopt;
  }
  const double noise = values.number_or("noise-multiplier", 1.0);
  const auto adjacency = mechanism::adjacency_of(values.text_or("adjacency", "zero-out"));
  const auto strategy = named_strategy(values);
  if (turns) {
    return correlated::cyclic_poisson_guarantee(strategy, turns_of(values, strategy), noise, adjacency, accuracy);
  }
  return correlated::pattern_guarantee(strategy, strategy_search(values).pattern, noise, adjacency);
}

Value correlated_value(const Values& values) {
  const bool turns = values.text_or("sampling", "") == "cyclic-poisson";
  const bool rule = values.has("participation") || values.has("epochs") || values.has("separation");
  if (!turns && !rule) {
    return correlated_run(values, mechanism(values));
  }
  const double noise = values.number_or("noise-multiplier", 1.0);
  if (!names_strategy(values) || noise == 0.0) {
    return {};
  }
  const auto strategy = named_strategy(values);
  const auto adjacency = mechanism::adjacency_of(values.text_or("adjacency", "zero-out"));
  return turns ? strategy_run(values, strategy, {}, turns_of(values, strategy), noise, adjacency)
               : strategy_run(values, strategy, strategy_search(values).pattern, {}, noise, adjacency);
}

/// \throws UsageError  for an option that no answer of this setting looks at.
void refuse_unused_noise(const Values& values) {
  const auto refuse = [&](std::initializer_list<const char*> options, const std::string& where) {
    for (const char* option : options) {
      if (values.has(option)) {
        throw UsageError(std::string("--") + option + ": has no meaning " + where);
      }
    }
  };
  if (!names_strategy(values)) {
    refuse({"participation", "epochs", "separation", "participations", "bands", "buffers", "groups"},
           "without --strategy NAME; lambda is such a name, with --lambda");
    return;
  }
  const std::string name = values.text("strategy"), with = "with --strategy " + name;
  const bool one = name != "all" && name.find(',') == std::string::npos;
  if (one && name != "bsr" && name != "bisr" && name != "band-mf" && name != "band-mf-sampled") {
    refuse({"bands"}, with + "; bsr, bisr and band-mf have bands");
  }
  if (one && name != "blt") {
    refuse({"buffers"}, with + "; blt has buffers");
  }
  if (values.text_or("sampling", "") == "cyclic-poisson") {
    refuse({"participation", "epochs", "separation", "participations", "batch-size", "records", "method"},
           "with --sampling cyclic-poisson: --groups take turns, at the --sampling-rate within a group");
    return;
  }
  refuse({"groups"}, "without --sampling cyclic-poisson");
  if (values.has("participation") || values.has("epochs") || values.has("separation")) {
    refuse({"sampling", "sampling-rate", "batch-size", "records", "method", "draws", "standard-error"},
           with +
               " and --epochs, --separation or --participation: a rule says which steps use a record; leave the "
               "rule out for sampled batches");
  } else {
    refuse({"participations"}, "without --epochs, --separation or --participation");
  }
}

void complete_correlated(Values& values, const std::vector<Option>& table) {
  complete_from_run(values, table, "correlated");
  refuse_unused_noise(values);
}

std::vector<Guarantee> correlated_guarantees(const Values& values, const Target& target) {
  if (values.number_or("noise-multiplier", 1.0) == 0.0) {
    return {accounting::nothing_hidden()};
  }
  accounting::Accuracy accuracy;
  accuracy.relative = target.accuracy.value_or(accuracy.relative);
  accuracy.verify = values.text_or("method", "") == "fft";
  if (auto guarantee = by_rule(values, accuracy)) {
    return {*guarantee};
  }
  const MatrixMechanism run = mechanism(values);
  // An estimate is never the best: it is shown beside what is certified.
  std::vector<Method> wanted = methods(values);
  if (wanted == std::vector{Method::likelihood}) {
    wanted = certified();
    wanted.push_back(Method::likelihood);
  }
  return mapped(wanted, [&](Method method) { return correlated::guarantee(run, method, accuracy, budget(values)); });
}

/// One method's answer.
struct NoiseSolution {
  Guarantee about;              ///< at the answer
  std::optional<double> value;  ///< of what is solved for; empty: the method does not apply
  double standard_error = 0.0;
};

/// The noise multiplier of every method.
std::vector<NoiseSolution> noise_multipliers(const Values& values, double epsilon, double delta, const Effort& effort) {
  MatrixMechanism run = mechanism(values);
  std::vector<NoiseSolution> solutions;
  const auto wanted = methods(values);
  for (const Method method : wanted) {
    const auto found = correlated::calibrate(run, method, epsilon, delta, budget(values));
    run.noise_multiplier = found ? found->noise_multiplier : 1.0;
    NoiseSolution solution{correlated::guarantee(run, method, {}, budget(values)), std::nullopt, 0.0};
    if (found) {
      solution.value = found->noise_multiplier;
      solution.standard_error = found->standard_error;
    }
    solutions.push_back(std::move(solution));
    tell(effort, solutions.size(), wanted.size());
  }
  return solutions;
}

/// The least noise over lambda.
correlated::JointCalibration best_lambda(const Values& values, MatrixMechanism& run, double epsilon, double delta) {
  if (values.has("strategy")) {
    throw UsageError("--strategy: has no meaning with --solve-for lambda");
  }
  Values trial = values;
  trial.set("lambda", 0.0);
  run = mechanism(trial);
  std::optional<Method> method;
  if (values.has("method")) {
    method = methods(values).front() == Method::composition ? Method::mixture : methods(values).front();
  }
  const auto best = correlated::calibrate_lambda(run, correlated::noise_cost_of(values.text_or("minimise", "maximum")),
                                                 1.0 - values.number_or("step-curvature", 0.0), epsilon, delta, method,
                                                 budget(values));
  run.strategy = StrategyMatrix::exponential(best.lambda, run.strategy.steps());
  run.noise_multiplier = best.calibration.noise_multiplier;
  return best;
}

/// \throws UsageError  if what is solved for is given too, or hides nothing.
void check_unknown(const Values& values, const std::string& unknown) {
  for (const char* option : {"noise-multiplier", "lambda"}) {
    if (values.has(option) && (unknown == option || unknown == "lambda")) {
      throw UsageError(std::string("--") + option + ": is what is solved for, so it cannot be given");
    }
  }
  if (values.maybe("noise-multiplier") == 0.0) {
    throw UsageError("--noise-multiplier: 0 hides nothing; give a noise above 0, or --solve-for noise-multiplier");
  }
}

/// The least value. \throws DomainError  that says what each theorem needs, if none has a value.
const NoiseSolution& best_of(const std::vector<NoiseSolution>& solutions, const std::string& unknown, double epsilon,
                             double delta) {
  const NoiseSolution* best = nullptr;
  std::string reasons;
  for (const NoiseSolution& solution : solutions) {
    const bool better = solution.value && (best == nullptr || *solution.value < *best->value);
    best = better ? &solution : best;
    reasons += "\n  " + solution.about.theorem + " needs " +
               (solution.about.violations.empty() ? "r T >= 3 log(2/delta) and epsilon <= 1"
                                                  : describe(solution.about.violations));
  }
  if (best == nullptr) {
    throw DomainError("no value of --" + unknown + " meets epsilon = " + shortest(epsilon) +
                      ", delta = " + shortest(delta) + reasons);
  }
  return *best;
}

/// Every method that was tried: results, rows and the table, which is returned.
Table put_methods(const std::vector<NoiseSolution>& solutions, const NoiseSolution& best, const std::string& unknown,
                  Report& report) {
  using enum io::Align;
  Table tried{{"", "theorem", unknown, "what it uses"}, {}, {left, left, right, left}};
  report.rows.names = {"theorem", "best", unknown, "certified"};
  List all;
  for (const NoiseSolution& solution : solutions) {
    const Guarantee& about = solution.about;
    const Value value = solution.value ? Value{*solution.value} : Value{};
    const std::string shown = solution.value ? shortest(*solution.value) : "none";
    Record row{{"theorem", {about.theorem}},
               {"title", {about.title}},
               {"value", value},
               {"real_value", value},
               {"certified", {about.certified}}};
    if (!about.certified) {
      row.add("standard_error", {solution.standard_error});
    }
    all.push_back({std::move(row)});
    report.rows.rows.push_back(
        {{about.theorem}, {&solution == &best ? "1" : "0"}, {shown}, {about.certified ? "1" : "0"}});
    tried.rows.push_back({{&solution == &best ? "*" : ""},
                          {about.theorem},
                          {shown},
                          {about.title + (solution.value ? "" : ": does not apply")}});
  }
  report.results.add("all", {std::move(all)});
  return tried;
}

Report calibrated_noise(const std::vector<Option>& table, Values values, const Effort& effort) {
  complete_correlated(values, table);
  const double epsilon = values.number("epsilon"), delta = values.number("delta");
  if (names_strategy(values)) {
    exclude(values, "strategy", "noise-multiplier");
    if (values.text_or("solve-for", "noise-multiplier") != "noise-multiplier") {
      throw UsageError("--solve-for: --strategy " + values.text("strategy") + " is solved for the noise multiplier");
    }
    return strategy_report(values, table, effort);
  }
  const auto unknown = values.text("solve-for");
  check_unknown(values, unknown);
  std::vector<NoiseSolution> solutions;
  std::optional<correlated::JointCalibration> joint;
  if (unknown == "lambda") {
    MatrixMechanism run;
    joint = best_lambda(values, run, epsilon, delta);
    solutions.push_back({correlated::guarantee(run, joint->calibration.method, {}, budget(values)), joint->lambda,
                         joint->calibration.standard_error});
  } else {
    solutions = noise_multipliers(values, epsilon, delta, effort);
  }
  const NoiseSolution& best = best_of(solutions, unknown, epsilon, delta);
  // An estimate was solved for this very epsilon; evaluating it again would cost as much as finding it.
  const Enclosure achieved = best.about.certified ? best.about.curve->epsilon(delta).value : exactly(epsilon);
  Report report{.schema = "dpcurves/calibrate/1", .inputs = values.echo(table)};
  report.inputs.add("algorithm", {"correlated"});
  report.results = {{"seed", {}},
                    {"wall_seconds", {}},
                    {"solve_for", {unknown}},
                    {"value", {*best.value}},
                    {"certified", {best.about.certified}}};
  std::string text = best.about.certified
                         ? "* the best: there the guarantee is epsilon <= " + rounded_up(achieved.upper, 8) + "\n"
                         : "* an estimate, not a guarantee; standard error " + rounded(best.standard_error, 2) + "\n";
  Values found = values;  // with what is found
  found.set(unknown, *best.value);
  if (joint) {
    found.set("noise-multiplier", joint->calibration.noise_multiplier);
    report.results.add("noise_multiplier", {joint->calibration.noise_multiplier});
    report.results.add("noise_cost", {joint->cost});
    report.results.add("noise_cost_at_lambda_0", {joint->independent_cost});
    text += "noise multiplier " + shortest(joint->calibration.noise_multiplier) + "; noise built up (" +
            values.text_or("minimise", "maximum") + ") " + rounded(joint->cost, 6) + ", at lambda = 0 " +
            rounded(joint->independent_cost, 6) + "\n";
  }
  report.results.add("achieved", {Record{{"epsilon", ends(achieved)}, {"delta", {delta}}}});
  report.results.add("theorem", {best.about.theorem});
  if (Value run = correlated_value(found); !run.null()) {
    report.results.add("run", std::move(run));
  }
  Table tried = put_methods(solutions, best, unknown, report);
  report.blocks = {
      {"correlated, epsilon = " + shortest(epsilon) + ", delta = " + shortest(delta) + "\n", std::move(tried)},
      {text, std::nullopt}};
  return report;
}

std::vector<Option> own_options() {
  const char* needed = "Required";
  const char* correlation = "Correlation (required: one of them)";
  const char* batches = "Batches (required: the sampling rate, or batch size and records)";
  const char* answer = "Answer";
  return {
      {"noise-multiplier",
       OptionKind::number,
       "[0, inf)",
       "kappa: the standard deviation of Z on the sum of clipped gradients, over the clipping norm C",
       needed,
       {"sigma"}},
      {"steps", OptionKind::count, "[1, 1e7]", "number of steps T", needed},
      {"lambda", OptionKind::number, "[0, 1)", "noise of step t: kappa (Z_t - lambda Z_{t-1})", correlation},
      {"strategy", OptionKind::text, "",
       "noise C^{-1} Z: identity, lambda, bsr, bisr, blt or band-mf (`calibrate` also tree, tree-honaker, dp-sgd, "
       "band-mf-sampled and all); or a CSV file without a header, a square lower-triangular C or one row, the "
       "coefficients of a Toeplitz one",
       correlation},
      {"sampling-rate",
       OptionKind::number,
       "(0, 1]",
       "r, the chance that a step uses a record",
       batches,
       {"sample-rate", "sampling-probability"}},
      {"batch-size", OptionKind::count, "[1, inf)", "B, expected or fixed; r = B/n", batches},
      {"records", OptionKind::count, "[1, inf)", "number of records n", batches},
      {"sampling", OptionKind::text, "poisson|fixed-size|cyclic-poisson = poisson",
       "how batches are drawn; cyclic-poisson: groups of records in turn, with a --strategy by name", batches},
      {"adjacency", OptionKind::text, "add-or-remove|add|remove|zero-out|replace-one",
       "what neighbouring data sets are, default add-or-remove; zero-out for fixed-size. add and remove: that order of "
       "the two data sets only",
       batches},
      {"method", OptionKind::text, "closed-form|same-batch|mean|amplified|renyi|likelihood|fft",
       "one method; default: the best certified. likelihood is a Monte Carlo estimate, never a guarantee", answer},
      {"standard-error", OptionKind::number, "(0, 1) = 0.03", "wanted relative standard error of likelihood", answer},
      {"draws", OptionKind::count, "[128, 1e8]",
       "number of draws of likelihood, in blocks of 128, instead of as many as the standard error takes", answer},
      run_option()};
}

/// Options of the algorithm itself.
std::vector<Option> options() {
  std::vector<Option> table = own_options();
  for (Option& option : strategy_options()) {
    table.push_back(std::move(option));
  }
  return table;
}

}  // namespace

std::vector<Algorithm> correlated_algorithms() {
  Algorithm sgd{.name = "correlated",
                .summary = summary,
                .example = "--noise-multiplier 90 --sampling-rate 0.1 --steps 400 --lambda 0.9",
                .calibration_example = "noise-multiplier --sampling-rate 0.1 --steps 400 --lambda 0.9",
                .options = options(),
                .complete = complete_correlated,
                .run = correlated_value,
                .guarantees = correlated_guarantees};
  return {sgd};
}

Subject calibration_of_correlated() {
  const char* search = "With --solve-for lambda";
  Subject one{
      .name = "correlated",
      .summary = summary,
      .footer =
          "The noise multiplier is on the safe side: the guarantee holds at it. --solve-for lambda finds noise "
          "multiplier and lambda together.\nExamples:\n"
          "  dpcurves calibrate correlated --solve-for noise-multiplier --sampling-rate 0.1 --steps 400 --lambda 0.9 "
          "--epsilon 1 --delta 1e-5\n"
          "  dpcurves calibrate correlated --solve-for lambda --minimise mean --sampling-rate 0.02 --steps 400 "
          "--epsilon 8 --delta 1e-5\n"
          "  dpcurves calibrate correlated --strategy band-mf --steps 2000 --epochs 4 --epsilon 8 --delta 1e-6",
      .table = options()};
  one.table.push_back({"minimise", OptionKind::text, "maximum|mean|last",
                       "the standard deviation of the noise that builds up over the run, whose largest value "
                       "(default; with --strategy NAME the mean), root mean square or last value is to be least",
                       search});
  one.table.push_back({"step-curvature", OptionKind::number, "[0, 2]",
                       "step size times curvature of a quadratic on which the noise builds up, default 0: prefix sums; "
                       "with --strategy NAME of the column of risks, default 0.01",
                       search});
  one.table.push_back({"solve-for", OptionKind::text, "noise-multiplier|lambda", "what to find", "Question"});
  one.table.push_back(
      {"epsilon", OptionKind::number, "(0, inf)", "the target epsilon", "Question", {"target-epsilon"}});
  one.table.push_back({"delta", OptionKind::number, "(0, 1)", "the target delta", "Question", {"target-delta"}});
  one.answer = [table = one.table](const Values& values, const Effort& effort) {
    return calibrated_noise(table, values, effort);
  };
  return one;
}

}  // namespace dpcurves::queries
