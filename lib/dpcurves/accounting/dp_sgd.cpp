// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/detail/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/detail/dp_sgd_renyi.hpp>
#include <dpcurves/accounting/detail/no_noise.hpp>
#include <dpcurves/accounting/detail/position_samplers.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/detail/names.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using detail::allocated;
using detail::claims_of;
using detail::compose;
using detail::direction_names;
using detail::mechanism_directions;
using detail::samplers;
using mechanism::in_epochs;
using mechanism::Sampler;

constexpr double largest_count = 1e15;

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
  mixture::require_group(run);
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

}  // namespace

std::vector<DpSgdDirection> directions(const DpSgd& run) {
  check(run);
  require_theorem(theorem(run).id.c_str(), violations(run));
  if (allocated(run)) {
    throw DomainError("random allocation is not a composition of steps, nor are balls in bins or minimum separation");
  }
  if (mixture::needs_mixtures(run)) {
    if (const auto plain = mixture::as_poisson(run)) {
      return directions(*plain);
    }
    throw DomainError("groups and these batches are compositions of mixtures, which have no certificate");
  }
  if (!claims_of(run).empty() || !run.concentrated.empty() || !run.mechanisms.empty()) {
    throw DomainError("claims, Renyi divergences and other mechanisms are not a composition of steps");
  }
  return mapped(direction_names(run), [&](const std::string& direction) {
    return DpSgdDirection{direction, compose(run, direction)};
  });
}

void detail::mark_release(Guarantee& guarantee, mechanism::Release release) {
  if (release == mechanism::Release::all_steps) {
    return;
  }
  guarantee.upper_only = true;
  guarantee.note += (guarantee.note.empty() ? "" : "; ") + std::string("what is released (") +
                    std::string(name_in(enumerators(release), release)) +
                    ") is a function of the steps: what is certified for all of them is an upper bound for it";
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
    const bool numbered = std::all_of(run.phases.begin(), run.phases.end(),
                                      [](const auto& phase) { return phase.first_step.has_value(); });
    guarantee.assumed.emplace_back(
        numbered                ? "step 1 starts an epoch, and an epoch ends where the records do"
        : run.phases.size() > 1 ? "the first step starts an epoch; each phase starts one or goes on where the one "
                                  "before ended, whichever is worse"
                                : "the first step starts an epoch");
  }
  return guarantee;
}

namespace {

/// Of a run that is a composition of steps.
void add_compositions(Guarantee& guarantee, const DpSgd& run, const Accuracy& accuracy) {
  std::optional<Enclosure> mu;
  const auto bounds = accuracy.verify ? detail::renyi_beside(run) : std::vector<DirectedCurve>{};
  for (const DpSgdDirection& direction : directions(run)) {
    const Enclosure one = gdp_parameter(direction.composition);
    mu = mu ? Enclosure{std::max(mu->lower, one.lower), std::max(mu->upper, one.upper)} : one;
    CurvePtr curve = composition_curve(direction.composition, accuracy);
    for (const DirectedCurve& bound : bounds) {
      if (bound.direction == direction.name) {
        curve = detail::checked_curve(std::move(curve), bound.curve);
      }
    }
    guarantee.directions.push_back({direction.name, std::move(curve)});
  }
  guarantee.curve = worst_curve(guarantee.directions, mu);
}

}  // namespace

Guarantee detail::composed_guarantee(const DpSgd& run, const Accuracy& accuracy) {
  check(run);
  Guarantee guarantee = described(run);
  const auto used = samplers(run);
  guarantee.violations = violations(run);
  if (!guarantee.violations.empty()) {
    return guarantee;
  }
  if (mixture::needs_mixtures(run)) {
    if (const auto plain = mixture::as_poisson(run)) {
      add_compositions(guarantee, *plain, accuracy);
    } else {
      guarantee.directions = mixture::curves(run);
      guarantee.curve = worst_curve(guarantee.directions);
    }
    return guarantee;
  }
  if (allocated(run) && used.front() != Sampler::random_allocation) {
    add_position_curves(guarantee, run, used.front());
    return guarantee;
  }
  if (allocated(run)) {
    const RandomAllocation rounds = detail::allocation(run);
    const bool replaced = run.adjacency == mechanism::Adjacency::replace_one;
    if (replaced) {
      guarantee.directions.push_back({"both", random_allocation_replaced_curve(rounds)});
    } else {
      const AllocationCurves curves = random_allocation_curves(rounds);
      for (const detail::Law& law : detail::laws(Sampler::random_allocation, run.adjacency)) {
        guarantee.directions.push_back({law.direction, law.pair == Pair::poisson_remove ? curves.remove : curves.add});
      }
    }
    guarantee.note = shortest(rounds.epochs) + (rounds.epochs == 1.0 ? " round of " : " rounds of ") +
                     shortest(rounds.steps) + " steps, each record in " + shortest(rounds.chosen) + " of them" +
                     (rounds.rest > 0.0 ? "; " + shortest(rounds.rest) + " steps of one round more" : "");
    // A record's uses have that many steps in common with the run in which they are known, and no fewer.
    const double mu = (replaced ? 2.0 : 1.0) *
                      std::sqrt((rounds.epochs + (rounds.rest > 0.0 ? 1.0 : 0.0)) * rounds.chosen) /
                      rounds.noise_multiplier;
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
      CurvePtr curve = renyi ? renyi_bound_curve(detail::concentrated_curve(run, steps, direction != "add"))
                             : composition_curve(steps, accuracy);
      guarantee.directions.push_back({direction, claims.empty() ? curve : claimed_curve(std::move(curve), claims)});
    }
    guarantee.curve = worst_curve(guarantee.directions);
    return guarantee;
  }
  add_compositions(guarantee, run, accuracy);
  return guarantee;
}

namespace {

std::optional<Guarantee> by_others(const DpSgd& run, const std::vector<DirectedCurve>& beside) {
  check(run);
  Guarantee guarantee = detail::described(run);
  if (!violations(run).empty() || !mixture::needs_mixtures(run)) {
    return std::nullopt;
  }
  guarantee.directions = mixture::curves_by_others(run, beside);
  if (guarantee.directions.empty()) {
    return std::nullopt;
  }
  guarantee.theorem = "accountant/truncated-by-others";
  guarantee.title = "truncated Poisson sampling, by the others that are kept";
  guarantee.note =
      "the upper end reveals how many of the other records are in a batch; the lower end is what a mechanism attains";
  guarantee.curve = worst_curve(guarantee.directions);
  return guarantee;
}

std::vector<Guarantee> rows_of(const DpSgd& given, const Accuracy& accuracy) {
  std::vector<Guarantee> list{dp_sgd_guarantee(given, accuracy)};
  const auto [chance, run] = revealed(given);
  if (chance.upper > 0.0) {
    return list;
  }
  if (list.front().applies()) {
    if (auto other = by_others(run, list.front().directions)) {
      list.push_back(std::move(*other));
      return list;
    }
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
  if (auto curves = detail::renyi_beside(run); !curves.empty()) {
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

}  // namespace

std::optional<Guarantee> truncated_by_others(const DpSgd& run) { return by_others(run, {}); }

std::vector<Guarantee> dp_sgd_guarantees(const DpSgd& run, const Accuracy& accuracy) {
  auto list = rows_of(run, accuracy);
  for (Guarantee& row : list) {
    row.upper_only = row.upper_only || run.upper_only || run.release != mechanism::Release::all_steps;
  }
  return list;
}

}  // namespace dpcurves::accounting
