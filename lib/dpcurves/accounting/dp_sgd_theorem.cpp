// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Names, and what is stated in words.
#include <algorithm>
#include <string>

#include <dpcurves/accounting/detail/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/core/detail/format.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

std::string clipping_words(Sampler sampling) {
  std::string text =
      "the gradient of each record is clipped to L2 norm at most C, and normal noise of standard deviation Z C per "
      "coordinate is added to the SUM over the batch; ";
  switch (sampling) {
    case Sampler::poisson:
    case Sampler::cyclic_poisson:
    case Sampler::truncated_poisson:
      return text +
             "dividing by a public number, such as the expected batch size q n, changes nothing, dividing by "
             "the realised batch size is not covered";
    case Sampler::none:
      return text + "dividing by a public number changes nothing";
    default:
      return text + "dividing by the batch size B changes nothing";
  }
}

std::string sampling_words(Sampler sampling) {
  switch (sampling) {
    case Sampler::poisson:
      return "Poisson: every step takes each record independently with probability q";
    case Sampler::fixed_size:
      return "fixed size: every step draws B of the n records without replacement, independently of the other steps; "
             "q = B/n";
    case Sampler::shuffled:
      return "shuffled: every epoch visits all records once, in a new random order, B at a time";
    case Sampler::cyclic:
      return "cyclic: every epoch visits the same batches of B records in the same order";
    case Sampler::random_allocation:
      return "random allocation: each record is used in a fixed number of steps of every round, drawn at random";
    case Sampler::balls_in_bins:
      return "balls in bins: each record is drawn into one of floor(1/q) batches, once for all epochs";
    case Sampler::b_min_sep:
      return "minimum separation: a record that is free is used with probability q, and then not for b - 1 steps";
    case Sampler::with_replacement:
      return "with replacement: every step draws B times from all n records, so that a record may be in a batch more "
             "than once; q = B/n";
    case Sampler::cyclic_poisson:
      return "cyclic Poisson: fixed groups of records take turns, a step takes each record of its group independently "
             "with probability q";
    case Sampler::truncated_poisson:
      return "truncated Poisson: every step takes each record independently with probability q; of a batch above the "
             "largest one a uniform choice is kept";
    case Sampler::none:
      return "none: every step uses all records";
    default:
      return std::string(name(sampling));
  }
}

std::string adjacency_words(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add_or_remove:
      return "add or remove: one data set has one record more; the larger of the two directions";
    case Adjacency::add:
      return "add: the run without the record against the run with it; one direction only";
    case Adjacency::remove:
      return "remove: the run with the record against the run without it; one direction only";
    case Adjacency::replace_one:
      return "replace one: the data sets differ in the value of one record; the two directions are equal";
    case Adjacency::zero_out:
      return "zero out: in one of the data sets one record has gradient 0; the larger of the two directions";
  }
  return {};
}

/// That of the first phase with steps whose sampling amplifies, else that of the first phase, else of the run.
Sampler leading_sampler(const DpSgd& run) {
  const auto sampler = [&](const DpSgdPhase& phase) { return phase.sampling.value_or(run.sampling); };
  const auto amplified = std::find_if(run.phases.begin(), run.phases.end(), [&](const DpSgdPhase& phase) {
    return phase.steps > 0.0 && sampler(phase) != Sampler::none && !mechanism::in_epochs(sampler(phase));
  });
  return amplified != run.phases.end() ? sampler(*amplified)
         : run.phases.empty()          ? run.sampling
                                       : sampler(run.phases.front());
}

struct MixtureWords {
  std::string id, title, note;
};

/// The theorem of a run whose pairs are mixtures.
MixtureWords mixture_words(const DpSgd& run, Sampler sampling) {
  const bool presence = run.adjacency != Adjacency::zero_out && run.adjacency != Adjacency::replace_one;
  switch (sampling) {
    case Sampler::with_replacement:
    case Sampler::fixed_size:
      if (!presence) {
        return {"accountant/multiplicity", "the number of uses in a batch revealed or hidden, composed",
                "the upper end is a bound, the lower end what a mechanism attains"};
      }
      return sampling == Sampler::fixed_size
                 ? MixtureWords{"accountant/fixed-size-presence",
                                "batches of a fixed size, records added or removed, composed", ""}
                 : MixtureWords{"accountant/with-replacement", "batches with replacement, composed", ""};
    case Sampler::cyclic_poisson:
      return {"accountant/cyclic-poisson", "cyclic Poisson sampling, composed",
              "which group a record is in must not depend on the other records"};
    case Sampler::truncated_poisson:
      return {"accountant/truncated-poisson", "truncated Poisson sampling, composed",
              "the upper end reveals which batches are full; the lower end is what a mechanism attains"};
    default:
      return {"accountant/group-mixture", "a group of records, composed", ""};
  }
}

}  // namespace

DpSgdTheorem theorem(const DpSgd& run) {
  DpSgdTheorem found;
  const Sampler sampling = leading_sampler(run);
  switch (sampling) {
    case Sampler::poisson:
      found.id = run.adjacency == Adjacency::replace_one ? "accountant/poisson-replace-one"
                                                         : "accountant/poisson-subsampled-gaussian";
      found.title = run.adjacency == Adjacency::replace_one ? "Poisson sampling, one record replaced"
                                                            : "Poisson sampling, composed";
      break;
    case Sampler::fixed_size:
      found.id = "accountant/fixed-size-lemma-c";
      found.title = "batches of a fixed size, composed";
      break;
    case Sampler::none:
      found.id = "accountant/full-batch";
      found.title = "Gaussian mechanism, composed";
      break;
    case Sampler::random_allocation:
      found.id = "accountant/random-allocation";
      found.title = "random allocation";
      break;
    case Sampler::balls_in_bins:
      found.id = "accountant/one-position";
      found.title = "balls in bins";
      break;
    case Sampler::b_min_sep:
      found.id = "accountant/b-min-sep";
      found.title = "minimum separation";
      break;
    case Sampler::shuffled:
    case Sampler::cyclic:
      found.id = "accountant/without-amplification";
      found.title = "each use of a record counted in full";
      found.note =
          std::string(name(sampling)) +
          " batches are not amplified by sampling: neither the Poisson nor the fixed-size analysis applies to them, "
          "and their epsilon may be too small. What is certified here counts each epoch as a full Gaussian release of "
          "the record" +
          (sampling == Sampler::cyclic
               ? "; where only the last iterate is released and the losses are convex and smooth, noisy-cgd "
                 "(shifted-interpolation/theorem-4.4 ff.) promises more"
               : "; random-allocation is a sampler of the same cost that is amplified, and noisy-cgd "
                 "(shifted-interpolation/theorem-4.4 ff.) speaks of a fixed order");
      break;
    default:
      found.id = "accountant/poisson-subsampled-gaussian";
      found.title = "Poisson sampling, composed";
  }
  if (mixture::needs_mixtures(run)) {
    const MixtureWords words = mixture_words(run, sampling);
    found.id = words.id;
    found.title = words.title;
    found.note = words.note;
  }
  found.sampling = sampling_words(sampling);
  found.adjacency = adjacency_words(run.adjacency);
  if (run.group_size > 1.0) {
    found.adjacency += "; for a group of " + shortest(run.group_size) + " records at once";
  }
  found.clipping = clipping_words(sampling);
  if (!run.mechanisms.empty() && !detail::by_renyi(run)) {
    found.id = "accountant/mechanisms";
    found.title = "other mechanisms, composed with the steps";
  } else if (!run.claims.empty()) {
    found.id = "accountant/claimed-epsilon-delta";
    found.title = "claims of other mechanisms, composed with the steps";
  } else if (detail::by_renyi(run)) {
    found.id = "accountant/renyi";
    found.title = "Renyi divergences of other mechanisms, composed with the steps";
  } else if (std::all_of(run.phases.begin(), run.phases.end(), [](const auto& phase) { return phase.steps == 0.0; }) &&
             std::all_of(run.unsampled.begin(), run.unsampled.end(), [](const auto& r) { return r.count == 0.0; })) {
    found.id = "accountant/no-release";
    found.title = "nothing is released";
  }
  return found;
}

}  // namespace dpcurves::accounting
