// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/accounting/no_noise.hpp>
#include <dpcurves/accounting/position_samplers.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/rounding.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Adjacency;
using mechanism::in_epochs;
using mechanism::Sampler;
using mechanism::steps_of_epoch;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_count = 1e15;

/// The pair of a direction and the distance that one step can move, in units of Z.
struct Law {
  const char* direction;
  Pair pair;
  double distance;
};

/// Empty: there is no theorem.
std::vector<Law> laws(Sampler sampling, Adjacency adjacency) {
  const bool replace = adjacency == Adjacency::replace_one;
  switch (sampling) {
    case Sampler::poisson: {
      const Law remove{"remove", Pair::poisson_remove, 1.0};
      const Law add{"add", Pair::poisson_add, 1.0};
      return replace                          ? std::vector<Law>{{"both", Pair::poisson_replace_one, 1.0}}
             : adjacency == Adjacency::remove ? std::vector<Law>{remove}
             : adjacency == Adjacency::add    ? std::vector<Law>{add}
                                              : std::vector<Law>{remove, add};
    }
    case Sampler::fixed_size:
      if (replace) {
        return {{"both", Pair::symmetrised, 2.0}};
      }
      return adjacency == Adjacency::zero_out
                 ? std::vector<Law>{{"remove", Pair::fixed_size_remove, 1.0}, {"add", Pair::fixed_size_add, 1.0}}
                 : std::vector<Law>{};
    case Sampler::none:
      return {{"both", Pair::symmetrised, replace ? 2.0 : 1.0}};
    case Sampler::balls_in_bins:  // the directions; the laws are those of position_samplers.hpp
      return replace ? std::vector<Law>{{"both", Pair::poisson_replace_one, 1.0}} : laws(Sampler::poisson, adjacency);
    case Sampler::b_min_sep:          // the same
    case Sampler::random_allocation:  // those of random_allocation.hpp
      return replace ? std::vector<Law>{} : laws(Sampler::poisson, adjacency);
    case Sampler::shuffled:
    case Sampler::cyclic:
      return replace || adjacency == Adjacency::zero_out
                 ? std::vector<Law>{{"both", Pair::symmetrised, replace ? 2.0 : 1.0}}
                 : std::vector<Law>{};
    default:
      return {};
  }
}

/// Each once, in the order of the phases; that of the run where there is no phase.
std::vector<Sampler> samplers(const DpSgd& run) {
  std::vector<Sampler> list;
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler one = phase.sampling.value_or(run.sampling);
    if (std::find(list.begin(), list.end(), one) == list.end()) {
      list.push_back(one);
    }
  }
  return list.empty() ? std::vector{run.sampling} : list;
}

bool allocated(const DpSgd& run) {
  const auto used = samplers(run);
  return std::any_of(used.begin(), used.end(), detail::stands_alone);
}

/// "remove" and "add" as far as the pair of some phase knows them, else "both".
std::vector<std::string> direction_names(const DpSgd& run) {
  std::vector<std::string> names;
  for (const Sampler sampling : samplers(run)) {
    for (const Law& law : laws(sampling, run.adjacency)) {
      if (law.direction != std::string("both") && std::find(names.begin(), names.end(), law.direction) == names.end()) {
        names.emplace_back(law.direction);
      }
    }
  }
  return names.empty() ? std::vector<std::string>{"both"} : names;
}

/// The same with the pairs of mechanisms: two directions unless all pairs are symmetric.
std::vector<std::string> mechanism_directions(const DpSgd& run) {
  auto names = direction_names(run);
  const bool symmetric = std::all_of(run.mechanisms.begin(), run.mechanisms.end(), [](const auto& m) {
    return m.sampling_rate == 1.0 && m.kind != mechanism::MechanismKind::losses &&
           m.kind != mechanism::MechanismKind::mixture;
  });
  if (names.front() == "both" && !symmetric) {
    names = run.adjacency == Adjacency::add      ? std::vector<std::string>{"add"}
            : run.adjacency == Adjacency::remove ? std::vector<std::string>{"remove"}
                                                 : std::vector<std::string>{"remove", "add"};
  }
  return names;
}

/// Rounds of floor(uses / q) steps, the last one counted in full.
RandomAllocation allocation(const DpSgd& run) {
  const DpSgdPhase& phase = run.phases.front();
  const double steps = steps_of_epoch(phase.sampling_rate / run.uses_per_round);
  return {phase.noise_multiplier, steps, run.uses_per_round, std::ceil(phase.steps / steps)};
}

/// What random_allocation_curves needs beyond a supported adjacency.
std::vector<Violation> allocation_violations(const DpSgd& run) {
  if (run.phases.size() != 1 || !run.unsampled.empty() || !run.claims.empty() || !run.concentrated.empty() ||
      !run.mechanisms.empty()) {
    return {{"steps of one kind and nothing else with random-allocation", "several phases or unsampled releases",
             "poisson or fixed-size batches, which compose with anything"}};
  }
  std::vector<Violation> found;
  const DpSgdPhase& phase = run.phases.front();
  if (!(phase.noise_multiplier >= 0.1 && phase.noise_multiplier <= 1e4)) {
    found.push_back({"a noise multiplier in [0.1, 1e4] with random-allocation", shortest(phase.noise_multiplier),
                     "a noise multiplier in that range, or poisson batches"});
  }
  if (!(phase.sampling_rate > 0.0) || steps_of_epoch(phase.sampling_rate / run.uses_per_round) > 1e7) {
    found.push_back({"at most 1e7 steps in a round of random-allocation",
                     "sampling rate " + shortest(phase.sampling_rate),
                     "a sampling rate of at least 1e-7, or poisson batches"});
  } else if (std::isfinite(phase.steps)) {
    const RandomAllocation rounds = allocation(run);
    if (rounds.epochs > 1e6 || rounds.epochs < 1.0) {
      found.push_back({"1 to 1e6 rounds of random-allocation", shortest(rounds.epochs) + " rounds",
                       "at least as many steps as one round has, and at most 1e6 rounds"});
    }
  }
  return found;
}

/// Composition of one direction. A phase whose pair is symmetric is the same in all.
Composition compose(const DpSgd& run, const std::string& direction) {
  Composition composition;
  const auto add_gaussian = [&](double mu, double count) {
    composition.components.push_back({1.0, mu, count, Pair::symmetrised});
  };
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler sampling = phase.sampling.value_or(run.sampling);
    for (const Law& law : laws(sampling, run.adjacency)) {
      if (law.direction != direction && law.direction != std::string("both")) {
        continue;
      }
      const double mu = ratio_up(law.distance, phase.noise_multiplier);
      if (sampling == Sampler::none) {
        add_gaussian(mu, phase.steps);
      } else if (in_epochs(sampling)) {
        add_gaussian(mu, uses_of_a_record(phase.sampling_rate, phase.steps));
      } else {
        composition.components.push_back({phase.sampling_rate, mu, phase.steps, law.pair});
      }
    }
  }
  for (const UnsampledRelease& release : run.unsampled) {
    // A replaced record moves a sum twice as far as one that is left out.
    const double distance = run.adjacency == Adjacency::replace_one ? 2.0 : 1.0;
    if (release.noise_multiplier > 0.0) {
      add_gaussian(ratio_up(distance, release.noise_multiplier), release.count);
    }
  }
  return composition;
}

/// The claims, and the sums without noise as claims that reveal everything.
std::vector<ClaimedRelease> claims_of(const DpSgd& run) {
  auto claims = run.claims;
  for (const UnsampledRelease& release : run.unsampled) {
    if (release.noise_multiplier == 0.0) {
      claims.push_back({0.0, 1.0, release.count});
    }
  }
  return claims;
}

/// The Renyi divergences of one direction: those of its composition, of what is concentrated and of mechanisms.
divergence::RenyiCurve concentrated_curve(const DpSgd& run, const Composition& composition, bool remove) {
  for (const ConcentratedRelease& release : run.concentrated) {
    require_domain(release.rho >= 0.0 && std::isfinite(release.rho), "rho", release.rho, "[0, inf)");
    require_domain(release.xi >= 0.0 && std::isfinite(release.xi), "xi", release.xi, "[0, inf)");
  }
  return [steps = composition, run, remove](double order) {
    double sum = next_up(renyi(steps, order).upper + detail::mechanisms_renyi(run, remove, order));
    for (const ConcentratedRelease& release : run.concentrated) {
      sum = next_up(sum + next_up(release.count * next_up(next_up(release.rho * order) + release.xi)));
    }
    return sum;
  };
}

void check(const DpSgd& run) {
  const auto count = [](double value, const char* what) {
    require_domain(value >= 0.0 && (std::isinf(value) || (value <= largest_count && value == std::floor(value))), what,
                   value, "the whole numbers [0, 1e15]");
  };
  for (const DpSgdPhase& phase : run.phases) {
    require_domain(phase.noise_multiplier > 0.0 && std::isfinite(phase.noise_multiplier), "noise_multiplier",
                   phase.noise_multiplier, "(0, inf)");
    require_domain(phase.sampling_rate >= 0.0 && phase.sampling_rate <= 1.0, "sampling_rate", phase.sampling_rate,
                   "[0, 1]");
    require_domain(!(in_epochs(phase.sampling.value_or(run.sampling)) || allocated(run)) || phase.sampling_rate > 0.0,
                   "sampling_rate", phase.sampling_rate, "(0, 1]");
    count(phase.steps, "steps");
  }
  require_domain(run.uses_per_round >= 1.0 && run.uses_per_round == std::floor(run.uses_per_round), "uses_per_round",
                 run.uses_per_round, "whole numbers from 1");
  for (const UnsampledRelease& release : run.unsampled) {
    require_domain(release.noise_multiplier >= 0.0 && std::isfinite(release.noise_multiplier), "noise_multiplier",
                   release.noise_multiplier, "[0, inf)");
    count(release.count, "count");
  }
  for (const mechanism::Mechanism& m : run.mechanisms) {
    require(m);
    count(m.count, "count");
  }
}

/// Upper bounds by Renyi divergences, one for each direction; empty where this library has none.
std::vector<DirectedCurve> renyi_beside(const DpSgd& run) {
  std::vector<DirectedCurve> curves;
  constexpr double largest_mu = 100.0;
  const auto used = samplers(run);
  if (used.size() > 1 || !claims_of(run).empty() || !run.concentrated.empty() || !run.mechanisms.empty()) {
    return {};
  }
  for (const Law& law : laws(used.front(), run.adjacency)) {
    Composition steps = compose(run, law.direction);
    if (used.front() == Sampler::fixed_size) {
      for (SubsampledGaussian& part : steps.components) {
        if (part.sampling_rate < 1.0) {
          part.mu *= law.distance < 2.0 ? 2.0 : 1.0;  // the batches differ in one record, whatever its neighbour is
        }
      }
    }
    for (const SubsampledGaussian& part : steps.components) {
      if (part.mu > largest_mu) {
        return {};
      }
    }
    switch (law.pair) {
      case Pair::poisson_remove:
        curves.push_back({law.direction, renyi_bound_curve(poisson_renyi_curve(steps, Direction::remove))});
        break;
      case Pair::poisson_add:
        curves.push_back({law.direction, renyi_bound_curve(poisson_renyi_curve(steps, Direction::add))});
        break;
      case Pair::poisson_replace_one:
        curves.push_back(
            {law.direction, renyi_bound_curve([steps](double order) { return renyi(steps, order).upper; })});
        break;
      default:
        for (SubsampledGaussian& part : steps.components) {
          part.pair = Pair::symmetrised;
        }
        curves.push_back({law.direction, renyi_bound_curve(fixed_size_renyi_curve(steps))});
    }
  }
  return curves;
}

/// The composed profile, held against an upper bound that is computed in another way.
class CheckedCurve final : public PrivacyCurve {
 public:
  CheckedCurve(CurvePtr curve, CurvePtr bound) : curve_(std::move(curve)), bound_(std::move(bound)) {}
  Answer delta(double epsilon) const override {
    return checked(curve_->delta(epsilon), epsilon >= 0.0 ? bound_->delta(epsilon).value.upper : 1.0);
  }
  Answer epsilon(double delta) const override {
    return checked(curve_->epsilon(delta), bound_->epsilon(delta).value.upper);
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return curve_->type_two_errors(type_one_errors);
  }
  std::vector<Enclosure> deltas(std::span<const double> epsilons) const override { return curve_->deltas(epsilons); }
  Enclosure renyi(double order) const override { return curve_->renyi(order); }
  std::optional<Enclosure> mu() const override { return curve_->mu(); }

 private:
  static Answer checked(Answer answer, double bound) {
    if (answer.value.lower > bound) {
      throw ContradictionError("the composed profile gives at least " + shortest(answer.value.lower) +
                               " where Renyi divergences allow at most " + shortest(bound));
    }
    answer.method += ", within Renyi";
    return answer;
  }

  CurvePtr curve_;
  CurvePtr bound_;
};

}  // namespace

std::vector<Violation> violations(const DpSgd& run) {
  std::vector<Violation> found;
  const auto used = samplers(run);
  const bool mixed = mixture::needs_mixtures(run);
  if (mixed) {
    found = mixture::violations(run);
  }
  const auto refused = mixed ? used.end() : std::find_if(used.begin(), used.end(), [&](Sampler sampling) {
    return laws(sampling, run.adjacency).empty();
  });
  const bool rounds = !mixed && std::find(used.begin(), used.end(), Sampler::random_allocation) != used.end();
  if (rounds && run.adjacency == Adjacency::replace_one) {
    found.push_back(
        {"adjacency zero-out (the nearest), add or remove with random-allocation batches, or replace-one "
         "with poisson or fixed-size batches",
         "adjacency replace-one: no bound of this pair is known here",
         "adjacency zero-out, or poisson or fixed-size batches"});
  } else if (refused != used.end() && *refused != Sampler::fixed_size && !in_epochs(*refused) &&
             *refused != Sampler::b_min_sep) {
    found.push_back(
        {"batches that are poisson, fixed-size, shuffled, cyclic, random-allocation, balls-in-bins, b-min-sep or "
         "none",
         std::string(name(*refused)) + " batches: no theorem is known here", "poisson batches"});
  } else if (refused != used.end() && *refused != Sampler::b_min_sep) {
    found.push_back(
        {"adjacency zero-out (the nearest) or replace-one with " + std::string(name(*refused)) + " batches, or " +
             std::string(name(run.adjacency)) + " with poisson batches",
         "adjacency " + std::string(name(run.adjacency)) + ": the law of the batches depends on the number of records",
         "adjacency zero-out or replace-one, or poisson batches"});
  }
  const bool endless =
      std::any_of(run.phases.begin(), run.phases.end(), [](const auto& p) { return std::isinf(p.steps); }) ||
      std::any_of(run.unsampled.begin(), run.unsampled.end(), [](const auto& r) { return std::isinf(r.count); });
  if (endless) {
    found.push_back({"a finite number of steps, at most 1e15", "unlimited",
                     "a number of steps: the loss of independent steps adds up without limit"});
  } else if (allocated(run) && !mixed) {
    const Sampler alone = *std::find_if(used.begin(), used.end(), detail::stands_alone);
    const auto more =
        alone == Sampler::random_allocation ? allocation_violations(run) : detail::position_violations(run, alone);
    found.insert(found.end(), more.begin(), more.end());
  }
  if (!run.mechanisms.empty()) {
    const auto more = detail::mechanism_violations(run);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

std::vector<DpSgdDirection> directions(const DpSgd& run) {
  check(run);
  require_theorem(theorem(run).id.c_str(), violations(run));
  if (allocated(run)) {
    throw DomainError("random allocation is not a composition of steps, nor are balls in bins or minimum separation");
  }
  if (mixture::needs_mixtures(run)) {
    throw DomainError("groups and these batches are compositions of mixtures, which have no certificate");
  }
  if (!claims_of(run).empty() || !run.concentrated.empty() || !run.mechanisms.empty()) {
    throw DomainError("claims, Renyi divergences and other mechanisms are not a composition of steps");
  }
  std::vector<DpSgdDirection> result;
  for (const std::string& direction : direction_names(run)) {
    result.push_back({direction, compose(run, direction)});
  }
  return result;
}

Guarantee detail::described(const DpSgd& run) {
  const DpSgdTheorem about = theorem(run);
  Guarantee guarantee;
  guarantee.theorem = about.id;
  guarantee.title = about.title;
  guarantee.note = about.note;
  guarantee.sampling = run.sampling;
  guarantee.adjacency = run.adjacency;
  guarantee.setting = {{"sampling", about.sampling}, {"adjacency", about.adjacency}, {"clipping", about.clipping}};
  guarantee.assumed = {"batches, noise and the clipping norm do not depend on the data beyond the earlier releases"};
  const auto used = samplers(run);
  if (std::any_of(used.begin(), used.end(), in_epochs)) {
    guarantee.assumed.emplace_back(run.phases.size() > 1 ? "every phase starts a new epoch"
                                                         : "the first step starts an epoch");
  }
  return guarantee;
}

Guarantee detail::composed_guarantee(const DpSgd& run, const Accuracy& accuracy) {
  check(run);
  Guarantee guarantee = described(run);
  const auto used = samplers(run);
  guarantee.violations = violations(run);
  if (!guarantee.violations.empty()) {
    return guarantee;
  }
  if (mixture::needs_mixtures(run)) {
    guarantee.directions = mixture::curves(run);
    guarantee.curve = worst_curve(guarantee.directions);
    return guarantee;
  }
  if (allocated(run) && used.front() != Sampler::random_allocation) {
    add_position_curves(guarantee, run, used.front());
    return guarantee;
  }
  if (allocated(run)) {
    const RandomAllocation rounds = allocation(run);
    const AllocationCurves curves = random_allocation_curves(rounds);
    for (const Law& law : laws(Sampler::random_allocation, run.adjacency)) {
      guarantee.directions.push_back({law.direction, law.pair == Pair::poisson_remove ? curves.remove : curves.add});
    }
    guarantee.note = shortest(rounds.epochs) + " rounds of " + shortest(rounds.steps) + " steps, each record in " +
                     shortest(rounds.chosen) + " of them";
    // A record's uses have that many steps in common with the run in which they are known, and no fewer.
    const double mu = std::sqrt(rounds.epochs * rounds.chosen) / rounds.noise_multiplier;
    guarantee.curve = worst_curve(guarantee.directions, outward(exactly(mu), 1e-15));
    return guarantee;
  }
  const bool renyi = by_renyi(run);
  const bool by_claims = !run.mechanisms.empty() && !renyi && detail::composes_claims(run);
  if (!run.mechanisms.empty() && !renyi && (by_claims || !detail::composes_pairs(run))) {
    Guarantee found = dp_sgd_guarantee(detail::with_claims(run), accuracy);
    const bool claim =
        std::any_of(run.mechanisms.begin(), run.mechanisms.end(), [](const auto& m) { return claimed(m.kind); });
    if (by_claims && !claim && run.claims.empty()) {
      found.theorem = guarantee.theorem;
      found.title = guarantee.title;
      found.upper_only =
          std::any_of(run.unsampled.begin(), run.unsampled.end(), [](const auto& r) { return r.upper_only; });
    }
    return found;
  }
  auto claims = claims_of(run);
  guarantee.upper_only =
      !run.claims.empty() || renyi ||
      std::any_of(run.unsampled.begin(), run.unsampled.end(), [](const auto& r) { return r.upper_only; }) ||
      std::any_of(run.mechanisms.begin(), run.mechanisms.end(), [](const auto& m) { return claimed(m.kind); });
  if (!run.mechanisms.empty() && !renyi) {
    const auto all = detail::as_mechanisms(run);
    for (const std::string& direction : mechanism_directions(run)) {
      guarantee.directions.push_back({direction, mechanisms_curve(all, direction != "add")});
    }
    guarantee.curve = worst_curve(guarantee.directions);
    return guarantee;
  }
  if (!claims.empty() || renyi) {
    const auto more = detail::unbounded(run);
    claims.insert(claims.end(), more.begin(), more.end());
    for (const std::string& direction : run.mechanisms.empty() ? direction_names(run) : mechanism_directions(run)) {
      const Composition steps = compose(run, direction);
      CurvePtr curve = renyi ? renyi_bound_curve(concentrated_curve(run, steps, direction != "add"))
                             : composition_curve(steps, accuracy);
      guarantee.directions.push_back({direction, claims.empty() ? curve : claimed_curve(std::move(curve), claims)});
    }
    guarantee.curve = worst_curve(guarantee.directions);
    return guarantee;
  }
  std::optional<Enclosure> mu;
  const auto bounds = accuracy.verify ? renyi_beside(run) : std::vector<DirectedCurve>{};
  for (const DpSgdDirection& direction : directions(run)) {
    const Enclosure one = gdp_parameter(direction.composition);
    mu = mu ? Enclosure{std::max(mu->lower, one.lower), std::max(mu->upper, one.upper)} : one;
    CurvePtr curve = composition_curve(direction.composition, accuracy);
    for (const DirectedCurve& bound : bounds) {
      if (bound.direction == direction.name) {
        curve = std::make_shared<CheckedCurve>(std::move(curve), bound.curve);
      }
    }
    guarantee.directions.push_back({direction.name, std::move(curve)});
  }
  guarantee.curve = worst_curve(guarantee.directions, mu);
  return guarantee;
}

std::vector<Guarantee> dp_sgd_guarantees(const DpSgd& given, const Accuracy& accuracy) {
  std::vector<Guarantee> list{dp_sgd_guarantee(given, accuracy)};
  const auto [chance, run] = revealed(given);
  if (chance.upper > 0.0) {
    return list;
  }
  const Sampler sampling = samplers(run).front();
  if (list.front().applies() && sampling == Sampler::shuffled && !mixture::needs_mixtures(run)) {
    if (auto shuffled = detail::shuffled_guarantee(run)) {
      list.push_back(std::move(*shuffled));
    }
    return list;
  }
  if (!list.front().applies() || mixture::needs_mixtures(run) ||
      (sampling != Sampler::poisson && sampling != Sampler::fixed_size)) {
    return list;
  }
  if (auto curves = renyi_beside(run); !curves.empty()) {
    Guarantee renyi;
    renyi.theorem = "accountant/renyi";
    renyi.title = sampling == Sampler::fixed_size ? "Renyi bound, integer orders" : "Renyi accountant";
    // The bound for fixed batches does not know a direction.
    renyi.curve = sampling == Sampler::fixed_size ? curves.front().curve : worst_curve(std::move(curves));
    renyi.dominated = true;
    list.push_back(std::move(renyi));
  }
  if (const auto mu = central_limit_mu(run); mu && std::isfinite(*mu)) {
    Guarantee limit;
    limit.theorem = "accountant/central-limit";
    limit.title = "central limit";
    limit.certified = false;
    limit.curve = gaussian_curve(exactly(*mu));
    list.push_back(std::move(limit));
  }
  return list;
}

std::optional<double> central_limit_mu(const DpSgd& run) {
  const auto used = samplers(run);
  const auto found = laws(used.front(), run.adjacency);
  if (found.empty() || used.size() > 1 || found.front().pair == Pair::fixed_size_remove || allocated(run) ||
      !claims_of(run).empty() || !run.concentrated.empty() || !run.mechanisms.empty() || mixture::needs_mixtures(run)) {
    return std::nullopt;
  }
  return approximate_mu(run);
}

double approximate_mu(const DpSgd& run) {
  if (mixture::needs_mixtures(run)) {
    return mixture::violations(run).empty() ? mixture::approximate_mu(run) : infinity;
  }
  for (const Sampler sampling : samplers(run)) {
    if (laws(sampling, run.adjacency).empty()) {
      return infinity;
    }
  }
  double squares = 0.0;
  for (const SubsampledGaussian& part : compose(run, direction_names(run).front()).components) {
    const double square = part.mu * part.mu;
    const double rate_squared = part.sampling_rate * part.sampling_rate;
    double jump = 0.0;  // second moment of the likelihood ratio less 1, over rate_squared
    switch (part.pair) {
      case Pair::symmetrised:
        jump = part.sampling_rate == 1.0 ? square : 2.0 * central_limit(1.0, std::min(part.mu, 1e6), 1.0).B;
        break;
      case Pair::poisson_replace_one:
        jump = 4.0 * (part.sampling_rate == 1.0 ? square : std::sinh(square));
        break;
      case Pair::fixed_size_remove:
      case Pair::fixed_size_add:  // of an instance: N(mu) against N(0) beside N(-mu)
        jump = std::exp(2.0 * square) * std::expm1(2.0 * square) - std::exp(square) * std::expm1(square);
        break;
      default:
        jump = part.sampling_rate == 1.0 ? square : std::expm1(square);
    }
    squares += rate_squared * part.count * jump;
  }
  return std::sqrt(squares);
}

}  // namespace dpcurves::accounting
