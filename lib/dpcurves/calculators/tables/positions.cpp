// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Samplers in which a record stands at random positions of an epoch.
#include <algorithm>
#include <optional>
#include <string>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/accounting/allocation_bounds.hpp>
#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/shuffled.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::calculators {
namespace {

/// The pair of one-position laws and where it is asked.
struct PositionPair {
  double positions = 1.0, mean = 1.0, null_mean = 0.0, epsilon = 0.0;
  static constexpr std::tuple fields{
      required("positions", &PositionPair::positions, whole("[1, 1e7]"), "t, one of which is the record's"),
      required("mean", &PositionPair::mean, "[-12, 12]", "of that position under P, in deviations of the noise"),
      optional("null_mean", &PositionPair::null_mean, "[-12, 12]", "the same under Q"),
      required("epsilon", &PositionPair::epsilon, "[-100, 200]", "epsilon")};
};

Record one_position(const PositionPair& s) {
  const accounting::OnePosition pair{s.positions, s.mean, s.null_mean};
  const Enclosure delta = accounting::one_position_delta(pair, s.epsilon);
  const accounting::LargestTest test = accounting::largest_test(pair, s.epsilon);
  return {{"delta", {delta.upper}},
          {"delta_lower", {std::max(delta.lower, std::min(test.delta.lower, delta.upper))}},
          {"cube", {test.delta.lower}},
          {"cube_threshold", {test.threshold}}};
}

accounting::Direction direction_of(const std::string& word) {
  if (word != "remove" && word != "add") {
    throw DomainError("direction: \"" + word + "\" is neither remove nor add");
  }
  return word == "remove" ? accounting::Direction::remove : accounting::Direction::add;
}

Record test_record(const accounting::AdditiveTestResult& result) {
  return {{"delta_lower", {result.delta_lower}},
          {"threshold", {result.threshold}},
          {"probability_with", {result.probability_with}},
          {"probability_without", {result.probability_without}}};
}

/// A threshold test.
struct TestSetting {
  double noise_multiplier = 1.0, rate = 0.5, epsilon = 0.0;
  std::string direction = "remove";
  std::optional<double> threshold;
  bool replaced = false;
  static constexpr std::tuple fields{
      required("noise_multiplier", &TestSetting::noise_multiplier, "[0.1, 1e4]", "Z"),
      required("rate", &TestSetting::rate, "(0, 1)", "q of the statistic: log(1 - q + q exp(x/Z - 1/(2 Z^2))), summed"),
      required("epsilon", &TestSetting::epsilon, "[0, 700]", "epsilon"),
      optional("direction", &TestSetting::direction, "remove or add"),
      optional("threshold", &TestSetting::threshold, "[-1e6, 1e6]", "of the statistic; the best one if left out"),
      optional("replaced", &TestSetting::replaced, "another record in the place; the statistic is less that at -x")};

  void apply(accounting::AdditiveTest& test) const {
    test.noise_multiplier = noise_multiplier;
    test.rate = rate;
    test.epsilon = epsilon;
    test.direction = direction_of(direction);
    test.threshold = threshold;
    test.replaced = replaced;
  }
};

/// k of t positions.
struct Chosen {
  double chosen = 1.0, positions = 1.0, epochs = 1.0;
  static constexpr std::tuple fields{
      required("chosen", &Chosen::chosen, whole("[1, 1e6]"), "k: the positions of an epoch that the record is in"),
      required("positions", &Chosen::positions, whole("[1, 1e6]"), "t of an epoch"),
      optional("epochs", &Chosen::epochs, whole("[1, 1e6]"), "E, each with a new choice")};
};

void require_chosen(const Chosen& s) {
  if (s.chosen > s.positions) {
    throw DomainError("", "chosen", s.chosen, "[1, positions]");
  }
}

Record allocation_test(const Chosen& s, const TestSetting& by) {
  require_chosen(s);
  accounting::AdditiveTest test = accounting::allocation_test(s.chosen, s.positions, s.epochs, by.noise_multiplier);
  by.apply(test);
  return test_record(accounting::additive_test(test));
}

Record allocation_moment(const Chosen& s, double noise_multiplier, double order) {
  require_chosen(s);
  const Enclosure moment =
      accounting::allocation_log_moment({s.chosen, s.positions, s.epochs, noise_multiplier}, static_cast<int>(order));
  const Enclosure renyi = outward(scale(moment, 1.0 / (order - 1.0)), 4e-16);
  return {{"log_moment", {moment.upper}},
          {"log_moment_lower", {moment.lower}},
          {"renyi", {renyi.upper}},
          {"renyi_lower", {renyi.lower}}};
}

Record allocation_bounds(const Chosen& s, double noise_multiplier, double rate, double epsilon) {
  require_chosen(s);
  const auto bounds = accounting::allocation_bounds({s.chosen, s.positions, s.epochs, noise_multiplier}, rate, epsilon);
  return {{"delta_add_geometric", {bounds.add_geometric}},
          {"delta_remove_conditioned_poisson", {bounds.remove_conditioned}},
          {"log_conditioning", {bounds.log_conditioning}}};
}

/// Shuffled batches.
struct ShuffledSetting {
  double noise_multiplier = 1.0, batches = 1.0, epochs = 1.0, epsilon = 0.0;
  std::string adjacency = "zero-out-remove";
  bool reshuffle = true;
  static constexpr std::tuple fields{
      required("noise_multiplier", &ShuffledSetting::noise_multiplier, "[0.1, 1e4]", "Z"),
      required("batches", &ShuffledSetting::batches, whole("[1, 1e6]"), "t of an epoch"),
      optional("epochs", &ShuffledSetting::epochs, whole("[1, 1e5]"), "E"),
      required("epsilon", &ShuffledSetting::epsilon, "[0, 200]", "epsilon"),
      optional("adjacency", &ShuffledSetting::adjacency, "zero-out-remove, zero-out-add or replace-one"),
      optional("reshuffle", &ShuffledSetting::reshuffle, "whether every epoch has a new order")};

  [[nodiscard]] accounting::Shuffled run() const {
    using accounting::ShuffledPair;
    accounting::Shuffled run{noise_multiplier, batches, epochs, ShuffledPair::remove, reshuffle};
    if (adjacency == "zero-out-add") {
      run.pair = ShuffledPair::add;
    } else if (adjacency == "replace-one") {
      run.pair = ShuffledPair::replace_one;
    } else if (adjacency != "zero-out-remove") {
      throw DomainError("adjacency: \"" + adjacency + "\" is none of zero-out-remove, zero-out-add and replace-one");
    }
    return run;
  }
};

Record shuffled_bound(const ShuffledSetting& s, double log_inverse_rate, double hidden) {
  const auto bound = accounting::shuffled_bound(s.run(), s.epsilon, log_inverse_rate, hidden);
  return {{"rate", {bound.rate}},   {"slack", {bound.slack}},
          {"tail", {bound.tail}},   {"allocation", {bound.allocation}},
          {"delta", {bound.delta}}, {"unamplified", {bound.unamplified}}};
}

Record shuffled_max(const ShuffledSetting& s) {
  return {{"delta_lower", {accounting::shuffled_largest(s.run(), s.epsilon)}}};
}

/// Participation with minimum separation.
struct SeparatedSetting {
  double steps = 1.0, sampling_rate = 0.1, separation = 1.0;
  bool warm_start = true;
  static constexpr std::tuple fields{
      required("steps", &SeparatedSetting::steps, whole("[1, 1e6]"), "T"),
      required("sampling_rate", &SeparatedSetting::sampling_rate, "(0, 1]", "p of a record that is free"),
      required("separation", &SeparatedSetting::separation, whole("[1, 1e6]"), "b: steps from one use to the next"),
      optional("warm_start", &SeparatedSetting::warm_start, "the first step is as any later one")};
};

Record b_min_sep_test(const SeparatedSetting& s, const TestSetting& by) {
  const accounting::MinimumSeparation sampler{s.steps, s.sampling_rate, s.separation, s.warm_start};
  accounting::AdditiveTest test{.steps = s.steps, .fewest = 0.0, .probability = sampler.participations()};
  by.apply(test);
  Record record = test_record(accounting::additive_test(test));
  const auto pair = test.replaced                                     ? accounting::Pair::poisson_replace_one
                    : test.direction == accounting::Direction::remove ? accounting::Pair::poisson_remove
                                                                      : accounting::Pair::poisson_add;
  accounting::Composition poisson;
  poisson.components.push_back({s.sampling_rate, 1.0 / by.noise_multiplier, s.steps, pair});
  record.add("marginal_rate", {sampler.marginal_rate()});
  record.add("delta_poisson", {accounting::composition_curve(poisson)->delta(by.epsilon).value.upper});
  return record;
}

}  // namespace

std::vector<Calculator> positions() {
  const auto noise = argument("noise_multiplier", "noise_multiplier", "[0.1, 1e4]", "Z");
  return {calculator<&one_position>("one-position", {"one-position"},
                                    "certified delta of a record in one random position of t, and that of the largest "
                                    "output alone"),
          calculator<&allocation_test>("allocation-test", {"additive-test"},
                                       "certified lower delta of k of t positions by a test on an additive statistic"),
          calculator<&allocation_moment>("allocation-moment", {"allocation-moment"},
                                         "exact moment of the likelihood ratio of k of t positions",
                                         {noise, argument("order", "order", whole("[2, 16]"), "of the moment")}),
          calculator<&allocation_bounds>("allocation-bounds", {"allocation-bounds"},
                                         "upper deltas of k of t positions in closed form and by conditioning",
                                         {noise, argument("rate", "rate", "(0, 1)", "of the Poisson batches"),
                                          argument("epsilon", "epsilon", "[0, 700]", "epsilon")}),
          calculator<&shuffled_bound>(
              "shuffled-bound", {"shuffled"}, "upper delta of shuffled batches at one choice of clones, with its parts",
              {argument("log_inverse_rate", "log_inverse_rate", "(0, 700]", "b"),
               argument("hidden", "hidden", whole("[0, 1e6]"), "m: clones that are counted on")}),
          calculator<&shuffled_max>("shuffled-max", {"shuffled"},
                                    "certified lower delta of shuffled batches by the largest output of each epoch"),
          calculator<&b_min_sep_test>("b-min-sep-test", {"b-min-sep"},
                                      "certified lower delta of participation with minimum separation, by a test")};
}

}  // namespace dpcurves::calculators
