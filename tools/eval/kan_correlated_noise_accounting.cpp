// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Population risk bounds for Kolmogorov-Arnold networks trained by DP-SGD with correlated noise":
// privacy of subsampled matrix mechanisms.
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/correlated/confidence_limit.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/correlated/transfer_renyi.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::eval {
namespace {

using accounting::Pair;
using correlated::MeanMultiples;
using models::StrategyMatrix;

const Key lambda_key = number_key("lambda", "[0, 1)", "correlation of lambda-CGD: C_{t,u} = lambda^{t-u}");
const Key rate_key = number_key("r", "(0, 1]", "sampling rate B/n");
const Key q_key = number_key("q", "(0, 1]", "sampling rate B/n");
const Key steps_key = integer_key("T", "[1, 1e15]", "number of steps");
const Key run_key = integer_key("T", "[1, 1e7]", "number of steps");
const Key noise_key = number_key("kappa", "(0, inf)", "noise multiplier: deviation on the sum over the clipping norm");
const Key epsilon_key = number_key("epsilon", "[0, inf)", "epsilon");
const Key target_epsilon_key = number_key("epsilon", "(0, inf)", "epsilon");
const Key delta_key = number_key("delta", "(0, 1)", "delta");
const Key confidence_key = optional(
    number_key("confidence", "(0, 1)", "of confidence limits beside estimates; null: none, they take longer"), nullptr);
const Key adjacency_key = optional(text_key("adjacency", "zero-out or replace-one"), "zero-out");
const Key order_key = integer_key("alpha", "[2, 1e7]", "Renyi order");

/// The names of the commands, and "replacement" of the paper.
bool replacement(const Inputs& in) {
  const auto text = in.text("adjacency");
  const auto adjacency = text == "replacement" ? mechanism::Adjacency::replace_one : mechanism::adjacency_of(text);
  if (adjacency != mechanism::Adjacency::zero_out && adjacency != mechanism::Adjacency::replace_one) {
    throw DomainError("adjacency: \"" + text + "\" is not zero-out or replace-one");
  }
  return adjacency == mechanism::Adjacency::replace_one;
}

StrategyMatrix strategy(const Inputs& in) {
  return StrategyMatrix::exponential(in.number("lambda"), static_cast<std::size_t>(in.number("T")));
}

Json closed_form(const Inputs& in) {
  const auto answer = correlated::closed_form(
      {in.number("lambda"), in.number("r"), in.number("T"), in.number("epsilon"), in.number("delta")});
  Json json{
      {"valid", answer.valid}, {"rT", answer.expected_participations}, {"required_rT", answer.required_participations}};
  if (answer.valid) {
    json["gain"] = answer.gain;
    json["tau"] = answer.participations;
    json["kappa"] = answer.noise_multiplier;
    json["kappa_proof_const2"] = answer.noise_multiplier_constant_2;
  }
  return json;
}

/// delta of an instance that refutes Theorem D.9: other gradients 0, the record's +1 against -1, composed; empty where
/// nothing can be certified.
std::optional<Enclosure> instance_delta(double rate, double steps, double noise, double epsilon) {
  const accounting::Composition composition{0.0, {{rate, 1.0 / noise, steps, Pair::poisson_replace_one}}};
  accounting::Accuracy rough;
  rough.relative = 1e-4;
  try {
    return accounting::delta_at(composition, epsilon, rough).delta;
  } catch (const ConvergenceError&) {
    return std::nullopt;
  }
}

Json independent_noise(const Inputs& in) {
  const double q = in.number("q"), steps = in.number("T"), epsilon = in.number("epsilon");
  const auto answer = correlated::independent_noise(q, steps, epsilon, in.number("delta"));
  Json json{{"kappa", answer.noise_multiplier},
            {"alpha", answer.order},
            {"alpha_ceil", answer.order_ceiling},
            {"rdp_eq19_at_alpha_ceil", number(answer.rdp)},
            {"eps_from_eq19", number(answer.epsilon)},
            {"certified_by_eq19", answer.certified_at_order},
            {"epsilon_best_order", number(answer.best.epsilon)},
            {"alpha_best", answer.best.order},
            {"certified", answer.certified}};
  if (const auto instance = instance_delta(q, steps, answer.noise_multiplier, epsilon)) {
    json["delta_lower_bound_approx"] = instance->middle();
    json["delta_lower_bound"] = instance->lower;
  }
  return json;
}

constexpr std::size_t enumerated_steps = 16;

/// Estimates of remove and add. An order that a certified bound shows to be less than a thousandth of the other is not
/// simulated: 0, with the bound as its error. Empty where Monte Carlo is out of reach.
std::optional<std::pair<correlated::DeltaEstimate, correlated::DeltaEstimate>> estimates(const StrategyMatrix& matrix,
                                                                                         double rate, double noise,
                                                                                         MeanMultiples multiples,
                                                                                         double epsilon) try {
  correlated::EstimateBudget budget;
  const bool enumerated = matrix.steps() <= enumerated_steps;
  budget.relative_error = enumerated ? 0.004 : 0.015;
  budget.least = enumerated ? 1024 : 1536;
  budget.most = enumerated ? 200000 : 40000;
  budget.threads = 0;
  const auto bound = [&](MeanMultiples m) {
    return m.first == 0.0 || static_cast<double>(matrix.steps()) <= 1000.0
               ? correlated::MixtureBound(matrix, rate, noise, m).delta(epsilon).delta
               : 1.0;
  };
  const auto estimate = [&](MeanMultiples m) {
    auto found = correlated::estimate_delta({matrix, rate, noise, m}, epsilon, budget);
    found.delta.error = std::isinf(found.delta.error) ? bound(m) : found.delta.error;  // no draw contributed
    return found;
  };
  const auto remove = estimate(multiples);
  const MeanMultiples reversed = multiples.reversed();
  if (const double highest = bound(reversed); highest <= 1e-3 * remove.delta.value) {
    return std::pair{remove, correlated::DeltaEstimate{{0.0, highest}, 0.0, 0, {}}};
  }
  return std::pair{remove, multiples.symmetric() ? remove : estimate(reversed)};
} catch (const ConvergenceError&) {
  return std::nullopt;
}

/// Both directions of a pair: by quadrature up to two steps, by the composition engine for lambda = 0, else estimated.
Json pair_deltas(const Inputs& in, MeanMultiples multiples, Pair remove, Pair add) {
  const double rate = in.number("r"), noise = in.number("kappa"), epsilon = in.number("epsilon");
  const auto matrix = strategy(in);
  Json json = Json::object();
  const auto each = [&](const auto& value) {
    json["delta_remove"] = value(multiples, remove, "remove");
    json["delta_add"] = value(multiples.reversed(), add, "add");
  };
  if (matrix.steps() <= 2) {
    each([&](MeanMultiples m, Pair, const char*) {
      return number(correlated::few_steps_delta(matrix, rate, noise, m, epsilon));
    });
    json["method"] = "error estimated: quadrature";
    json["standard_error"] = 0.0;
  } else if (in.number("lambda") == 0.0 && multiples == MeanMultiples{1.0, 0.0}) {
    each([&](MeanMultiples, Pair pair, const char* name) {
      const auto point = accounting::delta_at({0.0, {{rate, 1.0 / noise, in.number("T"), pair}}}, epsilon);
      json["ends_" + std::string(name)] = ends(point.delta);
      return number(point.delta.upper);
    });
    json["method"] = "proved: composition";
    json["standard_error"] = 0.0;
  } else {
    const auto estimated = estimates(matrix, rate, noise, multiples, epsilon);
    if (!estimated) {                                                 // out of reach of Monte Carlo
      const double sensitivity = multiples.first - multiples.second;  // the laws share y
      json["delta_remove"] = json["delta_add"] =
          correlated::SameBatch(matrix, rate, sensitivity).delta(epsilon, noise).upper;
      json["method"] = "certified upper end: participations published; out of reach of Monte Carlo";
      json["standard_error"] = 0.0;
      return json;
    }
    const auto& found = *estimated;
    json["method"] = matrix.steps() <= enumerated_steps
                         ? "estimate: importance sampling, all participations"
                         : "estimate: importance sampling, forward recursion on a grid of resolution 0.01";
    for (const auto& [name, one] : {std::pair{"remove", found.first}, std::pair{"add", found.second}}) {
      json["delta_" + std::string(name)] = one.delta.value;
      json["standard_error"][name] = number(one.delta.error);
      json["effective_draws"][name] = one.effective;
      json["draws"][name] = one.draws;
    }
    const auto confidence = in.maybe("confidence");
    if (!confidence) {
      return json;
    }
    for (const auto& [name, m] : {std::pair{"remove", multiples}, std::pair{"add", multiples.reversed()}}) {
      const auto limit = correlated::delta_confidence_limit({matrix, rate, noise, m}, epsilon, *confidence);
      json["delta_upper"][name] = limit.upper;
      json["delta_upper"]["confidence"] = *confidence;
      json["delta_upper"]["draws"] = limit.draws;
      json["delta_upper"]["least_possible"] = limit.least_possible;
      json["delta_upper"]["note"] = "plain draws, counted: says nothing about a delta below least_possible";
    }
  }
  return json;
}

Json poisson_delta(const Inputs& in) {
  const auto sampling = mechanism::sampler_of(in.text("sampling"));
  if (sampling == mechanism::Sampler::fixed_size) {
    throw DomainError(
        "sampling: the pair of Theorem F.8 does not dominate batches of a fixed size (a counter-example is "
        "fixed-size-one-step); ask fixed-size-independent-delta, fixed-size-pair-delta or same-batch-delta");
  }
  if (sampling != mechanism::Sampler::poisson) {
    throw DomainError("sampling: \"" + in.text("sampling") + "\" is not poisson");
  }
  return pair_deltas(in, {1.0, 0.0}, Pair::poisson_remove, Pair::poisson_add);
}

Json fixed_size_pair(const Inputs& in) {
  const MeanMultiples multiples = replacement(in) ? MeanMultiples{2.0, -2.0} : MeanMultiples{2.0, -1.0};
  return pair_deltas(in, multiples, Pair::fixed_size_remove, Pair::fixed_size_add);
}

/// Whether a record of gradient 1 among others of -1 is seen in some step, up to a chance below a unit in the last
/// place, and so is its absence: then delta is 1 in both directions.
bool surely_seen(double rate, double steps, double noise, double epsilon) {
  const double half_way = 0.5 / noise;  // between two means
  return steps * std::log1p(-rate * std::erf(half_way / std::numbers::sqrt2)) < -40.0 &&
         epsilon + std::log(steps) - 0.5 * half_way * half_way < -40.0;
}

Json fixed_size_independent(const Inputs& in) {
  const double noise = in.number("kappa"), epsilon = in.number("epsilon");
  if (surely_seen(in.number("r"), in.number("T"), noise, epsilon)) {
    static_cast<void>(replacement(in));  // names a word that is neither
    return {{"delta_remove", 1.0}, {"delta_add", 1.0}};
  }
  const auto upper = [&](Pair pair, double mu) {
    return accounting::delta_at({0.0, {{in.number("r"), mu / noise, in.number("T"), pair}}}, epsilon).delta.upper;
  };
  if (replacement(in)) {
    const double both = upper(Pair::symmetrised, 2.0);
    return {{"delta_remove", both}, {"delta_add", both}};
  }
  return {{"delta_remove", upper(Pair::fixed_size_remove, 1.0)}, {"delta_add", upper(Pair::fixed_size_add, 1.0)}};
}

Json fixed_size_independent_one_step(const Inputs& in) {
  const double r = in.number("r"), noise = in.number("kappa"), epsilon = in.number("epsilon");
  const auto step = replacement(in) ? correlated::fixed_size_step_replacement(r, noise, epsilon)
                                    : correlated::fixed_size_step_zero_out(r, noise, epsilon);
  return {{"delta_remove", step.remove}, {"delta_add", step.add}};
}

Json fixed_size_one_step(const Inputs& in) {
  const double r = in.number("r"), noise = in.number("kappa"), epsilon = in.number("epsilon");
  return {{"true_delta", correlated::fixed_size_step_zero_out(r, noise, epsilon).remove},
          {"F8_delta_remove", correlated::one_step_remove_delta(r, noise, epsilon)},
          {"samebatch_delta", r * tradeoff::delta_of_epsilon(epsilon, 1.0 / noise)}};
}

Json same_batch_delta(const Inputs& in) {
  if (constexpr double most_listed = 1e6; in.number("T") > most_listed) {
    const auto answer =
        correlated::long_same_batch_delta(in.number("lambda"), in.number("r"), in.number("T"),
                                          replacement(in) ? 2.0 : 1.0, in.number("kappa"), in.number("epsilon"));
    return {{"delta", answer.delta.middle()},
            {"ends", ends(answer.delta)},
            {"method", answer.proved ? "certified: ball arithmetic" : "error estimated: sum by quadrature"}};
  }
  const correlated::SameBatch bound(strategy(in), in.number("r"), replacement(in) ? 2.0 : 1.0);
  const auto delta = bound.delta(in.number("epsilon"), in.number("kappa"));
  Json json{{"delta", delta.middle()}, {"ends", ends(delta)}, {"method", "certified: ball arithmetic"}};
  constexpr double most_steps = 1e5;  // above, the draws that a second allows say little
  const auto confidence = in.maybe("confidence");
  if (!confidence || in.number("T") > most_steps) {
    return json;
  }
  const auto mean = correlated::estimate_same_batch_delta(strategy(in), in.number("r"), replacement(in) ? 2.0 : 1.0,
                                                          in.number("kappa"), in.number("epsilon"), *confidence);
  json["mean_over_participations"] = {{"method", "estimate: importance sampling, empirical Bernstein interval"},
                                      {"delta", mean.interval.lower > 0.0 ? number(mean.value) : Json(nullptr)},
                                      {"lower", mean.interval.lower},
                                      {"upper", mean.interval.upper},
                                      {"confidence", *confidence},
                                      {"draws", mean.draws}};
  return json;
}

Json same_batch_calibration(const Inputs& in) {
  const double epsilon = in.number("epsilon"), delta = in.number("delta");
  const correlated::SameBatch bound(strategy(in), in.number("r"), 1.0);
  const auto split =
      correlated::participation_split(in.number("lambda"), in.number("r"), in.number("T"), epsilon, delta);
  return {{"kappa_samebatch", bound.noise_multiplier(epsilon, delta).upper},
          {"kappa_F9_exact", split.noise_multiplier},
          {"F9_k", split.participations}};
}

Json same_batch_enumeration(const Inputs& in) {
  const auto matrix = strategy(in);
  const double r = in.number("r"), noise = in.number("kappa"), epsilon = in.number("epsilon");
  return {{"delta_exact_mean", correlated::enumerated_same_batch_delta(matrix, r, noise, epsilon)},
          {"delta_max_sens_bound", correlated::SameBatch(matrix, r, 1.0).delta(epsilon, noise).middle()}};
}

Json pair_renyi(const Inputs& in) {
  const auto answer = correlated::remove_renyi(strategy(in), in.number("r"), in.number("kappa"), in.number("alpha"));
  const bool exact = answer.method == "exact";
  return {{"rdp", number(exact ? answer.value.middle() : answer.value.upper)},
          {"ends", ends(answer.value)},
          {"method", answer.method}};
}

Calculator make(const char* name, const char* summary, std::vector<Key> keys,
                std::function<Json(const Inputs&)> evaluate) {
  return {std::string("kan-correlated-noise/") + name, summary, std::move(keys), std::move(evaluate)};
}

}  // namespace

std::vector<Calculator> kan_accounting_calculators() {
  return {
      make("noise-multiplier-closed-form", "Theorem F.12 with constants 8 and 2, or the participations it lacks",
           {lambda_key, rate_key, steps_key, number_key("epsilon", "(0, 1]", "epsilon"),
            number_key("delta", "(0, 1]", "delta")},
           closed_form),
      make("rdp-noise-multiplier", "Theorem D.9, what its proof certifies, and an instance",
           {q_key, steps_key, target_epsilon_key, delta_key}, independent_noise),
      make("rdp-subsampled-wor", "Lemma D.7, corrected, and the printed leading term", {q_key, order_key, noise_key},
           [](const Inputs& in) {
             const double q = in.number("q"), order = in.number("alpha"), noise = in.number("kappa");
             return Json{{"rdp", number(correlated::fixed_size_rdp(q, order, noise))},
                         {"rdp_leading_8", correlated::printed_fixed_size_rdp(q, order, noise)}};
           }),
      make("rdp-subsampled-wor-epsilon", "epsilon of Lemma D.7 composed, at the best integer order",
           {q_key, steps_key, noise_key, delta_key},
           [](const Inputs& in) {
             const auto best = correlated::fixed_size_rdp_epsilon(in.number("q"), in.number("T"), in.number("kappa"),
                                                                  in.number("delta"));
             return Json{{"epsilon", number(best.epsilon)}, {"alpha", best.order}};
           }),
      make("encoded-sensitivity", "s(k), and the bound of Lemma F.11",
           {lambda_key, integer_key("k", "[0, 1e15]", "participations, at most T"), steps_key},
           [](const Inputs& in) {
             const double lambda = in.number("lambda"), k = in.number("k"), steps = in.number("T");
             return Json{{"max_sens", correlated::encoded_sensitivity(lambda, k, steps)},
                         {"bound_F11", correlated::printed_encoded_sensitivity(lambda, k, steps)}};
           }),
      make("same-batch-delta", "same-batch bound (derived-1)",
           {lambda_key, rate_key, steps_key, noise_key, epsilon_key, adjacency_key, confidence_key}, same_batch_delta),
      make("same-batch-calibration", "noise multipliers of the same-batch bound and of Lemma F.9 at its best split",
           {lambda_key, rate_key, run_key, epsilon_key, delta_key}, same_batch_calibration),
      make("same-batch-enumeration", "same-batch bound with the mean over all participations",
           {lambda_key, rate_key, integer_key("T", "[1, 20]", "number of steps"), noise_key, epsilon_key},
           same_batch_enumeration),
      make("dominating-pair-one-step", "Theorem F.8 at T = 1, Poisson batches", {rate_key, noise_key, epsilon_key},
           [](const Inputs& in) {
             const double r = in.number("r"), noise = in.number("kappa"), epsilon = in.number("epsilon");
             return Json{{"delta_remove", correlated::one_step_remove_delta(r, noise, epsilon)},
                         {"delta_add", correlated::one_step_add_delta(r, noise, epsilon)}};
           }),
      make("dominating-pair-two-steps", "Theorem F.8 at T = 2, Poisson batches, by quadrature",
           {lambda_key, rate_key, noise_key, epsilon_key, optional(integer_key("T", "[2, 2]", "number of steps"), 2)},
           [](const Inputs& in) {
             const auto matrix = strategy(in);
             const double r = in.number("r"), noise = in.number("kappa"), epsilon = in.number("epsilon");
             return Json{{"delta_remove", correlated::few_steps_delta(matrix, r, noise, {1.0, 0.0}, epsilon)},
                         {"delta_add", correlated::few_steps_delta(matrix, r, noise, {0.0, 1.0}, epsilon)}};
           }),
      make("dominating-pair-delta", "Theorem F.8, Poisson batches: certified at lambda = 0 and T <= 2, else estimated",
           {lambda_key, rate_key, run_key, noise_key, epsilon_key,
            optional(text_key("sampling", "poisson; fixed-size is refused"), "poisson"), confidence_key},
           poisson_delta),
      make("dominating-pair-renyi",
           "Renyi divergence of the pair of Theorem F.8 at an integer order: exact, or an upper end",
           {lambda_key, rate_key, run_key, noise_key, order_key}, pair_renyi),
      make("fixed-size-one-step", "the counter-example to Theorem F.8 for batches of a fixed size",
           {rate_key, noise_key, epsilon_key}, fixed_size_one_step),
      make("fixed-size-independent-one-step", "batches of a fixed size, one step, exact worst case (derived-2)",
           {rate_key, noise_key, epsilon_key, adjacency_key}, fixed_size_independent_one_step),
      make("fixed-size-independent-delta", "batches of a fixed size, independent noise, upper ends (derived-2)",
           {rate_key, steps_key, noise_key, epsilon_key, adjacency_key}, fixed_size_independent),
      make("fixed-size-pair-delta", "the pair for batches of a fixed size and any lambda (derived-2)",
           {lambda_key, rate_key, run_key, noise_key, epsilon_key, adjacency_key, confidence_key}, fixed_size_pair),
      make("gdp-delta", "profile of Gaussian differential privacy",
           {number_key("mu", "[0, inf)", "mean shift over deviation"), epsilon_key},
           [](const Inputs& in) {
             return Json{{"delta", tradeoff::delta_of_epsilon(in.number("epsilon"), in.number("mu"))}};
           }),
      make("gaussian-rdp", "Renyi divergence of the Gaussian mechanism and its conversions (D.2, D.4)",
           {number_key("alpha", "(1, inf)", "Renyi order"), number_key("Delta", "[0, inf)", "sensitivity"),
            number_key("sigma", "(0, inf)", "standard deviation"), delta_key},
           [](const Inputs& in) {
             const auto answer = correlated::gaussian_rdp(in.number("alpha"), in.number("Delta"), in.number("sigma"),
                                                          in.number("delta"));
             return Json{{"rdp", number(answer.rdp)},
                         {"epsilon_d2", number(answer.epsilon)},
                         {"epsilon_tight", number(answer.tighter_epsilon)}};
           }),
  };
}

}  // namespace dpcurves::tools::eval
