// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise": privacy of matrix mechanisms.
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/correlated/detail/confidence_limit.hpp>
#include <dpcurves/correlated/detail/transfer_renyi.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::calculators {
namespace {

using accounting::Pair;
using correlated::MeanMultiples;
using models::StrategyMatrix;

/// Neighbours of batches of a fixed size; `replacement` is the paper's word for replace_one.
enum class Neighbours { zero_out, replace_one, replacement };
constexpr std::array<std::pair<Neighbours, std::string_view>, 3> enumerators(Neighbours /*type*/) {
  return {{{Neighbours::zero_out, "zero-out"},
           {Neighbours::replace_one, "replace-one"},
           {Neighbours::replacement, "replacement"}}};
}
bool replaced(Neighbours neighbours) { return neighbours != Neighbours::zero_out; }

StrategyMatrix strategy(double correlation, double steps) {
  return StrategyMatrix::exponential(correlation, static_cast<std::size_t>(steps));
}

Record ends(const Enclosure& interval) { return {{"lower", {interval.lower}}, {"upper", {interval.upper}}}; }

Record closed_form(double correlation, double rate, double steps, double epsilon, double delta) {
  const auto found = correlated::closed_form({correlation, rate, steps, epsilon, delta});
  Record answer{{"valid", {found.valid}},
                {"rT", {found.expected_participations}},
                {"required_rT", {found.required_participations}}};
  if (found.valid) {
    answer.add("gain", to_value(found.gain));
    answer.add("tau", to_value(found.participations));
    answer.add("kappa", {found.noise_multiplier});
    answer.add("kappa_proof_const2", {found.noise_multiplier_constant_2});
  }
  return answer;
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

Record independent_noise(double rate, double steps, double epsilon, double delta) {
  const auto found = correlated::independent_noise(rate, steps, epsilon, delta);
  Record answer{{"kappa", {found.noise_multiplier}},
                {"alpha", to_value(found.order)},
                {"alpha_ceil", to_value(found.order_ceiling)},
                {"rdp_eq19_at_alpha_ceil", {found.rdp}},
                {"eps_from_eq19", {found.epsilon}},
                {"certified_by_eq19", {found.certified_at_order}},
                {"epsilon_best_order", {found.best.epsilon}},
                {"alpha_best", to_value(found.best.order)},
                {"certified", {found.certified}}};
  if (const auto instance = instance_delta(rate, steps, found.noise_multiplier, epsilon)) {
    answer.add("delta_lower_bound_approx", {instance->middle()});
    answer.add("delta_lower_bound", {instance->lower});
  }
  return answer;
}

Record fixed_size_rdp(double rate, double order, double noise) {
  return {{"rdp", {correlated::fixed_size_rdp(rate, order, noise)}},
          {"rdp_leading_8", {correlated::printed_fixed_size_rdp(rate, order, noise)}}};
}

Record fixed_size_epsilon(double rate, double steps, double noise, double delta) {
  const auto best = correlated::fixed_size_rdp_epsilon(rate, steps, noise, delta);
  return {{"epsilon", {best.epsilon}}, {"alpha", to_value(best.order)}};
}

Record encoded_sensitivity(double correlation, double participations, double steps) {
  return {{"max_sens", {correlated::encoded_sensitivity(correlation, participations, steps)}},
          {"bound_F11", {correlated::printed_encoded_sensitivity(correlation, participations, steps)}}};
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

/// A run of lambda-CGD whose pair is asked for delta.
struct PairQuestion {
  double correlation = 0.0;
  double rate = 1.0;
  double steps = 1.0;
  double noise_multiplier = 1.0;
  double epsilon = 0.0;
  std::optional<double> confidence;
  static constexpr std::tuple fields{required("correlation", "lambda", &PairQuestion::correlation, "[0, 1)",
                                              "correlation of lambda-CGD: C_{t,u} = lambda^{t-u}"),
                                     required("rate", "r", &PairQuestion::rate, "(0, 1]", "sampling rate B/n"),
                                     required("steps", "T", &PairQuestion::steps, whole("[1, 1e7]"), "number of steps"),
                                     required("noise_multiplier", "kappa", &PairQuestion::noise_multiplier, "(0, inf)",
                                              "noise multiplier: deviation on the sum over the clipping norm"),
                                     required("epsilon", &PairQuestion::epsilon, "[0, inf)", "epsilon"),
                                     optional("confidence", &PairQuestion::confidence, "(0, 1)",
                                              "of confidence limits beside estimates; null: none, they take longer")};
};

/// The value for both orders, in the answer as delta_remove and delta_add.
void add_both(Record& answer, const char* method, double remove, double add) {
  answer.add("delta_remove", {remove});
  answer.add("delta_add", {add});
  answer.add("method", {std::string(method)});
  answer.add("standard_error", {0.0});
}

void add_limits(Record& answer, const PairQuestion& s, const StrategyMatrix& matrix, MeanMultiples multiples) {
  Record limits;
  double draws = 0.0, least = 0.0;
  for (const auto& [name, m] : {std::pair{"remove", multiples}, std::pair{"add", multiples.reversed()}}) {
    const auto limit =
        correlated::delta_confidence_limit({matrix, s.rate, s.noise_multiplier, m}, s.epsilon, *s.confidence);
    limits.add(name, {limit.upper});
    draws = static_cast<double>(limit.draws);
    least = limit.least_possible;
  }
  limits.add("confidence", {*s.confidence});
  limits.add("draws", {draws});
  limits.add("least_possible", {least});
  limits.add("note", {std::string("plain draws, counted: says nothing about a delta below least_possible")});
  answer.add("delta_upper", {limits});
}

/// Both directions of a pair: by quadrature up to two steps, by the composition engine for lambda = 0, else estimated.
Record pair_deltas(const PairQuestion& s, MeanMultiples multiples, Pair remove, Pair add) {
  const auto matrix = strategy(s.correlation, s.steps);
  Record answer;
  if (matrix.steps() <= 2) {
    const auto by = [&](MeanMultiples m) {
      return correlated::few_steps_delta(matrix, s.rate, s.noise_multiplier, m, s.epsilon);
    };
    add_both(answer, "error estimated: quadrature", by(multiples), by(multiples.reversed()));
    return answer;
  }
  if (s.correlation == 0.0 && multiples == MeanMultiples{1.0, 0.0}) {
    const auto by = [&](Pair pair) {
      return accounting::delta_at({0.0, {{s.rate, 1.0 / s.noise_multiplier, s.steps, pair}}}, s.epsilon).delta;
    };
    const Enclosure first = by(remove), second = by(add);
    answer.add("ends_remove", {ends(first)});
    answer.add("ends_add", {ends(second)});
    add_both(answer, "proved: composition", first.upper, second.upper);
    return answer;
  }
  const auto found = estimates(matrix, s.rate, s.noise_multiplier, multiples, s.epsilon);
  if (!found) {
    const double sensitivity = multiples.first - multiples.second;  // the laws share y
    const double upper = correlated::SameBatch(matrix, s.rate, sensitivity).delta(s.epsilon, s.noise_multiplier).upper;
    add_both(answer, "certified upper end: participations published; out of reach of Monte Carlo", upper, upper);
    return answer;
  }
  answer.add("method", {std::string(matrix.steps() <= enumerated_steps
                                        ? "estimate: importance sampling, all participations"
                                        : "estimate: importance sampling, forward recursion on a grid of resolution "
                                          "0.01")});
  Record errors, effective, draws;
  for (const auto& [name, one] : {std::pair{"remove", found->first}, std::pair{"add", found->second}}) {
    answer.add("delta_" + std::string(name), {one.delta.value});
    errors.add(name, {one.delta.error});
    effective.add(name, {one.effective});
    draws.add(name, to_value(one.draws));
  }
  answer.add("standard_error", {errors});
  answer.add("effective_draws", {effective});
  answer.add("draws", {draws});
  if (s.confidence) {
    add_limits(answer, s, matrix, multiples);
  }
  return answer;
}

Record poisson_pair(const PairQuestion& s, mechanism::Sampler sampling) {
  if (sampling == mechanism::Sampler::fixed_size) {
    throw DomainError(
        "sampling: the pair of Theorem F.8 does not dominate batches of a fixed size (a counter-example is "
        "fixed-size-one-step); ask fixed-size-independent-delta, fixed-size-pair-delta or same-batch-delta");
  }
  if (sampling != mechanism::Sampler::poisson) {
    throw DomainError("sampling: \"" + std::string(mechanism::name(sampling)) + "\" is not poisson");
  }
  return pair_deltas(s, {1.0, 0.0}, Pair::poisson_remove, Pair::poisson_add);
}

Record fixed_size_pair(const PairQuestion& s, Neighbours neighbours) {
  return pair_deltas(s, replaced(neighbours) ? MeanMultiples{2.0, -2.0} : MeanMultiples{2.0, -1.0},
                     Pair::fixed_size_remove, Pair::fixed_size_add);
}

/// Whether a record of gradient 1 among others of -1 is seen in some step, up to a chance below a unit in the last
/// place, and so is its absence: then delta is 1 in both directions.
bool surely_seen(double rate, double steps, double noise, double epsilon) {
  const double half_way = 0.5 / noise;  // between two means
  return steps * std::log1p(-rate * std::erf(half_way / std::numbers::sqrt2)) < -40.0 &&
         epsilon + std::log(steps) - 0.5 * half_way * half_way < -40.0;
}

Record both(double remove, double add) { return {{"delta_remove", {remove}}, {"delta_add", {add}}}; }

Record fixed_size_independent(double rate, double steps, double noise, double epsilon, Neighbours neighbours) {
  if (surely_seen(rate, steps, noise, epsilon)) {
    return both(1.0, 1.0);
  }
  const auto upper = [&](Pair pair, double mu) {
    return accounting::delta_at({0.0, {{rate, mu / noise, steps, pair}}}, epsilon).delta.upper;
  };
  if (replaced(neighbours)) {
    const double delta = upper(Pair::symmetrised, 2.0);
    return both(delta, delta);
  }
  return both(upper(Pair::fixed_size_remove, 1.0), upper(Pair::fixed_size_add, 1.0));
}

Record fixed_size_step(double rate, double noise, double epsilon, Neighbours neighbours) {
  const auto step = replaced(neighbours) ? correlated::fixed_size_step_replacement(rate, noise, epsilon)
                                         : correlated::fixed_size_step_zero_out(rate, noise, epsilon);
  return both(step.remove, step.add);
}

Record fixed_size_example(double rate, double noise, double epsilon) {
  return {{"true_delta", {correlated::fixed_size_step_zero_out(rate, noise, epsilon).remove}},
          {"F8_delta_remove", {correlated::one_step_remove_delta(rate, noise, epsilon)}},
          {"samebatch_delta", {rate * tradeoff::delta_of_epsilon(epsilon, 1.0 / noise)}}};
}

Record one_step(double rate, double noise, double epsilon) {
  return both(correlated::one_step_remove_delta(rate, noise, epsilon),
              correlated::one_step_add_delta(rate, noise, epsilon));
}

Record two_steps(double correlation, double rate, double noise, double epsilon) {
  const auto matrix = strategy(correlation, 2.0);
  return both(correlated::few_steps_delta(matrix, rate, noise, {1.0, 0.0}, epsilon),
              correlated::few_steps_delta(matrix, rate, noise, {0.0, 1.0}, epsilon));
}

Record same_batch_delta(const PairQuestion& s, Neighbours neighbours) {
  const double sensitivity = replaced(neighbours) ? 2.0 : 1.0;
  if (constexpr double most_listed = 1e6; s.steps > most_listed) {
    const auto found =
        correlated::long_same_batch_delta(s.correlation, s.rate, s.steps, sensitivity, s.noise_multiplier, s.epsilon);
    return {
        {"delta", {found.delta.middle()}},
        {"ends", {ends(found.delta)}},
        {"method", {std::string(found.proved ? "certified: ball arithmetic" : "error estimated: sum by quadrature")}}};
  }
  const auto matrix = strategy(s.correlation, s.steps);
  const auto delta = correlated::SameBatch(matrix, s.rate, sensitivity).delta(s.epsilon, s.noise_multiplier);
  Record answer{
      {"delta", {delta.middle()}}, {"ends", {ends(delta)}}, {"method", {std::string("certified: ball arithmetic")}}};
  constexpr double most_steps = 1e5;  // above, the draws that a second allows say little
  if (s.confidence && s.steps <= most_steps) {
    const auto mean = correlated::estimate_same_batch_delta(matrix, s.rate, sensitivity, s.noise_multiplier, s.epsilon,
                                                            *s.confidence);
    answer.add("mean_over_participations",
               {Record{{"method", {std::string("estimate: importance sampling, empirical Bernstein interval")}},
                       {"delta", mean.interval.lower > 0.0 ? Value{mean.value} : Value{}},
                       {"lower", {mean.interval.lower}},
                       {"upper", {mean.interval.upper}},
                       {"confidence", {*s.confidence}},
                       {"draws", to_value(mean.draws)}}});
  }
  return answer;
}

Record same_batch_calibration(double correlation, double rate, double steps, double epsilon, double delta) {
  const correlated::SameBatch bound(strategy(correlation, steps), rate, 1.0);
  const auto split = correlated::participation_split(correlation, rate, steps, epsilon, delta);
  return {{"kappa_samebatch", {bound.noise_multiplier(epsilon, delta).upper}},
          {"kappa_F9_exact", {split.noise_multiplier}},
          {"F9_k", to_value(split.participations)}};
}

Record same_batch_enumeration(double correlation, double rate, double steps, double noise, double epsilon) {
  const auto matrix = strategy(correlation, steps);
  return {{"delta_exact_mean", {correlated::enumerated_same_batch_delta(matrix, rate, noise, epsilon)}},
          {"delta_max_sens_bound", {correlated::SameBatch(matrix, rate, 1.0).delta(epsilon, noise).middle()}}};
}

Record pair_renyi(double correlation, double rate, double steps, double noise, double order) {
  const auto found = correlated::remove_renyi(strategy(correlation, steps), rate, noise, order);
  const bool exact = found.method == "exact";
  return {{"rdp", {exact ? found.value.middle() : found.value.upper}},
          {"ends", {ends(found.value)}},
          {"method", to_value(found.method)}};
}

double gaussian_delta(double mu, double epsilon) { return tradeoff::delta_of_epsilon(epsilon, mu); }

Record gaussian_rdp(double order, double sensitivity, double noise, double delta) {
  const auto found = correlated::gaussian_rdp(order, sensitivity, noise, delta);
  return {{"rdp", {found.rdp}}, {"epsilon_d2", {found.epsilon}}, {"epsilon_tight", {found.tighter_epsilon}}};
}

}  // namespace

std::vector<Calculator> kan_privacy() {
  const FieldInfo lambda =
                      argument("correlation", "lambda", "[0, 1)", "correlation of lambda-CGD: C_{t,u} = lambda^{t-u}"),
                  r = argument("rate", "r", "(0, 1]", "sampling rate B/n"),
                  q = argument("rate", "q", "(0, 1]", "sampling rate B/n"),
                  steps = argument("steps", "T", whole("[1, 1e15]"), "number of steps"),
                  run = argument("steps", "T", whole("[1, 1e7]"), "number of steps"),
                  noise = argument("noise_multiplier", "kappa", "(0, inf)",
                                   "noise multiplier: deviation on the sum over the clipping norm"),
                  eps = argument("epsilon", "epsilon", "[0, inf)", "epsilon"),
                  target = argument("epsilon", "epsilon", "(0, inf)", "epsilon"),
                  delta = argument("delta", "delta", "(0, 1)", "delta"),
                  order = argument("order", "alpha", whole("[2, 1e7]"), "Renyi order"),
                  neighbours = word("neighbours", "adjacency", {"zero-out", "replace-one", "replacement"},
                                    "zero-out or replace-one", false);
  return {
      calculator<&closed_form>("noise-multiplier-closed-form", {"theorem-5.1", "lemma-f.10", "theorem-f.12"},
                               "Theorem F.12 with constants 8 and 2, or the participations it lacks",
                               {lambda, r, steps, argument("epsilon", "epsilon", "(0, 1]", "epsilon"),
                                argument("delta", "delta", "(0, 1]", "delta")}),
      calculator<&independent_noise>("rdp-noise-multiplier", {"theorem-5.4", "corollary-5.5", "theorem-d.9"},
                                     "Theorem D.9, what its proof certifies, and an instance",
                                     {q, steps, target, delta}),
      calculator<&fixed_size_rdp>("rdp-subsampled-wor", {"lemma-d.7", "remark-d.8"},
                                  "Lemma D.7, corrected, and the printed leading term", {q, order, noise}),
      calculator<&fixed_size_epsilon>("rdp-subsampled-wor-epsilon", {"lemma-d.2", "lemma-d.6"},
                                      "epsilon of Lemma D.7 composed, at the best integer order",
                                      {q, steps, noise, delta}),
      calculator<&encoded_sensitivity>(
          "encoded-sensitivity", {"definition-d.3", "lemma-f.11"}, "s(k), and the bound of Lemma F.11",
          {lambda, argument("participations", "k", whole("[0, 1e15]"), "participations, at most T"), steps}),
      calculator<&same_batch_delta>("same-batch-delta", {"lemma-f.9", "derived-1"}, "same-batch bound (derived-1)",
                                    {neighbours})
          .narrow("steps", "T", steps.domain, steps.meaning.c_str()),
      calculator<&same_batch_calibration>(
          "same-batch-calibration", {"lemma-f.9", "derived-1"},
          "noise multipliers of the same-batch bound and of Lemma F.9 at its best split", {lambda, r, run, eps, delta}),
      calculator<&same_batch_enumeration>(
          "same-batch-enumeration", {"lemma-f.9", "derived-1"},
          "same-batch bound with the mean over all participations",
          {lambda, r, argument("steps", "T", whole("[1, 20]"), "number of steps"), noise, eps}),
      calculator<&one_step>("dominating-pair-one-step", {"definition-f.5", "lemma-f.6", "theorem-f.8"},
                            "Theorem F.8 at T = 1, Poisson batches", {r, noise, eps}),
      calculator<&two_steps>("dominating-pair-two-steps", {"lemma-f.7", "theorem-f.8"},
                             "Theorem F.8 at T = 2, Poisson batches, by quadrature", {lambda, r, noise, eps})
          .ignore(argument("steps", "T", whole("[2, 2]"), "number of steps", 2.0)),
      calculator<&poisson_pair>("dominating-pair-delta", {"theorem-f.8", "derived-3"},
                                "Theorem F.8, Poisson batches: certified at lambda = 0 and T <= 2, else estimated",
                                {argument("sampling", "sampling", Domain(), "poisson; fixed-size is refused")})
          .fallback("sampling", {std::string("poisson")}),
      calculator<&pair_renyi>("dominating-pair-renyi", {"theorem-f.8"},
                              "Renyi divergence of the pair of Theorem F.8 at an integer order: exact, or an upper end",
                              {lambda, r, run, noise, order}),
      calculator<&fixed_size_example>("fixed-size-one-step", {"theorem-f.8", "derived-2"},
                                      "the counter-example to Theorem F.8 for batches of a fixed size",
                                      {r, noise, eps}),
      calculator<&fixed_size_step>("fixed-size-independent-one-step",
                                   {"lemma-d.7", "definition-f.2", "definition-f.3", "theorem-f.8", "derived-2"},
                                   "batches of a fixed size, one step, exact worst case (derived-2)",
                                   {r, noise, eps, neighbours}),
      calculator<&fixed_size_independent>("fixed-size-independent-delta", {"theorem-d.9", "theorem-f.8", "derived-2"},
                                          "batches of a fixed size, independent noise, upper ends (derived-2)",
                                          {r, steps, noise, eps, neighbours}),
      calculator<&fixed_size_pair>("fixed-size-pair-delta", {"theorem-f.8", "derived-2"},
                                   "the pair for batches of a fixed size and any lambda (derived-2)", {neighbours}),
      calculator<&gaussian_delta>("gdp-delta", {"definition-3.1", "definition-f.4"},
                                  "profile of Gaussian differential privacy",
                                  {argument("mu", "mu", "[0, inf)", "mean shift over deviation"), eps})
          .rename("value", "delta"),
      calculator<&gaussian_rdp>("gaussian-rdp", {"definition-d.1", "lemma-d.2", "lemma-d.4"},
                                "Renyi divergence of the Gaussian mechanism and its conversions (D.2, D.4)",
                                {argument("order", "alpha", "(1, inf)", "Renyi order"),
                                 argument("sensitivity", "Delta", "[0, inf)", "sensitivity"),
                                 argument("noise", "sigma", "(0, inf)", "standard deviation"), delta})};
}

}  // namespace dpcurves::calculators
