// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/dp_event_tree.hpp>
#include <dpcurves/transcripts/detail/node.hpp>

namespace dpcurves::transcripts {
namespace {

const std::vector<DpEventClass>& classes() {
  static const std::vector<DpEventClass> all{
      {"NoOpDpEvent", {}, 0},
      {"NonPrivateDpEvent", {}, 0},
      {"UnsupportedDpEvent", {}, 0},
      {"GaussianDpEvent", {"noise_multiplier"}, 1},
      {"LaplaceDpEvent", {"noise_multiplier"}, 1},
      {"DiscreteGaussianDpEvent", {"sigma", "sensitivity", "dimension"}, 1},
      {"DiscreteLaplaceDpEvent", {"noise_parameter", "sensitivity"}, 1},
      {"RandomizedResponseDpEvent", {"noise_parameter", "num_buckets"}, 2},
      {"PermuteAndFlipDpEvent", {"epsilon"}, 1},
      {"ExponentialMechanismDpEvent", {"epsilon"}, 1},
      {"EpsilonDeltaDpEvent", {"epsilon", "delta"}, 2},
      {"ZCDpEvent", {"rho", "xi"}, 1},
      {"SelfComposedDpEvent", {"event", "count"}, 2},
      {"ComposedDpEvent", {"events"}, 1},
      {"PoissonSampledDpEvent", {"sampling_probability", "event"}, 2},
      {"SampledWithoutReplacementDpEvent", {"source_dataset_size", "sample_size", "event"}, 3},
      {"SampledWithReplacementDpEvent", {"source_dataset_size", "sample_size", "event"}, 3},
      {"TruncatedSubsampledGaussianDpEvent",
       {"dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier"},
       4},
      {"MixtureOfGaussiansDpEvent", {"standard_deviation", "sensitivities", "sampling_probs"}, 3},
      {"SingleEpochTreeAggregationDpEvent", {"noise_multiplier", "step_counts"}, 2},
      {"RepeatAndSelectDpEvent", {"event", "mean", "shape"}, 3}};
  return all;
}

}  // namespace

const DpEventClass& DpEventTree::class_of(std::size_t node) const {
  const auto& one = tree_[node];
  std::string module_name;
  std::string name;
  if (one.kind == io::JsonNode::Kind::object) {
    module_name = text_at(tree_, field_at(tree_, node, "module_name", "node"));
    name = text_at(tree_, field_at(tree_, node, "class_name", "node"));
  } else if (one.kind == io::JsonNode::Kind::list && one.children.size() >= 2) {
    module_name = text_at(tree_, one.children[0]);
    name = text_at(tree_, one.children[1]);
  } else {
    throw UsageError(tree_.path(node) +
                     ": not a DpEvent: neither an object with class_name nor a list that starts with module and class");
  }
  if (!module_name.ends_with(".dp_event")) {
    throw DomainError(tree_.path(node) + ": module " + module_name +
                      " is not dp_accounting.dp_event: a class of another module may mean anything");
  }
  const auto& all = classes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const DpEventClass& c) { return c.name == name; });
  if (found == all.end()) {
    throw DomainError(tree_.path(node) + ": class " + name + " of " + module_name +
                      " is not known to this version; known are " + std::to_string(all.size()) +
                      " classes, see docs/guide/transcripts.md.");
  }
  check_fields(node, *found);
  return *found;
}

void DpEventTree::check_fields(std::size_t node, const DpEventClass& known) const {
  const auto& one = tree_[node];
  if (one.kind == io::JsonNode::Kind::list) {
    if (one.children.size() > known.fields.size() + 2) {
      throw UsageError(tree_.path(node) + ": " + known.name + ": has " + std::to_string(known.fields.size()) +
                       " fields, not " + std::to_string(one.children.size() - 2));
    }
  } else {
    for (const std::size_t child : one.children) {
      const std::string& key = tree_[child].key;
      if (key != "module_name" && key != "class_name" &&
          std::find(known.fields.begin(), known.fields.end(), key) == known.fields.end()) {
        throw UsageError(tree_.path(node) + ": " + known.name + ": unknown field " + key +
                         suggestion(key, known.fields));
      }
    }
  }
  for (std::size_t i = 0; i < known.needed; ++i) {
    if (place(node, known, known.fields[i]) == 0) {
      throw UsageError(tree_.path(node) + ": " + known.name + ": field " + known.fields[i] + " is missing");
    }
  }
}

std::size_t DpEventTree::place(std::size_t node, const DpEventClass& known, const std::string& name) const {
  const auto& one = tree_[node];
  if (one.kind == io::JsonNode::Kind::object) {
    return tree_.member(node, name);
  }
  const auto at =
      static_cast<std::size_t>(std::find(known.fields.begin(), known.fields.end(), name) - known.fields.begin()) + 2;
  return at < one.children.size() ? one.children[at] : 0;
}

std::size_t DpEventTree::field(std::size_t node, const std::string& name) const {
  return place(node, class_of(node), name);
}

double DpEventTree::number(std::size_t node, const std::string& name, const Domain& domain) const {
  return number_at(tree_, field(node, name), domain);
}

double DpEventTree::number_or(std::size_t node, const std::string& name, const Domain& domain, double fallback) const {
  const std::size_t at = field(node, name);
  return at == 0 ? fallback : number_at(tree_, at, domain);
}

void DpEventTree::require_list(std::size_t node) const {
  if (tree_[node].kind != io::JsonNode::Kind::list) {
    throw UsageError(tree_.path(node) + ": what stands there is not a list");
  }
}

double DpEventTree::leaf(std::size_t node, const Domain& domain) const { return number_at(tree_, node, domain); }

}  // namespace dpcurves::transcripts
