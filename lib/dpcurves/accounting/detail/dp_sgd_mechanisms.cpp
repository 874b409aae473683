// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/detail/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/detail/position_samplers.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/names.hpp>

namespace dpcurves::accounting::detail {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

Sampler sampler_of(const DpSgd& run, const DpSgdPhase& phase) { return phase.sampling.value_or(run.sampling); }

/// Whether the pair of a phase is that of a mechanism.
bool has_pair(const DpSgd& run, const DpSgdPhase& phase) {
  const Sampler sampler = sampler_of(run, phase);
  return sampler == Sampler::none || mechanism::in_epochs(sampler) ||
         (sampler == Sampler::poisson && run.adjacency != Adjacency::replace_one);
}

/// The claims that mechanisms are at most; nothing where there is none of this form.
std::optional<ClaimedRelease> as_claim(const Mechanism& m) {
  if (m.sampling_rate < 1.0) {
    return std::nullopt;
  }
  const double pure = m.noise > 0.0 ? next_up(next_up(m.sensitivity) / m.noise) : infinity;
  switch (m.kind) {
    case MechanismKind::laplace:
      return ClaimedRelease{m.noise > 0.0 ? next_up(1.0 / m.noise) : infinity, 0.0, m.count};
    case MechanismKind::discrete_laplace:
      return ClaimedRelease{m.sensitivity > 0.0 ? pure : 0.0, 0.0, m.count};
    case MechanismKind::randomized_response:
    case MechanismKind::pure:
      return ClaimedRelease{m.epsilon, 0.0, m.count};
    case MechanismKind::approximate:
      return ClaimedRelease{m.epsilon, m.delta, m.count};
    default:
      return std::nullopt;
  }
}

/// A sum with normal noise, sampled or not.
std::optional<UnsampledRelease> as_sum(const Mechanism& m) {
  if (m.sampling_rate < 1.0 || (m.kind != MechanismKind::gaussian && m.kind != MechanismKind::gdp)) {
    return std::nullopt;
  }
  if (m.kind == MechanismKind::gaussian) {
    return UnsampledRelease{m.noise, m.count, false};
  }
  constexpr double enough = 1e300;  // mu 0 reveals nothing
  return UnsampledRelease{m.mu > 0.0 ? std::nextafter(1.0 / m.mu, 0.0) : enough, m.count, true};
}

bool nothing(const Mechanism& m) { return m.count == 0.0 || m.sampling_rate == 0.0; }

}  // namespace

bool by_renyi(const DpSgd& run) {
  return !run.concentrated.empty() || std::any_of(run.mechanisms.begin(), run.mechanisms.end(),
                                                  [](const Mechanism& m) { return m.kind == MechanismKind::zcdp; });
}

std::vector<Violation> mechanism_violations(const DpSgd& run) {
  std::vector<Violation> found;
  if (mixture::needs_mixtures(run)) {
    found.push_back({"no mechanisms beside groups or these batches", "mechanisms beside the steps",
                     "one record and poisson batches"});
  }
  for (const DpSgdPhase& phase : run.phases) {
    if (stands_alone(sampler_of(run, phase))) {
      found.push_back({"no mechanisms beside " + std::string(name(sampler_of(run, phase))) + " batches",
                       "mechanisms beside the steps", "poisson or fixed-size batches, which compose with anything"});
    }
  }
  if (by_renyi(run) || composes_pairs(run)) {
    return found;
  }
  for (const Mechanism& m : run.mechanisms) {
    if (!nothing(m) && !as_claim(m) && !as_sum(m)) {
      found.push_back({"mechanisms that have an epsilon beside these batches and neighbours",
                       std::string(name_in(enumerators(m.kind), m.kind)) + (m.sampling_rate < 1.0 ? ", sampled" : "") +
                           ": no pair of laws of the whole is known here",
                       "poisson batches, one record added or removed"});
    }
  }
  return found;
}

bool composes_pairs(const DpSgd& run) {
  return std::all_of(run.phases.begin(), run.phases.end(),
                     [&](const DpSgdPhase& phase) { return has_pair(run, phase); });
}

bool composes_claims(const DpSgd& run) {
  return std::all_of(run.mechanisms.begin(), run.mechanisms.end(), [](const Mechanism& m) {
    const bool attained = m.kind == MechanismKind::pure || m.kind == MechanismKind::approximate ||
                          (m.kind == MechanismKind::randomized_response && m.categories == 2.0);
    return nothing(m) || as_sum(m) || (attained && m.sampling_rate == 1.0);
  });
}

DpSgd with_claims(DpSgd run) {
  for (const Mechanism& m : run.mechanisms) {
    if (nothing(m)) {
      continue;
    }
    if (const auto sum = as_sum(m)) {
      UnsampledRelease one = *sum;
      if (run.adjacency == Adjacency::replace_one) {
        one.noise_multiplier *=
            2.0;  // which halves it again: the noise of a mechanism is over what these neighbours move
      }
      run.unsampled.push_back(one);
    } else if (const auto claim = as_claim(m)) {
      run.claims.push_back(*claim);
    }
  }
  run.mechanisms.clear();
  run.release = mechanism::Release::all_steps;  // the caller's is said by the caller
  return run;
}

std::vector<Mechanism> as_mechanisms(const DpSgd& run) {
  const double distance = run.adjacency == Adjacency::replace_one ? 2.0 : 1.0;
  std::vector<Mechanism> all = run.mechanisms;
  const auto gaussian = [&](double noise, double rate, double count) {
    Mechanism m{.count = count, .noise = noise, .sampling_rate = rate};
    all.push_back(m);
  };
  for (const DpSgdPhase& phase : run.phases) {
    const Sampler sampler = sampler_of(run, phase);
    if (sampler == Sampler::poisson) {
      gaussian(phase.noise_multiplier, phase.sampling_rate, phase.steps);
    } else if (sampler == Sampler::none) {
      gaussian(phase.noise_multiplier / distance, 1.0, phase.steps);
    }
  }
  for (const EpochUses& uses : epoch_uses(run)) {
    gaussian(uses.noise_multiplier / distance, 1.0, uses.count);
  }
  for (const UnsampledRelease& release : run.unsampled) {
    gaussian(release.noise_multiplier / distance, 1.0, release.count);
  }
  for (const ClaimedRelease& claim : run.claims) {
    constexpr double largest = 700.0;  // of an epsilon that is composed; above, everything is revealed
    Mechanism m{.kind = MechanismKind::approximate,
                .count = claim.count,
                .epsilon = std::min(claim.epsilon, largest),
                .delta = claim.epsilon > largest ? 1.0 : claim.delta};
    all.push_back(m);
  }
  return all;
}

double mechanisms_renyi(const DpSgd& run, bool remove, double order) {
  double sum = 0.0;
  for (const Mechanism& m : run.mechanisms) {
    if (m.kind != MechanismKind::approximate || m.delta == 0.0) {
      sum = next_up(sum + next_up(m.count * mechanism_renyi(m, remove, order)));
    }
  }
  return sum;
}

std::vector<ClaimedRelease> unbounded(const DpSgd& run) {
  std::vector<ClaimedRelease> claims;
  for (const Mechanism& m : run.mechanisms) {
    if (m.kind == MechanismKind::approximate && m.delta > 0.0) {
      const double q = m.sampling_rate;  // a claim holds for the sampled mechanism too, with delta q
      claims.push_back({m.epsilon, q < 1.0 ? next_up(m.delta * q) : m.delta, q > 0.0 ? m.count : 0.0});
    }
  }
  return claims;
}

}  // namespace dpcurves::accounting::detail
