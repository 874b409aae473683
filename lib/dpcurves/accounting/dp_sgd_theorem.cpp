// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Names, and what is stated in words.
#include <algorithm>
#include <array>
#include <utility>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == value; })->second;
}

template <class Names>
auto value_in(const Names& names, std::string_view name, const char* what) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == dashed; });
  if (found == names.end()) {
    std::string known;
    for (const auto& entry : names) {
      known += (known.empty() ? "" : ", ") + std::string(entry.second);
    }
    throw DomainError(std::string(what) + ": \"" + std::string(name) + "\" is not one of " + known);
  }
  return found->first;
}

std::string clipping_words(const DpSgd& run) {
  std::string text =
      "the gradient of each record is clipped to L2 norm at most C, and normal noise of standard deviation Z C per "
      "coordinate is added to the SUM over the batch; ";
  switch (run.sampling) {
    case Sampling::poisson:
      return text +
             "dividing by a public number, such as the expected batch size q n, changes nothing, dividing by "
             "the realised batch size is not covered";
    case Sampling::none:
      return text + "dividing by a public number changes nothing";
    default:
      return text + "dividing by the batch size B changes nothing";
  }
}

std::string sampling_words(Sampling sampling) {
  switch (sampling) {
    case Sampling::poisson:
      return "Poisson: every step takes each record independently with probability q";
    case Sampling::fixed_size:
      return "fixed size: every step draws B of the n records without replacement, independently of the other steps; "
             "q = B/n";
    case Sampling::shuffled:
      return "shuffled: every epoch visits all records once, in a new random order, B at a time";
    case Sampling::cyclic:
      return "cyclic: every epoch visits the same batches of B records in the same order";
    case Sampling::random_allocation:
      return "random allocation: each record is used in a fixed number of steps of every round, drawn at random";
    case Sampling::none:
      return "none: every step uses all records";
  }
  return {};
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

}  // namespace

std::string_view name(Sampling sampling) { return name_in(enumerators(sampling), sampling); }
std::string_view name(Adjacency adjacency) { return name_in(enumerators(adjacency), adjacency); }
Sampling sampling_of(std::string_view name) { return value_in(enumerators(Sampling{}), name, "sampling"); }
Adjacency adjacency_of(std::string_view name) { return value_in(enumerators(Adjacency{}), name, "adjacency"); }

Adjacency usual_adjacency(Sampling sampling) {
  return sampling == Sampling::fixed_size || sampling == Sampling::shuffled || sampling == Sampling::cyclic
             ? Adjacency::zero_out
             : Adjacency::add_or_remove;
}

DpSgdTheorem theorem(const DpSgd& run) {
  DpSgdTheorem found;
  switch (run.sampling) {
    case Sampling::poisson:
      found.id = run.adjacency == Adjacency::replace_one ? "accountant/poisson-replace-one"
                                                         : "accountant/poisson-subsampled-gaussian";
      found.title = run.adjacency == Adjacency::replace_one ? "Poisson sampling, one record replaced"
                                                            : "Poisson sampling, composed";
      break;
    case Sampling::fixed_size:
      found.id = "accountant/fixed-size-lemma-c";
      found.title = "batches of a fixed size, composed";
      break;
    case Sampling::none:
      found.id = "accountant/full-batch";
      found.title = "Gaussian mechanism, composed";
      break;
    case Sampling::random_allocation:
      found.id = "accountant/random-allocation";
      found.title = "random allocation";
      break;
    case Sampling::shuffled:
    case Sampling::cyclic:
      found.id = "accountant/without-amplification";
      found.title = "each use of a record counted in full";
      found.note =
          std::string(name(run.sampling)) +
          " batches are not amplified by sampling: neither the Poisson nor the fixed-size analysis applies to them, "
          "and their epsilon may be too small. What is certified here counts each epoch as a full Gaussian release of "
          "the record" +
          (run.sampling == Sampling::cyclic
               ? "; where only the last iterate is released and the losses are convex and smooth, noisy-cgd "
                 "(shifted-interpolation/theorem-4.4 ff.) promises more"
               : "; random-allocation is a sampler of the same cost that is amplified, and noisy-cgd "
                 "(shifted-interpolation/theorem-4.4 ff.) speaks of a fixed order");
      break;
  }
  found.sampling = sampling_words(run.sampling);
  found.adjacency = adjacency_words(run.adjacency);
  found.clipping = clipping_words(run);
  return found;
}

}  // namespace dpcurves::accounting
