// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// accountant.state_dict() of Opacus: {"history": [[noise_multiplier, sample_rate, num_steps], ...], "mechanism": text}.
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/node.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {

Transcript read_opacus(const std::string& text, const Given& given) {
  const io::JsonTree tree = io::read_json_tree(text, "Opacus accountant");
  for (const std::size_t child : tree[0].children) {
    if (tree[child].key != "history" && tree[child].key != "mechanism") {
      throw UsageError(tree.path(child) + ": unknown key; an accountant has history and mechanism");
    }
  }
  Transcript transcript;
  transcript.run.source = "Opacus";
  const mechanism::Sampler sampler = given.sampler.value_or(mechanism::Sampler::poisson);
  transcript.sampler_known = given.sampler.has_value();
  transcript.run.privacy.adjacency = given.adjacency.value_or(mechanism::usual_adjacency(sampler));
  transcript.assumed.emplace_back(
      "noise of standard deviation Z C on the sum, divided by a public number: the history does not say it");
  if (!given.sampler) {
    transcript.assumed.emplace_back("Poisson batches: the history does not say how they were drawn");
  }
  if (!given.adjacency) {
    transcript.assumed.emplace_back("adjacency " + std::string(mechanism::name(transcript.run.privacy.adjacency)) +
                                    ": the history does not say it");
  }
  if (given.records) {
    transcript.run.records = mechanism::Records{*given.records};
  }
  if (const std::size_t name = tree.member(0, "mechanism"); name != 0) {
    transcript.accountant = text_at(tree, name);
  }
  const std::size_t history = field_at(tree, 0, "history", "accountant");
  if (tree[history].kind != io::JsonNode::Kind::list) {
    throw UsageError("$.history: what stands there is not a list");
  }
  for (const std::size_t row : tree[history].children) {
    const auto& cells = tree[row].children;
    if (tree[row].kind != io::JsonNode::Kind::list || cells.size() != 3) {
      throw UsageError(tree.path(row) + ": a row is [noise_multiplier, sample_rate, num_steps]");
    }
    mechanism::Phase phase;
    phase.noise_multiplier = number_at(tree, cells[0], Domain("[0, inf)"));
    phase.sampling_rate = number_at(tree, cells[1], Domain("[0, inf)"));
    phase.steps = number_at(tree, cells[2], Domain("[0, 1e15]", true));
    phase.sampler = sampler;
    phase.batch_size = given.batch_size;
    transcript.add(std::move(phase), tree.path(row), "row of the history");
  }
  return transcript;
}

}  // namespace dpcurves::transcripts
