// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The guarantee of a transcript, and its parts in words.

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

using mechanism::Adjacency;
using mechanism::Run;
using mechanism::Sampler;

/// The run with nothing but one of its parts.
Run alone(const Run& run, const Part& part) {
  Run one;  // without a copy of all parts, which may be as many as the steps
  one.records = run.records;
  one.clipping = run.clipping;
  one.noise = run.noise;
  one.privacy = run.privacy;
  one.model = run.model;
  one.selection = run.selection;
  switch (part.kind) {
    case Part::Kind::phase:
      one.phases = {run.phases[part.place]};
      break;
    case Part::Kind::release:
      one.releases = {run.releases[part.place]};
      break;
    case Part::Kind::claim:
      one.claims = {run.claims[part.place]};
      break;
    case Part::Kind::concentrated:
      one.concentrated = {run.concentrated[part.place]};
      break;
    case Part::Kind::mechanism:
      one.mechanisms = {run.mechanisms[part.place]};
      break;
  }
  return one;
}

/// "Nearest: --adjacency replace-one (epsilon <= 1.00940) or zero-out (0.68424)."
std::string nearest_adjacencies(Run run, std::optional<double> delta) {
  std::string text = "Nearest: --adjacency ";
  bool first = true;
  for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::zero_out}) {
    run.privacy.adjacency = adjacency;
    const auto epsilon = epsilon_of(run, delta);
    text += (first ? "" : " or ") + std::string(name(adjacency)) +
            (epsilon ? (first ? " (epsilon <= " : " (") + at_most(*epsilon, 5) + ")" : std::string());
    first = false;
  }
  return text + ".";
}

/// Why a phase has no theorem, in words; empty where it has one.
std::string refusal(const Transcript& transcript, const Part& part, std::optional<double> delta) {
  const Run one = alone(transcript.run, part);
  const mechanism::Phase& phase = one.phases.front();
  const Adjacency adjacency = one.privacy.adjacency;
  switch (phase.sampler) {
    case Sampler::weighted:
      return part.label + ": records have unequal rates; give the LARGEST rate of a record, with poisson batches";
    default:
      break;
  }
  const auto found = accounting::violations(accounting::dp_sgd_of(one));
  if (found.empty()) {
    return "";
  }
  if (phase.sampler == Sampler::fixed_size || mechanism::in_epochs(phase.sampler)) {
    const bool own = part.label == "phases" || part.label == "row";  // no name of a class
    const bool unsaid = own && phase.sampler == Sampler::fixed_size && !one.records;
    return (own ? std::string(name(phase.sampler)) + " batches" : part.label) + " under adjacency " +
           std::string(name(adjacency)) + ": the law of the batches depends on the number of records" +
           (unsaid ? std::string(", which is not said; give ") +
                         (part.label == "row" ? "a column records" : "[records] count") + " for a theorem. "
                   : "; no theorem. ") +
           nearest_adjacencies(one, delta);
  }
  return part.label + ": " + found.front().assumption + " (" + found.front().found + ")";
}

}  // namespace

std::optional<double> delta_of(const Run& run, std::optional<double> delta) {
  return delta ? delta : run.privacy.delta.empty() ? std::nullopt : std::optional(run.privacy.delta.front());
}

accounting::Guarantee guarantee(const Transcript& transcript, const accounting::Accuracy& accuracy,
                                std::optional<double> delta) {
  for (const Part& part : transcript.parts) {
    if (part.kind == Part::Kind::phase) {
      if (const std::string words = refusal(transcript, part, delta_of(transcript.run, delta)); !words.empty()) {
        throw DomainError(part.where + ": " + words);
      }
    }
  }
  const accounting::DpSgd run = accounting::dp_sgd_of(transcript.run);
  auto found = accounting::dp_sgd_guarantee(run, accuracy);
  require_theorem(found.theorem.c_str(), found.violations);
  return found;
}

std::string words(const Transcript& transcript, const Part& part) {
  const Run& run = transcript.run;
  switch (part.kind) {
    case Part::Kind::phase: {
      const mechanism::Phase& phase = run.phases[part.place];
      const auto read = accounting::dp_sgd_of(alone(run, part));
      const bool bare = read.phases.empty();  // without noise
      const double rate = bare ? read.mechanisms.front().sampling_rate : read.phases.front().sampling_rate;
      return shortest(phase.steps) + " x " + std::string(name(phase.sampler)) +
             (phase.sampler == Sampler::none ? std::string() : ", sampling rate " + shortest(rate)) +
             ", noise multiplier " + shortest(bare ? 0.0 : read.phases.front().noise_multiplier);
    }
    case Part::Kind::release: {
      const mechanism::Sum& release = run.releases[part.place];
      return shortest(release.count) + " x sum of all records, noise multiplier " + shortest(release.noise_multiplier) +
             (release.upper_only ? ", at most" : "");
    }
    case Part::Kind::claim: {
      const mechanism::Claim& claim = run.claims[part.place];
      return shortest(claim.count) + " x claimed epsilon " + shortest(claim.epsilon) + ", delta " +
             shortest(claim.delta);
    }
    case Part::Kind::concentrated: {
      const mechanism::Concentrated& other = run.concentrated[part.place];
      return shortest(other.count) + " x zCDP rho " + shortest(other.rho) + ", xi " + shortest(other.xi);
    }
    case Part::Kind::mechanism:
      return mechanism::words(run.mechanisms[part.place]);
  }
  return "";
}

std::string theorem(const Transcript& transcript, const Part& part) {
  if (part.kind == Part::Kind::release && transcript.run.releases[part.place].noise_multiplier == 0.0) {
    return "";
  }
  return accounting::theorem(accounting::dp_sgd_of(alone(transcript.run, part))).id;
}

}  // namespace dpcurves::transcripts
