// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Configurations of jax_privacy: sizes, steps and noise of one training.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/node.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

mechanism::Sampler sampler_of(const io::JsonTree& tree, std::size_t node) {
  std::string word = text_at(tree, node);
  std::transform(word.begin(), word.end(), word.begin(),  // names of an enumeration are in capitals
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view enumeration = "samplingmethod.";  // as Python writes one of it
  word = word.starts_with(enumeration) ? word.substr(enumeration.size()) : word;
  if (word == "fixed_batch_size" || word == "without_replacement") {
    return mechanism::Sampler::fixed_size;
  }
  try {
    return mechanism::sampler_of(word);
  } catch (const DomainError& error) {
    throw DomainError(tree.path(node) + ": " + error.what());
  }
}

}  // namespace

Transcript read_jax_privacy(const std::string& text, const Given& given) {
  const io::JsonTree tree = io::read_json_tree(text, "jax_privacy configuration");
  const std::vector<std::string> known{"train_size",  "batch_size",           "gradient_accumulation_steps",
                                       "train_steps", "noise_multiplier",     "epsilon",
                                       "delta",       "sampling_method",      "clipping_norm",
                                       "seed",        "rescale_to_unit_norm", "microbatch_size"};
  for (const std::size_t child : tree[0].children) {
    if (std::find(known.begin(), known.end(), tree[child].key) == known.end()) {
      throw UsageError(tree.path(child) + ": unknown key" + suggestion(tree[child].key, known));
    }
  }
  const auto given_at = [&](const char* name) {
    const std::size_t node = tree.member(0, name);
    return node != 0 && !null_at(tree, node) ? node : 0;
  };
  constexpr Domain count{"[1, 1e15]", true};
  const auto needed = [&](const char* name, const Domain& domain) {
    return number_at(tree, field_at(tree, 0, name, "configuration"), domain);
  };
  Transcript transcript;
  mechanism::Run& run = transcript.run;
  run.source = "jax_privacy";
  run.records = mechanism::Records{needed("train_size", count)};
  mechanism::Phase phase;
  phase.batch_size = needed("batch_size", count);
  phase.steps = needed("train_steps", Domain("[0, 1e15]", true));
  if (const std::size_t node = given_at("gradient_accumulation_steps"); node != 0) {
    phase.accumulation = number_at(tree, node, count);
  }
  if (phase.accumulation > 1.0 && given.steps_count.empty()) {
    throw UsageError(
        "$.train_steps: with gradient_accumulation_steps it may count updates or batches; say --steps-count updates or "
        "--steps-count batches");
  }
  if (given.steps_count == "batches") {
    phase.steps = (phase.steps - std::fmod(phase.steps, phase.accumulation)) / phase.accumulation +
                  (std::fmod(phase.steps, phase.accumulation) > 0.0 ? 1.0 : 0.0);
  }
  if (const std::size_t node = given_at("noise_multiplier"); node != 0) {
    phase.noise_multiplier = number_at(tree, node, Domain("[0, inf)"));
  } else {
    throw UsageError("$: configuration: field noise_multiplier is missing");
  }
  if (const std::size_t node = given_at("sampling_method"); node != 0) {
    phase.sampler = sampler_of(tree, node);
  } else {
    phase.sampler = given.sampler.value_or(mechanism::Sampler::poisson);
    transcript.sampler_known = given.sampler.has_value();
    if (!given.sampler) {
      transcript.assumed.emplace_back("Poisson batches: the configuration does not say how they are drawn");
    }
  }
  if (const std::size_t node = given_at("clipping_norm"); node != 0) {
    run.clipping.norm = number_at(tree, node, Domain("(0, inf)"));
  }
  if (const std::size_t node = given_at("delta"); node != 0) {
    run.privacy.delta = {number_at(tree, node, Domain("(0, 1)"))};
  }
  if (const std::size_t node = given_at("epsilon"); node != 0) {
    run.privacy.epsilon_budget = number_at(tree, node, Domain("[0, inf)"));
  }
  run.privacy.adjacency = given.adjacency.value_or(mechanism::usual_adjacency(phase.sampler));
  if (!given.adjacency) {
    transcript.assumed.emplace_back("adjacency " + std::string(mechanism::name(run.privacy.adjacency)) +
                                    ": the configuration does not say it");
  }
  transcript.add(std::move(phase), "$", "configuration");
  return transcript;
}

}  // namespace dpcurves::transcripts
