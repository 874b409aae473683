// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The algorithms for private generalised linear models: what their noise promises, beside what the paper claims of it.
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

#include <dpcurves/accounting/detail/failure_event.hpp>
#include <dpcurves/bounds/glm_phased.hpp>
#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Guarantee;
using bounds::GlmMechanism;
using models::PhasedAlgorithm;

/// What is known of an algorithm by its short name.
struct Known {
  const char* name;
  const char* theorem;
  const char* title;
  GlmMechanism mechanism;
  std::optional<PhasedAlgorithm> phases;
  bool projects = false;
};

const std::vector<Known>& known() {
  static const std::vector<Known> all{
      {"alg2", "dp-glm-networks/theorem-1", "phased SGD (Algorithm 2)", GlmMechanism::algorithm_2,
       PhasedAlgorithm::plain},
      {"alg3", "dp-glm-networks/theorem-2", "projected phased SGD (Algorithm 3)", GlmMechanism::algorithm_3,
       PhasedAlgorithm::projected, true},
      {"alg5", "dp-glm-networks/theorem-4", "phased SGD on Moreau envelopes (Algorithm 5)", GlmMechanism::algorithm_5,
       PhasedAlgorithm::smoothed},
      {"alg6", "dp-glm-networks/theorem-5", "projected phased SGD on Moreau envelopes (Algorithm 6)",
       GlmMechanism::algorithm_6, PhasedAlgorithm::projected_smoothed, true},
      {"alg7",
       "dp-glm-networks/theorem-6",
       "projected noisy gradient descent for ReLU (Algorithm 7)",
       GlmMechanism::algorithm_7,
       {},
       true},
      {"alg8",
       "dp-glm-networks/theorem-7",
       "adaptive batched gradient descent for ReLU (Algorithm 8)",
       GlmMechanism::classic,
       {}}};
  return all;
}

const Known& asked(const Values& values) {
  exclude(values, "algorithm", "variant");
  std::string name = values.text("algorithm");
  if (values.has("variant")) {
    const std::string variant = values.text("variant");
    name = variant == "full" ? "alg2" : variant == "projected" ? "alg3" : "alg5";
  }
  for (const Known& one : known()) {
    if (name == one.name) {
      return one;
    }
  }
  throw UsageError("--algorithm: \"" + name + "\" is not one of alg2, alg3, alg5, alg6, alg7, alg8");
}

/// The chance that the projection fails: as the claim has it, or that of the dimension that is given.
double failure_of(const Values& values, double delta, Guarantee& guarantee) {
  if (values.flag("renormalise")) {
    return 0.0;
  }
  if (!values.has("projected-dimension") || !values.has("records")) {
    guarantee.assumed.emplace_back(
        "|Phi x| <= 2|x| for all records but with chance delta/2 = " + shortest(0.5 * delta) +
        "; --records and --projected-dimension settle it, --renormalise makes it sure");
    return 0.5 * delta;
  }
  const double m = values.number("projected-dimension"), n = values.number("records");
  const auto event = bounds::johnson_lindenstrauss_event(m, n, delta);
  if (!event.enough) {
    guarantee.violations.push_back(
        {"a projection that fails with chance at most delta/2 = " + shortest(0.5 * delta),
         "dimension " + shortest(m) + " fails with chance up to " +
             rounded(std::fmin(1.0, std::exp(event.log_union_failure)), 4),
         "a projected dimension of at least " + shortest(event.least_dimension) + ", or --renormalise"});
  }
  return std::fmin(0.5, std::exp(event.log_union_failure));
}

bool smooth(const Known& algorithm) {
  return algorithm.phases == PhasedAlgorithm::smoothed || algorithm.phases == PhasedAlgorithm::projected_smoothed;
}

/// \throws UsageError  for an option that no answer of this algorithm looks at.
void refuse_unused(const Values& values, const Known& algorithm) {
  const auto refuse = [&](bool unused, std::initializer_list<const char*> options, const char* why) {
    for (const char* option : options) {
      if (unused && values.has(option)) {
        throw UsageError(std::string("--") + option + ": " + algorithm.name + why);
      }
    }
  };
  refuse(!algorithm.projects, {"projected-dimension", "renormalise", "records"}, " projects nothing");
  refuse(!algorithm.phases, {"step-size"}, " has no phases whose steps could expand");
  refuse(!algorithm.phases || smooth(algorithm), {"lipschitz"}, " takes no steps on the link itself");
  refuse(!smooth(algorithm), {"smoothing"}, " takes no steps on Moreau envelopes");
  refuse(std::string(algorithm.name) != "alg8", {"dimension"}, " does not depend on the dimension of the features");
  refuse(values.flag("renormalise"), {"projected-dimension", "records"},
         " with --renormalise has no event that can fail");
}

std::vector<Guarantee> phased_guarantees(const Values& values, const Target& /*target*/) {
  const Known& algorithm = asked(values);
  refuse_unused(values, algorithm);
  const double epsilon = values.number("claimed-epsilon"), delta = values.number("claimed-delta");
  const bool batches = std::string(algorithm.name) == "alg8";
  const std::string noise = values.text("noise");
  if (batches && !values.has("dimension")) {
    throw UsageError("--dimension: is required for alg8, whose features have norm sqrt(d)");
  }
  if (noise == "corrected" && !batches) {
    throw UsageError("--noise: \"corrected\" is for alg8; the noise of " + std::string(algorithm.name) +
                     " is private as printed");
  }
  Guarantee guarantee;
  guarantee.theorem = algorithm.theorem;
  guarantee.title = algorithm.title;
  const double target = bounds::delta_target(algorithm.mechanism, delta);
  double failure = 0.0;
  if (algorithm.projects) {
    failure = failure_of(values, delta, guarantee);
  }
  const double printed = batches && noise == "printed"
                             ? bounds::algorithm_8_printed_mu(values.number("dimension"), epsilon, delta)
                             : bounds::printed_mu(algorithm.mechanism, epsilon, delta);
  const double most = tradeoff::mu_of_epsilon_delta(epsilon, target);
  const double mu = noise == "exact" ? next_down(most * (1.0 - 1e-13)) : printed;
  if (!std::isfinite(mu)) {
    throw DomainError("--claimed-epsilon: the strength mu of the noise is no double");
  }
  const double needed = most / printed;
  const std::string claim = "(" + shortest(epsilon) + ", " + shortest(delta) + ")";
  if (noise == "exact") {
    guarantee.note = "noise by the exact curve: " + rounded_up(1.0 / needed, 8) + " times the " +
                     (batches ? "corrected" : "printed") + " standard deviation";
  } else if (needed >= 1.0) {
    guarantee.note = "private as claimed, " + claim + ": exact delta at the claimed epsilon " +
                     rounded_up(tradeoff::delta_of_epsilon(epsilon, mu), 6) + ", epsilon at delta " +
                     rounded(target, 6) + " is " + rounded_up(tradeoff::epsilon_of_delta(target, mu), 8) +
                     "; the noise is " + rounded_down(needed, 6) + " times what is needed";
  } else {
    guarantee.note = "NOT private as claimed, " + claim + ": exact delta at the claimed epsilon " +
                     rounded_up(tradeoff::delta_of_epsilon(epsilon, mu), 6) + ", epsilon at delta " +
                     rounded(target, 6) + " is " + rounded_up(tradeoff::epsilon_of_delta(target, mu), 8) +
                     "; multiply the noise by at least " + rounded_up(1.0 / needed, 6);
    if (batches) {
      guarantee.note += ", or by sqrt(d) = " + rounded(std::sqrt(values.number("dimension")), 6) +
                        " (--noise corrected) as its proof needs";
    }
  }
  guarantee.setting = {{"adjacency", "replace one of n records; every w_i may be published"},
                       {"noise", noise == "printed" ? "as the algorithm prints it for the claimed epsilon and delta"
                                 : noise == "exact" ? "the least that the exact curve allows for the claim"
                                                    : "with the factor sqrt(d) that its proof needs"}};
  if (algorithm.phases) {
    const char* curvature = smooth(algorithm) ? "smoothing" : "lipschitz";
    if (values.has("step-size") && values.has(curvature)) {
      bounds::PhasedSetting setting;
      setting.step_size = values.number("step-size");
      (smooth(algorithm) ? setting.smoothing : setting.lipschitz) = values.number(curvature);
      setting.epsilon = setting.delta = 0.25;  // only the step is checked
      for (auto& violation : bounds::verdict(*algorithm.phases, setting).violations) {
        guarantee.violations.push_back(std::move(violation));
      }
    } else {
      guarantee.assumed.emplace_back(std::string("steps that do not expand: eta/4 <= ") +
                                     (algorithm.projects ? (smooth(algorithm) ? "1/(2 beta)" : "1/(2 G)")
                                                         : (smooth(algorithm) ? "2/beta" : "2/G")) +
                                     "; --step-size and --" + curvature + " settle it");
    }
    guarantee.assumed.emplace_back("Assumption 1: a non-decreasing link, link and labels in [-B, B], |x| <= 1");
  } else {
    guarantee.assumed.emplace_back(batches ? "|x| <= sqrt(d) and labels in [-B, B]; disjoint batches"
                                           : "|x| <= 1, labels in [-B, B], iterates in a ball of radius 2W");
  }
  if (guarantee.violations.empty()) {
    guarantee.curve = accounting::outside_event(
        accounting::gaussian_curve(outward(exactly(mu), noise == "exact" ? 0.0 : 2e-15)), failure);
  }
  return {guarantee};
}

}  // namespace

std::vector<Algorithm> phased_sgd_algorithms() {
  Algorithm phased;
  phased.name = "phased-sgd";
  phased.summary = "private generalised linear models: phased SGD and its relatives";
  phased.example = "--claimed-epsilon 1 --claimed-delta 1e-5";
  phased.options = {
      {"claimed-epsilon", OptionKind::number, "(0, inf)", "epsilon for which the algorithm sets its noise", "Required"},
      {"claimed-delta", OptionKind::number, "(0, 0.5]", "delta for which the algorithm sets its noise", "Required"},
      {"variant", OptionKind::text, "full|projected|moreau", "Algorithm 2, 3 or 5"},
      {"algorithm", OptionKind::text, "alg2|alg3|alg5|alg6|alg7|alg8 = alg2", "the algorithm by its number"},
      {"noise", OptionKind::text, "printed|corrected|exact = printed",
       "the noise of the paper, with the missing factor (alg8), or the least that is private"},
      {"records", OptionKind::count, "[2, inf)", "number of records, for the projection"},
      {"projected-dimension", OptionKind::count, "[1, inf)", "dimension of the projection (alg3, alg6, alg7)"},
      {"renormalise", OptionKind::flag, "", "projected rows are scaled to norm at most 2: no event can fail"},
      {"dimension", OptionKind::count, "[1, inf)", "dimension of the features (alg8)"},
      {"step-size", OptionKind::number, "(0, inf)", "eta; phase i takes eta/4^i"},
      {"lipschitz", OptionKind::number, "(0, inf)", "Lipschitz constant G of the link"},
      {"smoothing", OptionKind::number, "(0, inf)", "beta of the Moreau envelope (alg5, alg6)"}};
  phased.guarantees = phased_guarantees;
  return {phased};
}

}  // namespace dpcurves::queries
