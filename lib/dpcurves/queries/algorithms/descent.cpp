// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Noisy gradient descent in its three forms, last iterate only.
#include <cmath>

#include <dpcurves/accounting/detail/no_noise.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/detail/inverse.hpp>
#include <dpcurves/interpolation/guarantees.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/queries/detail/run_forms.hpp>

namespace dpcurves::queries {
namespace {

using interpolation::DescentParameters;
using interpolation::NoisyDescent;

constexpr double largest_count = 1e12;  // of records, in a search
constexpr const char* scale_group =
    "Scale of the noise (required: L, sigma and the records of a step; C and Z instead; or KAPPA alone)";
constexpr const char* loss_group = "Losses and constraint";

/// Rows shared by the three algorithms; `divisor` names the records that a step averages over.
std::vector<Option> shared_options(const std::string& divisor) {
  return {
      {"sensitivity", OptionKind::number, "(0, inf)",
       "gradient sensitivity L: how far the gradients of two records can be apart, twice the clipping norm C or twice "
       "the Lipschitz constant of a loss",
       scale_group},
      {"noise", OptionKind::number, "[0, inf)",
       "standard deviation sigma per coordinate of the noise on the average gradient of a step", scale_group},
      {"records", OptionKind::count, "[1, inf)", "number of records n", scale_group},
      {"clip",
       OptionKind::number,
       "(0, inf)",
       "clipping norm C of a record's gradient; then L = 2 C",
       scale_group,
       {"max-grad-norm"}},
      {"noise-multiplier", OptionKind::number, "[0, inf)",
       "Z: standard deviation of the noise on the sum of clipped gradients, over C; then kappa = 2/Z", scale_group},
      {"effective-sensitivity", OptionKind::number, "[0, inf)", "kappa = L/(" + divisor + " sigma), in place of L",
       scale_group},
      {"step-size", OptionKind::number, "(0, inf)", "step size eta", loss_group},
      {"strong-convexity", OptionKind::number, "[0, inf)", "m", loss_group},
      {"smoothness", OptionKind::number, "(0, inf)", "M", loss_group},
      {"contraction", OptionKind::number, "[0, 1]", "c = max(|1 - eta m|, |1 - eta M|), in place of m and M",
       loss_group},
      {"one-minus-contraction", OptionKind::number, "[0, 1]", "1 - c, for c too close to 1", loss_group},
      {"diameter", OptionKind::number, "(0, inf)", "diameter D of the set that iterates are projected on", loss_group},
      {"convex", OptionKind::flag, "",
       "the losses are convex and smooth, the step size at most 2/(m + M): without it, or m or c, no theorem that "
       "needs it is starred",
       loss_group},
      {"release", OptionKind::text, "last-iterate|all = last-iterate",
       "what is published; with all, theorems that hide iterates do not apply", loss_group},
      run_option()};
}

DescentParameters parameters(const Values& values, const std::string& records_option) {
  exclude(values, "contraction", "one-minus-contraction");
  exclude(values, "effective-sensitivity", "sensitivity");
  exclude(values, "clip", "sensitivity");
  for (const char* other : {"noise", "sensitivity", "effective-sensitivity"}) {
    exclude(values, "noise-multiplier", other);
  }
  DescentParameters given;
  given.convex = values.flag("convex");
  given.all_released = values.text("release") == "all";
  given.sensitivity = values.maybe("sensitivity");
  given.noise = values.maybe("noise");
  given.effective_sensitivity = values.maybe("effective-sensitivity");
  if (values.has("noise-multiplier")) {
    const double multiplier = values.number("noise-multiplier");
    given.effective_sensitivity = 2.0 / multiplier;
    if (values.has("clip") && values.has(records_option)) {
      given.noise = multiplier * values.number("clip") / values.number(records_option);
    }
  } else if (values.has("clip")) {
    given.sensitivity = 2.0 * values.number("clip");
  }
  if (given.sensitivity) {
    given.batch_size = values.number(records_option);
    given.noise = values.number("noise");
  } else if (!given.effective_sensitivity) {
    throw UsageError("--noise-multiplier: is required, or --sensitivity (or --clip), --" + records_option +
                     " and --noise, or --effective-sensitivity");
  }
  given.step_size = values.maybe("step-size");
  given.strong_convexity = values.maybe("strong-convexity");
  given.smoothness = values.maybe("smoothness");
  given.contraction = values.maybe("contraction");
  given.one_minus_contraction = values.maybe("one-minus-contraction");
  given.diameter = values.maybe("diameter");
  if ((given.strong_convexity || given.smoothness) && !given.step_size) {
    throw UsageError("--step-size: is required with --strong-convexity or --smoothness");
  }
  if (given.diameter) {
    given.step_size = values.number("step-size");
    if (!given.noise) {
      throw UsageError(values.has("noise-multiplier")
                           ? "--clip and --" + records_option + ": are required with --diameter"
                           : std::string("--noise: is required with --diameter"));
    }
  }
  return given;
}

/// Library messages about contradictory parameters are about options here.
NoisyDescent descent(const Values& values, const std::string& records_option) {
  const DescentParameters given = parameters(values, records_option);
  try {
    return interpolation::make_descent(given);
  } catch (const DomainError& error) {
    throw UsageError(error.what());
  }
}

/// Without noise a changed record moves the iterate for certain.
bool noiseless(const Values& values) { return values.maybe("noise") == 0.0 || values.maybe("noise-multiplier") == 0.0; }

std::vector<accounting::Guarantee> noisy_gd(const Values& values, const Target& /*target*/) {
  if (noiseless(values)) {
    return {accounting::nothing_hidden()};
  }
  return interpolation::noisy_gd_guarantees({descent(values, "records"), values.number("steps")});
}

std::optional<double> finite(const interpolation::LargestCount& count) {
  return std::isfinite(count.real) ? std::optional(count.real) : std::nullopt;
}

std::optional<double> noisy_gd_steps(const Values& values, const std::string& theorem, double budget) {
  const NoisyDescent setting = descent(values, "records");
  if (theorem == "shifted-interpolation/theorem-4.1") {
    return finite(interpolation::solve_steps_by_composition(setting, budget));
  }
  if (theorem == "shifted-interpolation/theorem-4.2" &&
      interpolation::strongly_convex_violations(interpolation::NoisyGd{setting, 1.0}).empty()) {
    return finite(interpolation::solve_steps(setting, budget));
  }
  return std::nullopt;
}

/// "250 and 300 do": the divisors of n next to b.
std::string nearest_divisors(double records, double batch) {
  constexpr double most = 1e6;  // tries to either side
  const auto next = [&](double step) {
    double trial = batch;
    for (double i = 0.0; i < most && trial >= 1.0 && trial <= records; i += 1.0, trial += step) {
      if (std::fmod(records, trial) == 0.0) {
        return shortest(trial);
      }
    }
    return std::string("1");
  };
  return next(-1.0) + " and " + next(1.0) + " do, or drop the records that are too many";
}

/// l = n/b, given or computed; b must divide n.
double batches_per_epoch(const Values& values) {
  if (values.has("batches-per-epoch")) {
    const double batches = values.number("batches-per-epoch");
    if (values.has("records") && values.has("batch-size") &&
        values.number("records") != batches * values.number("batch-size")) {
      throw UsageError("--batches-per-epoch: " + shortest(batches) + " is not --records over --batch-size");
    }
    return batches;
  }
  if (!values.has("records") || !values.has("batch-size")) {
    throw UsageError("--batches-per-epoch: is required, or --records and --batch-size");
  }
  const double batches = values.number("records") / values.number("batch-size");
  if (batches < 1.0) {
    throw UsageError("--batch-size: " + shortest(values.number("batch-size")) + " is more than the " +
                     shortest(values.number("records")) + " records");
  }
  if (batches != std::floor(batches)) {
    throw UsageError("--batch-size: " + shortest(values.number("batch-size")) + " does not divide the " +
                     shortest(values.number("records")) + " records; " +
                     nearest_divisors(values.number("records"), values.number("batch-size")));
  }
  return batches;
}

std::vector<accounting::Guarantee> noisy_cgd(const Values& values, const Target& /*target*/) {
  if (noiseless(values)) {
    return {accounting::nothing_hidden()};
  }
  const double batches = batches_per_epoch(values);
  return interpolation::noisy_cgd_guarantees({descent(values, "batch-size"), batches, values.number("epochs")});
}

std::optional<double> noisy_cgd_epochs(const Values& values, const std::string& theorem, double budget) {
  const NoisyDescent setting = descent(values, "batch-size");
  const double batches = batches_per_epoch(values);
  if (theorem == "shifted-interpolation/theorem-4.4") {
    return finite(interpolation::solve_epochs_by_composition(setting, budget));
  }
  if (theorem == "shifted-interpolation/theorem-4.5" &&
      interpolation::strongly_convex_violations(interpolation::NoisyCgd{setting, batches, 1.0}).empty()) {
    return finite(interpolation::solve_epochs(setting, batches, budget));
  }
  return std::nullopt;
}

double sampling_rate(const Values& values) {
  if (values.has("sampling-rate")) {
    exclude(values, "sampling-rate", "records");
    return values.number("sampling-rate");
  }
  if (!values.has("records") || !values.has("batch-size")) {
    throw UsageError("--sampling-rate: is required, or --records and --batch-size");
  }
  const double rate = values.number("batch-size") / values.number("records");
  if (rate > 1.0) {
    throw UsageError("--batch-size: " + shortest(values.number("batch-size")) + " is outside [1, " +
                     shortest(values.number("records")) + "], the number of records");
  }
  return rate;
}

std::vector<accounting::Guarantee> noisy_sgd(const Values& values, const Target& target) {
  if (noiseless(values)) {
    return {accounting::nothing_hidden()};
  }
  if (!target.epsilon && !target.delta) {
    throw UsageError("--delta or --epsilon: give one of them, noisy-sgd has no GDP parameter");
  }
  const interpolation::NoisySgd setting{descent(values, "batch-size"), sampling_rate(values), values.number("steps")};
  interpolation::SgdTarget wanted;
  (target.epsilon ? wanted.epsilon : wanted.delta) = target.epsilon ? target.epsilon : target.delta;
  if (wanted.delta == 0.0 || wanted.delta == 1.0) {
    wanted.delta = 0.5;  // the answer does not depend on the horizon
  }
  accounting::Accuracy accuracy;
  accuracy.relative = target.accuracy.value_or(accuracy.relative);
  accuracy.verify = values.flag("verify");
  return interpolation::noisy_sgd_guarantees(setting, wanted, values.maybe("horizon"), accuracy, target.theorem);
}

auto from_run(const std::string& algorithm) {
  return [algorithm](Values& values, const std::vector<Option>& table) { complete_from_run(values, table, algorithm); };
}

Option count_option(const std::string& name, const std::string& help) {
  return {name, OptionKind::count, "[1, inf]", help + ", or unlimited"};
}

}  // namespace

std::vector<Algorithm> descent_algorithms() {
  const std::string scale = "effective-sensitivity";
  const Unknown noise{"noise", false, true, 0.0, infinity, scale};
  Algorithm gd;
  gd.name = "noisy-gd";
  gd.summary = "noisy gradient descent, all records in every step, last iterate";
  gd.example = "--effective-sensitivity 0.05 --contraction 0.95 --steps 36";
  gd.calibration_example = "steps --effective-sensitivity 0.05 --contraction 0.95";
  gd.options = shared_options("n");
  gd.options.insert(gd.options.begin(), count_option("steps", "number of steps t"));
  gd.unknowns = {noise, {"steps", true, false, 1.0, infinity, {}}, {"records", true, true, 1.0, largest_count, scale}};
  gd.guarantees = noisy_gd;
  gd.complete = from_run("noisy-gd");
  gd.run = noisy_gd_run;
  gd.real_count = noisy_gd_steps;

  Algorithm cgd;
  cgd.name = "noisy-cgd";
  cgd.summary = "noisy cyclic gradient descent, fixed batches in a fixed order, last iterate";
  cgd.example =
      "--sensitivity 10 --batch-size 1500 --noise 0.01 --batches-per-epoch 40 --epochs 200 --contraction 0.9998";
  cgd.calibration_example =
      "noise --sensitivity 10 --batch-size 1500 --batches-per-epoch 40 --epochs 200 --contraction 0.9998";
  cgd.options = shared_options("b");
  cgd.options.insert(cgd.options.begin(),
                     {count_option("epochs", "number of epochs E"),
                      {"batch-size", OptionKind::count, "[1, inf)", "records per step b", scale_group},
                      {"batches-per-epoch", OptionKind::count, "[1, inf)", "l = n/b", scale_group}});
  cgd.unknowns = {
      noise, {"epochs", true, false, 1.0, infinity, {}}, {"batch-size", true, true, 1.0, largest_count, scale}};
  cgd.guarantees = noisy_cgd;
  cgd.complete = from_run("noisy-cgd");
  cgd.run = [](const Values& values) { return noisy_cgd_run(values, batches_per_epoch(values)); };
  cgd.real_count = noisy_cgd_epochs;

  Algorithm sgd;
  sgd.name = "noisy-sgd";
  sgd.summary = "noisy SGD, a random batch of fixed size in every step, last iterate";
  sgd.example = "--effective-sensitivity 0.6666666666666666 --sampling-rate 0.025 --steps 8000";
  sgd.calibration_example = "steps --effective-sensitivity 0.2 --sampling-rate 0.01";
  sgd.options = shared_options("b");
  sgd.options.insert(
      sgd.options.begin(),
      {count_option("steps", "number of steps t"),
       {"batch-size", OptionKind::count, "[1, inf)", "records per step b", scale_group},
       {"sampling-rate", OptionKind::number, "(0, 1]", "p = b/n", scale_group},
       {"horizon", OptionKind::count, "[0, inf)", "unrolled steps N, default the best", loss_group},
       {"verify", OptionKind::flag, "", "compute compositions by the independent second method too", loss_group}});
  sgd.unknowns = {noise,
                  {"steps", true, false, 1.0, infinity, {}},
                  {"records", true, true, 1.0, largest_count, scale},
                  {"sampling-rate", false, false, 0.0, 1.0, {}}};
  sgd.chooses_for_target = true;
  sgd.guarantees = noisy_sgd;
  sgd.complete = from_run("noisy-sgd");
  sgd.run = noisy_sgd_run;
  return {gd, cgd, sgd};
}

}  // namespace dpcurves::queries
