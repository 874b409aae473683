// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps that are mixtures: given ones, uses of a record in a batch, truncated batches, schedules, adaptive clipping.
#include <algorithm>
#include <optional>

#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/calculators/tables/dp_sgd_run.hpp>
#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/core/assumption.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::calculators {
namespace {

using accounting::CurvePtr;

/// Given steps.
struct GivenMixtures {
  std::vector<accounting::MixtureStep> steps;
  std::string direction = "both";
  static constexpr std::tuple fields{
      required("steps", &GivenMixtures::steps, "steps of one kind each"),
      optional("direction", &GivenMixtures::direction, "remove (mixtures against N(0)), add (the reverse), or both")};
};

Record mixture(const GivenMixtures& s, double epsilon) {
  if (s.direction != "remove" && s.direction != "add" && s.direction != "both") {
    throw DomainError("direction: " + s.direction + " is none of remove, add, both");
  }
  Enclosure worst{0.0, 0.0};
  for (const bool remove : {true, false}) {
    if (s.direction != (remove ? "add" : "remove")) {
      const Enclosure d = accounting::given_mixtures_curve(s.steps, remove)->delta(epsilon).value;
      worst = {std::max(worst.lower, d.lower), std::max(worst.upper, d.upper)};
    }
  }
  return {{"delta", {worst.upper}}, {"delta_lower", {worst.lower}}};
}

/// Records that may be used more than once in a batch.
struct Uses {
  std::string sampling = "with-replacement";
  double noise_multiplier = 1.0;
  double batch_size = 1.0;
  double records = 1.0;
  double group_size = 1.0;
  double steps = 1.0;
  std::string adjacency = "zero-out";
  double others = -1.0;
  static constexpr std::tuple fields{
      required("sampling", &Uses::sampling, "with-replacement or fixed-size"),
      required("noise_multiplier", &Uses::noise_multiplier, "(0, inf)", "noise over the clipping norm"),
      required("batch_size", &Uses::batch_size, whole("[1, 1e15]"), "draws of a batch"),
      required("records", &Uses::records, whole("[1, 1e15]"), "records drawn from"),
      optional("group_size", &Uses::group_size, whole("[1, 2000]"), "records of one owner"),
      required("steps", &Uses::steps, whole("[0, 1e15]"), "how many"),
      required("adjacency", &Uses::adjacency, "zero-out, zero-out-remove, zero-out-add or replace-one"),
      optional("others", &Uses::others, "[-1, 1]", "gradients of all other records in the instance")};
};

Record multiplicity(const Uses& s, double epsilon) {
  using accounting::MultiplicityDirection;
  if (s.sampling != "with-replacement" && s.sampling != "fixed-size") {
    throw DomainError("sampling: " + s.sampling + " is none of with-replacement, fixed-size");
  }
  std::vector<MultiplicityDirection> directions;
  if (s.adjacency == "replace-one") {
    directions = {MultiplicityDirection::replace};
  } else if (s.adjacency == "zero-out-remove" || s.adjacency == "zero-out-add" || s.adjacency == "zero-out") {
    if (s.adjacency != "zero-out-add") {
      directions.push_back(MultiplicityDirection::zero_remove);
    }
    if (s.adjacency != "zero-out-remove") {
      directions.push_back(MultiplicityDirection::zero_add);
    }
  } else {
    throw DomainError("adjacency: " + s.adjacency + " is none of zero-out, zero-out-remove, zero-out-add, replace-one");
  }
  const accounting::Multiplicity setting{
      s.sampling == "with-replacement", s.noise_multiplier, s.batch_size, s.records, s.group_size, s.steps, s.others};
  Enclosure revealed{0.0, 0.0}, hidden = revealed, instance = revealed, least = revealed;
  const auto larger = [](Enclosure& a, const Enclosure& b) {
    a = {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
  };
  for (const MultiplicityDirection d : directions) {
    const auto curves = accounting::multiplicity_curves(setting, d);
    const Enclosure r = curves.revealed->delta(epsilon).value, h = curves.hidden->delta(epsilon).value;
    larger(revealed, r);
    larger(hidden, h);
    larger(least, {std::min(r.lower, h.lower), std::min(r.upper, h.upper)});
    larger(instance, curves.instance->delta(epsilon).value);
  }
  return {{"delta_public", {revealed.upper}},
          {"delta_hidden", {hidden.upper}},
          {"delta", {least.upper}},
          {"delta_instance", {instance.lower}}};
}

Record truncation(double records, double sampling_rate, double largest_batch) {
  const auto t = accounting::truncation(records, sampling_rate, largest_batch);
  return {{"truncation", {t.truncation.middle()}},
          {"conditional_rate", {t.conditional_rate.middle()}},
          {"inclusion_rate", {t.inclusion_rate.middle()}},
          {"overflow", {t.overflow.middle()}}};
}

Record truncated_by_others(const DpSgdRun& s, double epsilon) {
  const accounting::DpSgd run = run_of(s);
  const auto by_displaced = accounting::dp_sgd_guarantee(run);
  require_theorem(by_displaced.theorem.c_str(), by_displaced.violations);
  const auto guarantee = accounting::truncated_by_others(run);
  if (!guarantee) {
    throw DomainError("sampling: truncated-poisson with a rate below 1, or a cut that no batch reaches, is needed");
  }
  const Enclosure delta = guarantee->curve->delta(epsilon).value;
  return {{"delta", {delta.upper}}, {"delta_lower", {delta.lower}}};
}

/// Steps of one kind with a sampler of their own.
struct Part {
  mechanism::Sampler sampling = mechanism::Sampler::poisson;
  double noise_multiplier = 1.0;
  double sampling_rate = 1.0;
  double steps = 0.0;
  double records = 0.0;
  double cycle = 1.0;
  double largest_batch = 0.0;
  static constexpr std::tuple fields{
      required("sampling", &Part::sampling, "how batches are drawn"),
      required("noise_multiplier", &Part::noise_multiplier, "(0, inf)", "noise over the clipping norm"),
      optional("sampling_rate", &Part::sampling_rate, "[0, 1]", "q; not used without sampling"),
      required("steps", &Part::steps, whole("[0, 1e15]"), "how many"),
      optional("records", &Part::records, whole("[0, 1e15]"), "number of records, where the sampler asks for it"),
      optional("cycle", &Part::cycle, whole("[1, 1e15]"), "cyclic-poisson: groups of records that take turns"),
      optional("largest_batch", &Part::largest_batch, whole("[0, 1e15]"), "truncated-poisson: what a batch is cut to")};
};
/// Parts, one after the other.
struct Schedule {
  std::vector<Part> parts;
  std::string adjacency = "add-or-remove";
  double group_size = 1.0;
  static constexpr std::tuple fields{
      required("parts", &Schedule::parts, "steps of one kind each, with a sampler of their own"),
      optional("adjacency", &Schedule::adjacency, "add-or-remove, add, remove, replace-one or zero-out"),
      optional("group_size", &Schedule::group_size, whole("[1, 2000]"), "records of one owner")};
};

Record schedule(const Schedule& s, double epsilon) {
  accounting::DpSgd run{.adjacency = mechanism::adjacency_of(s.adjacency), .group_size = s.group_size};
  for (const Part& p : s.parts) {
    run.phases.push_back(
        {p.noise_multiplier, p.sampling_rate, p.steps, p.sampling, p.records, p.cycle, p.largest_batch});
  }
  const auto guarantee = accounting::dp_sgd_guarantee(run);
  require_theorem(guarantee.theorem.c_str(), guarantee.violations);
  const accounting::Answer answer = guarantee.curve->delta(epsilon);
  return {{"delta", {answer.value.upper}},
          {"delta_lower", {answer.value.lower}},
          {"theorem", to_value(guarantee.theorem)},
          {"direction", to_value(answer.direction)}};
}

Record adaptive_clipping(const accounting::AdaptiveClipping& s, double noise_multiplier, std::optional<double> target) {
  Record out{{"noise_multiplier", {accounting::with_counts(noise_multiplier, s)}}};
  if (target) {
    out.add("noise_multiplier_for_target", {accounting::for_counts(*target, s)});
  }
  return out;
}

/// Mechanisms of any kind.
struct Mechanisms {
  std::vector<accounting::Mechanism> components;
  std::string direction = "both";
  static constexpr std::tuple fields{
      required("components", &Mechanisms::components, "mechanisms, each composed with itself"),
      optional("direction", &Mechanisms::direction,
               "remove, add or both; matters where records are sampled and for given losses")};
};

Record mechanisms(const Mechanisms& s, std::optional<double> epsilon, std::optional<double> delta) {
  if (s.direction != "remove" && s.direction != "add" && s.direction != "both") {
    throw DomainError("direction: " + s.direction + " is none of remove, add, both");
  }
  if (!epsilon && !delta) {
    throw DomainError("epsilon: neither epsilon nor delta is given");
  }
  Enclosure deltas{0.0, 0.0}, epsilons{0.0, 0.0};
  const auto larger = [](Enclosure& a, const Enclosure& b) {
    a = {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
  };
  for (const bool remove : {true, false}) {
    if (s.direction == (remove ? "add" : "remove")) {
      continue;
    }
    const CurvePtr curve = accounting::mechanisms_curve(s.components, remove);
    if (epsilon) {
      larger(deltas, curve->delta(*epsilon).value);
    }
    if (delta) {
      larger(epsilons, curve->epsilon(*delta).value);
    }
  }
  Record out;
  if (epsilon) {
    out.add("delta", {deltas.upper});
    out.add("delta_lower", {deltas.lower});
  }
  if (delta) {
    out.add("epsilon", {epsilons.upper});
    out.add("epsilon_lower", {epsilons.lower});
  }
  return out;
}

}  // namespace

std::vector<Calculator> mixtures() {
  const auto epsilon = argument("epsilon", "epsilon", "(-inf, inf)", "epsilon");
  return {
      calculator<&mixture>("mixture", {"group-mixture"},
                           "certified delta of composed mixtures of normal laws against N(0)", {epsilon}),
      calculator<&multiplicity>(
          "multiplicity", {"multiplicity"},
          "delta where records are used more than once in a batch: two bounds, the smaller, an instance", {epsilon}),
      calculator<&truncation>(
          "truncation", {"truncated-poisson"}, "chances of a Poisson batch that is cut at a largest size",
          {argument("records", "records", whole("[1, 1e12]"), "number of records"),
           argument("sampling_rate", "sampling_rate", "[0, 1]", "chance of a record before the cut"),
           argument("largest_batch", "largest_batch", whole("[1, 1e12]"), "largest size")}),
      calculator<&truncated_by_others>(
          "truncated-by-others", {"truncated-by-others"},
          "certified delta of truncated Poisson batches, told apart by how many of the other records are kept",
          {epsilon}),
      calculator<&schedule>("schedule", {"truncated-poisson", "cyclic-poisson"},
                            "certified delta of parts with samplers of their own", {epsilon}),
      calculator<&mechanisms>("mechanisms", {"mechanisms"},
                              "certified delta or epsilon of composed mechanisms of any kind",
                              {argument("epsilon", "epsilon", "(-inf, inf)", "epsilon at which delta is asked"),
                               argument("delta", "delta", "(0, 1)", "delta at which epsilon is asked")}),
      calculator<&adaptive_clipping>(
          "adaptive-clipping", {"group-mixture"},
          "noise multiplier of a sum and the counts that its clipping norm follows",
          {argument("noise_multiplier", "noise_multiplier", "(0, inf)", "noise over the clipping norm of the sum"),
           argument("target", "target", "(0, inf)", "noise multiplier that both together are to have")})};
}

}  // namespace dpcurves::calculators
